"""Positions in which constraints lose rank: the integrator slides into them, and leaves them along any branch.

At a distance s the rank that is lost shows as a pivot s^2 of H M^-1 H^T. What positions are off by, rounding at least, has
constraints of the form x y = rounding for their branches x = 0 and y = 0: the motion turns from one to the other, however
short the steps. Rows count by the largest that they were, for those of a parallelogram that lies flat vanish.
"""

cdef enum:
    MOST_LOOKED_AT = 64  # rows in play

cdef double ALIKE = 1e-13  # of a pivot, and less: rows that say the same, to rounding
cdef double COARSE = 1e-2  # a larger ``rtol`` counts as this
cdef double LOST = 1e-10  # of a pivot, or ``rtol``: what positions are off by turns velocities by 1e-6 of themselves, or by all
cdef double REGULAR = 1e-6  # of a pivot, or ten times ``rtol``: what is redundant throughout does not come to it


cdef int loses_rank(const Flow *f, Failure *failure) noexcept nogil:
    """RANK_LOST where constraints had a rank that they have no longer, as the stage was solved just now.

    Pivots by Cholesky's method, the largest first; ``most`` has the largest diagonal of each row, then each pivot's largest.
    """
    cdef Stage *s = f.stage
    cdef const BoundRelation *r
    cdef double *most = f.most
    cdef double *A
    cdef double *a
    cdef int *row
    cdef int *owner
    cdef double pivot, share, lost = fmax(LOST, fmin(f.rtol[0], COARSE))
    cdef int n = s.n_rows, k = 0, at = 0, status = 0, i, j, l, best
    if n == 0 or n > MOST_LOOKED_AT or s.n_border or s.piled or (s.augmented != NULL and s.augmented.rows):
        return 0
    A = <double *>malloc(2 * n * n * sizeof(double) + 2 * n * sizeof(int))
    if A == NULL:
        failure.code, failure.item, failure.detail = NO_MEMORY, s.play[0], 0
        return NO_MEMORY
    a, row = A + n * n, <int *>(A + 2 * n * n)
    owner = row + n
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
                row[k], owner[k], a[k] = l, i, 1.0 / sqrt(most[at]) if most[at] > 0.0 else 0.0
                k += 1
            at += 1
    for i in range(k):
        for j in range(k):
            A[row[i] * n + row[j]] *= a[i] * a[j]
    for i in range(k):
        for j in range(k):
            a[i * k + j] = A[row[i] * n + row[j]]
    for j in range(k):
        best = j
        for i in range(j + 1, k):
            if a[i * k + i] > a[best * k + best]:
                best = i
        pivot = a[best * k + best]
        if pivot < lost and most[at + j] > fmax(REGULAR, 10.0 * lost):
            status = failure.code = RANK_LOST
            failure.item, failure.value, failure.stage = owner[best], pivot, s.number
            break
        most[at + j] = fmax(most[at + j], pivot)
        if not pivot > ALIKE:
            break
        owner[best] = owner[j]
        for l in range(k):
            share, a[j * k + l] = a[j * k + l], a[best * k + l]
            a[best * k + l] = share
        for l in range(k):
            share, a[l * k + j] = a[l * k + j], a[l * k + best]
            a[l * k + best] = share
        for i in range(j + 1, k):
            share = a[i * k + j] / pivot
            for l in range(j + 1, k):
                a[i * k + l] -= share * a[j * k + l]
    free(A)
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
