"""From a user's systems and relations to the model description.

Input: systems, relations, parameter values and initial values as a user writes them.
Output: :class:`~nsdgen.symbolic.description.ModelDescription`. All checks of names,
symbols, shapes and dimensions are made here, before anything is derived.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from nsdgen.checks import finite_number
from nsdgen.errors import ModelError
from nsdgen.names import check_display_name, mangle_all
from nsdgen.symbolic.classes import (
    GapClass,
    MechanicalClass,
    OutputClass,
    Participant,
    RelationClass,
    SystemClass,
    find_class,
)
from nsdgen.symbolic.contact import Contact
from nsdgen.symbolic.description import Argument, ModelDescription, RelationInstance, SystemInstance
from nsdgen.symbolic.entry import enter, enter_matrix, label_of, nobodys, of_participant
from nsdgen.symbolic.first_order import FirstOrderRelation, FirstOrderSystem
from nsdgen.symbolic.lagrangian import LagrangianSystem
from nsdgen.symbolic.laws import Slot
from nsdgen.symbolic.parameter import as_parameter
from nsdgen.symbolic.rigid_body import RigidBody
from nsdgen.symbolic.scope import Scope

__all__ = ["describe"]

System = FirstOrderSystem | LagrangianSystem | RigidBody
Relation = Contact | FirstOrderRelation


def describe(name: str, systems: Sequence[System], relations: Sequence[Relation],
             parameters: Mapping[sp.Symbol, Any], initial: Mapping[Any, Any]) -> ModelDescription:
    """The description of a model; raises ``ModelError`` or ``ParameterError`` with the place."""
    try:
        return _describe(name, systems, relations, parameters, initial)
    except ModelError as error:
        if not error.model:
            error.model = name
        raise


def _describe(name: str, systems: Sequence[System], relations: Sequence[Relation],
              parameters: Mapping[sp.Symbol, Any], initial: Mapping[Any, Any]) -> ModelDescription:
    check_display_name(name)
    _check_names(systems, relations)
    scope = Scope.of(list(parameters), model=name)
    for symbol in scope.parameters:
        check_display_name(symbol.name)
    mangle_all([s.name for s in scope.parameters], what="parameter")
    owners = _owners(systems, scope)
    system_classes: list[SystemClass] = []
    system_instances = []
    values, keys = _initial_values(systems, initial, owners, name)
    for system, initial_row in zip(systems, values, strict=True):
        candidate = _describe_system(system, systems, scope, owners)
        index = _merge(candidate, system_classes)
        arguments = tuple(Argument(p.name, p) for p in candidate.parameters)
        system_instances.append(SystemInstance(system.name, index, arguments, initial_row, candidate.labels))
    relation_classes: list[RelationClass] = []
    relation_instances = []
    for relation in relations:
        found, participants, slots = _describe_relation(
            relation, systems, system_instances, system_classes, scope, owners)
        index = _merge(found, relation_classes)
        arguments = _arguments(found, slots, relation, scope)
        relation_instances.append(RelationInstance(relation.name, index, participants, arguments, found.labels))
    return ModelDescription(
        name=name,
        parameters={scope.parameters[s]: as_parameter(v, model=name, name=s.name)
                    for s, v in parameters.items()},
        system_classes=tuple(system_classes), relation_classes=tuple(relation_classes),
        systems=tuple(system_instances), relations=tuple(relation_instances), initial_names=keys)


def _describe_system(system: System, systems: Sequence[System], scope: Scope,
                     owners: Mapping[sp.Expr, int]) -> SystemClass:
    try:
        return system.describe(scope)
    except ModelError as error:
        foreign = [s for s in error.strangers if s in owners]
        if foreign:
            error.fix = (f"{foreign[0]} belongs to {systems[owners[foreign[0]]].name!r}; a system uses its own "
                         "coordinates and time only: put both into one system, or join them by a relation")
        raise


def _check_names(systems: Sequence[System], relations: Sequence[Relation]) -> None:
    if not systems:
        raise ModelError("has no systems", fix="give systems=[...]")
    for item in systems:
        if not isinstance(item, System):
            raise ModelError(f"{item!r} is not a system", where="systems",
                             fix="use nsd.LagrangianSystem, nsd.FirstOrderSystem or nsd.RigidBody")
    for other in relations:
        if not isinstance(other, Relation):
            raise ModelError(f"{other!r} is not a relation", where="relations",
                             fix="use nsd.Contact, nsd.Bilateral or nsd.FirstOrderRelation")
    names = [item.name for item in (*systems, *relations)]
    for text in names:
        check_display_name(text)
    twice = sorted({text for text in names if names.count(text) > 1})
    if twice:
        raise ModelError(f"two systems or relations are called {twice[0]!r}",
                         fix="names are unique within a model")
    mangle_all(names, what="system or relation")


def _owners(systems: Sequence[System], scope: Scope) -> dict[sp.Expr, int]:
    """Which system each function of time belongs to; refuses shared functions and name clashes."""
    owners: dict[sp.Expr, int] = {}
    parameters = {p.name for p in scope.parameters}
    for i, system in enumerate(systems):
        for function, symbol in system.functions.items():
            if function in owners:
                raise ModelError(f"{function} belongs to {systems[owners[function]].name!r} too",
                                 where=f"system {system.name!r}",
                                 fix="give every system its own functions of time")
            if symbol.name in parameters:
                raise ModelError(f"{symbol.name!r} is both a coordinate and a parameter",
                                 where=f"system {system.name!r}", fix="rename one of them")
            owners[function] = i
    return owners


def _initial_values(systems: Sequence[System], initial: Mapping[Any, Any], owners: Mapping[sp.Expr, int],
                    model: str) -> tuple[list[tuple[float, ...]], tuple[tuple[str, ...], ...]]:
    known = set(owners)
    given: dict[Any, Any] = {}
    for key, value in initial.items():
        flat = list(key) if isinstance(key, sp.MatrixBase) else [key]
        for function in flat:
            if function not in known:
                raise ModelError(f"{function} is no coordinate or state of this model", model=model,
                                 where="initial", fix="the keys are coordinates, their .diff() or "
                                 "a body's position, quaternion, velocity, angular_velocity")
        given[sp.ImmutableMatrix(key) if isinstance(key, sp.MatrixBase) else key] = value
    rows, names = [], []
    for system in systems:
        raw = system.initial_values(given, model=model)
        quantities = [n for q in system.describe_names() for n in q]
        rows.append(tuple(finite_number(v, model=model, where=f"initial value of {system.name}.{n}")
                          for v, n in zip(raw, quantities, strict=True)))
        names.append(tuple(quantities))
    return rows, tuple(names)


def _merge(candidate: Any, known: list[Any]) -> int:
    match = find_class(candidate, known)
    if match is not None:
        return known.index(match)
    known.append(candidate)
    return len(known) - 1


def _arguments(candidate: RelationClass, slots: Sequence[Slot], relation: Relation,
               scope: Scope) -> tuple[Argument, ...]:
    by_symbol = {s.symbol: s for s in slots}
    arguments = []
    for symbol in candidate.parameters:
        label = label_of(symbol)
        slot = by_symbol.get(symbol)
        if slot is None:
            arguments.append(Argument(label, symbol))
            continue
        where = f"relation {relation.name!r}, {label}"
        value = enter(slot.value, scope.parameters, where=where)
        arguments.append(Argument(label, value, slot.min, slot.max))
    return tuple(arguments)


def _describe_relation(
    relation: Relation, systems: Sequence[System], instances: Sequence[SystemInstance],
    classes: Sequence[SystemClass], scope: Scope, owners: Mapping[sp.Expr, int],
) -> tuple[RelationClass, tuple[int, ...], tuple[Slot, ...]]:
    where = f"relation {relation.name!r}"
    slots = relation.law.slots + (relation.slots if isinstance(relation, Contact) else ())
    indices = _participants(relation, systems, owners, where)
    participants, functions = _renamed(indices, systems, instances, classes)
    arguments = relation.arguments if isinstance(relation, Contact) else {}
    for symbol in set(arguments) & set(scope.parameters):
        raise ModelError(f"{symbol} is both an argument and a parameter", where=where,
                         fix="rename the argument")
    symbols = {**scope.parameters, **functions, **arguments}
    slot_tuple = tuple(s.symbol for s in slots)
    if isinstance(relation, Contact):
        wrong = [systems[i].name for i in indices if not isinstance(classes[instances[i].cls], MechanicalClass)]
        if wrong:
            raise ModelError(f"a contact on {wrong[0]!r}, which is not a mechanical system", where=where,
                             fix="use nsd.FirstOrderRelation for first-order systems")
        gap = enter_matrix(relation.gap, symbols, where=f"{where}, gap")
        _refuse_rates(gap, participants, where)
        return GapClass(relation.name, slot_tuple + scope.used([gap]), participants, relation.law,
                        gap), indices, slots
    reactions_on: dict[System, sp.Matrix] = {s: g for s, g in relation.reaction.items()}  # noqa: C416
    own = dict(zip(relation.multipliers, relation.variables, strict=True))
    taken = {s.name for s in (*scope.parameters, *functions.values())} & {s.name for s in relation.variables}
    if taken or set(own) & set(owners):
        name = min(taken) if taken else str(next(f for f in own if f in owners))
        raise ModelError(f"{name!r} is a multiplier and something else besides", where=where,
                         fix="give the multipliers names that no parameter, coordinate or state has")
    symbols.update(own)
    output = enter_matrix(relation.output, symbols, where=f"{where}, output")
    reactions = tuple(
        enter_matrix(reactions_on.get(systems[i], sp.zeros(len(systems[i].functions), 1)), symbols,
                     where=f"{where}, reaction on {systems[i].name!r}") for i in indices)
    used = scope.used([output, *reactions])
    return OutputClass(relation.name, slot_tuple + used, participants, relation.law, relation.variables,
                       output, reactions, relation.units, relation.output_units), indices, slots


def _participants(relation: Relation, systems: Sequence[System], owners: Mapping[sp.Expr, int],
                  where: str) -> tuple[int, ...]:
    """The systems whose functions occur, in the model's order."""
    entries = list(relation.gap) if isinstance(relation, Contact) else [
        *relation.output, *(e for g in relation.reaction.values() for e in g)]
    found = {owners[f] for f in nobodys([sp.sympify(e) for e in entries], {}) if f in owners}
    if isinstance(relation, FirstOrderRelation):
        for system in relation.reaction:
            if system not in systems:
                raise ModelError(f"reacts on {system.name!r}, which is not in the model", where=where,
                                 fix="add the system to systems=[...]")
            found.add(list(systems).index(system))
    if not found:
        raise ModelError("involves no system of this model", where=where,
                         fix="write it in the coordinates or states of systems of the model")
    return tuple(sorted(found))


def _renamed(indices: Sequence[int], systems: Sequence[System], instances: Sequence[SystemInstance],
             classes: Sequence[SystemClass]) -> tuple[tuple[Participant, ...], dict[sp.Expr, sp.Symbol]]:
    """Participants over their class's symbols, numbered where several systems take part."""
    participants, functions = [], {}
    for position, i in enumerate(indices):
        cls = classes[instances[i].cls]
        variables = cls.symbols[: len(cls.symbols) - len(cls.parameters)]
        renamed = {}
        if len(indices) > 1:
            renamed = {s: of_participant(s, position) for s in variables}
        participants.append(Participant(cls, renamed))
        for function, symbol in zip(systems[i].functions, variables, strict=True):
            functions[function] = renamed.get(symbol, symbol)
    return tuple(participants), functions


def _refuse_rates(gap: sp.Matrix, participants: Sequence[Participant], where: str) -> None:
    rates = {p.rename(v) for p in participants if isinstance(p.system, MechanicalClass)
             for v in p.system.velocities}
    if rates & gap.free_symbols:
        raise ModelError("the gap depends on velocities", where=where,
                         fix="a gap is a function of time and configuration; its rate is derived")
