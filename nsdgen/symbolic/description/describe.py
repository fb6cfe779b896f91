"""From a user's systems and relations to the model description.

Input: systems, relations, parameter values and initial values as a user writes them.
Output: :class:`~nsdgen.symbolic.description.model_description.ModelDescription`. All checks of names,
symbols, shapes and dimensions are made here, before anything is derived. Copies are described
once; what each of them adds is a name and numbers.
"""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sympy as sp

from nsdgen.base.checks import finite_number, named
from nsdgen.base.names import check_display_name, mangle_all
from nsdgen.errors import ModelError
from nsdgen.symbolic.description.describe_blocks import block, held_values
from nsdgen.symbolic.description.describe_relations import describe_relation, relation_instances
from nsdgen.symbolic.description.doubts import say_apart, say_doubts, say_forgotten, say_unused
from nsdgen.symbolic.description.members import SystemMembers
from nsdgen.symbolic.description.merging import Class, merge
from nsdgen.symbolic.description.model_description import Argument, ModelDescription, RelationInstance, SystemInstance
from nsdgen.symbolic.description.number_arguments import with_numbers_as_arguments
from nsdgen.symbolic.description.ranges import check_ranges
from nsdgen.symbolic.description.unit_normals import check_unit_normals
from nsdgen.symbolic.expressions.entry import fresh, own_symbol
from nsdgen.symbolic.expressions.parameter import Parameter, as_parameter
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.expressions.time import step
from nsdgen.symbolic.families.check_family import described, initial_numbers, labels_of
from nsdgen.symbolic.families.copies import RelationCopies, SystemCopies, count_of, prototype_of
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.families.system_class import SystemClass
from nsdgen.symbolic.relations.along import ObservedClass
from nsdgen.symbolic.relations.check_relation import check_relation
from nsdgen.symbolic.relations.relation import Relation
from nsdgen.symbolic.relations.relation_class import RelationClass


def describe(
    name: str,
    systems: Sequence[System | SystemCopies],
    relations: Sequence[Relation | RelationCopies],
    parameters: Mapping[sp.Symbol, Any],
    initial: Mapping[Any, Any],
) -> ModelDescription:
    """The description of a model; raises ``ModelError`` or ``ParameterError`` with the place."""
    try:
        return _describe(name, systems, relations, parameters, initial)
    except ModelError as error:
        if not error.model:
            error.model = name
        raise


