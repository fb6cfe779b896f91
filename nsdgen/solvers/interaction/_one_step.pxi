"""The one-step nonsmooth problem over an interaction graph: block-sparse, warm-started, without the lock.

Relations in play are the *nodes*; two of them share a block of A where they act on the same
systems. Find z with y = A z + b and every block of rows in its cone (``nsdgen.abi.Cone``):

    0 equality          y = 0, z free
    1 complementarity   0 <= y orthogonal to z >= 0
    2 box               -y in N_[lower,upper](z)
    3, 4, 5 friction    Coulomb's law with 2, 3 or 5 rows, normal first (``_friction_cone.pxi``)

Newton's method on the Alart-Curnier function of all rows, which for the cones 0 to 3 is an
active-set method, each step by ``_block_lu``; where it does not settle, proximal rounds, beside friction an interior
point method, and Gauss-Seidel sweeps. The guess is the last solution, and the factors are kept while neither A nor
the set of active rows changes: at rest a step is one product with A.

Use (``_one_step_memory.pxi``): ``one_step_init``; when the graph changed ``one_step_reserve``, then fill in what is
marked *given*; ``one_step_solve``; ``one_step_free``.
"""

cdef enum:
    BOLD_STEPS = 30  # of Newton's method alone, without damping
    STARTED_STEPS = 15  # and with it, twice
    AGREEMENTS = 4  # searches for what rows that contradict each other agree on

cdef double BETTER_START = 1e-3  # of the terms of a row: a better start than the guess
cdef double NOTHING = 1e-40  # of the largest b: far below the rounding of rows in any units
cdef double LEAST = 1e-305  # terms that are rounded like subnormal numbers


cdef double one_step_residual(OneStep *w) noexcept nogil:
    """The certificate of the ``z`` that is there, ``y`` and ``worst_row`` brought up to date."""
    output_rows(w)
    w.residual = natural_rows(w)
    return w.residual


cdef void _round_off(OneStep *w) noexcept nogil:
    """No multiplier beyond its bound by rounding, no reaction outside its cone."""
    cdef double before[MAX_DIM]
    cdef double held
    cdef int i, k, d
    for i in range(w.top, w.bottom):
        held = w.z[i]
        if w.cone[i] == EQUALITY or (w.cone[i] == COMPLEMENTARITY and held > 0.0):
            continue
        if w.cone[i] == COMPLEMENTARITY:
            w.z[i] = 0.0
        elif w.cone[i] == BOX:
            w.z[i] = fmax(w.bound[2 * i], fmin(w.bound[2 * i + 1], held))
        elif w.cone[i] >= COULOMB_2D:
            d = block_height(w.cone[i])
            for k in range(d):
                before[k] = w.z[i + k]
            project_cone(d, w.bound + 2 * i, w.z + i)
            for k in range(1, d):
                if w.z[i + k] != before[k]:
                    w.evaluated = 0
        if w.z[i] != held:
            w.evaluated = 0


cdef void _clean(OneStep *w) noexcept nogil:
    cdef int i
    for i in range(w.top, w.bottom):
        if w.cone[i] == EQUALITY or (w.cone[i] == COMPLEMENTARITY and (w.z[i] > 0.0 or w.y[i] < 0.0)):
            w.y[i] = 0.0
        elif w.cone[i] == BOX and w.bound[2 * i] < w.z[i] < w.bound[2 * i + 1]:
            w.y[i] = 0.0


cdef bint _take_load(OneStep *w) noexcept nogil:
    """What terms are nothing beside b; whether all of b is finite, and no box is empty."""
    cdef int i
    cdef double total = 0.0, load = 0.0
    for i in range(w.top, w.bottom):
        total += w.b[i] - w.b[i]
        load = max(load, fabs(w.b[i]))
        if w.cone[i] == BOX and not w.bound[2 * i] <= w.bound[2 * i + 1]:
            return False
    w.least = max(LEAST, NOTHING * load)
    return total == 0.0


cdef bint _still_solved(OneStep *w) noexcept nogil:
    """Whether the guess is a solution to rounding, and the only one: the factors say so.

    They belong to all rows that are active or could be; where these are independent, so are
    the active ones.
    """
    if not w.settled or w.friction or w.lu.deficiency:
        return False
    _round_off(w)
    if one_step_residual(w) > FINE:
        return False
    return w.settled == w.end and keep_their_cases(w) and open_island(w, 0) == 0


cdef double _from_inside(OneStep *w, bint warm) noexcept nogil:
    """The interior point method, and Newton's method from its end."""
    cdef double reached = interior_point(w, warm)
    return reached if reached <= GOOD else fmin(reached, full_steps(w, False, FINE, FULL_STEPS))


