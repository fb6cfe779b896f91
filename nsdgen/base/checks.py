"""Checks of plain values that every stage makes alike. Nothing but errors is imported here.

A truth value and a text that looks like a number are no numbers: ``mass=True`` and ``"1"`` are slips, and what they
would mean is a guess.
"""

import math
from dataclasses import field, fields
from inspect import get_annotations
from typing import Any

from nsdgen.errors import ArgumentError, ModelError, ParameterError

_LONGEST = 80  # about a line of a terminal

MOST_COUNTED = 2**31 - 1
"""What the stepper's counters hold."""


def real_number(value: Any) -> float:
    """The value as a float; raises ``TypeError`` or ``ValueError`` for text, truth values, complex numbers, arrays."""
    if type(value) is float:  # as nearly all are
        return value  # type: ignore[no-any-return]
    if (
        isinstance(value, bool | str | bytes | bytearray | complex)
        or getattr(value, "ndim", 0) != 0
        or getattr(getattr(value, "dtype", None), "kind", "f") not in "iufO"
    ):
        raise TypeError(f"{type(value).__name__} is no number")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def finite_number(value: Any, *, model: str = "", where: str) -> float:
    """The value as a float; raises ``ParameterError`` where it is no number, infinite or NaN."""
    try:
        number = real_number(value)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{shown(value)} is not a number", model=model, where=where, fix="give one finite number"
        ) from error
    if not math.isfinite(number):
        raise ParameterError(f"is {number}", model=model, where=where, fix="give a finite number")
    return number


def number_from_zero(value: Any, *, model: str = "", where: str) -> float:
    """A finite number that is not below zero."""
    if (number := finite_number(value, model=model, where=where)) < 0.0:
        raise ParameterError(f"is {number:g}", model=model, where=where, fix="give a number of at least 0")
    return number


def times_of_run(step: Any, start: Any, end: Any, *, model: str = "") -> tuple[float, float, float]:
    """The three as floats; raises ``ParameterError`` unless the step is positive and the end comes after the start."""
    h, first, last = (
        finite_number(v, model=model, where=what) for v, what in ((step, "step"), (start, "start"), (end, "end"))
    )
    if h <= 0:
        raise ParameterError(f"the step is {step}", model=model, where="step", fix="give a step > 0 [s]")
    if last <= first:
        raise ParameterError(
            f"the end {end} is not after the start {start}",
            model=model,
            where="end",
            fix="give an end after the start [s]",
        )
    return h, first, last


def choice(*words: str) -> Any:
    """The field of a dataclass that holds one of these words, the first one unless it is said."""
    return field(default=words[0], metadata={"words": words})


def check_choices(given: Any, where: str) -> None:
    """Raise ``ParameterError`` where a field of a dataclass made by :func:`choice` holds none of its words."""
    for f in fields(given):
        words = f.metadata.get("words")
        if words and getattr(given, f.name) not in words:
            raise ParameterError(
                f"{f.name}={getattr(given, f.name)!r} is unknown",
                where=where,
                fix=f"use one of {', '.join(map(repr, words))}",
            )


def check_complete(kind: type) -> None:
    """Raise ``ArgumentError`` where a class that is to be instantiated leaves methods of its base out."""
    missing = sorted(getattr(kind, "__abstractmethods__", ()))
    if missing:
        base = next(c for c in kind.__mro__ if c.__module__.startswith("nsdgen.") and missing[0] in vars(c))
        raise ArgumentError(
            f"does not say {', '.join(missing)}",
            where=f"class {kind.__name__}",
            fix=f"every {base.__name__} gives its own; see docs/how-to/extend.md",
        )


def check_dataclass(kind: type, base: type, what: str) -> None:
    """Raise ``ModelError`` for a subclass of ``base`` with fields or a constructor that is no dataclass."""
    for own in kind.__mro__[: kind.__mro__.index(base)]:
        if "__dataclass_fields__" not in vars(own) and (get_annotations(own) or "__init__" in vars(own)):
            raise ModelError(
                "is no dataclass: what it is given would not be part of it",
                where=f"{what} {kind.__name__}",
                fix=f"write @dataclass(frozen=True) above class {own.__name__}, its values as fields, "
                "and no constructor",
            )


def whole_number(value: Any, least: int, most: int, *, model: str = "", where: str) -> int:
    """The value as an int within [least, most]; raises ``ParameterError`` for anything else."""
    whole = (
        hasattr(value, "__index__")
        and not isinstance(value, bool)
        and getattr(getattr(value, "dtype", None), "kind", "i") in "iu"
    )
    if not whole or not least <= int(value) <= most:
        raise ParameterError(
            f"{where.rpartition(', ')[2]} is {shown(value)}",
            model=model,
            where=where,
            fix=f"give a whole number from {least} to {most}",
        )
    return int(value)


def number_array(given: Any) -> Any:
    """An array of floats of what holds numbers only; raises ``TypeError`` or ``ValueError`` for all else."""
    import numpy as np

    array = np.asarray(given)
    if array.dtype.kind in "iuf":
        return array.astype(float, copy=False)
    if array.dtype.kind != "O":  # text, truth values, complex numbers, dates, records
        raise TypeError(f"an array of {array.dtype} holds no numbers")
    return np.array([real_number(v) for v in array.flat], dtype=float).reshape(array.shape)


def shown(value: Any) -> str:
    """A value in a message: not a page of it."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 20]}... ({len(text)} characters)"


def named(value: Any) -> str:
    """What has a name in a message, by that and its kind; anything else as it is shown."""
    name = getattr(value, "name", None)
    return f"{type(value).__name__} {name!r}" if isinstance(name, str) else shown(value)
