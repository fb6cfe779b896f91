# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Binding: the kernels of a model, bound to the arrays of a run; the interface is documented in ``_binding.pxd``."""
from libc.math cimport INFINITY
from libc.stdint cimport uintptr_t

from nsdgen.runtime._coupled cimport coupled_free
from nsdgen.runtime._data cimport Bound, Events, Flow, Program, Reader, Repeat, Sampler, Stage
from nsdgen.runtime._looks cimport PROBES
from nsdgen.runtime._stage_binding cimport StageBinding
from nsdgen.runtime._table cimport KernelTable
from nsdgen.solvers.interaction._one_step_memory cimport one_step_free

from nsdgen.abi import KernelRole, Role
from nsdgen.runtime import runge_kutta
from nsdgen.record.step_record import Layout

cdef enum:
    KEPT = 1 << 20  # bytes: a larger one is made again for each run, and not kept between runs


cdef class Binding(StageBinding):
    """The arrays and stages of a run: ``Binding(record, table)``."""

    def __init__(self, record, KernelTable table):
        self.record, self.table = record, table
        self.layout = Layout.of(record)
        self.values = self.doubles(self.layout.width)
        self.counters_at = self.layout.counters
        self.kept_at = -1 if self.layout.kept is None else self.layout.kept
        self.cut_at = -1 if self.layout.cut is None else self.layout.cut
        self.clock = self.doubles(2)
        self.place("clock", 0, Role.TIME, 0, self.clock, 2)
        self.n_stages = len(record.stages)
        self.stages = <Stage *>self.take(self.n_stages * sizeof(Stage))
        self._allocate_arrays()
        for number in range(self.n_stages):
            self._make_stage(number)
        self._make_program()
        self.reusable = self.used() <= KEPT and not self._coupled_groups()

    def _coupled_groups(self):
        cdef int number, group
        return any(self.stages[number].group[group].coupled != NULL for number in range(self.n_stages)
                   for group in range(self.stages[number].n_groups))

    def again(self):
        """As when it was made: what a run computed, chose or remembered is gone. For those that are ``reusable``."""
        if self.image == NULL:
            self.keep()
            self.kept_program = self.program
            return
        self._free_problems()
        self.restore()
        self.program = self.kept_program

    def __dealloc__(self):
        self._free_problems()

    cdef void _free_problems(self) noexcept:
        """Give back what stages allocated for their one-step problems and singular W."""
        cdef int number, group
        for number in range(self.n_stages if self.stages != NULL else 0):
            if self.stages[number].sparse:
                one_step_free(&self.stages[number].graph)
            for group in range(self.stages[number].n_groups if self.stages[number].group != NULL else 0):
                coupled_free(&self.stages[number].group[group])

    def _allocate_arrays(self):
        """Every array a kernel may read, entered into the directory: those of one kind lie together."""
        record, layout = self.record, self.layout
        self.program.modes = self.doubles(max(1, self.n_stages * len(record.relations)))
        for i, scheme in enumerate(record.schemes):
            self._reserve("run", i, Role.RUN, 0, 1 + len(scheme.options))
        for i, system in enumerate(record.systems):
            cls = record.system_classes[system.cls]
            self.place("system", i, Role.STATE, 0, self.values + <int>layout.state[i], cls.n_state)
            self._reserve("system", i, Role.PARAMETERS, 0, len(cls.parameters))
        for i, system in enumerate(record.systems):
            self._reserve("system", i, Role.INITIAL, 0, len(system.initial))
        for role, sizes in ((Role.UNKNOWN, [cls.n_unknown for cls in record.system_classes]),
                            (Role.FROZEN_STEP, [cls.n_frozen_step for cls in record.system_classes]),
                            (Role.FROZEN_ITERATION, [cls.n_frozen_iteration for cls in record.system_classes])):
            for s in range(self.n_stages):
                for i, system in enumerate(record.systems):
                    self._reserve("system", i, role, s, sizes[system.cls][s])
        for i, relation in enumerate(record.relations):
            cls = record.relation_classes[relation.cls]
            self.place("relation", i, Role.MEMORY, 0, self.values + <int>layout.memory[i], cls.n_memory)
            self._reserve("relation", i, Role.PARAMETERS, 0, len(cls.parameters))
            for s in range(self.n_stages):
                self.place("relation", i, Role.MULTIPLIER, s, self.values + <int>layout.multiplier[s][i],
                           cls.n_multiplier[s])
            self._place_modes(i, len(record.system_classes) + relation.cls)

    def _place_modes(self, int index, int kernels):
        """A stage without an activation of its own follows the mode of the stage before it, at the start or in steps."""
        last = {}
        for s, stage in enumerate(self.record.stages):
            if not self._has_stage(self.record.relations[index], s):
                continue
            if stage.at not in last or self._find(kernels, KernelRole.ACTIVATION, s):
                self.place("relation", index, Role.MODE, s, self.program.modes + self.program.n_modes, 1)
                self.program.n_modes += 1
            else:
                self.place("relation", index, Role.MODE, s, self.at("relation", index, Role.MODE, last[stage.at]), 1)
            last[stage.at] = s

    def _reserve(self, kind, item, role, stage, count):
        self.place(kind, item, role, stage, self.doubles(count), count)

    def _make_program(self):
        """The order of the stages, what is kept of a step that may be made again, and what ends one early."""
        cdef Program *p = &self.program
        cdef int i
        record, layout = self.record, self.layout
        p.n_stages, p.stage, p.clock, p.values, p.width = self.n_stages, self.stages, self.clock, self.values, layout.width
        p.repeat_of = <int *>self.take(self.n_stages * sizeof(int))
        p.repeat = <Repeat *>self.take(len(record.repeats) * sizeof(Repeat))
        for i in range(self.n_stages):
            p.repeat_of[i] = -1
        for i, g in enumerate(record.repeats):
            if not 0 <= g.first < g.end <= self.n_stages:
                raise self._mismatch(f"it repeats stages {g.first} to {g.end} of {self.n_stages}")
            p.repeat_of[<int>g.first] = i
            p.repeat[i].first, p.repeat[i].end = g.first, g.end
            p.repeat[i].minimum, p.repeat[i].maximum = g.minimum, g.maximum
            p.repeat[i].by_violation, p.repeat[i].tolerance = g.tolerance is not None, g.tolerance or 0.0
            p.repeat[i].keep_on_limit, p.repeat[i].from_start = g.on_limit == "keep", g.from_start
        p.n_runs = len(record.schemes)
        p.run = <double **>self.take(p.n_runs * sizeof(double *))
        for i in range(p.n_runs):
            p.run[i] = self.at("run", i, Role.RUN, 0)
        p.n_carried = layout.carried
        p.group_kept = self.doubles(p.n_carried)
        self._make_flow()
        self._make_cuts()
        self._make_events()
        self._make_blocks()

    def _make_flow(self):
        """The integrator of a stage that gives a rate, where there is one."""
        cdef Flow *f = &self.program.flow
        cdef int number
        record = self.record
        for number in range(self.n_stages):
            if self.stages[number].at_rate:
                f.stage = &self.stages[number]
                scheme = record.stages[number].schemes[0]
        if f.stage == NULL:
            return
        f.n = sum(record.system_classes[s.cls].n_state for s in record.systems)
        places = [first + i for k, first in enumerate(self.layout.multiplier[f.stage.number])
                  for i in range(record.relation_classes[record.relations[k].cls].n_multiplier[f.stage.number])]
        f.total = f.n + len(places)
        f.multipliers = <int *>self.take(len(places) * sizeof(int))
        for i, place in enumerate(places):
            f.multipliers[<int>i] = place
        f.stages, f.rows, f.powers = runge_kutta.STAGES, len(runge_kutta.C), 3 + len(runge_kutta.D)
        f.rtol, f.atol = self._option(scheme, "rtol"), self._option(scheme, "atol")
        self.program.events.most = self._option(scheme, "most_events")
        f.first, f.last, f.state = self.doubles(f.total), self.doubles(f.total), self.doubles(f.total)
        f.inner, f.tangent = self.doubles(f.total), self.doubles(f.total)
        f.slope, f.extension = self.doubles(f.rows * f.total), self.doubles(f.powers * f.total)
        f.a, f.c, f.d = self.doubles(f.rows * f.rows), self.doubles(f.rows), self.doubles(f.rows * len(runge_kutta.D))
        f.error3, f.error5 = self.doubles(f.rows), self.doubles(f.rows)
        for i, c in enumerate(runge_kutta.C):
            f.c[<int>i] = c
        for target, rows in ((<uintptr_t>f.a, runge_kutta.A), (<uintptr_t>f.d, runge_kutta.D),
                             (<uintptr_t>f.error3, (runge_kutta.ERROR_3,)), (<uintptr_t>f.error5, (runge_kutta.ERROR_5,))):
            for i, row in enumerate(rows):
                for j, entry in row.items():
                    (<double *><uintptr_t>target)[<int>(i * f.rows + j)] = entry

    cdef double *_option(self, scheme, name) except NULL:
        """Where a run keeps the value of an option of a scheme."""
        names = [option.name for option in self.record.schemes[scheme].options]
        if name not in names:
            raise self._mismatch(f"the scheme {self.record.schemes[scheme].name} has no option {name!r}")
        return self.at("run", scheme, Role.RUN, 0) + <int>(1 + names.index(name))

    def _make_events(self):
        cdef Events *e = &self.program.events
        cdef int n = self.program.n_cuts
        if self.program.flow.stage != NULL:
            e.base, e.scale, e.slope = self.doubles(n), self.doubles(n), self.doubles(n)
            e.probe = self.doubles((PROBES + 1) * n)
            e.pending = self.doubles(self.program.width)

    def _make_blocks(self):
        """What the run sets itself: who holds it, and who reads it."""
        cdef Program *p = &self.program
        cdef Sampler *b
        cdef int i
        record = self.record
        p.parameter = self.doubles(len(record.parameters))
        self.place("model", 0, Role.PARAMETERS, 0, p.parameter, len(record.parameters))
        p.step_parameter = -1 if record.step_parameter is None else record.step_parameter
        p.n_samplers = len(record.blocks)
        p.sampler = <Sampler *>self.take(p.n_samplers * sizeof(Sampler))
        for i, block in enumerate(record.blocks):
            b = &p.sampler[i]
            b.cut, b.n_holds = block.cut, len(block.holds)
            cls = record.relation_classes[record.relations[block.relation].cls]
            b.memory = self.at("relation", block.relation, Role.MEMORY, 0) + <int>(cls.n_memory - b.n_holds)
            b.parameter = <int *>self.take(b.n_holds * sizeof(int))
            for k, parameter in enumerate(block.holds):
                b.parameter[<int>k] = parameter
            b.n_resets = len(block.resets)
            b.reset = b.memory - b.n_resets
            b.acted = b.reset - 1 if block.guarded else NULL
            b.state = <double **>self.take(b.n_resets * sizeof(double *))
            for k, (system, entry) in enumerate(block.resets):
                b.state[<int>k] = self.at("system", system, Role.STATE, 0) + <int>entry
        self._make_readers(record.held_slots)

    def _make_readers(self, found):
        """The arguments of instances that the run sets itself."""
        cdef Program *p = &self.program
        cdef double *derived = self.doubles(self.record.n_derived)
        cdef Reader *r
        p.n_readers = len(found)
        p.reader = <Reader *>self.take(p.n_readers * sizeof(Reader))
        passing = {(cls, slot): everything for cls, slot, everything in self.record.passing}
        for number, (kind, i, slot, a) in enumerate(found):
            r = &p.reader[<int>number]
            r.target = self.at(kind, i, Role.PARAMETERS, 0) + <int>slot
            r.source = (derived if a.source == "derived" else p.parameter) + <int>a.index
            r.low = -INFINITY if a.min is None else a.min
            r.high = INFINITY if a.max is None else a.max
            everything = passing.get((self.record.class_number(kind, i), slot))
            r.kept = everything is not True
            r.frozen = <int>i if kind == "system" and everything is None else -1
        if found and self.record.n_derived:
            info = next(k for c in self.table.classes for k in c.kernels if k.role == KernelRole.ARGUMENTS)
            p.derived = self.bind("model", 0, info, {0: (<uintptr_t>derived, self.record.n_derived)})

    def _make_cuts(self):
        """The quantities whose zeros end a step early: systems, then relations."""
        cdef Program *p = &self.program
        cdef size_t at = 0
        record = self.record
        owners = [("system", i, s.cls, record.system_classes[s.cls]) for i, s in enumerate(record.systems)]
        owners += [("relation", i, len(record.system_classes) + r.cls, record.relation_classes[r.cls])
                   for i, r in enumerate(record.relations)]
        owners = [owner for owner in owners if owner[3].cuts]
        directions = [d for owner in owners for _, d in owner[3].cuts]
        p.n_cut_kernels, p.n_cuts = len(owners), len(directions)
        p.cut = <Bound *>self.take(p.n_cut_kernels * sizeof(Bound))
        p.cut_value, p.before, p.direction = (self.doubles(p.n_cuts), self.doubles(p.n_cuts), self.doubles(p.n_cuts))
        p.silent = <int *>self.take(p.n_cuts * sizeof(int))
        for i, d in enumerate(directions):
            p.direction[<int>i] = d
            p.silent[<int>i] = abs(d) > 1
        for i, (kind, item, cls, class_record) in enumerate(owners):
            p.cut[<int>i] = self.bind_single(kind, item, cls, KernelRole.CUT, -1, p.cut_value + at, len(class_record.cuts))
            at += len(class_record.cuts)
        p.ends = <int *>self.take(p.n_cuts * sizeof(int))
        for i in record.stops:
            p.ends[<int>i] = 1
        if p.n_cuts or p.flow.stage != NULL:
            p.kept_values, p.kept_modes = self.doubles(p.width), self.doubles(p.n_modes)
