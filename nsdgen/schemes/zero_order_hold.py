"""Exact integration of linear systems: M(t) x' = A(t) x + b(t) + r with matrices held for a step.

x+ = Phi x_k + Gamma (b_theta + r), Phi = exp(h M^-1 A), Gamma = int_0^h exp(s M^-1 A) ds M^-1. Phi and Gamma are
computed by the compiled run, once where M and A are constant, otherwise at each step from their values at
t_k + matrices_at h. b_theta = theta b(t_next) + (1 - theta) b(t_k); reactions are those of
:mod:`nsdgen.schemes.output_relations` with Gamma in place of h.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.base.checks import choice
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.schemes.algebraic import algebraic_equations
from nsdgen.schemes.output_relations import check_output_time, output_relation, output_stages, stay_at_start
from nsdgen.schemes.program import Repeat, StageOptions, flat
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.scheme import Scheme, option
from nsdgen.schemes.stages import STEP, T_K, T_NEXT, Completion
from nsdgen.schemes.system_step import SystemStep
from nsdgen.symbolic.expressions.affine import is_affine
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.families.system_class import SystemClass


@named_arguments
@dataclass(frozen=True)
class ZeroOrderHold(Scheme):
    """For linear first-order systems: exact for constant A and b, whatever the step.

    ``theta`` weighs b(t) between the ends of the step, ``gamma`` the reaction, ``matrices_at`` is where in the step
    an A or M that depends on time is taken: run values in [0, 1]. ``relation_at``, ``output_time`` and
    ``initial_multiplier`` are those of :class:`~nsdgen.schemes.theta_gamma.ThetaGamma`. Raises ``ModelError`` for a
    right-hand side that is not affine in the state, or a mass that depends on it.
    """

    theta: float = option(0.5, 0, 1)
    gamma: float = option(1.0, 0, 1)
    matrices_at: float = option(0.5, 0, 1)
    relation_at: str = choice("end", "gamma")
    initial_multiplier: str = choice("solved", "zero")
    output_time: str = choice("gamma", "end")

    def __post_init__(self) -> None:
        self.check()
        check_output_time(self.name, self.output_time, self.relation_at)

    @property
    def stages(self) -> tuple[StageOptions | Repeat, ...]:
        """The step, and before the first one the multipliers at t_0, where it remembers a reaction."""
        return output_stages(self.newton, self.relation_at, self.initial_multiplier)

    def system(self, step: SystemStep) -> None:
        """w = x, s = x_k: x = x_k + (Phi - 1) x_k + Gamma b_theta + reaction."""
        if "rhs" not in step.cls.terms:
            raise step.refused("use nsd.MoreauJean for mechanical systems")
        theta, linear = step.options.theta, _linear_part(step.cls)
        step.algebraic((), _regular(step.cls))
        x, x_k = step.unknown("x"), step.state("x_k")
        held = step.at(T_K + step.options.matrices_at * STEP, x=x_k)
        growth, gain = (
            _square([own_symbol("frozen", f"{name}{i}_{j}") for i in range(x.rows) for j in range(x.rows)])
            for name in ("growth", "gain")
        )
        given = [*(STEP * linear.xreplace(held)), *step.term("mass", held)]
        step.freeze_step(tuple(zip([*growth, *gain], given, strict=True)), Completion("nsd_hold", x.rows))
        origin = sp.zeros(x.rows, 1)
        b = theta * step.term("rhs", step.at(T_NEXT, x=origin), dated="next") + (1 - theta) * step.term(
            "rhs", step.at(T_K, x=origin), dated="k"
        )
        step.residual(x - x_k - growth * x_k - STEP * gain * b)
        step.advance(x_k=x)
        step.formulas(
            residual="R = x - Phi x_k - Gamma (theta b(t_next) + (1 - theta) b(t_k))",
            advance="x_k+1 = x",
            freeze_step="(h A, M) becomes (growth, gain) = (Phi - 1, Gamma / h)",
        )
        if len(self.stages) > 1:
            stay_at_start(step)

    def relation(self, step: RelationStep) -> None:
        """y = h(t, x, lambda) with rho = Gamma g(t, x, lambda), at the end of the step or at t_gamma."""
        if not step.has("output") or not step.cls.reactions:
            raise step.refused("use nsd.FirstOrderRelation on first-order systems")

        def spread(i: int, reaction: sp.Matrix) -> sp.Matrix:
            frozen = [symbol for symbol, _ in step.participants[i].stage.freeze_step]
            return STEP * _square(frozen[len(frozen) // 2 :]) * reaction

        output_relation(
            step,
            self.relation_at,
            self.output_time,
            [stage.name for stage in flat(self.stages)[1:]],
            spread=spread,
            of="Gamma ",
        )


def _regular(cls: SystemClass) -> int | None:
    """The rank of a regular mass, where parameters or time decide it; raises ``ModelError`` where it is singular."""
    mass = cls.terms["mass"].values
    if known := algebraic_equations(cls):
        raise ModelError(
            f"its mass matrix is singular: the equation of {cls.variables[0].names[known.pivots[0]]} has "
            "no derivative of its own, and the exponential needs M^-1",
            where=f"system {cls.name!r}",
            fix="use nsd.ThetaGamma, or eliminate the unknowns without a derivative",
        )
    return int(mass.rows) if mass.free_symbols else None


def _linear_part(cls: SystemClass) -> sp.Matrix:
    """A of the right-hand side A(t) x + b(t); raises ``ModelError`` naming the first row that is not affine."""
    x, rhs, mass = cls.group("x"), cls.terms["rhs"].values, cls.terms["mass"].values
    linear = jacobian(rhs, x)
    for i, row in enumerate(rhs):
        if not is_affine([row], linear[i, :], x):
            raise ModelError(
                f"the equation of {cls.variables[0].names[i]} is not affine in the states",
                where=f"system {cls.name!r}",
                fix="ZeroOrderHold is for linear systems: use nsd.ThetaGamma, or move the nonlinear part "
                "into a relation",
            )
    if mass.free_symbols & set(x):
        raise ModelError(
            "its mass depends on the states",
            where=f"system {cls.name!r}",
            fix="ZeroOrderHold is for linear systems: use nsd.ThetaGamma",
        )
    return linear


def _square(entries: Sequence[sp.Expr]) -> sp.Matrix:
    """Entries row by row as a square matrix."""
    n = math.isqrt(len(entries))
    return sp.Matrix(n, n, list(entries))
