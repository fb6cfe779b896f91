# cython: language_level=3
"""The last resort of a one-step problem, with the lock held."""

from nsdgen.solvers._one_step cimport OneStep

cdef int one_step_rescue(OneStep *w) noexcept nogil
"""Solve the island by the public solvers, which try everything, slowly; the index of the reason in
``problem.REASONS`` where they fail, 0 for a solution. Blocks lie in ``value`` in their order."""
