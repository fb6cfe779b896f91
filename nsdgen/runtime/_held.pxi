"""What a run sets itself: parameters that blocks hold at instants of their own, and h.

A held value is a parameter that changes: what was computed from the last one is out of date.
"""

cdef double CLOSE = 1e-9  # of a step: two instants nearer than this are one


cdef void start_blocks(Program *p, double step) noexcept nogil:
    cdef Sampler *b
    cdef int i
    for i in range(p.n_samplers):
        b = &p.sampler[i]
        b.next = b.due = 0
        b.acted_at = -INFINITY
        if not b.cut:
            b.every, b.first = llround(b.period / step), llround(b.offset / step)


cdef void resume_blocks(Program *p, double now, double step, bint pending) noexcept nogil:
    cdef Sampler *b
    cdef double least = now - CLOSE * step if pending else now + CLOSE * step
    cdef int i
    for i in range(p.n_samplers):
        b = &p.sampler[i]
        b.next = <long>fmax(0.0, (least - p.origin - b.offset) / b.period - 1.0)
        while p.origin + (b.offset + b.next * b.period) < least:
            b.next += 1


cdef double next_stop(Program *p, double start, double begin, double end, double step, long number) noexcept nogil:
    cdef Sampler *b
    cdef double instant, stop = end
    cdef int i
    for i in range(p.n_samplers):
        b = &p.sampler[i]
        instant = p.origin + (b.offset + b.next * b.period)
        if (b.cut or p.resumed) and instant < stop - CLOSE * step:
            stop = instant
    for i in range(p.n_samplers):
        b = &p.sampler[i]
        if b.cut or p.resumed:
            b.due = fabs(p.origin + (b.offset + b.next * b.period) - stop) <= CLOSE * step
        else:
            b.due = stop == end and b.first + b.next * b.every == number
    return stop


cdef double next_due(Program *p, double start, double end, double step) noexcept nogil:
    cdef Sampler *b
    cdef double stop = INFINITY, on_grid
    cdef int i
    for i in range(p.n_samplers):
        b = &p.sampler[i]
        stop = fmin(stop, p.origin + (b.offset + b.next * b.period))
    for i in range(p.n_samplers):
        b = &p.sampler[i]
        b.due = fabs(p.origin + (b.offset + b.next * b.period) - stop) <= CLOSE * step
    if not stop <= end + CLOSE * step:
        return INFINITY
    on_grid = start + llround((stop - start) / step) * step
    return on_grid if fabs(on_grid - stop) <= CLOSE * step else stop


cdef long steps_before_instant(Program *p, double start, double step, long number) noexcept nogil:
    cdef Sampler *b
    cdef long count = LONG_MAX, until
    cdef double left
    cdef int i
    for i in range(p.n_samplers):
        b = &p.sampler[i]
        if b.cut or p.resumed:
            left = (p.origin - start + (b.offset + b.next * b.period)) / step - number - 1.0  # one less, for rounding
            until = 0 if left < 0.0 else <long>fmin(left, 1e15)
        else:
            until = b.first + b.next * b.every - number - 1
        count = min(count, until)
    return max(count, <long>0)


cdef void read_others(Program *p) noexcept nogil:
    cdef Sampler *b
    cdef int i, k
    for i in range(p.n_samplers):
        b = &p.sampler[i]
        for k in range(b.n_reads):
            b.read[k] = b.source[k][0]


cdef int publish(Program *p, int number, Failure *failure) noexcept nogil:
    cdef Sampler *b = &p.sampler[number]
    cdef bint changed = False
    cdef int k
    for k in range(b.n_holds):
        if p.parameter[b.parameter[k]] != b.memory[k]:
            p.parameter[b.parameter[k]] = b.memory[k]
            changed = True
    return spread(p, failure) if changed else 0


cdef int reset_states(Program *p, int number, Failure *failure) noexcept nogil:
    """States that a block sets, where it has acted; what is recorded and remembered of the new ones. 0 or a
    FailureCode."""
    cdef Sampler *b = &p.sampler[number]
    cdef int k, status
    if b.n_resets == 0 or (b.acted != NULL and b.acted[0] == 0):
        return 0
    for k in range(b.n_resets):
        b.state[k][0] = b.reset[k]
    for k in range(p.n_stages if p.flow.stage == NULL else 0):  # else all of an event follows
        if p.stage[k].block < 0 and not p.stage[k].at_start:
            status = observe(&p.stage[k], failure)
            if status:
                return status
    return 0


cdef int spread(Program *p, Failure *failure) noexcept nogil:
    cdef Reader *r
    cdef double value
    cdef bint kept = False
    cdef int i, k
    call(&p.derived)
    for i in range(p.n_readers):
        r = &p.reader[i]
        value = r.source[0]
        if not (isfinite(value) and r.low <= value <= r.high):
            failure.code, failure.item, failure.value = HELD_RANGE, i, value
            return HELD_RANGE
        if r.target[0] == value:
            continue
        r.target[0] = value
        kept = kept or r.kept
        if r.frozen >= 0:
            for k in range(p.n_stages):
                p.stage[k].system[r.frozen].frozen_step = 0
    if kept:
        for i in range(p.n_stages):
            forget_derivatives(&p.stage[i])
    return 0
