"""Where gaps that close in turns, ever faster, come to rest together: rounds, each shorter than the one before.

A round is over when all relations have pressed again that pressed in the round before, in whatever order. In a finite time
infinitely many impulses have a sum, since velocities are finite and these only press. So at the instant to which rounds
tend the rates of all their gaps are zero, and what is left of the impulses is that of one event in which none gives anything
back: a remembered gap of minus infinity says so to a relation. Nothing is said of how velocities fall, which may be far more
slowly than intervals: those of two balls by a fourth in a round that takes a thirteenth of the time, where no polynomial
in the interval says how they end.

Until then a gap counts as closed by what the rounds have come to: one that is about to close has no part in an event yet.
"""

cdef int SHRUNK = 2  # rounds one after the other, each far shorter, that are a sequence
cdef double LEFT_OF_ROUNDS = 1e-10  # of the sequence: time that is left where it is at its limit


cdef void forget_rounds(Program *p) noexcept nogil:
    """No event is part of a round so far."""
    cdef Events *e = &p.events
    memset(e.pressed, 0, p.n_cuts)
    memset(e.partner, 0, p.n_cuts)
    e.strikes = e.partners = e.rounds = e.limit_next = 0
    e.round_began, e.round_time = p.clock[1], INFINITY


cdef double begin_rounds(Program *p) noexcept nogil:
    """Before the stages of an event: the gap that counts as closed, and what relations are told of a limit."""
    cdef Events *e = &p.events
    cdef int i
    if not e.of_partner or e.rounds < 2:
        return e.closed[0]
    for i in range(p.n_cuts if e.limit_next else 0):
        if e.partner[i]:
            e.gap[i][0] = -INFINITY
    e.at_limit = e.limit_next
    return e.closed[0] * e.round_time / e.first_time


cdef void count_strike(Program *p, const Stage *s) noexcept nogil:
    """After the first stage of an event: what it pressed, and whether a round is over."""
    cdef Events *e = &p.events
    cdef const BoundRelation *r
    cdef int i, left = e.partners, any = 0
    if e.at_limit:
        e.at_limit = 0
        forget_rounds(p)
        return
    for i in range(p.n_cuts):
        r = &s.relation[e.owner[i]]
        if e.gap[i] != NULL and r.present and r.in_play and r.multiplier[0] > 0.0:
            e.pressed[i], any = 1, 1
        if e.partner[i] and e.pressed[i]:
            left -= 1
    e.strikes += any
    if any and (left == 0 or e.strikes > MOST_BETWEEN * e.partners):
        end_round(p, left == 0)


cdef void end_round(Program *p, bint whole) noexcept nogil:
    """What pressed in a round is to press again; whether it goes on a sequence, and whether that is at its end."""
    cdef Events *e = &p.events
    cdef double time = p.clock[1] - e.round_began, ratio = time / e.round_time
    if not whole or e.strikes == 1 or memcmp(e.pressed, e.partner, p.n_cuts) or not ratio < 1.0:
        e.rounds, e.first_time = 0, time
    if e.rounds == 0 or time <= SHRINKS * e.kept_time:
        e.kept_time = time
        e.rounds += 1
    e.limit_next = e.rounds > SHRUNK and time * ratio / (1.0 - ratio) <= LEFT_OF_ROUNDS * e.first_time
    memcpy(e.partner, e.pressed, p.n_cuts)
    memset(e.pressed, 0, p.n_cuts)
    e.partners = e.strikes = 0
    for i in range(p.n_cuts):
        e.partners += e.partner[i]
    e.round_began, e.round_time = p.clock[1], time
