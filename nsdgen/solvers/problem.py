"""What the solvers of this package share: the solution record, checked input, explained failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsdgen.errors import ParameterError, SolverError

__all__ = ["METHODS", "REASONS", "Matrix", "Solution", "Vector", "array", "failure", "matrix", "positive"]

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = Any  # a dense NDArray[np.float64] or a scipy.sparse.csr_array

# By the codes of MlcpMethod and MlcpStatus in _mlcp.pxd.
METHODS = ("closed form", "active set", "pivoting", "least norm", "enumeration")
REASONS = ("", "infeasible", "ray", "inconsistent", "not converged", "not converged")

_MESSAGES = {
    "infeasible": "no z within its bounds gives w = M z + q its signs (complementarity: both nonnegative)",
    "ray": "complementary pivoting ended on a ray: no solution was found, there may be none",
    "inconsistent": "the equality rows contradict each other",
    "not converged": "no solution passed the certificate",
}
_FIXES = {
    "infeasible": "look for constraints that exclude each other, or a source without a path",
    "ray": "check the signs of M: the method is complete for positive semidefinite matrices",
    "inconsistent": "remove the redundant equality, or make its right-hand side agree",
    "not converged": "rescale the problem or raise `tol`",
}


@dataclass(frozen=True)
class Solution:
    """A certified solution of a one-step problem.

    ``z`` and ``w`` = M z + q have shape (n,); their signs and zeros are exact.
    ``residual`` is the largest violation of a row relative to its own terms, ``solver``
    the method that ended it, ``iterations`` its linear solves and pivots.
    ``rank_deficiency`` > 0 says that z is not unique; it is then the shortest one, or where that
    was not found, and with friction, any one.
    ``seconds`` were spent in the solver itself, after the checks of the input.
    Signs are those of the function that returned it; with friction z is r, w is u = W r + q. Source of the
    residual: ``certificate.py``, with friction ``friction_certificate.py`` (``global_certificate.py``).
    """

    z: Vector
    w: Vector
    residual: float
    solver: str
    iterations: int
    rank_deficiency: int
    seconds: float = 0.0


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


def failure(reason: str, z: Vector, w: Vector, residual: float, worst: int) -> SolverError:
    """The error for ``reason``, with the best iterate and the row that is furthest off."""
    rows: tuple[Any, ...] = (worst,) if worst >= 0 else ()
    where = f"row {worst} (w = {w[worst]:.3g}, z = {z[worst]:.3g})" if rows else ""
    error = SolverError(f"{_MESSAGES[reason]}; residual {residual:.3g}", where=where, fix=_FIXES[reason])
    error.reason, error.z, error.rows = reason, z, rows
    return error
