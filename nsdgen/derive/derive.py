"""From a description and its schemes to kernel records and the model record.

Input: :class:`~nsdgen.symbolic.description.model_description.ModelDescription`, one scheme per system.
Output: :class:`Derivation`, the kernels (:class:`~nsdgen.derive.kernel.KernelModule`)
and everything else the runtime needs (:class:`~nsdgen.record.ModelRecord`).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import sympy as sp

from nsdgen.abi import ClassKind, Flag, KernelRole, Quantity, Role
from nsdgen.derive.check_cones import check_impacts
from nsdgen.derive.ended import ended
from nsdgen.derive.kernel import Input, Kernel, KernelClass, KernelModule, make_kernel, make_output
from nsdgen.derive.passing import passing_arguments
from nsdgen.derive.program import Program
from nsdgen.derive.relations import derive_relation
from nsdgen.derive.systems import derive_system, frozen_symbols
from nsdgen.errors import DerivationError, ModelError
from nsdgen.names import mangle
from nsdgen.record import (
    BlockRecord,
    ModelRecord,
    OptionRecord,
    ParameterRecord,
    RelationClassRecord,
    RequirementRecord,
    SchemeRecord,
    SystemClassRecord,
)
from nsdgen.record_instances import ArgumentRecord, RelationRecord, SystemRecord
from nsdgen.schemes.program import check_stages, flat
from nsdgen.schemes.sampled import discretise_block
from nsdgen.schemes.scheme import Scheme
from nsdgen.schemes.stages import DiscreteRelation, DiscreteSystem, SystemStage, participant_scheme
from nsdgen.schemes.stop import discretise_stop
from nsdgen.symbolic.description.model_description import Argument, Block, ModelDescription
from nsdgen.symbolic.expressions.entry import label_of
from nsdgen.symbolic.expressions.parameter import Parameter
from nsdgen.symbolic.families.system_class import SystemClass
from nsdgen.symbolic.relations.sampled import SampledClass
from nsdgen.symbolic.relations.stop import StopClass

__all__ = ["Derivation", "RunDefaults", "derive"]


@dataclass(frozen=True)
class RunDefaults:
    """What a run uses unless told otherwise: step and end [s], start, tolerance of overlaps."""

    step: float
    end: float
    start: float = 0.0
    allow_penetration: bool = False


@dataclass(frozen=True)
class Derivation:
    """Kernels and record of a model; ``units`` labels the symbols of kernels that have a unit."""

    module: KernelModule
    record: ModelRecord
    units: Mapping[sp.Symbol, str] = field(default_factory=dict)


def derive(description: ModelDescription, schemes: Sequence[Scheme], defaults: RunDefaults) -> Derivation:
    """All kernels of a model; ``schemes`` holds one scheme per system, in order.

    Raises ``ModelError`` where a scheme has no discretisation for a family or a relation
    joins systems under different schemes.
    """
    distinct: list[Scheme] = []
    for scheme in {id(s): s for s in schemes}.values():
        if scheme not in distinct:
            distinct.append(scheme)
    _check_driver(distinct, description)
    program = Program.of(distinct, [description.relations[b.relation].name for b in description.blocks])
    plan = _Plan(description, schemes, distinct, program)
    plan.check_impacts()
    classes = plan.kernel_classes()
    derived, arguments = _derived_arguments(description)
    of_model = (*((derived,) if derived else ()), *program.skips)
    if of_model:
        classes = (*classes, KernelClass(description.name, ClassKind.MODEL, 0, of_model))
    systems, relations = _instances(plan, description, arguments)
    record = ModelRecord(
        name=description.name, identifier=mangle(description.name),
        parameters=tuple(_parameter(s, p) for s, p in description.parameters.items()),
        schemes=tuple(SchemeRecord(s.name, tuple(OptionRecord(o.name, o.value, o.min, o.max)
                                                 for o in s.options), _choices(s)) for s in distinct),
        stages=program.stages, repeats=program.repeats,
        system_classes=plan.system_records(), relation_classes=plan.relation_records(),
        systems=systems, relations=relations,
        step=defaults.step, end=defaults.end, start=defaults.start,
        allow_penetration=defaults.allow_penetration,
        n_derived=0 if derived is None else derived.outputs[0].rows,
        blocks=tuple(_block(b, description, plan) for b in description.blocks),
        step_parameter=None if description.step is None else list(description.parameters).index(description.step),
        stops=_stops(systems, relations, plan))
    record = dataclasses.replace(record, passing=passing_arguments(
        classes, [(record.class_number(kind, i), slot) for kind, i, slot, _ in record.held_slots]))
    units = {**plan.units(), **{s: p.unit for s, p in description.parameters.items() if p.unit}}
    return Derivation(KernelModule(description.name, classes), record, units)


def _instances(plan: _Plan, description: ModelDescription,
               arguments: Iterator[ArgumentRecord]) -> tuple[tuple[SystemRecord, ...], tuple[RelationRecord, ...]]:
    """The records of all systems and relations; ``arguments`` are theirs, in order."""
    of_systems, of_relations = ([cls.labels for cls in group] for group in (
        description.system_classes, description.relation_classes))
    systems = tuple(SystemRecord(s.name, plan.system_index[i], tuple(next(arguments) for _ in s.arguments), s.initial,
                                 names, _own_labels(of_systems[s.cls], s.labels))
                    for i, (s, names) in enumerate(zip(description.systems, description.initial_names, strict=True)))
    relations = tuple(RelationRecord(r.name, plan.relation_index[i], r.participants,
                                     tuple(next(arguments) for _ in r.arguments),
                                     _own_labels(of_relations[r.cls], r.labels),
                                     tuple((of_relations[r.cls][k][0], value) for k, value in r.initial))
                      for i, r in enumerate(description.relations))
    return systems, relations


def _stops(records: Sequence[SystemRecord], relations: Sequence[RelationRecord], plan: _Plan) -> tuple[int, ...]:
    """The numbers, among all quantities that are cut (those of systems first), of those that end a run."""
    number = sum(len(plan.systems[s.cls][1].cuts) for s in records)
    found: list[int] = []
    for r in relations:
        cls = plan.relations[r.cls][1]
        if isinstance(cls.cls, StopClass):
            found.append(number)
        number += len(cls.cuts)
    return tuple(found)


def _check_driver(schemes: Sequence[Scheme], description: ModelDescription) -> None:
    """Refuse a model of which only some parts go from event to event."""
    for scheme in schemes:
        check_stages(scheme.stages, f"scheme {scheme.name}")
    driven = [s for s in schemes if any(stage.at == "rate" for stage in flat(s.stages))]
    if not driven:
        return
    if len(schemes) > 1:
        raise ModelError(f"{driven[0].name} goes from event to event, other systems have schemes of "
                         "their own", model=description.name, where="scheme",
                         fix="give all systems one and the same scheme")
    if description.blocks:
        raise ModelError(f"{driven[0].name} goes from event to event and has no steps in which blocks could act",
                         model=description.name,
                         where=f"block {description.relations[description.blocks[0].relation].name!r}",
                         fix="use a scheme that makes steps, e.g. nsd.MoreauJean() or nsd.ThetaGamma()")


class _Plan:
    """Which class is discretised by which scheme; system classes split where schemes differ."""

    def __init__(self, description: ModelDescription, schemes: Sequence[Scheme],
                 distinct: Sequence[Scheme], program: Program) -> None:
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
                self.systems.append((n, distinct[n].discretise(description.system_classes[instance.cls])))
            self.system_index.append(keys[key])
        self.relations: list[tuple[int, DiscreteRelation, tuple[DiscreteSystem, ...]]] = []
        classes_seen: list[list[int]] = []
        relation_keys: dict[tuple[int, int], int] = {}
        self.relation_index: list[int] = []
        blocks = {b.relation: len(distinct) + i for i, b in enumerate(description.blocks)}
        giving = {numbers[i] for r in description.relations for i in r.participants
                  if description.relation_classes[r.cls].law.expansion is not None}
        for at, relation in enumerate(description.relations):
            cls = description.relation_classes[relation.cls]
            if isinstance(cls, StopClass):  # of systems under any schemes
                self.relation_index.append(len(self.relations))
                seen = self._seen(relation.participants)
                self.relations.append((0, discretise_stop(cls, seen), seen))
                classes_seen.append([self.system_index[i] for i in relation.participants])
                continue
            if at in blocks:
                self._enter_block(description, at, blocks[at])
                classes_seen.append([self.system_index[i] for i in relation.participants])
                continue
            used = {numbers[i] for i in relation.participants}
            if len(used) > 1:
                raise ModelError("joins systems under different schemes", model=description.name,
                                 where=f"relation {relation.name!r}",
                                 fix="give the systems of a relation the same scheme")
            number = used.pop()
            relation_key = (relation.cls, number)
            if relation_key not in relation_keys:
                relation_keys[relation_key] = len(self.relations)
                seen = self._seen(relation.participants)
                beside = dataclasses.replace(cls, gives_back=True) if number in giving else cls
                self.relations.append((number, distinct[number].discretise_relation(beside, seen), seen))
                classes_seen.append([self.system_index[i] for i in relation.participants])
            self.relation_index.append(relation_keys[relation_key])
        self._drop_needless_freezing(classes_seen)

    def _seen(self, participants: Sequence[int]) -> tuple[DiscreteSystem, ...]:
        """The steps of the participants of a relation, renamed where there are several."""
        ours = [self.systems[self.system_index[i]][1] for i in participants]
        return tuple(participant_scheme(s, i, len(ours)) for i, s in enumerate(ours))

    def _enter_block(self, description: ModelDescription, at: int, number: int) -> None:
        """A class of its own for every block, since its stages are its own; its systems may have any schemes."""
        relation = description.relations[at]
        cls = description.relation_classes[relation.cls]
        assert isinstance(cls, SampledClass)
        seen = tuple(dataclasses.replace(s, stages=(None, None)) for s in self._seen(relation.participants))
        self.relation_index.append(len(self.relations))
        self.relations.append((number, discretise_block(cls, seen), seen))

    def _drop_needless_freezing(self, classes_seen: Sequence[Sequence[int]]) -> None:
        """What systems freeze for relations only goes where no relation of their class looks at it.

        ``classes_seen`` lists, for every class of relations, the classes of its participants.
        """
        needed: set[tuple[int, int]] = set()
        for (_, relation, seen), classes in zip(self.relations, classes_seen, strict=True):
            for number, stage in enumerate(relation.stages):
                symbols = stage.free_symbols() if stage is not None else frozenset()
                for cls, participant in zip(classes, seen, strict=True):
                    if symbols & set(_frozen_of(participant, number)):
                        needed.add((cls, number))

        def without(scheme: DiscreteSystem, cls: int) -> DiscreteSystem:
            return dataclasses.replace(scheme, stages=tuple(
                stage if stage is None or (cls, number) in needed else stage.without_needless_freezing()
                for number, stage in enumerate(scheme.stages)))

        self.systems = [(n, without(scheme, cls)) for cls, (n, scheme) in enumerate(self.systems)]
        self.relations = [(n, relation, tuple(without(s, cls) for s, cls in zip(seen, classes, strict=True)))
                          for (n, relation, seen), classes in zip(self.relations, classes_seen, strict=True)]

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
        return _without_needless_scales(tuple(found))

    def _scheme(self, number: int) -> Scheme:
        """The scheme whose run values a class sees: of a block, which asks for none, the first one."""
        return self.distinct[number if number < len(self.distinct) else 0]

    def units(self) -> dict[sp.Symbol, str]:
        """The units of states, unknowns, memories and multipliers, where they are known."""
        pairs: list[tuple[sp.Symbol, str]] = []
        schemes = [s for _, s in self.systems] + [s for *_, seen in self.relations for s in seen]
        for scheme in schemes:
            of_state = dict(zip(scheme.state, scheme.labels.units, strict=True))
            pairs += [*of_state.items(), *((own, of_state.get(there, "")) for own, there in scheme.at_state.items()),
                      *((ended(there), unit) for there, unit in of_state.items())]
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
                name=s.cls.name, scheme=n, n_state=len(s.state),
                unknown=self._each(n, s.stages, partial(_names, s), ()),
                n_frozen_step=self._each(n, s.stages, lambda g: len(frozen_symbols(g)[0]), 0),
                n_frozen_iteration=self._each(n, s.stages, lambda g: len(frozen_symbols(g)[1]), 0),
                state_names=s.labels.names, state_units=s.labels.units,
                observed_names=self._each(n, s.stages, lambda g: g.observed_labels.names, ()),
                observed_units=self._each(n, s.stages, lambda g: g.observed_labels.units, ()),
                parameters=tuple(label_of(p) for p in s.cls.parameters), unit_norm=s.unit_norm, cuts=_cuts(s),
                requirements=_requirements(s.cls), algebraic=s.algebraic, mass_rank=s.mass_rank)
            for n, s in self.systems)

    def relation_records(self) -> tuple[RelationClassRecord, ...]:
        """Sizes, names and cones of the relation classes."""
        return tuple(
            RelationClassRecord(
                name=r.cls.name, scheme=n if n < len(self.distinct) else 0, n_memory=len(r.memory),
                n_multiplier=self._each(n, r.stages, lambda g: len(g.multiplier), 0),
                n_observed=self._each(n, r.stages, lambda g: 0 if g.observed is None else g.observed.rows, 0),
                cones=self._each(n, r.stages, lambda g: tuple((int(c), k) for c, k in g.cones), ()),
                memory_names=r.labels.names, memory_units=r.labels.units,
                multiplier_names=self._each(n, r.stages, lambda g: g.multiplier_labels.names, ()),
                multiplier_units=self._each(n, r.stages, lambda g: g.multiplier_labels.units, ()),
                observed_names=self._each(n, r.stages, lambda g: g.observed_labels.names, ()),
                observed_units=self._each(n, r.stages, lambda g: g.observed_labels.units, ()),
                parameters=tuple(label_of(p) for p in r.cls.parameters),
                always_active=r.always_active, gap=r.gap, zero_rows=r.zero_rows, cuts=_cuts(r))
            for n, r, _ in self.relations)

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


def _block(block: Block, description: ModelDescription, plan: _Plan) -> BlockRecord:
    number = {symbol: i for i, symbol in enumerate(description.parameters)}
    cls = description.relation_classes[description.relations[block.relation].cls]
    return BlockRecord(description.relations[block.relation].name, block.relation, number[block.period],
                       number[block.offset], tuple(number[s] for s in block.holds), block.cut,
                       tuple((i, _place(plan.systems[plan.system_index[i]], k, description, i))
                             for i, k in block.resets), bool(cls.terms["acted"].rows), block.computed)


def _place(known: tuple[int, DiscreteSystem], variable: int, description: ModelDescription, system: int) -> int:
    """Where a variable lies in the carried state; raises ``ModelError`` where setting it would not be enough."""
    scheme = known[1]
    symbol = scheme.at_state.get(scheme.cls.functions[variable])
    if symbol not in scheme.state or len(scheme.state) != len(scheme.cls.functions) or scheme.unit_norm:
        raise ModelError("its scheme carries more than coordinates and velocities, so that a reset would not be one",
                         model=description.name, where=f"system {description.systems[system].name!r}",
                         fix="give it nsd.MoreauJean, nsd.ThetaGamma or nsd.ZeroOrderHold; bodies cannot be reset")
    return scheme.state.index(symbol)


def _requirements(cls: SystemClass) -> tuple[RequirementRecord, ...]:
    """What terms must be at the start, and where in the initial values, group after group, their operands begin."""
    begins, place = {"t": -1}, 0
    for group in cls.variables:
        begins[group.role] = place
        place += len(group.symbols)
    return tuple(RequirementRecord(r.term, r.kind, r.first, r.end, tuple(begins[o] for o in cls.terms[r.term].of))
                 for r in cls.requirements)


def _cuts(scheme: DiscreteSystem | DiscreteRelation) -> tuple[tuple[str, int], ...]:
    """Name and direction of the quantities whose zeros end a step early."""
    return tuple((c.name, {"falling": -1, "both": 0, "rising": 1}[c.direction] * (1 if c.recorded else 2))
                 for c in scheme.cuts)


def _names(scheme: DiscreteSystem, stage: SystemStage) -> tuple[str, ...]:
    """What unknowns are called: like the state that they are the new value of, else by their own label."""
    of_state = dict(zip(scheme.state, scheme.labels.names, strict=True))
    return tuple(of_state.get(scheme.at_state.get(symbol), label_of(symbol)) for symbol in stage.unknown)


def _frozen_of(scheme: DiscreteSystem, number: int) -> tuple[sp.Symbol, ...]:
    """What a system freezes at each iteration of a stage."""
    stage = scheme.stages[number] if number < len(scheme.stages) else None
    return () if stage is None else frozen_symbols(stage)[1]


def _derived_arguments(description: ModelDescription) -> tuple[Kernel | None, Iterator[ArgumentRecord]]:
    """The source of every argument, and the kernel for those that are formulas of parameters."""
    parameters = {symbol: i for i, symbol in enumerate(description.parameters)}
    formulas: dict[sp.Expr, int] = {}
    known: dict[int, ArgumentRecord] = {}  # copies share the arguments in which they do not differ

    def source(a: Argument) -> ArgumentRecord:
        if isinstance(a.value, float):
            return ArgumentRecord(a.name, "value", 0, a.value, a.min, a.max)
        if id(a) not in known:
            known[id(a)] = _argument(a, parameters, formulas)
        return known[id(a)]

    records = [source(a) for system in description.systems for a in system.arguments]
    records += [source(a) for relation in description.relations for a in relation.arguments]
    if not formulas:
        return None, iter(records)
    kernel = make_kernel(
        "arguments", KernelRole.ARGUMENTS, -1, [Input("parameters", Role.PARAMETERS, tuple(parameters))],
        [make_output("arguments", Quantity.PARAMETERS, sp.Matrix(list(formulas)))],
        "constructor arguments from the model's parameters")
    return kernel, iter(records)


def _argument(a: Argument, parameters: Mapping[sp.Symbol, int], formulas: dict[sp.Expr, int]) -> ArgumentRecord:
    """The record of an argument: a parameter, a number, or a formula, which is entered into ``formulas``."""
    if a.value in parameters:
        return ArgumentRecord(a.name, "parameter", parameters[a.value], 0.0, a.min, a.max)
    if isinstance(a.value, float) or a.value.is_number:
        return ArgumentRecord(a.name, "value", 0, float(a.value), a.min, a.max)
    return ArgumentRecord(a.name, "derived", formulas.setdefault(a.value, len(formulas)), 0.0, a.min, a.max)


_SCALES = (Quantity.RESIDUAL_SCALE, Quantity.OUTPUT_SCALE, Quantity.REACTION_SCALE)


def _without_needless_scales(classes: tuple[KernelClass, ...]) -> tuple[KernelClass, ...]:
    """The scales of rows serve the test of convergence, and an affine stage has none."""
    tested = {k.stage for c in classes for k in c.kernels if k.role == KernelRole.LINEARIZE and not _affine(k)}
    return tuple(
        dataclasses.replace(c, kernels=tuple(k if k.stage in tested else _without_scales(k) for k in c.kernels))
        for c in classes)


def _without_scales(kernel: Kernel) -> Kernel:
    kept = [out for out in kernel.outputs if out.quantity not in _SCALES]
    if len(kept) == len(kernel.outputs):
        return kernel
    return make_kernel(kernel.name, kernel.role, kernel.stage, kernel.inputs, kept, kernel.formula)


def _affine(kernel: Kernel) -> bool:
    values = (Quantity.RESIDUAL, Quantity.OUTPUT, Quantity.REACTION)
    return not any(out.depends >> Role.FROZEN_ITERATION & 1 or (out.quantity in values and not out.flags & Flag.AFFINE)
                   for out in kernel.outputs)


def _choices(scheme: Scheme) -> tuple[tuple[str, str], ...]:
    """What a scheme was told that is no run value: it decides the expressions themselves."""
    words = [f.name for f in dataclasses.fields(scheme) if "range" not in f.metadata and f.name != "newton"]
    return tuple((name, str(getattr(scheme, name))) for name in words)


def _own_labels(cls: Sequence[tuple[str, str]], own: Sequence[tuple[str, str]]) -> tuple[tuple[str, str, str], ...]:
    """Where an instance calls a recorded value otherwise than its class."""
    if own == cls:
        return ()
    return tuple((theirs[0], *ours) for theirs, ours in zip(cls, own, strict=True) if theirs != ours)


def _parameter(symbol: sp.Symbol, p: Parameter) -> ParameterRecord:
    """The record of a parameter; a symbol declared positive or nonnegative has no negative value."""
    least = max(p.min, 0.0) if symbol.is_nonnegative else p.min
    return ParameterRecord(symbol.name, p.value, p.unit, _bound(least), _bound(p.max))


def _bound(value: float) -> float | None:
    return None if math.isinf(value) else value
