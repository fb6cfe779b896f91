"""Whether a step has other solutions than the one it took."""
from nsdgen.runtime._data cimport Counters, Stage

cdef enum Verdict:
    UNKNOWN = 0
    ONE_MOTION = 1
    OPEN = 2

cdef void look_for_others(Stage *s, Counters *counters) noexcept nogil
"""Count multipliers that other solutions of the last one-step problem give another value.

Sets ``counters.deficiency`` to that where ranks found none missing, and ``counters.several`` to 1 + the row of the first where such a
solution is another motion. Up to ``MOST_WATCHED`` rows with bounds or signs. Where the matrix is a P-matrix, or symmetric and
semidefinite with null vectors that move nothing, there is one motion whatever the right-hand side is, and nothing more
is looked at; ``s.watched`` keeps that verdict until the matrix changes. Else all sets of active rows are tried in an affine stage, and how far the
multipliers may move beside the solution in any.
"""
