# cython: language_level=3
"""An interior point method over an interaction graph: large islands of which nothing is known, and large problems of rows.

Where the bounds of friction act like those of a convex problem, |r_T| <= mu r_N with u_N + mu |u_T| in place of u_N
(De Saxce and Feng, 1998) and mu |u_T| known, reactions are combinations of the two edges of their cone with
coefficients a >= 0, r = G a, and y = G^T u obeys 0 <= a orthogonal to y >= 0: rows of complementarity, for which an interior point method
takes some twenty factorisations whatever the size. Newton's method and the path, which find contacts that open or slide one
after the other, take the longer the more of them there are. mu |u_T| comes from one such problem to the next; what lies at rest
needs one.

A row with bounds has a distance a from each finite one; where there is no friction one such problem is all, and each
row is put on the bound that it tends to.

The solution is the one farthest from all edges: contacts of which nothing says that they slide stick.
"""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef bint has_interior(const OneStep *w) noexcept nogil
"""Whether the island has no other cones than those of rows and of contacts in the plane with finite friction."""

cdef double interior_point(OneStep *w) noexcept nogil
"""Solve from nothing; leaves the best iterate in ``z`` and returns its residual. Overwrites ``best``."""