cdef double _search(OneStep *w) noexcept nogil:
    """All methods in turn until one arrives; the residual reached."""
    cdef bint inside = w.friction and has_interior(w), large = w.bottom - w.top > FEW_ROWS
    cdef double reached = full_steps(w, False, FINE, FULL_STEPS)
    # Where nothing shares the load later, rounds share it better than what full steps find first.
    if reached > GOOD and w.friction and not w.coarse and may_share(w) and leaves_open(w):
        reached = full_steps(w, False, FINE, FULL_STEPS)
    if reached <= GOOD or not (w.friction or w.boxes or large):
        return reached
    copy_rows(w, w.z, w.guess)
    if inside and large:
        reached = _from_inside(w, not is_zero(w))
        if reached <= GOOD:
            return reached
        if not reached <= BETTER_START:
            copy_rows(w, w.z, w.guess)
    reached = proximal_rounds(w, FIRST_PATIENCE)
    if reached > w.tolerance and inside:
        reached = _from_inside(w, False)
    if reached > w.tolerance:
        reached = sweep_and_step(w)
    w.evaluated = 0
    return reached


cdef bint _search_agreeing(OneStep *w) noexcept nogil:
    """Solve anew, from no guess, what ``take_drift`` has made agree, with ROOM: friction brakes by all that presses. Again where
    multipliers were so large that rows agree to the rounding of these alone. Whether less presses; else reactions are as they were."""
    cdef int i, k
    for k in range(AGREEMENTS):
        for i in range(w.top, w.bottom):
            if w.cone[i] == COMPLEMENTARITY or w.cone[i] >= COULOMB_2D:
                w.b[i] += fmax(ROOM * load_of(w, i), DBL_EPSILON * w.scale[i])
        memset(w.z + w.top, 0, (w.bottom - w.top) * sizeof(double))
        w.evaluated = 0
        if not full_steps(w, False, FINE, FULL_STEPS) <= w.tolerance:
            copy_rows(w, w.z, w.found)
            break
        if not take_left(w):
            break
    _round_off(w)
    w.evaluated = 0
    if have_fallen(w):
        return True
    copy_rows(w, w.z, w.found)
    return False


cdef bint _contradict(OneStep *w) noexcept nogil:
    """Whether rows contradict each other by more than drift in what the last resort has found, else without what they do."""
    if not take_drift(w, DRIFT):
        return False
    if not w.friction:
        copy_rows(w, w.b, w.asked)
        return True
    return not ask_again(w, _search_agreeing(w), 0) or not one_step_residual(w) <= w.tolerance


cdef int _solve_augmented(OneStep *w) noexcept nogil:
    """An island in which unknowns stand: full steps alone; what leaves unknowns open, or reactions of friction, is no solution."""
    cdef double reached
    cdef int deficiency
    if _still_solved(w):
        _clean(w)
        return ONE_STEP_OK
    reached = _measured(w, full_steps(w, False, FINE, FULL_STEPS))
    if reached <= w.tolerance and w.friction:
        linearize_rows(w, PLAIN, False)
    elif reached <= w.tolerance and not (w.linear and w.settled == w.end):
        linearize_rows(w, WIDE, False)
    if not reached <= w.tolerance or factor_rows(w, False):
        return ONE_STEP_NOT_CONVERGED
    if w.lu.deficiency:
        if w.friction or leaves_unknowns_open(w) or not take_null_space(w, reached, &deficiency):
            return ONE_STEP_NOT_CONVERGED
        w.rank_deficiency += w.lu.deficiency
    _round_off(w)
    w.residual = _measured(w, w.residual if w.evaluated else one_step_residual(w))
    if not w.residual <= w.tolerance or _drowns(w):
        return ONE_STEP_NOT_CONVERGED
    _clean(w)
    return ONE_STEP_OK


cdef double _measured(OneStep *w, double residual) noexcept nogil:
    """The residual, with rows of rounding measured beside the others where it is too large."""
    if residual <= w.tolerance or w.friction:
        return residual
    output_rows(w)
    return fmin(residual, count_for_more(w, w.tolerance))


cdef bint _drowns(OneStep *w) noexcept nogil:
    """Whether rows cancel where they must not."""
    if not cancels(w):
        return False
    w.doubtful = 1
    return not w.as_iterate


