# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""One stage of a step: activation, Newton's method, advance, observation.

Nothing here knows what a stage, a system or a relation means: all of it is kernels, levels
and cones (a test reads this file and its neighbours for names of families, schemes and laws).
"""
from libc.math cimport INFINITY, fabs, fmax, isfinite
from libc.string cimport memcpy, memset

from nsdgen.runtime._assembly cimport (
    apply_move,
    assemble,
    call,
    copy,
    evaluate,
    evaluate_relations,
    evaluate_systems,
    free_move,
    linearize,
    undetermined,
)
from nsdgen.runtime._coupled cimport coupled_is_loose
from nsdgen.runtime._data cimport (
    NO_CONVERGENCE,
    NO_MEMORY,
    NOT_FINITE,
    NOT_UNIQUE,
    ONE_STEP,
    PER_RUN,
    RUNS,
    SKIPS,
    Attachment,
    Bound,
    Counters,
    Failure,
    BoundRelation,
    Stage,
    BoundSystem,
)
from nsdgen.runtime._measure cimport largest_residual, largest_scaled_row, merit
from nsdgen.solvers.traced._traced_rows cimport trace_rows
from nsdgen.solvers.rows._mlcp cimport mlcp_solve
from nsdgen.solvers.rows._mlcp_work cimport MLCP_NONFINITE, MlcpInfo
from nsdgen.solvers.interaction._one_step cimport one_step_solve
from nsdgen.solvers.interaction._one_step_work cimport OneStep


cdef enum:
    EQUALITY = 0  # of the cones
    BOX = 2
    TRACED = 6

cdef double NO_SLIP = 1e100  # a coefficient from which on nothing slides
cdef double GIVES = 1e-10  # of the diagonal
cdef double ROUNDED = 1e-12  # of the largest unknown


cdef int run_stage(Stage *s, bint again, Counters *counters, Failure *failure) noexcept nogil:
    cdef int status
    failure.stage = s.number
    if s.skip.call != NULL:
        call(&s.skip)
        if s.skipped[0] != 0:
            if not s.at_start:
                forget_multipliers(s)
            return 0
    status = solve(s, again, counters, failure)
    if status or idle(s):
        return status
    if s.unique and counters.deficiency > 0:
        return name_undetermined(s, counters, failure)
    status = advance(s, failure)
    if status:
        return status
    return observe(s, failure)


cdef int flow(Stage *s, const double *values, double *slope, Failure *failure) noexcept nogil:
    cdef Counters counters
    cdef BoundSystem *system
    cdef int i, status
    failure.stage = s.number
    counters.newton = counters.deficiency = counters.kept = 0
    status = solve(s, False, &counters, failure)
    if status:
        return status
    for i in range(s.n_systems):
        system = &s.system[i]
        if system.present:
            call(&system.advance)
            copy(slope + (system.state - values), system.state_next, system.n_state)
    return 0


cdef int solve(Stage *s, bint again, Counters *counters, Failure *failure) noexcept nogil:
    """Full steps of Newton's method; where they fail damped ones; where these fail the full ones are what is kept."""
    cdef int status, damped
    status = attempt(s, 0, False, again, counters, failure)
    if status == 0:
        return 0
    damped = status
    if s.line_search and not s.affine and not s.fixed_iterations:
        # Whatever stopped the full steps (an overflow on the way, say), damped ones start again.
        damped = attempt(s, 1, True, again, counters, failure)
        if damped and status == NO_CONVERGENCE and s.keep_on_limit:
            damped = attempt(s, 0, True, again, counters, failure)
    if damped == NO_CONVERGENCE and status == NO_CONVERGENCE and s.keep_on_limit:
        counters.kept = 1
        return 0
    return damped


cdef int attempt(Stage *s, int damped, bint again, bint only_add, Counters *counters, Failure *failure) noexcept nogil:
    """Newton's method from the start; ``again`` from the multipliers that the attempt before started from."""
    cdef int status = fill(s, failure)
    counters.newton = 0
    s.moved = s.finite = 0
    if status == 0:
        status = activate(s, only_add, 2 if again else 1, failure)
    if status == 0 and idle(s):
        forget_multipliers(s)
        return 0
    return status if status else newton(s, damped, counters, failure)


cdef bint idle(Stage *s) noexcept nogil:
    """Whether the stage is skipped for the relations that are in play: none, or only those that always are."""
    cdef int p
    if s.skip_alone == RUNS:
        return False
    for p in range(s.n_play):
        if s.skip_alone == SKIPS or not s.relation[s.play[p]].always:
            return False
    return True


