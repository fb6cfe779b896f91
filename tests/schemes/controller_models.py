"""Models of controllers, drawn at random: a sequel of ``switching_models.py``."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from .hybrid_automaton import Mode, Motion, move
from .switching_models import NUMBERS, Case, one_relay


def sliding_controller(rng) -> Case:
    """x' = v, v' = -k x - x^3 + d sin(w t) + K lambda on c x + v = 0: reached, kept, and lost where d is too large."""
    k, d, w, K, c = (
        rng.uniform(-1, 1),
        rng.uniform(0.2, 1.5),
        rng.uniform(0.5, 4),
        rng.uniform(0.8, 3),
        rng.uniform(0.5, 3),
    )
    free = lambda t, x, m: -k * x[0] - x[0] ** 3 + d * m.sin(w * t)  # noqa: E731
    case = Case(
        "sliding controller",
        lambda t, x, lam, m: [x[1], free(t, x, m) + K * lam[0]],
        lambda t, x, lam, m: [c * x[0] + x[1]],
        list(rng.normal(size=2)),
        10.0,
        None,
    )
    pull = lambda t, x: free(t, x, NUMBERS) + c * x[1]  # noqa: E731
    return replace(
        case,
        motion=one_relay(
            case,
            lambda t, x: c * x[0] + x[1],
            lambda t, x: -pull(t, x) / K,
            lambda t, x, lam: pull(t, x) + K * lam,
        ),
    )


def scaled_gain(rng) -> Case:
    """A controller whose gain follows the state, K (1 + x^2), on v + x + x^3 / 3 = 0; damping depends on time."""
    K, d, w, b = rng.uniform(0.5, 2), rng.uniform(0.2, 1), rng.uniform(0.5, 4), rng.uniform(0.1, 1)
    free = lambda t, x, m: -b * (1 + m.cos(t)) * x[1] - x[0] + d * m.sin(w * t)  # noqa: E731
    case = Case(
        "scaled gain",
        lambda t, x, lam, m: [x[1], free(t, x, m) + K * (1 + x[0] ** 2) * lam[0]],
        lambda t, x, lam, m: [x[1] + x[0] + x[0] ** 3 / 3],
        list(0.7 * rng.normal(size=2)),
        8.0,
        None,
    )
    pull = lambda t, x: free(t, x, NUMBERS) + (1 + x[0] ** 2) * x[1]  # noqa: E731
    return replace(
        case,
        motion=one_relay(
            case,
            lambda t, x: x[1] + x[0] + x[0] ** 3 / 3,
            lambda t, x: -pull(t, x) / (K * (1 + x[0] ** 2)),
            lambda t, x, lam: pull(t, x) + K * (1 + x[0] ** 2) * lam,
        ),
    )


def autotuning(rng) -> Case:
    """A relay on the output of three lags in series, which it never slides along: x_3 crosses zero to a limit cycle."""
    a = rng.uniform(0.7, 1.4, 3)
    r = rng.uniform(-0.2, 0.2)
    case = Case(
        "autotuning",
        lambda t, x, lam, m: [a[0] * (4 * lam[0] - x[0]), a[1] * (x[0] - x[1]), a[2] * (x[1] - x[2])],
        lambda t, x, lam, m: [x[2] - r],
        list(rng.normal(size=3) + np.array([0, 0, 1.0])),
        25.0,
        None,
    )
    return replace(
        case,
        motion=one_relay(case, lambda t, x: x[2] - r, lambda t, x: 2.0, lambda t, x, lam: a[2] * (x[1] - x[2])),
    )


def hysteretic_thermostat(rng) -> Case:
    """A heater on a room whose sensor lags, switched with hysteresis h about a target that moves."""
    k, s, h, w = rng.uniform(0.2, 1), rng.uniform(1, 5), rng.uniform(0.05, 0.2), rng.uniform(0.1, 0.5)
    case = Case(
        "hysteretic thermostat",
        lambda t, x, lam, m: [-k * x[0] + 2 * k * lam[0] + 0.2 * m.sin(w * t), s * (x[0] - x[1])],
        lambda t, x, lam, m: [x[1] - h * lam[0]],
        [rng.normal(), rng.uniform(0.5, 1.5)],
        20.0,
        None,
    )

    # lambda = -1 wants x1 > -h, lambda = 1 wants x1 < h
    def side(lam):
        return Mode(case.with_lambda([lam]), [lambda t, x: h - lam * x[1]], lambda t, x, i: side(-lam))

    return replace(case, motion=lambda: move(side(-1.0), case.start, case.end))


def converter(rng) -> Case:
    """A buck converter, i' = u - v, v' = i - v/R, u of 0 or E by a relay on v + k v' against a target: slides."""
    R, k, E = rng.uniform(0.7, 3), rng.uniform(0.3, 1.5), rng.uniform(1.5, 3)
    aim, b, w = rng.uniform(0.3, 0.6) * E, rng.uniform(0, 0.3), rng.uniform(0.5, 2)
    target = lambda t, m: aim + b * m.sin(w * t)  # noqa: E731
    slope = lambda x: x[0] - x[1] / R  # noqa: E731
    case = Case(
        "converter",
        lambda t, x, lam, m: [E / 2 * (1 + lam[0]) - x[1], slope(x)],
        lambda t, x, lam, m: [x[1] + k * slope(x) - target(t, m)],
        [rng.uniform(0, 2), rng.uniform(0, E)],
        12.0,
        None,
    )

    def rate(t, x, lam):
        v = slope(x)
        return v + k * (E / 2 * (1 + lam) - x[1] - v / R) - b * w * math.cos(w * t)

    return replace(
        case,
        motion=one_relay(
            case,
            lambda t, x: x[1] + k * slope(x) - target(t, NUMBERS),
            lambda t, x: -rate(t, x, 0.0) / (k * E / 2),
            rate,
        ),
    )


