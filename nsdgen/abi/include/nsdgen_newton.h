/* nsdgen_newton.h: the arithmetic of Newton's method in fused steps: the change of multipliers, and the test.
 *
 * The same operations in the same order as the general stepper (_assembly.pxi, _measure.pxi, _natural_map.pxi).
 */
#ifndef NSDGEN_NEWTON_H
#define NSDGEN_NEWTON_H

#include <math.h>

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

/* What the terms of the rows of R, as unknowns, amount to in a row of y. */
static inline double nsd_resolution(int n, const double *output_x, const double *resolved)
{
    double total = 0.0;
    for (int j = 0; j < n; ++j)
        total += fabs(output_x[j]) * resolved[j];
    return total;
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
