"""The rows of the relations in play as a problem y = A lambda + b, and the solver that it is given to."""

cdef enum:
    TIMES = 4  # that dependent rows give way
    DOUBTS = 3  # iterations in turn: laws that cases wrong by then keep wrong are no matter of cases

cdef double ROUNDINGS = 32.0  # of the terms of a row, in which a sum of as many terms is right
cdef double GIVES = 1e-10  # of the diagonal
cdef double ROUNDED = 1e-12  # of the largest unknown
cdef double DRIFTED = 1e-10  # the same at an event: what the integrator's tolerance leaves of what was held until then
cdef double UNSEEN = 1e-14  # of the terms of a row: 45 roundings, as a solution of some ten rows leaves them


cdef int solve_rows(Stage *s, int first, Failure *failure) noexcept nogil:
    """Assemble the problem of a linearised stage and solve it: dense, over the graph, or traced.

    ``first`` says that multipliers start from those of the last step. Returns 0 or a FailureCode, ``failure`` naming a
    relation.
    """
    cdef int status = assemble(s, first)
    if s.augmented != NULL and s.augmented.rows and status == 0:
        if solve_graph(s) == 0:
            s.doubtful = 0
            return 0
        status = condense(s, failure)
        if status:
            return status
        status = assemble(s, first)
    if status > 0:
        return undetermined(s, failure)
    if status:
        failure.code = NO_MEMORY
        failure.item = s.play[0]
        return NO_MEMORY
    # Only what never slides need have no solution. At an event rounding is not worth a last resort.
    status = 0 if s.n_unyielding and asks_for_nothing(s) else by_size_and_cones(s, not s.at_event)
    if status and asks_for_nothing(s):
        status = 0
    elif status and s.at_event:
        status = by_size_and_cones(s, True)
    if status and (gives_an_iterate(s) or serves_as_iterate(s, first)):
        s.doubtful += 1
        return 0
    s.doubtful = 0
    if status:
        return blame(s, status, failure)
    if s.n_border and s.info.rank_deficiency and coupled_is_loose(s):
        return undetermined(s, failure)
    return 0


cdef int by_size_and_cones(Stage *s, bint anyhow) noexcept nogil:
    """The one-step problem by the solver of its size and cones; ``anyhow``: also by last resorts."""
    cdef int status
    s.gave_way = 0
    if s.traced:
        return solve_traced(s)
    if s.sparse:
        if not anyhow:
            s.graph.rescue = NULL
        status = solve_graph(s)
        s.graph.rescue = one_step_rescue
    else:
        status = mlcp_solve(s.n_rows + s.n_border, s.A, s.b, s.cone, s.z, s.y, &s.work, &s.info)
        if status == 0:
            settle_alone(s)
            settle_zeros(s)
    return solve_softly(s, status) if anyhow and status and status != MLCP_NONFINITE else status


cdef void settle_alone(Stage *s) noexcept nogil:
    """An equality of one multiplier alone says what it is: elimination left rounding of the others, as of a diode that blocks."""
    cdef int i, j, n = s.n_rows + s.n_border
    cdef double own
    cdef const double *row
    for i in range(s.n_rows):
        if s.cone[i] != EQUALITY or s.A[i * (n + 1)] == 0.0:
            continue
        row = s.A + i * n
        for j in range(n):
            if j != i and row[j] != 0.0:
                break
        else:
            own = -s.b[i] / row[i]
            s.z[i] = own if s.z[i] != own else s.z[i]  # -0 and 0 stay what elimination said


cdef void settle_zeros(Stage *s) noexcept nogil:
    """Multipliers that are rounding of others are zero: of equalities, where all rows then hold to rounding of their own terms.

    A solution of all rows leaves rounding of the largest in each, as of voltages in currents of which none flows. What is
    seen in a row that something is given in is real, and so is what is seen beside that in others; the rest is zero.
    """
    cdef int i, j, n = s.n_rows
    cdef double most = 0.0, least = INFINITY, size, rest, term
    cdef double *real = s.scratch  # 1 or 0: without a branch, of which half would be foretold wrongly
    cdef const double *row
    cdef bint more = True
    for i in range(n):
        if s.cone[i] != EQUALITY or s.n_border:
            return
        most = fmax(most, fabs(s.z[i]))
        least = fmin(least, fabs(s.z[i])) if s.z[i] != 0.0 else least
    if not least <= UNSEEN * most:
        return
    memset(real, 0, n * sizeof(double))
    while more:
        more = False
        for i in range(n):
            size, rest, row = fabs(s.b[i]), 0.0, s.A + i * n
            for j in range(n):
                term = fabs(row[j] * s.z[j])
                size += real[j] * term
                rest += (1.0 - real[j]) * term
            for j in range(n if size > 0.0 and rest > UNSEEN * size else 0):
                if real[j] == 0.0 and fabs(row[j] * s.z[j]) > UNSEEN / n * size:
                    real[j], more = 1.0, True
    for i in range(n):
        s.z[i] = s.z[i] if real[i] else 0.0


