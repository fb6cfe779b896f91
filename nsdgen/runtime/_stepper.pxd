# cython: language_level=3
"""The stepper, for those that drive it from C."""
from nsdgen.runtime._start cimport StartingRun


cdef class Stepper(StartingRun):
    cdef long fuse(self, long count, double *row, long stride, double *times) noexcept nogil
    cdef long fuse_uncut(self, long count, double *row, long stride, double *times) noexcept nogil
    cdef long steps_alone(self) noexcept nogil
    cdef void moved_on(self, long made) noexcept nogil
    cdef int onward(self) noexcept nogil
    cdef int step(self) noexcept nogil
    cdef int instant(self) noexcept nogil
