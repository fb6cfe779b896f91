"""Which motion goes on at an event: the pieces of laws on which rows move, found by trying.

Places of several rows are counted through like the digits of a number, fewest changes first. At a fold, where the piece
ends on which a row moved and none continues it, that number reaches pieces that do not touch: the motion jumps.
"""

cdef enum Place:
    WRONG = 1  # a motion that was tried fell off its piece there
    MEMBER = 2  # it may change
    WITHOUT = 3  # a motion that was tried has no rate: rows that determine each other change together

cdef double NOTHING = 1e-11  # of the largest value a quantity had: what an end of a piece is met to
cdef double SAYS_NOTHING = 1e-13  # of the largest value in a motion that is tried: a smaller change says nothing
cdef double SEEN = 1e-6  # of the same: what the motion falls below zero there is not looked for
cdef double GRAIN = 1e-15  # of the largest value a quantity had: its rounding, four units in the last place
cdef double MOMENT = 0.02  # of the step that the integrator would try: its first terms decide there, above rounding
cdef double SHORTER = 0.02  # a moment of the last one, where all motions failed
cdef double SEEN_FIRM = 1e-2  # of the longest moment: in far shorter ones it is not seen that something gives way
cdef double LEAST_MOMENT = 1e-12  # of time or step: no moment is shorter
cdef double AGAIN = 0.2  # of the time since the last event, which a moment does not exceed, nor a first step soon after it
cdef double NO_TIME = 1e-10  # of a step: where events follow each other so soon, they have come to their limit
cdef double CLEAR = 1e-13  # of the time: shorter intervals are known to less than three digits
cdef double SOON = 1e4  # times as long: where intervals alternate, as those of a switch do, the long ones
cdef int FOLLOWED = 4  # so many of them
cdef int MOST_SOON = 400  # after these they have no limit that is a motion
cdef double NOT_THERE = -1.0  # of a place where a row is not, as cuts say it: nothing moves it along a jump any more
cdef double NO_PLACE = -2.0  # of a run that starts
cdef int LOOKS = 3  # at a motion that is tried: at its end, and at these parts of it before
cdef double LATER_PART = 0.2  # each of the next: over the decades a term of any order shows
cdef double ANOTHER = 1e-6  # of two rates, far above rounding: they are of different motions
cdef enum:
    MOST_OTHERS = 3  # rows of which all places are tried at a start: 27 motions of three pieces each
cdef int MOST_ROWS = 8  # of which all combinations are tried
cdef int MOST_TRIALS = 4000  # at one event: eight rows of two pieces each several times over


cdef void modes_begin(Program *p, double t) noexcept nogil:
    """A run starts at t."""
    cdef Events *e = &p.events
    cdef int i
    for i in range(p.n_cuts):
        e.bears[i] = not p.crosses[i] and e.gap[i] == NULL
    for i in range(e.n_places):
        e.bears[e.left[i]] = e.bears[e.left[i] + 1] = 0
    memset(e.height, 0, p.n_cuts * sizeof(double))
    e.now, e.last, e.soon, e.clear, e.softly, e.resting, e.chosen = t, t, 0, t, 0, 0, 0


cdef void keep_modes(Program *p) noexcept nogil:
    """The places of the motion that ends at an event, before its stages are run."""
    cdef int k
    for k in range(p.events.n_places):
        p.events.old[k] = p.events.place[k][0]
    for k in range(p.events.n_sides):
        p.events.side_before[k] = p.events.side[k][0]


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
            e.base[i] = fmin(p.cut_value[i], 0.0) - fmax(SEEN * e.largest[k], grain(p, k))


