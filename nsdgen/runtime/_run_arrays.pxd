"""The arrays of a run by what they belong to, and kernels bound to the addresses that they read and write."""

from nsdgen.runtime._data cimport Block, Bound

cdef class RunArrays:
    cdef readonly object record, layout
    cdef readonly KernelTable table
    cdef Arena common  # where they lie, and what instances share
    cdef Arena arena  # where the instance at hand has its own: the same, or the slot of one that is cloned (``_pools.pxi``)
    cdef dict slots  # by the number of a relation that is cloned: the arena that holds all that is its own, and nothing else
    cdef double *values  # the record of a step
    cdef dict address  # (kind, item, role, stage) -> (address, number of doubles)
    cdef dict kernel_of  # (class, role, stage) -> KernelInfo
    cdef dict tables  # of ``entries``, ``scratch``, ``shared`` and ``integers``: their addresses

    cdef own(self, int relation)
    cdef place(self, kind, item, role, stage, double *pointer, size_t count)
    cdef double *at(self, kind, item, role, stage) except NULL
    cdef const double *source(self, kind, item, array, int stage) except NULL
    cdef Bound bind(self, kind, item, info, dict targets, bint common=*) except *
    cdef double **_outputs(self, info, dict targets) except NULL
    cdef Bound bind_single(self, kind, item, int cls, role, int stage, double *target, size_t count,
                           bint common=*) except *
    cdef Block block(self, info, int number, int rows, int cols, bint dense=*) except *
    cdef Block shape(self, info, int number, int rows, int cols) except *
    cdef const int *entries(self, info, numbers) except NULL
    cdef double *scratch(self, key, size_t count) except NULL
    cdef const void *shared(self, const void *piece, size_t size) except NULL
    cdef const int *integers(self, key, values) except NULL
