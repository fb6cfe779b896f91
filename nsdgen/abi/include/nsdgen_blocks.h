/* nsdgen_blocks.h: products with small dense blocks, row by row.
 *
 * Up to six rows or columns the sums stay in registers: the loops over them are written out, once for each number. Each
 * sum has the order of the plain loops, whatever the size, and zeros on the one side cost nothing (and hide what is not
 * finite on the other), as the loops over k and j say.
 */
#ifndef NSDGEN_BLOCKS_H
#define NSDGEN_BLOCKS_H

#include <math.h>
#include <stddef.h>

#if defined(__GNUC__)
#define NSD_WRITTEN_OUT _Pragma("GCC unroll 6")
#define NSD_IN_PLACE static inline __attribute__((always_inline))
#define NSD_APART __attribute__((noinline, unused))
typedef double nsd_pair __attribute__((vector_size(16), aligned(8), may_alias)); /* neighbours, wherever they lie */
#else
#define NSD_WRITTEN_OUT
#define NSD_IN_PLACE static inline
#define NSD_APART
typedef double nsd_pair;
#endif
enum { NSD_WIDTH = sizeof(nsd_pair) / sizeof(double) };

/* The call with `size` as a constant from 1 to 6; whether it is one of these. */
#define NSD_BY_SIZE(size, call)                                                                                        \
    switch (size) {                                                                                                    \
    case 1: call(1); return;                                                                                           \
    case 2: call(2); return;                                                                                           \
    case 3: call(3); return;                                                                                           \
    case 4: call(4); return;                                                                                           \
    case 5: call(5); return;                                                                                           \
    case 6: call(6); return;                                                                                           \
    }

/* target += left right, or -= where `minus`; the sums of a row lie in registers, two and two. */
NSD_IN_PLACE void nsd_sum_rows(int minus, int cols, double *target, int stride, const double *left, int rows, int inner,
                               const double *right)
{
    const int pairs = cols / NSD_WIDTH;
    for (int i = 0; i < rows; ++i) {
        double *row = target + i * stride, last = 0.0;
        nsd_pair sum[6];
        NSD_WRITTEN_OUT for (int p = 0; p < pairs; ++p)
            sum[p] = ((const nsd_pair *) row)[p];
        if (pairs * NSD_WIDTH < cols)
            last = row[cols - 1];
        const double *x = right;
        for (int k = 0; k < inner; ++k, ++left, x += cols)
            if (*left != 0.0) {
                const double factor = minus ? -*left : *left;
                NSD_WRITTEN_OUT for (int p = 0; p < pairs; ++p)
                    sum[p] += factor * ((const nsd_pair *) x)[p];
                if (pairs * NSD_WIDTH < cols)
                    last += factor * x[cols - 1];
            }
        NSD_WRITTEN_OUT for (int p = 0; p < pairs; ++p)
            ((nsd_pair *) row)[p] = sum[p];
        if (pairs * NSD_WIDTH < cols)
            row[cols - 1] = last;
    }
}

/* target (rows x cols) -= left (rows x inner) right (inner x cols). */
static inline void nsd_block_subtract_product(double *target, const double *left, int rows, int inner,
                                              const double *right, int cols)
{
#define NSD_CALL(n) nsd_sum_rows(1, n, target, n, left, rows, inner, right)
    NSD_BY_SIZE(cols, NSD_CALL)
#undef NSD_CALL
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < inner; ++k) {
            const double factor = left[i * inner + k];
            if (factor != 0.0)
                for (int j = 0; j < cols; ++j)
                    target[i * cols + j] -= factor * right[k * cols + j];
        }
}

/* b := U^-1 L^-1 b with the factors of a matrix (n x n, L with ones), b n x cols, rows exchanged already. */
NSD_IN_PLACE void nsd_substitute_columns(int n, const double *lu, double *b, int cols)
{
    for (int i = 1; i < n; ++i)
        nsd_sum_rows(1, cols, b + i * cols, cols, lu + i * n, 1, i, b);
    for (int i = n - 1; i >= 0; --i) {
        nsd_sum_rows(1, cols, b + i * cols, cols, lu + i * n + i + 1, 1, n - i - 1, b + (i + 1) * cols);
        NSD_WRITTEN_OUT for (int j = 0; j < cols; ++j)
            b[i * cols + j] /= lu[i * n + i];
    }
}

/* The same for a number of columns that is not known when this is compiled; whether it is one of these. */
static inline int nsd_block_substitute(int n, const double *lu, double *b, int cols)
{
    switch (cols) {
    case 2: nsd_substitute_columns(n, lu, b, 2); return 1;
    case 3: nsd_substitute_columns(n, lu, b, 3); return 1;
    case 4: nsd_substitute_columns(n, lu, b, 4); return 1;
    case 5: nsd_substitute_columns(n, lu, b, 5); return 1;
    case 6: nsd_substitute_columns(n, lu, b, 6); return 1;
    default: return 0;
    }
}

/* target += left right; `left` is rows x inner, `right` inner x cols, rows of `target` `stride` apart. */
static inline void nsd_block_product(double *target, int stride, const double *left, int rows, int inner,
                                     const double *right, int cols)
{
#define NSD_CALL(n) nsd_sum_rows(0, n, target, stride, left, rows, inner, right)
    NSD_BY_SIZE(cols, NSD_CALL)
#undef NSD_CALL
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < inner; ++k) {
            const double factor = left[i * inner + k];
            if (factor != 0.0)
                for (int j = 0; j < cols; ++j)
                    target[i * stride + j] += factor * right[k * cols + j];
        }
}