cdef int choose_modes(Program *p, Failure *failure) noexcept nogil:
    """Set the places with which the motion goes on from the record; 0, or NO_MOTION where there are none.

    A motion goes on where nothing of what is left of its places falls below zero in its first moment, which it is
    followed for: on pieces of laws a derivative of any order may decide. Of several the one is taken that changes the
    fewest places; only those change at which something came to an end, or went wrong in a motion that was tried. The
    moment is shortened where all fail, down to rounding. At the start, and where such motions fail, what the stages of
    the event chose is tried.
    """
    cdef Events *e = &p.events
    cdef double t = p.clock[1], trial = p.flow.trial, horizon = p.flow.horizon
    cdef int k, members
    cdef bint found, accumulate, starts = False, changes = False
    e.now = t
    for k in range(e.n_places):
        e.guess[k] = 0.0 if e.place[k][0] == NO_PLACE else e.place[k][0]
        if e.old[k] == NO_PLACE:
            e.old[k], starts = e.guess[k], True
    memcpy(e.row, p.values, p.width * sizeof(double))
    e.slides = 0
    members = ended(p)
    accumulate = accumulates(p, t, members) or e.lost or e.softly
    e.firm = not accumulate
    found = find(p, members, accumulate, trial)
    if e.firm and not found and e.n_sides:
        e.slides = 1
        found = find(p, members, False, trial)
    if e.firm and not found:  # something gives way whatever the places are: the next event says so
        e.firm = e.slides = 0
        found = find(p, members, False, trial)
    if not found:  # what a source that jumps is at this very instant, as sgn 0, is neither before nor behind it
        e.now = t + SHORTEST * fmax(fabs(t), p.h)
        found = find(p, members, False, trial)
    e.softly = 0
    if e.last < t < e.last + p.h:  # windings below the tolerances shrink only if they are integrated
        trial = fmin(trial, AGAIN * (t - e.last))
    e.last = t
    for k in range(e.n_places):
        changes = changes or e.old[k] != e.place[k][0]
        e.old[k] = e.place[k][0]
    if found and e.n_sides:
        rest_where_held(p, p.flow.horizon - e.now)
    if found and (changes or starts):
        count_others(p, p.flow.horizon - t, starts)
    p.flow.trial, p.flow.horizon = trial, horizon
    put_row(p)
    p.clock[0] = p.clock[1] = t
    if found:
        for k in range(e.n_places):
            e.place[k][0] = e.old[k]
            if e.old[k] != <int>e.old[k]:
                e.made = 0
        return 0
    failure.code, failure.item, failure.stage = NO_MOTION, e.left[e.member[0] if members else 0], p.flow.stage.number
    return NO_MOTION


cdef void count_others(Program *p, double moment, bint starts) noexcept nogil:
    """Note whether the motion goes on with other places, too, at other rates than those of the one that was found.

    Of rows whose piece came to an end, for others keep theirs; of all rows at a start. They are followed for the moment in
    which that one was.
    """
    cdef Events *e = &p.events
    cdef int i, k, n = 0, trials = 0
    for k in range(e.n_places):
        if starts or e.wrong[k] == MEMBER:
            e.member[n], e.digit[n] = k, 0
            e.ended[k] = e.ended[k] or starts
            n += 1
        if n > MOST_OTHERS or e.old[k] < 0.0:  # held, where switchings have come to their limit
            return
    memcpy(p.flow.compared, p.flow.slope, p.flow.n * sizeof(double))
    while True:
        i = 0
        while i < n:
            e.digit[i] += 1
            if e.digit[i] <= choices(p, e.member[i], False):
                break
            e.digit[i] = 0
            i += 1
        if i == n:
            return
        put_old(p)
        if change(p, n, False) and goes_on(p, moment, &trials) and is_another(p, p.flow.slope) and leaves_its_end(p, n):
            k = p.flow.stage.relation[e.owner[e.left[e.member[i]]]].row
            note_several(p, e.now, p.flow.stage.number, k)
            e.chosen = 1
            return


cdef bint leaves_its_end(Program *p, int n) noexcept nogil:
    """Whether rows that changed their places come off the ends of these: not so in moments of rounding, where events
    accumulate."""
    cdef Events *e = &p.events
    cdef int i
    for i in range(n):
        if e.digit[i] and not e.largest[e.member[i]] > NOTHING * e.height[watched(p, e.member[i])]:
            return False
    return True


cdef void rest_where_held(Program *p, double moment) noexcept nogil:
    """Let rows that rest at an end of their piece share what others hold, on the jump there, and disks that were to slide.

    A brake gives all it has until then, and what is at its bound beside it seems to give way: the motion is the same.
    """
    cdef Events *e = &p.events
    cdef Failure unused
    cdef double held
    cdef int k, side, open
    cdef bint begin = False
    memcpy(p.flow.compared, p.flow.slope, p.flow.n * sizeof(double))
    put_old(p)
    p.clock[0] = p.clock[1] = e.now
    if flow_observe(p, &unused) or evaluate_cuts(p, &unused):
        return
    open = missing_rank(p.flow.stage)
    for k in range(e.n_places):
        e.ended[k] = e.old[k] >= 0.0 and <int>e.old[k] % 2 == 0 and left(p, k) <= NOTHING * e.height[watched(p, k)]
    e.firm = 1
    for k in range(e.n_places):
        held = e.old[k]
        for side in range(-1, 2 if e.ended[k] else -1, 2):
            if 0 <= held + side <= e.highest[k]:
                e.old[k] = held + side
                if rests(p, moment, &open):
                    break
                e.old[k] = held
    for k in range(e.n_sides):
        e.slid[k] = e.row[e.side[k] - p.values]
        begin = begin or (e.side_before[k] == 0.0 and e.slid[k] != 0.0)
        if e.side_before[k] == 0.0:
            e.row[e.side[k] - p.values] = 0.0
    if begin and not rests(p, moment, &open):
        for k in range(e.n_sides):
            e.row[e.side[k] - p.values] = e.slid[k]
    e.firm = 0


