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


cdef inline void _advance(double *p, double h) noexcept nogil:
    """A pose after a time h in which its velocities stay as they are."""
    cdef double r[4]
    cdef double q[4]
    cdef double angle = h * sqrt(dot(p + 10, p + 10)), share
    cdef int i
    plus(p, h, p + 7, p)
    share = 0.5 * h * (sin(0.5 * angle) / (0.5 * angle) if angle > 0.0 else 1.0)
    for i in range(4):
        q[i] = p[3 + i]
    r[0], r[1], r[2], r[3] = cos(0.5 * angle), share * p[10], share * p[11], share * p[12]
    p[3] = q[0] * r[0] - q[1] * r[1] - q[2] * r[2] - q[3] * r[3]
    p[4] = q[0] * r[1] + q[1] * r[0] + q[2] * r[3] - q[3] * r[2]
    p[5] = q[0] * r[2] + q[2] * r[0] + q[3] * r[1] - q[1] * r[3]
    p[6] = q[0] * r[3] + q[3] * r[0] + q[1] * r[2] - q[2] * r[1]


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
                 double[:, ::1] axes, double[::1] speed, double h, double later=0.0):
    """Centres, axes and speeds of shapes of bodies (``body`` >= 0) that are ``awake``, of the states of these ``later`` by a time [s].

    No point of a shape is faster than its ``speed`` [m/s]; those of others are left alone. Returns the first shape whose body has a
    state of other than finite numbers, or that moves farther than its radius in a step ``h``; -1 where there is none.
    """
    cdef double R[9]
    cdef double p[POSE]
    cdef double swept[3]
    cdef int k, i, j, wrong = -1
    with nogil:
        for k in range(body.shape[0]):
            if body[k] < 0 or not awake[k]:
                continue
            pose_of(&states[body[k], 0], planar, p)
            if later > 0.0:
                _advance(p, later)
            rotation(p + 3, R)
            for i in range(3):
                centres[k, i] = p[i] + R[3 * i] * at[k, 0] + R[3 * i + 1] * at[k, 1] + R[3 * i + 2] * at[k, 2]
                for j in range(3):
                    axes[k, 3 * i + j] = R[3 * i] * turn[k, j] + R[3 * i + 1] * turn[k, 3 + j] + R[3 * i + 2] * turn[k, 6 + j]
            cross(p + 10, &at[k, 0], swept)
            speed[k] = sqrt(dot(p + 7, p + 7)) + sqrt(dot(swept, swept)) + around[k] * sqrt(dot(p + 10, p + 10))
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
                a.form = <const FormArrays *>form[a.number]
                b.kind, b.size, b.at, b.turn = kind[b.number], &size[b.number, 0], &at[b.number, 0], &turn[b.number, 0]
                b.form = <const FormArrays *>form[b.number]
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
