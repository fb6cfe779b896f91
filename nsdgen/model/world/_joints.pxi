"""Joints and springs of a world: how far joints are off, their rows as arguments of kernels, and what springs pull.

Rows are velocities of one body relative to the other along directions that are taken in the middle of a step, where velocities lead
to from its start. What places are off there is brought back, by a share of it in each step.
"""

cdef enum:
    JOINT_ROWS = 16  # rows of a joint are numbered below
    MOST_JOINT_ROWS = 9  # six that are held, a motor, two stops
    MOTOR = 6  # the number of its row, behind those that are held
    LOWER_STOP = 7  # and of its row
    UPPER_STOP = 8  # the same
    ABOUT = 5  # the free row of a hinge

cdef double TAKEN_BACK = 0.5  # of what is off, in a step: with theta = 1/2 errors then fall by half in each, and do not swing
cdef double WHOLE_TURN = 6.283185307179586  # 2 pi
cdef double HALF_TURN = 1e-3  # sine of an angle near pi: below it the axis is lost by rounding, and looked for otherwise
cdef struct JointSide:
    double at[3]
    double axes[9]
    double velocity[3]
    double turn[3]  # angular velocity in the inertial frame

cdef struct JointLook:
    double at[3]
    double axes[9]  # those of the second body's side
    double off[6]  # along and about them
    double rates[6]
    JointSide one
    JointSide other


cdef void _motion(const double[:, ::1] states, int body, bint planar, double ahead, JointSide *m) noexcept nogil:
    """Of a body, -1 the ground, as far ahead as its velocities lead."""
    cdef double p[POSE]
    memset(m, 0, sizeof(JointSide))
    if body < 0:
        m.axes[0] = m.axes[4] = m.axes[8] = 1.0
        return
    pose_of(&states[body, 0], planar, p)
    if ahead > 0.0:
        _advance(p, ahead)
    rotation(p + 3, m.axes)
    memcpy(m.at, p, 3 * sizeof(double))
    memcpy(m.velocity, p + 7, 3 * sizeof(double))
    from_frame(m.axes, p + 10, m.turn)


cdef inline void _product(const double *A, const double *B, bint transposed, double *out) noexcept nogil:
    """A B, or A B^T, of 3 x 3 matrices."""
    cdef int i, j
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = (dot(A + 3 * i, B + 3 * j) if transposed
                              else A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j])


cdef inline void _place_on(const JointSide *m, const double *place, double *at, double *velocity) noexcept nogil:
    """A place of a body in the inertial frame, and its velocity."""
    cdef double arm[3]
    from_frame(m.axes, place, arm)
    cross(m.turn, arm, velocity)
    plus(m.at, 1.0, arm, at)
    plus(m.velocity, 1.0, velocity, velocity)


cdef void _turn_of(const double *R, double *out) noexcept nogil:
    """The rotation vector of a matrix."""
    cdef double cosine = 0.5 * (R[0] + R[4] + R[8] - 1.0), sine, size, sign
    cdef int i, k = 0
    out[0], out[1], out[2] = 0.5 * (R[7] - R[5]), 0.5 * (R[2] - R[6]), 0.5 * (R[3] - R[1])
    sine = sqrt(dot(out, out))
    size = atan2(sine, cosine) / sine if sine > 0.0 else 1.0
    if sine < HALF_TURN and cosine < 0.0:  # a column of (R + R^T) / 2 - cosine, which is the axis times one of its components
        for i in range(1, 3):
            if R[4 * i] > R[4 * k]:
                k = i
        sign = -1.0 if out[k] < 0.0 else 1.0
        for i in range(3):
            out[i] = 0.5 * (R[3 * i + k] + R[3 * k + i]) - (cosine if i == k else 0.0)
        unit(out)
        size = sign * atan2(sine, cosine)
    for i in range(3):
        out[i] *= size


