"""The linear box problem, dense, callable from nogil code.

Given A (n x n, row-major), b and lo <= hi (infinite where there is no bound), find z with
y = A z + b and -y in N_[lo,hi](z), that is, row by row

    lo < z < hi: y = 0        z = lo < hi: y >= 0        z = hi > lo: y <= 0

and any y where lo = hi. Rows with lo = 0, hi = inf are complementarity rows, rows without
bounds equality rows. Use as in ``_mlcp.pxi``.

Complementarity and equality rows alone go to ``mlcp_solve`` as they are. Otherwise:

1. ``_by_sets``: solve on the rows guessed to be inside, correct the guess a few times (``sweep``). The
   matrix keeps its size; most problems end here.
2. ``_expand``: z = lo + s (or hi - s, with the row's sign turned, where only hi is finite).
   A row with two bounds has a second one, t = hi - lo - s >= 0, with its multiplier m:

       y + m = A s + m + (b + A lo) >= 0  _|_  s >= 0,      t >= 0  _|_  m >= 0,

   semidefinite where A is. ``mlcp_solve`` then pivots, shortens, enumerates, explains.
"""

cdef struct BoxWork:
    double tolerance  # of the certificate; set to 1e-8 by box_work_init
    # What follows is private to the solver.
    MlcpWork mlcp
    int size, rows, count, pivots
    const double* a
    const double* b
    const double* lo
    const double* hi
    double* at  # n
    double* large  # the complementarity problem: rows x rows
    double* large_b
    double* large_z
    double* large_y
    int* large_cone
    int* moving  # n: rows with lo < hi, in order; the first rows of ``large``
    int* capped  # n: those with two finite bounds; each adds a row to ``large``

cdef double SIGN_TOLERANCE = 1e-10  # of the terms of a row: below it a sign is rounding


# -------------------------------------------------------------------------------- memory


cdef size_t box_work_size(int n, int two_sided) noexcept nogil:
    """Bytes for problems of at most ``n`` rows, at most ``two_sided`` of them with two bounds."""
    cdef size_t size = <size_t> n, rows = size + two_sided
    cdef size_t doubles = size + rows * rows + 3 * rows
    return doubles * sizeof(double) + mlcp_work_size(<int> rows) + (2 * size + rows) * sizeof(int)


cdef void box_work_init(BoxWork* work, void* memory, int n, int two_sided) noexcept nogil:
    """Lay out ``work`` over ``memory`` (aligned for doubles), which the caller owns."""
    cdef size_t size = <size_t> n, rows = size + two_sided
    work.tolerance = 1e-8
    work.at = <double*> memory
    work.large = work.at + size
    work.large_b = work.large + rows * rows
    work.large_z = work.large_b + rows
    work.large_y = work.large_z + rows
    mlcp_work_init(&work.mlcp, work.large_y + rows, <int> rows)
    work.moving = <int*> (<char*> (work.large_y + rows) + mlcp_work_size(<int> rows))
    work.capped = work.moving + size
    work.large_cone = work.capped + size


# ---------------------------------------------------------------------------- active set


cdef double _row(BoxWork* work, const double* z, int i, double* terms) noexcept nogil:
    """y_i, and the magnitude of its terms."""
    cdef int j
    cdef double total = work.b[i], term
    terms[0] = fabs(total) + LEAST
    for j in range(work.size):
        term = work.a[i * work.size + j] * z[j]
        total += term
        terms[0] += fabs(term)
    return total


