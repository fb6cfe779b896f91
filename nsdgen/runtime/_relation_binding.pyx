# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Binding the relations of a stage; the interface is documented in ``_relation_binding.pxd``."""
from libc.stdint cimport uintptr_t

from nsdgen.runtime._arena cimport Arena
from nsdgen.runtime._data cimport (
    PER_ITERATION,
    PER_RUN,
    PER_STEP,
    AttachedBlocks,
    Attachment,
    Block,
    BoundRelation,
    Coupling,
    Stage,
)
from nsdgen.runtime._table cimport KernelTable
from nsdgen.abi cimport nsdgen_kernel

from nsdgen.abi import Flag, KernelRole, Quantity, Role
from nsdgen.solvers.interaction.cones import bounds_of, cones_of

_EVERY_ITERATION = 1 << Role.UNKNOWN | 1 << Role.MULTIPLIER | 1 << Role.FROZEN_ITERATION
_EVERY_STEP = 1 << Role.STATE | 1 << Role.MEMORY | 1 << Role.TIME | 1 << Role.MODE
cdef ptrdiff_t AT_HAND = 4096  # bytes, at most, that are asked for ahead

_VALUES = (Quantity.RESIDUAL, Quantity.OUTPUT, Quantity.REACTION)
_SPREAD = (Quantity.OUTPUT_LAMBDA, Quantity.OUTPUT_X, Quantity.REACTION_LAMBDA)


def level_of(depends, frozen=PER_STEP):
    """How often a value with these dependences changes: 0 per run, 1 per step, 2 per iteration.

    ``frozen`` is how often what the step freezes does.
    """
    if depends & _EVERY_ITERATION:
        return PER_ITERATION
    return PER_STEP if depends & _EVERY_STEP else frozen if depends >> Role.FROZEN_STEP & 1 else PER_RUN


