"""Least-norm solutions of small dense systems, and ranks, callable from nogil code.

Matrices are row-major. Scales do not matter to the rank: multiplying a row or a column by a power
of two changes no decision.
"""

# Rows lie ``stride`` apart, with the right-hand side as column n and zeros behind it: passes over them take four
# columns at a time. Reflectors are H = I - tau v v^T.

cdef extern from *:
    """
    #include "nsdgen_blocks.h"
    #include "nsdgen_dense.h"
    enum { UNASKED_ROWS = 128 }; /* up to so many a factor takes a millisecond or two, and nobody asks whether to end */
    static const double SAFE_SQUARES = 1e-250; /* a sum whose terms all count, those below its rounding apart */

    static double least_norm_length(int n, const double *x)
    {
        double total = 0.0, largest = 0.0;
        int i;
        for (i = 0; i < n; ++i)
            total += x[i] * x[i];
        if (SAFE_SQUARES <= total && total <= 1.0 / SAFE_SQUARES)
            return sqrt(total);
        for (i = 0; i < n; ++i)
            largest = NSD_MORE(fabs(x[i]), largest);
        for (i = 0, total = 0.0; i < n && largest > 0.0; ++i)
            total += (x[i] / largest) * (x[i] / largest);
        return largest * sqrt(total);
    }

    /* (pivot, rest) <- H (pivot, rest), v being 1 at the pivot. */
    NSD_IN_PLACE void least_norm_reflect(int width, const double *v, double tau, double *pivot, double *rest)
    {
        nsd_four sum = {0};
        double total;
        int j;
        for (j = 0; j < width; j += 4)
            sum += NSD_AT(v, j) * NSD_AT(rest, j);
        total = tau * (*pivot + NSD_JOIN(sum));
        *pivot -= total;
        for (j = 0; j < width; j += 4)
            *(nsd_four *)(rest + j) -= total * NSD_AT(v, j);
    }

    /* A row of w: factor times n entries of a times those of column, `last` behind them. */
    NSD_ANY_VECTOR
    static void least_norm_row(int n, int stride, const double *a, double factor, const double *column, double last,
                               double *w)
    {
        int j = 0;
        for (; j + 4 <= n; j += 4)
            *(nsd_four *)(w + j) = factor * NSD_AT(a, j) * NSD_AT(column, j);
        for (; j < n; ++j)
            w[j] = factor * a[j] * column[j];
        for (w[j++] = last; j < stride; ++j)
            w[j] = 0.0;
    }

    /* QR with column pivoting of w in place, the right-hand side with it; the rank. Pivots up to `least` of the first
     * are zero. Columns stay where they are, order says which is the k-th; square (stride) and v (n) are scratch.
     * Where it is to end, what it returns means nothing. */
    NSD_ANY_VECTOR
    static int least_norm_qr(int n, int stride, double least, double *w, int *order, double *square, double *v,
                             int (*ends)(void))
    {
        double first = 0.0;
        int i, j, k;
        for (j = 0; j < stride; j += 4) {
            const double *at = w + j;
            nsd_four sum = {0};
            for (i = 0; i < n; ++i, at += stride)
                sum += NSD_AT(at, 0) * NSD_AT(at, 0);
            *(nsd_four *)(square + j) = sum;
        }
        for (k = 0; k < n; ++k) {
            double *own = w + (size_t)k * stride, *at, most, beta, tau;
            int best = k, column;
            for (j = k + 1; j < n; ++j)
                if (square[order[j]] > square[order[best]])
                    best = j;
            column = order[best], order[best] = order[k], order[k] = column;
            most = sqrt(square[column]);
            first = k == 0 ? most : first;
            if (!(most > least * first) || (n > UNASKED_ROWS && ends())) /* also where it is no number */
                return k;
            beta = own[column] >= 0.0 ? -most : most;
            tau = 1.0 / (beta * (beta - own[column]));
            v[k] = own[column] - beta;
            for (i = k + 1, at = own + stride + column; i < n; ++i, at += stride)
                v[i] = *at;
            for (j = 0; j < stride; j += 4) {
                nsd_four total = {0}, sum = {0};
                for (i = k + 1, at = own + stride + j; i < n; ++i, at += stride)
                    total += v[i] * NSD_AT(at, 0);
                total = tau * (total + v[k] * NSD_AT(own, j));
                *(nsd_four *)(own + j) -= v[k] * total;
                for (i = k + 1, at = own + stride + j; i < n; ++i, at += stride) {
                    nsd_four x = NSD_AT(at, 0) - v[i] * total;
                    *(nsd_four *)at = x;
                    sum += x * x;
                }
                *(nsd_four *)(square + j) = sum; /* computed anew: the rank hangs on it */
            }
        }
        return n;
    }

    /* The x of least norm with G x = c, the `rank` equations that least_norm_qr left, for columns times scale.
     * Reflectors from the right take what a row has behind the triangle T into its pivot: (T, 0) Z x = c. Scratch: rank
     * rows of rank for the triangle, rank + 1 of n - rank and up to three more for the rest, n for tau and y. */
    NSD_ANY_VECTOR
    static void least_norm_shortest(int n, int rank, int stride, const double *g, const int *order, const double *scale,
                                    double *triangle, double *rest, double *tau, double *y, double *x)
    {
        const int behind = n - rank, width = (behind + 3) & ~3;
        double *end = rest + (size_t)rank * width; /* of y, as a row of rest */
        int i, j, k;
        for (k = rank - 1; k >= 0; --k) {
            const double *row = g + (size_t)k * stride;
            double *own = triangle + (size_t)k * rank, *v = rest + (size_t)k * width;
            for (j = k; j < rank; ++j)
                own[j] = row[order[j]] * scale[order[j]];
            for (j = 0; j < behind; ++j)
                v[j] = row[order[rank + j]] * scale[order[rank + j]];
            for (; j < width; ++j)
                v[j] = 0.0;
        }
        for (k = rank - 1; k >= 0 && behind; --k) {
            double *own = triangle + (size_t)k * (rank + 1), *at = own, *v = rest + (size_t)k * width, total, beta;
            nsd_four sum = {0};
            for (j = 0; j < width; j += 4)
                sum += NSD_AT(v, j) * NSD_AT(v, j);
            total = *own * *own + NSD_JOIN(sum);
            beta = SAFE_SQUARES <= total && total <= 1.0 / SAFE_SQUARES ? sqrt(total)
                                                                        : hypot(*own, least_norm_length(behind, v));
            beta = *own >= 0.0 ? -beta : beta;
            tau[k] = (beta - *own) / beta;
            for (j = 0; j < width; j += 4)
                *(nsd_four *)(v + j) /= *own - beta;
            *own = beta;
            for (i = k - 1; i >= 0; --i)
                least_norm_reflect(width, v, tau[k], at -= rank, rest + (size_t)i * width);
        }
        for (k = rank - 1; k >= 0; --k) {
            const double *own = triangle + (size_t)k * rank;
            double total = g[(size_t)k * stride + n];
            for (j = rank - 1; j > k; --j)
                total -= own[j] * y[j];
            y[k] = total / own[k];
        }
        for (j = 0; j < width; ++j)
            end[j] = 0.0;
        for (k = 0; k < rank && behind; ++k)
            least_norm_reflect(width, rest + (size_t)k * width, tau[k], y + k, end);
        for (k = 0; k < rank; ++k)
            x[order[k]] = y[k];
        for (j = 0; j < behind; ++j)
            x[order[rank + j]] = end[j];
    }
    """
    double least_norm_length(int n, const double* x) noexcept nogil
    void least_norm_row(int n, int stride, const double* a, double factor, const double* column, double last,
                        double* w) noexcept nogil
    int least_norm_qr(int n, int stride, double least, double* w, int* order, double* square, double* v,
                      bint (*ends)() noexcept nogil) noexcept nogil
    void least_norm_shortest(int n, int rank, int stride, const double* g, const int* order, const double* scale,
                             double* triangle, double* rest, double* tau, double* y, double* x) noexcept nogil


