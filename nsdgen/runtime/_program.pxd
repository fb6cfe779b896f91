# cython: language_level=3
"""The stages of a step in order, repeated, skipped, and a step that ends early."""
from nsdgen.runtime._data cimport Counters, Failure, Program

cdef int make_step(Program *p, double begin, double end, double h, Counters *counters, Failure *failure) noexcept nogil
"""One step from ``begin`` to ``end``, h long to rounding: 0 or a FailureCode."""

cdef int make_step_cut(Program *p, double begin, double end, double h, Counters *counters, Failure *failure,
                       int *which) noexcept nogil
"""One step to ``end``, or to the first zero of a quantity that cuts: ``which`` is its number, -1 for none.

The clock says where the step ended.
"""

cdef int evaluate_cuts(Program *p, Failure *failure) noexcept nogil
"""The quantities whose zeros end a step, or are events, at the state and memory as they are."""
