# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""An interior point method over an interaction graph; the interface is documented in ``_cone_interior.pxd``.

Mehrotra's predictor and corrector (1992). With T = G^-1 the Newton step of A r + b + s = T^T y, a y = t is
(A + T^T (y/a) T) dr = -(A r + b + s) + T^T (t/a), a matrix with the pattern of A: block LU factors it in the order at hand.
"""

from libc.math cimport HUGE_VAL, fabs, fmax, fmin
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from nsdgen.solvers._attention cimport interrupted
from nsdgen.abi.cones cimport BOX, COMPLEMENTARITY, COULOMB_2D, block_height
from nsdgen.solvers.interaction._directions cimport factor_rows, find_direction
from nsdgen.solvers.interaction._linearised_rows cimport copy_rows, natural_rows, output_rows

cdef enum:
    ROUNDS = 8  # problems with other mu |u_T|
    STEPS = 80  # of one of them: what is monotone takes half as many

cdef double GOOD = 1e-10  # worth no more rounds
cdef double CLOSE = 1e-12  # of the terms of a row: the end of a round
cdef double FINEST = 1e-26  # of the first gap, the end where there is no friction
cdef double FLOOR = 1e-3  # of the largest terms: those of a row count for no less there
cdef double SHORTER = 0.9995  # than to the edge
cdef double SHORT = 0.1  # a step with the corrector: where it is shorter, one without it
cdef double INSIDE = 1e-4  # of the load: how far off all edges a round begins
cdef double GAIN = 0.5  # of the residual, by a round: else there is no other
cdef double LEAST_FRICTION = 1e-4  # mu below or above: the edges are one line, or the normal tells nothing beside the tangent
cdef double LARGEST_FRICTION = 1e4  # the inverse of LEAST_FRICTION: what it says of a large mu


cdef struct Interior:
    double load  # the largest |y| at rest
    double gap  # mean of a y
    int pairs  # of a and y
    double *a  # 2 x rows, as those that follow: the pairs of a row or contact begin at twice the number of its row
    double *y
    double *da
    double *dy
    double *s  # rows: mu |u_T| on normal rows
    double *f  # rows: A r + b + s


cdef bint has_interior(const OneStep *w) noexcept nogil:
    cdef int i = w.top
    while i < w.bottom:
        if w.cone[i] == COULOMB_2D:
            if not LEAST_FRICTION <= w.bound[2 * i] <= LARGEST_FRICTION:
                return False
        elif w.cone[i] > BOX:
            return False
        i += block_height(w.cone[i])
    return True


# --------------------------------------------------------------------- distances from edges


cdef inline bint _is_fixed(const OneStep *w, int i) noexcept nogil:
    """Whether the bounds of a row are one number."""
    return w.cone[i] == BOX and w.bound[2 * i] == w.bound[2 * i + 1]


cdef int _edges(const OneStep *w, int i, double *t) noexcept nogil:
    """T of the block that begins with row i, a = T r but for what bounds add: two numbers for each a; how many these are."""
    cdef double half
    cdef int pairs = 0
    t[0], t[1], t[2], t[3] = 1.0, 0.0, -1.0, 0.0
    if w.cone[i] == COULOMB_2D:  # the shares of both edges
        half = 0.5 / w.bound[2 * i]
        t[0], t[1], t[2], t[3] = 0.5, half, 0.5, -half
        return 2
    if w.cone[i] == BOX and not _is_fixed(w, i):
        if w.bound[2 * i] > -HUGE_VAL:
            pairs = 1
        else:
            t[0] = -1.0
        return pairs + (w.bound[2 * i + 1] < HUGE_VAL)
    return w.cone[i] == COMPLEMENTARITY


cdef void _pull(const OneStep *w, int i, const double *y, double *u) noexcept nogil:
    """u (2) = T^T y of one block."""
    cdef double[4] t
    cdef int k
    u[0] = u[1] = 0.0
    for k in range(_edges(w, i, t)):
        u[0] += t[2 * k] * y[k]
        u[1] += t[2 * k + 1] * y[k]


cdef void _depart(OneStep *w, Interior *p, int i, double share) noexcept nogil:
    """a and y of one block at least this share of the load off their edges, and r with that a."""
    cdef double[4] t
    cdef double *a = p.a + 2 * i
    cdef double low = w.bound[2 * i], high = w.bound[2 * i + 1], margin = share * p.load * w.rho[i]
    cdef int k, pairs = _edges(w, i, t)
    p.pairs += pairs
    for k in range(pairs):
        p.y[2 * i + k] = fmax(p.y[2 * i + k], share * p.load)
        a[k] = fmax(a[k], margin)
    if w.cone[i] == COULOMB_2D:
        w.z[i], w.z[i + 1] = a[0] + a[1], low * (a[0] - a[1])
    elif w.cone[i] == COMPLEMENTARITY:
        w.z[i] = a[0]
    elif pairs:
        margin = fmin(margin, 0.5 * (high - low))
        w.z[i] = fmin(fmax(w.z[i], low + margin), high - margin)
        for k in range(pairs):
            a[k] = w.z[i] - low if t[2 * k] > 0.0 else high - w.z[i]


# ------------------------------------------------------------------------------------- steps


cdef void _set_barriers(OneStep *w, const Interior *p) noexcept nogil:
    """T^T (y/a) T, and A as it is."""
    cdef double[4] t
    cdef double *own
    cdef double weight
    cdef int node, base, m, i, k, j, l, d
    memset(w.by_r + w.own[w.begin], 0, (w.own[w.end] - w.own[w.begin]) * sizeof(double))
    memset(w.by_u + w.own[w.begin], 0, (w.own[w.end] - w.own[w.begin]) * sizeof(double))
    for node in range(w.begin, w.end):
        base = w.row[node]
        m = w.row[node + 1] - base
        for i in range(m):
            w.by_u[w.own[node] + i * (m + 1)] = not _is_fixed(w, base + i)
            w.by_r[w.own[node] + i * (m + 1)] = _is_fixed(w, base + i)
        i = 0
        while i < m:
            own = w.by_r + w.own[node] + i * (m + 1)
            d = block_height(w.cone[base + i])
            for k in range(_edges(w, base + i, t)):
                weight = p.y[2 * (base + i) + k] / p.a[2 * (base + i) + k]
                for j in range(d):
                    for l in range(d):
                        own[j * m + l] += t[2 * k + j] * t[2 * k + l] * weight
            i += d


cdef double _off(const OneStep *w, const Interior *p) noexcept nogil:
    """How far A r + b + s = T^T y and a y = 0 are from holding, relative to the terms of a row."""
    cdef double[4] t
    cdef double[2] u
    cdef double worst = 0.0, floor = w.least
    cdef int i, k
    for i in range(w.top, w.top if w.friction else w.bottom):
        floor = fmax(floor, FLOOR * w.scale[i])
    i = w.top
    while i < w.bottom:
        _pull(w, i, p.y + 2 * i, u)
        for k in range(0 if _is_fixed(w, i) else block_height(w.cone[i])):
            worst = fmax(worst, fabs(p.f[i + k] - u[k]) / (w.scale[i + k] + floor))
        for k in range(2 * i, 2 * i + _edges(w, i, t)):
            worst = fmax(worst, fmin(p.a[k] / w.rho[i], p.y[k]) / (w.scale[i] + floor))
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
        _pull(w, i, wanted, u)
        for k in range(d):
            w.f[i + k] = 0.0 if _is_fixed(w, i) else p.f[i + k] - u[k]
        i += d
    find_direction(w)  # -dr
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


cdef bint _step(OneStep *w, Interior *p) noexcept nogil:
    """One step of predictor and corrector; whether there are factors."""
    cdef double length, share
    cdef int i
    _set_barriers(w, p)
    if factor_rows(w, False):
        return False
    w.iterations += 1
    _find_step(w, p, 0.0, False)
    share = _gap(w, p, _length(w, p)) / p.gap
    _find_step(w, p, share * share * share * p.gap, True)
    length = _length(w, p)
    if length < SHORT:
        _find_step(w, p, 0.5 * p.gap, False)
        length = _length(w, p)
    for i in range(w.top, w.bottom):
        w.z[i] -= length * w.move[i]
    for i in range(2 * w.top, 2 * w.bottom):
        p.a[i] += length * p.da[i]
        p.y[i] += length * p.dy[i]
    return True


# ------------------------------------------------------------------------------------ rounds


cdef bint _solve_convex(OneStep *w, Interior *p) noexcept nogil:
    """The problem with s as it is, from inside all edges; whether it was solved."""
    cdef double first = 0.0, off, before
    cdef int step, i
    p.gap = HUGE_VAL
    for step in range(STEPS):
        output_rows(w)
        for i in range(w.top, w.bottom):
            p.f[i] = w.y[i] + p.s[i]
        off, before = _off(w, p), p.gap
        p.gap = _gap(w, p, 0.0)
        first = fmax(first, p.gap)
        # Rows without friction are asked which edge they are at, however little tells.
        if off <= CLOSE and (w.friction or p.gap <= FINEST * first or p.gap > GAIN * before):
            return True
        if not 0.0 < p.gap < HUGE_VAL or interrupted() or not _step(w, p):
            return False
    return False


cdef void _take_bounds(OneStep *w, const Interior *p) noexcept nogil:
    """Rows without friction at the edges that they tend to."""
    cdef double[4] t
    cdef int i, k
    for i in range(w.top, w.bottom):
        for k in range(_edges(w, i, t)):
            if p.y[2 * i + k] * w.rho[i] > p.a[2 * i + k]:
                w.z[i] = 0.0 if w.cone[i] == COMPLEMENTARITY else w.bound[2 * i + (t[2 * k] < 0.0)]


cdef void _begin(OneStep *w, Interior *p, double share) noexcept nogil:
    """All blocks at least this share of the load off their edges."""
    cdef int i = w.top
    p.pairs = 0
    while i < w.bottom:
        _depart(w, p, i, share)
        i += block_height(w.cone[i])


cdef double _solve(OneStep *w, Interior *p) noexcept nogil:
    """Rounds, each with the mu |u_T| of the last one; the residual reached."""
    cdef double least = HUGE_VAL, value
    cdef int turn, i
    for turn in range(ROUNDS):
        _begin(w, p, INSIDE if turn else 1.0)
        _solve_convex(w, p)
        if not w.friction:
            _take_bounds(w, p)
        output_rows(w)
        value = natural_rows(w)
        if value < least:
            copy_rows(w, w.best, w.z)
        if not value < GAIN * least or value <= GOOD or not w.friction or interrupted():
            least = fmin(least, value)
            break
        least = value
        for i in range(w.top, w.bottom):
            if w.cone[i] == COULOMB_2D:
                p.s[i] = w.bound[2 * i] * fabs(w.y[i + 1])
    copy_rows(w, w.z, w.best)
    return least


cdef double interior_point(OneStep *w) noexcept nogil:
    cdef Interior p
    cdef size_t rows = w.rows
    cdef double least
    cdef int i
    p.a = <double *> malloc(10 * rows * sizeof(double))
    if p.a == NULL:
        return HUGE_VAL
    p.y, p.da, p.dy, p.s, p.f = p.a + 2 * rows, p.a + 4 * rows, p.a + 6 * rows, p.a + 8 * rows, p.a + 9 * rows
    memset(p.a, 0, 10 * rows * sizeof(double))
    for i in range(w.top, w.bottom):
        w.z[i] = fmin(fmax(0.0, w.bound[2 * i]), w.bound[2 * i + 1]) if w.cone[i] == BOX else 0.0
    copy_rows(w, w.best, w.z)
    output_rows(w)
    p.load = 0.0
    for i in range(w.top, w.bottom):
        p.load = fmax(p.load, fabs(w.y[i]))
    least = _solve(w, &p) if p.load > 0.0 else HUGE_VAL
    w.evaluated = w.settled = 0
    free(p.a)
    return least
