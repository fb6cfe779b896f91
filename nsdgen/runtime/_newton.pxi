"""Newton's method of a stage: linearise, solve the one-step problem, move, test; full steps, or damped ones."""

cdef enum:
    MOST_COPIES = 256  # rows: some 1e7 operations for their rank, in each iteration
    PATIENCE = 1  # iterations that bring nothing, before what is left is looked at; again after twice as many, and so on

cdef double STILL_FALLS = 1e-2  # of the least measure before: what may be accepted at the limit
cdef double BRINGS = 0.5  # of the least measure before: an iteration that leaves more brings nothing


cdef int newton(Stage *s, int damped, Counters *counters, Failure *failure) noexcept nogil:
    """Iterate from w_0 and the multipliers that are there until the test passes; 0 or a FailureCode."""
    cdef int iteration, status, idle = 0, look = PATIENCE, limit = s.fixed_iterations if s.fixed_iterations else s.max_iterations
    cdef double measure = INFINITY, last = INFINITY, least = INFINITY, height = 0.0  # least: of all but the last
    s.grain = NULL
    if damped:
        status = test(s, &measure, failure)
        if status:
            return status
        height = merit(s, True)
    s.doubtful = 0
    for iteration in range(limit):
        failure.iteration = iteration + 1
        least = min(least, last)
        if iteration > 1 and interrupted():
            failure.code = INTERRUPTED
            return INTERRUPTED
        if iteration > 0 and s.activate_each_iteration:
            status = activate(s, True, 0, failure)
            if status:
                return status
        status = iterate(s, counters, failure, iteration == 0)
        if status == 0 and (s.affine or s.fixed_iterations):
            measure = 0.0 if s.affine or iteration + 1 == limit else INFINITY
            status = check_finite(s, failure)
            if status == 0:
                status = freeze_stage(s, failure)
        elif status == 0:
            status = test(s, &measure, failure)
        if status:
            return status
        last = measure
        if measure <= s.tolerance and not s.doubtful:
            status = more_active(s, failure)
            if status < 0:
                return -status
            if status == 0 or s.fixed_iterations:
                return 0
        idle = 0 if measure <= BRINGS * least else idle + 1
        if idle >= look:
            look = 2 * look
            if _is_rounding(s, measure, failure):
                return 0
        if measure > s.tolerance and damped and not s.fixed_iterations:
            status = backtrack(s, &height, failure)
            if status:
                return status
    failure.code = NO_CONVERGENCE if isfinite(measure) else NOT_FINITE
    failure.value = measure
    # What still falls is no rounding.
    if measure > STILL_FALLS * least and _is_rounding(s, measure, failure):
        return 0
    return failure.code


cdef bint _is_rounding(Stage *s, double measure, Failure *failure) noexcept nogil:
    return isfinite(measure) and not s.absolute and not s.doubtful and rounding_alone(s) and not more_active(s, failure)


cdef int iterate(Stage *s, Counters *counters, Failure *failure, int first) noexcept nogil:
    """One Newton iteration: linearise, solve the one-step problem, move."""
    cdef int status
    s.grain = NULL
    s.piled = s.pile != NULL and s.n_rows > s.pile.above
    status = linearize(s, failure)
    if status:
        return status
    keep(s)
    if s.n_rows and not s.piled:
        status = solve_rows(s, first, failure)
        if status and s.pile == NULL:
            return status
        s.piled = status != 0
    if s.n_rows and s.piled and solve_pile(s):
        failure.code, failure.item, failure.detail = NO_MEMORY, s.play[0], 0
        return NO_MEMORY
    counters.deficiency = open_but_for_copies(s)
    if counters.deficiency < 0:
        failure.code, failure.item, failure.detail = NO_MEMORY, s.play[0], 0
        return NO_MEMORY
    counters.turned = s.graph.turned_row if s.sparse and s.n_rows and not s.piled else 0
    apply_move(s)
    counters.newton += 1
    return 0