def _describe(
    name: str,
    systems: Sequence[System | SystemCopies],
    relations: Sequence[Relation | RelationCopies],
    parameters: Mapping[sp.Symbol, Any],
    initial: Mapping[Any, Any],
) -> ModelDescription:
    check_display_name(name)
    if not systems:
        raise ModelError("has no systems", fix="give systems=[...]")
    given_parameters = list(parameters)
    parameters = {**parameters, **_brought(systems, parameters)}
    scope = Scope.of(list(parameters), model=name)
    held = held_values(relations, scope)
    shared = {**scope.parameters, **{h.symbol: fresh(h.name) for h in held}}
    scope = Scope(shared, tuple(map(prototype_of, relations)))
    members = SystemMembers(systems, scope)
    _check_parameter_names([s.name for s in parameters], members)
    _check_names(members, relations)
    multipliers = {f: place for f, place in _multipliers(relations).items() if f not in members.owners}
    given = _known_initial({k: v for k, v in initial.items() if not _holds(multipliers, k)}, members, name)
    reactions = _given_multipliers(initial, multipliers, name)
    instances: list[SystemInstance] = []
    initial_names: list[tuple[str, ...]] = []
    candidates = [_describe_system(item, members, scope) for item in members.items]
    system_classes, places = _classes(candidates)
    for item, candidate, (index, numbers) in zip(members.items, candidates, places, strict=True):
        labels = labels_of(prototype_of(item))
        instances += _instances(item, index, candidate, numbers, given, labels, name)
        initial_names += [labels] * count_of(item)
    cls_of = [s.cls for s in instances]
    relation_rows: list[RelationInstance] = []
    read = {f: own_symbol("read", f"{owner}/{i}") for f, (owner, i) in multipliers.items()}
    stated = [describe_relation(relation, members, cls_of, system_classes, scope, read) for relation in relations]
    relation_classes, places = _classes([found[0] for found in stated])
    for relation, found, (index, numbers) in zip(relations, stated, places, strict=True):
        rows = relation_instances(relation, index, found, numbers, members, cls_of, scope)
        relation_rows += (
            (dataclasses.replace(r, initial=reactions[r.name]) for r in rows) if relation.name in reactions else rows
        )
    values = {scope.parameters[s]: as_parameter(v, model=name, name=s.name) for s, v in parameters.items()}
    h = scope.parameters[step]
    stepped = (
        any(h in cls.parameters for cls in system_classes)
        or any(h in cls.parameters for cls in relation_classes)
        or any(isinstance(a.value, sp.Expr) and a.value.has(h) for r in relation_rows for a in r.arguments)
    )
    values |= {scope.parameters[v.symbol]: Parameter(v.initial, v.unit) for v in held if v.symbol != step or stepped}
    check_ranges(relation_rows, values, model=name)
    owners = dict.fromkeys((scope.parameters[s] for s in given_parameters), "")
    for relation in relations:
        owners |= dict.fromkeys((scope.parameters[u] for u in getattr(relation, "meant", ())), relation.name)
    say_unused(owners, [*instances, *relation_rows])
    say_apart(system_classes, relation_classes)
    scaled = {
        n
        for r in relations
        if getattr(prototype_of(r), "scale", None) is not None
        for n in (r.names if isinstance(r, RelationCopies) else [r.name])
    }
    say_doubts(relations, members, instances, parameters, scope)
    say_forgotten(systems, relations)
    check_unit_normals(relation_classes, relation_rows, instances, values, scaled)
    number = {r.name: i for i, r in enumerate(relation_rows)}
    place = {read[f]: (number[owner], i) for f, (owner, i) in multipliers.items()}
    relation_rows = [_with_columns_read(r, relation_classes[r.cls], relation_rows, place) for r in relation_rows]
    return ModelDescription(
        name=name,
        parameters=values,
        system_classes=tuple(system_classes),
        relation_classes=tuple(relation_classes),
        systems=tuple(instances),
        relations=tuple(relation_rows),
        initial_names=tuple(initial_names),
        blocks=tuple(
            block(r, number[r.name], scope, members, tuple(place[s] for s in found[0].terms["reads"]))
            for r, found in zip(relations, stated, strict=True)
            if isinstance(r, Relation) and r.clock
        ),
        step=h if stepped else None,
    )


def _with_columns_read(
    relation: RelationInstance,
    cls: RelationClass,
    relations: Sequence[RelationInstance],
    place: Mapping[sp.Symbol, tuple[int, int]],
) -> RelationInstance:
    """A relation that observes, with the names of the columns that it reads; any other as it is."""
    if not isinstance(cls, ObservedClass) or not cls.reads:
        return relation
    columns = []
    for s in cls.reads:
        if s in place:
            owner, i = place[s]
            columns.append(f"{relations[owner].name}.{relations[owner].labels[i][0]}")
        else:
            columns.append(s.name.partition("/")[2])
    return dataclasses.replace(relation, reads=tuple(columns))


def _classes(candidates: Sequence[Class]) -> tuple[list[Class], list[tuple[int, tuple[Argument, ...]]]]:
    """The classes, and for each candidate the number of its class and the arguments that it has besides its own."""
    distinct: list[Class] = []
    merged = [merge(candidate, distinct) for candidate in candidates]
    classes, place, numbers = with_numbers_as_arguments(distinct)
    return classes, [(place[n], numbers[n]) for n in merged]


def _brought(systems: Sequence[System | SystemCopies], given: Mapping[sp.Symbol, Any]) -> dict[sp.Symbol, Any]:
    """The parameters that systems bring with them, those aside that the model gives another value."""
    return {
        symbol: value
        for system in map(prototype_of, systems)
        if isinstance(system, System)
        for symbol, value in system.own_parameters.items()
        if symbol not in given
    }


