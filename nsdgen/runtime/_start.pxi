"""How a run starts: its values, the state and the memories at t_0, what blocks hold there."""

cdef double NEVER = 1e300  # when a block is due that has no clock: added up so often, it stays finite


cdef class Start:
    """A bound model is given its values and brought to t_0: ``Start(model)``."""

    def __init__(self, BoundModel model):
        self.model = model
        record = model.arrays.record
        self._list_given()
        self._bind_states()
        self._list_gaps()
        self.held = self._started()
        systems = len(record.system_classes)
        self.explicit = []
        for number in range(self.model.program.n_stages):
            kernels = [self.model.arrays.find(systems + c, KernelRole.INITIAL_MEMORY, number)
                       for c in range(len(record.relation_classes))]
            self.explicit.append([(i, kernels[r.cls]) for i, r in enumerate(record.relations)
                                  if kernels[r.cls] is not None] if any(kernels) else [])

    def _list_given(self):
        """What :meth:`fill` fills, in its order."""
        record = self.model.arrays.record
        places = [("run", i, Role.RUN) for i in range(len(record.schemes))] + [("model", 0, Role.PARAMETERS)]
        places += [("system", i, role) for i in range(len(record.systems)) for role in (Role.PARAMETERS, Role.INITIAL)]
        places += [("relation", i, Role.PARAMETERS) for i in range(len(record.relations))]
        self.n_given = len(places)
        self.given = <Given *>self.model.arrays.arena.take(self.n_given * sizeof(Given))
        for k, (kind, i, role) in enumerate(places):
            self.given[<int>k].array = self.model.arrays.at(kind, i, role, 0)
            self.given[<int>k].n = self.model.arrays.address[kind, i, int(role), 0][1]

    def fill(self, tuple given not None):
        """Write the values of a run: those of schemes, parameters, arguments and initial values of systems in turn,
        arguments of relations."""
        cdef tuple values
        cdef double *array
        cdef Py_ssize_t i
        cdef int k
        if len(given) != self.n_given:
            raise self.model.arrays.mismatch(f"{len(given)} lists of values for {self.n_given}")
        for k in range(self.n_given):
            values = given[k]
            if len(values) != self.given[k].n:
                raise self.model.arrays.mismatch(f"{len(values)} values in place of {self.given[k].n}")
            array = self.given[k].array
            for i in range(self.given[k].n):
                array[i] = values[i]

    def _bind_states(self):
        cdef FirstState *s
        record = self.model.arrays.record
        self.n_systems = len(record.systems)
        self.starts = <FirstState *>self.model.arrays.arena.take(self.n_systems * sizeof(FirstState))
        for i, system in enumerate(record.systems):
            s = &self.starts[<int>i]
            s.n = record.system_classes[system.cls].n_state
            s.state, s.given = self.model.arrays.at("system", i, Role.STATE, 0), self.model.arrays.at("system", i, Role.INITIAL, 0)
            info = self.model.arrays.find(system.cls, KernelRole.INITIAL, -1)
            if info is not None:
                s.kernel = self.model.arrays.bind("system", i, info, {0: (<uintptr_t>s.state, s.n)})
            elif len(system.initial) != s.n:
                raise self.model.arrays.mismatch(f"{len(system.initial)} initial values for {system.name!r}")

    def _list_gaps(self):
        cdef int k
        classes = [self.model.arrays.record.relation_classes[r.cls] for r in self.model.arrays.record.relations]
        layout, owners = self.model.arrays.layout, [i for i, c in enumerate(classes) if c.gap is not None]
        places, ranges, begins = [layout.memory[i] + classes[i].gap for i in owners], [], [0]
        self.vanishing = any(c.zero_rows for c in classes)
        self.n_gaps = len(places)
        self.gaps = <int *>self.model.arrays.arena.take(self.n_gaps * sizeof(int))
        for k in range(self.n_gaps):
            self.gaps[k] = places[k]
        record = self.model.arrays.record
        for i in owners:
            for system in record.relations[i].participants:
                ranges += (layout.state[system], layout.state[system] + record.system_classes[record.systems[system].cls].n_state)
            begins.append(len(ranges))
        self.model.program.n_gaps = 0 if record.allow_penetration else self.n_gaps
        self.model.program.gap_ranges = self.model.arrays.integers("ranges of gaps", begins)
        self.model.program.gap_states = self.model.arrays.integers("states of gaps", ranges)
        self.model.program.gap, self.model.program.gap_before = self.gaps, self.model.arrays.arena.doubles(self.n_gaps)

    def starts_well(self):
        """Whether all values are finite, no gap is negative, and no row has to be zero: then a start is beyond doubt."""
        cdef int k
        for k in range(self.model.width):
            if not isfinite(self.model.arrays.values[k]):
                return False
        for k in range(self.n_gaps):
            if self.model.arrays.values[self.gaps[k]] < 0:
                return False
        return not self.vanishing

    def initialize(self, double start, double step, given=(), long steps=0, row=None, clocks=None):
        """s_0 from the initial values, lambda_0, what relations remember at t_0, all caches empty.

        ``given`` are (column, value) of multipliers at t_0, ``steps`` how many are to be
        made, ``row`` a record to go on from, ``clocks`` from when those of its run count, and whether
        what is due at its instant is still to come. False where a stage at the start fails.
        """
        cdef int number
        cdef bint solved = False
        cdef Counters counters
        self.model.program.h = step
        memset(self.model.arrays.values, 0, self.model.arrays.layout.width * sizeof(double))
        memset(&self.model.failure, 0, sizeof(Failure))
        self.model.program.open = self.model.program.several = 0
        self.model.program.clock[0] = self.model.program.clock[1] = start
        self._fill_states()
        for number in range(self.model.program.n_stages):
            reset(&self.model.program.stage[number])
            self.model.program.stage[number].graph.told = 0
        if not self._start_blocks(start, step, clocks):
            return False
        for number in range(self.model.program.n_stages):
            fill(&self.model.program.stage[number], &self.model.failure)
        memset(self.model.program.modes, 0, self.model.program.n_modes * sizeof(double))
        for column, value in given:
            self.model.arrays.values[<int>column] = value
        self._hold({column for column, _ in given})
        for number in range(self.model.program.n_stages):
            if self.model.program.stage[number].block < 0:
                self._fill_memory(number)
        for number in range(self.model.program.n_stages):
            if self.model.program.stage[number].at_start:
                solved = True
                memset(&counters, 0, sizeof(Counters))
                if run_stage(&self.model.program.stage[number], False, &counters, &self.model.failure):
                    return False
        for number in range(self.model.program.n_stages if solved else 0):
            if self.model.program.stage[number].block < 0:
                self._fill_memory(number)
        for number, value in enumerate(row or ()):
            self.model.arrays.values[number] = value
        if row and not self._resume(start, step, clocks):
            return False
        if self.model.program.flow.stage != NULL:
            self.model.program.events.start, self.model.program.events.end = start, start + steps * step
            self.model.program.flow.trial = step
            if start_events(&self.model.program, start, &self.model.failure):
                return False
            self.model.arrays.values[self.model.counters_at + 1] = open_rows(&self.model.program)
        return True

    def _start_blocks(self, double start, double step, clocks):
        """What blocks hold at t_0; those that are due there act. False where that fails."""
        cdef Program *p = &self.model.program
        cdef Counters counters
        cdef Sampler *b
        cdef int number, i, k, turn
        begin_instant(p, False)
        if p.step_parameter >= 0:
            p.parameter[p.step_parameter] = step
            if spread(p, &self.model.failure):
                return False
        if not p.n_samplers:
            return True
        for i, record in enumerate(self.model.arrays.record.blocks):
            b = &p.sampler[i]
            if record.period is None:
                b.period, b.offset = NEVER, 0.0 if record.at_start else NEVER
            else:
                b.period, b.offset = p.parameter[<int>record.period], p.parameter[<int>record.offset]
        p.resumed, p.origin = clocks is not None, clocks[0] if clocks else start
        start_blocks(p, step)
        if not p.resumed:
            next_stop(p, start, start, start, step, 0)
        for number in range(self.model.program.n_stages):
            if self.model.program.stage[number].block >= 0:
                self._fill_memory(number)
        if p.resumed:
            return True
        due = [p.sampler[i].due for i in range(p.n_samplers)]
        for turn in range(3):  # latches, clocks, which may read these, and latches anew by what clocks hold
            for number in range(p.n_stages if turn == 2 else 0):
                if p.stage[number].block >= 0 and p.sampler[p.stage[number].block].flag != NULL:
                    self._fill_memory(number)
            if p.n_crosses and evaluate_cuts(p, &self.model.failure):
                return False
            for i in range(p.n_samplers):
                b = &p.sampler[i]
                b.due = due[i] and (b.flag != NULL) == (turn != 1)
                for k in range(b.n_conditions if b.due and b.flag != NULL else 0):
                    b.flag[k] = p.cut_value[b.condition[k]] >= 0.0
            if run_blocks(p, &counters, &self.model.failure):
                return False
        return True

    def _resume(self, double start, double step, clocks):
        """What a record says of blocks is what they hold; conditions that are true may come true again soon."""
        cdef Program *p = &self.model.program
        cdef int i
        if clocks is not None:
            resume_blocks(p, start, step, clocks[1])
            for i in range(p.n_samplers):
                if publish(p, i, &self.model.failure):
                    return False
        if p.n_crosses and evaluate_cuts(p, &self.model.failure):
            return False
        for i in range(p.n_cuts if p.n_crosses else 0):
            p.fired[i] = p.crosses[i] and p.cut_value[i] * p.direction[i] >= 0.0
        if self.model.cut_at >= 0:
            i = <int>self.model.arrays.values[self.model.cut_at] - 1
            self.model.arrays.values[self.model.cut_at] = 0
            if i >= 0 and p.crosses[i] and not p.ends[i] and p.flow.stage != NULL:  # the side before: it is to act
                p.fired[i] = 2
        return True

    def _hold(self, given):
        """Relations whose multipliers are given are not solved for them at the start, but they act."""
        cdef BoundRelation *r
        cdef int i
        for number, i, place, vanishes in self.held:
            r = &self.model.program.stage[<int>number].relation[i]
            r.held = place in given
            r.vanishes = vanishes and not r.held

    def _started(self):
        """Of stages at the start: stage, relation, place of its multipliers, whether it does nothing without them."""
        return [(number, i, self.model.arrays.layout.multiplier[number][i], self.model.arrays.vanishes(relation, number))
                for number, stage in enumerate(self.model.arrays.record.stages) if stage.at == "start"
                for i, relation in enumerate(self.model.arrays.record.relations) if self.model.arrays.has_stage(relation, number)]

    cdef void _fill_states(self) noexcept:
        cdef size_t i
        for i in range(self.n_systems):
            if self.starts[i].kernel.call == NULL:
                memcpy(self.starts[i].state, self.starts[i].given, self.starts[i].n * sizeof(double))
            else:
                call(&self.starts[i].kernel)

    def _fill_memory(self, int number):
        """What a stage records at t_0, and the part of the memory that it owns; of a stage of steps by what there was."""
        cdef Program *p = &self.model.program
        cdef int carried = self.model.arrays.layout.carried
        cdef double *memory
        cdef Failure unused
        first = self._first_memory(number)
        if p.flow.stage != NULL and number == p.flow.stage.number:
            # what moves at t_0 says how large things are; where it has no rate the events at the start may give it one
            memcpy(p.kept_values, p.values, p.width * sizeof(double))
            if flow_observe(p, &unused):
                memcpy(p.values, p.kept_values, p.width * sizeof(double))
            memcpy(p.values + carried, p.kept_values + carried, (p.width - carried) * sizeof(double))
            first = self._first_memory(number)
        else:
            observe(&self.model.program.stage[number], &self.model.failure)
        for i, values in first:
            memory = self.model.arrays.at("relation", i, Role.MEMORY, 0)
            for place, value in values:
                memory[<int>place] = value

    def _first_memory(self, int number):
        """The parts of the memory that kernels of their own fill at t_0: relations, and the places and values of each."""
        return [(i, self._explicit(i, info)) for i, info in self.explicit[number]]

    def _explicit(self, int index, info):
        cdef const nsdgen_kernel *k = self.model.arrays.table.kernel(info.cls, info.number)
        cdef int n = k.out[0].nnz, j
        cdef double *given = self.model.arrays.arena.doubles(n)
        cdef Bound bound = self.model.arrays.bind("relation", index, info, {0: (<uintptr_t>given, n)})
        call(&bound)
        return [(j if k.out[0].positions == NULL else k.out[0].positions[j], given[j]) for j in range(n)]
