"""LU of a block-sparse matrix of symmetric pattern, callable from nogil code.

The matrix has ``n`` block rows and columns of sizes ``size[k]`` (1 to some ten). It is
factored in the order given, without exchanges between block rows, with exchanges inside
each diagonal block: meant for matrices whose symmetric part is positive definite, as
those of contacts are once they are shifted, where no exchanges are needed. A pivot block
that is singular all the same ends the factorisation.

Rows are eliminated one after the other (up-looking), along the elimination tree, so that
the work is that of the nonzero blocks of L and U. Use: ``block_lu_init`` once;
``block_lu_analyse`` whenever the pattern changed (``_block_pattern.pxi``); for each set of values fill the matrix
by ``BlockRows`` and call ``block_lu_factor``; ``block_lu_solve`` any number of times;
``block_lu_free``. Memory grows where it must and is kept.
"""

cdef extern from *:
    """
    #include "nsdgen_dense.h"
    /* Two doubles at a time, wherever they lie; the same memory is read as single doubles, too. */
    typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

    static inline void subtract_row_of_pairs(
        int count, const double *left, const int *column, const double *upper, double *work)
    {
        const double a = left[0], b = left[1], c = left[2], d = left[3];
        for (int k = 0; k < count; k++) {
            const pair first = *(const pair *) (upper + 4 * (size_t) k);
            const pair second = *(const pair *) (upper + 4 * (size_t) k + 2);
            pair *x = (pair *) (work + 4 * (size_t) column[k]);
            x[0] -= a * first + b * second;
            x[1] -= c * first + d * second;
        }
    }

    /* x[own] less the products of `count` blocks, one after the other, with pairs of x. */
    static inline void subtract_pairs(int count, const double *block, const int *column, double *x, int own)
    {
        double first = x[2 * own], second = x[2 * own + 1];
        for (int k = 0; k < count; k++, block += 4) {
            const double *y = x + 2 * column[k];
            first -= block[0] * y[0] + block[1] * y[1];
            second -= block[2] * y[0] + block[3] * y[1];
        }
        x[2 * own] = first, x[2 * own + 1] = second;
    }

    static inline void subtract_two_rows(int n, const double *a, const double *b, double *c)
    {
        int j = 0;
        for (; j + 2 <= n; j += 2) {
            const pair first = *(const pair *) (b + j);
            const pair second = *(const pair *) (b + n + j);
            *(pair *) (c + j) -= a[0] * first + a[1] * second;
            *(pair *) (c + n + j) -= a[2] * first + a[3] * second;
        }
        for (; j < n; j++) {
            const double first = b[j], second = b[n + j];
            c[j] -= a[0] * first + a[1] * second;
            c[n + j] -= a[2] * first + a[3] * second;
        }
    }

    /* c (m x n) -= a (m x k) b (k x n) for a wide n: sums of eight columns of a row, or of two, stay in registers. */
    NSD_ANY_VECTOR
    static void subtract_wide(int m, int k, int n, const double *a, const double *b, double *c)
    {
        for (int i = 0; i < m; i++, a += k, c += n) {
            int j = 0;
            for (; j + 8 <= n; j += 8) {
                nsd_four s = NSD_AT(c, j), t = NSD_AT(c, j + 4);
                const double *x = b + j;
                for (int l = 0; l < k; l++, x += n)
                    if (a[l] != 0.0) {
                        s -= a[l] * NSD_AT(x, 0);
                        t -= a[l] * NSD_AT(x, 4);
                    }
                *(nsd_four *) (c + j) = s;
                *(nsd_four *) (c + j + 4) = t;
            }
            for (; j + 2 <= n; j += 2) {
                pair s = *(const pair *) (c + j);
                const double *x = b + j;
                for (int l = 0; l < k; l++, x += n)
                    if (a[l] != 0.0)
                        s -= a[l] * *(const pair *) x;
                *(pair *) (c + j) = s;
            }
            if (j < n)
                for (int l = 0; l < k; l++)
                    if (a[l] != 0.0)
                        c[j] -= a[l] * b[(size_t) l * n + j];
        }
    }

    /* One step of Gauss and Jordan: all rows but k less their share of row k, which has its pivot 1. */
    static inline __attribute__((always_inline)) void clear_rows(int n, int k, double *a, double *inverse)
    {
        for (int i = 0; i < n; i++) {
            const double value = a[i * n + k];
            if (i == k || value == 0.0)
                continue;
            for (int j = 0; j < n; j++)
                a[i * n + j] -= value * a[k * n + j];
            for (int j = 0; j < n; j++)
                inverse[i * n + j] -= value * inverse[k * n + j];
        }
    }

    static inline void clear_column(int n, int k, double *a, double *inverse)
    {
        switch (n) { /* vector instructions where the size is known */
        case 3: clear_rows(3, k, a, inverse); break;
        case 4: clear_rows(4, k, a, inverse); break;
        case 5: clear_rows(5, k, a, inverse); break;
        case 6: clear_rows(6, k, a, inverse); break;
        default: clear_rows(n, k, a, inverse);
        }
    }
    """
    void clear_column(int n, int k, double *a, double *inverse) noexcept nogil
    void subtract_pairs(int count, const double *block, const int *column, double *x, int own) noexcept nogil
    void subtract_row_of_pairs(
        int count, const double *left, const int *column, const double *upper, double *work
    ) noexcept nogil
    void subtract_wide(int m, int k, int n, const double *a, const double *b, double *c) noexcept nogil
    void subtract_two_rows(int n, const double *a, const double *b, double *c) noexcept nogil

