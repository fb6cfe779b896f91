"""Contacts whose cases have settled: what is left are equations, linear but for the directions in which contacts slide.

What sticks has u = 0, what slides u_N = 0 and r_T = mu r_N e; in space e turns until u_T lies along it, by Newton's method on r_N
and the angle (times mu r_N), and a contact sticks from where it would slide with its friction. In the plane e is a sign.
"""

cdef enum:
    MOST_SETTLED = 64  # unknowns of what is left: up to here it costs less than the sweeps it saves
    TURNS = 8  # of Newton's method: near a root each squares what directions are off by

cdef enum:
    OPEN = 0
    STICKS = 2  # -1 and 1: slides, in the plane friction on that side

cdef double MADE_UP = 1e-11  # of a diagonal entry: what elimination leaves of one that other unknowns make up
cdef double TURNED = 1e-6  # radians: after such a step what is left is rounding
cdef double FAR_TURN = 3.0  # a longer one leads to no root nearby
cdef double GROWS = 3.0  # times the turn before: where they grow more no root is near
cdef double AT_THE_RIM = 1.0 - 1e-12  # of mu r_N: the rounding of a direction

cdef struct Settled:
    int k  # unknowns
    bint turns  # whether a direction may
    double x[MOST_SETTLED]  # the step
    double e[2 * MOST_SETTLED]  # of each contact: the direction of its friction
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
    """Doubles of ``memory`` for ``solve_settled``."""
    return n + MOST_SETTLED * (MOST_SETTLED + 4)


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
                s.ways[i], s.turns = 2, True
        s.k += s.ways[i]
        if s.k > MOST_SETTLED:
            return False
    return True


cdef inline void _set_row(
    const Dense* p, const signed char* cases, const Settled* s, const double* row, double* target
) noexcept nogil:
    """A row (n) of W as one of the equations: by the unknowns of each contact."""
    cdef int j, d = p.dim
    cdef double x, y
    for j in range(p.count):
        if cases[j] == STICKS:
            target[0], target[1] = row[0], row[1]
            if d == 3:
                target[2] = row[2]
        elif s.ways[j]:
            x, y = s.e[2 * j], s.e[2 * j + 1]
            target[0] = row[0] + p.mu[j] * (x * row[1] + (y * row[2] if d == 3 else 0.0))
            if s.ways[j] == 2:
                target[1] = x * row[2] - y * row[1]
        target += s.ways[j]
        row += d


cdef void _step(const Dense* p, const signed char* cases, const double* r, Settled* s, double* memory) noexcept nogil:
    """The equations, with what is to be taken off u behind them, behind a row (n) of work in ``memory``; their solution is the step."""
    cdef double* across = memory
    cdef double* target = across + p.n
    cdef const double* row = p.W
    cdef double u[MAX_DIM]
    cdef double ex, ey, along
    cdef int i, a, l, d = p.dim, n = p.n, k = s.k, stride = (k + 4) & ~3, first = 0
    for i in range(p.count):
        if s.ways[i]:
            _product(p, i, r, u)
        for a in range(s.ways[i]):
            if a == 1 and cases[i] != STICKS:  # velocity across the direction of sliding, which turns, too
                ex, ey = s.e[2 * i], s.e[2 * i + 1]
                for l in range(n):
                    across[l] = ex * row[2 * n + l] - ey * row[n + l]
                _set_row(p, cases, s, across, target)
                u[1], u[2] = u[1] + p.q[i * d + 1], u[2] + p.q[i * d + 2]
                along = ex * u[1] + ey * u[2]
                target[k] = ey * u[1] - ex * u[2]
                target[first + 1] -= along / (p.mu[i] * r[i * d])
                s.driven[i] = along > 0.0
            else:
                _set_row(p, cases, s, row + a * n, target)
                target[k] = -(u[a] + p.q[i * d + a])
            for l in range(k + 1, stride):
                target[l] = 0.0
            target += stride
        first += s.ways[i]
        row += d * n
    nsd_solve_once(k, stride, memory + n, MADE_UP, s.x)


cdef double _move(const Dense* p, signed char* cases, const Settled* s, double* r, bint* same) noexcept nogil:
    """r after the step, and the cases in space; how far a direction turned at most, HUGE_VAL where a contact would pull."""
    cdef const double* x = s.x
    cdef double largest = 0.0, turn, size
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
            turn = x[1] / (p.mu[i] * r[0]) if s.ways[i] == 2 else 0.0
            size = p.mu[i] * r[0] / sqrt(1.0 + turn * turn)
            r[1] = size * (s.e[2 * i] - turn * s.e[2 * i + 1])
            if d == 3:
                r[2] = size * (s.e[2 * i + 1] + turn * s.e[2 * i])
            largest = max(largest, fabs(turn))
            if s.ways[i] == 2 and s.driven[i]:
                cases[i], same[0] = STICKS, False
        if s.ways[i] and not r[0] > 0.0:
            return HUGE_VAL
        x += s.ways[i]
        r += d
    return largest


cdef bint solve_settled(const Dense* p, const signed char* cases, double* r, double* memory) noexcept nogil:
    """Solve from r (n) for reactions that keep their cases, also for one of many; whether they are few and found."""
    cdef Settled s
    cdef signed char[MOST_SETTLED] now
    cdef double turn, most = FAR_TURN
    cdef int k
    cdef bint same
    memcpy(now, cases, p.count)
    for k in range(TURNS):
        if not _count_ways(p, now, r, &s):
            return False
        _step(p, now, r, &s, memory)
        turn = _move(p, now, &s, r, &same)
        if not turn <= most:
            return False
        if same and turn <= TURNED:
            return True
        most = GROWS * turn if same else FAR_TURN
    return False
