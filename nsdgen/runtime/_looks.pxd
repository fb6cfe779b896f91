"""Looking at the quantities whose zeros are events: at one instant, and between two looks where one may have been below zero."""
from nsdgen.runtime._data cimport Failure
from nsdgen.runtime._program_data cimport Program

cdef enum:
    PROBES = 8  # parts of the time between two looks, where a quantity was falling to zero

cdef int look(Program *p, double t, bint exactly, Failure *failure) noexcept nogil
"""The record and all quantities at t."""

cdef double side(const Program *p, int i) noexcept nogil
"""Of a quantity that crosses: the side on which it is, 1 or -1, where it is to cross from there, else 0; 1 of others."""

cdef inline double signed(const Program *p, int i, double value) noexcept nogil:
    """A value of a quantity so that it is an event where that falls below zero."""
    return p.events.sign[i] * value if p.crosses[i] else value

cdef int look_back(Program *p, double *to, Failure *failure) noexcept nogil
"""A look at ``to`` was made; where a quantity that crossed at the start has come back before, ``to`` is where it had."""

cdef bint weigh(Program *p) noexcept nogil
"""Whether a quantity has its zero since the last look; ``scale`` is then its value here, else 0."""

cdef double fallen(Program *p, int *which) noexcept nogil
"""Negative before the first zero of the quantities weighed, not negative after it."""

cdef int look_between(Program *p, double *to, Failure *failure) noexcept nogil
"""Look at points since the last look: ``to`` is the first at which a quantity is below zero, else left as it was."""
