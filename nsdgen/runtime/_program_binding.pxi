"""Binding a program: the order of its stages, the integrator between events, cuts, blocks, and what they hold."""

cdef class ProgramBinding:
    """The program of a model over the arrays of a run: ``ProgramBinding(arrays)``."""

    cdef RunArrays arrays
    cdef Arena arena
    cdef Program *program

    def __init__(self, RunArrays arrays):
        self.arrays, self.arena = arrays, arrays.arena

    cdef make(self, Program *program):
        """The order of the stages, what is kept of a step that may be made again, and what ends one early."""
        cdef Program *p = program
        cdef int i
        record, layout = self.arrays.record, self.arrays.layout
        self.program = program
        p.values, p.width = self.arrays.values, layout.width
        p.repeat_of = <int *>self.arena.take(self.program.n_stages * sizeof(int))
        p.repeat = <Repeat *>self.arena.take(len(record.repeats) * sizeof(Repeat))
        for i in range(self.program.n_stages):
            p.repeat_of[i] = -1
        for i, g in enumerate(record.repeats):
            if not 0 <= g.first < g.end <= self.program.n_stages:
                raise self.arrays.mismatch(f"it repeats stages {g.first} to {g.end} of {self.program.n_stages}")
            p.repeat_of[<int>g.first] = i
            p.repeat[i].first, p.repeat[i].end = g.first, g.end
            p.repeat[i].minimum, p.repeat[i].maximum = g.minimum, g.maximum
            p.repeat[i].by_violation, p.repeat[i].tolerance = g.tolerance is not None, g.tolerance or 0.0
            p.repeat[i].keep_on_limit, p.repeat[i].from_start = g.on_limit == "keep", g.from_start
        p.n_runs = len(record.schemes)
        p.run = <double **>self.arena.take(p.n_runs * sizeof(double *))
        for i in range(p.n_runs):
            p.run[i] = self.arrays.at("run", i, Role.RUN, 0)
        p.n_carried = layout.carried
        p.group_kept = self.arena.doubles(p.n_carried)
        self._make_flow()
        self._make_cuts()
        self._make_events()
        self._make_blocks()
        self._make_observers()

    def _make_flow(self):
        """The integrator of a stage that gives a rate, where there is one."""
        cdef Flow *f = &self.program.flow
        cdef int number
        record = self.arrays.record
        for number in range(self.program.n_stages):
            if self.program.stage[number].at_rate:
                f.stage = &self.program.stage[number]
                scheme = record.stages[number].schemes[0]
        if f.stage == NULL:
            return
        f.n = sum(record.system_classes[s.cls].n_state for s in record.systems)
        places = [first + i for k, first in enumerate(self.arrays.layout.multiplier[f.stage.number])
                  for i in range(record.relation_classes[record.relations[k].cls].n_multiplier[f.stage.number])]
        f.total = f.n + len(places)
        f.multipliers = <int *>self.arena.take(len(places) * sizeof(int))
        for i, place in enumerate(places):
            f.multipliers[<int>i] = place
        f.stages, f.rows, f.powers = runge_kutta.STAGES, len(runge_kutta.C), 3 + len(runge_kutta.D)
        f.rtol, f.atol = self._option(scheme, "rtol"), self._option(scheme, "atol")
        self.program.events.most = self._option(scheme, "most_events")
        self.program.events.closed = self._option(scheme, "closed")
        f.first, f.last, f.state = self.arena.doubles(f.total), self.arena.doubles(f.total), self.arena.doubles(f.total)
        f.scale = self.arena.doubles(f.total)
        f.n_remembered = self.arrays.layout.carried - f.n
        f.remembered = self.arena.doubles(f.n_remembered)
        f.size, f.terms, f.after = self.arena.doubles(f.total), self.arena.doubles(f.total), self.arena.doubles(f.total)
        f.sized, f.compared = self.arena.doubles(f.total), self.arena.doubles(f.n)
        f.most = self.arena.doubles(2 * len(places))
        f.aside = self.arena.doubles(self.arrays.layout.width)
        f.inner, f.tangent, f.left = self.arena.doubles(f.total), self.arena.doubles(f.total), self.arena.doubles(2 * f.total)
        f.slope, f.extension = self.arena.doubles(f.rows * f.total), self.arena.doubles(f.powers * f.total)
        f.a, f.c, f.d = self.arena.doubles(f.rows * f.rows), self.arena.doubles(f.rows), self.arena.doubles(f.rows * len(runge_kutta.D))
        f.error3, f.error5 = self.arena.doubles(f.rows), self.arena.doubles(f.rows)
        for i, c in enumerate(runge_kutta.C):
            f.c[<int>i] = c
        for target, rows in ((<uintptr_t>f.a, runge_kutta.A), (<uintptr_t>f.d, runge_kutta.D),
                             (<uintptr_t>f.error3, (runge_kutta.ERROR_3,)), (<uintptr_t>f.error5, (runge_kutta.ERROR_5,))):
            for i, row in enumerate(rows):
                for j, entry in row.items():
                    (<double *><uintptr_t>target)[<int>(i * f.rows + j)] = entry

    cdef double *_option(self, scheme, name) except NULL:
        """Where a run keeps the value of an option of a scheme."""
        names = [option.name for option in self.arrays.record.schemes[scheme].options]
        if name not in names:
            raise self.arrays.mismatch(f"the scheme {self.arrays.record.schemes[scheme].name} has no option {name!r}")
        return self.arrays.at("run", scheme, Role.RUN, 0) + <int>(1 + names.index(name))

    def _make_events(self):
        cdef Events *e = &self.program.events
        cdef int n = self.program.n_cuts
        record = self.arrays.record
        if self.program.flow.stage != NULL:
            e.base, e.scale, e.slope, e.sign = self.arena.doubles(n), self.arena.doubles(n), self.arena.doubles(n), self.arena.doubles(n)
            e.earlier, e.glance, e.ahead = self.arena.doubles(n), self.arena.doubles(n), self.arena.doubles(n)
            e.reached, e.grain, e.rough = self.arena.doubles(n), self.arena.doubles(n), <int *>self.arena.take(n * sizeof(int))
            e.probe = self.arena.doubles((PROBES + 1) * n)
            e.gap = <double **>self.arena.take(n * sizeof(double *))
            e.owner = <int *>self.arena.take(n * sizeof(int))
            e.rounds = <Rounds *>self.arena.take(n * sizeof(Rounds))
            cut = sum(len(record.system_classes[s.cls].cuts) for s in record.systems)
            for i, relation in enumerate(record.relations):
                cls = record.relation_classes[relation.cls]
                if cls.gap is not None and cls.cuts:  # the first one says where it closes
                    e.gap[<int>cut] = self.arrays.at("relation", i, Role.MEMORY, 0) + <int>cls.gap
                for k in range(len(cls.cuts)):
                    e.owner[<int>(cut + k)] = i
                cut += len(cls.cuts)
            e.pending, e.at_event = self.arena.doubles(self.program.width), self.arena.doubles(self.program.width)
            e.node = self.arena.doubles(NODES * (2 + 2 * self.program.flow.n))
            self._make_places()

    def _make_places(self):
        """Which entries of the record are places, and which quantities look on each."""
        cdef Events *e = &self.program.events
        record = self.arrays.record
        cut = sum(len(record.system_classes[s.cls].cuts) for s in record.systems)
        found, sides = [], []
        for i, relation in enumerate(record.relations):
            cls = record.relation_classes[relation.cls]
            found += [(i, entry, highest, cut + 2 * k) for k, (entry, highest) in enumerate(cls.places) if highest]
            sides += [(i, entry) for entry, highest in cls.places if not highest]
            cut += len(cls.cuts)
        e.n_sides, e.side = len(sides), <double **>self.arena.take(len(sides) * sizeof(double *))
        for number, (i, k) in enumerate(sides):
            e.side[<int>number] = self.arrays.at("relation", i, Role.MEMORY, 0) + <int>k
        slips = [(i, *pair) for i, relation in enumerate(record.relations) for pair in record.relation_classes[relation.cls].slips]
        e.n_slips, e.slip = len(slips), <int *>self.arena.take(len(slips) * sizeof(int))
        e.slip_size, e.slip_owner = <int *>self.arena.take(len(slips) * sizeof(int)), <int *>self.arena.take(len(slips) * sizeof(int))
        e.slipped = self.arena.doubles(len(slips))
        for number, (i, k, size) in enumerate(slips):
            e.slip_owner[<int>number], e.slip[<int>number] = i, self.arrays.layout.memory[i] + k
            e.slip_size[<int>number] = self.arrays.layout.memory[i] + size
        e.n_places = len(found)
        e.place = <double **>self.arena.take(len(found) * sizeof(double *))
        e.highest, e.left = <int *>self.arena.take(len(found) * sizeof(int)), <int *>self.arena.take(len(found) * sizeof(int))
        e.member, e.digit = <int *>self.arena.take(len(found) * sizeof(int)), <int *>self.arena.take(len(found) * sizeof(int))
        e.wrong, e.steady, e.ended = <char *>self.arena.take(len(found)), <char *>self.arena.take(len(found)), <char *>self.arena.take(len(found))
        e.old, e.guess = self.arena.doubles(len(found)), self.arena.doubles(len(found))
        e.first, e.least = self.arena.doubles(len(found)), self.arena.doubles(len(found))
        e.largest, e.moved = self.arena.doubles(len(found)), self.arena.doubles(len(found))
        e.rounded = self.arena.doubles(len(found))
        e.bears, e.weak = <char *>self.arena.take(self.program.n_cuts), <char *>self.arena.take(self.program.n_cuts)
        e.height, e.row = self.arena.doubles(self.program.n_cuts), self.arena.doubles(self.program.width)
        for number, (i, k, highest, left) in enumerate(found):
            e.place[<int>number] = self.arrays.at("relation", i, Role.MEMORY, 0) + <int>k
            e.highest[<int>number], e.left[<int>number], e.steady[<int>number] = abs(highest), left, highest < 0

    def _make_blocks(self):
        """What the run sets itself: who holds it, and who reads it."""
        cdef Program *p = self.program
        cdef Sampler *b
        cdef int i
        record = self.arrays.record
        p.parameter = self.arena.doubles(len(record.parameters))
        self.arrays.place("model", 0, Role.PARAMETERS, 0, p.parameter, len(record.parameters))
        p.step_parameter = -1 if record.step_parameter is None else record.step_parameter
        p.n_samplers = len(record.blocks)
        p.sampler = <Sampler *>self.arena.take(p.n_samplers * sizeof(Sampler))
        for i, block in enumerate(record.blocks):
            b = &p.sampler[i]
            b.cut, b.n_holds = block.cut or block.period is None or p.flow.stage != NULL, len(block.holds)
            cls = record.relation_classes[record.relations[block.relation].cls]
            b.memory = self.arrays.at("relation", block.relation, Role.MEMORY, 0) + <int>(cls.n_memory - b.n_holds)
            b.parameter = <int *>self.arena.take(b.n_holds * sizeof(int))
            for k, parameter in enumerate(block.holds):
                b.parameter[<int>k] = parameter
            b.n_resets = len(block.resets)
            b.reset = b.memory - b.n_resets
            b.acted = b.reset - 1 if block.guarded else NULL
            b.state = <double **>self.arena.take(b.n_resets * sizeof(double *))
            for k, (system, entry) in enumerate(block.resets):
                b.state[<int>k] = self.arrays.at("system", system, Role.STATE, 0) + <int>entry
            b.n_conditions = len(block.conditions)
            b.n_reads = len(block.reads)
            b.read = <double *>b.reset - <int>block.guarded - (b.n_conditions if block.flags else 0) - b.n_reads
            b.source = <double **>self.arena.take(b.n_reads * sizeof(double *))
            for k, (relation, row) in enumerate(block.reads):
                b.source[<int>k] = p.values + <int>(self._multiplier(relation) + row)
            b.flag = <double *>b.reset - <int>block.guarded - b.n_conditions if block.flags else NULL
            b.condition = <int *>self.arena.take(b.n_conditions * sizeof(int))
            for k, quantity in enumerate(block.conditions):
                b.condition[<int>k] = quantity
        self._make_readers(record.held_slots)

    def _make_observers(self):
        """What is observed of instants: each kernel reads copies, since records lie in tables and lanes."""
        cdef Program *p = self.program
        cdef Observer *o
        cdef int j
        cdef size_t first
        record, layout = self.arrays.record, self.arrays.layout
        p.n_observers = len(record.outputs)
        p.observer = <Observer *>self.arena.take(p.n_observers * sizeof(Observer))
        p.moment = self.arena.doubles(2)
        for i, output in enumerate(record.outputs):
            o = &p.observer[<int>i]
            relation = record.relations[output.relation]
            info = self.arrays.find(record.class_number("relation", output.relation), KernelRole.OBSERVE, -1)
            states = [layout.state[system] for system in relation.participants]
            columns = [[states[a.participant] + k for k in range(a.size)] if a.role == Role.STATE
                       else output.reads if a.role == Role.MULTIPLIER else [] for a in info.inputs]
            given = [column for group in columns for column in group]
            if any(not 0 <= column < layout.width for column in given):
                raise self.arrays.mismatch(f"{relation.name!r} observes columns that there are not")
            o.n_given, o.n, o.at = len(given), len(output.labels), layout.outputs[i]
            o.given, o.found = self.arena.doubles(o.n_given), self.arena.doubles(o.n)
            o.column = self.arrays.integers(("observed", i), given)
            self.arrays.place("relation", output.relation, Role.MULTIPLIER, 0, o.given, len(output.reads))
            o.call = self.arrays.bind("relation", output.relation, info, {0: (<uintptr_t>o.found, o.n)})
            first = 0
            for j, array in enumerate(info.inputs):
                if array.role in (Role.STATE, Role.MULTIPLIER):
                    o.call.in_[j] = o.given + first
                elif array.role == Role.TIME:
                    o.call.in_[j] = p.moment
                first += len(columns[j])

    def _multiplier(self, relation):
        """Where in the record the multipliers of a relation begin, those of the first stage that has them."""
        counts = self.arrays.record.relation_classes[self.arrays.record.relations[relation].cls].n_multiplier
        return self.arrays.layout.multiplier[next(k for k, count in enumerate(counts) if count)][relation]

    def _make_readers(self, found):
        """The arguments of instances that the run sets itself."""
        cdef Program *p = self.program
        cdef double *derived = self.arena.doubles(self.arrays.record.n_derived)
        cdef Reader *r
        p.n_readers = len(found)
        p.reader = <Reader *>self.arena.take(p.n_readers * sizeof(Reader))
        passing = {(cls, slot): everything for cls, slot, everything in self.arrays.record.passing}
        for number, (kind, i, slot, a) in enumerate(found):
            r = &p.reader[<int>number]
            r.target = self.arrays.at(kind, i, Role.PARAMETERS, 0) + <int>slot
            r.source = (derived if a.source == "derived" else p.parameter) + <int>a.index
            r.low = -INFINITY if a.min is None else a.min
            r.high = INFINITY if a.max is None else a.max
            everything = passing.get((self.arrays.record.class_number(kind, i), slot))
            r.kept = everything is not True
            r.frozen = <int>i if kind == "system" and everything is None else -1
        if found and self.arrays.record.n_derived:
            info = next(k for c in self.arrays.table.classes for k in c.kernels if k.role == KernelRole.ARGUMENTS)
            p.derived = self.arrays.bind("model", 0, info, {0: (<uintptr_t>derived, self.arrays.record.n_derived)})

    def _make_boxes(self):
        """The bounds of relations whose arguments the run sets itself, or that are functions of time."""
        cdef Program *p = self.program
        cdef Boxes *b
        record, table = self.arrays.record, self.arrays.table
        held = {i for kind, i, _, _ in record.held_slots if kind == "relation"}
        found = [(i, info) for i in range(len(record.relations) if p.flow.stage != NULL else 0)
                 if (info := box_kernel(record, table, i))
                 and (i in held or any(a.role != Role.PARAMETERS for a in info.inputs))]
        p.n_boxes = len(found)
        p.boxes = <Boxes *>self.arena.take(p.n_boxes * sizeof(Boxes))
        for number, (i, info) in enumerate(found):
            b = &p.boxes[<int>number]
            b.relation, b.n = i, info.outputs[0].nnz
            p.n_widths += b.n // 2
            b.bound = self.arena.doubles(b.n)
            self.arrays.place("relation", i, Role.OPERAND, 0, p.clock + 1, 1)
            b.call = self.arrays.bind("relation", i, info, {0: (<uintptr_t>b.bound, b.n)})

    def _make_cuts(self):
        """The quantities whose zeros end a step early: systems, then relations."""
        cdef Program *p = self.program
        cdef size_t at = 0
        record = self.arrays.record
        owners = [("system", i, s.cls, record.system_classes[s.cls]) for i, s in enumerate(record.systems)]
        owners += [("relation", i, len(record.system_classes) + r.cls, record.relation_classes[r.cls])
                   for i, r in enumerate(record.relations)]
        owners = [owner for owner in owners if owner[3].cuts]
        directions = [d for owner in owners for _, d in owner[3].cuts]
        self._make_boxes()
        directions += [-1.0] * p.n_widths
        p.n_cut_kernels, p.n_cuts = len(owners), len(directions)
        p.cut = <Bound *>self.arena.take(p.n_cut_kernels * sizeof(Bound))
        p.cut_value, p.before, p.direction = (self.arena.doubles(p.n_cuts), self.arena.doubles(p.n_cuts), self.arena.doubles(p.n_cuts))
        p.silent = <int *>self.arena.take(p.n_cuts * sizeof(int))
        for i, d in enumerate(directions):
            p.direction[<int>i] = d
            p.silent[<int>i] = abs(d) > 1
        for i, (kind, item, cls, class_record) in enumerate(owners):
            p.cut[<int>i] = self.arrays.bind_single(kind, item, cls, KernelRole.CUT, -1, p.cut_value + at, len(class_record.cuts))
            at += len(class_record.cuts)
        p.ends, p.crosses = <int *>self.arena.take(p.n_cuts * sizeof(int)), <int *>self.arena.take(p.n_cuts * sizeof(int))
        p.fired, p.unjumped = <int *>self.arena.take(p.n_cuts * sizeof(int)), self.arena.doubles(p.n_cuts)
        for i in record.stops:
            p.ends[<int>i] = 1
        for i in (*record.stops, *(i for block in record.blocks for i in block.conditions)):
            p.crosses[<int>i] = 1
            p.n_crosses += 1
        if p.n_cuts or p.flow.stage != NULL:
            p.kept_values, p.kept_modes = self.arena.doubles(p.width), self.arena.doubles(p.n_modes)
