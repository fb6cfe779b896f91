"""One active set of a mixed complementarity problem, or of one between two bounds: solve, correct, judge, certify.

All functions work on the problem bound to a ``MlcpWork``: the active set J is
``work.active`` (equality rows always in it), the result is in ``work.z`` and ``work.y``. The problem is that of ``_mlcp.pxi``.
"""

cdef enum ActiveSetStatus:
    FOUND = 0
    SINGULAR = 1  # A_JJ is singular
    STALLED = 2  # corrections go round in circles

cdef enum:
    SWEEPS = 20  # corrections of one active set, while they make progress

cdef enum:
    PATIENCE = 3  # corrections of an active set without progress

cdef double RANGE_TOLERANCE = 1e-9  # relative inconsistency of a singular system
cdef double FLOOR = 1e-6  # of the largest row: a row counts for no less in the slow path
cdef double VISIBLE = 1e-13  # of its terms: b must be at least this in some row
cdef double DISTINCT = 1e-2  # of that: what is off must be less
cdef double CLEARED = 1e-15  # of the terms of its own row: what of a multiplier is less there is rounding
cdef double LEAST = 1e-305  # of the terms of a row: smaller ones are rounded like subnormal numbers


# --------------------------------------------------------------------- one active set


cdef void gather(MlcpWork* work, const double* a) noexcept nogil:
    """Lay out the active rows J: ``index``, ``count``, a_JJ in ``factor``, -b_J in ``right``."""
    cdef int n = work.size, i, j, count = 0
    cdef const double* row
    cdef double total
    for i in range(n):
        if work.active[i]:
            work.index[count] = i
            work.right[count] = -work.b[i]
            count += 1
    work.count = count
    for i in range(count if work.at != NULL else 0):
        total = work.right[i]
        for j in range(n):
            if not work.active[j]:
                total -= a[work.index[i] * n + j] * work.at[j]
        work.right[i] = total
    if count == n:
        memcpy(work.factor, a, <size_t> n * n * sizeof(double))
        return
    for i in range(count):
        row = a + <size_t> work.index[i] * n
        for j in range(count):
            work.factor[i * count + j] = row[work.index[j]]


cdef void _scatter(MlcpWork* work) noexcept nogil:
    cdef int i
    for i in range(work.size):
        work.z[i] = 0.0 if work.at == NULL else work.at[i]
    for i in range(work.count):
        work.z[work.index[i]] = work.right[i]


cdef int _solve_active(MlcpWork* work, const double* a) noexcept nogil:
    """z with A_JJ z_J = -b_J, zero elsewhere. FOUND or SINGULAR."""
    gather(work, a)
    work.pivots += 1
    if work.count:
        if lu_factor_regular(work.count, work.factor, work.pivot):
            return SINGULAR
        lu_solve(work.count, work.factor, work.pivot, work.right, 1)
    work.rank = work.count
    _scatter(work)
    return FOUND


cdef int solve_active_shortest(MlcpWork* work) noexcept nogil:
    """The same for a singular A_JJ, with the least norm. SINGULAR where inconsistent."""
    cdef double residual
    if interrupted():  # a factor that was not finished is no singular one
        return SINGULAR
    gather(work, work.a)
    work.rank = min_norm_solve(
        work.count, work.factor, work.count, work.right, work.right,
        work.scratch, work.iscratch, &residual,
    )
    _scatter(work)
    return FOUND if residual <= RANGE_TOLERANCE else SINGULAR


cdef void _evaluate(MlcpWork* work, const double* a) noexcept nogil:
    """y = A z + b and the magnitudes |A| |z| + |b| of its rows."""
    # Two rows at a time: one sum alone waits for each of its additions.
    cdef int i = 0, j, n = work.size
    cdef const double* row
    cdef const double* next_row
    cdef double total, size, next_total, next_size, term
    while i + 2 <= n:
        row = a + <size_t> i * n
        next_row = row + n
        total, next_total = work.b[i], work.b[i + 1]
        size, next_size = fabs(total) + LEAST, fabs(next_total) + LEAST
        for j in range(n):
            term = row[j] * work.z[j]
            total += term
            size += fabs(term)
            term = next_row[j] * work.z[j]
            next_total += term
            next_size += fabs(term)
        work.y[i], work.magnitude[i] = total, size
        work.y[i + 1], work.magnitude[i + 1] = next_total, next_size
        i += 2
    if i < n:
        row = a + <size_t> i * n
        total = work.b[i]
        size = fabs(total) + LEAST
        for j in range(n):
            term = row[j] * work.z[j]
            total += term
            size += fabs(term)
        work.y[i], work.magnitude[i] = total, size
    if work.scaled:
        _raise_floor(work)


