"""One-step problems whose solution is not unique, or without friction not found yet."""

cdef enum:
    REFINEMENTS = 12  # each takes off what the shift left, until rows are right to rounding
    DENSE_ROWS = 300  # up to here the dense solver decides what is not unique
    FEW_DEPENDENT = 30  # up to here one factor of all rows is cheaper than one of blocks and a basis of what they leave open

cdef double SAME_MOTION = 1e-6  # of the terms of a row: shares alone leave rounding
cdef double SHARED = 1e-9  # of the largest load: the shortest solution of the last problem is changed by no more
cdef double OFF_BOUND = 1.0 - 1e-6  # of a bound
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


cdef bint shortest_at_once(OneStep *w) noexcept nogil:
    """The shortest solution of equalities of which as many depend on others as in the last problem, by one factor of all rows;
    whether it solves them to rounding. ``z`` is else as it was."""
    cdef int n = w.bottom - w.top, open = w.undetermined.count[w.begin], top = w.top, i, j
    cdef double *guess
    cdef double *matrix
    cdef double *right
    cdef double *work
    cdef double residual
    cdef bint found = False
    if not w.linear or open <= 0 or n > FEW_DEPENDENT:
        return False
    guess = <double *> malloc((<size_t> n * (n + 2) + min_norm_work_size(n)) * sizeof(double) + n * sizeof(int))
    if guess == NULL:
        return False
    matrix = guess + n
    right = matrix + n * n
    work = right + n
    memcpy(guess, w.z + top, n * sizeof(double))
    dense_rows(w, w.begin, w.end, matrix)
    measure_units(w)
    for i in range(n):
        right[i] = -w.b[top + i]
        work[i] = 1.0 / w.way[top + i]
    for i in range(n):
        for j in range(n):
            matrix[i * n + j] *= work[j]
    if n - min_norm_solve(n, matrix, n, right, w.z + top, work, <int *> (work + min_norm_work_size(n)), &residual) == open:
        for i in range(top, w.bottom):
            w.z[i] /= w.way[i]
        output_rows(w)
        found = not cancels(w) and (natural_rows(w) <= FINE or count_for_more(w, AGREE) <= NO_SHARE)
    if found:
        w.iterations += 1
        w.rank_deficiency += open
        w.residual, w.evaluated = natural_rows(w), 1
    else:
        memcpy(w.z + top, guess, n * sizeof(double))
        w.evaluated = 0
    free(guess)
    return found


cdef void _shortest(OneStep *w, double reached) noexcept nogil:
    """The solution of least norm near ``z``, where there are many: the limit of those of A + eps.

    The shifted problem has one solution, which lies in the range of a symmetric A and so
    stays there while it is refined with A itself: without friction on its face. It must not become another motion.
    """
    cdef double *kept = w.scratch + w.rows
    cdef int i, k
    copy_rows(w, kept, w.z)
    for i in range(w.top, w.bottom):
        w.center[i] = 0.0
    w.settled = 0
    full_steps(w, True, FINE, FULL_STEPS)
    output_rows(w)
    linearize_rows(w, PLAIN, True)
    for k in range(REFINEMENTS if factor_rows(w, False) == 0 else 0):
        stay_on_face(w)
        find_direction(w)
        step_along(w, 1.0)
        output_rows(w)
        if natural_rows(w) <= FINE:
            break
    w.settled = w.evaluated = 0
    if not natural_rows(w) <= fmax(AS_GOOD * reached, HOLDS) or (w.friction and _is_another(w, kept)):
        copy_rows(w, w.z, kept)
    output_rows(w)


cdef bint _is_another(OneStep *w, const double *other) noexcept nogil:
    """Whether ``z`` is another motion than the ``other`` reactions: with friction there may be several."""
    cdef int i
    cdef bint moved = False
    copy_rows(w, w.move, w.y)
    copy_rows(w, w.best, w.z)
    copy_rows(w, w.z, other)
    output_rows(w)
    for i in range(w.top, w.bottom):
        moved = moved or not fabs(w.y[i] - w.move[i]) <= SAME_MOTION * w.scale[i]
    copy_rows(w, w.z, w.best)
    return moved