def _describe_system(item: System | SystemCopies, members: SystemMembers, scope: Scope) -> SystemClass:
    """The class of a system, or of the prototype of copies, whose own parameters come before the model's."""
    try:
        if not isinstance(item, SystemCopies):
            return described(item, scope)
        own = {s: fresh(s.name, like=s) for s in item.parameters}
        shared = {s: p for s, p in scope.parameters.items() if s not in own}
        both = {s.name for s in own} & {s.name for s in shared}
        if both:
            raise ModelError(
                f"two parameters are called {min(both)!r} (their assumptions differ)",
                where=f"copies of {item.name!r}",
                fix="create the symbol once and use it everywhere",
            )
        cls = described(item.prototype, Scope({**own, **shared}, scope.relations))
        unused = [s.name for s, symbol in own.items() if symbol not in cls.parameters]
        if unused:
            raise ModelError(
                f"{unused[0]} occurs in none of its expressions",
                where=f"copies of {item.name!r}",
                fix="leave it out of parameters={...}; a contact takes arguments of its own",
            )
        return cls
    except ModelError as error:
        foreign = [s for s in error.strangers if s in members.owners]
        if foreign:
            error.fix = (
                f"{foreign[0]} belongs to {members[members.owners[foreign[0]]].name!r}; a system uses its own "
                "coordinates and time only: put both into one system, or join them by a relation"
            )
        raise


def _instances(
    item: System | SystemCopies,
    index: int,
    cls: SystemClass,
    numbers: tuple[Argument, ...],
    given: Mapping[Any, Any],
    labels: Sequence[str],
    model: str,
) -> Iterator[SystemInstance]:
    """The instances of a system: one, or one for each copy; ``numbers`` follow the arguments of its own class."""
    if not isinstance(item, SystemCopies):
        arguments = (*(Argument(p.name, p) for p in cls.parameters), *numbers)
        raw = initial_numbers(item, given, len(labels), model=model)
        yield SystemInstance(item.name, index, arguments, _numbers(raw, labels, item.name, model), cls.labels)
        return
    own = {fresh(s.name, like=s): (s, values) for s, values in item.parameters.items()}
    columns: list[Sequence[Argument]] = []
    for p in cls.parameters:
        if p in own:
            symbol, values = own[p]
            least = 0.0 if symbol.is_nonnegative else None
            columns.append([Argument(p.name, v, least) for v in values])
        else:
            columns.append([Argument(p.name, p)] * len(item))
    columns += [[number] * len(item) for number in numbers]
    rows: Iterable[tuple[Argument, ...]] = zip(*columns, strict=True) if columns else [()] * len(item)
    changed, columns_named = _changed(item, given), cls.labels
    for i, (name, arguments) in enumerate(zip(item.names, rows, strict=True)):
        values_here = {key: rows_of[i] for key, rows_of in item.initial.items()} | changed.get(i, {})
        try:
            raw = initial_numbers(item.prototype, values_here, len(labels), model=model)
        except ModelError as error:
            error.where = f"system {name!r}"
            error.fix = error.fix.replace("initial={", "copies(..., initial={")
            raise
        yield SystemInstance(name, index, arguments, _numbers(raw, labels, name, model), columns_named)


def _changed(item: SystemCopies, given: Mapping[Any, Any]) -> dict[int, dict[Any, Any]]:
    """What the model's ``initial`` says of single copies, in the prototype's functions of time."""
    changed: dict[int, dict[Any, Any]] = {}
    for member in item.named:
        own = dict(zip(item.functions_of(member.number), item.prototype.functions, strict=True))
        for key, value in given.items():
            flat = list(key) if isinstance(key, sp.MatrixBase) else [key]
            if all(f in own for f in flat):
                there = sp.ImmutableMatrix([own[f] for f in flat]) if isinstance(key, sp.MatrixBase) else own[key]
                changed.setdefault(member.number, {})[there] = value
    return changed


def _numbers(raw: Sequence[Any], labels: Sequence[str], name: str, model: str) -> tuple[float, ...]:
    return tuple(
        v if type(v) is float and v - v == 0.0 else finite_number(v, model=model, where=f"initial value of {name}.{n}")
        for v, n in zip(raw, labels, strict=True)
    )


