"""Motions that are tried: places of rows, fewest changes first, and whether what is there goes on for a moment."""

cdef double SAYS_NOTHING = 1e-13  # of the largest value in a motion that is tried: a smaller change says nothing
cdef double GRAIN = 1e-15  # of the largest value a quantity had: its rounding, four units in the last place
cdef double LEVEL = 1e-13  # of the largest terms of a relation: rounding of its rows, of a condition up to 1e3
cdef int LOOKS = 3  # at a motion that is tried: at its end, and at these parts of it before
cdef double LATER_PART = 0.2  # each of the next: over the decades a term of any order shows
cdef int MOST_ROWS = 8  # of which all combinations are tried
cdef int MOST_TRIALS = 4000  # at one event: eight rows of two pieces each several times over


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
    """Places by their digits; False where one is what it was, or would be entered from beside it."""
    cdef Events *e = &p.events
    cdef double new
    cdef int i, k
    for i in range(n):
        k = e.member[i]
        if e.digit[i]:
            new = value(p, k, e.digit[i], held)
            if new == e.old[k] or (e.steady[k] and not e.ended[k] and <int>fabs(new) % 2):
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
            return -(2 * digit - 1)
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
    cdef int k, i, status
    cdef bint begins = True, lost = False
    trials[0] += 1
    p.clock[0] = p.clock[1] = e.now
    status = flow_observe(p, &unused)
    if e.agrees != 1:
        e.agrees = -1 if status == ONE_STEP and unused.detail == MLCP_INCONSISTENT else 1
    if status or evaluate_cuts(p, &unused):
        return without(e)
    for k in range(e.n_places):
        e.first[k] = e.least[k] = left(p, k)
        e.largest[k] = fabs(e.first[k])
        e.rounded[k] = rounding_of(p, k)
        lost = lost or e.first[k] == NOT_THERE
        if e.height[watched(p, k)] == 0.0:  # how large it is the motion says
            begins = False
    for i in range(p.n_cuts):
        e.weak[i] = e.firm and e.bears[i] and p.cut_value[i] <= NOTHING * e.height[i]
    if (begins or lost) and not passes(p):
        return False
    if not first_step(p, moment, False) and not first_step(p, moment, True):
        return without(e)
    for i in range(1, LOOKS + 1):
        if look(p, f.end if i == LOOKS else f.begin + (f.end - f.begin) * LATER_PART ** (LOOKS - i), False, &unused):
            return without(e)
        for k in range(e.n_places):
            e.least[k] = fmin(e.least[k], left(p, k))
            e.largest[k] = fmax(e.largest[k], fabs(left(p, k)))
            e.rounded[k] = fmax(e.rounded[k], rounding_of(p, k))
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
        if e.first[k] < -NOTHING * height - e.rounded[k] or (
                e.least[k] < fmin(e.first[k], 0.0) - SAYS_NOTHING * e.largest[k] - grain(p, k) - e.rounded[k]):
            good = False
            if e.wrong[k] != MEMBER:
                e.wrong[k] = WRONG
    return good


cdef double rounding_of(Program *p, int k) noexcept nogil:
    """Rounding of what is left of a place, by the largest terms of its relation; as it was where it is not asked."""
    cdef Events *e = &p.events
    return LEVEL * largest_terms(p.flow.stage, e.owner[e.left[k]]) if e.coarse else e.rounded[k]


cdef inline double grain(Program *p, int k) noexcept nogil:
    """Rounding of what is left of a place: of lambda that of its jump; of y nothing where all its terms come to zero."""
    cdef int i = watched(p, k)
    return GRAIN * p.events.height[i] if <int>p.events.place[k][0] % 2 else 0.0