cdef void _look(const double[:, ::1] states, bint planar, const int *bodies, int free, const double *fixed, double ahead,
                JointLook *l) noexcept nogil:
    cdef double there[3]
    cdef double velocity[3]
    cdef double other[3]
    cdef double first[9]
    cdef double R[9]
    cdef double x[3]
    cdef double z[3]
    cdef int i
    _motion(states, bodies[0], planar, ahead, &l.one)
    _motion(states, bodies[1], planar, ahead, &l.other)
    _place_on(&l.one, fixed, l.at, velocity)
    _place_on(&l.other, fixed + 3, there, other)
    _product(l.one.axes, fixed + 6, False, first)
    _product(l.other.axes, fixed + 15, False, l.axes)
    # The second body moves as at the place of the first one: rows act on both there.
    minus(l.at, l.other.at, x)
    cross(l.other.turn, x, other)
    plus(other, 1.0, l.other.velocity, other)
    minus(velocity, other, velocity)
    to_frame(l.axes, velocity, l.rates)
    minus(l.at, there, x)
    to_frame(l.axes, x, l.off)
    minus(l.one.turn, l.other.turn, x)
    to_frame(l.axes, x, l.rates + 3)
    if free == ABOUT:
        for i in range(3):
            x[i], z[i] = l.axes[3 * i + 2], first[3 * i + 2]
        cross(x, z, there)
        to_frame(l.axes, there, l.off + 3)
        for i in range(3):
            x[i] = first[3 * i]
        to_frame(l.axes, x, z)
        l.off[5] = atan2(z[1], z[0])
        return
    _product(first, l.axes, True, R)
    _turn_of(R, x)
    to_frame(l.axes, x, l.off + 3)


cdef inline double _counted(double angle, double near) noexcept nogil:
    """An angle and as many whole turns as bring it nearest to another one."""
    return angle + WHOLE_TURN * rint((near - angle) / WHOLE_TURN)


def body_place(const double[:, ::1] states, int body, bint planar):
    """Place and axes (3, 3) of a body in the inertial frame."""
    cdef JointSide m
    _motion(states, body, planar, 0.0, &m)
    return np.array(<double[:3]> m.at), np.array(<double[:9]> m.axes).reshape(3, 3)


def joint_look(const double[:, ::1] states, bint planar, const int[::1] bodies, int free, const double[::1] fixed,
               double turned):
    """What a joint is off along and about its axes (6) now, and the rates of these; a hinge counts turns on from ``turned``."""
    cdef JointLook l
    _look(states, planar, &bodies[0], free, &fixed[0], 0.0, &l)
    if free == ABOUT:
        l.off[ABOUT] = _counted(l.off[ABOUT], turned)
    return np.array(<double[:6]> l.off), np.array(<double[:6]> l.rates)


def joint_rows(const double[:, ::1] states, bint planar, const int[:, ::1] bodies, const int[:, ::1] kind, const double[:, ::1] fixed,
               const double[:, ::1] told, double[::1] turned, double h):
    """Rows in a step h of joints (n) of two ``bodies`` (n, 2), or of one and the ground (-1), those that have none (-1, -1) left out.

    ``kind`` (n, 2) are the rows that are held, along x, y, z of the joint and about them, as bits, and the one that is free, -1 for
    none. ``fixed`` (n, 24) are the places and axes on both, ``told`` (n, 4) stops, speed and limit of a motor, ``turned`` (n,) angles of
    hinges in the last step, which become those of this one. Returns keys, bodies, arguments of kernels, numbers of joints and directions
    (m, 6) of force and moment: of pairs, then of those with the ground.
    """
    cdef long i, n = bodies.shape[0]
    cdef int side, wide, k
    cdef JointLook l
    cdef JointSide[2] start
    cdef const double *own
    cdef double *rows
    pools, room = [], MOST_JOINT_ROWS * n
    for side in range(2, 0, -1):
        wide = (5 if planar else 9) + side * (1 if planar else 3)
        pools.append((np.empty(room, dtype=np.longlong), np.empty((room, side), dtype=np.intc), np.empty((room, wide)),
                      np.empty(room, dtype=np.intp), np.empty((room, 6))))
    cdef JointPool pair = JointPool(*pools[0]), ground = JointPool(*pools[1]), pool
    for i in range(n):
        if bodies[i, 0] < 0:
            continue
        pool = ground if bodies[i, 1] < 0 else pair
        _look(states, planar, &bodies[i, 0], kind[i, 1], &fixed[i, 0], 0.5 * h, &l)
        if kind[i, 1] == ABOUT:
            l.off[ABOUT] = turned[i] = _counted(l.off[ABOUT], turned[i])
        for k in range(2):  # kernels turn arms as bodies are turned at the start of the step
            _motion(states, bodies[i, k], planar, 0.0, &start[k])
        own = &told[i, 0]
        for k in range(6):
            if kind[i, 0] >> k & 1:
                _add_row(pool, i, &bodies[i, 0], k, k, 1.0, -HUGE_VAL, HUGE_VAL, -TAKEN_BACK * l.off[k] / h, &l, start, planar)
        k = kind[i, 1]
        if k < 0:
            continue
        if own[3] > 0.0:
            _add_row(pool, i, &bodies[i, 0], MOTOR, k, 1.0, -own[3] * h, own[3] * h, own[2], &l, start, planar)
        if own[0] > -HUGE_VAL:
            _add_row(pool, i, &bodies[i, 0], LOWER_STOP, k, 1.0, 0.0, HUGE_VAL, _until(l.off[k] - own[0], h), &l, start, planar)
        if own[1] < HUGE_VAL:
            _add_row(pool, i, &bodies[i, 0], UPPER_STOP, k, -1.0, 0.0, HUGE_VAL, _until(own[1] - l.off[k], h), &l, start, planar)
    return tuple(tuple(part[: p.n] for part in parts) for parts, p in zip(pools, (pair, ground)))


