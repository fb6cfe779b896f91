"""Points at which pairs of shapes touch, or may in this step: gap, normal and place, with numbers that stay.

A pair is looked at with the shape of the lower kind first. All its points whose gap is at most ``reach`` are listed. The
number of a point says which feature it belongs to (a corner of a box, an end of a capsule, an edge that was clipped), so
that it is the same in the next step.
"""

cdef double PARALLEL_AXES = 1e-6  # sine of the angle between capsules that lie along each other


cdef inline void axis_of(const Shape *s, int k, double *out) noexcept nogil:
    out[0], out[1], out[2] = s.turn[k], s.turn[3 + k], s.turn[6 + k]


cdef inline void ball_ball(Found *f, const Shape *a, const Shape *b, int feature, const double *p, double r, const double *q,
                           double s, double reach) noexcept nogil:
    """Two spheres about places; centres that meet are pushed apart along z."""
    cdef double normal[3]
    cdef double point[3]
    cdef double way[3]
    cdef double size, gap
    cdef int i
    minus(p, q, way)
    size = dot(way, way)
    gap = r + s + reach
    if size > gap * gap:
        return
    size = sqrt(size)
    gap = size - r - s
    for i in range(3):
        normal[i] = way[i] / size if size > 0.0 else <double>(i == 2)
        point[i] = p[i] - r * normal[i]
    put(f, a, b, feature, gap, normal, point)


cdef inline void ball_plane(Found *f, const Shape *a, const Shape *b, int feature, const double *p, double r,
                            double reach) noexcept nogil:
    cdef double normal[3]
    cdef double point[3]
    cdef double gap = -r
    cdef int i
    axis_of(b, 2, normal)
    for i in range(3):
        gap += normal[i] * (p[i] - b.at[i])
    if gap > reach:
        return
    plus(p, -r, normal, point)
    put(f, a, b, feature, gap, normal, point)


cdef void ball_box(Found *f, const Shape *a, const Shape *b, int feature, const double *p, double r,
                   double reach) noexcept nogil:
    """The nearest point of the box; a centre inside leaves through the nearest face."""
    cdef double own[3]
    cdef double near[3]
    cdef double normal[3]
    cdef double point[3]
    cdef double size = 0.0, depth, least = 1e300
    cdef int i, k, face = 0
    for k in range(3):
        own[k] = 0.0
        for i in range(3):
            own[k] += b.turn[3 * i + k] * (p[i] - b.at[i])
        near[k] = max(-b.size[k], min(b.size[k], own[k]))
        size += (own[k] - near[k]) ** 2
        depth = b.size[k] - fabs(own[k])
        if depth < least:
            least, face = depth, k
    if size > 0.0:
        size = sqrt(size)
        for k in range(3):
            near[k] = (own[k] - near[k]) / size
    else:
        size = -least
        near[0] = near[1] = near[2] = 0.0
        near[face] = 1.0 if own[face] >= 0.0 else -1.0
    if size - r > reach:
        return
    for i in range(3):
        normal[i] = b.turn[3 * i] * near[0] + b.turn[3 * i + 1] * near[1] + b.turn[3 * i + 2] * near[2]
        point[i] = p[i] - r * normal[i]
    put(f, a, b, feature, size - r, normal, point)


cdef inline void end_of_capsule(const Shape *s, double t, double *out) noexcept nogil:
    """The place t, from -1 to 1, on the axis of a capsule."""
    cdef int i
    for i in range(3):
        out[i] = s.at[i] + t * s.size[1] * s.turn[3 * i + 2]


cdef double nearest_on(const Shape *s, const double *p) noexcept nogil:
    """Where on the axis of a capsule, from -1 to 1, the nearest place to p is."""
    cdef double t = 0.0
    cdef int i
    if s.size[1] <= 0.0:
        return 0.0
    for i in range(3):
        t += s.turn[3 * i + 2] * (p[i] - s.at[i])
    return max(-1.0, min(1.0, t / s.size[1]))


