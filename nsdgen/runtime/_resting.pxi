"""Beside a motion that is found: what rests without being asked to, how many multipliers are open, and other motions."""

cdef double ANOTHER = 1e-6  # of two rates, far above rounding: they are of different motions
cdef enum:
    MOST_OTHERS = 3  # rows of which all places are tried at a start: 27 motions of three pieces each


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
            note_several(p, e.now, p.flow.stage.number, k, False)
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


cdef int open_rows(Program *p) noexcept nogil:
    """How many multipliers of the motion are not determined; 1 where it was chosen among several just now. Loads that
    turn it as it is now are noted, once.

    The stage that decides at an event, the last one, has all laws, and so may count more than the smooth motion, whose
    rows are those that hold: a brake that gives all it has beside a floor, a floor that bears nothing. It then counts in
    each record, as if there was an event. Where the smooth motion has no bounds what is said is what it counts: that a row
    is zero on its piece says nothing of others which are zero besides.
    """
    cdef Events *e = &p.events
    cdef Counters counters
    cdef Failure unused
    cdef int k, number, turned, count = missing_rank(p.flow.stage)
    cdef bint bounded = e.n_places == 0 or knows_bounds(p.flow.stage)
    if count and p.several == 0 and slides(e):
        turned = turned_row(p.flow.stage)
        if turned:
            note_several(p, p.clock[1], p.flow.stage.number, turned - 1, True)
    if e.decided > count or (count and not bounded):
        memcpy(p.kept_values, p.values, p.width * sizeof(double))
        memcpy(p.kept_modes, p.modes, p.n_modes * sizeof(double))
        for k in range(p.flow.n):  # what acts on them cancels: gaps of them are told by themselves alone
            if fabs(p.values[k]) <= CANCELS * p.h * p.flow.terms[k]:
                p.values[k] = 0.0
        for k in range(e.n_sides):  # what rests at its bound has not given way: as if it had just stopped
            if e.side[k][0] == 0.0:
                e.side[k][0] = 1.0
        for number in range(p.n_stages):
            if p.stage[number].at_event:
                memset(&counters, 0, sizeof(Counters))
                if run_stage(&p.stage[number], False, &counters, &unused):
                    counters.deficiency = 0.0 if bounded else count
        count = max(count if bounded else 0, <int> counters.deficiency)
        back_to_start(p)
    return max(count, e.chosen)


cdef bint slides(const Events *e) noexcept nogil:
    """Whether something gives way to one side, by loads: without it these turn no motion."""
    cdef int k
    for k in range(e.n_sides):
        if e.side[k][0] != 0.0:
            return True
    return False


cdef bint is_another(const Program *p, const double *rate) noexcept nogil:
    """Whether these rates are those of another motion than the one that was kept to be compared."""
    cdef const Flow *f = &p.flow
    cdef int i
    for i in range(f.n):
        if not fabs(rate[i] - f.compared[i]) <= ANOTHER * (fabs(rate[i]) + fabs(f.compared[i])) + CANCELS * f.terms[i]:
            return True
    return False
