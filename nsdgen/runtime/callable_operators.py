"""Operators of a compiled model as NumPy functions that broadcast over leading axes."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nsdgen.abi import KernelRole, Role
from nsdgen.base.checks import number_array, shown
from nsdgen.base.operator_group import OperatorGroup
from nsdgen.errors import ParameterError


class CallableOperator:
    """One derived quantity, e.g. ``module.brick.force_q(t, q, v)``.

    Arguments are arrays whose last axis has the length the operator asks for (a scalar where
    that is 1); leading axes broadcast. The result has the leading axes followed by the shape
    (rows, cols), (rows,) for a vector, or nothing for a scalar.  ``parameters`` overrides the
    instance's parameter values, in the order of ``parameter_names``.
    """

    def __init__(
        self, table: Any, info: Any, parameters: Callable[[], Sequence[float]], parameter_names: Sequence[str]
    ) -> None:
        self._table, self._info, self._parameters = table, info, parameters
        self.parameter_names = tuple(parameter_names)
        self.__name__ = info.name
        self.arguments = tuple((a.name.rstrip("_"), a.size) for a in info.inputs if a.role == Role.OPERAND)
        shapes = ", ".join(f"{name}[{size}]" for name, size in self.arguments)
        out = info.outputs[0]
        self.shape = (out.rows, out.cols) if out.cols > 1 else (out.rows,) if out.rows > 1 else ()
        self.__doc__ = f"{info.name}({shapes}) -> {out.rows} x {out.cols}, broadcasting over leading axes"

    def __repr__(self) -> str:
        return f"<operator {self.__doc__}>"

    def __call__(self, *values: Any, parameters: Sequence[float] | None = None) -> np.ndarray:
        if len(values) != len(self.arguments):
            names = ", ".join(name for name, _ in self.arguments)
            raise ParameterError(
                f"{self.__name__} takes ({names}), got {len(values)} arguments",
                where=f"operator {self.__name__}",
                fix="give each of them, in this order",
            )
        arrays = [self._checked(v, name, size) for v, (name, size) in zip(values, self.arguments, strict=True)]
        try:
            lead = np.broadcast_shapes(*(a.shape[:-1] for a in arrays))
        except ValueError as error:
            shapes = ", ".join(str(a.shape) for a in arrays)
            raise ParameterError(
                f"arguments of shapes {shapes} do not broadcast",
                where=f"operator {self.__name__}",
                fix="leading axes must be equal, or 1; the last axis is the argument's own",
            ) from error
        count = math.prod(lead)
        operands = iter(arrays)
        buffers, strides = [], []
        for a in self._info.inputs:
            if a.role == Role.OPERAND:
                value = next(operands)
                shared = value.size == a.size  # one value for all instances is not copied for each
                whole = value if shared else np.broadcast_to(value, (*lead, a.size))
            else:
                given = self._parameters() if parameters is None else parameters
                shared, whole = True, self._checked(given, "parameters", a.size)
            buffers.append(np.ascontiguousarray(whole).reshape(-1))
            strides.append(0 if shared else a.size)
        out = self._info.outputs[0]
        packed = np.empty(max(count * out.nnz, 1))  # kernels write all of it
        self._table.call_many(self._info, count, buffers, strides, [packed], [out.nnz])
        return unpacked(out, packed[: count * out.nnz].reshape(count, out.nnz)).reshape((*lead, *self.shape))

    def _checked(self, value: Any, name: str, size: int) -> np.ndarray:
        try:
            array = number_array(value)
        except (TypeError, ValueError) as error:
            raise ParameterError(
                f"{name} is {shown(value)}", where=f"operator {self.__name__}", fix="give an array of numbers"
            ) from error
        if size == 1 and (array.ndim == 0 or array.shape[-1] != 1):
            array = array[..., np.newaxis]
        if array.ndim == 0 or array.shape[-1] != size:
            raise ParameterError(
                f"{name} has shape {array.shape}, its last axis must be {size}",
                where=f"operator {self.__name__}",
                fix=f"give {size} numbers, or (..., {size}) of them",
            )
        return np.ascontiguousarray(array)


def unpacked(out: Any, packed: np.ndarray) -> np.ndarray:
    """All entries of an output of a kernel [points, rows cols] from those that it writes [points, nnz]."""
    if out.positions is None:
        return packed
    full = np.zeros((len(packed), out.rows * out.cols))
    if out.positions:
        full[:, [i * out.cols + j for i, j in out.positions]] = packed
    return full


def operators_of_instance(
    name: str, table: Any, class_number: int, parameters: Callable[[], Sequence[float]], parameter_names: Sequence[str]
) -> OperatorGroup[CallableOperator]:
    """The operators of an instance, called ``name``, of a class of the table."""
    infos = [k for k in table.classes[class_number].kernels if k.role == KernelRole.OPERATOR]
    return OperatorGroup(name, {k.name: CallableOperator(table, k, parameters, parameter_names) for k in infos})
