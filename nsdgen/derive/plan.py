"""Which class is discretised by which scheme, the kernels of all classes, and the records of them."""

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import sympy as sp

from nsdgen.abi import KernelRole, Quantity
from nsdgen.derive.check_cones import check_impacts
from nsdgen.derive.ended import ended
from nsdgen.derive.held_parts import with_held_parts
from nsdgen.derive.kernel import Kernel, KernelClass, make_kernel
from nsdgen.derive.model_stages import StageProgram
from nsdgen.derive.relations import derive_relation
from nsdgen.derive.seen_parameters import with_parameters
from nsdgen.derive.systems import derive_system, frozen_symbols
from nsdgen.errors import DerivationError, ModelError
from nsdgen.record.model_record import RelationClassRecord, RequirementRecord, SystemClassRecord
from nsdgen.schemes.own_steps import own_step
from nsdgen.schemes.scheme import Scheme
from nsdgen.schemes.stages import DiscreteRelation, DiscreteSystem, SystemStage, participant_scheme
from nsdgen.symbolic.description.model_description import ModelDescription, RelationInstance
from nsdgen.symbolic.expressions.entry import label_of
from nsdgen.symbolic.families.system_class import SystemClass
from nsdgen.symbolic.relations.relation_class import RelationClass

_SCALES = (Quantity.RESIDUAL_SCALE, Quantity.OUTPUT_SCALE, Quantity.REACTION_SCALE)


