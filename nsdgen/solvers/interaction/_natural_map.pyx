# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The natural map of one block of rows; the interface is documented in ``_natural_map.pxd``."""

from libc.math cimport fabs, fmax, fmin

from nsdgen.solvers.one_contact._friction_cone cimport MAX_DIM, natural_contact


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


cdef double natural_block(
    int cone, const double *bound, const double *diagonal, const double *z, const double *y, double *scale
) noexcept nogil:
    cdef double f[MAX_DIM]
    cdef double rate = 0.0, reaction = 0.0
    cdef int k, d = block_height(cone)
    if cone < 2:
        return natural_row(cone, diagonal[0], z[0], y[0], scale)
    for k in range(d):
        rate = fmax(rate, fabs(diagonal[k]))
        reaction = fmax(reaction, fabs(z[k]))
    if not rate > 0.0:  # any rate serves for the test itself
        rate = 1.0
    scale[0] += rate * reaction
    if cone == 2:
        return rate * fabs(z[0] - fmax(bound[0], fmin(bound[1], z[0] - y[0] / rate)))
    return rate * natural_contact(d, bound, rate, z, y, f)
