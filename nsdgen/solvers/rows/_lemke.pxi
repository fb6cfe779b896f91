"""Complementary pivoting for mixed linear complementarity problems: the cold start.

Find z with y = A z + b, y_i = 0 where ``cone[i]`` is EQUALITY (z_i free) and
0 <= y_i, 0 <= z_i, y_i z_i = 0 where it is COMPLEMENTARITY. No guess is used, so that the
result depends on A and b alone.

The problem is kept as a dictionary (``_dictionary.pxi``). At first every y is basic and
every z is not.

1. Equilibrate by powers of two, rows and columns independently. The signs of y and z
   stay; for Lemke's method the row scales merely mean another covering vector.
2. ``exchange_equalities``: exchange the y of equality rows for their z. Where their block is singular
   by itself, complementarity rows are taken in, whose y and z then change roles.
3. ``_lemke``: the rest is an ordinary complementarity problem. Ties in the ratio test
   are broken lexicographically, which excludes cycling on degenerate problems.
4. ``_close``: the free z, whose rows Lemke's method leaves alone, from what it found.

A path need not begin where all z are nonbasic. ``_leave`` goes to another complementary
basis first: for M >= 0 with zero diagonal, as of bimatrix games, every path from z = 0 is a ray.
"""

cdef enum:
    LONG = 3  # times ``pivot_limit``: paths through full skew-symmetric matrices take near n^1.6 exchanges
    STRIDE = 618_033  # spreads the rows of other starts

cdef double ZERO_PIVOT = 1e-11  # of a column's largest entry: no pivot in Lemke's method
cdef double TIE = 1e-12  # of the largest constant


cdef int pivot_limit(int n) noexcept nogil:
    """The most exchanges of one path with n complementarity rows."""
    return 50 + 10 * n


# ---------------------------------------------------------------------- Lemke's method


cdef double _basis_column(Dictionary* d, int row, int k, int c) noexcept nogil:
    """Entry (row, k) of the inverse basis, over the ratio-test denominator of ``row``."""
    cdef int place = d.place[d.start[k]]
    cdef double entry
    if place >= 0:
        entry = 1.0 if place == row else 0.0
    else:
        entry = -d.t[row * d.stride - 1 - place]
    return entry / -d.t[row * d.stride + c]


cdef bint _lexicographically_less(Dictionary* d, int i, int r, int c) noexcept nogil:
    cdef int k
    cdef double left, right
    for k in range(d.m):
        left = _basis_column(d, i, k, c)
        right = _basis_column(d, r, k, c)
        if fabs(left - right) > TIE * (fabs(left) + fabs(right)):
            return left < right
    return False


cdef int _leaving_row(Dictionary* d, int c) noexcept nogil:
    """Ratio test on column c; -1 where no basic variable decreases."""
    cdef int i, best = -1
    cdef double largest = 0.0, ratio, smallest = 0.0, slack
    for i in range(d.m):
        largest = max(largest, fabs(d.t[i * d.stride + c]))
    for i in range(d.m):
        if d.t[i * d.stride + c] >= -ZERO_PIVOT * largest:
            continue
        ratio = max(d.t[i * d.stride], 0.0) / -d.t[i * d.stride + c]
        slack = TIE * (1.0 + smallest)
        if best < 0 or ratio < smallest - slack:
            best = i
            smallest = ratio
        elif ratio <= smallest + slack and d.basic[best] != -1:
            # The artificial variable leaves whenever it can.
            if d.basic[i] == -1 or _lexicographically_less(d, i, best, c):
                best = i
                smallest = min(smallest, ratio)
    return best


cdef int _first_row(Dictionary* d) noexcept nogil:
    """The row that the artificial variable replaces, -1 where none is negative."""
    cdef int i, best = -1
    cdef double ratio, smallest = 0.0
    for i in range(d.m):
        if not d.t[i * d.stride] < 0.0:  # the cover may be zero there
            continue
        ratio = d.t[i * d.stride] / d.t[i * d.stride + 1]
        if best < 0 or ratio <= smallest:
            best = i
            smallest = ratio
    return best


