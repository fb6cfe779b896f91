"""The instant of an event, to rounding, on the motion that the integrator made."""
from nsdgen.runtime._data cimport Failure
from nsdgen.runtime._program_data cimport Program

cdef int locate(Program *p, double to, Failure *failure, int *which) noexcept nogil
"""The first zero since the last look, first on the extension of the step, then on steps that end there.

Leaves the record at the event, whose quantity is ``which``.
"""
