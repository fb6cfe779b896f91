"""Looking at the quantities whose zeros are events: at one instant, and between two looks where one may have been below zero."""

cdef double TIME_ROUNDING = 8.9e-16  # of a time: four units in the last place
# each a quarter as wide: then 1e-7 of the first, and what a least value still changes by is its square, rounding
cdef int MOST_PARABOLAS = 12
cdef double CLEAR = 0.05  # of what three points differ by
cdef double GLANCE = 0.381966011250105  # of the time between looks: no few of them make whole periods
cdef double EARLY = 0.1458980337503155  # the same, for a motion that starts
cdef double OFF = 0.02  # of a quantity: parabolas say it to that
cdef double GROWS = 0.015625  # of that: it is a third power of the time
cdef double FLAT = 1e-9  # of the largest that a quantity was: less is rounding
cdef double WORTH = 0.5  # of the time that is resolved: where a row is longer, looking ahead is no less work
cdef double SHORTEST_LOOK = 1e-3  # of a step of the model
cdef int MOST_ROUGH = 3  # of the shortest looks in a row: what is rough in all of them is no jump, but rounding
cdef double ABOVE = 10.0  # times what rounding is there
cdef double PART = 0.01  # of the time to a look, and of that: where what comes back is looked for, over all decades


cdef int look(Program *p, double t, bint exactly, Failure *failure) noexcept nogil:
    """The record and all quantities at t."""
    cdef int status = flow_exact(p, t, failure) if exactly else flow_inside(p, t, failure)
    if status == 0:
        status = flow_observe_tried(p, failure)
    return status if status else evaluate_cuts(p, failure)


cdef int look_near_enough(Program *p, double *to, Failure *failure) noexcept nogil:
    """Look at ``to``, or at an instant before it to which all quantities are resolved.

    A quantity is known between looks where a parabola through three of them says what it is at a fourth one, at no
    simple part of the time: what moves faster than it is looked at is told from what is still. Where that is so over
    several rows, these are looked at once each.
    """
    cdef Events *e = &p.events
    cdef int status
    cdef bint found
    if p.n_cuts == 0:
        return look(p, to[0], False, failure)
    if e.fresh:
        e.reach = fmin(e.reach, to[0] - e.sampled)
    if to[0] > e.resolved:
        while True:
            e.resolved = fmin(p.flow.end, e.sampled + e.reach)
            if e.sampled < e.refused:
                e.resolved = fmin(e.resolved, e.sampled + 0.5 * (e.refused - e.sampled))
            if to[0] > e.sampled + WORTH * (e.resolved - e.sampled):
                return look_closely(p, to, failure)
            memcpy(p.flow.aside, p.values, p.width * sizeof(double))  # what lies ahead leaves no trace in the record
            found = is_resolved_ahead(p)
            memcpy(p.values, p.flow.aside, p.width * sizeof(double))
            if found:
                break
            e.refused = e.resolved
    e.glanced = e.earlier_at
    memcpy(e.glance, e.earlier, p.n_cuts * sizeof(double))
    status = look(p, to[0], False, failure)
    if status == 0 and to[0] < e.resolved and not is_foreseen(p, to[0]):
        e.refused = e.resolved
        e.reach = to[0] - e.sampled
        return look_closely(p, to, failure)
    return status


cdef bint is_foreseen(const Program *p, double t) noexcept nogil:
    """Whether quantities at a row are what looks on both sides of it say."""
    cdef const Events *e = &p.events
    cdef double near
    cdef int i
    for i in range(p.n_cuts):
        near = fmin(fabs(p.cut_value[i]), 0.5 * (fabs(p.before[i]) + fabs(e.ahead[i])))
        if off_parabola(p, i, e.resolved, e.ahead[i], t, p.cut_value[i]) > resolved_to(p, i, near):
            return False
    return True


