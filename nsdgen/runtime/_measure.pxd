"""How far an iterate is from a solution, row by row in units of the row's own terms."""
from nsdgen.runtime._data cimport BoundRelation, Failure, Stage

cdef double largest_scaled_row(Stage *s, Failure *failure) noexcept nogil
"""The largest scaled row of the residuals and of the natural map of the laws.

Expects freshly evaluated R, rho and y. Infinite where a row is not a number. Names
the row in ``failure`` (detail 0: system ``item``; 1: relation ``item``).
"""

cdef double largest_residual(Stage *s, Failure *failure) noexcept nogil
"""The largest Euclidean norm of R - rho of one system, in its own unit.

Expects freshly evaluated R, and rho as it is to count. Infinite where a row is not a number.
"""

cdef double merit(Stage *s, bint first) noexcept nogil
"""What a damped iteration must reduce: the largest row over a *fixed* weight.

To be called after one of the two. ``first`` takes the present magnitudes as weights;
they must not change within one search, or a longer row could pass for a shorter one.
"""

cdef double noise(Stage *s) noexcept nogil
"""Terms of a row that are nothing beside the others of the stage."""

cdef bint relation_holds(Stage *s, int index, double least) noexcept nogil
"""Whether the natural map of a relation in play is small, ``least`` being no term at all.

Its own scales and what ``resolve`` filled in are what it is compared with; the latter, row by row, is left in ``scratch``.
"""

cdef void resolve(Stage *s) noexcept nogil
"""Fill ``resolved``: the terms of each row of R as a change of the unknown that its pivot belongs to."""

cdef void resolution(Stage *s, BoundRelation *r, double *size) noexcept nogil
"""What the unknowns leave in the rows of a relation, each known to what ``resolve`` filled in."""