cdef void capsule_capsule(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil:
    """The nearest places of the axes; both ends of what overlaps where they lie along each other."""
    cdef double p[3]
    cdef double q[3]
    cdef double d[3]
    cdef double along, da, db, across, t, u, first, last
    cdef int i
    minus(b.at, a.at, d)
    along = da = db = 0.0
    for i in range(3):
        along += a.turn[3 * i + 2] * b.turn[3 * i + 2]
        da += a.turn[3 * i + 2] * d[i]
        db += b.turn[3 * i + 2] * d[i]
    across = 1.0 - along * along
    if across < PARALLEL_AXES * PARALLEL_AXES:
        first = max(-a.size[1], da - b.size[1])
        last = min(a.size[1], da + b.size[1])
        if first < last:
            for i in range(2):
                end_of_capsule(a, (last if i else first) / a.size[1], p)
                end_of_capsule(b, nearest_on(b, p), q)
                ball_ball(f, a, b, 1 + i, p, a.size[0], q, b.size[0], reach)
            return
        t = 0.5 * (first + last)
    else:
        t = (da - along * db) / across
    t = max(-a.size[1], min(a.size[1], t))
    for i in range(4):  # each the nearest to the other: they settle at once unless both are at ends
        end_of_capsule(a, t / a.size[1] if a.size[1] > 0.0 else 0.0, p)
        u = nearest_on(b, p)
        end_of_capsule(b, u, q)
        t = nearest_on(a, q) * a.size[1]
    end_of_capsule(a, t / a.size[1] if a.size[1] > 0.0 else 0.0, p)
    ball_ball(f, a, b, 0, p, a.size[0], q, b.size[0], reach)


cdef double from_box(const Shape *b, const double *p) noexcept nogil:
    """The squared distance of a place from a box."""
    cdef double own, total = 0.0
    cdef int i, k
    for k in range(3):
        own = 0.0
        for i in range(3):
            own += b.turn[3 * i + k] * (p[i] - b.at[i])
        own = max(0.0, fabs(own) - b.size[k])
        total += own * own
    return total


cdef void capsule_box(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil:
    """Both ends, and the nearest place between them where it is nearer than both: the distance is convex along the axis."""
    cdef double p[3]
    cdef double low = -1.0, high = 1.0, left, right, here
    cdef double[2] ends
    cdef int i
    for i in range(2):
        end_of_capsule(a, 2.0 * i - 1.0, p)
        ends[i] = from_box(b, p)
        ball_box(f, a, b, i, p, a.size[0], reach)
    for i in range(60):
        left, right = high - 0.6180339887498949 * (high - low), low + 0.6180339887498949 * (high - low)
        end_of_capsule(a, left, p)
        here = from_box(b, p)
        end_of_capsule(a, right, p)
        if here <= from_box(b, p):
            high = right
        else:
            low = left
    end_of_capsule(a, 0.5 * (low + high), p)
    if from_box(b, p) < (1.0 - 1e-6) * min(ends[0], ends[1]):
        ball_box(f, a, b, 2, p, a.size[0], reach)


cdef void box_plane(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil:
    """A point for each corner."""
    cdef double p[3]
    cdef int i, k
    for k in range(8):
        for i in range(3):
            p[i] = (a.at[i] + (a.size[0] if k & 1 else -a.size[0]) * a.turn[3 * i]
                    + (a.size[1] if k & 2 else -a.size[1]) * a.turn[3 * i + 1]
                    + (a.size[2] if k & 4 else -a.size[2]) * a.turn[3 * i + 2])
        ball_plane(f, a, b, k, p, 0.0, reach)


cdef void look(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil:
    """All points of a pair, the lower kind first."""
    cdef double p[3]
    cdef int i
    if b.kind == MESH:
        if a.kind == MESH:
            mesh_mesh(f, a, b, reach)
        else:
            convex_mesh(f, a, b, reach)
    elif a.kind == MESH:
        mesh_plane(f, a, b, reach)
    elif a.kind == SPHERE:
        if b.kind == SPHERE:
            ball_ball(f, a, b, 0, a.at, a.size[0], b.at, b.size[0], reach)
        elif b.kind == CAPSULE:
            end_of_capsule(b, nearest_on(b, a.at), p)
            ball_ball(f, a, b, 0, a.at, a.size[0], p, b.size[0], reach)
        elif b.kind == BOX:
            ball_box(f, a, b, 0, a.at, a.size[0], reach)
        elif b.kind != PLANE:
            convex_convex(f, a, b, reach)
        else:
            ball_plane(f, a, b, 0, a.at, a.size[0], reach)
    elif a.kind == CAPSULE:
        if b.kind == CAPSULE:
            capsule_capsule(f, a, b, reach)
        elif b.kind == BOX:
            capsule_box(f, a, b, reach)
        elif b.kind != PLANE:
            convex_convex(f, a, b, reach)
        else:
            for i in range(2):
                end_of_capsule(a, 2.0 * i - 1.0, p)
                ball_plane(f, a, b, i, p, a.size[0], reach)
    elif b.kind == BOX:
        box_on_box(f, a, b, reach)
    elif b.kind != PLANE:
        convex_convex(f, a, b, reach)
    elif a.kind == BOX:
        box_plane(f, a, b, reach)
    else:
        convex_plane(f, a, b, reach)
