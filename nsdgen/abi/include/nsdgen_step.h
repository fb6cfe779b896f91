/* nsdgen_step.h: the arithmetic of fused steps: small dense factors, and the one-step problem of few rows.
 *
 * The same operations in the same order as nsdgen's own solvers (_dense_lu.pxi, _mlcp.pxi, _active_set.pxi), so that
 * a fused step has the bits of the general one. What is not the ordinary case (a singular matrix, a solution that
 * may not be the only one, a failure) is not decided here: a function then says 0, and the general stepper makes the step.
 */
#ifndef NSDGEN_STEP_H
#define NSDGEN_STEP_H

#include <float.h>
#include <math.h>

#if defined(__GNUC__)
#define NSD_UNROLL _Pragma("GCC unroll 8")
#define NSD_RARE __attribute__((noinline, cold))
#define NSD_ALWAYS __attribute__((always_inline))
#else
#define NSD_UNROLL
#define NSD_RARE
#define NSD_ALWAYS
#endif

/* b := A^-1 b from the factors of A (n x n), rows exchanged as `pivot` says. With n written out, b stays in registers.
 * `same`: the factors stay as they are, step after step. A division takes four times as long as a product, and all that
 * follows waits for it: by 1, the pivot of a row that nothing enters but its own unknown, it is left out then. */
static NSD_ALWAYS inline void nsd_substitute(int n, const double *lu, const int *pivot, double *b, int same)
{
    if (n == 1) {
        if (!same || lu[0] != 1.0)
            b[0] /= lu[0];
        return;
    }
    NSD_UNROLL for (int i = 0; i < n - 1; ++i)
        NSD_UNROLL for (int k = i + 1; k < n; ++k) {
            const double upper = b[i], lower = b[k];
            if (pivot[i] == k) {
                b[i] = lower;
                b[k] = upper;
            }
        }
    NSD_UNROLL for (int i = 1; i < n; ++i)
        NSD_UNROLL for (int j = 0; j < i; ++j)
            b[i] -= lu[i * n + j] * b[j];
    NSD_UNROLL for (int i = n - 1; i >= 0; --i) {
        NSD_UNROLL for (int j = i + 1; j < n; ++j)
            b[i] -= lu[i * n + j] * b[j];
        if (!same || lu[i * (n + 1)] != 1.0)
            b[i] /= lu[i * (n + 1)];
    }
}

/* Of factors that change from time to time. */
static inline void nsd_solve(int n, const double *lu, const int *pivot, double *b)
{
    nsd_substitute(n, lu, pivot, b, 0);
}

/* Of those that stay as they are. */
static NSD_ALWAYS inline void nsd_solve_same(int n, const double *lu, const int *pivot, double *b)
{
    nsd_substitute(n, lu, pivot, b, 1);
}

/* Whether n numbers are finite. */
static inline int nsd_finite(int n, const double *x)
{
    double all = 0.0;
    for (int i = 0; i < n; ++i)
        all += x[i] - x[i];
    return all == 0.0;
}

/* Whether none of them is not-a-number. */
static inline int nsd_numbers(int n, const double *x)
{
    int all = 1;
    for (int i = 0; i < n; ++i)
        all &= x[i] == x[i];
    return all;
}

/* b := A^-1 b for the columns of b (n x cols), from the factors of A. */
static inline void nsd_solve_columns(int n, const double *lu, const int *pivot, double *b, int cols)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < cols && n > 1 && pivot[i] != i; ++j) {
            double held = b[i * cols + j];
            b[i * cols + j] = b[pivot[i] * cols + j];
            b[pivot[i] * cols + j] = held;
        }
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

/* target += left right, entry by entry; `left` is rows x inner, `right` inner x cols, rows of `target` `stride` apart. */
static inline void nsd_add_product(double *target, int stride, const double *left, int rows, int inner,
                                   const double *right, int cols)
{
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < inner; ++k)
            for (int j = 0; j < cols && left[i * inner + k] != 0; ++j)
                target[i * stride + j] += left[i * inner + k] * right[k * cols + j];
}

