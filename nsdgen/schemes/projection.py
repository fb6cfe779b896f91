"""Projection of positions onto the constraints: a second, repeated stage of a step.

Minimise (q - q*)^T G (q - q*) / 2 subject to the constraints linearised at q*:
R = G (q - q*), rho = H^T lambda, y = h(q*) + H(q*) (q - q*), then q* := q until no
constraint in play is violated by more than the tolerance (design, section 4). Velocities
and remembered rates are not touched. G is the mass matrix or the identity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.errors import ModelError, ParameterError
from nsdgen.schemes.newton import Newton
from nsdgen.schemes.program import Repeat, StageOptions
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import T_NEXT, Option
from nsdgen.schemes.system_step import SystemStep
from nsdgen.suggest import named_arguments
from nsdgen.symbolic.expressions.nodes import Branch

__all__ = ["Projection"]


@named_arguments
@dataclass(frozen=True)
class Projection:
    """Direct projection on the constraint.

    ``tolerance`` [m] bounds the violation that is left, ``max_iterations`` the repetitions,
    ``metric`` is ``"mass"`` or ``"identity"``, ``level`` the relations in play:
    ``"active"`` (those of the velocity stage) or ``"all"``; bilateral constraints always are.
    ``on_limit="keep"`` accepts what is left after the last repetition. Not for rigid bodies.
    """

    tolerance: float = 1e-8
    max_iterations: int = 20
    metric: str = "mass"
    level: str = "active"
    on_limit: str = "raise"

    def __post_init__(self) -> None:
        if self.metric not in ("mass", "identity"):
            raise ParameterError(f"metric={self.metric!r} is unknown", where="projection",
                                 fix="use 'mass' or 'identity'")
        self.stage(Newton())  # refuses what cannot be used
        if self.level not in ("active", "all"):
            raise ParameterError(f"level={self.level!r} is unknown", where="projection",
                                 fix="use 'active' or 'all'")

    @property
    def options(self) -> tuple[Option, ...]:
        """None: nothing of the projection is a run value."""
        return ()

    def stage(self, newton: Newton) -> Repeat:
        """The stage, repeated until the violation is within the tolerance."""
        return Repeat((StageOptions("projection", newton),), self.tolerance, self.max_iterations, minimum=0,
                      on_limit=self.on_limit)

    def system(self, step: SystemStep) -> None:
        """w = q, R = G (q - q*); the state's velocities are kept."""
        if not step.cls.configuration.flat:
            raise ModelError("projection of bodies is not available", where=f"system {step.cls.name!r}",
                             fix="leave projection=None for models with rigid bodies")
        q, star = step.unknown("q"), step.state("q_k")
        metric = sp.eye(q.rows) if self.metric == "identity" else step.term("mass", step.at(T_NEXT, q=star))
        step.residual(metric * (q - star))
        step.advance(q_k=q)
        step.formulas(residual="R = G (q - q*)", advance="q* = q, v unchanged")

    def relation(self, step: RelationStep) -> None:
        """The constraint linearised at q*, equality or complementarity."""
        at = step.ended
        gap = step.term("gap", at)
        m, equality = gap.rows, not step.law.unilateral
        push = step.multiplier("push", m, names=_names(m))
        gradients = [H[:m, :] for H in step.gradients(at)]
        output = gap
        for p, H in zip(step.participants, gradients, strict=True):
            output = output + H * (p.unknown - p.state("q_k"))
        step.impose(output, (Cone.EQUALITY if equality else Cone.COMPLEMENTARITY, m))
        step.reaction(*(H.T * push for H in gradients))
        step.remember(gap_k=gap)
        step.violation(sum((Branch(e, e >= 0, -e, sp.true) for e in gap), sp.S.Zero) if equality
                       else Branch(-gap[0], gap[0] <= 0, sp.S.Zero, sp.true))
        if self.level == "all" and not equality:
            step.activation(sp.S.One)
        step.formulas(output="y = h(q*) + H(q*) (q - q*), rho = H^T lambda")


def _names(count: int) -> Sequence[str]:
    return ("position_impulse",) if count == 1 else [f"position_impulse[{i}]" for i in range(count)]
