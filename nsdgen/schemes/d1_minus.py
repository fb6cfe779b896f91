"""The half-explicit D1-minus scheme: accelerations at both ends of a step, then the impact (Schindler and Acary, 2014).

right limit at t_k      M a+ = F(t_k, q_k, v_k) + H^T f+
                        v_1 = v_k + h a+,  q_k+1 = q_k + h (v_k + v_1) / 2
left limit at t_k+1     M a- = F(t_k+1, q_k+1, v_1) + H^T f-,  v- = v_k + h (a+ + a-) / 2
impact at t_k+1         M (v - v-) = H^T p,  y = law(u(v), u(v-))

Forces f of closed contacts keep accelerations of gaps, or velocities at the end of the step, from being negative.
"""

from dataclasses import dataclass
from typing import ClassVar

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.checks import choice
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ParameterError
from nsdgen.schemes.expansion import compression_rate, expand, impact_stage, rate_after
from nsdgen.schemes.kinks import Kinks, refuse_leaps, refuse_sinking
from nsdgen.schemes.program import StageOptions
from nsdgen.schemes.rate_labels import gap_units, impulse_units, rate_names, rate_units
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.scheme import Scheme, option
from nsdgen.schemes.slack import mobility, offer_mobilities, rate_slack, remember_slack, slack
from nsdgen.schemes.stages import STEP, T_K, T_NEXT
from nsdgen.schemes.stairs import remember_leap
from nsdgen.schemes.system_step import Instant, SystemStep
from nsdgen.schemes.transmitted import (
    ahead,
    follows_velocities,
    multipliers_at_end,
    pass_on,
    record_force,
    record_output,
    state_mechanics,
)
from nsdgen.symbolic.expressions.nodes import Branch, let
from nsdgen.symbolic.expressions.time import NOW