cdef bint rests(Program *p, double moment, int *open) noexcept nogil:
    """Whether the motion goes on as it does, with more multipliers left open than before."""
    cdef int trials = 0
    put_old(p)
    if not goes_on(p, moment, &trials) or is_another(p, p.flow.slope) or missing_rank(p.flow.stage) <= open[0]:
        return False
    open[0] = missing_rank(p.flow.stage)
    return True


cdef int open_rows(Program *p) noexcept nogil:
    """How many multipliers of the motion are not determined; 1 where it was chosen among several just now."""
    return max(missing_rank(p.flow.stage) + p.events.resting, p.events.chosen)


cdef int count_resting(Program *p, Failure *failure) noexcept nogil:
    """Note the multipliers that a row leaves open which rests at an end of its piece: held on the jump that begins
    there, it moves as it does. A brake is such that gives all it has while a floor holds what it would move, and so is
    a disk at its bound that others hold."""
    cdef Events *e = &p.events
    cdef int k, side, before = missing_rank(p.flow.stage), most = before
    cdef bint tries = False
    for k in range(e.n_places):
        e.old[k] = e.place[k][0]
        e.ended[k] = e.old[k] >= 0.0 and <int>e.old[k] % 2 == 0 and left(p, k) <= NOTHING * e.height[watched(p, k)]
        tries = tries or e.ended[k]
    for k in range(e.n_sides):
        e.slid[k] = e.side[k][0]
        tries = tries or e.slid[k] != 0.0
    e.resting = 0
    if not tries:
        return 0
    memcpy(p.flow.compared, p.flow.state, p.flow.n * sizeof(double))
    if size_rates(p, p.flow.terms, failure):
        return failure.code
    for k in range(e.n_sides):
        e.side[k][0] = 0.0
        if e.slid[k] != 0.0 and not opens_more(p, &most):
            e.side[k][0] = e.slid[k]
    for k in range(e.n_places):
        for side in range(-1, 2 if e.ended[k] else -1, 2):
            if 0 <= e.old[k] + side <= e.highest[k]:
                e.place[k][0] = e.old[k] + side
                if opens_more(p, &most):
                    break
                e.place[k][0] = e.old[k]
    e.resting = most - before
    for k in range(e.n_places):
        e.place[k][0] = e.old[k]
    for k in range(e.n_sides):
        e.side[k][0] = e.slid[k]
    return failure.code if flow_observe(p, failure) or evaluate_cuts(p, failure) else 0


cdef bint opens_more(Program *p, int *most) noexcept nogil:
    """Whether the motion is the one it was with more of its multipliers left open than the most so far."""
    cdef Failure unused
    if flow_observe(p, &unused) or missing_rank(p.flow.stage) <= most[0] or is_another(p, p.flow.state):
        return False
    most[0] = missing_rank(p.flow.stage)
    return True


cdef bint is_another(const Program *p, const double *rate) noexcept nogil:
    """Whether these rates are those of another motion than the one that was kept to be compared."""
    cdef const Flow *f = &p.flow
    cdef int i
    for i in range(f.n):
        if not fabs(rate[i] - f.compared[i]) <= ANOTHER * (fabs(rate[i]) + fabs(f.compared[i])) + CANCELS * f.terms[i]:
            return True
    return False


