"""A Python function called at a point: what it returns as doubles, what it raises, what it writes to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from .call import Answer


def called(
    function: Callable[..., Any], rows: int, cols: int, scalars: Sequence[bool], point: Sequence[Sequence[float]]
) -> Answer:
    """The answer at a point; ``scalars`` says of each argument whether it is a float or an array."""
    given = [np.array(values, dtype=float) for values in point]
    arguments = [float(a[0]) if scalar else a for a, scalar in zip(given, scalars, strict=True)]
    try:
        result = _real(function(*arguments))
    except Exception as error:
        return Answer("exception", message=f"{type(error).__name__}: {error}")
    changed = tuple(
        f"argument {i + 1}"
        for i, (a, values) in enumerate(zip(given, point, strict=True))
        if not np.array_equal(a, np.asarray(values, dtype=float), equal_nan=True)
    )
    fits = result.shape == (rows, cols) or (1 in (rows, cols) and result.size == rows * cols and result.ndim <= 1)
    if not fits:
        return Answer(
            "shape", message=f"it returned an array of shape {result.shape}, not ({rows}, {cols})", changed=changed
        )
    return Answer("value", tuple(float(x) for x in result.ravel()), changed=changed)


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
