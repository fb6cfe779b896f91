"""Contacts where Newton's method circles: rounds with A + alpha D, in a plane each by a path of F = t F_0, case by case.

F (Alart and Curnier, 1991) is linear in each case of a contact and continuous. From t = 1 a line leads to where the next contact
changes its case, there the next line begins, and t may rise for a while (B. C. Eaves, 1976): see ``interaction/_crossings.pxi``. What
a case changes of the derivatives J is a (h, .), with h zero where the case ends: the next line is dr - q / (1 + k), q = J^-1 a (h, dr) and
k = (h, J^-1 a), and t goes the other way where 1 + k < 0. So factors serve for many lines.

A case is the signs of h_0 = x_N and of mu x_N - x_T, mu x_N + x_T for each tangent, x = r - u / rate; of a row within bounds those of x less its
lowest impulse, and of its highest less x.
"""

cdef enum:
    UPDATES = 24  # lines, for which factors serve
    PATH_ROOM = 53 + 6 * UPDATES  # doubles for each contact
    ENDS = 5  # of a case, at most
    CROSSINGS = 200  # a longer path is left to an easier problem: nine of ten that arrive are shorter
    ROUNDS = 200  # IDLE ends most that do not arrive; then other starts follow
    IDLE = 60  # rounds that do not halve what is off: jams creep for long before they give way
    ROUND_STEPS = 8  # of Newton's method in a round

cdef double SMALLEST = 1e-9  # of its terms: 1 + k without rounding
cdef double ENDLESS = 1e6  # t: this path comes from infinity
cdef double INSIDE = 1e-3  # of what is off: what a round aims at
cdef double OUTSIDE = 1e-1  # and what will do
cdef double[2] ALPHAS = [1e-6, 1e-2]  # of the first round, from nearby and from afar
cdef double WORSE = 1.5  # in a plane, times what was off before: what a center put ahead may cost
cdef double WORSE_IN_SPACE = 10.0  # the same in space, where Newton's method mends more in the next round

cdef struct BodyPath:
    double *F  # F_0 (contacts, 3), as all that follow
    double *dr  # by t
    double *du
    double *q
    double *qu
    double *rhs
    double *g
    double *slope  # (contacts, 9): E, and by_u when factors are made
    double *inverse  # (contacts, 9)
    double *side  # (contacts): the case, a bit for each end
    double *first  # at the start of the path
    double *updates  # (UPDATES, 2, contacts, 3): q
    double[UPDATES][6] seen  # what of dr and du of a contact each sees
    int[UPDATES] contact
    int count
    int others  # contacts whose case is another one than at the start

cdef struct BodyRound:
    BodyContacts *w
    BodyFactors *f
    BodyPath path
    double *newton  # room for Newton's method


cdef inline int _ends(const BodyContacts *w, int c, const double *r, const double *u, bint slopes, double *h) noexcept nogil:
    """The functions whose signs are the case, or with ``slopes`` what r and u by t make of them; how many."""
    cdef double x = r[0] - u[0] / w.rate[c], across, bound
    cdef int k
    if w.box[c]:
        h[0] = x - (0.0 if slopes else w.bound[2 * c])
        h[1] = (0.0 if slopes else w.bound[2 * c + 1]) - x
        return 2
    h[0] = x
    for k in range(2 if w.rolls else 1):
        bound, across = w.bound[2 * c + k] * x, r[1 + k] - u[1 + k] / w.rate[c]
        h[1 + 2 * k], h[2 + 2 * k] = bound - across, bound + across
    return ENDS if w.rolls else 3


cdef inline int _case(const BodyContacts *w, int c) noexcept nogil:
    cdef double[ENDS] h
    cdef int k, side = 0
    for k in range(_ends(w, c, w.r + 3 * c, w.u + 3 * c, False, h)):
        side |= (h[k] > 0.0) << k
    return side


cdef inline void _derivatives(const BodyContacts *w, int c, int side, double *by_r, double *by_u) noexcept nogil:
    """Of F in a case, by r with the shift and by u."""
    cdef double rho = 1.0 / w.rate[c], mu
    cdef int k, i
    memset(by_r, 0, 9 * sizeof(double))
    memset(by_u, 0, 9 * sizeof(double))
    by_r[0] = by_r[4] = by_r[8] = 1.0
    if w.box[c] and side == 3:
        by_r[0], by_u[0] = 0.0, rho
    elif not w.box[c] and side & 1:
        by_r[0], by_u[0] = 0.0, rho
        for k in range(1, 3 if w.rolls else 2):
            if side >> (2 * k - 1) & 3 == 3:
                by_r[4 * k], by_u[4 * k] = 0.0, rho
                continue
            mu = w.bound[2 * c + k - 1]
            if side >> (2 * k - 1) & 1:
                mu = -mu
            by_r[3 * k], by_u[3 * k] = -mu, mu * rho
    for i in range(9):
        by_r[i] += w.alpha * w.rate[c] * by_u[i]


