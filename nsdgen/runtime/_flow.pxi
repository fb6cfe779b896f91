"""The motion between events: steps of an explicit Runge-Kutta method, adapted to the tolerances, and what lies inside.

A step is accepted where the estimate of its error, of order 8 from two embedded ones, is within the tolerances: of each
state as it is, a hundredth of that of the largest it was, and of the terms of its rate, so that rounding of these, all that
moves what rests, asks for nothing. No unit enters, and what is tiny throughout is as exact as what is large. What
cannot be evaluated counts as too large an error. The integrals of multipliers are integrated with the state, though
no one asks for them: while forces hold a state where it is, it says nothing about how they change, and steps would go
past what ends that. Where the rate jumps at an instant, steps become as short as times are apart; one of those crosses
the jump, whose place is known no better. At a pole its error is larger still, and the run is given up. So it is where rates
are noise, as accelerations are where constraints lose a rank: of short steps that are as long as their errors let them be one
at times is made a tenth as long, which leaves next to nothing of an error. The first stage of a step is the last one of the
step before.

Of what dies out fast beside the steps the polynomial inside a step may be off by hundreds of times the error at its end. Its last
coefficient says so, and what is recorded inside is then the end of a shorter step.
"""

cdef int ASKED = 16  # of evaluations one asks for interrupts: clocks are no less work than small models
cdef double SAFETY = 0.9  # of the step whose estimated error would just do: it aims at 0.9^8 = 0.43 of the tolerance
cdef double LEAST = 0.2  # of the last step
cdef double MOST = 10.0  # times the last step: further the estimate, made for that step, says nothing of the next
cdef double SHORTEST = 1e-15  # of the time
cdef double BEFORE = 1e-3  # of ``rtol``: of the largest that a state was, and of the terms that its rate cancels
cdef double CANCELS = 1e-9  # of their terms: rates that are no more throughout are rounding, and those terms known to ``rtol``
cdef double HELD = 1e-7  # the same of a multiplier, solved for to 1e-13 of the load by a matrix whose condition may be 1e3
cdef double RESOLVED = 1e-2  # of the largest rate: an error of a step that says how large things are, no more
cdef int MOST_SHORTENED = 12  # times that such a step is shortened
cdef double HOPELESS = 1e-6  # of what is left to the horizon, or of so many steps of the model: so many take minutes
cdef double NEAR_HORIZON = 100.0  # steps of the model: a long run takes steps that are short beside it, for its forces change
cdef int MOST_SLOW = 3000  # such steps, one after the other: beside a jump they grow again after some ten
cdef double SHORT = 1e-4  # of a step of the model
cdef int TRIED = 16  # of short steps one is made again, a tenth as long; of those that passed one of eight
cdef double COUNTS = 1e-5  # an error that does: between jumps there are steps without one
cdef double NOISE = 1e-2  # an error left of about a half by a tenth: it falls by the eighth power, where rates are noise by the first
cdef int MOST_NOISY = 8  # tried steps in succession
cdef double OFF = 1.2e-3  # of the last coefficient: what the polynomial is off by, where what moves dies out in 1/8 of the step to 2
cdef double ROUGH = 4.0  # tolerances: half as many at most where motions are smooth
cdef double JUMP = 1e4  # the error of a step that short, where a jump of the rate is all that is wrong


cdef int slope_at(Program *p, double t, const double *state, double *slope, Failure *failure) noexcept nogil:
    """ds/dt and the multipliers, which are integrated beside it, with the state left in the record."""
    cdef Flow *f = &p.flow
    cdef int i, status
    if state != p.values:
        memcpy(p.values, state, f.n * sizeof(double))
    p.clock[0] = p.clock[1] = t
    f.evaluations += 1
    if f.evaluations % ASKED == 1 and interrupted():
        f.evaluations -= 1  # it is not made, and the next one asks again
        failure.code = INTERRUPTED
        return INTERRUPTED
    status = flow(f.stage, p.values, slope, failure)
    for i in range(f.total - f.n):
        slope[f.n + i] = p.values[f.multipliers[i]]
    return status


cdef void flow_begin(Program *p) noexcept nogil:
    """Start anew from the record as it was observed just now."""
    cdef Flow *f = &p.flow
    cdef Failure unused
    size_rates(p, f.terms, &unused)
    memset(f.last, 0, f.total * sizeof(double))
    memcpy(f.last, p.values, f.n * sizeof(double))
    memcpy(f.slope + f.stages * f.total, f.state, f.total * sizeof(double))
    f.begin = f.end = p.clock[1]
    f.slow = f.brief = f.noisy = 0
    f.ahead = 0.0
    loses_rank(f, &f.apart, &unused)
    flow_accept(p)


