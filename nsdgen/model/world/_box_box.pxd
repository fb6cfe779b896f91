"""Boxes on boxes."""
from nsdgen.model.world._pair_points cimport Found, Shape

cdef void box_on_box(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil
"""Faces clipped against each other, at most four points, or where two edges cross, one."""
