/* nsdgen_box_lanes.h: the one-step problem of few rows with bounds (nsdgen_box.h), one member in each lane. */
#ifndef NSDGEN_BOX_LANES_H
#define NSDGEN_BOX_LANES_H

/* nsd_box_set lane by lane, in the lanes of the mask: z from the guess in z, each with a memory of its own. In which lanes
 * it is decided. */
static nsd_mask nsd_lanes_box_set(int n, const nsd_lanes *a, const nsd_lanes *b, const nsd_lanes *bound, nsd_mask m,
                                  nsd_lanes *z, nsd_memory *memory)
{
    nsd_mask decided = {0};
    NSD_EACH_LANE if (m[lane])
    {
        double own[NSD_ROWS * NSD_ROWS], right[NSD_ROWS], limit[2 * NSD_ROWS], found[NSD_ROWS], y[NSD_ROWS], off;
        for (int i = 0; i < n * n; ++i)
            own[i] = a[i][lane];
        for (int i = 0; i < n; ++i) {
            right[i] = b[i][lane];
            found[i] = z[i][lane];
            limit[2 * i] = bound[2 * i][lane];
            limit[2 * i + 1] = bound[2 * i + 1][lane];
        }
        decided[lane] = -(int64_t)nsd_box_set(n, own, right, limit, found, y, &off, memory + lane);
        for (int i = 0; i < n; ++i)
            z[i][lane] = found[i];
    }
    return decided;
}

#endif