cdef struct MinNorm:
    # One system: its rows, the order of its columns, 1 / C, and scratch of a row and of more.
    int n, stride
    int* order
    double* w
    double* scale
    double* square
    double* v
    double* right  # the right-hand side, which is in the rows, too
    double* more


cdef size_t min_norm_work_size(int n) noexcept nogil:
    cdef size_t stride = (n + 4) & ~3
    return (2 * n + 8) * stride


cdef MinNorm _equilibrated(int n, const double* a, int lda, const double* b, double* work, int* iwork) noexcept nogil:
    """R (A C, b), R and C the reciprocal maxima of rows and then of columns; 0 for b where it is NULL."""
    cdef MinNorm m
    cdef double* row
    cdef int i, j
    m.n, m.stride, m.order = n, (n + 4) & ~3, iwork
    m.w = work
    m.scale = m.w + <size_t> n * m.stride
    m.square = m.scale + m.stride
    m.v = m.square + m.stride
    m.right = m.v + m.stride
    m.more = m.right + m.stride
    row = m.v
    equilibrate(n, a, lda, row, m.scale)
    for j in range(n):
        m.order[j] = j
        m.scale[j] = m.scale[j] if m.scale[j] != 0.0 else 1.0
        m.square[j] = 1.0 / m.scale[j]
    for i in range(n):
        m.right[i] = 0.0 if b == NULL else row[i] * b[i] if row[i] > 0.0 else b[i]
        least_norm_row(n, m.stride, a + <size_t> i * lda, row[i], m.square, m.right[i], m.w + <size_t> i * m.stride)
    return m


cdef int _rank(const MinNorm* m) noexcept nogil:
    return least_norm_qr(m.n, m.stride, PIVOT_ROUNDINGS * m.n * DBL_EPSILON, m.w, m.order, m.square, m.v, interrupted)


cdef int numerical_rank(int n, const double* a, int lda, double* work, int* iwork) noexcept nogil:
    cdef MinNorm m = _equilibrated(n, a, lda, NULL, work, iwork)
    return _rank(&m)


cdef int min_norm_solve(
    int n, const double* a, int lda, const double* b, double* x, double* work, int* iwork, double* residual
) noexcept nogil:
    # The rank is decided on the equilibrated matrix R A C (rows, then columns, brought
    # to maximum 1), so that units do not matter. A least norm does depend on the units
    # of x, and it is wanted in those of the caller: hence the surviving equations are
    # written in x again (G x = c, columns divided by C) and the shortest solution is
    # taken there. The row scaling R drops out of a consistent system.
    cdef MinNorm m = _equilibrated(n, a, lda, b, work, iwork)
    cdef double size = least_norm_length(n, m.right)
    cdef int i, rank = _rank(&m)
    for i in range(rank, n):
        m.right[i] = m.w[<size_t> i * m.stride + n]
    residual[0] = least_norm_length(n - rank, m.right + rank) / size if size > 0.0 else 0.0
    least_norm_shortest(
        n, rank, m.stride, m.w, m.order, m.scale, m.more, m.more + <size_t> rank * rank, m.v, m.square, x
    )
    return rank