cdef void flow_grow(Program *p) noexcept nogil:
    """The record is on the way: what was largest so far."""
    cdef Flow *f = &p.flow
    cdef int i
    for i in range(f.total):
        f.size[i] = fmax(f.size[i], fabs(p.values[i]) if i < f.n else p.h * fabs(p.values[f.multipliers[i - f.n]]))


cdef void flow_foresee(Program *p) noexcept nogil:
    """Where something was zero so far, it is as large as it comes to be in a step, of the model or so short that it is
    resolved."""
    cdef Flow *f = &p.flow
    cdef Failure unused
    cdef double t = f.end, h = fmin(p.h, f.horizon - f.end)
    cdef int i, shortened
    for i in range(f.total):
        if f.size[i] == 0.0:
            break
    else:
        return
    memcpy(f.aside, p.values, p.width * sizeof(double))
    memcpy(f.first, f.last, f.total * sizeof(double))
    memcpy(f.slope, f.slope + f.stages * f.total, f.total * sizeof(double))
    for shortened in range(MOST_SHORTENED if h > 0.0 else 0):
        if stages(p, t, h, f.inner, &unused) == 0 and is_resolved(f):
            for i in range(f.total):
                f.inner[i] = h * steepest(f, i)
                f.size[i] = f.inner[i] if f.size[i] == 0.0 else f.size[i]
            break
        h *= LEAST
    memcpy(p.values, f.aside, p.width * sizeof(double))
    p.clock[0] = p.clock[1] = t


cdef bint is_resolved(const Flow *f) noexcept nogil:
    """Whether the stages of a step are of one motion: beyond what it resolves they differ by all that they are."""
    cdef double five
    cdef int i, j
    for i in range(f.total):
        if is_rounding(f, i, f.terms[i]):
            continue
        five = 0.0
        for j in range(f.stages):
            five += f.error5[j] * f.slope[j * f.total + i]
        if not fabs(five) <= RESOLVED * steepest(f, i):
            return False
    return True


cdef bint is_rounding(const Flow *f, int i, double terms) noexcept nogil:
    """Whether a rate is no more than the rounding of its terms throughout a step."""
    return steepest(f, i) <= (CANCELS if i < f.n else HELD) * terms


cdef double steepest(const Flow *f, int i) noexcept nogil:
    """The largest rate of the stages of a step, and of where it begins or ends."""
    cdef double most = 0.0
    cdef int j
    for j in range(f.stages + 1):
        most = fmax(most, fabs(f.slope[j * f.total + i]))
    return most


cdef int flow_observe(Program *p, Failure *failure) noexcept nogil:
    cdef int status = slope_at(p, p.clock[1], p.values, p.flow.state, failure)
    return status if status else observe(p.flow.stage, failure)


