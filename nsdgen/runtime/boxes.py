"""Boxes that leave nothing between their bounds are refused before a run, where the bounds can be known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nsdgen.abi import Cone, KernelRole, Role, bound_count
from nsdgen.base.once import once_for_each
from nsdgen.errors import ParameterError
from nsdgen.record.model_record import ModelRecord

_AT_ONCE = 65536  # instants for which bounds are computed together
_OF_PARAMETERS = 1 << Role.PARAMETERS


def check_boxes(record: ModelRecord, table: Any, arguments: Sequence[Sequence[float]]) -> None:
    """Refuse a box whose bounds, where they are functions of parameters only, leave nothing between them."""
    for info, places, members in _kernels(record, table):
        if info.outputs[0].depends == _OF_PARAMETERS:
            given = np.array([arguments[i] for i in members], dtype=float)
            bounds = _evaluated(table, info, len(members), [(given, given.shape[1])])
            for at, box in _empty(bounds, places):
                _refuse(record, members[at], f"the box {box} is empty", "change the parameters its bounds come from")


def check_moving_boxes(
    record: ModelRecord, table: Any, arguments: Sequence[Sequence[float]], first: float, h: float, steps: int
) -> None:
    """Refuse a box whose bounds are functions of time and cross at an instant of the run."""
    for info, places, members in _kernels(record, table):
        if info.outputs[0].depends & ~_OF_PARAMETERS != 1 << Role.TIME:
            continue
        for i, begin in ((i, begin) for i in members for begin in range(0, steps, _AT_ONCE)):
            k = np.arange(begin, min(begin + _AT_ONCE, steps), dtype=float)
            instants = np.column_stack([first + k * h, first + (k + 1) * h])
            given = np.array(arguments[i], dtype=float)
            inputs = [(instants, 2) if a.role == Role.TIME else (given, 0) for a in info.inputs]
            for at, box in _empty(_evaluated(table, info, len(k), inputs), places):
                _refuse(
                    record,
                    i,
                    f"the box {box} is empty in the step to t = {instants[at, 1]:g}",
                    "keep its lower bound below the upper one at all times: a level as sympy.Max(level, 0)",
                )


def _kernels(record: ModelRecord, table: Any) -> Iterator[tuple[Any, np.ndarray, list[int]]]:
    """The bounds kernels of classes with boxes, where the lower bounds are among their values, the relations."""
    for number, cls in enumerate(record.relation_classes if _has_boxes(record) else ()):
        members = [i for i, r in enumerate(record.relations) if r.cls == number]
        for info in table.classes[len(record.system_classes) + number].kernels if members else ():
            if info.role == KernelRole.BOUNDS and len(places := _lower_bounds(cls.cones[info.stage])):
                yield info, places, members


@once_for_each
def _has_boxes(record: ModelRecord) -> bool:
    return any(cone == Cone.BOX for c in record.relation_classes for stage in c.cones for cone, _ in stage)


def _lower_bounds(cones: Sequence[tuple[int, int]]) -> np.ndarray:
    """Where the lower bounds of boxes lie among the values of a bounds kernel; each is followed by the upper one."""
    places: list[int] = []
    at = 0
    for cone, rows in cones:
        if cone == Cone.BOX:
            places += range(at, at + 2 * rows, 2)
        at += bound_count(cone, rows)
    return np.array(places, dtype=np.intp)


def _evaluated(table: Any, info: Any, count: int, inputs: Sequence[tuple[np.ndarray, int]]) -> np.ndarray:
    """The bounds at so many points; ``inputs`` are arrays and the entries from one point to the next."""
    bounds = np.zeros((count, info.outputs[0].nnz))
    arrays, strides = [a.reshape(-1) for a, _ in inputs], [stride for _, stride in inputs]
    table.call_many(info, count, arrays, strides, [bounds.reshape(-1)], [bounds.shape[1]])
    return bounds


def _empty(bounds: np.ndarray, places: np.ndarray) -> Iterator[tuple[int, str]]:
    """Points where a box is empty, and this box in words."""
    for at, row in np.argwhere(~(bounds[:, places] <= bounds[:, places + 1])):
        low, high = bounds[at, places[row]], bounds[at, places[row] + 1]
        # -level ... level: whoever gave a level knows no box
        meant = f" (the level {high:g} is negative)" if low == -high else ""
        yield int(at), f"[{low:g}, {high:g}] of bounded row {row}{meant}"


def _refuse(record: ModelRecord, relation: int, problem: str, fix: str) -> None:
    raise ParameterError(problem, model=record.name, where=f"relation {record.relations[relation].name!r}", fix=fix)
