"""Complementarity and equality rows by the automatic choice: dense where small, else by structure."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.row_certificate import certify, of_load
from nsdgen.solvers.rows._mlcp import solve_arrays
from nsdgen.solvers.solution import METHODS, REASONS, Solution, failure

__all__ = ["solve_complementarity"]

ORDERS = 3
MOST_ROWS = 400  # up to which a ray is not believed at once
SMALL = 100  # rows up to which the structure of a dense matrix is not looked at


def solve_complementarity(M: Matrix, q: Vector, equality: NDArray[np.bool_], z: Vector, tol: float) -> Solution:
    """Solve ``solve_mlcp``'s problem for checked data; ``z`` (n,) is the guess.

    Where pivoting ends on a ray, which need not mean that there is no solution, rows are tried in other orders: ties
    are broken in another way, and the path is another. Where doubles end without a solution and there are no
    equalities, twice their digits are tried.
    """
    try:
        return _solve(M, q, equality, z, tol)
    except SolverError as error:
        if error.reason == "ray" and (found := _in_other_orders(M, q, equality, z, tol)) is not None:
            return found
        if equality.any():
            raise
        # Imported late: hardly any problem needs it.
        from nsdgen.solvers.rows.precise_complementarity import second_opinion

        return second_opinion(error, M, q, tol)


def _in_other_orders(
    M: Matrix, q: Vector, equality: NDArray[np.bool_], z: Vector, tol: float
) -> Solution | None:
    """The solution found with rows and columns in another order, None where each of a few ends on a ray as well."""
    if len(q) > MOST_ROWS:
        return None
    dense = M if isinstance(M, np.ndarray) else M.toarray()
    rng = np.random.default_rng(0)  # always the same orders
    for _ in range(ORDERS):
        order = rng.permutation(len(q))
        with suppress(SolverError):
            found = _solve(dense[np.ix_(order, order)], q[order], equality[order], z[order], tol)
            back = np.argsort(order)
            return replace(found, z=found.z[back], w=found.w[back])
    return None


def _solve(M: Matrix, q: Vector, equality: NDArray[np.bool_], z: Vector, tol: float) -> Solution:
    """With doubles."""
    if len(q) <= SMALL and isinstance(M, np.ndarray):
        with suppress(SolverError):
            return _solve_dense(M, q, equality, z.copy(), tol)
    # Imported late: a small dense problem needs nothing of it, unless it fails.
    from nsdgen.solvers.rows.structured import solve_structured

    lower = np.where(equality, -np.inf, 0.0)
    return solve_structured(M, q, lower, np.full(len(q), np.inf), z, tol, None)


def _solve_dense(M: Vector, q: Vector, equality: NDArray[np.bool_], z: Vector, tol: float) -> Solution:
    w = np.zeros(len(q))
    cone = np.where(equality, 0, 1).astype(np.intc)
    status, method, pivots, deficiency, residual, worst, seconds = solve_arrays(M, q, cone, z, w, tol)
    if status != 0:
        raise failure(REASONS[status], z, w, residual, worst)
    lower, upper = np.where(equality, -np.inf, 0.0), np.full(len(q), np.inf)
    raw, residual, worst = certify(M, q, lower, upper, z, tol)
    if not residual <= tol:
        raise failure("not converged", z, raw, residual, worst)
    off = of_load(q, raw - w)
    return Solution(z, w, residual, METHODS[method], pivots, deficiency, seconds, off)
