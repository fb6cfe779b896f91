"""What happens at an instant besides motion: blocks that are due act, and what they change makes others due."""
from nsdgen.runtime._data cimport Counters, Failure
from nsdgen.runtime._program_data cimport Program

cdef int run_blocks(Program *p, Counters *counters, Failure *failure) noexcept nogil
"""All blocks that are due sample, then each computes, holds and sets states: 0 or a FailureCode. None is due then."""

cdef void begin_instant(Program *p, bint on_time) noexcept nogil
"""Another instant than the last: nothing has crossed or acted at it. ``on_time``: that at which clocks are due."""

cdef void find_crossed(Program *p, const double *before, int *which) noexcept nogil
"""The quantities that have crossed since they had these values have ``fired``; ``which`` is one, unless it is one."""

cdef int pass_instant(Program *p, Counters *counters, int *which, Failure *failure) noexcept nogil
"""Blocks act: those that are due, and those whose quantities have fired; 0 or a FailureCode.

Those whose quantities cross by what others change follow, each block once; ``which`` is as in ``find_crossed``.
"""

cdef bint crossed(const Program *p) noexcept nogil
"""Whether a quantity has fired and its block has not acted yet."""

cdef bint ends_run(const Program *p) noexcept nogil
"""Whether a quantity has fired that ends the run."""
