"""Least-norm solutions of small dense systems, and ranks, callable from nogil code.

Matrices are row-major. Scales do not matter to the rank: multiplying a row or a column by a power
of two changes no decision.
"""

# A reflector H = I - tau v v^T with v[k] = 1 keeps the rest of v below the diagonal.


cdef double SAFE_SQUARES = 1e-250  # a sum of squares whose terms count, if they are not below its rounding


cdef inline double _dot(int count, const double* x, const double* y) noexcept nogil:
    # Four sums: one alone waits for each of its additions.
    cdef double one = 0.0, two = 0.0, three = 0.0, four = 0.0
    cdef int i = 0
    while i + 4 <= count:
        one += x[i] * y[i]
        two += x[i + 1] * y[i + 1]
        three += x[i + 2] * y[i + 2]
        four += x[i + 3] * y[i + 3]
        i += 4
    while i < count:
        one += x[i] * y[i]
        i += 1
    return (one + two) + (three + four)


cdef double _norm(int count, const double* x) noexcept nogil:
    """Euclidean norm, safe from overflow and underflow of the squares."""
    cdef int i
    cdef double largest = 0.0, total = _dot(count, x, x)
    if SAFE_SQUARES <= total <= 1.0 / SAFE_SQUARES:
        return sqrt(total)
    total = 0.0
    for i in range(count):
        if fabs(x[i]) > largest:
            largest = fabs(x[i])
    if largest == 0.0:
        return 0.0
    for i in range(count):
        total += (x[i] / largest) * (x[i] / largest)
    return largest * sqrt(total)


cdef double _make_reflector(int count, double* x) noexcept nogil:
    """Turn x into (beta, v[1:]) with H x = (beta, 0, ..., 0); returns tau."""
    cdef int i
    cdef double alpha = x[0], norm = _norm(count, x), beta
    if norm == 0.0:
        return 0.0
    beta = -norm if alpha >= 0.0 else norm
    for i in range(1, count):
        x[i] /= alpha - beta
    x[0] = beta
    return (beta - alpha) / beta


cdef void _reflect(int count, const double* v, double tau, double* x) noexcept nogil:
    """x <- (I - tau v v^T) x, where v[0] is read as 1."""
    cdef double total = tau * (x[0] + _dot(count - 1, v + 1, x + 1))
    x[0] -= total
    subtract_row(count - 1, total, v + 1, x + 1)


cdef int reduce_rows(
    int n, int width, double* a, int* order, double* largest, double least, bint whole
) noexcept nogil:
    cdef double factor, first = 0.0
    cdef double* pivot
    cdef int i, j, row, rank
    for i in range(n):
        largest[i] = nsd_largest(n, a + i * width)
        first = max(first, largest[i])
        order[i] = i
    for rank in range(n):
        row = rank
        for i in range(rank, n):
            row = i if largest[i] > largest[row] else row
        if not largest[row] > least * first:
            return rank
        pivot = a + rank * width
        for j in range(width if row != rank else 0):
            factor = pivot[j]
            pivot[j] = a[row * width + j]
            a[row * width + j] = factor
        factor, largest[row] = largest[row], largest[rank]
        j = rank
        while fabs(pivot[order[j]]) != factor:
            j += 1
        order[rank], order[j] = order[j], order[rank]
        factor = 1.0 / pivot[order[rank]]
        for j in range(width):
            pivot[j] *= factor
        pivot[order[rank]] = 1.0
        for i in range(0 if whole else rank + 1, n):
            factor = a[i * width + order[rank]]
            if i == rank or factor == 0.0:
                continue
            subtract_row(width, factor, pivot, a + i * width)
            if i > rank:
                largest[i] = nsd_largest(n, a + i * width)
    return n


cdef void _row_space(int n, int rank, double* g, double* tau) noexcept nogil:
    """QR of G^T in place, whose column k is row k of G, n long; ``tau`` has rank entries."""
    cdef int j, k
    for k in range(rank):
        tau[k] = _make_reflector(n - k, g + k * n + k)
        for j in range(k + 1, rank):
            _reflect(n - k, g + k * n + k, tau[k], g + j * n + k)


cdef void _shortest(int n, int rank, const double* g, const double* tau, double* x) noexcept nogil:
    """The x of least norm with G x = c, which is in x: x = Q (T^-T c, 0), where G^T = Q (T, 0)."""
    cdef int j, k
    for k in range(rank):
        for j in range(k):
            x[k] -= g[k * n + j] * x[j]
        x[k] /= g[k * n + k]
    for k in range(rank - 1, -1, -1):
        _reflect(n - k, g + k * n + k, tau[k], x + k)


cdef void _scaled_rows(int n, int width, const double* a, int lda, double* row, double* column, double* w) noexcept nogil:
    """R A C into w, rows of ``width``; the scales into ``row`` and ``column``."""
    cdef int i, j
    equilibrate(n, a, lda, row, column)
    for j in range(n):
        column[j] = 1.0 / column[j] if column[j] != 0.0 else 1.0
    for i in range(n):
        for j in range(n):
            w[i * width + j] = row[i] * a[i * lda + j] * column[j]


cdef int numerical_rank(int n, const double* a, int lda, double* work, int* iwork) noexcept nogil:
    cdef double* row = work + <size_t> n * n
    _scaled_rows(n, n, a, lda, row, row + n, work)
    return reduce_rows(n, n, work, iwork, row, PIVOT_ROUNDINGS * n * DBL_EPSILON, False)


cdef size_t min_norm_work_size(int n) noexcept nogil:
    return 4 * <size_t> n * n + 4 * <size_t> n


cdef int _eliminated_rows(
    int n, const double* a, int lda, const double* b, double* g, double* c, double* work, int* order, double* residual
) noexcept nogil:
    """The same as ``semidefinite_rows`` of any matrix, by elimination.

    The rank is decided on the equilibrated matrix R A C (rows, then columns, brought to maximum 1), so that units do not
    matter. The row scaling R drops out of a consistent system.
    """
    cdef double* w = work  # R A C and R b beside it
    cdef double* row = w + <size_t> n * (n + 1)
    cdef double* column = row + n
    cdef double size
    cdef int j, k, rank
    _scaled_rows(n, n + 1, a, lda, row, column, w)
    for j in range(n):
        c[j] = w[j * (n + 1) + n] = row[j] * b[j] if row[j] > 0.0 else b[j]
    size = _norm(n, c)
    rank = reduce_rows(n, n + 1, w, order, row, PIVOT_ROUNDINGS * n * DBL_EPSILON, False)
    for j in range(n):
        c[j] = w[j * (n + 1) + n]
    residual[0] = _norm(n - rank, c + rank) / size if size > 0.0 else 0.0
    for k in range(rank):
        for j in range(n):
            g[k * n + j] = w[k * (n + 1) + j] / column[j]
    return rank


cdef int min_norm_solve(
    int n, const double* a, int lda, const double* b, double* x, double* work, int* iwork, double* residual
) noexcept nogil:
    # A least norm depends on the units of x, and it is wanted in those of the caller: hence the equations that A says
    # are written in x (G x = c), and the shortest solution is taken there by a QR.
    cdef double* g = work
    cdef double* c = g + <size_t> n * n
    cdef double* tau = c + n
    cdef int j, rank = semidefinite_rows(n, a, lda, b, g, c, tau + n, iwork, residual)
    if rank == 0:
        rank = _eliminated_rows(n, a, lda, b, g, c, tau + n, iwork, residual)
    for j in range(n):
        x[j] = c[j] if j < rank else 0.0
    _row_space(n, rank, g, tau)
    _shortest(n, rank, g, tau, x)
    return rank
