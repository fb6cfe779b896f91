"""Gaps that jump by place, as over a stair: their gradients tell nothing of it, so their cases are remembered.

Of each branch, sign or whole number by which a gap jumps where its case changes, the case at the end of a step is kept.
What the gap is more in the cases of then than in those before is a leap where it ends at or below zero, and would have
begun below: what lands on the upper side of a stair began above it. No law of impacts explains a leap.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any

import sympy as sp

from nsdgen.schemes.rate_labels import gap_units
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.symbolic.expressions.conditions import compared, joined
from nsdgen.symbolic.expressions.jacobian import gradient
from nsdgen.symbolic.expressions.nodes import Branch, Floor, Modulo, Sign
from nsdgen.symbolic.expressions.nodes_of import entries_of, nodes_of, replaced
from nsdgen.symbolic.graph.running_error import real_values
from nsdgen.symbolic.graph.term_sizes import magnitude

CASES = (Branch, Sign, Floor, Modulo)
ROUNDED = sp.Float(1e-9)
"""Of the terms of a gap and of its rate in a step: what it jumps by less is rounding, as of a sine at 0 and at 2 pi."""
_SEEN = 1e-6
"""Of places of size 1: a jump at the edge between two cases, far above its rounding."""
_POINTS, _APPROACHES, _CLOSE = 8, 30, 1e-10
"""Points of an edge that are looked at; steps in which one is found; how far from zero what is zero there is then."""


def remember_leap(stage: RelationStep) -> None:
    """Keep the leap of a contact's gap in the step that ends with this stage, in which ``gap_k`` is remembered, too."""
    gap, nodes = stage.cls.terms["gap"][:1, :], _jumping(stage)
    if not nodes:
        return
    kept = dict(zip(nodes, stage.memory("case_k", len(nodes)), strict=True))
    before = chosen(gap, lambda node, _: _case(node, kept[node]), kept)
    own, last = replaced(gap.col_join(before), stage.ended)
    least = ROUNDED * magnitude(sp.Matrix([own]))[0]
    leap = own - last
    below = [compared(sp.Lt, e, -least) for e in (leap, leap + stage.memory("gap_k")[0])]
    sinks = joined(sp.And, compared(sp.Le, own, least), *below)
    stage.memory("leap_k", units=gap_units(stage.cls)[:1])
    stage.remember(
        case_k=replaced(sp.Matrix([_number(node) for node in nodes]), stage.ended),
        leap_k=[Branch(leap, sinks, sp.S.Zero, sp.true)],
    )
    stage.initial_memory(leap_k=[sp.S.Zero])


def leap_of(stage: RelationStep) -> sp.Expr:
    """The leap that is kept, below zero; 0 where there was none, or a gap has none."""
    return stage.memory("leap_k")[0] if _jumping(stage) else sp.S.Zero


def chosen(
    values: sp.Matrix, case: Callable[[sp.Expr, Sequence[sp.Expr]], Any], only: Collection[sp.Basic] | None = None
) -> sp.Matrix:
    """These values with each branch, sign and whole number in a case that is given, those within others first.

    ``case(node, arguments)`` is the conditions of a branch, else the sign or whole number.
    """
    to: dict[sp.Basic, sp.Basic] = {}

    def enter(parts: Sequence[sp.Basic]) -> None:
        for node in nodes_of(parts):
            if not isinstance(node, CASES) or node in to or (only is not None and node not in only):
                continue
            within: Sequence[sp.Basic] = node.values if isinstance(node, Branch) else node.args
            enter(within)
            inner = [replaced(sp.Matrix([e]), to)[0] for e in within]
            given = case(node, inner)
            if isinstance(node, Branch):
                to[node] = Branch(*(p for pair in zip(inner, given, strict=True) for p in pair))
            else:
                to[node] = inner[0] - inner[1] * given if isinstance(node, Modulo) else given

    enter(entries_of(values))
    return replaced(values, to)


def _number(node: sp.Expr) -> sp.Expr:
    """The case that a node is in."""
    if isinstance(node, Branch):
        return Branch(*(part for pair in enumerate(node.conditions) for part in pair))
    return Floor(node.args[0] / node.args[1]) if isinstance(node, Modulo) else node


def _case(node: sp.Expr, number: sp.Symbol) -> Any:
    """The case of this number, as ``chosen`` asks for it."""
    if not isinstance(node, Branch):
        return number
    return [*(number < i + sp.Rational(1, 2) for i in range(len(node.conditions) - 1)), sp.true]


def _jumping(step: RelationStep) -> Sequence[sp.Expr]:
    """The nodes by whose cases, chosen by place, the gap of a contact jumps."""
    gap = step.cls.terms["gap"]
    if not (step.law.unilateral and gap.rows):
        return ()
    return _jumping_nodes(gap[0], frozenset(s for p in step.participants for s in p.group("q")))


@lru_cache(256)  # schemes ask at every stage
def _jumping_nodes(gap: sp.Expr, where: frozenset[sp.Symbol]) -> tuple[sp.Expr, ...]:
    cases = [n for n in nodes_of([gap]) if isinstance(n, CASES)]
    return tuple(n for n in cases if any(_jumps(gap, *edge, where) for edge in _edges(n)))


def _edges(node: sp.Expr) -> Iterator[tuple[sp.Expr, sp.Expr, sp.Expr, sp.Expr]]:
    """Of two cases beside each other: the node, its values in both, what is zero between them."""
    if isinstance(node, Branch):
        for i, condition in enumerate(node.conditions[:-1]):
            for edge in condition.atoms(sp.core.relational.Relational):
                yield node, node.values[i], node.values[i + 1], edge.lhs - edge.rhs
    elif isinstance(node, Modulo):
        yield node, node.args[1], sp.S.Zero, node.args[0]
    elif isinstance(node, Sign):
        yield node, sp.S.One, sp.S.NegativeOne, node.args[0]
    else:
        yield node, sp.S.One, sp.S.Zero, node.args[0] - 1


def _jumps(
    gap: sp.Expr, node: sp.Expr, first: sp.Expr, last: sp.Expr, edge: sp.Expr, where: frozenset[sp.Symbol]
) -> bool:
    """Whether the gap differs on both sides of an edge, at points of it that are found from random ones."""
    if first - last in (edge, -edge, 2 * edge, -2 * edge):  # Max, Min and Abs
        return False
    free = sorted(gap.free_symbols, key=str)
    moving = [s for s in free if s in where and s in edge.free_symbols]
    slopes = dict(zip(moving, gradient(edge, moving), strict=True))
    rng = Random(1)
    for _ in range(_POINTS if slopes else 0):
        at = _on_edge(edge, slopes, {s: rng.uniform(0.5, 2) for s in free})
        sides = real_values([first, last], at) if at else []
        found = [real_values([gap], {**at, node: side}) for side in sides]
        if all(found) and found and abs(found[0][0] - found[1][0]) > _SEEN:
            return True
    return False


def _on_edge(edge: sp.Expr, slopes: dict[sp.Symbol, sp.Expr], at: dict[sp.Symbol, float]) -> dict[sp.Symbol, float]:
    """The point to which q - f grad f / |grad f|^2 leads from this one, at once where f is linear; empty if to none."""
    for _ in range(_APPROACHES):
        if (found := real_values([edge], at)) and abs(found[0]) < _CLOSE:
            return at
        if not (found and (slope := real_values(slopes.values(), at))):
            break
        length = sum(g * g for g in slope)
        if not length > 0:
            break
        at = at | {s: at[s] - found[0] * g / length for s, g in zip(slopes, slope, strict=True)}
    return {}