cdef void _evaluate_inactive(MlcpWork* work, const double* a) noexcept nogil:
    """The same on the rows outside of J, for the z_J just solved: what judging the signs of y takes."""
    cdef int i, k, n = work.size
    cdef const double* row
    cdef double total, size, term
    if work.scaled:  # the floor is that of all rows
        _evaluate(work, a)
        return
    for i in range(n):
        if work.active[i]:
            continue
        row = a + <size_t> i * n
        total = work.b[i]
        size = fabs(total) + LEAST
        for k in range(work.count):
            term = row[work.index[k]] * work.right[k]
            total += term
            size += fabs(term)
        work.y[i], work.magnitude[i] = total, size


cdef void _raise_floor(MlcpWork* work) noexcept nogil:
    """No row counts for less than FLOOR times the largest one of the equilibrated problem.

    A row whose terms should all be zero holds rounding of z computed elsewhere; measured
    by itself it is never right. Not needed while the guess is.
    """
    cdef int i
    cdef double largest = 0.0
    for i in range(work.size):
        largest = max(largest, work.scale[i] * work.magnitude[i])
    for i in range(work.size):
        work.magnitude[i] = max(work.magnitude[i], FLOOR * largest / work.scale[i])


cdef double _influence(MlcpWork* work, const double* a, int i) noexcept nogil:
    """Largest change, relative to the terms of the row, that a unit of z_i makes in any row.

    It turns a tolerance on rows into one on z_i, whatever the units of z_i.
    """
    cdef int k, n = work.size
    cdef double size, largest = 0.0
    for k in range(n):
        size = fabs(a[k * n + i])
        if size > largest * work.magnitude[k] and work.magnitude[k] > 0.0:
            largest = size / work.magnitude[k]
    return largest


cdef bint _clearly_negative(MlcpWork* work, const double* a, int i) noexcept nogil:
    """Whether z_i < 0 is more than rounding by what it makes of row i alone."""
    cdef int k
    cdef const double* row = a + <size_t> i * work.size
    cdef double size = fabs(work.b[i])
    for k in range(work.count):
        size += fabs(row[work.index[k]] * work.right[k])
    return -work.z[i] * fabs(row[i]) > work.sign_tolerance * size


cdef int _correct_active(MlcpWork* work, const double* a) noexcept nogil:
    """Drop active rows with z_i < 0, add others with y_i < 0; returns how many were wrong.

    Negatives at rounding level are made zero instead. Takes ``_evaluate_inactive``.
    """
    cdef int i, wrong = 0
    cdef bint clear = not work.scaled
    for i in range(work.size):
        if clear and work.cone[i] != EQUALITY and work.active[i] and work.z[i] < 0.0:
            clear = _clearly_negative(work, a, i)
    if not clear and not work.scaled:
        _evaluate(work, a)  # how much a negative z_i is depends on all rows
    for i in range(work.size):
        if work.cone[i] == EQUALITY:
            continue
        if work.active[i]:
            if work.z[i] < 0.0:
                if clear or -work.z[i] * _influence(work, a, i) > work.sign_tolerance:
                    work.active[i] = 0
                    wrong += 1
                work.z[i] = 0.0
        # Not <: a NaN is wrong as well.
        elif not (work.y[i] >= -work.sign_tolerance * work.magnitude[i]):
            work.active[i] = 1
            wrong += 1
    return wrong


cdef int _correct_bounded(MlcpWork* work) noexcept nogil:
    """The same between two bounds: rows that leave them are put there. Takes ``_evaluate``."""
    cdef int i, wrong = 0
    for i in range(work.size):
        if work.lo[i] == work.hi[i]:
            continue
        if work.active[i]:
            if not work.lo[i] <= work.z[i] <= work.hi[i]:
                work.at[i] = work.lo[i] if work.z[i] < work.lo[i] else work.hi[i]
                work.active[i] = 0
                wrong += 1
        elif not ((work.y[i] if work.at[i] == work.lo[i] else -work.y[i]) >= -work.sign_tolerance * work.magnitude[i]):
            work.active[i] = 1
            wrong += 1
    return wrong


