# cython: language_level=3
"""Sweeps over the rows in play that keep what systems move by in place of A: for many relations and a stated accuracy.

A block of rows is solved exactly for its own multipliers, and what their change moves is subtracted from the moves of its
systems (r_i -= X dlambda), which the next block reads: u = y - C r. Nothing but C and X is read, so a sweep costs the same
for each relation whatever their number, and no graph is laid out. Sweeps go forth and back, start from the last
multipliers, and each starts ahead of the last one by a momentum (Nesterov's), which is dropped where changes grow. All
multipliers are in their cones whenever they end: at ``sweep_goal``, the largest change of any u in a sweep, or after
``most_sweeps``. What is left is in ``sweep_left``.
"""
from nsdgen.runtime._data cimport Stage

cdef enum:
    SWEEP_OWN = 40  # doubles for each relation: its own block, and multipliers before a sweep

cdef bint can_sweep(const Stage *s) noexcept nogil
"""Whether all rows in play are such that they can be swept: blocks of at most five rows, systems with a W of their own."""

cdef void sweep_systems(Stage *s) noexcept nogil
"""Find the multipliers of the rows in play; what they move is in the right-hand sides of groups."""
