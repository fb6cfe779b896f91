# cython: language_level=3
"""Rows of a contact: what they see of the velocities of a body, and move of them. Three velocities, or six: two at a time."""

cdef extern from *:
    """
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
    """
    double product_of "nsd_product_of"(int n, const double *a, const double *b) noexcept nogil  # of n = 3 or 6
    # v += yields C^T change, C with rows of six of which n count
    void move_by_rows "nsd_move_by_rows"(int rows, int n, const double *C, const double *change, const double *yields, double *v) noexcept nogil
