"""Which motion goes on after an event, decided again where what shares a load has more than it bears."""

cdef int NEARER = 3  # times that gaps count as closed which are so many times nearer, at last those of zero
cdef double NEARBY = 1e-2  # so three times reach from 1e-10 m to the rounding of a gap
cdef enum:
    MOST_LATER = 4  # moments that are tried
# of a step: forces are other ones after it, by far more than they are solved to, and speeds still those of rest
cdef double *LATER = [1e-6, 1e-7, 1e-5, 1e-4]
cdef double BEYOND = 1e-6  # of the multipliers of a relation: more than decisions a moment later are off at the instant itself


cdef int forces(const Program *p) noexcept nogil:
    """The last stage of an event, before those of blocks: which motion goes on."""
    cdef int number = p.n_stages - 1
    while not p.stage[number].at_event:
        number -= 1
    return number


cdef int share_out(Program *p, Failure *failure) noexcept nogil:
    """Which motion goes on, and its forces; decided again where what shares a load has more than it bears.

    Rows that hold the same get the least of all forces that do, which are within the bounds of all as long as any are. Once
    none are, what was shared until then does not say which rows give way, and where to: the forces of a moment later do, which
    no rest carries. What jumps at this instant counts as it is behind it where motions do.
    """
    cdef double t = p.clock[1]
    cdef int again, status = bear(p, t, failure)
    for again in range(MOST_LATER):
        if status or not overloaded(p):
            break
        status = decide_later(p, t, p.h * LATER[again], failure)
    if status == 0 and again:
        status = too_much(p, failure)
        p.clock[0] = p.clock[1] = fmax(t, p.events.now)
        if status == 0:
            status = flow_observe(p, failure)
        if status == 0:
            status = evaluate_cuts(p, failure)
    p.clock[0] = p.clock[1] = t
    return status


cdef int bear(Program *p, double t, Failure *failure) noexcept nogil:
    """The places with which the motion goes on at t, its forces, and what is left of these."""
    cdef int status = 0
    p.clock[0] = p.clock[1] = t
    if p.events.n_places:
        status = choose_modes(p, failure)
    if status == 0:
        p.clock[0] = p.clock[1] = fmax(t, p.events.now)
        status = flow_observe(p, failure)
    return status if status else evaluate_cuts(p, failure)


cdef int decide_later(Program *p, double t, double later, Failure *failure) noexcept nogil:
    """The same decision by the forces of a moment later, and what is left of those it leads to then."""
    cdef int status
    flow_straight(p)
    flow_along(p, t, t + later)
    p.clock[0] = t
    status = run_apart(p, forces(p), failure)
    memcpy(p.values, p.flow.inner, p.flow.n * sizeof(double))
    if status == 0:
        status = bear(p, t, failure)
    if status:
        return status
    flow_straight(p)
    flow_along(p, t, t + later)
    status = flow_observe(p, failure)
    if status == 0:
        status = evaluate_cuts(p, failure)
    memcpy(p.values, p.flow.inner, p.flow.n * sizeof(double))
    return status


cdef bint overloaded(Program *p) noexcept nogil:
    """Whether something that holds is beyond what it bears: a quantity that is below zero after an event, and no gap."""
    cdef int i
    for i in range(p.n_cuts):
        if p.events.bears[i] and p.cut_value[i] < 0.0:
            return True
    return False


cdef int too_much(Program *p, Failure *failure) noexcept nogil:
    """NO_MOTION where something is still so far beyond what it bears."""
    cdef BoundRelation *r
    cdef double most
    cdef int i, k
    for i in range(p.n_cuts):
        if p.events.bears[i] and p.cut_value[i] < 0.0:
            r, most = &p.flow.stage.relation[p.events.owner[i]], 0.0
            for k in range(r.m):
                most = fmax(most, fabs(p.flow.stage.z[r.row + k]))
            if p.cut_value[i] < -BEYOND * most:
                failure.code, failure.item, failure.stage, failure.detail = NO_MOTION, i, p.flow.stage.number, 1
                return NO_MOTION
    return 0


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
