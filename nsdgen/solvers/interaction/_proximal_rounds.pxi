"""An island made easier, round by round, where Newton's method circles."""

cdef enum:
    DAMPED_STEPS = 20  # of Newton's method, after a detour
    FEW_ROWS = 300  # up to here: without friction the dense solver, with it Newton's method; above it from inside

cdef enum:
    PROXIMAL_ROUNDS = 600  # jams creep through hundreds; what then stands still is left to sweeps
    FIRST_PATIENCE = 30  # rounds that do not halve the residual, before other methods
    LONG_PATIENCE = 100  # and behind them: a jam may need so many to get past contacts that creep
    PROXIMAL_STEPS = 40  # of Newton's method in a round: where these do not do, a larger shift makes it easier
    LAST_STEPS = 5  # of Newton's method, at the end of another one
    BACK = 4  # after a failure, the center is ahead by so much less
    FAR_AHEAD = 1 << 28  # times the last way: farther than digits reach, and an int still

cdef double INSIDE = 1e-3  # of the residual outside: what a proximal round aims at, and must reach
cdef double OUTSIDE = 1e-1  # of the residual outside: a round that reaches no more than this still counts as solved
cdef double NEARBY = 1e-4  # few contacts change their cases: damped steps sooner than from inside, and Newton's method may end rounds
cdef double TRY_AGAIN = 1e-2  # of the residual where it was tried last
cdef double ENOUGH = 1e-14  # for proximal rounds
cdef double NEAR_REACH = 1.0  # reach from afar: few steps from anywhere; a large one is surer of cases where contacts share freedoms
cdef double ALPHA = 1e-2  # of proximal rounds: the first from afar and from nearby, least and largest
cdef double NEAREST_ALPHA = 1e-6  # near a solution: a larger one keeps the iterates where they are
cdef double LEAST_ALPHA = 1e-7  # with less the shift has too few digits above the rounding of A to make it regular
cdef double LARGEST_ALPHA = 10.0  # above it a round moves almost nothing: one that fails here fails for another reason
cdef double SAME_WAY = 0.9  # cosine of two rounds
cdef double WORSE = 1.5  # times the residual before: what a center put ahead may cost
cdef double FORGET = 0.3  # after a success, of the alpha that was too small


cdef bint _solve_around(OneStep *w, double alpha, double far) noexcept nogil:
    """The problem with A + alpha D around ``z``; whether it was solved as well as it needs to be.

    ``far`` is a residual of the problem itself: what is small beside it will do.
    """
    cdef double reached, goal = fmax(FINE, INSIDE * fmin(far, 1.0)), enough = fmax(GOOD, OUTSIDE * fmin(far, 1.0))
    cdef int i
    copy_rows(w, w.center, w.z)
    for i in range(w.top, w.bottom):
        w.shift[i] *= alpha / w.regular
    w.settled = 0
    reached = full_steps(w, True, goal, PROXIMAL_STEPS)
    if reached > enough and far > NEARBY and w.bottom - w.top > FEW_ROWS and w.friction and has_interior(w):
        copy_rows(w, w.z, w.center)
        if interior_round(w):
            reached = full_steps(w, True, goal, PROXIMAL_STEPS)
    if reached > enough and w.friction:
        copy_rows(w, w.z, w.center)
        if _in_cases(w):
            reached = cross_cases(w, goal)
        else:
            w.reach = WARM
            reached = damped_steps(w, True, goal, PROXIMAL_STEPS)
            w.reach = NEAR_REACH
    for i in range(w.top, w.bottom):
        w.shift[i] *= w.regular / alpha
    w.settled = 0
    output_rows(w)
    if reached <= enough and not cancels(w):
        return True
    copy_rows(w, w.z, w.center)
    return False


