"""A run that goes on from a recorded row: its time and everything that a step starts from."""

from collections.abc import Mapping
from typing import Any

from nsdgen.abi import KernelRole, Role
from nsdgen.base.checks import shown, whole_number
from nsdgen.errors import ParameterError
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.step_record import Layout
from nsdgen.study.samples import Samples


def restart_row(
    record: ModelRecord, table: Any, given: Any, others: Mapping[str, Any], step: float
) -> tuple[float, tuple[float, ...], tuple[float, bool] | None]:
    """Time [s], record and clocks of the row that ``restart=trajectory`` (its last) or ``(trajectory, row)`` says.

    ``others`` are the arguments that say the same in another way, ``step`` is that of the run to come. The clocks: from
    when instants of blocks count, and whether those at the row's time are to come, for it is the side before. Raises
    ``ParameterError`` for these, for a record that is not this model's or lacks columns, for a row that is not there,
    for another step where states belong to one, as that before the last, and for models that go on from what is in no
    row: what Python functions remember, the modes of hysteresis.
    """

    def refuse(text: str, fix: str) -> ParameterError:
        return ParameterError(text, model=record.name, where="restart", fix=fix)

    trajectory, row = given if isinstance(given, tuple) and len(given) == 2 else (given, -1)
    if not isinstance(trajectory, Samples):
        raise refuse(f"{shown(given)} is no trajectory", "write restart=trajectory, or restart=(trajectory, row)")
    for name, value in others.items():
        if value is not None:
            raise refuse(f"{name} is given, too", f"leave {name} out: it is that of the row")
    if computed := [block.name for block in record.blocks if block.computed]:
        raise refuse(f"what the function of the block {computed[0]!r} remembers is in no row", "run it from the start")
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
    if "step" not in (told := trajectory.attributes):
        raise refuse("it does not say with which step it was made", "give what run returned")
    if step != told["step"] and any(
        kernel.role == KernelRole.INITIAL and any(out.depends >> Role.RUN & 1 for out in kernel.outputs)
        for cls in table.classes
        for kernel in cls.kernels
    ):
        raise refuse(
            f"it has states that belong to its step of {told['step']:g} s, and this run has one of {step!r} s",
            f"give step={told['step']!r}, or initial values in place of a restart",
        )
    number = whole_number(row, -len(trajectory), len(trajectory) - 1, model=record.name, where="restart, row")
    time = float(trajectory.time[number])
    number %= len(trajectory)
    before = number + 1 < len(trajectory) and trajectory.time[number + 1] == time
    origin = float(told.get("clocks", told["start"]))
    return time, tuple(trajectory.table[number].tolist()), (origin, bool(before)) if record.blocks else None
