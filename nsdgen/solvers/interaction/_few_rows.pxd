"""Islands of few rows with bounds: the case of the guess, or the one solution."""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef enum:
    FEW_BOUNDED_ROWS = 8

cdef bint few_rows(OneStep *w) noexcept nogil
"""Whether the island at hand, of at most ``FEW_BOUNDED_ROWS`` rows without friction, is solved by the case of its guess.

Where it is, ``z``, ``y`` and ``residual`` are those of the solution, which is clearly in its case. Where it is not (a row
between two cases, dependent rows, numbers that are not finite) nothing is changed.
"""
