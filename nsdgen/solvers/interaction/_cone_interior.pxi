"""An interior point method over an interaction graph: large islands with friction in the plane.

A reaction in Coulomb's cone is a combination of its two edges, r = G a with a >= 0. For y >= 0 orthogonal to a the law of a contact reads

    u_N = y_1 y_2 / (y_1 + y_2),  u_T = (y_1 - y_2) / (2 mu),

for either edge that acts makes u_N = 0 and lets the contact slide one way, both let it stick, and none leaves it open with any
u_N > 0 and u_T. It is smooth where y > 0, so that an interior point method finds which contacts are open, stick and slide all at
once, in some twenty factorisations whatever the number of contacts; Newton's method finds them one after the other.
From there Newton's method takes two to four steps. The problem is not monotone: steps may come to a halt. Then from nothing come convex rounds,
with u_N + mu |u_T| in place of u_N (De Saxce and Feng, 1998) and mu |u_T| of the round before; near a guess it is made easier
(``_proximal_rounds.pxi``).

A row with bounds has a distance a from each finite one.

Of many solutions it is one far from all edges: contacts of which nothing says that they slide stick.

Mehrotra's predictor and corrector (1992). With a = T r the Newton step of A r + b = u(y), a y = t is
(A + U (y/a) T) dr = -(A r + b) + U (t/a), U the derivatives of u, a matrix with the pattern of A: block LU factors it in the
order at hand. u is homogeneous of degree one, u = U y (Euler): the step needs it nowhere by itself.
"""

cdef enum:
    STEPS = 80  # of a convex problem, which takes half as many
    FRICTION_STEPS = 30  # jammed piles of a thousand discs take half as many: what takes longer goes nowhere
    STALLED = 4  # steps on end that are short
    CONVEX_ROUNDS = 8  # convex ones
    POLISH = 20  # of Newton's steps; where contacts show their cases it takes two to four

cdef double NEAR = 2e-6  # of the terms of a row: contacts show their cases, from here two to four of Newton's steps arrive
cdef double NEARER = 1e-8  # where they do not
cdef double NEARLY = 1e-4  # enough where blocks are too stiff for another step
cdef double CLOSE = 1e-12  # of the terms of a row: the end of a convex problem
cdef double SHORTER = 0.9995  # than to the edge
cdef double SHORT = 0.3  # a step with the corrector: where it is shorter, one without it
cdef double TINY = 0.1  # a step that leads nowhere
cdef double WARM_SHARE = 1e-2  # of the load: how far off all edges a guess is set, at most
cdef double SHARE = 0.1  # of its residual
cdef double LEAST_SHARE = 1e-5  # and at least
cdef double OFF_EDGES = 1e-4  # of the load: how far off all edges a further round begins
cdef double ROUND_FALLS = 0.5  # of the residual, by a round: else there is no other
cdef double LEAST_FRICTION = 1e-4  # mu below or above: the edges are one line, or the normal tells nothing beside the tangent
cdef double LARGEST_FRICTION = 1e4  # the inverse of LEAST_FRICTION: what it says of a large mu


cdef bint has_interior(const OneStep *w) noexcept nogil:
    """Whether the island has no other cones than those of rows and of contacts in the plane with finite friction."""
    cdef int i = w.top
    while i < w.bottom:
        if w.cone[i] == COULOMB_2D:
            if not LEAST_FRICTION <= w.bound[2 * i] <= LARGEST_FRICTION:
                return False
        elif w.cone[i] > BOX:
            return False
        i += block_height(w.cone[i])
    return True


# ------------------------------------------------------------------------------------- steps


