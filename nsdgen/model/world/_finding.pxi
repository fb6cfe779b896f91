"""What a step needs of shapes: where they are, how far they may come, and contacts of pairs as arguments of kernels."""

cdef enum:
    POSE = 13  # position, quaternion, velocity, angular velocity in the frame of the body

cdef double UPRIGHT = 1e-6  # in a plane: a component of a normal along z, or a height as a share of a shape, that is none but by rounding
cdef double NO_TURN = 1e-12  # square of the length of a quaternion that has no direction but by rounding


cdef inline void pose_of(const double *state, bint planar, double *p) noexcept nogil:
    """The state of a body as one in space; in a plane it is x, y, angle and their rates."""
    cdef int i
    if not planar:
        for i in range(POSE):
            p[i] = state[i]
        return
    for i in range(POSE):
        p[i] = 0.0
    p[0], p[1], p[3], p[6] = state[0], state[1], cos(0.5 * state[2]), sin(0.5 * state[2])
    p[7], p[8], p[12] = state[3], state[4], state[5]


cdef inline void rotation(const double *p, double *R) noexcept nogil:
    cdef double w = p[0], x = p[1], y = p[2], z = p[3], s = 1.0 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    R[0], R[1], R[2] = 1 - 2 * s * (y * y + z * z), 2 * s * (x * y - w * z), 2 * s * (x * z + w * y)
    R[3], R[4], R[5] = 2 * s * (x * y + w * z), 1 - 2 * s * (x * x + z * z), 2 * s * (y * z - w * x)
    R[6], R[7], R[8] = 2 * s * (x * z - w * y), 2 * s * (y * z + w * x), 1 - 2 * s * (x * x + y * y)


cdef inline bint _is_sound(const double *p) noexcept nogil:
    """Whether a pose is made of finite numbers, and its quaternion has a direction."""
    cdef double total = 0.0
    cdef int i
    for i in range(POSE):
        total += p[i] - p[i]
    return total == 0.0 and p[3] * p[3] + p[4] * p[4] + p[5] * p[5] + p[6] * p[6] >= NO_TURN


def place_shapes(const double[:, ::1] states, bint planar, const char[::1] awake, const char[::1] exists, const int[::1] body,
                 const double[::1] around, const double[:, ::1] at, const double[:, ::1] turn, double[:, ::1] centres,
                 double[:, ::1] axes, double[::1] speed, double h):
    """Centres, axes and speeds of shapes of bodies (``body`` >= 0) that are ``awake``, of the states of these.

    No point of a shape is faster than its ``speed`` [m/s]; those of others are left alone. Returns the first shape whose body has a
    state of other than finite numbers, or that moves farther than its radius in a step ``h``; -1 where there is none.
    """
    cdef double R[9]
    cdef double p[POSE]
    cdef int k, i, j, wrong = -1
    with nogil:
        for k in range(body.shape[0]):
            if body[k] < 0 or not awake[k]:
                continue
            pose_of(&states[body[k], 0], planar, p)
            rotation(p + 3, R)
            for i in range(3):
                centres[k, i] = p[i] + R[3 * i] * at[k, 0] + R[3 * i + 1] * at[k, 1] + R[3 * i + 2] * at[k, 2]
                for j in range(3):
                    axes[k, 3 * i + j] = R[3 * i] * turn[k, j] + R[3 * i + 1] * turn[k, 3 + j] + R[3 * i + 2] * turn[k, 6 + j]
            speed[k] = sqrt(dot(p + 7, p + 7)) + (around[k] + sqrt(dot(&at[k, 0], &at[k, 0]))) * sqrt(dot(p + 10, p + 10))
            if wrong < 0 and (not _is_sound(p) or (exists[k] and not h * speed[k] <= around[k])):
                wrong = k
    return wrong


def reaches(const double[::1] speed, const double[::1] around, double step, double near, const double[:, ::1] centres,
            const double[:, ::1] searched, double[::1] reach):
    """How far each shape may come, ``step`` times its speed and a share ``near`` of its size; the largest, and the longest way since
    it was ``searched`` for [m]."""
    cdef double largest = 0.0, longest = 0.0, x, y, z
    cdef Py_ssize_t k
    with nogil:
        for k in range(speed.shape[0]):
            reach[k] = step * speed[k] + near * around[k]
            largest = max(largest, reach[k])
            x, y, z = centres[k, 0] - searched[k, 0], centres[k, 1] - searched[k, 1], centres[k, 2] - searched[k, 2]
            longest = max(longest, x * x + y * y + z * z)
    return largest, sqrt(longest)


# ------------------------------------------------------------------------------ contacts


