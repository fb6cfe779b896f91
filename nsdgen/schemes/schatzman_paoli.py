"""The Schatzman-Paoli scheme: two steps in positions, impacts at position level.

M(q_k) (q - 2 q_k + q_last) = h^2 (theta F(t_next, q, v) + (1 - theta) F(t_k, q_k, v)) + H(q_k)^T lambda,
v = (q - q_last) / 2h, y = law(h(q), h(q_last)), so that Newton's law reads 0 <= h(q) + e h(q_last) orthogonal to
lambda >= 0 (developer notes, Schatzman-Paoli). lambda is an impulse times h. The notes print forces at mean values,
h^2 F(t_theta, q_theta, theta v + (1 - theta) v_k), with the Newton matrix M + h theta C / 2 + h^2 theta K.
First-order states have no third instant: z - z_k = h g(t_m, (q + q_k) / 2, (q - q_k) / h, (z + z_k) / 2), and forces
read those of their own instant.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.checks import choice
from nsdgen.base.suggest import named_arguments
from nsdgen.schemes.kinks import Kinks, refuse_sinking
from nsdgen.schemes.program import StageOptions
from nsdgen.schemes.rate_labels import gap_units, position_impulse_units, rate_names, rate_units
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.scheme import Scheme, option
from nsdgen.schemes.slack import roundings
from nsdgen.schemes.stages import STEP, T_K, T_NEXT
from nsdgen.schemes.stairs import remember_leap
from nsdgen.schemes.system_step import Instant, SystemStep, blend
from nsdgen.schemes.transmitted import says_something, state_mechanics
from nsdgen.symbolic.expressions.nodes import Branch
from nsdgen.symbolic.expressions.product import product
from nsdgen.symbolic.expressions.time import NOW


@named_arguments
@dataclass(frozen=True)
class SchatzmanPaoli(Scheme):
    """For mechanical systems in flat coordinates with contacts without friction, constraints and forces of all kinds.

    ``theta`` weighs forces at the end of the step; 0 keeps the scheme centred at t_k and of second order in smooth
    motion. ``force_at="theta"`` takes them at t_theta, q_theta and theta v + (1 - theta) v_k, as printed in the notes.
    ``velocity`` says what is recorded at t_k+1: ``"centred"`` (q_k+1 - q_k-1) / 2h, or ``"backward"``
    (q_k+1 - q_k) / h. ``start`` says what comes before q_0: ``"second_order"`` q_0 - h v_0 + h^2 a_0 / 2, or
    ``"first_order"`` q_0 - h v_0. All contacts are in the problem at every step: there is no activation.
    """

    theta: float = option(0.0, 0, 1)
    force_at: str = choice("ends", "theta")
    velocity: str = choice("centred", "backward")
    start: str = choice("second_order", "first_order")

    @property
    def stages(self) -> tuple[StageOptions, ...]:
        """The step, and before the first one what comes before q_0."""
        step = StageOptions("position", self.newton)
        return (step, StageOptions("start", self.newton, at="start")) if self.start == "second_order" else (step,)

    def system(self, step: SystemStep) -> None:
        """w = q and states z, s = (q_k, q_last, v_k)."""
        step.check_mechanical()
        if not step.cls.configuration.flat:
            raise step.refused("use nsd.MoreauJean for rigid bodies")
        theta = step.options.theta
        q, z = step.unknown("q", like="q"), step.unknown_states()
        q_k, q_last, v_k = step.state("q_k"), step.state("q_last"), step.state("v_k")
        n = q.rows
        z_k, v = v_k[n:, :], (q - q_last) / (2 * STEP)
        here = step.at(T_K, q=q_k, v=v.col_join(z_k))
        later = step.at(T_NEXT, q=q, v=v.col_join(z))
        mid = step.at(T_K + STEP / 2, q=(q + q_k) / 2, v=((q - q_k) / STEP).col_join((z + z_k) / 2))
        if self.force_at == "ends":
            force = theta * step.term("force", later) + (1 - theta) * step.term("force", here)
            formula = "h^2 (theta F(t_next, q, v) + (1 - theta) F(t_k, q_k, v))"
        else:
            force = step.term("force", blend(theta, later, step.at(T_K, q=q_k, v=v_k)))
            formula = "h^2 F(t_theta, q_theta, v_theta)"
        motion = step.term("mass", here)[:n, :n] * (q - 2 * q_k + q_last) - STEP**2 * force[:n, :]
        step.residual(
            motion.col_join(step.term("mass", mid)[n:, n:] * (z - z_k) - STEP * step.term("force", mid)[n:, :])
        )
        step.start(q_k.col_join(z_k))
        step.initial(q_last=step.given("q") - STEP * step.given("v")[:n, :])
        moved = v if self.velocity == "centred" else (q - q_k) / STEP
        step.advance(q_k=q, q_last=q_k, v_k=moved.col_join(z))
        rates = "; z - z_k - h g(t_m, (q + q_k) / 2, (q - q_k) / h, (z + z_k) / 2)" if z.rows else ""
        step.formulas(residual=f"R = M (q - 2 q_k + q_last) - {formula}{rates}", advance="q_k+1 = q, q_last = q_k")
        if self.start == "second_order":
            first = step.stage("start")
            a = first.unknown("a", like="v")
            begin = first.at(T_K, q=q_k, v=v_k)
            first.residual(first.term("mass", begin) * a - first.term("force", begin))
            first.start([0] * a.rows)
            first.advance(q_last=q_k - STEP * v_k[:n, :] + STEP**2 * a[:n, :] / 2)

    def relation(self, step: RelationStep) -> None:
        """A gap or a constraint at position level, rates that are constrained, a force by output or by formula."""
        fix = "use relations of mechanical systems, or nsd.ThetaGamma"
        state_mechanics(step, self._gap, self._by_output, self._by_formula, fix)

    def _gap(self, step: RelationStep) -> None:
        """The law joins the gaps at both ends of two steps, on the branches that are entered; or rates."""
        if step.cls.terms["sliding"].rows and (step.cls.terms["gap"].rows or step.law.unilateral):
            raise step.refused("friction and joints that rub want nsd.MoreauJean or nsd.Rattle")
        if not step.cls.terms["gap"].rows:
            self._rates(step)
            return
        gap, kinks = step.term("gap", step.end), Kinks(step)
        step.memory("gap_k", gap.rows, units=gap_units(step.cls))
        impulse = step.multiplier("impulse", step.cls.height, position_impulse_units(step.cls))
        before = step.at(T_K - STEP, q=[p.state("q_last") for p in step.participants])
        last = kinks.at(step.end, step.cls.terms["gap"], before)
        if step.law.unilateral:
            gap, _ = refuse_sinking(step, gap, last, sp.S.One)  # always in play
        step.output(gap, last)
        gradients = (kinks.at(step.end, step.cls.gradient(p), step.last) for p in step.cls.participants)
        step.reaction(*(product(H.T, impulse) for H in gradients))
        step.remember(gap_k=step.term("gap", step.ended))
        remember_leap(step)
        step.at_start(**({"nonnegative": "gap_k"} if step.law.unilateral else {"zero": "gap_k"}))
        step.formulas(output="y = law(h(q), h(q_last)), rho = H(q_k)^T lambda", observe="gap at the end of the step")
        self._before(step)

    def _rates(self, step: RelationStep) -> None:
        """Rates are zero in the middle of the step, where (q - q_k) / h is the velocity."""
        rows = step.cls.height
        step.memory("rate_k", names=rate_names(step.cls), units=rate_units(step.cls))
        impulse = step.multiplier("impulse", rows, position_impulse_units(step.cls))
        step.impose(step.rate(_middle(step)), (Cone.EQUALITY, rows))
        step.react(impulse, step.last)
        q_k, q_last, z_k = (
            [value(p) for p in step.participants]
            for value in (lambda p: p.state("q_k"), lambda p: p.state("q_last"), lambda p: p.states_k)
        )
        step.remember(rate_k=step.rate(_between(step, T_NEXT - STEP / 2, q_last, q_k, z_k)))  # rates hold no states
        step.initial_memory(rate_k=step.rate(step.ended))
        step.formulas(
            output="y = H v + dh/dt at (q + q_k) / 2, v = (q - q_k) / h, rho = H(q_k)^T lambda",
            observe="rates in the middle of the step",
        )
        self._before(step)

    def _before(self, step: RelationStep) -> None:
        """The forces in the acceleration at the start: those of constraints, and of contacts that rest there."""
        if self.start != "second_order":
            return
        first, rows = step.stage("start"), step.cls.height
        force = first.multiplier("force_before", rows, step.cls.force_units)
        values, cone = first.acceleration(first.last, [p.unknown for p in first.participants]), Cone.EQUALITY
        if step.law.unilateral:
            gap, rate = first.term("gap", first.last)[0], first.rate(first.last)[0]
            rests = sp.And(gap <= roundings(gap), sp.Abs(rate) <= roundings(rate))
            values, cone = sp.Matrix([Branch(values[0], rests, force[0], sp.true)]), Cone.COMPLEMENTARITY
        first.impose(values, (cone, rows))
        first.react(force, first.last)

    def _by_output(self, step: RelationStep) -> None:
        """y and g at t_k and q_k, with the velocity (q - q_k) / h and the states z: what sticks stays where it is.

        With (q - q_last) / 2h it would come back to where it was a step before, and so on for ever.
        """
        says_something(step)
        stages = [step, step.stage("start")] if self.start == "second_order" else [step]
        for stage in stages:
            stage.multiplier()
            q_k = [p.state("q_k") for p in stage.participants]
            v = [p.state("v_k") + STEP * p.unknown for p in stage.participants]
            if stage is step:
                q, z = _ends(step)
                v = [((b - a) / STEP).col_join(s) for a, b, s in zip(q_k, q, z, strict=True)]
            here = stage.at(T_K, q=q_k, v=v)
            stage.output(stage.term("output", here))
            stage.bounds({NOW: T_K})
            given = stage.reactions(here)
            stage.reaction(*(_weighed(step, given, given) if stage is step else given))
        step.observe_own("output")
        step.formulas(output="y = h(t_k, q_k, (q - q_k) / h, lambda), rho = h^2 g", observe="y at t_next")

    def _by_formula(self, step: RelationStep) -> None:
        """Weighed like the forces of systems and the rates of states, and in the acceleration at the start."""
        q_k = [p.state("q_k") for p in step.participants]
        q, z = _ends(step)
        v = [(b - p.state("q_last")) / (2 * STEP) for b, p in zip(q, step.participants, strict=True)]
        z_k = [p.states_k for p in step.participants]
        here, later = (
            step.at(time, q=place, v=[a.col_join(b) for a, b in zip(v, states, strict=True)])
            for time, place, states in ((T_K, q_k, z_k), (T_NEXT, q, z))
        )
        theta, middle = step.options.theta, step.reactions(_middle(step))
        if self.force_at == "ends":
            ends = zip(step.reactions(here), step.reactions(later), strict=True)
            step.reaction(*_weighed(step, [theta * b + (1 - theta) * a for a, b in ends], middle))
            step.formulas(output="rho = h^2 (theta g(t_next, q, v) + (1 - theta) g(t_k, q_k, v))")
        else:
            step.reaction(*_weighed(step, step.reactions(blend(theta, later, step.last)), middle))
            step.formulas(output="rho = h^2 g(t_theta, q_theta, v_theta)")
        step.observe_own("force")
        if self.start == "second_order":
            first = step.stage("start")
            begin = first.at(T_K, q=q_k, v=[p.state("v_k") for p in first.participants])
            first.reaction(*first.reactions(begin))


def _ends(step: RelationStep) -> tuple[list[sp.Matrix], list[sp.Matrix]]:
    """q and z that the step solves for, of each participant."""
    pairs = [(p.unknown, len(p.group("q"))) for p in step.participants]
    return [w[:n, :] for w, n in pairs], [w[n:, :] for w, n in pairs]


def _weighed(step: RelationStep, forces: Sequence[sp.Matrix], rates: Sequence[sp.Matrix]) -> list[sp.Matrix]:
    """h^2 times what forces add to velocities, and h times what ``rates`` add to states."""
    sizes = [len(p.group("q")) for p in step.participants]
    return [(STEP**2 * f[:n, :]).col_join(STEP * g[n:, :]) for f, g, n in zip(forces, rates, sizes, strict=True)]


def _middle(step: RelationStep) -> Instant:
    """The middle of the step that is solved for."""
    q, z = _ends(step)
    return _between(step, T_K + STEP / 2, [p.state("q_k") for p in step.participants], q, z)


def _between(
    step: RelationStep,
    time: sp.Expr,
    first: Sequence[sp.Matrix],
    last: Sequence[sp.Matrix],
    states: Sequence[sp.Matrix],
) -> Instant:
    """The middle of two configurations a step apart, the velocity between them, the mean of z_k and ``states``."""
    z = [(p.states_k + s) / 2 for p, s in zip(step.participants, states, strict=True)]
    return step.at(
        time,
        q=[(a + b) / 2 for a, b in zip(first, last, strict=True)],
        v=[((b - a) / STEP).col_join(s) for a, b, s in zip(first, last, z, strict=True)],
    )
