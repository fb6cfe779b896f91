"""Circuits of ideal diodes and check valves, drawn at random: rows 0 <= y orthogonal to lambda >= 0, linear in it.

The reference tries all sets of rows that conduct, and takes the one whose conditions hold a moment later. A row of
order 1 does not hold its multiplier: while it conducts, its rate is zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np

import nsdgen as nsd

from .hybrid_automaton import Mode, Motion, move
from .switching_models import NUMBERS, Case

SOON = 1e-6  # of a run: a moment later
NOTHING = 1e-10


def of_diodes(name, field, output, start, end, rows, orders=None) -> Case:
    """The case of a circuit and its motion."""
    case = Case(name, field, output, list(map(float, start)), end, None, rows, nsd.Complementarity())
    return replace(case, motion=lambda: conducting(case, orders or (0,) * rows))


def conducting(case: Case, orders) -> Motion:
    """The motion by the sets of rows that conduct."""
    rows, unit = case.rows, np.eye(case.rows)

    def outputs(t, x, lam):
        return np.array(case.output(t, x, lam, NUMBERS), dtype=float)

    def rates(t, x, lam):
        """Of y in time, with the states' own rates: central differences in time and state, exact where y is linear."""
        f, d = np.array(case.field(t, x, lam, NUMBERS), dtype=float), 1e-3
        return (outputs(t + d, x + d * f, lam) - outputs(t - d, x - d * f, lam)) / (2 * d)

    def multipliers(t, x, on):
        """lambda with y (or its rate) zero where rows conduct."""
        lam = np.zeros(rows)
        who = [i for i in range(rows) if on[i]]
        if who:
            value = lambda s: np.where(orders, rates(t, x, s), outputs(t, x, s))[who]  # noqa: E731
            zero = value(np.zeros(rows))
            gains = np.column_stack([value(unit[i]) - zero for i in who])
            lam[who] = np.linalg.solve(gains, -zero)
        return lam

    def guards(on):
        return [
            (lambda t, x, i=i: multipliers(t, x, on)[i])
            if on[i]
            else (lambda t, x, i=i: outputs(t, x, multipliers(t, x, on))[i])
            for i in range(rows)
        ]

    def mode(on):
        return Mode(
            case.with_lambda(lambda t, x: multipliers(t, x, on)), guards(on), lambda t, x, _: mode(choice(t, x))
        )

    def left(t, x, on):
        lam = multipliers(t, x, on)
        y = outputs(t, x, lam)
        return np.array([(min(l, NOTHING - abs(v)) if o else v) for l, v, o in zip(lam, y, on, strict=True)])

    def choice(t, x):
        later, found = t + SOON * case.end, []
        for on in product((0, 1), repeat=rows):
            try:
                f = np.array(case.with_lambda(lambda t, x: multipliers(t, x, on))(t, x))  # noqa: B023
                good = left(t, x, on).min() > -NOTHING and left(later, x + SOON * case.end * f, on).min() > -1e-12
            except np.linalg.LinAlgError:
                continue
            if good:
                found.append((on, f))
        assert found, (t, x)
        assert all(np.allclose(f, found[0][1], atol=1e-7) for _, f in found), (t, x, found)
        return found[0][0]

    start = np.array(case.start)
    return move(mode(choice(0.0, start)), start, case.end)


def half_wave(rng) -> Case:
    """A capacitor charged through a diode and a resistance, and a load."""
    r, c, w = rng.uniform(0.05, 0.5), rng.uniform(0.5, 2), rng.uniform(1, 4)
    source = lambda t, m: m.sin(w * t) + 0.3 * m.sin(2.3 * w * t)  # noqa: E731
    return of_diodes(
        "half wave",
        lambda t, x, lam, m: [(lam[0] - x[0] / 3) / c],
        lambda t, x, lam, m: [x[0] + r * lam[0] - source(t, m)],
        [rng.choice([0.0, 0.5])],
        10.0,
        1,
    )


def blocked_coil(rng) -> Case:
    """A diode before a coil: its current starts, ends at zero, and waits."""
    r, w, p = rng.uniform(0.1, 2), rng.uniform(1, 4), rng.uniform(0, 6)
    return of_diodes(
        "blocked coil",
        lambda t, x, lam, m: [m.sin(w * t + p) - r * x[0] + lam[0]],
        lambda t, x, lam, m: [x[0]],
        [rng.choice([0.0, 0.4])],
        10.0,
        1,
        (1,),
    )


