/* nsdgen_math.h: the functions that emitted kernels call and <math.h> does not have.
 *
 *   nsd_mod(a, b)       a modulo b with the sign of b (as Python and NumPy define it)
 *   nsd_sign(a)         -1, 0 or 1; not-a-number stays not-a-number
 *   nsd_stumpff(k, s)   c_k(s) = sum_i (-s)^i / (k + 2 i)!,  k >= 0
 */
#ifndef NSDGEN_MATH_H
#define NSDGEN_MATH_H

#include <math.h>

static inline double nsd_mod(double a, double b)
{
    double rest = fmod(a, b);
    if (rest == 0.0)
        return copysign(0.0, b);
    return (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}

static inline double nsd_sign(double a)
{
    return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a == 0.0 ? 0.0 : a;
}

/* k!; exact in a double up to 22!. */
static inline double nsd_factorial(int k)
{
    double product = 1.0;
    for (int i = 2; i <= k; ++i)
        product *= i;
    return product;
}

/* The power series in Horner's form, for |s| of the size of (k + 1)(k + 2) at most:
 * there the terms fall from the start, and little cancels. */
static inline double nsd_stumpff_series(int k, double s)
{
    int terms = 0;
    double size = 1.0, sum = 1.0;
    while (size > 1e-18 && terms < 64) {
        ++terms;
        size *= fabs(s) / ((k + 2.0 * terms - 1.0) * (k + 2.0 * terms));
    }
    for (int i = terms; i > 0; --i)
        sum = 1.0 - s * sum / ((k + 2.0 * i - 1.0) * (k + 2.0 * i));
    return sum / nsd_factorial(k);
}

/* c_0, c_1 and c_2 far from zero, by circular or hyperbolic functions of r = sqrt|s|.
 * The rounding of r would be multiplied by r, so it is put back to first order. */
static inline double nsd_stumpff_circular(int k, double s)
{
    double r = sqrt(s);
    double lost = isinf(r) ? 0.0 : fma(-r, r, s) / (2.0 * r);
    double sine;
    if (k == 0)
        return cos(r) - lost * sin(r);
    if (k == 1)
        return (sin(r) + lost * cos(r)) / r * (1.0 - lost / r);
    sine = sin(0.5 * r) + 0.5 * lost * cos(0.5 * r);
    return 2.0 * (sine / s) * sine;
}

static inline double nsd_stumpff_hyperbolic(int k, double s)
{
    double r = sqrt(-s);
    double lost = isinf(r) ? 0.0 : fma(-r, r, -s) / (2.0 * r);
    if (k == 0)
        return isinf(cosh(r)) ? cosh(r) : cosh(r) + lost * sinh(r);
    if (k == 1)
        return isinf(sinh(r)) ? sinh(r) : (sinh(r) + lost * cosh(r)) / r * (1.0 - lost / r);
    return (nsd_stumpff_hyperbolic(0, s) - 1.0) / -s;
}

/* Where the series stops being good, c_k = (1/(k - 2)! - c_{k-2}) / s loses little. */
static inline double nsd_stumpff_far(int k, double s)
{
    double reach = 0.5 * (k + 1.0) * (k + 2.0);
    if (k >= 2 && s < 0.0)
        reach *= 8.0;
    if (k > 6 && s > 0.0)
        reach *= 2.0;
    if (fabs(s) <= reach)
        return nsd_stumpff_series(k, s);
    if (k <= 2)
        return s > 0.0 ? nsd_stumpff_circular(k, s) : nsd_stumpff_hyperbolic(k, s);
    return (1.0 / nsd_factorial(k - 2) - nsd_stumpff_far(k - 2, s)) / s;
}

/* 1 / n!; n! is exact in a double up to 22!. */
static const double nsd_inverse_factorial[] = {
    1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0, 1.0 / 40320.0, 1.0 / 362880.0,
    1.0 / 3628800.0, 1.0 / 39916800.0, 1.0 / 479001600.0, 1.0 / 6227020800.0, 1.0 / 87178291200.0,
    1.0 / 1307674368000.0, 1.0 / 20922789888000.0, 1.0 / 355687428096000.0, 1.0 / 6402373705728000.0,
    1.0 / 121645100408832000.0, 1.0 / 2432902008176640000.0, 1.0 / 51090942171709440000.0,
    1.0 / 1124000727777607680000.0};

/* The rotation of a step is small, as a rule: as few terms as leave out less than 1e-18, and no division. */
static inline double nsd_stumpff(int k, double s)
{
    const double size = fabs(s), *c = nsd_inverse_factorial + k;
    double tail;
    if (!(size <= 0.25) || k > 8)
        return nsd_stumpff_far(k, s);
    tail = c[6];
    if (size > 4e-4) {
        tail = c[10];
        if (size > 0.025)
            tail = c[10] - s * (c[12] - s * c[14]);
        tail = c[6] - s * (c[8] - s * tail);
    }
    return c[0] - s * (c[2] - s * (c[4] - s * tail));
}

#endif /* nsdgen_math.h */
