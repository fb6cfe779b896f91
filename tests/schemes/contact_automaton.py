"""Bodies with contacts and dry friction from event to event by SciPy: a reference that shares no code with nsdgen.

M a = f(t, q, v) + sum w_i N_i + d_i F_i with a constant diagonal M. Each contact is open, sticks, or slides one way;
at every event all choices are tried, and the one whose conditions hold a moment later goes on. Impacts are Newton's,
with Coulomb's bound on the impulse, all closed contacts at once, by trying all cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from .hybrid_automaton import Mode, Motion, move

OPEN, STICKS, FORWARD, BACKWARD = 0, 2, 1, -1  # a contact without friction that is closed slides forward
NOTHING = 1e-9  # a rate, or what is left of a condition, in units near 1
SOON = 1e-6  # a moment later
CLOSED = 1e-10  # a gap: impacts between two contacts may accumulate while both are fast
REST = 1e-7  # an approach slower than this gives no rebound, as nsdgen is told


@dataclass(frozen=True)
class Touch:
    """A contact: gap(t, q), the sliding rate (t, q, v) or None, restitution and friction."""

    gap: Any
    rate: Any = None
    restitution: float = 0.0
    friction: float = 0.0


class Bodies:
    """The equations of motion with their derivatives, for numbers."""

    def __init__(self, q, v, t, masses, force, touches: Sequence[Touch]) -> None:
        self.count, self.touches = len(q), list(touches)
        self.masses = np.array(masses, dtype=float)
        a = sp.symbols(f"a:{len(q)}")

        def rate_of(e):
            return sp.diff(e, t) + sum(sp.diff(e, x) * dx for x, dx in zip([*q, *v], [*v, *a], strict=True) if e.has(x))

        def number(e):
            return sp.lambdify((t, *q, *v), e, "math")

        self.force = number(list(force))
        self.gaps, self.rates, self.ways, self.bent = [], [], [], []
        for touch in touches:
            rows = [rate_of(sp.sympify(touch.gap)), sp.S.Zero if touch.rate is None else sp.sympify(touch.rate)]
            self.gaps.append(number(sp.sympify(touch.gap)))
            self.rates.append(number(rows))
            self.ways.append(number([[sp.diff(e, x) for x in v] for e in rows]))
            self.bent.append(number([rate_of(e).xreplace(dict.fromkeys(a, sp.S.Zero)) for e in rows]))

    def now(self, t, x):
        """Free accelerations, then of all contacts directions (2, n) and what bends them."""
        return (
            np.array(self.force(t, *x)) / self.masses,
            [np.array(w(t, *x), dtype=float) for w in self.ways],
            [b(t, *x) for b in self.bent],
        )

    def moved(self, t, x, places):
        """Accelerations of q, forces (N, F) of all contacts, and second derivatives (gap, slip)."""
        free, ways, bent = self.now(t, x)
        rows, columns, wanted, who = [], [], [], []
        for i, place in enumerate(places):
            if place == OPEN:
                continue
            touch, w = self.touches[i], ways[i]
            push = w[0] if place == STICKS else w[0] - place * touch.friction * w[1]
            rows.append(w[0])
            columns.append(push / self.masses)
            wanted.append(-(w[0] @ free + bent[i][0]))
            who.append((i, 0))
            if place == STICKS:
                rows.append(w[1])
                columns.append(w[1] / self.masses)
                wanted.append(-(w[1] @ free + bent[i][1]))
                who.append((i, 1))
        forces = np.zeros((len(places), 2))
        a = free
        if rows:
            found = np.linalg.solve(np.array(rows) @ np.array(columns).T, np.array(wanted))
            a = free + np.array(columns).T @ found
            for (i, k), value in zip(who, found, strict=True):
                forces[i, k] = value
                if k == 0 and places[i] != STICKS:
                    forces[i, 1] = -places[i] * self.touches[i].friction * value
        return a, forces, [w @ a + b for w, b in zip(ways, bent, strict=True)]

    def rows(self, t, x):
        """Rates of all contacts: (gap, slip)."""
        return np.array([r(t, *x) for r in self.rates], dtype=float)


def motion(bodies: Bodies, start: Sequence[float], end: float) -> Motion:
    """The motion from a start where gaps are open or at rest."""
    n, touches = bodies.count, bodies.touches

    def field(places):
        return lambda t, x: [*x[n:], *bodies.moved(t, x, places)[0]]

    def guards(places, t0, x0):
        found: list[tuple[Callable, int]] = []
        for i, place in enumerate(places):
            mu = touches[i].friction
            if place == OPEN:
                sunk = min(bodies.gaps[i](t0, *x0), 0.0)  # by rounding
                found.append((lambda t, x, i=i, sunk=sunk: bodies.gaps[i](t, *x) - sunk, i))
                continue
            found.append((lambda t, x, i=i: bodies.moved(t, x, places)[1][i, 0], i))
            if place == STICKS:
                for sign in (1, -1):
                    found.append((lambda t, x, i=i, s=sign, mu=mu: _margin(bodies.moved(t, x, places)[1][i], s, mu), i))
            elif mu > 0:
                found.append((lambda t, x, i=i, s=place: s * bodies.rows(t, x)[i, 1], i))
        return found

    def mode(places, t0, x0):
        ends = guards(places, t0, x0)
        return Mode(field(places), [g for g, _ in ends], lambda t, x, which: after(t, x, places, ends[which][1]))

    def after(t, x, places, who):
        x = np.array(x, dtype=float)
        shut = [i for i, place in enumerate(places) if place != OPEN or i == who or bodies.gaps[i](t, *x) <= CLOSED]
        if places[who] == OPEN:
            x[n:] = struck(bodies, t, x, shut)
        return mode(choose(t, x, shut, places), t, x), x

    def choose(t, x, shut, places):
        rates = bodies.rows(t, x)
        options = []
        for i, touch in enumerate(touches):
            if i not in shut or rates[i, 0] > NOTHING:
                options.append([OPEN])
            elif touch.friction == 0:
                options.append([FORWARD, OPEN])
            elif abs(rates[i, 1]) > NOTHING:
                options.append([FORWARD if rates[i, 1] > 0 else BACKWARD, OPEN])
            else:
                options.append([STICKS, FORWARD, BACKWARD, OPEN])
        good = [p for p in product(*options) if holds(t, x, shut, p)]
        assert len(good) == 1, (t, x, places, good)
        return good[0]

    def holds(t, x, shut, places):
        try:
            later, y = t + SOON * end, np.array(x, dtype=float)
            rate = np.array(field(places)(t, y))
            a_now = (bodies.moved(t, x, places), bodies.rows(t, x))
            y = y + SOON * end * rate
            a_soon = (bodies.moved(later, y, places), bodies.rows(later, y))
        except np.linalg.LinAlgError:
            return False
        was = a_now[1]
        for (moved, _), least in ((a_now, -NOTHING), (a_soon, 0.0)):
            for i in shut:
                place, mu = places[i], touches[i].friction
                if place == OPEN:
                    if was[i, 0] <= NOTHING and moved[2][i][0] <= least:
                        return False
                    continue
                if moved[1][i, 0] <= least:
                    return False
                if place == STICKS and min(_margin(moved[1][i], s, mu) for s in (1, -1)) <= least:
                    return False
                if mu > 0 and place != STICKS and abs(was[i, 1]) <= NOTHING and place * moved[2][i][1] <= least:
                    return False
                if mu > 0 and place != STICKS and place * was[i, 1] < -NOTHING:
                    return False
        return True

    start = np.array(start, dtype=float)
    closed = [i for i, gap in enumerate(bodies.gaps) if abs(gap(0.0, *start)) < 1e-12]
    return move(mode(choose(0.0, start, closed, [OPEN] * len(touches)), 0.0, start), start, end)


def _margin(force, sign, mu):
    return mu * force[0] - sign * force[1]


def struck(bodies: Bodies, t, x, shut) -> np.ndarray:
    """Velocities after an impact of all contacts that are shut; rebounds slower than ``REST`` are none."""
    n = bodies.count
    v = np.array(x[n:], dtype=float)
    before = bodies.rows(t, x)
    ways = [np.array(w(t, *x), dtype=float) for w in bodies.ways]
    found = []
    for places in product(*([OPEN, FORWARD] if bodies.touches[i].friction == 0 else [0, 1, -1, 2] for i in shut)):
        rows, columns, wanted = [], [], []
        for i, place in zip(shut, places, strict=True):
            if place == OPEN:
                continue
            touch, w = bodies.touches[i], ways[i]
            e = _rebound(touch, before[i, 0])
            rows.append(w[0])
            columns.append((w[0] if place == STICKS else w[0] - place * touch.friction * w[1]) / bodies.masses)
            wanted.append(-e * min(before[i, 0], 0.0) - before[i, 0])
            if place == STICKS:
                rows.append(w[1])
                columns.append(w[1] / bodies.masses)
                wanted.append(-before[i, 1])
        try:
            p = np.linalg.solve(np.array(rows) @ np.array(columns).T, wanted) if rows else np.zeros(0)
        except np.linalg.LinAlgError:
            continue
        new = v + (np.array(columns).T @ p if rows else 0.0)
        if _possible(bodies, t, x, shut, places, p, new, before):
            found.append(new)
    assert found and all(np.allclose(f, found[0], atol=1e-9) for f in found), (t, x, found)
    return found[0]


def _rebound(touch: Touch, rate: float) -> float:
    """Its restitution, none where nothing would be seen of the rebound."""
    return touch.restitution if -rate > REST and touch.restitution * -rate > REST else 0.0


def _possible(bodies, t, x, shut, places, p, new, before) -> bool:
    rates = bodies.rows(t, np.concatenate([x[: bodies.count], new]))
    k = 0
    for i, place in zip(shut, places, strict=True):
        touch = bodies.touches[i]
        if place == OPEN:
            e = _rebound(touch, before[i, 0])
            if rates[i, 0] + e * min(before[i, 0], 0.0) < -1e-12:
                return False
            continue
        push = p[k]
        k += 1 + (place == STICKS)
        if push < -1e-12 or (place == STICKS and abs(p[k - 1]) > touch.friction * push + 1e-12):
            return False
        if touch.friction > 0 and place != STICKS and place * rates[i, 1] < -1e-12:
            return False
    return True
