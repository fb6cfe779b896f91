# cython: language_level=3
"""The stepper, for those that drive it from C."""
from nsdgen.runtime._data cimport Failure
from nsdgen.runtime._fused cimport FusedBinding


cdef class Stepper(FusedBinding):
    cdef double start_time, step_size, now
    cdef bint off_grid  # a step was cut, the rest of it is to be made
    cdef readonly bint stopped  # a quantity that ends runs was zero
    cdef readonly long step_number
    cdef Failure failure

    cdef long fuse(self, long count, double *row, long stride, double *times) noexcept nogil
    cdef int step(self) noexcept nogil
    cdef int instant(self) noexcept nogil