cdef bint _by_sets(BoxWork* work, double* z, double* y, MlcpInfo* info, int limit) noexcept nogil:
    """Correct which rows z has inside at most ``limit`` times until all are right; whether they are, with y and the
    residual. Otherwise ``z`` is where the last correction left it."""
    cdef MlcpWork* sets = &work.mlcp
    cdef int i, outcome
    cdef bint inside
    sets.size, sets.a, sets.b, sets.lo, sets.hi, sets.at = work.size, work.a, work.b, work.lo, work.hi, work.at
    sets.pivots = sets.scaled = 0
    sets.sign_tolerance = SIGN_TOLERANCE
    for i in range(work.size):
        sets.z[i] = z[i]
        sets.active[i] = work.lo[i] < z[i] < work.hi[i]
        work.at[i] = work.lo[i] if z[i] <= work.lo[i] else work.hi[i]
    outcome = sweep(sets, work.a, limit)
    work.pivots += sets.pivots
    for i in range(work.size):
        z[i] = sets.z[i]
    if outcome != FOUND:
        return False
    info.residual = 0.0
    info.worst_row = 0
    for i in range(work.size):
        y[i] = sets.y[i]
        inside = sets.active[i]
        # Not >: a NaN is the worst of all.
        if inside and not fabs(y[i]) <= info.residual * sets.magnitude[i]:
            info.residual = fabs(y[i]) / sets.magnitude[i]
            info.worst_row = i
        if work.lo[i] < work.hi[i] and (inside or (y[i] if work.at[i] == work.lo[i] else -y[i]) < 0.0):
            y[i] = 0.0
    return True


cdef bint _unique(BoxWork* work, const double* z) noexcept nogil:
    """Whether the solution of ``_by_sets`` is the only one of a semidefinite A: no row is between two cases, or A is
    symmetric on all rows that may move inside, and regular."""
    cdef MlcpWork* sets = &work.mlcp
    cdef int i, between = 0
    for i in range(work.size):
        if work.lo[i] < work.hi[i]:
            if sets.active[i]:
                between += z[i] == work.lo[i] or z[i] == work.hi[i]
            elif fabs(sets.y[i]) <= SIGN_TOLERANCE * sets.magnitude[i]:
                sets.active[i] = 1
                between += 1
    if between == 0:
        return True
    gather(sets, work.a)
    return _symmetric(sets) and (sets.count == 0 or lu_factor_regular(sets.count, sets.factor, sets.pivot) == 0)


# ------------------------------------------------------------- as a complementarity problem


cdef double _foot(BoxWork* work, int i, double* step) noexcept nogil:
    """z_i = foot + step s_i, step 1 or -1: from the lower bound, else from the upper one, else from 0."""
    step[0] = 1.0
    if work.lo[i] > -INFINITY:
        return work.lo[i]
    if work.hi[i] < INFINITY:
        step[0] = -1.0
        return work.hi[i]
    return 0.0


cdef void _expand(BoxWork* work, const double* z) noexcept nogil:
    """Write the complementarity problem, rows times their step; its guess from z."""
    cdef int i, j, row, n = work.size, m = 0, caps = 0, rows
    cdef double step, other, foot, total
    for i in range(n):
        if work.lo[i] < work.hi[i]:
            if work.lo[i] > -INFINITY and work.hi[i] < INFINITY:
                work.capped[caps] = m
                caps += 1
            work.moving[m] = i
            m += 1
    rows = m + caps
    work.count = m
    work.rows = rows
    for i in range(rows * rows):
        work.large[i] = 0.0
    for i in range(m):
        row = work.moving[i]
        foot = _foot(work, row, &step)
        work.large_z[i] = max((z[row] - foot) / step, 0.0)
        work.large_cone[i] = COMPLEMENTARITY if work.lo[row] > -INFINITY or work.hi[row] < INFINITY else EQUALITY
        for j in range(m):
            _foot(work, work.moving[j], &other)
            work.large[i * rows + j] = step * other * work.a[row * n + work.moving[j]]
        total = work.b[row]
        for j in range(n):
            total += work.a[row * n + j] * _foot(work, j, &other)
        work.large_b[i] = step * total
    for j in range(caps):
        i = work.capped[j]
        row = work.moving[i]
        _foot(work, row, &step)
        work.large[i * rows + m + j] = 1.0
        work.large[(m + j) * rows + i] = -1.0
        work.large_b[m + j] = (work.hi[row] - work.lo[row]) / step
        work.large_cone[m + j] = COMPLEMENTARITY
        # A multiplier that is only rounding would pass for one that excludes other solutions.
        total = _row(work, z, row, &foot)
        work.large_z[m + j] = 1.0 if z[row] >= work.hi[row] and total < -SIGN_TOLERANCE * foot else 0.0


