"""What ``docs/explanation/cam_follower.md`` says in numbers, each as it is printed there."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import sympy as sp
from bifurcations import collides, flips, returns
from bifurcations import rests as ends_of_rest
from runs import (
    Array,
    Maps,
    absolute,
    distances,
    growth,
    maps_of_events,
    maps_of_steps,
    on_grid,
    speed,
    translated,
    turn,
)
from scipy.stats import ks_2samp

import nsdgen as nsd

__all__ = ["MEASURED", "TURNS", "diagram", "exponents", "maps"]

ON_THE_CAM = {"follower.u": 0.0, "follower.u_dot": 0.0}

TURNS = 1500
"""Turns of the maps, the first hundred left out."""


def events() -> nsd.Model:
    """The follower from event to event."""
    return translated(nsd.EventDriven(), "cam_follower_events")


def impacts(rpm: float) -> str:
    """How many impacts five seconds have."""
    run = events().run(parameters=speed(rpm), step=1e-3)
    return str(sum(event.kind == "closes" for event in run.events))


def apart(rpm: float, until: float) -> str:
    """How far the follower in its own coordinate and the one above the cam are apart [m]."""
    moved, still = (m.run(parameters=speed(rpm), step=1e-3) for m in (absolute(nsd.EventDriven()), events()))
    off = np.abs(moved["cam.gap"][on_grid(moved)] - still["u"][on_grid(still)])
    return f"{off[: round(until / 1e-3) + 1].max():.0e}"


def off(step: float, late: bool) -> str:
    """How far time-stepping at 358 rpm is from the events [m], in the first half second or after it."""
    exact = events().run(parameters=speed(358), step=1e-4)
    run = translated(nsd.MoreauJean(theta=0.5), "cam_follower_steps").run(parameters=speed(358), step=step)
    away = np.abs(run["u"][:: round(1e-4 / step)] - exact["u"][on_grid(exact)])
    return f"{(away[5000:] if late else away[:5000]).max():.1e}"


def grown(rpm: float) -> str:
    """By how much small distances grow in a turn, before they are large."""
    return f"{growth(distances(rpm, 40)):.1f}"


@lru_cache
def maps() -> tuple[Maps, Maps]:
    """Sections and impacts at 660 rpm, event-driven and time-stepping."""
    return maps_of_events(660, TURNS), maps_of_steps(660, TURNS)


def differ(column: int) -> str:
    """Kolmogorov and Smirnov's distance of the distributions once a turn."""
    exact, steps = maps()
    return f"{ks_2samp(exact.stroboscopic[:, column], steps.stroboscopic[:, column]).statistic:.2f}"


@lru_cache
def exponents(rpm: float, periods: int = 1000) -> nsd.Exponents:
    """The spectrum after a hundred turns."""
    return nsd.lyapunov_exponents(events(), turn(rpm), periods=periods, settle=100, parameters=speed(rpm))


def spectrum(rpm: float) -> str:
    """The exponents with their errors."""
    found = exponents(rpm)
    if np.isneginf(found.values).all():
        return "-∞, -∞"
    return ", ".join(f"{v:.1f} ± {e:.1f}" for v, e in zip(found.values, found.errors, strict=True))


def rests(rpm: float) -> str:
    """In how many of a thousand turns the follower comes to rest on the cam, so that all disturbances vanish."""
    return str(exponents(rpm).rests)


def lifts() -> str:
    """The speed [rpm] at which the contact force kappa c + mu omega^2 c'' of the angle is zero somewhere."""
    compiled = events().compile()

    def forces(rpm: float) -> Array:
        return np.array(
            [
                compiled.at_start(start=s * turn(rpm), parameters=speed(rpm), initial=ON_THE_CAM)["cam.last_force"]
                for s in np.linspace(0, 1, 4001)
            ]
        )

    slow, fast = forces(40), forces(80)
    slope = (fast - slow) / (80**2 - 40**2)
    spring = slow - 40**2 * slope
    falls = slope < 0
    return f"{np.sqrt((spring[falls] / -slope[falls]).min()):.0f}"


def complete() -> str:
    """Between which speeds [rpm] it comes to rest in every turn."""
    ends = [f"{rpm:.5f}" for rpm, _ in ends_of_rest()]
    return f"{lifts()} to {ends[0]}, {ends[1]} to {ends[2]}, and {ends[3]} to {ends[4]}"


def returned() -> str:
    """After how many turns it rests again, where that is few."""
    return ", ".join(f"{returns(rpm)} at {rpm}" for rpm in (390, 396, 414, 417))


def unrested() -> str:
    """The least whole speed [rpm] from which on, up to the flip, the motion from rest never rests again."""
    speeds = range(779, 740, -1)
    return str(next(rpm for rpm in speeds if returns(rpm) != 0) + 1)


def diagram(count: int = 301) -> nsd.Diagram:
    """Once a turn, from 300 to 900 rpm, up and down."""
    speeds = np.linspace(300, 900, count) * np.pi / 30
    period = 2 * sp.pi / sp.Symbol("omega", positive=True)
    return nsd.bifurcation_diagram(events(), "omega", speeds, period, settle=60, keep=40)


MEASURED: dict[str, Callable[[], str]] = {
    **{f"impacts_{rpm}": lambda rpm=rpm: impacts(rpm) for rpm in (358, 660, 700)},  # type: ignore[misc]
    "apart_358": lambda: apart(358, 5.0),
    "apart_660": lambda: apart(660, 0.2),
    "apart_700": lambda: apart(700, 0.2),
    "off_early": lambda: off(1e-4, False),
    "off_late": lambda: off(1e-4, True),
    "finer_early": lambda: off(1e-5, False),
    "finer_late": lambda: off(1e-5, True),
    "grown_660": lambda: grown(660),
    "grown_700": lambda: grown(700),
    "differ_distance": lambda: differ(0),
    "differ_rate": lambda: differ(1),
    **{f"exponents_{rpm}": lambda rpm=rpm: spectrum(rpm) for rpm in (358, 660, 700)},  # type: ignore[misc]
    "rests_660": lambda: rests(660),
    "rests_700": lambda: rests(700),
    "lifts": lifts,
    "complete": complete,
    "returned": returned,
    "unrested": unrested,
    "flips": lambda: f"{flips():.5f}",
    "collides": lambda: f"{collides():.5f}",
}
"""The numbers by the names that the page's text has for them."""
