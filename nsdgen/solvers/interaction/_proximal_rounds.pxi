"""An island made easier, round by round, where Newton's method circles."""

cdef enum:
    DAMPED_STEPS = 20  # of Newton's method, after a detour
    FEW_ROWS = 300  # up to here: without friction the dense solver, with it Newton's method; above it from inside

cdef enum:
    PROXIMAL_ROUNDS = 600  # jams creep through hundreds; what then stands still is left to sweeps
    FIRST_PATIENCE = 30  # rounds that do not halve the residual, before other methods
    LONG_PATIENCE = 100  # and behind them: a jam may need so many to get past contacts that creep
    LAST_STEPS = 5  # of Newton's method, at the end of another one
    PROXIMAL_STEPS = 40  # of Newton's method in a round: where these do not do, a larger shift makes it easier

cdef double INSIDE = 1e-3  # of the residual outside: what a proximal round aims at, and must reach
cdef double OUTSIDE = 1e-1  # of the residual outside: a round that reaches no more than this still counts as solved
cdef double NEARBY = 1e-4  # few contacts change their cases: damped steps sooner than from inside, and Newton's method may end rounds
cdef double FELL = 0.2  # of the residual before a round: what it leaves where cases have settled
cdef double ENOUGH = 1e-14  # for proximal rounds
cdef double NEAR_REACH = 1.0  # reach from afar: few steps from anywhere; a large one is surer of cases where contacts share freedoms
cdef double ALPHA = 1e-2  # of proximal rounds: the first from afar and from nearby, least and largest
cdef double NEAREST_ALPHA = 1e-6  # near a solution: a larger one keeps the iterates where they are
cdef double WORSE = 1.5  # times the residual before: what a center put ahead may cost


cdef double _solve_around(void *problem, double alpha, double far) noexcept nogil:
    """The problem with A + alpha D around ``z``; the residual outside, infinite where it was not solved as well as it needs to be.

    ``far`` is a residual of the problem itself: what is small beside it will do.
    """
    cdef OneStep *w = <OneStep *> problem
    cdef double reached, goal = fmax(FINE, INSIDE * fmin(far, 1.0)), enough = fmax(GOOD, OUTSIDE * fmin(far, 1.0))
    cdef int i
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
    if reached > enough or cancels(w):
        return HUGE_VAL
    reached = natural_rows(w)
    # In space two or three steps of Newton's method take the place of ten rounds; in a jam in the plane cases change still.
    if FINE < reached <= fmin(NEARBY, FELL * far) and not _in_cases(w):
        copy_rows(w, w.found, w.z)
        if full_steps(w, False, FINE, LAST_STEPS) <= FINE:
            return w.residual
        copy_rows(w, w.z, w.found)
        w.settled = 0
    return reached


cdef double proximal_rounds(OneStep *w, int patience) noexcept nogil:
    """Rounds with A + alpha D, D the diagonal; the residual reached.

    What full steps do not solve, with friction damped ones or the interior method may. Overwrites ``guess``.
    """
    cdef EasedRounds p
    cdef double least
    output_rows(w)
    least = natural_rows(w)
    p.n, p.most, p.patience, p.around, p.problem = w.bottom - w.top, PROXIMAL_ROUNDS, patience, _solve_around, w
    # Large where the guess is far off; near a solution it would only keep the iterates where they are.
    p.alpha = fmax(NEAREST_ALPHA, fmin(ALPHA, 0.1 * sqrt(least)))
    p.fine, p.wanted, p.worse = ENOUGH, w.tolerance, WORSE
    p.r, p.center, p.last, p.way = w.z + w.top, w.center + w.top, w.guess + w.top, w.way + w.top
    p.kept = w.scratch + w.rows + w.top
    w.reach = NEAR_REACH
    least = solve_by_rounds(&p, least)
    w.reach = WARM
    return fmin(least, full_steps(w, False, FINE, DAMPED_STEPS)) if least > FINE else _refined(w, least)


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