cdef int flow_step(Program *p, Failure *failure) noexcept nogil:
    """The next step from the end of the last one: as long as the tolerances allow, not beyond the horizon."""
    cdef Flow *f = &p.flow
    cdef double error, h, longest = f.horizon - f.end, least, apart, whole = INFINITY
    cdef int status = 0
    cdef bint rejected = False
    if f.ahead > 0.0 and leaps(p):
        f.ahead = 0.0
        status = slope_at(p, f.end, f.last, f.slope + f.stages * f.total, failure)
        return status if status else size_rates(p, f.terms, failure)
    memcpy(f.first, f.last, f.total * sizeof(double))
    memcpy(f.slope, f.slope + f.stages * f.total, f.total * sizeof(double))
    f.begin = f.end
    f.extended = 0
    least = SHORTEST * (fabs(f.begin) if f.begin != 0.0 else fabs(f.horizon))
    while True:
        h = fmin(f.trial, longest)
        if h > 0.9 * longest:  # no crumb is left before the horizon
            h = longest
        h = fmin(fmax(h, least), longest)
        f.end = f.horizon if h == longest else f.begin + h
        status = stages(p, f.begin, f.end - f.begin, f.last, failure)
        if status == 0:
            status = slope_at(p, f.end, f.last, f.slope + f.stages * f.total, failure)
        memset(f.after, 0, f.total * sizeof(double))
        if status == 0 and f.end - f.begin <= p.h:  # a longer step may end anywhere
            status = size_rates(p, f.after, failure)
        # Across a jump a state at rest is compared with what its rate makes of it in a step of the model.
        error = INFINITY if status else error_of(f, f.end - f.begin, p.h if h <= least else 0.0)
        f.span = f.end - f.begin
        if error > 1.0 and h <= least:
            f.slow += 1
            if not error <= JUMP or f.slow > MOST_SLOW:
                if status == 0:
                    failure.code, failure.value, failure.stage = STEP_TOO_SHORT, h, f.stage.number
                return failure.code
            f.trial = MOST * h
            return size_rates(p, f.terms, failure)
        if COUNTS < error <= 1.0 and f.brief >= (TRIED if f.noisy else 8 * TRIED):
            f.brief, whole, f.trial = 0, error, (f.end - f.begin) / MOST
            continue
        if error <= 1.0:
            status = loses_rank(f, &apart, failure)
            if apart < fmin(NEAR_PLACE, NO_NEARER * f.apart) and f.apart < INFINITY and h > least:
                f.trial, rejected = 0.5 * (f.end - f.begin), True
                continue
            f.slow = f.slow + 1 if f.end - f.begin < HOPELESS * fmin(longest, NEAR_HORIZON * p.h) else 0
            if whole < INFINITY:
                f.noisy = f.noisy + 1 if error > NOISE else 0
            elif error > COUNTS and f.end - f.begin < SHORT * p.h:
                f.brief += 1
            else:
                f.brief = f.noisy = 0
            if f.slow > MOST_SLOW or f.noisy > MOST_NOISY:
                failure.code, failure.value, failure.stage = STEP_TOO_SHORT, f.end - f.begin, f.stage.number
                return failure.code
            h = MOST if error == 0.0 or whole < INFINITY else fmin(MOST, SAFETY * pow(error, -0.125))
            f.trial = (f.end - f.begin) * (fmin(h, 1.0) if rejected else h)
            if status == 0:
                status = draw_near(p, apart, failure)
            return status if status else size_rates(p, f.terms, failure)
        f.trial = (f.end - f.begin) * (fmax(LEAST, SAFETY * pow(error, -0.125)) if isfinite(error) else LEAST)
        rejected = True


cdef int size_rates(Program *p, double *terms, Failure *failure) noexcept nogil:
    """The terms of the rates of states and integrals, as the record was solved just now."""
    cdef Flow *f = &p.flow
    return flow_terms(f.stage, p.values, p.h, f.size, terms, terms + f.n, failure)


cdef int stages(Program *p, double t, double h, double *end, Failure *failure) noexcept nogil:
    """All stages of a step but the first, and the state at its end."""
    cdef Flow *f = &p.flow
    cdef int i, status
    for i in range(1, f.stages):
        combine(f, i, h, f.state)
        status = slope_at(p, t + f.c[i] * h, f.state, f.slope + i * f.total, failure)
        if status:
            return status
    combine(f, f.stages, h, end)
    return 0


cdef void combine(Flow *f, int row, double h, double *state) noexcept nogil:
    """The state of a stage: where the step begins, and h times what a row of the tableau makes of the slopes.

    As c k_0 plus the differences from the first slope: large entries of the tableau then multiply small numbers.
    """
    cdef const double *a = f.a + row * f.rows
    cdef int i, j
    for i in range(f.total):
        state[i] = 0.0
    for j in range(1, row):
        if a[j] != 0.0:
            for i in range(f.total):
                state[i] += a[j] * (f.slope[j * f.total + i] - f.slope[i])
    for i in range(f.total):
        state[i] = f.first[i] + h * (f.c[row] * f.slope[i] + state[i])


cdef double error_of(Flow *f, double h, double span) noexcept nogil:
    """The estimated error of the step in units of the tolerances, a root mean square over what moves.

    Terms of rates count for the step, and for ``span`` where that is longer.
    """
    cdef double five, three, scale, largest, terms, sum5 = 0.0, sum3 = 0.0
    cdef int i, j, moved = 0
    for i in range(f.total if f.apart > NEARLY else f.n):
        five = three = 0.0
        for j in range(f.stages + 1):
            five += f.error5[j] * f.slope[j * f.total + i]
            three += f.error3[j] * f.slope[j * f.total + i]
        largest = fmax(fabs(f.first[i]), fabs(f.last[i]))
        if 0.0 < largest < DBL_MIN:  # less than this has fewer digits, and ``rtol`` of it may be none
            largest = DBL_MIN
        terms = fmax(f.terms[i], f.after[i])
        terms = terms if is_rounding(f, i, terms) else BEFORE * (terms if span > 0.0 else f.terms[i])
        scale = f.atol[0] + f.rtol[0] * fmax(fmax(largest, fmax(h, span) * terms), BEFORE * f.size[i])
        f.scale[i] = scale
        if five != 0.0 or three != 0.0:
            moved += 1
            if scale == 0.0:
                return INFINITY
            sum5 += (five / scale) * (five / scale)
            sum3 += (three / scale) * (three / scale)
        if not isfinite(f.last[i]):
            return INFINITY
    if sum5 == 0.0 and sum3 == 0.0:
        return 0.0
    return h * sum5 / sqrt((sum5 + 0.01 * sum3) * moved)


