"""One stage of a step: activation, Newton's method, advance, observation.

Nothing here knows what a stage, a system or a relation means: all of it is kernels, levels
and cones (a test reads this file and its neighbours for names of families, schemes and laws).
"""

cdef size_t OF_OBSERVATION = 128  # bytes of addresses


cdef int run_stage(Stage *s, bint again, Counters *counters, Failure *failure) noexcept nogil:
    cdef int status
    failure.stage = s.number
    s.moved = 0
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
    if s.watched.on:
        look_for_others(s, counters)
    status = advance(s, failure)
    if status:
        return status
    return observe(s, failure)


cdef int flow(Stage *s, const double *values, double *slope, Failure *failure) noexcept nogil:
    cdef Counters counters
    cdef BoundSystem *system
    cdef int i, status
    failure.stage = s.number
    memset(&counters, 0, sizeof(Counters))
    status = solve(s, False, &counters, failure)
    if status:
        return status
    share_within_bounds(s)
    for i in range(s.n_systems):
        system = &s.system[i]
        if system.present:
            call_advance(system)
            copy(slope + (system.state - values), system.form.state_next, system.form.n_state)
    return 0


cdef void move_alone(Stage *s) noexcept nogil:
    """The unknowns as the multipliers ``s.z`` make them where nothing else acts."""
    cdef BoundSystem *system
    cdef int i
    for i in range(s.n_systems):
        system = &s.system[i]
        if system.present:
            memset(system.unknown, 0, system.n * sizeof(double))
    forget_multipliers(s)
    forget_move(s)
    apply_move(s)


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
    if s.augmented != NULL and s.augmented.refused:
        s.augmented.refused = s.laid_out = s.assembled = 0
    if status == 0:
        status = activate(s, only_add, 2 if again else 1, failure)
    if status == 0 and idle(s):
        forget_multipliers(s)
        return 0
    return status if status else newton(s, damped, counters, failure)


cdef bint idle(Stage *s) noexcept nogil:
    """Whether the stage is skipped for the relations in play: none, only those that rest, or such as always are."""
    cdef BoundRelation *r
    cdef int p
    if s.skip_alone == RUNS:
        return False
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        if (s.skip_alone == SKIPS) if r.form.always else (r.mode[0] != AT_REST):
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
            if r.output_lambda[i * (r.m + 1)] == 0.0 and r.output[i] == 0.0:
                failure.item = s.play[p]
                failure.row = i
                return NOT_UNIQUE
    return NOT_UNIQUE


cdef int fill(Stage *s, Failure *failure) noexcept nogil:
    cdef BoundSystem *system
    cdef const SystemForm *form
    cdef int i, far = far_end(s.n_systems)
    for i in range(s.n_systems):
        if i < far:
            fetch_system(s, i)
        system = &s.system[i]
        if not system.present:
            continue
        form = system.form
        if form.level != PER_RUN:
            system.linearized = 0
        if form.freeze_level != PER_RUN or not system.frozen_step:
            invoke(form.freeze_step, &system.freeze_step)
            system.frozen_step = 1
        invoke(form.freeze_start, &system.freeze_start)
        invoke(form.start, &system.start)
    return 0


cdef int advance(Stage *s, Failure *failure) noexcept nogil:
    cdef BoundSystem *system
    cdef int i, far = far_end(s.n_systems)
    for i in range(s.n_systems):
        if i < far:
            fetch_system(s, i)
        system = &s.system[i]
        if system.present:
            call_advance(system)
            copy(system.state, system.form.state_next, system.form.n_state)
    return 0


cdef int observe(Stage *s, Failure *failure) noexcept nogil:
    cdef BoundRelation *r
    cdef int i, far = far_end(s.n_relations)
    for i in range(s.n_systems if s.systems_observe else 0):
        call(&s.system[i].observe)
    for i in range(s.n_relations if s.relations_observe else 0):
        if i < far:
            fetch_observation(s, i)
        r = &s.relation[i]
        if r.present and r.form.observe != NULL:
            invoke(r.form.observe, &r.observe)
            remember(r)
    return 0


cdef inline void fetch_observation(const Stage *s, int i) noexcept nogil:
    """Ask for what the relations ahead will read."""
    cdef const BoundRelation *r = &s.relation[i + FAR]
    fetch(r, HOT)
    r = &s.relation[i + NEAR]
    fetch(r.observe.in_, OF_OBSERVATION)
    nsd_fetch(r.memory)


cdef inline void remember(BoundRelation *r) noexcept nogil:
    """Put what was just written into the part of the memory that it belongs to."""
    cdef const RelationForm *form = r.form
    cdef int k
    if form.remembered == NULL:
        copy(r.memory, form.memory_next, form.n_remembered)
    else:
        for k in range(form.n_remembered):
            r.memory[form.remembered[k]] = form.memory_next[k]


cdef int largest_violation(Stage *s, double *violation, int *worst, Failure *failure) noexcept nogil:
    cdef BoundRelation *r
    cdef int i
    violation[0] = 0.0
    for i in range(s.n_relations):
        r = &s.relation[i]
        if r.present and r.in_play and r.violate.call != NULL:
            call(&r.violate)
            if r.form.violation[0] > violation[0]:
                violation[0] = r.form.violation[0]
                worst[0] = i
    return 0
