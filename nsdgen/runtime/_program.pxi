"""The stages of a step in order, repeated, skipped, and a step that ends early.

All that a step changes lies in two blocks, the record and the modes, so making it again is two copies.
"""

cdef double ROUNDING = 8.9e-16  # of a time: four units in the last place
cdef double PART = 0.01  # of a step, and of that: where a quantity that comes back is looked for, over all decades


cdef int make_step(Program *p, double begin, double end, double h, Counters *counters, Failure *failure) noexcept nogil:
    """One step from ``begin`` to ``end``, h long to rounding: 0 or a FailureCode."""
    cdef Counters of_stage
    cdef int number = 0, status
    p.clock[0], p.clock[1] = begin, end
    if h != p.h:
        status = set_step(p, h, failure)
        if status:
            return status
    memset(counters, 0, sizeof(Counters))
    while number < p.n_stages:
        if p.stage[number].at_start or p.stage[number].block >= 0:
            number += 1
            continue
        memset(&of_stage, 0, sizeof(Counters))
        if p.repeat_of[number] >= 0:
            status = run_repeat(p, &p.repeat[p.repeat_of[number]], &of_stage, failure)
            number = p.repeat[p.repeat_of[number]].end
        else:
            status = run_stage(&p.stage[number], False, &of_stage, failure)
            number += 1
        if status:
            return status
        add_counters(counters, &of_stage)
        if p.stage[number - 1].watched.verdict == OPEN:
            p.open = 1
        note_stage(p, end, number - 1, &of_stage)
    return 0


cdef void note_stage(Program *p, double t, int number, const Counters *of_stage) noexcept nogil:
    """Note what other solutions its last one-step problem had."""
    if of_stage.several or of_stage.turned:
        note_several(p, t, number, max(of_stage.several, of_stage.turned) - 1, of_stage.turned != 0)
        p.stage[number].graph.told |= of_stage.turned != 0


cdef void note_several(Program *p, double t, int stage, int row, bint turned) noexcept nogil:
    """Count an instant with several solutions, once, and keep where the first one was, and whether shares turn its motion."""
    cdef const Stage *s = &p.stage[stage]
    cdef int i
    if p.several == 0:
        p.several_at, p.several_stage, p.several_turned = t, stage, turned
        for i in range(s.n_play):
            if s.relation[s.play[i]].row <= row < s.relation[s.play[i]].row + s.relation[s.play[i]].m:
                p.several_relation, p.several_row = s.play[i], row - s.relation[s.play[i]].row
    p.several += p.several == 0 or t != p.several_last
    p.several_last = t


cdef int set_step(Program *p, double h, Failure *failure) noexcept nogil:
    """Another h: what was computed with the last one is out of date."""
    cdef int i
    for i in range(p.n_runs):
        p.run[i][0] = h
    for i in range(p.n_stages):
        forget(&p.stage[i])
    p.h = h
    if p.step_parameter < 0:
        return 0
    p.parameter[p.step_parameter] = h
    return spread(p, failure)


# -- repeated groups --------------------------------------------------------------------


cdef int run_repeat(Program *p, Repeat *g, Counters *counters, Failure *failure) noexcept nogil:
    cdef Counters of_stage
    cdef int number, status, passes = 0
    cdef bint done
    if g.from_start:
        memcpy(p.group_kept, p.values, p.n_carried * sizeof(double))
    if g.minimum == 0:
        status = get_ready(p, g, failure)
        if status:
            return status
    while True:
        if passes >= g.minimum:
            status = satisfied(p, g, &done, failure)
            if status or done:
                return status
            if passes == g.maximum:
                counters.kept += 1
                return 0 if g.keep_on_limit else REPEAT_LIMIT
        if passes and g.from_start:
            memcpy(p.values, p.group_kept, p.n_carried * sizeof(double))
        for number in range(g.first, g.end):
            memset(&of_stage, 0, sizeof(Counters))
            status = run_stage(&p.stage[number], passes > 0, &of_stage, failure)
            if status:
                return status
            if number == g.first:
                counters.deficiency = 0.0
            add_counters(counters, &of_stage)
            note_stage(p, p.clock[1], number, &of_stage)
        passes += 1


