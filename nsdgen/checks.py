"""Checks of plain values that every stage makes alike. Nothing but errors is imported here."""

from __future__ import annotations

import math
from inspect import get_annotations
from typing import Any

from nsdgen.errors import ArgumentError, ModelError, ParameterError

__all__ = ["check_complete", "check_dataclass", "finite_number"]


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


def check_complete(kind: type) -> None:
    """Raise ``ArgumentError`` where a class that is to be instantiated leaves methods of its base out."""
    missing = sorted(getattr(kind, "__abstractmethods__", ()))
    if missing:
        base = next(c for c in kind.__mro__ if c.__module__.startswith("nsdgen.") and missing[0] in vars(c))
        raise ArgumentError(f"does not say {', '.join(missing)}", where=f"class {kind.__name__}",
                            fix=f"every {base.__name__} gives its own; see docs/extend.md")


def check_dataclass(kind: type, base: type, what: str) -> None:
    """Raise ``ModelError`` for a subclass of ``base`` with fields or a constructor that is no dataclass."""
    for own in kind.__mro__[:kind.__mro__.index(base)]:
        if "__dataclass_fields__" not in vars(own) and (get_annotations(own) or "__init__" in vars(own)):
            raise ModelError("is no dataclass: what it is given would not be part of it",
                             where=f"{what} {kind.__name__}",
                             fix=f"write @dataclass(frozen=True) above class {own.__name__}, its values as fields, "
                                 "and no constructor")
