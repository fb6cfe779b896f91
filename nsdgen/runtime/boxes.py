"""Boxes that leave nothing between their bounds are refused before a run, where these are functions of parameters."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nsdgen.abi import KernelRole, Role
from nsdgen.base.once import once_for_each
from nsdgen.errors import ParameterError
from nsdgen.record.model_record import ModelRecord


def check_boxes(record: ModelRecord, table: Any, arguments: Sequence[Sequence[float]]) -> None:
    """Refuse a box whose bounds, where they are functions of parameters only, leave nothing between them."""
    for members in _members(record):
        info = box_kernel(record, table, members[0])
        if info is None or any(a.role != Role.PARAMETERS for a in info.inputs):
            continue
        given = np.array([arguments[i] for i in members], dtype=float)
        bounds = np.zeros((len(members), info.outputs[0].nnz))
        table.call_many(
            info, len(members), [given.reshape(-1)], [given.shape[1]], [bounds.reshape(-1)], [bounds.shape[1]]
        )
        for at, row in np.argwhere(~(bounds[:, ::2] <= bounds[:, 1::2])):
            low, high = bounds[at, 2 * row : 2 * row + 2]
            # -level ... level: whoever gave a level knows no box
            meant = f" (the level {high:g} is negative)" if low == -high else ""
            raise ParameterError(
                f"the box [{low:g}, {high:g}] of bounded row {row}{meant} is empty",
                model=record.name,
                where=f"relation {record.relations[members[at]].name!r}",
                fix="change the parameters its bounds come from",
            )


def box_kernel(record: ModelRecord, table: Any, relation: int) -> Any:
    """The bounds of a relation where it has boxes and they are functions of time and parameters, else None."""
    number = record.class_number("relation", relation)
    return next((k for k in table.classes[number].kernels if k.role == KernelRole.OPERATOR and k.name == "box"), None)


@once_for_each
def _members(record: ModelRecord) -> list[list[int]]:
    """The relations of each class that has some."""
    found = [[i for i, r in enumerate(record.relations) if r.cls == c] for c in range(len(record.relation_classes))]
    return [members for members in found if members]