cdef bint _make_line_factors(BodyContacts *w, BodyFactors *f, BodyPath *p) noexcept nogil:
    """Factors for the cases at hand; whether there are any."""
    cdef double[9] by_r
    cdef double[9] by_u
    cdef int c
    for c in range(w.contacts):
        _derivatives(w, c, <int> p.side[c], by_r, by_u)
        invert_three(by_r, p.inverse + 9 * <size_t> c)
        times_three(p.inverse + 9 * <size_t> c, by_u, p.slope + 9 * <size_t> c)
    p.count = 0
    if body_factors_make(f, p.slope):
        return False
    for c in range(w.contacts):
        _derivatives(w, c, <int> p.side[c], by_r, p.slope + 9 * <size_t> c)
    return True


cdef void _solve_line(BodyContacts *w, BodyFactors *f, BodyPath *p, const double *rhs, double *dr, double *du) noexcept nogil:
    """dr and du of J dr = rhs."""
    cdef double[3] value
    cdef const double *q
    cdef const double *seen
    cdef double share
    cdef size_t n = 3 * <size_t> w.contacts, j
    cdef int c, i, k
    for c in range(w.contacts):
        apply_three(p.inverse + 9 * <size_t> c, rhs + 3 * c, p.g + 3 * c)
    body_factors_solve(f, p.g, du)
    for c in range(w.contacts):
        apply_three(p.slope + 9 * <size_t> c, du + 3 * c, value)
        for i in range(3):
            value[i] = rhs[3 * c + i] - value[i]
        apply_three(p.inverse + 9 * <size_t> c, value, dr + 3 * c)
    for k in range(p.count):
        q, seen, c, share = p.updates + 2 * n * <size_t> k, p.seen[k], p.contact[k], 0.0
        for i in range(3):
            share += seen[i] * dr[3 * c + i] + seen[3 + i] * du[3 * c + i]
        for j in range(n if share != 0.0 else 0):
            dr[j] -= share * q[j]
            du[j] -= share * q[n + j]


cdef double _next_end(const BodyContacts *w, const BodyPath *p, double sign, int *contact, int *end) noexcept nogil:
    """How far the case goes where t goes by ``sign``, and what ends it."""
    cdef double[ENDS] h
    cdef double[ENDS] slope
    cdef double[3] du
    cdef double nearest = HUGE_VAL, far, inside
    cdef int c, k, i, count, side
    contact[0] = -1
    for c in range(w.contacts):
        side = <int> p.side[c]
        count = _ends(w, c, w.r + 3 * c, w.u + 3 * c, False, h)
        for i in range(3):
            du[i] = p.du[3 * c + i] + w.alpha * w.rate[c] * p.dr[3 * c + i]
        _ends(w, c, p.dr + 3 * c, du, True, slope)
        for k in range(count if w.box[c] or side & 1 else 1):
            inside = 1.0 if side >> k & 1 else -1.0
            if not slope[k] * sign * inside < 0.0:
                continue
            far = max(0.0, h[k] * inside) / fabs(slope[k])
            if far < nearest:
                nearest, contact[0], end[0] = far, c, k
    return nearest


cdef void _go_along(BodyContacts *w, const BodyPath *p, double length) noexcept nogil:
    cdef int c, i
    for c in range(w.contacts):
        for i in range(3 * c, 3 * c + 3):
            w.r[i] += length * p.dr[i]
            w.u[i] += length * (p.du[i] + w.alpha * w.rate[c] * p.dr[i])


cdef double _cross(BodyContacts *w, BodyFactors *f, BodyPath *p, int c, int end, bint *anew) noexcept nogil:
    """Past an end of the case of a contact, on the next line; 1 + k, whose sign is that of the way of t."""
    cdef double[9] by_r
    cdef double[9] by_u
    cdef double[9] next_r
    cdef double[9] next_u
    cdef double[3] a
    cdef double[3] b
    cdef double size = 0.0, share = 0.0, k
    cdef double *q = p.q
    cdef double *qu = p.qu
    cdef size_t n = 3 * <size_t> w.contacts, j
    cdef int i, l, side = <int> p.side[c], now
    now = side ^ (1 << end)
    if end == 0 and not w.box[c] and now & 1:
        now = _case(w, c) | 1
        for i in range(1, 5 if w.rolls else 3, 2):  # of both signs one at least, where x_N is about zero
            if not now >> i & 3:
                now |= 1 << i
            elif now >> i & 3 == 3:
                now ^= 1 << i
    p.others += (now != <int> p.first[c]) - (side != <int> p.first[c])
    p.side[c] = now
    _derivatives(w, c, side, by_r, by_u)
    _derivatives(w, c, now, next_r, next_u)
    for i in range(9):
        next_r[i] -= by_r[i]
        next_u[i] -= by_u[i]
    apply_three(next_r, p.dr + 3 * c, a)
    apply_three(next_u, p.du + 3 * c, b)
    for i in range(3):
        a[i] += b[i]
        size += a[i] * a[i]
    if not size > 0.0:
        return 1.0
    if p.count < UPDATES:
        q, qu = p.updates + 2 * n * <size_t> p.count, p.updates + 2 * n * <size_t> p.count + n
    memcpy(p.rhs + 3 * c, a, 3 * sizeof(double))
    _solve_line(w, f, p, p.rhs, q, qu)
    memset(p.rhs + 3 * c, 0, 3 * sizeof(double))
    for i in range(3):
        for l in range(3):
            share += a[i] * (next_r[3 * i + l] * q[3 * c + l] + next_u[3 * i + l] * qu[3 * c + l])
    k = 1.0 + share / size
    anew[0] = p.count == UPDATES or not fabs(k) > SMALLEST * (1.0 + fabs(share / size))
    if anew[0]:
        return k
    for l in range(3):
        p.seen[p.count][l] = p.seen[p.count][3 + l] = 0.0
        for i in range(3):
            p.seen[p.count][l] += a[i] * next_r[3 * i + l] / (size * k)
            p.seen[p.count][3 + l] += a[i] * next_u[3 * i + l] / (size * k)
    p.contact[p.count] = c
    p.count += 1
    for j in range(n):
        p.dr[j] -= q[j] / k
        p.du[j] -= qu[j] / k
    return k


