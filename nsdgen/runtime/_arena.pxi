"""Memory that lives as long as a run: small pieces lie in the order in which they are asked for.

What it holds can be remembered once (``keep``) and brought back (``restore``), at the same addresses.
"""

cdef extern from *:
    """
    #include <stdlib.h>
    #include <string.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    /* Zeroed memory; of large models in large pages where the system has them, since a step touches all of it. */
    static void *nsd_zeroed(size_t size, size_t page)
    {
    #if defined(MADV_HUGEPAGE)
        void *memory;
        if (size >= page) {
            size = (size + page - 1) & ~(page - 1);
            if (posix_memalign(&memory, page, size))
                return NULL;
            madvise(memory, size, MADV_HUGEPAGE);
            return memset(memory, 0, size);
        }
    #endif
        return calloc(size, 1);
    }
    """
    void *nsd_zeroed(size_t size, size_t page) nogil

cdef size_t LINE = 64  # bytes, of cache
cdef size_t PAGE = 1 << 21  # bytes, of a large page
cdef size_t CHUNK = 1 << 18  # the first pieces are cut from chunks of this size
cdef int FEW = 4  # chunks; those after them have the size of a large page


cdef class Arena:
    """Zeroed memory in pieces, freed all at once."""

    def __cinit__(self):
        self.owned = NULL
        self.sizes = NULL
        self.image = NULL
        self.n_owned = self.room = 0
        self.cold = self.flat = 0
        self.cursor[0].left = self.cursor[1].left = 0
        self.cursor[0].current = self.cursor[1].current = -1

    def __dealloc__(self):
        cdef int i
        for i in range(self.n_owned):
            free(self.owned[i])
        free(self.owned)
        free(self.sizes)
        free(self.image)

    cdef size_t used(self) noexcept:
        """Bytes of all pieces, the rests of full chunks among them."""
        cdef size_t total = 0
        cdef int i
        for i in range(self.n_owned):
            total += self.filled(i)
        return total

    cdef size_t filled(self, int chunk) noexcept:
        """Bytes of a chunk that were handed out."""
        cdef int k
        cdef size_t size = self.sizes[chunk]
        for k in range(2):
            if self.cursor[k].current == chunk:
                size -= self.cursor[k].left
        return size

    cdef keep(self):
        """Remember what all pieces hold."""
        cdef char *at
        cdef size_t size
        cdef int i
        self.image = at = <char *>malloc(max(self.used(), 1))
        if at == NULL:
            raise MemoryError
        for i in range(self.n_owned):
            size = self.filled(i)
            memcpy(at, self.owned[i], size)
            at += size
        self.kept_owned = self.n_owned
        self.kept_cursor = self.cursor

    cdef void restore(self) noexcept:
        """All pieces as they were remembered; those that were taken since are given back."""
        cdef char *at = self.image
        cdef size_t size, untouched
        cdef int i, k
        for i in range(self.kept_owned, self.n_owned):
            free(self.owned[i])
        for k in range(2):
            if self.kept_cursor[k].current >= 0:
                untouched = self.cursor[k].left if self.cursor[k].current == self.kept_cursor[k].current else 0
                memset(self.kept_cursor[k].free, 0, self.kept_cursor[k].left - untouched)
        self.n_owned, self.cursor = self.kept_owned, self.kept_cursor
        for i in range(self.n_owned):
            size = self.filled(i)
            memcpy(self.owned[i], at, size)
            at += size

    cdef void *take(self, size_t size) except NULL:
        """Zeroed memory, freed with the arena.

        Small pieces are cut from one large one, in the order in which they are asked for: what
        belongs to an instance lies together, and thousands of instances are read in a row; what few
        steps read (``cold``) lies elsewhere.
        """
        cdef Cursor *cursor = &self.cursor[0 if self.flat else self.cold]
        cdef char *piece
        cdef size_t chunk
        size = (max(size, 8) + 7) & ~<size_t>7
        if size > cursor.left:
            chunk = CHUNK if self.n_owned < FEW else PAGE
            if size > chunk // 4:  # it begins a line of cache
                piece = <char *>self._chunk(size + LINE)
                return piece + -<uintptr_t>piece % LINE
            cursor.free = <char *>self._chunk(chunk)
            cursor.left = chunk
            cursor.current = self.n_owned - 1
        piece = cursor.free
        cursor.free += size
        cursor.left -= size
        return piece

    cdef void begin_line(self) noexcept:
        """What is taken next begins a line of cache, where pieces are cut."""
        cdef Cursor *cursor = &self.cursor[0 if self.flat else self.cold]
        cdef size_t gap = -<uintptr_t>cursor.free % LINE
        if gap <= cursor.left:
            cursor.free += gap
            cursor.left -= gap

    cdef void *_chunk(self, size_t size) except NULL:
        cdef void *pointer
        cdef void **grown
        cdef size_t *sizes
        if self.n_owned == self.room:
            grown = <void **>realloc(self.owned, (2 * self.room + 64) * sizeof(void *))
            if grown == NULL:
                raise MemoryError
            self.owned = grown
            sizes = <size_t *>realloc(self.sizes, (2 * self.room + 64) * sizeof(size_t))
            if sizes == NULL:
                raise MemoryError
            self.sizes, self.room = sizes, 2 * self.room + 64
        pointer = nsd_zeroed(size, PAGE)
        if pointer == NULL:
            raise MemoryError
        self.owned[self.n_owned], self.sizes[self.n_owned] = pointer, size
        self.n_owned += 1
        return pointer

    cdef double *doubles(self, size_t count) except NULL:
        return <double *>self.take(count * sizeof(double))