cdef int name_undetermined(Stage *s, Counters *counters, Failure *failure) noexcept nogil:
    """The first relation in play whose own rows do not determine its multipliers."""
    cdef BoundRelation *r
    cdef int p, i
    failure.code = NOT_UNIQUE
    failure.value = counters.deficiency
    failure.item = s.play[0]
    failure.row = 0
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        for i in range(r.m):
            if r.output_lambda.dense[i * (r.m + 1)] == 0.0 and r.output[i] == 0.0:
                failure.item = s.play[p]
                failure.row = i
                return NOT_UNIQUE
    return NOT_UNIQUE


cdef inline void begin(const Stage *s, BoundRelation *r, bint again) noexcept nogil:
    """The multipliers that a relation starts from; ``again`` those that the same step started from before."""
    cdef int j
    if r.level != PER_RUN:
        r.linearized = 0
    for j in range(r.m):
        if again:
            r.multiplier[j] = r.guess[j]
        r.guess[j] = r.multiplier[j]
        r.weight[j] = 0.0
        if s.affine and not r.held:
            r.multiplier[j] = 0.0  # an affine problem is solved from zero, without rounding of A lambda


cdef void forget_multipliers(Stage *s) noexcept nogil:
    cdef int i
    for i in range(s.n_relations):
        if s.relation[i].present:
            memset(s.relation[i].multiplier, 0, s.relation[i].m * sizeof(double))


cdef int activate(Stage *s, bint only_add, int starts, Failure *failure) noexcept nogil:
    """Evaluate the modes and number the rows of the relations in play.

    ``starts`` is 1 where a step starts, 2 where the same starts again: relations then begin, too. ``only_add`` keeps those that are in play already, so that activation within Newton's
    method cannot go round in circles.
    """
    cdef BoundRelation *r
    cdef int i, j, status, was = s.n_play, rows = 0
    cdef bint changed = False
    s.n_play = 0
    for i in range(s.n_relations):
        r = &s.relation[i]
        if starts and r.present:
            begin(s, r, starts == 2)
        if not r.m or r.held:  # absent, or without rows to solve
            continue
        if r.activation.call != NULL and not (only_add and r.in_play):
            call(&r.activation)
            r.mode[0] = r.mode_next[0]
        r.in_play = r.always or r.mode[0] > 0
        if r.in_play:
            if s.n_play >= was or s.play[s.n_play] != i:
                changed = True
                s.play[s.n_play] = i
            if changed:
                r.row = rows
                memcpy(s.cone + rows, r.cone, r.m * sizeof(int))
            if r.n_bounds:
                limit(r)
            rows += r.m
            s.n_play += 1
        else:
            for j in range(r.m):
                r.multiplier[j] = 0.0
                r.guess[j] = 0.0
    s.n_rows = rows
    if changed or s.n_play != was:
        s.assembled = 0
        s.laid_out = 0
        for i in range(s.n_relations):
            r = &s.relation[i]
            for j in range(r.n_coupling if r.present else 0):
                s.group[r.attached[r.coupling[j].row].group].changed = 1
    return 0


cdef void limit(BoundRelation *r) noexcept nogil:
    """What bounds the multipliers of a relation in this step."""
    cdef int j
    if r.bounded and r.bounds_level == PER_RUN:
        return
    call(&r.limits)
    for j in range(r.n_bounds):
        r.bound[r.bounds_at[j]] = r.bounds[j]
    r.bounded = 1


cdef int newton(Stage *s, int damped, Counters *counters, Failure *failure) noexcept nogil:
    cdef int iteration, status, limit = s.fixed_iterations if s.fixed_iterations else s.max_iterations
    cdef double measure, height = 0.0
    if damped:
        status = test(s, &measure, failure)
        if status:
            return status
        height = merit(s, True)
    for iteration in range(limit):
        failure.iteration = iteration + 1
        if iteration > 0 and s.activate_each_iteration:
            status = activate(s, True, 0, failure)
            if status:
                return status
        status = iterate(s, counters, failure, iteration == 0)
        if status == 0 and (s.affine or s.fixed_iterations):
            measure = 0.0 if s.affine or iteration + 1 == limit else INFINITY
            status = check_finite(s, failure)
            if status == 0:
                status = freeze(s, failure)
        elif status == 0:
            status = test(s, &measure, failure)
        if status:
            return status
        if measure <= s.tolerance:
            status = more_active(s, failure)
            if status < 0:
                return -status
            if status == 0 or s.fixed_iterations:
                return 0
        elif damped and not s.fixed_iterations:
            status = backtrack(s, &height, failure)
            if status:
                return status
    failure.code = NO_CONVERGENCE if isfinite(measure) else NOT_FINITE
    failure.value = measure
    return failure.code


