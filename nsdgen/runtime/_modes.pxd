"""Which motion goes on at an event: the pieces of laws on which rows move, found by trying."""
from nsdgen.runtime._data cimport Failure
from nsdgen.runtime._program_data cimport Program

cdef void modes_begin(Program *p, double t) noexcept nogil
"""A run starts at t."""

cdef void keep_modes(Program *p) noexcept nogil
"""The places of the motion that ends at an event, before its stages are run."""

cdef int choose_modes(Program *p, Failure *failure) noexcept nogil
"""Set the places with which the motion goes on from the record; 0, or NO_MOTION where there are none.

A motion goes on where nothing of what is left of its places falls below zero in its first moment, which it is followed
for: on pieces of laws a derivative of any order may decide. Of several the one is taken that changes the fewest places;
only those change at which something came to an end, or went wrong in a motion that was tried. The moment is shortened
where all fail, down to rounding. At the start, and where such motions fail, what the stages of the event chose is tried.
"""

cdef void watch_modes(Program *p) noexcept nogil
"""Note how large the quantities are that look on places."""

cdef void base_modes(Program *p) noexcept nogil
"""From where quantities that look on places are events: where they start, less rounding."""
