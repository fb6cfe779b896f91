"""What is looked at when a run starts: that it can, and what it begins with that is hardly meant."""

import warnings
from collections.abc import Iterator

import numpy as np

from nsdgen.base.once import once_for_each
from nsdgen.errors import ModelWarning, ParameterError
from nsdgen.record.instances import RelationRecord
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.step_record import Layout
from nsdgen.runtime._runs import Stepper
from nsdgen.runtime.values import RunValues

_HOLDS = 1e-8
"""Of the largest state that it is about, a constraint that holds as written with ten digits."""

_CLOSED = 1e-10
"""Of the same, a gap that is rounding of a start exactly on the boundary."""

_NUMBERS = 1e-14
"""Rounding of numbers near 1, which expressions may hold: where all of a state is 0, nothing else tells the scale."""

_ROUNDING = 1e-15
"""Of the positions, in a step: rates below are rounding of them."""


def check_start(record: ModelRecord, stepper: Stepper) -> None:
    """Refuse a start that is not finite or violates a gap, before any step is made."""
    if stepper.starts_well():
        return
    layout, row = stepper.layout, np.array(stepper.current())
    if not np.isfinite(row).all():
        bad = [layout.columns[i].name for i in np.flatnonzero(~np.isfinite(row))[:5]]
        raise ParameterError(
            f"{', '.join(bad)} is not finite at the start", model=record.name, fix="check initial values and parameters"
        )
    gaps, owners, zeros = _checked_places(record)
    if record.allow_penetration or not (len(gaps) or zeros):
        return
    for i in zeros:
        relation, offset = record.relations[i], layout.memory[i]
        rows = row[offset : offset + record.relation_classes[relation.cls].zero_rows]
        _check_zero_rows(record, relation, rows, _largest_state(record, layout, relation, row))
    for k in np.flatnonzero(row[gaps] < -_NUMBERS):
        relation, gap = record.relations[owners[k]], row[gaps[k]]
        if gap < -(_CLOSED * _largest_state(record, layout, relation, row) + _NUMBERS):
            raise ParameterError(
                f"the gap is {gap:.6g} at the start: it must not be negative",
                model=record.name,
                where=f"relation {relation.name!r}",
                fix="move the initial state apart, or set allow_penetration=True in the model",
            )


def _largest_state(record: ModelRecord, layout: Layout, relation: RelationRecord, row: np.ndarray) -> float:
    """Of the systems that a relation is about: those of others, and what they remember, have other units."""
    found = 0.0
    for i in relation.participants:
        size = record.system_classes[record.systems[i].cls].n_state
        found = max(found, float(np.abs(row[layout.state[i] : layout.state[i] + size]).max(initial=0.0)))
    return found


@once_for_each
def _checked_places(record: ModelRecord) -> tuple[np.ndarray, list[int], list[int]]:
    """Where gaps lie in the record and whose they are; the relations with rows that are zero at the start."""
    layout, classes = Layout.of(record), [record.relation_classes[r.cls] for r in record.relations]
    gaps = [(layout.memory[i] + c.gap, i) for i, c in enumerate(classes) if c.gap is not None]
    return (
        np.array([place for place, _ in gaps], dtype=np.intp),
        [i for _, i in gaps],
        [i for i, c in enumerate(classes) if c.zero_rows],
    )


def _check_zero_rows(record: ModelRecord, relation: RelationRecord, values: np.ndarray, scale: float) -> None:
    """Refuse an equality that does not hold at the start: nothing would bring it back."""
    off = np.abs(values)
    if off.max(initial=0.0) > _HOLDS * scale + _NUMBERS:
        raise ParameterError(
            f"it is violated by {off.max():.6g} at the start (row {int(off.argmax())})",
            model=record.name,
            where=f"relation {relation.name!r}",
            fix="start where it holds, let the model search for such a start (near={}), or set allow_penetration=True",
        )


