"""Relations of a model: from what a user wrote to classes and instances.

A relation, or the prototype of copies of one, is described once: its participants, its class over
fresh symbols, its slots. The rows of copies then only need numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.classes import (
    GapClass,
    MechanicalClass,
    OutputClass,
    Participant,
    RelationClass,
    SystemClass,
)
from nsdgen.symbolic.contact import Contact
from nsdgen.symbolic.copies import RelationCopies
from nsdgen.symbolic.description import Argument, RelationInstance
from nsdgen.symbolic.entry import enter, enter_matrix, label_of, nobodys, of_participant, own_symbol
from nsdgen.symbolic.first_order import FirstOrderRelation
from nsdgen.symbolic.laws import Law, Slot
from nsdgen.symbolic.members import Members
from nsdgen.symbolic.scope import Scope
from nsdgen.symbolic.sliding import sliding_rates
from nsdgen.symbolic.time import NOW

__all__ = ["Relation", "describe_relation", "relation_instances"]

Relation = Contact | FirstOrderRelation
Description = tuple[RelationClass, tuple[int, ...], tuple[Slot, ...]]
"""The class of a relation, the numbers of its participants and its slots."""


def describe_relation(item: Relation | RelationCopies, members: Members, cls_of: Sequence[int],
                      classes: Sequence[SystemClass], scope: Scope) -> Description:
    """Class, participants and slots of a relation or of the prototype of copies.

    ``cls_of`` gives the number of each member's class among ``classes``. The participants of copies
    are those that the prototype is written in.
    """
    copied = {s: own_symbol("slot", label_of(s)) for s in item.arguments} if isinstance(item, RelationCopies) else {}
    relation = item.prototype if isinstance(item, RelationCopies) else item
    where = f"relation {relation.name!r}"
    given = relation.arguments if isinstance(relation, Contact) else {}
    for symbol in [*given, *copied]:
        if symbol in scope.parameters or (symbol in given and symbol in copied):
            raise ModelError(f"{symbol} is both an argument and a parameter" if symbol in scope.parameters else
                             f"{symbol} is an argument of the relation and of its copies", where=where,
                             fix="rename the argument")
    indices = _participants(relation, members, where)
    participants, functions = _renamed(indices, members, cls_of, classes)
    symbols = {**scope.parameters, **functions, **given, **copied}
    slots = relation.law.slots + (relation.slots if isinstance(relation, Contact) else ())
    if isinstance(relation, Contact):
        wrong = [members[i].name for i in indices if not isinstance(classes[cls_of[i]], MechanicalClass)]
        if wrong:
            raise ModelError(f"a contact on {wrong[0]!r}, which is not a mechanical system", where=where,
                             fix="use nsd.FirstOrderRelation for first-order systems")
        gap = enter_matrix(relation.gap, symbols, where=f"{where}, gap")
        _refuse_rates(gap, participants, where)
        sliding = sliding_rates(relation, symbols, participants, where)
        bounds = _bounds(relation.law, gap.rows + sliding.rows, scope, where)
        used = [gap, sliding, bounds]
        slots += _copied_slots(copied, used)
        own = tuple(s.symbol for s in slots)
        return GapClass(relation.name, own + scope.used(used), participants, relation.law, gap, sliding,
                        bounds=bounds), indices, slots
    _add_multipliers(relation, symbols, functions, members, scope, where)
    reactions_on: dict[Any, sp.Matrix] = dict(relation.reaction)
    output = enter_matrix(relation.output, symbols, where=f"{where}, output")
    reactions = tuple(
        enter_matrix(reactions_on.get(members[i], sp.zeros(len(members[i].functions), 1)), symbols,
                     where=f"{where}, reaction on {members[i].name!r}") for i in indices)
    bounds = _bounds(relation.law, output.rows, scope, where)
    used = [output, *reactions, bounds]
    slots += _copied_slots(copied, used)
    own = tuple(s.symbol for s in slots)
    return OutputClass(relation.name, own + scope.used(used), participants, relation.law, relation.variables, output,
                       reactions, relation.units, relation.output_units, bounds=bounds), indices, slots


def relation_instances(item: Relation | RelationCopies, number: int, description: Description, members: Members,
                       cls_of: Sequence[int], scope: Scope) -> Iterator[RelationInstance]:
    """The instances of a relation of class ``number``: one, or one for each row of copies."""
    cls, indices, slots = description
    copies = item if isinstance(item, RelationCopies) else None
    count = 1 if copies is None else copies.count
    columns = _argument_columns(cls, slots, item.name, scope, copies, count)
    names = (item.name,) if copies is None else copies.names
    rows = [indices] if copies is None else _rows(copies, indices, members, cls_of)
    arguments: Iterator[tuple[Argument, ...]] = zip(*columns, strict=True) if columns else iter([()] * count)
    labels = cls.labels
    for name, participants, values in zip(names, rows, arguments, strict=True):
        yield RelationInstance(name, number, participants, values, labels)


def _rows(copies: RelationCopies, indices: tuple[int, ...], members: Members,
          cls_of: Sequence[int]) -> list[tuple[int, ...]]:
    """The participants of each row: those of the prototype, with the row's members for ``like``."""
    where = f"copies of {copies.name!r}"
    columns: list[Sequence[int]] = [[i] * copies.count for i in indices]
    for like, column in zip(copies.like, copies.columns, strict=True):
        at = members.number(like)
        if at not in indices:
            raise ModelError(f"the relation is not written in {like.name!r}", where=where,
                             fix="list in like=... the instances whose coordinates its expressions use")
        place = indices.index(at)
        numbers = []
        for owner, offset in column:
            number = members.number(owner, offset)
            if number is None:
                raise ModelError(f"{owner.names[offset]!r} is not in the model", where=where,
                                 fix="add its copies to systems=[...]")
            if cls_of[number] != cls_of[indices[place]]:
                raise ModelError(f"{owner.names[offset]!r} has other equations than {like.name!r}", where=where,
                                 fix="write one relation for each kind of system")
            numbers.append(number)
        columns[place] = numbers
    rows = list(zip(*columns, strict=True))
    if len(indices) > 1:
        for i, row in enumerate(rows):
            if len(set(row)) < len(row):
                raise ModelError(f"row {i} joins {members[row[0]].name!r} to itself", where=where,
                                 fix="give rows of different systems")
    return rows