cdef void _contract(BoxWork* work, double* z, double* y) noexcept nogil:
    """z and y of the box problem from those of the complementarity problem."""
    cdef int i, j, row, m = work.count
    cdef double step, terms, foot
    for i in range(work.size):
        z[i] = work.lo[i]
    for i in range(m):
        row = work.moving[i]
        foot = _foot(work, row, &step)
        z[row] = min(max(foot + step * work.large_z[i], work.lo[row]), work.hi[row])
        y[row] = work.large_y[i] / step
    for j in range(work.rows - m):
        row = work.moving[work.capped[j]]
        if work.large_z[m + j] > 0.0:
            _foot(work, row, &step)
            z[row] = work.hi[row]
            y[row] = -work.large_z[m + j] / step
    for i in range(work.size):
        if work.lo[i] == work.hi[i]:
            y[i] = _row(work, z, i, &terms)


cdef void _polish(BoxWork* work, double* z, double* y, MlcpInfo* info) noexcept nogil:
    """Solve the rows inside once more: z = lo + s has lost digits where z is far smaller than lo."""
    cdef double* trial = work.large_z
    cdef double* output = work.large_y
    cdef int i
    for i in range(work.size):
        trial[i] = z[i]
    if _by_sets(work, trial, output, info, 1):
        for i in range(work.size):
            z[i], y[i] = trial[i], output[i]


cdef int _solve_expanded(BoxWork* work, double* z, double* y, MlcpInfo* info) noexcept nogil:
    """The second stage from the guess z."""
    cdef int status
    _expand(work, z)
    work.mlcp.tolerance = work.tolerance
    status = mlcp_solve(
        work.rows, work.large, work.large_b, work.large_cone, work.large_z, work.large_y, &work.mlcp, info
    )
    work.pivots += info.pivots
    if info.worst_row >= work.count:
        info.worst_row = work.capped[info.worst_row - work.count]
    if info.worst_row >= 0 and work.count > 0:
        info.worst_row = work.moving[info.worst_row]
    _contract(work, z, y)
    if status == MLCP_OK and info.rank_deficiency == 0:
        _polish(work, z, y, info)
    return status


cdef bint _complementary(BoxWork* work) noexcept nogil:
    """Whether there are complementarity and equality rows only; sets their cones."""
    cdef int i
    for i in range(work.size):
        if work.hi[i] < INFINITY or (work.lo[i] != 0.0 and work.lo[i] > -INFINITY):
            return False
        work.large_cone[i] = COMPLEMENTARITY if work.lo[i] == 0.0 else EQUALITY
    return True


cdef int box_solve(
    int n, const double* a, const double* b, const double* lo, const double* hi, double* z, double* y, BoxWork* work,
    MlcpInfo* info
) noexcept nogil:
    """Solve the problem; returns ``info.status``, an ``MlcpStatus``.

    On entry ``z`` (n) is a guess: a row is taken to be at the bound that z meets or passes,
    otherwise inside. On return z is within its bounds and the signs and zeros of ``y`` are
    exact. Where z is not unique (``info.rank_deficiency`` > 0) and A is semidefinite, z is the
    solution nearest to its lower bounds (the upper ones where these are infinite, zero where
    both are), whatever the guess; only where a multiplier is zero to rounding may the guess
    decide which of the solutions is taken for the only one.
    """
    cdef int status
    work.size = n
    work.pivots = 0
    work.a = a
    work.b = b
    work.lo = lo
    work.hi = hi
    if _complementary(work):
        work.mlcp.tolerance = work.tolerance
        return mlcp_solve(n, a, b, work.large_cone, z, y, &work.mlcp, info)
    if _by_sets(work, z, y, info, SWEEPS) and info.residual <= work.tolerance and _unique(work, z):
        info.status = MLCP_OK
        info.method = MLCP_ACTIVE_SET
        info.pivots = work.pivots
        info.rank_deficiency = 0
        return MLCP_OK
    status = _solve_expanded(work, z, y, info)
    info.pivots = work.pivots
    return status
