"""Least-norm solutions of small dense systems, and ranks, callable from nogil code.

Matrices are row-major. Scales do not matter to the rank: multiplying a row or a column by a power
of two changes no decision.
"""

# Matrices below are stored by column: column j is the contiguous run w + j * rows. A
# reflector H = I - tau v v^T with v[k] = 1 keeps the rest of v below the diagonal.


cdef extern from *:
    """
    #include "nsdgen_dense.h"
    /* Four sums, of which the first goes on with what is behind them. */
    static inline double dot(int count, const double *x, const double *y)
    {
        nsd_four s = {0};
        double one;
        int i = 0;
        for (; i + 4 <= count; i += 4)
            s += NSD_AT(x, i) * NSD_AT(y, i);
        for (one = s[0]; i < count; i++)
            one += x[i] * y[i];
        return (one + s[1]) + (s[2] + s[3]);
    }

    /* x <- (I - tau v v^T) x for columns x that lie ``width`` apart, where v[0] is read as 1. */
    NSD_ANY_VECTOR
    static void reflect(int count, const double *v, double tau, double *x, int columns, int width)
    {
        for (; columns > 0; columns--, x += width) {
            double total = tau * (x[0] + dot(count - 1, v + 1, x + 1));
            int i = 1;
            if (total == 0.0)
                continue;
            x[0] -= total;
            for (; i + 4 <= count; i += 4)
                *(nsd_four *)(x + i) -= total * NSD_AT(v, i);
            for (; i < count; i++)
                x[i] -= total * v[i];
        }
    }
    """
    double dot(int count, const double* x, const double* y) noexcept nogil
    void reflect(int count, const double* v, double tau, double* x, int columns, int width) noexcept nogil

cdef double SAFE_SQUARES = 1e-250  # a sum of squares whose terms count, if they are not below its rounding


cdef double _norm(int count, const double* x) noexcept nogil:
    """Euclidean norm, safe from overflow and underflow of the squares."""
    cdef int i
    cdef double largest = 0.0, total = dot(count, x, x)
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


cdef double _make_reflector(int count, double norm, double* x) noexcept nogil:
    """Turn x, of this norm, into (beta, v[1:]) with H x = (beta, 0, ..., 0); returns tau."""
    cdef int i
    cdef double alpha = x[0], beta
    if norm == 0.0:
        return 0.0
    beta = -norm if alpha >= 0.0 else norm
    for i in range(1, count):
        x[i] /= alpha - beta
    x[0] = beta
    return (beta - alpha) / beta


cdef void _swap_columns(int rows, double* w, int* order, int j, int k) noexcept nogil:
    cdef int i, held = order[j]
    cdef double value
    order[j] = order[k]
    order[k] = held
    for i in range(rows):
        value = w[j * rows + i]
        w[j * rows + i] = w[k * rows + i]
        w[k * rows + i] = value


cdef double _rest_norm(double norm, double gone, double* reference) noexcept nogil:
    """The norm of a column without its first entry; negative where too much of it cancels.

    ``reference`` is the norm when it was last computed from the entries.
    """
    cdef double share
    if norm == 0.0:
        return 0.0
    share = max(0.0, 1.0 - (gone / norm) * (gone / norm))
    if share * norm * norm <= 1e-7 * reference[0] * reference[0]:
        return -1.0
    return norm * sqrt(share)


cdef int _pivoted_qr(int n, double* w, int* order, double* c, double* norm) noexcept nogil:
    """QR with column pivoting of the n x n matrix w; c <- Q^T c; returns the rank.

    ``norm`` (2 n) is scratch: the norms of what is left of the columns, updated, and the
    last ones that were computed from the entries.
    """
    cdef int j, k, best_column
    cdef double best, tau, first = 0.0
    for j in range(n):
        norm[j] = norm[n + j] = _norm(n, w + j * n)
    for k in range(n):
        best = -1.0
        best_column = k
        for j in range(k, n):
            if norm[j] > best:
                best = norm[j]
                best_column = j
        # What decides about the rank is computed, not updated.
        best = _norm(n - k, w + best_column * n + k)
        if k == 0:
            first = best
        if not (best > PIVOT_ROUNDINGS * n * DBL_EPSILON * first):
            return k
        if best_column != k:
            _swap_columns(n, w, order, k, best_column)
            norm[best_column] = norm[k]
            norm[n + best_column] = norm[n + k]
        tau = _make_reflector(n - k, best, w + k * n + k)
        reflect(n - k, w + k * n + k, tau, w + (k + 1) * n + k, n - k - 1, n)
        reflect(n - k, w + k * n + k, tau, c + k, 1, n)
        for j in range(k + 1, n):
            norm[j] = _rest_norm(norm[j], w[j * n + k], &norm[n + j])
            if norm[j] < 0.0:
                norm[j] = norm[n + j] = _norm(n - k - 1, w + j * n + k + 1)
    return n