cdef void _set_barriers(OneStep *w, const Interior *p) noexcept nogil:
    """J = A G + U y/a with columns in units of their own, so that no edge drowns another: G and U y/a of each node.

    A column of friction is one of da and counts a beside the stiffness of the row, or y where that is larger.
    """
    cdef double[4] t
    cdef double[4] slope
    cdef const double *a
    cdef const double *y
    cdef double *by_u
    cdef double *by_r
    cdef double weight
    cdef int node, base, m, i = 0, k, j, pairs
    memset(w.by_r + w.own[w.begin], 0, (w.own[w.end] - w.own[w.begin]) * sizeof(double))
    memset(w.by_u + w.own[w.begin], 0, (w.own[w.end] - w.own[w.begin]) * sizeof(double))
    for node in range(w.begin, w.end):
        base = w.row[node]
        m = w.row[node + 1] - base
        i = 0
        while i < m:
            by_u, by_r = w.by_u + w.own[node] + i * (m + 1), w.by_r + w.own[node] + i * (m + 1)
            a, y = p.a + 2 * (base + i), p.y + 2 * (base + i)
            pairs = _slopes(w, p, base + i, t, slope)
            if w.cone[base + i] == COULOMB_2D:
                for k in range(2):
                    weight = 1.0 / (w.stiffness[base + i] * a[k] + y[k])
                    by_u[k] = weight * a[k]
                    by_u[m + k] = (-1.0 if k else 1.0) * w.bound[2 * (base + i)] * by_u[k]
                    for j in range(2):
                        by_r[j * m + k] = slope[2 * k + j] * weight * y[k]
                i += 2
                continue
            weight = 0.0
            for k in range(pairs):
                weight += y[k] / a[k]
            by_u[0] = 0.0 if _is_fixed(w, base + i) else w.stiffness[base + i] / (w.stiffness[base + i] + weight)
            by_r[0] = 1.0 if _is_fixed(w, base + i) else weight * by_u[0]
            i += 1


cdef double _off(const OneStep *w, const Interior *p) noexcept nogil:
    """How far A r + b = u(y) and a y = 0 are from holding, relative to the terms of a row."""
    cdef double[4] t
    cdef double[2] u
    cdef double worst = 0.0
    cdef int i = w.top, k
    while i < w.bottom:
        _pull(w, p, i, p.y + 2 * i, u)
        for k in range(0 if _is_fixed(w, i) else block_height(w.cone[i])):
            worst = fmax(worst, fabs(p.f[i + k] - u[k]) / (w.scale[i + k] + w.least))
        for k in range(2 * i, 2 * i + _edges(w, i, t)):
            worst = fmax(worst, fmin(p.a[k] / w.rho[i], p.y[k]) / (w.scale[i] + w.least))
        i += block_height(w.cone[i])
    return worst


cdef void _find_step(OneStep *w, Interior *p, double target, bint second) noexcept nogil:
    """da and dy towards a y = target; in the corrector less the product of those of the predictor."""
    cdef double[4] t
    cdef double[2] wanted
    cdef double[2] u
    cdef int i = w.top, k, e, pairs, d
    while i < w.bottom:
        pairs, d = _edges(w, i, t), block_height(w.cone[i])
        for k in range(pairs):
            e = 2 * i + k
            wanted[k] = (target - (p.da[e] * p.dy[e] if second else 0.0)) / p.a[e]
            p.dy[e] = wanted[k] - p.y[e]  # and less (y/a) da, below
        _pull(w, p, i, wanted, u)
        for k in range(d):
            w.f[i + k] = 0.0 if _is_fixed(w, i) else p.f[i + k] - u[k]
        i += d
    find_scaled_direction(w)  # -dr
    i = w.top
    while i < w.bottom:
        pairs, d = _edges(w, i, t), block_height(w.cone[i])
        for k in range(pairs):
            e = 2 * i + k
            p.da[e] = -t[2 * k] * w.move[i] - (t[2 * k + 1] * w.move[i + 1] if d == 2 else 0.0)
            p.dy[e] -= p.y[e] / p.a[e] * p.da[e]
        i += d