cdef int get_ready(Program *p, Repeat *g, Failure *failure) noexcept nogil:
    """Which relations are in play before a first pass that may not be needed; no multipliers."""
    cdef int number, status
    for number in range(g.first, g.end):
        failure.stage = number
        forget_multipliers(&p.stage[number])
        p.stage[number].moved = 0
        status = activate(&p.stage[number], False, 0, failure)
        if status:
            return status
    return 0


cdef int satisfied(Program *p, Repeat *g, bint *done, Failure *failure) noexcept nogil:
    """Whether no violation is left and no relation enters; names what is in the way otherwise."""
    cdef int number, status, item = 0, stage = g.first, entered = -1
    cdef double violation, worst = 0.0
    for number in range(g.first, g.end):
        failure.stage = number
        if g.by_violation:
            status = largest_violation(&p.stage[number], &violation, &item, failure)
            if status:
                return status
            if violation > worst:
                worst = violation
                stage, failure.row = number, item
        status = admit(p, g, number, &entered, failure)
        if status:
            return status
    done[0] = entered < 0 and worst <= g.tolerance
    if not done[0]:
        failure.code, failure.stage, failure.value = REPEAT_LIMIT, stage, worst
        failure.detail = worst <= g.tolerance
        failure.item = entered if worst <= g.tolerance else failure.row
    return 0


cdef int admit(Program *p, Repeat *g, int number, int *entered, Failure *failure) noexcept nogil:
    """Relations that come into play after a pass, in all stages of the group that follow their mode."""
    cdef BoundRelation *r
    cdef int i, k
    for i in range(p.stage[number].n_relations):
        r = &p.stage[number].relation[i]
        if r.entry.call == NULL or r.in_play:
            continue
        call(&r.entry)
        if r.form.mode_next[0] > 0:
            entered[0] = i
            r.mode[0] = r.form.mode_next[0]
            for k in range(g.first, g.end):
                if p.stage[k].relation[i].mode == r.mode:
                    p.stage[k].relation[i].in_play = 1
    return 0


# -- steps that end early -----------------------------------------------------------------


cdef int make_step_cut(Program *p, double begin, double end, double h, Counters *counters, Failure *failure,
                       int *which) noexcept nogil:
    """One step to ``end``, or to the first zero of a quantity that cuts: ``which`` is its number, -1 for none.

    The clock says where the step ended.
    """
    cdef Bracket b
    cdef double f, x, last = end - begin
    cdef int status
    status = keep_start(p, failure)
    which[0] = -1
    if status == 0:
        status = make_step(p, begin, end, h, counters, failure)
    if status == 0:
        status = evaluate_cuts(p, failure)
    if status:
        return status
    f = height(p, which)
    if f < 0.0 and p.n_crosses and may_return(p):
        status = find_return(p, begin, end, &last, counters, failure)
        if status:
            return status
        f = height(p, which)
    if f < 0.0:
        which[0] = -1
        return 0
    bracket_open(&b, 0.0, -1.0, last, f, ROUNDING * fmax(fabs(begin), fabs(end)))
    while bracket_next(&b, &x):
        status = make_again(p, begin, x, counters, failure)
        if status:
            return status
        f = height(p, which)
        bracket_take(&b, x, f)
        last = x
    x = bracket_right(&b)
    if x != last:
        if x == end - begin:
            back_to_start(p)
            status = make_step(p, begin, end, h, counters, failure)
            if status == 0:
                status = evaluate_cuts(p, failure)
        else:
            status = make_again(p, begin, x, counters, failure)
        height(p, which)
    return status


cdef bint may_return(const Program *p) noexcept nogil:
    """Whether a quantity that crossed where the step begins is on the same side at its end."""
    cdef int i
    for i in range(p.n_cuts):
        if p.fired[i] > 0 and p.before[i] * p.direction[i] >= 0.0 and p.cut_value[i] * p.direction[i] > 0.0:
            return True
    return False


cdef bint has_returned(const Program *p) noexcept nogil:
    """Whether one is on the side from which it crossed."""
    cdef int i
    for i in range(p.n_cuts):
        if p.fired[i] > 0 and p.cut_value[i] * p.direction[i] < 0.0:
            return True
    return False


