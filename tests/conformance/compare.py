"""One case: run its model over the rows of the table, measure the largest error and the time of a step."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import nsdgen as nsd
from nsdgen.study.compiled_model import CompiledModel

from .case import Case
from .event_rows import matched
from .given import Given

__all__ = ["Comparison", "Speed", "compare", "measure"]


@dataclass(frozen=True)
class Comparison:
    """The largest error over all compared columns and rows, where it is, and what is allowed."""

    columns: tuple[str, ...]
    error: float
    where: str
    tolerance: float

    @property
    def passed(self) -> bool:
        """Whether the error is within tolerance; an error that is no number is not."""
        return self.error <= self.tolerance


@dataclass(frozen=True)
class Speed:
    """Seconds of a step and of a run of one step, which is what every run costs besides."""

    step: float
    fixed: float


def end_of(given: Given, case: Case) -> tuple[NDArray[np.bool_], int]:
    """Which rows are compared, and the steps that these need."""
    if case.unmatched is not None:  # the last instant of the table, which has its time in the first column
        kept = given.table[:, 0] <= case.until
        return kept, round(given.table[kept, 0].max() / given.step)
    steps = given.rows + case.first_step
    kept = steps * given.step <= case.until
    return kept, int(steps[kept].max())


def compare(given: Given, case: Case, compiled: CompiledModel) -> Comparison:
    """Run the case over all rows and compare.

    Raises ValueError where the model's step is not the table's, nobody states a tolerance, or the model file does not
    say what a column is that ``case.toml`` compares.
    """
    tolerance = case.tolerance if given.tolerance is None else given.tolerance
    if tolerance is None:
        raise ValueError(f"neither case.toml nor cases/{given.slug}.py states a tolerance")
    if case.model.step != given.step:
        raise ValueError(f"the table has the step {given.step}, cases/{given.slug}.py has {case.model.step}")
    kept, steps = end_of(given, case)
    trajectory = run(case, compiled, steps)
    rows, reference = given.rows[kept] + case.first_step, given.table[kept]
    if case.unmatched is not None:
        kept, rows = matched(reference[:, 0], trajectory.time)
        if len(kept) + case.unmatched != len(reference):
            raise ValueError(
                f"{len(reference) - len(kept)} rows of the table are not in the run, "
                f"cases/{given.slug}.py says {case.unmatched}"
            )
        reference = reference[kept]
    errors: list[tuple[str, float]] = []
    for place in compared_columns(given, case):
        name = given.columns[place]
        off = np.abs(case.column(name, trajectory)[rows] - reference[:, place])
        if name in case.unset:
            off = off[rows > 0]
        unit = float(np.abs(reference[:, place]).max()) if case.relative else 1.0
        errors.append((name, float(off.max()) / unit))
    where, error = max(errors, key=lambda found: (np.isnan(found[1]), found[1]))
    return Comparison(tuple(name for name, _ in errors), error, where, tolerance)


def compared_columns(given: Given, case: Case) -> tuple[int, ...]:
    """The places of the compared columns: those of ``case.toml``, else those that the model file explains."""
    if given.compared is not None:
        return given.compared
    return tuple(place for place, name in enumerate(given.columns) if case.says(name))


def run(case: Case, compiled: CompiledModel, steps: int) -> nsd.Trajectory:
    """So many steps, all recorded; raises ValueError where the run made another number of them."""
    trajectory = compiled.run(end=case.model.start + (steps - 0.5) * case.model.step)
    if len(trajectory) != steps + 1 + _beside_the_grid(trajectory):
        raise ValueError(f"the run made {len(trajectory) - 1} steps instead of {steps}")
    return trajectory


def _beside_the_grid(trajectory: nsd.Trajectory) -> int:
    """Rows that are no end of a step: both sides of an event, the later side of one at the start."""
    return sum(1 if event.kind == "start" else 2 for event in trajectory.events if event.after != event.before)


def repetitions(steps: int, rounds: int) -> int:
    """How often a run is timed: in each round, a short one so often that twenty thousand steps are made.

    The shortest time counts, which a busy machine disturbs least.
    """
    return rounds * max(1, 20_000 // steps)


def measure(given: Given, case: Case, compiled: CompiledModel, rounds: int = 5) -> Speed:
    """The shortest time of the steps, every column recorded, beyond that of a run of one step."""
    _, steps = end_of(given, case)
    once, all_steps = [], []
    for _ in range(repetitions(steps, rounds)):
        once.append(_seconds(lambda: run(case, compiled, 1)))
        all_steps.append(_seconds(lambda: run(case, compiled, steps)))
    return Speed((min(all_steps) - min(once)) / (steps - 1), min(once))


def _seconds(call: Callable[[], object]) -> float:
    """What a call takes of this thread's time, which other processes do not lengthen."""
    began = time.thread_time()
    call()
    return time.thread_time() - began
