# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The natural map of one row: zero exactly where (y, z) satisfies the row's cone."""
from libc.math cimport fabs, fmin


cdef double natural_row(int cone, double diagonal, double z, double y, double *scale) noexcept nogil:
    cdef double reach
    if cone == 0:  # equality
        return fabs(y)
    if diagonal > 0:
        reach = diagonal * z
        scale[0] += fabs(reach)
        return fabs(fmin(reach, y))
    if z > 0:  # no exchange rate between z and y: an acting multiplier asks for y = 0
        return fabs(y)
    return fabs(fmin(y, 0.0)) if z == 0 else fabs(y) + scale[0]
