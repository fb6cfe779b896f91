# cython: language_level=3
"""Binding: every array of a run in one place, every kernel bound to the addresses it reads and writes.

Everything is allocated here, once. States, memories, multipliers, observed values and counters lie in one block, the
*record*, so that recording a step is one copy.
"""

from nsdgen.runtime._arena cimport Arena
from nsdgen.runtime._data cimport Program, Stage

cdef class Binding(Arena):
    cdef Stage *stages
    cdef Program program
    cdef int n_stages, counters_at, kept_at, cut_at
    cdef double *values  # the record
    cdef double *clock  # t_k, t_k+1
    cdef readonly object layout

    cdef _judge(self, Stage *s, info)
