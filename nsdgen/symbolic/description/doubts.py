"""What can be meant and hardly is, said when a model is described: negative springs, opposite axes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp

from nsdgen.errors import ModelWarning
from nsdgen.symbolic.description.members import Members
from nsdgen.symbolic.description.model_description import RelationInstance, SystemInstance
from nsdgen.symbolic.expressions.entry import label_of, nobodys
from nsdgen.symbolic.expressions.parameter import as_parameter
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.families.copies import RelationCopies, prototype_of
from nsdgen.symbolic.relations.relation import Relation

__all__ = ["say_doubts", "say_forgotten", "say_unused"]


def say_unused(owners: Mapping[sp.Symbol, str], instances: Iterable[SystemInstance | RelationInstance]) -> None:
    """Warn of parameters, and of values that blocks hold, that nothing reads but the block that is their owner."""
    read = {
        s
        for value, name in {(a.value, i.name) for i in instances for a in i.arguments if isinstance(a.value, sp.Expr)}
        for s in value.free_symbols
        if owners.get(s) != name
    }
    unused = [label_of(s) for s in owners if s not in read]
    if unused:
        warnings.warn(ModelWarning(f"nothing of the model reads {', '.join(unused)}"), stacklevel=2)


def say_forgotten(systems: Iterable[Any], relations: Iterable[Relation | RelationCopies]) -> None:
    """Warn of joints that were made with a body of the model, and are not in it."""
    listed = {id(prototype_of(r)) for r in relations}
    made = {id(joint): joint.name for system in systems for joint in getattr(system, "joints", ())}
    forgotten = sorted(name for joint, name in made.items() if joint not in listed)
    if forgotten:
        text = f"joints made and not in relations=[...], which hold nothing: {', '.join(map(repr, forgotten))}"
        warnings.warn(ModelWarning(text), stacklevel=2)


def say_doubts(
    relations: Sequence[Relation | RelationCopies],
    members: Members,
    systems: Sequence[SystemInstance],
    parameters: Mapping[sp.Symbol, Any],
) -> None:
    """Warn of what relations are in doubt about, at the model's own values and initial state."""
    doubtful = [(r, value, text) for r in map(prototype_of, relations) for value, text in r.doubtful]
    known = {s: sp.Float(as_parameter(v, model="", name=s.name).value) for s, v in parameters.items() if doubtful}
    for relation, value, text in doubtful:
        at: dict[sp.Basic, sp.Expr] = {time: sp.S.Zero, **known}
        for number in {members.owners[f] for f in nobodys([value], at) if f in members.owners}:
            at |= dict(zip(members[number].functions, map(sp.Float, systems[number].initial), strict=True))
        found = value.xreplace(at)
        if found.is_number and found.is_extended_real and found < 0:
            warnings.warn(ModelWarning(f"relation {relation.name!r}: {text}"), stacklevel=2)