cdef void _cover(Dictionary* d) noexcept nogil:
    """The covering vector: any positive one will do, each gives another path."""
    cdef int i
    for i in range(d.m):
        d.t[i * d.stride + 1] = 1.0


cdef int _lemke(Dictionary* d, int limit, int* ray_column) noexcept nogil:
    """Lemke's method on rows 0 .. m - 1, covered by column 1; the equality rows wait for ``_close``."""
    cdef int i, r, c, left
    d.rows = d.m
    for i in range(d.m):
        d.start[i] = d.basic[i]
    for i in range(d.width):
        d.outer[i] = d.nonbasic[i]
    r = _first_row(d)
    if r < 0:
        return PIVOT_SOLVED
    c = 1
    while limit > 0 and not interrupted():
        left = d.basic[r]
        exchange(d, r, c)
        if left == -1:
            return PIVOT_SOLVED
        c = -1 - d.place[left ^ 1]
        r = _leaving_row(d, c)
        if r < 0:
            # A tie may have left the artificial variable basic at zero: solved all the same.
            for i in range(d.m):
                if d.basic[i] == -1 and d.t[i * d.stride] <= CANCELLED:
                    return PIVOT_SOLVED
            ray_column[0] = c
            return PIVOT_RAY
        limit -= 1
    return PIVOT_LIMIT


# ---------------------------------------------------------------------- other starts


cdef int _partner(Dictionary* d, int k) noexcept nogil:
    """A row to exchange together with row k: the last one that z_k makes feasible, else the strongest; or -1."""
    cdef int i, lifted = -1, strongest = -1
    cdef double there, back, ratio, largest = 0.0, size = 0.0
    for i in range(d.m):
        there = d.t[i * d.stride + 2 + k]
        back = d.t[k * d.stride + 2 + i]
        if i == k or fabs(there) <= WEAK_PIVOT or fabs(back) <= WEAK_PIVOT:
            continue
        if fabs(there * back) > size:
            size = fabs(there * back)
            strongest = i
        ratio = -d.t[i * d.stride] / there
        if there > 0.0 and ratio > largest:
            largest = ratio
            lifted = i
    return lifted if lifted >= 0 else strongest


cdef bint _covers(Dictionary* d, int c) noexcept nogil:
    """Whether column c is a covering vector: nowhere negative, positive where the constants are negative."""
    cdef int i
    for i in range(d.m):
        if d.t[i * d.stride + c] < 0.0 or (d.t[i * d.stride] < 0.0 and d.t[i * d.stride + c] <= WEAK_PIVOT):
            return False
    return True


cdef bint _leave(Dictionary* d, int start) noexcept nogil:
    """Exchange one or two rows for their columns and cover the rest; whether there are any to exchange.

    Covered by the column of y_k, the path is that of Lemke and Howson with label k, which ends in an
    equilibrium of any bimatrix game with positive costs (Cottle, Pang and Stone, 1992, section 4.4).
    """
    cdef int i, r, k = <int> (<long long> (start - 1) * STRIDE % d.m)
    if start % 2 == 0 and fabs(d.t[k * d.stride + 2 + k]) > WEAK_PIVOT:
        exchange(d, k, 2 + k)
        _cover(d)
        return True
    r = _partner(d, k)
    if r < 0:
        return False
    exchange(d, r, 2 + k)
    if fabs(d.t[k * d.stride + 2 + r]) <= WEAK_PIVOT:
        return False
    exchange(d, k, 2 + r)
    swap(d, r, k, True)
    swap(d, 2 + r, 2 + k, False)
    if not _covers(d, 2 + k):
        _cover(d)
        return True
    for i in range(d.m):
        d.t[i * d.stride + 1] = d.t[i * d.stride + 2 + k]
    return True