cdef enum:
    WIDE = 6  # columns: up to here their sums stay in registers

cdef double ZERO_PIVOT = 1e-14  # of the largest entry of its block: singular


# ------------------------------------------------------------------------------ numbers


cdef inline void _subtract_product(int m, int k, int n, const double *a, const double *b, double *c) noexcept nogil:
    """c (m x n) -= a (m x k) b (k x n); the small sizes of contacts written out."""
    cdef int i
    if m == 1 and k == 1 and n == 1:
        c[0] -= a[0] * b[0]
        return
    if m == 2 and k == 2 and n == 2:
        c[0] -= a[0] * b[0] + a[1] * b[2]
        c[1] -= a[0] * b[1] + a[1] * b[3]
        c[2] -= a[2] * b[0] + a[3] * b[2]
        c[3] -= a[2] * b[1] + a[3] * b[3]
        return
    if m == 2 and k == 2 and n == 1:
        c[0] -= a[0] * b[0] + a[1] * b[1]
        c[1] -= a[2] * b[0] + a[3] * b[1]
        return
    if m == 2 and k == 2:
        subtract_two_rows(n, a, b, c)
        return
    if k == 3 and n == 1:
        for i in range(m):
            c[i] -= a[3 * i] * b[0] + a[3 * i + 1] * b[1] + a[3 * i + 2] * b[2]
        return
    if k == 3 and n == 3:
        for i in range(m):
            c[0] -= a[0] * b[0] + a[1] * b[3] + a[2] * b[6]
            c[1] -= a[0] * b[1] + a[1] * b[4] + a[2] * b[7]
            c[2] -= a[0] * b[2] + a[1] * b[5] + a[2] * b[8]
            a += 3
            c += 3
        return
    if n > WIDE:
        subtract_wide(m, k, n, a, b, c)
        return
    nsd_block_subtract_product(c, a, m, k, b, n)


cdef inline void _subtract_row(
    int d, int count, const double *left, const int *column, const double *upper, double *work
) noexcept nogil:
    """Blocks ``column`` of ``work`` -= left times a row of U, all d x d: inlined for a d that is known."""
    cdef double a[9]
    cdef double sum[9]
    cdef const double *u
    cdef double *x
    cdef int c, i, j, l
    for i in range(d * d):
        a[i] = left[i]
    for c in range(count):
        u = upper + c * d * d
        x = work + <size_t> d * d * column[c]
        for i in range(d):
            for j in range(d):
                sum[i * d + j] = a[i * d] * u[j]
                for l in range(1, d):
                    sum[i * d + j] += a[i * d + l] * u[l * d + j]
        for i in range(d * d):
            x[i] -= sum[i]


cdef int _invert(
    int n, double *a, double *inverse, const double *unit, double small, bint truncate, int *deficiency
) noexcept nogil:
    """Gauss-Jordan with row exchanges, in the ``unit`` of each row; 1 where a pivot is zero to rounding. ``a`` is lost.

    With ``truncate`` an unknown whose pivot is below ``small`` is left at zero, and its row aside.
    """
    cdef int i, j, k, best
    cdef double largest = 0.0, value
    if n == 1:
        value = fabs(a[0])
        deficiency[0] += value < small
        inverse[0] = 0.0 if truncate and value < small else 1.0 / a[0]
        return inverse[0] - inverse[0] != 0.0
    for i in range(n if unit != NULL else 0):
        for j in range(n):
            a[i * n + j] *= unit[j] / unit[i]
    for i in range(n * n):
        largest = max(largest, fabs(a[i]))
        inverse[i] = 0.0
    for i in range(n):
        inverse[i * n + i] = 1.0
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if fabs(a[i * n + k]) > fabs(a[best * n + k]):
                best = i
        value = fabs(a[best * n + k])
        if value < small:
            deficiency[0] += 1
            if truncate:
                # x_k = 0: its column acts on nothing, and its row asks for nothing.
                for i in range(n):
                    a[i * n + k] = 0.0
                for j in range(n):
                    a[k * n + j] = 0.0
                    inverse[k * n + j] = 0.0
                continue
        if not value > ZERO_PIVOT * largest:
            return 1
        if best != k:
            for j in range(n):
                a[best * n + j], a[k * n + j] = a[k * n + j], a[best * n + j]
                inverse[best * n + j], inverse[k * n + j] = inverse[k * n + j], inverse[best * n + j]
        value = 1.0 / a[k * n + k]
        for j in range(n):
            a[k * n + j] *= value
            inverse[k * n + j] *= value
        clear_column(n, k, a, inverse)
    for i in range(n if unit != NULL else 0):
        for j in range(n):
            inverse[i * n + j] *= unit[i] / unit[j]
    return 0