class Plan:
    """Which class is discretised by which scheme; system classes split where schemes differ."""

    def __init__(
        self,
        description: ModelDescription,
        schemes: Sequence[Scheme],
        distinct: Sequence[Scheme],
        program: StageProgram,
    ) -> None:
        self.distinct, self.program = distinct, program
        self.systems: list[tuple[int, DiscreteSystem]] = []
        number_of = {id(scheme): distinct.index(scheme) for scheme in schemes}
        numbers = [number_of[id(scheme)] for scheme in schemes]
        keys: dict[tuple[int, int], int] = {}
        self.system_index: list[int] = []
        for instance, n in zip(description.systems, numbers, strict=True):
            key = (instance.cls, n)
            if key not in keys:
                keys[key] = len(keys)
                discrete = distinct[n].discretise(description.system_classes[instance.cls])
                self.systems.append((n, with_held_parts(discrete)))
            self.system_index.append(keys[key])
        self.relations: list[tuple[int, DiscreteRelation, tuple[DiscreteSystem, ...]]] = []
        classes_seen: list[list[int]] = []
        relation_keys: dict[tuple[Any, ...], int] = {}
        self.relation_index: list[int] = []
        self._participants: dict[tuple[int, int, int], DiscreteSystem] = {}  # by class, place and number of them
        blocks = {b.relation: len(distinct) + i for i, b in enumerate(description.blocks)}
        giving = {
            numbers[i]
            for r in description.relations
            for i in r.participants
            if description.relation_classes[r.cls].law.expansion is not None
        }
        for at, relation in enumerate(description.relations):
            cls = description.relation_classes[relation.cls]
            relation_key: tuple[Any, ...]
            if cls.own_step == "observed":  # its systems may have several schemes
                number = numbers[relation.participants[0]] if relation.participants else 0
                relation_key = relation.cls, *(self.system_index[i] for i in relation.participants), "observed"
            elif cls.own_step:  # a class for each, since a block has stages of its own
                relation_key, number = (-1, at), blocks.get(at, 0)
            else:
                number = self._number(relation, numbers, description.name)
                relation_key = relation.cls, number
            if relation_key not in relation_keys:
                relation_keys[relation_key] = len(self.relations)
                found = self._discretised(cls, number, relation.participants, number in giving)
                self.relations.append((number, *found))
                classes_seen.append([self.system_index[i] for i in relation.participants])
            self.relation_index.append(relation_keys[relation_key])
        self._drop_needless_freezing(classes_seen)

    def _seen(self, participants: Sequence[int]) -> tuple[DiscreteSystem, ...]:
        """The steps of the participants of a relation, renamed where there are several."""
        keys = [(self.system_index[i], place, len(participants)) for place, i in enumerate(participants)]
        for key in set(keys) - self._participants.keys():
            self._participants[key] = participant_scheme(self.systems[key[0]][1], *key[1:])
        return tuple(self._participants[key] for key in keys)

    @staticmethod
    def _number(relation: RelationInstance, numbers: Sequence[int], model: str) -> int:
        """The number of the scheme of the systems of a relation; raises ``ModelError`` where they have several."""
        used = {numbers[i] for i in relation.participants}
        if len(used) > 1:
            raise ModelError(
                "joins systems under different schemes",
                model=model,
                where=f"relation {relation.name!r}",
                fix="give the systems of a relation the same scheme; a first-order system stands beside mechanical "
                "ones with beside_motion=True",
            )
        return used.pop()

    def _discretised(
        self, cls: RelationClass, number: int, participants: Sequence[int], gives_back: bool
    ) -> tuple[DiscreteRelation, tuple[DiscreteSystem, ...]]:
        """The step of a class of relations, by a scheme or its own, and the steps of the systems that it sees."""
        seen = self._seen(participants)
        if cls.own_step:
            return own_step(cls, seen)
        beside = dataclasses.replace(cls, gives_back=True) if gives_back else cls
        return with_parameters(self.distinct[number].discretise_relation(beside, seen)), seen

    def _drop_needless_freezing(self, classes_seen: Sequence[Sequence[int]]) -> None:
        """What systems freeze for relations only goes, value by value, where no relation of their class looks at it.

        ``classes_seen`` lists, for every class of relations, the classes of its participants.
        """
        needed: set[tuple[int, int]] = set()
        taken: dict[tuple[int, int], set[int]] = defaultdict(set)  # places among what is offered
        for (_, relation, seen), classes in zip(self.relations, classes_seen, strict=True):
            for number, stage in enumerate(relation.stages):
                symbols = stage.free_symbols() if stage is not None else frozenset()
                for cls, participant in zip(classes, seen, strict=True):
                    if symbols & set(_frozen_of(participant, number)):
                        needed.add((cls, number))
                    offered = _offered_by(participant, number)
                    taken[cls, number] |= {place for place, symbol in enumerate(offered) if symbol in symbols}

        def left(stage: SystemStage, of: tuple[int, int]) -> SystemStage:
            stage = stage.with_offered(taken[of])
            return stage if of in needed else stage.without_needless_freezing()

        def without(scheme: DiscreteSystem, cls: int) -> DiscreteSystem:
            return dataclasses.replace(
                scheme,
                stages=tuple(
                    None if stage is None else left(stage, (cls, number)) for number, stage in enumerate(scheme.stages)
                ),
            )

        self.systems = [(n, without(scheme, cls)) for cls, (n, scheme) in enumerate(self.systems)]
        self.relations = [
            (n, relation, tuple(without(s, cls) for s, cls in zip(seen, classes, strict=True)))
            for (n, relation, seen), classes in zip(self.relations, classes_seen, strict=True)
        ]

    def ends_run(self, relation: int) -> bool:
        """Whether a run ends where a quantity of a class of relations is zero."""
        return self.relations[relation][1].cls.ends_run

    def check_impacts(self) -> None:
        """Raise ``ModelError`` where contacts that share an impact have laws that do not go together."""
        check_impacts({r.cls.name: self.program.spread(n, r.stages, None) for n, r, _ in self.relations})

    def kernel_classes(self) -> tuple[KernelClass, ...]:
        """The kernels of all classes; raises ``DerivationError`` naming scheme and class."""
        places, found = self.program.places, []
        for n, s in self.systems:
            with _stated_by(self.distinct[n], f"system {s.cls.name!r}"):
                found.append(derive_system(s, places[n], self.distinct[n].run))
        for n, r, seen in self.relations:
            with _stated_by(self._scheme(n), f"relation {r.cls.name!r}"):
                found.append(derive_relation(r, seen, places[n], self._scheme(n).run))
        sized = {n for n, stage in enumerate(self.program.stages) if stage.at == "rate"}
        return _without_needless_scales(tuple(found), sized)

    def _scheme(self, number: int) -> Scheme:
        """The scheme whose run values a class sees: of a block, which asks for none, the first one."""
        return self.distinct[number if number < len(self.distinct) else 0]

    def units(self) -> dict[sp.Symbol, str]:
        """The units of states, unknowns, memories and multipliers, where they are known."""
        pairs: list[tuple[sp.Symbol, str]] = []
        schemes = [s for _, s in self.systems] + [s for *_, seen in self.relations for s in seen]
        for scheme in schemes:
            of_state = dict(zip(scheme.state, scheme.labels.units, strict=True))
            pairs += [
                *of_state.items(),
                *((own, of_state.get(there, "")) for own, there in scheme.at_state.items()),
                *((ended(there), unit) for there, unit in of_state.items()),
            ]
        for _, relation, _ in self.relations:
            pairs += zip(relation.memory, relation.labels.units, strict=True)
            for stage in relation.stages:
                if stage is not None:
                    pairs += zip(stage.multiplier, stage.multiplier_labels.units, strict=True)
        return {symbol: unit for symbol, unit in pairs if unit}

    def system_records(self) -> tuple[SystemClassRecord, ...]:
        """Sizes and names of the system classes, one per class and scheme."""
        return tuple(
            SystemClassRecord(
                name=s.cls.name,
                scheme=n,
                n_state=len(s.state),
                unknown=self._each(n, s.stages, partial(_names, s), ()),
                n_frozen_step=self._each(n, s.stages, lambda g: len(frozen_symbols(g)[0]), 0),
                n_frozen_iteration=self._each(n, s.stages, lambda g: len(frozen_symbols(g)[1]), 0),
                state_names=s.labels.names,
                state_units=s.labels.units,
                observed_names=self._each(n, s.stages, lambda g: g.observed_labels.names, ()),
                observed_units=self._each(n, s.stages, lambda g: g.observed_labels.units, ()),
                parameters=tuple(label_of(p) for p in s.cls.parameters),
                unit_norm=s.unit_norm,
                cuts=_cuts(s),
                requirements=_requirements(s.cls),
                algebraic=s.algebraic,
                mass_rank=s.mass_rank,
            )
            for n, s in self.systems
        )

    def relation_records(self) -> tuple[RelationClassRecord, ...]:
        """Sizes, names and cones of the relation classes."""
        return tuple(
            RelationClassRecord(
                name=r.cls.name,
                scheme=n if n < len(self.distinct) else 0,
                n_memory=len(r.memory),
                n_multiplier=self._each(n, r.stages, lambda g: len(g.multiplier), 0),
                n_observed=self._each(n, r.stages, lambda g: 0 if g.observed is None else g.observed.rows, 0),
                cones=self._each(n, r.stages, lambda g: tuple((int(c), k) for c, k in g.cones), ()),
                held=self._each(n, r.stages, lambda g: g.held, False),
                memory_names=r.labels.names,
                memory_units=r.labels.units,
                multiplier_names=self._each(n, r.stages, lambda g: g.multiplier_labels.names, ()),
                multiplier_units=self._each(n, r.stages, lambda g: g.multiplier_labels.units, ()),
                observed_names=self._each(n, r.stages, lambda g: g.observed_labels.names, ()),
                observed_units=self._each(n, r.stages, lambda g: g.observed_labels.units, ()),
                parameters=tuple(label_of(p) for p in r.cls.parameters),
                always_active=r.always_active,
                gap=r.gap,
                zero_rows=r.zero_rows,
                cuts=_cuts(r),
                places=r.places,
                slips=r.slips,
                copies=self._each(n, r.stages, lambda g: g.copies, 0),
            )
            for n, r, _ in self.relations
        )

    def _each(self, scheme: int, stages: Sequence[Any], part: Callable[[Any], Any], empty: Any) -> tuple[Any, ...]:
        """A part of each stage of a scheme, as one entry for every stage of the model."""
        return self.program.spread(scheme, [empty if g is None else part(g) for g in stages], empty)


