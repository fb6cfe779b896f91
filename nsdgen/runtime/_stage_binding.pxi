"""Binding a stage: kernels of systems with the arrays they read and write, groups, relations, the one-step problem."""

cdef enum:
    DENSE_ROWS = 16  # of all relations: up to here the dense solver is the fastest, and exact
    DENSE_UNKNOWNS = 32  # of a group: below, W is dense
    FEW_UNKNOWNS = 8  # of a system: up to here compiled steps may take turns with the stepper, W has their factors
    BRANCHED = 3  # times the work of factors along a tree is at most that of dense ones: then W has these
    SPARSE = 4  # times its nonzeros fit into W: then it is sparse


cdef class StageBinding:
    """The stages of a model over the arrays of a run: ``StageBinding(arrays)``."""

    cdef RunArrays arrays
    cdef Arena arena
    cdef RelationBinding relations
    cdef Stage *stages

    def __init__(self, RunArrays arrays):
        self.arrays, self.arena, self.relations = arrays, arrays.arena, RelationBinding(arrays)

    cdef make(self, Stage *stages, int number):
        """Bind stage ``number`` of all, in its place."""
        self.stages = self.relations.stages = stages
        self._make_stage(number)

    def _make_stage(self, int number):
        cdef Stage *s = &self.stages[number]
        record, options = self.arrays.record, self.arrays.record.stages[number]
        s.number = number
        s.n_systems, s.n_relations = len(record.systems), len(record.relations)
        self.arena.begin_line()
        s.system = <BoundSystem *>self.arena.take(s.n_systems * sizeof(BoundSystem))
        self.arena.begin_line()
        s.relation = <BoundRelation *>self.arena.take(s.n_relations * sizeof(BoundRelation))
        self._set_options(number, options)
        s.watched = <Watched *>self.arena.take(sizeof(Watched))
        s.watched.on = options.at == "step" and options.block is None
        self._make_groups(number)
        s.affine, s.separable = 1, not s.at_start  # where multipliers may be given
        self._make_systems(number)
        self.relations.make(number)
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
            s.skipped = self.arena.doubles(1)
            s.skip = self.arrays.bind_single("stage", number, len(self.arrays.record.system_classes) + len(self.arrays.record.relation_classes),
                                      KernelRole.SKIP, number, s.skipped, 1)

    def _make_groups(self, int number):
        """Systems that a reaction couples share one W; all others have their own."""
        cdef Stage *s = &self.stages[number]
        cdef Group *g
        cdef int i, j
        groups = groups_of(self.arrays.record, self.arrays.table, number)
        attached = {}  # system -> its (relation, number of the participant)
        for r, relation in enumerate(self.arrays.record.relations):
            if self.arrays.has_stage(relation, number):
                for a, p in enumerate(relation.participants):
                    attached.setdefault(p, []).append((r, a))
        s.n_groups = len(groups)
        s.group = <Group *>self.arena.take(s.n_groups * sizeof(Group))
        for i, members in enumerate(groups):
            g = &s.group[i]
            g.n_systems = len(members)
            g.systems = <int *>self.arena.take(len(members) * sizeof(int))
            g.changed = 1
            for j, member in enumerate(members):
                size = self.arrays.record.system_classes[self.arrays.record.systems[member].cls].n_unknown[number]
                g.systems[j] = member
                s.system[<int>member].present = 1
                s.system[<int>member].n = size
                s.system[<int>member].group = i
                s.system[<int>member].offset = g.n
                g.n += size
            g.rhs = self.arena.doubles(g.n)
        for i, members in enumerate(groups):
            g = &s.group[i]
            links = sorted(link for member in members for link in attached.get(member, ()))
            g.sparse = g.n >= DENSE_UNKNOWNS and SPARSE * self._nonzeros(number, members, links) <= g.n * g.n
            g.matrix = NULL if g.sparse else self.arena.doubles(g.n * g.n)
            g.pivot = <int *>self.arena.take(g.n * sizeof(int))
            if len(members) == 1 and not g.sparse:
                self._plant(g, self._entries(number, members[0], links))
            self.arena.cold = 1
            g.scale = self.arena.doubles(g.n)
            g.weight = self.arena.doubles(g.n)
            g.resolved = self.arena.doubles(g.n)
            g.n_links = len(links)
            g.link_relation = <int *>self.arena.take(len(links) * sizeof(int))
            g.link_attached = <int *>self.arena.take(len(links) * sizeof(int))
            g.seen = <int *>self.arena.take(len(links) * sizeof(int))
            self.arena.cold = 0
            for j, (r, a) in enumerate(links):
                g.link_relation[j], g.link_attached[j] = r, a

    def _entries(self, int number, int member, links):
        """The places of the entries of W of one system."""
        found = [self.arrays.find(self.arrays.record.systems[member].cls, KernelRole.LINEARIZE, number).outputs[1]]
        for r, a in links:
            kernels = len(self.arrays.record.system_classes) + self.arrays.record.relations[r].cls
            found += [out for out in self.arrays.find(kernels, KernelRole.LINEARIZE, number).outputs
                      if out.quantity == Quantity.REACTION_X and out.participant == a]
        return {place for out in found for place in (
            out.positions or [(i, j) for i in range(out.rows if out.nnz else 0) for j in range(out.cols)])}

    cdef _plant(self, Group *g, entries):
        """Room for factors along a tree, where these save most of the work of dense ones."""
        cdef int *first
        cdef int *above
        cdef int i
        start, ancestor = ancestors(g.n, entries)
        if g.n <= FEW_UNKNOWNS or BRANCHED * sum((b - a) ** 2 for a, b in pairwise(start)) / 2 > g.n ** 3 / 3:
            return
        g.tree = <TreeFactors *>self.arena.take(sizeof(TreeFactors))
        first = <int *>self.arena.take((g.n + 1) * sizeof(int))
        above = <int *>self.arena.take((len(ancestor) + 1) * sizeof(int))
        for i, place in enumerate(start):
            first[i] = place
        for i, place in enumerate(ancestor):
            above[i] = place
        g.tree.n, g.tree.start, g.tree.ancestor = g.n, first, above
        g.tree.lower, g.tree.diagonal = self.arena.doubles(len(ancestor) + 1), self.arena.doubles(g.n)

    def _nonzeros(self, int number, members, links):
        """Entries of W: of the systems' own derivatives, and of the reactions that couple them."""
        classes = [self.arrays.record.systems[member].cls for member in members]
        count = sum(self.arrays.find(cls, KernelRole.LINEARIZE, number).outputs[1].nnz for cls in classes)
        for r, a in links:
            kernels = len(self.arrays.record.system_classes) + self.arrays.record.relations[r].cls
            count += sum(out.nnz for out in self.arrays.find(kernels, KernelRole.LINEARIZE, number).outputs
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

    def _make_systems(self, int number):
        """All systems of a stage, pass by pass: what one pass of a step reads of all of them lies together."""
        cdef Stage *s = &self.stages[number]
        present = {i: system.cls for i, system in enumerate(self.arrays.record.systems) if s.system[<int>i].present}
        for cls in sorted(set(present.values())):
            linearize = self.arrays.find(cls, KernelRole.LINEARIZE, number)
            if linearize is None:
                raise self.arrays.mismatch(f"{self.arrays.record.system_classes[cls].name!r} has no kernels for stage {number}")
            self.relations.judge(s, linearize)
        for i, cls in present.items():
            self._bind_start(number, i, cls)
        for i, cls in present.items():
            self._bind_advance(number, i, cls)
        for i, cls in present.items():
            self._bind_residual(number, i, cls)

    cdef SystemForm *_system_form(self, int cls, int number) except NULL:
        """What the systems of a class have in common, filled where their kernels are bound."""
        return <SystemForm *>self.arrays.scratch(("form of systems", cls, number), sizeof(SystemForm) // 8 + 1)

    def _bind_start(self, int number, int index, int cls):
        """What it freezes, and where its unknowns start."""
        cdef BoundSystem *system = &self.stages[number].system[index]
        cdef SystemForm *form = self._system_form(cls, number)
        cdef double *frozen = self.arrays.at("system", index, Role.FROZEN_STEP, number)
        cdef Bound bound
        record = self.arrays.record.system_classes[cls]
        system.form = form
        system.unknown = self.arrays.at("system", index, Role.UNKNOWN, number)
        bound = self.arrays.bind_single("system", index, cls, KernelRole.START, number, system.unknown, system.n)
        form.start, system.start.in_, system.start.out = bound.call, bound.in_, bound.out
        bound = self.arrays.bind_single("system", index, cls, KernelRole.FREEZE_STEP, number, frozen, record.n_frozen_step[number])
        form.freeze_step, system.freeze_step.in_, system.freeze_step.out = bound.call, bound.in_, bound.out
        freeze = self.arrays.find(cls, KernelRole.FREEZE_STEP, number)
        form.freeze_level = PER_RUN if freeze is None else level_of(freeze.outputs[0].depends)
        self._bind_frozen(number, index, cls)

    def _bind_frozen(self, int number, int index, int cls):
        """What it freezes in every iteration: from its own last value, so the new one is written beside it."""
        cdef Stage *s = &self.stages[number]
        cdef BoundSystem *system = &s.system[index]
        cdef SystemForm *form = self._system_form(cls, number)
        cdef Bound bound
        system.frozen = self.arrays.at("system", index, Role.FROZEN_ITERATION, number)
        form.n_frozen = self.arrays.record.system_classes[cls].n_frozen_iteration[number]
        form.frozen_next = self.arrays.scratch(("frozen", cls, number), form.n_frozen)
        bound = self.arrays.bind_single("system", index, cls, KernelRole.FREEZE_START, number, system.frozen, form.n_frozen)
        form.freeze_start, system.freeze_start.in_, system.freeze_start.out = bound.call, bound.in_, bound.out
        system.freeze_iteration = self.arrays.bind_single(
            "system", index, cls, KernelRole.FREEZE_ITERATION, number, form.frozen_next, form.n_frozen, common=True)
        s.refreezes = s.refreezes or system.freeze_iteration.call != NULL

    def _bind_advance(self, int number, int index, int cls):
        """Its state at the end of a step, and what is recorded of it."""
        cdef Stage *s = &self.stages[number]
        cdef BoundSystem *system = &s.system[index]
        cdef SystemForm *form = self._system_form(cls, number)
        cdef Bound bound
        record = self.arrays.record.system_classes[cls]
        form.n_state = record.n_state
        form.state_next = self.arrays.scratch(("state", cls), record.n_state)
        system.state = self.arrays.at("system", index, Role.STATE, 0)
        bound = self.arrays.bind_single("system", index, cls, KernelRole.ADVANCE, number, form.state_next, form.n_state, common=True)
        form.advance, system.advance_in, form.advance_out = bound.call, bound.in_, bound.out
        if record.observed_names[number]:
            s.systems_observe = 1
            system.observe = self.arrays.bind_single(
                "system", index, cls, KernelRole.OBSERVE, number,
                self.arrays.values + <int>self.arrays.layout.system_observed[number][index], len(record.observed_names[number]))

    def _bind_residual(self, int number, int index, int cls):
        """R and dR/dw."""
        cdef Stage *s = &self.stages[number]
        cdef Group *g = &s.group[s.system[index].group]
        cdef BoundSystem *system = &s.system[index]
        cdef SystemForm *form = self._system_form(cls, number)
        cdef Bound bound
        linearize = self.arrays.find(cls, KernelRole.LINEARIZE, number)
        form.level = level_of(linearize.outputs[1].depends, form.freeze_level)
        system.residual = g.rhs + system.offset
        bound = self.arrays.bind("system", index, self.arrays.find(cls, KernelRole.RESIDUAL, number), {
            0: (<uintptr_t>system.residual, system.n), 1: (<uintptr_t>(g.scale + system.offset), system.n)})
        form.evaluate, system.evaluate.in_, system.evaluate.out = bound.call, bound.in_, bound.out
        self.arena.cold = s.affine
        system.matrix = self.arrays.block(linearize, 1, system.n, system.n, not g.sparse)
        system.linearize = self.arrays.bind("system", index, linearize, {
            0: (<uintptr_t>system.residual, system.n), 1: (<uintptr_t>system.matrix.value, system.matrix.nnz)})
        self.arena.cold = 1
        system.pivot = <int *>self.arena.take(system.n * sizeof(int))
        system.exchanged = <int *>self.arena.take(7 * system.n * sizeof(int))
        self.arena.cold = 0
        self._find_pivots(system)

    cdef void _find_pivots(self, BoundSystem *system) noexcept:
        """Where the diagonal is."""
        cdef int i
        for i in range(system.n):
            system.pivot[i] = i * (system.n + 1) if system.matrix.row == NULL else -1
        for i in range(system.matrix.nnz if system.matrix.row != NULL else 0):
            if system.matrix.row[i] == system.matrix.col[i]:
                system.pivot[system.matrix.row[i]] = i

    def _make_problem(self, int number):
        """Room for the one-step problem with all relations in play."""
        cdef Stage *s = &self.stages[number]
        cdef BoundRelation *r
        cdef int i, j
        cdef size_t rows = sum(s.relation[i].m for i in range(s.n_relations))
        cdef size_t unknowns = sum(s.system[i].n for i in range(s.n_systems))
        s.play = <int *>self.arena.take(s.n_relations * sizeof(int))
        s.news = <int *>self.arena.take(s.n_relations * sizeof(int))
        s.renewed = <int *>self.arena.take(s.n_relations * sizeof(int))
        s.is_renewed = <char *>self.arena.take(s.n_relations)
        s.cone = <int *>self.arena.take(2 * rows * sizeof(int))
        s.kept_unknown = self.arena.doubles(unknowns)
        s.kept_multiplier = self.arena.doubles(rows)
        s.scratch = self.arena.doubles(rows)
        s.sparse = rows > DENSE_ROWS or len(self.arrays.slots) > 0
        for i in range(s.n_relations):
            s.sparse = s.sparse or s.relation[i].present and s.relation[i].form.n_bounds > 0 and (
                s.relation[i].form.shared == NULL)
            for j in range(s.relation[i].m):
                s.traced = s.traced or s.relation[i].form.cone[j] == Cone.TRACED
        if s.traced:
            s.sparse = False
            s.law = self.arena.doubles(6 * rows)
        if s.sparse:
            self._make_graph(number)
            s.graph.diagonal = s.diagonal = self.arena.doubles(2 * rows + (0 if s.augmented == NULL else s.augmented.n))
            return
        # A singular W adds equality rows: no more than there are rows to determine their unknowns.
        s.diagonal = self.arena.doubles(2 * rows)
        s.A = self.arena.doubles(4 * rows * rows)
        s.b = self.arena.doubles(2 * rows)
        s.z = self.arena.doubles(2 * rows)
        s.y = self.arena.doubles(2 * rows)
        mlcp_work_init(&s.work, self.arena.take(mlcp_work_size(2 * rows)), 2 * rows)

    def _make_graph(self, int number):
        """The order in which relations are eliminated is that of the graph with all in play."""
        cdef Stage *s = &self.stages[number]
        cdef Group *g
        cdef int i
        one_step_init(&s.graph)
        s.graph.rescue = one_step_rescue
        s.graph.held_later = s.at_event
        members = [[s.group[i].link_relation[s.group[i].seen[j]] for j in range(s.group[i].n_seen)]
                   for i in range(s.n_groups)]
        self._let_unknowns_stand(number, list(members))
        room = s.n_relations + s.n_groups + (0 if s.augmented == NULL else s.augmented.n)
        s.node = <int *>self.arena.take(s.n_relations * sizeof(int))
        s.member = <int *>self.arena.take(room * sizeof(int))
        s.slot = <size_t *>self.arena.take(room * sizeof(size_t))
        s.priority = <int *>self.arena.take(s.n_relations * sizeof(int))
        for i, relation in enumerate(elimination_order(s.n_relations, members)):
            s.priority[i] = relation

    def _let_unknowns_stand(self, int number, members):
        """Unknowns of groups with a sparse W may stand in the one-step problem (``_augmented.pxi``)."""
        cdef Stage *s = &self.stages[number]
        cdef Augmented *a
        cdef Group *g
        cdef int i, j, e, k
        groups = [i for i in range(s.n_groups) if s.group[i].coupled != NULL and s.group[i].n_seen]
        if not groups:
            return
        s.augmented = a = <Augmented *>self.arena.take(sizeof(Augmented))
        a.n = sum(s.group[i].n for i in groups)
        a.group = <int *>self.arena.take(a.n * sizeof(int))
        a.order = <int *>self.arena.take((s.n_relations + a.n) * sizeof(int))
        a.node = <int *>self.arena.take((s.n_relations + s.n_groups + a.n) * sizeof(int))
        s.graph.unknown = a.node
        first, pairs = 0, []
        for i in groups:
            g = &s.group[i]
            if augmented_pattern(s, g):
                raise MemoryError
            g.may_augment, g.first, members[i] = 1, first, []
            for j in range(g.n):
                a.group[g.first + j] = i
                row = s.n_relations + g.first
                pairs += [(row + j, row + g.coupled.row_column[e])
                          for e in range(g.coupled.row_start[j], g.coupled.row_start[j + 1])]
                pairs += [(row + j, g.link_relation[g.coupled.meets[e]])
                          for e in range(g.coupled.meets_start[j], g.coupled.meets_start[j + 1])]
            first += g.n
        for k, node in enumerate(elimination_order(s.n_relations + a.n, members, pairs)):
            a.order[k] = node
