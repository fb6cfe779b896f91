"""The instant of an event, to rounding, on the motion that the integrator made."""

cdef double NEAR = 1e-9  # of the last step: its square is below rounding
cdef double ROUGHLY = 1e-10  # of the last look: what a first guess may be off
cdef int MOST_HALVINGS = 60  # 2^-60 of a look is below the rounding of any time beside it
cdef double JUMPED = 1e-3  # of what a quantity falls by: so much within rounding of a time is no motion
cdef double NO_FALL = 1e-6  # of what it is at twice the time: as the twentieth power of it falls
# each is Newton's next, a few do; where slopes are infinite, or a quantity is flat, they creep
cdef int MOST_GUESSES = 20


cdef int locate(Program *p, double to, Failure *failure, int *which) noexcept nogil:
    """The first zero since the last look, first on the extension of the step, then on steps that end there.

    Leaves the record at the event, whose quantity is ``which``.
    """
    cdef Events *e = &p.events
    cdef Bracket b
    cdef double left, right = to, f_left, f_right = fallen(p, which), x, least
    cdef int status
    e.jump = 0.0
    least = ROUNDING * fmax(fabs(e.sampled), fabs(to))
    status = before_zero(p, &right, &f_right, &left, &f_left, least, failure, which)
    if status:
        return status
    if left == right:  # at once: what is below zero there by as much as later has jumped
        return settle(p, right if f_right > JUMPED else e.sampled, failure, which)
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
    cdef bint rises = False, rests = not e.fresh  # zero for two looks: what is of either sign after them is an error, too
    cdef int i, status
    f_left[0] = -INFINITY
    for i in range(p.n_cuts):
        if e.scale[i] != 0.0:
            rests = rests and p.before[i] == 0.0 and e.slope[i] == 0.0
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
        if (f >= 0.0 or rests) and fabs(f) < NO_FALL * f_right[0]:  # what it is there are errors of a step that went across
            e.jump = JUMPED * f_right[0]
            f -= e.jump
            f_right[0] -= e.jump
        if f < 0.0:
            left[0], f_left[0] = t, f
            return 0
        right[0], f_right[0] = t, f
    left[0] = right[0]
    return 0


cdef int refine(Program *p, double low, double guess, double high, double least, Failure *failure,
                int *which) noexcept nogil:
    """The zero near a guess on steps of the method itself, which are more accurate than their extension.

    Such a step ends at the guess; so near to it that curvature is below rounding the motion is a straight line. The
    next guess lies between those on both sides, and is no farther from ``low`` than twice the last one: where a slope
    is rounding, the line may lead anywhere. Nothing nearer than ``least`` is told apart: steps may be that short.
    """
    cdef double reach = fmax(NEAR * (p.flow.end - p.flow.begin), least), begin = low, last = high, f, x, other
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
            return close_in(p, guess, f, other, x, least, last, failure, which)
        if f < 0.0:
            low = guess
        else:
            high = other
        x = other + x * (other - guess) / (f - x) if f != x else other
        x = fmin(fmin(high, guess + fmax(guess - begin, reach)), fmax(low, x))
        if fabs(x - guess) <= reach and p.events.jump != 0.0 and not fabs(f) < NO_FALL:  # flat: it is zero nowhere
            return settle(p, high, failure, which)
        if fabs(x - guess) <= reach:  # the line is rounding: not where it ends
            break
        guess = x
    return narrow(p, low, high, least, failure, which)


cdef int narrow(Program *p, double low, double high, double least, Failure *failure, int *which) noexcept nogil:
    """The zero where no straight line leads to it, between two points on steps that end there, or at the end where
    it is zero first or comes nearest to it."""
    cdef Bracket b
    cdef double f_low, f_high, x
    cdef int status = look(p, low, True, failure)
    f_low = fallen(p, which)
    if status == 0 and f_low < 0.0:
        status = look(p, high, True, failure)
        f_high = fallen(p, which)
        bracket_open(&b, low, f_low, high, f_high, least)
        while f_high >= 0.0 and status == 0 and bracket_next(&b, &x):
            status = look(p, x, True, failure)
            bracket_take(&b, x, fallen(p, which))
        low = bracket_right(&b) if f_high >= 0.0 else high
    return status if status else settle(p, low, failure, which)


cdef int close_in(Program *p, double guess, double f_guess, double other, double f_other, double least,
                  double last, Failure *failure, int *which) noexcept nogil:
    """The zero between a guess and a point near it, on the straight line through the guess.

    What has jumped there is told behind its jump: at its very instant a source is neither what it was nor what it will be.
    """
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
    x = bracket_right(&b)
    status = look_near(p, guess, x, failure)
    if status == 0 and fallen(p, which) > JUMPED and x + least < last:
        status = look_near(p, guess, x + least, failure)
        fallen(p, which)
    return status


cdef int look_near(Program *p, double guess, double t, Failure *failure) noexcept nogil:
    """The record and all quantities at t, on the straight line through the guess."""
    cdef int status
    flow_along(p, guess, t)
    status = flow_observe_tried(p, failure)
    return status if status else evaluate_cuts(p, failure)


cdef int settle(Program *p, double t, Failure *failure, int *which) noexcept nogil:
    """The record at an event."""
    cdef int status = look(p, t, True, failure)
    fallen(p, which)
    return status
