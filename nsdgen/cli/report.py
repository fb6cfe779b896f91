"""Sentences and tables that commands print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nsdgen.base.counted import counted
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.overview import changed, schemes

if TYPE_CHECKING:
    from nsdgen.cli.target import Opened
    from nsdgen.study.trajectory import Trajectory

_MOST_ROWS = 40  # a screen; --json has all


def duration(seconds: float) -> str:
    """``3.2 s``, ``41 ms``, ``0.35 µs``: three digits at most."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def stages(opened: Opened) -> str:
    """How a model came to be here, and how long each stage took if it was derived now."""
    if opened.origin == "derived":
        return f"derived and {'interpreted' if opened.compiled.interpreted else 'compiled'}: {timings(opened)}"
    origin = {"remembered": "unchanged since it was derived", "package": "a compiled package"}[opened.origin]
    return f"{origin}, interpreted" if opened.compiled.interpreted else origin


def timings(opened: Opened) -> str:
    """What each stage took when the model was derived, now or earlier."""
    return ", ".join(f"{stage} {duration(seconds)}" for stage, seconds in opened.seconds.items())


def table(rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    """Rows as aligned columns, the last one free; at most as many as fit on a screen."""
    shown = rows[:_MOST_ROWS]
    widths = [max(len(row[i]) for row in shown) for i in range(len(shown[0]) - 1)] if shown else []
    lines = [
        indent + "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in shown
    ]
    return lines + ([f"{indent}... and {len(rows) - _MOST_ROWS} more"] if len(rows) > _MOST_ROWS else [])


def changes(record: ModelRecord, trajectory: Trajectory) -> list[str]:
    """``omega = 73.3 rad/s``: the parameters of a run that are not the model's defaults."""
    return [f"{p.name} = {value:.6g} {p.unit}".rstrip() for p, value in changed(record, trajectory.attributes)]


def run_report(opened: Opened, trajectory: Trajectory, seconds: float) -> str:
    """What a run did: steps, time, Newton iterations, undetermined multipliers, final values."""
    record, used = opened.compiled.record, trajectory.attributes
    kept = len(trajectory) - 1
    steps = round((trajectory.time[-1] - trajectory.time[0]) / used["step"])  # the last step is always kept
    every = f", {kept} of them recorded" if kept < steps else ""
    recorded = " of those recorded" if every else ""
    made = f"{counted(steps, 'step')} of {used['step']:g} s"
    rows = [
        ("model", f"{record.name} ({stages(opened)})"),
        ("scheme", schemes(record, used)),
        ("run", f"{made}, t = {trajectory.time[0]:g} to {trajectory.time[-1]:g} s{every}"),
        ("time", f"{duration(seconds)}, {duration(seconds / max(steps, 1))} per step"),
    ]
    if kept:
        iterations, missing = trajectory["newton_iterations"][1:], trajectory["rank_deficiency"][1:]
        count = counted(int((missing > 0).sum()), "step")
        rows += [
            ("Newton", f"{iterations.mean():.2f} iterations per step{recorded}, at most {iterations.max():.0f}"),
            ("undetermined", f"{count}{recorded} with multipliers that are not unique"),
        ]
    if told := changes(record, trajectory):
        rows.append(("changed", ", ".join(told)))
    if (moved := used.get("consistent_initial")) is not None:
        rows.append(
            (
                "made consistent",
                ", ".join(f"{name} = {found:.9g} (given {given:.9g})" for name, (given, found) in moved.items())
                or "nothing: the given values are",
            )
        )
    final = [
        (c.name, f"{value:.9g}", c.unit)
        for c, value in zip(trajectory.columns, trajectory.final.values(), strict=True)
        if "." in c.name
    ]
    return "\n".join([*table(rows, ""), "", f"at t = {trajectory.time[-1]:g} s", *table(final)])
