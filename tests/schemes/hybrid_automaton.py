"""Motions with modes chosen by hand, from event to event by SciPy: an independent reference for event-driven runs.

It shares no code with nsdgen. A mode is a smooth field (with Filippov's equivalent control put in by hand) and guards,
positive while the mode lasts; the first that falls through zero ends it, and a function of the model says what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

Field = Callable[[float, np.ndarray], Sequence[float]]
Guard = Callable[[float, np.ndarray], float]

STEPS = 300  # at least, of a run: between two of them a guard does not fall and rise again
RISEN = 1e-9  # of a step: guards that start at zero are positive there, or soon after
NOTHING = 1e-13  # of a guard
MOST = 400


@dataclass(frozen=True)
class Mode:
    """x' = field(t, x) while all guards are positive; ``after(t, x, which)`` is the next mode, or (mode, x)."""

    field: Field
    guards: Sequence[Guard] = ()
    after: Callable[[float, np.ndarray, int], Mode | tuple[Mode, np.ndarray]] | None = None


@dataclass(frozen=True)
class Motion:
    """Times at which modes end, where events accumulate (if they do), and the state at any time before the end."""

    times: list[float]
    pieces: list[tuple[float, float, Callable[[float], np.ndarray]]]
    limit: float | None = None

    def at(self, t: float) -> np.ndarray:
        """The state, of the later piece where two meet."""
        for begin, end, state in reversed(self.pieces):
            if begin <= t <= end * (1 + 1e-14):
                return np.asarray(state(min(max(t, begin), end)))
        raise ValueError(t)


def move(mode: Mode, x: Sequence[float], end: float, begin: float = 0.0, least: float = 0.0) -> Motion:
    """The motion from ``begin`` to ``end``, or up to where events follow each other sooner than ``least``."""
    t, state = begin, np.asarray(x, dtype=float)
    times: list[float] = []
    pieces = []
    while True:
        found = _piece(mode, t, state, end)
        pieces.append((t, found[0], found[2]))
        soon = found[0] - t < least
        t, state, _, which = found
        if which is None:
            return Motion(times, pieces)
        times.append(t)
        if soon or len(times) > MOST:
            return Motion(times, pieces, t)
        follows = mode.after(t, state, which)
        mode, state = follows if isinstance(follows, tuple) else (follows, state)


def _piece(mode: Mode, t: float, x: np.ndarray, end: float):
    """When a mode ends, the state there, the state in between, and which guard ended it."""
    solver = DOP853(mode.field, t, x, end, rtol=3e-14, atol=1e-15 * (1e-3 + abs(x).max()), max_step=end / STEPS)
    begin, dense = t, []

    def state(s):
        for high, piece in dense:
            if s <= high:
                return piece(s)
        return dense[-1][1](s) if dense else x

    if t >= end:
        return end, x, state, None
    while solver.status == "running":
        message = solver.step()
        assert solver.status != "failed", message
        piece = solver.dense_output()
        dense.append((solver.t, piece))
        ends = []
        for i, guard in enumerate(mode.guards):
            if guard(solver.t, solver.y) <= 0:
                low = solver.t_old
                if low == begin and guard(low, piece(low)) <= NOTHING:
                    looks = begin + (solver.t - begin) * np.geomspace(RISEN, 0.9, 40)
                    low = max(looks, key=lambda s: guard(s, piece(s)))
                    if guard(low, piece(low)) <= 0:
                        assert guard(solver.t, solver.y) > -NOTHING, (i, begin, "a mode that ends at once")
                        continue
                along = lambda s, g=guard, p=piece: g(s, p(s))  # noqa: E731
                zero = low if along(low) <= 0 else brentq(along, low, solver.t, xtol=1e-16, rtol=1e-15)
                ends.append((zero, i))
        if ends:
            when, which = min(ends)
            return when, piece(when), state, which
    return end, solver.y, state, None
