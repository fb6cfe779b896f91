"""Across positions in which constraints lose rank, where motions may branch: along the branch that was followed.

The motion along a branch is smooth, however many of them meet. What lies off it, by drift c, is not: at a distance s constraints
of the form s y = c have y = c / s, and a velocity of c / s^2. So near such a place what drifted is taken out after each step,
and the motion's polynomial is followed to as far behind it.
There constraints determine what lies off the branch anew, as well as before, and its errors no longer grow. Whether this is
the same motion, and how well it is known, is told by one back from there, which must lead to where the first one began.
Far from the place the polynomials are off, near to it rounding is in them; between both it is known best. It does not lead
back where branches touch, where a force jumps at the place, or where what is lost is met at rest.
"""

cdef double NEAR_PLACE = 0.1  # of the largest distance: drift of 1e-13 is 1e-11 of velocities there, and what rounding leaves is 1e-14
cdef double NEARLY = 3e-2  # the same: multipliers, which may go to infinity, are integrated no more
cdef double NO_NEARER = 0.25  # times the distance before: a step that ends nearer went past what would be taken out
cdef double ALONG = 0.75  # of the way to the place
cdef double BACK = 3.0  # times the way to the place: so long is the step whose polynomial is followed
cdef double LONGER = 4.0  # the same on the way back: of two steps alike the errors would cancel
cdef double RETURNS = 1e-8  # of states, and of what the terms of their rates come to
cdef double SURELY = 0.1  # of ``rtol``, the same: nearer to the place it may return more exactly still, until rounding has grown
cdef double FALLS_NO_MORE = 0.5  # of what it missed from farther away


cdef int draw_near(Program *p, double apart, Failure *failure) noexcept nogil:
    """After a step that ended so far from a place: steps end before it, and near it what drifted is taken out."""
    cdef Flow *f = &p.flow
    cdef double before = f.apart, left
    cdef int status
    f.apart, f.ahead = apart, 0.0
    if not apart < before < INFINITY:
        f.missed = INFINITY
        return 0
    left = (f.end - f.begin) * apart / (before - apart)
    f.trial = fmin(f.trial, ALONG * left)
    if apart > NEAR_PLACE:
        return 0
    f.ahead = left
    status = stay_on_constraints(p, failure)
    memcpy(f.last, p.values, f.n * sizeof(double))
    memcpy(f.slope + f.stages * f.total, f.state, f.total * sizeof(double))
    return status


cdef int stay_on_constraints(Program *p, Failure *failure) noexcept nogil:
    """The state in the record without what it drifted by, and its rate: positions by Newton's method, then velocities."""
    cdef int i, status = flow_observe_tried(p, failure)
    for i in range(3):
        if status == 0:
            status = bring_back(p, i == 2, failure)
        if status == 0:
            status = flow_observe_tried(p, failure)
    return status


cdef bint leaps(Program *p) noexcept nogil:
    """Whether the motion goes on to as far behind the place as the last step ended before it; all is left as it was where not.

    Where the horizon is nearer only what lies before it is looked at.
    """
    cdef Flow *f = &p.flow
    cdef Failure unused
    cdef double begin = f.end, to = begin + 2.0 * f.ahead, apart
    memcpy(f.left, f.last, f.total * sizeof(double))
    memcpy(f.left + f.total, f.slope + f.stages * f.total, f.total * sizeof(double))
    if follow(p, begin, -BACK * f.ahead, to) and loses_rank(f, &apart, &unused) == 0:
        memcpy(f.last, p.values, f.n * sizeof(double))
        memcpy(f.slope + f.stages * f.total, f.state, f.total * sizeof(double))
        if follow(p, to, LONGER * f.ahead, begin) and is_left(f, p.values, to - begin):
            memcpy(f.last, f.first, f.total * sizeof(double))
            f.end, f.apart, f.trial = to, apart, to - begin
            return True
    memcpy(f.last, f.left, f.total * sizeof(double))
    memcpy(f.slope + f.stages * f.total, f.left + f.total, f.total * sizeof(double))
    f.end = begin
    return False


cdef bint follow(Program *p, double begin, double h, double to) noexcept nogil:
    """The state at ``to`` into the record, as the polynomial of a step of h from ``begin`` leads there, less what that is off.

    The step goes away from the place: there errors off the branch fall.
    """
    cdef Flow *f = &p.flow
    cdef Failure unused
    cdef int i
    memcpy(f.first, f.last, f.total * sizeof(double))
    memcpy(f.slope, f.slope + f.stages * f.total, f.total * sizeof(double))
    f.begin, f.end = begin, begin + h
    f.span = h
    if stages(p, begin, h, f.last, &unused) or slope_at(p, f.end, f.last, f.slope + f.stages * f.total, &unused) or extend(p, &unused):
        return False
    f.rough = False  # its end lies behind the place, and is not what is asked for
    for i in range(f.n):
        p.values[i] = extended(f, i, to)
    p.clock[0] = p.clock[1] = to
    return stay_on_constraints(p, &unused) == 0


cdef bint is_left(Flow *f, const double *state, double h) noexcept nogil:
    """Whether a state is that which was left, h ago: whether the motion leads back as it came."""
    cdef double before = f.missed
    cdef int i
    f.missed = 0.0
    for i in range(f.n):
        if state[i] != f.left[i]:
            f.missed = fmax(f.missed, fabs(state[i] - f.left[i]) / fmax(fmax(fabs(state[i]), f.size[i]), h * f.terms[i]))
    return f.missed <= RETURNS and (f.missed <= SURELY * f.rtol[0] or f.missed > FALLS_NO_MORE * before)
