"""Kinks of gaps and rates: on which branch they are taken, and what their rates jump by.

A corner of the ground and a table that starts at once are gaps stated with branches, whose gradient H and rate dh/dt
jump from one branch to the next. What is in contact there has an impact, wherever in a step it lies: its law joins

u- = H v- + dh/dt,   u = H v + dh/dt,   H and dh/dt those of the branch that is entered,

as at the start of a run, and as Moreau's law does on the tangent cone of what is admissible from then on. Of a gap
without a kink u- is the rate that was remembered. So schemes that hold positions hold them on the branch on which a
step begins, and leave to the impact what that on which it ends makes of velocities.
"""

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP, T_K, T_NEXT
from nsdgen.schemes.stairs import CASES, ROUNDED, chosen, leap_of
from nsdgen.schemes.system_step import Instant
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.nodes import Branch, Floor, Modulo
from nsdgen.symbolic.expressions.nodes_of import entries_of, nodes_of, replaced, replacing
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.graph.term_sizes import magnitude

Conditions = tuple[sp.Basic, ...]

_MEMORY = "branch_k"


class Kinks:
    """The branches of the gaps and rates of a relation that place or time choose, and a memory of them."""

    def __init__(self, step: RelationStep) -> None:
        where = {NOW, *(s for p in step.participants for s in p.group("q"))}
        nodes = nodes_of(entries_of(step.cls.terms["gap"]) + entries_of(step.cls.rate))
        found = (node.conditions for node in nodes if isinstance(node, Branch))
        self._step = step
        self._kinks = list(dict.fromkeys(c for c in found if any(part.free_symbols & where for part in c)))

    def at(self, chosen: Instant, values: sp.Matrix, at: Instant) -> sp.Matrix:
        """Gaps, rates or gradients of the class at an instant, on the branches of another one."""
        if not self._kinks:
            return replaced(values, at)
        # Unknowns may be symbols of the class, which ``at`` would replace once more.
        apart = {s: own_symbol("apart", s.name) for s in chosen}
        renamed = replacing(apart)
        found = replaced(self._on(values, lambda c: [renamed(part) for part in c]), at)
        return replaced(found, {apart[s]: e for s, e in chosen.items()})

    def remember(self, stage: RelationStep) -> None:
        """Keep the numbers of the branches at the end of this stage."""
        if self._kinks:
            stage.memory(_MEMORY, len(self._kinks))
            numbered = [Branch(*(part for pair in enumerate(c) for part in pair)) for c in self._kinks]
            stage.remember(**{_MEMORY: replaced(sp.Matrix(numbered), stage.ended)})

    def gap(self, at: Instant) -> sp.Matrix:
        """The gap at an instant, on the branches that are remembered."""
        return replaced(self._on(self._step.cls.terms["gap"], self._remembered), at)

    def rate(self, at: Instant) -> sp.Matrix:
        """Rates at an instant, on the branches that are remembered."""
        return replaced(self._on(self._step.cls.rate, self._remembered), at)

    def jump(self, at: Instant) -> sp.Matrix:
        """What rates at an instant are more than on the branches that are remembered."""
        return self._step.rate(at) - self.rate(at) if self._kinks else sp.zeros(self._step.cls.rate.rows, 1)

    def _remembered(self, conditions: Conditions) -> list[sp.Basic]:
        number = self._step.memory(_MEMORY, len(self._kinks))[self._kinks.index(conditions)]
        return [*(number < i + sp.Rational(1, 2) for i in range(len(conditions) - 1)), sp.true]

    def _on(self, values: sp.Matrix, choose: Callable[[Conditions], Sequence[sp.Basic]]) -> sp.Matrix:
        """These values with other conditions of kinks, those within others first."""
        nodes = nodes_of(entries_of(values)) if self._kinks else ()
        kinks = {node for node in nodes if isinstance(node, Branch) and node.conditions in self._kinks}
        return chosen(values, lambda node, _: choose(node.conditions), kinks)


def refuse_leaps(step: RelationStep, rows: sp.Matrix) -> sp.Matrix:
    """The rows of a constraint that holds velocities, those of gaps first; where its gap jumps in time, rows that no
    velocity satisfies."""
    found = rows.copy()
    for i, (leaps, leap, _) in enumerate(_leaps(step)):
        found[i] = Branch(leap / STEP, leaps, rows[i], sp.true)
    return found


def refuse_sinking(
    stage: RelationStep, rows: sp.Matrix, before: sp.Matrix, active: sp.Expr
) -> tuple[sp.Matrix, sp.Expr]:
    """The same of a contact whose gap jumps below zero, in time or by place, and where it is in play: no impulse lifts
    what is inside.

    A law adds no more than ``before`` to the first row.
    """
    found = rows.copy()
    for leaps, leap, gap in _leaps(stage):
        sinks = sp.And(leaps, leap < 0, gap < 0)
        found[0] = Branch(leap / STEP - sp.Abs(before[0]), sinks, rows[0], sp.true)
        active = Branch(sp.S.One, sinks, active, sp.true)
    if (leap := leap_of(stage)) != 0:
        found[0] = Branch(leap / STEP - sp.Abs(before[0]), leap < 0, found[0], sp.true)
        active = Branch(sp.S.One, leap < 0, active, sp.true)
    return found, active


def _leaps(step: RelationStep) -> list[tuple[sp.Basic, sp.Expr, sp.Expr]]:
    """Of each gap whether it jumps in time within the step, by how much, and what it is then; empty where none can.

    What a gap is more on the cases of t_{k+1} than on those of t_k, at q_k, vanishes within the step where it has a
    kink, and does not where it jumps: it keeps its sign, and its rate is too small for a zero. Jumps by less than two
    steps of that rate are not told from kinks.
    """
    gap = step.cls.terms["gap"]
    if not any(isinstance(n, CASES) and n.has(NOW) for n in nodes_of(entries_of(gap))):
        return []
    ends = [{**step.last, NOW: end} for end in (T_K, T_NEXT)]
    found = []
    for value, own in zip(_at_time(gap, T_NEXT) - _at_time(gap, T_K), gap, strict=True):
        (first, last), slopes = ([replaced(sp.Matrix([e]), end)[0] for end in ends] for e in (value, value.diff(NOW)))
        apart = [sp.Abs(e) > 2 * STEP * sp.Abs(slope) for e, slope in zip((first, last), slopes, strict=True)]
        then = replaced(sp.Matrix([own, own.diff(NOW)]), ends[1])
        terms = magnitude(then)
        apart.append(sp.Abs(last) > ROUNDED * (terms[0] + STEP * terms[1]))
        found.append((sp.And(first * last > 0, *apart), last, then[0]))
    return found


def _at_time(values: sp.Matrix, time: sp.Symbol) -> sp.Matrix:
    """These values in the cases of a time: branches, signs and whole numbers are those of then."""

    def case(node: sp.Expr, inner: Sequence[sp.Expr]) -> Any:
        if isinstance(node, Branch):
            return [c.xreplace({NOW: time}) for c in node.conditions]
        then = [e.xreplace({NOW: time}) for e in inner]
        return Floor(then[0] / then[1]) if isinstance(node, Modulo) else node.func(*then)

    return chosen(values, case)