@named_arguments
@dataclass(frozen=True)
class D1Minus(Scheme):
    """For mechanical systems in flat coordinates with contacts, constraints and forces of all kinds.

    ``level``: forces act on ``"acceleration"``, d/dt(H v + dh/dt) >= 0, or on ``"velocity"``,
    H (v_k + h a) + dh/dt >= 0 with gradients at q_k + h v_k for the right limit; friction acts on velocities in any
    case. A contact is closed where its gap is at most its slack (``slack.py``: what rounding may open it by), and its
    rate opens it by no more than that in a step; ``closed`` above 0 (in m and m/s) takes the place of both, as in
    published tables. Forces of one that closes within a step begin with the next step. ``left_limit="closed"``, with
    ``level="velocity"``, is the scheme as published: forces wherever the gap is closed (at the left limit: at both ends
    of the step), whatever its rate; that of the right limit acts along H(q_k + h v_k), that of the left one keeps
    H v- + dh/dt from being negative.
    ``rest``: a contact that was closed and did not approach when a step began, and is closed at its end, ``"settles"``:
    its law sees no approach. ``"bounces"`` is the scheme as published: hops shorter than a step do not end, and what
    hops sinks by up to g h^2 / 2 in each of them.
    """

    separates_impacts: ClassVar[bool] = True

    closed: float = option(0.0, 0, 1)
    level: str = choice("acceleration", "velocity")
    left_limit: str = choice("closing", "closed")
    rest: str = choice("settles", "bounces")

    def __post_init__(self) -> None:
        self.check()
        if self.left_limit == "closed" and self.level == "acceleration":
            raise ParameterError(
                "left_limit='closed' with level='acceleration' would push what has opened, as long as it slows down",
                where="scheme D1Minus",
                fix="use level='velocity' with it, whose forces let go of what opens",
            )

    @property
    def stages(self) -> tuple[StageOptions, ...]:
        """Right limit, left limit, impact, and where a law has two phases its expansion."""
        return (
            *(StageOptions(name, self.newton) for name in ("right limit", "left limit", "impact")),
            StageOptions("expansion", self.newton, without_relations="skip_constraints"),
        )

    def system(self, step: SystemStep) -> None:
        """s = (q_k, v_k, a+); accelerations are the unknowns of the first two stages, velocities of the last."""
        if "force" not in step.cls.terms or not step.cls.configuration.flat:
            raise step.refused(
                "use nsd.MoreauJean for rigid bodies, nsd.ThetaGamma for first-order systems, or beside_motion=True "
                "beside mechanical ones"
            )
        q_k, v_k, a_k = step.state("q_k"), step.state("v_k"), step.state("a", like="v")
        step.initial(a=[0] * v_k.rows)
        right, left, impact, expansion = (step.stage(s.name) for s in self.stages)
        right.advance(a=_accelerated(right, step.at(T_K, q=q_k, v=v_k), "F(t_k, q_k, v_k)"))
        q = sp.Matrix(step.cls.configuration.moved(list(q_k), list(STEP * v_k + STEP**2 * a_k / 2)))
        v_1 = v_k + STEP * a_k
        a = _accelerated(left, step.at(T_NEXT, q=q, v=v_1), "F(t_next, q_next, v_1)")
        left.advance(q_k=q, v_k=v_k + STEP * (a_k + a) / 2)
        for stage in (right, left):
            offer_mobilities(stage, stage.term("mass", stage.at(T_K, q=q_k)))
        offer_mobilities(impact, impact_stage(impact))
        offer_mobilities(expansion, impact_stage(expansion, before="v_c"))

    def relation(self, step: RelationStep) -> None:
        """Forces at both ends of the step, and impulses at its end: of gaps and rates, by output, or by formula."""
        fix = "use relations of mechanical systems, or nsd.ThetaGamma"
        state_mechanics(step, self._gap, self._by_output, self._by_formula, fix)

    def _gap(self, step: RelationStep) -> None:
        """Rows: gaps, sliding rates, rolling rates; or rates that are constrained."""
        m, names = step.cls.terms["gap"].rows, rate_names(step.cls)
        if m and not step.law.unilateral and len(names) > m:
            raise step.refused("joints that rub under their own load want nsd.MoreauJean or nsd.Rattle")
        right, left, impact, expansion = (step.stage(s.name) for s in self.stages)
        gap_k = step.memory("gap_k", m, units=gap_units(step.cls)) if m else sp.zeros(0, 1)
        rate_k = step.memory("rate_k", names=names, units=rate_units(step.cls))
        now, after = step.last, _after(step)
        carried = self._force(right, "force_right", now)
        pressed = self._force(left, "force_left", after)
        impulse = impact.multiplier("impulse", len(names), impulse_units(step.cls))
        before, stays = impact.rate(impact.ended), sp.S.false
        if step.law.unilateral:
            kinks = Kinks(step)
            kinks.remember(impact)
            remember_leap(impact)
            press = step.memory("press_k", units=rate_units(step.cls)[:1])[0]
            given = let("given", STEP * mobility(right) * carried[0])  # what rests when a run starts has no other load
            right.remember(press_k=Branch(given, given > press, press, True))
            left.remember(press_k=STEP * mobility(left) * pressed[0])
            remember_slack(impact, mobility(impact) * impulse[0] + press)
            if self.rest == "settles":  # where it is closed at the end, too: it never left
                rate = rate_k[0] + kinks.jump(impact.ended)[0]
                stays = sp.And(self._near(step, gap_k[0]), rate >= -_rate_slack(impact, impact.ended))
                before[0] = Branch(0, stays, before[0], True)
            shut = self._closed(step, after)
            if self.left_limit == "closed":
                shut = self._near(step, step.term("gap", after)[0])
            first = self._near(step, gap_k[0]) if self.left_limit == "closed" else self._closed(step, now)
            closed = first, sp.And(self._near(step, gap_k[0]), shut)
            for stage, condition in zip((right, left), closed, strict=True):
                stage.activation(Branch(1, condition, 0, True))
        rates = rate_after(impact, impact.ended)
        if step.law.unilateral:
            rates, shut = refuse_sinking(impact, rates, before, self._shut(impact))
            impact.activation(shut)
        elif m:
            rates = refuse_leaps(step, rates)
        impact.output(rates, compression_rate(impact, before))
        impact.react(impulse, impact.ended)
        impact.remember(rate_k=impact.rate(impact.ended), **({"gap_k": impact.term("gap", impact.ended)} if m else {}))
        if step.gives_back:
            stored = impulse
            if step.law.unilateral:
                kept = step.memory("rate_before", len(names), units=rate_units(step.cls))
                left.remember(rate_before=before if step.law.expansion is None else impact.rate(impact.ended))
                before = kept
                # By itself: what others press it by is kept.
                hops = sp.And(stays, before[0] < -_rate_slack(expansion, expansion.ended))
                stored = impulse if hops == sp.S.false else impulse.applyfunc(lambda p: Branch(0, hops, p, True))
            expand(expansion, expansion.ended, stored, impact, before, impulse_units(step.cls))
            expansion.remember(rate_k=expansion.rate(expansion.ended))
            if step.law.unilateral:
                expansion.activation(self._shut(expansion))
        if m:
            step.at_start(**({"nonnegative": "gap_k"} if step.law.unilateral else {"zero": "gap_k"}))
        impact.formulas(output="y = law(u(v), u(v_minus)), rho = H^T p", observe="gap and rates at the end of the step")

    def _by_output(self, step: RelationStep) -> None:
        """y = h(t_k, q_k, v_k + h a+, lambda), then h(t_next, q_next, v_k + h a-, mu); what passes on in impacts.

        With v_k in place of v_k + h a, a brake at rest would know no force.
        """
        right, left, impact, expansion = (step.stage(s.name) for s in self.stages)
        multiplier, follows = right.multiplier(), follows_velocities(step)
        here = {**step.last, **ahead(right)}
        right.output(right.term("output", here))
        right.bounds({NOW: T_K})
        right.reaction(*right.reactions(here))
        later = multipliers_at_end(left, multiplier, "left" if follows else "end")
        there = {**_after(left), **ahead(left), **later}
        left.output(left.term("output", there))
        left.reaction(*left.reactions(there))
        right.formulas(output="y = h(t_k, q_k, v_k + h a, lambda), rho = g")
        left.formulas(output="y = h(t_next, q_next, v_k + h a, mu), rho = g", observe="y at t_next")
        struck = [(impact, pass_on(impact, "impulse", "struck"))]
        if step.gives_back:
            struck.append((expansion, pass_on(expansion, "expansion", "expanded")))
        record_output(left, sp.Matrix([*later.values()]), *(struck if follows else ()))

    def _by_formula(self, step: RelationStep) -> None:
        """A finite force at both ends of the step; none acts in the impact."""
        right, left, impact, expansion = (step.stage(s.name) for s in self.stages)
        for stage, at in ((right, step.last), (left, _after(step))):
            stage.reaction(*stage.reactions(at))
            stage.formulas(output="rho = g(t, q, v)")
        record_force(step, impact, *([expansion] if step.gives_back else ()))

    def _force(self, stage: RelationStep, name: str, at: Instant) -> sp.Matrix:
        """The force that keeps closed contacts closed, and the rows of it; friction is about velocities."""
        rows, m = stage.cls.height, stage.cls.terms["gap"].rows
        force = stage.multiplier(name, rows, stage.cls.force_units)
        a = [p.unknown for p in stage.participants]
        v = [p.state("v_k") for p in stage.participants]
        q = [p.moved(STEP * k) for p, k in zip(stage.participants, v, strict=True)]
        there = at if name == "force_left" else stage.at(T_NEXT, q=q, v=v)
        soon = stage.rate({**there, **(_minus(stage) if self._on_the_limit(name) else ahead(stage))})
        values = soon if self.level == "velocity" else stage.acceleration(at, a)
        if stage.law.unilateral and self.level == "acceleration":
            values = values[:m, :].col_join(soon[m:, :] / STEP)
            if self.rest == "settles":  # what would be closed within the step is let go that far
                opens, gap = stage.rate(at)[0], stage.term("gap", at)[0]
                values[0] += Branch(opens / STEP, opens > _rate_slack(stage, at), 0, True)
                if name == "force_left":
                    values[0] = _kept(stage, at, values[0], _rate_slack(stage, stage.last))
                else:
                    values[0] += Branch(2 * gap / STEP**2, gap > _slack(stage), 0, True)
        if not stage.law.unilateral:
            stage.impose(values, (Cone.EQUALITY, rows))
        elif stage.cls.imposed[1] == ((Cone.TRACED, rows),):  # a law of impulses alone
            stage.impose(values, (Cone.COMPLEMENTARITY, rows))
        else:
            stage.output(values, sp.zeros(rows, 1))
        stage.react(force, there if self.left_limit == "closed" else at)
        at_v = "v_minus" if self._on_the_limit(name) else "(v_k + h a)"
        stage.formulas(
            output=f"{'d/dt(H v + dh/dt)' if self.level == 'acceleration' else f'H {at_v} + dh/dt'}, rho = H^T f"
        )
        return force

    def _on_the_limit(self, name: str) -> bool:
        """Whether a force takes care of the rates of v_minus."""
        return name == "force_left" and self.left_limit == "closed"

    def _closed(self, step: RelationStep, at: Instant) -> sp.Basic:
        """Whether a contact neither is open nor opens, or would be closed again within the step."""
        gap, rate = step.term("gap", at)[0], step.rate(at)[0]
        found = sp.And(gap <= _slack(step), rate <= _rate_slack(step, at))
        if self.rest == "bounces":
            return found
        press = step.memory("press_k")[0]
        return sp.Or(found, sp.And(gap <= STEP * press / 4, rate <= press / 4))

    def _near(self, step: RelationStep, gap: sp.Expr) -> sp.Basic:
        """Whether a gap is closed: its load would take it press h / 2 in a step."""
        found = gap <= _slack(step)
        return found if self.rest == "bounces" else sp.Or(found, gap < STEP * step.memory("press_k")[0] / 4)

    def _shut(self, stage: RelationStep) -> sp.Expr:
        """The mode of a contact in impacts: whether its gap is closed where the step has come to."""
        return Branch(1, self._near(stage, stage.term("gap", stage.ended)[0]), 0, True)


