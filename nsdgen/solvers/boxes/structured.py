"""Sparse and structured problems of rows: apart first, then one method after the other.

1. ``connected_parts``: rows that no entry of M connects are problems of their own. Small or full
   ones go to the compiled dense solver in one call, so that cost is linear in their number.
2. The solver of a step on each of the others (``over_graph.py``).
3. ``_pivot``: the dense solver, where the size allows; it also tells why a problem has no solution.
"""

from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nsdgen.errors import SolverError
from nsdgen.solvers.boxes.over_graph import iterate
from nsdgen.solvers.boxes.row_problem import RowProblem
from nsdgen.solvers.certify.feasible import Feasibility, feasibility
from nsdgen.solvers.linalg.connected_parts import connected_parts
from nsdgen.solvers.rows._row_methods import solve_blocks
from nsdgen.solvers.solution import METHODS, REASONS, Solution

BLOCK_ROWS = 250  # up to here blocks are solved dense: sparse factors are no quicker
DENSE_ROWS = 400  # and up to here a block that is full enough is solved dense
DENSE_SHARE = 0.25  # of nonzero entries: sparse factors fill anyway
PIVOTING_ROWS = 2500  # the dense solver needs some eight matrices of this size
PROGRAM_ENTRIES = 1_000_000  # of a sparse matrix: up to here a linear program may prove that nothing fits


def solve_structured(problem: RowProblem) -> Solution:
    """The solution; raises ``SolverError`` where there is none or none passed the certificate.

    A failure comes as the proof that there is no solution where a linear program finds it, or nearly so.
    """
    try:
        return _Structured(problem).solve()
    except SolverError as error:
        if error.reason in ("infeasible", "inconsistent"):
            raise
        known = _feasibility(problem)
        if known == Feasibility.UNKNOWN:
            raise
        reason = "infeasible" if known == Feasibility.EXCLUDED else "nearly infeasible"
        raise problem.failure(reason, error.z, error.rows[0] if error.rows else -1) from None


def is_excluded(problem: RowProblem) -> bool:
    """Whether a linear program proves that no z gives w its signs."""
    return _feasibility(problem) == Feasibility.EXCLUDED


def _feasibility(problem: RowProblem) -> Feasibility:
    """What a linear program knows of the signs, where that is not too large."""
    sparse = not isinstance(problem.M, np.ndarray) and problem.M.nnz <= PROGRAM_ENTRIES
    if len(problem.q) > PIVOTING_ROWS and not sparse:
        return Feasibility.UNKNOWN
    return feasibility(problem.M, problem.q, problem.lower, problem.upper)


class _Structured:
    """One problem on its way to a solution; ``z`` is solved block by block."""

    def __init__(self, problem: RowProblem) -> None:
        self.problem = problem
        self.M = csr_array(problem.M)
        self.M.indptr, self.M.indices = (x.astype(np.intc, copy=False) for x in (self.M.indptr, self.M.indices))
        self.start = np.clip(problem.start, problem.lower, problem.upper)
        self.z = self.start.copy()
        self.seconds = 0.0
        self.iterations = 0
        self.deficiency = 0
        self.methods: list[str] = []

    def solve(self) -> Solution:
        first, order = connected_parts(self.M)
        sizes = np.diff(first)
        dense = np.zeros(len(sizes), dtype=bool)
        if self.problem.solver in (None, "pivoting"):
            dense = sizes <= BLOCK_ROWS
            for k in np.flatnonzero(~dense & (sizes <= DENSE_ROWS)):
                rows = order[first[k] : first[k + 1]]
                dense[k] = np.diff(self.M.indptr)[rows].sum() > DENSE_SHARE * sizes[k] ** 2
        if dense.any():
            self._solve_blocks(first, order, dense)
        for k in np.flatnonzero(~dense):
            self._solve_large(np.sort(order[first[k] : first[k + 1]]))
        if self.problem.solver is None and not self.problem.residual(self.z) <= self.problem.tol:
            self._solve_together(np.sort(order))
        name = max(self.methods, key=_rank, default=METHODS[0])
        return self.problem.solution(self.z, name, self.iterations, self.deficiency, self.seconds)

    def _solve_together(self, rows: NDArray[np.intc]) -> None:
        """A last attempt on everything, where the parts do not pass together."""
        if self._iterate(rows, self._part(rows)):
            self.methods = self.methods[-1:]

    def _solve_blocks(self, first: NDArray[np.intc], order: NDArray[np.intc], chosen: NDArray[np.bool_]) -> None:
        """The chosen blocks by the compiled dense solver."""
        sizes = np.diff(first)
        rows = order[np.repeat(chosen, sizes)]
        ends = np.concatenate([[0], np.cumsum(sizes[chosen])]).astype(np.intc)
        w = np.zeros(len(self.z))
        status = np.zeros(len(ends) - 1, dtype=np.intc)
        worst = np.full(len(ends) - 1, -1, dtype=np.intc)
        method, pivots, deficiency, seconds = solve_blocks(
            self.M.indptr, self.M.indices, self.M.data, self.problem.q, self.problem.lower, self.problem.upper,
            ends, rows, self.z, w, status, worst, self.problem.tol,
        )  # fmt: skip
        self._count(METHODS[method], pivots, deficiency, seconds)
        for k in np.flatnonzero(status):
            block = rows[ends[k] : ends[k + 1]]
            reason = REASONS[status[k]]
            if self.problem.solver is None and reason != "inconsistent":
                part = self._part(block)
                proved = reason == "infeasible" and is_excluded(part)
                if not proved and self._iterate(block, part):
                    continue
            raise self.problem.failure(reason, self.z, int(worst[k]))

    def _solve_large(self, rows: NDArray[np.intc]) -> None:
        """One large sparse block: each method in turn until a result passes the certificate."""
        if self.problem.solver != "pivoting" and self._iterate(rows, self._part(rows)):
            return
        if self.problem.solver == "newton" or len(rows) > PIVOTING_ROWS:
            raise self.problem.failure("not converged", self.z)
        self._pivot(rows)

    def _part(self, rows: NDArray[np.intc]) -> RowProblem:
        block = self.M if len(rows) == len(self.z) else self.M[rows][:, rows]
        of = self.problem
        return replace(
            of, M=block, q=of.q[rows], lower=of.lower[rows], upper=of.upper[rows], start=self.start[rows]
        )  # fmt: skip

    def _iterate(self, rows: NDArray[np.intc], part: RowProblem) -> bool:
        """Newton's method on the block of these rows from the guess; whether it found a solution."""
        started = perf_counter()
        found = iterate(part)
        self.seconds += perf_counter() - started
        if found is None:
            return False
        self.z[rows], deficiency, iterations = found
        self._count("newton", iterations, deficiency, 0.0)
        return True

    def _pivot(self, rows: NDArray[np.intc]) -> None:
        self._solve_blocks(np.array([0, len(rows)], np.intc), rows.astype(np.intc), np.array([True]))

    def _count(self, method: str, iterations: int, deficiency: int, seconds: float) -> None:
        self.methods.append(method)
        self.iterations += iterations
        self.deficiency += deficiency
        self.seconds += seconds


def _rank(method: str) -> int:
    """The order of the methods from the first choice to the last resort."""
    order = (*METHODS[:2], "newton", *METHODS[2:])
    return order.index(method)