cdef class JointPool:
    """Where rows of joints go."""

    cdef readonly long n
    cdef long long[::1] key
    cdef int[:, ::1] body
    cdef double[:, ::1] argument, along
    cdef long[::1] joint

    def __init__(self, keys, bodies, arguments, joint, along):
        self.n, self.key, self.body, self.argument, self.joint, self.along = 0, keys, bodies, arguments, joint, along


cdef inline double _until(double gap, double h) noexcept nogil:
    """The least rate at a stop: none that uses up more than the gap, or takes back a share of what is beyond."""
    return -(gap if gap > 0.0 else TAKEN_BACK * gap) / h


cdef void _add_row(JointPool pool, long joint, const int *bodies, int row, int k, double sign, double low, double high, double rate,
                   const JointLook *l, const JointSide *start, bint planar) noexcept:
    cdef double *along = &pool.along[pool.n, 0]
    cdef double *to = &pool.argument[pool.n, 0]
    cdef const JointSide *moved
    cdef double arm[3]
    cdef int i, side
    for i in range(3):
        along[i] = sign * l.axes[3 * i + k % 3] if k < 3 else 0.0
        along[3 + i] = sign * l.axes[3 * i + k % 3] if k >= 3 else 0.0
    if planar and max(fabs(along[0]), max(fabs(along[1]), fabs(along[5]))) <= UPRIGHT:
        return  # nothing in the plane moves along it
    pool.key[pool.n], pool.joint[pool.n] = joint * JOINT_ROWS + row, joint
    to[0], to[1] = low, high
    to += 2
    if planar:
        to[0], to[1] = along[0], along[1]
        to += 2
    else:
        memcpy(to, along + 3, 3 * sizeof(double))
        memcpy(to + 3, along, 3 * sizeof(double))
        to += 6
    for side in range(pool.body.shape[1]):
        pool.body[pool.n, side] = bodies[side]
        moved = &l.one if side == 0 else &l.other
        minus(l.at, moved.at, arm)
        if planar:
            to[0] = along[5] + arm[0] * along[1] - arm[1] * along[0]
            to += 1
        else:
            to_frame(start[side].axes, arm, to)
            to += 3
    to[0] = rate
    pool.n += 1


def spring_pulls(const double[:, ::1] states, bint planar, const int[:, ::1] bodies, const double[:, ::1] places,
                 const double[:, ::1] numbers, double h):
    """With what springs (n) pull in a step h, and force and moment (n, 2, 6) on both bodies: inertial, and in the body's frame.

    ``places`` (n, 6) are those on both, ``numbers`` (n, 3) stiffness, length without force, damping.
    """
    cdef JointSide[2] m
    cdef double[2][3] at
    cdef double[2][3] velocity
    cdef double line[3]
    cdef double arm[3]
    cdef double moment[3]
    cdef double size, rate
    cdef long i, n = bodies.shape[0]
    cdef int k, side
    pulls, wrenches = np.zeros(n), np.zeros((n, 2, 6))
    cdef double[::1] pull = pulls
    cdef double[:, :, ::1] wrench = wrenches
    for i in range(n):
        for side in range(2):
            _motion(states, bodies[i, side], planar, 0.5 * h, &m[side])
            _place_on(&m[side], &places[i, 3 * side], at[side], velocity[side])
        minus(at[0], at[1], line)
        size = sqrt(dot(line, line))
        unit(line)
        rate = dot(line, velocity[0]) - dot(line, velocity[1])
        pull[i] = numbers[i, 0] * (size - numbers[i, 1]) + numbers[i, 2] * rate
        for side in range(2):
            for k in range(3):
                wrench[i, side, k] = (2 * side - 1) * pull[i] * line[k]
            minus(at[side], m[side].at, arm)
            cross(arm, &wrench[i, side, 0], moment)
            to_frame(m[side].axes, moment, &wrench[i, side, 3])
    return pulls, wrenches
