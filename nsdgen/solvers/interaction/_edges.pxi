"""How far reactions and rates are from the edges of their cones: what an interior point method keeps above zero."""

cdef struct Interior:
    double load  # the largest |y| at rest
    double gap  # mean of a y
    int pairs  # of a and y
    double *a  # 2 x rows, as those that follow: the pairs of a row or contact begin at twice the number of its row
    double *y
    double *da
    double *dy
    double *s  # rows: what is added to the rates of normal rows, mu |u_T| of the round before where rounds are convex
    double *f  # rows: A r + b + s
    bint convex  # u is linear in y, U = T^T


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


cdef int _slopes(const OneStep *w, const Interior *p, int i, double *t, double *slope) noexcept nogil:
    """T of the block that begins with row i, and U at its y: two numbers for each pair; how many pairs there are."""
    cdef const double *y = p.y + 2 * i
    cdef int pairs = _edges(w, i, t)
    cdef double total
    slope[0], slope[1], slope[2], slope[3] = t[0], t[1], t[2], t[3]
    if w.cone[i] == COULOMB_2D and not p.convex:
        total = y[0] + y[1]
        slope[0] = (y[1] / total) * (y[1] / total)
        slope[2] = (y[0] / total) * (y[0] / total)
    return pairs


cdef void _pull(const OneStep *w, const Interior *p, int i, const double *change, double *u) noexcept nogil:
    """u (2) = U change of one block."""
    cdef double[4] t
    cdef double[4] slope
    cdef int k
    u[0] = u[1] = 0.0
    for k in range(_slopes(w, p, i, t, slope)):
        u[0] += slope[2 * k] * change[k]
        u[1] += slope[2 * k + 1] * change[k]


cdef void _take(const OneStep *w, Interior *p, int i) noexcept nogil:
    """a and y of one block as r and u = A r + b have them, however near to edges or beyond them."""
    cdef double[4] t
    cdef double *a = p.a + 2 * i
    cdef double *y = p.y + 2 * i
    cdef double normal, tangent
    cdef int k
    if w.cone[i] == COULOMB_2D:
        normal, tangent = fmax(0.0, w.y[i]), w.bound[2 * i] * w.y[i + 1]
        normal += sqrt(normal * normal + tangent * tangent)
        for k in range(_edges(w, i, t)):
            a[k] = t[2 * k] * w.z[i] + t[2 * k + 1] * w.z[i + 1]
        y[0], y[1] = normal + tangent, normal - tangent
        return
    for k in range(_edges(w, i, t)):
        a[k] = t[2 * k] * w.z[i]
        y[k] = t[2 * k] * w.y[i]


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
