"""Sweeps over contacts of bodies: each contact is solved exactly for its own reactions, and moves its bodies at once.

They go forth and back, and each starts ahead of the last one by a momentum (Nesterov's), which is dropped where changes grow.
Reactions are in their cones whenever they end.
"""

cdef int[5] SLIDES = [COULOMB_3D, FOLLOWS, FOLLOWS, FOLLOWS, FOLLOWS]
cdef int[5] ROLLS = [ROLLING, FOLLOWS, FOLLOWS, FOLLOWS, FOLLOWS]
cdef int[2] PLANAR_SLIDES = [COULOMB_2D, FOLLOWS]


cdef inline void _push(BodyContacts *w, int c, const double *change, int rows, int unknowns) noexcept nogil:
    """What a change of so many reactions moves of so many velocities: where numbers are given the compiler writes loops out."""
    cdef const double *X
    cdef double *v
    cdef double total
    cdef int side, i, j, m = w.m
    for side in range(2 if w.body[2 * c + 1] >= 0 else 1):
        X = w.by_r + (2 * <size_t> c + side) * VELOCITIES * m
        v = w.v + VELOCITIES * w.body[2 * c + side]
        for i in range(unknowns):
            total = 0.0
            for j in range(rows):
                total += X[i * m + j] * change[j]
            v[i] += total


cdef inline void _solve_plain(int rows, double mu, const double *own, double *u, double *z) noexcept nogil:
    """A contact whose normal and tangents do not move each other: the reaction of each alone, the tangential one in its disc."""
    cdef double normal = z[0] - u[0] / own[0], size = 0.0
    cdef int i
    z[0] = normal = normal if normal > 0.0 else 0.0
    for i in range(1, rows):
        z[i] -= u[i] / own[4]
        size += z[i] * z[i]
    if size > mu * mu * normal * normal:
        size = mu * normal / sqrt(size)
        for i in range(1, rows):
            z[i] *= size


cdef inline double _visit_rows(BodyContacts *w, int c, int rows, int unknowns) noexcept nogil:
    """Solve one contact for its own reactions; the largest change of its u."""
    cdef const double *C
    cdef const double *v
    cdef const double *own
    cdef double[MOST_ROWS] u
    cdef double[MOST_ROWS] z
    cdef double[MOST_ROWS] change
    cdef double[4] two
    cdef double value, largest = 0.0
    cdef int side, i, j, m = w.m
    for i in range(rows):
        u[i], z[i] = w.b[c * m + i], w.r[c * m + i]
    for side in range(2 if w.body[2 * c + 1] >= 0 else 1):
        C = w.by_v + (2 * <size_t> c + side) * VELOCITIES * m
        v = w.v + VELOCITIES * w.body[2 * c + side]
        for i in range(rows):
            value = 0.0
            for j in range(unknowns):
                value += C[VELOCITIES * i + j] * v[j]
            u[i] += value
    own = w.own + <size_t> c * m * m
    if w.plain[c]:
        _solve_plain(rows, w.bound[2 * c], own, u, z)
    elif rows == 2:
        two[0], two[1], two[2], two[3] = own[0], own[1], own[3], own[4]
        solve_own_rows(2, &PLANAR_SLIDES[0], w.bound + 2 * c, two, u, z)
    else:
        solve_own_rows(rows, &SLIDES[0] if rows == 3 else &ROLLS[0], w.bound + 2 * c, own, u, z)
    for i in range(rows):
        change[i] = z[i] - w.r[c * m + i]
        w.r[c * m + i] = z[i]
    for i in range(rows):
        value = 0.0
        for j in range(rows):
            value += own[i * m + j] * change[j]
        if fabs(value) > largest:
            largest = fabs(value)
    if largest > 0.0:
        _push(w, c, change, rows, unknowns)
    return largest


cdef inline double _visit(BodyContacts *w, int c) noexcept nogil:
    if w.planar:
        return _visit_rows(w, c, 2, 3)
    return _visit_rows(w, c, 3, 6) if w.m == 3 else _visit_rows(w, c, w.m, 6)


cdef void _go_ahead(BodyContacts *w, double momentum) noexcept nogil:
    """All reactions further by a share of what the last sweep changed; what they were is kept."""
    cdef double[MOST_ROWS] change
    cdef double last
    cdef int c, i, k, m = w.m
    for c in range(w.contacts):
        for i in range(m):
            k = c * m + i
            last = w.r[k]
            change[i] = momentum * (last - w.before[k])
            w.before[k] = last
            w.r[k] = last + change[i]
        if momentum != 0.0:
            _push(w, c, change, m, VELOCITIES)


cdef double body_sweeps(BodyContacts *w, double goal, int most, int *made) noexcept nogil:
    """Sweep from ``r`` until no u changes by more than ``goal`` in a sweep, or ``most`` times; the largest change in
    the last one.

    ``v`` and ``u`` must belong to ``r``; afterwards ``v`` does.
    """
    cdef double change, changed = HUGE_VAL, last = HUGE_VAL, t = 1.0, next
    cdef int c, sweep
    memcpy(w.before, w.r, <size_t> w.contacts * w.m * sizeof(double))
    for sweep in range(most):
        for c in range(w.contacts):
            _visit(w, c)
        changed = 0.0
        for c in range(w.contacts - 1, -1, -1):
            change = _visit(w, c)
            if change > changed:
                changed = change
        made[0] = sweep + 1
        if changed <= goal or sweep + 1 == most or interrupted():
            break
        next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t))
        if changed > last:
            t = next = 1.0
        _go_ahead(w, (t - 1.0) / next)
        t, last = next, changed
    return changed