cdef void let_slide(Program *p) noexcept nogil:
    """Leave disks at their bound there where all of them would stick and one would give way at once: it holds them."""
    cdef Events *e = &p.events
    cdef double trial = p.flow.trial, horizon = p.flow.horizon
    cdef int k, trials = 0
    cdef bint stopped = False
    for k in range(e.n_sides):
        stopped = stopped or (e.side[k][0] == 0.0 and e.side_before[k] != 0.0)
    if not stopped:
        return
    e.now, e.firm = p.clock[1], 1
    memcpy(e.row, p.values, p.width * sizeof(double))
    e.slides = 0
    if not goes_on(p, fmin(MOMENT * trial, p.h), &trials):
        e.slides = 1
        put_row(p)
        e.slides = goes_on(p, fmin(MOMENT * trial, p.h), &trials)
    p.flow.trial, p.flow.horizon = trial, horizon
    put_row(p)
    p.clock[0] = p.clock[1] = e.now
    e.firm = 0


cdef bint find(Program *p, int members, bint accumulate, double trial) noexcept nogil:
    """The motion: with places that are held where events accumulate or one is lost, else with them in the end."""
    cdef Events *e = &p.events
    cdef double least = LEAST_MOMENT * fmax(fabs(e.now), p.h), most = fmin(MOMENT * trial, p.h), moment
    cdef int trials = 0, held
    if accumulate and search(p, most, True, members, &trials):
        return True
    e.softly = 0
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
    cdef int k
    memcpy(p.values, e.row, p.width * sizeof(double))
    for k in range(e.n_sides if e.slides else 0):
        if e.side[k][0] == 0.0:
            e.side[k][0] = e.side_before[k]


cdef void put_old(Program *p) noexcept nogil:
    cdef int k
    put_row(p)
    for k in range(p.events.n_places):
        p.events.place[k][0] = p.events.old[k]


cdef bint search(Program *p, double moment, bint held, int members, int *trials) noexcept nogil:
    """Try motions for one length of the moment; True leaves the places of one that goes on."""
    cdef Events *e = &p.events
    cdef int n = members, k, i, changes, before
    cdef bint guessed = False
    memset(e.wrong, 0, e.n_places)
    for i in range(n):
        e.wrong[e.member[i]] = MEMBER
    while True:
        for changes in range(min(n, MOST_ROWS) + 1):
            if combine_motions(p, moment, held, min(n, MOST_ROWS), changes, trials):
                return True
        if not guessed:
            guessed = True
            put_old(p)
            for k in range(e.n_places):
                e.place[k][0] = e.guess[k]
            if goes_on(p, moment, trials):
                return True
        before = n
        n = admit_motion(e, WRONG, n)
        if n == before:
            n = admit_motion(e, WITHOUT, n)
        if n == before or trials[0] >= MOST_TRIALS or interrupted():
            return False


cdef int admit_motion(Events *e, char why, int n) noexcept nogil:
    """The places with which this went wrong may change, too; how many may."""
    cdef int k
    for k in range(e.n_places):
        if e.wrong[k] == why:
            e.wrong[k] = MEMBER
            e.member[n] = k
            n += 1
    return n


cdef bint combine_motions(Program *p, double moment, bint held, int n, int changes, int *trials) noexcept nogil:
    """Try all places of the first n members of which so many differ from what they were."""
    cdef Events *e = &p.events
    cdef int i, differ
    for i in range(n):
        e.digit[i] = 0
    while True:
        differ = 0
        for i in range(n):
            differ += e.digit[i] != 0
        if differ == changes:
            put_old(p)
            if change(p, n, held) and goes_on(p, moment, trials):
                return True
            if trials[0] >= MOST_TRIALS or interrupted():
                return False
        i = 0
        while i < n:
            e.digit[i] += 1
            if e.digit[i] <= choices(p, e.member[i], held):
                break
            e.digit[i] = 0
            i += 1
        if i == n:
            return False


cdef bint change(Program *p, int n, bint held) noexcept nogil:
    """Places by their digits; False where one would be entered from beside it."""
    cdef Events *e = &p.events
    cdef double new
    cdef int i, k
    for i in range(n):
        k = e.member[i]
        if e.digit[i]:
            new = value(p, k, e.digit[i], held)
            if e.steady[k] and not e.ended[k] and <int>fabs(new) % 2:
                return False
            e.place[k][0] = new
    return True


