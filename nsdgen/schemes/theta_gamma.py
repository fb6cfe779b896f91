"""theta-gamma schemes for first-order systems (design, section 4; developer notes, theta-gamma).

M(x) (x - x_k) = h theta f(t_next, x) + h (1 - theta) f(t_k, x_k) + reaction, with

* ``relation_at="end"`` (standard): y = h(t_next, x, lambda) and the reaction
  h gamma g(t_next, x, lambda) + h (1 - gamma) g_k, g_k remembered;
* ``relation_at="gamma"`` (full): y = h and h g at t_gamma, x_gamma = gamma x + (1 - gamma) x_k; with
  ``output_time="end"`` y and the bounds of its law are taken at t_next, x_gamma.

``rhs_at="theta"`` is the midpoint form f(t_theta, x_theta), ``"x_theta"`` f(t_next, x_theta). Algebraic equations,
where M is singular, hold at the end
(:mod:`nsdgen.schemes.algebraic`), or with ``relation_at="gamma"`` at t_gamma, x_gamma as the relations do.
"""

from dataclasses import dataclass

import sympy as sp

from nsdgen.base.checks import choice
from nsdgen.base.suggest import named_arguments
from nsdgen.schemes.algebraic import AlgebraicEquations, algebraic_equations, expected_rank
from nsdgen.schemes.force_weights import ForceWeights
from nsdgen.schemes.output_relations import (
    check_output_time,
    consistent_at_start,
    output_relation,
    output_stages,
    own_unknowns,
    stay_at_start,
)
from nsdgen.schemes.program import Repeat, StageOptions, flat
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.scheme import Scheme, option
from nsdgen.schemes.stages import STEP, T_K, T_NEXT
from nsdgen.schemes.system_step import SystemStep, blend
from nsdgen.symbolic.expressions.time import NOW


@named_arguments
@dataclass(frozen=True)
class ThetaGamma(Scheme):
    """theta weighs the right-hand side, gamma the reaction; both are run values in [0, 1].

    ``relation_at``: outputs are taken at the ``"end"`` of the step and the reaction is weighed between
    its ends, or both are taken at t_gamma, x_gamma (``"gamma"``); ``output_time="end"`` takes such an output at t_k+1,
    x_gamma. ``rhs_at``: the right-hand side is weighed
    between the ``"ends"``, or taken at t_theta, x_theta (``"theta"``) or at t_k+1, x_theta (``"x_theta"``). With
    gamma < 1 and ``relation_at="end"`` the
    first step remembers g(t_0, x_0, lambda_0): multipliers at t_0 that the model does not give are solved for at fixed
    x_0 (``initial_multiplier="solved"``, refused where they are not unique or do not exist), or ``"zero"``.

    Where M is singular, ``initial_state="consistent"`` makes a run start from the state that satisfies the algebraic
    equations and laws at t_0 and has the given M x; ``"given"`` starts from the values that are given.
    """

    theta: float = option(0.5, 0, 1)
    gamma: float = option(1.0, 0, 1)
    relation_at: str = choice("end", "gamma")
    rhs_at: str = choice("ends", "theta", "x_theta")
    initial_multiplier: str = choice("solved", "zero")
    output_time: str = choice("gamma", "end")
    initial_state: str = choice("given", "consistent")

    def __post_init__(self) -> None:
        self.check()
        check_output_time(self.name, self.output_time, self.relation_at)

    @property
    def stages(self) -> tuple[StageOptions | Repeat, ...]:
        """The step, and before the first one the multipliers at t_0, where it remembers a reaction."""
        return output_stages(self.newton, self.relation_at, self.initial_multiplier, self.initial_state)

    def system(self, step: SystemStep) -> None:
        """w = x, s = x_k: M(x_theta) (x - x_k) = h f_theta + reaction."""
        if "rhs" not in step.cls.terms:
            raise step.refused(
                "use nsd.MoreauJean for mechanical systems; a family of your own is described by "
                "first_order_class, or has a scheme of its own"
            )
        theta = step.options.theta
        x, x_k = step.unknown("x"), step.state("x_k")
        end, last = step.at(T_NEXT, x=x), step.at(T_K, x=x_k)
        between = blend(theta, end, last)
        if self.rhs_at == "ends":
            flow = STEP * theta * step.term("rhs", end, dated="next") + STEP * (1 - theta) * step.term(
                "rhs", last, dated="k"
            )
            formula = "R = M (x - x_k) - h theta f(t_next, x) - h (1 - theta) f(t_k, x_k)"
        else:
            instant, time = ("t_theta", between[NOW]) if self.rhs_at == "theta" else ("t_next", T_NEXT)
            flow = STEP * step.term("rhs", {**between, NOW: time})
            formula = f"R = M (x - x_k) - h f({instant}, x_theta)"
        algebraic = algebraic_equations(step.cls)
        weighed = step.term("mass", between) * (x - x_k) - flow
        start = x_k
        if algebraic:
            at = end if self.relation_at == "end" else blend(step.options.gamma, end, last)
            own = own_unknowns(step, algebraic)
            weighed += algebraic.directions(between) * own[: len(algebraic.moving), :]
            weighed = algebraic.imposed(weighed, -STEP * step.term("rhs", at, dated="next"), at, own)
            start = x_k.col_join(sp.zeros(own.rows, 1))
            formula += "; algebraic equations: - h f(t_next, x)"
        step.algebraic(algebraic.supports, expected_rank(step.cls, algebraic))
        step.residual(weighed)
        step.start(start)
        step.advance(x_k=x)
        step.formulas(residual=formula, advance="x_k+1 = x")
        self._start(step, algebraic)

    def _start(self, step: SystemStep, algebraic: AlgebraicEquations) -> None:
        """The stages at t_0 that the scheme has."""
        for name in (stage.name for stage in flat(self.stages)[1:]):
            if self.initial_state == "consistent":
                consistent_at_start(step, name, algebraic)
            else:
                stay_at_start(step, name)

    def relation(self, step: RelationStep) -> None:
        """y = h(t, x, lambda), rho = h g(t, x, lambda), at the end of the step or at t_gamma; or terms by formula."""
        if step.has("force"):
            self._by_formula(step)
            return
        if not step.has("output") or not step.cls.reactions:
            raise step.refused("use nsd.FirstOrderRelation on first-order systems")
        output_relation(
            step,
            self.relation_at,
            self.output_time,
            [stage.name for stage in flat(self.stages)[1:]],
            consistent=self.initial_state == "consistent",
        )

    def _by_formula(self, step: RelationStep) -> None:
        """Terms of several systems, taken where right-hand sides are."""
        if any(algebraic_equations(p.participant.system) for p in step.participants):
            raise step.refused("terms of algebraic equations want a multiplier: use nsd.FirstOrderRelation")
        if self.rhs_at == "ends":
            ForceWeights("ends", "theta").by_formula(step)
            step.observe_own("force")
            return
        between = blend(step.options.theta, step.end, step.last)
        instant, time = ("t_theta", between[NOW]) if self.rhs_at == "theta" else ("t_next", T_NEXT)
        step.reaction(*(STEP * g for g in step.reactions({**between, NOW: time})))
        step.observe_own("force")
        step.formulas(output=f"rho = h g({instant}, x_theta)", observe="terms at t_next")