def touching(const int[:, ::1] pairs, const double[::1] reach, const int[::1] kind, const double[:, ::1] size,
             const double[:, ::1] at, const double[:, ::1] turn, const intptr_t[::1] form, long room=64):
    """The points of pairs (n, 2) of shapes: keys, shapes (m, 2), gaps, normals (m, 3), places (m, 3); keys rise.

    ``reach`` (k,) of each shape: a gap is listed that is at most the sum of both. Shapes have a kind, sizes (k, 3), a centre (k, 3), axes
    (k, 9) and the address of a form, 0 where the kind has none. The normal points from the second shape to the first, whose kind is
    not the higher one. Pairs that come :func:`in_order` need no sorting.
    """
    cdef Found f
    cdef Shape a, b
    cdef long i, first
    cdef bint rise = True
    cdef long long[::1] key
    cdef int[:, ::1] shape
    cdef double[::1] gap
    cdef double[:, ::1] normal, point
    room = max(room, 1)
    while True:
        arrays = (np.empty(room, dtype=np.longlong), np.empty((room, 2), dtype=np.intc), np.empty(room), np.empty((room, 3)),
                  np.empty((room, 3)))
        key, shape, gap, normal, point = arrays
        f.n, f.room, f.key, f.shape, f.gap = 0, room, &key[0], &shape[0, 0], &gap[0]
        f.normal, f.point = &normal[0, 0], &point[0, 0]
        with nogil:
            for i in range(pairs.shape[0]):
                a.number, b.number = pairs[i, 0], pairs[i, 1]
                if kind[a.number] > kind[b.number]:
                    a.number, b.number = b.number, a.number
                a.kind, a.size, a.at, a.turn = kind[a.number], &size[a.number, 0], &at[a.number, 0], &turn[a.number, 0]
                a.form = <const Form *>form[a.number]
                b.kind, b.size, b.at, b.turn = kind[b.number], &size[b.number, 0], &at[b.number, 0], &turn[b.number, 0]
                b.form = <const Form *>form[b.number]
                first = f.n
                look(&f, &a, &b, reach[a.number] + reach[b.number])
                if first < f.n <= room:
                    _sort_points(&f, first)
                    rise = rise and (first == 0 or key[first - 1] < key[first])
        if f.n <= room:
            break
        room, rise = 2 * f.n, True
    if rise:
        return arrays[0][: f.n], arrays[1][: f.n], arrays[2][: f.n], arrays[3][: f.n], arrays[4][: f.n]
    order = np.argsort(arrays[0][: f.n], kind="stable")
    return arrays[0][order], arrays[1][order], arrays[2][order], arrays[3][order], arrays[4][order]


cdef void _sort_points(Found *f, long first) noexcept nogil:
    """Points of a pair, from ``first`` on, by their keys: they are few."""
    cdef long i, k
    for i in range(first + 1, f.n):
        k = i
        while k > first and f.key[k - 1] > f.key[k]:
            f.key[k - 1], f.key[k] = f.key[k], f.key[k - 1]
            f.gap[k - 1], f.gap[k] = f.gap[k], f.gap[k - 1]
            _exchange(f.normal + 3 * k)
            _exchange(f.point + 3 * k)
            k -= 1


cdef inline void _exchange(double *x) noexcept nogil:
    """Three numbers with the three before them."""
    cdef int i
    for i in range(3):
        x[i], x[i - 3] = x[i - 3], x[i]


def in_order(pairs, kind):
    """Pairs (n, 2) with the lower kind first, the lower number where kinds are equal, in the order of the keys of their points."""
    a, b = pairs[:, 0], pairs[:, 1]
    swap = (kind[a] > kind[b]) | ((kind[a] == kind[b]) & (a > b))
    ordered = np.where(swap[:, None], pairs[:, ::-1], pairs).astype(np.intc)
    return np.ascontiguousarray(ordered[np.lexsort((ordered[:, 1], ordered[:, 0]))])


cdef class ContactPool:
    """Contacts in the order of their ``keys``: ``bodies`` (n, 1 or 2), ``arguments`` of their kernels, ``shapes`` (n, 2).

    ``gaps`` (n,), ``normals`` (n, 3) from the second shape to the first, ``points`` (n, 3), and ``velocities`` (n, 3) of the second
    surface where it moves as told.
    """

    cdef readonly object keys, bodies, arguments, shapes, gaps, normals, points, velocities
    cdef long long[::1] key
    cdef int[:, ::1] body, shape
    cdef double[:, ::1] argument, normal, point, velocity
    cdef double[::1] gap

    def __init__(self, long n, int bodies, int width):
        self.keys, self.bodies = np.empty(n, dtype=np.longlong), np.empty((n, bodies), dtype=np.intc)
        self.arguments, self.shapes, self.gaps = np.empty((n, width)), np.empty((n, 2), dtype=np.intc), np.empty(n)
        self.normals, self.points, self.velocities = np.empty((n, 3)), np.empty((n, 3)), np.zeros((n, 3))
        self.key, self.body, self.argument, self.shape, self.gap = self.keys, self.bodies, self.arguments, self.shapes, self.gaps
        self.normal, self.point, self.velocity = self.normals, self.points, self.velocities


