"""Contacts of pairs as pools of contacts, with the arguments of their kernels: of two bodies, and of a body with what stands."""

cdef double VISIBLE = 1e-9  # of its size: what moves less in a step turns no direction that could be seen in a run

cdef class ContactPool:
    """Contacts in the order of their ``keys``: ``bodies`` (n, 1 or 2), ``arguments`` of their kernels, ``shapes`` (n, 2).

    ``gaps`` (n,), ``normals`` (n, 3) from the second shape to the first, ``points`` (n, 2, 3) where they act on both, and
    ``velocities`` (n, 3) of the second surface where it moves as told.
    """

    cdef readonly object keys, bodies, arguments, shapes, gaps, normals, points, velocities
    cdef long long[::1] key
    cdef int[:, ::1] body, shape
    cdef double[:, ::1] argument, normal, velocity
    cdef double[:, :, ::1] point
    cdef double[::1] gap, ahead  # of what is led, by the step

    def __init__(self, long n, int bodies, int width):
        self.keys, self.bodies = np.empty(n, dtype=np.longlong), np.empty((n, bodies), dtype=np.intc)
        self.arguments, self.shapes, self.gaps = np.empty((n, width)), np.empty((n, 2), dtype=np.intc), np.empty(n)
        self.normals, self.points, self.velocities = np.empty((n, 3)), np.empty((n, 2, 3)), np.zeros((n, 3))
        self.key, self.body, self.argument, self.shape, self.gap = self.keys, self.bodies, self.arguments, self.shapes, self.gaps
        self.normal, self.point, self.velocity = self.normals, self.points, self.velocities
        self.ahead = np.zeros(n)


cdef void _arm(const double *state, const double *point, double *out) noexcept nogil:
    """A place in the frame of a body."""
    cdef double R[9]
    cdef double d[3]
    rotation(state + 3, R)
    minus(point, state, d)
    to_frame(R, d, out)


cdef inline double _levers(const double *state, const double *n, const double *point, double *out) noexcept nogil:
    """In a plane: levers of normal and tangent about a body, and n . x + l phi of it."""
    cdef double x = point[0] - state[0], y = point[1] - state[1]
    out[0], out[1] = x * n[1] - y * n[0], x * n[0] + y * n[1]
    return n[0] * state[0] + n[1] * state[1] + out[0] * state[2]


cdef inline double _smaller(const double[::1] around, int a, int b) noexcept nogil:
    """The size of the smaller of two shapes; planes have none."""
    return min(around[a] if around[a] > 0.0 else 1e300, around[b] if around[b] > 0.0 else 1e300)


def moving_pairs(const int[:, ::1] shape, const double[::1] speed, const double[::1] around, double h):
    """The pairs (m, 2) among those of contacts (n, 2), in their order, of shapes that move visibly in a step h."""
    cdef long i, m = 0
    cdef int a, b
    pairs = np.empty((shape.shape[0], 2), dtype=np.intc)
    cdef int[:, ::1] pair = pairs
    for i in range(shape.shape[0]):
        a, b = shape[i, 0], shape[i, 1]
        if i > 0 and shape[i - 1, 0] == a and shape[i - 1, 1] == b:
            continue
        if h * (speed[a] + speed[b]) > VISIBLE * _smaller(around, a, b):
            pair[m, 0], pair[m, 1] = a, b
            m += 1
    return pairs[:m]