def say_start(record: ModelRecord, stepper: Stepper, values: RunValues) -> None:
    """Warn of constraints that do not hold where overlaps are allowed, and of velocities against constraints.

    These are seen in rates of constraints, or where a stage at the start has already mended them.
    """
    layout, row = stepper.layout, np.array(stepper.current())
    states = range(min(layout.memory, default=0))
    rates = [i for i in states if layout.columns[i].unit.endswith("/s") or layout.columns[i].name.endswith("_dot")]
    fastest, largest = (np.abs(row[list(which)]).max(initial=0.0) for which in (rates, states))
    allowed = _HOLDS * fastest + _ROUNDING * largest / values.step
    for given, found, column in _changed(record, layout, values, row):
        if column in rates and abs(found - given) > allowed:
            _say(
                f"{layout.columns[column].name} is {found:.6g} at the start, not {given:.6g} as given, which the "
                "constraints do not admit: an impulse makes it so"
            )
    for relation, at in _constraints(record):
        column = layout.columns[at]
        moving = column.name.rpartition(".")[2].partition("[")[0] != "gap"
        if moving and abs(row[at]) > allowed:
            _say(
                f"relation {relation.name!r}: {column.name} is {row[at]:.6g} at the start, not 0: the first step makes "
                "it 0 by an impulse"
            )
        elif not moving and record.allow_penetration and abs(row[at]) > _HOLDS * largest:
            _say(
                f"relation {relation.name!r}: {column.name} is {row[at]:.6g} at the start, which "
                "allow_penetration=True accepts: schemes that hold velocities keep it so, others close it in the first "
                "step, and may swing with the speed that this takes"
            )


def _changed(
    record: ModelRecord, layout: Layout, values: RunValues, row: np.ndarray
) -> Iterator[tuple[float, float, int]]:
    """States that are no more what was given, but those of algebraic systems: given, found, column."""
    for system, at, initial in zip(record.systems, layout.state, values.initial, strict=True):
        for j, given in enumerate(() if record.system_classes[system.cls].algebraic else initial):
            if row[at + j] != given:
                yield given, row[at + j], at + j


def say_several(record: ModelRecord, stepper: Stepper, steps: int) -> None:
    """Warn of steps that had other solutions than the one they took."""
    text = told_several(record, stepper, steps)
    if text:
        warnings.warn(ModelWarning(text), stacklevel=2)


def told_several(record: ModelRecord, stepper: Stepper, steps: int) -> str:
    """Which steps of so many had other solutions than the one they took; nothing where none had."""
    if stepper.several is None:
        return ""
    count, time, stage, relation, row, turned = stepper.several
    about = f"relation {record.relations[relation].name!r}: "
    if record.stages[stage].at == "rate" and not turned:
        instants = "" if count == 1 else f", the first of {count} such instants"
        return (
            f"{about}several motions start at {time:.6g} s{instants}, on different pieces of its law: the run takes "
            "one of them. Move the initial state or the source, or put a resistance into the output"
        )
    name = stepper.layout.columns[stepper.layout.multiplier[stage][relation] + row].name
    if turned:
        return (
            f"{about}loads of what slides are not determined at {time:.6g} s, and the motion depends on their shares: "
            f"other values of {name} solve the step, too; rows with rank_deficiency > 0 may be such. Stand the body on "
            "no more points than hold it, or on springs"
        )
    return (
        f"{about}{count} of {steps} steps have several solutions, the first one ends at {time:.6g} s: other values of "
        f"{name} solve it, too, and the motion would be another one; rows with "
        "rank_deficiency > 0 are such. A step takes the one that is near its last multipliers: lower the step, put a "
        "resistance or compliance into the output, or use nsd.EventDriven: a row keeps its piece until that ends"
    )


def _say(text: str) -> None:
    warnings.warn(ModelWarning(text), stacklevel=2)


@once_for_each
def _constraints(record: ModelRecord) -> list[tuple[RelationRecord, int]]:
    """Relations that always hold, and the places of their gaps and rates."""
    return list(_places(record))


def _places(record: ModelRecord) -> Iterator[tuple[RelationRecord, int]]:
    for relation, start in zip(record.relations, Layout.of(record).memory, strict=True):
        cls = record.relation_classes[relation.cls]
        for i, name in enumerate(cls.memory_names if cls.always_active and cls.pushes else ()):
            if name.partition("[")[0] in ("gap", "gap_rate", "rate"):
                yield relation, start + i
