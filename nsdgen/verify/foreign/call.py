"""How a function is called in a process of its own, what one call gives, and that of a Python function."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np


@dataclass(frozen=True)
class ForeignAnswer:
    """What one call gave: rows * cols numbers in row-major order, or why there are none.

    ``kind`` is ``value``, what the function did instead, how its process ended (``crash``, or ``hang``: no answer
    within the time limit), or ``skipped`` where it was not called. ``unwritten`` and ``unstable`` are positions in that
    order: entries that kept their canary, which are 0 here, and those that differ between two calls with equal inputs.
    ``changed`` names inputs that the function wrote; ``ended`` is the exit status of a process that crashed.
    """

    kind: Literal["value", "exception", "shape", "status", "crash", "hang", "skipped"]
    values: tuple[float, ...] = ()
    message: str = ""
    unwritten: tuple[int, ...] = ()
    unstable: tuple[int, ...] = ()
    changed: tuple[str, ...] = ()
    ended: int | None = None


Evaluate: TypeAlias = Callable[[Sequence[Sequence[float]]], ForeignAnswer]


def differing(left: Any, right: Any) -> list[int]:
    """Where two arrays of doubles have other bits; one NaN is like another."""
    a, b = np.ravel(left), np.ravel(right)
    return np.flatnonzero((a.view(np.int64) != b.view(np.int64)) & ~(np.isnan(a) & np.isnan(b))).tolist()


@dataclass(frozen=True)
class ForeignCall:
    """A function as a worker opens it; ``where`` says in messages where it is from.

    ``guards`` are other ways to call it, by what a memory fault shows.
    """

    where: str
    open: Callable[[], Evaluate]
    guards: Mapping[str, Callable[[], Evaluate]] = field(default_factory=dict)


def called_in_python(
    function: Callable[..., Any], rows: int, cols: int, scalars: Sequence[bool], point: Sequence[Sequence[float]]
) -> ForeignAnswer:
    """The answer at a point; ``scalars`` says of each argument whether it is a float or an array."""
    given = [np.array(values, dtype=float) for values in point]
    arguments = [float(a[0]) if scalar else a for a, scalar in zip(given, scalars, strict=True)]
    try:
        result = _real(function(*arguments))
    except Exception as error:
        return ForeignAnswer("exception", message=f"{type(error).__name__}: {error}")
    changed = tuple(
        f"argument {i + 1}" for i, (a, values) in enumerate(zip(given, point, strict=True)) if differing(a, values)
    )
    fits = result.shape == (rows, cols) or (1 in (rows, cols) and result.size == rows * cols and result.ndim <= 1)
    if not fits:
        return ForeignAnswer(
            "shape", message=f"it returned an array of shape {result.shape}, not ({rows}, {cols})", changed=changed
        )
    return ForeignAnswer("value", tuple(float(x) for x in result.ravel()), changed=changed)


def _real(given: Any) -> Any:
    """The array of doubles that a result is. Raises ``TypeError`` for masked, complex and other values."""
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError("the result is a masked array")
    found = np.asarray(given)
    if found.dtype.kind == "O" and all(isinstance(x, Real) for x in found.ravel()):
        return found.astype(float)
    if found.dtype.kind == "c" and not np.any(found.imag):
        return found.real.astype(float)
    if found.dtype.kind not in "fiu":
        kind = "complex numbers" if found.dtype.kind == "c" else f"values of type {found.dtype}"
        raise TypeError(f"the result holds {kind}")
    return found.astype(float)