/* One row: 0 <= z, 0 <= a z + b, their product 0, or a z + b = 0 where the cone is 0. */
static inline int nsd_one_row(double a, double b, int cone, double *z)
{
    z[0] = 0.0;
    if (!((a - a) + (b - b) == 0.0) || (a == 0.0 && b == 0.0))
        return 0;
    if (cone != 0 && b >= 0.0)
        return 1;
    if (!(a > 0.0 || (cone == 0 && a < 0.0)))
        return 0;
    z[0] = -b / a;
    return z[0] - z[0] == 0.0;
}
#ifdef NSD_ROWS

/* What the last active set of a problem left: which rows were active, and the factors. */
typedef struct {
    unsigned active;
    int factored, count, index[NSD_ROWS], pivot[NSD_ROWS];
    double factor[NSD_ROWS * NSD_ROWS];
    double column[NSD_ROWS * NSD_ROWS]; /* the columns of A that act, one after the other */
} nsd_memory;

/* P L U of a (n x n) in place, pivots relative to the scales of rows and columns; whether it is regular. */
static inline int nsd_factor(int n, double *a, int *pivot)
{
    double row[NSD_ROWS], column[NSD_ROWS] = {0};
    if (n == 1) {
        pivot[0] = 0;
        return a[0] != 0.0 && a[0] - a[0] == 0.0;
    }
    for (int i = 0; i < n; ++i) {
        double largest = 0.0;
        for (int j = 0; j < n; ++j)
            largest = fabs(a[i * n + j]) > largest ? fabs(a[i * n + j]) : largest;
        row[i] = largest > 0.0 ? 1.0 / largest : 0.0;
        for (int j = 0; j < n; ++j)
            column[j] = fabs(a[i * n + j]) * row[i] > column[j] ? fabs(a[i * n + j]) * row[i] : column[j];
    }
    for (int k = 0; k < n; ++k) {
        double best = -1.0;
        int best_row = k;
        for (int i = k; i < n; ++i)
            if (fabs(a[i * n + k]) * row[i] > best) {
                best = fabs(a[i * n + k]) * row[i];
                best_row = i;
            }
        if (!(best > 64 * n * DBL_EPSILON * column[k]))
            return 0;
        pivot[k] = best_row;
        for (int j = 0; j < n && best_row != k; ++j) {
            double held = a[k * n + j];
            a[k * n + j] = a[best_row * n + j];
            a[best_row * n + j] = held;
        }
        row[best_row] = row[k];
        for (int i = k + 1; i < n; ++i) {
            if (a[i * n + k] == 0.0)
                continue;
            a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; ++j)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
    }
    return 1;
}

/* Whether z is certified: no row that is exact (a bit each) off by more than 1e-8 of its terms, b visible in one of
 * them beside what is off. 1 where they are off by rounding only, else 2. */
static inline int nsd_certified(int n, const double *b, const double *y, const double *size, unsigned exact)
{
    double worst = 0.0, visible = 0.0;
    unsigned good = 0;
    int clear = 0, homogeneous = 1;
    NSD_UNROLL for (int i = 0; i < n; ++i) { /* the ordinary case, without divisions */
        good |= (unsigned)(fabs(y[i]) <= 1e-12 * size[i]) << i;
        clear |= fabs(b[i]) >= 1e-9 * size[i];
    }
    if (!(exact & ~good) && clear)
        return 1;
    for (int i = 0; i < n; ++i) {
        double share = size[i] > 2e-305 ? fabs(b[i]) / size[i] : 1.0;
        visible = share > visible ? share : visible;
        homogeneous = homogeneous && b[i] == 0.0;
        if ((exact >> i & 1) && !(fabs(y[i]) / size[i] <= worst))
            worst = fabs(y[i]) / size[i];
    }
    if (!(worst <= 1e-8 && (homogeneous || !(visible < 1e-13 || 1e-2 * visible < worst))))
        return 0;
    return worst <= 1e-12 ? 1 : 2;
}

/* The n rows and columns of A (all x all), and the cones, that are in play. */
static inline void nsd_pick(int all, const double *a, const int *cone, int n, const int *rows, double *picked,
                            int *picked_cone)
{
    for (int i = 0; i < n; ++i) {
        picked_cone[i] = cone[rows[i]];
        for (int j = 0; j < n; ++j)
            picked[i * n + j] = a[rows[i] * all + rows[j]];
    }
}

