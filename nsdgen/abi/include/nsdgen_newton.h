/* nsdgen_newton.h: the arithmetic of Newton's method in fused steps: the change of multipliers, and the test.
 *
 * The same operations in the same order as the general stepper (_assembly.pxi, _measure.pxi).
 */
#ifndef NSDGEN_NEWTON_H
#define NSDGEN_NEWTON_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Terms that are nothing beside the others of a stage, the largest of which is given: a row of what rests may have only
 * such. 1e-305: terms that are rounded like subnormal numbers; 1e-40: what solving all rows at once leaves in those that
 * vanish. The general stepper (_measure.pxi) calls this function, too.
 */
static inline double nsd_nothing(double largest)
{
    return 1e-305 + 1e-40 * largest;
}

/* b -= A z, A n x n, column by column: the problem is about multipliers, not about their changes. */
static inline void nsd_subtract_columns(int n, const double *a, const double *z, double *b)
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n && z[j] != 0; ++i)
            b[i] -= a[i * n + j] * z[j];
}

/* The larger of `largest` and the scales of n rows that are finite. */
static inline double nsd_largest(int n, const double *scale, double largest)
{
    for (int i = 0; i < n; ++i)
        largest = largest < scale[i] && scale[i] < INFINITY ? scale[i] : largest;
    return largest;
}

/* The worse of two rows: `worst`, and one of this size beside its scale. What is no number is worse than all. */
static inline double nsd_worse(double worst, double row, double scale, double least)
{
    double value;
    if (row == 0)
        return worst;
    value = scale > 0 ? row / (scale + least) : row;
    if (value != value || scale != scale)
        return INFINITY;
    return value > worst ? value : worst;
}

/* The power of two below |x|, beside 2^-1023: 0 for x = 0. */
static inline int nsd_exponent(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52 & 2047);
}

/* Of `from`, from which each of n unknowns was reached last: whether some reach each other in a cycle. These get for
 * their own rows and pivots those by which they were reached. `seen`: the walk in which each was met. */
static inline int nsd_exchange_cycles(int n, const int *from, const int *by_row, const int *by_pivot, int *seen,
                                      int *pivot, int *owner)
{
    int found = 0;
    memset(seen, 0, n * sizeof(int));
    for (int first = 0; first < n; ++first) {
        int at = first;
        while (at >= 0 && !seen[at]) {
            seen[at] = first + 1;
            at = from[at];
        }
        for (; at >= 0 && seen[at] == first + 1; at = from[at]) {
            seen[at] = n + 1;
            pivot[at] = by_pivot[at];
            owner[by_row[at]] = at;
            found = 1;
        }
    }
    return found;
}

/* `resolved`, what the terms of the rows of W (n x n: row, col, value, or by rows where row is NULL) are as changes of the
 * unknowns on its diagonal, where equations were exchanged: there it is the terms, `scale`, of the row that an unknown
 * takes. These are unknowns in a cycle whose entries W_ij are 2^7 times those of the diagonal W_jj in the geometric mean,
 * to a factor of two. No units enter; where W is symmetric and definite the mean is at most 1. A cycle is where the
 * longest of all ways, in powers of two, grow without end (Bellman and Ford); its rows are then exchanged and the rest
 * asked again. work: 7 n. */
static inline void nsd_resolve_exchanged(int n, int nnz, const int32_t *row, const int32_t *col, const double *value,
                                         const double *scale, int *work, double *resolved)
{
    int *const pivot = work, *const way = work + n, *const from = work + 2 * n, *const owner = work + 3 * n;
    int *const by_row = work + 4 * n, *const by_pivot = work + 5 * n;
    int longer = 1, i, j, k;
    memset(pivot, 0, n * sizeof(int));
    for (k = 0; k < nnz; ++k)
        if (row ? row[k] == col[k] : k % (n + 1) == 0)
            pivot[row ? row[k] : k / (n + 1)] = nsd_exponent(value[k]);
    for (j = 0; j < n; ++j) {
        way[j] = 0;
        from[j] = -1;
        owner[j] = j;
    }
    while (longer) {
        longer = 0;
        for (k = i = j = 0; k < nnz; ++k, j = j + 1 < n ? j + 1 : (++i, 0)) {
            const int r = row ? row[k] : i, c = row ? col[k] : j, size = nsd_exponent(value[k]);
            if (owner[r] != c && value[k] != 0 && way[owner[r]] + size - pivot[c] - 7 > way[c]) {
                way[c] = way[owner[r]] + size - pivot[c] - 7;
                from[c] = owner[r];
                by_row[c] = r;
                by_pivot[c] = size;
                longer = 1;
            }
        }
        if (longer && nsd_exchange_cycles(n, from, by_row, by_pivot, work + 6 * n, pivot, owner)) {
            memset(way, 0, n * sizeof(int));
            memset(from, -1, n * sizeof(int));
        }
    }
    for (k = i = j = 0; k < nnz; ++k, j = j + 1 < n ? j + 1 : (++i, 0)) {
        const int r = row ? row[k] : i, c = row ? col[k] : j;
        if (owner[r] == c && r != c)
            resolved[c] = value[k] != 0 && scale[r] / fabs(value[k]) < INFINITY ? scale[r] / fabs(value[k]) : 0.0;
    }
}

/* The same of a fused step, W by rows. */
static inline void nsd_resolve_exchanged_rows(int n, const double *w, const double *scale, double *resolved)
{
    int work[7 * n];
    nsd_resolve_exchanged(n, n * n, NULL, NULL, w, scale, work, resolved);
}

/* The sizes of the terms of a row of y; what is no number is larger than all. */
static inline double nsd_terms(double own, double resolved)
{
    const double size = own + resolved;
    return size != size ? INFINITY : fmax(size, 0.0);
}

/* The natural map of an equality (0), complementarity (1) or box row (2); `scale` grows by the terms that it compares.
 * `diagonal` is the row's entry on the diagonal of A. */
static inline double nsd_natural(int cone, const double *bound, double diagonal, double z, double y, double *scale)
{
    if (cone == 0)
        return fabs(y);
    if (cone == 1) {
        if (diagonal > 0) {
            double reach = diagonal * z;
            *scale += fabs(reach);
            return fabs(fmin(reach, y));
        }
        if (z > 0)
            return fabs(y);
        return z == 0 ? fabs(fmin(y, 0.0)) : fabs(y) + *scale;
    }
    diagonal = fabs(diagonal) > 0.0 ? fabs(diagonal) : 1.0;
    *scale += diagonal * fabs(z);
    return diagonal * fabs(z - fmax(bound[0], fmin(bound[1], z - y / diagonal)));
}

/* The norm of n entries; infinite where one is no number. */
static inline double nsd_norm(int n, const double *r)
{
    double norm = 0.0;
    for (int j = 0; j < n; ++j)
        norm = hypot(norm, r[j]);
    return norm != norm ? INFINITY : norm;
}

#endif /* nsdgen_newton.h */