# --------------------------------------------------------------------------- the result


cdef double _value(Dictionary* d, int variable, int column) noexcept nogil:
    """Of a variable: the constant (column 0), or its rate along the ray of a column."""
    cdef int place = d.place[variable]
    if place >= 0:
        return d.t[place * d.stride + column]
    return 1.0 if column > 0 and place == -1 - column else 0.0


cdef void _close(Dictionary* d, int column) noexcept nogil:
    """The equality rows: they still hold the combinations with which Lemke's method began."""
    cdef int i, j
    cdef double total
    cdef double* row
    for i in range(d.m, d.n):
        row = d.t + i * d.stride
        total = row[0] if column == 0 else 0.0
        for j in range(2, d.width):
            if row[j] != 0.0:
                total += row[j] * _value(d, d.outer[j], column)
        row[column] = total


cdef void _read(Dictionary* d, int column, MlcpWork* work) noexcept nogil:
    """z and the active set from one column of the dictionary: 0 for the solution, or a ray."""
    cdef int i, row, place
    cdef double value
    for i in range(d.n):
        row = d.row_of[i]
        place = d.place[2 * i + 1]
        work.active[row] = 1 if place >= 0 or i >= d.m else 0
        value = d.t[place * d.stride + column] * d.unit if place >= 0 else 0.0
        if column > 0 and place == -1 - column:
            value = d.unit
        work.z[row] = value * d.scale[row]


cdef int _path(Dictionary* d, MlcpWork* work, const double* a, int start, int* bad_row, int* column) noexcept nogil:
    """One path from z = 0, or from the basis of ``start``; ``column`` is that of its ray."""
    cdef int verdict
    fill(d, a, work.b, work.cone)
    verdict = exchange_equalities(d, bad_row)
    if verdict != PIVOT_SOLVED:
        return verdict
    if start == 0:
        _cover(d)
        return _lemke(d, LONG * pivot_limit(d.m), column)
    if d.m == 0 or not _leave(d, start):
        return PIVOT_BLOCKED
    # Some of these paths are very long, most are short: rather another one.
    return _lemke(d, 50 + d.m, column)


cdef int pivot_solve(MlcpWork* work, const double* a, int start, int* bad_row) noexcept nogil:
    """Solve the problem bound to ``work`` with a matrix ``a`` (n x n), its own or a shifted one.

    Returns a ``PivotVerdict`` (``_equality_pivots.pxi``). PIVOT_SOLVED: ``work.z`` is the solution,
    ``work.active`` is 1 where y_i = 0 by construction (equality rows and basic z_i), else 0. Both carry the
    roundings of the pivots; the caller solves on the active set again.

    PIVOT_RAY: ``work.z`` is the direction of the ray. For a positive semidefinite A it proves
    that the rows cannot be met: A^T z <= 0, b . z < 0.

    PIVOT_INCONSISTENT: ``bad_row[0]`` is the first equality row that contradicts others.

    Otherwise z is 0. ``work.pivots`` is increased by the number of exchanges.

    With ``start`` = 1, 2, ... one path from another complementary basis than that of z = 0. For matrices that
    are not semidefinite: where all paths from z = 0 end on rays, others may arrive. PIVOT_BLOCKED where
    ``start`` names no other basis; a ray proves nothing there.
    """
    cdef Dictionary d
    cdef int i, verdict, column = 0
    attach(&d, work.size, work.scratch, work.iscratch)
    two_sided_scale(work.size, a, d.row_scale, d.scale)
    verdict = _path(&d, work, a, start, bad_row, &column)
    work.pivots += d.pivots
    if verdict == PIVOT_SOLVED or verdict == PIVOT_RAY:
        column = column if verdict == PIVOT_RAY else 0
        _close(&d, column)
        _read(&d, column, work)
    else:
        for i in range(d.n):
            work.z[i] = 0.0
    return verdict
