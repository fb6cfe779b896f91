"""Relations of a model: from what a user wrote to classes and instances.

A relation, or the prototype of copies of one, is described once: its participants, its class over
fresh symbols, its slots. The rows of copies then only need numbers.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.description.members import SystemMembers
from nsdgen.symbolic.description.model_description import Argument, RelationInstance
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import enter, label_of, nobodys, of_participant, own_symbol
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.copies import RelationCopies, prototype_of
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.families.system_class import SystemClass
from nsdgen.symbolic.laws.law import Law, Slot
from nsdgen.symbolic.relations.check_relation import check_symbols, described_relation
from nsdgen.symbolic.relations.relation import Place, Relation
from nsdgen.symbolic.relations.relation_class import Participant, RelationClass

Description = tuple[RelationClass, tuple[int, ...], tuple[Slot, ...]]
"""The class of a relation, the numbers of its participants and its slots."""


def describe_relation(
    item: Relation | RelationCopies,
    members: SystemMembers,
    cls_of: Sequence[int],
    classes: Sequence[SystemClass],
    scope: Scope,
    read: Mapping[sp.Expr, sp.Symbol],
) -> Description:
    """Class, participants and slots of a relation or of the prototype of copies; ``read``: what a block may, besides.

    ``cls_of`` gives the number of each member's class among ``classes``. The participants of copies
    are those that the prototype is written in.
    """
    copied = {s: own_symbol("slot", label_of(s)) for s in item.arguments} if isinstance(item, RelationCopies) else {}
    relation: Relation = prototype_of(item)
    where = f"relation {relation.name!r}"
    for symbol in [*relation.arguments, *copied]:
        if symbol in scope.parameters or (symbol in relation.arguments and symbol in copied):
            raise ModelError(
                f"{symbol} is both an argument and a parameter"
                if symbol in scope.parameters
                else f"{symbol} is an argument of the relation and of its copies",
                where=where,
                fix="rename the argument",
            )
    indices = _participants(relation, members, where)
    participants, functions = _renamed(indices, members, cls_of, classes, scope)
    own = _own_functions(relation, functions, members, scope, where)
    symbols = {
        **scope.parameters,
        **functions,
        **relation.arguments,
        **copied,
        **(read if relation.reads_others else {}),
        **own,
    }
    place = Place(where, symbols, tuple(members[i] for i in indices), participants)
    cls = described_relation(relation, place)
    bounds = _bounds(relation.law, cls.height, scope, where)
    used = [*cls.matrices(), bounds]
    slots = relation.law.slots + relation.slots + _copied_slots(copied, used)
    parameters = tuple(s.symbol for s in slots) + scope.used(used)
    spent = {s for slot in slots for s in as_expression(slot.value).free_symbols}
    if unused := [s for s, symbol in copied.items() if symbol not in parameters and s not in spent]:
        raise ModelError(
            f"{unused[0]} occurs in none of its expressions",
            where=f"copies of {relation.name!r}",
            fix="leave it out of arguments={...}; a parameter of a system goes into its copies",
        )
    cls = dataclasses.replace(cls, parameters=parameters, bounds=bounds)
    check_symbols(cls, place)
    return cls, indices, slots


def relation_instances(
    item: Relation | RelationCopies,
    number: int,
    description: Description,
    numbers: Sequence[Argument],
    members: SystemMembers,
    cls_of: Sequence[int],
    scope: Scope,
) -> Iterator[RelationInstance]:
    """The instances of a relation of class ``number``: one, or one for each row of copies.

    ``numbers`` follow the arguments of its own class.
    """
    cls, indices, slots = description
    copies = item if isinstance(item, RelationCopies) else None
    count = 1 if copies is None else copies.count
    columns = [*_argument_columns(cls, slots, item.name, scope, copies, count), *([n] * count for n in numbers)]
    names = (item.name,) if copies is None else copies.names
    rows = [indices] if copies is None else _rows(copies, indices, members, cls_of)
    arguments: Iterator[tuple[Argument, ...]] = zip(*columns, strict=True) if columns else iter([()] * count)
    labels = cls.labels
    for name, participants, values in zip(names, rows, arguments, strict=True):
        yield RelationInstance(name, number, participants, values, labels)


def _rows(
    copies: RelationCopies, indices: tuple[int, ...], members: SystemMembers, cls_of: Sequence[int]
) -> list[tuple[int, ...]]:
    """The participants of each row: those of the prototype, with the row's members for ``like``."""
    where = f"copies of {copies.name!r}"
    columns: list[Sequence[int]] = [[i] * copies.count for i in indices]
    for like, column in zip(copies.like, copies.columns, strict=True):
        at = members.number(like)
        if at not in indices:
            raise ModelError(
                f"the relation is not written in {like.name!r}",
                where=where,
                fix="list in like=... the instances whose coordinates its expressions use",
            )
        place = indices.index(at)
        numbers = []
        for owner, offset in column:
            number = members.number(owner, offset)
            if number is None:
                raise ModelError(
                    f"{owner.names[offset]!r} is not in the model", where=where, fix="add its copies to systems=[...]"
                )
            if cls_of[number] != cls_of[indices[place]]:
                raise ModelError(
                    f"{owner.names[offset]!r} has other equations than {like.name!r}",
                    where=where,
                    fix="write one relation for each kind of system",
                )
            numbers.append(number)
        columns[place] = numbers
    rows = list(zip(*columns, strict=True))
    if len(indices) > 1:
        for i, row in enumerate(rows):
            if len(set(row)) < len(row):
                raise ModelError(
                    f"row {i} joins {members[row[0]].name!r} to itself",
                    where=where,
                    fix="give rows of different systems",
                )
    return rows


