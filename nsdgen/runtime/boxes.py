"""Boxes that leave nothing between their bounds are refused before a run, where the bounds can be known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nsdgen.abi import Cone, KernelRole, Role
from nsdgen.base.once import once_for_each
from nsdgen.errors import ParameterError
from nsdgen.record.model_record import ModelRecord

_AT_ONCE = 65536  # instants for which bounds are computed together


def check_boxes(record: ModelRecord, table: Any, arguments: Sequence[Sequence[float]]) -> None:
    """Refuse a box whose bounds, where they are functions of parameters only, leave nothing between them."""
    for info, members in _operators(record, table):
        if all(a.role == Role.PARAMETERS for a in info.inputs):
            given = np.array([arguments[i] for i in members], dtype=float)
            bounds = _evaluated(table, info, len(members), [(given, given.shape[1])])
            for at, box in _empty(bounds):
                _refuse(record, members[at], f"the box {box} is empty", "change the parameters its bounds come from")


def check_moving_boxes(
    record: ModelRecord, table: Any, arguments: Sequence[Sequence[float]], first: float, h: float, steps: int
) -> None:
    """Refuse a box whose bounds are functions of time and cross at an instant of the run."""
    for info, members in _operators(record, table):
        if all(a.role == Role.PARAMETERS for a in info.inputs):
            continue
        for i, begin in ((i, begin) for i in members for begin in range(0, steps + 1, _AT_ONCE)):
            instants = first + h * np.arange(begin, min(begin + _AT_ONCE, steps + 1), dtype=float)
            given = np.array(arguments[i], dtype=float)
            inputs = [(given, 0) if a.role == Role.PARAMETERS else (instants, 1) for a in info.inputs]
            for at, box in _empty(_evaluated(table, info, len(instants), inputs)):
                _refuse(
                    record,
                    i,
                    f"the box {box} is empty at t = {instants[at]:g}",
                    "keep its lower bound below the upper one at all times: a level as sympy.Max(level, 0)",
                )


def box_kernel(record: ModelRecord, table: Any, relation: int) -> Any:
    """The bounds of a relation where it has boxes and they are functions of time and parameters, else None."""
    number = record.class_number("relation", relation)
    return next((k for k in table.classes[number].kernels if k.role == KernelRole.OPERATOR and k.name == "box"), None)


@once_for_each
def _boxed(record: ModelRecord) -> list[list[int]]:
    """The relations with boxes, class by class."""
    return [
        [i for i, r in enumerate(record.relations) if r.cls == number]
        for number, cls in enumerate(record.relation_classes)
        if any(cone == Cone.BOX for stage in cls.cones for cone, _ in stage)
    ]


def _operators(record: ModelRecord, table: Any) -> Iterator[tuple[Any, list[int]]]:
    """Bounds that are functions of time and parameters, and the relations that have them."""
    for members in _boxed(record):
        info = box_kernel(record, table, members[0]) if members else None
        if info is not None:
            yield info, members


def _evaluated(table: Any, info: Any, count: int, inputs: Sequence[tuple[np.ndarray, int]]) -> np.ndarray:
    """The bounds at so many points; ``inputs`` are arrays and the entries from one point to the next."""
    bounds = np.zeros((count, info.outputs[0].nnz))
    arrays, strides = [a.reshape(-1) for a, _ in inputs], [stride for _, stride in inputs]
    table.call_many(info, count, arrays, strides, [bounds.reshape(-1)], [bounds.shape[1]])
    return bounds


def _empty(bounds: np.ndarray) -> Iterator[tuple[int, str]]:
    """Points where a box is empty, and this box in words."""
    for at, row in np.argwhere(~(bounds[:, ::2] <= bounds[:, 1::2])):
        low, high = bounds[at, 2 * row : 2 * row + 2]
        # -level ... level: whoever gave a level knows no box
        meant = f" (the level {high:g} is negative)" if low == -high else ""
        yield int(at), f"[{low:g}, {high:g}] of bounded row {row}{meant}"


def _refuse(record: ModelRecord, relation: int, problem: str, fix: str) -> None:
    raise ParameterError(problem, model=record.name, where=f"relation {record.relations[relation].name!r}", fix=fix)