def _kept(left: RelationStep, at: Instant, row: sp.Expr, most: sp.Expr) -> sp.Expr:
    """The row of the left limit: of a contact that began the step without a rate that of v_minus, where it would move.

    Accelerations of zero at both ends of a step leave a rate of O(h^3) in it, which impacts would have to take away.
    """
    last, ends = left.rate(left.last)[0], Kinks(left).rate({**at, **_minus(left)})[0]
    held = sp.And(last <= most, last >= -most, sp.Ne(left.rate(at)[0], 0))
    return Branch(2 / STEP * ends, held, row, True)


def _slack(step: RelationStep) -> sp.Expr:
    closed = step.options.closed
    return Branch(closed, closed > 0, slack(step), True)


def _rate_slack(step: RelationStep, at: Instant) -> sp.Expr:
    closed = step.options.closed
    return Branch(closed, closed > 0, rate_slack(step, at), True)


def _after(step: RelationStep) -> Instant:
    """The end of the step as the accelerations at its start foretell it."""
    return step.at(
        T_NEXT,
        q=[p.moved(STEP * p.state("v_k") + STEP**2 * p.state("a") / 2) for p in step.participants],
        v=[p.state("v_k") + STEP * p.state("a") for p in step.participants],
    )


def _accelerated(stage: SystemStep, at: Instant, force: str) -> sp.Matrix:
    """The acceleration as the unknown of a stage: M a = F at an instant."""
    a = stage.unknown("acceleration", like="v")
    stage.residual(stage.term("mass", at) * a - stage.term("force", at))
    stage.start(stage.state("a"))
    stage.formulas(residual=f"R = M a - {force}")
    return a


def _minus(step: RelationStep) -> Instant:
    """v_k + h (a+ + a) / 2, with the accelerations that the left limit solves for."""
    return {
        s: k + STEP * (first + a) / 2
        for p in step.participants
        for s, k, first, a in zip(p.group("v"), p.state("v_k"), p.state("a"), p.unknown, strict=True)
    }
