"""Convex shapes of any two kinds, and with half spaces."""
from nsdgen.model.world._pair_points cimport Found, Shape

cdef void convex_convex(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil
"""A face clipped to the other's where shapes lie on a face, both ends along lines, else the nearest place."""

cdef void convex_plane(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil
"""The places of the lowest face, at most five."""

cdef double thick(const Shape *s, const double *n) noexcept nogil
"""How thick a shape is along a unit vector."""

cdef void write_places(Found *f, const Shape *a, const Shape *b, const Apart *at, double reach) noexcept nogil
"""The places of a pair along a direction."""
