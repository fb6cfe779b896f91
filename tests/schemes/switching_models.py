"""Models of relays, drawn at random, with motions that nsdgen has no part in.

Each family writes its field and outputs once, for symbols and for numbers, and its modes by hand: on which side each
row is, Filippov's equivalent control where it slides, and where that ends. Rows are -Sgn: lambda = -1 where y > 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from .hybrid_automaton import Mode, Motion, move

SYMBOLS = SimpleNamespace(sin=sp.sin, cos=sp.cos, exp=sp.exp, sqrt=sp.sqrt, abs=sp.Abs, tanh=sp.tanh)
NUMBERS = SimpleNamespace(sin=math.sin, cos=math.cos, exp=math.exp, sqrt=math.sqrt, abs=abs, tanh=math.tanh)


@dataclass(frozen=True)
class Case:
    """A model in units near 1 and its motion; ``scales`` are those of time, of states and of outputs."""

    name: str
    field: Callable[..., Sequence[Any]]
    output: Callable[..., Sequence[Any]]
    start: Sequence[float]
    end: float
    motion: Callable[[], Motion]
    rows: int = 1
    law: Any = None
    scales: tuple[float, float, float] = (1.0, 1.0, 1.0)

    def model(self, step: float = 0.02, **options: Any) -> nsd.Model:
        """The model of nsdgen, in units of its own: of time, of states and of outputs."""
        time, size, unit = self.scales
        states = [dynamicsymbols(f"s{i}") for i in range(len(self.start))]
        lam = nsd.multipliers("lam", self.rows)
        now, x = nsd.time / time, [s / size for s in states]
        rates = [size / time * sp.sympify(e) for e in self.field(now, x, [0] * self.rows, SYMBOLS)]
        full = [size / time * sp.sympify(e) for e in self.field(now, x, list(lam), SYMBOLS)]
        plant = nsd.FirstOrderSystem("plant", states, rates)
        rows = nsd.FirstOrderRelation(
            "rows",
            lam,
            [unit * sp.sympify(e) for e in self.output(now, x, list(lam), SYMBOLS)],
            {plant: [sp.expand(f - r) for f, r in zip(full, rates, strict=True)]},
            self.law or nsd.Relay(1),
        )
        return nsd.Model(
            "switching",
            [plant],
            [rows],
            scheme=nsd.EventDriven(rtol=1e-12, **options),
            step=step * self.end * time,
            end=self.end * time,
            initial={s: size * float(v) for s, v in zip(states, self.start, strict=True)},
        )

    def with_lambda(self, value: Callable[[float, np.ndarray], Sequence[float]] | Sequence[float]):
        """The field with multipliers given, or given as functions of t and x."""
        if callable(value):
            return lambda t, x: self.field(t, x, value(t, x), NUMBERS)
        return lambda t, x: self.field(t, x, value, NUMBERS)


def one_relay(case: Case, surface: Callable, equivalent: Callable, rate: Callable) -> Callable[[], Motion]:
    """The motion of a row -Sgn(y) without feedback: ``equivalent(t, x)`` keeps y' = 0, ``rate(t, x, lambda)`` is y'."""

    def side(sign):
        return Mode(case.with_lambda([-sign]), [lambda t, x: sign * surface(t, x)], after)

    sliding = Mode(
        case.with_lambda(lambda t, x: [equivalent(t, x)]),
        [lambda t, x: 1 - equivalent(t, x), lambda t, x: 1 + equivalent(t, x)],
        lambda t, x, which: side(-1 if which == 0 else 1),
    )

    def after(t, x, which):
        above, below = rate(t, x, -1.0), rate(t, x, 1.0)
        if above < 0 < below:
            return sliding
        return side(1 if above > 0 else -1)

    def motion():
        y = surface(0.0, np.asarray(case.start, dtype=float))
        first = side(1 if y > 0 else -1) if y else after(0.0, np.asarray(case.start, dtype=float), 0)
        return move(first, case.start, case.end)

    return motion


def driven_relay(rng) -> Case:
    """x' = a + b sin(w t + p) - k x - c Sgn(x): through zero, along it, and off it where the drive is too large."""
    a, b, w, p = rng.normal() * 0.3, rng.uniform(1, 4), rng.uniform(1, 5), rng.uniform(0, 6)
    k, c = rng.uniform(-0.1, 0.5), rng.uniform(0.3, 1.5)
    drive = lambda t, m: a + b * m.sin(w * t + p)  # noqa: E731
    case = Case(
        "driven relay",
        lambda t, x, lam, m: [drive(t, m) - k * x[0] + c * lam[0]],
        lambda t, x, lam, m: [x[0]],
        [rng.normal()],
        10.0,
        None,
    )
    return replace(
        case,
        motion=one_relay(
            case,
            lambda t, x: x[0],
            lambda t, x: -drive(t, NUMBERS) / c,
            lambda t, x, lam: drive(t, NUMBERS) - k * x[0] + c * lam,
        ),
    )


