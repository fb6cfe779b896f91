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
from nsdgen.abi.cones cimport COMPLEMENTARITY, COULOMB_2D, block_height
from nsdgen.solvers.interaction._directions cimport factor_rows, find_direction
from nsdgen.solvers.interaction._linearised_rows cimport copy_rows, natural_rows, output_rows

cdef enum:
    ROUNDS = 8  # problems with other mu |u_T|
    STEPS = 50  # of one of them

cdef double GOOD = 1e-10  # worth no more rounds
cdef double CLOSE = 1e-12  # of the terms of a row: the end of a round
cdef double SHORTER = 0.9995  # than to the edge
cdef double INSIDE = 1e-4  # of the load: how far off all edges a round begins
cdef double GAIN = 0.5  # of the residual, by a round: else there is no other
cdef double LEAST_FRICTION = 1e-4  # mu below or above: the edges are one line, or the normal tells nothing beside the tangent
cdef double LARGEST_FRICTION = 1e4  # the inverse of LEAST_FRICTION: what it says of a large mu


cdef struct Interior:
    double load  # the largest |b|
    double gap  # mean of a y
    int pairs  # of a and y
    double *a
    double *y
    double *da
    double *dy
    double *s  # mu |u_T| on normal rows
    double *f  # A r + b + s


cdef bint has_interior(const OneStep *w) noexcept nogil:
    cdef int i = w.top
    while i < w.bottom:
        if w.cone[i] == COULOMB_2D:
            if not LEAST_FRICTION <= w.bound[2 * i] <= LARGEST_FRICTION:
                return False
        elif w.cone[i] > COMPLEMENTARITY:
            return False
        i += block_height(w.cone[i])
    return True


# -------------------------------------------------------------------- coordinates of a contact


cdef inline void _to_edges(double mu, const double *r, double *a) noexcept nogil:
    """a = T r: of reactions the shares of both edges."""
    a[0] = 0.5 * (r[0] + r[1] / mu)
    a[1] = 0.5 * (r[0] - r[1] / mu)


cdef inline void _from_edges(double mu, const double *y, double *u) noexcept nogil:
    """u = T^T y."""
    u[0] = 0.5 * (y[0] + y[1])
    u[1] = 0.5 * (y[0] - y[1]) / mu


cdef inline int _pairs(const OneStep *w, int i) noexcept nogil:
    """How many a there are for the rows that begin with i."""
    return 2 if w.cone[i] == COULOMB_2D else w.cone[i] == COMPLEMENTARITY


cdef void _take_edges(const OneStep *w, const double *r, double *a) noexcept nogil:
    """T r of all rows."""
    cdef int i = w.top
    while i < w.bottom:
        if w.cone[i] == COULOMB_2D:
            _to_edges(w.bound[2 * i], r + i, a + i)
        else:
            a[i] = r[i]
        i += block_height(w.cone[i])


# ------------------------------------------------------------------------------------- steps


cdef void _set_barriers(OneStep *w, const Interior *p) noexcept nogil:
    """T^T (y/a) T, and A as it is."""
    cdef double *own
    cdef double first, second, mu
    cdef int node, base, m, i
    memset(w.by_r + w.own[w.begin], 0, (w.own[w.end] - w.own[w.begin]) * sizeof(double))
    memset(w.by_u + w.own[w.begin], 0, (w.own[w.end] - w.own[w.begin]) * sizeof(double))
    for node in range(w.begin, w.end):
        base = w.row[node]
        m = w.row[node + 1] - base
        for i in range(m):
            w.by_u[w.own[node] + i * (m + 1)] = 1.0
        i = 0
        while i < m:
            own = w.by_r + w.own[node] + i * (m + 1)
            if w.cone[base + i] == COULOMB_2D:
                mu = w.bound[2 * (base + i)]
                first = 0.25 * p.y[base + i] / p.a[base + i]
                second = 0.25 * p.y[base + i + 1] / p.a[base + i + 1]
                own[0] = first + second
                own[1] = own[m] = (first - second) / mu
                own[m + 1] = (first + second) / (mu * mu)
            elif w.cone[base + i] == COMPLEMENTARITY:
                own[0] = p.y[base + i] / p.a[base + i]
            i += block_height(w.cone[base + i])


cdef double _off(const OneStep *w, const Interior *p) noexcept nogil:
    """How far A r + b + s = T^T y and a y = 0 are from holding, relative to the terms of a row."""
    cdef double[2] u
    cdef double worst = 0.0
    cdef int i = w.top, k, pairs
    while i < w.bottom:
        pairs = _pairs(w, i)
        u[0] = u[1] = 0.0
        if pairs == 2:
            _from_edges(w.bound[2 * i], p.y + i, u)
        elif pairs:
            u[0] = p.y[i]
        for k in range(block_height(w.cone[i])):
            worst = fmax(worst, fabs(p.f[i + k] - u[k]) / (w.scale[i + k] + w.least))
        for k in range(pairs):
            worst = fmax(worst, fmin(p.a[i + k] / w.rho[i], p.y[i + k]) / (w.scale[i] + w.least))
        i += block_height(w.cone[i])
    return worst