/* The active rows of A (n x n), factored; whether they are regular, and all of A finite. */
static int nsd_factor_active(int n, const double *a, unsigned active, nsd_memory *memory)
{
    int *index = memory->index, count = 0;
    double numbers = 0.0;
    for (int i = 0; i < n; ++i)
        if (active >> i & 1)
            index[count++] = i;
    memory->count = count;
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j)
            memory->factor[i * count + j] = a[index[i] * n + index[j]];
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < n; ++i)
            memory->column[k * n + i] = a[i * n + index[k]];
    for (int i = 0; i < n * n; ++i)
        numbers += a[i] - a[i];
    memory->active = active;
    if (numbers != 0.0)
        return memory->factored = 0;
    memory->factored = count == 0 || nsd_factor(count, memory->factor, memory->pivot);
    return memory->factored;
}

/* The solution of the active rows, whose places are `index`, and of all rows y = A z + b and the sizes of its terms.
 * With n and count written out, all stays in registers; the terms of rows that do not act are zero, and left out. */
static NSD_ALWAYS inline void nsd_solve_active(int n, int count, const int *index, const double *b, double *solution,
                                               double *y, double *size, const nsd_memory *memory, int same)
{
    NSD_UNROLL for (int k = 0; k < count; ++k)
        solution[k] = -b[index[k]];
    if (count)
        nsd_substitute(count, memory->factor, memory->pivot, solution, same);
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        y[i] = b[i];
        size[i] = fabs(b[i]) + 1e-305;
    }
    NSD_UNROLL for (int k = 0; k < count; ++k)
        NSD_UNROLL for (int i = 0; i < n; ++i) {
            double term = memory->column[k * n + i] * solution[k];
            y[i] += term;
            size[i] += fabs(term);
        }
}

/* z of a solution: zero elsewhere. */
static NSD_ALWAYS inline void nsd_place(int n, int count, const int *index, const double *solution, double *z)
{
    NSD_UNROLL for (int i = 0; i < n; ++i)
        z[i] = 0.0;
    NSD_UNROLL for (int k = 0; k < count; ++k)
        z[index[k]] = solution[k];
}

/* z with A z + b in the cones (0 equality, 1 complementarity; A is n x n, n at least two), from the guess in z, by
 * active sets; where it is decided as certified, 1 or 2. `memory` is that of this A. */
static inline int nsd_active_set(int n, const double *a, const double *b, const int *cone, double *z,
                                 nsd_memory *memory)
{
    const int *index = memory->index;
    double solution[NSD_ROWS], y[NSD_ROWS], size[NSD_ROWS];
    unsigned active = 0, equal = 0, above, acting, wrong;
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        equal |= (unsigned)(cone[i] == 0) << i;
        active |= (unsigned)(cone[i] == 0 || z[i] > 0.0) << i;
    }
    for (int sweep = 0; sweep < 4; ++sweep) {
        if ((!memory->factored || memory->active != active) && !nsd_factor_active(n, a, active, memory))
            return 0;
        switch (memory->count) {
        case 0: nsd_solve_active(n, 0, index, b, solution, y, size, memory, 0); break;
        case 1: nsd_solve_active(n, 1, index, b, solution, y, size, memory, 0); break;
        case 2: nsd_solve_active(n, 2, index, b, solution, y, size, memory, 0); break;
        case 3: nsd_solve_active(n, 3, index, b, solution, y, size, memory, 0); break;
        case 4: nsd_solve_active(n, 4, index, b, solution, y, size, memory, 0); break;
        default: nsd_solve_active(n, memory->count, index, b, solution, y, size, memory, 0);
        }
        nsd_place(n, memory->count, index, solution, z);
        above = acting = 0;
        NSD_UNROLL for (int i = 0; i < n; ++i) {
            above |= (unsigned)(y[i] > 1e-10 * size[i]) << i;
            acting |= (unsigned)(z[i] > 0.0) << i;
        }
        if (!((((acting ^ active) | (above ^ ~active)) & ((1u << n) - 1)) & ~equal)) /* the ordinary case */
            return nsd_certified(n, b, y, size, active);
        wrong = 0;
        for (int i = 0; i < n; ++i) {
            if (cone[i] == 0)
                continue;
            if (!(active >> i & 1)) {
                wrong |= (unsigned)!(y[i] >= -1e-10 * size[i]) << i;
                if (y[i] <= 1e-10 * size[i] && !(wrong >> i & 1))
                    return 0; /* z = y = 0: perhaps not the only solution */
            } else if (z[i] <= 0.0) {
                double others = fabs(b[i]);
                for (int j = 0; j < n; ++j)
                    others += fabs(a[i * n + j] * z[j]);
                if (!(-z[i] * fabs(a[i * (n + 1)]) > 1e-10 * others))
                    return 0; /* perhaps rounding */
                wrong |= 1u << i;
            } else if (y[i] > 1e-10 * size[i])
                return 0; /* a matter of what z_i is worth in other rows */
        }
        if (wrong == 0)
            return nsd_certified(n, b, y, size, active);
        active ^= wrong;
    }
    return 0;
}

