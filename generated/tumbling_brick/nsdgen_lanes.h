/* nsdgen_lanes.h: several members of an ensemble at once, one in each lane of a vector.
 *
 * Every lane has the bits of the scalar step: the same operations in the same order, functions of <math.h> lane by
 * lane. Branches are masks (all bits of a lane set, or none); where no lane takes a branch it is skipped.
 */
#ifndef NSDGEN_LANES_H
#define NSDGEN_LANES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#define NSD_LANES 8
#elif defined(__AVX__)
#define NSD_LANES 4
#else
#define NSD_LANES 2
#endif
#define NSD_EACH_LANE for (int lane = 0; lane < NSD_LANES; ++lane)

typedef double nsd_lanes __attribute__((vector_size(8 * NSD_LANES)));
typedef int64_t nsd_mask __attribute__((vector_size(8 * NSD_LANES)));

/* The same number in all lanes: x - 0 is x, for -0, too. */
static inline nsd_lanes nsd_all(double x) { return x - (nsd_lanes){0}; }

/* a where the mask is set, b elsewhere. */
static inline nsd_lanes nsd_pick_lanes(nsd_mask m, nsd_lanes a, nsd_lanes b)
{
    return (nsd_lanes)((m & (nsd_mask)a) | (~m & (nsd_mask)b));
}

static inline int nsd_any(nsd_mask m)
{
    int64_t found = 0;
    NSD_EACH_LANE found |= m[lane];
    return found != 0;
}

static inline void nsd_put_lanes(double *row, nsd_lanes x) { memcpy(row, &x, sizeof x); }

static inline nsd_lanes nsd_lanes_sqrt(nsd_mask m, nsd_lanes x)
{
    (void)m;
    NSD_EACH_LANE x[lane] = sqrt(x[lane]);
    return x;
}

static inline nsd_lanes nsd_lanes_fabs(nsd_mask m, nsd_lanes x)
{
    (void)m;
    return (nsd_lanes)((nsd_mask)x & INT64_MAX);
}

static inline nsd_lanes nsd_lanes_floor(nsd_mask m, nsd_lanes x)
{
    (void)m;
    NSD_EACH_LANE x[lane] = floor(x[lane]);
    return x;
}

/* All others compute lane by lane, those of the mask alone. */
#define NSD_LANE_BY_LANE(name, function)                                                                               \
    static inline nsd_lanes nsd_lanes_##name(nsd_mask m, nsd_lanes x)                                                  \
    {                                                                                                                  \
        nsd_lanes y = x;                                                                                               \
        NSD_EACH_LANE if (m[lane]) y[lane] = function(x[lane]);                                                        \
        return y;                                                                                                      \
    }
#define NSD_LANE_BY_LANE_2(name, function)                                                                             \
    static inline nsd_lanes nsd_lanes_##name(nsd_mask m, nsd_lanes x, nsd_lanes z)                                     \
    {                                                                                                                  \
        nsd_lanes y = x;                                                                                               \
        NSD_EACH_LANE if (m[lane]) y[lane] = function(x[lane], z[lane]);                                               \
        return y;                                                                                                      \
    }
NSD_LANE_BY_LANE(exp, exp) NSD_LANE_BY_LANE(log, log) NSD_LANE_BY_LANE(erf, erf) NSD_LANE_BY_LANE(erfc, erfc)
NSD_LANE_BY_LANE(sin, sin) NSD_LANE_BY_LANE(cos, cos) NSD_LANE_BY_LANE(tan, tan)
NSD_LANE_BY_LANE(asin, asin) NSD_LANE_BY_LANE(acos, acos) NSD_LANE_BY_LANE(atan, atan)
NSD_LANE_BY_LANE(sinh, sinh) NSD_LANE_BY_LANE(cosh, cosh) NSD_LANE_BY_LANE(tanh, tanh)
NSD_LANE_BY_LANE(asinh, asinh) NSD_LANE_BY_LANE(acosh, acosh) NSD_LANE_BY_LANE(atanh, atanh)
NSD_LANE_BY_LANE_2(pow, pow) NSD_LANE_BY_LANE_2(atan2, atan2)

