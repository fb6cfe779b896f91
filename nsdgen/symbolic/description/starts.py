"""What users say of a start: coordinates that are given, approximate ones, and expressions that are to have a value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from nsdgen.base.checks import finite_number
from nsdgen.errors import ParameterError
from nsdgen.symbolic.expressions.entry import nobodys
from nsdgen.symbolic.expressions.scope import display


@dataclass(frozen=True)
class GivenStart:
    """A start by function of time: what is ``held``, what is ``near``; ``conditions`` are expressions with values.

    ``assumed`` is where a search begins besides, ``others`` are keys that are none of these, for whoever refuses or
    knows them.
    """

    held: Mapping[sp.Expr, Any]
    near: Mapping[sp.Expr, Any]
    conditions: Mapping[Any, tuple[float, ...]]
    others: Mapping[Any, Any]
    assumed: Mapping[sp.Expr, Any]

    @property
    def guess(self) -> dict[Any, Any]:
        """Where a search begins, by function of time."""
        return {**self.assumed, **self.near, **self.held}


def asks_for_search(systems: Sequence[Any], initial: Mapping[Any, Any]) -> bool:
    """Whether keys of ``initial`` are expressions that follow from positions and velocities, and not these alone."""
    further = {e for system in _members(systems) for e in getattr(system, "stands_for", ())}
    entries = [e for key in initial for e in _entries(key)]
    if not further and all(isinstance(e, AppliedUndef | sp.Derivative | str) for e in entries):
        return False
    own = _own(systems)
    known = dict.fromkeys((*own, *further), sp.S.Zero)
    return any(isinstance(e, sp.Expr) and e not in own and _functions([e], known) for e in entries)


def start_of(
    systems: Sequence[Any], initial: Mapping[Any, Any], near: Mapping[Any, Any] | None, model: str
) -> GivenStart:
    """A start from ``initial`` and ``near`` as users write them.

    Raises ``ParameterError`` for values that are not as many finite numbers as their key has entries, and for a key of
    ``near`` that is no coordinate or velocity.
    """
    own = _own(systems)
    further = [e for system in _members(systems) for e in getattr(system, "stands_for", ())]
    known = dict.fromkeys((*own, *further), sp.S.Zero)
    held: dict[sp.Expr, Any] = {}
    conditions: dict[Any, tuple[float, ...]] = {}
    others: dict[Any, Any] = {}
    for key, value in initial.items():
        entries = _entries(key)
        if any(not isinstance(e, sp.Expr) for e in entries) or not _functions(entries, known):
            others[key] = value
        elif all(e in own for e in entries):
            held |= zip((own[e] for e in entries), _numbers(key, entries, value, model, "initial"), strict=True)
        else:
            conditions[key] = _numbers(key, entries, value, model, "initial")
    about: dict[sp.Expr, Any] = {}
    for key, value in (near or {}).items():
        entries = _entries(key)
        if any(e not in own for e in entries):
            raise ParameterError(
                f"{key} is no coordinate or velocity of a system",
                model=model,
                where="near",
                fix="the keys are a body's position, quaternion, velocity, angular_velocity, or coordinates; what "
                "is to hold goes to initial={...}",
            )
        about |= zip((own[e] for e in entries), _numbers(key, entries, value, model, "near"), strict=True)
    assumed = {f: x for system in _members(systems) for f, x in getattr(system, "assumed", {}).items()}
    return GivenStart(held, about, conditions, others, assumed)


def label_of_key(key: Any, relations: Sequence[Any]) -> str:
    """What users call an expression: the freedom of a joint, or the expression itself, cut short."""
    for relation in relations:
        for freedom in getattr(relation, "freedoms", {}).values():
            if key in (freedom.coordinate, freedom.rate):
                return f"the {freedom.name}{' rate' * (key == freedom.rate)} of {relation.name!r}"
    text = str([display(e) for e in key] if isinstance(key, sp.MatrixBase) else key)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _members(systems: Sequence[Any]) -> list[Any]:
    """All systems, of copies those whose functions of time are in use."""
    return [member for item in systems for member in getattr(item, "named", [item])]


def _own(systems: Sequence[Any]) -> dict[sp.Expr, sp.Expr]:
    """What coordinates and velocities are given by: the functions of systems, and others that stand for these."""
    return {
        e: f
        for system in _members(systems)
        for e, f in (*((f, f) for f in system.functions), *getattr(system, "given_as", {}).items())
    }


def _entries(key: Any) -> list[Any]:
    return list(key) if isinstance(key, sp.MatrixBase) else [key]


def _functions(entries: Sequence[sp.Expr], known: Mapping[sp.Basic, sp.Expr]) -> bool:
    """Whether entries hold functions of time, all of them of the model."""
    strangers = nobodys(entries, known)
    return all(isinstance(s, sp.Symbol) for s in strangers) and nobodys(entries, {}) != strangers


def _numbers(key: Any, entries: Sequence[Any], value: Any, model: str, where: str) -> tuple[float, ...]:
    """As many finite numbers as a key has entries."""
    label = str([display(e) for e in entries] if isinstance(key, sp.MatrixBase) else display(key))
    numbers = list(value) if hasattr(value, "__len__") and not isinstance(value, str) else [value]
    if len(numbers) != len(entries):
        raise ParameterError(
            f"{label[:80]} has {len(entries)} entries, {len(numbers)} values are given",
            model=model,
            where=where,
            fix="give one number for each",
        )
    return tuple(finite_number(x, model=model, where=f"{where}, {label[:80]}") for x in numbers)
