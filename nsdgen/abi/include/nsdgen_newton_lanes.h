/* nsdgen_newton_lanes.h: the arithmetic of Newton's method (nsdgen_newton.h), one member in each lane.
 *
 * The same operations in the same order in every lane; what a number decides there, a mask decides here.
 */
#ifndef NSDGEN_NEWTON_LANES_H
#define NSDGEN_NEWTON_LANES_H

/* fmin and fmax, which ignore what is no number. */
static inline nsd_lanes nsd_lanes_least(nsd_lanes x, nsd_lanes y)
{
    return nsd_pick_lanes((x < y) | (y != y), x, y);
}

static inline nsd_lanes nsd_lanes_most(nsd_lanes x, nsd_lanes y)
{
    return nsd_pick_lanes((x > y) | (y != y), x, y);
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

/* nsd_resolve_exchanged, in the lanes of the mask. */
static inline void nsd_lanes_resolve_exchanged(nsd_mask m, int n, const nsd_lanes *w, const nsd_lanes *scale,
                                               nsd_lanes *resolved)
{
    double one[n * n], terms[n], kept[n];
    NSD_EACH_LANE if (m[lane])
    {
        for (int k = 0; k < n * n; ++k)
            one[k] = w[k][lane];
        for (int j = 0; j < n; ++j)
            terms[j] = scale[j][lane], kept[j] = resolved[j][lane];
        nsd_resolve_exchanged_rows(n, one, terms, kept);
        for (int j = 0; j < n; ++j)
            resolved[j][lane] = kept[j];
    }
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

#endif /* nsdgen_newton_lanes.h */
