"""The stages of a step in order, repeated, skipped, and a step that ends early."""
from nsdgen.runtime._data cimport Counters, Failure
from nsdgen.runtime._program_data cimport Program

cdef int make_step(Program *p, double begin, double end, double h, Counters *counters, Failure *failure) noexcept nogil
"""One step from ``begin`` to ``end``, h long to rounding: 0 or a FailureCode."""

cdef int make_step_cut(Program *p, double begin, double end, double h, Counters *counters, Failure *failure,
                       int *which) noexcept nogil
"""One step to ``end``, or to the first zero of a quantity that cuts: ``which`` is its number, -1 for none.

The clock says where the step ended.
"""

cdef int keep_start(Program *p, Failure *failure) noexcept nogil
"""Keep the record and the modes, and the quantities that cut as they are: 0 or a FailureCode."""

cdef void back_to_start(Program *p) noexcept nogil
"""The record and the modes as they were kept."""

cdef long steps_uncut(Program *p, long count, const double *row, long stride, const double *times,
                      Failure *failure) noexcept nogil
"""How many steps lie before the first one in which a quantity that cuts becomes zero.

The records of ``count`` steps after the one that was kept are ``stride`` numbers apart, ``times`` are their ends.
"""

cdef int evaluate_cuts(Program *p, Failure *failure) noexcept nogil
"""The quantities whose zeros end a step, or are events, at the state and memory as they are."""
