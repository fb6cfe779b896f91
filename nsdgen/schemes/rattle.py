"""RATTLE with contacts: constraints hold in positions and velocities, the order is 2, energy does not drift.

The midpoint rule between two kicks along the constraints, with V the mean velocity of the step, q_m the
configuration in its middle and Phi the motion with constant velocity:

positions    M(q_m) (V - v_k)  = h/2 F(t_m, q_m, V) + H(q_k)^T P1      q_k+1 = Phi(q_k, h V), c(t_k+1, q_k+1) = 0
velocities   M(q_m) (v- - V)   = h/2 F(t_m, q_m, V) + H(q_k+1)^T P2    H(q_k+1) v- + dc/dt = 0
impacts      M(q_k+1) (v - v-) = H(q_k+1)^T P3                         law(u(v), u(v-))

The second stage is the adjoint of the first, so the step is symmetric; without impacts it is the composition of a
symplectic rule with kicks (Andersen 1983; Reich, SIAM J. Numer. Anal. 33, 1996), with contacts akin to the
nonsmooth RATTLE of Breuling, Capobianco, Eugster and Leine (2024). A contact that was closed when the step began
acts by P1 and P2 and keeps the gap it has; one that closes within the step acts by P3 at its end, on velocities.
Where no closed contact approaches by more than rounding, P3 = 0 obeys every law, and is not solved for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import sympy as sp

from nsdgen.abi import Cone, Play
from nsdgen.base.suggest import named_arguments
from nsdgen.schemes.expansion import impact_stage
from nsdgen.schemes.kinks import Kinks, refuse_sinking
from nsdgen.schemes.participant_step import ParticipantStep
from nsdgen.schemes.program import StageOptions
from nsdgen.schemes.rate_labels import gap_units, impulse_units, rate_names, rate_units
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.scheme import Scheme
from nsdgen.schemes.slack import mobility, offer_mobilities, rate_slack, remember_slack, slack
from nsdgen.schemes.stages import STEP, T_K, T_NEXT
from nsdgen.schemes.stairs import remember_leap
from nsdgen.schemes.system_step import Instant, SystemStep
from nsdgen.schemes.transmitted import (
    follows_velocities,
    multipliers_at_end,
    pass_on,
    record_force,
    record_output,
    state_mechanics,
)
from nsdgen.symbolic.expressions.entry import label_of
from nsdgen.symbolic.expressions.nodes import Branch, let
from nsdgen.symbolic.expressions.product import product
from nsdgen.symbolic.families.system_class import SystemClass

T_MID = (T_K + T_NEXT) / 2


@named_arguments
@dataclass(frozen=True)
class Rattle(Scheme):
    """For mechanical systems, generalised coordinates and bodies alike, with constraints and contacts.

    A contact is closed where its gap is at most its slack (``slack.py``: what rounding may open it by). Impulses of a
    step are recorded in sum (``impulse``) and by stage: ``impulse_start``, ``impulse_end`` and ``impact``.
    """

    separates_impacts: ClassVar[bool] = True

    @property
    def stages(self) -> tuple[StageOptions, ...]:
        """Positions, velocities, impacts; the last one where a contact is closed at the end of the step."""
        return (
            StageOptions("positions", self.newton),
            StageOptions("velocities", self.newton),
            StageOptions("impacts", self.newton, without_relations="skip_constraints"),
        )

    def system(self, step: SystemStep) -> None:
        """s = (q_k, v_k, V): V and q, then v, then v after impacts."""
        step.check_mechanical()
        space = step.cls.configuration
        q_k, v_k, mean = step.state("q_k"), step.state("v_k"), step.state("mean", like="v")
        step.initial(mean=step.given("v"))
        positions, velocities, impacts = (step.stage(s.name) for s in self.stages)
        V = positions.unknown("mean_velocity", like="v")
        middle = positions.at(T_MID, q=_moved(step.cls, q_k, STEP / 2 * V, "mid"), v=V)
        end = _moved(step.cls, q_k, STEP * V, "next")
        positions.residual(positions.inertia(middle, V - v_k) - STEP / 2 * positions.term("force", middle, dated="mid"))
        positions.start(v_k)
        positions.view(q=end, v=V)
        positions.advance(q_k=space.normalised(end), mean=V)
        v = velocities.unknown("v")
        middle = velocities.at(T_MID, q=_moved(step.cls, q_k, -STEP / 2 * mean, "mid"), v=mean)
        velocities.residual(
            velocities.term("mass", middle) * (v - mean) - STEP / 2 * velocities.term("force", middle, dated="mid")
        )
        offer_mobilities(velocities, velocities.term("mass", velocities.at(T_NEXT, q=q_k)))
        velocities.start(2 * mean - v_k)
        velocities.advance(v_k=v)
        offer_mobilities(impacts, impact_stage(impacts))
        positions.formulas(residual="R = M(q_m) (V - v_k) - h/2 F(t_m, q_m, V)", advance="q_k+1 = q_k moved by h V")
        velocities.formulas(residual="R = M(q_m) (v - V) - h/2 F(t_m, q_m, V)", advance="v_k+1 = v")

    def relation(self, step: RelationStep) -> None:
        """A gap or a constraint with its impulses at both ends of the step; or a force, by law or by formula."""
        fix = "use nsd.Contact, nsd.Bilateral or nsd.OutputRelation on mechanical systems"
        state_mechanics(step, self._gap, self._force, self._element, fix)

    def _gap(self, step: RelationStep) -> None:
        """Rows: gap, sliding rates, rolling rates. The gap of the first stage is a rate, too: divided by h."""
        positions, velocities, impacts = (step.stage(s.name) for s in self.stages)
        names = rate_names(step.cls)
        m = step.cls.terms["gap"].rows
        gap_k = step.memory("gap_k", m, units=gap_units(step.cls)) if m else sp.zeros(0, 1)
        step.memory("rate_k", names=names, units=rate_units(step.cls))
        total = step.memory("impulse", len(names), units=impulse_units(step.cls))
        kinks = Kinks(step)
        self._positions(positions, gap_k, kinks)
        self._velocities(velocities, total, kinks)
        self._impacts(impacts, total)
        if step.law.unilateral:
            positions.activation(_where(sp.And(gap_k[0] <= slack(step), self._stays(step, positions))))
            velocities.activation(_where(total[0] > 0))
        if m:
            step.at_start(**({"nonnegative": "gap_k"} if step.law.unilateral else {"zero": "gap_k"}))

    def _positions(self, stage: RelationStep, gap_k: sp.Matrix, kinks: Kinks) -> None:
        """c(q_k+1) / h = 0 on the branches of q_k, a gap not smaller than it was, or 0; sliding rates of the middle."""
        names, m = rate_names(stage.cls), gap_k.rows
        impulse = stage.multiplier("impulse_start", len(names), impulse_units(stage.cls))
        gap = kinks.gap(stage.end)
        kept = sp.Matrix([Branch(g, g <= 0, 0, sp.true) for g in gap_k]) if stage.law.unilateral else sp.zeros(m, 1)
        rows = ((gap - kept) / STEP).col_join(kinks.rate(self._middle(stage))[m:, :])
        _hold(stage, rows)
        stage.reaction(
            *(
                self._at_start(p, product(H.T, impulse))
                for p, H in zip(stage.participants, stage.gradients(stage.last), strict=True)
            )
        )
        stage.remember(impulse=impulse)
        stage.initial_memory(impulse=sp.zeros(len(names), 1))
        stage.formulas(output="y = (c(t_next, q) - min(c_k, 0)) / h, rho = H(q_k)^T P1")

    def _velocities(self, stage: RelationStep, total: sp.Matrix, kinks: Kinks) -> None:
        """H v + dc/dt = 0 of constraints, and of what P1 held as it held it."""
        impulse = stage.multiplier("impulse_end", total.rows, impulse_units(stage.cls))
        at = {**stage.ended, **_own_velocities(stage)}
        _hold(stage, kinks.rate(at) if stage.law.unilateral else stage.rate(at))
        kinks.remember(stage)
        remember_leap(stage)
        stage.react(impulse, stage.ended)
        gap = stage.term("gap", stage.ended)
        stage.remember(rate_k=stage.rate(stage.ended), impulse=total + impulse, **({"gap_k": gap} if gap.rows else {}))
        if stage.law.unilateral:
            remember_slack(stage, mobility(stage) * (total[0] + impulse[0]))
        stage.formulas(output="y = H v + dc/dt, rho = H(q_k+1)^T P2", observe="gap and rates at the end of the step")

    def _impacts(self, stage: RelationStep, total: sp.Matrix) -> None:
        """The law between the rates before and after the impact, for all that is closed at the end of the step."""
        impulse = stage.multiplier("impact", total.rows, impulse_units(stage.cls))
        rates, before = stage.rate({**stage.ended, **_own_velocities(stage)}), stage.rate(stage.ended)
        if stage.law.unilateral:
            rates, closed = refuse_sinking(stage, rates, before, self._closed(stage))
            stage.activation(closed)
        stage.output(rates, before)
        stage.react(impulse, stage.ended)
        stage.remember(rate_k=stage.rate(stage.ended), impulse=total + impulse)
        if stage.law.unilateral:
            remember_slack(stage, mobility(stage) * (total[0] + impulse[0]))
        stage.initial_memory(impulse=sp.zeros(total.rows, 1))
        stage.formulas(output="y = law(u(v), u(v-)), rho = H(q_k+1)^T P3", observe="rates after the impact")

    def _stays(self, step: RelationStep, positions: RelationStep) -> sp.Basic:
        """Whether a contact approaches by rounding alone: what meets it when the run starts has an impact, as P3."""
        return step.memory("rate_k")[0] >= -rate_slack(step, positions.last)

    def _closed(self, step: RelationStep) -> sp.Expr:
        """Whether a contact is closed at the end of the step; at rest where it comes nearer by its slack at most."""
        gap, rate, most = step.memory("gap_k")[0], step.memory("rate_k")[0], slack(step)
        meets = Branch(sp.S.One, rate < -most / STEP, int(Play.AT_REST), sp.true)
        return Branch(meets, gap <= most, sp.S.Zero, sp.true)

    def _force(self, step: RelationStep) -> None:
        """y = h(t_m, q_m, V, lambda), then h(t_m, q_m, v, mu); rho = h/2 g with the multiplier of each half step.

        With one multiplier for both halves a brake would hold V, and velocities would change their sign in every step.
        """
        positions, velocities, impacts = (step.stage(s.name) for s in self.stages)
        multiplier, follows = positions.multiplier(), follows_velocities(step)
        middle = self._middle(positions)
        positions.output(positions.term("output", middle))
        positions.reaction(*self._half(positions, positions.reactions(middle)))
        later = multipliers_at_end(velocities, multiplier, "left" if follows else "end")
        at = {**self._middle(velocities, True), **_own_velocities(velocities), **later}
        velocities.output(velocities.term("output", at))
        velocities.reaction(*self._half(velocities, velocities.reactions(at), True))
        positions.formulas(output="y = h(t_m, q_m, V, lambda), rho = h/2 g")
        velocities.formulas(output="y = h(t_m, q_m, v, mu), rho = h/2 g", observe="y at t_next")
        struck = pass_on(impacts, "impact", "struck")
        record_output(velocities, sp.Matrix([*later.values()]), *([(impacts, struck)] if follows else ()))

    # -- how velocities and forces stand beside the unknowns of a stage ---------------------------

    def _middle(self, step: RelationStep, before: bool = False) -> Instant:
        """t_m, q_m and V in the stage of positions, or where these have been advanced already (``before``)."""
        q, v = [], []
        for p in step.participants:
            mean = p.state("mean") if before else p.unknown
            q.append(_moved(p.participant.system, p.state("q_k"), (-STEP if before else STEP) / 2 * mean, "mid"))
            v.append(mean)
        return step.at(T_MID, q=q, v=v)

    def _at_start(self, p: ParticipantStep, force: sp.Matrix) -> sp.Matrix:
        """A force on the velocities at q_k, on the unknowns of the stage of positions."""
        return force

    def _half(self, step: RelationStep, forces: Sequence[sp.Matrix], before: bool = False) -> list[sp.Matrix]:
        """h/2 times forces in the middle of the step, on the unknowns of the stage."""
        return [STEP / 2 * g for g in forces]

    def _element(self, step: RelationStep) -> None:
        """A force by formula in the middle of the step: rho = h/2 g in both stages of the smooth motion."""
        positions, velocities, impacts = (step.stage(s.name) for s in self.stages)
        positions.reaction(*self._half(positions, positions.reactions(self._middle(positions))))
        velocities.reaction(*self._half(velocities, velocities.reactions(self._middle(velocities, True)), True))
        record_force(step, velocities, impacts)
        positions.formulas(output="rho = h/2 g(t_m, q_m, V)")
        velocities.formulas(output="rho = h/2 g(t_m, q_m, V)", observe="force at t_next")


def _hold(stage: RelationStep, rows: sp.Matrix) -> None:
    """The law of what stays closed: without restitution; laws of impacts alone are complementarity there."""
    if stage.law.instantaneous:
        stage.impose(rows, (Cone.COMPLEMENTARITY, rows.rows))
    else:
        stage.output(rows, sp.zeros(*rows.shape))


def _where(condition: sp.Basic) -> sp.Expr:
    return Branch(sp.S.One, condition, sp.S.Zero, sp.true)


def _moved(cls: SystemClass, q: sp.Matrix, twist: sp.Matrix, dated: str) -> list[sp.Expr]:
    """q moved by a twist; what turns is named, so that what depends on it is written in its terms."""
    moved = cls.configuration.moved(list(q), list(twist))
    if cls.configuration.flat:
        return moved
    return [let(f"{label_of(s)}_{dated}", e) for s, e in zip(cls.group("q"), moved, strict=True)]


def _own_velocities(step: RelationStep) -> Instant:
    """Velocities as the unknowns of a stage, by the symbols of the participants."""
    return {s: e for p in step.participants for s, e in zip(p.group("v"), p.unknown, strict=True)}
