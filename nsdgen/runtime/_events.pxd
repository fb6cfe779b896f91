"""A run from event to event: recorded instants one after the other, in smooth motion and on both sides of events."""
from nsdgen.runtime._data cimport Failure
from nsdgen.runtime._program_data cimport Program

cdef int start_events(Program *p, double t, Failure *failure) noexcept nogil
"""The stages of events at the start; where they change the state, the record is left as it was before them."""

cdef int next_instant(Program *p, double grid, Failure *failure, int *which, bint *on_grid) noexcept nogil
"""On to ``grid`` or to the next side of an event before it, whose quantity is ``which`` (-1 for none); the clock says when."""
