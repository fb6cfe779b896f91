"""Binding a stage: kernels of systems with the arrays they read and write, groups, relations, the one-step problem."""

from nsdgen.runtime._data cimport BoundSystem, Group, Stage, SystemForm

cdef class StageBinding:
    cdef RunArrays arrays
    cdef Arena arena
    cdef RelationBinding relations
    cdef Stage *stages

    cdef make(self, Stage *stages, int number)
    cdef _plant(self, Group *g, entries)
    cdef SystemForm *_system_form(self, int cls, int number) except NULL
    cdef void _find_pivots(self, BoundSystem *system) noexcept
