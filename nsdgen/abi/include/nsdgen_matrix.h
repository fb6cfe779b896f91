/* nsdgen_matrix.h: matrix functions that emitted kernels call on an array they have stored; matrices are dense, row by row.
 *
 *   nsd_hold(n, values)  from values = (Y, M), both n x n, to (e^X - 1, phi(X) M^-1) with X = M^-1 Y and
 *                        phi(X) = (e^X - 1) X^-1 = sum_k X^k / (k + 1)!
 *
 * x+ = x + (e^X - 1) x + h phi(X) M^-1 b solves M x' = A x + b over a time h, with Y = h A. Where M is singular,
 * or memory is missing, the values are not-a-number.
 */
#ifndef NSDGEN_MATRIX_H
#define NSDGEN_MATRIX_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* c = a b, all n x n; c is another array than a and b. Zeros of a cost nothing. */
static void nsd_multiply(int n, const double *a, const double *b, double *c)
{
    memset(c, 0, (size_t)n * n * sizeof(double));
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            double factor = a[i * n + k];
            if (factor != 0.0)
                for (int j = 0; j < n; ++j)
                    c[i * n + j] += factor * b[k * n + j];
        }
}

/* b = a^-1 b by elimination with row pivoting; a is overwritten. 0, or -1 where a is singular: where nothing is left
 * of a row but what rounding leaves. w has room for n values. */
static int nsd_divide(int n, double *a, double *b, double *w)
{
    for (int i = 0; i < n; ++i) {
        w[i] = 0.0;
        for (int j = 0; j < n; ++j)
            w[i] = fmax(w[i], fabs(a[i * n + j]));
    }
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
                pivot = i;
        if (!(fabs(a[pivot * n + k]) > 2e-16 * n * w[pivot]))
            return -1;
        double largest = w[k];
        w[k] = w[pivot], w[pivot] = largest;
        for (int j = 0; pivot != k && j < n; ++j) {
            double of_a = a[k * n + j], of_b = b[k * n + j];
            a[k * n + j] = a[pivot * n + j], a[pivot * n + j] = of_a;
            b[k * n + j] = b[pivot * n + j], b[pivot * n + j] = of_b;
        }
        for (int i = k + 1; i < n; ++i) {
            double factor = a[i * n + k] / a[k * n + k];
            for (int j = k + 1; factor != 0.0 && j < n; ++j)
                a[i * n + j] -= factor * a[k * n + j];
            for (int j = 0; factor != 0.0 && j < n; ++j)
                b[i * n + j] -= factor * b[k * n + j];
        }
    }
    for (int k = n - 1; k >= 0; --k)
        for (int j = 0; j < n; ++j) {
            double sum = b[k * n + j];
            for (int i = k + 1; i < n; ++i)
                sum -= a[k * n + i] * b[i * n + j];
            b[k * n + j] = sum / a[k * n + k];
        }
    return 0;
}

/* How often x must be halved for the approximant of order 7; -1 where its norm is not finite. */
static int nsd_halvings(int n, const double *x)
{
    double norm = 0.0;
    int exponent;
    for (int j = 0; j < n; ++j) {
        double sum = 0.0;
        for (int i = 0; i < n; ++i)
            sum += fabs(x[i * n + j]);
        norm = sum > norm || sum != sum ? sum : norm;
    }
    if (!isfinite(norm))
        return -1;
    if (norm <= 0.95)
        return 0;
    frexp(norm / 0.95, &exponent);
    return exponent;
}

/* f = phi(x) by the diagonal Pade approximant p/q of order 7 of the exponential, for a norm of x below 0.95:
 * p(x) - q(x) = 2 x u(x^2), so phi = 2 u / q. w has room for 5 matrices. 0, or -1. */
static int nsd_phi(int n, const double *x, double *f, double *w)
{
    const double c[] = {17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0};
    const int size = n * n;
    double *x2 = w, *x4 = w + size, *x6 = w + 2 * size, *q = w + 3 * size;
    nsd_multiply(n, x, x, x2);
    nsd_multiply(n, x2, x2, x4);
    nsd_multiply(n, x4, x2, x6);
    for (int i = 0; i < size; ++i)
        f[i] = c[7] * x6[i] + c[5] * x4[i] + c[3] * x2[i] + (i % (n + 1) ? 0.0 : c[1]);
    nsd_multiply(n, x, f, q);
    for (int i = 0; i < size; ++i) {
        q[i] = c[6] * x6[i] + c[4] * x4[i] + c[2] * x2[i] + (i % (n + 1) ? 0.0 : c[0]) - q[i];
        f[i] *= 2.0;
    }
    return nsd_divide(n, q, f, w + 4 * size);
}

/* d = e^x - 1 and f = phi(x): halved, approximated, doubled. Doubling d = e^x - 1 and not e^x keeps the digits of
 * slow modes beside fast ones: d -> 2 d + d^2, f -> f + d f / 2. w has room for 5 matrices; x is overwritten. */
static int nsd_exponential(int n, double *x, double *d, double *f, double *w)
{
    const int size = n * n, halvings = nsd_halvings(n, x);
    if (halvings < 0)
        return -1;
    for (int i = 0; i < size; ++i)
        x[i] = ldexp(x[i], -halvings);
    if (nsd_phi(n, x, f, w))
        return -1;
    nsd_multiply(n, x, f, d);
    for (int k = 0; k < halvings; ++k) {
        nsd_multiply(n, d, f, w);
        nsd_multiply(n, d, d, w + size);
        for (int i = 0; i < size; ++i) {
            f[i] += 0.5 * w[i];
            d[i] = 2.0 * d[i] + w[size + i];
        }
    }
    return 0;
}

static void nsd_hold(int n, double *values)
{
    const size_t size = (size_t)n * n;
    double *room = (double *)malloc(9 * size * sizeof(double));
    double *y = values, *m = values + size, *inverse = room, *f = room + size, *factor = room + 2 * size;
    int failed = room == NULL;
    if (!failed) {
        for (size_t i = 0; i < size; ++i)
            inverse[i] = i % (n + 1) ? 0.0 : 1.0;
        memcpy(factor, m, size * sizeof(double));
        failed = nsd_divide(n, factor, inverse, room + 4 * size);
    }
    if (!failed) {
        memcpy(factor, m, size * sizeof(double));
        memcpy(room + 3 * size, y, size * sizeof(double));
        failed = nsd_divide(n, factor, room + 3 * size, room + 4 * size)
            || nsd_exponential(n, room + 3 * size, y, f, room + 4 * size);
    }
    if (!failed)
        nsd_multiply(n, f, inverse, m);
    for (size_t i = 0; failed && i < 2 * size; ++i)
        values[i] = NAN;
    free(room);
}

#endif /* nsdgen_matrix.h */
