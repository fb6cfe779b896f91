# cython: language_level=3
"""What other units take of this one."""

from nsdgen.abi cimport nsdgen_kernel, nsdgen_module, nsdgen_run, nsdgen_run_problem, nsdgen_run_stage, nsdgen_steps
from nsdgen.runtime._data cimport Block, Bound, Failure, Stage
from nsdgen.runtime._program_data cimport Program

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

cdef class KernelTable:
    cdef const nsdgen_module *module
    cdef readonly object owner  # the extension module, kept alive as long as its functions may be called
    cdef readonly str name
    cdef readonly str hash
    cdef readonly tuple classes
    cdef const nsdgen_kernel *kernel(self, int cls, int number)

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

cdef class BoundModel:
    cdef readonly RunArrays arrays
    cdef Program program, kept_program
    cdef Failure failure  # the last one
    cdef long width  # of the record
    cdef int remembered_at  # where what relations remember begins in it
    cdef int counters_at  # where iterations and deficiency of a step are recorded
    cdef int kept_at  # and how often the last iterate was kept, -1: not recorded
    cdef int cut_at  # and which quantity cut the step, -1: none may
    cdef readonly bint reusable  # it is small, and nothing outside its arena was allocated when it was made

    cdef double *_of_record(self, int relation, int column, size_t count) except? NULL
    cdef void _free_problems(self) noexcept

cdef class FusedSteps:
    cdef BoundModel model
    cdef nsdgen_steps steps  # NULL where the module has none, or where the general stepper is asked for
    cdef nsdgen_run run
    cdef Stage *stage  # the first of those that make a step
    cdef nsdgen_run_stage *stages  # all of them
    cdef nsdgen_run_problem *problem  # of the one stage that makes steps over the graph, else NULL
    cdef int n_stages
    cdef long rest  # steps to leave to the general stepper, where the function made few of late
    cdef long made  # steps made by the function since it left the last one to the general stepper

    cdef use(self, bint wanted)
    cdef bint ready(self) noexcept nogil
    cdef void point(self) noexcept nogil
    cdef nsdgen_run_problem *_bind_problem(self, Stage *s) except NULL
    cdef const double *const *_parameters(self, kind, int count) except NULL
