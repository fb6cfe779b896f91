"""Parameters: values with an optional unit and range."""

import math
from dataclasses import dataclass
from typing import Any

from nsdgen.base.checks import real_number, shown
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ParameterError


@named_arguments
@dataclass(frozen=True)
class Parameter:
    """The value of a parameter, its unit (a label, never algebra) and its range [min, max].

    Raises ``ParameterError`` when the value is not a finite number within its range.
    """

    value: float
    unit: str = ""
    min: float = -math.inf
    max: float = math.inf

    def __post_init__(self) -> None:
        for name in ("value", "min", "max"):
            try:
                object.__setattr__(self, name, real_number(getattr(self, name)))
            except (TypeError, ValueError) as error:
                given = shown(getattr(self, name))
                raise ParameterError(
                    f"{given if name == 'value' else f'{name}={given}'} is not a number", fix="give one finite number"
                ) from error
        if not isinstance(self.unit, str):
            raise ParameterError(f"the unit {shown(self.unit)} is no text", fix="give a label such as 'kg'")
        if not math.isfinite(self.value):
            raise ParameterError(f"the value is {self.value}", fix="give a finite number")
        if not self.min <= self.max:
            raise ParameterError(f"the range [{self.min:g}, {self.max:g}] is empty", fix="give min <= max")
        if not self.min <= self.value <= self.max:
            raise ParameterError(
                f"the value {self.value} lies outside its range [{self.min}, {self.max}]",
                fix="change the value or the range",
            )


def as_parameter(value: Any, *, model: str = "", name: str = "") -> Parameter:
    """A plain number (or numeric SymPy expression) as a ``Parameter``."""
    if isinstance(value, Parameter):
        return value
    where = f"parameter {name!r}" if name else ""
    try:
        number = real_number(value)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{shown(value)} is not a number",
            model=model,
            where=where,
            fix="parameters are real numbers or nsd.Parameter(value, unit=..., min=..., max=...)",
        ) from error
    try:
        return Parameter(number)
    except ParameterError as error:
        raise ParameterError(error.message, model=model, where=where, fix=error.fix) from error
