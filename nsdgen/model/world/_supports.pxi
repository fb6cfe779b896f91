"""Farthest places of convex shapes, and the faces, lines or places there. All a pair of convex shapes needs to know."""

cdef enum:
    MOST_CORNERS = 64  # of a face
    RIM = 24  # places at which the rim of an end of a cylinder or cone is taken

cdef struct Side:
    # A face (n >= 3, counterclockwise about its normal), a line (2) or a place (1), in the inertial frame.
    int n
    double p[192]
    int feature[64]
    double normal[3]

cdef double ALONG = 0.7071067811865476  # an end of a cylinder looks along a direction nearer to the axis than this
cdef double LEVEL = 1e-7  # sine of an angle: an end that looks straight along a direction has no lowest place but by rounding
cdef double TURN = 6.283185307179586 / RIM  # of a place of the rim to the next, rad


cdef inline void to_world(const Shape *s, const double *own, double *out) noexcept nogil:
    cdef int i
    for i in range(3):
        out[i] = s.at[i] + s.turn[3 * i] * own[0] + s.turn[3 * i + 1] * own[1] + s.turn[3 * i + 2] * own[2]


cdef double round_by(const Shape *s) noexcept nogil:
    """The radius by which a shape is thicker than what ``support`` knows of it: of spheres and capsules."""
    return s.size[0] if s.kind == SPHERE or s.kind == CAPSULE else 0.0


cdef int farthest(const Shape *s, const double *own) noexcept nogil:
    """The vertex of a hull; of equal ones the first."""
    cdef const double *v = s.form.vertex
    cdef double best = -1e300, here
    cdef int i, found = 0
    for i in range(s.form.n_vertices):
        here = v[3 * i] * own[0] + v[3 * i + 1] * own[1] + v[3 * i + 2] * own[2]
        if here > best:
            best, found = here, i
    return found


cdef void support(const Shape *s, const double *way, double *out) noexcept nogil:
    """The farthest place of a shape along a unit vector, without its roundness."""
    cdef double own[3]
    cdef double p[3]
    cdef double size, x = 0.0, y = 0.0
    cdef int k
    to_frame(s.turn, way, own)
    p[0] = p[1] = p[2] = 0.0
    if s.kind == CAPSULE:
        p[2] = s.size[1] if own[2] >= 0.0 else -s.size[1]
    elif s.kind == BOX:
        for k in range(3):
            p[k] = s.size[k] if own[k] >= 0.0 else -s.size[k]
    elif s.kind == CYLINDER or s.kind == CONE:
        size = sqrt(own[0] * own[0] + own[1] * own[1])
        if size > 0.0:
            x, y = s.size[0] * own[0] / size, s.size[0] * own[1] / size
        if s.kind == CYLINDER:
            p[0], p[1], p[2] = x, y, s.size[1] if own[2] >= 0.0 else -s.size[1]
        elif own[2] * (s.size[2] - s.size[1]) > s.size[0] * size:
            p[2] = s.size[2]
        else:
            p[0], p[1], p[2] = x, y, s.size[1]
    elif s.kind == ELLIPSOID:
        size = sqrt((s.size[0] * own[0]) ** 2 + (s.size[1] * own[1]) ** 2 + (s.size[2] * own[2]) ** 2)
        for k in range(3):
            p[k] = s.size[k] * s.size[k] * own[k] / size
    elif s.kind == HULL:
        k = farthest(s, own)
        p[0], p[1], p[2] = s.form.vertex[3 * k], s.form.vertex[3 * k + 1], s.form.vertex[3 * k + 2]
    to_world(s, p, out)


