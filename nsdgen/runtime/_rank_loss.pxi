"""Positions in which constraints lose rank, and what they are off by.

At a distance s the rank that is lost shows as a pivot s^2 of H M^-1 H^T. What positions are off by, rounding at least, has
constraints of the form x y = rounding for their branches x = 0 and y = 0: the motion turns from one to the other, however
short the steps. Rows count by the largest that they were, for those of a parallelogram that lies flat vanish.
"""

cdef enum:
    MOST_LOOKED_AT = 256  # rows in play

cdef double ALIKE = 1e-13  # of a pivot, and less: rows that say the same, to rounding
cdef double COARSE = 1e-3  # of ``rtol``: with a larger one positions are off by more than branches are apart
cdef double LOST = 1e-10  # of a pivot: what positions are off by turns velocities by 1e-6 of themselves, or by all
cdef double COARSELY = 1e-2  # the same with such an ``rtol``
cdef double REGULAR = 1e-6  # of a pivot: what is redundant throughout does not come to it


cdef struct HeldRows:
    # Constraints of a stage as it was solved just now: A = H M^-1 H^T, scaled, and U with A = U^T D^-1 U, the largest pivots first.
    int n, rank  # rank: independent to rounding
    int *row  # of the stage, in the order of pivots, and their relations
    int *owner
    double *scale
    double *U
    double *b


cdef int hold_rows(const Flow *f, HeldRows *held, Failure *failure) noexcept nogil:
    """Pivots by Cholesky's method: 0, with no rows where they are not looked at, or NO_MEMORY. ``free(held.U)`` is the caller's.

    ``most`` has the largest diagonal of each row so far.
    """
    cdef Stage *s = f.stage
    cdef const BoundRelation *r
    cdef double *most = f.most
    cdef double *A
    cdef double *U
    cdef double share
    cdef int n = s.n_rows, k = 0, at = 0, i, j, l, best
    held.n = held.rank = 0
    held.U = NULL
    if n == 0 or n > MOST_LOOKED_AT or s.n_border or s.piled or (s.augmented != NULL and s.augmented.rows):
        return 0
    U = held.U = <double *>malloc(2 * n * (n + 1) * sizeof(double) + 2 * n * sizeof(int))
    if U == NULL:
        failure.code, failure.item, failure.detail = NO_MEMORY, s.play[0], 0
        return NO_MEMORY
    A, held.scale, held.b = U + n * n, U + 2 * n * n, U + 2 * n * n + n
    held.row = <int *>(held.b + n)
    held.owner = held.row + n
    if s.sparse:
        dense_rows(&s.graph, 0, s.graph.n, A)
    else:
        memcpy(A, s.A, n * n * sizeof(double))
    for i in range(s.n_relations):
        r = &s.relation[i]
        for j in range(r.m):
            l = r.row + j
            if is_constraint(s, r, j):
                most[at] = fmax(most[at], A[l * n + l])
                held.row[k], held.owner[k], held.scale[k] = l, i, 1.0 / sqrt(most[at]) if most[at] > 0.0 else 0.0
                k += 1
            at += 1
    for i in range(k):
        for j in range(k):
            U[i * k + j] = A[held.row[i] * n + held.row[j]] * held.scale[i] * held.scale[j]
    held.n = k
    for j in range(k):
        best = j
        for i in range(j + 1, k):
            if U[i * k + i] > U[best * k + best]:
                best = i
        held.row[j], held.row[best] = held.row[best], held.row[j]
        held.owner[j], held.owner[best] = held.owner[best], held.owner[j]
        held.scale[j], held.scale[best] = held.scale[best], held.scale[j]
        for l in range(k):
            share, U[j * k + l] = U[j * k + l], U[best * k + l]
            U[best * k + l] = share
        for l in range(k):
            share, U[l * k + j] = U[l * k + j], U[l * k + best]
            U[l * k + best] = share
        if not U[j * k + j] > ALIKE:
            break
        held.rank = j + 1
        for i in range(j + 1, k):
            share = U[i * k + j] / U[j * k + j]
            for l in range(j + 1, k):
                U[i * k + l] -= share * U[j * k + l]
    return 0