cdef double _length(const OneStep *w, const Interior *p) noexcept nogil:
    """How far the step goes: not beyond an edge."""
    cdef double[4] t
    cdef double length = 1.0 / SHORTER
    cdef int i = w.top, k
    while i < w.bottom:
        for k in range(2 * i, 2 * i + _edges(w, i, t)):
            if p.da[k] < 0.0:
                length = fmin(length, -p.a[k] / p.da[k])
            if p.dy[k] < 0.0:
                length = fmin(length, -p.y[k] / p.dy[k])
        i += block_height(w.cone[i])
    return SHORTER * length


cdef double _gap(const OneStep *w, const Interior *p, double length) noexcept nogil:
    """The mean of a y after a step of this length."""
    cdef double[4] t
    cdef double total = 0.0
    cdef int i = w.top, k
    while i < w.bottom:
        for k in range(2 * i, 2 * i + _edges(w, i, t)):
            total += (p.a[k] + length * p.da[k]) * (p.y[k] + length * p.dy[k])
        i += block_height(w.cone[i])
    return total / max(p.pairs, 1)


cdef double _step(OneStep *w, Interior *p) noexcept nogil:
    """One step of predictor and corrector; its length, 0 without factors."""
    cdef double length, share
    cdef int i
    w.columns = 1
    _set_barriers(w, p)
    if factor_rows(w, False):
        return 0.0
    w.iterations += 1
    _find_step(w, p, 0.0, False)
    share = _gap(w, p, _length(w, p)) / p.gap
    _find_step(w, p, share * share * share * p.gap, True)
    length = _length(w, p)
    share = 0.5
    while length < SHORT and share <= 1.0:  # away from the edges first
        _find_step(w, p, share * p.gap, False)
        length = _length(w, p)
        share *= 2.0
    for i in range(w.top, w.bottom):
        w.z[i] -= length * w.move[i]
    for i in range(2 * w.top, 2 * w.bottom):
        p.a[i] += length * p.da[i]
        p.y[i] += length * p.dy[i]
    return length


# ------------------------------------------------------------------------------------ rounds


cdef bint _arrive(OneStep *w, Interior *p, bint shifted, double near) noexcept nogil:
    """Steps from inside all edges to a solution; whether there is one. ``z`` ends as the best iterate, of a convex problem as the last."""
    cdef double off, least = HUGE_VAL, length
    cdef int step, i, short = 0
    for step in range(STEPS if p.convex else FRICTION_STEPS):
        output_rows(w)
        for i in range(w.top, w.bottom):
            p.f[i] = w.y[i] + p.s[i] + (w.shift[i] * (w.z[i] - w.center[i]) if shifted else 0.0)
        p.gap = _gap(w, p, 0.0)
        if not p.convex:
            off = shifted_residual(w) if shifted else natural_rows(w)
            if off < least:
                least = off
                copy_rows(w, w.best, w.z)
            if off <= near:
                break
        elif _off(w, p) <= CLOSE:
            return True
        if not 0.0 < p.gap < HUGE_VAL or interrupted():
            break
        length = _step(w, p)
        short = short + 1 if length < TINY else 0
        if not length > 0.0 or short >= STALLED:
            break
    if not p.convex:
        copy_rows(w, w.z, w.best)
    return least <= NEARLY


cdef void _set_off(OneStep *w, Interior *p, bint warm, double share) noexcept nogil:
    """All blocks this share of the load off their edges; where ``warm`` around ``z``, as far as that is off."""
    cdef int i = w.top
    if warm:
        memset(p.a + 2 * w.top, 0, 2 * (w.bottom - w.top) * sizeof(double))
        memset(p.y + 2 * w.top, 0, 2 * (w.bottom - w.top) * sizeof(double))
        output_rows(w)
        share = fmax(LEAST_SHARE, fmin(share, SHARE * natural_rows(w)))
    p.pairs = 0
    while i < w.bottom:
        if warm:
            _take(w, p, i)
        _depart(w, p, i, share)
        i += block_height(w.cone[i])


cdef bint _polish(OneStep *w) noexcept nogil:
    """Newton's method from where the problem itself was nearly solved, once more from nearer; whether it is solved."""
    w.columns = w.settled = 0
    copy_rows(w, w.center, w.z)
    if full_steps(w, False, FINE, POLISH) <= GOOD:
        return True
    copy_rows(w, w.z, w.center)
    return False


