"""The generalised-alpha scheme with constraints and contacts (Chung and Hulbert; Arnold and Bruels, 2007).

M(q) w = F(t_next, q, v) + H(q)^T f, c(t_next, q) = 0
(1 - alpha_m) a + alpha_m a_k = (1 - alpha_f) w + alpha_f w_k
q = q_k moved by h (v_k + h ((1/2 - beta) a_k + beta a)), v = v_k + h ((1 - gamma) a_k + gamma a)

w are accelerations, a an average of them that makes the scheme of second order; for bodies the motion is that along
the exponential (Bruels and Cardona, 2010). rho is the spectral radius at infinite frequencies.

Contacts push at the end of a step, by impulses that impacts and loads share, where the gap that the motion leaves is
closed (after Chen, Acary, Virlez and Bruels, 2013):

M(q) (v - v-) = H(q)^T p, y = law(H v + dh/dt, u_k), q moved by h (v - v-) / 2
M(q) j = F(q, v) - F(q, v-) + H^T r, d/dt of constraints as before; a and w jump by j

so that what rests stays: the motion falls by g h^2 / 2, the impulse lifts it by as much. Constraints hold their rates.
Without the jump j of the accelerations, forces of constraints would swing for a while after every impact.

Forces by output and reaction answer contacts, whose impulses hold loads: where one is closed they are found again,

M (v - v-) = H(q)^T p + h (g(v, mu) - g(v-, lambda)), y(v, mu) and mu, in place of lambda of the motion, obey the law

so that a brake that sticks holds v = 0 against what a contact drags along, with mu h its whole impulse of the step.
"""

from dataclasses import dataclass

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.names import numbered
from nsdgen.base.suggest import named_arguments
from nsdgen.schemes.expansion import rate_after
from nsdgen.schemes.kinks import Kinks, refuse_leaps, refuse_sinking
from nsdgen.schemes.program import StageOptions
from nsdgen.schemes.rate_labels import gap_units, impulse_units, rate_names, rate_units
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.scheme import Scheme, option
from nsdgen.schemes.stages import STEP, T_K, T_NEXT
from nsdgen.schemes.stairs import remember_leap
from nsdgen.schemes.system_step import SystemStep
from nsdgen.schemes.transmitted import (
    ahead,
    answer,
    kept_multipliers,
    record_force,
    record_output,
    says_something,
    state_mechanics,
    struck_instant,
)
from nsdgen.symbolic.expressions.nodes import Branch
from nsdgen.symbolic.expressions.product import product


