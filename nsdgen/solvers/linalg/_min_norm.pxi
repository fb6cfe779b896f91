"""Least-norm solutions of small dense systems, and ranks, callable from nogil code.

Matrices are row-major. Scales do not matter to the rank: multiplying a row or a column by a power
of two changes no decision.
"""

cdef struct MinNorm:
    # One system.
    int n
    int* order  # which columns stand where
    double* w  # n x (n + 1): rows, the right-hand side behind them
    double* scale  # C, the units of columns
    double* most  # the largest entry of each row that has no pivot yet
    double* right  # the right-hand side, which is in the rows, too
    double* nulls  # n x n


cdef size_t min_norm_work_size(int n) noexcept nogil:
    return <size_t> (2 * n + 4) * (n + 1)


cdef MinNorm _equilibrated(int n, const double* a, int lda, const double* b, double* work, int* iwork) noexcept nogil:
    """R (A / C, b), R and 1 / C the reciprocal maxima of rows and then of columns; 0 for b where it is NULL."""
    cdef MinNorm m
    cdef double* own
    cdef double factor
    cdef int i, j
    cdef size_t width = n + 1
    m.n, m.order = n, iwork
    m.w = work
    m.scale = m.w + n * width
    m.most = m.scale + width
    m.right = m.most + width
    m.nulls = m.right + width
    equilibrate(n, a, lda, m.most, m.scale)
    for j in range(n):
        m.scale[j] = m.scale[j] if m.scale[j] != 0.0 else 1.0
        m.nulls[j] = 1.0 / m.scale[j]
    for i in range(n):
        own, factor = m.w + i * width, m.most[i]
        m.right[i] = 0.0 if b == NULL else factor * b[i] if factor > 0.0 else b[i]
        for j in range(n):
            own[j] = factor * a[<size_t> i * lda + j] * m.nulls[j]
        own[n] = m.right[i]
    return m


cdef void _shortest_left(const MinNorm* m, int rank, double* x) noexcept nogil:
    """The x of least norm that solves the equations with pivots: any that does, less its shares of what they do not see."""
    cdef int n = m.n, k, l
    cdef double* own
    reduce_rows(rank, n + 1, m.w)
    for k in range(n):
        x[m.order[k]] = m.w[<size_t> k * (n + 1) + n] / m.scale[m.order[k]] if k < rank else 0.0
    memset(m.nulls, 0, <size_t> (n - rank) * n * sizeof(double))
    for l in range(rank, n):
        own = m.nulls + <size_t> (l - rank) * n
        own[m.order[l]] = 1.0 / m.scale[m.order[l]]
        for k in range(rank):
            own[m.order[k]] = -m.w[<size_t> k * (n + 1) + l] / m.scale[m.order[k]]
    make_orthonormal(n, n - rank, m.nulls)
    for k in range(2):
        take_shares(n, n - rank, m.nulls, x)


cdef int _eliminate(const MinNorm* m) noexcept nogil:
    return eliminate_rows(m.n, m.n + 1, PIVOT_ROUNDINGS * m.n * DBL_EPSILON, m.w, m.order, m.most)


cdef int numerical_rank(int n, const double* a, int lda, double* work, int* iwork) noexcept nogil:
    cdef MinNorm m = _equilibrated(n, a, lda, NULL, work, iwork)
    return _eliminate(&m)


cdef int min_norm_solve(
    int n, const double* a, int lda, const double* b, double* x, double* work, int* iwork, double* residual
) noexcept nogil:
    # The rank is decided on the equilibrated matrix R A / C (rows, then columns, brought to maximum 1), so that units
    # do not matter. A least norm does depend on the units of x, and it is wanted in those of the caller.
    cdef MinNorm m = _equilibrated(n, a, lda, b, work, iwork)
    cdef double size = vector_length(n, m.right)
    cdef int i, rank = _eliminate(&m)
    for i in range(rank, n):
        m.right[i] = m.w[<size_t> i * (n + 1) + n]
    residual[0] = vector_length(n - rank, m.right + rank) / size if size > 0.0 else 0.0
    _shortest_left(&m, rank, x)
    return rank
