"""Which of the places of a face are kept."""
from nsdgen.model.world._pair_points cimport Corner

cdef int keep_extreme(Corner *corners, int count, double reach, double x, double y) noexcept nogil
"""Those within reach; of more than four the extreme ones along x, y and square to that, and the deepest."""

cdef void towards(const Side *s, const double *u, const double *v, double *x, double *y) noexcept nogil
"""Along u and v, where the extreme places of a side are looked for first: of a round end the lowest place."""

cdef int clip(const Side *on, const Side *other, Corner *out, double *u, double *v) noexcept nogil
"""What of a side lies over a face or line: along u, v and the normal of the face, from its first place; how many."""

cdef void tell_apart(Corner *corners, int count, int first) noexcept nogil
"""Give features that are there twice numbers of their own, from ``first`` on."""
