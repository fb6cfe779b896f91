"""Event-driven integration: smooth motion between events, and at every event the impact and the new set of contacts.

smooth    M a = F + H^T f,  d/dt (H v + dh/dt) = 0 where a contact is closed; a contact that slides has f_T = -mu s f_N
impact    M (v - v_k) = H^T p,  y = law(u(v), u(v_k)), for contacts whose gap is closed; then its expansion, if any
rest      M (v - v_k) = H^T r,  H v + dh/dt = 0 for contacts that hardly separate any more
forces    M a = F + H^T f,  0 <= d/dt (H v + dh/dt) orthogonal to f >= 0 at contacts that rest: which stay closed

Events are zeros of gaps, of forces of closed contacts, of what is left of friction, and of sliding rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.schemes.program import StageOptions
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.scheme import Scheme, option
from nsdgen.schemes.stages import T_NEXT
from nsdgen.schemes.system_step import Instant, SystemStep
from nsdgen.suggest import named_arguments
from nsdgen.symbolic.expressions.nodes import Branch

__all__ = ["EventDriven"]

_ROUNDING = 8e-15
"""Of a gap's terms, twice over: a flight that stays below cannot be told from contact."""

_STAGES = ("smooth", "impact", "expansion", "rest", "forces")


@named_arguments
@dataclass(frozen=True)
class EventDriven(Scheme):
    """For mechanical systems with contacts (Coulomb friction in the plane) and constraints, and for smooth first-order
    systems: the models are those of time-stepping.

    ``rtol`` and ``atol`` bound the error of every step of the integrator, Dormand and Prince's 8(5,3): relative to each
    state, and absolute. A contact is closed where its gap is at most ``closed`` [m]; one that closes more slowly than
    ``rest_rate`` [m/s] has come to rest: its law sees no approach, so that impacts that accumulate end. A contact
    slides where its sliding rate is above ``rest_rate``. After ``most_events`` events between two recorded instants a
    run is given up. Events are looked for at every step of the model and of the integrator.
    """

    separates_impacts: ClassVar[bool] = True

    rtol: float = option(1e-10, 1e-14, 1e-1)
    atol: float = option(1e-12, 0, 1e9)
    closed: float = option(1e-10, 0, 1)
    rest_rate: float = option(1e-7, 0, 1e3)
    most_events: float = option(1e4, 1, 1e9)

    @property
    def stages(self) -> tuple[StageOptions, ...]:
        """The rate of the smooth motion; at events the impact, contacts brought to rest, and the forces of those."""
        return (StageOptions("smooth", self.newton, at="rate"),
                *(StageOptions(name, self.newton, at="event",
                               without_relations="skip_constraints" if name == "expansion" else "run")
                  for name in _STAGES[1:]))

    def system(self, step: SystemStep) -> None:
        """s = (q_k, v_k) with q' = T(q) v, M v' = F; or s = x_k with M x' = f."""
        if "rhs" in step.cls.terms:
            _first_order(step)
            return
        if "force" not in step.cls.terms:
            raise step.refused("a family of your own is described by mechanical_class or first_order_class, or has a "
                               "scheme of its own")
        q_k, v_k = step.state("q_k"), step.state("v_k")
        space = step.cls.configuration
        now = step.at(T_NEXT, q=space.normalised(list(q_k)), v=v_k)
        smooth, *at_once, forces = (step.stage(name) for name in _STAGES)
        for stage in (smooth, forces):
            a = stage.unknown("acceleration", like="v")
            stage.residual(stage.term("mass", now) * a - stage.term("force", now))
            stage.start(sp.zeros(a.rows, 1))
            stage.formulas(residual="R = M a - F(t, q, v)", advance="q' = T(q) v, v' = a" if stage is smooth else
                           "q, v unchanged", observe="a")
            if stage is smooth:
                stage.advance(q_k=space.rate(list(q_k), list(v_k)), v_k=a)
                stage.observe(a, *_accelerations(step))
        for stage in at_once:
            v = stage.unknown("v")
            stage.residual(stage.term("mass", now) * (v - v_k))
            stage.advance(v_k=v)
            stage.formulas(residual="R = M (v - v_k)", advance="v_k+1 = v")

    def relation(self, step: RelationStep) -> None:
        """A gap with its forces, impulses and modes: open, closed, sliding to one side; or a force by formula."""
        if step.has("force") and not step.has("gap"):
            _by_formula(step)
            return
        if not step.has("gap"):
            raise step.refused("use nsd.Contact, nsd.Bilateral or nsd.ForceElement; nsd.MoreauJean takes forces by "
                               "output and reaction")
        if not step.cls.terms["gap"].rows:
            raise step.refused("constraints of velocities alone want nsd.MoreauJean, nsd.Rattle or "
                               "nsd.GeneralisedAlpha; a motion that is prescribed as a position is an nsd.Bilateral")
        cones = step.cls.imposed[1]
        if not step.law.unilateral and step.cls.terms["sliding"].rows:
            raise step.refused("joints that rub under their own load want nsd.MoreauJean or nsd.Rattle")
        if cones not in (((Cone.COMPLEMENTARITY, 1),), ((Cone.TRACED, 1),), ((Cone.COULOMB_2D, 2),),
                         () if step.law.unilateral else ((Cone.EQUALITY, step.cls.height),)) or (
                             step.law.expansion is not None and step.cls.height > 1):
            raise step.refused("event-driven integration knows contacts without friction, or with Coulomb's in the "
                               "plane; nsd.MoreauJean has the others")
        _Gap(self, step).state()


