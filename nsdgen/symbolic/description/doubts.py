"""What can be meant and hardly is, said when a model is described: negative springs, opposite axes."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp

from nsdgen.errors import ModelWarning
from nsdgen.symbolic.description.members import SystemMembers
from nsdgen.symbolic.description.model_description import RelationInstance, SystemInstance
from nsdgen.symbolic.expressions.entry import label_of, nobodys
from nsdgen.symbolic.expressions.nodes_of import FreeSymbols
from nsdgen.symbolic.expressions.parameter import as_parameter
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.families.copies import RelationCopies, prototype_of
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.families.system_class import SystemClass
from nsdgen.symbolic.graph.running_error import real_values
from nsdgen.symbolic.relations.relation import Relation
from nsdgen.symbolic.relations.relation_class import Participant, RelationClass


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


def say_apart(systems: Iterable[SystemClass], relations: Sequence[RelationClass]) -> None:
    """Warn of first-order states of a motion that nothing but themselves reads or moves: a coupling was forgotten."""
    free = FreeSymbols()
    for cls in systems:
        own = Participant(cls, {}).states if cls.group("q") else ()
        motion = cls.terms["force"].values if own else ()
        seen = [(r, p) for r in relations for p in r.participants if p.system is cls] if own else []
        for row, state in enumerate(own, start=len(cls.group("v")) - len(own)):
            read = any(state in free(e) for k, e in enumerate(motion) if k != row)
            moved = not free(motion[row]).isdisjoint({*cls.functions} - {state})
            related = any(p.rename(state) in free(e) for r, p in seen for m in r.matrices() for e in m) or any(
                g[row] != 0 for r, p in seen for g in r.reactions[r.participants.index(p) :][:1]
            )
            if not (read or moved or related):
                warnings.warn(
                    ModelWarning(
                        f"system {cls.name!r}: its motion and the state {label_of(state)!r} say nothing of each other"
                    ),
                    stacklevel=2,
                )


def say_forgotten(systems: Iterable[Any], relations: Iterable[Relation | RelationCopies]) -> None:
    """Warn of joints that were made with a body of the model, and are not in it."""
    inside = (r for system in systems for r in getattr(prototype_of(system), "contains", ()))
    listed = {id(r) for r in (*map(prototype_of, relations), *inside)}
    bodies = (body for system in systems for body in getattr(system, "bodies", (system,)))
    made = {id(joint): joint.name for body in bodies for joint in getattr(body, "joints", ())}
    forgotten = sorted(name for joint, name in made.items() if joint not in listed)
    if forgotten:
        text = f"joints made and not in relations=[...], which hold nothing: {', '.join(map(repr, forgotten))}"
        warnings.warn(ModelWarning(text), stacklevel=2)


def say_doubts(
    relations: Sequence[Relation | RelationCopies],
    members: SystemMembers,
    systems: Sequence[SystemInstance],
    parameters: Mapping[sp.Symbol, Any],
    scope: Scope,
) -> None:
    """Warn of what relations are in doubt about, at the model's own values and initial state."""
    doubtful = [(r, value, text) for r in map(prototype_of, relations) for value, text in r.doubtful]
    known = {s: as_parameter(v, name=s.name).value for s, v in parameters.items() if doubtful}
    for relation, value, text in doubtful:
        at: dict[sp.Basic, Any] = {time: 0.0, **known}
        read = [f for f in nobodys([value], at) if f in members.owners]
        for number in {members.owners[f] for f in read}:
            member, start = members[number], systems[number].initial
            at |= dict(zip(member.functions, start, strict=True))
            if isinstance(member, System) and not at.keys() >= {*read}:
                here = dict(zip(member.functions.values(), start, strict=True))
                here |= {scope.parameters[s]: x for s, x in known.items()}
                further = {f: e for f, e in member.values(scope).items() if f in read}
                at |= zip(further, real_values(further.values(), here), strict=False)
        if (found := real_values([value], at)) and found[0] < 0:
            warnings.warn(ModelWarning(f"relation {relation.name!r}: {text}"), stacklevel=2)
