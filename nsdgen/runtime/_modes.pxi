"""Which motion goes on at an event: the pieces of laws on which rows move, found by trying.

Places of several rows are counted through like the digits of a number, fewest changes first. At a fold, where the piece
ends on which a row moved and none continues it, that number reaches pieces that do not touch: the motion jumps.
"""

cdef enum PieceMark:
    WRONG = 1  # a motion that was tried fell off its piece there
    MEMBER = 2  # it may change
    WITHOUT = 3  # a motion that was tried has no rate: rows that determine each other change together

cdef double NOTHING = 1e-11  # of the largest value a quantity had: what an end of a piece is met to
cdef double SEEN = 1e-6  # of the same: what the motion falls below zero there is not looked for
cdef double MOMENT = 0.02  # of the step that the integrator would try: its first terms decide there, above rounding
cdef double SHORTER = 0.02  # a moment of the last one, where all motions failed
cdef double SEEN_FIRM = 1e-2  # of the longest moment: in far shorter ones it is not seen that something gives way
cdef double LEAST_MOMENT = 1e-12  # of time or step: no moment is shorter
cdef double AGAIN = 0.2  # of the time since the last event, which a moment does not exceed, nor a first step soon after it
cdef double NO_TIME = 1e-10  # of a step: where events follow each other so soon, they have come to their limit
cdef double WINDING = 1e-2  # of a step, and of the longest time between events: a row that then swings may do so for ever
cdef double CLEAR = 1e-13  # of the time: shorter intervals are known to less than three digits
cdef double SOON = 1e4  # times as long: where intervals alternate, as those of a switch do, the long ones
cdef int FOLLOWED = 4  # so many of them
cdef int MOST_SOON = 400  # after these they have no limit that is a motion
cdef double NOT_THERE = -1.0  # of a place where a row is not, as cuts say it: nothing moves it along a jump any more
cdef double NO_PLACE = -2.0  # of a run that starts


cdef void modes_begin(Program *p, double t) noexcept nogil:
    """A run starts at t."""
    cdef Events *e = &p.events
    cdef int i
    for i in range(p.n_cuts):
        e.bears[i] = not p.crosses[i] and e.gap[i] == NULL and i < p.n_cuts - p.n_widths
    for i in range(e.n_places):
        e.bears[e.left[i]] = e.bears[e.left[i] + 1] = 0
    memset(e.height, 0, p.n_cuts * sizeof(double))
    e.now, e.last, e.soon, e.clear, e.endless, e.coarse, e.decided, e.chosen = t, t, 0, t, 0, 0, 0, 0
    e.span[0] = e.span[1] = e.span[2] = e.span[3] = INFINITY
    e.longest, e.idle = 0.0, 0


cdef void keep_modes(Program *p) noexcept nogil:
    """The places of the motion that ends at an event, before its stages are run."""
    cdef int k
    for k in range(p.events.n_places):
        p.events.old[k] = p.events.place[k][0]


cdef inline double left(Program *p, int k) noexcept nogil:
    """What is left of a place."""
    return p.cut_value[watched(p, k)]


cdef inline int watched(Program *p, int k) noexcept nogil:
    """The quantity that looks on a place as it is: odd ones have the first."""
    return p.events.left[k] + (<int>p.events.place[k][0] % 2 == 0)


cdef void watch_modes(Program *p) noexcept nogil:
    """Note how large the quantities are that look on places, and those that say what holds."""
    cdef Events *e = &p.events
    cdef int k, i
    for i in range(p.n_cuts if e.n_places or e.n_sides > 1 else 0):
        if e.bears[i]:
            e.height[i] = fmax(e.height[i], fabs(p.cut_value[i]))
    for k in range(e.n_places):
        i = watched(p, k)
        e.height[i] = fmax(e.height[i], fabs(p.cut_value[i]))
        if i == e.left[k]:  # on a jump the second one says what is worth a value beside it
            e.height[i + 1] = fmax(e.height[i + 1], p.cut_value[i + 1])


cdef void base_modes(Program *p) noexcept nogil:
    """From where quantities that look on places are events: where they start, less rounding."""
    cdef Events *e = &p.events
    cdef int k, i
    for k in range(e.n_places):
        i = watched(p, k)
        if p.cut_value[i] <= NOTHING * e.height[i]:
            e.base[i] = fmin(p.cut_value[i], 0.0) - fmax(fmax(SEEN * e.moved[k], grain(p, k)), e.rounded[k])