def _copied_slots(copied: Mapping[sp.Symbol, sp.Symbol], used: Sequence[sp.Matrix]) -> tuple[Slot, ...]:
    """Slots for those arguments of copies that the expressions hold; others only go into coefficients of the law."""
    free = set().union(*(e.free_symbols for e in used))
    return tuple(Slot(symbol, s) for s, symbol in copied.items() if symbol in free)


def _argument_columns(
    cls: RelationClass, slots: Sequence[Slot], name: str, scope: Scope, copies: RelationCopies | None, count: int
) -> list[Sequence[Argument]]:
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
        value = _parameters_alone(slot.value, scope.parameters, where, _COEFFICIENTS)
        if value.has(NOW):
            raise ModelError(f"{slot.value} depends on time", where=where, fix=_COEFFICIENTS)
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
        raise ModelError(
            f"{value} joins arguments of copies and parameters",
            where=where,
            fix="give an array of its values: copies(..., arguments={symbol: values})",
        )
    numbers = np.asarray(sp.lambdify(known, value)(*(np.array(copies.arguments[s]) for s in known)), dtype=float)
    found: list[float] = np.broadcast_to(numbers, (copies.count,)).tolist()
    return found


def _own_functions(
    relation: Relation, functions: Mapping[sp.Expr, sp.Expr], members: SystemMembers, scope: Scope, where: str
) -> dict[sp.Expr, sp.Symbol]:
    """The relation's own functions of time, its multipliers, and their symbols; nobody else has these names."""
    own = dict(zip(relation.multipliers, relation.variables, strict=True))
    known = (s for s in functions.values() if isinstance(s, sp.Symbol))
    taken = {s.name for s in (*scope.parameters, *known)} & {s.name for s in relation.variables}
    if taken or set(own) & set(members.owners):
        name = min(taken) if taken else str(next(f for f in own if f in members.owners))
        raise ModelError(
            f"{name!r} is a multiplier and something else besides",
            where=where,
            fix="give the multipliers names that no parameter, coordinate or state has",
        )
    return own


_COEFFICIENTS = (
    "coefficients and arguments are numbers, parameters or expressions of parameters; one that changes where a body "
    "comes to a place is held by a block, nsd.Reset or nsd.Sampled with holds={mu: ...}"
)
_BOUNDS = (
    "bounds are numbers, parameters or expressions of time and parameters; friction that depends on states is "
    "nsd.OutputRelation(name, lam, output=[rate], reaction={system: [w * lam, ...]}, law=nsd.Relay(1)) with its level w"
)


def _bounds(law: Law, rows: int, scope: Scope, where: str) -> sp.Matrix:
    """The law's bounds over fresh symbols; they know parameters and time, nothing else."""
    symbols = {**scope.parameters, **{s.symbol: s.symbol for s in law.slots}}
    where = f"{where}, law {type(law).__name__}, bounds"
    bounds = law.bounds(rows)
    entered = [e if e in (sp.oo, -sp.oo) else _parameters_alone(e, symbols, where, _BOUNDS) for e in bounds]
    return sp.Matrix(len(entered), 1, entered)


def _parameters_alone(value: sp.Expr, symbols: Mapping[sp.Basic, sp.Expr], where: str, fix: str) -> sp.Expr:
    """The value over fresh symbols; ``fix`` says what to do where it holds a coordinate, a state or a multiplier."""
    try:
        return enter(value, symbols, where=where)
    except ModelError as error:
        if any(not isinstance(s, sp.Symbol) for s in error.strangers):
            error.fix = fix
        raise


def _participants(relation: Relation, members: SystemMembers, where: str) -> tuple[int, ...]:
    """The systems whose functions occur, in the model's order."""
    entries = [as_expression(e, where=where) for e in relation.entries]
    found = {members.owners[f] for f in nobodys(entries, {}) if f in members.owners}
    for system in relation.reacts_on:
        number = members.number(system)
        if number is None:
            raise ModelError(
                f"reacts on {system.name!r}, which is not in the model",
                where=where,
                fix="add the system to systems=[...]",
            )
        found.add(number)
    if not found and not relation.reads_others:  # these may follow time, or other relations, alone
        raise ModelError(
            "involves no system of this model",
            where=where,
            fix="write it in the coordinates or states of systems of the model",
        )
    return tuple(sorted(found))


def _renamed(
    indices: Sequence[int], members: SystemMembers, cls_of: Sequence[int], classes: Sequence[SystemClass], scope: Scope
) -> tuple[tuple[Participant, ...], dict[sp.Expr, sp.Expr]]:
    """Participants over their class's symbols, numbered where several systems take part."""
    participants, functions = [], {}
    for position, i in enumerate(indices):
        cls = classes[cls_of[i]]
        variables = cls.functions
        own = [s for s in cls.parameters if s not in scope.parameters.values()]  # those of the model are of all
        renamed = {s: of_participant(s, position) for s in ((*variables, *own) if len(indices) > 1 else own)}
        participants.append(Participant(cls, renamed))
        for function, symbol in zip(members[i].functions, variables, strict=True):
            functions[function] = renamed.get(symbol, symbol)
        member = members[i]
        if isinstance(member, System):
            functions |= {e: value.xreplace(renamed) for e, value in member.values(scope).items()}
    return tuple(participants), functions