cdef void _row_space(
    int n, int rank, const double* w, const int* order, const double* column, double* g, double* tau
) noexcept nogil:
    """QR of G^T, where G x = c are the rank equations left by ``_pivoted_qr``, unscaled.

    Row k of G is stored as column k of ``g`` (n x rank); ``tau`` has rank entries.
    """
    cdef int j, k
    for k in range(rank):
        for j in range(n):
            g[k * n + order[j]] = w[j * n + k] / column[order[j]] if j >= k else 0.0
    for k in range(rank):
        tau[k] = _make_reflector(n - k, _norm(n - k, g + k * n + k), g + k * n + k)
        reflect(n - k, g + k * n + k, tau[k], g + (k + 1) * n + k, rank - k - 1, n)


cdef void _shortest(int n, int rank, const double* g, const double* tau, const double* c, double* x) noexcept nogil:
    """The x of least norm with G x = c: x = Q (T^-T c, 0), where G^T = Q (T, 0)."""
    cdef int j, k
    for k in range(n):
        x[k] = c[k] if k < rank else 0.0
    for k in range(rank):
        for j in range(k):
            x[k] -= g[k * n + j] * x[j]
        x[k] /= g[k * n + k]
    for k in range(rank - 1, -1, -1):
        reflect(n - k, g + k * n + k, tau[k], x + k, 1, n)


cdef void _scaled_columns(
    int n, const double* a, int lda, double* row, double* column, double* w, int* order
) noexcept nogil:
    """R A C by columns into w, the scales into ``row`` and ``column``; columns in their own order."""
    cdef int i, j
    equilibrate(n, a, lda, row, column)
    for j in range(n):
        order[j] = j
        column[j] = 1.0 / column[j] if column[j] != 0.0 else 1.0
        for i in range(n):
            w[j * n + i] = row[i] * a[i * lda + j] * column[j]


cdef int numerical_rank(int n, const double* a, int lda, double* work, int* iwork) noexcept nogil:
    cdef double* w = work
    cdef double* row = w + <size_t> n * n
    cdef double* c = row + 2 * n
    _scaled_columns(n, a, lda, row, row + n, w, iwork)
    memset(c, 0, n * sizeof(double))
    return _pivoted_qr(n, w, iwork, c, c + n)


cdef size_t min_norm_work_size(int n) noexcept nogil:
    return 2 * <size_t> n * n + 6 * <size_t> n


cdef int min_norm_solve(
    int n, const double* a, int lda, const double* b, double* x, double* work, int* iwork, double* residual
) noexcept nogil:
    # The rank is decided on the equilibrated matrix R A C (rows, then columns, brought
    # to maximum 1), so that units do not matter. A least norm does depend on the units
    # of x, and it is wanted in those of the caller: hence the surviving equations are
    # written in x again (G x = c, columns divided by C) and the shortest solution is
    # taken there by a second QR. The row scaling R drops out of a consistent system.
    cdef double* w = work
    cdef double* g = w + <size_t> n * n
    cdef double* row = g + <size_t> n * n
    cdef double* column = row + n
    cdef double* c = column + n
    cdef double* tau = c + n
    cdef double* norms = tau + n
    cdef int j, rank
    cdef double size
    _scaled_columns(n, a, lda, row, column, w, iwork)
    for j in range(n):
        c[j] = row[j] * b[j] if row[j] > 0.0 else b[j]
    size = _norm(n, c)
    rank = _pivoted_qr(n, w, iwork, c, norms)
    residual[0] = _norm(n - rank, c + rank) / size if size > 0.0 else 0.0
    _row_space(n, rank, w, iwork, column, g, tau)
    _shortest(n, rank, g, tau, c, x)
    return rank
