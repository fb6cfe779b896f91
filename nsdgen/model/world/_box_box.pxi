"""Two boxes: the axis along which they overlap least, then the places of their faces along it, or two edges.

(Gottschalk's fifteen axes.) A face is preferred to edges, and the faces of the
first box to those of the second, by a small part of their size: which of equal ones is taken does not change by rounding.
"""

cdef double PREFERRED_AXIS = 1e-3  # of the least edge: less overlap is needed to take another kind of axis
cdef double PARALLEL_EDGES = 1e-4  # length of the product of two edges that are parallel


cdef double overlap_on(const Shape *a, const Shape *b, const double *axis, const double *d) noexcept nogil:
    """How far apart two boxes are along a unit vector, negative where they overlap; d from b to a."""
    cdef double size = 0.0, way
    cdef int i, k
    for k in range(3):
        way = 0.0
        for i in range(3):
            way += axis[i] * a.turn[3 * i + k]
        size += fabs(way) * a.size[k]
        way = 0.0
        for i in range(3):
            way += axis[i] * b.turn[3 * i + k]
        size += fabs(way) * b.size[k]
    return fabs(dot(axis, d)) - size


cdef void box_on_box(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil:
    """Faces clipped against each other, or where two edges cross, one point."""
    cdef double d[3]
    cdef double axis[3]
    cdef double best_edge[3]
    cdef Apart at
    cdef double apart, face = -1e300, edge = -1e300, size, prefer
    cdef int i, j, k, which = 0, pair = -1
    prefer = PREFERRED_AXIS * min(min(min(a.size[0], a.size[1]), a.size[2]), min(min(b.size[0], b.size[1]), b.size[2]))
    minus(a.at, b.at, d)
    for k in range(6):
        for i in range(3):
            axis[i] = a.turn[3 * i + k] if k < 3 else b.turn[3 * i + k - 3]
        apart = overlap_on(a, b, axis, d)
        if apart > reach:
            return
        if apart > face + (prefer if k == 3 else 1e-3 * prefer):
            face, which = apart, k
    for j in range(3):
        for k in range(3):
            axis[0] = a.turn[3 + j] * b.turn[6 + k] - a.turn[6 + j] * b.turn[3 + k]
            axis[1] = a.turn[6 + j] * b.turn[k] - a.turn[j] * b.turn[6 + k]
            axis[2] = a.turn[j] * b.turn[3 + k] - a.turn[3 + j] * b.turn[k]
            size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
            if size < PARALLEL_EDGES:
                continue
            for i in range(3):
                axis[i] /= size
            apart = overlap_on(a, b, axis, d)
            if apart > reach:
                return
            if apart > edge + 1e-3 * prefer:
                edge, pair = apart, 3 * j + k
                for i in range(3):
                    best_edge[i] = axis[i]
    if pair >= 0 and edge > face + prefer:
        edges_cross(f, a, b, best_edge, d, pair, reach)
        return
    for i in range(3):
        at.normal[i] = a.turn[3 * i + which] if which < 3 else b.turn[3 * i + which - 3]
    if dot(at.normal, d) < 0.0:  # from b to a
        opposite(at.normal, at.normal)
    at.gap, at.size = apart_along(a, b, at.normal, at.a, at.b), extent(a) + extent(b)
    for i in range(3 if which < 3 else 0):
        at.a[i] = at.b[i] + at.gap * at.normal[i]
    write_places(f, a, b, &at, reach)


cdef void edges_cross(Found *f, const Shape *a, const Shape *b, double *axis, const double *d, int pair,
                      double reach) noexcept nogil:
    """The nearest places of the two edges that face each other."""
    cdef double p[3]
    cdef double q[3]
    cdef double u[3]
    cdef double v[3]
    cdef double w[3]
    cdef double side, uv, uw, vw, den, s, t, gap
    cdef int i, k, j = pair // 3, e = pair % 3, signs = 0
    if dot(axis, d) < 0.0:  # from b to a
        opposite(axis, axis)
    for i in range(3):
        p[i], q[i] = a.at[i], b.at[i]
        u[i], v[i] = a.turn[3 * i + j], b.turn[3 * i + e]
    for k in range(3):
        if k != j:
            side = axis[0] * a.turn[k] + axis[1] * a.turn[3 + k] + axis[2] * a.turn[6 + k]
            signs |= (side > 0.0) << k
            for i in range(3):
                p[i] -= (a.size[k] if side > 0.0 else -a.size[k]) * a.turn[3 * i + k]
        if k != e:
            side = axis[0] * b.turn[k] + axis[1] * b.turn[3 + k] + axis[2] * b.turn[6 + k]
            for i in range(3):
                q[i] += (b.size[k] if side > 0.0 else -b.size[k]) * b.turn[3 * i + k]
    uv = uw = vw = 0.0
    for i in range(3):
        w[i] = p[i] - q[i]
        uv += u[i] * v[i]
        uw += u[i] * w[i]
        vw += v[i] * w[i]
    den = 1.0 - uv * uv
    s = max(-a.size[j], min(a.size[j], (uv * vw - uw) / den))
    t = max(-b.size[e], min(b.size[e], vw + s * uv))
    gap = 0.0
    for i in range(3):
        p[i] += s * u[i]
        q[i] += t * v[i]
        gap += axis[i] * (p[i] - q[i])
    if gap <= reach:
        put(f, a, b, 64 + pair, gap, axis, p)
