"""A run from event to event: recorded instants one after the other, in smooth motion and on both sides of events.

Quantities are looked at wherever an instant is recorded and where steps of the integrator end, and ahead. Events are where one
falls below zero; one that is zero or less where the motion starts, where it falls below that. Between two looks there
are more where one was falling to zero and is not there, and after an event. Quantities that end a run do so as they end
steps of schemes that make steps: where they change their sign.
"""

cdef enum Phase:
    BETWEEN = 0  # the motion starts anew from the record
    MOVING = 1  # the last step is done up to ``sampled``
    WAITING = 2  # the record is that before an event, whose stages are to run
    STARTED = 3  # the record is that before an event at the start; what follows is pending

cdef int TRIES = 8  # events beyond the limit, at any of which a row that swings may be held
cdef int MOST_EARLIER = 12  # looks at all points before an event, each time between eight times nearer ones: to 1e-11 of the first
cdef double AT_ONCE = 1e-9  # of what a quantity moved by since the last look: below zero by less it is so at the same time
cdef double NOTICEABLE = 1e-12  # of a state, and of the terms that move it in a step: a smaller change at the start is no event


cdef int start_events(Program *p, double t, Failure *failure) noexcept nogil:
    """The stages of events at the start; where they change the state, the record is left as it was before them."""
    cdef Events *e = &p.events
    cdef bint changed = False
    cdef int i, status, which = -1
    p.clock[0] = p.clock[1] = t
    e.phase, e.made, e.reach, e.striker = BETWEEN, 0, INFINITY, -1
    memset(e.reached, 0, p.n_cuts * sizeof(double))
    memset(e.grain, 0, p.n_cuts * sizeof(double))
    memset(e.rough, 0, p.n_cuts * sizeof(int))
    for i in range(p.n_cuts):
        e.rounds[i].tallest = 0.0
    p.flow.horizon = e.end
    forget_sequence(p)
    forget_rounds(p)
    modes_begin(p, t)
    memset(p.flow.size, 0, p.flow.total * sizeof(double))
    memset(p.flow.most, 0, 2 * (p.flow.total - p.flow.n) * sizeof(double))
    flow_grow(p)
    memcpy(p.kept_values, p.values, p.width * sizeof(double))
    status = evaluate_cuts(p, failure) if p.n_crosses else 0
    if status == 0:
        status = pass_event(p, &which, failure)
    if status:
        return status
    status = size_rates(p, p.flow.terms, failure)
    if status:
        return status
    for i in range(p.flow.n):
        if not fabs(p.values[i] - p.kept_values[i]) <= NOTICEABLE * (
                fmax(fabs(p.values[i]), fabs(p.kept_values[i])) + p.h * p.flow.terms[i]):
            changed = True
    if changed:
        memcpy(e.pending, p.values, p.width * sizeof(double))
        memcpy(p.values, p.kept_values, p.width * sizeof(double))
        e.phase = STARTED
        return 0
    return forget_event(p, failure)


cdef int next_instant(Program *p, double grid, Failure *failure, int *which, bint *on_grid) noexcept nogil:
    """On to ``grid`` or to the next side of an event before it, whose quantity is ``which`` (-1 for none); the clock
    says when."""
    cdef Events *e = &p.events
    cdef double stop
    cdef int status
    which[0] = -1
    on_grid[0] = False
    e.chosen = 0
    if e.phase == STARTED:
        memcpy(p.values, e.pending, p.width * sizeof(double))
        e.phase = BETWEEN
        return 0
    if e.phase == WAITING or (e.phase == BETWEEN and p.clock[1] >= e.due):
        on_grid[0] = p.clock[1] >= fmax(grid, e.due)
        if on_grid[0]:
            e.made = 0
        if e.phase == BETWEEN:
            begin_instant(p, True)
            forget_sequence(p)
            forget_rounds(p)
        e.phase = BETWEEN
        return pass_event(p, which, failure)
    if e.phase == BETWEEN:
        status = forget_event(p, failure)
        if status:
            return status
        if p.clock[1] >= grid:
            on_grid[0] = True
            e.made = 0
            return 0
        status = start_moving(p, failure)
        if status:
            return status
    stop = fmin(grid, e.due)
    while True:
        status = move(p, stop, failure, which)
        if status:
            return status
        if which[0] >= 0:
            status = check_box(p, which[0], failure)
            if status:
                return status
            e.striker, e.extrapolated = which[0], reach_limit(p, which[0], stop)
            begin_instant(p, p.clock[1] >= e.due)
            if p.crosses[which[0]]:
                p.fired[which[0]] = 2
            find_crossed(p, p.before, which)
            status = count_event(p, which[0], failure)
            if status or not p.silent[which[0]] or crossed(p) or ends_run(p):
                return status
            which[0] = -1
            status = pass_silently(p, which, failure)
            if status or which[0] >= 0:
                return status
            if p.clock[1] < stop:
                continue
        if e.sampled >= stop:
            if p.flow.rough and stop < p.flow.end:
                status = flow_exact(p, stop, failure)
                if status == 0:
                    status = flow_observe_tried(p, failure)
                if status:
                    return status
            if stop == e.due:  # the side before
                e.phase = BETWEEN
                return 0
            on_grid[0] = True
            e.made = 0
            return 0


