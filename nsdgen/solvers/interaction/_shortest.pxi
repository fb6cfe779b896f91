"""One-step problems without friction whose solution is not unique, or not found yet."""

cdef enum:
    REFINEMENTS = 12
    DENSE_ROWS = 300  # up to here the dense solver decides what is not unique

cdef double MORE = 100.0  # the shift that selects among many solutions beside that of Newton's method


cdef bint _dense(OneStep *w, int *deficiency) noexcept nogil:
    """The dense solver, which is exact about what is not unique; whether it found a solution."""
    cdef MlcpWork work
    cdef MlcpInfo info
    cdef int i, n = w.bottom - w.top, status, top = w.top
    cdef double *matrix
    cdef double *z
    cdef char *memory
    for i in range(w.top, w.bottom):
        if w.cone[i] > COMPLEMENTARITY:
            return False
    memory = <char *> malloc((n * n + 2 * n) * sizeof(double) + mlcp_work_size(n))
    if memory == NULL:
        return False
    matrix = <double *> memory
    z = matrix + n * n
    dense_rows(w, w.begin, w.end, matrix)
    memcpy(z, w.z + top, n * sizeof(double))
    mlcp_work_init(&work, memory + (n * n + 2 * n) * sizeof(double), n)
    work.tolerance = w.tolerance
    status = mlcp_solve(n, matrix, w.b + top, w.cone + top, z, z + n, &work, &info)
    if status == 0:
        memcpy(w.z + top, z, n * sizeof(double))
        deficiency[0] = info.rank_deficiency
    free(memory)
    return status == 0


cdef void _shortest(OneStep *w, double reached) noexcept nogil:
    """The solution of least norm, where there are many: the limit of those of A + eps.

    The shifted problem has one solution, which lies in the range of a symmetric A and so
    stays there while it is refined on its face with A itself.
    """
    cdef double *kept = w.scratch + w.rows
    cdef int i, k
    copy_rows(w, kept, w.z)
    for i in range(w.top, w.bottom):
        w.shift[i] *= MORE
        w.center[i] = 0.0
    w.settled = 0
    full_steps(w, True, FINE, FULL_STEPS)
    output_rows(w)
    linearize_rows(w, PLAIN, True)
    if factor_rows(w, False) == 0:
        for k in range(REFINEMENTS):
            face_residual(w)
            find_direction(w)
            step_along(w, 1.0)
            output_rows(w)
            if natural_rows(w) <= FINE:
                break
    for i in range(w.top, w.bottom):
        w.shift[i] /= MORE
    w.settled = 0
    if not natural_rows(w) <= max(reached, w.tolerance):
        copy_rows(w, w.z, kept)
    output_rows(w)


cdef int settle(OneStep *w, double reached) noexcept nogil:
    """Replace the solution in ``z``, of residual ``reached``, by the one of least norm where it is not
    the only one; small islands that have none yet are solved by the dense solver. How many rows depend on others.
    """
    cdef int deficiency = 0, found
    if reached <= w.tolerance:
        if not (w.linear and w.settled == w.end):
            if not w.evaluated:
                output_rows(w)
            linearize_rows(w, WIDE, False)
        if factor_rows(w, False) == 0:
            found = take_null_space(w, reached)
            w.lu.deficiency = max(w.lu.deficiency, found)  # what pivots missed
            if found >= 0 or w.lu.deficiency == 0:
                return max(found, 0)
            deficiency = w.lu.deficiency
    w.evaluated = 0
    if w.bottom - w.top <= DENSE_ROWS and _dense(w, &deficiency):
        return deficiency
    if reached <= w.tolerance:
        _shortest(w, reached)
    return deficiency


cdef void shortest_augmented(OneStep *w, double reached) noexcept nogil:
    """Multipliers of least norm where unknowns stand in the island and the factors have found some of its rows
    dependent."""
    cdef int p, i
    for p in range(w.begin, w.end):
        for i in range(w.row[p], w.row[p + 1]):
            w.shift[i] = 0.0 if w.unknown[p] else w.regular * w.stiffness[i]
    _shortest(w, reached)
    for i in range(w.top, w.bottom):
        w.shift[i] = 0.0
