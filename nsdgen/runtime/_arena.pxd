# cython: language_level=3
from nsdgen.runtime._data cimport Block, Bound
from nsdgen.runtime._table cimport KernelTable

cdef struct Cursor:
    char *free  # the rest of the chunk at hand
    size_t left
    int current  # the chunk that pieces are cut from


cdef class Arena:
    cdef void **owned  # a C array: the collector may clear a Python list before __dealloc__ runs
    cdef int n_owned, room
    cdef Cursor cursor[2]
    cdef int cold  # which of them: 0 for what every step reads, 1 for what few do
    cdef size_t *sizes  # of ``owned``, bytes
    cdef char *image  # of what ``owned`` held when ``keep`` was called; NULL before
    cdef int kept_owned
    cdef Cursor kept_cursor[2]
    cdef dict address  # (kind, item, role, stage) -> (address, number of doubles)
    cdef dict kernel_of  # (class, role, stage) -> KernelInfo
    cdef dict tables  # of ``entries``, ``scratch``, ``shared`` and ``integers``: their addresses
    cdef readonly object record, table

    cdef size_t used(self) noexcept
    cdef size_t filled(self, int chunk) noexcept
    cdef keep(self)
    cdef void restore(self) noexcept
    cdef void *take(self, size_t size) except NULL
    cdef void begin_line(self) noexcept
    cdef void *_chunk(self, size_t size) except NULL
    cdef double *doubles(self, size_t count) except NULL
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
