"""Models whose switchings accumulate, drawn at random: a sequel of ``switching_models.py``."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

from .hybrid_automaton import Mode, Motion, move
from .switching_models import NUMBERS, Case


def super_twisting(rng) -> Case:
    """x' = w - k1 sqrt|x| u, w' = -k2 u + d cos(q t), u = Sgn(x): windings that accumulate, then x = w = 0."""
    k2 = rng.uniform(1, 2)
    k1 = rng.uniform(1.2, 2.5)
    d, q = rng.choice([0.0, 0.3]), rng.uniform(1, 4)
    x0 = rng.choice([0.0, rng.normal()])
    case = Case(
        "super twisting",
        lambda t, x, lam, m: [x[1] + k1 * m.sqrt(m.abs(x[0])) * lam[0], k2 * lam[0] + d * m.cos(q * t)],
        lambda t, x, lam, m: [x[0]],
        [x0, rng.uniform(0.3, 1.5) * (1 if x0 >= 0 else -1)],
        8.0,
        None,
    )
    return replace(case, motion=lambda: _super_twisted(case, k1, k2, d, q))


def super_twisting_to_a_point(rng) -> Case:
    """The same on s = x - r, r = p + d cos(q t) / q^2: x' = w - k1 sqrt|s| u, w' = -k2 u, u = Sgn(s)."""
    k2, k1 = rng.uniform(1, 2), rng.uniform(1.2, 2.5)
    d, q, p = rng.choice([0.0, 0.3]), rng.uniform(1, 4), rng.choice([-2.0, 0.5, 30.0])
    from_point = [rng.normal(), rng.uniform(0.3, 1.5)]
    point = lambda t, m: p + d / q**2 * m.cos(q * t)  # noqa: E731
    case = Case(
        "super twisting to a point",
        lambda t, x, lam, m: [x[1] + k1 * m.sqrt(m.abs(x[0] - point(t, m))) * lam[0], k2 * lam[0]],
        lambda t, x, lam, m: [x[0] - point(t, m)],
        [from_point[0] + p + d / q**2, from_point[1]],
        8.0,
        None,
    )

    def motion():
        found = _super_twisted(replace(case, start=from_point), k1, k2, d, q)
        moved = lambda t: np.array([point(t, NUMBERS), -d / q * math.sin(q * t)])  # noqa: E731
        pieces = [(a, b, lambda t, state=state: state(t) + moved(t)) for a, b, state in found.pieces]
        return Motion(found.times, pieces, found.limit)

    return replace(case, motion=motion)


def to_a_point(family: Callable[..., Case]) -> Callable[..., Case]:
    """The models of a family of x, v, with x - r(t) and v - r'(t) for these, r = p + b sin(q t)."""

    def moved(rng) -> Case:
        case, p, b, q = family(rng), rng.choice([-2.0, 0.5, 30.0]), rng.choice([0.0, 0.4]), rng.uniform(0.5, 2)
        point = lambda t, m: [p + b * m.sin(q * t), b * q * m.cos(q * t)]  # noqa: E731
        rate = lambda t, m: [b * q * m.cos(q * t), -b * q**2 * m.sin(q * t)]  # noqa: E731
        beside = lambda t, x, m: [e - r for e, r in zip(x, point(t, m), strict=True)]  # noqa: E731

        def motion():
            found = case.motion()
            pieces = [(a, e, lambda t, s=s: np.asarray(s(t)) + point(t, NUMBERS)) for a, e, s in found.pieces]
            return Motion(found.times, pieces, found.limit)

        return replace(
            case,
            name=f"{case.name} to a point",
            field=lambda t, x, lam, m: [
                f + r for f, r in zip(case.field(t, beside(t, x, m), lam, m), rate(t, m), strict=True)
            ],
            output=lambda t, x, lam, m: case.output(t, beside(t, x, m), lam, m),
            start=[e + r for e, r in zip(case.start, point(0.0, NUMBERS), strict=True)],
            motion=motion,
        )

    moved.__name__ = f"{family.__name__}_to_a_point"
    return moved


def _super_twisted(case: Case, k1, k2, d, q) -> Motion:
    """In the time tau with dt = 2 sqrt|x| dtau the half windings are smooth: z = sqrt|x|, sign s."""
    times, pieces, t, w = [], [], 0.0, case.start[1]
    z = math.sqrt(abs(case.start[0]))
    s = math.copysign(1.0, case.start[0] or w)
    while True:
        field = lambda tau, y, s=s: [-k1 * y[0] + s * y[1], 2 * y[0] * (-k2 * s + d * math.cos(q * y[2])), 2 * y[0]]  # noqa: E731
        done = move(
            Mode(field, [lambda tau, y: y[0], lambda tau, y: case.end - y[2]], lambda tau, y, i, f=field: Mode(f)),
            [z, w, t],
            20.0 / k1,
        )
        first = done.pieces[0]
        y = np.asarray(first[2](first[1]))

        def state(at, piece=first, s=s):
            tau = _inverse(lambda tau: piece[2](tau)[2], at, piece[0], piece[1])
            y = piece[2](tau)
            return np.array([s * y[0] ** 2, y[1]])

        pieces.append((t, min(y[2], case.end), state))
        if y[2] >= case.end - 1e-12:
            return Motion(times, pieces)
        if y[2] - t < 1e-9 * case.end:
            pieces.append((y[2], case.end, lambda at: np.zeros(2)))
            return Motion(times, pieces, y[2])
        z, w, t, s = 0.0, y[1], y[2], -s
        times.append(t)