cdef inline int choices(Program *p, int k, bint held) noexcept nogil:
    return p.events.highest[k] + (p.events.highest[k] // 2 if held else 0) + 1


cdef double value(Program *p, int k, int digit, bint held) noexcept nogil:
    """The place that a digit stands for: those that are held first where they are asked for, then the nearest ones."""
    cdef Events *e = &p.events
    cdef int high = e.highest[k], old = <int>fabs(e.old[k]), near, i
    if held:
        if digit <= high // 2:
            return -(2 * digit - 1) - (0.5 if e.softly else 0.0)
        digit -= high // 2
    near = 0
    for i in range(2 * high + 3):  # 1, -1, 2, -2, ...
        if i % 2 == 0 and old + i // 2 + 1 <= high:
            near += 1
            if near == digit:
                return old + i // 2 + 1
        if i % 2 == 1 and old - i // 2 - 1 >= 0:
            near += 1
            if near == digit:
                return old - i // 2 - 1
    return old


cdef bint goes_on(Program *p, double moment, int *trials) noexcept nogil:
    """Whether nothing of what is left of the places falls below zero in the first moment."""
    cdef Events *e = &p.events
    cdef Flow *f = &p.flow
    cdef Failure unused
    cdef int k, i
    cdef bint begins = True
    trials[0] += 1
    p.clock[0] = p.clock[1] = e.now
    if flow_observe(p, &unused) or evaluate_cuts(p, &unused):
        return without(e)
    for k in range(e.n_places):
        e.first[k] = e.least[k] = left(p, k)
        e.largest[k] = fabs(e.first[k])
        if e.height[watched(p, k)] == 0.0:  # how large it is the motion says
            begins = False
    for i in range(p.n_cuts):
        e.weak[i] = e.firm and e.bears[i] and p.cut_value[i] <= NOTHING * e.height[i]
    if begins and not passes(p):
        return False
    if not first_step(p, moment, False) and not first_step(p, moment, True):
        return without(e)
    for i in range(1, LOOKS + 1):
        if look(p, f.end if i == LOOKS else f.begin + (f.end - f.begin) * LATER_PART ** (LOOKS - i), False, &unused):
            return without(e)
        for k in range(e.n_places):
            e.least[k] = fmin(e.least[k], left(p, k))
            e.largest[k] = fmax(e.largest[k], fabs(left(p, k)))
        for k in range(p.n_cuts):
            if e.weak[k] and p.cut_value[k] < -NOTHING * e.height[k]:
                return False
    e.clear = f.end
    return passes(p)


cdef bint first_step(Program *p, double moment, bint foreseen) noexcept nogil:
    """Make a step of the motion that was observed just now; False where its rows contradict each other soon.

    What was zero so far asks for steps of no length where its rate has no slope there, as a root: ``foreseen``, once
    such a step was made, has it as large as it comes to be.
    """
    cdef Flow *f = &p.flow
    cdef Failure unused
    cdef bint good
    memcpy(f.sized, f.size, f.total * sizeof(double))
    if foreseen:
        memcpy(p.values, f.first, f.n * sizeof(double))
        p.clock[0] = p.clock[1] = p.events.now
        if flow_observe(p, &unused):
            return False
    f.horizon, f.trial = p.events.now + p.h, moment
    flow_begin(p)
    if foreseen:
        flow_foresee(p)
        if memcmp(f.sized, f.size, f.total * sizeof(double)) == 0:
            return False
    f.horizon = p.events.now + moment
    good = flow_step(p, &unused) == 0 and f.end - f.begin >= SHORTER * moment
    memcpy(f.size, f.sized, f.total * sizeof(double))
    return good


cdef bint without(Events *e) noexcept nogil:
    """A motion that was tried has no rate somewhere."""
    cdef int k
    for k in range(e.n_places):
        if e.wrong[k] == 0:
            e.wrong[k] = WITHOUT
    return False


cdef bint passes(Program *p) noexcept nogil:
    """Whether what was seen of a motion is no less than where it starts, and that is no less than zero, but for rounding."""
    cdef Events *e = &p.events
    cdef double height
    cdef int k
    cdef bint good = True
    for k in range(e.n_places):
        height = fmax(e.height[watched(p, k)], e.largest[k])
        if e.first[k] < -NOTHING * height or e.least[k] < fmin(e.first[k], 0.0) - SAYS_NOTHING * e.largest[k] - grain(p, k):
            good = False
            if e.wrong[k] != MEMBER:
                e.wrong[k] = WRONG
    return good


cdef inline double grain(Program *p, int k) noexcept nogil:
    """Rounding of what is left of a place: of lambda that of its jump; of y nothing where all its terms come to zero."""
    cdef int i = watched(p, k)
    return GRAIN * p.events.height[i] if <int>p.events.place[k][0] % 2 else 0.0
