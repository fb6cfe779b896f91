"""LU factors of small dense matrices for the steppers and solvers, callable from nogil code.

All matrices are row-major ``double*``. Nothing here holds state, takes the lock or
raises; a return value reports what happened. Scales do not matter: multiplying a row
or a column of a matrix by a power of two changes no decision.
"""

cdef enum:
    # Pivots below this many units of rounding, times n, are zero. Matrices such as
    # H M^-1 H^T arrive with a few roundings of their own, hence not just 1.
    PIVOT_ROUNDINGS = 64

cdef double CLEAR_PIVOT = 1e-5  # of its column: where no pivot is smaller none hides that the others are too large

cdef enum:
    STACK_ROWS = 256  # up to here the row and column scales live on the stack
    UNASKED = 32  # columns between two questions whether to end: of 3000 rows 0.1 s


cdef bint _is_lost(int n, const double* lu, const double* row, const double* column, double small) noexcept nogil:
    """Whether some x that U takes to -1 .. 1 is larger than 1 / ``small``, in units of columns and rows.

    A small pivot that was taken too early leaves the last one larger than rounding, though rank is lost.
    More than STACK_ROWS are not asked: their ranks are told by the last pivot alone.
    """
    cdef double stack[STACK_ROWS]
    cdef int i, j
    cdef double least = 1.0, largest = 0.0, total
    for i in range(n):
        least = min(least, fabs(lu[i * n + i]) * row[i] / column[i])
    if least > CLEAR_PIVOT or n > STACK_ROWS:
        return False
    for i in range(n - 1, -1, -1):
        total = 0.0
        for j in range(i + 1, n):
            total += lu[i * n + j] * stack[j]
        total += copysign(1.0 / row[i], total)
        stack[i] = -total / lu[i * n + i]
        largest = max(largest, fabs(stack[i]) * column[i])
    return not largest * small < 1.0


cdef int _factor(int n, double* a, int* pivot, bint prove) noexcept nogil:
    cdef double stack[2 * STACK_ROWS]
    cdef double* scale = stack
    cdef double small = PIVOT_ROUNDINGS * n * DBL_EPSILON
    cdef int outcome = 0, k = 0
    if n == 1:
        pivot[0] = 0
        return 0 if a[0] != 0.0 and a[0] - a[0] == 0.0 else 1
    if n > STACK_ROWS:
        scale = <double*> malloc(2 * <size_t> n * sizeof(double))
        if scale == NULL:
            return -1
    equilibrate(n, a, n, scale, scale + n)
    while k < n and not outcome:
        outcome = nsd_eliminate(n, k, min(k + <int>UNASKED, n), a, pivot, scale, scale + n, small)
        k += UNASKED
        if k < n and not outcome and interrupted():
            outcome = k
    if prove and not outcome and _is_lost(n, a, scale, scale + n, small):
        outcome = n
    if scale != stack:
        free(scale)
    return outcome


cdef int lu_factor(int n, double* a, int* pivot) noexcept nogil:
    return _factor(n, a, pivot, False)


cdef int lu_factor_regular(int n, double* a, int* pivot) noexcept nogil:
    return _factor(n, a, pivot, True)


cdef void _lu_solve_one(int n, const double* lu, const int* pivot, double* b) noexcept nogil:
    """The single right-hand side: sums stay in registers."""
    cdef int i, j
    cdef double total
    for i in range(n):
        if pivot[i] != i:
            total = b[i]
            b[i] = b[pivot[i]]
            b[pivot[i]] = total
    for i in range(1, n):
        total = b[i]
        for j in range(i):
            total -= lu[i * n + j] * b[j]
        b[i] = total
    for i in range(n - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, n):
            total -= lu[i * n + j] * b[j]
        b[i] = total / lu[i * n + i]


cdef void lu_solve(int n, const double* lu, const int* pivot, double* b, int nrhs) noexcept nogil:
    cdef int i, j, k
    cdef double held
    if n == 1:
        for j in range(nrhs):
            b[j] /= lu[0]
        return
    if nrhs == 1:
        _lu_solve_one(n, lu, pivot, b)
        return
    for i in range(n):
        if pivot[i] != i:
            for j in range(nrhs):
                held = b[i * nrhs + j]
                b[i * nrhs + j] = b[pivot[i] * nrhs + j]
                b[pivot[i] * nrhs + j] = held
    if nsd_block_substitute(n, lu, b, nrhs):
        return
    for i in range(1, n):
        for k in range(i):
            subtract_row(nrhs, lu[i * n + k], b + k * nrhs, b + i * nrhs)
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            subtract_row(nrhs, lu[i * n + k], b + k * nrhs, b + i * nrhs)
        for j in range(nrhs):
            b[i * nrhs + j] /= lu[i * n + i]
