"""Lemke's path over an interaction graph: complementary pivoting for rows and contacts in the plane.

A contact is open, sticks or slides to one of two sides, a row is at a bound or free: in each of
these cases the one-step problem is linear. Along y = A z + b + t c, with c > 0 on the normal
rows, it has for large t one solution, where all contacts are open. From there the solutions
are followed down to t = 0: t may turn back on the way, which Newton's method cannot do. For the
matrices of mechanics (A + shift positive definite, Coulomb's law) the path ends at a solution.

A pivot changes the equations of one contact. The factors of a base case are kept for some
pivots and corrected by the equations that changed since, so that a pivot costs a few
solutions with factors at hand: the whole about n pivots of cost n.
"""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef bint has_path(const OneStep *w) noexcept nogil
"""Whether all rows of the island have finitely many linear cases."""

cdef bint follow_path(OneStep *w, bint near, int limit) noexcept nogil
"""Follow the path, at most ``limit`` pivots; whether it arrived, with its end in ``z``.

With ``near`` it starts from the guess in ``z`` and a c that makes the guess a solution for t = 1:
short where it arrives, but it need not arrive at all. The end solves the problem with the matrix
A + shift. Where the path does not arrive, ``z`` is what it was.
"""
