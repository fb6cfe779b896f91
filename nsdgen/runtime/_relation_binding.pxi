"""Binding a relation in a stage: its kernels with the arrays they read and write, its blocks, how often they change."""

cdef ptrdiff_t AT_HAND = 4096  # bytes, at most, that are asked for ahead

_VALUES = (Quantity.RESIDUAL, Quantity.OUTPUT, Quantity.REACTION)


def _is_spread(out):
    """Whether a kernel's output is put into its places among all entries: y_lambda is zero for most."""
    return (out.quantity in (Quantity.OUTPUT_X, Quantity.REACTION_LAMBDA)
            or out.quantity == Quantity.OUTPUT_LAMBDA and out.nnz > 0)


cdef class RelationBinding:
    """The relations of stages, over arrays of a run and systems that are bound: ``RelationBinding(arrays)``."""

    cdef RunArrays arrays
    cdef Arena arena
    cdef Stage *stages  # all of the model, set by whoever binds it

    def __init__(self, RunArrays arrays):
        self.arrays, self.arena = arrays, arrays.arena

    def make(self, int number):
        """All relations of a stage, pass by pass: what one pass of a step reads of all of them lies together."""
        first = len(self.arrays.record.system_classes)
        kernels = {i: first + r.cls for i, r in enumerate(self.arrays.record.relations) if self.arrays.has_stage(r, number)}
        for cls in sorted(set(kernels.values())):
            self.judge(&self.stages[number], self.arrays.find(cls, KernelRole.LINEARIZE, number))
        for together in [[i] for i in kernels] if self.arrays.slots else [list(kernels)]:
            self.arrays.own(together[0] if together else -1)
            self.arena = self.arrays.arena
            for i in together:
                self._bind_modes(number, i, kernels[i])
            for i in together:
                self._bind_observe(number, i, kernels[i])
            for i in together:
                self._bind_bounds(number, i, kernels[i])
                self._bind_linearization(number, i, kernels[i])
        self.arrays.own(-1)
        self.arena = self.arrays.arena

    cdef RelationForm *_relation_form(self, int kernels, int number) except NULL:
        """What is known of the form of the relations of a class before their participants are looked at."""
        cdef RelationForm *form = <RelationForm *>self.arrays.scratch(("form", kernels, number), sizeof(RelationForm) // 8 + 1)
        if form.cone == NULL:
            cls = self.arrays.record.relation_classes[kernels - len(self.arrays.record.system_classes)]
            form.always, form.zero_rows, form.copies = cls.always_active, cls.zero_rows, cls.copies[number]
            form.mode_next = self.arrays.scratch("mode", 1)
            form.violation = self.arrays.scratch("violation", 1)
            cones = cones_of(cls.cones[number])
            form.cone = self.arrays.integers(("cone", kernels, number), [Cone.EQUALITY] * len(cones) if cls.held[number] else cones)
            form.shared = self.arrays.integers(("shared", kernels, number), cones) if cls.held[number] else NULL
        return form

    cdef _bind_modes(self, int number, int index, int kernels):
        """Where its multipliers are and start, its mode, and how far it is violated."""
        cdef BoundRelation *r = &self.stages[number].relation[index]
        cdef RelationForm *form = self._relation_form(kernels, number)
        cdef uintptr_t next = <uintptr_t>form.mode_next
        cdef Bound bound = self.arrays.bind("relation", index, self.arrays.find(kernels, KernelRole.ACTIVATION, number), {0: (next, 1)},
                                     common=True)
        form.activation, r.activation_in, form.activation_out = bound.call, bound.in_, bound.out
        r.present = 1
        r.m = self.arrays.record.relation_classes[self.arrays.record.relations[index].cls].n_multiplier[number]
        r.multiplier = self.arrays.at("relation", index, Role.MULTIPLIER, number)
        r.memory = self.arrays.at("relation", index, Role.MEMORY, 0)
        r.mode = self.arrays.at("relation", index, Role.MODE, number)
        r.guess = self.arena.doubles(r.m)
        self.arena.cold = 1
        r.scale, r.weight = self.arena.doubles(r.m), self.arena.doubles(r.m)
        r.entry = self.arrays.bind("relation", index, self.arrays.find(kernels, KernelRole.ENTRY, number), {0: (next, 1)}, common=True)
        r.violate = self.arrays.bind_single("relation", index, kernels, KernelRole.VIOLATION, number, form.violation, 1,
                                     common=True)
        self.arena.cold = 0

    cdef _bind_bounds(self, int number, int index, int kernels):
        """What bounds the multipliers: one array as the kernel writes it, one as the solver wants it."""
        cdef BoundRelation *r = &self.stages[number].relation[index]
        cdef RelationForm *form = self._relation_form(kernels, number)
        places = bounds_of(self.arrays.record.relation_classes[self.arrays.record.relations[index].cls].cones[number])
        info = self.arrays.find(kernels, KernelRole.BOUNDS, number)
        if places and info is None:
            raise self.arrays.mismatch(f"{self.arrays.record.relations[index].name!r} has no kernel for its bounds")
        form.n_bounds = len(places)
        form.bounds_level = level_of(info.outputs[0].depends) if places else PER_RUN
        form.bounds = self.arrays.scratch(("bounds", kernels, number), form.n_bounds)
        form.bounds_at = self.arrays.integers(("places of bounds", kernels, number), places)
        self.arena.cold = form.bounds_level == PER_RUN
        r.bound = self.arena.doubles(max(2 * r.m, max(places, default=0) + 1))
        if places:
            r.limits = self.arrays.bind("relation", index, info, {0: (<uintptr_t>form.bounds, form.n_bounds)}, common=True)
        self.arena.cold = 0

    cdef _bind_observe(self, int number, int index, int kernels):
        cdef BoundRelation *r = &self.stages[number].relation[index]
        cdef RelationForm *form = self._relation_form(kernels, number)
        cdef const nsdgen_kernel *k
        cdef Bound bound
        info = self.arrays.find(kernels, KernelRole.OBSERVE, number)
        targets = {}
        for j, out in enumerate(info.outputs if info is not None else ()):
            if out.quantity == Quantity.MEMORY:
                k = self.arrays.table.kernel(info.cls, info.number)
                form.n_remembered, form.remembered = k.out[<int>j].nnz, k.out[<int>j].positions
                form.memory_next = self.arrays.scratch(("memory", kernels, number), form.n_remembered)
                targets[j] = (<uintptr_t>form.memory_next, form.n_remembered)
            else:
                observed = self.arrays.record.relation_classes[self.arrays.record.relations[index].cls].n_observed[number]
                targets[j] = (<uintptr_t>(self.arrays.values + <int>self.arrays.layout.observed[number][index]), observed)
        bound = self.arrays.bind("relation", index, info, targets)
        form.observe, r.observe.in_, r.observe.out = bound.call, bound.in_, bound.out
        self.stages[number].relations_observe |= form.observe != NULL

    cdef _bind_linearization(self, int number, int index, int kernels):
        """y, the reactions and their derivatives; what linearisation reads and writes in each step lies together."""
        cdef Stage *s = &self.stages[number]
        cdef BoundRelation *r = &s.relation[index]
        cdef RelationForm of = self._relation_form(kernels, number)[0]
        cdef RelationForm *form = &of
        cdef Bound linearize_, evaluate_
        participants = self.arrays.record.relations[index].participants
        linearize = self.arrays.find(kernels, KernelRole.LINEARIZE, number)
        evaluate = self.arrays.find(kernels, KernelRole.EVALUATE, number)
        solved = self._attach(s, r, participants)
        depends = 0
        for out in linearize.outputs:
            depends |= 0 if out.quantity in _VALUES else out.depends
        form.level = level_of(depends, max([s.system[<int>system].form.freeze_level for system in participants
                                              if s.system[<int>system].present], default=0))
        form.to_move = self._bytes_from(<const char *>r.attached)
        self._reserve_derivatives(r, linearize, form)
        r.output = self.arena.doubles(r.m)
        form.output = self.arrays.scratch(("output", kernels, number), 2 * r.m) if s.affine else NULL
        self._shape_attachments(s, r, participants, linearize, solved, self._reserve_reactions(s, r, kernels))
        derivatives = self._targets_of_derivatives(s, r, linearize, form)
        r.vanishes = self.arrays.vanishes(self.arrays.record.relations[index], number)
        s.separable = s.separable and r.vanishes and not form.n_coupling
        # Where nothing changes in a run each step evaluates, only the first linearises.
        self.arena.cold = form.level == PER_RUN
        linearize_ = self.arrays.bind("relation", index, linearize,
                               {**derivatives, **self._targets_of_values(r, linearize, form)},
                               s.affine and not form.n_coupling)
        self.arena.cold = form.level != PER_RUN and s.affine
        evaluate_ = self.arrays.bind("relation", index, evaluate, self._targets_of_values(r, evaluate, form), s.affine)
        self.arena.cold = 0
        form.linearize, r.linearize.in_, r.linearize.out = linearize_.call, linearize_.in_, linearize_.out
        form.evaluate, r.evaluate.in_, r.evaluate.out = evaluate_.call, evaluate_.in_, evaluate_.out
        form.at_hand = self._bytes_from(<const char *>r.attached)
        r.form = <const RelationForm *>self.arrays.shared(form, sizeof(RelationForm))

    cdef list _attach(self, Stage *s, BoundRelation *r, participants):
        """The participants of a relation and, behind them, room for their X: where it begins, 0 where W is sparse."""
        cdef Attachment *at
        cdef int k
        self.arena.begin_line()
        r.attached = <Attachment *>self.arena.take(len(participants) * sizeof(Attachment))
        # Where all sit the stage out, its rows are about multipliers alone.
        r.n_attached = len(participants) if any(s.system[<int>system].present for system in participants) else 0
        for k, system in enumerate(participants if r.n_attached else ()):
            at = &r.attached[k]
            at.system, at.n = system, s.system[<int>system].n
            at.group, at.offset = s.system[<int>system].group, s.system[<int>system].offset
            at.rhs = s.group[at.group].rhs + at.offset
        return [0 if s.group[r.attached[k].group].sparse else <uintptr_t>self.arena.doubles(s.group[r.attached[k].group].n * r.m)
                for k in range(r.n_attached)]

    cdef int _bytes_from(self, const char *begin):
        """From there to what is taken next; 0 where the two do not lie together."""
        cdef ptrdiff_t size = self.arena.cursor[0].free - begin
        return size if 0 < size <= AT_HAND else 0

    cdef _reserve_derivatives(self, BoundRelation *r, info, RelationForm *form):
        """Room for y_lambda, C and B: what the kernel writes, and all entries."""
        numbers = tuple(j for j, out in enumerate(info.outputs) if _is_spread(out))
        outputs = [info.outputs[j] for j in numbers]
        form.nnz = sum(out.nnz for out in outputs)
        form.value = self.arrays.scratch(("derivatives", info.cls, info.number), form.nnz)
        form.entry = self.arrays.entries(info, numbers)
        r.dense = self.arena.doubles(sum(out.rows * out.cols for out in outputs))

    cdef list _reserve_reactions(self, Stage *s, BoundRelation *r, int kernels):
        """Room for the reactions on the participants and their terms, number by number.

        In an affine stage a reaction is subtracted right after it was written.
        """
        cdef int k
        return [<uintptr_t>(self.arrays.scratch(("reaction", kernels, s.number, k), 2 * r.attached[k].n) if s.affine
                            else self.arena.doubles(2 * r.attached[k].n)) for k in range(r.n_attached)]

    cdef dict _targets_of_derivatives(self, Stage *s, BoundRelation *r, info, RelationForm *form):
        """Where y_lambda, C, B and the derivatives of reactions by unknowns go."""
        cdef Coupling *coupling
        cdef const double *value = form.value
        cdef int j
        couplings = [out for out in info.outputs if out.quantity == Quantity.REACTION_X]
        form.n_coupling = len(couplings)
        r.coupling = coupling = <Coupling *>self.arena.take(form.n_coupling * sizeof(Coupling))
        targets = {}
        for j, out in enumerate(info.outputs):
            if out.quantity == Quantity.REACTION_X:
                coupling.row, coupling.col = out.participant, out.participant2
                coupling.block = self.arrays.block(info, j, r.attached[out.participant].n, r.attached[out.participant2].n,
                                            not s.group[r.attached[out.participant].group].sparse)
                targets[j] = (<uintptr_t>coupling.block.value, coupling.block.nnz)
                coupling += 1
            elif out.quantity not in _VALUES:
                targets[j] = (<uintptr_t>value, out.nnz)
                value += <int>out.nnz
        return targets

    cdef _shape_attachments(self, Stage *s, BoundRelation *r, participants, info, list solved, list reactions):
        """C and B of every participant, and where these and its other arrays lie; y_lambda."""
        room = bytearray(max(len(participants), 1) * sizeof(AttachedShape))
        cdef AttachedShape *shapes = <AttachedShape *><char *>room
        cdef AttachedShape *shape
        cdef ptrdiff_t at
        cdef double *dense = r.dense
        cdef int j, k
        for j, out in enumerate(info.outputs):
            shape, at = &shapes[out.participant], <char *>dense - <char *>&r.attached[out.participant]
            if out.quantity == Quantity.OUTPUT_LAMBDA:
                self.arrays.shape(info, j, r.m, r.m)
                r.output_lambda = dense if out.nnz else self.arrays.scratch(("zeros", r.m), r.m * r.m)
            elif out.quantity == Quantity.OUTPUT_X:
                shape.output_x, shape.output_x_at = self.arrays.shape(info, j, r.m, r.attached[out.participant].n), at
            elif out.quantity == Quantity.REACTION_LAMBDA:
                shape.reaction_lambda, shape.reaction_lambda_at = self.arrays.shape(
                    info, j, r.attached[out.participant].n, r.m), at
            if _is_spread(out):
                dense += <int>(out.rows * out.cols)
        for k in range(r.n_attached):
            shape, at = &shapes[k], <ptrdiff_t>&r.attached[k]
            shape.seen = shape.output_x.nnz > 0 or shape.reaction_lambda.nnz > 0
            shape.whole = s.group[r.attached[k].group].n_systems == 1
            shape.solved_at = <ptrdiff_t>solved[k] - at if solved[k] else 0
            if s.affine:
                shape.reaction = <double *><uintptr_t>reactions[k]
            else:
                shape.reaction_at = <ptrdiff_t>reactions[k] - at
            r.attached[k].shape = <const AttachedShape *>self.arrays.shared(shape, sizeof(AttachedShape))

    cdef dict _targets_of_values(self, BoundRelation *r, info, const RelationForm *form):
        """Where y and the reactions go, and how large the terms of their rows are; where all is affine no one asks for that."""
        cdef double *target
        targets = {}
        for j, out in enumerate(info.outputs):
            if out.quantity == Quantity.OUTPUT:
                targets[j] = (<uintptr_t>(r.output if form.output == NULL else form.output), r.m)
            elif out.quantity == Quantity.OUTPUT_SCALE:
                targets[j] = (<uintptr_t>(r.scale if form.output == NULL else form.output + r.m), r.m)
            elif out.quantity in (Quantity.REACTION, Quantity.REACTION_SCALE):
                target = self.arrays.values  # one that sits the stage out has no rows
                if r.n_attached:
                    target = reaction(&r.attached[out.participant])
                count = r.attached[out.participant].n
                if out.quantity == Quantity.REACTION_SCALE:
                    target += <int>count
                targets[j] = (<uintptr_t>target, count)
        return targets

    cdef judge(self, Stage *s, info):
        """A stage is affine where all its values are, with exact derivatives, and nothing in it is refrozen."""
        for out in info.outputs:
            if out.depends >> Role.FROZEN_ITERATION & 1 or (out.quantity in _VALUES and not out.flags & Flag.AFFINE):
                s.affine = 0
