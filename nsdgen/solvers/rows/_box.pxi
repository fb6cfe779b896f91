"""The linear box problem, dense, callable from nogil code.

Given A (n x n, row-major), b and lo <= hi (infinite where there is no bound), find z with
y = A z + b and -y in N_[lo,hi](z), that is, row by row

    lo < z < hi: y = 0        z = lo < hi: y >= 0        z = hi > lo: y <= 0

and any y where lo = hi. Rows with lo = 0, hi = inf are complementarity rows, rows without
bounds equality rows. Use as in ``_mlcp.pxi``.

Complementarity and equality rows alone go to ``mlcp_solve`` as they are. Otherwise:

1. ``_sweep``: solve on the rows guessed to be inside, correct the guess a few times. The
   matrix keeps its size; most problems end here.
2. ``_expand``: z = lo + s (or hi - s, with the row's sign turned, where only hi is finite).
   A row with two bounds has a second one, t = hi - lo - s >= 0, with its multiplier m:

       y + m = A s + m + (b + A lo) >= 0  _|_  s >= 0,      t >= 0  _|_  m >= 0,

   semidefinite where A is. ``mlcp_solve`` then pivots, shortens, enumerates, explains.
   Where that fails, once more in units that make the diagonal of A one: z and the
   distance of the bounds may be too far apart in the others.
"""

cdef struct BoxWork:
    double tolerance  # of the certificate; set to 1e-8 by box_work_init
    # What follows is private to the solver.
    MlcpWork mlcp
    int size, rows, count, pivots, scaled
    const double* a
    const double* b
    const double* lo
    const double* hi
    double* factor  # n x n: the matrix of the rows inside, factored
    double* right
    double* large  # the complementarity problem: rows x rows
    double* large_b
    double* large_z
    double* large_y
    int* large_cone
    int* state  # n: -1 at lo, 0 inside, 1 at hi
    int* index  # n: the rows inside
    int* pivot
    int* moving  # n: rows with lo < hi, in order; the first rows of ``large``
    int* capped  # n: those with two finite bounds; each adds a row to ``large``

cdef enum:
    CORRECTIONS = 20  # corrections of a guess, while they make progress: pivoting takes no longer
    IDLE_SWEEPS = 3  # sweeps without progress

cdef double SIGN_TOLERANCE = 1e-10  # of the terms of a row: below it a sign is rounding


# -------------------------------------------------------------------------------- memory


cdef size_t box_work_size(int n, int two_sided) noexcept nogil:
    """Bytes for problems of at most ``n`` rows, at most ``two_sided`` of them with two bounds."""
    cdef size_t size = <size_t> n, rows = size + two_sided
    cdef size_t doubles = size * size + size + rows * rows + 3 * rows
    return doubles * sizeof(double) + mlcp_work_size(<int> rows) + (5 * size + rows) * sizeof(int)


cdef void box_work_init(BoxWork* work, void* memory, int n, int two_sided) noexcept nogil:
    """Lay out ``work`` over ``memory`` (aligned for doubles), which the caller owns."""
    cdef size_t size = <size_t> n, rows = size + two_sided
    work.tolerance = 1e-8
    work.factor = <double*> memory
    work.right = work.factor + size * size
    work.large = work.right + size
    work.large_b = work.large + rows * rows
    work.large_z = work.large_b + rows
    work.large_y = work.large_z + rows
    mlcp_work_init(&work.mlcp, work.large_y + rows, <int> rows)
    work.state = <int*> (<char*> (work.large_y + rows) + mlcp_work_size(<int> rows))
    work.index = work.state + size
    work.pivot = work.index + size
    work.moving = work.pivot + size
    work.capped = work.moving + size
    work.large_cone = work.capped + size


# ---------------------------------------------------------------------------- active set


cdef int _solve_inside(BoxWork* work, double* z) noexcept nogil:
    """z_I from A_II z_I = -(b_I + A_IB z_B), the rows at bounds being put there; 0 if regular."""
    cdef int i, j, n = work.size, count = 0
    cdef double total
    for i in range(n):
        if work.state[i] == 0:
            work.index[count] = i
            count += 1
        else:
            z[i] = work.lo[i] if work.state[i] < 0 else work.hi[i]
    work.count = count
    work.pivots += 1
    for i in range(count):
        total = -work.b[work.index[i]]
        for j in range(n):
            if work.state[j] != 0:
                total -= work.a[work.index[i] * n + j] * z[j]
        work.right[i] = total
        for j in range(count):
            work.factor[i * count + j] = work.a[work.index[i] * n + work.index[j]]
    if count == 0:
        return 0
    if lu_factor(count, work.factor, work.pivot):
        return 1
    lu_solve(count, work.factor, work.pivot, work.right, 1)
    for i in range(count):
        z[work.index[i]] = work.right[i]
    return 0


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


