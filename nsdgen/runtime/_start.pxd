# cython: language_level=3
"""How a run starts: its values, the state and the memories at t_0, what blocks hold there."""
from nsdgen.runtime._data cimport Bound, Failure
from nsdgen.runtime._fused cimport FusedBinding


cdef struct Given:
    # An array that a run fills with values.
    double *array
    Py_ssize_t n


cdef struct Start:
    # The state of a system at t_0: its initial values, or what a kernel makes of them.
    double *state
    const double *given
    size_t n
    Bound kernel


cdef class StartingRun(FusedBinding):
    cdef double start_time, step_size, now
    cdef bint off_grid  # a step was cut, the rest of it is to be made
    cdef readonly bint stopped  # a quantity that ends runs was zero
    cdef readonly long step_number
    cdef Failure failure
    cdef Given *given
    cdef int n_given, n_systems
    cdef Start *starts
    cdef int *gaps  # where gaps lie in the record
    cdef int n_gaps
    cdef bint vanishing  # relations have rows that must be zero at the start
    cdef list explicit  # by stage: relations whose memory at t_0 a kernel of its own fills, with that kernel
    cdef list at_start
    cdef public object checked  # the values of a start that was found good

    cdef void _fill_states(self) noexcept
