"""One-step problems without friction whose solution is not unique, or not found yet."""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef int settle(OneStep *w, double reached) noexcept nogil
"""Replace the solution in ``z``, of residual ``reached``, by the one of least norm where it is not
the only one; small islands that have none yet are solved by the dense solver. How many rows depend on others.
"""

cdef void shortest_augmented(OneStep *w, double reached) noexcept nogil
"""Multipliers of least norm where unknowns stand in the island and the factors have found some of its rows dependent."""
