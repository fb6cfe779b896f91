"""Sweeps over contacts of bodies: each contact is solved exactly for its own reactions, and moves its bodies at once.

They go forth and back, and each starts ahead of the last one by a momentum (Nesterov's). It is dropped where a sweep moves less than the one
before (W. Su, S. Boyd, E. Candes, 2016), in the norm in which reactions are energies, and never soon: what is dropped at each sweep helps none.
Reactions are in their cones whenever they end.
"""

cdef enum:
    LEAST_RUN = 30  # sweeps with a momentum, before it may be dropped

cdef int[5] SLIDES = [COULOMB_3D, FOLLOWS, FOLLOWS, FOLLOWS, FOLLOWS]
cdef int[5] ROLLS = [ROLLING, FOLLOWS, FOLLOWS, FOLLOWS, FOLLOWS]
cdef int[2] PLANAR_SLIDES = [COULOMB_2D, FOLLOWS]


cdef inline void _push(BodyContacts *w, int c, const double *change, int rows, int unknowns) noexcept nogil:
    """What a change of so many reactions moves of so many velocities: where numbers are given the compiler writes loops out."""
    cdef const double *X
    cdef double *v
    cdef double total
    cdef int side, body, i, j, m = w.m
    for side in range(2 if w.body[2 * c + 1] >= 0 else 1):
        body = w.body[2 * c + side]
        v = w.v + VELOCITIES * body
        if w.diagonal:  # X is made of C, which was read already: half of what comes from memory
            move_by_rows(rows, unknowns, w.by_v + (2 * <size_t> c + side) * VELOCITIES * m, change, w.yields + VELOCITIES * body, v)
            continue
        X = w.by_r + (2 * <size_t> c + side) * VELOCITIES * m
        for i in range(unknowns):
            total = 0.0
            for j in range(rows):
                total += X[i * m + j] * change[j]
            v[i] += total


cdef inline double _solve_coupled(BodyContacts *w, int c, int rows, double *u, double *r, double *change) noexcept nogil:
    """Any other contact; the largest change of u."""
    cdef const double *own = w.own + <size_t> c * w.m * w.m
    cdef double[MAX_DIM] z
    cdef double[4] two
    cdef double value, largest = 0.0
    cdef int i, j
    for i in range(rows):
        z[i] = r[i]
    if rows == 2:
        two[0], two[1], two[2], two[3] = own[0], own[1], own[3], own[4]
        solve_own_rows(2, &PLANAR_SLIDES[0], w.bound + 2 * c, two, u, z)
    else:
        solve_own_rows(rows, &SLIDES[0] if rows == 3 else &ROLLS[0], w.bound + 2 * c, own, u, z)
    for i in range(rows):
        change[i] = z[i] - r[i]
        r[i] = z[i]
    for i in range(rows):
        value = 0.0
        for j in range(rows):
            value += own[i * w.m + j] * change[j]
        largest = max(largest, fabs(value))
    return largest


cdef inline double _solve_box(BodyContacts *w, int c, const double *u, double *r, double *change) noexcept nogil:
    """One row within bounds; the change of u."""
    cdef double z = in_box(w, c, r[0] - u[0] / w.rate[c])
    cdef int i
    change[0] = z - r[0]
    r[0] = z
    for i in range(1, w.m):
        change[i] = 0.0
    return fabs(w.rate[c] * change[0])