def free_wheel(rng) -> Case:
    """A coil behind a diode, with a free-wheeling diode across it: current of one, voltage of the other."""
    r, w, p = rng.uniform(0.1, 1), rng.uniform(1, 4), rng.uniform(0, 6)
    return of_diodes(
        "free wheel",
        lambda t, x, lam, m: [lam[0] - r * x[0]],
        lambda t, x, lam, m: [x[0] - lam[1], lam[0] - m.sin(w * t + p)],
        [rng.uniform(0.1, 0.5)],
        10.0,
        2,
    )


def sources_in_parallel(rng) -> Case:
    """Three sources with diodes and resistances on one capacitor."""
    r, w, p = rng.uniform(0.1, 0.5, 3), rng.uniform(1, 3, 3), rng.uniform(0, 6, 3)
    return of_diodes(
        "sources in parallel",
        lambda t, x, lam, m: [lam[0] + lam[1] + lam[2] - 0.5 * x[0]],
        lambda t, x, lam, m: [x[0] + r[i] * lam[i] - m.sin(w[i] * t + p[i]) for i in range(3)],
        [rng.uniform(0, 1)],
        6.0,
        3,
    )


def voltage_doubler(rng) -> Case:
    """Greinacher's: a capacitor in series with the source, two diodes, a capacitor that is loaded."""
    r, c, w = rng.uniform(0.05, 0.3), rng.uniform(0.3, 1, 2), rng.uniform(1, 3)

    def node(t, x, lam, m):
        """The voltage between the diodes: source, its resistance, the first capacitor."""
        return m.sin(w * t) - x[0] - r * (lam[1] - lam[0])

    return of_diodes(
        "voltage doubler",
        lambda t, x, lam, m: [(lam[1] - lam[0]) / c[0], (lam[1] - 0.1 * x[1]) / c[1]],
        lambda t, x, lam, m: [node(t, x, lam, m), x[1] - node(t, x, lam, m)],
        [0.0, rng.choice([0.0, 0.5])],
        15.0,
        2,
    )


def pump_with_valves(rng) -> Case:
    """Two tanks and a cylinder between them, its volume driven, with check valves on both sides."""
    k, w, c = rng.uniform(1, 4, 2), rng.uniform(1, 3), rng.uniform(0.5, 2, 3)
    return of_diodes(
        "pump with valves",
        lambda t, x, lam, m: [
            (0.2 - lam[0]) / c[0],
            (lam[0] - lam[1] + m.cos(w * t)) / c[1],
            (lam[1] - 0.2 * x[2]) / c[2],
        ],
        lambda t, x, lam, m: [x[1] - x[0] + lam[0] / k[0], x[2] - x[1] + lam[1] / k[1]],
        [1.0, 1.0, 1.0],
        10.0,
        2,
    )


def clamped_resonance(rng) -> Case:
    """A coil and a capacitor whose voltage two diodes with sources keep within bounds (order 1: ideal ones)."""
    low, high, d = -rng.uniform(0.3, 0.8), rng.uniform(0.3, 0.8), rng.uniform(0, 0.2)
    w = rng.uniform(0.5, 2)
    return of_diodes(
        "clamped resonance",
        lambda t, x, lam, m: [x[1] - lam[0] + lam[1], -x[0] - d * x[1] + 0.6 * m.sin(w * t)],
        lambda t, x, lam, m: [high - x[0], x[0] - low],
        [0.0, rng.normal()],
        12.0,
        2,
        (1, 1),
    )


def bridge_with_resistance(rng) -> Case:
    """Four diodes, of some resistance and leakage, between a source with a resistance and a capacitor."""
    r, load, w = rng.uniform(0.05, 0.3), rng.uniform(0.2, 1), rng.uniform(1, 3)

    def current(t, x, lam, m):
        return (m.sin(w * t) - lam[1] + lam[0]) / r

    return of_diodes(
        "bridge with resistance",
        lambda t, x, lam, m: [lam[2] + lam[3] - load * x[0]],
        lambda t, x, lam, m: [
            current(t, x, lam, m) + lam[2] + 0.02 * lam[0],
            lam[3] - current(t, x, lam, m) + 0.02 * lam[1],
            x[0] - lam[0] + 0.02 * lam[2],
            x[0] - lam[1] + 0.02 * lam[3],
        ],
        [rng.uniform(0.1, 0.8)],
        6.0,
        4,
    )


DIODES: tuple[Callable, ...] = (
    half_wave,
    blocked_coil,
    free_wheel,
    sources_in_parallel,
    voltage_doubler,
    pump_with_valves,
    clamped_resonance,
    bridge_with_resistance,
)
