"""Surfaces of triangles, one-sided: what is behind one is not met."""
from nsdgen.model.world._pair_points cimport Found, Shape

cdef void convex_mesh(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil
"""A convex shape on the triangles near it, without those of their edges that are none of the surface."""

cdef void mesh_plane(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil
"""Vertices of a mesh, at most five."""
