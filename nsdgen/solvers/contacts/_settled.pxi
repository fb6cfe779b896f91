"""Contacts whose cases have settled: what is left are equations, linear but for the directions in which contacts slide.

What sticks has u = 0, what slides u_N = 0 and r_T = mu r_N e; in space e turns until u_T lies along it, by Newton's method on r_N
and the angle (times mu r_N), and a contact sticks from where it would slide with its friction. In the plane e is a sign.
"""

cdef enum:
    MOST_SETTLED = 64  # unknowns of what is left: up to here it costs less than the sweeps it saves
    TURNS = 8  # of Newton's method: near a root each squares what directions are off by

cdef enum:
    OPEN = 0  # a case; the others are
    STICKS = 2  # -1 and 1: slides, in the plane friction on that side

cdef double MADE_UP = 1e-11  # of a diagonal entry: what elimination leaves of one that other unknowns make up
cdef double TURNED = 1e-5  # radians: after such a step what is left is about its square, and the certificate decides
cdef double FAR_TURN = 3.0  # a longer one leads to no root nearby
cdef double GROWS = 3.0  # times the turn before: where they grow more no root is near
cdef double AT_THE_RIM = 1.0 - 1e-12  # of mu r_N: the rounding of a direction

cdef struct Settled:
    int k  # unknowns
    bint turns  # whether a direction may
    double x[MOST_SETTLED]  # the step
    double e[2 * MOST_SETTLED]  # of each contact: the direction of its friction
    double f[2 * MOST_SETTLED]  # the same times mu
    double rim[MOST_SETTLED]  # of each contact whose direction turns: 1 / (mu r_N)
    int ways[MOST_SETTLED]  # unknowns of each contact
    bint driven[MOST_SETTLED]  # whether it slides with its friction, where directions turn


cdef bint settle(const Dense* p, const double* r, signed char* cases) noexcept nogil:
    """Note the case of each contact at the end of a sweep; whether all are as noted before."""
    cdef int i, d = p.dim
    cdef signed char now
    cdef bint same = True
    for i in range(p.count):
        if not r[0] > 0.0:
            now = OPEN
        elif norm(d - 1, r + 1) < AT_THE_RIM * p.mu[i] * r[0]:
            now = STICKS
        else:
            now = -1 if d == 2 and r[1] < 0.0 else 1
        same = same and now == cases[i]
        cases[i] = now
        r += d
    return same


cdef size_t settled_doubles(int n) noexcept nogil:
    """Doubles of ``target`` for ``solve_settled``."""
    return <size_t> min(n, MOST_SETTLED) * (min(n, MOST_SETTLED) + 4)


cdef bint _count_ways(const Dense* p, const signed char* cases, const double* r, Settled* s) noexcept nogil:
    """The unknowns of each contact and its direction; whether they are few."""
    cdef int i, d = p.dim
    cdef double length
    s.k, s.turns = 0, False
    for i in range(p.count):
        s.ways[i] = 0 if cases[i] == OPEN else d if cases[i] == STICKS else 1
        if s.ways[i] == 1:
            s.e[2 * i], s.e[2 * i + 1] = cases[i], 0.0
            length = norm(2, r + i * d + 1) if d == 3 else 0.0
            if length > 0.0:
                s.e[2 * i], s.e[2 * i + 1] = r[i * d + 1] / length, r[i * d + 2] / length
                s.ways[i], s.rim[i], s.turns = 2, 1.0 / (p.mu[i] * r[i * d]), True
            s.f[2 * i], s.f[2 * i + 1] = p.mu[i] * s.e[2 * i], p.mu[i] * s.e[2 * i + 1]
        s.k += s.ways[i]
        if s.k > MOST_SETTLED:
            return False
    return True


cdef inline void _columns(
    const Settled* s, int j, int stuck, double normal, double along, double across, double* target
) noexcept nogil:
    """What a row of W says of contact j, by its unknowns, which are ``stuck`` entries of the row where it sticks."""
    if stuck:
        target[0], target[1] = normal, along
        if stuck == 3:
            target[2] = across
        return
    target[0] = normal + s.f[2 * j] * along + s.f[2 * j + 1] * across
    if s.ways[j] == 2:
        target[1] = s.e[2 * j] * across - s.e[2 * j + 1] * along


