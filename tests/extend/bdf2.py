"""BDF2, a two-step scheme: M (3 x - 4 x_k + x_last) / 2 = h f(t_k+1, x) + h g(t_k+1, x, lambda)."""

from dataclasses import dataclass

from nsdgen.extend import STEP, T_K, T_NEXT, Scheme


@dataclass(frozen=True)
class BDF2(Scheme):
    """For first-order systems; x_last at the start is a backward Euler step away, x_0 - h M^-1 f(t_0, x_0)."""

    def system(self, step):
        x, x_k, x_last = step.unknown("x"), step.state("x_k"), step.state("x_last")
        end, start = step.at(T_NEXT, x=x), step.at(T_K, x=step.given("x"))
        step.residual(step.term("mass", end) * (3 * x - 4 * x_k + x_last) / 2 - STEP * step.term("rhs", end))
        step.initial(x_last=step.given("x") - STEP * step.term("mass", start).LUsolve(step.term("rhs", start)))
        step.advance(x_k=x, x_last=x_k)

    def relation(self, step):
        step.multiplier()
        step.output(step.term("output", step.end))
        step.reaction(*(STEP * g for g in step.reactions(step.end)))