/* Column by column, so that the sums of the rows do not wait for each other. */
NSD_IN_PLACE void nsd_add_terms(int rows, int cols, const double *block, const double *z, double *y, double *size)
{
    double sum[6], terms[6];
    NSD_WRITTEN_OUT for (int i = 0; i < rows; ++i) {
        sum[i] = y[i];
        terms[i] = size[i];
    }
    for (int j = 0; j < cols; ++j)
        if (z[j] != 0.0)
            NSD_WRITTEN_OUT for (int i = 0; i < rows; ++i) {
                const double term = block[i * cols + j] * z[j];
                sum[i] += term;
                terms[i] += fabs(term);
            }
    NSD_WRITTEN_OUT for (int i = 0; i < rows; ++i) {
        y[i] = sum[i];
        size[i] = terms[i];
    }
}

/* y += block z (rows x cols), and the sizes of its terms are added to `size`. */
static inline void nsd_block_terms(int rows, int cols, const double *block, const double *z, double *y, double *size)
{
#define NSD_CALL(n) nsd_add_terms(n, cols, block, z, y, size)
    NSD_BY_SIZE(rows, NSD_CALL)
#undef NSD_CALL
    for (int j = 0; j < cols; ++j)
        for (int i = 0; i < rows && z[j] != 0.0; ++i) {
            const double term = block[i * cols + j] * z[j];
            y[i] += term;
            size[i] += fabs(term);
        }
}

/* The same for all blocks of two rows that lie one after the other, of `count` nodes with two rows each, from row[column]
 * of z on: sums stay in registers from block to block. */
static inline void nsd_pairs_terms(int count, const int *column, const int *row, const double *block, const double *z,
                                   double *y, double *size)
{
    double y0 = y[0], y1 = y[1], size0 = size[0], size1 = size[1];
    for (int c = 0; c < count; ++c, block += 4) {
        const double *x = z + row[column[c]];
        for (int j = 0; j < 2; ++j)
            if (x[j] != 0.0) {
                const double first = block[j] * x[j], second = block[2 + j] * x[j];
                y0 += first;
                y1 += second;
                size0 += fabs(first);
                size1 += fabs(second);
            }
    }
    y[0] = y0, y[1] = y1, size[0] = size0, size[1] = size1;
}

/* What is added to a row: the negative of its product with z, zeros of z left out or not, or the sizes of its terms. */
enum { NSD_LESS, NSD_LESS_ALL, NSD_SIZES };

NSD_IN_PLACE void nsd_sum_terms(int what, int rows, int cols, const double *block, const double *z, double *y)
{
    double sum[6];
    NSD_WRITTEN_OUT for (int i = 0; i < rows; ++i)
        sum[i] = y[i];
    for (int j = 0; j < cols; ++j)
        if (what != NSD_LESS || z[j] != 0.0)
            NSD_WRITTEN_OUT for (int i = 0; i < rows; ++i)
                sum[i] += what == NSD_SIZES ? fabs(block[i * cols + j]) * z[j] : -(block[i * cols + j] * z[j]);
    NSD_WRITTEN_OUT for (int i = 0; i < rows; ++i)
        y[i] = sum[i];
}

NSD_IN_PLACE void nsd_sum_all_terms(int what, int rows, int cols, const double *block, const double *z, double *y)
{
    for (; rows > 6; rows -= 6, block += 6 * cols, y += 6)
        nsd_sum_terms(what, 6, cols, block, z, y);
#define NSD_CALL(n) nsd_sum_terms(what, n, cols, block, z, y)
    NSD_BY_SIZE(rows, NSD_CALL)
#undef NSD_CALL
}

static NSD_APART void nsd_subtract_terms(int rows, int cols, const double *block, const double *z, double *y)
{
    nsd_sum_all_terms(NSD_LESS, rows, cols, block, z, y);
}

static NSD_APART void nsd_subtract_all_terms(int rows, int cols, const double *block, const double *z, double *y)
{
    nsd_sum_all_terms(NSD_LESS_ALL, rows, cols, block, z, y);
}

/* y -= block z (rows x cols); a block of one entry costs no call. */
NSD_IN_PLACE void nsd_block_subtract(int rows, int cols, const double *block, const double *z, double *y)
{
    if (rows != 1 || cols != 1)
        nsd_subtract_terms(rows, cols, block, z, y);
    else if (*z != 0.0)
        *y -= *block * *z;
}

/* The same with every entry of z, so that what is not finite shows. */
NSD_IN_PLACE void nsd_block_subtract_all(int rows, int cols, const double *block, const double *z, double *y)
{
    if (rows != 1 || cols != 1)
        nsd_subtract_all_terms(rows, cols, block, z, y);
    else
        *y -= *block * *z;
}

/* size += |block| z. */
static inline void nsd_block_sizes(int rows, int cols, const double *block, const double *z, double *size)
{
    nsd_sum_all_terms(NSD_SIZES, rows, cols, block, z, size);
}

#endif