def _check_parameter_names(names: Sequence[str], members: SystemMembers) -> None:
    """Refuse names that cannot be shown, or would be one identifier; ``plant.A[0,1]`` is that of its system."""
    owned = tuple(f"{item.name}." for item in members.items)
    for text in names:
        if not text.startswith(owned):
            check_display_name(text)
    mangle_all(names, what="parameter")


def _check_names(members: SystemMembers, relations: Sequence[Relation | RelationCopies]) -> None:
    for other in relations:
        if not isinstance(other, Relation | RelationCopies):
            raise ModelError(
                f"{named(other)} is not a relation",
                where="relations",
                fix="use nsd.Contact, nsd.Bilateral or nsd.FirstOrderRelation, or copies of one; systems stand in "
                "systems=[...], what acts at instants in blocks=[...]",
            )
        check_relation(prototype_of(other))
    inside = [r for item in members.items for r in prototype_of(item).contains]
    for other in relations:
        joint = prototype_of(other).of
        if any(other is r for r in inside):
            raise ModelError(
                "is in a mechanism already", where=f"relation {other.name!r}", fix="leave it out of relations=[...]"
            )
        if joint is not None and all(joint is not r for r in (*map(prototype_of, relations), *inside)):
            raise ModelError(
                f"acts on {joint.name!r}, which is not in the model",
                where=f"relation {other.name!r}",
                fix=f"add the joint {joint.name!r} to relations=[...]; without it write a nsd.ForceElement",
            )
    names = list(members.names())
    for other in relations:
        names += other.names if isinstance(other, RelationCopies) else [other.name]
    for text in names:
        check_display_name(text)
    twice = sorted(text for text, count in Counter(names).items() if count > 1)
    if twice:
        raise ModelError(f"two systems or relations are called {twice[0]!r}", fix="names are unique within a model")
    mangle_all(names, what="system or relation")


def _multipliers(relations: Sequence[Relation | RelationCopies]) -> dict[Any, tuple[str, int]]:
    """The multipliers that users named: their relation and their place in it."""
    return {
        function: (r.name, i) for r in relations if isinstance(r, Relation) for i, function in enumerate(r.multipliers)
    }


def _holds(multipliers: Mapping[Any, Any], key: Any) -> bool:
    return any(f in multipliers for f in (key if isinstance(key, sp.MatrixBase) else [key]))


def _given_multipliers(
    initial: Mapping[Any, Any], multipliers: Mapping[Any, tuple[str, int]], model: str
) -> dict[str, tuple[tuple[int, float], ...]]:
    """By relation: the multipliers that ``initial`` gives at t_0."""
    found: dict[str, dict[int, float]] = {}
    for key, value in initial.items():
        if not _holds(multipliers, key):
            continue
        keys, values = (list(key), list(value)) if isinstance(key, sp.MatrixBase) else ([key], [value])
        for function, number in zip(keys, values, strict=True):
            relation, place = multipliers[function]
            found.setdefault(relation, {})[place] = finite_number(number, model=model, where=f"initial {function}")
    return {relation: tuple(sorted(values.items())) for relation, values in found.items()}


def _known_initial(initial: Mapping[Any, Any], members: SystemMembers, model: str) -> dict[Any, Any]:
    """The initial values a user gave, by function of time or vector of them; refuses what is nobody's."""
    given: dict[Any, Any] = {}
    for key, value in initial.items():
        flat = list(key) if isinstance(key, sp.MatrixBase) else [key]
        for function in flat:
            if isinstance(function, str):
                raise ModelError(
                    f"the key {function!r} is a text",
                    model=model,
                    where="initial",
                    fix="give the coordinate itself, {x: 1}, its rate {x.diff(): 1}, or a body's vector "
                    "{body.position: [0, 0, 1]}; names of columns are keys of run(initial=...)",
                )
            if function not in members.owners:
                raise ModelError(
                    f"{function} is no coordinate, state or multiplier of this model",
                    model=model,
                    where="initial",
                    fix="the keys are coordinates, their .diff() or "
                    "a body's position, quaternion, velocity, angular_velocity; those of copies go to "
                    "copies(..., initial={...})",
                )
        given[sp.ImmutableMatrix(key) if isinstance(key, sp.MatrixBase) else key] = value
    return given