cdef void _find_step(OneStep *w, Interior *p, double target, bint second) noexcept nogil:
    """da and dy towards a y = target; in the corrector less the product of those of the predictor."""
    cdef double[2] t
    cdef double[2] u
    cdef int i = w.top, k, pairs
    while i < w.bottom:
        pairs = _pairs(w, i)
        for k in range(pairs):
            t[k] = (target - (p.da[i + k] * p.dy[i + k] if second else 0.0)) / p.a[i + k]
            p.dy[i + k] = t[k] - p.y[i + k]  # and less (y/a) da, below
        if pairs == 2:
            _from_edges(w.bound[2 * i], t, u)
            w.f[i], w.f[i + 1] = p.f[i] - u[0], p.f[i + 1] - u[1]
        else:
            w.f[i] = p.f[i] - (t[0] if pairs else 0.0)
        i += block_height(w.cone[i])
    find_direction(w)  # -dr
    _take_edges(w, w.move, p.da)
    i = w.top
    while i < w.bottom:
        for k in range(i, i + _pairs(w, i)):
            p.da[k] = -p.da[k]
            p.dy[k] -= p.y[k] / p.a[k] * p.da[k]
        i += block_height(w.cone[i])


cdef double _length(const OneStep *w, const Interior *p) noexcept nogil:
    """How far the step goes: not beyond an edge."""
    cdef double length = 1.0 / SHORTER
    cdef int i = w.top, k
    while i < w.bottom:
        for k in range(i, i + _pairs(w, i)):
            if p.da[k] < 0.0:
                length = fmin(length, -p.a[k] / p.da[k])
            if p.dy[k] < 0.0:
                length = fmin(length, -p.y[k] / p.dy[k])
        i += block_height(w.cone[i])
    return SHORTER * length


cdef double _gap(const OneStep *w, const Interior *p, double length) noexcept nogil:
    """The mean of a y after a step of this length."""
    cdef double total = 0.0
    cdef int i = w.top, k
    while i < w.bottom:
        for k in range(i, i + _pairs(w, i)):
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
    for i in range(w.top, w.bottom):
        w.z[i] -= length * w.move[i]
        p.a[i] += length * p.da[i]
        p.y[i] += length * p.dy[i]
    return True


# ------------------------------------------------------------------------------------ rounds


cdef bint _solve_convex(OneStep *w, Interior *p) noexcept nogil:
    """The problem with s as it is, from inside all edges; whether it was solved."""
    cdef int step, i
    for step in range(STEPS):
        output_rows(w)
        for i in range(w.top, w.bottom):
            p.f[i] = w.y[i] + p.s[i]
        if _off(w, p) <= CLOSE:
            return True
        p.gap = _gap(w, p, 0.0)
        if not 0.0 < p.gap < HUGE_VAL or interrupted() or not _step(w, p):
            return False
    return False


cdef void _begin(OneStep *w, Interior *p, double share) noexcept nogil:
    """a and y at least this share of the load off their edges, r = G a."""
    cdef int i = w.top, k
    p.pairs = 0
    while i < w.bottom:
        for k in range(i, i + _pairs(w, i)):
            p.a[k] = fmax(p.a[k], share * p.load * w.rho[i])
            p.y[k] = fmax(p.y[k], share * p.load)
            p.pairs += 1
        if w.cone[i] == COULOMB_2D:
            w.z[i] = p.a[i] + p.a[i + 1]
            w.z[i + 1] = w.bound[2 * i] * (p.a[i] - p.a[i + 1])
        elif w.cone[i] == COMPLEMENTARITY:
            w.z[i] = p.a[i]
        i += block_height(w.cone[i])


cdef double _solve(OneStep *w, Interior *p) noexcept nogil:
    """Rounds, each with the mu |u_T| of the last one; the residual reached."""
    cdef double least = HUGE_VAL, value
    cdef int turn, i
    for turn in range(ROUNDS):
        _begin(w, p, INSIDE if turn else 1.0)
        _solve_convex(w, p)
        output_rows(w)
        value = natural_rows(w)
        if value < least:
            copy_rows(w, w.best, w.z)
        if not value < GAIN * least or value <= GOOD or interrupted():
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
    p.a = <double *> malloc(6 * rows * sizeof(double))
    if p.a == NULL:
        return HUGE_VAL
    p.y, p.da, p.dy, p.s, p.f = p.a + rows, p.a + 2 * rows, p.a + 3 * rows, p.a + 4 * rows, p.a + 5 * rows
    memset(p.a, 0, 6 * rows * sizeof(double))
    p.load = 0.0
    for i in range(w.top, w.bottom):
        p.load = fmax(p.load, fabs(w.b[i]))
        w.z[i] = 0.0
    copy_rows(w, w.best, w.z)
    least = _solve(w, &p) if p.load > 0.0 else HUGE_VAL
    w.evaluated = w.settled = 0
    free(p.a)
    return least
