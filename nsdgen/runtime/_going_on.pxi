"""Which motion goes on after an event, decided again where what shares a load has more than it bears."""

cdef int NEARER = 3  # times that gaps count as closed which are so many times nearer, at last those of zero
cdef int MOST_SHARES = 4  # of a load, one after the other
cdef double NEARBY = 1e-2  # so three times reach from 1e-10 m to the rounding of a gap


cdef int forces(const Program *p) noexcept nogil:
    """The last stage of an event, before those of blocks: which motion goes on."""
    cdef int number = p.n_stages - 1
    while not p.stage[number].at_event:
        number -= 1
    return number


cdef int share_out(Program *p, Failure *failure) noexcept nogil:
    """Which motion goes on, and its forces; decided again where what shares a load has more than it bears.

    Rows that hold the same get the least of all forces that do, which may be beyond the bound of one while others bear
    more: that one then slides at its bound, or opens. What jumps at this instant counts as it is behind it where motions do.
    """
    cdef double t = p.clock[1]
    cdef int again, status
    for again in range(MOST_SHARES + p.events.n_sides):
        if again:
            status = give_way(p, failure)
            if status:
                return status
        status = 0
        if p.events.n_places:
            status = choose_modes(p, failure)
        if status == 0:
            p.clock[0] = p.clock[1] = fmax(t, p.events.now)
            status = flow_observe(p, failure)
        if status == 0:
            status = evaluate_cuts(p, failure)
        if status or not overloaded(p):
            break
    p.clock[0] = p.clock[1] = t
    return status


cdef int give_way(Program *p, Failure *failure) noexcept nogil:
    """The same decision with what is overloaded now; disks that gave way before it in this event slide on where they press."""
    cdef Events *e = &p.events
    cdef Failure unused
    cdef int k, status
    for k in range(e.n_sides):
        e.slid[k] = e.side[k][0]
    status = run_apart(p, forces(p), failure)
    if status == 0:
        flow_observe(p, &unused)
        for k in range(e.n_sides):
            if e.slid[k] != 0.0 and p.flow.stage.relation[e.side_owner[k]].mode[0] > 0.0:
                e.side[k][0] = e.slid[k]
    return status


cdef bint overloaded(Program *p) noexcept nogil:
    """Whether something that holds is beyond what it bears: a quantity that is below zero after an event, and no gap."""
    cdef int i
    for i in range(p.n_cuts):
        if p.events.bears[i] and p.cut_value[i] < 0.0:
            return True
    return False


cdef int run_apart(Program *p, int number, Failure *failure) noexcept nogil:
    """A stage of an event; where nothing solves it for all gaps that count as closed, for the nearest of them.

    The others come to zero after them then, as they do. What fails is told of all of them.
    """
    cdef Counters counters
    cdef Failure unused
    cdef double closed = p.events.closed[0]
    cdef int i, status
    for i in range(NEARER + 1):
        memset(&counters, 0, sizeof(Counters))
        status = run_stage(&p.stage[number], False, &counters, failure if i == 0 else &unused)
        if number == forces(p):
            p.events.decided = 0 if status else <int> counters.deficiency
            if p.events.decided and not counters.turned and p.several == 0 and slides(&p.events):  # its rows say how
                counters.turned = turned_row(&p.stage[number])
            note_stage(p, p.clock[1], number, &counters)
        if status != ONE_STEP or number == forces(p):
            break
        p.events.closed[0] = closed * NEARBY**(i + 1) if i < NEARER - 1 else 0.0
    p.events.closed[0] = closed
    return status