cdef void _shortest_impulses(OneStep *w, double reached) noexcept nogil:
    """The same of impulses: of a row by itself, a force in place of an impulse, or its gap in another unit, what it
    would move does not count."""
    cdef double *found = w.guess  # nothing is to be solved from a guess any more
    cdef double size = 0.0, shift
    cdef int i
    measure_units(w)
    for i in range(w.top, w.bottom):
        w.way[i] *= w.way[i] / w.move[i]  # C R
        size += w.stiffness[i] / w.way[i]
    copy_rows(w, found, w.z)
    for i in range(w.top, w.bottom):
        shift = w.shift[i]
        w.shift[i] = MORE * w.regular * w.way[i] * size / (w.bottom - w.top)
        w.way[i] = shift
    _shortest(w, reached)
    copy_rows(w, w.shift, w.way)
    if w.friction and not _on_their_face(w, reached) and w.held_later and not (w.boxes and _all_hold(w)):
        copy_rows(w, w.z, found)
        output_rows(w)


cdef bint _all_hold(const OneStep *w) noexcept nogil:
    """Whether all contacts press and none is at its bound: rows of their own may be, which are then held there."""
    cdef int i = w.top, k, d, first
    while i < w.bottom:
        d = block_height(w.cone[i])
        if w.cone[i] >= COMPLEMENTARITY and w.cone[i] != BOX and not w.z[i] > 0.0:
            return False
        for k in range(disk_count(d) if d > 1 else 0):
            first = i + 1 + k * disk_size(d)
            if not norm(disk_size(d), w.z + first) < OFF_BOUND * w.bound[2 * i + k] * w.z[i]:
                return False
        i += d
    return True


cdef bint _on_their_face(OneStep *w, double reached) noexcept nogil:
    """The shortest of the solutions in which contacts slide, stick and are open as they do now; whether it keeps all bounds.

    Contacts that slide do not yield along their friction, so that what yields equally is not the shortest.
    """
    cdef int unused
    cdef bint found
    output_rows(w)
    linearize_rows(w, WIDE, False)
    found = factor_rows(w, False) == 0 and take_null_space(w, reached, &unused)
    w.settled = 0
    output_rows(w)
    return found


cdef inline bint may_share(const OneStep *w) noexcept nogil:
    """Whether shares are worth a factor, and dependent rows can be told from light ones."""
    return w.bottom - w.top <= SMALL and w.regular == SHIFT


cdef bint keeps_shares(OneStep *w, double *left) noexcept nogil:
    """Whether the shortest solution of the last problem, which left reactions open, is hardly changed, without friction not
    at all; the residual that it has here, if there is one."""
    cdef int i
    if not w.coarse or not may_share(w):
        return False
    w.evaluated = 1
    left[0] = one_step_residual(w)
    if cancels(w):
        left[0] = HUGE_VAL
        return False
    if not w.friction:
        return left[0] <= fmax(w.floor, FINE)
    for i in range(w.top, w.bottom):
        w.scale[i] = fmax(w.scale[i], w.grain[i] / ROUNDING)
    return left[0] <= SHARED or natural_rows(w) <= SHARED


cdef int settle(OneStep *w, double reached) noexcept nogil:
    """Replace the solution in ``z``, of residual ``reached``, by the one of least norm where it is not
    the only one; small islands that have none yet are solved by the dense solver. How many rows depend on others.
    """
    cdef int deficiency = 0
    if reached <= w.tolerance and w.friction:
        deficiency = undetermined_rows(w)
        if deficiency and may_share(w):
            _shortest_impulses(w, reached)
            deficiency = undetermined_rows(w)
        return deficiency
    if reached <= w.tolerance:
        if not (w.linear and w.settled == w.end):
            if not w.evaluated:
                output_rows(w)
            linearize_rows(w, WIDE, False)
        if factor_rows(w, False) == 0:
            if take_null_space(w, reached, &deficiency):
                return open_island(w, deficiency)
            if w.lu.deficiency == 0:  # rows that are nearly dependent
                return open_island(w, 0)
            deficiency = max(w.lu.deficiency, deficiency)  # what pivots missed
    w.evaluated = 0
    if w.bottom - w.top <= DENSE_ROWS and _dense(w, &deficiency):
        return deficiency
    if reached <= w.tolerance:
        _shortest_impulses(w, reached)
    return open_island(w, deficiency)
