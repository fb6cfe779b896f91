"""Places at which two convex shapes touch, from the direction along which they are farthest apart.

A direction square to a face is taken where it serves as well but for a small part of the thickness: shapes that lie on
each other keep their face, and with it the numbers of their places.
"""

cdef double PREFERRED = 1e-4  # of the thickness: so much less apart, a face is preferred
cdef double FINE = 1e-9  # the same where one of them is round
cdef double ALIGNED = 1e-9  # of 1 - cosine: a face is square to the direction
cdef double PARALLEL = 1e-7  # sine of the angle between lines that lie along each other
cdef double LOST = 1e-6  # of the size: a place that the faces do not have is added where it is deeper by more
cdef enum:
    NEAREST = 63  # the feature of the nearest place


cdef double thick(const Shape *s, const double *n) noexcept nogil:
    """How thick a shape is along a unit vector."""
    cdef double p[3]
    cdef double q[3]
    cdef double back[3]
    opposite(n, back)
    support(s, n, p)
    support(s, back, q)
    minus(p, q, p)
    return dot(n, p) + 2.0 * round_by(s)


cdef void convex_convex(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil:
    """A face clipped to the other's where shapes lie on a face, both ends along lines, else the nearest place."""
    cdef Apart at
    cdef Side of_a
    cdef Side of_b
    cdef double n[3]
    cdef double back[3]
    cdef double least, one, two
    cdef int i
    if not expand(a, b, reach, &at):
        return
    one, two = thick(a, at.normal), thick(b, at.normal)
    for i in range(3):
        n[i], back[i] = at.normal[i], -at.normal[i]
    side(a, back, &of_a)
    side(b, n, &of_b)
    least = PREFERRED if of_a.n > 1 and of_b.n > 1 else FINE
    least *= min(one, two) if min(one, two) > 1e-9 * at.size else max(one, two)
    if of_a.n > 2:
        for i in range(3):
            n[i] = -of_a.normal[i]
    if of_a.n > 2 and dot(n, at.normal) > 0.9 and prefer(a, b, n, round_by(a) + round_by(b), least, &at):
        pass
    elif of_b.n > 2 and dot(of_b.normal, at.normal) > 0.9 and prefer(a, b, of_b.normal, round_by(a) + round_by(b), least, &at):
        pass
    if at.gap > reach:
        return
    write_places(f, a, b, &at, reach)


cdef void write_places(Found *f, const Shape *a, const Shape *b, const Apart *at, double reach) noexcept nogil:
    """The places of a pair along a direction."""
    cdef Side of_a
    cdef Side of_b
    cdef double back[3]
    cdef double way[3]
    cdef double other[3]
    cdef int i, count = 0
    opposite(at.normal, back)
    side(a, back, &of_a)
    side(b, at.normal, &of_b)
    if of_a.n > 2 and 1.0 + dot(of_a.normal, at.normal) < ALIGNED:
        count = lay_on(f, a, b, &of_a, &of_b, at, True, reach)
    elif of_b.n > 2 and 1.0 - dot(of_b.normal, at.normal) < ALIGNED:
        count = lay_on(f, a, b, &of_b, &of_a, at, False, reach)
    elif of_a.n == 2 and of_b.n == 2:
        for i in range(3):
            way[i], other[i] = of_a.p[3 + i] - of_a.p[i], of_b.p[3 + i] - of_b.p[i]
        cross(way, other, back)
        if dot(back, back) < PARALLEL * PARALLEL * dot(way, way) * dot(other, other):
            for i in range(3):
                of_a.normal[i] = -at.normal[i]
            count = lay_on(f, a, b, &of_a, &of_b, at, True, reach)
    if count == 0:
        put(f, a, b, NEAREST, at.gap, at.normal, at.a)


cdef int lay_on(Found *f, const Shape *a, const Shape *b, const Side *on, const Side *other, const Apart *at, bint is_a,
                double reach) noexcept nogil:
    """Places of one side over a face or line of the other shape."""
    cdef Corner corners[130]
    cdef double u[3]
    cdef double v[3]
    cdef double p[3]
    cdef double deepest = 1e300, x, y
    cdef int i, k, count
    if other.n == 1:
        return 0
    count = clip(on, other, corners, u, v)
    towards(other, u, v, &x, &y)
    count = keep_extreme(corners, count, reach, x, y)
    for k in range(count):
        deepest = min(deepest, corners[k].z)
    tell_apart(corners, count, 5000)
    for k in range(count):
        for i in range(3):
            p[i] = on.p[i] + corners[k].x * u[i] + corners[k].y * v[i] + (0.0 if is_a else corners[k].z * on.normal[i])
        put(f, a, b, corners[k].feature, corners[k].z, at.normal, p)
    return count if deepest <= at.gap + LOST * at.size else 0


cdef void convex_plane(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil:
    """The places of the lowest face, at most five."""
    cdef Side low
    cdef Corner corners[130]
    cdef double u[3]
    cdef double v[3]
    cdef double n[3]
    cdef double p[3]
    cdef double q[3]
    cdef double d[3]
    cdef double x, y
    cdef int i, k, count
    for i in range(3):
        u[i], v[i], n[i] = b.turn[3 * i], b.turn[3 * i + 1], b.turn[3 * i + 2]
    opposite(n, q)
    side(a, q, &low)
    for k in range(low.n):
        minus(low.p + 3 * k, b.at, d)
        corners[k].x, corners[k].y, corners[k].z, corners[k].feature = dot(u, d), dot(v, d), dot(n, d), low.feature[k]
    towards(&low, u, v, &x, &y)
    count = keep_extreme(corners, low.n, reach, x, y)
    for k in range(count):
        for i in range(3):
            p[i] = b.at[i] + corners[k].x * u[i] + corners[k].y * v[i] + corners[k].z * n[i]
        put(f, a, b, corners[k].feature, corners[k].z, n, p)
