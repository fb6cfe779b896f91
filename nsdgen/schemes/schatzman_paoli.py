"""The Schatzman-Paoli scheme: two steps in positions, impacts at position level.

M(q_k) (q - 2 q_k + q_last) = h^2 (theta F(t_next, q, v) + (1 - theta) F(t_k, q_k, v)) + H(q_k)^T lambda,
v = (q - q_last) / 2h, y = law(h(q), h(q_last)), so that Newton's law reads 0 <= h(q) + e h(q_last) orthogonal to
lambda >= 0 (developer notes, Schatzman-Paoli). lambda is an impulse times h.
"""

from __future__ import annotations

from dataclasses import dataclass

from nsdgen.schemes.program import StageOptions
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.scheme import Scheme, option
from nsdgen.schemes.stages import STEP, T_K, T_NEXT
from nsdgen.schemes.system_step import SystemStep
from nsdgen.suggest import named_arguments

__all__ = ["SchatzmanPaoli"]


@named_arguments
@dataclass(frozen=True)
class SchatzmanPaoli(Scheme):
    """For mechanical systems in flat coordinates with contacts and constraints, without friction.

    ``theta`` weighs forces at the end of the step; 0 keeps the scheme centred at t_k and of second order in smooth
    motion. ``velocity`` says what is recorded at t_k+1: ``"centred"`` (q_k+1 - q_k-1) / 2h, or ``"backward"``
    (q_k+1 - q_k) / h. ``start`` says what comes before q_0: ``"second_order"`` q_0 - h v_0 + h^2 a_0 / 2, or
    ``"first_order"`` q_0 - h v_0. All contacts are in the problem at every step: there is no activation.
    """

    theta: float = option(0.0, 0, 1)
    velocity: str = "centred"
    start: str = "second_order"

    def __post_init__(self) -> None:
        self.check_choices(velocity=("centred", "backward"), start=("second_order", "first_order"))
        self.check()

    @property
    def stages(self) -> tuple[StageOptions, ...]:
        """The step, and before the first one what comes before q_0."""
        step = StageOptions("position", self.newton)
        return (step, StageOptions("start", self.newton, at="start")) if self.start == "second_order" else (step,)

    def system(self, step: SystemStep) -> None:
        """w = q, s = (q_k, q_last, v_k)."""
        if "force" not in step.cls.terms or not step.cls.configuration.flat:
            raise step.refused("use nsd.MoreauJean for rigid bodies, nsd.ThetaGamma for first-order systems")
        theta = step.options.theta
        q, q_k, q_last, v_k = step.unknown("q"), step.state("q_k"), step.state("q_last"), step.state("v_k")
        v = (q - q_last) / (2 * STEP)
        here = step.at(T_K, q=q_k, v=v)
        force = theta * step.term("force", step.at(T_NEXT, q=q, v=v)) + (1 - theta) * step.term("force", here)
        step.residual(step.term("mass", here) * (q - 2 * q_k + q_last) - STEP**2 * force)
        step.initial(q_last=step.given("q") - STEP * step.given("v"))
        step.advance(q_k=q, q_last=q_k, v_k=v if self.velocity == "centred" else (q - q_k) / STEP)
        step.formulas(residual="R = M (q - 2 q_k + q_last) - h^2 (theta F(t_next, q, v) + (1 - theta) F(t_k, q_k, v))",
                      advance="q_k+1 = q, q_last = q_k")
        if self.start == "second_order":
            first = step.stage("start")
            a = first.unknown("a", like="v")
            begin = first.at(T_K, q=q_k, v=v_k)
            first.residual(first.term("mass", begin) * a - first.term("force", begin))
            first.start([0] * a.rows)
            first.advance(q_last=q_k - STEP * v_k + STEP**2 * a / 2)

    def relation(self, step: RelationStep) -> None:
        """A gap or a constraint at position level; or a force by formula."""
        if step.has("force") and not step.has("gap"):
            self._by_formula(step)
            return
        if not step.has("gap") or step.cls.terms["sliding"].rows:
            raise step.refused("use nsd.Contact or nsd.Bilateral without friction, or nsd.ForceElement; "
                               "nsd.MoreauJean has the others")
        gap = step.term("gap", step.end)
        step.memory("gap_k", gap.rows, units=("m",) * gap.rows)
        impulse = step.multiplier("impulse", step.cls.height, ["kg m"] * step.cls.height)
        before = step.at(T_K - STEP, q=[p.state("q_last") for p in step.participants])
        step.output(gap, step.term("gap", before))
        step.reaction(*(H.T * impulse for H in step.gradients(step.last)))
        step.remember(gap_k=step.term("gap", step.ended))
        step.at_start(**({"nonnegative": "gap_k"} if step.law.unilateral else {"zero": "gap_k"}))
        step.formulas(output="y = law(h(q), h(q_last)), rho = H(q_k)^T lambda", observe="gap at the end of the step")

    def _by_formula(self, step: RelationStep) -> None:
        """Weighed like the forces of systems, and in the acceleration at the start."""
        q_k = [p.state("q_k") for p in step.participants]
        v = [(p.unknown - p.state("q_last")) / (2 * STEP) for p in step.participants]
        late = step.reactions(step.at(T_NEXT, q=[p.unknown for p in step.participants], v=v))
        early = step.reactions(step.at(T_K, q=q_k, v=v))
        theta = step.options.theta
        step.reaction(*(STEP**2 * (theta * b + (1 - theta) * a) for a, b in zip(early, late, strict=True)))
        step.observe(step.term("force", step.ended), [name for name, _ in step.cls.labels],
                     [unit for _, unit in step.cls.labels])
        step.formulas(output="rho = h^2 (theta g(t_next, q, v) + (1 - theta) g(t_k, q_k, v))")
        if self.start == "second_order":
            first = step.stage("start")
            begin = first.at(T_K, q=q_k, v=[p.state("v_k") for p in first.participants])
            first.reaction(*first.reactions(begin))
