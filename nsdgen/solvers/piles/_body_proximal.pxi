"""Proximal rounds: contacts that yield a little around the last reactions, again and again, where Newton's method circles.

Round k solves u = b + C X r + alpha D (r - r_k) with Coulomb's law, D the rate of each contact. A solution is a fixed point for every
alpha. The larger it is, the easier the problems, and the slower their sequence: it falls while Newton's method arrives, and grows
where it does not. Jams hold themselves by reactions that are nearly without bound: rounds that go the same way are followed by one that
starts ahead, from twice as far each time.
"""

cdef enum:
    ROUNDS = 300
    ROUND_STEPS = 12  # factorisations in a round; what takes more is given a larger alpha
    IDLE_ROUNDS = 60  # which do not halve what is off: a jam creeps for as long before it gives way
    BACK = 4  # where a round from ahead fails, the next one is ahead by so much less

cdef double FIRST_ALPHA = 1e-2
cdef double LEAST_ALPHA = 1e-7  # with less, steps are those without rounds
cdef double MOST_ALPHA = 10.0  # with more a round moves nothing
cdef double EASIER = 0.3  # times alpha after a success
cdef double HARDER = 4.0  # after a failure
cdef double FORGET = 0.3  # after a success, of the alpha that was too small
cdef double SAME_WAY = 0.9  # cosine of two rounds
cdef double WORSE = 10.0  # times what was off: what a round from ahead may cost
cdef double INSIDE = 1e-3  # of what is off: what a round aims at
cdef double ENOUGH = 0.1  # and must reach


cdef double proximal_rounds(BodySteps *s, BodyContacts *w, double fine, double least) noexcept nogil:
    """From ``r``, which leaves ``least``, until no more is left than the tolerance or rounds bring nothing; the least, and its
    reactions in ``r``."""
    cdef size_t i, n = 3 * <size_t> w.contacts
    cdef double *last = s.room + 9 * n
    cdef double *way = s.room + 10 * n  # of the last round, as long as one with this alpha
    cdef double alpha = FIRST_ALPHA, next, hard = 0.0, wanted = s.tolerance * w.load, off = least, before = least, enough, reached
    cdef int round, idle = 0, ahead = 0
    memcpy(last, w.r, n * sizeof(double))
    memset(way, 0, n * sizeof(double))
    for round in range(ROUNDS):
        for i in range(n):
            w.r[i] = w.before[i] = last[i] + ahead * way[i]
        w.soft, enough = alpha, max(wanted, ENOUGH * off)
        reached = body_newton(w, &s.factors, s.room, max(fine, INSIDE * off), ROUND_STEPS, HELD)
        w.soft = 0.0
        if interrupted():
            break
        if reached > enough:
            if ahead:
                ahead //= BACK
                continue
            if alpha > MOST_ALPHA:
                break
            hard = alpha
            alpha *= HARDER
            continue
        off = certified_off(w)
        idle = 0 if off < 0.5 * least else idle + 1
        least = _keep(s, w, off, least)
        if least <= wanted or idle > IDLE_ROUNDS:
            break
        if ahead and off > WORSE * before:
            ahead //= BACK
            continue
        before = off
        memcpy(last, w.r, n * sizeof(double))
        if _same_way(w, way):
            ahead = 2 * ahead + 1
            continue
        ahead, next = 0, EASIER * alpha
        if next <= hard:
            next = sqrt(alpha * hard) if alpha > 2.0 * hard else alpha
        next = max(next, LEAST_ALPHA)
        for i in range(n):
            way[i] *= alpha / next
        alpha = next
        hard *= FORGET
    memcpy(w.r, s.room + (ROOM - 3) * <size_t> w.contacts, n * sizeof(double))
    return least


cdef bint _same_way(const BodyContacts *w, double *way) noexcept nogil:
    """Whether the last round went the way of the one before; ``way`` is brought up to date."""
    cdef double both = 0.0, old = 0.0, new = 0.0, value
    cdef int i
    for i in range(3 * w.contacts):
        value = w.r[i] - w.before[i]
        both += value * way[i]
        old += way[i] * way[i]
        new += value * value
        way[i] = value
    return both > SAME_WAY * sqrt(old * new) and both > 0.0
