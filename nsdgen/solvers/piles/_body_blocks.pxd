# cython: language_level=3
"""Blocks of n = 3 or 6 rows and columns, row by row: LU without exchanges, and what goes with it."""

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

    /* Each for blocks of n rows; written out by the compiler for the two n there are. */
    #define NSD_BLOCKS(n) \\
    static inline int nsd_factor_##n(double *a) \\
    { \\
        for (int k = 0; k < n; k++) { \\
            if (!(a[(n + 1) * k] > 0.0 || a[(n + 1) * k] < 0.0)) \\
                return 1; \\
            const double pivot = 1.0 / a[(n + 1) * k]; \\
            for (int i = k + 1; i < n; i++) { \\
                const double value = a[n * i + k] *= pivot; \\
                for (int j = k + 1; j < n; j++) \\
                    a[n * i + j] -= value * a[n * k + j]; \\
            } \\
        } \\
        return 0; \\
    } \\
    static inline void nsd_from_right_##n(const double *lu, double *x) \\
    { \\
        for (int k = 0; k < n; k++) { \\
            const double pivot = 1.0 / lu[(n + 1) * k]; \\
            for (int i = 0; i < n; i++) { \\
                const double value = x[n * i + k] *= pivot; \\
                for (int j = k + 1; j < n; j++) \\
                    x[n * i + j] -= value * lu[n * k + j]; \\
            } \\
        } \\
    } \\
    static inline void nsd_from_left_##n(const double *lu, double *x) \\
    { \\
        for (int i = 1; i < n; i++) \\
            for (int k = 0; k < i; k++) { \\
                const double value = lu[n * i + k]; \\
                for (int j = 0; j < n; j++) \\
                    x[n * i + j] -= value * x[n * k + j]; \\
            } \\
    } \\
    static inline void nsd_subtract_vector_##n(const double *a, const double *x, double *y) \\
    { \\
        for (int i = 0; i < n; i++) { \\
            double total = 0.0; \\
            for (int k = 0; k < n; k++) \\
                total += a[n * i + k] * x[k]; \\
            y[i] -= total; \\
        } \\
    } \\
    static inline void nsd_vector_forward_##n(const double *lu, double *x) \\
    { \\
        for (int i = 1; i < n; i++) \\
            for (int k = 0; k < i; k++) \\
                x[i] -= lu[n * i + k] * x[k]; \\
    } \\
    static inline void nsd_vector_backward_##n(const double *lu, double *x) \\
    { \\
        for (int i = n - 1; i >= 0; i--) { \\
            for (int k = i + 1; k < n; k++) \\
                x[i] -= lu[n * i + k] * x[k]; \\
            x[i] /= lu[(n + 1) * i]; \\
        } \\
    }
    NSD_BLOCKS(3)
    NSD_BLOCKS(6)

    static inline void nsd_subtract_three(const double *a, const double *b, double *c)
    {
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                for (int j = 0; j < 3; j++)
                    c[3 * i + j] -= a[3 * i + k] * b[3 * k + j];
    }

    #define nsd_of(n, name, ...) ((n) == 3 ? name##_3(__VA_ARGS__) : name##_6(__VA_ARGS__))
    #define nsd_subtract_blocks(n, a, b, c) ((n) == 3 ? nsd_subtract_three(a, b, c) : nsd_subtract_six(a, b, c))
    #define nsd_factor(n, a) nsd_of(n, nsd_factor, a)
    #define nsd_from_right(n, lu, x) nsd_of(n, nsd_from_right, lu, x)
    #define nsd_from_left(n, lu, x) nsd_of(n, nsd_from_left, lu, x)
    #define nsd_subtract_vector(n, a, x, y) nsd_of(n, nsd_subtract_vector, a, x, y)
    #define nsd_vector_forward(n, lu, x) nsd_of(n, nsd_vector_forward, lu, x)
    #define nsd_vector_backward(n, lu, x) nsd_of(n, nsd_vector_backward, lu, x)
    """
    void subtract_blocks "nsd_subtract_blocks"(int n, const double *a, const double *b, double *c) noexcept nogil  # c -= a b
    int factor_block "nsd_factor"(int n, double *a) noexcept nogil  # a = L U, 1 beside a pivot that is zero
    void from_right "nsd_from_right"(int n, const double *lu, double *x) noexcept nogil  # x = x U^-1
    void from_left "nsd_from_left"(int n, const double *lu, double *x) noexcept nogil  # x = L^-1 x
    void subtract_vector "nsd_subtract_vector"(int n, const double *a, const double *x, double *y) noexcept nogil  # y -= a x
    void vector_forward "nsd_vector_forward"(int n, const double *lu, double *x) noexcept nogil  # x = L^-1 x
    void vector_backward "nsd_vector_backward"(int n, const double *lu, double *x) noexcept nogil  # x = U^-1 x
