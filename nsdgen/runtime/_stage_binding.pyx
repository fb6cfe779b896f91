# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Binding a stage: its systems, groups and one-step problem; the interface is in ``_stage_binding.pxd``."""
from libc.stdint cimport uintptr_t

from nsdgen.runtime._coupled cimport coupled_pattern
from nsdgen.runtime._data cimport (
    PER_RUN,
    RUNS,
    SKIPS,
    SKIPS_CONSTRAINTS,
    Attachment,
    BoundRelation,
    BoundSystem,
    Group,
    Stage,
)
from nsdgen.runtime._relation_binding cimport RelationBinding
from nsdgen.solvers.rows._mlcp cimport mlcp_work_init, mlcp_work_size
from nsdgen.solvers.interaction._one_step_memory cimport one_step_init
from nsdgen.solvers.step._rescue cimport one_step_rescue

from nsdgen.abi import Cone, KernelRole, Quantity, Role
from nsdgen.runtime._relation_binding import level_of
from nsdgen.runtime.interaction_graph import column_order, elimination_order, groups_of

cdef enum:
    DENSE_ROWS = 16  # of all relations: up to here the dense solver is the fastest, and exact
    DENSE_UNKNOWNS = 32  # of a group: below, W is dense
    SPARSE = 4  # times its nonzeros fit into W: then it is sparse


cdef class StageBinding(RelationBinding):
    """Stages over the arrays of a run, which whoever inherits has entered into the directory."""

    def _make_stage(self, int number):
        cdef Stage *s = &self.stages[number]
        cdef int i
        record, options = self.record, self.record.stages[number]
        s.number = number
        s.n_systems, s.n_relations = len(record.systems), len(record.relations)
        self.begin_line()
        s.system = <BoundSystem *>self.take(s.n_systems * sizeof(BoundSystem))
        self.begin_line()
        s.relation = <BoundRelation *>self.take(s.n_relations * sizeof(BoundRelation))
        self._set_options(number, options)
        self._make_groups(number)
        s.affine, s.separable = 1, not s.at_start  # where multipliers may be given
        for i in range(s.n_systems):
            self._make_system(number, i)
        self._make_relations(number)
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
                if at.shape.seen:
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
        system.state_next = self.scratch(("state", cls), record.n_state)
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
        system.evaluate = self.bind("system", index, self._find(cls, KernelRole.RESIDUAL, number), {
            0: (<uintptr_t>system.residual, system.n),
            1: (<uintptr_t>(s.group[system.group].scale + system.offset), system.n)})
        system.start = self.bind_single("system", index, cls, KernelRole.START, number, system.unknown, system.n)
        system.advance = self.bind_single("system", index, cls, KernelRole.ADVANCE, number, system.state_next,
                                          system.n_state, common=True)
        frozen = self.at("system", index, Role.FROZEN_STEP, number)
        system.freeze_step = self.bind_single("system", index, cls, KernelRole.FREEZE_STEP, number, frozen,
                                              record.n_frozen_step[number])
        frozen = self.at("system", index, Role.FROZEN_ITERATION, number)
        system.freeze_start = self.bind_single("system", index, cls, KernelRole.FREEZE_START, number, frozen,
                                               record.n_frozen_iteration[number])
        # A frozen value may be computed from its own last one, so the new one is written beside it.
        system.frozen = frozen
        system.n_frozen = record.n_frozen_iteration[number]
        system.frozen_next = self.scratch(("frozen", cls, number), system.n_frozen)
        system.freeze_iteration = self.bind_single(
            "system", index, cls, KernelRole.FREEZE_ITERATION, number, system.frozen_next, system.n_frozen)
        s.refreezes = s.refreezes or system.freeze_iteration.call != NULL
        if record.observed_names[number]:
            s.systems_observe = 1
            system.observe = self.bind_single(
                "system", index, cls, KernelRole.OBSERVE, number,
                self.values + <int>self.layout.system_observed[number][index], len(record.observed_names[number]))

    def _make_problem(self, int number):
        """Room for the one-step problem with all relations in play."""
        cdef Stage *s = &self.stages[number]
        cdef BoundRelation *r
        cdef int i, j
        cdef size_t rows = sum(s.relation[i].m for i in range(s.n_relations))
        cdef size_t unknowns = sum(s.system[i].n for i in range(s.n_systems))
        s.play = <int *>self.take(s.n_relations * sizeof(int))
        s.news = <int *>self.take(s.n_relations * sizeof(int))
        s.renewed = <int *>self.take(s.n_relations * sizeof(int))
        s.is_renewed = <char *>self.take(s.n_relations)
        s.cone = <int *>self.take(2 * rows * sizeof(int))
        s.diagonal = self.doubles(rows)
        s.kept_unknown = self.doubles(unknowns)
        s.kept_multiplier = self.doubles(rows)
        s.scratch = self.doubles(rows)
        s.sparse = rows > DENSE_ROWS
        for i in range(s.n_relations):
            s.sparse = s.sparse or s.relation[i].present and s.relation[i].form.n_bounds > 0
            for j in range(s.relation[i].m):
                s.traced = s.traced or s.relation[i].form.cone[j] == Cone.TRACED
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
        s.priority = <int *>self.take(s.n_relations * sizeof(int))
        members = [[s.group[i].link_relation[s.group[i].seen[j]] for j in range(s.group[i].n_seen)]
                   for i in range(s.n_groups)]
        for i, relation in enumerate(elimination_order(s.n_relations, members)):
            s.priority[i] = relation
