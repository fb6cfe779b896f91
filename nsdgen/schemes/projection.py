"""Projection of positions onto the constraints: a second, repeated stage of a step.

Minimise (q - q*)^T G (q - q*) / 2 subject to the constraints linearised at q*:
R = G (q - q*), rho = H^T lambda, y = h(q*) + H(q*) (q - q*), then q* := q until no
constraint in play is violated by more than the tolerance (design, section 4). Velocities
and remembered rates are not touched. G is the mass matrix or the identity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.errors import ModelError, ParameterError
from nsdgen.schemes.newton import Newton
from nsdgen.schemes.stages import (
    T_NEXT,
    Labels,
    Option,
    RelationStage,
    Repeat,
    StageOptions,
    SystemScheme,
    SystemStage,
)
from nsdgen.suggest import named_arguments
from nsdgen.symbolic.classes import GapClass, MechanicalClass
from nsdgen.symbolic.entry import own_symbol
from nsdgen.symbolic.nodes import Branch
from nsdgen.symbolic.time import NOW

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
        Repeat(self.tolerance, self.max_iterations, self.on_limit)  # refuses what cannot be used
        if self.level not in ("active", "all"):
            raise ParameterError(f"level={self.level!r} is unknown", where="projection",
                                 fix="use 'active' or 'all'")

    @property
    def options(self) -> tuple[Option, ...]:
        """None: nothing of the projection is a run value."""
        return ()

    def stage(self, newton: Newton) -> StageOptions:
        """The stage's options: repeated until the violation is within the tolerance."""
        return StageOptions("projection", newton, Repeat(self.tolerance, self.max_iterations, self.on_limit))

    def system(self, cls: MechanicalClass, q_k: Sequence[sp.Symbol], v_k: Sequence[sp.Symbol]) -> SystemStage:
        """The stage for a class: w = q; the state's velocities are kept."""
        if cls.quaternion:
            raise ModelError("projection of bodies is not available", where=f"system {cls.name!r}",
                             fix="leave projection=None for models with rigid bodies")
        q, star = sp.Matrix(cls.coordinates), sp.Matrix(q_k)
        metric = sp.eye(q.rows) if self.metric == "identity" \
            else cls.mass.xreplace({**dict(zip(q, star, strict=True)), NOW: T_NEXT})
        return SystemStage(
            unknown=tuple(q), residual=metric * (q - star), start=star,
            advance=sp.Matrix([*q, *v_k]), view={s: s for s in q},
            formulas={"residual": "R = G (q - q*)", "advance": "q* = q, v unchanged"})

    def relation(self, cls: GapClass, participants: Sequence[SystemScheme], gradients: Sequence[sp.Matrix],
                 rate_k: sp.Matrix, ended: Mapping[sp.Symbol, sp.Expr]) -> RelationStage:
        """The stage for a gap: the constraint linearised at q*, equality or complementarity."""
        m = cls.gap.rows
        impulses = sp.Matrix([own_symbol("multiplier", "push" if m == 1 else f"push{i}") for i in range(m)])
        output = cls.gap.xreplace(ended)
        for p, H in zip(participants, gradients, strict=True):
            stage = p.stages[1]
            assert stage is not None
            q = sp.Matrix(stage.unknown)
            star = sp.Matrix([p.at_state[s] for s in stage.unknown])
            output = output + H.xreplace(ended) * (q - star)
        equality = cls.law.cone == Cone.EQUALITY
        gap = cls.gap.xreplace({**ended, NOW: T_NEXT})
        worst = sum((Branch(e, e >= 0, -e, sp.true) for e in gap), sp.S.Zero) if equality \
            else Branch(-gap[0], gap[0] <= 0, sp.S.Zero, sp.true)
        names = ("position_impulse",) if m == 1 else tuple(f"position_impulse[{i}]" for i in range(m))
        return RelationStage(
            multiplier=tuple(impulses), multiplier_labels=Labels(names, ("",) * m), output=output,
            reactions=tuple(H.xreplace(ended).T * impulses for H in gradients),
            cones=((Cone.EQUALITY if equality else Cone.COMPLEMENTARITY, m),),
            remember=sp.Matrix([*gap, *rate_k]), violation=worst,
            activation=sp.S.One if self.level == "all" and not equality else None,
            formulas={"output": "y = h(q*) + H(q*) (q - q*), rho = H^T lambda"})