cdef double proximal_rounds(OneStep *w, int patience) noexcept nogil:
    """Problems with A + alpha D, D the diagonal, each around the last iterate; the residual reached.

    A solution is a fixed point for every alpha; the larger it is, the easier the problems and the
    slower their sequence. Where rounds go the same way the next one goes ahead by more of it. What full steps
    do not solve, with friction damped ones or the interior method may. Overwrites ``guess``.
    """
    cdef double *kept = w.scratch + w.rows
    cdef double *last = w.guess
    cdef double *way = w.way  # z - center of the last round
    cdef double least, value, residual, next, alpha, easy = 0.0, hard = 0.0, near = NEARBY
    cdef int turn, idle = 0, ahead = 0, i
    output_rows(w)
    least = residual = natural_rows(w)
    copy_rows(w, kept, w.z)
    copy_rows(w, last, w.z)
    for i in range(w.top, w.bottom):
        way[i] = 0.0
    # Large where the guess is far off; near a solution it would only keep the iterates where they are.
    alpha = fmax(NEAREST_ALPHA, fmin(ALPHA, 0.1 * sqrt(least)))
    w.reach = NEAR_REACH
    for turn in range(PROXIMAL_ROUNDS):
        if interrupted():
            break
        for i in range(w.top, w.bottom):
            w.z[i] = last[i] + ahead * way[i]
        if not _solve_around(w, alpha, least):
            if ahead:
                ahead //= BACK
            elif alpha >= LARGEST_ALPHA:
                break
            else:
                hard = alpha
                alpha = easy if easy > alpha else fmin(4.0 * alpha, LARGEST_ALPHA)
            continue
        value = natural_rows(w)
        idle = 0 if value < 0.5 * least else idle + 1
        if value < least:
            least = value
            copy_rows(w, kept, w.z)
        if not idle and FINE < value <= near:  # it takes two or three steps of Newton's method where rounds take ten
            if full_steps(w, False, FINE, LAST_STEPS) <= FINE:
                w.reach = WARM
                return w.residual
            near = TRY_AGAIN * value
            copy_rows(w, w.z, kept)
        if least <= ENOUGH or idle > (1 if least <= w.tolerance else patience):
            break
        if ahead and value > WORSE * residual:
            ahead //= BACK
            continue
        residual = value
        copy_rows(w, last, w.z)
        easy = alpha
        if _same_way(w, way):
            # Reactions that grow along a self-stress, round by round, until a contact opens or slips.
            ahead = min(2 * ahead + 1, FAR_AHEAD)
            continue
        # Easy problems may be less of a detour, but for a while no less than what was too hard.
        next = 0.1 * alpha
        if next <= hard:
            next = sqrt(alpha * hard) if alpha > 2.0 * hard else alpha
        hard *= FORGET
        next = fmax(next, LEAST_ALPHA)
        ahead = 0
        for i in range(w.top, w.bottom):
            way[i] *= alpha / next
        alpha = next
    w.reach = WARM
    copy_rows(w, w.z, kept)
    return fmin(least, full_steps(w, False, FINE, DAMPED_STEPS)) if least > FINE else _refined(w, least)


cdef bint _same_way(OneStep *w, double *way) noexcept nogil:
    """Whether the last round went the way of the one before; ``way`` is brought up to date."""
    cdef double both = 0.0, old = 0.0, new = 0.0, value
    cdef int i
    for i in range(w.top, w.bottom):
        value = w.z[i] - w.center[i]
        both += value * way[i]
        old += way[i] * way[i]
        new += value * value
        way[i] = value
    return both > SAME_WAY * sqrt(old * new) and both > 0.0


cdef double _refined(OneStep *w, double least) noexcept nogil:
    """One more step from a solution to rounding, whose error would stay in all steps to come."""
    cdef double *kept = w.scratch + w.rows
    cdef double value
    output_rows(w)
    linearize_rows(w, PLAIN, False)
    if factor_rows(w, w.friction):
        return least
    find_direction(w)
    step_along(w, 1.0)
    output_rows(w)
    value = natural_rows(w)
    if value <= least:
        return value
    copy_rows(w, w.z, kept)
    return least
