"""A model of bodies with contacts in units of its own, and its run beside the motion of ``contact_automaton``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from .contact_automaton import REST, Bodies, Touch, motion
from .switching_compare import PATIENCE, drawn, within

APART = 1e-4  # of a run: events nearer to each other accumulate, or are one
AT_ONCE = 1e-9
NOW = sp.Symbol("t", real=True)


@dataclass(frozen=True)
class Bodied:
    """Masses, forces of (t, q, v), contacts; in units near 1, those of ``scales``: length, time and mass."""

    q: Sequence[sp.Symbol]
    v: Sequence[sp.Symbol]
    masses: Sequence[float]
    force: Sequence[Any]
    touches: Sequence[Touch]
    start: Sequence[float]
    end: float
    scales: tuple[float, float, float] = (1.0, 1.0, 1.0)
    exact: Callable | None = None

    def model(self, step: float = 0.01, **options: Any) -> nsd.Model:
        """The model of nsdgen, in the units of ``scales``, of which its thresholds are not told."""
        size, time, mass = self.scales
        states = dynamicsymbols(f"s:{len(self.q)}")
        rates = [s.diff() for s in states]
        own = {NOW: nsd.time / time, **{a: s / size for a, s in zip(self.q, states, strict=True)}}
        own |= {a: s * time / size for a, s in zip(self.v, rates, strict=True)}
        body = nsd.LagrangianSystem(
            "body",
            states,
            kinetic=sum(m * mass * r**2 / 2 for m, r in zip(self.masses, rates, strict=True)),
            forces=[mass * size / time**2 * sp.sympify(f).xreplace(own) for f in self.force],
        )
        contacts = []
        for i, touch in enumerate(self.touches):
            law = nsd.NewtonImpact(touch.restitution)
            if touch.rate is not None:
                law = nsd.NewtonImpactFriction(touch.restitution, touch.friction)
            tangent = None if touch.rate is None else sp.expand(size / time * sp.sympify(touch.rate).xreplace(own))
            gap = sp.expand(size * sp.sympify(touch.gap).xreplace(own))
            contacts.append(nsd.Contact(f"contact{i}", gap, law, tangent=tangent))
        told = {
            "rest_rate": REST / 100,  # what it stops departs by no more, and friction counts as much
            "rtol": 1e-12,
        }
        values = [size * x for x in self.start[: len(states)]] + [size / time * x for x in self.start[len(states) :]]
        return nsd.Model(
            "contacts",
            [body],
            contacts,
            scheme=nsd.EventDriven(**{**told, **options}),
            step=step * self.end * time,
            end=self.end * time,
            initial=dict(zip([*states, *rates], map(float, values), strict=True)),
        )

    def motion(self):
        """The motion by a reference of its own, or by SciPy."""
        if self.exact is not None:
            return self.exact()
        bodies = Bodies(self.q, self.v, NOW, self.masses, self.force, self.touches)
        return motion(bodies, self.start, self.end)


def bodied(count: int, build: Callable, **settings: Any) -> Bodied:
    """A case whose forces and contacts are functions of (t, q, v)."""
    q, v = sp.symbols(f"q:{count}", real=True), sp.symbols(f"v:{count}", real=True)
    force, touches = build(NOW, q, v)
    return Bodied(q, v, settings.pop("masses", [1.0] * count), force, touches, **settings)


def compare_contacts(family: Callable, seed: int, **options: Any) -> tuple[float, float, int]:
    """The largest error of event times and of coordinates, in parts of the run and of their largest value; events."""
    case = drawn(family, seed)
    size, time, _ = case.scales
    exact = case.motion()
    assert exact.limit is None, "the reference gave up"
    with within(PATIENCE):
        run = case.model(**options).run()
    assert np.all(np.diff(run.time) >= 0)
    events = [e.time / time for e in run.events if e.kind != "start"]
    for begin, limit in accumulated(run, time):
        inside = [t for t in exact.times if begin * (1 + 1e-9) < t < limit + AT_ONCE * case.end]
        if any(t < limit for t in inside):  # these are not computed; states are compared
            events = [t for t in events if abs(t - limit) > AT_ONCE * case.end] + inside
    told, own = lonely(exact.times, case.end), lonely(events, case.end)
    assert len(own) == len(told), (case.scales, own, told)
    off = max((abs(a - b) / case.end for a, b in zip(own, told, strict=True)), default=0.0)
    there = run.time / time
    states = np.array([exact.at(t)[: len(case.q)] for t in there])
    found = np.column_stack([run[f"body.s{i}"] for i in range(len(case.q))]) / size
    largest = np.abs(states).max(axis=0) + 1e-3 * (np.abs(states).max() or 1.0)
    return off, float((np.abs(found - states) / largest).max()), len(exact.times)


def accumulated(run: Any, time: float) -> list[tuple[float, float]]:
    """The last impact that rebounds before each that ends closed, and this one, in the units of the case."""
    closes = [e for e in run.events if e.kind == "closes"]
    return [
        (before.time / time, e.time / time)
        for before, e in itertools.pairwise(closes)
        if run[f"{e.name}.closed"][e.after] and not run[f"{before.name}.closed"][before.after]
    ]


def lonely(times: Sequence[float], end: float) -> list[float]:
    """Those that are apart from all others and from the end; several at one instant are one."""
    t = np.sort(np.asarray(times, dtype=float))
    t = t[np.diff(t, prepend=-np.inf) > AT_ONCE * end]
    near = np.diff(t, prepend=-np.inf, append=end) < APART * end
    return [float(x) for x, a, b in zip(t, near[:-1], near[1:], strict=True) if not (a or b)]
