# cython: language_level=3
"""Binding a program: the order of its stages, the integrator between events, cuts, blocks, and what they hold."""

from nsdgen.runtime._arena cimport Arena
from nsdgen.runtime._run_arrays cimport RunArrays
from nsdgen.runtime._data cimport Program

cdef class ProgramBinding:
    cdef RunArrays arrays
    cdef Arena arena
    cdef Program *program

    cdef make(self, Program *program)
    cdef double *_option(self, scheme, name) except NULL
