"""What rounding may open a contact by: its slack, in the unit of the gap.

A contact at rest has a gap of zero up to rounding, of either sign. If it were out of play where that sign is positive,
its whole load would act for a step. So a contact counts as closed up to

slack = SHARE h (H D^-1 H^T p)  +  ROUNDINGS eps |terms of the gap|.

The first part is a share of the way that its load would take it in a step: p is the impulse of the last step, D the
diagonal of the mass, and H D^-1 H^T p within a factor of the number of coordinates of the speed that p gives. It is the
largest since the contact closed, so that one foot of several that has no load for a while stays where it is. The second
part is what the gap is known to. Both change in proportion to all lengths and times of a model.

Bodies that touch and carry nothing, as a column that falls, drift apart: a step rounds their rate by a / h and their
gap by b at most, which after n steps is a gap of a n^2 / 2 + b n. So where a load would take a contact less far in a
step than a, its slack grows by 2 sqrt(a slack) + a + b, to a n^2 + b n, with one eps of all terms for a / h and b: what
touched when it began to fall meets the floor together.
"""

import sys
from collections.abc import Sequence

import sympy as sp

from nsdgen.schemes.rate_labels import gap_units
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP
from nsdgen.schemes.system_step import Instant, SystemStep
from nsdgen.symbolic.expressions.conditions import compared, joined
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.nodes import Branch, let
from nsdgen.symbolic.graph.term_sizes import magnitude

SHARE = sp.Float("1e-8")
"""Of the way that the load goes in a step: the rounding of 1e7 steps of one sign, nothing beside a step's own error."""

ROUNDINGS = 8
"""Of the terms of a gap: more than adding them up leaves."""


def slack(step: RelationStep) -> sp.Expr:
    """The slack of the first gap as the last step left it; :func:`remember_slack` fills it."""
    return step.memory("slack_k", units=gap_units(step.cls)[:1])[0]


def rate_slack(step: RelationStep, at: Instant) -> sp.Expr:
    """The rate that rounding may separate a contact at: its slack in a step, and what the rate is known to."""
    return slack(step) / STEP + roundings(step.rate(at)[0])


def roundings(value: sp.Expr, times: int = ROUNDINGS) -> sp.Expr:
    """What a value is known to: roundings of its terms."""
    return times * sys.float_info.epsilon * magnitude(sp.Matrix([value]))[0]


def remember_slack(step: RelationStep, speed: sp.Expr) -> None:
    """Keep the slack at the end of a step whose load gave this speed; it is forgotten where the gap is larger."""
    last, gap = slack(step), step.term("gap", step.ended)[0]
    pushed = let("pushed", STEP * speed)
    way = let("way", SHARE * pushed)
    rounding = roundings(gap)
    a = let("rounded", STEP * roundings(step.rate(step.ended)[0], 1))
    drifted = last + 2 * sp.sqrt(a, evaluate=False) * sp.sqrt(sp.Abs(last)) + a + roundings(gap, 1)
    light, more = compared(sp.Le, pushed, a), compared(sp.Gt, way, last)
    largest = let("largest", Branch(drifted, light, way, more, last, sp.true))
    touches = joined(sp.And, compared(sp.Le, gap, largest), compared(sp.Ge, largest, rounding))
    step.remember(slack_k=Branch(largest, touches, rounding, sp.true))


def offer_mobilities(step: SystemStep, mass: sp.Matrix) -> None:
    """1/M_ii of each velocity for the slack of contacts; 0 where it has no mass."""
    names = [own_symbol("frozen", f"mobility_{i}") for i in range(mass.rows)]
    step.offer(
        tuple(
            (name, Branch(1 / mass[i, i], mass[i, i] > 0, 0, sp.true) if mass[i, i] != 0 else sp.S.Zero)
            for i, name in enumerate(names)
        )
    )


def mobility(step: RelationStep) -> sp.Expr:
    """H D^-1 H^T of the first row, D the diagonal of the mass."""
    rows = [H[0, :] for H in step.gradients(step.ended)]
    return through_masses(step, rows, rows)


def through_masses(step: RelationStep, rows: Sequence[sp.Matrix], columns: Sequence[sp.Matrix]) -> sp.Expr:
    """The sum over participants of row D^-1 column, D the diagonal of the mass."""
    ends = zip(step.participants, rows, columns, strict=True)
    return sp.Add(*(a * d * b for p, row, column in ends for a, d, b in zip(row, p.stage.offered, column, strict=True)))