cdef int block_lu_factor(BlockLU *f, fill_row fill, void *matrix, double small) noexcept nogil:
    cdef int i, j, k, b, c, m, mj, l
    cdef double *x
    cdef double *own
    cdef double *left
    cdef const double *unit
    cdef double *block = f.work + <size_t> f.rows * f.largest
    f.deficiency = 0
    for i in range(f.n):
        m = f.size[i]
        # Row i, spread out over ``work``; only the blocks of its pattern are touched.
        for b in range(f.lower_start[i], f.lower_start[i + 1]):
            j = f.lower[b]
            memset(f.work + m * f.first[j], 0, m * f.size[j] * sizeof(double))
        for b in range(f.upper_start[i], f.upper_start[i + 1]):
            j = f.upper[b]
            memset(f.work + m * f.first[j], 0, m * f.size[j] * sizeof(double))
        own = f.work + m * f.first[i]
        memset(own, 0, m * m * sizeof(double))
        unit = fill(matrix, i, f.work, f.first)
        for b in range(f.lower_start[i], f.lower_start[i + 1]):
            j = f.lower[b]
            mj = f.size[j]
            x = f.work + m * f.first[j]
            left = f.lower_value + f.lower_place[b]
            # L_ij = x_j U_jj^-1, then x_k -= L_ij U_jk beyond it.
            for l in range(m * mj):
                left[l] = 0.0
            _subtract_product(m, mj, mj, x, f.own_value + f.own_place[j], left)
            for l in range(m * mj):
                left[l] = -left[l]
            c = f.upper_start[j]
            l = f.upper_start[j + 1] - c
            if f.even == 1:
                _subtract_row(1, l, left, f.upper + c, f.upper_value + c, f.work)
            elif f.even == 2:
                subtract_row_of_pairs(l, left, f.upper + c, f.upper_value + 4 * <size_t> c, f.work)
            elif f.even == 3:
                _subtract_row(3, l, left, f.upper + c, f.upper_value + 9 * <size_t> c, f.work)
            else:
                for c in range(c, c + l):
                    k = f.upper[c]
                    _subtract_product(m, mj, f.size[k], left, f.upper_value + f.upper_place[c], f.work + m * f.first[k])
        for b in range(f.upper_start[i], f.upper_start[i + 1]):
            j = f.upper[b]
            x = f.work + m * f.first[j]
            left = f.upper_value + f.upper_place[b]
            for l in range(m * f.size[j]):
                left[l] = x[l]
        for l in range(m * m):
            block[l] = own[l]
        if _invert(m, block, f.own_value + f.own_place[i], unit, small, f.truncate, &f.deficiency):
            return i + 1
    return 0


cdef void block_lu_solve(const BlockLU *f, double *x) noexcept nogil:
    if f.even == 2:
        _solve_pairs(f, x)
    else:
        block_lu_solve_many(f, x, 1, 0)


cdef void _solve_pairs(const BlockLU *f, double *x) noexcept nogil:
    """The same where all blocks are 2 x 2."""
    cdef const double *own
    cdef double first, second
    cdef int i, b
    for i in range(f.n):
        b = f.lower_start[i]
        subtract_pairs(f.lower_start[i + 1] - b, f.lower_value + 4 * <size_t> b, f.lower + b, x, i)
    for i in range(f.n - 1, -1, -1):
        b = f.upper_start[i]
        subtract_pairs(f.upper_start[i + 1] - b, f.upper_value + 4 * <size_t> b, f.upper + b, x, i)
        own = f.own_value + 4 * <size_t> i
        first = 0.0 - (own[0] * x[2 * i] + own[1] * x[2 * i + 1])
        second = 0.0 - (own[2] * x[2 * i] + own[3] * x[2 * i + 1])
        x[2 * i], x[2 * i + 1] = -first, -second


cdef void block_lu_solve_many(const BlockLU *f, double *x, int columns, int begin) noexcept nogil:
    cdef double *y = f.work
    cdef int i, b, j, l, m
    for i in range(begin, f.n):
        for b in range(f.lower_start[i], f.lower_start[i + 1]):
            j = f.lower[b]
            if j >= begin:
                _subtract_product(f.size[i], f.size[j], columns, f.lower_value + f.lower_place[b],
                                  x + columns * f.first[j], x + columns * f.first[i])
    for i in range(f.n - 1, -1, -1):
        m = f.size[i]
        for b in range(f.upper_start[i], f.upper_start[i + 1]):
            j = f.upper[b]
            _subtract_product(m, f.size[j], columns, f.upper_value + f.upper_place[b], x + columns * f.first[j],
                              x + columns * f.first[i])
        for l in range(m * columns):
            y[l] = 0.0
        _subtract_product(m, m, columns, f.own_value + f.own_place[i], x + columns * f.first[i], y)
        for l in range(m * columns):
            x[columns * f.first[i] + l] = -y[l]
