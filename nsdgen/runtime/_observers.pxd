"""Columns that are functions of what else is recorded at an instant: computed where a record leaves the run."""
from nsdgen.runtime._program_data cimport Program

cdef void complete_rows(const Program *p, double *rows, long stride, long pitch, long count,
                        const double *times) noexcept nogil
"""Into ``count`` records at ``times``, ``stride`` doubles from one to the next and ``pitch`` between entries of one."""