def contacts_of(found, later, const double[:, ::1] states, bint planar, const int[::1] body, const long[::1] material,
                const double[:, :, ::1] law, const double[::1] around, const double[::1] speed, const double[:, ::1] driven, double now,
                double h):
    """The pools of contacts of two bodies and of contacts with what stands, with the arguments of their kernels, and the least gap, 0 where none is
    below.

    ``found`` is what :func:`touching` gives, ``later`` what it gives for those that move where velocities would bring them in the
    step h. ``law`` (m, m, k) are the arguments of materials on each other; ``driven`` (d, 13) are shapes that move as told: number,
    place, velocity, spin, and velocity of the surface; arguments of these count from the time ``now``. In a plane points come in pairs
    above and below it, of which those above count. Raises ``ValueError`` with two shapes that nothing in the plane parts.
    """
    cdef const long long[::1] key, key_later
    cdef const int[:, ::1] shape
    cdef const double[::1] gap
    cdef const double[:, ::1] normal, point, normal_later, point_later
    cdef ContactPool pair, rest, own
    cdef long i, k, at, n = len(found[0]), first = 0, pairs = 0, rests = 0
    cdef int a, b, moves, laws = <int> law.shape[2], wide = 2 if planar else 3
    cdef double least = 0.0
    cdef char[::1] kept = np.ones(n, dtype=np.int8)
    key, shape, gap, normal, point = found
    key_later, normal_later, point_later = later[0], later[3], later[4]
    for i in range(n):
        a, b = shape[i, 0], shape[i, 1]
        if planar:
            if fabs(normal[i, 2]) > UPRIGHT:
                raise ValueError(a, b)
            kept[i] = point[i, 2] >= -UPRIGHT * _smaller(around, a, b)
        if kept[i]:
            least = min(least, gap[i])
            if body[a] >= 0 and body[b] >= 0:
                pairs += 1
            else:
                rests += 1
    pair = ContactPool(pairs, 2, laws + (7 if planar else 10))
    rest = ContactPool(rests, 1, laws + (8 if planar else 14))
    pairs = rests = 0
    for i in range(n):
        if not kept[i]:
            continue
        if body[shape[i, 0]] >= 0 and body[shape[i, 1]] >= 0:
            own, at = pair, pairs
            pairs += 1
        else:
            own, at = rest, rests
            rests += 1
        own.key[at], own.gap[at] = key[i], gap[i]
        a, b = shape[i, 0], shape[i, 1]
        while first < key_later.shape[0] and key_later[first] // FEATURES < key[i] // FEATURES:
            first += 1
        moves = body[a] if body[a] >= 0 else body[b]
        k = _found_again(key[i], &normal[i, 0], &point[i, 0], &states[moves, 3 if planar else 7], wide, h,
                         2.0 * h * (speed[a] + speed[b]), _smaller(around, a, b), key_later, normal_later, point_later, first)
        if k < 0:
            _enter(own, at, &shape[i, 0], &normal[i, 0], &point[i, 0], body, planar)
        else:
            own.ahead[at] = h
            _enter(own, at, &shape[i, 0], &normal_later[k, 0], &point_later[k, 0], body, planar)
            _bring_back(own, at, states, planar)
    for own in (pair, rest):
        _tell(own, states, planar, material, law, driven, now)
    return pair, rest, least


cdef void _enter(ContactPool own, long at, const int *shape, const double *normal, const double *point, const int[::1] body,
                 bint planar) noexcept nogil:
    """Shapes, bodies, normal and places of a contact; what stands comes second."""
    cdef int i, k, first = 1 if body[shape[0]] < 0 else 0, wide = 2 if planar else 3
    own.shape[at, 0], own.shape[at, 1] = shape[first], shape[1 - first]
    for k in range(own.body.shape[1]):
        own.body[at, k] = body[own.shape[at, k]]
    for i in range(3):
        own.normal[at, i] = 0.0 if i >= wide else -normal[i] if first else normal[i]
        own.point[at, 0, i] = own.point[at, 1, i] = 0.0 if i >= wide else point[i]


