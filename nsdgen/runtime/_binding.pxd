# cython: language_level=3
"""Binding: every array of a run in one place, every kernel bound to the addresses it reads and writes.

Everything is allocated here, once. States, memories, multipliers, observed values and counters lie in one block, the
*record*, so that recording a step is one copy.
"""

from nsdgen.runtime._data cimport Program
from nsdgen.runtime._stage_binding cimport StageBinding

cdef class Binding(StageBinding):
    cdef Program program, kept_program
    cdef readonly bint reusable  # it is small, and nothing outside its arena was allocated when it was made
    cdef int counters_at, kept_at, cut_at
    cdef double *clock  # t_k, t_k+1
    cdef void _free_problems(self) noexcept
    cdef double *_option(self, scheme, name) except NULL
