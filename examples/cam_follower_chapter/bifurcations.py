"""Where the follower's motion changes its kind, located: speeds of the cam [rpm] to 1e-8 of them.

Two kinds of motion are periodic with the cam. One lifts off where nose and flank join, at an angle that the profile
alone says, and comes to rest before it is there again: it depends on nothing before that, and ends where its impacts
accumulate just as it would lift off. The other one never rests; it is an orbit with one impact in each turn.
"""

from __future__ import annotations

import numpy as np
import sympy as sp
from runs import SAID, speed, translated, turn
from scipy.optimize import fsolve

import nsdgen as nsd

__all__ = ["LIFT", "collides", "flips", "rests", "returns", "to_rest"]

LIFT = float(SAID["model"].parameters[SAID["beta2"]].value) / (2 * np.pi)
"""The share of a turn at which nose and flank join, and the force of contact falls to zero at once."""

_TIGHT = nsd.EventDriven(rtol=1e-13, atol=1e-14)
_ON_THE_CAM = {"follower.u": 0.0, "follower.u_dot": 0.0}


def to_rest(compiled: nsd.CompiledModel, rpm: float) -> float:
    """The share of a turn from lifting off until it rests at last before it lifts off again; nan where it does not."""
    period = turn(rpm)
    run = compiled.run(parameters=speed(rpm), step=period / 20, end=1.3 * period, initial=_ON_THE_CAM)
    lifts = [e.time / period for e in run.events if e.kind == "opens"]
    if abs(lifts[0] - LIFT) > 1e-9 or min(abs(t - lifts[0] - 1) for t in lifts) > 1e-9:
        return np.nan
    ends = [e.time / period for e in run.events if e.kind == "closes" and run["closed"][e.after]]
    return max(t for t in ends if t < lifts[0] + 1) - lifts[0]


def rests(low: float = 176, high: float = 420, step: float = 2) -> list[tuple[float, float]]:
    """The speeds between which ``to_rest`` changes from a number to none, each with the share of a turn there."""
    compiled = translated(nsd.EventDriven(), "cam_follower_events").compile()
    grid = np.arange(low, high + step / 2, step)
    known = [to_rest(compiled, rpm) for rpm in grid]
    found = []
    for k in np.flatnonzero(np.diff(np.isnan(known))):
        a, b, none = grid[k], grid[k + 1], np.isnan(known[k])
        while b - a > 1e-9 * b:
            middle = (a + b) / 2
            a, b = (middle, b) if np.isnan(to_rest(compiled, middle)) == none else (a, middle)
        found.append((float(a + b) / 2, to_rest(compiled, b if none else a)))
    return found


def returns(rpm: float, most: int = 3000) -> int | None:
    """After how many turns the motion from rest lifts off from rest again: 0 where it ends on the orbit with one impact
    a turn, None where it has done neither after so many."""
    compiled = translated(nsd.EventDriven(), "cam_follower_events").compile()
    period, state, done, first = turn(rpm), _ON_THE_CAM, 0, np.nan
    while done < most:
        count = 100 if done else 20
        run = compiled.run(parameters=speed(rpm), step=period / 4, end=count * period, initial=state)
        lifts = np.array([e.time for e in run.events if e.kind == "opens"]) / period + done
        first = lifts[0] if np.isnan(first) else first
        turns = lifts - first
        again = turns[(turns > 0.5) & (np.abs(turns - np.round(turns)) < 1e-9)]
        if len(again):
            return round(float(again[0]))
        hits = np.array([e.time for e in run.events if e.kind == "closes"]) / period
        late = hits[hits > count / 2]
        if len(late) == count // 2 and np.ptp(late % 1) < 1e-3:
            return 0
        done, state = done + count, {name: float(run[name][-1]) for name in _ON_THE_CAM}
    return None


def flips() -> float:
    """The speed at which the orbit with one impact a turn loses its stability: a multiplier of -1."""
    omega, near = sp.Symbol("omega", positive=True), {"follower.u": 1.082, "follower.u_dot": -55.85}
    model, ends = translated(_TIGHT, "cam_follower_tight"), (779 * np.pi / 30, 781 * np.pi / 30)
    branch = nsd.follow_orbit(model, 2 * sp.pi / omega, omega, ends, parameters=speed(779), near=near)
    (flip,) = branch.special
    assert flip.kind == "flip"
    return float(flip.value) * 30 / np.pi


def collides() -> float:
    """The speed at which that orbit hits the cam where nose and flank join: it flies from there to there again."""
    model = SAID["model"]
    given = {"step": model.step, "end": model.end, "parameters": model.parameters, "initial": model.initial}
    free = nsd.Model("follower_in_flight", model.systems, [], scheme=_TIGHT, **given).compile()

    def missed(y: np.ndarray) -> list[float]:
        rate, period = y[0], turn(y[1])
        start = {"follower.u": 0.0, "follower.u_dot": rate}
        at = {"parameters": speed(y[1]), "start": LIFT * period, "end": (1 + LIFT) * period, "step": period / 64}
        final = free.run(initial=start, **at).final
        return [final["follower.u"], final["follower.u_dot"] * 0.8 + rate]

    return float(fsolve(missed, (160.0, 698.0), xtol=1e-13)[1])