cdef void look_ahead(Program *p) noexcept nogil:
    """The next instant at which a block is due, which no step of the integrator passes."""
    cdef Events *e = &p.events
    e.due = next_due(p, e.start, e.end, p.h) if p.n_samplers else INFINITY
    p.flow.horizon = fmin(e.end, e.due)


cdef int pass_event(Program *p, int *which, Failure *failure) noexcept nogil:
    """What blocks do at an instant, the stages of an event, and all that follows from the state they leave.

    Where quantities cross by the stages, more blocks act, then the stages again. ``which`` is one that crosses so.
    """
    cdef Counters unused
    cdef int status
    memset(&unused, 0, sizeof(Counters))
    keep_modes(p)
    while True:
        status = pass_instant(p, &unused, which, failure)
        if status:
            return status
        if p.n_crosses:
            memcpy(p.unjumped, p.cut_value, p.n_cuts * sizeof(double))
        status = run_event(p, failure)
        if status == 0 and p.n_crosses:
            status = evaluate_cuts(p, failure)
        if status:
            return status
        find_crossed(p, p.unjumped, which)
        if not crossed(p):
            look_ahead(p)
            return 0


cdef int run_event(Program *p, Failure *failure) noexcept nogil:
    """The stages of an event, in order, and all that follows from the state they leave."""
    cdef double closed = p.events.closed[0]
    cdef int number, status = 0
    cdef bint first = True
    p.events.closed[0] = begin_rounds(p)
    for number in range(p.n_stages):
        if p.stage[number].at_event:
            status = run_apart(p, number, failure)
            if status and not (number == forces(p) and p.events.n_places):  # a guess
                break
            if first:
                count_strike(p, &p.stage[number])
            first, status = False, 0
    p.events.closed[0] = closed
    return status if status else share_out(p, failure)


cdef int pass_silently(Program *p, int *which, Failure *failure) noexcept nogil:
    """An event of which nothing is recorded: its stages, and on, unless a quantity crosses by them."""
    cdef int status
    p.events.phase = BETWEEN
    status = pass_event(p, which, failure)
    if status or which[0] >= 0:
        return status
    status = forget_event(p, failure)
    return status if status else start_moving(p, failure)


cdef int forget_event(Program *p, Failure *failure) noexcept nogil:
    """Multipliers of events are zero between them; some share their place with those of the motion."""
    cdef int number
    for number in range(p.n_stages):
        if p.stage[number].at_event:
            forget_multipliers(&p.stage[number])
    return flow_observe(p, failure)


cdef int count_event(Program *p, int which, Failure *failure) noexcept nogil:
    cdef Events *e = &p.events
    e.phase = WAITING
    e.made += 1
    if e.made <= e.most[0]:
        return 0
    if e.n_places and e.made <= e.most[0] + TRIES:
        e.endless = 1
        return 0
    failure.code, failure.item, failure.value = EVENT_LIMIT, which, e.most[0]
    failure.stage = p.flow.stage.number
    return EVENT_LIMIT


cdef int start_moving(Program *p, Failure *failure) noexcept nogil:
    cdef Events *e = &p.events
    cdef int i, status = 0
    if e.now > p.clock[1]:  # the motion that was chosen is the one behind this instant
        p.clock[0] = p.clock[1] = e.now
        status = flow_observe(p, failure)
    if status == 0:
        status = evaluate_cuts(p, failure)
    if status:
        return status
    for i in range(p.n_cuts):
        if i >= p.n_cuts - p.n_widths and not p.cut_value[i] >= 0.0:
            return check_box(p, i, failure)
        p.before[i] = p.cut_value[i]
        e.base[i] = 0.0 if p.crosses[i] else fmin(p.cut_value[i], 0.0)
        e.sign[i] = 0.0 if p.fired[i] > 0 else side(p, i)
        if p.fired[i] < 0:
            e.sign[i] = -p.direction[i]
            p.before[i] = e.sign[i] * DBL_MIN
    watch_modes(p)
    base_modes(p)
    e.sampled = e.resolved = e.refused = p.clock[1]
    flow_begin(p)
    flow_grow(p)
    flow_foresee(p)
    e.phase, e.fresh = MOVING, True
    return 0


