"""Where a step of velocities takes finite forces: those of systems, by formula, and by output and reaction.

The impulse of a force over a step, with the mean values t_theta = theta t_k+1 + (1 - theta) t_k, q_theta, v_theta:

ends    h theta F(t_k+1, q_k+1, v_k+1) + h (1 - theta) F(t_k, q_k, v_k)
theta   h F(t_theta, q_theta, v_theta)
mean    h/6 (F(t_k, q_k, v_k) + 4 F(t_m, q_m, v_m) + F(t_k+1, q_k+1, v_k+1)), Simpson's rule with t_m in the middle

With positions by theta = 1/2 the mean of a force -dU/dq along the straight way from q_k to q_k+1 does the work that U
loses: energy stays where M is constant and U is a polynomial of degree four at most, as that of Green and Lagrange's
strains is (Quispel and McLaren, J. Phys. A 41 (2008)).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP
from nsdgen.schemes.system_step import Instant, SystemStep, blend
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.configuration import Configuration

_Spaces = Sequence[tuple[Configuration, Sequence[sp.Symbol]]]
"""The symbols of configurations, each with its space."""


@dataclass(frozen=True)
class ForceWeights:
    """The rule ``at`` (ends, theta, mean), and the name of the option that weighs by it."""

    at: str
    weight: str

    def instants(
        self, step: SystemStep | RelationStep, end: Instant, last: Instant, spaces: _Spaces
    ) -> list[tuple[sp.Expr, Instant, str]]:
        """The instants at which forces are taken, with their weights and names; refuses means of what turns."""
        theta = getattr(step.options, self.weight)
        if self.at == "theta":
            return [(sp.S.One, _between(theta, end, last, spaces), "theta")]
        if self.at == "ends":
            return [(theta, end, "next"), (1 - theta, last, "k")]
        if not all(space.flat for space, _ in spaces):
            raise step.refused("force_at='mean' is for generalised coordinates: use force_at='theta'")
        half, sixth = sp.Rational(1, 2), sp.Rational(1, 6)
        return [(sixth, end, "next"), (4 * sixth, _between(half, end, last, spaces), "mid"), (sixth, last, "k")]

    def formula(self, at_end: str, sign: str) -> str:
        """What a step takes of a force, as emitted code says it; ``at_end`` is the force at the end of the step."""
        name = at_end.partition("(")[0]
        at_start = f"{name}(t_k, q_k, v_k)"
        return {
            "ends": f"h {self.weight} {at_end} {sign} h (1 - {self.weight}) {at_start}",
            "theta": f"h {name}(t_theta, q_theta, v_theta)",
            "mean": f"h/6 {at_end} {sign} 4h/6 {name}(t_m, q_m, v_m) {sign} h/6 {at_start}",
        }[self.at]

    def by_formula(self, step: RelationStep) -> None:
        """A force by formula between systems, weighed like their own."""
        instants = self.instants(step, step.end, step.last, _spaces(step))
        parts = zip(*([STEP * weight * g for g in step.reactions(at)] for weight, at, _ in instants), strict=True)
        step.reaction(*(sum(own[1:], own[0]) for own in parts))
        step.formulas(output=f"rho = {self.formula('g(t_next, q, v)', '+')}", observe="force at t_next")

    def by_output(self, step: RelationStep, place: str) -> None:
        """y = h(t, q, v, lambda) with the force g(t, q, v, lambda), at the end of the step or at t_theta: rho = h g."""
        step.multiplier()
        at = step.end
        if place == "theta":
            at = _between(step.options.theta, step.end, step.last, _spaces(step))
            step.bounds({NOW: at[NOW]})
        step.output(step.term("output", at))
        step.reaction(*(STEP * g for g in step.reactions(at)))
        when = "t_next, q, v" if place == "end" else "t_theta, q_theta, v_theta"
        step.formulas(output=f"y = h({when}, lambda), rho = h g({when}, lambda)", observe="y at t_next")


def _between(weight: sp.Expr, end: Instant, last: Instant, spaces: _Spaces) -> Instant:
    """weight * end + (1 - weight) * last, configurations normalised."""
    at = blend(weight, end, last)
    for space, q in spaces:
        if not space.flat:
            at.update(zip(q, space.normalised([at[s] for s in q]), strict=True))
    return at


def _spaces(step: RelationStep) -> _Spaces:
    return [(p.participant.system.configuration, p.group("q")) for p in step.participants]
