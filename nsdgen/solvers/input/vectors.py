"""Dense arrays that callers hand to the solvers, of one type: finite doubles."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import ParameterError
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.linalg._linalg import finite_doubles

_KINDS = {
    "c": "complex numbers", "b": "booleans", "S": "bytes", "U": "text", "M": "dates", "m": "times",
    "V": "records", "O": "objects", "T": "text",
}  # fmt: skip


def array(name: str, value: Any, shape: tuple[int | None, ...], infinite: bool = False) -> Vector:
    """``value`` as a contiguous array of doubles; None in ``shape`` is any length.

    Numbers are finite, or at least no NaN where ``infinite``. Refused are complex numbers, even those without
    an imaginary part, booleans, text, dates, records and arrays with masked entries: none of them is a number.
    """
    if finite_doubles(value, len(shape)) and all(n is None or n == m for n, m in zip(shape, value.shape, strict=True)):
        return value  # type: ignore[no-any-return]
    given = _given(name, value)
    if given.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, given.shape, strict=True)):
        wanted = f"{len(shape)} dimension" if None in shape else f"shape {shape}"
        raise ParameterError(f"{name} must have {wanted}, got shape {given.shape}")
    result = np.ascontiguousarray(given, dtype=np.float64)
    wrong = np.isnan(result) if infinite else ~np.isfinite(result)
    if wrong.any():
        where = np.argwhere(wrong)[0]
        place = ", ".join(str(i) for i in where)
        kind = "a number" if infinite else "a finite number"
        raise ParameterError(f"{name}[{place}] is {result[tuple(where)]}, not {kind}")
    return result


def vector(name: str, value: Any, n: int | None = None) -> Vector:
    """``value`` (n,), finite."""
    return array(name, value, (n,))


def guess(value: Any, n: int) -> Vector:
    """The guess ``initial`` (n,), zeros where none is given."""
    return np.zeros(n) if value is None else vector("initial", value, n)


def booleans(name: str, value: Any, n: int) -> NDArray[np.bool_]:
    """``value`` as n booleans."""
    given = _read(name, value)
    if given.shape != (n,) or given.dtype != np.bool_:
        raise ParameterError(f"{name} must be {n} booleans, got {given.dtype} of shape {given.shape}")
    return given


def bounds(lower: Any, upper: Any, n: int, names: tuple[str, str] = ("lb", "ub")) -> tuple[Vector, Vector]:
    """Bounds (n,), each given as an array or as one number for all, with numbers between them."""
    low, high = (everywhere(name, value, n, True) for name, value in zip(names, (lower, upper), strict=True))
    bad = np.flatnonzero(~((low <= high) & (low < np.inf) & (high > -np.inf)))
    if len(bad):
        i = bad[0]
        raise ParameterError(f"{names[0]}[{i}] = {low[i]} and {names[1]}[{i}] = {high[i]} leave no number between them")
    return low, high


def coefficients(name: str, value: Any, n: int) -> Vector:
    """Friction coefficients (n,), given as an array or as one number for all; infinite ones are allowed."""
    result = everywhere(name, value, n, True)
    if (result < 0.0).any():
        worst = int(result.argmin())
        raise ParameterError(f"{name}[{worst}] is {result[worst]}, a friction coefficient is not negative")
    return result


def refuse_type(name: str, dtype: np.dtype[Any]) -> None:
    """Refuse an array whose entries are no real numbers."""
    if dtype.kind not in "fiu":
        raise ParameterError(f"{name} holds {_KINDS.get(dtype.kind, str(dtype))}, not real numbers")


def everywhere(name: str, value: Any, n: int, infinite: bool = False) -> Vector:
    """``value`` (n,), given as an array or as one number for all."""
    if type(value) is float and value == value:
        return np.full(n, value)
    if finite_doubles(value, 1) and len(value) == n:
        return value  # type: ignore[no-any-return]
    given = _given(name, value)
    return array(name, np.full(n, given) if given.ndim == 0 else given, (n,), infinite)


def _given(name: str, value: Any) -> NDArray[Any]:
    """``value`` as an array of real numbers of any type, refused where it is none."""
    given = _read(name, value)
    if given.dtype.kind == "O" and all(isinstance(x, Real) and not isinstance(x, bool) for x in given.flat):
        return _converted(name, given)  # large integers, fractions
    if given.size:
        refuse_type(name, given.dtype)
    return given


def _read(name: str, value: Any) -> NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray):
        raise ParameterError(f"{name} is a masked array: fill or leave out what is masked")
    try:
        return np.asarray(value)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} is not an array of real numbers: {error}") from None


def _converted(name: str, given: NDArray[Any]) -> Vector:
    try:
        return given.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(f"{name} is not an array of real numbers: {error}") from None
