"""Complementarity problems with numbers so far apart that doubles lose the small ones on the way: a second opinion."""

from __future__ import annotations

from time import perf_counter

import numpy as np
from scipy.sparse import issparse

from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.row_certificate import certify, exact_signs, of_load
from nsdgen.solvers.linalg.double_double import DoubleDouble
from nsdgen.solvers.rows.precise_pivoting import pivoted_precisely
from nsdgen.solvers.scaling.natural_units import natural_units
from nsdgen.solvers.solution import Solution, failure

__all__ = ["second_opinion"]

PROOFS = ("infeasible", "inconsistent")

MOST_ROWS = 120  # a pivot takes 12 ms there


def second_opinion(error: SolverError, M: Matrix, q: Vector, tol: float) -> Solution:
    """The solution of 0 <= w = M z + q, z >= 0 by pivoting with twice the digits, where doubles ended in ``error``.

    Raises that ``error`` where it is a proof, or nothing is found; and says so where a solution is found that no
    doubles hold.
    """
    n = len(q)
    if error.reason in PROOFS or not 0 < n <= MOST_ROWS:
        raise error
    dense = M.toarray() if issparse(M) else M
    rows, columns = natural_units(dense)
    load = float(np.exp2(np.rint(np.log2(np.abs(q * rows).max())))) if q.any() else 1.0
    started = perf_counter()
    found, pivots = pivoted_precisely(
        DoubleDouble.of(dense * rows[:, None] * columns), DoubleDouble.of(q * rows / load)
    )
    if found is None:
        raise error
    z = np.maximum(found.high, 0.0) * columns * load
    lower, upper = np.zeros(n), np.full(n, np.inf)
    raw, residual, worst = certify(dense, q, lower, upper, z, tol)
    if not residual <= tol:
        raise failure("beyond doubles", z, raw, residual, worst)
    w = exact_signs(raw, lower, upper, z)
    off = of_load(q, raw - w)
    return Solution(z, w, residual, "pivoting", pivots, 0, perf_counter() - started, off)