cdef bint gives_an_iterate(const Stage *s) noexcept nogil:
    """Whether what rows that contradict each other leave is a step of Gauss and Newton towards where they agree.

    Those of a mechanism that moves by its geometry alone depend on each other where it is closed, and agree there alone.
    """
    return s.gave_way and not s.affine and not s.fixed_iterations and s.doubtful < DOUBTS


cdef bint serves_as_iterate(Stage *s, int first) noexcept nogil:
    """Whether the rows have a solution whose terms cancel: nothing to keep, but a place to linearise about anew.

    Rows that their own multipliers enter are linearised in the case that the last iterate was in. Where that is the wrong
    one, as where they would hold what is driven, they hardly depend on their multiplier, and what solves them is far
    beyond its bound: the next iteration is in the right case. ``s.doubtful``, how many in turn were so, demands one.
    """
    cdef MlcpInfo failure = s.info
    cdef bint found
    if s.affine or s.fixed_iterations or not s.sparse or s.doubtful >= DOUBTS or not has_own_law(s) or assemble(s, first):
        return False
    s.graph.as_iterate, s.graph.rescue = 1, NULL
    found = solve_graph(s) == 0
    s.graph.as_iterate, s.graph.rescue = 0, one_step_rescue
    if not found:
        s.info = failure
    return found


cdef bint has_own_law(const Stage *s) noexcept nogil:
    """Whether a multiplier enters its own row, as it does not in what constraints impose."""
    cdef const BoundRelation *r
    cdef int p, i
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        for i in range(r.m):
            if r.output_lambda[i * (r.m + 1)] != 0.0:
                return True
    return False


cdef int solve_softly(Stage *s, int failed) noexcept nogil:
    """Equalities that depend on each other and contradict each other by no more than rounding; 0, or ``failed``.

    Dependent rows are common (a door on two hinges, four corners on a floor, two brakes on one screw), and some are zero
    but for rounding. So each row gives way by a small share of its diagonal from where it was, A z + eps D (z - z_k) + b
    = 0, a few times: a proximal point iteration, which satisfies to rounding what can be satisfied. What is left must be
    rounding beside the largest unknown. How the problem failed as it stood says nothing: dependent rows of rounding
    fail in any way.
    """
    cdef const int *cone = s.graph.cone if s.sparse else s.cone
    cdef MlcpInfo failure = s.info
    cdef double *last = <double *>malloc(s.n_rows * sizeof(double))
    cdef double largest = 0.0
    cdef int i, p, time = 0, status = failed
    cdef bint failing = False
    if last == NULL:
        return failed
    for p in range(s.n_systems):
        for i in range(s.system[p].n if s.system[p].present else 0):
            largest = fmax(largest, fabs(s.system[p].unknown[i]))
    for i in range(s.n_rows):
        s.scratch[i] = GIVES * diagonal(s, i)[0] if cone[i] == EQUALITY else 0.0
        diagonal(s, i)[0] += s.scratch[i]
        last[i] = 0.0
    s.graph.changed = 1
    for time in range(TIMES):
        status = solve_graph(s) if s.sparse else mlcp_solve(
            s.n_rows + s.n_border, s.A, s.b, s.cone, s.z, s.y, &s.work, &s.info)
        failing = status != 0
        if status or gave_way_by_rounding(s, last, (DRIFTED if s.at_event else ROUNDED) * largest):
            break
        for i in range(s.n_rows):
            s.b[i] -= s.scratch[i] * (s.z[i] - last[i])
            last[i] = s.z[i]
        status = failed
    free(last)
    s.assembled = s.laid_out = 0  # A is not what its relations say
    s.gave_way = time + 1 == TIMES and not failing
    if status:
        s.info = failure
        return failed
    return 0


