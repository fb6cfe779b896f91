# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Binding a stage: its systems, relations, groups and one-step problem; the interface is in ``_stage_binding.pxd``."""
from libc.stdint cimport uintptr_t

from nsdgen.runtime._arena cimport Arena
from nsdgen.runtime._coupled cimport coupled_pattern
from nsdgen.runtime._data cimport (
    PER_ITERATION,
    PER_RUN,
    PER_STEP,
    RUNS,
    SKIPS,
    SKIPS_CONSTRAINTS,
    AttachedBlocks,
    Attachment,
    BoundRelation,
    BoundSystem,
    Coupling,
    Group,
    Stage,
)
from nsdgen.runtime._table cimport KernelTable
from nsdgen.abi cimport nsdgen_kernel
from nsdgen.solvers.rows._mlcp cimport mlcp_work_init, mlcp_work_size
from nsdgen.solvers.interaction._one_step_memory cimport one_step_init
from nsdgen.solvers.step._rescue cimport one_step_rescue

from nsdgen.abi import Cone, Flag, KernelRole, Quantity, Role
from nsdgen.runtime.interaction_graph import column_order, elimination_order, groups_of
from nsdgen.solvers.interaction.cones import bounds_of, cones_of

cdef enum:
    DENSE_ROWS = 16  # of all relations: up to here the dense solver is the fastest, and exact
    DENSE_UNKNOWNS = 32  # of a group: below, W is dense
    SPARSE = 4  # times its nonzeros fit into W: then it is sparse

_EVERY_ITERATION = 1 << Role.UNKNOWN | 1 << Role.MULTIPLIER | 1 << Role.FROZEN_ITERATION
_EVERY_STEP = 1 << Role.STATE | 1 << Role.MEMORY | 1 << Role.TIME | 1 << Role.MODE
_VALUES = (Quantity.RESIDUAL, Quantity.OUTPUT, Quantity.REACTION)


def level_of(depends, frozen=PER_STEP):
    """How often a value with these dependences changes: 0 per run, 1 per step, 2 per iteration.

    ``frozen`` is how often what the step freezes does.
    """
    if depends & _EVERY_ITERATION:
        return PER_ITERATION
    return PER_STEP if depends & _EVERY_STEP else frozen if depends >> Role.FROZEN_STEP & 1 else PER_RUN


