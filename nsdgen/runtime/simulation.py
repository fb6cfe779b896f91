"""A run of a compiled model: values in, times and table out, failures as errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nsdgen.abi import Role
from nsdgen.errors import (
    NonFinite,
    NotConverged,
    ParameterError,
    SingularMatrix,
    SolverError,
    StepError,
)
from nsdgen.record import ModelRecord, RelationRecord
from nsdgen.runtime._stepper import Stepper
from nsdgen.runtime.layout import Layout
from nsdgen.runtime.values import RunValues

__all__ = ["Recording", "simulate"]

_CHUNK_SECONDS = 0.05
"""Simulated chunks are sized to return for progress and interrupts about this often."""

_SOLVER_REASONS = {1: "infeasible", 2: "ray", 3: "inconsistent", 4: "not converged"}
_SOLVER_WORDS = {
    1: "no multiplier satisfies it together with the other relations in play",
    2: "pivoting left along a ray: no multiplier was found that satisfies it",
    3: "its equality contradicts the other relations",
    4: "no multiplier could be certified",
}


@dataclass(frozen=True)
class Recording:
    """What a run recorded: times (n,), table (n, layout.width), and where columns lie."""

    time: np.ndarray
    table: np.ndarray
    layout: Layout


def simulate(record: ModelRecord, table: Any, values: RunValues,
             watch: Callable[[int, int, float], None] | None = None) -> Recording:
    """Run a model from its initial state to the end.

    ``watch(done, total, time)`` is called every so many steps; what it raises (an
    interrupt, say) ends the run. Raises ``ParameterError`` for an initial overlap and a
    ``StepError`` with ``.recording`` of everything before the step that failed, which an
    interrupt carries, too.
    """
    stepper = Stepper(record, table)
    _fill(stepper, record, values)
    stepper.initialize(values.start, values.step)
    steps = values.steps
    rows, times = _room(record, steps + 1, stepper.layout.width)
    rows[0], times[0] = stepper.current(), values.start
    _check_start(record, stepper.layout, rows[0])
    done, chunk = 0, 256
    try:
        while done < steps:
            want = min(chunk, steps - done)
            made, seconds = stepper.advance_timed(want, rows, times, done + 1)
            done += made
            if made < want:
                raise _error(record, stepper.failed, values.start + done * values.step, done)
            chunk = int(min(max(chunk * _CHUNK_SECONDS / max(seconds, 1e-9), 64), 10 * chunk))
            if watch is not None:
                watch(done, steps, float(times[done]))
    except (StepError, KeyboardInterrupt) as error:
        error.recording = Recording(  # type: ignore[union-attr]
            times[:done + 1].copy(), rows[:done + 1].copy(), stepper.layout)
        raise
    return Recording(times, rows, stepper.layout)


def _room(record: ModelRecord, instants: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Arrays for the whole table and for its times."""
    try:
        return np.empty((instants, width)), np.empty(instants)
    except (MemoryError, ValueError) as error:
        raise ParameterError(f"{instants} instants of {width} values do not fit into memory", model=record.name,
                             fix="give a larger step or an earlier end") from error


def _fill(stepper: Stepper, record: ModelRecord, values: RunValues) -> None:
    for i, options in enumerate(values.options):
        stepper.set_array("run", i, Role.RUN, (values.step, *options))
    for i, arguments in enumerate(values.system_arguments):
        stepper.set_array("system", i, Role.PARAMETERS, arguments)
        stepper.set_array("system", i, Role.INITIAL, values.initial[i])
    for i, arguments in enumerate(values.relation_arguments):
        stepper.set_array("relation", i, Role.PARAMETERS, arguments)


def _check_start(record: ModelRecord, layout: Layout, row: np.ndarray) -> None:
    """Refuse a start that is not finite or violates a gap, before any step is made."""
    bad = [layout.columns[i].name for i in range(layout.width) if not np.isfinite(row[i])]
    if bad:
        raise ParameterError(f"{', '.join(bad[:5])} is not finite at the start", model=record.name,
                             fix="check initial values and parameters")
    if record.allow_penetration:
        return
    for relation, offset in zip(record.relations, layout.memory, strict=True):
        _check_zero_rows(record, relation, row, offset)
        index = record.relation_classes[relation.cls].gap
        if index is None:
            continue
        gap = row[offset + index]
        size = max(1.0, float(np.abs(row[:max(layout.memory, default=0)]).max(initial=0.0)))
        if gap < -1e-10 * size:  # rounding of a start exactly on the boundary is no overlap
            raise ParameterError(
                f"the gap is {gap:.6g} at the start: it must not be negative", model=record.name,
                where=f"relation {relation.name!r}",
                fix="move the initial state apart, or set allow_penetration=True")


def _check_zero_rows(record: ModelRecord, relation: RelationRecord, row: np.ndarray, offset: int) -> None:
    """Refuse an equality that does not hold at the start: nothing would bring it back."""
    rows = record.relation_classes[relation.cls].zero_rows
    off = np.abs(row[offset:offset + rows])
    if off.max(initial=0.0) > 1e-8 * max(1.0, float(np.abs(row[:offset]).max(initial=0.0))):
        raise ParameterError(
            f"it is violated by {off.max():.6g} at the start (row {int(off.argmax())})", model=record.name,
            where=f"relation {relation.name!r}",
            fix="start from a state that satisfies it, or set allow_penetration=True")


def _error(record: ModelRecord, failure: dict[str, Any], time: float, step: int) -> StepError:
    """The error for a failure of the stepper, with names."""
    code, item = failure["code"], failure["item"]
    stage = record.stages[failure["stage"]].name
    when = f"step {step + 1} from t = {time:.9g}, stage {stage!r}, iteration {failure['iteration']}"

    def system() -> str:
        return f"system {record.systems[item].name!r}"

    def relation() -> str:
        return f"relation {record.relations[item].name!r}"

    if code == 1:
        return SingularMatrix(f"the iteration matrix W is singular at {when}", model=record.name, where=system(),
                              fix="check that the mass matrix is regular for these parameters, or change the step")
    if code == 2 and failure["detail"] == 5:
        return NonFinite(f"its coefficients are not finite at {when}", model=record.name, where=relation(),
                         fix="reduce the step; look for an overflow or a division by zero in the relation")
    if code == 2:
        error = SolverError(
            f"the one-step problem has no solution at {when}: {_SOLVER_WORDS[failure['detail']]} "
            f"(row {failure['row']}, residual {failure['value']:.3g})", model=record.name, where=relation(),
            fix="look for constraints that contradict each other, or a gap that cannot be kept")
        error.reason = _SOLVER_REASONS[failure["detail"]]
        error.rows = (failure["row"],)
        return error
    if code == 3:
        place = relation() if failure["detail"] else system()
        return NotConverged(
            f"Newton's method did not converge: row {failure['row']} is still off by {failure['value']:.3g} of its "
            f"terms at {when}",
            model=record.name, where=place,
            fix="reduce the step, raise newton=nsd.Newton(max_iterations=...), or accept it with on_limit='keep'")
    if code == 4:
        return NonFinite(f"the unknown is not finite (row {failure['row']}) at {when}", model=record.name,
                         where=system(), fix="reduce the step; look for a division by zero in the model")
    if code == 6:
        return NotConverged(f"a violation of {failure['value']:.3g} is left after the last repetition at {when}",
                            model=record.name, where=relation(),
                            fix="allow more repetitions, or accept it with on_limit='keep'")
    return StepError(f"a kernel refused its arguments (guard {failure['detail']}) at {when}", model=record.name)
