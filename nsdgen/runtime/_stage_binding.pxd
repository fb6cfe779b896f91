# cython: language_level=3
"""Binding a stage: kernels of systems with the arrays they read and write, groups, relations, the one-step problem."""

from nsdgen.runtime._relation_binding cimport RelationBinding

cdef class StageBinding(RelationBinding):
    pass
