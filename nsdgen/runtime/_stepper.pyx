# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The stepper: starts a run and steps. A step calls no Python, takes no lock and allocates nothing."""
from libc.stdint cimport uintptr_t
from libc.string cimport memcpy, memset

from nsdgen.runtime._assembly cimport call
from nsdgen.runtime._data cimport Bound, Counters, Failure, BoundRelation, Program, Stage
from nsdgen.runtime._events cimport next_instant, start_events
from nsdgen.runtime._fused cimport FusedBinding
from nsdgen.runtime._held cimport next_stop, pass_instant, publish, reset_states, spread, start_blocks
from nsdgen.runtime._program cimport make_step, make_step_cut
from nsdgen.runtime._stage cimport fill, observe, reset, run_stage
from nsdgen.runtime._table cimport KernelTable
from nsdgen.abi cimport nsdgen_kernel
from nsdgen.solvers.interaction._one_step_work cimport OneStep

from time import perf_counter

from nsdgen.abi import Flag, KernelRole, Quantity, Role


cdef enum:
    FEW = 4  # steps made by a model's own function at a time: fewer do not pay
    PAUSE = 16  # steps that are then left to the general stepper


cdef class Stepper(FusedBinding):
    """A run of one model: ``Stepper(record, table)``, then set values, ``initialize``, ``advance_timed``.

    ``record`` is the :class:`~nsdgen.record.ModelRecord`, ``table`` its kernels. Raises
    ``ModuleMismatch`` where the two do not fit together.
    """

    def __init__(self, record, table):
        super().__init__(record, table)
        self._list_given()
        self._bind_states()
        self.at_start = self._started()
        systems = len(record.system_classes)
        self.explicit = []
        for number in range(self.n_stages):
            kernels = [self._find(systems + c, KernelRole.INITIAL_MEMORY, number)
                       for c in range(len(record.relation_classes))]
            self.explicit.append([(i, kernels[r.cls]) for i, r in enumerate(record.relations)
                                  if kernels[r.cls] is not None] if any(kernels) else [])

    def _list_given(self):
        """What :meth:`fill` fills, in its order."""
        record = self.record
        places = [("run", i, Role.RUN) for i in range(len(record.schemes))] + [("model", 0, Role.PARAMETERS)]
        places += [("system", i, role) for i in range(len(record.systems)) for role in (Role.PARAMETERS, Role.INITIAL)]
        places += [("relation", i, Role.PARAMETERS) for i in range(len(record.relations))]
        self.n_given = len(places)
        self.given = <Given *>self.take(self.n_given * sizeof(Given))
        for k, (kind, i, role) in enumerate(places):
            self.given[<int>k].array = self.at(kind, i, role, 0)
            self.given[<int>k].n = self.address[kind, i, int(role), 0][1]

    def fill(self, tuple given not None):
        """Write the values of a run: those of schemes, parameters, arguments and initial values of systems in turn,
        arguments of relations."""
        cdef tuple values
        cdef double *array
        cdef Py_ssize_t i
        cdef int k
        if len(given) != self.n_given:
            raise self._mismatch(f"{len(given)} lists of values for {self.n_given}")
        for k in range(self.n_given):
            values = given[k]
            if len(values) != self.given[k].n:
                raise self._mismatch(f"{len(values)} values in place of {self.given[k].n}")
            array = self.given[k].array
            for i in range(self.given[k].n):
                array[i] = values[i]

    def _bind_states(self):
        cdef Start *s
        record = self.record
        self.n_systems = len(record.systems)
        self.starts = <Start *>self.take(self.n_systems * sizeof(Start))
        for i, system in enumerate(record.systems):
            s = &self.starts[<int>i]
            s.n = record.system_classes[system.cls].n_state
            s.state, s.given = self.at("system", i, Role.STATE, 0), self.at("system", i, Role.INITIAL, 0)
            info = self._find(system.cls, KernelRole.INITIAL, -1)
            if info is not None:
                s.kernel = self.bind("system", i, info, {0: (<uintptr_t>s.state, s.n)})
            elif len(system.initial) != s.n:
                raise self._mismatch(f"{len(system.initial)} initial values for {system.name!r}")

    def initialize(self, double start, double step, given=(), long steps=0, row=None):
        """s_0 from the initial values, lambda_0, what relations remember at t_0, all caches empty.

        ``given`` are (column, value) of multipliers at t_0, ``steps`` how many are to be
        made, ``row`` a record to go on from. False where a stage at the start fails.
        """
        cdef int number
        cdef bint solved = False
        cdef Counters counters
        self.start_time, self.step_size, self.step_number, self.now = start, step, 0, start
        self.off_grid = self.stopped = False
        self.fused_rest = 0
        self.program.h = step
        memset(self.values, 0, self.layout.width * sizeof(double))
        memset(&self.failure, 0, sizeof(Failure))
        self.clock[0] = self.clock[1] = start
        self._fill_states()
        for number in range(self.n_stages):
            reset(&self.stages[number])
        if not self._start_blocks(step):
            return False
        for number in range(self.n_stages):
            fill(&self.stages[number], &self.failure)
        memset(self.program.modes, 0, self.program.n_modes * sizeof(double))
        for column, value in given:
            self.values[<int>column] = value
        self._hold({column for column, _ in given})
        for number in range(self.n_stages):
            if self.stages[number].block < 0:
                self._fill_memory(number)
        for number in range(self.n_stages):
            if self.stages[number].at_start:
                solved = True
                counters.newton = counters.deficiency = counters.kept = 0
                if run_stage(&self.stages[number], False, &counters, &self.failure):
                    return False
        for number in range(self.n_stages if solved else 0):
            if self.stages[number].block < 0:
                self._fill_memory(number)
        for number, value in enumerate(row or ()):
            self.values[number] = value
        if row and self.cut_at >= 0:
            self.values[self.cut_at] = 0
        if self.program.flow.stage != NULL:
            self.program.flow.horizon = start + steps * step
            self.program.flow.trial = step
            return start_events(&self.program, start, &self.failure) == 0
        return True

    def _start_blocks(self, double step):
        """What blocks hold at t_0; those that are due there act. False where that fails."""
        cdef Program *p = &self.program
        cdef Counters counters
        cdef int number, block
        if p.step_parameter >= 0:
            p.parameter[p.step_parameter] = step
            if spread(p, &self.failure):
                return False
        if not p.n_samplers:
            return True
        for i, record in enumerate(self.record.blocks):
            p.sampler[<int>i].period = p.parameter[<int>record.period]
            p.sampler[<int>i].offset = p.parameter[<int>record.offset]
        start_blocks(p, step)
        next_stop(p, self.start_time, self.start_time, self.start_time, step, 0)
        for number in range(self.n_stages):
            if self.stages[number].block >= 0:
                self._fill_memory(number)
        for number in range(self.n_stages):
            block = self.stages[number].block
            if block >= 0 and p.sampler[block].due:
                counters.newton = counters.deficiency = counters.kept = 0
                if run_stage(&self.stages[number], False, &counters, &self.failure) or publish(
                        p, block, &self.failure):
                    return False
                if number >= self.n_stages - p.n_samplers and reset_states(p, block, &self.failure):
                    return False
        pass_instant(p)
        return True

    def _hold(self, given):
        """Relations whose multipliers are given are not solved for them at the start, but they act."""
        cdef BoundRelation *r
        cdef int i
        for number, i, place, vanishes in self.at_start:
            r = &self.stages[<int>number].relation[i]
            r.held = place in given
            r.vanishes = vanishes and not r.held

    def _started(self):
        """Of stages at the start: stage, relation, place of its multipliers, whether it does nothing without them."""
        return [(number, i, self.layout.multiplier[number][i], self._vanishes(relation, number))
                for number, stage in enumerate(self.record.stages) if stage.at == "start"
                for i, relation in enumerate(self.record.relations) if self._has_stage(relation, number)]

    def _vanishes(self, relation, number):
        """Whether a relation does nothing where its multipliers are zero."""
        evaluate = self._find(len(self.record.system_classes) + relation.cls, KernelRole.EVALUATE, number)
        return all(out.flags & Flag.VANISHES for out in evaluate.outputs if out.quantity == Quantity.REACTION)

    cdef void _fill_states(self) noexcept:
        cdef size_t i
        for i in range(self.n_systems):
            if self.starts[i].kernel.call == NULL:
                memcpy(self.starts[i].state, self.starts[i].given, self.starts[i].n * sizeof(double))
            else:
                call(&self.starts[i].kernel)

    def _fill_memory(self, int number):
        """What a stage records at t_0, and the part of the memory that it owns."""
        before = [self._memory(i) for i, _ in self.explicit[number]]
        observe(&self.stages[number], &self.failure)
        for (i, info), values in zip(self.explicit[number], before, strict=True):
            self._set_memory(i, values)
            self._fill_explicitly(i, info)

    def _memory(self, int index):
        cdef double *memory = self.at("relation", index, Role.MEMORY, 0)
        return [memory[i] for i in range(self.record.relation_classes[self.record.relations[index].cls].n_memory)]

    def _set_memory(self, int index, values):
        cdef double *memory = self.at("relation", index, Role.MEMORY, 0)
        for i, value in enumerate(values):
            memory[<int>i] = value

    def _fill_explicitly(self, int index, info):
        """The part of a relation's memory that a kernel of its own fills at t_0."""
        cdef const nsdgen_kernel *k = (<KernelTable>self.table).kernel(info.cls, info.number)
        cdef int n = k.out[0].nnz, j
        cdef double *memory = self.at("relation", index, Role.MEMORY, 0)
        cdef double *given = self.doubles(n)
        cdef Bound bound = self.bind("relation", index, info, {0: (<uintptr_t>given, n)})
        call(&bound)
        for j in range(n):
            memory[j if k.out[0].positions == NULL else k.out[0].positions[j]] = given[j]

    def advance_timed(self, long count, double[:, ::1] table, double[::1] times, long row):
        """Make up to ``count`` steps, recording from ``row`` on: (steps made, rows written, failed or not, seconds).

        ``table`` has the layout's width, ``times`` receives t at the end of each step, or where it was cut. Stops when
        the table is full.
        """
        cdef long made = 0, rows = 0, more, room = min(table.shape[0], times.shape[0]) - row
        cdef bint failed = False
        if table.shape[1] != self.layout.width or (not self.cut_number and room < count):
            raise ValueError("the table is too small")
        began = perf_counter()
        with nogil:
            while made < count and rows < room and not self.stopped:
                more = self.fuse(min(count - made, room - rows), &table[row + rows, 0], table.shape[1],
                                 &times[row + rows])
                rows += more
                made += more
                if made == count or rows == room:
                    break
                if self.onward():
                    failed = True
                    break
                memcpy(&table[row + rows, 0], self.values, table.shape[1] * sizeof(double))
                times[row + rows] = self.clock[1]
                rows += 1
                made += not self.off_grid
        return made, rows, failed, perf_counter() - began

    cdef long fuse(self, long count, double *row, long stride, double *times) noexcept nogil:
        """Make up to ``count`` steps by the model's own function, the first one excepted; how many it made.

        Records go to ``row``, each ``stride`` doubles after the last. Where it makes few, the general stepper
        is left alone for a while.
        """
        cdef long made
        if self.step_number == 0 or not self.fused_ready():
            return 0
        self.fused_run.start, self.fused_run.h = self.start_time, self.step_size
        made = self.fused_steps(&self.fused_run, self.step_number, count, row, stride, times)
        self.moved_on(made)
        if made < FEW and made < count:
            self.fused_rest = PAUSE
        return made

    cdef void moved_on(self, long made) noexcept nogil:
        """So many steps were made by a function of the model."""
        if made:
            self.step_number += made
            self.clock[0] = self.start_time + (self.step_number - 1) * self.step_size
            self.now = self.clock[1] = self.start_time + self.step_number * self.step_size

    cdef int onward(self) noexcept nogil:
        """To the next instant that is recorded; 0 or a FailureCode."""
        return self.step() if self.program.flow.stage == NULL else self.instant()

    cdef int step(self) noexcept nogil:
        """To the end of the step, or to the next instant at which it is cut."""
        cdef Counters counters
        cdef int status, which = -1
        cdef double begin = self.start_time + self.step_number * self.step_size
        cdef double end = self.start_time + (self.step_number + 1) * self.step_size
        cdef double stop = end, h = self.step_size
        if self.off_grid:
            begin = self.now
        if self.program.n_samplers:
            stop = next_stop(&self.program, self.start_time, begin, end, self.step_size, self.step_number + 1)
        if self.off_grid or stop != end:
            h = stop - begin
        if self.program.n_cuts:
            status = make_step_cut(&self.program, begin, stop, h, &counters, &self.failure, &which)
            self.values[self.cut_at] = which + 1
            self.stopped = which >= 0 and self.program.ends[which]
        else:
            status = make_step(&self.program, begin, stop, h, &counters, &self.failure)
        if status:
            return status
        self.now = self.clock[1]
        self.off_grid = self.now < end
        if self.program.n_samplers and self.now == stop:
            pass_instant(&self.program)
        self.values[self.counters_at] = counters.newton
        self.values[self.counters_at + 1] = counters.deficiency
        if self.kept_at >= 0:
            self.values[self.kept_at] = counters.kept
        self.step_number += not self.off_grid
        return 0

    cdef int instant(self) noexcept nogil:
        """To the end of the step, or to the next side of an event."""
        cdef double grid = self.start_time + (self.step_number + 1) * self.step_size
        cdef int which = -1, status
        cdef bint on_grid = False
        self.program.flow.evaluations = 0
        status = next_instant(&self.program, grid, &self.failure, &which, &on_grid)
        if status:
            return status
        self.off_grid = not on_grid
        self.now = self.clock[1]
        if self.cut_at >= 0:
            self.values[self.cut_at] = which + 1
        self.stopped = which >= 0 and self.program.ends[which]
        self.values[self.counters_at] = self.program.flow.evaluations
        self.values[self.counters_at + 1] = 0
        self.step_number += on_grid
        return 0

    @property
    def time(self):
        """The time of the record as it stands."""
        return self.clock[1]

    @property
    def cut_number(self):
        """How many quantities may end a step early: zeros, and instants of blocks."""
        return self.program.n_cuts + sum(b.cut for b in self.record.blocks)

    def one_step_problem(self, int number=0):
        """The last one-step problem of a stage over its graph: b, z, y, cones, bounds, block rows; or None.

        For looking at what a solver was given: ``nsdgen.solvers.interaction.graph_problem`` reads these arrays.
        """
        cdef OneStep *w = &self.stages[number].graph
        cdef int i, blocks
        if not self.stages[number].sparse or w.rows == 0:
            return None
        blocks = w.start[w.n]
        last = w.place[blocks - 1] + (w.row[w.n] - w.row[w.n - 1]) * (
            w.row[w.column[blocks - 1] + 1] - w.row[w.column[blocks - 1]])
        return {
            "row": [w.row[i] for i in range(w.n + 1)], "start": [w.start[i] for i in range(w.n + 1)],
            "column": [w.column[i] for i in range(blocks)], "places": [w.place[i] for i in range(blocks)],
            "value": [w.value[i] for i in range(last)], "cone": [w.cone[i] for i in range(w.rows)],
            "bound": [w.bound[i] for i in range(2 * w.rows)], "b": [w.b[i] for i in range(w.rows)],
            "z": [w.z[i] for i in range(w.rows)], "y": [w.y[i] for i in range(w.rows)],
            "residual": w.residual, "iterations": w.iterations, "sweeps": w.sweeps,
        }

    def hold(self, int number, values):
        """What a block holds from here on, as if it had computed these values now. False where that fails.

        At t_0 outputs are those of the new values; later they stay those of the step that ended.
        """
        cdef Program *p = &self.program
        cdef double *held = <double *>p.sampler[number].memory
        cdef int k
        for k, value in enumerate(values):
            held[k] = value
        if publish(p, number, &self.failure):
            return False
        for k in range(self.n_stages if self.step_number == 0 else 0):
            if self.stages[k].block < 0 and not self.stages[k].at_start and observe(&self.stages[k], &self.failure):
                return False
        return True

    def one_step_matrix(self, int number=0):
        """A of the last one-step problem of a stage, row by row, with the cone of each row; or None.

        None where there were no relations in play, or where W was singular and has rows in the problem.
        """
        cdef Stage *s = &self.stages[number]
        cdef OneStep *w = &s.graph
        cdef int i, j, k, a, b, rows, width
        if s.n_rows == 0 or s.n_border:
            return None
        if not s.sparse:
            return ([[s.A[i * s.n_rows + j] for j in range(s.n_rows)] for i in range(s.n_rows)],
                    [s.cone[i] for i in range(s.n_rows)])
        found = [[0.0] * w.rows for _ in range(w.rows)]
        for i in range(w.n):
            rows = w.row[i + 1] - w.row[i]
            for k in range(w.start[i], w.start[i + 1]):
                j = w.column[k]
                width = w.row[j + 1] - w.row[j]
                for a in range(rows):
                    for b in range(width):
                        found[w.row[i] + a][w.row[j] + b] = w.value[w.place[k] + a * width + b]
        return found, [w.cone[i] for i in range(w.rows)]

    def current(self):
        """The record as it stands, a list of the layout's width."""
        return [self.values[i] for i in range(self.layout.width)]

    @property
    def failed(self):
        """The last failure: code, stage, item, iteration, row, detail, value as a dictionary."""
        return self.failure