cdef int open_but_for_copies(Stage *s) noexcept nogil:
    """How many multipliers the last problem does not determine, less copies that move nothing alone; -1: no memory.

    Up to ``MOST_COPIES`` of these: G = B^T B of what they make of the unknowns has their rank. These count by the energy
    that moves them: forces and moments have units of their own.
    """
    cdef const BoundRelation *r
    cdef const Attachment *at
    cdef double *memory
    cdef double *B
    cdef double *G
    cdef double share
    cdef int found = missing_rank(s), n = 0, most = 0, i, j, k, l, p, row
    for p in range(s.n_play if found else 0):
        n += s.relation[s.play[p]].form.copies
    if n == 0 or n > MOST_COPIES:
        return found
    for i in range(s.n_systems):
        most = max(most, s.system[i].n)
    memory = <double *> calloc(<size_t> n * (n + most) + min_norm_work_size(n) + n, sizeof(double))
    if memory == NULL:
        return -1
    G, B = memory, memory + n * n
    for i in range(s.n_systems):
        memset(B, 0, <size_t> n * most * sizeof(double))
        row = 0
        for p in range(s.n_play if s.system[i].present else 0):
            r = &s.relation[s.play[p]]
            for k in range(r.n_attached if r.form.copies else 0):
                at = &r.attached[k]
                for j in range(at.n if at.system == i else 0):
                    share = agility(&s.system[i], j)
                    share = share if share > 0.0 else 1.0
                    for l in range(r.form.copies):
                        B[(row + l) * most + j] += share * reaction_lambda(at)[j * r.m + r.m - r.form.copies + l]
            row += r.form.copies
        for j in range(n):
            for k in range(n):
                for l in range(most):
                    G[j * n + k] += B[j * most + l] * B[k * most + l]
    B += n * most
    found -= n - numerical_rank(n, G, n, B, <int *> (B + min_norm_work_size(n)))
    free(memory)
    return max(found, 0)


cdef int more_active(Stage *s, Failure *failure) noexcept nogil:
    """1 where a stage that activates in every iteration found further relations, 0 or -failure else."""
    cdef int status, before = s.n_play
    if not s.activate_each_iteration:
        return 0
    status = activate(s, True, 0, failure)
    return -status if status else s.n_play > before


cdef int test(Stage *s, double *measure, Failure *failure) noexcept nogil:
    """Everything re-evaluated at the new iterate: the largest scaled row of R and of the laws, or the largest R - rho."""
    cdef int status = check_finite(s, failure)
    if status == 0 and s.absolute:  # reactions as the iteration made them
        status = evaluate_relations(s, failure)
    if status == 0:
        status = freeze_stage(s, failure)
    if status == 0:
        status = evaluate_systems(s, failure) if s.absolute else evaluate(s, failure)
    if status:
        return status
    measure[0] = largest_residual(s, failure) if s.absolute else largest_scaled_row(s, failure)
    return 0


cdef int freeze_stage(Stage *s, Failure *failure) noexcept nogil:
    cdef BoundSystem *system
    cdef int i
    for i in range(s.n_systems if s.refreezes else 0):
        system = &s.system[i]
        if system.present and system.freeze_iteration.call != NULL:
            call(&system.freeze_iteration)
            copy(system.frozen, system.form.frozen_next, system.form.n_frozen)
    return 0


cdef int check_finite(Stage *s, Failure *failure) noexcept nogil:
    cdef int i, j
    for i in range(s.n_systems if not s.finite else 0):
        if s.system[i].present:
            for j in range(s.system[i].n):
                if not isfinite(s.system[i].unknown[j]):
                    failure.code = NOT_FINITE
                    failure.item = i
                    failure.row = j
                    failure.detail = 0
                    return NOT_FINITE
    return 0


cdef void keep(Stage *s) noexcept nogil:
    """Remember w and lambda, where a damped iteration would start from."""
    cdef int i, row = 0
    if s.affine:
        return
    for i in range(s.n_systems):
        if s.system[i].present:
            memcpy(s.kept_unknown + row, s.system[i].unknown, s.system[i].n * sizeof(double))
            row += s.system[i].n
    row = 0
    for i in range(s.n_play):
        memcpy(s.kept_multiplier + row, s.relation[s.play[i]].multiplier, s.relation[s.play[i]].m * sizeof(double))
        row += s.relation[s.play[i]].m


cdef int backtrack(Stage *s, double *height, Failure *failure) noexcept nogil:
    """Halve the last move until the merit falls, at most thirty times; then keep the smallest move."""
    cdef double measure, lower = merit(s, False)
    cdef int halving, status
    for halving in range(30):
        if lower < height[0] * (1.0 - 1e-4):
            break
        blend(s)
        status = test(s, &measure, failure)
        if status:
            return status
        lower = merit(s, False)
    height[0] = lower
    return 0


cdef void blend(Stage *s) noexcept nogil:
    """w and lambda halfway back to where the iteration started."""
    cdef BoundRelation *r
    cdef int i, j, row = 0
    s.finite = 0
    for i in range(s.n_systems):
        if s.system[i].present:
            for j in range(s.system[i].n):
                s.system[i].unknown[j] = 0.5 * (s.system[i].unknown[j] + s.kept_unknown[row + j])
            row += s.system[i].n
    row = 0
    for i in range(s.n_play):
        r = &s.relation[s.play[i]]
        for j in range(r.m):
            r.multiplier[j] = 0.5 * (r.multiplier[j] + s.kept_multiplier[row + j])
        row += r.m
