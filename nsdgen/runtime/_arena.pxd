"""Memory that lives as long as a run: small pieces lie in the order in which they are asked for.

What it holds can be remembered once (``keep``) and brought back (``restore``), at the same addresses.
"""

cdef struct Cursor:
    char *free  # the rest of the chunk at hand
    size_t left
    int current  # the chunk that pieces are cut from


cdef class Arena:
    cdef void **owned  # a C array: the collector may clear a Python list before __dealloc__ runs
    cdef int n_owned, room
    cdef Cursor cursor[2]
    cdef int flat  # all pieces in order, cold ones too
    cdef int cold  # which of them: 0 for what every step reads, 1 for what few do
    cdef size_t *sizes  # of ``owned``, bytes
    cdef char *image  # of what ``owned`` held when ``keep`` was called; NULL before
    cdef int kept_owned
    cdef Cursor kept_cursor[2]

    cdef size_t used(self) noexcept
    cdef size_t filled(self, int chunk) noexcept
    cdef keep(self)
    cdef void restore(self) noexcept
    cdef void *take(self, size_t size) except NULL
    cdef void begin_line(self) noexcept
    cdef void *_chunk(self, size_t size) except NULL
    cdef double *doubles(self, size_t count) except NULL
