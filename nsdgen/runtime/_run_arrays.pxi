"""The arrays of a run, and kernels bound to them.

Every array that a kernel may read is entered here by what it belongs to; binding a kernel
looks its arrays up and checks that they have the room its record asks for. A record and
kernels that do not fit together raise ``ModuleMismatch`` before anything runs.
"""

_OF_PARTICIPANTS = (Role.UNKNOWN, Role.STATE, Role.FROZEN_STEP, Role.FROZEN_ITERATION)
_WITHOUT_STAGE = (Role.STATE, Role.PARAMETERS, Role.INITIAL, Role.MEMORY)


cdef class RunArrays:
    """The arrays of a run by what they belong to: ``RunArrays(record, table)``."""

    def __init__(self, record, KernelTable table, bint pooled=False):
        self.record, self.table, self.layout = record, table, Layout.of(record)
        self.arena = self.common = Arena()
        self.slots = {i: Arena() for i in range(len(record.relations) if pooled else 0)}
        for slot in self.slots.values():
            (<Arena>slot).flat = 1
        self.address, self.kernel_of, self.tables = {}, {}, {}
        self.values = self.common.doubles(self.layout.width)

    cdef own(self, int relation):
        """What is taken next belongs to this relation, or to none in particular (-1)."""
        self.arena = self.slots.get(relation, self.common)

    cdef place(self, kind, item, role, stage, double *pointer, size_t count):
        """Enter an array of ``count`` doubles into the directory."""
        self.address[kind, item, int(role), stage] = (<uintptr_t>pointer, count)

    cdef double *at(self, kind, item, role, stage) except NULL:
        return <double *><uintptr_t>self.address[kind, item, int(role), stage][0]

    def mismatch(self, text):
        """The error of a record and kernels that do not fit together, and how."""
        return ModuleMismatch(f"the record and the kernels do not fit together: {text}", model=self.record.name,
                              fix="compile the model again")

    def find(self, cls, role, stage):
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
            raise self.mismatch(f"{array.name} of {instance.name!r} has {count} values, its kernel reads {array.size}")
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
        bound.call = self.table.kernel(info.cls, info.number).call
        bound.in_ = <const double **>self.arena.take(len(info.inputs) * sizeof(void *))
        for j, array in enumerate(info.inputs):
            bound.in_[j] = self.source(kind, item, array, info.stage)
        for j, array in enumerate(info.outputs):
            if array.nnz != targets[j][1]:
                raise self.mismatch(f"{info.name} writes {array.nnz} values of {array.name} into {targets[j][1]}")
        if not common:
            bound.out = self._outputs(info, targets)
            return bound
        key = ("outputs", info.cls, info.number)
        if key not in self.tables:
            own, self.arena = self.arena, self.common
            self.tables[key] = <uintptr_t>self._outputs(info, targets)
            self.arena = own
        bound.out = <double **><uintptr_t>self.tables[key]
        return bound

    cdef double **_outputs(self, info, dict targets) except NULL:
        """The addresses that a kernel writes to."""
        cdef double **out = <double **>self.arena.take(len(info.outputs) * sizeof(void *))
        cdef int j
        for j in range(len(info.outputs)):
            out[j] = <double *><uintptr_t>targets[j][0]
        return out

    cdef Bound bind_single(self, kind, item, int cls, role, int stage, double *target, size_t count,
                           bint common=False) except *:
        """A kernel with one output of ``count`` doubles."""
        return self.bind(kind, item, self.find(cls, role, stage), {0: (<uintptr_t>target, count)}, common)

    cdef Block block(self, info, int number, int rows, int cols, bint dense=True) except *:
        """Room for a matrix output: its nonzeros and, where some are zero and ``dense``, all entries."""
        cdef Block b = self.shape(info, number, rows, cols)
        b.dense = self.arena.doubles(rows * cols) if dense or b.row == NULL else NULL
        b.value = b.dense if b.row == NULL else self.arena.doubles(b.nnz)
        if b.dense != b.value and b.dense != NULL:
            b.entry = self.entries(info, (number,))
        return b

    cdef Block shape(self, info, int number, int rows, int cols) except *:
        """A matrix output without room: its size and where its nonzeros stand."""
        cdef Block b
        cdef const nsdgen_kernel *k = self.table.kernel(info.cls, info.number)
        memset(&b, 0, sizeof(b))
        b.rows, b.cols, b.nnz = k.out[number].rows, k.out[number].cols, k.out[number].nnz
        if b.rows != rows or b.cols != cols:
            raise self.mismatch(f"{info.outputs[number].name} is {b.rows}x{b.cols}, expected {rows}x{cols}")
        b.row, b.col = k.out[number].positions, k.out[number].positions
        if b.col != NULL:
            b.col += b.nnz
        return b

    cdef const int *entries(self, info, numbers) except NULL:
        """Where the nonzeros of some matrix outputs stand among all their entries, one output after the other.

        One table for all instances of a class, which stays near while they are gone through.
        """
        cdef const nsdgen_kernel *k = self.table.kernel(info.cls, info.number)
        cdef int *table
        cdef int number, i, count = 0, first = 0
        key = (info.cls, info.number, numbers)
        if key not in self.tables:
            table = <int *>self.common.take(sum(info.outputs[number].nnz for number in numbers) * sizeof(int))
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
            self.tables[key] = <uintptr_t>self.common.doubles(count)
        return <double *><uintptr_t>self.tables[key]

    cdef const void *shared(self, const void *piece, size_t size) except NULL:
        """A copy of a struct without gaps that may hold anything: one for all instances where it is the same."""
        cdef void *kept
        cdef int cold = self.common.cold
        key = (<const char *>piece)[:size]
        if key not in self.tables:
            self.common.cold = 1
            kept = self.common.take(size)
            self.common.cold = cold
            memcpy(kept, piece, size)
            self.tables[key] = <uintptr_t>kept
        return <const void *><uintptr_t>self.tables[key]

    cdef const int *integers(self, key, values) except NULL:
        """One constant table for all instances of a class."""
        cdef int *table
        cdef int i
        if key not in self.tables:
            table = <int *>self.common.take(len(values) * sizeof(int))
            for i, value in enumerate(values):
                table[i] = value
            self.tables[key] = <uintptr_t>table
        return <const int *><uintptr_t>self.tables[key]

    def has_stage(self, relation, int number):
        """Whether a relation takes part in a stage."""
        return self.find(len(self.record.system_classes) + relation.cls, KernelRole.EVALUATE, number) is not None

    def vanishes(self, relation, int number):
        """Whether a relation does nothing in a stage where its multipliers are zero."""
        evaluate = self.find(len(self.record.system_classes) + relation.cls, KernelRole.EVALUATE, number)
        return all(out.flags & Flag.VANISHES for out in evaluate.outputs if out.quantity == Quantity.REACTION)
