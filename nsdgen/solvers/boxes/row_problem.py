"""A problem of rows with bounds, and its certified solution."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.row_certificate import certify, signed_rows
from nsdgen.solvers.solution import Solution, failure


@dataclass(frozen=True)
class RowProblem:
    """-w in N_[lower,upper](z), w = M z + q, from the guess ``start`` (n,), to the residual ``tol``.

    M is (n, n), dense or in CSR. ``solver`` names the method to take, None: whichever serves.
    Complementarity rows have lower = 0 and upper = inf, equality rows neither bound.
    """

    M: Matrix
    q: Vector
    lower: Vector
    upper: Vector
    start: Vector
    tol: float
    solver: str | None = None

    @property
    def dense(self) -> bool:
        """Whether M is stored with its zeros."""
        return isinstance(self.M, np.ndarray)

    def residual(self, z: Vector) -> float:
        """What the certificate says about z."""
        return certify(self.M, self.q, self.lower, self.upper, z, self.tol)[1]

    def solution(
        self, z: Vector, solver: str, iterations: int, deficiency: int, seconds: float, reason: str = "", row: int = -1
    ) -> Solution:
        """z with w and its certificate; where it does not pass, ``SolverError`` for ``reason``, naming ``row``."""
        raw, residual, worst = certify(self.M, self.q, self.lower, self.upper, z, self.tol)
        if not residual <= self.tol:
            raise failure(reason or "not converged", z, raw, residual, row if row >= 0 and reason else worst)
        w, off = signed_rows(self.M, self.q, self.lower, self.upper, z, raw)
        return Solution(z, w, residual, solver, iterations, deficiency, seconds, off)

    def failure(self, reason: str, z: Vector, row: int = -1) -> SolverError:
        """The error for ``reason``, with z and the row named, or else the one that is furthest off."""
        raw, residual, worst = certify(self.M, self.q, self.lower, self.upper, z, self.tol)
        return failure(reason, z, raw, residual, row if row >= 0 else worst)

    def in_units(self, row: Vector, column: Vector) -> RowProblem:
        """The same for w' = row w and z' = z / column, M dense."""
        return replace(
            self, M=self.M * row[:, None] * column, q=self.q * row, lower=self.lower / column,
            upper=self.upper / column, start=self.start / column,
        )  # fmt: skip

    def in_order(self, order: NDArray[np.intp]) -> RowProblem:
        """The same with the rows of a dense M in another order."""
        return replace(
            self, M=self.M[np.ix_(order, order)], q=self.q[order], lower=self.lower[order],
            upper=self.upper[order], start=self.start[order],
        )  # fmt: skip