cdef bint gave_way_by_rounding(Stage *s, const double *last, double allowed) noexcept nogil:
    """Whether no row is off by more than what is allowed, or than the terms of any are rounded by, by the energy that they move.

    A gap is as exact as the places that it is made of; in a stage of accelerations it is divided by the square of the
    step. What it contradicts others by all rows share.
    """
    cdef BoundRelation *r
    cdef double most = 0.0, moves = 0.0, rounded = 0.0, off, root
    cdef int p, i
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        for i in range(r.m):
            off = fabs(s.scratch[r.row + i] * (s.z[r.row + i] - last[r.row + i]))
            root = sqrt(fabs(diagonal(s, r.row + i)[0]))
            most = fmax(most, off)
            if root > 0.0:
                moves = fmax(moves, off / root)
                rounded = fmax(rounded, ROUNDINGS * DBL_EPSILON * r.scale[i] / root)
    return most <= allowed or moves <= rounded


cdef bint asks_for_nothing(Stage *s) noexcept nogil:
    """Whether zero solves a problem that has no solution as it stands: all its rows are rounding of their terms.

    What stages before have brought to rest is zero but for rounding, whose signs may be those of no solution at all, as
    where nothing slides. The multipliers are then zero. The terms of a row may be rounding themselves, as those of a hinge
    across the plane in which its mechanism moves: a row is rounding beside the terms of any, by the energy that they move.
    """
    cdef BoundRelation *r
    cdef double most = 0.0, root
    cdef int p, i
    if not s.affine or s.moved or s.n_border:
        return False
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        for i in range(r.m):
            root = sqrt(fabs(diagonal(s, r.row + i)[0]))
            if root > 0.0:
                most = fmax(most, terms(s, r, i) / root)
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        for i in range(r.m):
            if r.form.cone[i] == BOX or r.form.cone[i] == TRACED:
                return False
            root = sqrt(fabs(diagonal(s, r.row + i)[0]))
            if not fabs(s.b[r.row + i]) <= ROUNDED * fmax(terms(s, r, i), root * most):
                return False
    memset(s.z, 0, s.n_rows * sizeof(double))
    s.info.rank_deficiency, s.info.residual = 0, 0.0
    return True


cdef double terms(Stage *s, BoundRelation *r, int row) noexcept nogil:
    """The sum of |H_ij| |w_j|, w the unknowns as they are without multipliers."""
    cdef Attachment *at
    cdef BoundSystem *system
    cdef double total = 0.0
    cdef int i, j, k
    for k in range(r.n_attached):
        at = &r.attached[k]
        for i in range(s.n_systems):
            system = &s.system[i]
            if system.present and system.group == at.group and system.offset == at.offset:
                for j in range(at.n):
                    total += fabs(output_x(at)[row * at.n + j]) * fabs(system.unknown[j] - system.residual[j])
    return total


cdef double *diagonal(Stage *s, int row) noexcept nogil:
    """The entry of A on the diagonal."""
    cdef OneStep *w = &s.graph
    cdef int i = 0, k
    if not s.sparse:
        return s.A + row * (s.n_rows + s.n_border + 1)
    while w.row[i + 1] <= row:
        i += 1
    k = w.start[i]
    while w.column[k] != i:
        k += 1
    return w.value + w.place[k] + (row - w.row[i]) * (w.row[i + 1] - w.row[i] + 1)


cdef int solve_traced(Stage *s) noexcept nogil:
    """All rows in play at once, traced along their multipliers from y at lambda = 0."""
    cdef BoundRelation *r
    cdef int p
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        if r.form.n_bounds == 3 * r.m:
            memcpy(s.law + 3 * r.row, r.bound, 3 * r.m * sizeof(double))
    s.info.worst_row, s.info.residual, s.info.rank_deficiency = s.n_rows, 0.0, 0
    return trace_rows(s.n_rows + s.n_border, s.A, s.b, s.cone, s.law, s.z, s.y)


cdef int solve_graph(Stage *s) noexcept nogil:
    """The problem over the graph, from the guess."""
    cdef int status = one_step_solve(&s.graph)
    s.info.worst_row = s.graph.worst_row
    s.info.residual = s.graph.residual
    s.info.rank_deficiency = s.graph.rank_deficiency
    s.grain = s.graph.grain
    return status


cdef int blame(Stage *s, int status, Failure *failure) noexcept nogil:
    """Name the relation that holds the solver's worst row."""
    cdef BoundRelation *r
    cdef int p
    failure.item = -1
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        if r.row <= s.info.worst_row < r.row + r.m:
            failure.item = s.play[p]
            failure.row = s.info.worst_row - r.row
    if failure.item < 0 and s.n_border:  # the row of an unknown that W does not determine
        return undetermined(s, failure)
    failure.unmoved = failure.item >= 0 and diagonal(s, s.info.worst_row)[0] == 0.0
    if failure.item < 0:
        failure.item, failure.row = s.play[0], 0
    failure.code = ONE_STEP
    failure.detail = status
    failure.value = s.info.residual
    return ONE_STEP
