"""Where gaps that close in turns, ever faster, come to rest together: told by how high they open between their strikes.

A round of a relation is what lies between two of its strikes. Its impulse times that time is a mass times the height to which
the gap opened. In a finite time infinitely many impulses have a sum, since velocities are finite and these only press. So where
the heights of all that press in turns come to nothing, the rates of all their gaps are zero, and what is left of the impulses
is that of one event in which none gives anything back: a remembered gap of minus infinity says so to a relation. Nothing is
said of how velocities fall, which may be far more slowly than intervals, nor of the order of strikes. Where rounds last ever
longer there is no such time: rates and heights die out together, and what is left of the gaps says who strikes next.

All that share systems end at once. One that is stopped alone leaves another one to part for good with the rate that it just has.

Until then a gap counts as closed by the height of what strikes: one that is about to close has no part in an event yet.
"""

cdef double KNOWN = 1e-15  # of the largest gap: what positions are rounded to
cdef double NO_HEIGHT = 1e-13  # of the largest: a hundred times that
cdef double LITTLE_HEIGHT = 1e-10  # of the same: what presses in turns with one that has none, masses apart


cdef void forget_rounds(Program *p) noexcept nogil:
    """No event is part of a round so far."""
    cdef Events *e = &p.events
    cdef int i
    e.limit_next = 0
    for i in range(p.n_cuts):
        e.rounds[i].began, e.rounds[i].impulse, e.rounds[i].height, e.rounds[i].falls = p.clock[1], 0.0, 0.0, 1.0
        e.rounds[i].lasted, e.rounds[i].grows = 0.0, False


cdef double begin_rounds(Program *p) noexcept nogil:
    """Before the stages of an event: the gap that counts as closed, and what relations are told of a limit."""
    cdef Events *e = &p.events
    cdef const Rounds *r = &e.rounds[e.striker]
    cdef int i
    e.at_limit = e.limit_next and e.striker >= 0 and r.together
    for i in range(p.n_cuts if e.at_limit else 0):
        if e.rounds[i].together:
            e.gap[i][0] = -INFINITY
    if e.striker < 0 or e.extrapolated or e.at_limit or r.impulse == 0.0:
        return e.closed[0]
    return fmin(fmax(e.closed[0] * opened(p, r) / r.tallest, KNOWN), e.closed[0])


cdef void count_strike(Program *p, const Stage *s) noexcept nogil:
    """After the first stage of an event: whose rounds are over, and whether they are at their limit."""
    cdef Events *e = &p.events
    cdef const BoundRelation *r
    cdef int i
    if e.at_limit:
        forget_rounds(p)
        return
    for i in range(p.n_cuts):
        r = &s.relation[e.owner[i]]
        if e.gap[i] != NULL and r.present and r.in_play and r.multiplier[0] > 0.0:
            end_round(p, &e.rounds[i], r.multiplier[0])
    e.limit_next = is_limit(p, s)


cdef void end_round(Program *p, Rounds *r, double impulse) noexcept nogil:
    cdef double lasted = p.clock[1] - r.began, height = impulse * lasted
    cdef double falls = fmin(height / r.height, 1.0) if r.height > 0.0 else 1.0
    r.next = height * fmax(falls, r.falls)  # one low round may stand alone, where partners change
    r.height, r.falls = height, falls
    r.tallest = fmax(r.tallest, r.height)
    r.grows, r.lasted = lasted > r.lasted, lasted
    r.began, r.impulse = p.clock[1], impulse


cdef inline double opened(const Program *p, const Rounds *r) noexcept nogil:
    """To what height a gap has come since its last strike, at most."""
    return r.impulse * (p.clock[1] - r.began)


cdef inline bint is_little(const Program *p, const Rounds *r) noexcept nogil:
    """Whether a relation pressed just now, beside its longest rounds."""
    return r.impulse > 0.0 and opened(p, r) <= LITTLE_HEIGHT * r.tallest


cdef bint is_limit(Program *p, const Stage *s) noexcept nogil:
    """Whether all that pressed just now with the striker had little heights, ever sooner, one of them none, and another one."""
    cdef Events *e = &p.events
    cdef Rounds *r
    cdef int i, little = 0
    cdef bint none = False
    join_rounds(p, s)
    for i in range(p.n_cuts):
        r = &e.rounds[i]
        if r.together:
            little += 1
            none = none or r.next <= NO_HEIGHT * r.tallest
            if r.height > LITTLE_HEIGHT * r.tallest or r.grows:
                return False
    return none and little > 1


cdef void join_rounds(Program *p, const Stage *s) noexcept nogil:
    """Mark the striker and what pressed just now, by the systems that they share."""
    cdef Events *e = &p.events
    cdef int i, k
    cdef bint more = True
    for i in range(p.n_cuts):
        e.rounds[i].together = i == e.striker and is_little(p, &e.rounds[i])
    while more:
        more = False
        for i in range(p.n_cuts):
            for k in range(0 if e.rounds[i].together or not is_little(p, &e.rounds[i]) else p.n_cuts):
                if e.rounds[k].together and meet_in_a_system(&s.relation[e.owner[i]], &s.relation[e.owner[k]]):
                    e.rounds[i].together = more = True
                    break


cdef bint meet_in_a_system(const BoundRelation *one, const BoundRelation *other) noexcept nogil:
    cdef int i, k
    for i in range(one.n_attached):
        for k in range(other.n_attached):
            if one.attached[i].system == other.attached[k].system:
                return True
    return False