cdef int find_return(Program *p, double begin, double end, double *h, Counters *counters, Failure *failure) noexcept nogil:
    """A shorter step, where such a quantity has come back within it, to cross again; else the step as it was."""
    cdef double x = PART * h[0]
    cdef int status
    while x > ROUNDING * fabs(begin) and x > ROUNDING * ROUNDING * h[0]:
        status = make_again(p, begin, x, counters, failure)
        if status:
            return status
        if has_returned(p):
            h[0] = x
            return 0
        x *= PART
    back_to_start(p)
    status = make_step(p, begin, end, h[0], counters, failure)
    return status if status else evaluate_cuts(p, failure)


cdef int keep_start(Program *p, Failure *failure) noexcept nogil:
    """Keep the record and the modes, and the quantities that cut as they are: 0 or a FailureCode."""
    cdef int i, status
    memcpy(p.kept_values, p.values, p.width * sizeof(double))
    memcpy(p.kept_modes, p.modes, p.n_modes * sizeof(double))
    status = evaluate_cuts(p, failure)
    memcpy(p.before, p.cut_value, p.n_cuts * sizeof(double))
    for i in range(p.n_cuts if p.n_crosses else 0):
        if p.fired[i] < 0:
            p.before[i] = -p.direction[i] * DBL_MIN
    return status


cdef long steps_uncut(Program *p, long count, const double *row, long stride, const double *times,
                      Failure *failure) noexcept nogil:
    """How many steps lie before the first one in which a quantity that cuts becomes zero.

    The records of ``count`` steps after the one that was kept are ``stride`` numbers apart, ``times`` are their ends.
    """
    cdef int which = -1
    cdef long k
    for k in range(count):
        memcpy(p.values, row + k * stride, p.width * sizeof(double))
        p.clock[0], p.clock[1] = p.clock[1], times[k]
        if evaluate_cuts(p, failure) or not height(p, &which) < 0.0 or first_lost(p.cut_value, 0, p.n_cuts) >= 0:
            return k
        memcpy(p.before, p.cut_value, p.n_cuts * sizeof(double))
    return count


cdef void back_to_start(Program *p) noexcept nogil:
    """The record and the modes as they were kept."""
    memcpy(p.values, p.kept_values, p.width * sizeof(double))
    memcpy(p.modes, p.kept_modes, p.n_modes * sizeof(double))


cdef int make_again(Program *p, double begin, double h, Counters *counters, Failure *failure) noexcept nogil:
    """The step made again, h long, and the quantities that cut at its end."""
    cdef int status
    back_to_start(p)
    status = make_step(p, begin, begin + h, h, counters, failure)
    return status if status else evaluate_cuts(p, failure)


cdef int evaluate_cuts(Program *p, Failure *failure) noexcept nogil:
    cdef int i
    read_others(p)
    for i in range(p.n_cut_kernels):
        call(&p.cut[i])
    measure_boxes(p)
    return 0


cdef void measure_boxes(Program *p) noexcept nogil:
    """What lies between the bounds of boxes that move, 1 without an end."""
    cdef double *width = p.cut_value + p.n_cuts - p.n_widths
    cdef const double *bound
    cdef int i, k
    for i in range(p.n_boxes):
        call(&p.boxes[i].call)
        for k in range(p.boxes[i].n // 2):
            bound = p.boxes[i].bound + 2 * k
            width[0] = 1.0 if isinf(bound[1] - bound[0]) and bound[0] < bound[1] else bound[1] - bound[0]
            width += 1


cdef int first_lost(const double *values, int begin, int end) noexcept nogil:
    """The first of these numbers that is none; -1 where all are."""
    cdef int i
    for i in range(begin, end):
        if values[i] != values[i]:
            return i
    return -1


cdef double height(Program *p, int *which) noexcept nogil:
    """Negative before the first zero of all quantities, -1 where the step starts, and not negative after it."""
    cdef double value, highest = -INFINITY
    cdef int i
    for i in range(p.n_cuts):
        if p.before[i] * p.direction[i] <= 0 and p.before[i] != 0:  # a rising one begins below zero
            value = -p.cut_value[i] / p.before[i]
            if value > highest:
                highest = value
                which[0] = i
    return highest
