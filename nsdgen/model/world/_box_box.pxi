"""Two boxes: the axis along which they overlap least, then the face of one clipped to that of the other, or two edges.

(Gottschalk's fifteen axes; clipping by Sutherland and Hodgman.) A face is preferred to edges, and the faces of the
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
    return fabs(axis[0] * d[0] + axis[1] * d[1] + axis[2] * d[2]) - size


cdef void box_on_box(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil:
    """Faces clipped against each other, at most four points, or where two edges cross, one."""
    cdef double d[3]
    cdef double axis[3]
    cdef double best_edge[3]
    cdef double apart, face = -1e300, edge = -1e300, size, prefer
    cdef int i, j, k, which = 0, pair = -1
    prefer = PREFERRED_AXIS * min(min(min(a.size[0], a.size[1]), a.size[2]), min(min(b.size[0], b.size[1]), b.size[2]))
    for i in range(3):
        d[i] = a.at[i] - b.at[i]
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
    elif which < 3:
        clip_face(f, a, b, a, b, which, d, 1.0, reach)
    else:
        clip_face(f, a, b, b, a, which - 3, d, -1.0, reach)


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
    if axis[0] * d[0] + axis[1] * d[1] + axis[2] * d[2] < 0.0:  # from b to a
        for i in range(3):
            axis[i] = -axis[i]
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


cdef void clip_face(Found *f, const Shape *a, const Shape *b, const Shape *on, const Shape *other, int which,
                    const double *d, double sign, double reach) noexcept nogil:
    """The face of ``other`` that looks most against face ``which`` of ``on``, clipped to it."""
    cdef Corner corners[16]
    cdef double n[3]
    cdef double u[3]
    cdef double v[3]
    cdef double centre[3]
    cdef double way, most = -1.0, out = 1.0
    cdef int i, k, face = 0, count = 4, x = (which + 1) % 3, y = (which + 2) % 3, p, q
    for i in range(3):
        n[i], u[i], v[i] = on.turn[3 * i + which], on.turn[3 * i + x], on.turn[3 * i + y]
    if -sign * (n[0] * d[0] + n[1] * d[1] + n[2] * d[2]) < 0.0:  # towards the other box
        for i in range(3):
            n[i] = -n[i]
    for k in range(3):
        way = n[0] * other.turn[k] + n[1] * other.turn[3 + k] + n[2] * other.turn[6 + k]
        if fabs(way) > most + 1e-9:
            most, face = fabs(way), k
            out = -1.0 if way > 0.0 else 1.0
    p, q = (face + 1) % 3, (face + 2) % 3
    for k in range(4):
        for i in range(3):
            centre[i] = (other.at[i] - on.at[i] + out * other.size[face] * other.turn[3 * i + face]
                         + (other.size[p] if k == 0 or k == 3 else -other.size[p]) * other.turn[3 * i + p]
                         + (other.size[q] if k < 2 else -other.size[q]) * other.turn[3 * i + q])
        corners[k].x = u[0] * centre[0] + u[1] * centre[1] + u[2] * centre[2]
        corners[k].y = v[0] * centre[0] + v[1] * centre[1] + v[2] * centre[2]
        corners[k].z = n[0] * centre[0] + n[1] * centre[1] + n[2] * centre[2] - on.size[which]
        corners[k].feature = k
    for k in range(4):
        count = clip_side(corners, count, k, on.size[x] if k < 2 else on.size[y])
    count = keep_extreme(corners, count, reach, 1.0 + TILT, 1.0)
    for k in range(count):
        for i in range(k):
            if corners[i].feature == corners[k].feature:
                corners[k].feature = 80 + k
    for k in range(count):
        for i in range(3):  # a place on the surface of ``other``
            centre[i] = on.at[i] + (on.size[which] + corners[k].z) * n[i] + corners[k].x * u[i] + corners[k].y * v[i]
        if sign > 0.0:  # the normal points to a, and a is ``on``: the place on its face
            for i in range(3):
                centre[i] -= corners[k].z * n[i]
            write(f, a, b, &corners[k], n, -1.0, centre)
        else:
            write(f, a, b, &corners[k], n, 1.0, centre)


cdef inline void write(Found *f, const Shape *a, const Shape *b, const Corner *c, const double *n, double sign,
                       const double *place) noexcept nogil:
    cdef double normal[3]
    cdef int i
    for i in range(3):
        normal[i] = sign * n[i]
    put(f, a, b, c.feature, c.z, normal, place)


cdef int clip_side(Corner *corners, int count, int side, double limit) noexcept nogil:
    """What of a polygon lies within one of four lines: x <= limit, -x <= limit, y, -y."""
    cdef Corner found[16]
    cdef Corner *here
    cdef Corner *next
    cdef double h, g, s, on = ON_LINE * limit
    cdef int k, n = 0
    for k in range(count):
        here, next = &corners[k], &corners[(k + 1) % count]
        h = (here.x if side < 2 else here.y) * (-1.0 if side & 1 else 1.0) - limit
        g = (next.x if side < 2 else next.y) * (-1.0 if side & 1 else 1.0) - limit
        if h <= on:
            found[n] = here[0]
            n += 1
        if (h < -on and g > on) or (h > on and g < -on):
            s = h / (h - g)
            found[n].x, found[n].y = here.x + s * (next.x - here.x), here.y + s * (next.y - here.y)
            found[n].z = here.z + s * (next.z - here.z)
            found[n].feature = 4 + 12 * side + (2 * here.feature if h < 0.0 else 2 * next.feature + 1) % 12
            n += 1
    for k in range(n):
        corners[k] = found[k]
    return n
