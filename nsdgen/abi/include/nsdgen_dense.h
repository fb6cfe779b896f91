/* Passes over dense rows, as fast as memory allows.
 *
 * Sums have one order whatever instructions the processor has: eight of them side by side, joined at the end. So a
 * result is the same to the bit with vectors of two numbers or of four.
 */
#ifndef NSDGEN_DENSE_H
#define NSDGEN_DENSE_H

#include <math.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define NSD_ANY_VECTOR __attribute__((target_clones("avx2", "default")))
#else
#define NSD_ANY_VECTOR
#endif

typedef double nsd_four __attribute__((vector_size(32), aligned(8), may_alias));

typedef long long nsd_bits __attribute__((vector_size(32), aligned(8), may_alias));

static const nsd_bits nsd_unsigned = {0x7fffffffffffffffLL, 0x7fffffffffffffffLL, 0x7fffffffffffffffLL, 0x7fffffffffffffffLL};

#define NSD_AT(x, j) (*(const nsd_four *)((x) + (j)))
#define NSD_SIZE(p) ((nsd_four)((nsd_bits)(p) & nsd_unsigned))
#define NSD_LARGER(a, b, where) ((nsd_four)(((nsd_bits)(a) & (where)) | ((nsd_bits)(b) & ~(where))))
#define NSD_MORE(a, b) ((a) > (b) ? (a) : (b)) /* fmax is a call */
#define NSD_JOIN(s) (((s)[0] + (s)[1]) + ((s)[2] + (s)[3]))

/* The exponent of frexp for a normal number, and 2^e in their range: those of the library are calls. */
static inline int nsd_exponent(double x)
{
    long long bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)((bits >> 52) & 0x7ff) - 1022;
}