def _copied_slots(copied: Mapping[sp.Symbol, sp.Symbol], used: Sequence[sp.Matrix]) -> tuple[Slot, ...]:
    """Slots for those arguments of copies that the expressions hold; others only go into coefficients of the law."""
    free = set().union(*(e.free_symbols for e in used))
    return tuple(Slot(symbol, s) for s, symbol in copied.items() if symbol in free)


def _argument_columns(cls: RelationClass, slots: Sequence[Slot], name: str, scope: Scope,
                      copies: RelationCopies | None, count: int) -> list[Sequence[Argument]]:
    """For each parameter of a class what every instance puts there."""
    by_symbol = {s.symbol: s for s in slots}
    columns: list[Sequence[Argument]] = []
    for symbol in cls.parameters:
        label = label_of(symbol)
        slot = by_symbol.get(symbol)
        if slot is None:
            columns.append([Argument(label, symbol)] * count)
            continue
        where = f"relation {name!r}, {label}"
        values = None if copies is None else _copied_values(slot.value, copies, where)
        if values is not None:
            columns.append([Argument(label, v, slot.min, slot.max) for v in values])
            continue
        value = enter(slot.value, scope.parameters, where=where)
        if value.has(NOW):
            raise ModelError(f"{value} depends on time", where=where,
                             fix="coefficients and arguments are numbers, parameters or expressions of parameters")
        columns.append([Argument(label, value, slot.min, slot.max)] * count)
    return columns


