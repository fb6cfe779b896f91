# cython: language_level=3
"""The last resort of a one-step problem, with the lock held."""

cdef int one_step_rescue(void *problem) noexcept nogil
"""Solve the island of ``problem``, a ``OneStep``, by the public solvers, which try everything, slowly.

The index of the reason in ``solution.REASONS`` where they fail, 0 for a solution. Blocks lie in ``value`` in their order.
"""