class _Gap:
    """The three stages of a gap; what they share is stated once."""

    def __init__(self, scheme: EventDriven, step: RelationStep) -> None:
        self.step = step
        self.smooth, self.impact, self.expansion, self.rest, self.forces = (step.stage(name) for name in _STAGES)
        self.rows = step.cls.height
        self.slides = step.cls.terms["sliding"].rows == 1
        self.now = _now(step)
        m = step.cls.terms["gap"].rows
        names = ("gap_rate", "sliding_rate") if self.slides else _names("gap_rate", m)
        self.gap_k = step.memory("gap_k", m, units=("m",) * m)
        self.rate_k = step.memory("rate_k", names=names, units=("m/s",) * self.rows)
        self.fall_k = step.memory("fall_k", names=("gap_acceleration",), units=("m/s^2",)) if step.law.unilateral \
            else sp.zeros(1, 1)
        self.force_k = step.memory("force_k", self.rows, ["N"] * self.rows, _names("last_force", self.rows))
        self.closed_k = step.memory("closed_k") if step.law.unilateral else sp.Matrix([1])
        self.side_k = step.memory("side_k") if self.slides else sp.Matrix([0])

    def state(self) -> None:
        """All stages, and the quantities whose zeros are events."""
        step, rate = self.step, self.step.rate(self.now)
        self._smooth(rate)
        impulse = self._impact()
        if step.law.expansion is not None:
            self._expand(impulse, step.law.expansion)
        elif not step.law.unilateral:
            self._hold()
        self._rest(rate)
        self._forces(rate)
        if step.law.unilateral:
            closed, force = self.closed_k[0] > 0, self.force_k[0]
            step.cut("closes", Branch(sp.S.One, closed, self.gap_k[0], sp.true), "falling")
            step.cut("opens", Branch(force, closed, sp.S.One, sp.true), "falling")
        if self.slides:
            sticking = sp.And(self.closed_k[0] > 0, sp.Eq(self.side_k[0], 0), self._mu() > 0)
            step.cut("slips", Branch(self._margin(), sticking, sp.S.One, sp.true), "falling")
            side = self.side_k[0]
            step.cut("sticks", Branch(sp.S.One, sp.Eq(side, 0), side * self.rate_k[1], sp.true), "falling")
        step.at_start(**({"nonnegative": "gap_k"} if step.law.unilateral else {"zero": "gap_k"}))

    def _smooth(self, rate: sp.Matrix) -> None:
        """Closed contacts stay closed; a sliding one has the friction of its side, any other one sticks."""
        stage = self.smooth
        f = stage.multiplier("force", self.rows, ["N"] * self.rows)
        rows = self._acceleration(stage)
        fall = rows[0]
        if self.slides:
            slides = Branch(sp.S.One, sp.Or(sp.Ne(self.side_k[0], 0), self._mu() <= 0), sp.S.Zero, sp.true)
            rows[1] = (1 - slides) * rows[1] + slides * f[1]
        stage.impose(rows, (Cone.EQUALITY, self.rows))
        self._react(stage, f, self.side_k[0])
        if stage.law.unilateral:
            stage.activation(Branch(sp.S.One, self.closed_k[0] > 0, sp.S.Zero, sp.true))
            stage.remember(fall_k=[fall])
        stage.remember(gap_k=stage.term("gap", self.now), rate_k=rate, force_k=f)
        stage.initial_memory(force_k=sp.zeros(self.rows, 1))
        stage.formulas(output="y = d/dt (H v + dh/dt), rho = H^T f", observe="gap, rates and forces now",
                       activation="closed")

    def _impact(self) -> sp.Matrix:
        """The law joins the rates before and after; approaches slower than rest_rate, and departures, count as none.

        Gives the impulse.
        """
        stage = self.impact
        p = stage.multiplier("impulse", self.rows, ["N s"] * self.rows)
        before = stage.rate(self.now)
        if stage.law.unilateral:
            before[0] = Branch(before[0], before[0] < -stage.options.rest_rate, sp.S.Zero, sp.true)
            stage.activation(Branch(sp.S.One, self._touches(), sp.S.Zero, sp.true))
        stage.output(self._rate_after(stage), before)
        stage.reaction(*(H.T * p for H in stage.gradients(self.now)))
        stage.formulas(output="y = law(u(v), u(v_k)), rho = H^T p", activation="gap <= closed", bounds="as in the law")
        return p

    def _expand(self, compression: sp.Matrix, restitution: sp.Expr) -> None:
        """The second phase of a law that has two: it gives back a share of the compression, and nothing penetrates."""
        stage = self.expansion
        stored = stage.memory("compression_k", units=["N s"])
        self.impact.remember(compression_k=compression)
        self.impact.initial_memory(compression_k=[0])
        more = stage.multiplier("expansion", 1, ["N s"])
        stage.impose(self._rate_after(stage), (Cone.COMPLEMENTARITY, 1))
        stage.reaction(*(H.T * (more + restitution * stored) for H in stage.gradients(self.now)))
        stage.activation(Branch(sp.S.One, self._touches(), sp.S.Zero, sp.true))
        stage.formulas(output="y = u(v), rho = H^T (p + e p_c)", activation="gap <= closed")

    def _hold(self) -> None:
        """A constraint holds in the second phase, too."""
        stage = self.expansion
        push = stage.multiplier("expansion", self.rows, ["N s"] * self.rows)
        stage.impose(self._rate_after(stage), (Cone.EQUALITY, self.rows))
        stage.reaction(*(H.T * push for H in stage.gradients(self.now)))
        stage.formulas(output="y = H v + dh/dt, rho = H^T p")

    def _rest(self, rate: sp.Matrix) -> None:
        """A contact that touches and is slower than rest_rate stops: closed, it stays where it is."""
        stage = self.rest
        r = stage.multiplier("settling", self.rows, ["N s"] * self.rows)
        rows = self._rate_after(stage)
        if self.slides:
            fast = Branch(sp.S.One, sp.Abs(rate[1]) > stage.options.rest_rate, sp.S.Zero, sp.true)
            rows[1] = (1 - fast) * rows[1] + fast * r[1]
        stage.impose(rows, (Cone.EQUALITY, self.rows))
        stage.reaction(*(H.T * r for H in stage.gradients(self.now)))
        if stage.law.unilateral:
            stage.activation(Branch(sp.S.One, self._rests(rate, self._slow(rate)), sp.S.Zero, sp.true))
        stage.formulas(output="y = H v + dh/dt, rho = H^T r",
                       activation="touches, and separates no faster than rest_rate")

    def _rate_after(self, stage: RelationStep) -> sp.Matrix:
        """The rates that the unknown velocities of a stage make."""
        return stage.rate({**self.now, **{s: w for p in stage.participants
                                          for s, w in zip(p.group("v"), p.unknown, strict=True)}})

    def _forces(self, rate: sp.Matrix) -> None:
        """Which of the contacts that rest stay closed, and whether they stick."""
        stage, unilateral = self.forces, self.step.law.unilateral
        f = stage.multiplier("force", self.rows, ["N"] * self.rows)
        rows = self._acceleration(stage)
        side = self._side(rate)
        if self.slides:
            mu = stage.cls.bounds.xreplace({**self.now})[0]
            stage.impose(rows, (Cone.COULOMB_2D, 2), bounds=[Branch(mu, sp.Eq(side, 0), sp.S.Zero, sp.true)])
        else:
            stage.impose(rows, (Cone.COMPLEMENTARITY if unilateral else Cone.EQUALITY, self.rows))
        self._react(stage, f, side)
        stopped = rate[0] <= sp.Float(1e-3) * stage.options.rest_rate  # brought to rest just now
        rests = self._rests(rate, stopped)
        if unilateral:
            stage.activation(Branch(sp.S.One, rests, sp.S.Zero, sp.true))
            opens = sp.And(f[0] <= 0, rows[0] > 0)
            stays = Branch(Branch(sp.S.Zero, opens, sp.S.One, sp.true), rests, sp.S.Zero, sp.true)
            stage.remember(closed_k=stays)
            stage.initial_memory(closed_k=[0])
        if self.slides:
            starts = Branch(Branch(sp.S.One, rows[1] > 0, -sp.S.One, sp.true),
                            sp.Abs(f[1]) >= (1 - sp.Float(1e-9)) * mu * f[0], sp.S.Zero, sp.true)
            moves = Branch(starts, sp.Abs(rows[1]) > stage.options.rest_rate, sp.S.Zero, sp.true)
            new = Branch(side, sp.Ne(side, 0), moves, sp.true)
            stage.remember(closed_k=stays, side_k=Branch(new, sp.And(rests, mu > 0), sp.S.Zero, sp.true))
            stage.initial_memory(closed_k=[0], side_k=[0])
        stage.formulas(output="y = d/dt (H v + dh/dt), rho = H^T f", activation="closed, at rest, not opening",
                       observe="closed or not, and the side to which it slides", bounds="mu where it does not slide")

    def _acceleration(self, stage: RelationStep) -> sp.Matrix:
        """d/dt (H v + dh/dt), a function of the accelerations."""
        return stage.acceleration(self.now, [p.unknown for p in stage.participants])

    def _react(self, stage: RelationStep, f: sp.Matrix, side: sp.Expr) -> None:
        """H^T f, the friction of a sliding contact in proportion to its normal force."""
        force = sp.Matrix(f)
        if self.slides:
            force[1] = f[1] - side * self._mu() * f[0]
        stage.reaction(*(H.T * force for H in stage.gradients(self.now)))

    def _mu(self) -> sp.Expr:
        return self.step.cls.bounds.xreplace(self.now)[0]

    def _margin(self) -> sp.Expr:
        """What is left of the friction that would hold a contact."""
        return self._mu() * self.force_k[0] - sp.Abs(self.force_k[1])

    def _touches(self) -> sp.Basic:
        """Whether a contact takes part in impacts: closed so far, or its gap is."""
        return sp.Or(self.closed_k[0] > 0, self.step.term("gap", self.now)[0] <= self.step.options.closed)

    def _slow(self, rate: sp.Matrix) -> sp.Basic:
        """Whether a contact separates no faster than rest_rate, or than takes it above the rounding of its gap."""
        size = sum((sp.Abs(term) for term in sp.Add.make_args(self.step.term("gap", self.now)[0])), sp.S.Zero)
        return sp.Or(rate[0] <= self.step.options.rest_rate,
                     rate[0]**2 <= sp.Float(_ROUNDING) * sp.Abs(self.fall_k[0]) * size)

    def _rests(self, rate: sp.Matrix, slow: sp.Basic) -> sp.Basic:
        """Whether a contact may stay closed: it touches, is slow, and its force has not fallen to zero."""
        lost = sp.And(self.closed_k[0] > 0, self.force_k[0] <= 0)
        return sp.And(self._touches(), slow, sp.Not(lost))

    def _side(self, rate: sp.Matrix) -> sp.Expr:
        """+1 or -1 where a contact slides, or where friction no longer holds it; 0 where it may stick."""
        if not self.slides:
            return sp.S.Zero
        limit = self.step.options.rest_rate
        lost = sp.And(self.closed_k[0] > 0, sp.Eq(self.side_k[0], 0), self._margin() <= 0)
        gives = Branch(Branch(-sp.S.One, self.force_k[1] > 0, sp.S.One, sp.true), lost, sp.S.Zero, sp.true)
        return Branch(sp.S.One, rate[1] > limit, Branch(-sp.S.One, rate[1] < -limit, gives, sp.true), sp.true)


