"""What the polytope of ``_expansion.pxi`` has found, made exact.

Planes of C through its last three points, the nearest point of these, Newton's method where the surfaces are round.
"""

cdef double STEP = 1e-5  # rad, of difference quotients
cdef double SEEN = 1e-3  # sine of the angle within which a direction is tried that is square to the side of a round shape


cdef bint prefer(const Shape *a, const Shape *b, const double *n, double roundness, double less, Apart *at) noexcept nogil:
    """Take a direction along which two shapes are farther apart, or as far but for ``less``; ``roundness``: of both."""
    cdef double pa[3]
    cdef double pb[3]
    cdef double gap = apart_along(a, b, n, pa, pb) - roundness
    if gap < at.gap - less:
        return False
    at.gap = gap
    memcpy(at.normal, n, 3 * sizeof(double))
    return True


cdef void finish(Polytope *c, const int *last, Apart *out) noexcept nogil:
    cdef double n[3]
    cdef double x[3]
    cdef double y[3]
    cdef double weight[3]
    cdef double size, tiny = 1e-12 * c.size
    cdef int k
    out.gap = apart_along(c.a, c.b, out.normal, out.a, out.b)
    minus(c.node[last[1]].w, c.node[last[0]].w, x)
    minus(c.node[last[2]].w, c.node[last[0]].w, y)
    cross(x, y, n)
    if sqrt(dot(n, n)) > 1e-9 * c.size * c.size and unit(n):
        if dot(n, out.normal) < 0.0:
            opposite(n, n)
        prefer(c.a, c.b, n, 0.0, tiny, out)
    nearest(c.node[last[0]].w, c.node[last[1]].w, c.node[last[2]].w, weight)
    memset(n, 0, sizeof(n))
    for k in range(3):
        plus(n, weight[k], c.node[last[k]].w, n)
    size = sqrt(dot(n, n))
    if size > 1e-9 * c.size and dot(n, out.normal) > 0.0:
        unit(n)
        prefer(c.a, c.b, n, 0.0, 0.0, out)
    if is_round(c.a) or is_round(c.b):
        square_to(c, c.a, out)
        square_to(c, c.b, out)
        for k in range(4):
            if not turn_on(c, out):
                break
    place_both(c, last, weight, out)


cdef inline bint is_round(const Shape *s) noexcept nogil:
    return s.kind == CYLINDER or s.kind == CONE or s.kind == ELLIPSOID


cdef void square_to(Polytope *c, const Shape *s, Apart *out) noexcept nogil:
    """The direction square to the side of a cylinder or cone, where that is near; then turned about its axis."""
    cdef double n[3]
    cdef double z[3]
    cdef double t[3]
    cdef double along, wanted = 0.0, across
    cdef int i, k
    if s.kind != CYLINDER and s.kind != CONE:
        return
    for i in range(3):
        z[i] = s.turn[3 * i + 2]
    along = dot(z, out.normal)
    if s.kind == CONE:  # its side looks along the normal where it is b, against it where it is a
        wanted = s.size[0] / sqrt(s.size[0] ** 2 + (s.size[2] - s.size[1]) ** 2)
        if s == c.a:
            wanted = -wanted
    if fabs(along - wanted) > SEEN:
        return
    plus(out.normal, -along, z, t)
    if not unit(t):
        return
    across = sqrt(1.0 - wanted * wanted)
    for i in range(3):
        n[i] = across * t[i] + wanted * z[i]
    if not prefer(c.a, c.b, n, 0.0, 0.0, out):
        return
    for k in range(4):
        cross(z, out.normal, t)
        if not unit(t) or not turn_about(c, z, t, out):
            return


cdef double slope(Polytope *c, const double *n, const double *t) noexcept nogil:
    cdef double pa[3]
    cdef double pb[3]
    apart_along(c.a, c.b, n, pa, pb)
    minus(pa, pb, pa)
    return dot(t, pa)


cdef void turned(const double *n, const double *z, double angle, double *out) noexcept nogil:
    """A vector turned by a small angle about a unit vector, to second order and of the same parts along and across it."""
    cdef double t[3]
    cdef double along = dot(n, z), part, was, now = 0.0
    cdef int i
    cross(z, n, t)
    was = dot(t, t)
    for i in range(3):
        out[i] = n[i] - along * z[i] + angle * t[i]
        now += out[i] * out[i]
    part = sqrt(was / now)
    for i in range(3):
        out[i] = part * out[i] + along * z[i]


cdef bint turn_about(Polytope *c, const double *z, const double *t, Apart *out) noexcept nogil:
    """A step of Newton's method for the best direction among those turned about an axis."""
    cdef double n[3]
    cdef double there[3]
    cdef double here, change
    here = slope(c, out.normal, t)
    turned(out.normal, z, STEP, n)
    cross(z, n, there)
    unit(there)
    change = (slope(c, n, there) - here) / STEP
    if change >= 0.0 or fabs(here) > 0.1 * fabs(change):
        return False
    turned(out.normal, z, -here / change, n)
    return prefer(c.a, c.b, n, 0.0, 1e-15 * c.size, out) and fabs(here / change) > 1e-15