cdef void side(const Shape *s, const double *way, Side *out) noexcept nogil:
    """What of a shape lies farthest along a unit vector, or nearly: the face there that looks most along it."""
    cdef double own[3]
    cdef double p[3]
    cdef int i
    to_frame(s.turn, way, own)
    out.n, out.feature[0] = 1, 0
    if s.kind == BOX:
        side_of_box(s, own, out)
    elif s.kind == HULL:
        side_of_hull(s, own, out)
    elif s.kind == CAPSULE:
        line_of(s, 0.0, -s.size[1], 0.0, s.size[1], own, out)
        for i in range(6):
            out.p[i] += s.size[0] * way[i % 3]
    elif s.kind == CYLINDER:
        if fabs(own[2]) > ALONG:
            end_of(s, own, s.size[1] if own[2] > 0.0 else -s.size[1], 1.0 if own[2] > 0.0 else -1.0, out)
        else:
            line_of(s, s.size[0], -s.size[1], s.size[0], s.size[1], own, out)
    elif s.kind == CONE:
        if -own[2] > ALONG:
            end_of(s, own, s.size[1], -1.0, out)
        else:
            line_of(s, s.size[0], s.size[1], 0.0, s.size[2], own, out)
    else:
        support(s, way, out.p)
        plus(out.p, round_by(s), way, out.p)


cdef void azimuth(const double *own, double *x, double *y) noexcept nogil:
    """The unit vector across the axis z nearest to a direction; x where there is none."""
    cdef double size = sqrt(own[0] * own[0] + own[1] * own[1])
    x[0], y[0] = (own[0] / size, own[1] / size) if size > 0.0 else (1.0, 0.0)


cdef void line_of(const Shape *s, double r0, double z0, double r1, double z1, const double *own, Side *out) noexcept nogil:
    """A line of the side of a round shape, where it looks most along a direction."""
    cdef double p[3]
    cdef double x, y
    azimuth(own, &x, &y)
    out.n = 2
    p[0], p[1], p[2] = r0 * x, r0 * y, z0
    to_world(s, p, out.p)
    p[0], p[1], p[2] = r1 * x, r1 * y, z1
    to_world(s, p, out.p + 3)
    out.feature[0], out.feature[1] = 60, 61


cdef void end_of(const Shape *s, const double *own, double z, double sign, Side *out) noexcept nogil:
    """The flat end at height z; its first place is the farthest along the direction, or always the same one of an end that is level."""
    cdef double p[3]
    cdef double x, y, c, d
    cdef int k
    x, y = 1.0, 0.0
    if own[0] * own[0] + own[1] * own[1] > LEVEL * LEVEL:
        azimuth(own, &x, &y)
    out.n = RIM
    p[2] = z
    for k in range(RIM):
        c, d = cos(k * TURN), sign * sin(k * TURN)
        p[0], p[1] = s.size[0] * (c * x - d * y), s.size[0] * (c * y + d * x)
        to_world(s, p, out.p + 3 * k)
        out.feature[k] = k
    for k in range(3):
        out.normal[k] = sign * s.turn[3 * k + 2]


cdef void side_of_box(const Shape *s, const double *own, Side *out) noexcept nogil:
    cdef double p[3]
    cdef double sign
    cdef int i, k, face = 0, u, v, bits
    for k in range(1, 3):
        if fabs(own[k]) > fabs(own[face]):
            face = k
    sign = 1.0 if own[face] >= 0.0 else -1.0
    u, v = (face + 1) % 3, (face + 2) % 3
    out.n = 4
    for i in range(4):
        p[face] = sign * s.size[face]
        p[u] = s.size[u] if i == 0 or i == 3 else -s.size[u]
        p[v] = sign * (s.size[v] if i < 2 else -s.size[v])
        to_world(s, p, out.p + 3 * i)
        bits = 0
        for k in range(3):
            bits |= (p[k] > 0.0) << k
        out.feature[i] = bits
    for k in range(3):
        out.normal[k] = sign * s.turn[3 * k + face]


cdef void side_of_hull(const Shape *s, const double *own, Side *out) noexcept nogil:
    """Of the faces at the farthest vertex the one that looks most along the direction."""
    cdef double best = -1e300, here
    cdef int i, k, found = 0, first, corner = farthest(s, own)
    for i in range(s.form.at_start[corner], s.form.at_start[corner + 1]):
        k = s.form.at_face[i]
        here = dot(own, s.form.face_normal + 3 * k)
        if here > best:
            best, found = here, k
    first = s.form.face_start[found]
    out.n = s.form.face_start[found + 1] - first
    for i in range(out.n):
        k = s.form.face_vertex[first + i]
        to_world(s, s.form.vertex + 3 * k, out.p + 3 * i)
        out.feature[i] = k
    for k in range(3):
        out.normal[k] = dot(s.turn + 3 * k, s.form.face_normal + 3 * found)