cdef bint _solve(OneStep *w, Interior *p, bint warm) noexcept nogil:
    """The problem itself; whether it was solved."""
    _set_off(w, p, warm, WARM_SHARE if warm else 1.0)
    if not _arrive(w, p, False, NEAR):
        return False
    if _polish(w):
        return True
    return _arrive(w, p, False, NEARER) and _polish(w)


cdef void _solve_by_rounds(OneStep *w, Interior *p) noexcept nogil:
    """Convex problems, each with the mu |u_T| of the last one, and the problem itself from where they end."""
    cdef double least = HUGE_VAL, value
    cdef int turn, i
    p.convex = True
    for turn in range(CONVEX_ROUNDS):
        memset(w.z + w.top, 0, (w.bottom - w.top) * sizeof(double) if turn == 0 else 0)
        _set_off(w, p, False, OFF_EDGES if turn else 1.0)
        _arrive(w, p, False, NEAR)
        output_rows(w)
        value = natural_rows(w)
        if value < least:
            copy_rows(w, w.way, w.z)
        if not value < ROUND_FALLS * least or interrupted():
            break
        least = value
        for i in range(w.top, w.bottom):
            if w.cone[i] == COULOMB_2D:
                p.s[i] = w.bound[2 * i] * fabs(w.y[i + 1])
    p.convex = False
    memset(p.s + w.top, 0, (w.bottom - w.top) * sizeof(double))
    copy_rows(w, w.z, w.way)
    if not _polish(w):
        _solve(w, p, True)


cdef bint _reserve(const OneStep *w, Interior *p) noexcept nogil:
    """Room for what goes with the rows; False without memory."""
    cdef size_t rows = w.rows
    memset(p, 0, sizeof(Interior))
    p.a = <double *> malloc(10 * rows * sizeof(double))
    if p.a == NULL:
        return False
    memset(p.a, 0, 10 * rows * sizeof(double))
    p.y, p.da, p.dy, p.s, p.f = p.a + 2 * rows, p.a + 4 * rows, p.a + 6 * rows, p.a + 8 * rows, p.a + 9 * rows
    return True


cdef void _release(OneStep *w, Interior *p) noexcept nogil:
    free(p.a)
    w.evaluated = w.settled = w.columns = 0


cdef bint interior_round(OneStep *w) noexcept nogil:
    """Solve the problem with ``shift`` around ``center`` nearly, from ``z`` = ``center``; whether contacts show their
    cases there."""
    cdef Interior p
    cdef bint arrived
    cdef int i
    if not _reserve(w, &p):
        return False
    for i in range(w.top, w.bottom):
        p.load = fmax(p.load, fabs(w.b[i]))
    _set_off(w, &p, True, WARM_SHARE)
    arrived = p.load > 0.0 and _arrive(w, &p, True, NEAR)
    _release(w, &p)
    return arrived


cdef double interior_point(OneStep *w, bint warm) noexcept nogil:
    """Solve from ``z`` or, not ``warm``, from nothing; leaves the best iterate in ``z`` and returns its residual.

    Overwrites ``best``, ``center`` and ``way``.
    """
    cdef Interior p
    cdef int i
    if not _reserve(w, &p):
        return HUGE_VAL
    if not warm:
        for i in range(w.top, w.bottom):
            w.z[i] = fmin(fmax(0.0, w.bound[2 * i]), w.bound[2 * i + 1]) if w.cone[i] == BOX else 0.0
        output_rows(w)
    for i in range(w.top, w.bottom):
        p.load = fmax(p.load, fabs(w.b[i]) if warm else fabs(w.y[i]))
    if p.load > 0.0 and not _solve(w, &p, warm) and not warm:
        _solve_by_rounds(w, &p)
    _release(w, &p)
    if not p.load > 0.0:
        return HUGE_VAL
    output_rows(w)
    return natural_rows(w)
