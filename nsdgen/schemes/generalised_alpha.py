"""The generalised-alpha scheme for smooth motion with constraints (Chung and Hulbert; Arnold and Bruels, 2007).

M(q) w = F(t_next, q, v) + H(q)^T f, c(t_next, q) = 0
(1 - alpha_m) a + alpha_m a_k = (1 - alpha_f) w + alpha_f w_k
q = q_k moved by h (v_k + h ((1/2 - beta) a_k + beta a)), v = v_k + h ((1 - gamma) a_k + gamma a)

w are accelerations, a an average of them that makes the scheme of second order; for bodies the motion is that along
the exponential (Bruels and Cardona, 2010). rho is the spectral radius at infinite frequencies.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.suggest import named_arguments
from nsdgen.schemes.expansion import rate_after
from nsdgen.schemes.program import StageOptions
from nsdgen.schemes.rate_labels import gap_units
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.scheme import Scheme, option
from nsdgen.schemes.stages import STEP, T_K, T_NEXT
from nsdgen.schemes.system_step import SystemStep
from nsdgen.schemes.transmitted import by_output

__all__ = ["GeneralisedAlpha"]


@named_arguments
@dataclass(frozen=True)
class GeneralisedAlpha(Scheme):
    """For mechanical systems without contacts: smooth motion, constraints at position level, forces of relations.

    ``rho`` in [0, 1]: the share of the highest frequencies that is left after a step; 1 damps nothing, 0 annihilates
    them. Reactions are forces [N], recorded as ``force``.
    """

    rho: float = option(0.8, 0, 1)

    @property
    def stages(self) -> tuple[StageOptions, ...]:
        """The step, and before the first one velocities that constraints admit, and the accelerations at t_0."""
        return (
            StageOptions("step", self.newton),
            StageOptions("velocities", self.newton, at="start"),
            StageOptions("start", self.newton, at="start"),
        )

    def system(self, step: SystemStep) -> None:
        """w = accelerations, s = (q_k, v_k, a, w)."""
        if "force" not in step.cls.terms:
            raise step.refused(
                "use nsd.ThetaGamma for first-order systems, or beside_motion=True beside mechanical ones"
            )
        rho, space = step.options.rho, step.cls.configuration
        alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        gamma = sp.Rational(1, 2) + alpha_f - alpha_m
        beta = (gamma + sp.Rational(1, 2)) ** 2 / 4
        q_k, v_k = step.state("q_k"), step.state("v_k")
        a_k, w_k = step.state("a", like="v"), step.state("w", like="v")
        step.initial(a=[0] * v_k.rows, w=[0] * v_k.rows)
        w = step.unknown("acceleration", like="v")
        a = ((1 - alpha_f) * w + alpha_f * w_k - alpha_m * a_k) / (1 - alpha_m)
        moved = space.moved(list(q_k), list(STEP * (v_k + STEP * ((sp.Rational(1, 2) - beta) * a_k + beta * a))))
        v = v_k + STEP * ((1 - gamma) * a_k + gamma * a)
        end = step.at(T_NEXT, q=moved, v=v)
        step.residual(step.term("mass", end) * w - step.term("force", end))
        step.start(w_k)
        step.view(q=moved, v=v)
        step.advance(q_k=space.normalised(moved), v_k=v, a=a, w=w)
        step.formulas(residual="R = M(q) w - F(t_next, q, v)", advance="q_k+1 = q, v_k+1 = v, a_k+1 = a, w_k+1 = w")
        before = step.stage("velocities")
        v = before.unknown("first_velocity", like="v")
        before.residual(before.term("mass", before.at(T_K, q=q_k)) * (v - v_k))
        before.start(v_k)
        before.advance(v_k=v)
        before.formulas(residual="R = M (v - v_0)", advance="v_0 = v")
        first = step.stage("start")
        w = first.unknown("first_acceleration", like="v")
        begin = first.at(T_K, q=q_k, v=v_k)
        first.residual(first.term("mass", begin) * w - first.term("force", begin))
        first.start([0] * w.rows)
        first.advance(a=w, w=w)

    def relation(self, step: RelationStep) -> None:
        """A constraint on positions or velocities with its force; a force by output and reaction, or by formula."""
        if step.has("gap"):
            self._gap(step)
        elif by_output(step):
            _by_output(step)
        elif step.has("force"):
            _by_formula(step)
        else:
            raise step.refused("use nsd.Bilateral, nsd.VelocityConstraint or nsd.OutputRelation on mechanical systems")

    def _gap(self, step: RelationStep) -> None:
        """c(t_next, q) = 0, or where there are rates alone these."""
        if step.law.unilateral:
            raise step.refused("the scheme is for smooth motion: contacts want nsd.MoreauJean, nsd.Rattle, nsd.D1Minus")
        gap = step.term("gap", step.end)
        if gap.rows and step.cls.terms["sliding"].rows:
            raise step.refused("joints that rub under their own load want nsd.MoreauJean or nsd.Rattle")
        if not gap.rows:
            self._constrain(step, step.rate(step.end) / STEP)
            return
        step.memory("gap_k", gap.rows, units=gap_units(step.cls))
        self._constrain(step, gap / STEP**2)
        step.remember(gap_k=step.term("gap", step.ended))
        step.at_start(zero="gap_k")

    def _constrain(self, step: RelationStep, rows: sp.Matrix) -> None:
        """These rows are zero, by a force; at t_0 velocities satisfy the rates, accelerations their derivative.

        The step itself sees positions alone: a velocity that they do not admit would change its sign in every step.
        """
        force = step.multiplier("force", rows.rows, step.cls.force_units)
        step.impose(rows, (Cone.EQUALITY, rows.rows))
        step.react(force, step.end)
        step.formulas(output="y = c(t_next, q) / h^2, rho = H^T f")
        before = step.stage("velocities")
        kick = before.multiplier("kick", rows.rows, [f"{unit} s" for unit in step.cls.force_units])
        before.impose(rate_after(before, before.last), (Cone.EQUALITY, rows.rows))
        before.react(kick, before.last)
        before.formulas(output="y = H v + dc/dt, rho = H^T p")
        first = step.stage("start")
        force = first.multiplier("force", rows.rows, step.cls.force_units)
        now = first.last
        rate = first.acceleration(now, [p.unknown for p in first.participants])
        first.impose(rate, (Cone.EQUALITY, rows.rows))
        first.react(force, now)


def _by_output(step: RelationStep) -> None:
    """y = h(t, q, v, lambda) with the force g(t, q, v, lambda) at the end of the step, and at t_0.

    There with v_0 + h w: of a brake at rest v_0 alone would not know what it gives.
    """
    first = step.stage("start")
    begin = {
        **first.last,
        **{
            s: v + STEP * w
            for p in first.participants
            for s, v, w in zip(p.group("v"), p.state("v_k"), p.unknown, strict=True)
        },
    }
    for stage, at in ((step, step.end), (first, begin)):
        stage.multiplier()
        stage.output(stage.term("output", at))
        stage.reaction(*stage.reactions(at))
        stage.bounds(at)
    step.observe_own("output")
    step.formulas(output="y = h(t_next, q, v, lambda), rho = g(t_next, q, v, lambda)", observe="y at t_next")


def _by_formula(step: RelationStep) -> None:
    """A force by formula at the end of the step, and at t_0."""
    for stage, at in ((step, step.end), (step.stage("start"), step.last)):
        stage.reaction(*stage.reactions(at))
    step.observe_own("force")
    step.formulas(output="rho = g(t_next, q, v)")