def observer(rng) -> Case:
    """A sliding observer: e1' = e2 - k1 u - c e1, e2' = -k2 u + f(t), u = Sgn(e1), of a plant that is disturbed."""
    k1, k2, c, d, w = (
        rng.uniform(0.8, 2),
        rng.uniform(0.5, 2),
        rng.uniform(0, 1),
        rng.uniform(0.2, 1),
        rng.uniform(1, 5),
    )
    case = Case(
        "observer",
        lambda t, x, lam, m: [x[1] - c * x[0] + k1 * lam[0], k2 * lam[0] + d * m.sin(w * t)],
        lambda t, x, lam, m: [x[0]],
        list(2 * rng.normal(size=2)),
        10.0,
        None,
    )
    return replace(
        case,
        motion=one_relay(
            case, lambda t, x: x[0], lambda t, x: -x[1] / k1, lambda t, x, lam: x[1] - c * x[0] + k1 * lam
        ),
    )


def time_optimal(rng) -> Case:
    """x'' = u, u = -Sgn(x + v |v| / (2 a)), a < 1: along the parabola to rest at the origin."""
    a = rng.uniform(0.3, 0.9)
    x0, v0 = rng.uniform(0.5, 2), rng.uniform(-0.5, 1)
    case = Case(
        "time optimal",
        lambda t, x, lam, m: [x[1], lam[0]],
        lambda t, x, lam, m: [x[0] + x[1] * m.abs(x[1]) / (2 * a)],
        [x0, v0],
        8.0,
        None,
    )

    def motion():
        # x0 + v0^2/2 - v^2/2 = v^2/(2a) where it meets the parabola with v < 0
        w = math.sqrt((2 * x0 + v0**2) / (1 + 1 / a))
        meets = v0 + w
        rests = meets + w / a

        def state(t):
            if t <= meets:
                return np.array([x0 + v0 * t - t**2 / 2, v0 - t])
            s = min(t, rests) - meets
            v = -w + a * s
            return np.array([v * v / (2 * a), v]) if t < rests else np.zeros(2)

        return Motion([meets, rests], [(0.0, case.end, state)])

    return replace(case, motion=motion)