cdef int loses_rank(Flow *f, double *apart, Failure *failure) noexcept nogil:
    """``apart``: how far from a position in which constraints lose a rank that they had, the root of the least share that a
    pivot is of its largest; INFINITY for none. RANK_LOST where that is nothing beside the tolerances."""
    cdef HeldRows held
    cdef double *most = f.most + (f.total - f.n)  # each pivot's largest, in order
    cdef double pivot, least = INFINITY, lost = LOST if f.rtol[0] <= COARSE else COARSELY
    cdef int i, status = hold_rows(f, &held, failure)
    for i in range(held.n):
        pivot = fmax(held.U[i * (held.n + 1)], 0.0)
        if most[i] > REGULAR:
            least = fmin(least, pivot / most[i])
            if pivot < lost and status == 0:
                status = failure.code = RANK_LOST
                failure.item, failure.value, failure.stage = held.owner[i], pivot, f.stage.number
        most[i] = fmax(most[i], pivot)
        if i >= held.rank:
            break
    apart[0] = sqrt(least)
    free(held.U)
    return status


cdef bint is_constraint(const Stage *s, const BoundRelation *r, int row) noexcept nogil:
    """Whether a row is in play throughout, holds what has positions whatever that takes, and has no compliance."""
    cdef const BoundSystem *system
    cdef int k
    if not (r.in_play and r.form.always) or r.form.cone[row] != EQUALITY or r.form.shared != NULL:
        return False
    for k in range(r.m):
        if r.output_lambda[row * r.m + k] != 0.0:
            return False
    for k in range(r.n_attached):
        system = &s.system[r.attached[k].system]
        if system.form.n_state == system.n:
            return False
    return True


cdef int bring_back(Program *p, bint rates_too, Failure *failure) noexcept nogil:
    """Gaps of constraints, or the rates of these, brought to zero from the record as it was observed just now: by the least
    move of all, M dq = H^T r. Their memories hold gaps and then rates."""
    cdef Flow *f = &p.flow
    cdef Stage *s = f.stage
    cdef const BoundRelation *r
    cdef HeldRows held
    cdef double share
    cdef int n, i, j, l, status = hold_rows(f, &held, failure)
    if held.rank == 0:
        free(held.U)
        return status
    n = held.n
    for i in range(held.rank):
        r = &s.relation[held.owner[i]]
        l = held.row[i] - r.row
        held.b[i] = -held.scale[i] * r.memory[l + (r.form.zero_rows if rates_too else 0)] if l < r.form.zero_rows else 0.0
        for j in range(i):
            held.b[i] -= held.U[j * n + i] * held.b[j]
        held.b[i] /= held.U[i * (n + 1)]
    memset(s.z, 0, s.n_rows * sizeof(double))
    for i in range(held.rank - 1, -1, -1):
        for j in range(i + 1, held.rank):
            held.b[i] -= held.U[i * n + j] / held.U[i * (n + 1)] * held.b[j]
        s.z[held.row[i]] = held.scale[i] * held.b[i]
    free(held.U)
    move_alone(s)
    for i in range(s.n_systems):
        if s.system[i].present:
            bring_system(&s.system[i], s.system[i].form.n_state - s.system[i].n, rates_too)
    return 0


cdef void bring_system(const BoundSystem *system, int n, bint rates_too) noexcept nogil:
    """Velocities, the states behind the first n ones, moved by the unknowns, or positions by T(q) times these."""
    cdef double *v = system.state + n
    cdef int i
    for i in range(system.n if rates_too else 0):
        v[i] += system.unknown[i]
    if rates_too or n == 0:
        return
    memcpy(system.residual, v, system.n * sizeof(double))
    memcpy(v, system.unknown, system.n * sizeof(double))
    call_advance(system)
    memcpy(v, system.residual, system.n * sizeof(double))
    for i in range(n):
        system.state[i] += system.form.state_next[i]