cdef int extend(Program *p, Failure *failure) noexcept nogil:
    """The coefficients of the polynomial between the ends of the last step."""
    cdef Flow *f = &p.flow
    cdef double h = f.end - f.begin, difference, off = 0.0
    cdef const double *d
    cdef int i, j, k, n = f.total, moved = 0, status
    for i in range(f.stages + 1, f.rows):
        combine(f, i, h, f.state)
        status = slope_at(p, f.begin + f.c[i] * h, f.state, f.slope + i * n, failure)
        if status:
            return status
    for i in range(n):
        difference = f.last[i] - f.first[i]
        f.extension[i] = difference
        f.extension[n + i] = h * f.slope[i] - difference
        f.extension[2 * n + i] = 2.0 * difference - h * (f.slope[f.stages * n + i] + f.slope[i])
    for k in range(f.powers - 3):
        d = f.d + k * f.rows
        for i in range(n):
            difference = 0.0
            for j in range(f.rows):
                difference += d[j] * f.slope[j * n + i]
            f.extension[(3 + k) * n + i] = h * difference
    f.extended = 1
    for i in range(f.n):
        difference = f.extension[(f.powers - 1) * n + i]
        if difference != 0.0:
            moved += 1
            off += (difference / f.scale[i]) * (difference / f.scale[i])
    f.rough = OFF * sqrt(off) > ROUGH * sqrt(moved)  # a root mean square, as the error is
    return 0


cdef inline double extended(const Flow *f, int i, double t) noexcept nogil:
    """A state on that polynomial."""
    cdef double x = (t - f.begin) / f.span, value = 0.0
    cdef int k
    for k in range(f.powers - 1, -1, -1):
        value = (value + f.extension[k * f.total + i]) * (x if k % 2 == 0 else 1.0 - x)
    return f.first[i] + value


cdef int flow_inside(Program *p, double t, Failure *failure) noexcept nogil:
    cdef Flow *f = &p.flow
    cdef int i, status
    if t == f.end or t == f.begin:
        memcpy(p.values, f.last if t == f.end else f.first, f.n * sizeof(double))
        p.clock[0] = p.clock[1] = t
        return 0
    if not f.extended:
        status = extend(p, failure)
        if status:
            return status
    for i in range(f.n):
        p.values[i] = extended(f, i, t)
    p.clock[0] = p.clock[1] = t
    return 0


cdef int flow_exact(Program *p, double t, Failure *failure) noexcept nogil:
    cdef Flow *f = &p.flow
    cdef int status
    if not 0.0 < (t - f.begin) / f.span < 1.0:
        return flow_inside(p, t, failure)
    status = stages(p, f.begin, t - f.begin, f.inner, failure)
    if status == 0:
        memcpy(p.values, f.inner, f.n * sizeof(double))
        p.clock[0] = p.clock[1] = t
    return status


cdef void flow_accept(Program *p) noexcept nogil:
    """What relations remember in the record is that of an instant on the way, no tried one."""
    memcpy(p.flow.remembered, p.values + p.flow.n, p.flow.n_remembered * sizeof(double))


cdef int flow_observe_tried(Program *p, Failure *failure) noexcept nogil:
    """Observe the state in the record as what follows the last instant on the way."""
    memcpy(p.values + p.flow.n, p.flow.remembered, p.flow.n_remembered * sizeof(double))
    return flow_observe(p, failure)


cdef void flow_straight(Program *p) noexcept nogil:
    """Keep the state in the record and its rate, which was observed just now."""
    memcpy(p.flow.inner, p.values, p.flow.n * sizeof(double))
    memcpy(p.flow.tangent, p.flow.state, p.flow.n * sizeof(double))


cdef void flow_along(Program *p, double t0, double t) noexcept nogil:
    """The state at t into the record, on the straight line through what was kept at t0."""
    cdef int i
    for i in range(p.flow.n):
        p.values[i] = p.flow.inner[i] + (t - t0) * p.flow.tangent[i]
    p.clock[0] = p.clock[1] = t
