"""Event-driven integration: smooth motion between events, and at every event the impact and the new set of contacts.

smooth    M a = F + H^T f,  d/dt (H v + dh/dt) = 0 where a contact is closed; a contact that slides has f_T = -mu s f_N
impact    M (v - v_k) = H^T p,  y = law(u(v), u(v_k)), for contacts whose gap is closed; then its expansion, if any
rest      M (v - v_k) = H^T r,  H v + dh/dt = 0 for contacts that hardly separate any more
closing   M xi = H^T s,  h + H xi = 0 at the limit of impacts; the configuration moves by xi
forces    M a = F + H^T f,  0 <= d/dt (H v + dh/dt) orthogonal to f >= 0 at contacts that rest: which stay closed

Events are zeros of gaps, of forces of closed contacts, of what is left of friction, and of sliding rates.
"""

from dataclasses import dataclass
from typing import ClassVar

import sympy as sp

from nsdgen.base.suggest import named_arguments
from nsdgen.schemes.event_contacts import GapEvents
from nsdgen.schemes.event_outputs import OutputEvents
from nsdgen.schemes.expansion import impact_stage
from nsdgen.schemes.program import StageOptions
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.scheme import Scheme, option
from nsdgen.schemes.stages import T_NEXT
from nsdgen.schemes.system_step import Instant, SystemStep

_MOST = 1e30
"""Of thresholds, in whatever units: those of a model of light years in metres."""

_STAGES = ("smooth", "impact", "expansion", "rest", "closing", "forces")


@named_arguments
@dataclass(frozen=True)
class EventDriven(Scheme):
    """For mechanical and first-order systems with all relations of time-stepping: friction in the plane and in space,
    of rolling and drilling, constraints, laws of rates, forces by output and by formula.

    ``rtol`` bounds the error of every step of the integrator, Dormand and Prince's 8(5,3), relative to each state; a
    thousandth of it is enough relative to the largest the state was so far, and to the terms of its rate; ``atol`` is
    one in the unit of states. A contact is closed where its gap is at most ``closed`` of the largest it was; one that
    closes more slowly than ``rest_rate`` of its largest rate has come to rest: its law sees no approach. What touches
    at the start counts with the rate that it would come to in ten steps of the model if it were free. Impacts that
    accumulate end where the sequence of their instants and states tends to, by extrapolation to 1e-12; those of several
    contacts that strike in turns in an impact of all of them without rebound, once gaps open to 1e-13 of what they did;
    where neither is known, by ``rest_rate``. A contact slides where its sliding rate is above that of rest; in space it
    goes along a line below ten times that. After ``most_events`` events between two recorded instants a run is given
    up. Events are looked for at every step of the model and of the integrator.
    """

    separates_impacts: ClassVar[bool] = True

    rtol: float = option(1e-10, 1e-14, 1e-1)
    atol: float = option(0.0, 0, _MOST)
    closed: float = option(1e-10, 0, 1)
    rest_rate: float = option(1e-8, 0, 1)
    most_events: float = option(1e4, 1, 1e9)

    @property
    def stages(self) -> tuple[StageOptions, ...]:
        """The rate of the smooth motion; at events the impact, contacts brought to rest, their gaps and forces."""
        return (
            StageOptions("smooth", self.newton, at="rate"),
            *(
                StageOptions(
                    name,
                    self.newton,
                    at="event",
                    without_relations="skip_constraints" if name in ("expansion", "closing") else "run",
                )
                for name in _STAGES[1:]
            ),
        )

    def system(self, step: SystemStep) -> None:
        """s = (q_k, v_k) with q' = T(q) v, M v' = F; or s = x_k with M x' = f."""
        if "rhs" in step.cls.terms:
            _first_order(step)
            return
        if "force" not in step.cls.terms:
            raise step.refused(
                "a family of your own is described by mechanical_class or first_order_class, or has a scheme of its own"
            )
        q_k, v_k = step.state("q_k"), step.state("v_k")
        space = step.cls.configuration
        now = step.at(T_NEXT, q=space.normalised(list(q_k)), v=v_k)
        smooth, *at_once, closing, forces = (step.stage(name) for name in _STAGES)
        for stage in (smooth, forces):
            a = stage.unknown("acceleration", like="v")
            stage.residual(stage.term("mass", now) * a - stage.term("force", now))
            stage.start(sp.zeros(a.rows, 1))
            stage.formulas(
                residual="R = M a - F(t, q, v)",
                advance="q' = T(q) v, v' = a" if stage is smooth else "q, v unchanged",
                observe="a",
            )
            if stage is smooth:
                stage.advance(q_k=space.rate(list(q_k), list(v_k)), v_k=a)
                stage.observe(a, *_accelerations(step))
        for stage in at_once:
            impact_stage(stage, now, "v_k")
        xi = closing.unknown("correction", like="v")
        closing.residual(closing.term("mass", now) * xi)
        closing.start(sp.zeros(xi.rows, 1))
        near = [a + b for a, b in zip(q_k, space.rate(list(q_k), list(xi)), strict=True)]  # xi is tiny
        closing.advance(q_k=space.normalised(near))
        closing.formulas(residual="R = M xi", advance="q_k moved by xi, v unchanged")

    def relation(self, step: RelationStep) -> None:
        """A gap or rates with forces, impulses and modes; a force by formula, or by output and reaction."""
        now = _now(step)
        if step.has("gap"):
            GapEvents(step, now).state()
        elif step.has("output") and step.cls.reactions:
            OutputEvents(step, now).state()
        elif step.has("force"):
            _by_formula(step, now)
        else:
            raise step.refused(
                "use nsd.Contact, nsd.Bilateral, nsd.VelocityConstraint, nsd.ForceElement or nsd.OutputRelation"
            )


def _by_formula(step: RelationStep, now: Instant) -> None:
    """A finite force: it acts on the smooth motion and in the choice of contacts, not in impacts."""
    for stage in (step.stage("smooth"), step.stage("forces")):
        stage.reaction(*stage.reactions(now))
        stage.formulas(output="rho = g(t, q, v)")
    step.stage("smooth").observe_own("force")


def _first_order(step: SystemStep) -> None:
    """M x' = f; at events M (x - x_k) is what relations want of it."""
    x_k = step.state("x_k")
    now = step.at(T_NEXT, x=x_k)
    smooth, *at_once, forces = (step.stage(name) for name in _STAGES)
    for stage in (smooth, forces):
        rate = stage.unknown("rate", like="x")
        stage.residual(stage.term("mass", now) * rate - stage.term("rhs", now))
        stage.start(sp.zeros(rate.rows, 1))
        if stage is smooth:
            stage.advance(x_k=rate)
        stage.formulas(residual="R = M x' - f(t, x)", advance="x'" if stage is smooth else "x unchanged")
    for stage in at_once:
        x = stage.unknown("x")
        stage.residual(stage.term("mass", now) * (x - x_k))
        stage.advance(x_k=x)
        stage.formulas(residual="R = M (x - x_k)", advance="x_k+1 = x")


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
    names = [
        (stem[:-4] + "_ddot" if stem.endswith("_dot") else stem + "_rate") + bracket + rest
        for stem, bracket, rest in pairs
    ]
    return names, [unit + "^2" if unit.endswith("/s") else unit and f"{unit}/s" for unit in group.units]
