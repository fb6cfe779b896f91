"""Where gaps that close in turns, ever faster, come to rest together: rounds, each shorter than the one before.

A round of a relation is what lies between two of its strikes. They are a sequence where the same others press in each two,
in whatever order; who does not, as a floor below two balls that come together in the air, has rounds of its own. In a finite
time infinitely many impulses have a sum, since velocities are finite and these only press. So at the instant to which rounds
tend the rates of all their gaps are zero, and what is left of the impulses is that of one event in which none gives anything
back: a remembered gap of minus infinity says so to a relation. Nothing is said of how velocities fall, which may be far more
slowly than intervals: those of two balls by a fourth in a round that takes a thirteenth of the time, where no polynomial
in the interval says how they end.

Until then a gap counts as closed by what the rounds have come to: one that is about to close has no part in an event yet.
"""

cdef int SHRUNK = 2  # rounds one after the other, each far shorter, that are a sequence
cdef double LEFT_OF_ROUNDS = 1e-11  # of the sequence: time that is left where it is at its limit
cdef double LEFT_OF_TIME = 1e-13  # of the time, five hundred roundings: then too


cdef void forget_rounds(Program *p) noexcept nogil:
    """No event is part of a round so far."""
    cdef Events *e = &p.events
    cdef Rounds *r
    cdef int i
    e.leader, e.limit_next = NULL, 0
    for i in range(p.n_cuts):
        r = &e.rounds[i]
        if r.pressed != NULL:
            memset(r.pressed, 0, p.n_cuts)
            memset(r.former, 0, p.n_cuts)
            memset(r.partner, 0, p.n_cuts)
            r.strikes = r.number = 0
            r.began, r.time = p.clock[1], INFINITY


cdef double begin_rounds(Program *p) noexcept nogil:
    """Before the stages of an event: the gap that counts as closed, and what relations are told of a limit."""
    cdef Events *e = &p.events
    cdef const Rounds *r = &e.rounds[e.striker]
    cdef int i
    if e.striker < 0:
        return e.closed[0]
    if e.leader != NULL and e.leader.partner[e.striker] and is_sequence(e.leader, p.clock[1]):
        r = e.leader
        for i in range(p.n_cuts if e.limit_next else 0):
            if r.partner[i]:
                e.gap[i][0] = -INFINITY
        e.at_limit = e.limit_next
    elif r.pressed == NULL or not is_sequence(r, p.clock[1]):
        return e.closed[0]
    return e.closed[0] * r.time / r.longest


cdef void count_strike(Program *p, const Stage *s) noexcept nogil:
    """After the first stage of an event: whose rounds are over, and which of them are a sequence."""
    cdef Events *e = &p.events
    cdef int i, k
    cdef bint any = False
    if e.at_limit:
        e.at_limit = 0
        forget_rounds(p)
        return
    for i in range(p.n_cuts):
        if presses(e, s, i):
            any = True
            for k in range(p.n_cuts):
                if e.gap[k] != NULL:
                    e.rounds[k].pressed[i] = 1
    for i in range(p.n_cuts if any else 0):
        e.rounds[i].strikes += 1
        if presses(e, s, i):
            end_round(p, &e.rounds[i])
    find_leader(p)


cdef inline bint presses(const Events *e, const Stage *s, int i) noexcept nogil:
    """Whether the relation with the gap of a quantity pressed at the event at hand."""
    cdef const BoundRelation *r = &s.relation[e.owner[i]]
    return e.gap[i] != NULL and r.present and r.in_play and r.multiplier[0] > 0.0


cdef void end_round(Program *p, Rounds *r) noexcept nogil:
    """Who pressed in a round is to press again; whether it goes on a sequence."""
    cdef double time = p.clock[1] - r.began
    cdef int i
    cdef bint same = True
    for i in range(p.n_cuts):
        same = same and (r.pressed[i] or r.former[i]) == r.partner[i]
        r.partner[i] = r.pressed[i] or r.former[i]
    same = same or memcmp(r.pressed, r.former, p.n_cuts) == 0
    r.longest = fmax(r.longest, time)
    if r.strikes == 1 or not same or not time < r.time:
        r.number, r.first = 0, time
    if r.number == 0 or time <= SHRINKS * r.kept:
        r.kept = time
        r.number += 1
    memcpy(r.former, r.pressed, p.n_cuts)
    memset(r.pressed, 0, p.n_cuts)
    r.strikes = 0
    r.ratio = time / r.time
    r.began, r.time = p.clock[1], time


cdef void find_leader(Program *p) noexcept nogil:
    """The shortest of the rounds that are a sequence, and whether that is at its end."""
    cdef Events *e = &p.events
    cdef const Rounds *r
    cdef int i
    e.leader, e.limit_next = NULL, 0
    for i in range(p.n_cuts):
        r = &e.rounds[i]
        if is_sequence(r, p.clock[1]) and (e.leader == NULL or r.time < e.leader.time):
            e.leader = r
            e.limit_next = r.number > SHRUNK and r.time * r.ratio / (1.0 - r.ratio) <= fmax(
                LEFT_OF_ROUNDS * r.first, LEFT_OF_TIME * fabs(p.clock[1]))


cdef inline bint is_sequence(const Rounds *r, double t) noexcept nogil:
    """Whether rounds are a sequence at an instant: the one that is under way is no longer than the last one."""
    return r.number >= SHRUNK and t - r.began < r.time