def dry_friction(rng) -> Case:
    """x'' = -x - 2 d x' + F cos(w t) - mu Sgn(x'): stick and slip."""
    d, F, w, mu = rng.uniform(0, 0.3), rng.uniform(0.5, 2), rng.uniform(0.3, 3), rng.uniform(0.1, 1.0)
    case = Case(
        "dry friction",
        lambda t, x, lam, m: [x[1], -x[0] - 2 * d * x[1] + F * m.cos(w * t) + mu * lam[0]],
        lambda t, x, lam, m: [x[1]],
        [2 * rng.normal(), rng.normal()],
        20.0,
        None,
    )
    force = lambda t, x: -x[0] + F * math.cos(w * t)  # noqa: E731
    return replace(
        case,
        motion=one_relay(
            case,
            lambda t, x: x[1],
            lambda t, x: -force(t, x) / mu,
            lambda t, x, lam: force(t, x) - 2 * d * x[1] + mu * lam,
        ),
    )


def round_surface(rng) -> Case:
    """Sgn(x^2 + y^2 - 1) along a circle, with gains that depend on the state: Filippov's equivalent control."""
    w, g, b, q = rng.uniform(0.5, 2), rng.uniform(0.5, 1.5), rng.uniform(0.3, 2.0), rng.uniform(0.5, 3)

    def free(t, x, m):
        return [-w * x[1] + b * m.sin(q * t), w * x[0] + 0.3 * x[0] * x[1]]

    def gain(x):
        return [g * x[0] * (1 + x[1] ** 2), g * x[1]]

    def rate(t, x, lam):
        f, k = free(t, x, NUMBERS), gain(x)
        return 2 * sum(xi * (fi + ki * lam) for xi, fi, ki in zip(x, f, k, strict=True))

    def equivalent(t, x):
        zero, one = rate(t, x, 0.0), rate(t, x, 1.0)
        return -zero / (one - zero)

    case = Case(
        "round surface",
        lambda t, x, lam, m: [f + k * lam[0] for f, k in zip(free(t, x, m), gain(x), strict=True)],
        lambda t, x, lam, m: [x[0] ** 2 + x[1] ** 2 - 1],
        list(rng.normal(size=2) + 0.1),
        10.0,
        None,
    )
    return replace(case, motion=one_relay(case, lambda t, x: x[0] ** 2 + x[1] ** 2 - 1, equivalent, rate))


def unstable_relay(rng) -> Case:
    """w' = -sin(q t) + b w - c Sgn(w), b of either sign: leaves zero where |sin(q t)| reaches c."""
    b, c, q = rng.uniform(-0.5, 0.4), rng.uniform(0.5, 0.95), rng.uniform(0.7, 2)
    case = Case(
        "unstable relay",
        lambda t, x, lam, m: [-m.sin(q * t) + b * x[0] + c * lam[0]],
        lambda t, x, lam, m: [x[0]],
        [rng.choice([0.0, 0.2, -0.3])],
        9.0,
        None,
    )
    return replace(
        case,
        motion=one_relay(
            case,
            lambda t, x: x[0],
            lambda t, x: math.sin(q * t) / c,
            lambda t, x, lam: -math.sin(q * t) + b * x[0] + c * lam,
        ),
    )


def exit_by_states(rng) -> Case:
    """x' = y - Sgn(x), y'' + 2 d y' + w^2 y = 0: sliding ends where y reaches 1, or touches it only."""
    d, w = rng.uniform(0, 0.1), rng.uniform(0.5, 2)
    case = Case(
        "exit by states",
        lambda t, x, lam, m: [x[1] + lam[0], x[2], -(w**2) * x[1] - 2 * d * x[2]],
        lambda t, x, lam, m: [x[0]],
        [rng.normal(), rng.uniform(-2, 2), rng.normal()],
        15.0,
        None,
    )
    return replace(
        case,
        motion=one_relay(case, lambda t, x: x[0], lambda t, x: -x[1], lambda t, x, lam: x[1] + lam),
    )