@named_arguments
@dataclass(frozen=True)
class GeneralisedAlpha(Scheme):
    """For mechanical systems: constraints at position level, forces of relations, contacts by impulses.

    ``rho`` in [0, 1]: the share of the highest frequencies that is left after a step; 1 damps nothing, 0 annihilates
    them. Reactions are forces [N], recorded as ``force``; those of contacts are impulses.
    """

    rho: float = option(0.8, 0, 1)

    @property
    def stages(self) -> tuple[StageOptions, ...]:
        """The step, impacts where a contact is closed; before, velocities that constraints admit, and accelerations."""
        return (
            StageOptions("step", self.newton),
            StageOptions("impacts", self.newton, without_relations="skip_constraints"),
            StageOptions("velocities", self.newton, at="start"),
            StageOptions("start", self.newton, at="start"),
        )

    def system(self, step: SystemStep) -> None:
        """w = accelerations, s = (q_k, v_k, a, w)."""
        step.check_mechanical()
        rho, space = step.options.rho, step.cls.configuration
        alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        gamma = sp.Rational(1, 2) + alpha_f - alpha_m
        beta = (gamma + sp.Rational(1, 2)) ** 2 / 4
        q_k, v_k = step.state("q_k"), step.state("v_k")
        a_k, w_k = step.state("a", like="v"), step.state("w", like="v")
        step.initial(a=[0] * v_k.rows, w=[0] * v_k.rows)
        w = step.unknown("acceleration", like="v")
        a = ((1 - alpha_f) * w + alpha_f * w_k - alpha_m * a_k) / (1 - alpha_m)
        moved = space.moved(list(q_k), list(STEP * (v_k + STEP * ((sp.Rational(1, 2) - beta) * a_k + beta * a))))
        v = v_k + STEP * ((1 - gamma) * a_k + gamma * a)
        end = step.at(T_NEXT, q=moved, v=v)
        step.residual(step.inertia(end, w) - step.term("force", end))
        step.start(w_k)
        step.view(q=moved, v=v)
        step.advance(q_k=space.normalised(moved), v_k=v, a=a, w=w)
        step.formulas(residual="R = M(q) w - F(t_next, q, v)", advance="q_k+1 = q, v_k+1 = v, a_k+1 = a, w_k+1 = w")
        self._impacts(step.stage("impacts"))
        before = step.stage("velocities")
        v = before.unknown("first_velocity", like="v")
        before.residual(before.term("mass", before.at(T_K, q=q_k)) * (v - v_k))
        before.start(v_k)
        before.advance(v_k=v)
        before.formulas(residual="R = M (v - v_0)", advance="v_0 = v")
        first = step.stage("start")
        w = first.unknown("first_acceleration", like="v")
        begin = first.at(T_K, q=q_k, v=v_k)
        first.residual(first.term("mass", begin) * w - first.term("force", begin))
        first.start([0] * w.rows)
        first.advance(a=w, w=w)

    @staticmethod
    def _impacts(stage: SystemStep) -> None:
        """w = (v, u, j): velocities after impulses, those that move q, the jump of accelerations."""
        q, before, space = stage.state("q_k"), stage.state("v_k"), stage.cls.configuration
        v, u, jump = stage.unknown("v"), stage.unknown("shift", like="v"), stage.unknown("jump", like="v")
        mass = stage.term("mass", stage.at(T_NEXT, q=q))
        after, then = (stage.term("force", stage.at(T_NEXT, q=q, v=rate)) for rate in (v, before))
        stage.residual(sp.Matrix.vstack(mass * (v - before), mass * (u - (v - before) / 2), mass * jump - after + then))
        stage.start(before.col_join(sp.zeros(2 * v.rows, 1)))
        moved = space.moved(list(q), list(STEP * u))
        stage.view(q=moved, v=v)
        stage.advance(q_k=space.normalised(moved), v_k=v, a=stage.state("a") + jump, w=stage.state("w") + jump)
        stage.formulas(
            residual="R = M (v - v-), M (u - (v - v-) / 2), M j - F(q, v) + F(q, v-)",
            advance="v_k+1 = v, q_k+1 = q moved by h u, a and w changed by j",
        )

    def relation(self, step: RelationStep) -> None:
        """A contact, a constraint on positions or velocities; a force by output and reaction, or by formula."""
        fix = "use nsd.Contact, nsd.Bilateral or nsd.OutputRelation on mechanical systems"
        state_mechanics(step, self._gap, _by_output, _by_formula, fix)

    def _gap(self, step: RelationStep) -> None:
        """c(t_next, q) = 0, or where there are rates alone these."""
        if step.law.unilateral:
            self._contact(step)
            return
        gap = step.term("gap", step.end)
        if gap.rows and step.cls.terms["sliding"].rows:
            raise step.refused("joints that rub under their own load want nsd.MoreauJean or nsd.Rattle")
        if not gap.rows:
            self._constrain(step, step.rate(step.end) / STEP)
            return
        step.memory("gap_k", gap.rows, units=gap_units(step.cls))
        self._constrain(step, refuse_leaps(step, gap / STEP**2))
        for stage in (step, step.stage("impacts")):
            stage.remember(gap_k=stage.term("gap", stage.ended))
        step.at_start(zero="gap_k")

    @staticmethod
    def _contact(step: RelationStep) -> None:
        """Rows: gap, sliding rates, rolling rates, in the stage of impacts alone; the law reads those of t_k."""
        impacts, names = step.stage("impacts"), rate_names(step.cls)
        step.memory("gap_k", 1, units=gap_units(step.cls)[:1])
        rate_k = step.memory("rate_k", names=names, units=rate_units(step.cls))
        before = step.memory("rate_before", len(names), units=rate_units(step.cls))
        kinks = Kinks(step)
        step.remember(gap_k=step.term("gap", step.ended), rate_k=step.rate(step.ended))
        step.remember(rate_before=rate_k + kinks.jump(step.ended))
        kinks.remember(impacts)
        remember_leap(step)
        step.initial_memory(rate_before=sp.zeros(*before.shape))
        impulse = impacts.multiplier("impulse", len(names), impulse_units(step.cls))
        rates, active = refuse_sinking(
            impacts,
            kinks.at(impacts.ended, impacts.cls.rate, impacts.end),
            before,
            Branch(1, step.memory("gap_k")[0] <= 0, 0, sp.true),
        )
        impacts.output(rates, before)
        impacts.reaction(*(_on(product(H.T, impulse)) for H in impacts.gradients(impacts.ended)))
        impacts.remember(gap_k=impacts.term("gap", impacts.ended), rate_k=impacts.rate(impacts.ended))
        impacts.activation(active)
        step.at_start(nonnegative="gap_k")
        impacts.formulas(output="y = law(u(v), u_k), rho = H^T p", observe="gap and rates at the end of the step")

    def _constrain(self, step: RelationStep, rows: sp.Matrix) -> None:
        """These rows are zero, by a force; at t_0 velocities satisfy the rates, accelerations their derivative.

        The step itself sees positions alone: a velocity that they do not admit would change its sign in every step.
        """
        m = rows.rows
        force = step.multiplier("force", m, step.cls.force_units)
        step.impose(rows, (Cone.EQUALITY, rows.rows))
        step.react(force, step.end)
        step.formulas(output="y = c(t_next, q) / h^2, rho = H^T f")
        self._through_impacts(step.stage("impacts"), m)
        before = step.stage("velocities")
        kick = before.multiplier("kick", rows.rows, [f"{unit} s" for unit in step.cls.force_units])
        before.impose(rate_after(before, before.last), (Cone.EQUALITY, rows.rows))
        before.react(kick, before.last)
        before.formulas(output="y = H v + dc/dt, rho = H^T p")
        first = step.stage("start")
        force = first.multiplier("force", rows.rows, step.cls.force_units)
        now = first.last
        rate = first.acceleration(now, [p.unknown for p in first.participants])
        first.impose(rate, (Cone.EQUALITY, rows.rows))
        first.react(force, now)

    @staticmethod
    def _through_impacts(stage: RelationStep, m: int) -> None:
        """After impulses, where q was moved to, rates and gaps of constraints are zero; d/dt of rates does not jump."""
        gaps, units, impulses = stage.cls.terms["gap"].rows, stage.cls.force_units, impulse_units(stage.cls)
        names = [*numbered("impulse", m), *numbered("shift_impulse", gaps), *numbered("jump", m)]
        push = stage.multiplier("impulse", len(names), [*impulses, *impulses[:gaps], *units], names)
        struck, now, n = struck_instant(stage), stage.ended, [len(p.group("v")) for p in stage.participants]
        jumps = [p.unknown[2 * k :, :] for k, p in zip(n, stage.participants, strict=True)]
        turned = stage.acceleration(struck, jumps) - stage.acceleration(now, [0 * j for j in jumps])
        rows = sp.Matrix.vstack(stage.rate(stage.end), stage.term("gap", stage.end) / STEP, turned)
        stage.impose(rows, (Cone.EQUALITY, rows.rows), copies=rows.rows - m)
        blow, shift, jump = push[:m, :], push[m : m + gaps, :], push[m + gaps :, :]
        stage.reaction(
            *(
                sp.Matrix.vstack(product(H.T, blow), product(H[:gaps, :].T, shift), product(H.T, jump))
                for H in stage.gradients(now)
            )
        )
        stage.formulas(output="y = H v + dc/dt, c(q moved by h u) / h, the jump of d/dt (H v + dc/dt)")


