"""From a description and its schemes to kernel records and the model record.

Input: :class:`~nsdgen.symbolic.description.model_description.ModelDescription`, one scheme per system.
Output: :class:`Derivation`, the kernels (:class:`~nsdgen.derive.kernel.KernelModule`)
and everything else the runtime needs (:class:`~nsdgen.record.model_record.ModelRecord`).
"""

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp

from nsdgen.abi import ClassKind, KernelRole, Quantity, Role
from nsdgen.base.names import mangle
from nsdgen.derive.kernel import Input, Kernel, KernelClass, KernelModule, make_kernel, make_output
from nsdgen.derive.model_stages import StageProgram
from nsdgen.derive.passing import passing_arguments
from nsdgen.derive.plan import Plan
from nsdgen.derive.seen_parameters import with_arguments
from nsdgen.errors import ModelError, ParameterError
from nsdgen.record.instances import ArgumentRecord, RelationRecord, SystemRecord
from nsdgen.record.model_record import (
    BlockRecord,
    ModelRecord,
    OptionRecord,
    OutputRecord,
    ParameterRecord,
    SchemeRecord,
)
from nsdgen.record.step_record import Layout, cut_names
from nsdgen.schemes.program import check_stages, flat
from nsdgen.schemes.scheme import Scheme
from nsdgen.schemes.stages import STEP, DiscreteSystem
from nsdgen.symbolic.description.model_description import Argument, Block, ModelDescription
from nsdgen.symbolic.expressions.parameter import Parameter


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
    program = StageProgram.of(distinct, [description.relations[b.relation].name for b in description.blocks])
    plan = Plan(description, schemes, distinct, program)
    plan.check_impacts()
    classes = plan.kernel_classes()
    description = with_arguments(description, lambda i: plan.relations[plan.relation_index[i]][1].cls)
    derived, arguments = _derived_arguments(description)
    of_model = (*((derived,) if derived else ()), *program.skips)
    if of_model:
        classes = (*classes, KernelClass(description.name, ClassKind.MODEL, 0, of_model))
    systems, relations = _instances(plan, description, arguments)
    cuts = _cuts(systems, relations, plan)
    record = ModelRecord(
        name=description.name,
        identifier=mangle(description.name),
        parameters=tuple(_parameter(s, p) for s, p in description.parameters.items()),
        schemes=tuple(
            SchemeRecord(s.name, tuple(OptionRecord(o.name, o.value, o.min, o.max) for o in s.options), _choices(s))
            for s in distinct
        ),
        stages=program.stages,
        repeats=program.repeats,
        system_classes=plan.system_records(),
        relation_classes=plan.relation_records(),
        systems=systems,
        relations=relations,
        step=defaults.step,
        end=defaults.end,
        start=defaults.start,
        allow_penetration=defaults.allow_penetration,
        n_derived=0 if derived is None else derived.outputs[0].rows,
        blocks=tuple(_block(b, description, plan, cuts[b.relation]) for b in description.blocks),
        step_parameter=None if description.step is None else list(description.parameters).index(description.step),
        stops=tuple(k for numbers, r in zip(cuts, relations, strict=True) for k in numbers if plan.ends_run(r.cls)),
    )
    _check_even_steps(plan, record)
    record = _with_outputs(record, description)
    record = dataclasses.replace(
        record,
        passing=passing_arguments(
            classes, [(record.class_number(kind, i), slot) for kind, i, slot, _ in record.held_slots]
        ),
    )
    units = {**plan.units(), **{s: p.unit for s, p in description.parameters.items() if p.unit}}
    return Derivation(KernelModule(description.name, classes), record, units)


def _with_outputs(record: ModelRecord, description: ModelDescription) -> ModelRecord:
    """The record with what is observed of instants; raises ``ModelError`` for a column that there is not."""
    seen = [
        (i, r)
        for i, r in enumerate(description.relations)
        if description.relation_classes[r.cls].own_step == "observed"
    ]
    if not seen:
        return record
    record = dataclasses.replace(record, outputs=tuple(OutputRecord(i, r.labels) for i, r in seen))
    layout = Layout.of(record)
    own = {at + k for o, at in zip(record.outputs, layout.outputs, strict=True) for k in range(len(o.labels))}
    found = []
    for output, (_, r) in zip(record.outputs, seen, strict=True):
        where = f"relation {r.name!r}, nsd.recorded(...)"
        try:
            reads = tuple(layout.columns.by_name.one(name) for name in r.reads)
        except ParameterError as error:
            raise ModelError(error.message, model=description.name, where=where, fix=error.fix) from None
        if not own.isdisjoint(reads):
            raise ModelError(
                f"{next(name for name, at in zip(r.reads, reads, strict=True) if at in own)!r} is an output itself",
                model=description.name,
                where=where,
                fix="outputs do not read each other: write its expression",
            )
        found.append(dataclasses.replace(output, reads=reads))
    return dataclasses.replace(record, outputs=tuple(found))


