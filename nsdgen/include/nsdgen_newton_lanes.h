/* nsdgen_newton_lanes.h: the arithmetic of nsdgen_newton.h and the factors of nsdgen_step.h, one member in each lane.
 *
 * The same operations in the same order in every lane; what a number decides there, a mask decides here. Needs
 * nsdgen_step.h and nsdgen_lanes.h.
 */
#ifndef NSDGEN_NEWTON_LANES_H
#define NSDGEN_NEWTON_LANES_H

static inline nsd_lanes nsd_lanes_abs(nsd_lanes x) { return (nsd_lanes)((nsd_mask)x & INT64_MAX); }

/* fmin and fmax, which ignore what is no number. */
static inline nsd_lanes nsd_lanes_least(nsd_lanes x, nsd_lanes y)
{
    return nsd_pick_lanes((x < y) | (y != y), x, y);
}

static inline nsd_lanes nsd_lanes_most(nsd_lanes x, nsd_lanes y)
{
    return nsd_pick_lanes((x > y) | (y != y), x, y);
}

/* nsd_finite: in which lanes n numbers are finite. */
static inline nsd_mask nsd_lanes_finite(int n, const nsd_lanes *x)
{
    nsd_lanes all = {0};
    for (int i = 0; i < n; ++i)
        all += x[i] - x[i];
    return all == 0.0;
}

/* Rows i and k of a (cols wide) exchanged in the lanes of the mask. */
static inline void nsd_lanes_exchange(nsd_mask turn, int cols, nsd_lanes *a, int i, int k)
{
    for (int j = 0; j < cols; ++j) {
        const nsd_lanes held = a[i * cols + j];
        a[i * cols + j] = nsd_pick_lanes(turn, a[k * cols + j], held);
        a[k * cols + j] = nsd_pick_lanes(turn, held, a[k * cols + j]);
    }
}

/* nsd_factor: P L U of a (n x n) in place; in which lanes it is regular. */
static inline nsd_mask nsd_lanes_factor(int n, nsd_lanes *a, nsd_mask *pivot)
{
    nsd_lanes row[NSD_ROWS], column[NSD_ROWS] = {{0}};
    nsd_mask regular = ~(nsd_mask){0};
    if (n == 1) {
        pivot[0] = (nsd_mask){0};
        return (a[0] != 0.0) & (a[0] - a[0] == 0.0);
    }
    for (int i = 0; i < n; ++i) {
        nsd_lanes largest = {0};
        for (int j = 0; j < n; ++j) {
            const nsd_lanes size = nsd_lanes_abs(a[i * n + j]);
            largest = nsd_pick_lanes(size > largest, size, largest);
        }
        row[i] = nsd_pick_lanes(largest > 0.0, 1.0 / largest, nsd_all(0.0));
        for (int j = 0; j < n; ++j) {
            const nsd_lanes share = nsd_lanes_abs(a[i * n + j]) * row[i];
            column[j] = nsd_pick_lanes(share > column[j], share, column[j]);
        }
    }
    for (int k = 0; k < n; ++k) {
        nsd_lanes best = nsd_all(-1.0);
        pivot[k] = (nsd_mask){0} + k;
        for (int i = k; i < n; ++i) {
            const nsd_lanes share = nsd_lanes_abs(a[i * n + k]) * row[i];
            const nsd_mask better = share > best;
            best = nsd_pick_lanes(better, share, best);
            pivot[k] = (better & i) | (~better & pivot[k]);
        }
        regular &= best > 64 * n * DBL_EPSILON * column[k];
        for (int i = k + 1; i < n; ++i) {
            const nsd_mask turn = pivot[k] == i;
            if (nsd_any(turn)) {
                nsd_lanes_exchange(turn, n, a, k, i);
                row[i] = nsd_pick_lanes(turn, row[k], row[i]);
            }
        }
        for (int i = k + 1; i < n; ++i) {
            const nsd_mask acts = a[i * n + k] != 0.0;
            a[i * n + k] = nsd_pick_lanes(acts, a[i * n + k] / a[k * n + k], a[i * n + k]);
            for (int j = k + 1; j < n; ++j)
                a[i * n + j] = nsd_pick_lanes(acts, a[i * n + j] - a[i * n + k] * a[k * n + j], a[i * n + j]);
        }
    }
    return regular;
}

/* nsd_solve_columns: b := A^-1 b for the columns of b (n x cols), from the factors of A. */
static inline void nsd_lanes_solve_columns(int n, const nsd_lanes *lu, const nsd_mask *pivot, nsd_lanes *b, int cols)
{
    for (int i = 0; i < n - 1; ++i)
        for (int k = i + 1; k < n; ++k)
            nsd_lanes_exchange(pivot[i] == k, cols, b, i, k);
    for (int i = 1; i < n; ++i)
        for (int k = 0; k < i; ++k)
            for (int j = 0; j < cols; ++j)
                b[i * cols + j] -= lu[i * n + k] * b[k * cols + j];
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k)
            for (int j = 0; j < cols; ++j)
                b[i * cols + j] -= lu[i * n + k] * b[k * cols + j];
        for (int j = 0; j < cols; ++j)
            b[i * cols + j] /= lu[i * n + i];
    }
}

/* nsd_add_product: target += left right; what is multiplied by zero is left out. */
static inline void nsd_lanes_add_product(nsd_lanes *target, int stride, const nsd_lanes *left, int rows, int inner,
                                         const nsd_lanes *right, int cols)
{
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < inner; ++k) {
            const nsd_mask acts = left[i * inner + k] != 0.0;
            for (int j = 0; j < cols; ++j)
                target[i * stride + j] = nsd_pick_lanes(
                    acts, target[i * stride + j] + left[i * inner + k] * right[k * cols + j], target[i * stride + j]);
        }
}