/* Sine and cosine of one angle, for which compilers have one call. */
static inline void nsd_lanes_sincos(nsd_mask m, nsd_lanes x, nsd_lanes *sine, nsd_lanes *cosine)
{
    nsd_lanes s = x, c = x;
    NSD_EACH_LANE if (m[lane])
    {
        const double angle = x[lane];
        s[lane] = sin(angle);
        c[lane] = cos(angle);
    }
    *sine = s;
    *cosine = c;
}

#ifdef NSDGEN_MATH_H
NSD_LANE_BY_LANE(sign, nsd_sign)
NSD_LANE_BY_LANE_2(mod_each, nsd_mod)

static inline nsd_lanes nsd_lanes_stumpff(nsd_mask m, int k, nsd_lanes s)
{
    NSD_EACH_LANE if (m[lane]) s[lane] = nsd_stumpff(k, s[lane]);
    return s;
}

/* nsd_mod: with n the integer nearest to a / b, a - n b has no more digits than a or b, so that a fused operation
 * finds it without rounding; what is left is the one addition that nsd_mod makes, too. */
static inline nsd_lanes nsd_lanes_mod(nsd_mask m, nsd_lanes a, nsd_lanes b)
{
#ifdef __FP_FAST_FMA
    nsd_lanes n = a / b, rest, turned;
    nsd_mask plain = (n < 0x1p50) & (n > -0x1p50) & (b - b == 0.0);
    if (!nsd_any(m & ~plain)) {
        n = (n + 0x1.8p52) - 0x1.8p52;
        NSD_EACH_LANE rest[lane] = fma(-n[lane], b[lane], a[lane]);
        turned = nsd_pick_lanes((rest < 0.0) ^ (b < 0.0), rest + b, rest);
        return nsd_pick_lanes(rest == 0.0, 0.0 * b, turned);
    }
#endif
    return nsd_lanes_mod_each(m, a, b);
}
#endif

/* b := A^-1 b from the factors of A (n x n), rows exchanged as `pivot` says. */
static inline void nsd_lanes_solve(int n, const nsd_lanes *lu, const nsd_mask *pivot, nsd_lanes *b)
{
    NSD_UNROLL for (int i = 0; i < n - 1; ++i)
        NSD_UNROLL for (int k = i + 1; k < n; ++k) {
            nsd_mask turn = pivot[i] == k;
            nsd_lanes held = b[i];
            b[i] = nsd_pick_lanes(turn, b[k], b[i]);
            b[k] = nsd_pick_lanes(turn, held, b[k]);
        }
    NSD_UNROLL for (int i = 1; i < n; ++i)
        NSD_UNROLL for (int j = 0; j < i; ++j)
            b[i] -= lu[i * n + j] * b[j];
    NSD_UNROLL for (int i = n - 1; i >= 0; --i) {
        NSD_UNROLL for (int j = i + 1; j < n; ++j)
            b[i] -= lu[i * n + j] * b[j];
        b[i] /= lu[i * n + i];
    }
}

/* nsd_one_row in every lane: z, and where it is decided. */
static inline nsd_mask nsd_lanes_one_row(nsd_lanes a, nsd_lanes b, int cone, nsd_lanes *z)
{
    nsd_mask inequality = (nsd_mask){0} - (cone != 0);
    nsd_mask sound = ((a - a) + (b - b) == 0.0) & ~((a == 0.0) & (b == 0.0));
    nsd_mask open = inequality & (b >= 0.0);
    nsd_lanes closed = -b / a;
    nsd_mask solved = ((a > 0.0) | (~inequality & (a < 0.0))) & (closed - closed == 0.0);
    *z = nsd_pick_lanes(open, (nsd_lanes){0}, closed);
    return sound & (open | solved);
}

#endif /* nsdgen_lanes.h */