cdef bint is_resolved_ahead(Program *p) noexcept nogil:
    """Whether quantities are known up to ``resolved``, beside the least that they come to: 0 where they change signs."""
    cdef Events *e = &p.events
    cdef Failure unused
    cdef double near, off, worst = 0.0
    cdef int i
    e.glanced = e.sampled + GLANCE * (e.resolved - e.sampled)
    if look(p, e.glanced, False, &unused):
        return False
    memcpy(e.glance, p.cut_value, p.n_cuts * sizeof(double))
    if look(p, e.resolved, False, &unused):
        return False
    memcpy(e.ahead, p.cut_value, p.n_cuts * sizeof(double))
    for i in range(p.n_cuts):
        near = fmin(fabs(p.before[i]), fmin(fabs(e.glance[i]), fabs(p.cut_value[i])))
        if p.before[i] * e.glance[i] < 0.0 or p.before[i] * p.cut_value[i] < 0.0:
            near = 0.0
        off = off_parabola(p, i, e.resolved, p.cut_value[i], e.glanced, e.glance[i])
        worst = fmax(worst, off / resolved_to(p, i, near) if off > 0.0 else 0.0)
    e.reach = fmin(e.reach, e.resolved - e.sampled) if worst > 1.0 else fmax(
        e.reach if worst <= GROWS else 0.0, (e.resolved - e.sampled) * fmin(4.0, pow(2.0 * worst, -1.0 / 3.0)))
    return worst <= 1.0


cdef int look_closely(Program *p, double *to, Failure *failure) noexcept nogil:
    """The same within a row."""
    cdef Events *e = &p.events
    cdef double whole = to[0] - e.sampled, h = fmin(whole, e.reach), least = fmin(h, SHORTEST_LOOK * p.h)
    cdef double worst, off, near, share
    cdef int i, status
    while True:
        h = fmax(h, least)
        to[0] = to[0] if h >= to[0] - e.sampled else e.sampled + h
        if e.fresh:
            e.earlier_at = e.sampled + EARLY * h
            status = look(p, e.earlier_at, False, failure)
            if status:
                return status
            memcpy(e.earlier, p.cut_value, p.n_cuts * sizeof(double))
        e.glanced = e.sampled + GLANCE * h
        status = look(p, e.glanced, False, failure)
        if status:
            return status
        memcpy(e.glance, p.cut_value, p.n_cuts * sizeof(double))
        status = look(p, to[0], False, failure)
        if status:
            return status
        worst = 0.0
        for i in range(p.n_cuts):
            e.reached[i] = fmax(e.reached[i], fmax(fabs(e.glance[i]), fabs(p.cut_value[i])))
            off = off_parabola(p, i, to[0], p.cut_value[i], e.glanced, e.glance[i])
            near = fmin(fabs(e.glance[i]), 0.5 * (fabs(p.before[i]) + fabs(p.cut_value[i])))
            share = off / resolved_to(p, i, near) if off > 0.0 else 0.0
            worst = fmax(worst, share)
            e.rough[i] = e.rough[i] + 1 if share > 1.0 and h <= least else 0 if share <= 1.0 else e.rough[i]
            if e.rough[i] == MOST_ROUGH:
                e.grain[i], e.rough[i] = ABOVE * off, 0
        if worst <= 1.0 or h <= least:
            least = (4.0 if worst <= GROWS else 1.0) * h
            e.reach = fmax(e.reach, least) if h == whole else least  # little that is left of a row says nothing of others
            e.resolved = to[0]
            return 0
        h *= 0.25


cdef double off_parabola(const Program *p, int i, double to, double end, double at, double value) noexcept nogil:
    """What the parabola through three looks, the last at ``to``, is off at another one."""
    cdef const Events *e = &p.events
    cdef double before = p.before[i], rise = end - before
    cdef double u = (at - e.sampled) / (to - e.sampled), v = (e.earlier_at - e.sampled) / (to - e.sampled)
    return fabs(value - before - rise * u - (e.earlier[i] - before - rise * v) * (u * (u - 1.0)) / (v * (v - 1.0)))


cdef double resolved_to(const Program *p, int i, double near) noexcept nogil:
    """What that may be: a share of the quantity, its rounding, or what it is rough by in the shortest times."""
    cdef const Events *e = &p.events
    return fmax(fmax(OFF * near, e.grain[i]), fmax(FLAT, 10.0 * p.flow.rtol[0]) * e.reached[i])


cdef double slope_of_parabola(double t1, double f1, double t2, double f2, double t3, double f3) noexcept nogil:
    """At t3, of the one through three points."""
    return (f3 - f1) / (t3 - t1) + (f3 - f2) / (t3 - t2) - (f2 - f1) / (t2 - t1)


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
