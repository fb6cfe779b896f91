"""Where events that accumulate end: intervals that shrink as a geometric sequence, and the instant they tend to."""
from nsdgen.runtime._program_data cimport Program

cdef enum:
    NODES = 6  # events of a sequence that are kept

cdef void forget_sequence(Program *p) noexcept nogil
"""No event is part of a sequence so far."""

cdef bint reach_limit(Program *p, int which, double stop) noexcept nogil
"""At an event of quantity ``which``: put the record where the sequence it ends tends to, if that is known and before ``stop``."""
