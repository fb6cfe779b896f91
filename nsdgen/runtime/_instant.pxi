"""What happens at an instant besides motion: blocks that are due act, and what they change makes others due."""

cdef double SAME_INSTANT = 1e-9  # of a step: two instants nearer than this are one, as those of clocks are
cdef double OVERLAPS = 1e-10  # of the largest state of those that it lies between: less is rounding of a gap
cdef double KNOWN_INTERVAL = 1e-12  # of the time: shorter intervals are known to less than four digits


cdef int run_blocks(Program *p, Counters *counters, Failure *failure) noexcept nogil:
    cdef Counters of_stage
    cdef int number, block, status
    read_others(p)
    for number in range(p.n_stages):
        block = p.stage[number].block
        if block < 0 or not p.sampler[block].due:
            continue
        memset(&of_stage, 0, sizeof(Counters))
        status = run_stage(&p.stage[number], False, &of_stage, failure)
        if status == 0 and number >= p.n_stages - p.n_samplers:  # all have sampled: control stages are last
            status = publish(p, block, failure)
            if status == 0:
                status = reset_states(p, block, failure)
        if status:
            return status
        add_counters(counters, &of_stage)
    for block in range(p.n_samplers):
        p.sampler[block].next += p.sampler[block].due
        p.sampler[block].spent += p.sampler[block].due
        p.sampler[block].due = 0
    return 0


cdef void begin_instant(Program *p, bint on_time) noexcept nogil:
    cdef int i
    if p.n_crosses:
        memset(p.fired, 0, p.n_cuts * sizeof(int))
    for i in range(p.n_samplers):
        p.sampler[i].spent = 0
        p.sampler[i].due = p.sampler[i].due and on_time


cdef void find_crossed(Program *p, const double *before, int *which) noexcept nogil:
    cdef int i
    for i in range(p.n_cuts if p.n_crosses else 0):
        if p.crosses[i] and before[i] != 0.0 and before[i] * p.direction[i] <= 0.0 and (
                p.cut_value[i] == 0.0 or (p.cut_value[i] > 0.0) != (before[i] > 0.0)):
            p.fired[i] = 2
            if which[0] < 0:
                which[0] = i


cdef int pass_instant(Program *p, Counters *counters, int *which, Failure *failure) noexcept nogil:
    cdef int i, status
    while True:
        status = admit(p, failure)
        if status:
            return status
        for i in range(p.n_samplers):
            if p.sampler[i].due:
                break
        else:
            arm(p)
            return 0
        if p.n_crosses:
            status = evaluate_cuts(p, failure)
            if status:
                return status
            memcpy(p.unjumped, p.cut_value, p.n_cuts * sizeof(double))
        for i in range(p.n_gaps):
            p.gap_before[i] = fmin(p.values[p.gap[i]], 0.0)
        status = run_blocks(p, counters, failure)
        if status == 0 and p.n_gaps:
            status = check_gaps(p, failure)
        if status == 0 and p.n_crosses:
            status = evaluate_cuts(p, failure)
        if status:
            return status
        for i in range(p.n_cuts if p.n_crosses else 0):
            if p.cut_value[i] != p.unjumped[i] and p.cut_value[i] * p.direction[i] < 0.0:  # it was brought back
                p.fired[i] = 0
        find_crossed(p, p.unjumped, which)


cdef int check_gaps(Program *p, Failure *failure) noexcept nogil:
    """Whether what blocks have set keeps systems apart."""
    cdef double size
    cdef int i, j, k, status = 0
    if p.flow.stage != NULL:  # after steps what is set has been observed
        status = flow_observe(p, failure)
        if status:
            return status
    for i in range(p.n_gaps):
        if p.values[p.gap[i]] >= p.gap_before[i]:
            continue
        size = 0.0
        for j in range(p.gap_ranges[i], p.gap_ranges[i + 1], 2):
            for k in range(p.gap_states[j], p.gap_states[j + 1]):
                size = fmax(size, fabs(p.values[k]))
        if not p.values[p.gap[i]] >= p.gap_before[i] - OVERLAPS * size:
            failure.code, failure.stage, failure.item, failure.value = OVERLAP, 0, i, p.values[p.gap[i]]
            return OVERLAP
    return 0


cdef void arm(Program *p) noexcept nogil:
    """A condition that is zero where its block has acted for another one has not come true yet."""
    cdef Sampler *b
    cdef int i, k
    for i in range(p.n_samplers):
        b = &p.sampler[i]
        for k in range(b.n_conditions if b.spent else 0):
            if p.cut_value[b.condition[k]] == 0.0 and not p.fired[b.condition[k]]:
                p.fired[b.condition[k]] = -1


cdef int admit(Program *p, Failure *failure) noexcept nogil:
    """Blocks whose quantities have crossed are due: once at an instant, and not again soon after one."""
    cdef double t = p.clock[1], soon = fmax(SAME_INSTANT * p.h, KNOWN_INTERVAL * fabs(t))
    cdef Sampler *b
    cdef bint now
    cdef int i, k
    for i in range(p.n_samplers):
        b = &p.sampler[i]
        now = False
        for k in range(b.n_conditions):
            now = now or p.fired[b.condition[k]] == 2
        for k in range(b.n_conditions if now else 0):
            if b.flag != NULL:
                b.flag[k] = p.fired[b.condition[k]] == 2
            p.fired[b.condition[k]] = min(p.fired[b.condition[k]], 1)
        if now:
            failure.stage, failure.item, failure.value, failure.detail = 0, i, t - b.acted_at, not b.spent
            if b.spent or failure.value < soon:
                failure.code = AT_ONCE
                return AT_ONCE
            b.due, b.acted_at = 1, t
    return 0


cdef bint crossed(const Program *p) noexcept nogil:
    cdef int i
    for i in range(p.n_cuts if p.n_crosses else 0):
        if p.fired[i] == 2 and not p.ends[i]:
            return True
    return False


cdef bint ends_run(const Program *p) noexcept nogil:
    cdef int i
    for i in range(p.n_cuts if p.n_crosses else 0):
        if p.ends[i] and p.fired[i] > 0:
            return True
    return False
