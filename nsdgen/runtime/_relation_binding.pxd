# cython: language_level=3
"""Binding a relation in a stage: its kernels with the arrays they read and write, its blocks, how often they change."""

from nsdgen.runtime._arena cimport Arena
from nsdgen.runtime._data cimport BoundRelation, Stage

cdef class RelationBinding(Arena):
    cdef Stage *stages
    cdef int n_stages
    cdef double *values  # the record
    cdef readonly object layout

    cdef _judge(self, Stage *s, info)
    cdef _attach(self, Stage *s, BoundRelation *r, participants)
    cdef _reserve_derivatives(self, BoundRelation *r, info)
    cdef int bytes_to(self, const BoundRelation *r, const char *end)
    cdef _reserve_reactions(self, BoundRelation *r, int participants)
