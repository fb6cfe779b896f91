"""The rows of a one-step problem at a guess: outputs, natural map, Alart-Curnier function.

All functions work on one island, the nodes ``begin`` ... ``end`` - 1, and its rows ``top`` ...
``bottom`` - 1 (``_one_step.pxi``).
"""

cdef enum:  # modes of linearize_rows
    PLAIN = 0
    FIRST = 1
    WIDE = 2

cdef inline void copy_rows(const OneStep *w, double *target, const double *source) noexcept nogil:
    """The rows of the island, from one array to another."""
    memcpy(target + w.top, source + w.top, (w.bottom - w.top) * sizeof(double))

cdef double STILL = 1e-8  # of the largest b: a row that does not move
cdef double TRUST = 1e6  # of the largest b: the terms of a row, or what they leave is rounding
cdef double DEGENERATE = 1e-10  # of the terms of a row: y = 0


cdef void output_rows(OneStep *w) noexcept nogil:
    """y = A z + b and the sizes of its terms."""
    if w.slim:
        _output_slim(w)
    else:
        _output_blocks(w)
    if w.mixed:
        add_resolved_terms(w)
    if w.coarse:
        _level(w)


cdef void _level(OneStep *w) noexcept nogil:
    """Rates that are rounding become zero."""
    cdef int i
    for i in range(w.top, w.bottom):
        if fabs(w.y[i]) <= w.grain[i]:
            w.y[i] = 0.0


cdef void measure_grain(OneStep *w) noexcept nogil:
    """``grain`` of the rows, from the largest load, where the last problem left reactions open.

    A and b are known to the rounding of the largest load of an island. Beside it the own terms of a row that carries nothing are rounding, and where reactions
    are open these would never agree.
    """
    cdef int i
    w.coarse = not w.mixed and w.undetermined.count[w.begin] > 0
    if w.coarse:
        measure_load(w, False)
    for i in range(w.top, w.bottom):
        w.grain[i] = ROUNDING * load_of(w, i) if w.coarse else 0.0


cdef void measure_load(OneStep *w, bint reactions) noexcept nogil:
    """The largest load of the island by the energy that it moves, for rows have several units; with the reactions in ``z``."""
    cdef int i
    w.load = 0.0
    for i in range(w.top, w.bottom):
        w.load = fmax(w.load, fabs(w.b[i]) * sqrt(w.rho[i]))
        if reactions:
            w.load = fmax(w.load, fabs(w.z[i]) * sqrt(w.stiffness[i]))


cdef inline double load_of(const OneStep *w, int i) noexcept nogil:
    """What the largest load would move a row by, in its unit."""
    return w.load * sqrt(w.stiffness[i])


cdef void _output_blocks(OneStep *w) noexcept nogil:
    cdef int p, i
    copy_rows(w, w.y, w.b)
    for i in range(w.top, w.bottom):
        w.scale[i] = fabs(w.b[i])
    for p in range(w.begin, w.end):
        output_node(w, p)


cdef inline void output_node(OneStep *w, int p) noexcept nogil:
    """Add A z to y of a node, and the sizes of its terms to ``scale``."""
    cdef const double *block
    cdef double term
    cdef int q, c, row = w.row[p], m = w.row[p + 1] - row
    if w.pairs:
        c = w.start[p]
        nsd_pairs_terms(w.start[p + 1] - c, w.column + c, w.row, w.value + 4 * c, w.z, w.y + row, w.scale + row)
        return
    for c in range(w.start[p], w.start[p + 1]):
        q = w.column[c]
        block = w.value + w.place[c]
        if m == 1 and w.row[q + 1] - w.row[q] == 1:
            term = block[0] * w.z[w.row[q]]
            w.y[row] += term
            w.scale[row] += fabs(term)
            continue
        nsd_block_terms(m, w.row[q + 1] - w.row[q], block, w.z + w.row[q], w.y + row, w.scale + row)


cdef void _output_slim(OneStep *w) noexcept nogil:
    """The same where a node is a row."""
    cdef double term, y, size
    cdef int i, c
    for i in range(w.top, w.bottom):
        y, size = w.b[i], fabs(w.b[i])
        for c in range(w.start[i], w.start[i + 1]):
            term = w.value[c] * w.z[w.column[c]]
            y += term
            size += fabs(term)
        w.y[i], w.scale[i] = y, size


