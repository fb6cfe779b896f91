"""A run of a compiled model: values in, times and table out, failures as errors."""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from nsdgen.base.checks import whole_number
from nsdgen.base.once import once_for_each
from nsdgen.errors import StepError
from nsdgen.record.columns import Column
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.step_record import Layout
from nsdgen.runtime._runs import Stepper
from nsdgen.runtime.controllers import Controllers, Factories, check_given
from nsdgen.runtime.failures import ONE_STEP, failure_error
from nsdgen.runtime.index import check_algebraic
from nsdgen.runtime.requirements import check_requirements
from nsdgen.runtime.selection import room, select
from nsdgen.runtime.start import check_start, say_several, say_start
from nsdgen.runtime.values import RunValues

_CHUNK_SECONDS = 0.05
"""Simulated chunks are sized to return for progress and interrupts about this often."""

_MOST_STEPS = 2**53
"""Steps are numbered in doubles, too."""


class Recording(NamedTuple):
    """What a run recorded: times (n,), table (n, c) and its c columns, all of the layout's or some.

    ``moved`` are states that the start made consistent: what was given, what was found.
    """

    time: np.ndarray
    table: np.ndarray
    layout: Layout
    columns: tuple[Column, ...]
    moved: Mapping[str, tuple[float, float]] = MappingProxyType({})


def simulate(
    record: ModelRecord,
    table: Any,
    values: RunValues,
    watch: Callable[[int, int, float], None] | None = None,
    *,
    every: int = 1,
    columns: Sequence[str] | None = None,
    generic: bool = False,
    left: list[Stepper] | None = None,
    computed: Factories = MappingProxyType({}),
    compiled: Callable[[], bool] | None = None,
) -> Recording:
    """Run a model from its initial state to the end.

    ``every`` keeps each so many-th step and the last one; ``columns`` keeps the columns that
    these patterns name (:func:`nsdgen.runtime.selection.select`). ``generic`` leaves all steps to the general
    stepper, also where the model has a function of its own for them. A stepper is taken from ``left`` where there is
    one, and left there where it may be used again. Where the kernels are interpreted until compiled ones are there,
    ``compiled()`` says whether these have taken over; it is asked every now and then.
    ``watch(done, total, time)`` is called every so many steps; what it raises (an interrupt, say) ends the run.
    Raises ``ParameterError`` for an initial overlap or a table that does not fit into memory, and a ``StepError`` with
    ``.recording`` of everything kept before the step that failed, which an interrupt carries, too.
    """
    every = whole_number(every, 1, _MOST_STEPS, model=record.name, where="every")
    stepper = prepare(record, table, values, taken(left), computed=computed)
    stepper.use_fused(not generic)
    controllers = Controllers(record, values, stepper, computed) if computed else None
    if controllers is not None:
        controllers.act(0)
    tape = _Tape(record, stepper, values.steps, every, columns)
    row = np.array(stepper.current())
    tape.begin(row, values.start)
    if values.row is None:
        tape.moved = _moved(record, stepper.layout, values, row)
        check_start(record, stepper)
        say_start(record, stepper, values)
    chunk = 1  # a step may take long
    try:
        while tape.done < values.steps and not stepper.stopped:
            want = min(chunk, values.steps - tape.done)
            if controllers is not None:
                want = min(want, controllers.next(tape.done) - tape.done)
            failed, seconds = tape.advance(want)
            if failed:
                began = values.start + tape.done * values.step
                raise failure_error(record, stepper.failed, began, tape.done, _gap_seen(record, stepper))
            if controllers is not None and controllers.act(tape.done):
                tape.renew()
            chunk = int(min(max(chunk * _CHUNK_SECONDS / max(seconds, 1e-9), 1), 10 * chunk))
            if compiled is not None and compiled():
                stepper.use_fused(not generic)
            if watch is not None:
                watch(tape.done, values.steps, values.start + tape.done * values.step)
    except (StepError, KeyboardInterrupt) as error:
        error.recording = tape.recording()  # type: ignore[union-attr]
        raise
    say_several(record, stepper, tape.done)
    if left is not None and stepper.reusable and compiled is None:
        left.append(stepper)
    return tape.recording()


def taken(left: list[Stepper] | None) -> Stepper | None:
    """A stepper that a run before has left, if any; threads may ask at once."""
    try:
        return left.pop() if left else None
    except IndexError:
        return None


