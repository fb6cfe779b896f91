"""Whether a kind of relation keeps its word: what one of it states, before schemes build on it."""

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from nsdgen.errors import ModelError, at_place
from nsdgen.symbolic.expressions.entry import label_of
from nsdgen.symbolic.expressions.nodes_of import FreeSymbols
from nsdgen.symbolic.expressions.time import NOW, time
from nsdgen.symbolic.families.copies import SystemCopy, prototype_of
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.laws.check_law import check_law
from nsdgen.symbolic.laws.law import Slot
from nsdgen.symbolic.relations.relation import Place, Relation, checked_law
from nsdgen.symbolic.relations.relation_class import RelationClass


def check_relation(relation: Relation) -> None:
    """Raise ``ModelError`` for a relation without a name or a law, or whose lists are none."""
    name = getattr(relation, "name", None)
    if not isinstance(name, str):
        raise ModelError(
            f"its name is {name!r}, not a text",
            where=f"a relation of class {type(relation).__name__}",
            fix="set self.name in the constructor, or call super().__init__(...)",
        )
    where = f"relation {name!r}"
    checked_law(getattr(relation, "law", None), where)
    for what, kind, entry in (
        ("entries", sp.Basic | int | float, "expressions"),
        ("multipliers", sp.Basic, "functions of time"),
        ("variables", sp.Symbol, "symbols"),
        ("slots", Slot, "Slot(symbol, value)"),
        ("reacts_on", System | SystemCopy, "systems"),
    ):
        _check_list(getattr(relation, what), what, kind, entry, where)
    if not isinstance(relation.slots, tuple):
        raise ModelError("slots is a list, not a tuple", where=where, fix="give a tuple of Slot(symbol, value)")
    if len(relation.multipliers) != len(relation.variables):
        raise ModelError(
            f"{len(relation.multipliers)} multipliers, {len(relation.variables)} variables",
            where=where,
            fix="give each multiplier its symbol: variables = function_symbols(multipliers, where=...)",
        )
    if not isinstance(relation.arguments, Mapping):
        raise ModelError(
            f"arguments is a {type(relation.arguments).__name__}",
            where=where,
            fix="give a dict: symbols of the expressions and those of their slots",
        )
    slots = {s.symbol for s in relation.slots}
    without = [s for s, symbol in relation.arguments.items() if symbol not in slots]
    if without:
        raise ModelError(
            f"the argument {without[0]} has no slot",
            where=where,
            fix="give slots=(Slot(symbol, value), ...), one for each value of arguments",
        )


def _check_list(found: Any, what: str, kind: Any, entry: str, where: str) -> None:
    if callable(found) and not isinstance(found, sp.Basic):
        raise ModelError(f"{what} is a method", where=where, fix=f"make it a property: write @property above {what}")
    if isinstance(found, str) or not isinstance(found, Sequence | sp.MatrixBase):
        raise ModelError(f"{what} is {found!r}, not a list", where=where, fix=f"give a list or tuple of {entry}")
    wrong = [e for e in found if not isinstance(e, kind)]
    if wrong:
        raise ModelError(f"{what} holds {wrong[0]!r}", where=where, fix=f"give a list or tuple of {entry}")


def described_relation(relation: Relation, place: Place) -> RelationClass:
    """The class of a relation, as it describes itself; raises ``ModelError`` where it is not one of this relation."""
    where = place.where
    with at_place(where):
        cls = relation.describe(place)
    if not isinstance(cls, RelationClass):
        found = "None" if cls is None else f"a {type(cls).__name__}"
        raise ModelError(
            f"describe(place) gives {found}, not a RelationClass",
            where=where,
            fix="return OutputClass(...), GapClass(...) or RelationClass(...)",
        )
    if cls.participants != place.participants:
        raise ModelError("its class has participants of its own", where=where, fix="hand place.participants on")
    if cls.law != relation.law:
        raise ModelError(
            f"the class has the law {cls.law!r}, the relation {relation.law!r}", where=where, fix="hand self.law on"
        )
    if cls.multipliers != relation.variables:
        raise ModelError(
            f"the class has the multipliers {_listed(cls.multipliers)}, the relation the variables "
            f"{_listed(relation.variables)}",
            where=where,
            fix="hand self.variables on",
        )
    if cls.height < 1 and not (relation.reads_others or cls.reactions):
        raise ModelError("has no rows", where=where, fix="give a term with at least one row, or reactions")
    for system, reaction in zip(place.systems, cls.reactions, strict=bool(cls.reactions)):
        rows = prototype_of(system).equations
        if reaction.shape != (rows, 1):
            raise ModelError(
                f"has {reaction.rows} entries, expected {rows}",
                where=f"{where}, reaction on {system.name!r}",
                fix=f"give a column of {rows}, one for each equation of the system",
            )
    if cls.height:
        check_law(relation.law, cls.height, where)
    return cls


def check_symbols(cls: RelationClass, place: Place) -> None:
    """Raise ``ModelError`` for a term or reaction that holds what is nobody's; parameters are filled in by now."""
    known, free = {NOW, *cls.symbols}, FreeSymbols()
    named = {f"term {name!r}": term for name, term in cls.terms.items()}
    named |= {f"reaction on {s.name!r}": g for s, g in zip(place.systems, cls.reactions, strict=bool(cls.reactions))}
    for what, values in named.items():
        for entry in values:
            strange = sorted((s for s in free(entry) if s not in known), key=str)
            if time in strange:  # the user's own functions hold it
                strange = [*sorted(entry.atoms(AppliedUndef, sp.Derivative), key=str), time]
            if strange:
                raise ModelError(
                    f"holds {strange[0]}, which is nobody's symbol",
                    where=f"{place.where}, {what}",
                    fix="enter the user's expressions: place.entered(values, what); the symbols of a "
                    "participant are participant.group(role)",
                )


def _listed(symbols: Sequence[sp.Symbol]) -> str:
    return ", ".join(label_of(s) for s in symbols) or "none"