cdef int choose_modes(Program *p, Failure *failure) noexcept nogil:
    """Set the places with which the motion goes on from the record; 0, or NO_MOTION where there are none.

    A motion goes on where nothing of what is left of its places falls below zero in its first moment, which it is
    followed for: on pieces of laws a derivative of any order may decide. Of several the one is taken that changes the
    fewest places; only those change at which something came to an end, or went wrong in a motion that was tried. The
    moment is shortened where all fail, down to rounding. At the start, and where such motions fail, what the stages of
    the event chose is tried.
    """
    cdef Events *e = &p.events
    cdef double t = p.clock[1], trial = p.flow.trial, horizon = p.flow.horizon, clear
    cdef int k, members
    cdef bint found, accumulate, starts = False, changes = False
    e.now, e.agrees = t, 0
    memset(e.rounded, 0, e.n_places * sizeof(double))
    for k in range(e.n_places):
        e.guess[k] = 0.0 if e.place[k][0] == NO_PLACE else e.place[k][0]
        if e.old[k] == NO_PLACE:
            e.old[k], starts = e.guess[k], True
    memcpy(e.row, p.values, p.width * sizeof(double))
    members = ended(p)
    accumulate = accumulates(p, t, members) or e.lost
    e.firm = not accumulate
    found = find(p, members, accumulate, trial)
    if e.firm and not found:  # something gives way whatever the places are: the next event says so
        e.firm = 0
        found = find(p, members, False, trial)
    if not found:  # what a source that jumps is at this very instant, as sgn 0, is neither before nor behind it
        e.now = t + SHORTEST * fmax(fabs(t), p.h)
        found = find(p, members, False, trial)
    if not found:  # quantities that are zero throughout say nothing of how large rounding of them is
        e.coarse, e.now = 1, t
        found = find(p, members, False, trial)
    e.endless = e.coarse = 0
    clear = e.clear
    memcpy(e.moved, e.largest, e.n_places * sizeof(double))
    if e.last < t < e.last + p.h:  # windings below the tolerances shrink only if they are integrated
        trial = fmin(trial, AGAIN * (t - e.last))
    if t > e.last:
        memmove(e.span + 1, e.span, 3 * sizeof(double))
        e.span[0], e.longest = t - e.last, fmax(e.longest, t - e.last)
    e.last = t
    for k in range(e.n_places):
        changes = changes or e.old[k] != e.place[k][0]
        e.old[k] = e.place[k][0]
    e.idle = 0 if changes else e.idle + 1
    if found and (changes or starts) and e.soon <= FOLLOWED:  # at their limit any goes on for so short a moment
        count_others(p, p.flow.horizon - t, starts)
    p.flow.trial, p.flow.horizon, e.clear = trial, horizon, clear
    put_row(p)
    p.clock[0] = p.clock[1] = t
    if found:
        for k in range(e.n_places):
            e.place[k][0] = e.old[k]
        return 0
    failure.code, failure.item, failure.stage = NO_MOTION, e.left[e.member[0] if members else 0], p.flow.stage.number
    failure.detail = 2 if e.agrees < 0 else 0
    return NO_MOTION


cdef bint find(Program *p, int members, bint accumulate, double trial) noexcept nogil:
    """The motion: with places that are held where events accumulate or one is lost, else with them in the end."""
    cdef Events *e = &p.events
    cdef double least = LEAST_MOMENT * fmax(fabs(e.now), p.h), most = fmin(MOMENT * trial, p.h), moment
    cdef int trials = 0, held
    if accumulate and search(p, most, True, members, &trials):
        return True
    if (e.endless or swings_for_ever(e, p.h)) and settles(p, members, most):
        e.made = 0
        return True
    if e.soon > MOST_SOON:
        return False
    if e.now > e.last:
        most = fmin(most, AGAIN * (e.now - e.last))
    for held in range(2):
        moment = most
        trials = 0
        while True:
            moment = fmax(moment, least)
            if search(p, moment, held, members, &trials):
                return True
            if moment == least or (e.firm and moment < SEEN_FIRM * most) or trials >= MOST_TRIALS or interrupted():
                break
            moment *= SHORTER
    return not e.firm and members == 0 and ends_later(p)