def _copied_values(value: sp.Expr, copies: RelationCopies, where: str) -> Sequence[float] | None:
    """The numbers of a coefficient that differs from copy to copy; None where it does not."""
    if value in copies.arguments:
        return copies.arguments[value]
    known = [s for s in copies.arguments if s in value.free_symbols]
    if not known:
        return None
    if value.free_symbols - set(known):
        raise ModelError(f"{value} joins arguments of copies and parameters", where=where,
                         fix="give an array of its values: copies(..., arguments={symbol: values})")
    numbers = np.asarray(sp.lambdify(known, value)(*(np.array(copies.arguments[s]) for s in known)), dtype=float)
    found: list[float] = np.broadcast_to(numbers, (copies.count,)).tolist()
    return found


def _add_multipliers(relation: FirstOrderRelation, symbols: dict[sp.Basic, sp.Expr],
                     functions: Mapping[sp.Expr, sp.Symbol], members: Members, scope: Scope, where: str) -> None:
    own = dict(zip(relation.multipliers, relation.variables, strict=True))
    taken = {s.name for s in (*scope.parameters, *functions.values())} & {s.name for s in relation.variables}
    if taken or set(own) & set(members.owners):
        name = min(taken) if taken else str(next(f for f in own if f in members.owners))
        raise ModelError(f"{name!r} is a multiplier and something else besides", where=where,
                         fix="give the multipliers names that no parameter, coordinate or state has")
    symbols.update(own)


def _bounds(law: Law, rows: int, scope: Scope, where: str) -> sp.Matrix:
    """The law's bounds over fresh symbols; they know parameters and time, nothing else."""
    symbols = {**scope.parameters, **{s.symbol: s.symbol for s in law.slots}}
    try:
        entered = [e if e in (sp.oo, -sp.oo) else enter(e, symbols, where=f"{where}, bounds")
                   for e in law.bounds(rows)]
        return sp.Matrix(len(entered), 1, entered)
    except ModelError as error:
        if any(not isinstance(s, sp.Symbol) for s in error.strangers):
            error.fix = ("bounds are numbers, parameters or expressions of time and parameters; what depends on "
                         "states or multipliers is written as complementarity rows")
        raise


def _participants(relation: Relation, members: Members, where: str) -> tuple[int, ...]:
    """The systems whose functions occur, in the model's order."""
    entries = [*relation.gap, *relation.tangent, *relation.rolling] if isinstance(relation, Contact) else [
        *relation.output, *(e for g in relation.reaction.values() for e in g)]
    found = {members.owners[f] for f in nobodys([sp.sympify(e) for e in entries], {}) if f in members.owners}
    if isinstance(relation, FirstOrderRelation):
        for system in relation.reaction:
            number = members.number(system)
            if number is None:
                raise ModelError(f"reacts on {system.name!r}, which is not in the model", where=where,
                                 fix="add the system to systems=[...]")
            found.add(number)
    if not found:
        raise ModelError("involves no system of this model", where=where,
                         fix="write it in the coordinates or states of systems of the model")
    return tuple(sorted(found))


def _renamed(indices: Sequence[int], members: Members, cls_of: Sequence[int],
             classes: Sequence[SystemClass]) -> tuple[tuple[Participant, ...], dict[sp.Expr, sp.Symbol]]:
    """Participants over their class's symbols, numbered where several systems take part."""
    participants, functions = [], {}
    for position, i in enumerate(indices):
        cls = classes[cls_of[i]]
        variables = cls.symbols[: len(cls.symbols) - len(cls.parameters)]
        renamed = {}
        if len(indices) > 1:
            renamed = {s: of_participant(s, position) for s in variables}
        participants.append(Participant(cls, renamed))
        for function, symbol in zip(members[i].functions, variables, strict=True):
            functions[function] = renamed.get(symbol, symbol)
    return tuple(participants), functions


def _refuse_rates(gap: sp.Matrix, participants: Sequence[Participant], where: str) -> None:
    rates = {p.rename(v) for p in participants if isinstance(p.system, MechanicalClass)
             for v in p.system.velocities}
    if rates & gap.free_symbols:
        raise ModelError("the gap depends on velocities", where=where,
                         fix="a gap is a function of time and configuration; its rate is derived")