cdef int _solve_island(OneStep *w) noexcept nogil:
    """The nodes ``begin`` ... ``end`` - 1, which nothing connects with the others."""
    cdef double reached, before, left = HUGE_VAL
    cdef bint shared, drifts, fallen = False
    cdef int open, told
    measure_grain(w)
    if w.mixed:
        return _solve_augmented(w)
    if w.boxes and not w.friction and w.bottom - w.top <= FEW_BOUNDED_ROWS and few_rows(w):
        _clean(w)
        return ONE_STEP_OK
    if _still_solved(w):
        _clean(w)
        return ONE_STEP_OK
    forget_shares(w)
    shared = keeps_shares(w, &left)
    if not left <= fmax(w.floor, FINE) and not shortest_at_once(w):
        copy_rows(w, w.guess, w.z)
        reached = _measured(w, _search(w))
        if w.friction:
            _round_off(w)
            if not w.evaluated:
                one_step_residual(w)
        before = size_of(w, w.z)
        drifts = reached <= w.tolerance and (not shared or w.friction) and take_drift(w, AGREE_WELL)
        if drifts and w.friction:
            fallen = _search_agreeing(w)
            reached = one_step_residual(w)
            shared = shared and not fallen
        elif drifts:
            reached = fmax(reached, GOOD)
        open = 0 if shared or w.lone and w.friction else settle(w, reached)
        told = told_rows(w, open) if w.friction and not (shared or w.lone) and reached <= w.tolerance else open
        if drifts and not ask_again(w, fallen or GROWN * size_of(w, w.z) < before, open):
            one_step_residual(w)
            return ONE_STEP_NOT_CONVERGED
        w.rank_deficiency += told
        if not (shared or w.friction):
            w.undetermined.count[w.begin] = open
    _round_off(w)
    if not w.evaluated:
        one_step_residual(w)
    if shared:
        open = undetermined_rows(w)
        w.rank_deficiency += told_rows(w, open) if w.friction else open
    w.residual = _measured(w, w.residual)
    if not w.residual <= w.tolerance or _drowns(w):
        return ONE_STEP_NOT_CONVERGED
    _clean(w)
    return ONE_STEP_OK


cdef int _by_newton(OneStep *w) noexcept nogil:
    """The whole problem by Newton's method alone; nothing certifies what it leaves."""
    cdef int i
    w.iterations = w.sweeps = w.worst_row = w.rank_deficiency = 0
    _look_at_graph(w)
    _enter(w, 0)
    _take_load(w)
    if _prepare(w):
        return ONE_STEP_NO_MEMORY
    for i in range(w.top, w.bottom):
        w.center[i] = 0.0
    w.reach = NEAR_REACH
    if full_steps(w, False, w.tolerance, BOLD_STEPS) > w.tolerance:
        damped_steps(w, False, w.tolerance, STARTED_STEPS)
        w.reach = WARM
        damped_steps(w, False, w.tolerance, STARTED_STEPS)
    return ONE_STEP_OK


cdef int one_step_solve(OneStep *w) noexcept nogil:
    cdef int k, status, effort, worst = 0
    cdef double residual = 0.0, found = -1.0  # of all islands; of those that were solved, not kept
    w.iterations = w.sweeps = w.worst_row = w.rank_deficiency = w.turned_row = 0
    w.residual = 0.0
    w.doubtful = 0
    if w.rows == 0:
        return ONE_STEP_OK
    if w.relaid:
        _look_at_graph(w)
        w.analysed = w.outdated = w.settled = w.relaid = 0
    if w.changed:
        if _prepare(w):
            return ONE_STEP_NO_MEMORY
        w.changed = 0
    for k in range(max(w.islands, 1)):
        _enter(w, k)
        if not _take_load(w):
            w.residual, w.worst_row = 1.0, w.top
            return ONE_STEP_NONFINITE
        effort = w.iterations + w.sweeps
        status = _solve_island(w)
        if status and w.rescue is not NULL and not w.mixed:
            status = w.rescue(w)
            if one_step_residual(w) > w.tolerance and status == ONE_STEP_OK:
                # Right for the public solvers, which measure a contact by its largest row.
                full_steps(w, False, FINE, LAST_STEPS)
                _round_off(w)
                if not one_step_residual(w) <= w.tolerance:
                    status = ONE_STEP_NOT_CONVERGED
            if status == ONE_STEP_OK and (_drowns(w) or _contradict(w)):
                status = ONE_STEP_NOT_CONVERGED
            _clean(w)
        if status:
            return status
        if not w.residual <= residual:
            residual, worst = w.residual, w.worst_row
        if w.iterations + w.sweeps > effort:
            found = fmax(found, w.residual)
    w.residual, w.worst_row = residual, worst
    if found >= 0.0:  # a guess that was kept says nothing of what can be reached: else the floor would climb with it
        w.floor = fmin(GOOD, 4.0 * found)
    return ONE_STEP_OK
