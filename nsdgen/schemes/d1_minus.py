"""The half-explicit D1-minus scheme: accelerations at both ends of a step, then the impact (Schindler and Acary, 2014).

right limit at t_k      M a+ = F(t_k, q_k, v_k) + H^T f+
                        v_1 = v_k + h a+,  q_k+1 = q_k + h (v_k + v_1) / 2
left limit at t_k+1     M a- = F(t_k+1, q_k+1, v_1) + H^T f-,  v- = v_k + h (a+ + a-) / 2
impact at t_k+1         M (v - v-) = H^T p,  y = law(u(v), u(v-))

Forces f of closed contacts keep accelerations of gaps, or velocities at the end of the step, from being negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.schemes.program import StageOptions
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.scheme import Scheme, option
from nsdgen.schemes.stages import STEP, T_K, T_NEXT
from nsdgen.schemes.system_step import Instant, SystemStep
from nsdgen.suggest import named_arguments
from nsdgen.symbolic.expressions.nodes import Branch

__all__ = ["D1Minus"]


@named_arguments
@dataclass(frozen=True)
class D1Minus(Scheme):
    """For mechanical systems in flat coordinates with contacts and constraints, without friction.

    ``level``: forces act on ``"acceleration"``, d/dt(H v + dh/dt) >= 0, or on ``"velocity"``,
    H (v_k + h a) + dh/dt >= 0 with gradients at q_k + h v_k for the right limit. A contact is closed where gap and
    gap rate are at most ``closed`` (in m and m/s); forces of one that closes within a step begin with the next step.
    """

    separates_impacts: ClassVar[bool] = True

    closed: float = option(1e-8, 0, 1)
    level: str = "acceleration"

    def __post_init__(self) -> None:
        self.check_choices(level=("acceleration", "velocity"))
        self.check()

    @property
    def stages(self) -> tuple[StageOptions, ...]:
        """Right limit, left limit, impact, and where a law has two phases its expansion."""
        return (*(StageOptions(name, self.newton) for name in ("right limit", "left limit", "impact")),
                StageOptions("expansion", self.newton, without_relations="skip_constraints"))

    def system(self, step: SystemStep) -> None:
        """s = (q_k, v_k, a+); accelerations are the unknowns of the first two stages, velocities of the last."""
        if "force" not in step.cls.terms or not step.cls.configuration.flat:
            raise step.refused("use nsd.MoreauJean for rigid bodies, nsd.ThetaGamma for first-order systems")
        q_k, v_k, a_k = step.state("q_k"), step.state("v_k"), step.state("a", like="v")
        step.initial(a=[0] * v_k.rows)
        right, left, impact, expansion = (step.stage(s.name) for s in self.stages)
        right.advance(a=_accelerated(right, step.at(T_K, q=q_k, v=v_k), "F(t_k, q_k, v_k)"))
        q, v_1 = q_k + STEP * v_k + STEP**2 * a_k / 2, v_k + STEP * a_k
        a = _accelerated(left, step.at(T_NEXT, q=q, v=v_1), "F(t_next, q_next, v_1)")
        left.advance(q_k=q, v_k=v_k + STEP * (a_k + a) / 2)
        v = impact.unknown("v")
        impact.residual(impact.term("mass", step.at(T_NEXT, q=q_k)) * (v - v_k))
        impact.advance(v_k=v)
        impact.formulas(residual="R = M (v - v_minus)", advance="v_k+1 = v")
        v = expansion.unknown("v")
        expansion.residual(expansion.term("mass", step.at(T_NEXT, q=q_k)) * (v - v_k))
        expansion.advance(v_k=v)
        expansion.formulas(residual="R = M (v - v_c)", advance="v_k+1 = v")

    def relation(self, step: RelationStep) -> None:
        """A gap or a constraint: forces at both ends of the step, an impulse at its end; or a force by formula."""
        if step.has("force") and not step.has("gap"):
            self._by_formula(step)
            return
        if not step.has("gap") or step.cls.terms["sliding"].rows:
            raise step.refused("use nsd.Contact or nsd.Bilateral without friction, or nsd.ForceElement; "
                               "nsd.MoreauJean has the others")
        right, left, impact, expansion = (step.stage(s.name) for s in self.stages)
        m, closed = step.cls.height, step.options.closed
        gap_k = step.memory("gap_k", m, units=("m",) * m)
        now = step.last
        self._force(right, "force_right", now)
        after = _after(step)
        self._force(left, "force_left", after)
        impulse = impact.multiplier("impulse", m, ["N s"] * m)
        impact.output(impact.rate({**impact.end, **_positions(step)}), impact.rate(impact.ended))
        impact.reaction(*(H.T * impulse for H in impact.gradients(impact.ended)))
        impact.remember(gap_k=impact.term("gap", impact.ended))
        if step.law.unilateral:
            rests = (_closed(step, now, closed), sp.And(gap_k[0] <= closed, _closed(step, after, closed)))
            for stage, condition in zip((right, left), rests, strict=True):
                stage.activation(Branch(1, condition, 0, True))
            impact.activation(Branch(1, impact.term("gap", impact.ended)[0] <= closed, 0, True))
        if step.law.expansion is not None:
            _expand(expansion, impulse, step.law.expansion)
        elif not step.law.unilateral:
            _hold(expansion, m)
        step.at_start(**({"nonnegative": "gap_k"} if step.law.unilateral else {"zero": "gap_k"}))
        impact.formulas(output="y = law(u(v), u(v_minus)), rho = H^T p", observe="gap at the end of the step")

    def _by_formula(self, step: RelationStep) -> None:
        """A finite force at both ends of the step; none acts in the impact."""
        right, left, impact, _ = (step.stage(s.name) for s in self.stages)
        for stage, at in ((right, step.last), (left, _after(step))):
            stage.reaction(*stage.reactions(at))
            stage.formulas(output="rho = g(t, q, v)")
        impact.reaction(*(sp.zeros(rho.rows, 1) for rho in impact.reactions(step.ended)))
        impact.observe(step.term("force", impact.ended), [name for name, _ in step.cls.labels],
                       [unit for _, unit in step.cls.labels])

    def _force(self, stage: RelationStep, name: str, at: Instant) -> None:
        """The rows that keep closed contacts closed, and the force that does it."""
        m = stage.cls.height
        force = stage.multiplier(name, m, ["N"] * m)
        a = [p.unknown for p in stage.participants]
        if self.level == "velocity":
            v = [p.state("v_k") for p in stage.participants]
            q = [p.state("q_k") + STEP * k for p, k in zip(stage.participants, v, strict=True)]
            there = at if name == "force_left" else stage.at(T_NEXT, q=q, v=v)
            rows = stage.rate({**there, **_velocities(stage, [k + STEP * x for k, x in zip(v, a, strict=True)])})
        else:
            there, rows = at, stage.acceleration(at, a)
        stage.impose(rows, (Cone.COMPLEMENTARITY if stage.law.unilateral else Cone.EQUALITY, m))
        stage.reaction(*(H.T * force for H in stage.gradients(there)))
        stage.formulas(output=f"{'d/dt(H v + dh/dt)' if self.level == 'acceleration' else 'H (v_k + h a) + dh/dt'}, "
                              "rho = H^T f")


def _after(step: RelationStep) -> Instant:
    """The end of the step as the accelerations at its start foretell it."""
    return step.at(T_NEXT, q=[p.state("q_k") + STEP * p.state("v_k") + STEP**2 * p.state("a") / 2
                              for p in step.participants],
                   v=[p.state("v_k") + STEP * p.state("a") for p in step.participants])


def _expand(stage: RelationStep, compression: sp.Matrix, restitution: sp.Expr) -> None:
    """0 <= u orthogonal to p >= 0 with the impulse p + e p_c: Poisson's second phase."""
    impact = stage.stage("impact")
    stored = stage.memory("compression_k", compression.rows, units=["N s"] * compression.rows)
    impact.remember(compression_k=compression)
    more = stage.multiplier("expansion", compression.rows, ["N s"] * compression.rows)
    stage.impose(stage.rate({**stage.end, **_positions(stage)}), (Cone.COMPLEMENTARITY, compression.rows))
    stage.reaction(*(H.T * (more + restitution * stored) for H in stage.gradients(stage.ended)))
    stage.activation(Branch(1, stage.term("gap", stage.ended)[0] <= stage.options.closed, 0, True))
    stage.formulas(output="y = u(v), rho = H^T (p + e p_c)")