cdef void _arm(const double *state, const double *point, double *out) noexcept nogil:
    """A place in the frame of a body."""
    cdef double R[9]
    cdef double d[3]
    cdef int i
    rotation(state + 3, R)
    for i in range(3):
        d[i] = point[i] - state[i]
    for i in range(3):
        out[i] = R[i] * d[0] + R[3 + i] * d[1] + R[6 + i] * d[2]


cdef inline double _levers(const double *state, const double *n, const double *point, double *out) noexcept nogil:
    """In a plane: levers of normal and tangent about a body, and n . x + l phi of it."""
    cdef double x = point[0] - state[0], y = point[1] - state[1]
    out[0], out[1] = x * n[1] - y * n[0], x * n[0] + y * n[1]
    return n[0] * state[0] + n[1] * state[1] + out[0] * state[2]


def contacts_of(found, const double[:, ::1] states, bint planar, const int[::1] body, const long[::1] material,
                const double[:, :, ::1] law, const double[::1] around, const double[:, ::1] driven, double now):
    """The pools of contacts of two bodies and of contacts with what stands, with the arguments of their kernels, and the least gap.

    ``found`` is what :func:`touching` gives. ``law`` (m, m, k) are the arguments of materials on each other; ``driven`` (d, 13) are shapes that move as told: number, place, velocity, spin,
    and velocity of the surface; arguments of these count from the time ``now``. In a plane points come in pairs above and below
    it, of which those above count. Raises ``ValueError`` with two shapes that nothing in the plane parts.
    """
    cdef const long long[::1] key
    cdef const int[:, ::1] shape
    cdef const double[::1] gap
    cdef const double[:, ::1] normal, point
    cdef ContactPool pair, rest, own
    cdef long i, at, n = len(found[0]), pairs = 0, rests = 0
    cdef int k, a, b, laws = <int> law.shape[2]
    cdef double least = 1e300, size
    cdef double[3] arm
    cdef double *to
    cdef char[::1] kept = np.ones(n, dtype=np.int8)
    key, shape, gap, normal, point = found
    for i in range(n):
        a, b = shape[i, 0], shape[i, 1]
        if planar:
            if fabs(normal[i, 2]) > UPRIGHT:
                raise ValueError(a, b)
            size = min(around[a] if around[a] > 0.0 else 1e300, around[b] if around[b] > 0.0 else 1e300)
            kept[i] = point[i, 2] >= -UPRIGHT * size
        if kept[i]:
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
        a, b = shape[i, 0], shape[i, 1]
        if body[a] >= 0 and body[b] >= 0:
            own, at = pair, pairs
            pairs += 1
        else:
            own, at = rest, rests
            rests += 1
        own.key[at], own.gap[at] = key[i], gap[i]
        least = min(least, gap[i])
        for k in range(3):
            own.normal[at, k], own.point[at, k] = normal[i, k], point[i, k]
        if body[a] < 0:  # what stands comes second
            a, b = b, a
            for k in range(3):
                own.normal[at, k] = -normal[i, k]
        if planar:
            own.normal[at, 2] = own.point[at, 2] = 0.0
        own.shape[at, 0], own.shape[at, 1], own.body[at, 0] = a, b, body[a]
        to = &own.argument[at, 0]
        for k in range(laws):
            to[k] = law[material[a], material[b], k]
        to += laws
        to[0], to[1], to[2] = gap[i], own.normal[at, 0], own.normal[at, 1]
        if planar:
            to[0] -= _levers(&states[body[a], 0], &own.normal[at, 0], &own.point[at, 0], to + 3)
            to += 5
        else:
            to[3] = own.normal[at, 2]
            _arm(&states[body[a], 0], &own.point[at, 0], to + 4)
            to += 7
        if own is pair:
            own.body[at, 1] = body[b]
            if planar:
                (to - 5)[0] += _levers(&states[body[b], 0], &own.normal[at, 0], &own.point[at, 0], to)
            else:
                _arm(&states[body[b], 0], &own.point[at, 0], to)
            continue
        _drive(driven, b, &own.point[at, 0], &own.velocity[at, 0])
        if not planar:
            for k in range(3):
                to[k] = own.point[at, k]
            to += 3
        for k in range(2 if planar else 3):
            to[k] = own.velocity[at, k]
        to[2 if planar else 3] = now
    return pair, rest, least


cdef void _drive(const double[:, ::1] driven, int shape, const double *point, double *velocity) noexcept nogil:
    """The velocity of a place on a shape that moves as told; what stands still is left alone."""
    cdef const double *own
    cdef double[3] lever
    cdef Py_ssize_t i
    cdef int k
    for i in range(driven.shape[0]):
        if <int> driven[i, 0] != shape:
            continue
        own = &driven[i, 1]
        for k in range(3):
            lever[k] = point[k] - own[k]
        cross(own + 6, lever, velocity)
        for k in range(3):
            velocity[k] = own[3 + k] + velocity[k] + own[9 + k]
