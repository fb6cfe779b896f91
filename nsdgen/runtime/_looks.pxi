"""Looking at the quantities whose zeros are events: at one instant, and between two looks where one may have been below zero."""

cdef double TIME_ROUNDING = 8.9e-16  # of a time: four units in the last place
# each a quarter as wide: then 1e-7 of the first, and what a least value still changes by is its square, rounding
cdef int MOST_PARABOLAS = 12
cdef double CLEAR = 0.05  # of what three points differ by
cdef double PART = 0.01  # of the time to a look, and of that: where what comes back is looked for, over all decades


cdef int look(Program *p, double t, bint exactly, Failure *failure) noexcept nogil:
    """The record and all quantities at t."""
    cdef int status = flow_exact(p, t, failure) if exactly else flow_inside(p, t, failure)
    if status == 0:
        status = flow_observe_tried(p, failure)
    return status if status else evaluate_cuts(p, failure)


cdef double side(const Program *p, int i) noexcept nogil:
    if not p.crosses[i]:
        return 1.0
    if p.cut_value[i] == 0.0 or p.cut_value[i] * p.direction[i] > 0.0:
        return 0.0
    return 1.0 if p.cut_value[i] > 0.0 else -1.0


cdef int look_back(Program *p, double *to, Failure *failure) noexcept nogil:
    cdef Events *e = &p.events
    cdef double t = to[0], least = TIME_ROUNDING * fabs(to[0])
    cdef int i, status
    cdef bint may = False
    for i in range(p.n_cuts):
        may = may or (p.fired[i] > 0 and p.cut_value[i] * p.direction[i] > 0.0)
    while may:
        t = e.sampled + PART * (t - e.sampled)
        if not t - e.sampled > least:
            return look(p, to[0], False, failure)
        status = look(p, t, False, failure)
        if status:
            return status
        for i in range(p.n_cuts):
            if p.fired[i] > 0 and p.cut_value[i] * p.direction[i] < 0.0:
                to[0] = t
                may = False
    return 0


cdef bint weigh(Program *p) noexcept nogil:
    """Whether a quantity has its zero since the last look; ``scale`` is then its value here, else 0."""
    cdef Events *e = &p.events
    cdef double value
    cdef bint found = False
    cdef int i
    for i in range(p.n_cuts):
        value = p.cut_value[i]
        e.scale[i] = 0.0
        if p.crosses[i]:
            if e.sign[i] != 0.0 and e.sign[i] * value <= 0.0:
                e.scale[i] = fabs(p.before[i]) if p.before[i] < 0.0 else -p.before[i]
                found = True
        elif value < e.base[i]:
            e.scale[i] = -fmax(e.base[i] - value, 1e-300)
            found = True
    return found


cdef double fallen(Program *p, int *which) noexcept nogil:
    """Negative before the first zero of the quantities weighed, not negative after it."""
    cdef Events *e = &p.events
    cdef double value, highest = -INFINITY
    cdef int i
    for i in range(p.n_cuts):
        if e.scale[i] != 0.0:
            value = (p.cut_value[i] - e.base[i]) / e.scale[i]
            if value > highest:
                highest = value
                which[0] = i
    return highest - e.jump


cdef int look_between(Program *p, double *to, Failure *failure) noexcept nogil:
    """Look at points since the last look: ``to`` is the first at which a quantity is below zero, else left as it was."""
    cdef Events *e = &p.events
    cdef double t, left, middle, right, h = (to[0] - e.sampled) / PROBES
    cdef int i, j, status, n = p.n_cuts
    memcpy(e.probe, p.before, n * sizeof(double))
    memcpy(e.probe + PROBES * n, p.cut_value, n * sizeof(double))
    for i in range(1, PROBES):
        t = e.sampled + i * h
        if not e.sampled < t < to[0]:
            memcpy(e.probe + (PROBES - 1) * n, p.before, n * sizeof(double))
            return look(p, to[0], False, failure)
        status = look(p, t, False, failure)
        if status:
            return status
        if weigh(p):
            to[0] = t
            return 0
        memcpy(e.probe + i * n, p.cut_value, n * sizeof(double))
    for i in range(PROBES):
        for j in range(n):
            middle, right = signed(p, j, e.probe[i * n + j]), signed(p, j, e.probe[(i + 1) * n + j])
            left = signed(p, j, e.probe[(i - 1) * n + j]) if i else INFINITY
            if e.sign[j] != 0.0 and middle < left and middle <= right:
                status = look_first(p, j, h, to, failure) if i == 0 else look_down(
                    p, j, e.sampled + i * h, h, left, middle, right, to, failure)
                if status < 0:
                    return 0
                if status:
                    return status
    return look(p, to[0], False, failure)


cdef int look_first(Program *p, int j, double h, double *to, Failure *failure) noexcept nogil:
    """The same between the last look and the first point behind it."""
    cdef Events *e = &p.events
    cdef int status = look(p, e.sampled + 0.5 * h, False, failure)
    if status:
        return status
    if weigh(p):
        to[0] = e.sampled + 0.5 * h
        return -1
    return look_down(p, j, e.sampled + 0.5 * h, 0.5 * h, signed(p, j, e.probe[j]), signed(p, j, p.cut_value[j]),
                     signed(p, j, e.probe[p.n_cuts + j]), to, failure)


cdef int look_down(Program *p, int j, double t, double h, double left, double middle, double right, double *to,
                   Failure *failure) noexcept nogil:
    """Look where a quantity is least around t, by parabolas; -1 where something is below zero there, which is ``to``.

    It ends where the least value of the parabola is positive beside what its three points differ by.
    """
    cdef double vertex, bend, shift
    cdef int i, status
    for i in range(MOST_PARABOLAS):
        bend = left - 2.0 * middle + right
        if not bend > 0.0:
            return 0
        shift = 0.5 * (left - right) / bend
        vertex = middle - 0.25 * (left - right) * shift
        if vertex > CLEAR * bend or fabs(shift) > 1.0 or h <= TIME_ROUNDING * fabs(t):
            return 0
        t += shift * h
        h = fmin(0.25 * h, t - p.events.sampled)  # nothing is looked at before the last look
        if not h > 0.0:
            return 0
        status = look(p, t, False, failure)
        if status:
            return status
        if weigh(p):
            to[0] = t
            return -1
        middle = signed(p, j, p.cut_value[j])
        status = look(p, t - h, False, failure)
        if status == 0:
            left = signed(p, j, p.cut_value[j])
            status = look(p, t + h, False, failure)
            right = signed(p, j, p.cut_value[j])
        if status:
            return status
    return 0
