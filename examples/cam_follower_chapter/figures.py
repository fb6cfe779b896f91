"""The chapter's figures and page: ``python examples/cam_follower_chapter/figures.py``; two minutes.

Writes the pictures of ``docs/figures/cam_follower`` (figures 12.2, 12.3 and 12.4, and a bifurcation diagram), the
numbers into ``numbers.toml``, and ``docs/explanation/cam_follower.md`` with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from measured import MEASURED, diagram
from measured import maps as sections
from runs import absolute, speed, translated

import nsdgen as nsd

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SPEEDS = (358, 660, 700)


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


def attractors(folder: Path) -> None:
    """Figure 12.4: impact and stroboscopic maps at 660 rpm, under both schemes."""
    found = sections()
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


def save(figure: Any, path: Path) -> None:
    """Write a figure, small enough to be looked at in a page."""
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    plt.close(figure)


def page() -> None:
    """Write ``docs/explanation/cam_follower.md`` from ``page.md`` and what is measured, and keep the numbers."""
    found = {}
    for name, measure in MEASURED.items():
        found[name] = measure()
        print(f"{name}: {found[name]}", flush=True)
    kept = "".join(f'{name} = "{value}"\n' for name, value in found.items())
    (HERE / "numbers.toml").write_text(kept, encoding="utf-8")
    (ROOT / "docs" / "explanation" / "cam_follower.md").write_text(written(found), encoding="utf-8")


def written(found: Mapping[str, str]) -> str:
    """The text of the page with these numbers."""
    text = (HERE / "page.md").read_text(encoding="utf-8")
    for name, value in found.items():
        text = text.replace("{" + name + "}", value)
    return text


def bifurcations(folder: Path) -> None:
    """The diagram from 300 to 900 rpm, its axis in turns a minute."""
    plot = diagram().plot("u")
    axes = plot.axes[0]
    axes.xaxis.set_major_formatter(lambda value, _: f"{value * 30 / np.pi:.0f}")
    axes.set_xticks(np.arange(300, 901, 100) * np.pi / 30)
    axes.set_xlabel("speed of the cam [rpm]")
    plot.save(folder / "diagram.png")


if __name__ == "__main__":
    target = ROOT / "docs" / "figures" / "cam_follower"
    time_series(target)
    state_space(target)
    attractors(target)
    bifurcations(target)
    page()
