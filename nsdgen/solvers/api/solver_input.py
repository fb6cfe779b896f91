"""What callers hand to the solvers, checked: arrays of finite doubles, matrices, tolerances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsdgen.errors import ParameterError
from nsdgen.solvers.arrays import Matrix, Vector

__all__ = ["array", "matrix", "positive"]


def array(
    name: str, value: ArrayLike, ndim: int, shape: tuple[int, ...] | None = None, infinite: bool = False
) -> Vector:
    """``value`` as a contiguous array of doubles of the given shape, finite unless ``infinite``."""
    try:
        result = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} is not an array of real numbers: {error}") from None
    if np.ndim(value) != ndim or (shape is not None and result.shape != shape):
        wanted = f"shape {shape}" if shape is not None else f"{ndim} dimension"
        raise ParameterError(f"{name} must have {wanted}, got shape {np.shape(value)}")
    wrong = np.isnan(result) if infinite else ~np.isfinite(result)
    if wrong.any():
        where = np.argwhere(wrong)[0]
        place = ", ".join(str(i) for i in where)
        kind = "a number" if infinite else "a finite number"
        raise ParameterError(f"{name}[{place}] is {result[tuple(where)]}, not {kind}")
    return result


def matrix(name: str, value: Any, n: int) -> Matrix:
    """``value`` as a dense (n, n) array, or as CSR without duplicates where it is sparse."""
    if not hasattr(value, "tocsr"):
        return array(name, value, 2, (n, n))
    # Imported late: a small dense problem needs nothing of it.
    import scipy.sparse as sp

    if value.shape != (n, n):
        raise ParameterError(f"{name} must have shape {(n, n)}, got shape {value.shape}")
    result = sp.csr_array(value, dtype=np.float64)
    if not result.has_canonical_format:
        result = result.copy() if result.data is getattr(value, "data", None) else result
        result.sum_duplicates()
    result.indptr = result.indptr.astype(np.intc, copy=False)
    result.indices = result.indices.astype(np.intc, copy=False)
    bad = np.flatnonzero(~np.isfinite(result.data))
    if len(bad):
        row = int(np.searchsorted(result.indptr, bad[0], side="right")) - 1
        raise ParameterError(
            f"{name}[{row}, {result.indices[bad[0]]}] is {result.data[bad[0]]}, not a finite number"
        )
    return result


def positive(name: str, value: float) -> float:
    """``value``, refused unless it is above zero."""
    if not value > 0.0:
        raise ParameterError(f"{name} must be positive, got {value!r}")
    return float(value)