cdef long _found_again(long long key, const double *n, const double *p, const double *v, int wide, double h, double most, double size,
                       const long long[::1] key_later, const double[:, ::1] normal_later, const double[:, ::1] point_later,
                       long first) noexcept nogil:
    """The contact of the same pair, from ``first`` on, that is the same one after a time h, -1 for none.

    It is the nearest one as seen from a body of velocity v: no farther than ``most``, nor may its normal have turned a body of this
    ``size`` by more. Which features meet where a face lies on a face is a matter of rounding; only where none is so near it is the one
    of the same feature: the place where a coin rolls on its rim runs round faster than any of its points.
    """
    cdef double d[3]
    cdef double nearest = most
    cdef long k = first, found = -1, same = -1
    cdef int i
    while k < key_later.shape[0] and key_later[k] // FEATURES == key // FEATURES:
        for i in range(3):
            d[i] = point_later[k, i] - p[i] - (h * v[i] if i < wide else 0.0)
        if sqrt(dot(d, d)) <= nearest:
            nearest, found = sqrt(dot(d, d)), k
        if key_later[k] == key:
            same = k
        k += 1
    if found < 0:
        found = same
    if found >= 0:
        for i in range(3):
            d[i] = normal_later[found, i] - n[i]
        if not size * sqrt(dot(d, d)) <= most:
            return -1
    return found


cdef void _bring_back(ContactPool own, long at, const double[:, ::1] states, bint planar) noexcept nogil:
    """Points of the end of the step as seen from where bodies are now.

    A law holds for velocities at the end of a step. Stated with the directions of the start, what turns would be carried outwards by
    h omega^2 r, and through a wall that turns with it.
    """
    cdef int i, k, rates = 3 if planar else 7
    for k in range(own.body.shape[1]):
        for i in range(2 if planar else 3):
            own.point[at, k, i] -= own.ahead[at] * states[own.body[at, k], rates + i]


cdef void _tell(ContactPool own, const double[:, ::1] states, bint planar, const long[::1] material, const double[:, :, ::1] law,
                const double[:, ::1] driven, double now) noexcept nogil:
    """The arguments of all contacts of a pool: at the start of the step they have the gap that was found."""
    cdef long at
    cdef int k, laws = <int> law.shape[2], wide = 2 if planar else 3
    cdef double *to
    cdef double *n
    cdef double *p
    for at in range(own.key.shape[0]):
        n, p, to = &own.normal[at, 0], &own.point[at, 0, 0], &own.argument[at, 0]
        for k in range(laws):
            to[k] = law[material[own.shape[at, 0]], material[own.shape[at, 1]], k]
        to += laws
        to[0] = own.gap[at]
        for k in range(wide):
            to[1 + k] = n[k]
        if planar:
            to[0] -= _levers(&states[own.body[at, 0], 0], n, p, to + 3)
        else:
            for k in range(3):
                to[0] -= n[k] * (p[k] - p[3 + k])
            _arm(&states[own.body[at, 0], 0], p, to + 4)
        if own.body.shape[1] == 2:
            if planar:
                to[0] += _levers(&states[own.body[at, 1], 0], n, p + 3, to + 5)
            else:
                _arm(&states[own.body[at, 1], 0], p + 3, to + 7)
            continue
        _drive(driven, own.shape[at, 1], own.ahead[at], p + 3, &own.velocity[at, 0])
        to += 5 if planar else 7
        if not planar:
            for k in range(3):
                to[k] = p[3 + k]
            to += 3
        for k in range(wide):
            to[k] = own.velocity[at, k]
        to[wide] = now


cdef void _drive(const double[:, ::1] driven, int shape, double ahead, const double *point, double *velocity) noexcept nogil:
    """The velocity of a place on a shape that moves as told, ``ahead`` by a time; what stands still is left alone."""
    cdef const double *own
    cdef double[3] lever
    cdef Py_ssize_t i
    cdef int k
    for i in range(driven.shape[0]):
        if <int> driven[i, 0] != shape:
            continue
        own = &driven[i, 1]
        for k in range(3):
            lever[k] = point[k] - own[k] - ahead * own[3 + k]
        cross(own + 6, lever, velocity)
        for k in range(3):
            velocity[k] = own[3 + k] + velocity[k] + own[9 + k]