cdef int move(Program *p, double grid, Failure *failure, int *which) noexcept nogil:
    """On to ``grid``, the end of a step or an event, whichever comes first."""
    cdef Events *e = &p.events
    cdef double to
    cdef int i, status
    cdef bint glances  # between the last look and this one
    if e.sampled >= p.flow.end:
        status = flow_step(p, failure)
        if status:
            return status
    to = fmin(grid, p.flow.end)
    if e.sampled < e.clear:  # what starts at zero is above it there
        to = fmin(to, e.clear)
    status = look_near_enough(p, &to, failure)
    if status == 0 and e.fresh and p.n_crosses:
        status = look_back(p, &to, failure)
    if status:
        return status
    if weigh(p):
        return first_zero(p, to, failure, which)
    if suspicious(p, to):
        status = look_between(p, &to, failure)
        if status:
            return status
        if weigh(p):
            return first_zero(p, to, failure, which)
    watch_modes(p)
    glances = e.glanced > e.sampled
    for i in range(p.n_cuts):
        e.slope[i] = slope_of_parabola(e.glanced, e.glance[i], e.sampled, p.before[i], to, p.cut_value[i])
        e.earlier[i] = e.glance[i] if glances else p.before[i]
        p.before[i] = p.cut_value[i]
        p.fired[i] = 0
        e.sign[i] = side(p, i)
        if p.cut_value[i] > -e.base[i]:
            e.base[i] = 0.0
    flow_accept(p)
    flow_grow(p)
    e.earlier_at, e.fresh = e.glanced if glances else e.sampled, False
    e.sampled = to
    return 0


cdef int check_box(Program *p, int which, Failure *failure) noexcept nogil:
    """EMPTY_BOX where a quantity is what lies between two bounds, which is nothing now, else 0."""
    cdef int i, k, width = p.n_cuts - p.n_widths
    for i in range(p.n_boxes):
        for k in range(p.boxes[i].n // 2):
            if width == which:
                failure.code, failure.item, failure.row, failure.value = EMPTY_BOX, p.boxes[i].relation, k, p.boxes[i].bound[2 * k + 1]
                return EMPTY_BOX
            width += 1
    return 0


cdef int first_zero(Program *p, double to, Failure *failure, int *which) noexcept nogil:
    """The first event before ``to``, where a quantity is below zero: gaps may have been below zero in between.

    They are looked for between the last look and ``to``, and once more where the event is: one of them that is below
    zero there came first. Forces are not, which several solutions may share in any way.
    """
    cdef Events *e = &p.events
    cdef double last
    cdef int i, status
    for i in range(MOST_EARLIER):
        if not may_be_first(p, to):
            break
        last = to
        status = look_between(p, &to, failure)
        if status:
            return status
        weigh(p)
        if to == last:
            break
    for i in range(p.n_cuts):
        memcpy(e.probe + PROBES * p.n_cuts, p.cut_value, p.n_cuts * sizeof(double))
        status = locate(p, to, failure, which)
        if status or not one_was_first(p, which[0]):
            return status
        to = p.clock[1]
    return 0


cdef bint may_be_first(Program *p, double to) noexcept nogil:
    """Whether a gap that is not below zero at ``to`` may have been so: right after an event, or as one that fell."""
    cdef Events *e = &p.events
    cdef int i
    for i in range(p.n_cuts):
        if e.gap[i] != NULL and e.scale[i] == 0.0 and p.cut_value[i] != p.before[i] and (
                e.fresh or p.before[i] + e.slope[i] * (to - e.sampled) < 0.0):
            return True
    return False


cdef bint one_was_first(Program *p, int which) noexcept nogil:
    """Whether another gap than that of the event has fallen below zero where that is; they are then weighed."""
    cdef Events *e = &p.events
    cdef double moved
    cdef int i
    cdef bint found = False
    for i in range(p.n_cuts):
        moved = fmax(fabs(p.before[i] - e.base[i]), fabs(e.probe[PROBES * p.n_cuts + i] - e.base[i]))
        if i != which and e.gap[i] != NULL and p.cut_value[i] - e.base[i] < -AT_ONCE * moved:
            found = True
    return found and weigh(p)


cdef bint suspicious(Program *p, double to) noexcept nogil:
    """Whether a quantity may have been below zero in between: right after an event, and where one was falling to it."""
    cdef Events *e = &p.events
    cdef int i
    if e.fresh:
        return p.n_cuts > 0
    for i in range(p.n_cuts):
        if signed(p, i, p.before[i] + e.slope[i] * (to - e.sampled)) < 0.0:
            return True
    return False
