"""What a run sets itself: parameters that blocks hold at instants of their own, and h."""
from nsdgen.runtime._data cimport Failure
from nsdgen.runtime._program_data cimport Program

cdef void start_blocks(Program *p, double step) noexcept nogil
"""No instant has passed; periods and offsets are those of the parameters."""

cdef void resume_blocks(Program *p, double now, double step, bint pending) noexcept nogil
"""The instants of clocks before ``now`` have passed, and those at it, unless they are ``pending``."""

cdef double next_stop(Program *p, double start, double begin, double end, double step, long number) noexcept nogil
"""Where the step that begins at ``begin`` ends, at the latest at ``end``, and which blocks are due there.

``start`` is that of the run; ``number`` is the one of the step that ends at ``end``.
"""

cdef long steps_before_instant(Program *p, double start, double step, long number) noexcept nogil
"""How many steps after step ``number``, at least, end before any block is due."""

cdef double next_due(Program *p, double start, double end, double step) noexcept nogil
"""The next instant of a block in a run from ``start`` to ``end``, INFINITY for none, and which blocks are due there.

It is a multiple of ``step`` where it is one but for rounding.
"""

cdef void read_others(Program *p) noexcept nogil
"""What blocks read of the multipliers of others, into their memories."""

cdef int publish(Program *p, int number, Failure *failure) noexcept nogil
"""What a block has just computed is what all others read from now on: 0 or a FailureCode."""

cdef int reset_states(Program *p, int number, Failure *failure) noexcept nogil
"""States that a block sets, where it has acted; what is recorded and remembered of the new ones. 0 or a FailureCode."""

cdef int spread(Program *p, Failure *failure) noexcept nogil
"""The parameters of the model into the arguments of instances that depend on what a run sets: 0 or HELD_RANGE."""