cdef bint turn_on(Polytope *c, Apart *out) noexcept nogil:
    """A step of Newton's method for the best direction of all."""
    cdef double t[2][3]
    cdef double n[3]
    cdef double f[2]
    cdef double J[2][2]
    cdef double det, x, y
    cdef int i, j, k = 0
    for i in range(1, 3):
        if fabs(out.normal[i]) < fabs(out.normal[k]):
            k = i
    for i in range(3):
        n[i] = 1.0 if i == k else 0.0
    cross(out.normal, n, t[0])
    unit(t[0])
    cross(out.normal, t[0], t[1])
    for j in range(2):
        f[j] = slope(c, out.normal, t[j])
    if fabs(f[0]) + fabs(f[1]) < 1e-15 * c.size:
        return False
    for k in range(2):  # the directions of slopes turn along, so that they stay tangents
        plus(out.normal, STEP, t[k], n)
        unit(n)
        for j in range(2):
            J[j][k] = (slope_at(c, n, t[j]) - f[j]) / STEP
    det = J[0][0] * J[1][1] - J[0][1] * J[1][0]
    if det == 0.0:
        return False
    x, y = -(J[1][1] * f[0] - J[0][1] * f[1]) / det, -(J[0][0] * f[1] - J[1][0] * f[0]) / det
    if not (fabs(x) + fabs(y) < 0.1):
        return False
    plus(out.normal, x, t[0], n)
    plus(n, y, t[1], n)
    unit(n)
    return prefer(c.a, c.b, n, 0.0, 1e-15 * c.size, out)


cdef double slope_at(Polytope *c, const double *n, const double *t) noexcept nogil:
    """The slope along t without its part along n."""
    cdef double across[3]
    plus(t, -dot(n, t), n, across)
    return slope(c, n, across)


cdef void place_both(Polytope *c, const int *last, const double *weight, Apart *out) noexcept nogil:
    """Where the shapes are nearest: of a shape that is round there its farthest place, else as the polytope has it."""
    cdef double pa[3]
    cdef double pb[3]
    cdef double spread_a = 0.0, spread_b = 0.0, radius, along
    cdef int i, k
    cdef bint of_a
    apart_along(c.a, c.b, out.normal, pa, pb)
    memset(out.a, 0, sizeof(out.a))
    memset(out.b, 0, sizeof(out.b))
    for k in range(3):
        plus(out.a, weight[k], c.node[last[k]].a, out.a)
        plus(out.b, weight[k], c.node[last[k]].b, out.b)
        for i in range(3):
            spread_a = max(spread_a, fabs(c.node[last[k]].a[i] - c.node[last[0]].a[i]))
            spread_b = max(spread_b, fabs(c.node[last[k]].b[i] - c.node[last[0]].b[i]))
    of_a = spread_a < spread_b
    if c.a.kind == ELLIPSOID or c.b.kind == ELLIPSOID:
        of_a = c.a.kind == ELLIPSOID
        memcpy(out.a, pa, sizeof(pa))
        memcpy(out.b, pb, sizeof(pb))
    if of_a:  # across the normal both are the same place, that of the sharper one
        memcpy(out.b, out.a, sizeof(pa))
    else:
        memcpy(out.a, out.b, sizeof(pa))
    along = dot(out.normal, pa) - dot(out.normal, out.a)
    radius = dot(out.normal, pb) - dot(out.normal, out.b)
    plus(out.a, along - round_by(c.a), out.normal, out.a)
    plus(out.b, radius + round_by(c.b), out.normal, out.b)


cdef void nearest(const double *p, const double *q, const double *r, double *weight) noexcept nogil:
    """The weights of the place of a triangle that is nearest to the origin."""
    cdef double x[3]
    cdef double y[3]
    cdef double xx = 0.0, xy = 0.0, yy = 0.0, xp = 0.0, yp = 0.0, det, u, v, best = 1e300, t, here
    cdef double w[3]
    cdef const double *end[3]
    cdef int i, k, j
    for i in range(3):
        x[i], y[i] = q[i] - p[i], r[i] - p[i]
        xx, xy, yy = xx + x[i] * x[i], xy + x[i] * y[i], yy + y[i] * y[i]
        xp, yp = xp - x[i] * p[i], yp - y[i] * p[i]
    det = xx * yy - xy * xy
    if det > 1e-14 * xx * yy:
        u, v = (yy * xp - xy * yp) / det, (xx * yp - xy * xp) / det
        if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
            weight[0], weight[1], weight[2] = 1.0 - u - v, u, v
            return
    end[0], end[1], end[2] = p, q, r
    for k in range(3):
        j = (k + 1) % 3
        xx = xp = 0.0
        for i in range(3):
            x[i] = end[j][i] - end[k][i]
            xx, xp = xx + x[i] * x[i], xp - x[i] * end[k][i]
        t = max(0.0, min(1.0, xp / xx)) if xx > 0.0 else 0.0
        here = 0.0
        for i in range(3):
            here += (end[k][i] + t * x[i]) ** 2
        if here < best:
            best = here
            w[0] = w[1] = w[2] = 0.0
            w[k], w[j] = 1.0 - t, t
    weight[0], weight[1], weight[2] = w[0], w[1], w[2]