def _instances(
    plan: Plan, description: ModelDescription, arguments: Iterator[ArgumentRecord]
) -> tuple[tuple[SystemRecord, ...], tuple[RelationRecord, ...]]:
    """The records of all systems and relations; ``arguments`` are theirs, in order."""
    of_systems, of_relations = (
        [cls.labels for cls in group] for group in (description.system_classes, description.relation_classes)
    )
    systems = tuple(
        SystemRecord(
            s.name,
            plan.system_index[i],
            tuple(next(arguments) for _ in s.arguments),
            s.initial,
            names,
            _own_labels(of_systems[s.cls], s.labels),
        )
        for i, (s, names) in enumerate(zip(description.systems, description.initial_names, strict=True))
    )
    relations = tuple(
        RelationRecord(
            r.name,
            plan.relation_index[i],
            r.participants,
            tuple(next(arguments) for _ in r.arguments),
            _own_labels(of_relations[r.cls], r.labels, _of_stages(plan, plan.relation_index[i])),
            tuple((of_relations[r.cls][k][0], value) for k, value in r.initial),
        )
        for i, r in enumerate(description.relations)
    )
    return systems, relations


def _cuts(records: Sequence[SystemRecord], relations: Sequence[RelationRecord], plan: Plan) -> list[range]:
    """The numbers, among all quantities that are cut (those of systems first), of each relation's."""
    number = sum(len(plan.systems[s.cls][1].cuts) for s in records)
    found: list[range] = []
    for r in relations:
        found.append(range(number, number + len(plan.relations[r.cls][1].cuts)))
        number = found[-1].stop
    return found


def _check_driver(schemes: Sequence[Scheme], description: ModelDescription) -> None:
    """Refuse a model of which only some parts go from event to event."""
    for scheme in schemes:
        check_stages(scheme.stages, f"scheme {scheme.name}")
    driven = [s for s in schemes if any(stage.at == "rate" for stage in flat(s.stages))]
    if not driven:
        return
    if len(schemes) > 1:
        raise ModelError(
            f"{driven[0].name} goes from event to event, other systems have schemes of their own",
            model=description.name,
            where="scheme",
            fix="give all systems one and the same scheme",
        )
    if computed := [b for b in description.blocks if b.computed]:
        raise ModelError(
            f"{driven[0].name} goes from event to event, and a Python function is called at ends of steps only",
            model=description.name,
            where=f"block {description.relations[computed[0].relation].name!r}",
            fix="give its outputs as expressions, or use a scheme that makes steps, e.g. nsd.MoreauJean()",
        )


def _check_even_steps(plan: Plan, record: ModelRecord) -> None:
    """Refuse what ends a step early where states go on from the length of the last one: they begin with h then."""
    early = [*cut_names(record), *(block.name for block in record.blocks if block.cut)]
    for _, system in plan.systems if early else ():
        if STEP in system.initial.free_symbols:
            raise ModelError(
                f"{early[0]!r} ends steps early, and its scheme goes on from two steps of one length",
                model=record.name,
                where=f"system {system.cls.name!r}",
                fix="use nsd.MoreauJean() or nsd.Rattle(); blocks whose instants are ends of steps need no cut",
            )


def _block(block: Block, description: ModelDescription, plan: Plan, cuts: range) -> BlockRecord:
    number = {symbol: i for i, symbol in enumerate(description.parameters)}
    cls = description.relation_classes[description.relations[block.relation].cls]
    return BlockRecord(
        description.relations[block.relation].name,
        block.relation,
        None if block.period is None else number[block.period],
        None if block.offset is None else number[block.offset],
        tuple(number[s] for s in block.holds),
        block.cut,
        tuple((i, _place(plan.systems[plan.system_index[i]], k, description, i)) for i, k in block.resets),
        bool(cls.terms["acted"].rows),
        block.computed,
        tuple(cuts),
        cls.terms["flags"].rows,
        block.at_start,
        block.reads,
    )


