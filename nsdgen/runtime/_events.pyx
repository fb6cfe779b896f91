# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A run from event to event; the interface is documented in ``_events.pxd``.

Quantities are looked at wherever an instant is recorded and where steps of the integrator end. Events are where one
falls below zero; one that is zero or less where the motion starts, where it falls below that. Between two looks there
are more where one was falling to zero and is not there, and after an event. Quantities that end a run do so as they end
steps of schemes that make steps: where they change their sign.
"""
from libc.math cimport INFINITY, fabs, fmax, fmin
from libc.string cimport memcpy

from nsdgen.runtime._bracket cimport Bracket, bracket_next, bracket_open, bracket_right, bracket_take
from nsdgen.runtime._data cimport EVENT_LIMIT, Counters, Events, Failure, Program
from nsdgen.runtime._flow cimport (
    flow_along,
    flow_begin,
    flow_exact,
    flow_inside,
    flow_observe,
    flow_step,
    flow_straight,
)
from nsdgen.runtime._program cimport evaluate_cuts
from nsdgen.runtime._stage cimport forget_multipliers, run_stage

cdef enum Phase:
    BETWEEN = 0  # the motion starts anew from the record
    MOVING = 1  # the last step is done up to ``sampled``
    WAITING = 2  # the record is that before an event, whose stages are to run
    STARTED = 3  # the record is that before an event at the start; what follows is pending

cdef double ROUNDING = 8.9e-16  # of a time: four units in the last place
cdef double NOTICEABLE = 1e-12  # of the largest state: a smaller change at the start is no event
cdef double NEAR = 1e-9  # of the last step: its square is below rounding
cdef double ROUGHLY = 1e-10  # of the last look: what a first guess may be off
cdef int PROBES = 8
cdef int MOST_HALVINGS = 60
cdef int MOST_GUESSES = 20


cdef int start_events(Program *p, double t, Failure *failure) noexcept nogil:
    cdef Events *e = &p.events
    cdef double largest = 1.0
    cdef bint changed = False
    cdef int i, status
    p.clock[0] = p.clock[1] = t
    e.phase, e.made = BETWEEN, 0
    memcpy(p.kept_values, p.values, p.width * sizeof(double))
    status = pass_event(p, failure)
    if status:
        return status
    for i in range(p.flow.n):
        largest = fmax(largest, fabs(p.values[i]))
    for i in range(p.flow.n):
        if not fabs(p.values[i] - p.kept_values[i]) <= NOTICEABLE * largest:
            changed = True
    if changed:
        memcpy(e.pending, p.values, p.width * sizeof(double))
        memcpy(p.values, p.kept_values, p.width * sizeof(double))
        e.phase = STARTED
        return 0
    return forget_event(p, failure)


cdef int next_instant(Program *p, double grid, Failure *failure, int *which, bint *on_grid) noexcept nogil:
    cdef Events *e = &p.events
    cdef int status
    which[0] = -1
    on_grid[0] = False
    if e.phase == STARTED:
        memcpy(p.values, e.pending, p.width * sizeof(double))
        e.phase = BETWEEN
        return 0
    if e.phase == WAITING:
        e.phase = BETWEEN
        return pass_event(p, failure)
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
    while True:
        status = move(p, grid, failure, which)
        if status:
            return status
        if which[0] >= 0:
            status = count_event(p, which[0], failure)
            if status or not p.silent[which[0]]:
                return status
            status = pass_silently(p, failure)
            if status:
                return status
            which[0] = -1
            if p.clock[1] < grid:
                continue
        if e.sampled >= grid:
            on_grid[0] = True
            e.made = 0
            return 0


cdef int pass_event(Program *p, Failure *failure) noexcept nogil:
    """The stages of an event, in order, and all that follows from the state they leave."""
    cdef Counters counters
    cdef int number, status
    for number in range(p.n_stages):
        if p.stage[number].at_event:
            counters.newton = counters.deficiency = counters.kept = 0
            status = run_stage(&p.stage[number], False, &counters, failure)
            if status:
                return status
    return flow_observe(p, failure)


cdef int pass_silently(Program *p, Failure *failure) noexcept nogil:
    """An event of which nothing is recorded: its stages, and on."""
    cdef int status = pass_event(p, failure)
    if status == 0:
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
    failure.code, failure.item, failure.value = EVENT_LIMIT, which, e.most[0]
    failure.stage = p.flow.stage.number
    return EVENT_LIMIT


# -- smooth motion ------------------------------------------------------------------------


cdef int start_moving(Program *p, Failure *failure) noexcept nogil:
    cdef Events *e = &p.events
    cdef int i, status
    status = evaluate_cuts(p, failure)
    if status:
        return status
    for i in range(p.n_cuts):
        p.before[i] = p.cut_value[i]
        e.base[i] = 0.0 if p.ends[i] else fmin(p.cut_value[i], 0.0)
    e.sampled = p.clock[1]
    flow_begin(p)
    e.phase, e.fresh = MOVING, True
    return 0


cdef int move(Program *p, double grid, Failure *failure, int *which) noexcept nogil:
    """On to ``grid``, the end of a step or an event, whichever comes first."""
    cdef Events *e = &p.events
    cdef double to
    cdef int i, status
    if e.sampled >= p.flow.end:
        status = flow_step(p, failure)
        if status:
            return status
    to = fmin(grid, p.flow.end)
    status = look(p, to, False, failure)
    if status:
        return status
    if weigh(p):
        return locate(p, to, failure, which)
    if suspicious(p, to):
        status = look_between(p, &to, failure)
        if status:
            return status
        if weigh(p):
            return locate(p, to, failure, which)
    for i in range(p.n_cuts):
        e.slope[i] = (p.cut_value[i] - p.before[i]) / (to - e.sampled)
        p.before[i] = p.cut_value[i]
        if p.cut_value[i] > 0:
            e.base[i] = 0.0
    e.sampled, e.fresh = to, False
    return 0


cdef bint suspicious(Program *p, double to) noexcept nogil:
    """Whether a quantity may have been below zero in between: right after an event, and where one was falling to it."""
    cdef Events *e = &p.events
    cdef int i
    if e.fresh:
        return p.n_cuts > 0
    for i in range(p.n_cuts):
        if not p.ends[i] and p.before[i] + e.slope[i] * (to - e.sampled) < 0.0:
            return True
    return False


cdef int look_between(Program *p, double *to, Failure *failure) noexcept nogil:
    """Look at points since the last look: ``to`` is the first at which a quantity is below zero, else left as it was."""
    cdef Events *e = &p.events
    cdef double t
    cdef int i, status
    for i in range(1, PROBES):
        t = e.sampled + i * (to[0] - e.sampled) / PROBES
        if not e.sampled < t < to[0]:
            continue
        status = look(p, t, False, failure)
        if status:
            return status
        if weigh(p):
            to[0] = t
            return 0
    return look(p, to[0], False, failure)


cdef int look(Program *p, double t, bint exactly, Failure *failure) noexcept nogil:
    """The record and all quantities at t."""
    cdef int status = flow_exact(p, t, failure) if exactly else flow_inside(p, t, failure)
    if status == 0:
        status = flow_observe(p, failure)
    return status if status else evaluate_cuts(p, failure)


cdef bint weigh(Program *p) noexcept nogil:
    """Whether a quantity has its zero since the last look; ``scale`` is then its value here, else 0."""
    cdef Events *e = &p.events
    cdef double value
    cdef bint found = False
    cdef int i
    for i in range(p.n_cuts):
        value = p.cut_value[i]
        e.scale[i] = 0.0
        if p.ends[i]:
            if p.before[i] != 0.0 and p.before[i] * p.direction[i] <= 0.0 and (
                    value == 0.0 or (value > 0.0) != (p.before[i] > 0.0)):
                e.scale[i] = fabs(p.before[i]) if p.before[i] < 0.0 else -p.before[i]
                found = True
        elif value < e.base[i]:
            e.scale[i] = -fmax(e.base[i] - value, 1e-300)
            found = True
    return found


cdef double fallen(Program *p, int *which) noexcept nogil:
    """Negative before the first zero of the quantities weighed, not negative after it."""
    cdef Events *e = &p.events
    cdef double value, highest = -INFINITY
    cdef int i
    for i in range(p.n_cuts):
        if e.scale[i] != 0.0:
            value = (p.cut_value[i] - e.base[i]) / e.scale[i]
            if value > highest:
                highest = value
                which[0] = i
    return highest


# -- the instant of an event ----------------------------------------------------------------


cdef int locate(Program *p, double to, Failure *failure, int *which) noexcept nogil:
    """The first zero since the last look, first on the extension of the step, then on steps that end there."""
    cdef Events *e = &p.events
    cdef Bracket b
    cdef double left, right = to, f_left, f_right = fallen(p, which), x, least
    cdef int status
    least = ROUNDING * fmax(fabs(e.sampled), fabs(to))
    status = before_zero(p, &right, &f_right, &left, &f_left, least, failure, which)
    if status:
        return status
    if left == right:  # at once
        return settle(p, e.sampled, failure, which)
    bracket_open(&b, left, f_left, right, f_right, fmax(least, ROUGHLY * (right - left)))
    while bracket_next(&b, &x):
        status = look(p, x, False, failure)
        if status:
            return status
        bracket_take(&b, x, fallen(p, which))
    x = bracket_right(&b)
    return refine(p, left, x, right, least, failure, which)


cdef int before_zero(Program *p, double *right, double *f_right, double *left, double *f_left, double least,
                     Failure *failure, int *which) noexcept nogil:
    """A point before the zero: the last look, or where a quantity that starts at zero has risen; ``right`` for none."""
    cdef Events *e = &p.events
    cdef double t, f
    cdef bint rises = False
    cdef int i, status
    f_left[0] = -INFINITY
    for i in range(p.n_cuts):
        if e.scale[i] != 0.0:
            f = (p.before[i] - e.base[i]) / e.scale[i]
            rises = rises or f >= 0.0
            f_left[0] = fmax(f_left[0], f)
    left[0] = e.sampled
    if not rises:
        return 0
    for i in range(MOST_HALVINGS):
        t = e.sampled + 0.5 * (right[0] - e.sampled)
        if not t - e.sampled > least:
            break
        status = look(p, t, False, failure)
        if status:
            return status
        f = fallen(p, which)
        if f < 0.0:
            left[0], f_left[0] = t, f
            return 0
        right[0], f_right[0] = t, f
    left[0] = right[0]
    return 0


cdef int refine(Program *p, double low, double guess, double high, double least, Failure *failure,
                int *which) noexcept nogil:
    """The zero near a guess on steps of the method itself, which are more accurate than their extension.

    Such a step ends at the guess; so near to it that curvature is below rounding the motion is a straight line.
    """
    cdef double reach = NEAR * (p.flow.end - p.flow.begin), f, x, other
    cdef int i, status
    for i in range(MOST_GUESSES):
        status = look(p, guess, True, failure)
        if status:
            return status
        f = fallen(p, which)
        if f == 0.0:
            return 0
        flow_straight(p)
        other = fmin(high, guess + reach) if f < 0.0 else fmax(low, guess - reach)
        status = look_near(p, guess, other, failure)
        if status:
            return status
        x = fallen(p, which)
        if (x >= 0.0) != (f >= 0.0):
            return close_in(p, guess, f, other, x, least, failure, which)
        x = other + x * (other - guess) / (f - x) if f != x else other
        x = fmin(high, fmax(low, x))
        if fabs(x - guess) <= reach:  # flat, or at an end of what the extension allows
            break
        guess = x
    return settle(p, high if f < 0.0 else guess, failure, which)


cdef int close_in(Program *p, double guess, double f_guess, double other, double f_other, double least,
                  Failure *failure, int *which) noexcept nogil:
    """The zero between a guess and a point near it, on the straight line through the guess."""
    cdef Bracket b
    cdef double x
    cdef int status
    if f_guess < 0.0:
        bracket_open(&b, guess, f_guess, other, f_other, least)
    else:
        bracket_open(&b, other, f_other, guess, f_guess, least)
    while bracket_next(&b, &x):
        status = look_near(p, guess, x, failure)
        if status:
            return status
        bracket_take(&b, x, fallen(p, which))
    status = look_near(p, guess, bracket_right(&b), failure)
    fallen(p, which)
    return status


cdef int look_near(Program *p, double guess, double t, Failure *failure) noexcept nogil:
    """The record and all quantities at t, on the straight line through the guess."""
    cdef int status
    flow_along(p, guess, t)
    status = flow_observe(p, failure)
    return status if status else evaluate_cuts(p, failure)


cdef int settle(Program *p, double t, Failure *failure, int *which) noexcept nogil:
    """The record at an event."""
    cdef int status = look(p, t, True, failure)
    fallen(p, which)
    return status
