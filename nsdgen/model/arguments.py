"""What a model is given, as lists and mappings, refused where it is none; initial values by names of columns."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from nsdgen.base.checks import named, shown
from nsdgen.errors import ModelError, ParameterError
from nsdgen.schemes.scheme import Scheme
from nsdgen.symbolic.description.model_description import ModelDescription
from nsdgen.symbolic.description.starts import asks_for_search
from nsdgen.symbolic.families.copies import prototype_of
from nsdgen.symbolic.families.system import System


def listed(items: Any, model: str, what: str) -> list[Any]:
    """``items`` as a list; copies of one system or relation are one entry of it."""
    if isinstance(items, list | tuple):
        return list(items)
    if hasattr(items, "prototype"):  # the copies of one system or relation
        return [items]
    raise ModelError(f"{what} is {items!r}, not a list", model=model, fix=f"write {what}=[...]")


def members_of(stated: Any) -> Sequence[Any]:
    """What the model takes for what was listed: copies, and what is no system, as they are."""
    return stated.members if isinstance(stated, System) else (stated,)


def placed(
    stated: Sequence[Any], systems: Sequence[Any], initial: Any, near: Any, parameters: Mapping[Any, Any], model: str
) -> tuple[dict[Any, Any], dict[Any, Any] | None]:
    """``initial`` and ``near`` in the words of the systems that the model takes for those that were listed.

    Where a search for a start is asked for, what systems say of their members is near, and what is given holds.
    """
    held = mapping(initial, model, "initial")
    guess = None if near is None else mapping(near, model, "near")
    for system in stated:
        if [*members_of(system)] == [system]:
            continue
        own = system.given_as
        if guess is None and not asks_for_search(systems, {k: v for k, v in held.items() if k not in own}):
            held = dict(system.start_of_members(held, parameters))
        else:
            start = system.start_of_members({**(guess or {}), **held}, parameters)
            guess = {k: v for k, v in start.items() if k not in held}
    return held, guess


def mapping(given: Any, model: str, what: str) -> dict[Any, Any]:
    """``given`` as a dict, an empty one of None."""
    if given is not None and not isinstance(given, Mapping):
        raise ModelError(f"{what} is {shown(given)}, not a mapping", model=model, fix=f"write {what}={{symbol: value}}")
    return dict(given or {})


def flat(relations: Sequence[Any]) -> list[Any]:
    """Relations in order; lists of them (from ``contacts_between``) are taken apart."""
    flat: list[Any] = []
    for relation in relations:
        flat.extend(relation) if isinstance(relation, list | tuple) else flat.append(relation)
    return flat


def checked_blocks(blocks: Sequence[Any], model: str) -> list[Any]:
    """The blocks of a model, in an order in which they can act; what consists of several is taken apart."""
    blocks = [part for block in blocks for part in getattr(block, "blocks", (block,))]
    for block in blocks:
        if getattr(block, "clock", None) is None:
            raise ModelError(
                f"{named(block)} is no block",
                model=model,
                where="blocks",
                fix="use nsd.Sampled, nsd.Reset, nsd.Latch, nsd.Pulses, nsd.Ramp; contacts and forces stand in "
                "relations=[...]",
            )
    computed = [block.clock.computed for block in blocks]
    if computed != sorted(computed):
        raise ModelError(
            "a block of expressions follows one that a Python function computes",
            model=model,
            where="blocks",
            fix="list those with computed_by=... last: they act after the others",
        )
    return list(blocks)


def check_schemes(given: Any, systems: Sequence[Any], model: str) -> None:
    """Raise ``ModelError`` for what is no scheme, for systems that are not in the model, and for those without one."""
    for scheme in given.values() if isinstance(given, Mapping) else [given]:
        if not isinstance(scheme, Scheme):
            fix = "use nsd.MoreauJean(), nsd.ThetaGamma(), or {system: scheme}"
            raise ModelError(f"{scheme!r} is no scheme", model=model, where="scheme", fix=fix)
    if not isinstance(given, Mapping):
        return
    for key in given:
        if key not in systems:
            message = f"{getattr(key, 'name', key)!r} is no system of this model"
            raise ModelError(message, model=model, where="scheme", fix="the keys are the systems themselves")
    if missing := [s.name for s in systems if s not in given]:
        message = f"no scheme for {', '.join(missing)}"
        raise ModelError(message, model=model, where="scheme", fix="give each system one")


class HasColumns(Protocol):
    """What is asked of a model."""

    name: str
    systems: list[Any]
    relations: list[Any]

    @property
    def description(self) -> ModelDescription:
        """The model over fresh symbols."""


def by_column(model: HasColumns, initial: Mapping[Any, Any]) -> dict[Any, Any]:
    """Initial values by the names of columns; raises ``ParameterError`` for what is given twice."""
    named: dict[Any, Any] = {}
    for key, value in (pair for item in initial.items() for pair in _spread(model, *item)):
        if (column := _column(model, key)) in named:
            raise ParameterError(f"{column!r} is given twice", model=model.name, where="initial", fix="give it once")
        named[column] = value
    return named


def _spread(model: HasColumns, key: Any, value: Any) -> list[tuple[Any, Any]]:
    """A vector whose entries have names of their own, entry by entry; anything else as it is."""
    columns = [_column(model, f) for f in key] if hasattr(key, "shape") else []
    if len({c.rpartition("[")[0] for c in columns}) <= 1 and all("[" in c for c in columns):
        return [(key, value)]
    if hasattr(value, "__len__") and len(value) and hasattr(value[0], "__len__"):  # a row for each of many members
        value = [list(column) for column in zip(*value, strict=True)]
    if not hasattr(value, "__len__") or len(value) != len(columns):
        raise ParameterError(
            f"{value!r} are no {len(columns)} numbers",
            model=model.name,
            where="initial",
            fix=f"give one for each of {', '.join(columns)}",
        )
    return list(zip(columns, value, strict=True))


def _column(model: HasColumns, key: Any) -> Any:
    """The name of the column that a key of ``initial`` stands for."""
    if isinstance(key, str):
        return key
    first = next(iter(key)) if hasattr(key, "shape") else key
    for system in (s for item in model.systems for s in getattr(item, "named", [item])):
        functions = list(system.functions)
        own = getattr(system, "given_as", {}).get(first, first)
        if own in functions:
            names = prototype_of(system).describe_names()
            label = [n for group in names for n in group][functions.index(own)]
            return f"{system.name}.{label.split('[')[0] if hasattr(key, 'shape') else label}"
    for relation in model.relations:
        if first in (own_ones := list(getattr(relation, "multipliers", ()))):
            labels = next(r.labels for r in model.description.relations if r.name == relation.name)
            label = labels[own_ones.index(first)][0]
            return f"{relation.name}.{label.split('[')[0] if hasattr(key, 'shape') else label}"
    return key
