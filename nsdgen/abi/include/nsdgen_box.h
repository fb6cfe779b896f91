/* nsdgen_box.h: the one-step problem of few rows with bounds, by the case of the guess.
 *
 * A row is at its lower bound, at its upper bound or free, as its guess is. What that makes of all rows is taken where
 * every row is clearly in its case: z inside its bounds where it is free, y of the right sign where it is not. Other
 * cases are tried where A is a P-matrix, so that there is one solution. All else is not decided here: the function
 * then says 0. The solver of the one-step problem (_few_rows.pxi) and fused steps call it, so that their bits agree.
 */
#ifndef NSDGEN_BOX_H
#define NSDGEN_BOX_H

#include <math.h>

/* Whether all principal minors of s (n x n) are clearly positive; `terms` are the sizes of what was added up to each
 * entry. M. J. Tsatsomeros, L. Li, A recursive test for P-matrices, BIT 40 (2000). */
static int nsd_p_matrix(int n, const double *s, const double *terms)
{
    double rest[NSD_ROWS * NSD_ROWS], size[NSD_ROWS * NSD_ROWS];
    const int left = n - 1;
    if (n == 0)
        return 1;
    if (!(s[0] > 1e-10 * terms[0]))
        return 0;
    for (int i = 0; i < left; ++i)
        for (int j = 0; j < left; ++j) {
            rest[i * left + j] = s[(i + 1) * n + j + 1];
            size[i * left + j] = terms[(i + 1) * n + j + 1];
        }
    if (!nsd_p_matrix(left, rest, size))
        return 0;
    for (int i = 0; i < left; ++i)
        for (int j = 0; j < left; ++j) {
            double change = s[(i + 1) * n] / s[0] * s[j + 1];
            rest[i * left + j] -= change;
            size[i * left + j] += fabs(change);
        }
    return nsd_p_matrix(left, rest, size);
}

/* Whether A z + b in these bounds has one solution, whatever b is. */
static int nsd_has_one_solution(int n, const double *a)
{
    double terms[NSD_ROWS * NSD_ROWS];
    for (int i = 0; i < n * n; ++i)
        terms[i] = fabs(a[i]);
    return nsd_p_matrix(n, a, terms);
}

/* z of the `count` rows that are free, where the others are at a bound. With n and count written out it stays in
 * registers: a processor that reads two entries at once waits for stores of one entry each to places found at run time. */
static NSD_ALWAYS inline void nsd_solve_free(int n, int count, const double *a, const double *b, unsigned free,
                                             double *z, const nsd_memory *memory)
{
    double right[NSD_ROWS];
    NSD_UNROLL for (int k = 0; k < count; ++k) {
        const int i = memory->index[k];
        right[k] = -b[i];
        NSD_UNROLL for (int j = 0; j < n; ++j)
            if (!(free >> j & 1))
                right[k] -= a[i * n + j] * z[j];
    }
    if (count)
        nsd_solve_same(count, memory->factor, memory->pivot, right);
    NSD_UNROLL for (int k = 0; k < count; ++k)
        NSD_UNROLL for (int i = 0; i < n; ++i)
            if (memory->index[k] == i)
                z[i] = right[k];
}

/* z of the case in which the rows of `free` are free: y = A z + b and the sizes of its terms. */
static inline void nsd_solve_case(int n, const double *a, const double *b, unsigned free, double *z, double *y,
                                  double *size, const nsd_memory *memory)
{
    switch (memory->count) {
    case 0: break;
    case 1: nsd_solve_free(n, 1, a, b, free, z, memory); break;
    case 2: nsd_solve_free(n, 2, a, b, free, z, memory); break;
    case 3: nsd_solve_free(n, 3, a, b, free, z, memory); break;
    default: nsd_solve_free(n, memory->count, a, b, free, z, memory);
    }
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        y[i] = b[i];
        size[i] = fabs(b[i]);
        NSD_UNROLL for (int j = 0; j < n; ++j) {
            double term = a[i * n + j] * z[j];
            y[i] += term;
            size[i] += fabs(term);
        }
    }
}

/* Whether a case that fits is a solution to rounding: no term of a row beyond 1e6 times the loads, of which nothing
 * would be left but rounding. `off` is the largest y of a free row, in units of its terms. */
static inline int nsd_box_certified(int n, const double *a, const double *bound, const double *b, unsigned free,
                                    const double *y, const double *size, double *off)
{
    double load = 0.0;
    int good = 1;
    off[0] = 0.0;
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        load = fabs(b[i]) > load ? fabs(b[i]) : load;
        for (int k = 2 * i; k < 2 * i + 2; ++k)
            if (fabs(bound[k]) < INFINITY && a[i * (n + 1)] * fabs(bound[k]) > load)
                load = a[i * (n + 1)] * fabs(bound[k]);
    }
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        good &= size[i] <= 1e6 * load;
        if ((free >> i & 1) && fabs(y[i]) > off[0] * size[i])
            off[0] = fabs(y[i]) / size[i];
    }
    return good && off[0] <= 1e-12;
}

/* z with y = A z + b (A is n x n), y_i >= 0 where z_i is at its lower bound bound[2 i], y_i <= 0 at the upper one, y_i = 0
 * between them, from the guess in z; 1 where it is decided, and then y and `off`. `memory` is that of this A. */
static inline int nsd_box_set(int n, const double *a, const double *b, const double *bound, double *z, double *y,
                              double *off, nsd_memory *memory)
{
    double size[NSD_ROWS];
    unsigned free = 0, upper = 0, wrong;
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        unsigned above = z[i] > bound[2 * i], below = z[i] < bound[2 * i + 1];
        free |= (above & below) << i;
        upper |= (above & !below) << i;
        if (!(bound[2 * i] <= bound[2 * i + 1]))
            return 0;
    }
    for (int sweep = 0; sweep < 5; ++sweep) {
        if ((!memory->factored || memory->active != free) && !nsd_factor_active(n, a, free, memory))
            return 0;
        NSD_UNROLL for (int i = 0; i < n; ++i)
            if (!(free >> i & 1))
                z[i] = bound[2 * i + (upper >> i & 1)];
        nsd_solve_case(n, a, b, free, z, y, size, memory);
        wrong = 0;
        NSD_UNROLL for (int i = 0; i < n; ++i) {
            double outward = upper >> i & 1 ? -y[i] : y[i];
            if (free >> i & 1) {
                if (!(z[i] > bound[2 * i] && z[i] < bound[2 * i + 1])) {
                    wrong |= 1u << i;
                    upper = z[i] >= bound[2 * i + 1] ? upper | 1u << i : upper;
                    if (z[i] != z[i])
                        return 0;
                }
            } else if (!(outward > 1e-10 * size[i]) && bound[2 * i] != bound[2 * i + 1]) {
                if (!(outward < -1e-10 * size[i]))
                    return 0; /* at a bound, and y = 0: perhaps not the only solution */
                wrong |= 1u << i;
                upper &= ~(1u << i);
            }
        }
        if (wrong == 0)
            return nsd_box_certified(n, a, bound, b, free, y, size, off);
        if (sweep == 0 && !nsd_has_one_solution(n, a))
            return 0;
        free ^= wrong;
    }
    return 0;
}

#endif /* nsdgen_box.h */
