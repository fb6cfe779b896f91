"""Binding a program: the order of its stages, the integrator between events, cuts, blocks, and what they hold."""

from nsdgen.runtime._program_data cimport Program

cdef class ProgramBinding:
    cdef RunArrays arrays
    cdef Arena arena
    cdef Program *program

    cdef make(self, Program *program)
    cdef double *_option(self, scheme, name) except NULL