cdef class RelationBinding(Arena):
    """Relations over the arrays of a run and the systems of a stage, which whoever inherits has bound."""

    def _has_stage(self, relation, int number):
        return self._find(len(self.record.system_classes) + relation.cls, KernelRole.EVALUATE, number) is not None

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
        r.memory = self.at("relation", index, Role.MEMORY, 0)
        r.mode_next = self.scratch("mode", 1)
        r.violation = self.scratch("violation", 1)
        r.cone = self.integers(("cone", kernels, number), cones_of(cls.cones[number]))
        activation = self._find(kernels, KernelRole.ACTIVATION, number)
        r.mode = self.at("relation", index, Role.MODE, number)
        r.activation = self.bind("relation", index, activation, {0: (<uintptr_t>r.mode_next, 1)})
        self._bind_bounds(number, index, kernels, bounds_of(cls.cones[number]))
        self.cold = 1
        r.scale, r.weight = self.doubles(r.m), self.doubles(r.m)
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
        r.bounds = self.scratch(("bounds", kernels, number), r.n_bounds)
        r.bounds_at = self.integers(("places of bounds", kernels, number), places)
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
                r.memory_next = self.scratch(("memory", kernels, number), r.n_remembered)
                targets[j] = (<uintptr_t>r.memory_next, r.n_remembered)
            else:
                observed = self.record.relation_classes[self.record.relations[index].cls].n_observed[number]
                targets[j] = (<uintptr_t>(self.values + <int>self.layout.observed[number][index]), observed)
        r.observe = self.bind("relation", index, info, targets)

    def _bind_linearization(self, int number, int index, int kernels):
        cdef Stage *s = &self.stages[number]
        cdef BoundRelation *r = &s.relation[index]
        cdef Attachment *at
        cdef Block *block
        cdef double *value
        cdef double *dense
        cdef int j, k
        participants = self.record.relations[index].participants
        linearize = self._find(kernels, KernelRole.LINEARIZE, number)
        evaluate = self._find(kernels, KernelRole.EVALUATE, number)
        couplings = [j for j, out in enumerate(linearize.outputs) if out.quantity == Quantity.REACTION_X]
        r.n_coupling = len(couplings)
        self._attach(s, r, participants)
        self._reserve_derivatives(r, linearize)
        r.output, r.guess = self.doubles(r.m), self.doubles(r.m)
        self._reserve_reactions(r, len(participants))
        r.coupling = <Coupling *>self.take(r.n_coupling * sizeof(Coupling))
        targets, depends, coupled = {}, 0, 0
        value, dense = <double *>r.derivatives.value, r.derivatives.dense
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
                block = &r.output_lambda
                block[0] = self.shape(linearize, j, r.m, r.m)
            elif out.quantity == Quantity.OUTPUT_X:
                block = &at.block.output_x
                block[0] = self.shape(linearize, j, r.m, at.n)
                at.output_dense = dense
            elif out.quantity == Quantity.REACTION_LAMBDA:
                block = &at.block.reaction_lambda
                block[0] = self.shape(linearize, j, at.n, r.m)
            else:
                r.coupling[coupled].row, r.coupling[coupled].col = out.participant, out.participant2
                r.coupling[coupled].block = self.block(linearize, j, at.n, r.attached[out.participant2].n,
                                                       not s.group[at.group].sparse)
                targets[j] = (<uintptr_t>r.coupling[coupled].block.value, r.coupling[coupled].block.nnz)
                coupled += 1
                continue
            block.dense = dense
            targets[j] = (<uintptr_t>value, block.nnz)
            value += block.nnz
            dense += block.rows * block.cols
        r.level = level_of(depends, max([s.system[<int>system].freeze_level for system in participants], default=0))
        r.vanishes = self._vanishes(self.record.relations[index], number)
        s.separable = s.separable and r.vanishes and not r.n_coupling
        values = self._targets_of_values(number, index, evaluate)
        if r.level == PER_RUN:  # each step evaluates, only the first linearises
            r.evaluate = self.bind("relation", index, evaluate, values)
            r.at_hand = self.bytes_to(r, <char *>(r.evaluate.out + len(evaluate.outputs)))
            self.cold = 1
            r.linearize = self.bind("relation", index, linearize, targets)
            self.cold = 0
        else:
            r.linearize = self.bind("relation", index, linearize, targets)
            r.at_hand = self.bytes_to(r, <char *>(r.linearize.out + len(linearize.outputs)))
            r.evaluate = self.bind("relation", index, evaluate, values)
        r.to_move = self.bytes_to(r, <char *>r.derivatives.dense)
        self._judge(s, linearize)

    cdef _attach(self, Stage *s, BoundRelation *r, participants):
        """The participants of a relation and, beside them, room for their X."""
        cdef Attachment *at
        cdef int k
        self.begin_line()
        r.attached = <Attachment *>self.take(len(participants) * sizeof(Attachment))
        # Where all sit the stage out, its rows are about multipliers alone.
        r.n_attached = len(participants) if any(s.system[<int>system].present for system in participants) else 0
        for k, system in enumerate(participants if r.n_attached else ()):
            at = &r.attached[k]
            at.system, at.n = system, s.system[<int>system].n
            at.group, at.offset = s.system[<int>system].group, s.system[<int>system].offset
            at.rhs = s.group[at.group].rhs + at.offset
            at.solved = NULL if s.group[at.group].sparse else self.doubles(s.group[at.group].n * r.m)

    cdef int bytes_to(self, const BoundRelation *r, const char *end):
        """From the attachments of a relation to what was taken after them; 0 where the two do not lie together."""
        cdef ptrdiff_t size = end - <const char *>r.attached
        return size if 0 < size <= AT_HAND else 0

    cdef _reserve_reactions(self, BoundRelation *r, int participants):
        """Room for the reactions on the participants; one that sits the stage out has no rows."""
        cdef Attachment *at
        cdef int k
        for k in range(participants):
            at = &r.attached[k]
            at.reaction = self.doubles(at.n) if k < r.n_attached else self.values
            self.cold = 1
            at.block = <AttachedBlocks *>self.take(sizeof(AttachedBlocks))
            at.block.scale = self.doubles(at.n) if k < r.n_attached else self.values
            self.cold = 0

    cdef _reserve_derivatives(self, BoundRelation *r, info):
        """Room for y_lambda, C and B: what the kernel writes, and all entries."""
        numbers = tuple(j for j, out in enumerate(info.outputs) if out.quantity in _SPREAD)
        outputs = [info.outputs[j] for j in numbers]
        r.derivatives.nnz = sum(out.nnz for out in outputs)
        r.derivatives.value = self.scratch(("derivatives", info.cls, info.number), r.derivatives.nnz)
        r.derivatives.dense = self.doubles(sum(out.rows * out.cols for out in outputs))
        r.derivatives.entry = self.entries(info, numbers)

    def _targets_of_values(self, int number, int index, info):
        """Where y and the reactions go, and how large the terms of their rows are."""
        cdef BoundRelation *r = &self.stages[number].relation[index]
        cdef Attachment *at
        targets = {}
        for j, out in enumerate(info.outputs):
            if out.quantity == Quantity.OUTPUT:
                targets[j] = (<uintptr_t>r.output, r.m)
            elif out.quantity == Quantity.OUTPUT_SCALE:
                targets[j] = (<uintptr_t>r.scale, r.m)
            else:  # of a participant, which not every relation has
                at = &r.attached[out.participant]
                target = <uintptr_t>at.reaction if out.quantity == Quantity.REACTION else <uintptr_t>at.block.scale
                targets[j] = (target, at.n)
        return targets

    def _vanishes(self, relation, number):
        """Whether a relation does nothing where its multipliers are zero."""
        evaluate = self._find(len(self.record.system_classes) + relation.cls, KernelRole.EVALUATE, number)
        return all(out.flags & Flag.VANISHES for out in evaluate.outputs if out.quantity == Quantity.REACTION)

    cdef _judge(self, Stage *s, info):
        """A stage is affine where all its values are, with exact derivatives, and nothing in it is refrozen."""
        for out in info.outputs:
            if out.depends >> Role.FROZEN_ITERATION & 1 or (out.quantity in _VALUES and not out.flags & Flag.AFFINE):
                s.affine = 0
