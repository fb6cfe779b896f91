# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The arrays of a run, and kernels bound to them.

Every array that a kernel may read is entered here by what it belongs to; binding a kernel
looks its arrays up and checks that they have the room its record asks for. A record and
kernels that do not fit together raise ``ModuleMismatch`` before anything runs.
"""
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from nsdgen.runtime._data cimport Block, Bound
from nsdgen.runtime._table cimport KernelTable
from nsdgen.abi cimport nsdgen_kernel

from nsdgen.abi import Role
from nsdgen.errors import ModuleMismatch

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

_OF_PARTICIPANTS = (Role.UNKNOWN, Role.STATE, Role.FROZEN_STEP, Role.FROZEN_ITERATION)
_WITHOUT_STAGE = (Role.STATE, Role.PARAMETERS, Role.INITIAL, Role.MEMORY)


cdef class Arena:
    """Memory that lives as long as the run, and a directory of the arrays in it."""

    def __cinit__(self):
        self.owned = NULL
        self.sizes = NULL
        self.image = NULL
        self.n_owned = self.room = 0
        self.cold = 0
        self.cursor[0].left = self.cursor[1].left = 0
        self.cursor[0].current = self.cursor[1].current = -1
        self.address = {}
        self.kernel_of = {}
        self.tables = {}

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
        cdef Cursor *cursor = &self.cursor[self.cold]
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
        cdef Cursor *cursor = &self.cursor[self.cold]
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

    cdef place(self, kind, item, role, stage, double *pointer, size_t count):
        """Enter an array of ``count`` doubles into the directory."""
        self.address[kind, item, int(role), stage] = (<uintptr_t>pointer, count)

    cdef double *at(self, kind, item, role, stage) except NULL:
        return <double *><uintptr_t>self.address[kind, item, int(role), stage][0]

    def _mismatch(self, text):
        return ModuleMismatch(f"the record and the kernels do not fit together: {text}", model=self.record.name,
                              fix="compile the model again, and do not edit model.json")

    def _find(self, cls, role, stage):
        """The kernel of a class with this role and stage, or None."""
        if not self.kernel_of:
            for kernels in self.table.classes:
                for info in reversed(kernels.kernels):
                    self.kernel_of[info.cls, info.role, info.stage] = info
        return self.kernel_of.get((cls, int(role), stage))

    cdef const double *source(self, kind, item, array, int stage) except NULL:
        """The address of an input array of a kernel of a system, of a relation, or of the model for a stage."""
        role = array.role
        record = self.record
        instance = {"system": record.systems, "relation": record.relations, "stage": record.stages,
                    "model": [record]}[kind][item]
        if role == Role.TIME:
            key = ("clock", 0, int(role), 0)
        elif role == Role.RUN:
            classes = record.system_classes if kind == "system" else record.relation_classes
            key = ("run", instance.schemes[0] if kind == "stage" else classes[instance.cls].scheme, int(role), 0)
        else:
            if kind == "relation" and role in _OF_PARTICIPANTS:
                kind, item = "system", instance.participants[array.participant]
            key = (kind, item, int(role), 0 if role in _WITHOUT_STAGE else max(stage, 0))
        pointer, count = self.address[key]
        if array.size != count:
            raise self._mismatch(f"{array.name} of {instance.name!r} has {count} values, its kernel reads {array.size}")
        return <const double *><uintptr_t>pointer

    cdef Bound bind(self, kind, item, info, dict targets, bint common=False) except *:
        """A kernel with the addresses of its arrays; ``targets``: output number -> (address, room).

        ``common``: it writes to the same arrays for all instances of its class.
        """
        cdef Bound bound
        cdef int j
        memset(&bound, 0, sizeof(bound))
        if info is None:
            return bound
        bound.call = (<KernelTable>self.table).kernel(info.cls, info.number).call
        bound.in_ = <const double **>self.take(len(info.inputs) * sizeof(void *))
        for j, array in enumerate(info.inputs):
            bound.in_[j] = self.source(kind, item, array, info.stage)
        for j, array in enumerate(info.outputs):
            if array.nnz != targets[j][1]:
                raise self._mismatch(f"{info.name} writes {array.nnz} values of {array.name} into {targets[j][1]}")
        if not common:
            bound.out = self._outputs(info, targets)
            return bound
        key = ("outputs", info.cls, info.number)
        if key not in self.tables:
            self.tables[key] = <uintptr_t>self._outputs(info, targets)
        bound.out = <double **><uintptr_t>self.tables[key]
        return bound

    cdef double **_outputs(self, info, dict targets) except NULL:
        """The addresses that a kernel writes to."""
        cdef double **out = <double **>self.take(len(info.outputs) * sizeof(void *))
        cdef int j
        for j in range(len(info.outputs)):
            out[j] = <double *><uintptr_t>targets[j][0]
        return out

    cdef Bound bind_single(self, kind, item, int cls, role, int stage, double *target, size_t count,
                           bint common=False) except *:
        """A kernel with one output of ``count`` doubles."""
        return self.bind(kind, item, self._find(cls, role, stage), {0: (<uintptr_t>target, count)}, common)

    cdef Block block(self, info, int number, int rows, int cols, bint dense=True) except *:
        """Room for a matrix output: its nonzeros and, where some are zero and ``dense``, all entries."""
        cdef Block b = self.shape(info, number, rows, cols)
        b.dense = self.doubles(rows * cols) if dense or b.row == NULL else NULL
        b.value = b.dense if b.row == NULL else self.doubles(b.nnz)
        if b.dense != b.value and b.dense != NULL:
            b.entry = self.entries(info, (number,))
        return b

    cdef Block shape(self, info, int number, int rows, int cols) except *:
        """A matrix output without room: its size and where its nonzeros stand."""
        cdef Block b
        cdef const nsdgen_kernel *k = (<KernelTable>self.table).kernel(info.cls, info.number)
        memset(&b, 0, sizeof(b))
        b.rows, b.cols, b.nnz = k.out[number].rows, k.out[number].cols, k.out[number].nnz
        if b.rows != rows or b.cols != cols:
            raise self._mismatch(f"{info.outputs[number].name} is {b.rows}x{b.cols}, expected {rows}x{cols}")
        b.row, b.col = k.out[number].positions, k.out[number].positions
        if b.col != NULL:
            b.col += b.nnz
        return b

    cdef const int *entries(self, info, numbers) except NULL:
        """Where the nonzeros of some matrix outputs stand among all their entries, one output after the other.

        One table for all instances of a class, which stays near while they are gone through.
        """
        cdef const nsdgen_kernel *k = (<KernelTable>self.table).kernel(info.cls, info.number)
        cdef int *table
        cdef int number, i, count = 0, first = 0
        key = (info.cls, info.number, numbers)
        if key not in self.tables:
            table = <int *>self.take(sum(info.outputs[number].nnz for number in numbers) * sizeof(int))
            for number in numbers:
                out = &k.out[number]
                for i in range(out.nnz):
                    table[count] = first + (i if out.positions == NULL
                                            else out.positions[i] * out.cols + out.positions[out.nnz + i])
                    count += 1
                first += out.rows * out.cols
            self.tables[key] = <uintptr_t>table
        return <const int *><uintptr_t>self.tables[key]

    cdef double *scratch(self, key, size_t count) except NULL:
        """Room that many instances share, for what is read right after it was written: it stays near."""
        if key not in self.tables:
            self.tables[key] = <uintptr_t>self.doubles(count)
        return <double *><uintptr_t>self.tables[key]

    cdef const void *shared(self, const void *piece, size_t size) except NULL:
        """A copy of a struct without gaps that may hold anything: one for all instances where it is the same."""
        cdef void *kept
        cdef int cold = self.cold
        key = (<const char *>piece)[:size]
        if key not in self.tables:
            self.cold = 1
            kept = self.take(size)
            self.cold = cold
            memcpy(kept, piece, size)
            self.tables[key] = <uintptr_t>kept
        return <const void *><uintptr_t>self.tables[key]

    cdef const int *integers(self, key, values) except NULL:
        """One constant table for all instances of a class."""
        cdef int *table
        cdef int i
        if key not in self.tables:
            table = <int *>self.take(len(values) * sizeof(int))
            for i, value in enumerate(values):
                table[i] = value
            self.tables[key] = <uintptr_t>table
        return <const int *><uintptr_t>self.tables[key]
