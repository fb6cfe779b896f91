"""The three beams, each step begun with a free flight, and brought back onto all constraints in the coordinates.

As the table's program makes a step: first without any relation, then once more from where that ends, with all
constraints and, where the flight ends below it, the floor; then the nearest q in R^7 on the constraints, normalised.
"""

from dataclasses import dataclass

import sympy as sp

import nsdgen as nsd
from nsdgen.abi import Cone
from nsdgen.extend import STEP, T_K, T_NEXT, Branch, PositionAndQuaternion, RelationStep, SystemStep
from nsdgen.symbolic.expressions.entry import label_of, own_symbol

from ..beams import three_beams
from ..supplied import iterated, rule_of


def flight(step: SystemStep) -> sp.Matrix:
    """v at the end of a step in which nothing acts but forces."""
    q_k, v_k = step.state("q_k"), step.state("v_k")
    return v_k + STEP * step.cls.terms["mass"].values.inv() * step.term("force", step.at(T_K, q=q_k, v=v_k))


@dataclass(frozen=True)
class Flight(nsd.MoreauJean):
    """Moreau-Jean whose iterations begin at the end of a free flight; the floor is in play where that is below it."""

    def system(self, step: SystemStep) -> None:
        """The step, from another start."""
        super().system(step)
        q_k, free, v = step.state("q_k"), flight(step), sp.Matrix(step.group("v"))
        bar = [own_symbol("frozen", f"{label_of(q)}_bar") for q in step.group("q")]
        step.start(free)
        first, later = (step.cls.configuration.moved(list(q_k), list(STEP * rate)) for rate in (free, v))
        step.freeze_iteration(list(zip(bar, first, strict=True)), list(zip(bar, later, strict=True)))

    def relation(self, step: RelationStep) -> None:
        """The relation; the height of the floor's body after the flight decides."""
        super().relation(step)
        if step.law.unilateral:
            (body,) = step.participants
            q_k, v_k = body.state("q_k"), body.state("v_k")
            falling = [q + STEP * v for q, v in zip(q_k[:3], v_k[:3], strict=True)]
            falling[2] -= STEP**2 * sp.Float(9.81)
            gap = step.term("gap", step.at(T_NEXT, q=[[*falling, *q_k[3:]]]))[0]
            step.activation(Branch(1, gap <= 0, 0, True))


def homogeneous(gap: sp.Matrix, p: tuple[sp.Symbol, ...]) -> sp.Matrix:
    """The gap with R(p) + (|p|^2 - 1) I for R(p), the polynomial without a constant; rows linear in p stay."""

    def row(e: sp.Expr) -> sp.Expr:
        if all(e.diff(s, 2) == 0 for s in p):
            return e
        at = [e.xreplace({s: sp.Integer(i == k) for i, s in enumerate(p)}) for k in range(4)]
        arm = (3 * at[0] - at[1] - at[2] - at[3]) / 4  # half turns about three axes: the sum of their R is -I
        return e + (sum(s**2 for s in p) - 1) * arm

    return gap.applyfunc(row)


@dataclass(frozen=True)
class InCoordinates(nsd.Projection):
    """The nearest q on the linearised constraints, all seven numbers of it free, then p / |p|."""

    def system(self, step: SystemStep) -> None:
        """R = q - q*."""
        at = step.stage("projection")
        star, q = at.state("q_k"), at.unknown("q")
        at.residual(q - star)
        at.advance(q_k=PositionAndQuaternion().normalised(list(q)))

    def relation(self, step: RelationStep, impulse: sp.Expr) -> None:
        """h(q*) + J (q - q*) = 0 with J = dh/dq of the polynomial h."""
        at = step.stage("projection")
        now, gap = at.ended, at.term("gap", at.ended)
        push = at.multiplier("push", gap.rows)
        h = step.cls.terms["gap"]
        for p in at.participants:
            h = homogeneous(h, p.group("q")[3:])
        slopes = [h.jacobian(p.group("q")).xreplace(now) for p in at.participants]
        moved = sum(
            (J * (p.unknown - p.state("q_k")) for p, J in zip(at.participants, slopes, strict=True)),
            sp.zeros(gap.rows, 1),
        )
        at.impose(gap + moved, (Cone.EQUALITY, gap.rows))
        at.reaction(*(J.T * push for J in slopes))
        at.remember(gap_k=gap)
        at.violation(sp.Max(*(sp.Abs(e) for e in gap)))


options = {"theta": 1, "rotation": "exponential", **iterated(5e-4)}
case = three_beams(
    "ne_3ds_3knee_1prism_combined",
    Flight(**options, projection=InCoordinates(tolerance=1e-8, max_iterations=1000)),
    nsd.MoreauJean(**options, projection=nsd.Projection(method="combined", contacts="held", max_iterations=1000)),
    rule=f"{rule_of(5e-4)}, from the end of a free flight; a projection in all seven coordinates "
    "(both stated in the case file)",
)
