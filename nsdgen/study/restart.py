"""A run that goes on from a recorded row: its time and everything that a step starts from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nsdgen.abi import Role
from nsdgen.base.checks import shown, whole_number
from nsdgen.errors import ParameterError
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.step_record import Layout
from nsdgen.study.samples import Samples

__all__ = ["restart_row"]


def restart_row(
    record: ModelRecord, table: Any, given: Any, others: Mapping[str, Any]
) -> tuple[float, tuple[float, ...]]:
    """Time [s] and record of the row that ``restart=trajectory`` (its last one) or ``restart=(trajectory, row)`` names.

    ``others`` are the arguments that say the same in another way. Raises ``ParameterError`` for these, for a record
    that is not this model's or lacks columns, for a row that is not there, and for models that go on from what is in no
    row: the instants of blocks, the modes of hysteresis.
    """

    def refuse(text: str, fix: str) -> ParameterError:
        return ParameterError(text, model=record.name, where="restart", fix=fix)

    trajectory, row = given if isinstance(given, tuple) and len(given) == 2 else (given, -1)
    if not isinstance(trajectory, Samples):
        raise refuse(f"{shown(given)} is no trajectory", "write restart=trajectory, or restart=(trajectory, row)")
    for name, value in others.items():
        if value is not None:
            raise refuse(f"{name} is given, too", f"leave {name} out: it is that of the row")
    if record.blocks:
        raise refuse(
            f"the block {record.blocks[0].name!r} counts its instants from the start of its run",
            "run it from the start",
        )
    for cls in table.classes:
        if any(Role.MODE in (i.role for i in kernel.inputs) for kernel in cls.kernels):
            raise refuse(
                f"whether {cls.name!r} was active is not recorded, and its activation depends on it",
                "run it from the start, or use activation='predicted'",
            )
    names = tuple(column.name for column in Layout.of(record).columns)
    if trajectory.names != names:
        odd = next((n for n in names if n not in trajectory.names), None)
        raise refuse(
            f"{odd!r} was not recorded" if odd else "the record has columns of another model",
            "record all columns of this model: leave record=[...] out",
        )
    number = whole_number(row, -len(trajectory), len(trajectory) - 1, model=record.name, where="restart, row")
    return float(trajectory.time[number]), tuple(trajectory.table[number].tolist())