def _by_formula(step: RelationStep) -> None:
    """A finite force: it acts on the smooth motion and in the choice of contacts, not in impacts."""
    now = _now(step)
    for stage in (step.stage("smooth"), step.stage("forces")):
        stage.reaction(*stage.reactions(now))
        stage.formulas(output="rho = g(t, q, v)")
    step.stage("smooth").observe(step.term("force", step.ended), [name for name, _ in step.cls.labels],
                                 [unit for _, unit in step.cls.labels])


def _first_order(step: SystemStep) -> None:
    """M x' = f; events change nothing of it."""
    x_k = step.state("x_k")
    now = step.at(T_NEXT, x=x_k)
    smooth = step.stage("smooth")
    rate = smooth.unknown("rate", like="x")
    smooth.residual(smooth.term("mass", now) * rate - smooth.term("rhs", now))
    smooth.start(sp.zeros(rate.rows, 1))
    smooth.advance(x_k=rate)
    smooth.formulas(residual="R = M x' - f(t, x)", advance="x'")


def _now(step: RelationStep) -> Instant:
    """The state as it is, configurations normalised."""
    at = step.ended
    for p in step.participants:
        unit = p.participant.system.configuration.normalised([at[s] for s in p.group("q")]) if p.group("q") else []
        at = {**at, **dict(zip(p.group("q"), unit, strict=False))}
    return at


def _accelerations(step: SystemStep) -> tuple[list[str], list[str]]:
    """Names and units of what is recorded of accelerations: ``z_ddot``, ``velocity_rate[0]``."""
    group = next(group for group in step.cls.variables if group.role == "v")
    pairs = [name.partition("[") for name in group.names]
    names = [(stem[:-4] + "_ddot" if stem.endswith("_dot") else stem + "_rate") + bracket + rest
             for stem, bracket, rest in pairs]
    return names, [unit + "^2" if unit.endswith("/s") else "" for unit in group.units]


def _names(name: str, count: int) -> tuple[str, ...]:
    return (name,) if count == 1 else tuple(f"{name}[{i}]" for i in range(count))