cdef int more_active(Stage *s, Failure *failure) noexcept nogil:
    """1 where a stage that activates in every iteration found further relations, 0 or -failure else."""
    cdef int status, before = s.n_play
    if not s.activate_each_iteration:
        return 0
    status = activate(s, True, 0, failure)
    return -status if status else s.n_play > before


cdef int iterate(Stage *s, Counters *counters, Failure *failure, int first) noexcept nogil:
    """One Newton iteration: linearise, solve the one-step problem, move."""
    cdef int status
    status = linearize(s, failure)
    if status:
        return status
    free_move(s)
    keep(s)
    if s.n_rows:
        status = assemble(s, first)
        if status > 0:
            return undetermined(s, failure)
        if status:
            failure.code = NO_MEMORY
            failure.item = s.play[0]
            return NO_MEMORY
        status = 0 if friction_is_infinite(s) and asks_for_nothing(s) else solve_rows(s)
        if status and asks_for_nothing(s):
            status = 0
        if status:
            return blame(s, status, failure)
        if s.n_border and s.info.rank_deficiency and coupled_is_loose(s):
            return undetermined(s, failure)
    counters.deficiency = s.info.rank_deficiency if s.n_rows else 0
    apply_move(s)
    counters.newton += 1
    return 0


cdef int solve_rows(Stage *s) noexcept nogil:
    """The one-step problem by the solver of its size and cones."""
    cdef int status
    if s.traced:
        return solve_traced(s)
    if s.sparse:
        status = solve_graph(s)
    else:
        status = mlcp_solve(s.n_rows + s.n_border, s.A, s.b, s.cone, s.z, s.y, &s.work, &s.info)
    return solve_softly(s, status) if status and status != MLCP_NONFINITE and s.at_event else status


cdef int solve_softly(Stage *s, int failed) noexcept nogil:
    """Equalities that contradict each other by no more than the rounding of their terms; 0, or the status ``failed``.

    At events rows may be zero but for rounding, and where they depend on each other nothing satisfies all of them. So
    each gives way by a small share of its diagonal; what is left must then be rounding beside the largest unknown.
    How the problem failed as it stood says nothing: dependent rows of rounding fail in any way.
    """
    cdef const int *cone = s.graph.cone if s.sparse else s.cone
    cdef MlcpInfo failure = s.info
    cdef int status, p, i
    cdef double largest = 0.0
    for i in range(s.n_rows):
        if cone[i] == EQUALITY:
            diagonal(s, i)[0] *= 1.0 + GIVES
    status = solve_graph(s) if s.sparse else mlcp_solve(
        s.n_rows + s.n_border, s.A, s.b, s.cone, s.z, s.y, &s.work, &s.info)
    s.assembled = 0
    if status:
        s.info = failure
        return failed
    for p in range(s.n_systems):
        for i in range(s.system[p].n if s.system[p].present else 0):
            largest = fmax(largest, fabs(s.system[p].unknown[i]))
    for i in range(s.n_rows):
        if cone[i] == EQUALITY and not fabs(GIVES * diagonal(s, i)[0] * s.z[i]) <= ROUNDED * largest:
            s.info = failure
            return failed
    return 0


cdef bint asks_for_nothing(Stage *s) noexcept nogil:
    """Whether zero solves a problem that has no solution as it stands: all its rows are rounding of their terms.

    What stages before have brought to rest is zero but for rounding, whose signs may be those of no solution at all, as
    where friction is infinite. The multipliers are then zero.
    """
    cdef BoundRelation *r
    cdef int p, i
    if not s.affine or s.moved or s.n_border:
        return False
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        for i in range(r.m):
            if r.cone[i] == BOX or r.cone[i] == TRACED or not fabs(s.b[r.row + i]) <= ROUNDED * terms(s, r, i):
                return False
    memset(s.z, 0, s.n_rows * sizeof(double))
    s.info.rank_deficiency, s.info.residual = 0, 0.0
    return True


cdef bint friction_is_infinite(Stage *s) noexcept nogil:
    """Whether a contact in play does not slide at all: only then need friction have no solution."""
    cdef BoundRelation *r
    cdef int p, i
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        for i in range(r.m if r.n_bounds else 0):
            if r.cone[i] > BOX and r.cone[i] != TRACED and r.bound[2 * i] >= NO_SLIP:
                return True
    return False


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
                    total += fabs(at.block.output_x.dense[row * at.n + j]) * fabs(system.unknown[j] - system.residual[j])
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
        if r.n_bounds == 3 * r.m:
            memcpy(s.law + 3 * r.row, r.bound, 3 * r.m * sizeof(double))
    s.info.worst_row, s.info.residual, s.info.rank_deficiency = s.n_rows, 0.0, 0
    return trace_rows(s.n_rows + s.n_border, s.A, s.b, s.cone, s.law, s.z, s.y)


