# cython: language_level=3
"""Blocks of six rows and columns, row by row: LU without exchanges, and what goes with it."""

cdef extern from *:
    """
    /* Two doubles at a time, wherever they lie; the same memory is read as single doubles, too. */
    typedef double nsd_two __attribute__((vector_size(16), aligned(8), may_alias));

    static inline void nsd_subtract_six(const double *a, const double *b, double *c)
    {
        for (int i = 0; i < 6; i++) {
            nsd_two x = *(nsd_two *) (c + 6 * i), y = *(nsd_two *) (c + 6 * i + 2), z = *(nsd_two *) (c + 6 * i + 4);
            for (int k = 0; k < 6; k++) {
                const double value = a[6 * i + k];
                const nsd_two *row = (const nsd_two *) (b + 6 * k);
                x -= value * row[0], y -= value * row[1], z -= value * row[2];
            }
            *(nsd_two *) (c + 6 * i) = x, *(nsd_two *) (c + 6 * i + 2) = y, *(nsd_two *) (c + 6 * i + 4) = z;
        }
    }

    static inline int nsd_factor_six(double *a)
    {
        for (int k = 0; k < 6; k++) {
            if (!(a[7 * k] > 0.0 || a[7 * k] < 0.0))
                return 1;
            const double pivot = 1.0 / a[7 * k];
            for (int i = k + 1; i < 6; i++) {
                const double value = a[6 * i + k] *= pivot;
                for (int j = k + 1; j < 6; j++)
                    a[6 * i + j] -= value * a[6 * k + j];
            }
        }
        return 0;
    }

    /* x <- x U^-1, row by row. */
    static inline void nsd_from_right(const double *lu, double *x)
    {
        for (int k = 0; k < 6; k++) {
            const double pivot = 1.0 / lu[7 * k];
            for (int i = 0; i < 6; i++) {
                const double value = x[6 * i + k] *= pivot;
                for (int j = k + 1; j < 6; j++)
                    x[6 * i + j] -= value * lu[6 * k + j];
            }
        }
    }

    /* x <- L^-1 x. */
    static inline void nsd_from_left(const double *lu, double *x)
    {
        for (int i = 1; i < 6; i++)
            for (int k = 0; k < i; k++) {
                const double value = lu[6 * i + k];
                for (int j = 0; j < 6; j++)
                    x[6 * i + j] -= value * x[6 * k + j];
            }
    }

    static inline void nsd_subtract_vector(const double *a, const double *x, double *y)
    {
        for (int i = 0; i < 6; i++) {
            double total = 0.0;
            for (int k = 0; k < 6; k++)
                total += a[6 * i + k] * x[k];
            y[i] -= total;
        }
    }

    static inline void nsd_vector_forward(const double *lu, double *x)
    {
        for (int i = 1; i < 6; i++)
            for (int k = 0; k < i; k++)
                x[i] -= lu[6 * i + k] * x[k];
    }

    static inline void nsd_vector_backward(const double *lu, double *x)
    {
        for (int i = 5; i >= 0; i--) {
            for (int k = i + 1; k < 6; k++)
                x[i] -= lu[6 * i + k] * x[k];
            x[i] /= lu[7 * i];
        }
    }
    """
    void subtract_six "nsd_subtract_six"(const double *a, const double *b, double *c) noexcept nogil  # c -= a b
    int factor_six "nsd_factor_six"(double *a) noexcept nogil  # a = L U, 1 beside a pivot that is zero
    void from_right "nsd_from_right"(const double *lu, double *x) noexcept nogil  # x = x U^-1
    void from_left "nsd_from_left"(const double *lu, double *x) noexcept nogil  # x = L^-1 x
    void subtract_vector "nsd_subtract_vector"(const double *a, const double *x, double *y) noexcept nogil  # y -= a x
    void vector_forward "nsd_vector_forward"(const double *lu, double *x) noexcept nogil  # x = L^-1 x
    void vector_backward "nsd_vector_backward"(const double *lu, double *x) noexcept nogil  # x = U^-1 x
