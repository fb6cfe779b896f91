"""One member of an ensemble: a run that is started, makes steps when told, and ends as an outcome."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nsdgen.errors import NsdgenError
from nsdgen.record.model_record import ModelRecord
from nsdgen.runtime._runs import Stepper
from nsdgen.runtime.failures import failure_error
from nsdgen.runtime.simulation import prepare
from nsdgen.runtime.start import check_start
from nsdgen.runtime.values import RunValues

KINDS = ("max", "min", "mean")
"""What a column may be reduced to."""


@dataclass(frozen=True)
class Keep:
    """What is kept of each member, besides its end.

    ``every`` records each so many-th step (0: none) numbered ``since`` and later, and between them events and the end
    of a step that was cut from ``begins`` [s] on, only where column ``when`` is positive (-1: always); ``columns`` are
    those of a record that are kept. ``reduced`` lists (kind, column): over all records from there on, that of the start
    as well.
    """

    every: int
    since: int
    when: int
    columns: np.ndarray
    reduced: tuple[tuple[str, int], ...]
    begins: float


@dataclass(frozen=True)
class MemberResult:
    """A member: times (k,) and rows (k, columns) kept, the record after its last step, reductions, steps, error."""

    time: np.ndarray
    rows: np.ndarray
    final: np.ndarray
    reduced: np.ndarray
    steps: int
    error: NsdgenError | None


class Member:
    """A member's run on a stepper: ``start``, then ``step`` or ``stepped`` until ``ended``, then ``outcome``."""

    def __init__(self, number: int, stepper: Stepper, keep: Keep) -> None:
        self.number, self.stepper, self.keep = number, stepper, keep
        self.steps = self.done = 0
        self.error: NsdgenError | None = None
        self._rows: list[np.ndarray] = []
        self._times: list[np.ndarray] = []
        self._values: RunValues | None = None
        self._final = np.full(stepper.layout.width, np.nan)
        self._kinds = np.array([KINDS.index(kind) for kind, _ in keep.reduced], dtype=np.intc)
        self._found = stepper.keep(
            keep.columns,
            keep.every,
            keep.since,
            keep.when,
            cuts=keep.every > 0,
            reduced=[column for _, column in keep.reduced],
            kinds=self._kinds,
            begins=keep.begins,
        )

    def start(self, record: ModelRecord, table: Any, values_of: Callable[[int], RunValues]) -> None:
        """Put the run at its start; what its values, or their start, raise is its error."""
        try:
            self._values = values_of(self.number)
            prepare(record, table, self._values, self.stepper)
            self._final = np.array(self.stepper.current())
            check_start(record, self.stepper)
        except NsdgenError as raised:
            self.error = raised
            return
        self.steps, keep = self._values.steps, self.keep
        if keep.since == 0 and keep.reduced:
            self._found[:] = [*(self._final[column] for _, column in keep.reduced), 1]
        if keep.since == 0 and keep.every and (keep.when < 0 or self._final[keep.when] > 0):
            self.stepped(0, self._final[keep.columns][np.newaxis], np.array([self._values.start]))

    @property
    def ended(self) -> bool:
        """Whether there is no step left to make."""
        return self.error is not None or self.done >= self.steps or bool(self.stepper.stopped)

    def step(self, record: ModelRecord, count: int, rows: np.ndarray, times: np.ndarray) -> int:
        """Make up to ``count`` steps, what is kept by way of ``rows`` and ``times``; how many."""
        made, written, failed, _ = self.stepper.advance(min(count, self.steps - self.done), rows, times)
        self.stepped(made, rows[:written].copy(), times[:written].copy())
        if failed:
            self.failed(record)
        return int(made)

    def failed(self, record: ModelRecord) -> None:
        """The step after those that were made failed: this is the run's error."""
        if self._values is not None:
            self.error = failure_error(
                record, self.stepper.failed, self._values.start + self.done * self._values.step, self.done
            )

    def stepped(self, made: int, rows: np.ndarray, times: np.ndarray) -> None:
        """So many steps were made, and this is kept of them."""
        self.done += made
        if len(times):
            self._rows.append(rows)
            self._times.append(times)

    def outcome(self) -> MemberResult:
        """What came of the member."""
        if self.done or self.error is None:
            self._final = np.array(self.stepper.current())
        return MemberResult(
            np.concatenate([np.zeros(0), *self._times]),
            np.concatenate([np.zeros((0, len(self.keep.columns))), *self._rows]),
            self._final,
            self._reduced(),
            self.done,
            self.error,
        )

    def _reduced(self) -> np.ndarray:
        """The reductions; not numbers where nothing was reduced."""
        found, count = self._found[:-1], self._found[-1]
        if count == 0:
            return np.full(len(found), np.nan)
        return np.where(self._kinds == KINDS.index("mean"), found / count, found)