cdef int solve_graph(Stage *s) noexcept nogil:
    """The problem over the graph, from the guess."""
    cdef int status = one_step_solve(&s.graph)
    s.info.worst_row = s.graph.worst_row
    s.info.residual = s.graph.residual
    s.info.rank_deficiency = s.graph.rank_deficiency
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
    if failure.item < 0:
        failure.item, failure.row = s.play[0], 0
    failure.code = ONE_STEP
    failure.detail = status
    failure.value = s.info.residual
    return ONE_STEP


cdef int freeze(Stage *s, Failure *failure) noexcept nogil:
    cdef BoundSystem *system
    cdef int i, status
    for i in range(s.n_systems if s.refreezes else 0):
        system = &s.system[i]
        if system.present and system.freeze_iteration.call != NULL:
            call(&system.freeze_iteration)
            copy(system.frozen, system.frozen_next, system.n_frozen)
    return 0


cdef int test(Stage *s, double *measure, Failure *failure) noexcept nogil:
    """Everything re-evaluated at the new iterate: the largest scaled row of R and of the laws, or the largest R - rho."""
    cdef int status = check_finite(s, failure)
    if status == 0 and s.absolute:  # reactions as the iteration made them
        status = evaluate_relations(s, failure)
    if status == 0:
        status = freeze(s, failure)
    if status == 0:
        status = evaluate_systems(s, failure) if s.absolute else evaluate(s, failure)
    if status:
        return status
    measure[0] = largest_residual(s, failure) if s.absolute else largest_scaled_row(s, failure)
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


cdef int advance(Stage *s, Failure *failure) noexcept nogil:
    cdef BoundSystem *system
    cdef int i, status
    for i in range(s.n_systems):
        system = &s.system[i]
        if system.present:
            call(&system.advance)
            copy(system.state, system.state_next, system.n_state)
    return 0


cdef int observe(Stage *s, Failure *failure) noexcept nogil:
    cdef BoundRelation *r
    cdef int i, status
    for i in range(s.n_systems if s.systems_observe else 0):
        call(&s.system[i].observe)
    for i in range(s.n_relations):
        r = &s.relation[i]
        if r.present and r.observe.call != NULL:
            call(&r.observe)
            remember(r)
    return 0


cdef void remember(BoundRelation *r) noexcept nogil:
    """Put what was just written into the part of the memory that it belongs to."""
    cdef int k
    if r.remembered == NULL:
        copy(r.memory, r.memory_next, r.n_remembered)
    else:
        for k in range(r.n_remembered):
            r.memory[r.remembered[k]] = r.memory_next[k]


cdef int fill(Stage *s, Failure *failure) noexcept nogil:
    cdef BoundSystem *system
    cdef int i, status
    for i in range(s.n_systems):
        system = &s.system[i]
        if not system.present:
            continue
        if system.level != PER_RUN:
            system.linearized = 0
        if system.freeze_level != PER_RUN or not system.frozen_step:
            call(&system.freeze_step)
            system.frozen_step = 1
        call(&system.freeze_start)
        call(&system.start)
    return 0


cdef int largest_violation(Stage *s, double *violation, int *worst, Failure *failure) noexcept nogil:
    cdef BoundRelation *r
    cdef int i, status
    violation[0] = 0.0
    for i in range(s.n_relations):
        r = &s.relation[i]
        if r.present and r.in_play and r.violate.call != NULL:
            call(&r.violate)
            if r.violation[0] > violation[0]:
                violation[0] = r.violation[0]
                worst[0] = i
    return 0


cdef void forget(Stage *s) noexcept nogil:
    cdef int i
    for i in range(s.n_systems):
        s.system[i].frozen_step = 0
    forget_derivatives(s)


cdef void forget_derivatives(Stage *s) noexcept nogil:
    cdef int i
    s.assembled = 0
    for i in range(s.n_systems):
        s.system[i].linearized = 0
    for i in range(s.n_relations):
        s.relation[i].linearized = 0
        s.relation[i].solved = 0
        s.relation[i].bounded = 0
    for i in range(s.n_groups):
        s.group[i].changed = 1


cdef void reset(Stage *s) noexcept nogil:
    cdef int i
    forget(s)
    s.laid_out = 0
    s.n_play = 0
    for i in range(s.n_relations):
        s.relation[i].in_play = 0
