"""How a run starts: its values, the state and the memories at t_0, what blocks hold there."""
from nsdgen.runtime._binding cimport BoundModel
from nsdgen.runtime._data cimport Bound


cdef struct Given:
    # An array that a run fills with values.
    double *array
    Py_ssize_t n


cdef struct FirstState:
    # The state of a system at t_0: its initial values, or what a kernel makes of them.
    double *state
    const double *given
    size_t n
    Bound kernel


cdef class Start:
    cdef BoundModel model
    cdef Given *given
    cdef int n_given, n_systems
    cdef FirstState *starts
    cdef int *gaps  # where gaps lie in the record
    cdef int n_gaps
    cdef bint vanishing  # relations have rows that must be zero at the start
    cdef list explicit  # by stage: relations whose memory at t_0 a kernel of its own fills, with that kernel
    cdef list held  # multipliers that may be given at t_0

    cdef void _fill_states(self) noexcept
