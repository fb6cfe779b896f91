"""D1-minus, half-explicit: accelerations at both ends of the step, then the impact (Schindler and Acary).

q_k+1 = q_k + h v_k, v- = v_k + h (a_k+ + a_k+1-) / 2, each acceleration with the forces of closed contacts,
M (v - v-) = H^T p with the impact law on (H v, H v-).
"""

from dataclasses import dataclass

import sympy as sp

from nsdgen.extend import STEP, T_K, T_NEXT, Branch, Scheme, StageOptions


@dataclass(frozen=True)
class D1Minus(Scheme):
    """For mechanical systems with constant gap gradients: accelerations of contacts are H a."""

    @property
    def stages(self):
        return tuple(StageOptions(name, self.newton) for name in ("right", "left", "impact"))

    def system(self, step):
        q_k, v_k, a_k = step.state("q_k"), step.state("v_k"), step.state("a", like="v")
        step.initial(a=[0] * v_k.rows)
        self._acceleration(step.stage("right"), step.at(T_K, q=q_k, v=v_k)).advance(a=sp.Matrix(step.cls.group("v")))
        left = self._acceleration(step.stage("left"), step.at(T_NEXT, q=q_k + STEP * v_k, v=v_k + STEP * a_k))
        left.advance(q_k=q_k + STEP * v_k, v_k=v_k + STEP * (a_k + sp.Matrix(step.cls.group("v"))) / 2)
        impact = step.stage("impact")
        impact.residual(step.term("mass", step.at(T_NEXT, q=q_k)) * (impact.unknown("v") - v_k))
        impact.advance(v_k=step.cls.group("v"))

    def _acceleration(self, stage, at):
        stage.residual(stage.term("mass", at) * stage.unknown("v") - stage.term("force", at))
        stage.start(stage.state("a"))
        return stage

    def relation(self, step):
        closed = sp.And(step.term("gap", step.last)[0] <= 0, step.rate(step.last)[0] <= 0)
        for name, quantity, condition in (
            ("right", "force_right", closed),
            ("left", "force_left", closed),
            ("impact", "impulse", step.term("gap", step.last)[0] <= 0),
        ):
            stage = step.stage(name)
            push = stage.multiplier(quantity, stage.cls.height)
            u, u_k = stage.rate(stage.end), stage.rate(stage.last)
            stage.output(u, u_k if name == "impact" else 0 * u)
            stage.reaction(*(H.T * push for H in stage.gradients(stage.end)))
            stage.activation(Branch(1, condition, 0, True))
