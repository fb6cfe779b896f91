# cython: language_level=3
"""Rows of a contact: what they see of the velocities of a body, and move of them. Three velocities, or six: two at a time."""

cdef extern from *:
    """
    #include <math.h>

    /* Wherever they lie; the same memory is read as single doubles, too. */
    typedef double nsd_pair __attribute__((vector_size(16), aligned(8), may_alias));

    static inline double nsd_product_of(int n, const double *a, const double *b)
    {
        if (n == 3)
            return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        const nsd_pair *x = (const nsd_pair *) a, *y = (const nsd_pair *) b;
        const nsd_pair sum = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
        return sum[0] + sum[1];
    }

    static inline void nsd_move_by_rows(int rows, int n, const double *C, const double *change, const double *yields, double *v)
    {
        if (n == 3) {
            for (int j = 0; j < 3; j++) {
                double sum = 0.0;
                for (int i = 0; i < rows; i++)
                    sum += C[6 * i + j] * change[i];
                v[j] += yields[j] * sum;
            }
            return;
        }
        nsd_pair a = {0.0, 0.0}, b = a, c = a;
        for (int i = 0; i < rows; i++) {
            const nsd_pair *row = (const nsd_pair *) (C + 6 * i);
            a += change[i] * row[0], b += change[i] * row[1], c += change[i] * row[2];
        }
        const nsd_pair *give = (const nsd_pair *) yields;
        nsd_pair *moved = (nsd_pair *) v;
        moved[0] += give[0] * a, moved[1] += give[1] * b, moved[2] += give[2] * c;
    }

    /* One contact whose rows do not move each other: the impulse of each row alone, tangents in their disc; the largest change of a
       rate. Written out for each number of rows and velocities. Bodies have rows C, velocities v and ``yields``, the second may be
       NULL. What is open and stays so is told by its first row alone. */
    static inline __attribute__((always_inline)) double nsd_visit_plain(
        int rows, int n, double friction, const double *own, const double *inverse, const double *free, double *r,
        const double *C, double *v, const double *yields, const double *D, double *w, const double *gives)
    {
        double u[3], change[3], size = 0.0, largest;
        int i, acts = r[0] != 0.0;
        u[0] = free[0] + nsd_product_of(n, C, v);
        if (w)
            u[0] += nsd_product_of(n, D, w);
        for (i = 1; i < rows; i++)
            acts |= r[i] != 0.0;
        if (u[0] >= 0.0 && !acts)
            return 0.0;
        for (i = 1; i < rows; i++)
            u[i] = free[i] + nsd_product_of(n, C + 6 * i, v);
        for (i = 1; w && i < rows; i++)
            u[i] += nsd_product_of(n, D + 6 * i, w);
        change[0] = r[0] - u[0] * inverse[0];
        change[0] = change[0] > 0.0 ? change[0] : 0.0;
        for (i = 1; i < rows; i++) {
            change[i] = r[i] - u[i] * inverse[1];
            size += change[i] * change[i];
        }
        if (size > friction * friction * change[0] * change[0]) {
            const double share = friction * change[0] / sqrt(size);
            for (i = 1; i < rows; i++)
                change[i] *= share;
        }
        largest = 0.0;
        for (i = 0; i < rows; i++) {
            const double next = change[i], rate = fabs(own[4 * (i > 0)] * (next - r[i]));
            change[i] = next - r[i];
            r[i] = next;
            largest = rate > largest ? rate : largest;
        }
        nsd_move_by_rows(rows, n, C, change, yields, v);
        if (w)
            nsd_move_by_rows(rows, n, D, change, gives, w);
        return largest;
    }
    """
    double product_of "nsd_product_of"(int n, const double *a, const double *b) noexcept nogil  # of n = 3 or 6
    # v += yields C^T change, C with rows of six of which n count
    void move_by_rows "nsd_move_by_rows"(int rows, int n, const double *C, const double *change, const double *yields, double *v) noexcept nogil
    double visit_plain "nsd_visit_plain"(
        int rows, int n, double friction, const double *own, const double *inverse, const double *free, double *r,
        const double *C, double *v, const double *yields, const double *D, double *w, const double *gives) noexcept nogil
