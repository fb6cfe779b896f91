"""A model bound to the arrays of a run: every array in one place, every kernel with the addresses it reads and writes.

Everything is allocated here, once. States, memories, multipliers, observed values and counters lie in one block, the
*record*, so that recording a step is one copy.
"""

from nsdgen.runtime._data cimport Failure
from nsdgen.runtime._program_data cimport Program

cdef class BoundModel:
    cdef readonly RunArrays arrays
    cdef Program program, kept_program
    cdef Failure failure  # the last one
    cdef long width  # of the record
    cdef int counters_at  # where iterations and deficiency of a step are recorded
    cdef int kept_at  # and how often the last iterate was kept, -1: not recorded
    cdef int cut_at  # and which quantity cut the step, -1: none may
    cdef readonly bint reusable  # it is small, and nothing outside its arena was allocated when it was made

    cdef double *_of_record(self, int relation, int column, size_t count) except? NULL
    cdef void _free_problems(self) noexcept
