"""Whether the solution of a mixed complementarity problem is the only one, and how far it is not.

All functions work on the problem bound to a ``MlcpWork`` and on the solution in it, as those of ``_active_set.pxi``.
"""

cdef enum:
    DEGENERATE = 8  # rows up to which all their minors are looked at, NSD_ROWS


cdef int add_degenerate(MlcpWork* work) noexcept nogil:
    """Add rows with y_i = 0 to J; returns how many complementarity rows have z_i = y_i = 0."""
    cdef int i, degenerate = 0
    for i in range(work.size):
        if work.cone[i] != EQUALITY and work.z[i] == 0.0:
            if not work.active[i] and work.y[i] <= work.sign_tolerance * work.magnitude[i]:
                work.active[i] = 1
            degenerate += work.active[i]
    return degenerate


cdef bint _symmetric(MlcpWork* work) noexcept nogil:
    cdef int i, j, n = work.size, row, column
    cdef double one, other
    for i in range(work.count):
        row = work.index[i]
        for j in range(i):
            column = work.index[j]
            one = work.a[row * n + column]
            other = work.a[column * n + row]
            if fabs(one - other) > 1e-12 * (fabs(one) + fabs(other)):
                return False
    return True


cdef bint _zero(MlcpWork* work) noexcept nogil:
    cdef int i
    for i in range(work.size):
        if work.z[i] != 0.0:
            return False
    return True


cdef int rank_deficiency(MlcpWork* work) noexcept nogil:
    """|J| - rank(A_JJ); destroys the factor, keeps z."""
    gather(work, work.a)
    if work.count == 0 or lu_factor_regular(work.count, work.factor, work.pivot) == 0 or interrupted():
        return 0
    gather(work, work.a)
    return work.count - numerical_rank(work.count, work.factor, work.count, work.scratch, work.iscratch)


cdef bint _positive_minors(MlcpWork* work) noexcept nogil:
    """Whether the Schur complement of the degenerate rows D on the others of J is a P-matrix.

    Both are in ``active`` and ``index``. Destroys the factor and the scratch, keeps z.
    """
    cdef int degenerate[DEGENERATE]
    cdef double s[DEGENERATE * DEGENERATE]
    cdef double terms[DEGENERATE * DEGENERATE]
    cdef double* solved = work.scratch  # J x D: A_JJ^-1 A_JD
    cdef double change
    cdef int n = work.size, count = 0, i, j, k, row
    for i in range(n):
        if work.cone[i] != EQUALITY and work.active[i] and work.z[i] == 0.0:
            if count == DEGENERATE:
                return False
            degenerate[count] = i
            count += 1
    for k in range(count):
        work.active[degenerate[k]] = 0
    gather(work, work.a)
    for k in range(count):
        work.active[degenerate[k]] = 1
    if work.count and lu_factor_regular(work.count, work.factor, work.pivot):
        return False
    for i in range(work.count):
        for k in range(count):
            solved[i * count + k] = work.a[work.index[i] * n + degenerate[k]]
    if work.count:
        lu_solve(work.count, work.factor, work.pivot, solved, count)
    for i in range(count):
        row = degenerate[i] * n
        for k in range(count):
            s[i * count + k] = work.a[row + degenerate[k]]
            terms[i * count + k] = fabs(s[i * count + k])
            for j in range(work.count):
                change = work.a[row + work.index[j]] * solved[j * count + k]
                s[i * count + k] -= change
                terms[i * count + k] += fabs(change)
    return nsd_p_matrix(count, s, terms)


cdef bint settled(MlcpWork* work) noexcept nogil:
    """Whether the certified solution that ``sweep`` found is the shortest; ``work.unique``: the only one.

    Adds degenerate rows to J.

    With no degenerate row the factorisation has shown A_JJ to be regular and nothing is
    left to do. With degenerate rows D the solution is unique where every principal
    minor of the Schur complement of the rest is positive: for a symmetric semidefinite
    matrix where A_JJ, D included, is regular. Zero is the shortest solution anyway.
    """
    work.unique = add_degenerate(work) == 0
    if work.unique:
        return True
    gather(work, work.a)
    if _symmetric(work):
        work.unique = rank_deficiency(work) == 0
    elif not _zero(work):
        work.unique = _positive_minors(work)
    return work.unique or _zero(work)


cdef int open_multipliers(MlcpWork* work, const double* z, const double* y) noexcept nogil:
    """In how many directions other solutions lie beside this one; of more than ``MOST_SIDED`` rows, and where that depends
    on which of several are followed, |J| - rank(A_JJ)."""
    cdef double[MOST_SIDED] low
    cdef double[MOST_SIDED] high
    cdef int i, found = -1
    if work.size <= MOST_SIDED:
        for i in range(work.size):
            low[i], high[i] = -INFINITY if work.cone[i] == EQUALITY else 0.0, INFINITY
        found = open_rows(work.size, work.a, work.b, low, high, z, y)
    return rank_deficiency(work) if found < 0 else found
