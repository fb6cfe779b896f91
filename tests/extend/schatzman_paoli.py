"""Schatzman-Paoli: a two-step scheme on positions, impacts included.

M(q_k) (q - 2 q_k + q_last) = h^2 F(t_k, q_k, (q - q_last) / 2h) + H(q_k)^T lambda,
0 <= h(q) + e h(q_last) orthogonal to lambda >= 0.
"""

from dataclasses import dataclass

from nsdgen.extend import STEP, T_K, Scheme


@dataclass(frozen=True)
class SchatzmanPaoli(Scheme):
    """For mechanical systems with contacts and constraints; lambda is an impulse times h."""

    def system(self, step):
        q, q_k, q_last = step.unknown("q"), step.state("q_k"), step.state("q_last")
        step.state("v_k")
        v = (q - q_last) / (2 * STEP)
        here = step.at(T_K, q=q_k, v=v)
        step.residual(step.term("mass", here) * (q - 2 * q_k + q_last) - STEP**2 * step.term("force", here))
        step.initial(q_last=step.given("q") - STEP * step.given("v"))
        step.advance(q_k=q, q_last=q_k, v_k=v)

    def relation(self, step):
        impulse = step.multiplier("impulse", step.cls.height)
        before = step.at(T_K - STEP, q=[p.state("q_last") for p in step.participants])
        step.output(step.term("gap", step.end), step.term("gap", before))
        step.reaction(*(H.T * impulse for H in step.gradients(step.last)))
        step.observe(step.term("gap", step.ended), ["gap"])
