"""The motion between events: steps of an explicit Runge-Kutta method, adapted to the tolerances, and what lies inside."""
from nsdgen.runtime._data cimport Failure
from nsdgen.runtime._program_data cimport Program

cdef void flow_begin(Program *p) noexcept nogil
"""Start anew from the record as it was observed just now."""

cdef int flow_step(Program *p, Failure *failure) noexcept nogil
"""The next step from the end of the last one: as long as the tolerances allow, not beyond the horizon."""

cdef int flow_exact(Program *p, double t, Failure *failure) noexcept nogil
"""The state that one step from the begin of the last one to t has, into the record.

The inside of the last step is lost."""

cdef int flow_inside(Program *p, double t, Failure *failure) noexcept nogil
"""The state at t within the last step, by its continuous extension, into the record."""

cdef int flow_observe(Program *p, Failure *failure) noexcept nogil
"""The rate, and all that follows from the state in the record: multipliers, memory, what is observed."""

cdef void flow_straight(Program *p) noexcept nogil
"""Keep the state in the record and its rate, which was observed just now."""

cdef void flow_along(Program *p, double t0, double t) noexcept nogil
"""The state at t into the record, on the straight line through what was kept at t0."""