cdef class StageBinding(Arena):
    """Stages over the arrays of a run, which whoever inherits has entered into the directory."""

    def _make_stage(self, int number):
        cdef Stage *s = &self.stages[number]
        cdef int i
        record, options = self.record, self.record.stages[number]
        s.number = number
        s.n_systems, s.n_relations = len(record.systems), len(record.relations)
        s.system = <BoundSystem *>self.take(s.n_systems * sizeof(BoundSystem))
        s.relation = <BoundRelation *>self.take(s.n_relations * sizeof(BoundRelation))
        self._set_options(number, options)
        self._make_groups(number)
        s.affine = 1
        for i in range(s.n_systems):
            self._make_system(number, i)
        for i in range(s.n_relations):
            self._make_relation(number, i)
        self._look_at_links(number)
        self._order_unknowns(number)
        self._make_problem(number)

    def _set_options(self, int number, options):
        cdef Stage *s = &self.stages[number]
        s.tolerance, s.max_iterations = options.tolerance, options.max_iterations
        s.fixed_iterations = options.fixed_iterations or 0
        s.dynamics_only = options.measure == "dynamics"
        s.absolute = options.measure == "absolute"
        s.keep_on_limit = options.on_limit == "keep"
        s.line_search = options.line_search == "on_failure"
        s.activate_each_iteration = options.activation_at == "iteration"
        s.at_start, s.at_rate, s.at_event = options.at == "start", options.at == "rate", options.at == "event"
        s.skip_alone = {"run": RUNS, "skip": SKIPS, "skip_constraints": SKIPS_CONSTRAINTS}[options.without_relations]
        s.unique = options.unique
        s.block = -1 if options.block is None else options.block
        if options.skipped:
            s.skipped = self.doubles(1)
            s.skip = self.bind_single("stage", number, len(self.record.system_classes) + len(self.record.relation_classes),
                                      KernelRole.SKIP, number, s.skipped, 1)

    def _make_groups(self, int number):
        """Systems that a reaction couples share one W; all others have their own."""
        cdef Stage *s = &self.stages[number]
        cdef Group *g
        cdef int i, j
        groups = groups_of(self.record, self.table, number)
        attached = {}  # system -> its (relation, number of the participant)
        for r, relation in enumerate(self.record.relations):
            if self._has_stage(relation, number):
                for a, p in enumerate(relation.participants):
                    attached.setdefault(p, []).append((r, a))
        s.n_groups = len(groups)
        s.group = <Group *>self.take(s.n_groups * sizeof(Group))
        for i, members in enumerate(groups):
            g = &s.group[i]
            g.n_systems = len(members)
            g.systems = <int *>self.take(len(members) * sizeof(int))
            g.changed = 1
            for j, member in enumerate(members):
                size = self.record.system_classes[self.record.systems[member].cls].n_unknown[number]
                g.systems[j] = member
                s.system[<int>member].present = 1
                s.system[<int>member].n = size
                s.system[<int>member].group = i
                s.system[<int>member].offset = g.n
                g.n += size
            links = sorted(link for member in members for link in attached.get(member, ()))
            g.sparse = g.n >= DENSE_UNKNOWNS and SPARSE * self._nonzeros(number, members, links) <= g.n * g.n
            g.matrix = NULL if g.sparse else self.doubles(g.n * g.n)
            g.pivot = <int *>self.take(g.n * sizeof(int))
            g.rhs = self.doubles(g.n)
            self.cold = 1
            g.scale = self.doubles(g.n)
            g.weight = self.doubles(g.n)
            g.resolved = self.doubles(g.n)
            self.cold = 0
            g.n_links = len(links)
            g.link_relation = <int *>self.take(len(links) * sizeof(int))
            g.link_attached = <int *>self.take(len(links) * sizeof(int))
            g.seen = <int *>self.take(len(links) * sizeof(int))
            for j, (r, a) in enumerate(links):
                g.link_relation[j], g.link_attached[j] = r, a

    def _nonzeros(self, int number, members, links):
        """Entries of W: of the systems' own derivatives, and of the reactions that couple them."""
        classes = [self.record.systems[member].cls for member in members]
        count = sum(self._find(cls, KernelRole.LINEARIZE, number).outputs[1].nnz for cls in classes)
        for r, a in links:
            kernels = len(self.record.system_classes) + self.record.relations[r].cls
            count += sum(out.nnz for out in self._find(kernels, KernelRole.LINEARIZE, number).outputs
                         if out.quantity == Quantity.REACTION_X and out.participant == a)
        return count

    def _look_at_links(self, int number):
        """Through which of its systems a relation meets others: where its output or reaction has derivatives."""
        cdef Group *g
        cdef Attachment *at
        cdef int i, j
        for i in range(self.stages[number].n_groups):
            g = &self.stages[number].group[i]
            for j in range(g.n_links):
                at = &self.stages[number].relation[g.link_relation[j]].attached[g.link_attached[j]]
                at.seen = at.block.output_x.nnz > 0 or at.block.reaction_lambda.nnz > 0
                if at.seen:
                    g.seen[g.n_seen] = j
                    g.n_seen += 1

    def _order_unknowns(self, int number):
        """The order in which the unknowns of large groups are eliminated: that of minimum degree."""
        cdef Group *g
        cdef int i, j
        for i in range(self.stages[number].n_groups):
            g = &self.stages[number].group[i]
            if g.sparse:
                if coupled_pattern(&self.stages[number], g):
                    raise MemoryError
                start = [g.coupled.lu.start[j] for j in range(g.n + 1)]
                for j, column in enumerate(column_order(start, [g.coupled.lu.row[j] for j in range(g.coupled.lu.start[g.n])])):
                    g.coupled.lu.order[j] = column

    def _has_stage(self, relation, int number):
        return self._find(len(self.record.system_classes) + relation.cls, KernelRole.EVALUATE, number) is not None

    def _make_system(self, int number, int index):
        cdef Stage *s = &self.stages[number]
        cdef BoundSystem *system = &s.system[index]
        cdef double *frozen
        cdef int i
        if not system.present:
            return
        cls = self.record.systems[index].cls
        record = self.record.system_classes[cls]
        system.unknown = self.at("system", index, Role.UNKNOWN, number)
        system.residual = s.group[system.group].rhs + system.offset
        system.n_state = record.n_state
        system.state = self.at("system", index, Role.STATE, 0)
        system.state_next = self.doubles(record.n_state)
        linearize = self._find(cls, KernelRole.LINEARIZE, number)
        if linearize is None:
            raise self._mismatch(f"{record.name!r} has no kernels for stage {number}")
        system.matrix = self.block(linearize, 1, system.n, system.n, not s.group[system.group].sparse)
        self.cold = 1
        system.pivot = <int *>self.take(system.n * sizeof(int))
        self.cold = 0
        for i in range(system.n):
            system.pivot[i] = i * (system.n + 1) if system.matrix.row == NULL else -1
        for i in range(system.matrix.nnz if system.matrix.row != NULL else 0):
            if system.matrix.row[i] == system.matrix.col[i]:
                system.pivot[system.matrix.row[i]] = i
        self.cold = 1
        system.linearize = self.bind("system", index, linearize, {
            0: (<uintptr_t>system.residual, system.n), 1: (<uintptr_t>system.matrix.value, system.matrix.nnz)})
        self.cold = 0
        freeze = self._find(cls, KernelRole.FREEZE_STEP, number)
        system.freeze_level = PER_RUN if freeze is None else level_of(freeze.outputs[0].depends)
        system.level = level_of(linearize.outputs[1].depends, system.freeze_level)
        self._judge(s, linearize)
        system.evaluate = self.bind_single("system", index, cls, KernelRole.RESIDUAL, number, system.residual,
                                           system.n)
        self.cold = 1
        system.magnitude = self.bind_single("system", index, cls, KernelRole.MAGNITUDE, number,
                                            s.group[system.group].scale + system.offset, system.n)
        self.cold = 0
        system.start = self.bind_single("system", index, cls, KernelRole.START, number, system.unknown, system.n)
        system.advance = self.bind_single("system", index, cls, KernelRole.ADVANCE, number, system.state_next,
                                          system.n_state)
        frozen = self.at("system", index, Role.FROZEN_STEP, number)
        system.freeze_step = self.bind_single("system", index, cls, KernelRole.FREEZE_STEP, number, frozen,
                                              record.n_frozen_step[number])
        frozen = self.at("system", index, Role.FROZEN_ITERATION, number)
        system.freeze_start = self.bind_single("system", index, cls, KernelRole.FREEZE_START, number, frozen,
                                               record.n_frozen_iteration[number])
        # A frozen value may be computed from its own last one, so the new one is written beside it.
        system.frozen = frozen
        system.n_frozen = record.n_frozen_iteration[number]
        system.frozen_next = self.doubles(system.n_frozen)
        system.freeze_iteration = self.bind_single(
            "system", index, cls, KernelRole.FREEZE_ITERATION, number, system.frozen_next, system.n_frozen)
        s.refreezes = s.refreezes or system.freeze_iteration.call != NULL
        if record.observed_names[number]:
            s.systems_observe = 1
            system.observe = self.bind_single(
                "system", index, cls, KernelRole.OBSERVE, number,
                self.values + <int>self.layout.system_observed[number][index], len(record.observed_names[number]))

    cdef _judge(self, Stage *s, info):
        """A stage is affine where all its values are, with exact derivatives, and nothing in it is refrozen."""
        for out in info.outputs:
            if out.depends >> Role.FROZEN_ITERATION & 1 or (out.quantity in _VALUES and not out.flags & Flag.AFFINE):
                s.affine = 0

    def _make_relation(self, int number, int index):
        cdef Stage *s = &self.stages[number]
        cdef BoundRelation *r = &s.relation[index]
        relation = self.record.relations[index]
        if not self._has_stage(relation, number):
            return
        cls = self.record.relation_classes[relation.cls]
        kernels = len(self.record.system_classes) + relation.cls
        r.present = 1
        r.m = cls.n_multiplier[number]
        r.always = cls.always_active
        r.multiplier = self.at("relation", index, Role.MULTIPLIER, number)
        r.guess = self.doubles(r.m)
        r.output = self.doubles(r.m)
        r.weight = self.doubles(r.m)
        self.cold = 1
        r.scale = self.doubles(r.m)
        self.cold = 0
        r.memory = self.at("relation", index, Role.MEMORY, 0)
        r.mode_next = self.doubles(1)
        r.violation = self.doubles(1)
        r.cone = <int *>self.take(r.m * sizeof(int))
        for i, cone in enumerate(cones_of(cls.cones[number])):
            r.cone[i] = cone
        self._bind_bounds(number, index, kernels, bounds_of(cls.cones[number]))
        activation = self._find(kernels, KernelRole.ACTIVATION, number)
        r.mode = self.at("relation", index, Role.MODE, number)
        r.activation = self.bind("relation", index, activation, {0: (<uintptr_t>r.mode_next, 1)})
        self.cold = 1
        entry = self._find(kernels, KernelRole.ENTRY, number)
        r.entry = self.bind("relation", index, entry, {0: (<uintptr_t>r.mode_next, 1)})
        r.violate = self.bind_single("relation", index, kernels, KernelRole.VIOLATION, number, r.violation, 1)
        self.cold = 0
        self._bind_observe(number, index, kernels)
        self._bind_linearization(number, index, kernels)

    def _bind_bounds(self, int number, int index, int kernels, places):
        """What bounds the multipliers: one array as the kernel writes it, one as the solver wants it."""
        cdef BoundRelation *r = &self.stages[number].relation[index]
        r.n_bounds = len(places)
        r.bound = self.doubles(max(2 * r.m, max(places, default=0) + 1))
        r.bounds = self.doubles(r.n_bounds)
        r.bounds_at = <int *>self.take(r.n_bounds * sizeof(int))
        for i, place in enumerate(places):
            r.bounds_at[i] = place
        info = self._find(kernels, KernelRole.BOUNDS, number)
        if places and info is None:
            raise self._mismatch(f"{self.record.relations[index].name!r} has no kernel for its bounds")
        if places:
            r.bounds_level = level_of(info.outputs[0].depends)
            r.limits = self.bind("relation", index, info, {0: (<uintptr_t>r.bounds, r.n_bounds)})

    def _bind_observe(self, int number, int index, int kernels):
        cdef BoundRelation *r = &self.stages[number].relation[index]
        cdef const nsdgen_kernel *k
        info = self._find(kernels, KernelRole.OBSERVE, number)
        targets = {}
        for j, out in enumerate(info.outputs if info is not None else ()):
            if out.quantity == Quantity.MEMORY:
                k = (<KernelTable>self.table).kernel(info.cls, info.number)
                r.n_remembered, r.remembered = k.out[<int>j].nnz, k.out[<int>j].positions
                r.memory_next = self.doubles(r.n_remembered)
                targets[j] = (<uintptr_t>r.memory_next, r.n_remembered)
            else:
                observed = self.record.relation_classes[self.record.relations[index].cls].n_observed[number]
                targets[j] = (<uintptr_t>(self.values + <int>self.layout.observed[number][index]), observed)
        r.observe = self.bind("relation", index, info, targets)

    def _bind_linearization(self, int number, int index, int kernels):
        cdef Stage *s = &self.stages[number]
        cdef BoundRelation *r = &s.relation[index]
        cdef Attachment *at
        cdef int j, k
        participants = self.record.relations[index].participants
        linearize = self._find(kernels, KernelRole.LINEARIZE, number)
        evaluate = self._find(kernels, KernelRole.EVALUATE, number)
        couplings = [j for j, out in enumerate(linearize.outputs) if out.quantity == Quantity.REACTION_X]
        r.n_attached, r.n_coupling = len(participants), len(couplings)
        r.attached = <Attachment *>self.take(len(participants) * sizeof(Attachment))
        for k in range(len(participants)):
            self.cold = 1
            r.attached[k].block = <AttachedBlocks *>self.take(sizeof(AttachedBlocks))
            self.cold = 0
            r.attached[k].reaction = r.attached[k].block.magnitude = self.values  # of a system that sits it out: no rows
        r.coupling = <Coupling *>self.take(r.n_coupling * sizeof(Coupling))
        if not any(s.system[<int>system].present for system in participants):
            r.n_attached = 0  # all sit the stage out: its rows are about multipliers alone
        for k, system in enumerate(participants if r.n_attached else ()):
            at = &r.attached[k]
            at.system, at.n = system, s.system[<int>system].n
            at.group, at.offset = s.system[<int>system].group, s.system[<int>system].offset
            at.reaction = self.doubles(at.n)
            at.rhs = s.group[at.group].rhs + at.offset
            self.cold = 1
            at.block.magnitude = self.doubles(at.n)
            self.cold = 0
            at.solved = NULL if s.group[at.group].sparse else self.doubles(s.group[at.group].n * r.m)
        targets, depends, coupled = {}, 0, 0
        for j, out in enumerate(linearize.outputs):
            at = &r.attached[out.participant]
            if out.quantity == Quantity.OUTPUT:
                targets[j] = (<uintptr_t>r.output, r.m)
                continue
            if out.quantity == Quantity.REACTION:
                targets[j] = (<uintptr_t>at.reaction, at.n)
                continue
            depends |= out.depends
            if out.quantity == Quantity.OUTPUT_LAMBDA:
                r.output_lambda = self.block(linearize, j, r.m, r.m)
                targets[j] = (<uintptr_t>r.output_lambda.value, r.output_lambda.nnz)
            elif out.quantity == Quantity.OUTPUT_X:
                at.block.output_x = self.block(linearize, j, r.m, at.n)
                at.output_dense = at.block.output_x.dense
                targets[j] = (<uintptr_t>at.block.output_x.value, at.block.output_x.nnz)
            elif out.quantity == Quantity.REACTION_LAMBDA:
                at.block.reaction_lambda = self.block(linearize, j, at.n, r.m)
                targets[j] = (<uintptr_t>at.block.reaction_lambda.value, at.block.reaction_lambda.nnz)
            else:
                r.coupling[coupled].row, r.coupling[coupled].col = out.participant, out.participant2
                r.coupling[coupled].block = self.block(linearize, j, at.n, r.attached[out.participant2].n,
                                                       not s.group[at.group].sparse)
                targets[j] = (<uintptr_t>r.coupling[coupled].block.value, r.coupling[coupled].block.nnz)
                coupled += 1
        r.level = level_of(depends, max([s.system[<int>system].freeze_level for system in participants], default=0))
        r.vanishes = self._vanishes(self.record.relations[index], number)
        self.cold = 1
        r.linearize = self.bind("relation", index, linearize, targets)
        self._bind_magnitude(number, index, kernels)
        self.cold = 0
        r.evaluate = self.bind("relation", index, evaluate, {j: targets[j] for j in range(len(evaluate.outputs))})
        self._judge(s, linearize)

    def _bind_magnitude(self, int number, int index, int kernels):
        """How large the terms of y and of each reaction are."""
        cdef BoundRelation *r = &self.stages[number].relation[index]
        cdef Attachment *at
        info = self._find(kernels, KernelRole.MAGNITUDE, number)
        targets = {}
        for j, out in enumerate(info.outputs if info is not None else ()):
            if out.quantity == Quantity.OUTPUT:
                targets[j] = (<uintptr_t>r.scale, r.m)
            else:
                at = &r.attached[out.participant]
                targets[j] = (<uintptr_t>at.block.magnitude, at.n)
        r.magnitude = self.bind("relation", index, info, targets)

    def _make_problem(self, int number):
        """Room for the one-step problem with all relations in play."""
        cdef Stage *s = &self.stages[number]
        cdef BoundRelation *r
        cdef int i, j
        cdef size_t rows = sum(s.relation[i].m for i in range(s.n_relations))
        cdef size_t unknowns = sum(s.system[i].n for i in range(s.n_systems))
        s.play = <int *>self.take(s.n_relations * sizeof(int))
        s.cone = <int *>self.take(2 * rows * sizeof(int))
        s.diagonal = self.doubles(rows)
        s.kept_unknown = self.doubles(unknowns)
        s.kept_multiplier = self.doubles(rows)
        s.sparse = rows > DENSE_ROWS
        for i in range(s.n_relations):
            s.sparse = s.sparse or s.relation[i].n_bounds > 0
            for j in range(s.relation[i].m):
                s.traced = s.traced or s.relation[i].cone[j] == Cone.TRACED
        if s.traced:
            s.sparse = False
            s.law = self.doubles(6 * rows)
        if s.sparse:
            self._make_graph(number)
            return
        # A singular W adds equality rows: no more than there are rows to determine their unknowns.
        s.A = self.doubles(4 * rows * rows)
        s.b = self.doubles(2 * rows)
        s.z = self.doubles(2 * rows)
        s.y = self.doubles(2 * rows)
        mlcp_work_init(&s.work, self.take(mlcp_work_size(2 * rows)), 2 * rows)

    def _make_graph(self, int number):
        """The order in which relations are eliminated is that of the graph with all in play."""
        cdef Stage *s = &self.stages[number]
        cdef Group *g
        cdef int i
        one_step_init(&s.graph)
        s.graph.rescue = one_step_rescue
        s.node = <int *>self.take(s.n_relations * sizeof(int))
        s.member = <int *>self.take((s.n_relations + s.n_groups) * sizeof(int))
        s.slot = <size_t *>self.take((s.n_relations + s.n_groups) * sizeof(size_t))
        s.renewed = <int *>self.take((s.n_relations + s.n_groups) * sizeof(int))
        s.priority = <int *>self.take(s.n_relations * sizeof(int))
        members = [[s.group[i].link_relation[s.group[i].seen[j]] for j in range(s.group[i].n_seen)]
                   for i in range(s.n_groups)]
        for i, relation in enumerate(elimination_order(s.n_relations, members)):
            s.priority[i] = relation
