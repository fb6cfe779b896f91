/* nsdgen_box_lanes.h: the one-step problem of few rows with bounds (nsdgen_box.h), one member in each lane. */
#ifndef NSDGEN_BOX_LANES_H
#define NSDGEN_BOX_LANES_H

/* nsd_box_set in one lane; whether it is decided. */
static int nsd_lane_box_set(int lane, int n, const nsd_lanes *a, const nsd_lanes *b, const nsd_lanes *bound, nsd_lanes *z)
{
    double own[NSD_ROWS * NSD_ROWS], right[NSD_ROWS], limit[2 * NSD_ROWS], found[NSD_ROWS], y[NSD_ROWS], off;
    nsd_memory memory;
    int decided;
    for (int i = 0; i < n * n; ++i)
        own[i] = a[i][lane];
    for (int i = 0; i < n; ++i) {
        right[i] = b[i][lane];
        found[i] = z[i][lane];
        limit[2 * i] = bound[2 * i][lane];
        limit[2 * i + 1] = bound[2 * i + 1][lane];
    }
    memory.factored = 0;
    decided = nsd_box_set(n, own, right, limit, found, y, &off, &memory);
    for (int i = 0; i < n; ++i)
        z[i][lane] = found[i];
    return decided;
}

/* nsd_box_certified: whether cases that fit are solutions to rounding. */
static inline nsd_mask nsd_lanes_box_certified(int n, const nsd_lanes *a, const nsd_lanes *bound, const nsd_lanes *b,
                                               const nsd_mask *free, const nsd_lanes *y, const nsd_lanes *size)
{
    nsd_lanes load = {0}, off = {0};
    nsd_mask good = ~(nsd_mask){0};
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        load = nsd_pick_lanes(nsd_lanes_abs(b[i]) > load, nsd_lanes_abs(b[i]), load);
        for (int k = 2 * i; k < 2 * i + 2; ++k) {
            const nsd_lanes reach = a[i * (n + 1)] * nsd_lanes_abs(bound[k]);
            load = nsd_pick_lanes((nsd_lanes_abs(bound[k]) < INFINITY) & (reach > load), reach, load);
        }
    }
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        good &= size[i] <= 1e6 * load;
        off = nsd_pick_lanes(free[i] & (nsd_lanes_abs(y[i]) > off * size[i]), nsd_lanes_abs(y[i]) / size[i], off);
    }
    return good & (off <= 1e-12);
}

/* z with y = A z + b (A is n x n), y_i >= 0 where z_i is at its lower bound bound[2 i], y_i <= 0 at the upper one, y_i = 0
 * between them, from the guess in z: where the case of the guess fits, in all lanes at once. In which lanes of the
 * mask it is not decided. */
static inline nsd_mask nsd_lanes_box_set(nsd_mask m, int n, const nsd_lanes *a, const nsd_lanes *b, const nsd_lanes *bound,
                                         nsd_lanes *z, nsd_lanes_memory *memory)
{
    nsd_lanes found[NSD_ROWS], right[NSD_ROWS], y[NSD_ROWS], size[NSD_ROWS];
    nsd_mask free[NSD_ROWS], upper[NSD_ROWS], fits = m;
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        const nsd_mask above = z[i] > bound[2 * i], below = z[i] < bound[2 * i + 1];
        free[i] = above & below;
        upper[i] = above & ~below;
        found[i] = nsd_pick_lanes(upper[i], bound[2 * i + 1], bound[2 * i]);
        fits &= bound[2 * i] <= bound[2 * i + 1];
    }
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        right[i] = -b[i];
        NSD_UNROLL for (int j = 0; j < n; ++j)
            right[i] = nsd_pick_lanes(free[j], right[i], right[i] - a[i * n + j] * found[j]);
    }
    fits &= nsd_lanes_factor_active(n, a, free, memory);
    nsd_lanes_solve_active(n, memory, right);
    NSD_UNROLL for (int i = 0; i < n; ++i)
        found[i] = nsd_pick_lanes(free[i], right[i], found[i]);
    NSD_UNROLL for (int i = 0; i < n; ++i) {
        y[i] = b[i];
        size[i] = nsd_lanes_abs(b[i]);
        NSD_UNROLL for (int j = 0; j < n; ++j) {
            const nsd_lanes term = a[i * n + j] * found[j];
            y[i] += term;
            size[i] += nsd_lanes_abs(term);
        }
        fits &= (free[i] & (found[i] > bound[2 * i]) & (found[i] < bound[2 * i + 1])) |
                (~free[i] & ((nsd_pick_lanes(upper[i], -y[i], y[i]) > 1e-10 * size[i]) | (bound[2 * i] == bound[2 * i + 1])));
    }
    fits &= nsd_lanes_box_certified(n, a, bound, b, free, y, size);
    NSD_UNROLL for (int i = 0; i < n; ++i)
        z[i] = nsd_pick_lanes(fits, found[i], z[i]);
    m &= ~fits;
    if (nsd_any(m))
        NSD_EACH_LANE if (m[lane])
            m[lane] = -(int64_t)!nsd_lane_box_set(lane, n, a, b, bound, z);
    return m;
}

#endif /* nsdgen_box_lanes.h */
