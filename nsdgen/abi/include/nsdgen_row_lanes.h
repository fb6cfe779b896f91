/* nsdgen_row_lanes.h: factors, and the one-step problem of few rows (nsdgen_step.h), one member in each lane.
 *
 * The same operations in the same order in every lane; what a number decides there, a mask decides here. Lanes may have
 * different active sets: a row that does not act is one of the identity, and adds zeros to the others. What is not
 * the ordinary case is done lane by lane with the functions for one run.
 */
#ifndef NSDGEN_ROW_LANES_H
#define NSDGEN_ROW_LANES_H

static inline nsd_lanes nsd_lanes_abs(nsd_lanes x) { return (nsd_lanes)((nsd_mask)x & INT64_MAX); }

/* Rows i and k of a (cols wide) exchanged in the lanes of the mask. */
static inline void nsd_lanes_exchange(nsd_mask turn, int cols, nsd_lanes *a, int i, int k)
{
    for (int j = 0; j < cols; ++j) {
        const nsd_lanes held = a[i * cols + j];
        a[i * cols + j] = nsd_pick_lanes(turn, a[k * cols + j], held);
        a[k * cols + j] = nsd_pick_lanes(turn, held, a[k * cols + j]);
    }
}

/* nsd_factor: P L U of a (n x n) in place; in which lanes it is regular. In a lane only `count` rows may be in use: the
 * others are those of the identity. */
static inline nsd_mask nsd_lanes_factor(int n, nsd_lanes count, nsd_lanes *a, nsd_mask *pivot)
{
    nsd_lanes row[NSD_ROWS], column[NSD_ROWS] = {{0}};
    nsd_mask regular = ~(nsd_mask){0}, sound = regular;
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
        sound &= (a[i * (n + 1)] != 0.0) & (a[i * (n + 1)] - a[i * (n + 1)] == 0.0);
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
        regular &= best > 64.0 * count * DBL_EPSILON * column[k];
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
    return regular | ((count <= 1.0) & sound); /* of one row, nothing is asked but that */
}

/* nsd_finite: in which lanes n numbers are finite. */
static inline nsd_mask nsd_lanes_finite(int n, const nsd_lanes *x)
{
    nsd_lanes all = {0};
    for (int i = 0; i < n; ++i)
        all += x[i] - x[i];
    return all == 0.0;
}

/* nsd_numbers: in which lanes none of them is not-a-number. */
static inline nsd_mask nsd_lanes_numbers(int n, const nsd_lanes *x)
{
    nsd_mask all = ~(nsd_mask){0};
    for (int i = 0; i < n; ++i)
        all &= x[i] == x[i];
    return all;
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

/* What the last active sets of a problem left: where rows acted, and the factors. */
typedef struct {
    nsd_mask active[NSD_ROWS], pivot[NSD_ROWS], factored;
    nsd_lanes factor[NSD_ROWS * NSD_ROWS];
} nsd_lanes_memory;

/* The active rows of A (n x n), factored where they are not those of the memory; in which lanes they are regular, and all
 * of A is finite. */
static inline nsd_mask nsd_lanes_factor_active(int n, const nsd_lanes *a, const nsd_mask *active, nsd_lanes_memory *memory)
{
    nsd_mask known = memory->factored;
    nsd_lanes count = {0}, numbers = {0};
    for (int i = 0; i < n; ++i)
        known &= memory->active[i] == active[i];
    if (!nsd_any(~known))
        return known;
    for (int i = 0; i < n; ++i) {
        memory->active[i] = active[i];
        count += nsd_pick_lanes(active[i], nsd_all(1.0), nsd_all(0.0));
        for (int j = 0; j < n; ++j) {
            memory->factor[i * n + j] = nsd_pick_lanes(active[i] & active[j], a[i * n + j], nsd_all(i == j));
            numbers += a[i * n + j] - a[i * n + j];
        }
    }
    memory->factored = nsd_lanes_factor(n, count, memory->factor, memory->pivot) & (numbers == 0.0);
    return memory->factored;
}

/* right := A^-1 right of the active rows, zero elsewhere. */
static inline void nsd_lanes_solve_active(int n, const nsd_lanes_memory *memory, nsd_lanes *right)
{
    const nsd_lanes zero = {0};
    nsd_mask turned = {0};
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        right[i] = nsd_pick_lanes(memory->active[i], right[i], zero);
        turned |= memory->pivot[i] != i;
    }
    if (nsd_any(turned))
        for (int i = 0; i < n - 1; ++i)
            for (int k = i + 1; k < n; ++k)
                nsd_lanes_exchange(memory->pivot[i] == k, 1, right, i, k);
    NSD_UNROLL for (int i = 1; i < n; ++i) {
        NSD_UNROLL for (int j = 0; j < i; ++j)
            right[i] -= memory->factor[i * n + j] * right[j];
        right[i] = nsd_pick_lanes(memory->active[i], right[i], zero); /* no zero with a sign: x - 0 is x */
    }
    NSD_UNROLL for (int i = n - 1; i >= 0; --i) {
        NSD_UNROLL for (int j = i + 1; j < n; ++j)
            right[i] -= memory->factor[i * n + j] * right[j];
        right[i] = nsd_pick_lanes(memory->active[i], right[i] / memory->factor[i * (n + 1)], zero);
    }
}

