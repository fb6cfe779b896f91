"""Checks of plain values that every stage makes alike. Nothing but errors is imported here."""

from __future__ import annotations

import math
from typing import Any

from nsdgen.errors import ParameterError

__all__ = ["finite_number"]


def finite_number(value: Any, *, model: str, where: str) -> float:
    """The value as a float; raises ``ParameterError`` where it is no number, infinite or NaN."""
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{value!r} is not a number", model=model, where=where,
                             fix="give one finite number") from error
    if not math.isfinite(number):
        raise ParameterError(f"is {number}", model=model, where=where, fix="give a finite number")
    return number
