"""Places at which two convex shapes touch, from the direction along which they are farthest apart.

A direction square to a face is taken where it serves as well but for a small part of the thickness: shapes that lie on
each other keep their face, and with it the numbers of their places.
"""

cdef double PREFERRED = 1e-4  # of the thickness: so much less apart, a face is preferred
cdef double FINE = 1e-9  # the same where one of them is round
cdef double ALIGNED = 1e-9  # of 1 - cosine: a face is square to the direction
cdef double PARALLEL = 1e-7  # sine of the angle between edges that lie along each other, seen along the normal
cdef double LEVEL_LINE = 1e-2  # sine of the tilt of a line against the other shape, up to which it lies on it
cdef double ALONGSIDE = 1e-4  # the same of what is round, whose gap differs at its ends by the square of this
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
    cdef Apart first
    cdef Side of_a
    cdef Side of_b
    cdef double n[3]
    cdef double back[3]
    cdef double least, one, two
    cdef long number = f.n
    cdef int i
    if not expand(a, b, reach, &at):
        return
    first = at
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
    if at.gap > reach or lay_along(f, a, b, &at, reach):
        return
    if of_a.n > 1 and of_b.n > 1 and f.n == number:  # it lies along an edge of the face, and is over none of that
        at = first
        if lay_along(f, a, b, &at, reach):
            return
    put(f, a, b, NEAREST, at.gap, at.normal, at.a)


cdef void write_places(Found *f, const Shape *a, const Shape *b, const Apart *at, double reach) noexcept nogil:
    """The places of a pair along a direction."""
    if not lay_along(f, a, b, at, reach):
        put(f, a, b, NEAREST, at.gap, at.normal, at.a)


cdef int lay_along(Found *f, const Shape *a, const Shape *b, const Apart *at, double reach) noexcept nogil:
    """Places over a face or along a line; how many, 0 where the nearest place is none of them."""
    cdef Side of_a
    cdef Side of_b
    cdef double back[3]
    cdef int count = 0
    opposite(at.normal, back)
    side(a, back, &of_a)
    side(b, at.normal, &of_b)
    if of_a.n > 2 and 1.0 + dot(of_a.normal, at.normal) < ALIGNED:
        count = lay_on(f, a, b, &of_a, &of_b, at, True, reach)
    elif of_b.n > 2 and 1.0 - dot(of_b.normal, at.normal) < ALIGNED:
        count = lay_on(f, a, b, &of_b, &of_a, at, False, reach)
    elif line_along(a, back, &of_a) and line_along(b, at.normal, &of_b) and lie_along(a, b, &of_a, &of_b, at.normal):
        square_to_line(back, &of_a)
        count = lay_on(f, a, b, &of_a, &of_b, at, True, reach)
    return count


cdef bint line_along(const Shape *s, const double *way, Side *own) noexcept nogil:
    """Leave of a face its edge that is farthest along a direction; whether there is a line."""
    cdef Side line = own[0]
    cdef double best = -1e300, here
    cdef int i, k, j, first = 0
    if own.n <= 2 or is_round(s):  # the rim of a round end has no edges
        return own.n == 2
    for k in range(own.n):
        j = (k + 1) % own.n
        here = dot(way, own.p + 3 * k) + dot(way, own.p + 3 * j)
        if here > best:
            best, first = here, k
    own.n = 2
    for k in range(2):
        j = (first + k) % line.n
        own.feature[k] = line.feature[j]
        for i in range(3):
            own.p[3 * k + i] = line.p[3 * j + i]
    return True


cdef void square_to_line(const double *way, Side *own) noexcept nogil:
    """The normal of a line that looks along a direction, which it may be tilted from."""
    cdef double along[3]
    minus(own.p + 3, own.p, along)
    plus(way, -dot(along, way) / dot(along, along), along, own.normal)
    unit(own.normal)


cdef bint lie_along(const Shape *a, const Shape *b, const Side *one, const Side *two, const double *normal) noexcept nogil:
    """Whether two lines lie along each other, as seen along the normal: one end may be farther apart than the other."""
    cdef double way[3]
    cdef double other[3]
    cdef double across[3]
    cdef double angle
    minus(one.p + 3, one.p, way)
    minus(two.p + 3, two.p, other)
    if not (unit(way) and unit(other)) or max(fabs(dot(way, normal)), fabs(dot(other, normal))) > LEVEL_LINE:
        return False
    cross(way, other, across)
    angle = ALONGSIDE if round_by(a) > 0.0 or round_by(b) > 0.0 or is_round(a) or is_round(b) else PARALLEL
    return fabs(dot(across, normal)) < angle


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
