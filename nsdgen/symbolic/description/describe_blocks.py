"""Blocks of a model: the values they hold, which are parameters to everybody else."""

from collections.abc import Sequence

import sympy as sp

from nsdgen.base.names import check_display_name
from nsdgen.errors import ModelError
from nsdgen.symbolic.description.members import SystemMembers
from nsdgen.symbolic.description.model_description import Block
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.expressions.time import step
from nsdgen.symbolic.families.copies import RelationCopies, prototype_of
from nsdgen.symbolic.relations.relation import Clock, Held, Relation

STEP = Held(step, "nsd.step", 0.0, "s")
"""h: every model knows it, and a run sets it."""


def held_values(relations: Sequence[Relation | RelationCopies], scope: Scope) -> tuple[Held, ...]:
    """What a run sets itself, the step first; raises ``ModelError`` where two set one symbol or it is a parameter."""
    found = [STEP]
    for relation in relations:
        clock = getattr(prototype_of(relation), "clock", None)
        if clock is None:
            continue
        if isinstance(relation, RelationCopies):
            raise ModelError(
                "a block has no copies", where=f"block {relation.name!r}", fix="write one block for each controller"
            )
        found += [h for h in (clock.period, clock.offset) if h is not None]
        found += clock.holds
    seen: dict[sp.Symbol, str] = dict.fromkeys(scope.parameters, "is a parameter")
    names = {s.name for s in scope.parameters}
    for h in found:
        if h.symbol in seen:
            raise ModelError(
                f"{h.symbol} {seen[h.symbol]} and is held as {h.name!r}",
                where="blocks",
                fix="let one block hold a symbol, and leave it out of parameters={...}",
            )
        if h.name in names:
            raise ModelError(f"two parameters are called {h.name!r}", where="blocks", fix="rename one of them")
        check_display_name(h.name.rpartition(".")[2])
        seen[h.symbol] = f"is held as {h.name!r}"
        names.add(h.name)
    return tuple(found)


def block(
    relation: Relation, number: int, scope: Scope, members: SystemMembers, reads: tuple[tuple[int, int], ...]
) -> Block:
    """The record of a relation with a clock, the ``number``-th of the model, which ``reads`` multipliers of others."""
    clock = relation.clock
    assert isinstance(clock, Clock)
    if strangers := [x for x in relation.resets if x not in members.owners]:
        raise ModelError(
            f"{strangers[0]} is no state of a system of this model",
            where=f"block {relation.name!r}, resets",
            fix="the keys are states, coordinates and their .diff() of systems in systems=[...]",
        )
    return Block(
        number,
        None if clock.period is None else scope.parameters[clock.period.symbol],
        None if clock.offset is None else scope.parameters[clock.offset.symbol],
        tuple(scope.parameters[h.symbol] for h in clock.holds),
        clock.cut,
        tuple((owner := members.owners[x], list(members[owner].functions).index(x)) for x in relation.resets),
        clock.computed,
        clock.at_start,
        reads,
    )
