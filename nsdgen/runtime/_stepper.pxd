"""The stepper, for those that drive it from C: a bound model, how it starts, how it steps and what is kept of that."""
from nsdgen.runtime._binding cimport BoundModel
from nsdgen.runtime._binding cimport FusedSteps


cdef class Stepper:
    cdef BoundModel model
    cdef FusedSteps fused_steps
    cdef Start start
    cdef Recorder recorder
    cdef double start_time, step_size, now
    cdef bint off_grid  # a step was cut, the rest of it is to be made
    cdef readonly bint stopped  # a quantity that ends runs was zero
    cdef readonly long step_number
    cdef public object checked  # the values of a start that was found good

    cdef long fuse(self, long count, double *row, long stride, double *times) noexcept nogil
    cdef long fuse_uncut(self, long count, double *row, long stride, double *times) noexcept nogil
    cdef long steps_alone(self) noexcept nogil
    cdef void moved_on(self, long made) noexcept nogil
    cdef int onward(self) noexcept nogil
    cdef bint onward_or_back(self) noexcept nogil
    cdef int step(self) noexcept nogil
    cdef int instant(self) noexcept nogil
    cdef long single(self, double *rows, double *times) noexcept nogil
