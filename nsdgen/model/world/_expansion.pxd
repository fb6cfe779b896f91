"""How far apart two convex shapes are, or how deep inside each other, by planes between them."""
from nsdgen.model.world._pair_points cimport Shape

cdef struct Apart:
    double gap, size  # below 0: a depth; size: of the shapes
    double normal[3]  # unit, from b to a
    double a[3]  # places of both that are nearest
    double b[3]

cdef double apart_along(const Shape *a, const Shape *b, const double *n, double *pa, double *pb) noexcept nogil
"""How far apart two shapes are along a unit vector from b to a, roundness left out, and the places of both there."""

cdef bint prefer(const Shape *a, const Shape *b, const double *n, double roundness, double less, Apart *at) noexcept nogil
"""Take a direction along which two shapes are farther apart, or as far but for ``less``; ``roundness``: of both."""

cdef bint expand(const Shape *a, const Shape *b, double reach, Apart *out) noexcept nogil
"""The unit vector along which two shapes are farthest apart; False where that is more than ``reach``."""

cdef void nearest(const double *p, const double *q, const double *r, double *weight) noexcept nogil
"""The weights of the place of a triangle that is nearest to the origin."""