@contextmanager
def _stated_by(scheme: Scheme, what: str) -> Iterator[None]:
    """Errors inside name the scheme that stated the step, and of what."""
    try:
        yield
    except DerivationError as error:
        if not error.where.startswith("scheme "):
            error.where = f"scheme {scheme.name}, {what}, {error.where}"
        raise


def _requirements(cls: SystemClass) -> tuple[RequirementRecord, ...]:
    """What terms must be at the start, and where in the initial values, group after group, their operands begin."""
    begins, place = {"t": -1}, 0
    for group in cls.variables:
        begins[group.role] = place
        place += len(group.symbols)
    return tuple(
        RequirementRecord(r.term, r.kind, r.first, r.end, tuple(begins[o] for o in cls.terms[r.term].of))
        for r in cls.requirements
    )


def _cuts(scheme: DiscreteSystem | DiscreteRelation) -> tuple[tuple[str, int], ...]:
    """Name and direction of the quantities whose zeros end a step early."""
    return tuple(
        (c.name, {"falling": -1, "both": 0, "rising": 1}[c.direction] * (1 if c.recorded else 2)) for c in scheme.cuts
    )


def _names(scheme: DiscreteSystem, stage: SystemStage) -> tuple[str, ...]:
    """What unknowns are called: like the state that they are the new value of, else by their own label."""
    of_state = dict(zip(scheme.state, scheme.labels.names, strict=True))
    return tuple(of_state.get(scheme.at_state.get(symbol), label_of(symbol)) for symbol in stage.unknown)


def _frozen_of(scheme: DiscreteSystem, number: int) -> tuple[sp.Symbol, ...]:
    """What a system freezes at each iteration of a stage."""
    stage = scheme.stages[number] if number < len(scheme.stages) else None
    return () if stage is None else frozen_symbols(stage)[1]


def _offered_by(scheme: DiscreteSystem, number: int) -> tuple[sp.Symbol, ...]:
    """What a system freezes in a stage for relations alone."""
    stage = scheme.stages[number] if number < len(scheme.stages) else None
    return () if stage is None else stage.offered


def _without_needless_scales(classes: tuple[KernelClass, ...], sized: set[int]) -> tuple[KernelClass, ...]:
    """The scales of rows serve the test of convergence, which an affine stage has none of, and the size of rates."""
    tested = sized | {k.stage for c in classes for k in c.kernels if k.role == KernelRole.LINEARIZE and not k.affine}
    return tuple(
        dataclasses.replace(c, kernels=tuple(k if k.stage in tested else _without_scales(k) for k in c.kernels))
        for c in classes
    )


def _without_scales(kernel: Kernel) -> Kernel:
    kept = [out for out in kernel.outputs if out.quantity not in _SCALES]
    if len(kept) == len(kernel.outputs):
        return kernel
    return make_kernel(kernel.name, kernel.role, kernel.stage, kernel.inputs, kept, kernel.formula)
