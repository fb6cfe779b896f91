# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""How a run starts; the interface is documented in ``_start.pxd``."""
from libc.math cimport isfinite
from libc.stdint cimport uintptr_t
from libc.string cimport memcpy, memset

from nsdgen.runtime._assembly cimport call
from nsdgen.runtime._data cimport Bound, BoundRelation, Counters, Program
from nsdgen.runtime._events cimport start_events
from nsdgen.runtime._forget cimport reset
from nsdgen.runtime._fused cimport FusedBinding
from nsdgen.runtime._held cimport next_stop, pass_instant, publish, reset_states, spread, start_blocks
from nsdgen.runtime._stage cimport fill, observe, run_stage
from nsdgen.runtime._table cimport KernelTable
from nsdgen.abi cimport nsdgen_kernel

from nsdgen.abi import KernelRole, Role


cdef class StartingRun(FusedBinding):
    """A bound model that is given its values and brought to t_0."""

    def __init__(self, record, table):
        super().__init__(record, table)
        self._list_given()
        self._bind_states()
        self._list_gaps()
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

    def _list_gaps(self):
        cdef int k
        classes = [self.record.relation_classes[r.cls] for r in self.record.relations]
        places = [self.layout.memory[i] + c.gap for i, c in enumerate(classes) if c.gap is not None]
        self.vanishing = any(c.zero_rows for c in classes)
        self.n_gaps = len(places)
        self.gaps = <int *>self.take(self.n_gaps * sizeof(int))
        for k in range(self.n_gaps):
            self.gaps[k] = places[k]

    def starts_well(self):
        """Whether all values are finite, no gap is negative, and no row has to be zero: then a start is beyond doubt."""
        cdef int k
        for k in range(self.layout_width):
            if not isfinite(self.values[k]):
                return False
        for k in range(self.n_gaps):
            if self.values[self.gaps[k]] < 0:
                return False
        return not self.vanishing

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
