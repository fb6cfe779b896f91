"""A model bound to the arrays of a run: every array in one place, every kernel with the addresses it reads and writes.

Everything is allocated here, once. States, memories, multipliers, observed values and counters lie in one block, the
*record*, so that recording a step is one copy.
"""

cdef enum:
    KEPT = 1 << 20  # bytes: a larger one is made again for each run, and not kept between runs


cdef class BoundModel:
    """The arrays, stages and program of a run: ``BoundModel(record, table)``.

    Relations that are ``pooled`` are cloned while a run goes on (``_pools.pxi``).
    """

    def __init__(self, record, KernelTable table, bint pooled=False):
        cdef StageBinding stages
        cdef ProgramBinding program
        cdef int number
        self.arrays = RunArrays(record, table, pooled)
        layout = self.arrays.layout
        self.width, self.counters_at = layout.width, layout.counters
        self.remembered_at = min(layout.memory, default=layout.carried)
        self.kept_at = -1 if layout.kept is None else layout.kept
        self.cut_at = -1 if layout.cut is None else layout.cut
        self.program.clock = self.arrays.arena.doubles(2)
        self.arrays.place("clock", 0, Role.TIME, 0, self.program.clock, 2)
        self.program.n_stages = len(record.stages)
        self.program.stage = <Stage *>self.arrays.arena.take(self.program.n_stages * sizeof(Stage))
        self._allocate_arrays()
        stages, program = StageBinding(self.arrays), ProgramBinding(self.arrays)
        for number in range(self.program.n_stages):
            stages.make(self.program.stage, number)
        program.make(&self.program)
        self.reusable = not pooled and self.arrays.arena.used() <= KEPT and not self._coupled_groups()

    def _coupled_groups(self):
        cdef int number, group
        return any(self.program.stage[number].group[group].coupled != NULL for number in range(self.program.n_stages)
                   for group in range(self.program.stage[number].n_groups))

    def again(self):
        """As when it was made: what a run computed, chose or remembered is gone. For those that are ``reusable``."""
        if self.arrays.arena.image == NULL:
            self.arrays.arena.keep()
            self.kept_program = self.program
            return
        self._free_problems()
        self.arrays.arena.restore()
        self.program = self.kept_program

    def __dealloc__(self):
        self._free_problems()

    cdef void _free_problems(self) noexcept:
        """Give back what stages allocated for their one-step problems and singular W."""
        cdef int number, group
        for number in range(self.program.n_stages if self.program.stage != NULL else 0):
            if self.program.stage[number].sparse:
                one_step_free(&self.program.stage[number].graph)
            leave_pile(&self.program.stage[number])
            for group in range(self.program.stage[number].n_groups if self.program.stage[number].group != NULL else 0):
                coupled_free(&self.program.stage[number].group[group])

    def _allocate_arrays(self):
        """Every array a kernel may read, entered into the directory: those of one kind lie together."""
        record, layout = self.arrays.record, self.arrays.layout
        self.program.modes = self.arrays.arena.doubles(max(1, self.program.n_stages * len(record.relations)))
        for i, scheme in enumerate(record.schemes):
            self._reserve("run", i, Role.RUN, 0, 1 + len(scheme.options))
        for i, system in enumerate(record.systems):
            cls = record.system_classes[system.cls]
            self.arrays.place("system", i, Role.STATE, 0, self.arrays.values + <int>layout.state[i], cls.n_state)
            self._reserve("system", i, Role.PARAMETERS, 0, len(cls.parameters))
        for i, system in enumerate(record.systems):
            self._reserve("system", i, Role.INITIAL, 0, len(system.initial))
        for role, sizes in ((Role.UNKNOWN, [cls.n_unknown for cls in record.system_classes]),
                            (Role.FROZEN_STEP, [cls.n_frozen_step for cls in record.system_classes]),
                            (Role.FROZEN_ITERATION, [cls.n_frozen_iteration for cls in record.system_classes])):
            for s in range(self.program.n_stages):
                for i, system in enumerate(record.systems):
                    self._reserve("system", i, role, s, sizes[system.cls][s])
        for i, relation in enumerate(record.relations):
            cls = record.relation_classes[relation.cls]
            self.arrays.own(i)
            self.arrays.place("relation", i, Role.MEMORY, 0, self._of_record(i, layout.memory[i], cls.n_memory), cls.n_memory)
            self._reserve("relation", i, Role.PARAMETERS, 0, len(cls.parameters))
            for s in range(self.program.n_stages):
                self.arrays.place("relation", i, Role.MULTIPLIER, s,
                                  self._of_record(i, layout.multiplier[s][i], cls.n_multiplier[s]), cls.n_multiplier[s])
            self._place_modes(i, len(record.system_classes) + relation.cls)
            self.arrays.own(-1)

    cdef double *_of_record(self, int relation, int column, size_t count) except? NULL:
        """Numbers of a relation that are recorded; of one that is cloned each clone has its own, and none is."""
        return self.arrays.arena.doubles(count) if relation in self.arrays.slots else self.arrays.values + column

    def _place_modes(self, int index, int kernels):
        """A stage without an activation of its own follows the mode of the stage before it, at the start or in steps."""
        last = {}
        for s, stage in enumerate(self.arrays.record.stages):
            if not self.arrays.has_stage(self.arrays.record.relations[index], s):
                continue
            if stage.at not in last or self.arrays.find(kernels, KernelRole.ACTIVATION, s):
                pooled = index in self.arrays.slots
                self.arrays.place("relation", index, Role.MODE, s,
                                  self.arrays.arena.doubles(1) if pooled else self.program.modes + self.program.n_modes, 1)
                self.program.n_modes += not pooled
            else:
                self.arrays.place("relation", index, Role.MODE, s, self.arrays.at("relation", index, Role.MODE, last[stage.at]), 1)
            last[stage.at] = s

    def _reserve(self, kind, item, role, stage, count):
        self.arrays.place(kind, item, role, stage, self.arrays.arena.doubles(count), count)
