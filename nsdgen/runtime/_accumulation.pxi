"""Where events that accumulate end: intervals that shrink as a geometric sequence, and the instant they tend to.

Events of what comes to rest follow each other at intervals that tend to a geometric sequence. Instant and state
of an event are smooth functions of the interval before it, and their values at the interval zero are where the events
accumulate: polynomials through some of them say these. A bouncing ball on a still table has straight lines, on a moving
one curves. Events that are kept have intervals of which each is far shorter than the one before, so that rounding
is not amplified, whatever the ratio of intervals.

The limit is taken where polynomials of two degrees agree to rounding, and that without the newest event does nearly, where
what is left of the sequence is a small part of it, where the rate there is what the rates on the way tend to, so that no force
has jumped in between, and where no other quantity has passed its zero, nor a rate of what slides in the events: those left out
would slide the other way, or hold. Until then, and where one of these never comes, the sequence ends by ``rest_rate``.
Where intervals fall far faster than rates, the oldest event says nothing: two degrees agree of what has no limit there.
Between two events of the quantity others may lie, the same each time: both ends of a rod that rattles.
"""

cdef double SHRINKS = 0.6  # of the interval kept before: weights of six such add to 30
cdef int LEAST_NODES = 3  # nodes: two degrees of polynomials
cdef double LEFT = 0.02  # of the sequence so far: what is left of it at most
cdef double AGREED = 1e-12  # of a state and of what it moves in the sequence: polynomials of two degrees
cdef double FORESEEN = 1e3  # of the same, without the newest event: what is no polynomial is off by far more, rounding by less
cdef double LIMIT_ROUNDING = 3e-14  # of the time: what instants known to four units in the last place leave of the limit
cdef double TURNED = 1e-10  # of the largest sliding rate: where events hold it tends to zero, but for rounding
cdef int MOST_BETWEEN = 16  # events between two of the quantity


cdef void forget_sequence(Program *p) noexcept nogil:
    """No event is part of a sequence so far."""
    cdef Events *e = &p.events
    e.n_nodes, e.followed, e.latest, e.others, e.between, e.between_last = 0, -1, -1, 0, 0, 0


cdef bint reach_limit(Program *p, int which, double stop) noexcept nogil:
    """At an event of quantity ``which``: put the record where the sequence it ends tends to, if that is known and
    before ``stop``."""
    cdef Events *e = &p.events
    cdef int latest = e.latest
    cdef double before = e.at_latest
    cdef int k
    if p.crosses[which]:  # a condition of a block: nothing rests at the limit of these
        forget_sequence(p)
        return False
    for k in range(e.n_places):  # a row of a law with a curve: _modes.pxi says how its events end
        if which == e.left[k] or which == e.left[k] + 1:
            forget_sequence(p)
            return False
    e.latest, e.at_latest = which, p.clock[1]
    if which == e.followed:
        if kept(p) and extrapolate(p, stop):
            return True
        note_slips(p)
        return False
    if which == latest:  # now these are to be followed
        forget_sequence(p)
        e.followed, e.latest, e.struck = which, which, before
        kept(p)
        note_slips(p)
        return False
    e.others += 1
    e.between = 31 * e.between + which + 1
    if e.followed < 0 or e.others > MOST_BETWEEN:
        forget_sequence(p)
        e.followed, e.latest, e.struck = which, which, p.clock[1]
    return False


cdef inline double *node(Program *p, int k) noexcept nogil:
    """Interval, instant, states and their rates of an event that is kept."""
    return p.events.node + k * (2 + 2 * p.flow.n)


cdef bint kept(Program *p) noexcept nogil:
    """Whether the event at hand becomes a node: the same lies before it as before the last one, in far less time."""
    cdef Events *e = &p.events
    cdef double t = p.clock[1], interval = p.clock[1] - e.struck
    cdef bint same = e.between == e.between_last
    cdef int n = p.flow.n
    e.struck, e.between_last, e.between, e.others = t, e.between, 0, 0
    if e.n_nodes and (not same or interval > node(p, e.n_nodes - 1)[0]):
        e.n_nodes = 0
    if e.n_nodes and interval > SHRINKS * node(p, e.n_nodes - 1)[0]:
        return False
    if e.n_nodes == 0:
        e.began = t - interval
    if e.n_nodes == NODES:
        memmove(node(p, 0), node(p, 1), (NODES - 1) * (2 + 2 * n) * sizeof(double))
        e.n_nodes -= 1
    node(p, e.n_nodes)[0], node(p, e.n_nodes)[1] = interval, t
    memcpy(node(p, e.n_nodes) + 2, p.values, n * sizeof(double))
    memcpy(node(p, e.n_nodes) + 2 + n, p.flow.state, n * sizeof(double))
    e.n_nodes += 1
    return e.n_nodes >= LEAST_NODES