def _place(known: tuple[int, DiscreteSystem], variable: int, description: ModelDescription, system: int) -> int:
    """Where a variable lies in the carried state; raises ``ModelError`` where setting it would not be enough."""
    scheme = known[1]
    symbol = scheme.at_state.get(scheme.cls.functions[variable])
    if symbol not in scheme.state or len(scheme.state) != len(scheme.cls.functions) or scheme.unit_norm:
        raise ModelError(
            "its scheme carries more than coordinates and velocities, so that a reset would not be one",
            model=description.name,
            where=f"system {description.systems[system].name!r}",
            fix="give it nsd.MoreauJean, nsd.ThetaGamma, nsd.ZeroOrderHold or nsd.EventDriven; bodies cannot be reset",
        )
    return scheme.state.index(symbol)


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
        "arguments",
        KernelRole.ARGUMENTS,
        -1,
        [Input("parameters", Role.PARAMETERS, tuple(parameters))],
        [make_output("arguments", Quantity.PARAMETERS, sp.Matrix(list(formulas)))],
        "constructor arguments from the model's parameters",
    )
    return kernel, iter(records)


def _argument(a: Argument, parameters: Mapping[sp.Symbol, int], formulas: dict[sp.Expr, int]) -> ArgumentRecord:
    """The record of an argument: a parameter, a number, or a formula, which is entered into ``formulas``."""
    if a.value in parameters:
        return ArgumentRecord(a.name, "parameter", parameters[a.value], 0.0, a.min, a.max)
    if isinstance(a.value, float) or a.value.is_number:
        return ArgumentRecord(a.name, "value", 0, float(a.value), a.min, a.max)
    return ArgumentRecord(a.name, "derived", formulas.setdefault(a.value, len(formulas)), 0.0, a.min, a.max)


def _choices(scheme: Scheme) -> tuple[tuple[str, str], ...]:
    """What a scheme was told that is no run value: it decides the expressions themselves.

    Functions are told by their names, since where they lie in memory is another place in each session.
    """
    words = [f.name for f in dataclasses.fields(scheme) if "range" not in f.metadata and f.name != "newton"]
    return tuple((name, re.sub(r" at 0x[0-9a-fA-F]+", "", str(getattr(scheme, name)))) for name in words)


def _of_stages(plan: Plan, number: int) -> list[tuple[str, str]]:
    """What the scheme of a relation class records of its stages and remembers, with units."""
    scheme = plan.relations[number][1]
    stages = [s for s in scheme.stages if s is not None]
    labels = [scheme.labels, *(found for s in stages for found in (s.multiplier_labels, s.observed_labels))]
    return [pair for found in labels for pair in zip(found.names, found.units, strict=True)]


def _own_labels(
    cls: Sequence[tuple[str, str]], own: Sequence[tuple[str, str]], of_stages: Sequence[tuple[str, str]] = ()
) -> tuple[tuple[str, str, str], ...]:
    """Where an instance calls a recorded value otherwise than its class; lam_end[0] is called after lam[0]."""
    if own == cls:
        return ()
    found = {theirs[0]: ours for theirs, ours in zip(cls, own, strict=True) if theirs != ours}
    names = {name for name, _ in cls}
    for theirs, (ours, _) in sorted(found.items(), key=lambda pair: len(pair[0])):  # lam0_x0_end is of lam0_x0
        (stem, _, place), (own_stem, _, own_place) = theirs.partition("["), ours.partition("[")
        for name, unit in of_stages:
            first, _, last = name.partition("[")
            if name not in names and first.startswith(f"{stem}_") and last == place:
                bracket = f"[{own_place}" if own_place else ""
                found[name] = (f"{own_stem}{first[len(stem) :]}{bracket}", unit)
    return tuple((name, *ours) for name, ours in found.items())


def _parameter(symbol: sp.Symbol, p: Parameter) -> ParameterRecord:
    """The record of a parameter; a symbol declared positive or nonnegative has no negative value."""
    least = max(p.min, 0.0) if symbol.is_nonnegative else p.min
    return ParameterRecord(symbol.name, p.value, p.unit, _bound(least), _bound(p.max))


def _bound(value: float) -> float | None:
    return None if math.isinf(value) else value
