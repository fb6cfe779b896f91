"""What convex shapes have in a direction: their farthest place, and the face, line or place there."""
from nsdgen.model.world._pair_points cimport Shape

cdef enum:
    MOST_CORNERS = 64  # of a face
    RIM = 24  # places at which the rim of an end of a cylinder or cone is taken

cdef struct Side:
    # A face (n >= 3, counterclockwise about its normal), a line (2) or a place (1), in the inertial frame.
    int n
    double p[192]
    int feature[64]
    double normal[3]

cdef double round_by(const Shape *s) noexcept nogil
"""The radius by which a shape is thicker than what ``support`` knows of it: of spheres and capsules."""

cdef void support(const Shape *s, const double *way, double *out) noexcept nogil
"""The farthest place of a shape along a unit vector, without its roundness."""

cdef void side(const Shape *s, const double *way, Side *out) noexcept nogil
"""What of a shape lies farthest along a unit vector, or nearly: the face there that looks most along it."""
