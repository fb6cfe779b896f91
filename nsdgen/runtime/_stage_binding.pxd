# cython: language_level=3
"""Binding a stage: kernels of systems and relations with the arrays they read and write, groups, the one-step problem."""

from nsdgen.runtime._arena cimport Arena
from nsdgen.runtime._data cimport Stage

cdef class StageBinding(Arena):
    cdef Stage *stages
    cdef int n_stages
    cdef double *values  # the record
    cdef readonly object layout

    cdef _judge(self, Stage *s, info)
