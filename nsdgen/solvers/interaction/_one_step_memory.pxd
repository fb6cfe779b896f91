"""The arrays of a one-step problem over an interaction graph: made, enlarged, given back."""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef void one_step_init(OneStep *w) noexcept nogil
cdef void one_step_free(OneStep *w) noexcept nogil

cdef int one_step_reserve(OneStep *w, int n, int rows, int blocks, size_t values) noexcept nogil
"""Room for a problem of this size; 0, or -1 without memory. Contents of arrays are kept."""
