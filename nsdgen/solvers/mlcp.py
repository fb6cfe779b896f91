"""Linear complementarity problems from Python: ``solve_lcp`` and ``solve_mlcp``.

Both return a certified ``Solution`` or raise ``SolverError``; nothing unconverged is
passed on. The method is described in ``_mlcp.pyx``, its interface in ``_mlcp.pxd``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers._mlcp import solve_arrays

__all__ = ["Solution", "solve_lcp", "solve_mlcp"]

# By the codes of MlcpMethod and MlcpStatus in _mlcp.pxd.
_METHODS = ("closed form", "active set", "pivoting", "least norm", "enumeration")
_REASONS = ("", "infeasible", "ray", "inconsistent", "not converged", "not converged")
_MESSAGES = {
    "infeasible": "no z makes both z and w = M z + q nonnegative",
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
    """A certified solution of a (mixed) linear complementarity problem.

    ``z`` and ``w`` = M z + q have shape (n,); their signs and zeros are exact.
    ``residual`` is the largest violation of a row relative to its own terms, ``solver``
    the method that ended it, ``iterations`` its linear solves and pivots.
    ``rank_deficiency`` > 0 says that z is not unique; it is then the shortest one.
    """

    z: NDArray[np.float64]
    w: NDArray[np.float64]
    residual: float
    solver: str
    iterations: int
    rank_deficiency: int


def solve_lcp(
    M: ArrayLike, q: ArrayLike, *, tol: float = 1e-8, initial: ArrayLike | None = None
) -> Solution:
    """Find z with 0 <= w = M z + q, 0 <= z, w . z = 0.

    ``M`` (n, n) is meant to be positive semidefinite or a P-matrix, ``q`` is (n,).
    ``initial`` (n,) may hold a guess: its positive entries are tried as the active set.
    ``tol`` bounds the residual of the solution.

    Raises ``ParameterError`` for unusable data, ``SolverError`` where there is no
    solution or none passed the certificate.
    """
    offset = np.asarray(q)
    equality = np.zeros(offset.shape, dtype=bool)
    return solve_mlcp(M, q, equality, tol=tol, initial=initial)


def solve_mlcp(
    M: ArrayLike,
    q: ArrayLike,
    is_equality: ArrayLike,
    *,
    tol: float = 1e-8,
    initial: ArrayLike | None = None,
) -> Solution:
    """Find z with w = M z + q, where w_i = 0 and z_i is free if ``is_equality[i]``.

    The other rows are complementary: 0 <= w_i, 0 <= z_i, w_i z_i = 0. ``is_equality``
    is (n,) of booleans; everything else is as in ``solve_lcp``. Redundant equalities
    that agree are allowed; the shortest multiplier is returned.
    """
    offset = _array("q", q, 1)
    n = offset.shape[0]
    matrix = _array("M", M, 2, (n, n))
    equality = np.asarray(is_equality)
    if equality.shape != (n,) or equality.dtype != np.bool_:
        raise ParameterError(
            f"is_equality must be {n} booleans, got {equality.dtype} of shape {equality.shape}"
        )
    if not tol > 0.0:
        raise ParameterError(f"tol must be positive, got {tol!r}")
    z = np.zeros(n) if initial is None else _array("initial", initial, 1, (n,)).copy()
    w = np.zeros(n)
    cone = np.where(equality, 0, 1).astype(np.intc)
    status, method, pivots, deficiency, residual, worst = solve_arrays(
        matrix, offset, cone, z, w, tol
    )
    if status != 0:
        raise _failure(_REASONS[status], z, w, residual, worst)
    return Solution(z, w, residual, _METHODS[method], pivots, deficiency)


def _array(
    name: str, value: ArrayLike, ndim: int, shape: tuple[int, ...] | None = None
) -> NDArray[np.float64]:
    """``value`` as a contiguous array of finite doubles of the given shape."""
    try:
        array = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} is not an array of real numbers: {error}") from None
    if np.ndim(value) != ndim or (shape is not None and array.shape != shape):
        wanted = f"shape {shape}" if shape is not None else f"{ndim} dimension"
        raise ParameterError(f"{name} must have {wanted}, got shape {np.shape(value)}")
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        place = ", ".join(str(i) for i in bad[0])
        raise ParameterError(f"{name}[{place}] is {array[tuple(bad[0])]}, not a finite number")
    return array


def _failure(
    reason: str, z: NDArray[np.float64], w: NDArray[np.float64], residual: float, worst: int
) -> SolverError:
    rows: tuple[Any, ...] = (worst,) if worst >= 0 else ()
    where = f"row {worst} (w = {w[worst]:.3g}, z = {z[worst]:.3g})" if rows else ""
    error = SolverError(
        f"{_MESSAGES[reason]}; residual {residual:.3g}", where=where, fix=_FIXES[reason]
    )
    error.reason, error.z, error.rows = reason, z, rows
    return error
