"""The rows in play of a stage as a pile (``solvers/piles/_body_steps.pxd``): for many relations between systems of six unknowns.

What a step needs of relations and systems is copied to where what an island holds lies side by side; multipliers, and what they
move, are copied back. No graph of relations is laid out. Blocks in a plane are given a third row that is never pushed.
"""
from nsdgen.runtime._data cimport Stage

cdef int take_pile(Stage *s, double tolerance, double goal, int most, int rows) noexcept nogil
"""Solve rows in play so, where they are more than ``rows``, from here on; 0, or -1 without memory."""

cdef void leave_pile(Stage *s) noexcept nogil
"""Give back what that took."""

cdef bint is_pile(const Stage *s) noexcept nogil
"""Whether the rows in play can be solved so: blocks of one cone that a pile knows, systems of six unknowns, or of three in a plane, with a W of their own."""

cdef int solve_pile(Stage *s) noexcept nogil
"""Find the multipliers of the rows in play; what they move is in the right-hand sides of groups. 0, or -1 without memory."""