cdef double _map_row(OneStep *w, int i) noexcept nogil:
    """The natural map of one row, relative to its terms."""
    cdef double z = w.z[i], y = w.y[i], stiffness, size, value, nearest
    cdef int cone = w.cone[i]
    if cone == EQUALITY:
        value = fabs(y)
        return value / (w.scale[i] + w.least) if value > 0.0 else value
    stiffness = w.stiffness[i]
    # A rate is small beside its own terms: a multiplier that is none of them proves nothing.
    size = w.scale[i] + w.least
    if cone == COMPLEMENTARITY:
        value = fabs(fmin(stiffness * z, y)) if z == z and y == y else HUGE_VAL
        if stiffness * z < y:
            size += stiffness * fabs(z)
    else:
        nearest = z - y / stiffness
        if nearest != nearest:
            return HUGE_VAL
        if not w.bound[2 * i] < nearest < w.bound[2 * i + 1]:
            nearest = fmax(w.bound[2 * i], fmin(w.bound[2 * i + 1], nearest))
            size += stiffness * fabs(z)
        value = stiffness * fabs(z - nearest)
    return value / size if value > 0.0 else value


cdef double _map_contact(OneStep *w, int i, int d) noexcept nogil:
    """The natural map of a friction block, relative to the terms of its rows."""
    cdef double scale[MAX_DIM]
    cdef int k
    for k in range(d):
        scale[k] = w.scale[i + k] + w.least
    return natural_laws(d, w.bound + 2 * i, w.stiffness[i], w.stiffness[i + 1], w.z + i, w.y + i, scale)


cdef inline bint _no_worse(const OneStep *w, int i, double worst) noexcept nogil:
    """Whether an equality or a row of complementarity is seen without a division to be no worse than others."""
    cdef double y = w.y[i], reach
    if w.cone[i] == EQUALITY:
        return fabs(y) <= worst * (w.scale[i] + w.least)
    if w.cone[i] != COMPLEMENTARITY:
        return False
    reach = w.stiffness[i] * w.z[i]
    if reach < y:
        return fabs(reach) <= worst * (w.scale[i] + w.least + fabs(reach))
    return reach >= y and fabs(y) <= worst * (w.scale[i] + w.least)


cdef double natural_rows(OneStep *w) noexcept nogil:
    """The largest natural map of a row, relative to its terms; ``worst_row`` is that row."""
    cdef double worst = 0.0, value
    cdef int i = w.top, d
    w.worst_row = w.top
    while i < w.bottom:
        if _no_worse(w, i, worst):
            i += 1
            continue
        d = block_height(w.cone[i])
        value = _map_row(w, i) if d == 1 else _map_contact(w, i, d)
        # Written so that a NaN is not overlooked.
        if not value <= worst:
            worst = value if value == value else HUGE_VAL
            w.worst_row = i
        i += d
    return worst


cdef bint cancels(OneStep *w) noexcept nogil:
    """Whether multipliers cancel so far that the certificate says nothing; then ``worst_row`` has one.

    Rows that contradict each other "hold" for multipliers that the shift alone bounds. Those of a
    box are bounded by the problem itself and may be as large as their bounds.
    """
    cdef double load
    cdef int i, k
    measure_load(w, False)
    for i in range(w.top, w.bottom):
        for k in range(2 * i, 2 * i + 2):
            if w.cone[i] == BOX and fabs(w.bound[k]) < HUGE_VAL:
                w.load = max(w.load, fabs(w.bound[k]) * sqrt(w.stiffness[i]))
    for i in range(w.top, w.bottom):
        load = load_of(w, i)
        # The reaction of a contact counts where it is no term of its own row, too.
        if w.scale[i] > TRUST * load or (w.cone[i] >= COULOMB_2D and fabs(w.z[i]) > TRUST * load * w.rho[i]):
            w.worst_row = i
            return True
    return False


cdef double shifted_residual(OneStep *w) noexcept nogil:
    """The same for y + shift (z - center); ``y`` stays as it is."""
    cdef double value
    cdef int i
    for i in range(w.top, w.bottom):
        w.y[i] += w.shift[i] * (w.z[i] - w.center[i])
    value = natural_rows(w)
    for i in range(w.top, w.bottom):
        w.y[i] -= w.shift[i] * (w.z[i] - w.center[i])
    return value


