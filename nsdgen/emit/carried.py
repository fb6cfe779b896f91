"""What a kernel computes at the start of a step and computed at the end of the step before: carried, not made again.

A lowered kernel that evaluates the same statements at t_k and at t_k+1 (a load f(t), a driven motion) needs the
first ones only once: their values at t_k+1 are those at t_k of the next step, to the bit, since the same operations
are made on the same numbers. Found on the statements, after sharing, so that nothing of the arithmetic changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nsdgen.emit.tree import (
    Assign,
    Expression,
    KernelBody,
    Name,
    Number,
    Statement,
    Sum,
    expressions,
    flat,
    operations,
    read_names,
    rewritten,
)

_LEAST = 8  # operations that are saved: fewer do not pay


@dataclass(frozen=True)
class Carried:
    """The body that is left, and the pairs (value at the start, value at the end) that it hands on."""

    body: KernelBody
    pairs: tuple[tuple[str, str], ...]


def carry(body: KernelBody, before: str, after: str, changing: frozenset[str]) -> Carried | None:
    """The body without what can be carried over; None where that is nothing worth it.

    ``before`` and ``after`` are the names of t_k and t_k+1, ``changing`` all other names that differ from
    step to step (states, unknowns).
    """
    facts = [_StatementFacts(s) for s in body.statements]
    meaning: dict[str, str] = {before: "?time", after: "?time"}
    sources: dict[str, frozenset[str]] = {name: frozenset({name}) for name in (before, after, *changing)}
    at_end: dict[str, str] = {}
    known: dict[tuple[Statement, int], str] = {}
    origins: list[frozenset[str]] = []
    for fact in facts:
        origin = frozenset().union(*(sources.get(name, frozenset()) for name in fact.reads))
        origins.append(origin)
        shape = fact.shape(meaning)
        for number, name in enumerate(fact.writes):
            meaning[name] = known.setdefault((shape, number), f"?value{len(known)}")
            sources[name] = origin
            if origin == {after}:
                at_end.setdefault(meaning[name], name)
    removable = _removable(facts, [origin == {before} for origin in origins], meaning, at_end)
    if not removable:
        return None
    left = [f for i, f in enumerate(facts) if i not in removable]
    made = {name for i in removable for name in facts[i].writes}
    needed = sorted(made & {name for f in left for name in f.reads})
    saved = sum(facts[i].operations for i in removable)
    if not needed or saved < _LEAST:
        return None
    statements = tuple(f.statement for f in left)
    used = {name for f in left for name in (*f.reads, *f.writes)}
    return Carried(
        KernelBody(statements, tuple(t for t in body.temporaries if t in used), body.operations - saved),
        tuple((name, at_end[meaning[name]]) for name in needed),
    )


def without_differences(body: KernelBody, same: Sequence[tuple[str, str]]) -> KernelBody:
    """The body where each difference of two equal names is zero: exact for all finite numbers.

    (v - v_k) is 0 where v starts as v_k, also in what it is multiplied by and added to.
    """
    zero = {Sum((Name(one), Name(other)), "+-") for one, other in same}
    return replace(body, statements=rewritten(body.statements, lambda e: Number(0.0) if e in zero else None))


def _removable(
    facts: Sequence[_StatementFacts], about_start: Sequence[bool], meaning: dict[str, str], at_end: dict[str, str]
) -> set[int]:
    """The statements that are about t_k alone and whose values, where others need them, have a twin at t_k+1."""
    chosen = {i for i, f in enumerate(facts) if f.writes and about_start[i]}
    times = Counter(name for f in facts for name in f.writes)  # what several statements write is their own business
    while True:
        needed = {name for i, f in enumerate(facts) if i not in chosen for name in f.reads}
        kept = {
            i
            for i in chosen
            if any(name in needed and (meaning[name] not in at_end or times[name] > 1) for name in facts[i].writes)
        }
        if not kept:
            return chosen
        chosen -= kept


class _StatementFacts:
    """What a statement reads from outside, writes, and costs."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.writes: list[str] = []
        self.reads: set[str] = set()
        self.operations = 0
        for inner in flat([statement]):
            self.reads.update(set(read_names(*expressions(inner))).difference(self.writes))
            self.operations += operations(*expressions(inner))
            if isinstance(inner, Assign) and isinstance(inner.target, Name) and inner.target.text not in self.writes:
                self.writes.append(inner.target.text)

    def shape(self, meaning: Mapping[str, str]) -> Statement:
        """The statement with what is read replaced by its meaning, and what is written by numbers."""
        own = {name: f"?{number}" for number, name in enumerate(self.writes)}

        def word(e: Expression) -> Expression | None:
            return Name(own.get(e.text, meaning.get(e.text, e.text))) if isinstance(e, Name) else None

        return rewritten([replace(self.statement, group="")], word)[0]
