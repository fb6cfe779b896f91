# cython: language_level=3, cdivision=True
"""Vectors in the cone x_0 >= |(x_1, x_2)| and its algebra."""

from libc.math cimport HUGE_VAL, sqrt

cdef inline double in_cone(const double* x) noexcept nogil:
    """x_0^2 - |(x_1, x_2)|^2, without cancellation."""
    cdef double length = sqrt(x[1] * x[1] + x[2] * x[2])
    return (x[0] - length) * (x[0] + length)


cdef inline double to_edge(const double* x, const double* dx) noexcept nogil:
    """How far x + t dx stays in the cone."""
    cdef double length = sqrt(dx[1] * dx[1] + dx[2] * dx[2])
    cdef double a = (dx[0] - length) * (dx[0] + length), b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2]
    cdef double c = in_cone(x), root = sqrt(max(b * b - a * c, 0.0)) - b  # x in the cone: rounding where the root is below
    return c / root if root > 0.0 else HUGE_VAL


cdef inline double times_part(const double* x, const double* z, int i) noexcept nogil:
    """Entry i of x o z."""
    return x[0] * z[i] + z[0] * x[i] if i else x[0] * z[0] + x[1] * z[1] + x[2] * z[2]
