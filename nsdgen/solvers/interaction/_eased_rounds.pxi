"""A problem made easier, round by round, where its own method circles: A + alpha D around the last iterate, D the diagonal.

A solution is a fixed point for every alpha; the larger it is, the easier the rounds and the slower their sequence. Where a round goes the way
of the one before, as reactions that grow along a self-stress until a contact opens or slips, the next one goes ahead by more of it.
"""

cdef enum:
    BACK = 4  # after a failure, the center is ahead by so much less
    FAR_AHEAD = 1 << 28  # times the last way: farther than digits reach, and an int still

cdef double LEAST_ALPHA = 1e-7  # with less the shift has too few digits above the rounding of A to make it regular
cdef double LARGEST_ALPHA = 10.0  # above it a round moves almost nothing: one that fails here fails for another reason
cdef double SAME_WAY = 0.9  # cosine of two rounds
cdef double FORGET = 0.3  # after a success, of the alpha that was too small


cdef double solve_by_rounds(EasedRounds *p, double least) noexcept nogil:
    cdef double residual = least, value, next, alpha = p.alpha, easy = 0.0, hard = 0.0
    cdef size_t size = p.n * sizeof(double)
    cdef int turn, idle = 0, ahead = 0, i
    memcpy(p.kept, p.r, size)
    memcpy(p.last, p.r, size)
    memset(p.way, 0, size)
    for turn in range(p.most):
        if interrupted():
            break
        for i in range(p.n):
            p.r[i] = p.center[i] = p.last[i] + ahead * p.way[i]
        value = p.around(p.problem, alpha, least)
        if p.alpha > 0.0 and not value < HUGE_VAL:
            if ahead:
                ahead //= BACK
            elif alpha >= LARGEST_ALPHA:
                break
            else:
                hard = alpha
                alpha = easy if easy > alpha else min(4.0 * alpha, LARGEST_ALPHA)
            continue
        idle = 0 if value < 0.5 * least or (ahead and not p.alpha > 0.0) else idle + 1
        if value < least:
            least = value
            memcpy(p.kept, p.r, size)
        if least <= p.fine or idle > (1 if least <= p.wanted else p.patience):
            break
        if ahead and value > p.worse * residual:
            ahead //= BACK
            continue
        residual = value
        memcpy(p.last, p.r, size)
        easy = alpha
        if _goes_on(p):
            ahead = min(2 * ahead + 1, FAR_AHEAD)
            continue
        ahead = 0
        if not alpha > 0.0:
            continue
        # Easy problems may be less of a detour, but for a while no less than what was too hard.
        next = 0.1 * alpha
        if next <= hard:
            next = sqrt(alpha * hard) if alpha > 2.0 * hard else alpha
        hard *= FORGET
        next = max(next, LEAST_ALPHA)
        for i in range(p.n):
            p.way[i] *= alpha / next
        alpha = next
    memcpy(p.r, p.kept, size)
    return least


cdef bint _goes_on(EasedRounds *p) noexcept nogil:
    """Whether the last round went the way of the one before; ``way`` is brought up to date."""
    cdef double both = 0.0, old = 0.0, new = 0.0, value
    cdef int i
    for i in range(p.n):
        value = p.r[i] - p.center[i]
        both += value * p.way[i]
        old += p.way[i] * p.way[i]
        new += value * value
        p.way[i] = value
    return both > SAME_WAY * sqrt(old * new) and both > 0.0