def prepare(
    record: ModelRecord,
    table: Any,
    values: RunValues,
    stepper: Stepper | None = None,
    *,
    computed: Factories = MappingProxyType({}),
) -> Stepper:
    """A stepper (a new one, if none is given) with its values in place, at the start.

    Raises a ``StepError`` where a stage at the start fails.

    Raises ``ParameterError`` where a system cannot be what its class requires, a mass negative say, or where its
    index is above 1.
    """
    check_given(record, computed)
    stepper = stepper or Stepper(record, table)
    started = values.system_arguments, values.relation_arguments, values.initial, values.start
    if not all(map(operator.is_, started, stepper.checked or (None,) * len(started))):  # else those of the last run
        check_requirements(record, table, values)
        check_algebraic(record, table, values)
        stepper.checked = started
    if stepper.reusable:
        stepper.again()
    stepper.fill(_given(values))
    layout = stepper.layout
    given = [(layout.multiplier[k][i] + j, value) for k, i, j, value in values.multipliers]
    if not stepper.initialize(values.start, values.step, given, values.steps, values.row, values.clocks):
        raise failure_error(record, stepper.failed, values.start, None, _gap_seen(record, stepper))
    return stepper


class _Tape:
    """The table of a run, written by the stepper."""

    def __init__(
        self, record: ModelRecord, stepper: Stepper, steps: int, every: int, columns: Sequence[str] | None
    ) -> None:
        self.stepper, self.steps, self.every, self.model = stepper, steps, every, record.name
        layout = stepper.layout
        self.kept = None if columns is None else select(layout, columns, record.name)
        self.columns = layout.columns if self.kept is None else tuple(layout.columns[i] for i in self.kept)
        instants = 1 + -(-steps // every)
        self.rows, self.times = room(instants, len(self.columns), record.name, every)
        self.done = self.count = 0
        self.last_kept = False
        self.moved: dict[str, tuple[float, float]] = {}
        stepper.keep(self.kept, every, last=steps, cuts=True)

    def begin(self, row: np.ndarray, start: float) -> None:
        """Keep the initial state."""
        self.rows[0], self.times[0] = row if self.kept is None else row[self.kept], start
        self.count = 1

    def advance(self, want: int) -> tuple[bool, float]:
        """Make ``want`` steps and keep what is to be kept: (failed or not, seconds of stepping)."""
        total, spent, failed = 0, 0.0, False
        while total < want and not failed and not self.stepper.stopped:
            if self.count == len(self.times):
                self._grow()
            made, rows, failed, seconds = self.stepper.advance(want - total, self.rows, self.times, self.count)
            self.count += rows
            self.done += made
            total += made
            spent += seconds
        self.last_kept = self.times[self.count - 1] == self.stepper.time
        return failed, spent

    def renew(self) -> None:
        """The row of the last step again, where it is kept: what blocks hold there has changed."""
        row = np.array(self.stepper.current())
        if self.last_kept:
            self.rows[self.count - 1] = row if self.kept is None else row[self.kept]

    def _grow(self) -> None:
        """Room for half as many instants again: how often steps end early is not known before."""
        rows, times = room(self.count + 64 + len(self.times) // 2, len(self.columns), self.model, self.every)
        rows[: self.count], times[: self.count] = self.rows[: self.count], self.times[: self.count]
        self.rows, self.times = rows, times

    def recording(self) -> Recording:
        """What was kept so far. Room that is left is given back in place: to copy gigabytes takes seconds."""
        self.rows.resize((self.count, len(self.columns)), refcheck=False)
        self.times.resize(self.count, refcheck=False)
        return Recording(self.times, self.rows, self.stepper.layout, self.columns, self.moved)


def _moved(record: ModelRecord, layout: Layout, values: RunValues, row: np.ndarray) -> dict[str, tuple[float, float]]:
    """States of differential-algebraic systems that differ from what was given: given, found."""
    if not _has_algebraic(record):
        return {}
    return {
        layout.columns[at + j].name: (given, float(row[at + j]))
        for i, (system, at) in enumerate(zip(record.systems, layout.state, strict=True))
        if record.system_classes[system.cls].algebraic
        for j, given in enumerate(values.initial[i])
        if row[at + j] != given
    }


def _gap_seen(record: ModelRecord, stepper: Stepper) -> str:
    """Gap and rates of the relation that an event-driven run failed at, where they are; else nothing."""
    failure = stepper.failed
    if failure["code"] != ONE_STEP or record.stages[failure["stage"]].at not in ("rate", "event"):
        return ""
    cls, first = record.relation_classes[record.relations[failure["item"]].cls], stepper.layout.memory[failure["item"]]
    row = stepper.current()
    values = [
        f"{name} is {row[first + k]:.6g}"
        for k, name in enumerate(cls.memory_names)
        if re.fullmatch(r"gap|(gap_|sliding_|rolling_)rate(\[\d+\])?", name)
    ]
    return f"; at t = {stepper.time:.12g} its {', '.join(values)}" if values else ""


@once_for_each
def _has_algebraic(record: ModelRecord) -> bool:
    return any(c.algebraic for c in record.system_classes)


def _given(values: RunValues) -> tuple[tuple[float, ...], ...]:
    """What a stepper is filled with, in its order."""
    found = [(values.step, *options) for options in values.options]
    found.append(tuple(values.parameters.values()))
    for pair in zip(values.system_arguments, values.initial, strict=True):
        found += pair
    return (*found, *values.relation_arguments)