cdef int _correct(BoxWork* work, const double* z, double* y, MlcpInfo* info, bint* degenerate) noexcept nogil:
    """Move rows whose z or y has the wrong sign; returns how many. Sets y and the residual."""
    cdef int i, wrong = 0
    cdef double terms, share
    info.residual = 0.0
    info.worst_row = 0
    degenerate[0] = False
    for i in range(work.size):
        y[i] = _row(work, z, i, &terms)
        if work.lo[i] == work.hi[i]:
            continue
        if work.state[i] == 0:
            if z[i] < work.lo[i] or z[i] > work.hi[i]:
                work.state[i] = -1 if z[i] < work.lo[i] else 1
                wrong += 1
            elif z[i] == work.lo[i] or z[i] == work.hi[i]:
                degenerate[0] = True
            share = fabs(y[i]) / terms
            # Not >: a NaN is the worst of all.
            if not (share <= info.residual):
                info.residual = share
                info.worst_row = i
        elif not (-work.state[i] * y[i] >= -SIGN_TOLERANCE * terms):
            work.state[i] = 0
            wrong += 1
        elif fabs(y[i]) <= SIGN_TOLERANCE * terms:
            degenerate[0] = True
    return wrong


cdef bint _unique(BoxWork* work, const double* z, double* scratch) noexcept nogil:
    """Whether A is symmetric and stays regular when rows with y = 0 at a bound move inside.

    For a semidefinite A the solution is then the only one.
    """
    cdef int i, j, n = work.size
    cdef double terms, one, other
    for i in range(n):
        for j in range(i):
            one = work.a[i * n + j]
            other = work.a[j * n + i]
            if fabs(one - other) > 1e-12 * (fabs(one) + fabs(other)):
                return False
    for i in range(n):
        if work.lo[i] < work.hi[i] and fabs(_row(work, z, i, &terms)) <= SIGN_TOLERANCE * terms:
            work.state[i] = 0
        scratch[i] = z[i]
    return _solve_inside(work, scratch) == 0


cdef bint _sweep(BoxWork* work, double* z, double* y, MlcpInfo* info) noexcept nogil:
    """Correct the guessed states until they are right; whether the result may be returned."""
    cdef int i, sweep, wrong, fewest = work.size + 1, patience = IDLE_SWEEPS
    cdef bint degenerate
    for i in range(work.size):
        work.state[i] = -1 if z[i] <= work.lo[i] else (1 if z[i] >= work.hi[i] else 0)
    for sweep in range(CORRECTIONS):
        if _solve_inside(work, z):
            return False
        wrong = _correct(work, z, y, info, &degenerate)
        if wrong == 0:
            for i in range(work.size):
                if work.lo[i] < work.hi[i] and (work.state[i] == 0 or -work.state[i] * y[i] < 0.0):
                    y[i] = 0.0
            return info.residual <= work.tolerance and (
                not degenerate or _unique(work, z, work.large_y)
            )
        if wrong < fewest:
            fewest = wrong
            patience = IDLE_SWEEPS
        else:
            patience -= 1
            if patience == 0:
                break
    return False


# ------------------------------------------------------------- as a complementarity problem


cdef double _foot(BoxWork* work, int i, double* step) noexcept nogil:
    """z_i = foot + step s_i: from the lower bound, else from the upper one, else from 0."""
    cdef double size = fabs(work.a[i * work.size + i])
    cdef int exponent
    step[0] = 1.0
    if work.scaled and size > 0.0:
        frexp(size, &exponent)
        step[0] = ldexp(1.0, -(exponent // 2))
    if work.lo[i] > -INFINITY:
        return work.lo[i]
    if work.hi[i] < INFINITY:
        step[0] = -step[0]
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
        work.large_cone[i] = work.lo[row] > -INFINITY or work.hi[row] < INFINITY
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
        work.large_cone[m + j] = 1
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
    cdef int i, n = work.size
    cdef bint degenerate
    cdef double* trial = work.large_z
    cdef double* output = work.large_y
    for i in range(n):
        trial[i] = z[i]
        work.state[i] = -1 if z[i] <= work.lo[i] else (1 if z[i] >= work.hi[i] else 0)
    if _solve_inside(work, trial) or _correct(work, trial, output, info, &degenerate):
        return
    for i in range(n):
        z[i] = trial[i]
        y[i] = output[i]


cdef bint _verify(BoxWork* work, const double* z, MlcpInfo* info) noexcept nogil:
    """Whether every row holds relative to its own terms; sets the residual and the worst row."""
    cdef int i
    cdef double y, terms
    info.residual = 0.0
    for i in range(work.size):
        y = _row(work, z, i, &terms)
        if work.lo[i] == work.hi[i] or (z[i] <= work.lo[i] and y >= 0.0) or (z[i] >= work.hi[i] and y <= 0.0):
            continue
        if not (fabs(y) <= info.residual * terms):
            info.residual = fabs(y) / terms
            info.worst_row = i
    return info.residual <= work.tolerance


cdef int _solve_expanded(BoxWork* work, double* z, double* y, MlcpInfo* info, bint scaled) noexcept nogil:
    """The second stage from the guess z, in the units of the caller or ``scaled``."""
    cdef int status
    work.scaled = scaled
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
        work.large_cone[i] = work.lo[i] == 0.0
    return True


cdef int box_solve(
    int n,
    const double* a,
    const double* b,
    const double* lo,
    const double* hi,
    double* z,
    double* y,
    BoxWork* work,
    MlcpInfo* info,
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
    if _sweep(work, z, y, info):
        info.status = MLCP_OK
        info.method = MLCP_ACTIVE_SET
        info.pivots = work.pivots
        info.rank_deficiency = 0
        return MLCP_OK
    status = _solve_expanded(work, z, y, info, False)
    if not (status == MLCP_OK and _verify(work, z, info)):
        status = _solve_expanded(work, z, y, info, True)
    info.pivots = work.pivots
    return status
