"""The cam follower of the 2011 developer notes, chapter 12, under both schemes: what its figures show, as numbers.

The model is ``examples/cam_follower.py``, in the chapter's translated coordinate u - c (eqs. 12.3, 12.4);
:func:`absolute` is the same follower in its own coordinate against the moving cam (eqs. 12.1, 12.2).
"""

from __future__ import annotations

import math
import runpy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsdgen as nsd

__all__ = ["Maps", "absolute", "distances", "growth", "maps_of_events", "maps_of_steps", "translated", "turn"]

SAID: dict[str, Any] = runpy.run_path(str(Path(__file__).resolve().parents[1] / "cam_follower.py"))
STEP = 1e-4
"""The step of the chapter's time-stepping [s]."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Maps:
    """Two sections of a motion: states once a turn, (n, 2), and impacts, (m, 2): angle of the cam [deg], rate [m/s]."""

    stroboscopic: Array
    impacts: Array


def turn(rpm: float) -> float:
    """The time of a turn of the cam [s]."""
    return 60.0 / rpm


def translated(scheme: Any, name: str) -> nsd.Model:
    """The chapter's model: the distance from follower to cam, whose constraint stands still."""
    model = SAID["model"]
    return nsd.Model(
        name,
        model.systems,
        model.relations,
        scheme=scheme,
        step=model.step,
        end=model.end,
        parameters=model.parameters,
        initial=model.initial,
    )


def absolute(scheme: Any) -> nsd.Model:
    """The follower in its own coordinate x, held against the cam by its spring: the constraint x - c(t) >= 0 moves."""
    model, u, c = SAID["model"], SAID["u"], SAID["c"]
    mu, zeta, kappa = (SAID[name] for name in ("mu", "zeta", "kappa"))
    follower = nsd.LagrangianSystem(
        "follower",
        [u],
        units=["m"],
        kinetic=mu * u.diff() ** 2 / 2,
        potential=kappa * u**2 / 2,
        dissipation=zeta * u.diff() ** 2 / 2,
    )
    cam = nsd.Contact("cam", u - c, nsd.NewtonImpact(SAID["e"]))
    return nsd.Model(
        "cam_follower_absolute",
        [follower],
        [cam],
        scheme=scheme,
        step=model.step,
        end=model.end,
        parameters=model.parameters,
        initial={u: 0.8, u.diff(): 0.4},
    )  # on its base circle, 0.4 m, the cam stands still


def speed(rpm: float) -> dict[str, float]:
    """The parameter that turns the cam so fast."""
    return {"omega": 2 * math.pi * rpm / 60}


def on_grid(run: nsd.Trajectory) -> NDArray[np.int64]:
    """The rows of a run that are ends of steps, not sides of events."""
    beside = {row for event in run.events for row in (event.before, event.after) if event.after != event.before}
    return np.array([row for row in range(len(run)) if row not in beside])


def maps_of_events(rpm: float, turns: int, skipped: int = 100) -> Maps:
    """Both sections of an event-driven run, impacts at the very instants at which they happen."""
    period = turn(rpm)
    run = translated(nsd.EventDriven(), "cam_follower_events").run(
        parameters=speed(rpm), step=period / 20, end=turns * period
    )
    rows = on_grid(run)[::20][skipped:]
    hits = [event for event in run.events if event.kind == "closes" and event.time > skipped * period]
    rates = [run["u_dot"][event.before] for event in hits]
    return Maps(
        np.column_stack([run["u"][rows], run["u_dot"][rows]]),
        np.column_stack([[event.time / period % 1 * 360 for event in hits], rates]),
    )


def maps_of_steps(rpm: float, turns: int, skipped: int = 100) -> Maps:
    """Both sections of a time-stepping run with the step nearest to the chapter's that divides a turn."""
    period = turn(rpm)
    count = round(period / STEP)
    run = translated(nsd.MoreauJean(theta=0.5), "cam_follower_steps").run(
        parameters=speed(rpm), step=period / count, end=turns * period, record=["u", "u_dot", "impulse"]
    )
    rows = np.arange(skipped * count, len(run), count)
    hits = np.flatnonzero(run["impulse"] > 0)
    hits = hits[(hits > skipped * count) & (run["u_dot"][hits - 1] < -0.05)]  # contact that lasts is no impact
    return Maps(
        np.column_stack([run["u"][rows], run["u_dot"][rows]]),
        np.column_stack([run.time[hits] / period % 1 * 360, run["u_dot"][hits - 1]]),
    )


def distances(rpm: float, turns: int, apart: float = 1e-9) -> Array:
    """How far two event-driven motions are apart after each turn that start ``apart`` [m] from each other."""
    model, period = translated(nsd.EventDriven(), "cam_follower_events"), turn(rpm)
    states = []
    for start in (0.4, 0.4 + apart):
        run = model.run(parameters=speed(rpm), step=period, end=turns * period, initial={"follower.u": start})
        rows = on_grid(run)
        states.append(np.column_stack([run["u"][rows], run["u_dot"][rows] / speed(rpm)["omega"]]))
    return np.linalg.norm(states[0] - states[1], axis=1)


def growth(found: Array, most: float = 1e-3) -> float:
    """The factor by which a small distance grows in a turn: a straight line through its logarithms below ``most``."""
    last = int(np.argmax(found > most)) if np.any(found > most) else len(found)
    slope = np.polyfit(np.arange(last), np.log(found[:last]), 1)[0]
    return float(np.exp(slope))