cdef inline bint swings_for_ever(const Events *e, double h) noexcept nogil:
    """Whether events follow each other far sooner than some did, and no longer ever sooner, or change nothing any more: no
    round of two rows does."""
    cdef double now = e.now - e.last, most = fmax(fmax(e.span[0], e.span[1]), fmax(e.span[2], e.span[3]))
    return 0.0 < now < WINDING * fmin(h, e.longest) and (now >= most or e.idle > FOLLOWED)


cdef bint settles(Program *p, int members, double moment) noexcept nogil:
    """Whether a row that swings about a jump by less than is seen stays there: what is left of its swing is taken from
    the state, along the reaction that stops it."""
    cdef Events *e = &p.events
    cdef int trials = 0, i, k, digit
    for i in range(members):
        k = e.member[i]
        for digit in range(1, e.highest[k] // 2 + 1):
            put_old(p)
            if stop(p, k, -(2 * digit - 1)):
                memcpy(e.at_event, p.values, p.width * sizeof(double))
                if goes_on(p, moment, &trials):
                    memcpy(e.row, e.at_event, p.width * sizeof(double))
                    return True
    return False


cdef bint stop(Program *p, int k, double held) noexcept nogil:
    """Take from the state in the record what a row swings by; False where that is seen.

    Where it is held its rate dies out by two parts in a step of the model, where it is stopped by one: what rates differ
    by, times that step, is what is left of the swing.
    """
    cdef Flow *f = &p.flow
    cdef Failure unused
    cdef int i, again
    p.clock[0] = p.clock[1] = p.events.now
    for again in range(2):  # to second order
        p.events.place[k][0] = held - (0.25 if p.events.endless else 0.5)
        if flow_observe(p, &unused) or evaluate_cuts(p, &unused) or not left(p, k) > 0.0:
            return False
        memcpy(f.tangent, f.state, f.n * sizeof(double))
        p.events.place[k][0] = held
        if flow_observe(p, &unused):
            return False
        for i in range(f.n):
            p.values[i] += p.h * (f.state[i] - f.tangent[i])
    return True


cdef bint ends_later(Program *p) noexcept nogil:
    """Whether no place has come to an end, though one does within the shortest moment: that is the next event."""
    cdef Events *e = &p.events
    cdef Failure unused
    cdef int k
    put_old(p)
    p.clock[0] = p.clock[1] = e.clear = e.now
    if flow_observe(p, &unused) or evaluate_cuts(p, &unused):
        return False
    for k in range(e.n_places):
        if not left(p, k) > 0.0:
            return False
    return True


cdef bint accumulates(Program *p, double t, int members) noexcept nogil:
    """Whether events have come to their limit: several of them in no time, or soon and no longer told from each other."""
    cdef Events *e = &p.events
    cdef double least = fmax(NO_TIME * p.h, CLEAR * fabs(t))
    e.soon = e.soon + 1 if t - e.last < SOON * least else 0
    return e.soon > FOLLOWED and (members > 1 or t - e.last < least)


cdef int ended(Program *p) noexcept nogil:
    """The places that came to an end, as members; their number."""
    cdef Events *e = &p.events
    cdef Failure unused
    cdef int k, n = 0
    put_old(p)
    e.lost = 0
    if flow_observe(p, &unused) or evaluate_cuts(p, &unused):
        for k in range(e.n_places):
            e.member[k] = k
            e.ended[k] = 1
        return e.n_places
    for k in range(e.n_places):
        e.ended[k] = left(p, k) <= NOTHING * e.height[watched(p, k)]
        if e.ended[k]:
            e.lost = e.lost or left(p, k) == NOT_THERE
            e.member[n] = k
            n += 1
    return n


cdef void put_row(Program *p) noexcept nogil:
    cdef Events *e = &p.events
    memcpy(p.values, e.row, p.width * sizeof(double))


cdef void put_old(Program *p) noexcept nogil:
    cdef int k
    put_row(p)
    for k in range(p.events.n_places):
        p.events.place[k][0] = p.events.old[k]
