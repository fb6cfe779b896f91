"""Projection onto the constraints: stages that follow the velocities of a step.

Minimise xi^T G xi / 2 subject to the constraints linearised at q*: R = G xi, rho = H^T lambda,
y = h(q*) + H(q*) xi, then q* := q* moved by xi until no constraint in play is violated by more than the tolerance
(design, section 4). In generalised coordinates xi = q - q*; a body moves by a twist along the exponential, so that
|p| = 1 stays. G is the mass matrix or T^T T, the identity in q. Velocities follow where they are asked for:
M (v - v*) = H^T mu, H v + dh/dt = 0 at the projected positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.names import numbered
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ParameterError
from nsdgen.schemes.newton import Newton
from nsdgen.schemes.program import Repeat, StageOptions
from nsdgen.schemes.rate_labels import impulse_units
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import MODE, T_NEXT, SchemeOption
from nsdgen.schemes.system_step import SystemStep
from nsdgen.symbolic.expressions.nodes import Branch

__all__ = ["Projection"]

_CHOICES = {
    "metric": ("mass", "identity"),
    "level": ("active", "all"),
    "method": ("direct", "combined"),
    "contacts": ("lifted", "held"),
}


@named_arguments
@dataclass(frozen=True)
class Projection:
    """Projection on the constraint, of generalised coordinates and of bodies.

    ``tolerance`` [m] bounds the violation that is left, ``max_iterations`` the repetitions,
    ``metric`` is ``"mass"`` or ``"identity"``, ``level`` the relations in play:
    ``"active"`` (those of the velocity stage) or ``"all"`` (of which velocities follow those that were struck, and
    held are those that are closed or were struck); bilateral constraints always are.
    ``method="combined"`` makes the step again, velocities included, with every contact that is closed after the
    projection, until none enters. ``contacts="held"`` brings contacts in play to a gap of 0 from both sides, in place
    of lifting overlaps only. ``velocities`` projects velocities, too. ``on_limit="keep"`` accepts what is left after
    the last repetition.
    """

    tolerance: float = 1e-8
    max_iterations: int = 20
    metric: str = "mass"
    level: str = "active"
    on_limit: str = "raise"
    method: str = "direct"
    contacts: str = "lifted"
    velocities: bool = False

    def __post_init__(self) -> None:
        self.stages(StageOptions("velocity", Newton()), Newton())  # refuses what cannot be used
        for what, words in _CHOICES.items():
            if getattr(self, what) not in words:
                raise ParameterError(
                    f"{what}={getattr(self, what)!r} is unknown",
                    where="projection",
                    fix=f"use {' or '.join(map(repr, words))}",
                )

    @property
    def options(self) -> tuple[SchemeOption, ...]:
        """None: nothing of the projection is a run value."""
        return ()

    @property
    def _holds(self) -> bool:
        """Whether gaps of contacts in play are brought to zero from above by repetition; a combined one is solved."""
        return self.contacts == "held" and not self.combined

    @property
    def combined(self) -> bool:
        """Whether velocities and projection repeat together."""
        return self.method == "combined"

    def stages(self, velocity: StageOptions, newton: Newton) -> tuple[StageOptions | Repeat, ...]:
        """The velocity stage and those of the projection, repeated until the violation is within the tolerance."""
        position = StageOptions("projection", _to_the_end(newton) if self.combined else newton)
        after = (StageOptions("velocity projection", newton),) if self.velocities else ()
        if self.combined:
            return (
                Repeat(
                    (velocity, position), self.tolerance, self.max_iterations, on_limit=self.on_limit, from_start=True
                ),
                *after,
            )
        return (
            velocity,
            Repeat((position,), self.tolerance, self.max_iterations, minimum=0, on_limit=self.on_limit),
            *after,
        )

    def system(self, step: SystemStep) -> None:
        """w = q or a twist, R = G xi; velocities stay, or follow in a stage of their own."""
        at, space = step.stage("projection"), step.cls.configuration
        star = at.state("q_k")
        T = space.twist_map(list(star))
        metric = (
            T.T * T + sp.diag(sp.zeros(T.cols - space.states), sp.eye(space.states))
            if self.metric == "identity"
            else at.term("mass", at.at(T_NEXT, q=star))
        )
        if space.identity:
            q = at.unknown("q")
            at.residual(metric * (q - star))
            at.advance(q_k=q)
            at.formulas(residual="R = G (q - q*)", advance="q* = q, v unchanged")
        else:
            xi = at.unknown("correction", like="v")
            moved = space.moved(list(star), list(xi))
            at.residual(metric * xi)
            at.start(sp.zeros(*xi.shape))
            at.view(q=moved)
            at.advance(q_k=space.normalised(moved))
            at.formulas(residual="R = G xi", advance="q* = q* moved by xi, v unchanged")
        if self.velocities:
            self._velocity(step.stage("velocity projection"))

    def _velocity(self, step: SystemStep) -> None:
        """w = v, R = M (v - v*)."""
        v, star = step.unknown("v"), step.state("v_k")
        step.residual(step.term("mass", step.at(T_NEXT, q=step.state("q_k"))) * (v - star))
        step.advance(v_k=v)
        step.formulas(residual="R = M (v - v*)", advance="v* = v")

    def relation(self, step: RelationStep, impulse: sp.Expr) -> None:
        """The constraint at q* moved by xi, linearised where the stage repeats alone: equality or complementarity.

        ``impulse`` is the first multiplier of the velocity stage.
        """
        at = step.stage("projection")
        now = at.ended
        gap = at.term("gap", now)
        m, equality = gap.rows, not at.law.unilateral
        push = at.multiplier("push", m, names=numbered("position_impulse", m))
        gradients = [H[:m, :] for H in at.gradients(now)]
        at.impose(
            at.term("gap", at.end) if self.combined else gap + self._moved(at, gradients),
            (Cone.EQUALITY if equality or self.contacts == "held" else Cone.COMPLEMENTARITY, m),
        )
        at.reaction(*(H.T * push for H in gradients))
        at.remember(gap_k=gap)
        above = Branch(gap[0], MODE > 0, sp.S.Zero, sp.true) if self._holds else sp.S.Zero
        at.violation(
            sum((Branch(e, e >= 0, -e, sp.true) for e in gap), sp.S.Zero)
            if equality
            else Branch(-gap[0], gap[0] <= 0, above, sp.true)
        )
        if self.combined and not equality:
            at.entry(Branch(sp.S.One, gap[0] <= 0, sp.S.Zero, sp.true))
        at.formulas(
            output="y = h(q), rho = H(q*)^T lambda" if self.combined else "y = h(q*) + H(q*) xi, rho = H^T lambda"
        )
        if self.velocities:
            _velocity_rows(step.stage("velocity projection"), m, equality)
        if self.level == "all" and not self.combined and not equality:
            self._every_contact(step, at, impulse)

    def _every_contact(self, step: RelationStep, at: RelationStep, impulse: sp.Expr) -> None:
        """Contacts that were not in play are lifted, too; held, and stopped, are those that are closed or were struck.

        A combined projection needs none of this: what is closed after it enters.
        """
        if not self.velocities and self.contacts == "lifted":
            at.activation(sp.S.One)
            return
        struck = step.memory("struck", units=impulse_units(step.cls)[:1])
        step.remember(struck=sp.Matrix([impulse]))
        held = sp.Or(step.memory("gap_k")[0] <= 0, struck[0] > 0)
        at.activation(sp.S.One if self.contacts == "lifted" else Branch(sp.S.One, held, sp.S.Zero, sp.true))
        if self.velocities:
            step.stage("velocity projection").activation(Branch(sp.S.One, struck[0] > 0, sp.S.Zero, sp.true))

    @staticmethod
    def _moved(step: RelationStep, gradients: Sequence[sp.Matrix]) -> sp.Matrix:
        """H(q*) xi."""
        moved = sp.zeros(gradients[0].rows, 1)
        for p, H in zip(step.participants, gradients, strict=True):
            identity = p.participant.system.configuration.identity
            moved += H * (p.unknown - p.state("q_k") if identity else p.unknown)
        return moved


def _to_the_end(newton: Newton) -> Newton:
    """Options that look at the constraints: a combined projection is one solution, not a repetition that mends it."""
    looks = newton.measure == "all" and newton.fixed_iterations is None
    return (
        newton
        if looks
        else Newton(max_iterations=newton.max_iterations, on_limit=newton.on_limit, line_search=newton.line_search)
    )


def _velocity_rows(step: RelationStep, m: int, equality: bool) -> None:
    """H v + dh/dt = 0 of constraints, not negative for contacts in play; rates are remembered anew."""
    push = step.multiplier("velocity_push", m, names=numbered("velocity_impulse", m))
    now = step.ended
    at = {**now, **{s: s for p in step.participants for s in p.group("v")}}
    step.impose(step.rate(at)[:m, :], (Cone.EQUALITY if equality else Cone.COMPLEMENTARITY, m))
    step.reaction(*(H[:m, :].T * push for H in step.gradients(now)))
    step.remember(rate_k=step.rate(now))
    step.formulas(output="y = H v + dh/dt, rho = H^T mu")