def feedback_oscillator(rng) -> Case:
    """x' = -a x + e sin(w t) - lambda, lambda in Sgn(x + k lambda): switches at |x| = k."""
    a, k, e = rng.uniform(0.3, 2), rng.uniform(0.2, 0.8), rng.choice([0.0, 0.1])
    k = min(k, 0.8 * (1 - e) / a)
    w = rng.uniform(2, 6)
    case = Case(
        "feedback oscillator",
        lambda t, x, lam, m: [-a * x[0] + e * m.sin(w * t) - lam[0]],
        lambda t, x, lam, m: [k * -lam[0] - x[0]],
        [0.3 * k * rng.uniform(-1, 1) + 2 * k],
        8.0 / a,
        None,
    )

    # x above k: y = -k lambda - x must have the sign of -lambda: lambda = -1 wants x < k, lambda = 1 wants x > -k
    def side(lam):
        return Mode(case.with_lambda([lam]), [lambda t, x: lam * x[0] + k], lambda t, x, i: side(-lam))

    def motion():
        return move(side(1.0), case.start, case.end)

    return replace(case, motion=motion)


def saturation(rng) -> Case:
    """x' = v, v' = -sat(k x + c v) + drive: three affine pieces."""
    k, c, F, w = rng.uniform(1, 10), rng.uniform(0.1, 1), rng.uniform(0, 0.7), rng.uniform(0.5, 3)
    r = 1.0  # -sat(z): lambda in -Sgn(z + lambda)
    case = Case(
        "saturation",
        lambda t, x, lam, m: [x[1], lam[0] + F * m.sin(w * t)],
        lambda t, x, lam, m: [k * x[0] + c * x[1] + r * lam[0]],
        list(2 * rng.normal(size=2)),
        20.0,
        None,
    )
    z = lambda x: k * x[0] + c * x[1]  # noqa: E731

    def out(sign):
        return Mode(case.with_lambda([-sign]), [lambda t, x: sign * z(x) - 1], lambda t, x, i: inner)

    inner = Mode(
        case.with_lambda(lambda t, x: [-z(x)]),
        [lambda t, x: 1 - z(x), lambda t, x: 1 + z(x)],
        lambda t, x, i: out(1 if i == 0 else -1),
    )

    def motion():
        first = z(case.start)
        return move(inner if abs(first) < 1 else out(math.copysign(1, first)), case.start, case.end)

    return replace(case, motion=motion)


def two_surfaces(rng) -> Case:
    """x' = A u + d(t), u = -Sgn(x) by rows: sliding on one, on both, and off again; A near the unit matrix."""
    A = np.eye(2) + 0.3 * rng.uniform(-1, 1, size=(2, 2))
    b, w, p = rng.uniform(0.4, 1.6, 2), rng.uniform(0.7, 2.5, 2), rng.uniform(0, 6, 2)
    drive = lambda t, m: [b[i] * m.sin(w[i] * t + p[i]) for i in range(2)]  # noqa: E731
    case = Case(
        "two surfaces",
        lambda t, x, lam, m: [d + A[i, 0] * lam[0] + A[i, 1] * lam[1] for i, d in enumerate(drive(t, m))],
        lambda t, x, lam, m: [x[0], x[1]],
        list(rng.normal(size=2)),
        9.0,
        None,
        rows=2,
    )

    def multipliers(places, t):
        """Places are -1, 1 (the side) or 0: sliding."""
        d = np.array(drive(t, NUMBERS))
        lam = -np.asarray(places, dtype=float)
        on = [i for i in range(2) if places[i] == 0]
        if on:
            lam[on] = np.linalg.solve(A[np.ix_(on, on)], -(d + A @ lam)[on])
        return lam

    def mode(places):
        guards, who = [], []
        for i in range(2):
            if places[i]:
                guards.append(lambda t, x, i=i: places[i] * x[i])
                who.append(i)
            else:
                guards.append(lambda t, x, i=i: 1 - multipliers(places, t)[i])
                guards.append(lambda t, x, i=i: 1 + multipliers(places, t)[i])
                who += [i, i]
        return Mode(
            case.with_lambda(lambda t, x: multipliers(places, t)),
            guards,
            lambda t, x, which: mode(after(t, x, places, who[which])),
        )

    def after(t, x, places, row):
        """The box problem of the rates of the rows at zero, by trying all places: A is a P-matrix, so one holds."""
        zero = [i for i in range(2) if i == row or places[i] == 0]
        d = np.array(drive(t, NUMBERS))
        found = []
        for number in range(3 ** len(zero)):
            new = list(places)
            for k, i in enumerate(zero):
                new[i] = number // 3**k % 3 - 1
            lam = multipliers(new, t + 1e-9)
            rate = np.array(drive(t + 1e-9, NUMBERS)) + A @ lam
            if all((abs(lam[i]) <= 1 + 1e-12 if new[i] == 0 else new[i] * rate[i] > 0) for i in zero):
                found.append(new)
        assert len(found) == 1, (found, d)
        return found[0]

    return replace(case, motion=lambda: move(mode([int(s) for s in np.sign(case.start)]), case.start, case.end))