cdef inline double _visit_rows(BodyContacts *w, int c, int rows, int unknowns) noexcept nogil:
    """Solve one contact for its own reactions; the largest change of its u."""
    cdef const double *C
    cdef const double *v
    cdef double *r = w.r + c * w.m
    cdef double[MAX_DIM] u
    cdef double[MAX_DIM] change
    cdef double largest
    cdef int side, i, m = w.m
    for i in range(rows):
        u[i] = w.b[c * m + i]
    for side in range(2 if w.body[2 * c + 1] >= 0 else 1):
        C = w.by_v + (2 * <size_t> c + side) * VELOCITIES * m
        v = w.v + VELOCITIES * w.body[2 * c + side]
        for i in range(rows):
            u[i] += product_of(unknowns, C + VELOCITIES * i, v)
    if w.box[c]:
        largest = _solve_box(w, c, u, r, change)
    elif w.rolls:
        largest = roll_solve(w.bound + 2 * c, w.own + 9 * <size_t> c, u, r, change)
    else:
        largest = _solve_coupled(w, c, rows, u, r, change)
    if largest > 0.0:
        _push(w, c, change, rows, unknowns)
    return largest


cdef inline double _visit_plain(BodyContacts *w, int c, int rows, int unknowns) noexcept nogil:
    cdef const double *C = w.by_v + 2 * VELOCITIES * 3 * <size_t> c
    cdef int a = VELOCITIES * w.body[2 * c], b = VELOCITIES * w.body[2 * c + 1]
    return visit_plain(
        rows, unknowns, w.bound[2 * c], w.own + 9 * <size_t> c, w.inverse + 2 * c, w.b + 3 * c, w.r + 3 * c, C, w.v + a,
        w.yields + a, C + VELOCITIES * 3, w.v + b if b >= 0 else NULL, w.yields + b)


cdef inline double _visit(BodyContacts *w, int c) noexcept nogil:
    if w.m == 3 and not w.rolls and not w.box[c] and w.inverse[2 * c] > 0.0:
        return _visit_plain(w, c, 2, 3) if w.planar else _visit_plain(w, c, 3, 6)
    if w.planar:
        return _visit_rows(w, c, 3, 3) if w.rolls else _visit_rows(w, c, 2, 3)
    return _visit_rows(w, c, 3, 6) if w.m == 3 else _visit_rows(w, c, w.m, 6)


cdef void _go_ahead(double momentum, double *now, double *before, size_t n) noexcept nogil:
    """Further by a share of what the last sweep changed; what was is kept."""
    cdef double last
    cdef size_t k
    for k in range(n):
        last = now[k]
        now[k] = last + momentum * (last - before[k])
        before[k] = last


cdef double _moved(const BodyContacts *w) noexcept nogil:
    """By the last sweep: the square of it, rates times impulses."""
    cdef double total = 0.0, own, change
    cdef int c, i
    for c in range(w.contacts):
        own = 0.0
        for i in range(c * w.m, (c + 1) * w.m):
            change = w.r[i] - w.before[i]
            own += change * change
        total += own * w.rate[c]
    return total


cdef double body_sweeps(BodyContacts *w, double goal, int most, int *made) noexcept nogil:
    """Sweep from ``r`` until no u changes by more than ``goal`` in a sweep, or ``most`` times; the largest change in
    the last one.

    ``v`` must belong to ``r``, and does afterwards.
    """
    cdef double change, changed = HUGE_VAL, moved, last = 0.0, t = 1.0, next
    cdef int c, sweep, run = 0
    memcpy(w.before, w.r, <size_t> w.contacts * w.m * sizeof(double))
    memcpy(w.v_before, w.v, <size_t> w.bodies * VELOCITIES * sizeof(double))
    for sweep in range(most):
        for c in range(w.contacts):
            _visit(w, c)
        changed = 0.0
        for c in range(w.contacts - 1, -1, -1):
            change = _visit(w, c)
            if change > changed:
                changed = change
        made[0] = sweep + 1
        if changed <= goal or sweep + 1 == most or interrupted():
            break
        next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t))
        moved = _moved(w)
        run += 1
        if moved < last and run > LEAST_RUN:
            t, next, run = 1.0, 1.0, 0
        _go_ahead((t - 1.0) / next, w.r, w.before, <size_t> w.contacts * w.m)
        _go_ahead((t - 1.0) / next, w.v, w.v_before, <size_t> w.bodies * VELOCITIES)  # which reactions move in proportion
        t, last = next, moved
    return changed