/* nsd_active_set, not written out where it is called. */
static NSD_RARE int nsd_search_set(int n, const double *a, const double *b, const int *cone, double *z,
                                   nsd_memory *memory)
{
    return nsd_active_set(n, a, b, cone, z, memory);
}

/* Whether the set of the last solution, whose factors are known, has one again: the ordinary case of nsd_active_set,
 * every row clearly in its case and off by rounding only. Else 0, and z as it was. */
static NSD_ALWAYS inline int nsd_fits(int n, unsigned active, int count, const int *index, unsigned equal,
                                      const double *b, double *z, const nsd_memory *memory)
{
    double solution[NSD_ROWS], y[NSD_ROWS], size[NSD_ROWS];
    int fits = 1, clear = 0;
    nsd_solve_active(n, count, index, b, solution, y, size, memory, 1);
    NSD_UNROLL for (int k = 0; k < count; ++k)
        fits &= (equal >> index[k] & 1) | (solution[k] > 0.0);
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        fits &= active >> i & 1 ? fabs(y[i]) <= 1e-12 * size[i] : y[i] > 1e-10 * size[i];
        clear |= fabs(b[i]) >= 1e-9 * size[i];
    }
    if (!(fits & clear))
        return 0;
    nsd_place(n, count, index, solution, z);
    return 1;
}

/* The rows of each set of at most four, a bit each. */
static const int nsd_rows_of[16][4] = {{0}, {0}, {1}, {0, 1}, {2}, {0, 2}, {1, 2}, {0, 1, 2}, {3}, {0, 3}, {1, 3},
                                       {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};

/* nsd_active_set for one A in step after step, and n written out, at most four. Each set has code of its own for the
 * ordinary case: which entries of b it reads and where the solution goes is known there, so that nothing on the way from
 * one state to the next passes through memory. */
static inline int nsd_same_set(int n, const double *a, const double *b, const int *cone, double *z, nsd_memory *memory)
{
    double load[NSD_ROWS], found[NSD_ROWS];
    unsigned active = 0, equal = 0;
    int fits = 0, decided;
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        equal |= (unsigned)(cone[i] == 0) << i;
        active |= (unsigned)(cone[i] == 0 || z[i] > 0.0) << i;
    }
#define NSD_SET(set, count) \
    case set: \
        fits = (set >> n | (equal & ~set)) == 0 && nsd_fits(n, set, count, nsd_rows_of[set], equal, b, z, memory); \
        break;
    if (memory->factored && memory->active == active)
        switch (active) {
            NSD_SET(0, 0) NSD_SET(1, 1) NSD_SET(2, 1) NSD_SET(3, 2) NSD_SET(4, 1) NSD_SET(5, 2) NSD_SET(6, 2)
            NSD_SET(7, 3) NSD_SET(8, 1) NSD_SET(9, 2) NSD_SET(10, 2) NSD_SET(11, 3) NSD_SET(12, 2) NSD_SET(13, 3)
            NSD_SET(14, 3) NSD_SET(15, 4)
        }
#undef NSD_SET
    if (fits)
        return 1;
    for (int i = 0; i < n; ++i) { /* copies, so that b and z themselves may stay in registers */
        load[i] = b[i];
        found[i] = z[i];
    }
    decided = nsd_search_set(n, a, load, cone, found, memory);
    for (int i = 0; i < n; ++i)
        z[i] = found[i];
    return decided;
}
#endif

#endif /* nsdgen_step.h */