def _on(velocities: sp.Matrix, accelerations: sp.Matrix | None = None) -> sp.Matrix:
    """A reaction on the unknowns of the impacts: those of velocities, of shifts, of the jump of accelerations."""
    nothing = sp.zeros(*velocities.shape)
    return sp.Matrix.vstack(velocities, nothing, nothing if accelerations is None else accelerations)


def _by_output(step: RelationStep) -> None:
    """y = h(t, q, v, lambda) with the force g(t, q, v, lambda) at the end of the step, and at t_0.

    There with v_0 + h w: of a brake at rest v_0 alone would not know what it gives.
    """
    first = step.stage("start")
    for stage, at in ((step, step.end), (first, {**first.last, **ahead(first)})):
        stage.multiplier()
        stage.output(stage.term("output", at))
        stage.reaction(*stage.reactions(at))
        stage.bounds(at)
    step.formulas(output="y = h(t_next, q, v, lambda), rho = g(t_next, q, v, lambda)", observe="y at t_next")
    _beside_contacts(step, step.stage("impacts"))


def _beside_contacts(step: RelationStep, stage: RelationStep) -> None:
    """The multipliers with which the law holds after the impulses of contacts, in place of those of the motion.

    Springs, which know nothing of velocities, have those of the place that they were moved to.
    """
    says_something(step)
    own, lam, rates = (
        step.cls.multipliers,
        kept_multipliers(step),
        {s for p in stage.participants for s in p.group("v")},
    )
    moving = any(not part.free_symbols.isdisjoint(rates) for part in (step.cls.terms["output"], *step.cls.reactions))
    mu = answer(stage, "struck", struck_instant(stage) if moving else stage.end, rounds=False)
    after = stage.reactions({**struck_instant(stage), **dict(zip(own, mu, strict=True))})
    before = stage.reactions({**stage.ended, **dict(zip(own, lam, strict=True))})
    stage.reaction(*(_on(STEP * (g - g_k) if moving else 0 * g) for g, g_k in zip(after, before, strict=True)))
    record_output(step, sp.Matrix(own), (stage, mu))
    stage.formulas(output="y = h(t_next, q, v, mu), rho = h (g(v, mu) - g(v-, lambda))")


def _by_formula(step: RelationStep) -> None:
    """A force by formula at the end of the step, and at t_0; of impacts its jump."""
    for stage, at in ((step, step.end), (step.stage("start"), step.last)):
        stage.reaction(*stage.reactions(at))
    impacts = step.stage("impacts")
    ends = zip(impacts.reactions(struck_instant(impacts)), impacts.reactions(impacts.ended), strict=True)
    impacts.reaction(*(_on(0 * after, after - before) for after, before in ends))
    record_force(step, step, impacts)
    step.formulas(output="rho = g(t_next, q, v)")