/* nsd_active_set of the rows in play in one lane; whether it is decided, as certified: 1 or 2. */
static int nsd_lane_rows(int lane, int n, const nsd_lanes *a, const nsd_lanes *b, const int *cone,
                         const nsd_mask *in_play, nsd_lanes *z)
{
    double own[NSD_ROWS * NSD_ROWS], right[NSD_ROWS], found[NSD_ROWS];
    int row[NSD_ROWS], own_cone[NSD_ROWS], count = 0, decided = 1;
    nsd_memory memory;
    for (int i = 0; i < n; ++i)
        if (in_play[i][lane])
            row[count++] = i;
    for (int i = 0; i < count; ++i) {
        right[i] = b[row[i]][lane];
        found[i] = z[row[i]][lane];
        own_cone[i] = cone[row[i]];
        for (int j = 0; j < count; ++j)
            own[i * count + j] = a[row[i] * n + row[j]][lane];
    }
    memory.factored = 0;
    if (count == 1)
        return 0; /* not in all lanes at once, so not at all */
    decided = nsd_active_set(count, own, right, own_cone, found, &memory);
    for (int i = 0; i < count; ++i)
        z[row[i]][lane] = found[i];
    return decided;
}

/* z with A z + b in the cones (0 equality, 1 complementarity; A is n x n), of the rows in play in each lane, from the guess
 * in z, zero elsewhere. In which lanes of the mask it is not decided; `exact` asks for what is off by rounding only. */
static inline nsd_mask nsd_lanes_active_set(nsd_mask m, int n, const nsd_lanes *a, const nsd_lanes *b, const int *cone,
                                            const nsd_mask *in_play, int exact, nsd_lanes *z, nsd_lanes_memory *memory)
{
    nsd_lanes found[NSD_ROWS], y, size;
    nsd_mask active[NSD_ROWS], ordinary = m, clear = {0}, several = {0}, some = {0};
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        active[i] = in_play[i] & ((nsd_mask){0} - (cone[i] == 0) | (z[i] > 0.0));
        several |= some & in_play[i];
        some |= in_play[i];
        found[i] = -b[i];
    }
    ordinary &= several & nsd_lanes_factor_active(n, a, active, memory);
    nsd_lanes_solve_active(n, memory, found);
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        y = b[i];
        size = nsd_lanes_abs(b[i]) + 1e-305;
        NSD_UNROLL for (int j = 0; j < n; ++j) {
            const nsd_lanes term = nsd_pick_lanes(active[j], a[i * n + j] * found[j], nsd_all(0.0));
            y += term;
            size += nsd_lanes_abs(term);
        }
        clear |= in_play[i] & (nsd_lanes_abs(b[i]) >= 1e-9 * size);
        ordinary &= ~active[i] | (nsd_lanes_abs(y) <= 1e-12 * size);
        if (cone[i])
            ordinary &= ~in_play[i] | (active[i] & (found[i] > 0.0) & ~(y > 1e-10 * size)) |
                        (~active[i] & (y > 1e-10 * size));
    }
    ordinary &= clear;
    NSD_UNROLL for (int i = 0; i < n; ++i)
        z[i] = nsd_pick_lanes(ordinary, found[i], z[i]);
    if (nsd_any(m & some & ~several))
        for (int i = 0; i < n; ++i) {
            const nsd_mask alone = m & in_play[i] & ~several;
            const nsd_mask solved = alone & nsd_lanes_one_row(a[i * (n + 1)], b[i], cone[i], &y);
            z[i] = nsd_pick_lanes(solved, y, z[i]);
            ordinary |= solved;
        }
    m &= some & ~ordinary;
    if (nsd_any(m))
        NSD_EACH_LANE if (m[lane])
        {
            const int decided = nsd_lane_rows(lane, n, a, b, cone, in_play, z);
            m[lane] = -(int64_t)(exact ? decided != 1 : !decided);
        }
    return m;
}

#endif /* nsdgen_row_lanes.h */
