"""Many runs of one model: values in, what is kept of each member out, whatever the number of threads.

A member is a run of its own: its numbers depend on its values alone. Threads take members in turn and step without the
lock; a member that fails is reported and the others go on.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nsdgen.errors import NsdgenError
from nsdgen.record import ModelRecord
from nsdgen.runtime._recorder import Recorder
from nsdgen.runtime.controllers import check_given
from nsdgen.runtime.failures import failure_error
from nsdgen.runtime.simulation import check_start, prepare
from nsdgen.runtime.values import RunValues

__all__ = ["KINDS", "Keep", "Outcome", "run_members"]

KINDS = ("max", "min", "mean")
"""What a column may be reduced to."""

_STEPS = 100_000
"""Steps between two looks at whether to stop."""

_ROWS = 4096


@dataclass(frozen=True)
class Keep:
    """What is kept of each member, besides its end.

    ``every`` records each so many-th step (0: none) numbered ``since`` and later, only where column ``when`` is
    positive (-1: always); ``columns`` are those of a record that are kept. ``reduced`` lists (kind, column).
    """

    every: int
    since: int
    when: int
    columns: np.ndarray
    reduced: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Outcome:
    """A member: times (k,) and rows (k, columns) kept, the record after its last step, reductions, steps, error."""

    time: np.ndarray
    rows: np.ndarray
    final: np.ndarray
    reduced: np.ndarray
    steps: int
    error: NsdgenError | None


def run_members(record: ModelRecord, table: Any, count: int, values_of: Callable[[int], RunValues], keep: Keep, *,
                threads: int, watch: Callable[[int], None] | None = None) -> list[Outcome | None]:
    """All members, in order; None for those that an interrupt kept from being run.

    ``values_of(i)`` are the values of a member; what it raises is that member's error. ``watch(steps)`` is told
    every so often how many steps were made in all; what it raises, and an interrupt, stops all members and is raised
    with ``.outcomes``. Raises ``ParameterError`` for a model with a block that a Python function computes.
    """
    check_given(record, {})
    crew = _Crew(record, table, count, values_of, keep)
    workers = [threading.Thread(target=crew.work, daemon=True) for _ in range(min(threads, count))]
    for worker in workers:
        worker.start()
    try:
        while any(worker.is_alive() for worker in workers):
            for worker in workers:
                worker.join(0.05)
            if watch is not None:
                watch(crew.steps)
    except BaseException as error:
        crew.stop = True
        for worker in workers:
            worker.join()
        error.outcomes = crew.outcomes  # type: ignore[attr-defined]
        raise
    if crew.broken is not None:
        raise crew.broken
    return crew.outcomes


class _Crew:
    """What the threads share: who is next, and what came of the members so far."""

    def __init__(self, record: ModelRecord, table: Any, count: int, values_of: Callable[[int], RunValues],
                 keep: Keep) -> None:
        self.record, self.table, self.values_of, self.keep = record, table, values_of, keep
        self.outcomes: list[Outcome | None] = [None] * count
        self.steps = 0
        self.stop = False
        self.broken: BaseException | None = None
        self._next = iter(range(count))
        self._lock = threading.Lock()

    def work(self) -> None:
        """Run one member after the other until none is left."""
        stepper: Recorder | None = None
        buffer: tuple[np.ndarray, np.ndarray] | None = None
        while not self.stop:
            with self._lock:
                number = next(self._next, None)
            if number is None:
                return
            try:
                if stepper is None or not stepper.reusable:
                    stepper = Recorder(self.record, self.table)
                if buffer is None:
                    buffer = np.empty((_ROWS, len(self.keep.columns))), np.empty(_ROWS)
                self.outcomes[number] = self._run(number, stepper, *buffer)
            except BaseException as error:  # of nsdgen itself, or no memory
                self.broken, self.stop = error, True

    def _run(self, number: int, stepper: Recorder, buffer: np.ndarray, clock: np.ndarray) -> Outcome | None:
        keep, width = self.keep, stepper.layout.width
        kinds = np.array([KINDS.index(kind) for kind, _ in keep.reduced], dtype=np.intc)
        found = stepper.keep(keep.columns, keep.every, keep.since, keep.when,
                             reduced=[column for _, column in keep.reduced], kinds=kinds)
        rows, times, done, error = [], [], 0, None
        final = np.full(width, np.nan)
        with contextlib.suppress(_Ended):
            try:
                values = self.values_of(number)
                prepare(self.record, self.table, values, stepper)
                final = np.array(stepper.current())
                check_start(self.record, stepper.layout, final)
            except NsdgenError as raised:
                error = raised
                raise _Ended from raised
            if keep.since == 0 and keep.every and (keep.when < 0 or final[keep.when] > 0):
                rows.append(final[keep.columns][np.newaxis])
                times.append(np.array([values.start]))
            while done < values.steps and not stepper.stopped:
                if self.stop:
                    return None
                made, written, failed, _ = stepper.advance_kept(min(_STEPS, values.steps - done), buffer, clock)
                rows.append(buffer[:written].copy())
                times.append(clock[:written].copy())
                done += made
                with self._lock:
                    self.steps += made
                if failed:
                    error = failure_error(self.record, stepper.failed, values.start + done * values.step, done)
                    break
            final = np.array(stepper.current())
            found[kinds == KINDS.index("mean")] /= max(done - max(keep.since - 1, 0), 1)
        return Outcome(np.concatenate([np.zeros(0), *times]),
                       np.concatenate([np.zeros((0, len(keep.columns))), *rows]), final, found, done, error)


class _Ended(Exception):
    """A member that did not start."""


def listed(parameters: Mapping[str, Sequence[float]], number: int) -> str:
    """``omega=3, m=1`` of a member."""
    return ", ".join(f"{name}={values[number]:g}" for name, values in parameters.items())
