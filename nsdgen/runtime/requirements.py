"""What operators of a class must be where a run starts: mass matrices definite, inertia tensors those of bodies."""

from array import array
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from nsdgen.abi import KernelRole, Role
from nsdgen.base.definiteness import DEFINITE, first_wrong
from nsdgen.base.once import once_for_each
from nsdgen.errors import ParameterError
from nsdgen.record.model_record import ModelRecord, RequirementRecord
from nsdgen.runtime.callable_operators import unpacked
from nsdgen.runtime.values import RunValues


def check_requirements(record: ModelRecord, table: Any, values: RunValues) -> None:
    """Raise ``ParameterError``, naming the system, where a requirement of its class is not met at the start."""
    for number, required, members in _required(record):
        matrices = _evaluated(table, number, required, members, values)
        first, end = required.first, required.end
        block = matrices if (first, end) == (0, matrices.shape[1]) else matrices[:, first:end, first:end]
        if (found := first_wrong(required.kind, block)) is not None:
            _refuse(record, members[found[0]], required, found[1])


@once_for_each
def _required(record: ModelRecord) -> list[tuple[int, RequirementRecord, list[int]]]:
    """Class, requirement, members of the class."""
    return [
        (number, required, [i for i, s in enumerate(record.systems) if s.cls == number])
        for number, cls in enumerate(record.system_classes)
        for required in cls.requirements
    ]


def _refuse(record: ModelRecord, system: int, required: RequirementRecord, reason: str) -> None:
    whole = required.kind == DEFINITE
    what = "mass matrix is not symmetric and positive semidefinite" if whole else "inertia is not that of a body"
    raise ParameterError(
        f"its {what} at the start: {reason}",
        model=record.name,
        where=f"system {record.systems[system].name!r}",
        fix="change the parameters or the initial state it depends on"
        + ("; nonsymmetric_mass=True in the model accepts any" if whole else ""),
    )


def _evaluated(
    table: Any, cls: int, required: RequirementRecord, members: Sequence[int], values: RunValues
) -> np.ndarray:
    """The operator of all members of a class at their initial values, [members, rows, cols]."""
    info = next(k for k in table.classes[cls].kernels if k.role == KernelRole.OPERATOR and k.name == required.operator)
    places, buffers, strides = iter(required.operands), [], []
    for a in info.inputs:
        if a.role != Role.OPERAND:
            own = [values.system_arguments[i] for i in members]
        elif (at := next(places)) < 0:
            own = [(values.start,)] * len(members)
        else:
            own = [values.initial[i][at : at + a.size] for i in members]
        buffers.append(array("d", chain.from_iterable(own)))
        strides.append(a.size)
    out = info.outputs[0]
    packed = np.zeros((len(members), out.nnz))
    table.call_many(info, len(members), buffers, strides, [packed.reshape(-1)], [out.nnz])
    return unpacked(out, packed).reshape(len(members), out.rows, out.cols)