cdef void weights(Program *p, int begin, int end, double *weight) noexcept nogil:
    """Weights of the polynomial through the nodes from ``begin`` to ``end``, at the interval zero."""
    cdef int i, j
    for i in range(p.events.n_nodes):
        weight[i] = 1.0 if begin <= i < end else 0.0
        for j in range(begin, end):
            if begin <= i < end and j != i:
                weight[i] *= node(p, j)[0] / (node(p, j)[0] - node(p, i)[0])


cdef double limit(Program *p, const double *weight, int entry) noexcept nogil:
    """What an entry of the nodes tends to, less what it is now."""
    cdef double now = node(p, p.events.n_nodes - 1)[entry], value = 0.0
    cdef int i
    for i in range(p.events.n_nodes - 1):
        value += weight[i] * (node(p, i)[entry] - now)
    return value


cdef bint extrapolate(Program *p, double stop) noexcept nogil:
    """The record at the limit, if it is known; else everything as it was."""
    cdef Events *e = &p.events
    cdef double high[NODES]
    cdef double low[NODES]
    cdef double t = p.clock[1], left
    cdef Failure unused
    cdef int i, n = p.flow.n
    weights(p, 0, e.n_nodes, high)
    left = limit(p, high, 1)
    if not (0.0 < left <= LEFT * (t - e.began) and t + left < stop):
        return False
    weights(p, 1, e.n_nodes, low)
    if not agree(p, high, low, 1.0):
        return False
    weights(p, 0, e.n_nodes - 1, low)
    if not agree(p, high, low, FORESEEN):
        return False
    memcpy(e.at_event, p.values, p.width * sizeof(double))
    for i in range(n):
        p.values[i] += limit(p, high, 2 + i)
    p.clock[0] = p.clock[1] = t + left
    if flow_observe(p, &unused) == 0 and evaluate_cuts(p, &unused) == 0 and sequence_goes_on(p, high, left):
        forget_sequence(p)
        return True
    memcpy(p.values, e.at_event, p.width * sizeof(double))
    p.clock[0] = p.clock[1] = t
    flow_observe(p, &unused)  # as it was a moment ago
    evaluate_cuts(p, &unused)
    return False


cdef bint agree(Program *p, const double *one, const double *other, double within) noexcept nogil:
    """Whether two polynomials tend to the same instant and states, within that multiple of what is allowed."""
    cdef Events *e = &p.events
    cdef double most = AGREED * (e.struck - e.began) + LIMIT_ROUNDING * fabs(e.struck)
    cdef int i
    if not fabs(limit(p, one, 1) - limit(p, other, 1)) <= within * most:
        return False
    for i in range(p.flow.n):
        if not fabs(limit(p, one, 2 + i) - limit(p, other, 2 + i)) <= within * allowed(p, i):
            return False
    return True


cdef double allowed(Program *p, int i) noexcept nogil:
    """What the limit of a state may be off."""
    cdef double size = 0.0, rate = 0.0
    cdef int k
    for k in range(p.events.n_nodes):
        size = fmax(size, fabs(node(p, k)[2 + i]))
        rate = fmax(rate, fabs(node(p, k)[2 + p.flow.n + i]))
    return AGREED * (size + rate * (p.events.struck - p.events.began)) + LIMIT_ROUNDING * fabs(p.events.struck) * rate


cdef bint sequence_goes_on(Program *p, const double *weight, double left) noexcept nogil:
    """Whether rates at the limit are what those before tend to, and no other quantity is past its zero."""
    cdef Events *e = &p.events
    cdef double expected
    cdef int i, n = p.flow.n
    for i in range(n):
        expected = node(p, e.n_nodes - 1)[2 + n + i] + limit(p, weight, 2 + n + i)
        if not fabs(p.flow.state[i] - expected) * left <= allowed(p, i):
            return False
    for i in range(p.n_cuts):
        if p.crosses[i] and e.sign[i] * p.cut_value[i] < 0.0:
            return False
        if not p.crosses[i] and i != e.followed and p.cut_value[i] < e.base[i]:
            return False
    return not rubs_otherwise(p)


cdef void note_slips(Program *p) noexcept nogil:
    cdef int k
    for k in range(p.events.n_slips):
        p.events.slipped[k] = p.values[p.events.slip[k]]


cdef bint rubs_otherwise(Program *p) noexcept nogil:
    """Whether what strikes slides against the way it did at the event before: at the limit, or at the event at hand."""
    cdef Events *e = &p.events
    cdef int k
    for k in range(e.n_slips):
        if not p.flow.stage.relation[e.slip_owner[k]].mode[0] > 0.0 and (
                against(e, k, p.values) or against(e, k, e.at_event)):
            return True
    return False


cdef inline bint against(const Events *e, int k, const double *record) noexcept nogil:
    return e.slipped[k] * record[e.slip[k]] < 0.0 and fabs(record[e.slip[k]]) > TURNED * record[e.slip_size[k]]