def _inverse(function, value, low, high):
    below, above = function(low) - value, function(high) - value
    return low if below >= 0 else high if above <= 0 else brentq(lambda s: function(s) - value, low, high, xtol=1e-16)


def accumulating(
    case: Case, mode: Callable[[float, np.ndarray], Mode], limit_at: float | None = None
) -> Callable[[], Motion]:
    """Modes one after the other until they follow in no time; then what is at zero stays there."""

    def motion():
        start = np.asarray(case.start, dtype=float)
        found = move(mode(0.0, start), start, case.end, least=1e-9 * case.end)
        if found.limit is None:
            return found
        rest = move(
            Mode(case.with_lambda(lambda t, x: _holding(case, t, x))), np.zeros(len(start)), case.end, found.limit
        )
        return Motion(found.times, [*found.pieces, *rest.pieces], limit_at or found.limit)

    return motion


def _holding(case: Case, t: float, x: np.ndarray) -> np.ndarray:
    """The shortest multipliers with which the field is zero."""
    zero = np.array(case.field(t, x, [0.0] * case.rows, NUMBERS))
    gains = np.column_stack([np.array(case.field(t, x, e, NUMBERS)) - zero for e in np.eye(case.rows)])
    return np.linalg.lstsq(gains, -zero, rcond=None)[0]


def twisting(rng) -> Case:
    """x'' = -r1 Sgn(x) - r2 Sgn(v) + d sin(w t), r1 > r2 + d: windings in geometric ratio, then rest."""
    r2 = rng.uniform(0.3, 1)
    d, w = rng.choice([0.0, 0.5]) * r2, rng.uniform(1, 4)
    r1 = r2 + d + rng.uniform(0.2, 1.5)
    case = Case(
        "twisting",
        lambda t, x, lam, m: [x[1], r1 * lam[0] + r2 * lam[1] + d * m.sin(w * t)],
        lambda t, x, lam, m: [x[0], x[1]],
        list(rng.normal(size=2)),
        12.0,
        None,
        rows=2,
    )

    def mode(t, x, places=None):
        signs = places or [math.copysign(1, x[0]), math.copysign(1, x[1])]
        return Mode(
            case.with_lambda([-s for s in signs]),
            [lambda t, x: signs[0] * x[0], lambda t, x: signs[1] * x[1]],
            lambda t, x, which: mode(t, x, [-s if i == which else s for i, s in enumerate(signs)]),
        )

    return replace(case, motion=accumulating(case, mode))


def fuller(rng) -> Case:
    """x'' = -Sgn(x + c v |v|), c below 1/2: Fuller's switchings in geometric ratio."""
    c = rng.uniform(0.1, 0.45)
    case = Case(
        "fuller",
        lambda t, x, lam, m: [x[1], lam[0]],
        lambda t, x, lam, m: [x[0] + c * x[1] * m.abs(x[1])],
        [rng.uniform(0.5, 2), rng.normal()],
        18.0,
        None,
    )

    def side(sign):
        return Mode(
            case.with_lambda([-sign]),
            [lambda t, x: sign * (x[0] + c * x[1] * abs(x[1]))],
            lambda t, x, which: side(-sign),
        )

    return replace(case, motion=accumulating(case, lambda t, x: side(math.copysign(1, x[0] + c * x[1] * abs(x[1])))))


def turning_relays(rng) -> Case:
    """x' = -a u + b w, y' = -b u - a w, u = Sgn(x), w = Sgn(y): |x| + |y| falls at 2 a to zero."""
    a, b = rng.uniform(0.3, 1), 0.0
    b = a * rng.uniform(1.3, 3) * rng.choice([-1, 1])
    case = Case(
        "turning relays",
        lambda t, x, lam, m: [a * lam[0] - b * lam[1], b * lam[0] + a * lam[1]],
        lambda t, x, lam, m: [x[0], x[1]],
        list(rng.normal(size=2)),
        4.0 / a,
        None,
        rows=2,
    )

    def mode(t, x, signs=None):
        signs = signs or [math.copysign(1, x[0]), math.copysign(1, x[1])]
        return Mode(
            case.with_lambda([-s for s in signs]),
            [lambda t, x: signs[0] * x[0], lambda t, x: signs[1] * x[1]],
            lambda t, x, which: mode(t, x, [-s if i == which else s for i, s in enumerate(signs)]),
        )

    limit = (abs(case.start[0]) + abs(case.start[1])) / (2 * a)
    return replace(case, motion=accumulating(case, mode, limit))


def rubbed_relay(rng) -> Case:
    """x'' = -x - r1 Sgn(x) - r2 Sgn(v) - 2 d v, r1 > r2: it comes to rest in finite time."""
    r2, d = rng.uniform(0.2, 0.8), rng.uniform(0, 0.3)
    r1 = r2 + rng.uniform(0.2, 1)
    case = Case(
        "rubbed relay",
        lambda t, x, lam, m: [x[1], -x[0] - 2 * d * x[1] + r1 * lam[0] + r2 * lam[1]],
        lambda t, x, lam, m: [x[0], x[1]],
        list(2 * rng.normal(size=2)),
        12.0,
        None,
        rows=2,
    )

    def mode(t, x, signs=None):
        signs = signs or [math.copysign(1, x[0]), math.copysign(1, x[1])]
        return Mode(
            case.with_lambda([-s for s in signs]),
            [lambda t, x: signs[0] * x[0], lambda t, x: signs[1] * x[1]],
            lambda t, x, which: mode(t, x, [-s if i == which else s for i, s in enumerate(signs)]),
        )

    return replace(case, motion=accumulating(case, mode))