/* nsd_subtract_columns: b -= A z, A n x n, column by column; rows that are not in play have z = 0. */
static inline void nsd_lanes_subtract_columns(int n, const nsd_lanes *a, const nsd_lanes *z, nsd_lanes *b)
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            b[i] = nsd_pick_lanes(z[j] != 0.0, b[i] - a[i * n + j] * z[j], b[i]);
}

/* nsd_largest: the larger of `largest` and the scales of n rows that are finite. */
static inline nsd_lanes nsd_lanes_largest(int n, const nsd_lanes *scale, nsd_lanes largest)
{
    for (int i = 0; i < n; ++i)
        largest = nsd_pick_lanes((largest < scale[i]) & (scale[i] < INFINITY), scale[i], largest);
    return largest;
}

/* nsd_nothing. */
static inline nsd_lanes nsd_lanes_nothing(nsd_lanes largest) { return 1e-305 + 1e-40 * largest; }

/* nsd_worse: the worse of two rows, in the lanes of the mask. */
static inline nsd_lanes nsd_lanes_worse(nsd_mask m, nsd_lanes worst, nsd_lanes row, nsd_lanes scale, nsd_lanes least)
{
    const nsd_lanes value = nsd_pick_lanes(scale > 0.0, row / (scale + least), row);
    const nsd_mask odd = (value != value) | (scale != scale);
    return nsd_pick_lanes(m & (row != 0.0) & (odd | (value > worst)), nsd_pick_lanes(odd, nsd_all(INFINITY), value), worst);
}

/* nsd_terms: the sizes of the terms of a row of y; what is no number is larger than all. */
static inline nsd_lanes nsd_lanes_terms(nsd_lanes own, nsd_lanes resolved)
{
    const nsd_lanes size = own + resolved;
    return nsd_pick_lanes(size != size, nsd_all(INFINITY), nsd_lanes_most(size, nsd_all(0.0)));
}

/* nsd_natural: the natural map of an equality (0), complementarity (1) or box row (2). */
static inline nsd_lanes nsd_lanes_natural(int cone, const nsd_lanes *bound, nsd_lanes diagonal, nsd_lanes z, nsd_lanes y,
                                          nsd_lanes *scale)
{
    const nsd_lanes zero = {0};
    if (cone == 0)
        return nsd_lanes_abs(y);
    if (cone == 1) {
        const nsd_lanes reach = diagonal * z;
        const nsd_lanes open = nsd_pick_lanes(z == 0.0, nsd_lanes_abs(nsd_lanes_least(y, zero)), nsd_lanes_abs(y) + *scale);
        const nsd_lanes flat = nsd_pick_lanes(z > 0.0, nsd_lanes_abs(y), open);
        const nsd_lanes steep = nsd_lanes_abs(nsd_lanes_least(reach, y));
        *scale = nsd_pick_lanes(diagonal > 0.0, *scale + nsd_lanes_abs(reach), *scale);
        return nsd_pick_lanes(diagonal > 0.0, steep, flat);
    }
    diagonal = nsd_pick_lanes(nsd_lanes_abs(diagonal) > 0.0, nsd_lanes_abs(diagonal), nsd_all(1.0));
    *scale += diagonal * nsd_lanes_abs(z);
    return diagonal * nsd_lanes_abs(z - nsd_lanes_most(bound[0], nsd_lanes_least(bound[1], z - y / diagonal)));
}

/* nsd_norm: the norm of n entries; infinite where one is no number. */
static inline nsd_lanes nsd_lanes_norm(nsd_mask m, int n, const nsd_lanes *r)
{
    nsd_lanes norm = {0};
    for (int j = 0; j < n; ++j)
        NSD_EACH_LANE if (m[lane]) norm[lane] = hypot(norm[lane], r[j][lane]);
    return nsd_pick_lanes(norm != norm, nsd_all(INFINITY), norm);
}

/* z in the cones (0 equality, 1 complementarity) with y = A z + b (A is rows x rows), of the rows that are in play in a
 * lane, from the guess in z: lane by lane, as fused steps solve it. In which lanes it is decided. */
static nsd_mask nsd_lanes_active_set(int rows, const nsd_lanes *a, const nsd_lanes *b, const int *cone,
                                     const nsd_mask *in_play, nsd_lanes *z)
{
    nsd_mask decided = {0};
    NSD_EACH_LANE
    {
        double own[NSD_ROWS * NSD_ROWS], right[NSD_ROWS], found[NSD_ROWS];
        int row[NSD_ROWS], own_cone[NSD_ROWS], n = 0, good = 1;
        nsd_memory memory;
        for (int i = 0; i < rows; ++i)
            if (in_play[i][lane])
                row[n++] = i;
        for (int i = 0; i < n; ++i) {
            right[i] = b[row[i]][lane];
            found[i] = z[row[i]][lane];
            own_cone[i] = cone[row[i]];
            for (int j = 0; j < n; ++j)
                own[i * n + j] = a[row[i] * rows + row[j]][lane];
        }
        memory.factored = 0;
        if (n == 1)
            good = nsd_one_row(own[0], right[0], own_cone[0], found);
        else if (n)
            good = nsd_active_set(n, own, right, own_cone, found, &memory) == 1;
        for (int i = 0; i < n; ++i)
            z[row[i]][lane] = found[i];
        decided[lane] = -(int64_t)good;
    }
    return decided;
}

#endif