def _hold(stage: RelationStep, m: int) -> None:
    """A constraint holds in the second phase, too."""
    push = stage.multiplier("expansion", m, ["N s"] * m)
    stage.impose(stage.rate({**stage.end, **_positions(stage)}), (Cone.EQUALITY, m))
    stage.reaction(*(H.T * push for H in stage.gradients(stage.ended)))
    stage.formulas(output="y = u(v), rho = H^T p")


def _accelerated(stage: SystemStep, at: Instant, force: str) -> sp.Matrix:
    """The acceleration as the unknown of a stage: M a = F at an instant."""
    a = stage.unknown("acceleration", like="v")
    stage.residual(stage.term("mass", at) * a - stage.term("force", at))
    stage.start(stage.state("a"))
    stage.formulas(residual=f"R = M a - {force}")
    return a


def _closed(step: RelationStep, at: Instant, tolerance: sp.Symbol) -> sp.Basic:
    """Whether a contact neither is open nor opens."""
    return sp.And(step.term("gap", at)[0] <= tolerance, step.rate(at)[0] <= tolerance)


def _positions(step: RelationStep) -> Instant:
    """The configurations that the step has reached, by the symbols of the participants."""
    return {s: e for p in step.participants for s, e in zip(p.group("q"), p.state("q_k"), strict=True)}


def _velocities(step: RelationStep, values: Sequence[sp.Matrix]) -> Instant:
    return {s: e for p, v in zip(step.participants, values, strict=True) for s, e in zip(p.group("v"), v, strict=True)}
