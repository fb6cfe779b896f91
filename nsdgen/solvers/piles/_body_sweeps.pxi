"""Sweeps over contacts of bodies: each contact is solved exactly for its own reactions, and moves its bodies at once.

They go forth and back, and each starts ahead of the last one by a momentum (Nesterov's), which is dropped where changes grow.
Reactions are in their cones whenever they end.
"""

cdef int[5] SLIDES = [COULOMB_3D, FOLLOWS, FOLLOWS, FOLLOWS, FOLLOWS]
cdef int[5] ROLLS = [ROLLING, FOLLOWS, FOLLOWS, FOLLOWS, FOLLOWS]


cdef inline void _push(BodyContacts *w, int c, const double *change) noexcept nogil:
    """What a change of reactions moves."""
    cdef const double *X
    cdef double *v
    cdef double total
    cdef int side, i, j, m = w.m
    for side in range(2 if w.body[2 * c + 1] >= 0 else 1):
        X = w.by_r + (2 * <size_t> c + side) * VELOCITIES * m
        v = w.v + VELOCITIES * w.body[2 * c + side]
        if m == 3:  # written out by the compiler
            for i in range(6):
                v[i] += X[3 * i] * change[0] + X[3 * i + 1] * change[1] + X[3 * i + 2] * change[2]
            continue
        for i in range(VELOCITIES):
            total = 0.0
            for j in range(m):
                total += X[i * m + j] * change[j]
            v[i] += total


cdef inline double _visit(BodyContacts *w, int c) noexcept nogil:
    """Solve one contact for its own reactions; the largest change of its u."""
    cdef const double *C
    cdef const double *v
    cdef const double *own
    cdef double[MOST_ROWS] u
    cdef double[MOST_ROWS] z
    cdef double[MOST_ROWS] change
    cdef double value, largest = 0.0
    cdef int side, i, j, m = w.m
    for i in range(m):
        u[i], z[i] = w.b[c * m + i], w.r[c * m + i]
    for side in range(2 if w.body[2 * c + 1] >= 0 else 1):
        C = w.by_v + (2 * <size_t> c + side) * VELOCITIES * m
        v = w.v + VELOCITIES * w.body[2 * c + side]
        for i in range(m):
            value = 0.0
            for j in range(6):
                value += C[6 * i + j] * v[j]
            u[i] += value
    own = w.own + <size_t> c * m * m
    solve_own_rows(m, &SLIDES[0] if m == 3 else &ROLLS[0], w.bound + 2 * c, own, u, z)
    for i in range(m):
        change[i] = z[i] - w.r[c * m + i]
        w.r[c * m + i] = z[i]
    for i in range(m):
        value = 0.0
        for j in range(m):
            value += own[i * m + j] * change[j]
        largest = fmax(largest, fabs(value))
    if largest > 0.0:
        _push(w, c, change)
    return largest


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
            _push(w, c, change)


cdef double body_sweeps(BodyContacts *w, double goal, int most, int *made) noexcept nogil:
    """Sweep from ``r`` until no u changes by more than ``goal`` in a sweep, or ``most`` times; the largest change in
    the last one.

    ``v`` and ``u`` must belong to ``r``; afterwards ``v`` does.
    """
    cdef double changed = HUGE_VAL, last = HUGE_VAL, t = 1.0, next
    cdef int c, sweep
    memcpy(w.before, w.r, <size_t> w.contacts * w.m * sizeof(double))
    for sweep in range(most):
        for c in range(w.contacts):
            _visit(w, c)
        changed = 0.0
        for c in range(w.contacts - 1, -1, -1):
            changed = fmax(changed, _visit(w, c))
        made[0] = sweep + 1
        if changed <= goal or sweep + 1 == most or interrupted():
            break
        next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t))
        if changed > last:
            t = next = 1.0
        _go_ahead(w, (t - 1.0) / next)
        t, last = next, changed
    return changed
