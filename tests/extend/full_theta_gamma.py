"""The full theta-gamma scheme: output and reaction at t_gamma, x_gamma.

M(x_theta) (x - x_k) = h f(t_theta, x_theta) + h g(t_gamma, x_gamma, lambda), y = h(t_gamma, x_gamma, lambda).
"""

from dataclasses import dataclass

from nsdgen.extend import STEP, T_K, T_NEXT, Scheme, blend, option


@dataclass(frozen=True)
class FullThetaGamma(Scheme):
    """For first-order systems and relations by output and reaction."""

    theta: float = option(0.5, 0, 1)
    gamma: float = option(0.5, 0, 1)

    def system(self, step):
        x, x_k = step.unknown("x"), step.state("x_k")
        between = blend(step.options.theta, step.at(T_NEXT, x=x), step.at(T_K, x=x_k))
        step.residual(step.term("mass", between) * (x - x_k) - STEP * step.term("rhs", between))
        step.advance(x_k=x)

    def relation(self, step):
        step.multiplier()
        between = blend(step.options.gamma, step.end, step.last)
        step.output(step.term("output", between))
        step.bounds(between)
        step.reaction(*(STEP * g for g in step.reactions(between)))