cdef void _step(const Dense* p, const signed char* cases, const double* r, Settled* s, double* target) noexcept nogil:
    """The equations into ``target``, behind each what is to be taken off its u; their solution is the step."""
    cdef const double* row = p.W
    cdef const double* block
    cdef double* matrix = target
    cdef double* at
    cdef double u[MAX_DIM]
    cdef const double* side
    cdef double ex, ey, along
    cdef int i, j, a, l, stuck, d = p.dim, n = p.n, k = s.k, stride = (k + 4) & ~3, first = 0
    cdef bint turns
    for i in range(p.count if k else 0):
        if s.ways[i]:
            for a in range(s.ways[i]):
                for l in range(stride - 3, stride):  # what no unknown has; the others follow
                    target[a * stride + l] = 0.0
            _product(p, i, r, u)
            turns = cases[i] != STICKS and s.ways[i] == 2
            ex, ey, at = s.e[2 * i], s.e[2 * i + 1], target
            for j in range(p.count):
                if not s.ways[j]:
                    continue
                block = row + j * d
                stuck = d if cases[j] == STICKS else 0
                _columns(s, j, stuck, block[0], block[1], block[2] if d == 3 else 0.0, at)
                if turns:  # velocity across the direction of sliding, which turns, too
                    side = block + n
                    _columns(
                        s, j, stuck, ex * side[n] - ey * side[0], ex * side[n + 1] - ey * side[1],
                        ex * side[n + 2] - ey * side[2], at + stride,
                    )
                else:
                    for a in range(1, s.ways[i]):
                        side = block + a * n
                        _columns(s, j, stuck, side[0], side[1], side[2] if d == 3 else 0.0, at + a * stride)
                at += s.ways[j]
            for a in range(s.ways[i]):
                at = target + a * stride
                at[k] = -(u[a] + p.q[i * d + a])
            if turns:
                u[1], u[2] = u[1] + p.q[i * d + 1], u[2] + p.q[i * d + 2]
                along = ex * u[1] + ey * u[2]
                at[k] = ey * u[1] - ex * u[2]
                at[first + 1] -= along * s.rim[i]
                s.driven[i] = along > 0.0
            target += s.ways[i] * stride
            first += s.ways[i]
        row += d * n
    nsd_solve_once(k, stride, matrix, MADE_UP, s.x)


cdef double _move(const Dense* p, signed char* cases, Settled* s, double* r, bint* same) noexcept nogil:
    """r after the step, directions, and the cases in space; how far a direction turned at most, HUGE_VAL where a contact would pull."""
    cdef const double* x = s.x
    cdef double largest = 0.0, turn, size, along
    cdef int i, l, d = p.dim
    same[0] = True
    for i in range(p.count):
        if cases[i] == STICKS:
            for l in range(d):
                r[l] += x[l]
            if d == 3 and norm(2, r + 1) > p.mu[i] * r[0]:
                cases[i], same[0] = 1, False
        elif s.ways[i]:
            r[0] += x[0]  # the friction of the step itself: nothing is lost of what it says of the velocities
            turn = 0.0
            if s.ways[i] == 2:
                s.rim[i] = 1.0 / (p.mu[i] * r[0])
                turn = x[1] * s.rim[i]
                size = 1.0 / sqrt(1.0 + turn * turn)
                along = size * (s.e[2 * i] - turn * s.e[2 * i + 1])
                s.e[2 * i + 1] = size * (s.e[2 * i + 1] + turn * s.e[2 * i])
                s.e[2 * i] = along
                s.f[2 * i], s.f[2 * i + 1] = p.mu[i] * s.e[2 * i], p.mu[i] * s.e[2 * i + 1]
                r[2] = r[0] * s.f[2 * i + 1]
            r[1] = r[0] * s.f[2 * i]
            largest = max(largest, fabs(turn))
            if s.ways[i] == 2 and s.driven[i]:
                cases[i], same[0] = STICKS, False
        if s.ways[i] and not r[0] > 0.0:
            return HUGE_VAL
        x += s.ways[i]
        r += d
    return largest


cdef bint solve_settled(const Dense* p, const signed char* cases, double* r, double* target) noexcept nogil:
    """Solve from r (n) for reactions that keep their cases, also for one of many; whether they are few and found."""
    cdef Settled s
    cdef signed char[MOST_SETTLED] now
    cdef double turn, most = FAR_TURN
    cdef int k
    cdef bint same = False
    memcpy(now, cases, p.count)
    for k in range(TURNS):
        if not same and not _count_ways(p, now, r, &s):
            return False
        _step(p, now, r, &s, target)
        turn = _move(p, now, &s, r, &same)
        if not turn <= most:
            return False
        if same and turn <= TURNED:
            return True
        most = GROWS * turn if same else FAR_TURN
    return False
