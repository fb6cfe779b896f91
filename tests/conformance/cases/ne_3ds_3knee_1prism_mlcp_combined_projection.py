"""The three beams, each step begun with a free flight, and brought back onto all constraints in the coordinates.

As the table's program makes a step: first without any relation, then once more from where that ends, with all
constraints and, where the flight ends below it, the floor; then the nearest q in R^7 on the constraints, normalised.
"""

from dataclasses import dataclass

import sympy as sp

import nsdgen as nsd
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


@dataclass(frozen=True)
class Normalised(nsd.Projection):
    """The projection, after which quaternions are normalised; after the table's own steps they are not."""

    def system(self, step: SystemStep) -> None:
        """q / |p|."""
        super().system(step)
        step.stage("projection").advance(q_k=PositionAndQuaternion().normalised(list(step.group("q"))))


options = {"theta": 1, "rotation": "exponential", **iterated(5e-4)}
case = three_beams(
    "ne_3ds_3knee_1prism_combined",
    Flight(
        **options, projection=Normalised(coordinates="all", metric="identity", contacts="held", max_iterations=1000)
    ),
    nsd.MoreauJean(**options, projection=nsd.Projection(method="combined", contacts="held", max_iterations=1000)),
    rule=f"{rule_of(5e-4)}, from the end of a free flight; which the case file states, a "
    "projection in all seven coordinates (coordinates='all')",
)
