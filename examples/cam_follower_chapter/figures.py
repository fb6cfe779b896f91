"""The figures of the chapter and the numbers beside them: ``python examples/cam_follower_chapter/figures.py [FOLDER]``.

Takes about half a minute. Writes ``time.png``, ``state.png`` and ``maps.png`` (figures 12.2, 12.3 and 12.4) and prints
what ``docs/explanation/cam_follower.md`` quotes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from runs import Maps, absolute, distances, growth, maps_of_events, maps_of_steps, on_grid, speed, translated, turn
from scipy.stats import ks_2samp

import nsdgen as nsd

SPEEDS = (358, 660, 700)
TURNS = 1500


def time_series(folder: Path) -> None:
    """Figure 12.2: the follower against the cam; time-stepping drawn through, event-driven dashed."""
    figure, axes = plt.subplots(3, 1, figsize=(9, 9), sharex=True)
    for axis, rpm in zip(axes, SPEEDS, strict=True):
        steps = absolute(nsd.MoreauJean(theta=0.5)).run(parameters=speed(rpm), end=1.0)
        events = absolute(nsd.EventDriven()).run(parameters=speed(rpm), step=1e-3, end=1.0)
        axis.fill_between(events.time, events["follower.u"] - events["cam.gap"], 0.3, color="0.85", label="cam")
        axis.plot(steps.time, steps["follower.u"], "C0", lw=1.2, label="time-stepping, h = 1e-4 s")
        axis.plot(events.time, events["follower.u"], "C1--", lw=1.2, label="event-driven")
        axis.set(ylabel="follower [m]", title=f"{rpm} rpm", xlim=(0, 1.0), ylim=(0.35, None))
    axes[0].legend(loc="upper right")
    axes[-1].set_xlabel("time [s]")
    save(figure, folder / "time.png")


def state_space(folder: Path) -> None:
    """Figure 12.3: distance to the cam and its rate over five seconds, the first half second grey."""
    figure, axes = plt.subplots(2, 2, figsize=(9, 7))
    for row, rpm in zip(axes, (358, 700), strict=True):
        for axis, (title, run) in zip(
            row,
            (
                (
                    "event-driven",
                    translated(nsd.EventDriven(), "cam_follower_events").run(parameters=speed(rpm), step=1e-3),
                ),
                (
                    "time-stepping",
                    translated(nsd.MoreauJean(theta=0.5), "cam_follower_steps").run(parameters=speed(rpm)),
                ),
            ),
            strict=True,
        ):
            first = np.searchsorted(run.time, 0.5)
            axis.plot(run["u"][:first], run["u_dot"][:first], color="0.75", lw=0.8)
            axis.plot(run["u"][first:], run["u_dot"][first:], "C0", lw=0.5)
            axis.set(title=f"{rpm} rpm, {title}", xlabel="distance to the cam [m]", ylabel="its rate [m/s]")
    save(figure, folder / "state.png")


def attractors(folder: Path) -> tuple[Maps, Maps]:
    """Figure 12.4: impact and stroboscopic maps at 660 rpm, under both schemes."""
    found = (maps_of_events(660, TURNS), maps_of_steps(660, TURNS))
    figure, axes = plt.subplots(2, 2, figsize=(9, 8))
    for column, (title, maps) in enumerate(zip(("event-driven", "time-stepping"), found, strict=True)):
        axes[0, column].plot(*maps.impacts.T, ".", ms=1.5)
        axes[0, column].set(
            title=f"impacts, {title}",
            xlabel="angle of the cam [deg]",
            xlim=(0, 360),
            ylabel="rate before impact [m/s]",
            ylim=(-58, 1),
        )
        axes[1, column].plot(*maps.stroboscopic.T, ".", ms=1.5)
        axes[1, column].set(
            title=f"once a turn, {title}",
            xlabel="distance to the cam [m]",
            xlim=(-0.01, 0.55),
            ylabel="its rate [m/s]",
            ylim=(-20, 45),
        )
    save(figure, folder / "maps.png")
    return found


def save(figure: Any, path: Path) -> None:
    """Write a figure, small enough to be looked at in a page."""
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    plt.close(figure)


def numbers(maps: tuple[Maps, Maps]) -> None:
    """What the page says, measured."""
    for rpm in SPEEDS:
        moved, still = (
            model.run(parameters=speed(rpm), step=1e-3)
            for model in (absolute(nsd.EventDriven()), translated(nsd.EventDriven(), "cam_follower_events"))
        )
        apart = np.abs(moved["cam.gap"][on_grid(moved)] - still["u"][on_grid(still)])
        say(
            f"{rpm} rpm: translated and absolute form apart after 0.2, 1, 5 s",
            lambda apart=apart: ", ".join(f"{apart[:k].max():.1e} m" for k in (200, 1000, 5001)),
        )
        impacts = sum(event.kind == "closes" for event in still.events)
        say(f"{rpm} rpm: impacts in 5 s", lambda impacts=impacts: impacts)
    exact = translated(nsd.EventDriven(), "cam_follower_events").run(parameters=speed(358), step=1e-4)
    rows = on_grid(exact)
    for h in (1e-4, 1e-5):
        run = translated(nsd.MoreauJean(theta=0.5), "cam_follower_steps").run(parameters=speed(358), step=h)
        off = np.abs(run["u"][:: round(1e-4 / h)] - exact["u"][rows])
        say(
            f"358 rpm: time-stepping with h = {h:g} s off by at most, until and after 0.5 s",
            lambda off=off: f"{off[:5000].max():.1e} m, {off[5000:].max():.1e} m",
        )
    for rpm in (660, 700):
        say(f"{rpm} rpm: small distances grow in a turn by", lambda rpm=rpm: f"{growth(distances(rpm, 40)):.1f}")
    events, steps = maps
    say(
        "660 rpm: largest difference of the distributions, once a turn (distance, rate)",
        lambda: ", ".join(
            f"{ks_2samp(events.stroboscopic[:, i], steps.stroboscopic[:, i]).statistic:.2f}" for i in (0, 1)
        ),
    )
    say("660 rpm: time between two turns", lambda: f"{turn(660):.4f} s")


def say(what: str, value: Callable[[], Any]) -> None:
    """One line of the list of numbers."""
    print(f"{what}: {value()}", flush=True)


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "cam_follower")
    target.mkdir(parents=True, exist_ok=True)
    time_series(target)
    state_space(target)
    numbers(attractors(target))
    print(f"written: {', '.join(str(target / name) for name in ('time.png', 'state.png', 'maps.png'))}")