static inline double nsd_power(int e)
{
    long long bits = (long long)(e + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* out_k = sum_j a[k * lda + j] x[j] for two rows; three and more are made of these. */
NSD_ANY_VECTOR
static void nsd_dot_two(int n, const double *a, size_t lda, const double *x, double *out)
{
    const double *b = a + lda;
    nsd_four s = {0}, t = {0}, u = {0}, v = {0};
    double one = 0.0, two = 0.0;
    int j = 0;
    for (; j + 8 <= n; j += 8) {
        s += NSD_AT(a, j) * NSD_AT(x, j);
        t += NSD_AT(b, j) * NSD_AT(x, j);
        u += NSD_AT(a, j + 4) * NSD_AT(x, j + 4);
        v += NSD_AT(b, j + 4) * NSD_AT(x, j + 4);
    }
    s += u;
    t += v;
    for (; j < n; ++j) {
        one += a[j] * x[j];
        two += b[j] * x[j];
    }
    out[0] = NSD_JOIN(s) + one;
    out[1] = NSD_JOIN(t) + two;
}

NSD_ANY_VECTOR
static void nsd_dot_three(int n, const double *a, size_t lda, const double *x, double *out)
{
    const double *b = a + lda, *c = b + lda;
    nsd_four s = {0}, t = {0}, w = {0}, u = {0}, v = {0}, y = {0};
    double one = 0.0, two = 0.0, three = 0.0;
    int j = 0;
    for (; j + 8 <= n; j += 8) {
        s += NSD_AT(a, j) * NSD_AT(x, j);
        t += NSD_AT(b, j) * NSD_AT(x, j);
        w += NSD_AT(c, j) * NSD_AT(x, j);
        u += NSD_AT(a, j + 4) * NSD_AT(x, j + 4);
        v += NSD_AT(b, j + 4) * NSD_AT(x, j + 4);
        y += NSD_AT(c, j + 4) * NSD_AT(x, j + 4);
    }
    s += u;
    t += v;
    w += y;
    for (; j < n; ++j) {
        one += a[j] * x[j];
        two += b[j] * x[j];
        three += c[j] * x[j];
    }
    out[0] = NSD_JOIN(s) + one;
    out[1] = NSD_JOIN(t) + two;
    out[2] = NSD_JOIN(w) + three;
}

/* sum_j a[j] x[j], and the same of absolute values into *size. */
NSD_ANY_VECTOR
static double nsd_dot_sized(int n, const double *a, const double *x, double *size)
{
    nsd_four s = {0}, t = {0}, u = {0}, v = {0};
    double one = 0.0, two = 0.0;
    int j = 0;
    for (; j + 8 <= n; j += 8) {
        nsd_four p = NSD_AT(a, j) * NSD_AT(x, j), r = NSD_AT(a, j + 4) * NSD_AT(x, j + 4);
        s += p;
        u += r;
        t += NSD_SIZE(p);
        v += NSD_SIZE(r);
    }
    s += u;
    t += v;
    for (; j < n; ++j) {
        one += a[j] * x[j];
        two += fabs(a[j] * x[j]);
    }
    *size = NSD_JOIN(t) + two;
    return NSD_JOIN(s) + one;
}

/* Of rows: max |a_kj| and max |a_kj| x_j into *largest and *scaled, how many are not zero into *full; the sum of
 * a_kj - a_kj is returned, which is no number where one of them is none or infinite. */
NSD_ANY_VECTOR
static double nsd_look(int rows, int n, const double *a, const double *x, double *largest, double *scaled, int *full)
{
    nsd_four probe = {0}, most = {0}, wide = {0}, count = {0};
    const nsd_four one = {1.0, 1.0, 1.0, 1.0};
    double off = 0.0, top = 0.0, far = 0.0, number = 0.0;
    int j, k;
    for (; rows > 0; --rows, a += n) {
        for (j = 0; j + 4 <= n; j += 4) {
            nsd_four p = NSD_AT(a, j), e;
            nsd_bits where;
            probe += p - p;
            p = NSD_SIZE(p);
            e = p * NSD_AT(x, j);
            where = p > most;
            most = NSD_LARGER(p, most, where);
            where = e > wide;
            wide = NSD_LARGER(e, wide, where);
            count += (nsd_four)((nsd_bits)one & (nsd_bits)(p > 0.0));
        }
        for (; j < n; ++j) {
            off += a[j] - a[j];
            top = NSD_MORE(fabs(a[j]), top);
            far = NSD_MORE(fabs(a[j]) * x[j], far);
            number += a[j] != 0.0;
        }
    }
    for (k = 0; k < 4; ++k) {
        top = NSD_MORE(most[k], top);
        far = NSD_MORE(wide[k], far);
    }
    *largest = top;
    *scaled = far;
    *full = (int)(NSD_JOIN(count) + number);
    return NSD_JOIN(probe) + off;
}

/* max |a_j|; what is no number does not count. */
NSD_ANY_VECTOR
static double nsd_largest(int n, const double *a)
{
    nsd_four most = {0};
    double top = 0.0;
    int j = 0, k;
    for (; j + 4 <= n; j += 4) {
        nsd_four p = NSD_SIZE(NSD_AT(a, j));
        most = NSD_LARGER(p, most, p > most);
    }
    for (; j < n; ++j)
        top = NSD_MORE(fabs(a[j]), top);
    for (k = 0; k < 4; ++k)
        top = NSD_MORE(most[k], top);
    return top;
}

/* Factors of a, n x n, in place, columns first to end - 1 after those before: the row whose first entry times row[i] is
 * largest becomes the pivot's, pivot[k] before it went up. 0, or 1 + k where that is not above tolerance column[k]. */
NSD_ANY_VECTOR
static int nsd_eliminate(int n, int first, int end, double *a, int *pivot, double *row, const double *column,
                         double tolerance)
{
    int i, j, k;
    for (k = first; k < end; ++k) {
        double *own = a + (size_t)k * n, best = -1.0;
        int from = k;
        for (i = k; i < n; ++i) {
            double size = fabs(a[(size_t)i * n + k]) * row[i];
            if (size > best)
                best = size, from = i;
        }
        if (!(best > tolerance * column[k])) /* also where it is no number */
            return 1 + k;
        pivot[k] = from;
        if (from != k) {
            double *other = a + (size_t)from * n;
            for (j = 0; j < n; ++j) {
                double swapped = own[j];
                own[j] = other[j];
                other[j] = swapped;
            }
            row[from] = row[k];
        }
        for (i = k + 1; i < n; ++i) {
            double *target = a + (size_t)i * n, factor = target[k];
            if (factor == 0.0)
                continue;
            target[k] = factor /= own[k];
            for (j = n - 4; j > k; j -= 4) /* from the end: where a number was written whole vectors are read again */
                *(nsd_four *)(target + j) -= factor * NSD_AT(own, j);
            for (j += 3; j > k; --j)
                target[j] -= factor * own[j];
        }
    }
    return 0;
}

/* x of a x = b, once: a is n x stride with b as column n, stride a multiple of four, what is behind b zeros. Pivots are those of
 * the diagonal. One that elimination leaves less than `least` of leaves its unknown zero: the others make it up. */
NSD_ANY_VECTOR
static void nsd_solve_once(int n, int stride, double *a, double least, double *x)
{
    double next = a[0]; /* the pivot, of which a division waits: before its row is written */
    int i, j, k;
    for (k = 0; k < n; ++k)
        x[k] = least * fabs(a[(size_t)k * stride + k]);
    for (k = 0; k < n; ++k) {
        const double *own = a + (size_t)k * stride;
        double pivot = next;
        x[k] = fabs(pivot) > x[k] ? 1.0 / pivot : 0.0;
        for (i = k + 1; i < n; ++i) {
            double *target = a + (size_t)i * stride, factor = target[k] * x[k];
            if (i == k + 1)
                next = factor == 0.0 ? target[i] : target[i] - factor * own[i];
            if (factor == 0.0)
                continue;
            for (j = (k + 1) & ~3; j <= n; j += 4)
                *(nsd_four *)(target + j) -= factor * NSD_AT(own, j);
        }
    }
    for (k = n - 1; k >= 0; --k) {
        const double *own = a + (size_t)k * stride;
        double total = own[n];
        for (j = n - 1; j > k; --j)
            total -= own[j] * x[j];
        x[k] *= total;
    }
}

/* y += factor x. */
NSD_ANY_VECTOR
static void nsd_add(int n, double factor, const double *x, double *y)
{
    int j = 0;
    for (; j + 4 <= n; j += 4)
        *(nsd_four *)(y + j) += factor * NSD_AT(x, j);
    for (; j < n; ++j)
        y[j] += factor * x[j];
}

#endif