cdef void linearize_rows(OneStep *w, int mode, bint shifted) noexcept nogil:
    """F and its derivatives by z and by y, with y + shift (z - center) in place of y if ``shifted``; ``mode``:

    PLAIN; FIRST, where rows that neither move nor react are taken as active (in a body at rest all
    contacts bear load, and to find them one after the other would take as many steps); WIDE, where
    rows at a bound with y = 0 are active, too.
    """
    cdef double f[MAX_DIM]
    cdef double u[MAX_DIM]
    cdef double by_r[MAX_DIM * MAX_DIM]
    cdef double by_u[MAX_DIM * MAX_DIM]
    cdef double *own_r
    cdef double *own_u
    cdef double rho, y, x, still = 0.0
    cdef bint closed
    cdef int p, base, m, i, k, j, d, cone
    if mode == FIRST:
        measure_load(w, False)
    memset(w.by_r + w.own[w.begin], 0, (w.own[w.end] - w.own[w.begin]) * sizeof(double))
    memset(w.by_u + w.own[w.begin], 0, (w.own[w.end] - w.own[w.begin]) * sizeof(double))
    for p in range(w.begin, w.end):
        base = w.row[p]
        m = w.row[p + 1] - base
        own_r = w.by_r + w.own[p]
        own_u = w.by_u + w.own[p]
        i = 0
        while i < m:
            k = base + i
            cone = w.cone[k]
            d = block_height(cone)
            if mode == FIRST:
                still = STILL * load_of(w, k)
            if d == 1:
                rho = w.reach * w.rho[k]
                y = w.y[k] + (w.shift[k] * (w.z[k] - w.center[k]) if shifted else 0.0)
                x = w.z[k] - rho * y
                if mode == WIDE:
                    still = DEGENERATE * w.scale[k]
                if cone == COMPLEMENTARITY and not (x > 0.0 or (mode >= FIRST and y <= still)):
                    w.f[k] = w.z[k]
                    own_r[i * (m + 1)] = 1.0
                elif cone == BOX and not w.bound[2 * k] < x < w.bound[2 * k + 1] and not (
                        mode == WIDE and fabs(y) <= still):
                    w.f[k] = w.z[k] - (w.bound[2 * k] if x <= w.bound[2 * k] else w.bound[2 * k + 1])
                    own_r[i * (m + 1)] = 1.0
                else:
                    w.f[k] = rho * y
                    own_u[i * (m + 1)] = rho
            else:
                for j in range(d):
                    u[j] = w.y[k + j]
                    if shifted:
                        u[j] += w.shift[k + j] * (w.z[k + j] - w.center[k + j])
                closed = mode == FIRST and w.z[k] == 0.0 and fabs(u[0]) <= still
                if closed:  # the case is chosen as if it closed, its value is not
                    u[0] -= 2.0 * still
                linearize_contact(d, w.bound + 2 * k, w.reach * w.rho[k], w.reach * w.rho[k + 1], w.z + k, u, f,
                                  by_r, by_u)
                if closed:
                    f[0] += 2.0 * still * w.reach * w.rho[k]
                for j in range(d):
                    w.f[k + j] = f[j]
                    memcpy(own_r + (i + j) * m + i, by_r + j * d, d * sizeof(double))
                    memcpy(own_u + (i + j) * m + i, by_u + j * d, d * sizeof(double))
            i += d


cdef bint keep_their_cases(const OneStep *w) noexcept nogil:
    """Whether F of mode WIDE has the derivatives that were kept: the rows active that were. For islands without
    friction."""
    cdef double rho, x
    cdef bint inside
    cdef int p, i, k, m
    for p in range(w.begin, w.end):
        m = w.row[p + 1] - w.row[p]
        for i in range(m):
            k = w.row[p] + i
            rho = w.reach * w.rho[k]
            x = w.z[k] - rho * w.y[k]
            if w.cone[k] == COMPLEMENTARITY:
                inside = x > 0.0 or w.y[k] <= DEGENERATE * w.scale[k]
            else:
                inside = (w.cone[k] == EQUALITY or w.bound[2 * k] < x < w.bound[2 * k + 1]
                          or fabs(w.y[k]) <= DEGENERATE * w.scale[k])
            if w.kept_u[w.own[p] + i * (m + 1)] != (rho if inside else 0.0):
                return False
    return True


cdef void linear_rows(OneStep *w) noexcept nogil:
    """F of an island of equality rows, whose derivatives are those of the last ``linearize_rows``."""
    cdef int i
    for i in range(w.top, w.bottom):
        w.f[i] = w.reach * w.rho[i] * w.y[i]


cdef uint64_t cases_of(const OneStep *w) noexcept nogil:
    """A fingerprint of the derivatives of F: the same cases, the same number."""
    cdef const uint64_t *words = <const uint64_t *> w.by_u
    cdef uint64_t value = 14695981039346656037u
    cdef size_t i
    for i in range(w.own[w.begin], w.own[w.end]):
        value = (value ^ words[i]) * 1099511628211u
        value ^= value >> 29
    words = <const uint64_t *> w.by_r
    for i in range(w.own[w.begin], w.own[w.end]):
        value = (value ^ words[i]) * 1099511628211u
        value ^= value >> 29
    return value