cdef double _follow(BodyContacts *w, BodyFactors *f, BodyPath *p, double sign) noexcept nogil:
    """From ``r`` at t = 1, at first where t goes by ``sign``; t at the end, infinite where lines come back to where they began."""
    cdef double[9] by_r
    cdef double[9] by_u
    cdef double t = 1.0, far, k
    cdef int turn, c = 0, end = 0
    cdef bint anew = True
    move_bodies(w)
    for c in range(w.contacts):
        _linearize(w, c, p.F + 3 * c, by_r, by_u)
        p.side[c] = p.first[c] = _case(w, c)
    p.others = 0
    for turn in range(CROSSINGS):
        if anew:
            if interrupted() or not _make_line_factors(w, f, p):
                return t
            _solve_line(w, f, p, p.F, p.dr, p.du)
            move_bodies(w)
            anew = False
        far = _next_end(w, p, sign, &c, &end)
        if sign < 0.0 and far >= t:
            _go_along(w, p, -t)
            return 0.0
        t += sign * far
        if not t < ENDLESS:
            return t
        _go_along(w, p, sign * far)
        k = _cross(w, f, p, c, end, &anew)
        if not fabs(k) > 0.0:
            return t
        if not p.others:  # a loop
            return HUGE_VAL
        if k < 0.0:
            sign = -sign
    return t


cdef double _round(void *problem, double alpha, double least) noexcept nogil:
    """The problem with A + alpha D around ``r``; what is off outside, infinite where a path does not arrive or much is left.

    The first line of a path is a step of Newton's method, and where few contacts change their cases the lines cost less than its factors.
    """
    cdef BodyRound *of = <BodyRound *> problem
    cdef BodyContacts *w = of.w
    cdef double t = 0.0, off = HUGE_VAL
    w.alpha = alpha
    if w.planar:
        t = _follow(w, of.f, &of.path, -1.0)
        if ENDLESS <= t < HUGE_VAL:
            memcpy(w.r, w.center, 3 * <size_t> w.contacts * sizeof(double))
            t = _follow(w, of.f, &of.path, 1.0)
    if t == 0.0:
        off = body_newton(w, of.f, of.newton, INSIDE * least, ROUND_STEPS)
    w.alpha = 0.0
    return certified_off(w) if off <= OUTSIDE * least else HUGE_VAL


cdef double body_rounds(BodyContacts *w, BodyFactors *f, double *room, double wanted, double fine) noexcept nogil:
    """Rounds with A + alpha D, D the rates, to ``fine``, or from ``wanted`` on as far as they come; what the best are off by, which are left.

    ``room`` (contacts, PATH_ROOM + 27), in space (contacts, INTERIOR_ROOM + 27).
    """
    cdef BodyRound of
    cdef EasedRounds p
    cdef size_t n = 3 * <size_t> w.contacts
    cdef double least = certified_off(w)
    memset(room, 0, (PATH_ROOM - 6 * UPDATES) * <size_t> w.contacts * sizeof(double))
    of.w, of.f, of.newton = w, f, room + (PATH_ROOM if w.planar else INTERIOR_ROOM) * <size_t> w.contacts
    of.path.F, of.path.dr, of.path.du, of.path.q, of.path.qu, of.path.rhs, of.path.g, p.last, p.way, p.kept, w.center = (
        room, room + n, room + 2 * n, room + 3 * n, room + 4 * n, room + 5 * n, room + 6 * n, room + 7 * n, room + 8 * n,
        room + 9 * n, room + 10 * n)
    of.path.slope, of.path.inverse, of.path.side = room + 11 * n, room + 14 * n, room + 17 * n
    of.path.first = of.path.side + w.contacts
    of.path.updates = of.path.first + w.contacts
    p.n, p.most, p.patience, p.around, p.problem, p.r, p.center = <int> n, ROUNDS, IDLE, _round, &of, w.r, w.center
    p.alpha = max(ALPHAS[0], min(ALPHAS[1], 0.1 * sqrt(least / w.load)))
    p.fine, p.wanted, p.worse = fine, wanted, WORSE if w.planar else WORSE_IN_SPACE
    solve_by_rounds(&p, least)
    return certified_off(w)