cdef int sweep(MlcpWork* work, const double* a, int limit) noexcept nogil:
    """Solve a_JJ z_J = -b_J and correct J by the signs of z and y, at most ``limit`` times.

    ``a`` (n x n) is the matrix of the problem or a shifted one. Signs are judged to within
    ``work.sign_tolerance``. Returns an ``ActiveSetStatus``.
    """
    cdef int sweep, wrong, fewest = work.size + 1, patience = PATIENCE
    for sweep in range(limit):
        if interrupted():
            break
        if _solve_active(work, a) == SINGULAR:
            return SINGULAR
        if work.at == NULL:
            _evaluate_inactive(work, a)
            wrong = _correct_active(work, a)
        else:
            _evaluate(work, a)
            wrong = _correct_bounded(work)
        if wrong == 0:
            return FOUND
        if wrong < fewest:
            fewest = wrong
            patience = PATIENCE
        else:
            patience -= 1
            if patience == 0:
                break
    return STALLED


cdef bint adopt(MlcpWork* work) noexcept nogil:
    """Solve on J, with least norm where A_JJ is singular; whether all signs are right.

    ``work.count - work.rank`` is then the rank deficiency of A_JJ.
    """
    if _solve_active(work, work.a) == SINGULAR:
        if solve_active_shortest(work) == SINGULAR:
            return False
    _evaluate_inactive(work, work.a)
    return _correct_active(work, work.a) == 0


# -------------------------------------------------------------------------- certificate


cdef double _off(const MlcpWork* work, int k, double y, double magnitude) noexcept nogil:
    """What row k with this y is off by, beside its own terms."""
    cdef bint free = work.cone[k] != EQUALITY and work.z[k] == 0.0 and y > 0.0
    return 0.0 if free or y == 0.0 else fabs(y) / (magnitude + LEAST)


cdef void _clear_rounding(MlcpWork* work) noexcept nogil:
    """Zero for each multiplier that is rounding in its own row and makes none of the others right.

    A row where it is the only term would have the wrong sign, and the floor of rows would hide it.
    """
    cdef int i, k, n = work.size
    cdef double held, change, size, before
    work.scaled = 0
    _evaluate(work, work.a)
    work.scaled = 1
    for i in range(n):
        held = work.z[i]
        if work.cone[i] == EQUALITY or not 0.0 < fabs(work.a[i * n + i]) * held <= CLEARED * work.magnitude[i]:
            continue
        for k in range(n):
            change = work.a[k * n + i] * held
            size = max(0.0, work.magnitude[k] - fabs(change))
            before = _off(work, k, work.y[k], work.magnitude[k])
            if k != i and not _off(work, k, work.y[k] - change, size) <= max(before, work.sign_tolerance):
                break
        else:
            for k in range(n):
                change = work.a[k * n + i] * held
                work.y[k] -= change
                work.magnitude[k] = max(0.0, work.magnitude[k] - fabs(change))
            work.z[i] = 0.0


cdef double certify(MlcpWork* work, MlcpInfo* info) noexcept nogil:
    """Residual of z from A, b and z alone, see ``_mlcp.pxi``; sets y, residual, worst_row.

    Dividing by the terms of a row would let a z so large that b drowns in rounding pass
    for a solution of anything: b must be visible in some row, if it is not zero, and more than what is off.
    Where rows have a floor, rounding in z is cleared before.
    """
    cdef int i
    cdef double violation, share, visible = 0.0
    cdef bint homogeneous = True
    info.residual = 0.0
    info.worst_row = 0
    if work.scaled:
        _clear_rounding(work)
    _evaluate(work, work.a)
    for i in range(work.size):
        share = work.magnitude[i]
        violation = fabs(work.y[i])
        violation /= share
        visible = max(visible, fabs(work.b[i]) / share if share > 2.0 * LEAST else 1.0)
        if work.b[i] != 0.0:
            homogeneous = False
        if work.cone[i] != EQUALITY and work.y[i] > 0.0:
            if work.z[i] == 0.0:
                violation = 0.0
            elif violation > work.sign_tolerance:
                violation = min(violation, work.z[i] * _influence(work, work.a, i))
        if not (violation <= info.residual):
            info.residual = violation
            info.worst_row = i
    if not homogeneous and (visible < VISIBLE or DISTINCT * visible < info.residual):
        info.residual = max(info.residual, 1.0)
    return info.residual


cdef bint finite(MlcpWork* work) noexcept nogil:
    """Whether A and b hold numbers only."""
    cdef int i
    cdef double total = 0.0
    for i in range(work.size * work.size):
        total += work.a[i] * 0.0
    for i in range(work.size):
        total += work.b[i] * 0.0
    return total == 0.0


cdef void keep(MlcpWork* work) noexcept nogil:
    """Remember z, in case nothing better is found."""
    cdef int i
    for i in range(work.size):
        work.kept[i] = work.z[i]
