# cython: language_level=3
"""The inverse of a matrix of three rows."""

from libc.math cimport fabs

cdef inline void invert_three(const double *a, double *inverse) noexcept nogil:
    """The inverse of a (3 x 3) by Gauss and Jordan, with exchanges of rows; infinite or no numbers where it is singular."""
    cdef double[9] m
    cdef double value
    cdef int i, j, k, best
    for i in range(9):
        m[i] = a[i]
        inverse[i] = 0.0
    inverse[0] = inverse[4] = inverse[8] = 1.0
    for k in range(3):
        best = k
        for i in range(k + 1, 3):
            if fabs(m[3 * i + k]) > fabs(m[3 * best + k]):
                best = i
        if best != k:
            for j in range(3):
                m[3 * best + j], m[3 * k + j] = m[3 * k + j], m[3 * best + j]
                inverse[3 * best + j], inverse[3 * k + j] = inverse[3 * k + j], inverse[3 * best + j]
        value = 1.0 / m[4 * k]
        for j in range(3):
            m[3 * k + j] *= value
            inverse[3 * k + j] *= value
        for i in range(3):
            value = m[3 * i + k]
            if i == k or value == 0.0:
                continue
            for j in range(3):
                m[3 * i + j] -= value * m[3 * k + j]
                inverse[3 * i + j] -= value * inverse[3 * k + j]


cdef inline void times_three(const double *a, const double *b, double *c) noexcept nogil:
    """c = a b, all 3 x 3."""
    cdef int i, j
    for i in range(3):
        for j in range(3):
            c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j]


cdef inline void apply_three(const double *a, const double *x, double *y) noexcept nogil:
    """y = a x; y is no x."""
    cdef int i
    for i in range(3):
        y[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2]
