"""An interior point method over an interaction graph: large islands, and large problems of rows.

A reaction in Coulomb's cone is a combination of its two edges, r = G a with a >= 0. For y >= 0 orthogonal to a the law of a contact reads

    u_N = y_1 y_2 / (y_1 + y_2),  u_T = (y_1 - y_2) / (2 mu),

for either edge that acts makes u_N = 0 and lets the contact slide one way, both let it stick, and none leaves it open with any
u_N > 0 and u_T. It is smooth where y > 0, so that an interior point method finds which contacts are open, stick and slide all at
once, in some twenty factorisations whatever the number of contacts; Newton's method and the path find them one after the other.
From there Newton's method takes two to four steps. The problem is not monotone: steps may come to a halt. Then from nothing come convex rounds,
with u_N + mu |u_T| in place of u_N (De Saxce and Feng, 1998) and mu |u_T| of the round before; near a guess it is made easier
(``_proximal_rounds.pxd``).

A row with bounds has a distance a from each finite one; where there is no friction one such problem is all, and each
row is put on the bound that it tends to.

Of many solutions it is one far from all edges: contacts of which nothing says that they slide stick.
"""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef bint has_interior(const OneStep *w) noexcept nogil
"""Whether the island has no other cones than those of rows and of contacts in the plane with finite friction."""

cdef double interior_point(OneStep *w, bint warm) noexcept nogil
"""Solve from ``z`` or, not ``warm``, from nothing; leaves the best iterate in ``z`` and returns its residual.

Overwrites ``best``, ``center`` and ``way``.
"""

cdef bint interior_round(OneStep *w) noexcept nogil
"""Solve the problem with ``shift`` around ``center`` nearly, from ``z`` = ``center``; whether contacts show their cases there."""
