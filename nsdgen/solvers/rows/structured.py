"""Sparse and structured box problems: apart first, then one method after the other.

1. ``connected_parts``: rows that no entry of M connects are problems of their own. Small or full
   ones go to the compiled dense solver in one call, so that cost is linear in their number.
2. The iterations of ``iterations.py`` on each of the others: primal-dual active sets; an
   interior point method, which monotone problems of any size end with; Newton's method,
   which comes before it where two rows tell that M is not monotone.
3. ``_pivot``: the dense solver, where the size allows; it also tells why a problem has no
   solution. Up to some thousand rows it takes the place of Newton's method.

Complementarity problems are the case lower = 0, upper = inf, equality rows have neither
bound. Everything returned has passed ``certify``.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.feasible import Feasibility, feasibility
from nsdgen.solvers.certify.row_certificate import certify, exact_signs, of_held_load
from nsdgen.solvers.linalg.connected_parts import connected_parts
from nsdgen.solvers.rows._box_blocks import solve_blocks, solve_dense
from nsdgen.solvers.rows.face import BoxProblem
from nsdgen.solvers.rows.iterations import FAR_APART, ITERATIONS, iterate
from nsdgen.solvers.scaling.natural_units import natural_units
from nsdgen.solvers.solution import METHODS, REASONS, Solution, failure

__all__ = ["SOLVERS", "solve_structured"]

SOLVERS = (*ITERATIONS, "pivoting")

SMALL = 100  # rows: the structure of a dense matrix is not looked at
BLOCK_ROWS = 250  # up to here blocks are solved dense
DENSE_ROWS = 400  # and up to here a block that is full enough is solved dense
DENSE_SHARE = 0.25  # of nonzero entries
CHEAP_ROWS = 1200  # up to here pivoting is quicker than Newton's method where active sets fail
PIVOTING_ROWS = 2500  # the dense solver needs some eight matrices of this size
PROGRAM_ENTRIES = 1_000_000  # of a sparse matrix: up to here a linear program may prove that nothing fits


def solve_structured(
    M: Matrix, q: Vector, lower: Vector, upper: Vector, z: Vector, tol: float, solver: str | None
) -> Solution:
    """Solve -w in N_[lower,upper](z), w = M z + q, for checked data; ``z`` (n,) is the guess.

    Raises ``SolverError`` where there is no solution or none passed the certificate.
    """
    n = len(q)
    z = np.clip(z, lower, upper)
    if isinstance(M, np.ndarray):
        if n and solver is None and (n <= SMALL or np.count_nonzero(M) > DENSE_SHARE * n * n):
            try:
                return _solve_dense(M, q, lower, upper, z.copy(), tol)
            except SolverError as error:
                # Also after a proof: in units far apart rows may seem to contradict each other.
                if (solution := _in_natural_units(M, q, lower, upper, z, tol)) is not None:
                    return solution
                if _proved(error.reason, M, q, lower, upper):
                    raise
        M = csr_array(M)
        M.indptr, M.indices = M.indptr.astype(np.intc), M.indices.astype(np.intc)
    try:
        return _Structured(M, q, lower, upper, z.copy(), tol, solver).solve()
    except SolverError as error:
        raise explained(error, M, q, lower, upper) from None


def explained(error: SolverError, M: Matrix, q: Vector, lower: Vector, upper: Vector) -> SolverError:
    """The same failure, or the proof that there is no solution where a linear program finds it, or nearly so."""
    if error.reason in ("infeasible", "inconsistent"):
        return error
    known = _known(M, q, lower, upper)
    if known == Feasibility.UNKNOWN:
        return error
    raw, residual, worst = certify(M, q, lower, upper, error.z, 0.0)
    reason = "infeasible" if known == Feasibility.EXCLUDED else "nearly infeasible"
    return failure(reason, error.z, raw, residual, error.rows[0] if error.rows else worst)


def _proved(reason: str, M: Matrix, q: Vector, lower: Vector, upper: Vector) -> bool:
    """Whether the reason of a failure leaves nothing to try; what a ray says is checked once more."""
    if reason != "infeasible":
        return reason == "inconsistent"
    return _known(M, q, lower, upper) == Feasibility.EXCLUDED


def _known(M: Matrix, q: Vector, lower: Vector, upper: Vector) -> Feasibility:
    """What a linear program knows of the signs, where that is not too large."""
    sparse = not isinstance(M, np.ndarray) and M.nnz <= PROGRAM_ENTRIES
    return feasibility(M, q, lower, upper) if len(q) <= PIVOTING_ROWS or sparse else Feasibility.UNKNOWN


def _solve_dense(M: Vector, q: Vector, lower: Vector, upper: Vector, z: Vector, tol: float) -> Solution:
    w = np.zeros(len(q))
    status, method, pivots, deficiency, worst, seconds = solve_dense(M, q, lower, upper, z, w, tol)
    raw, residual, row = certify(M, q, lower, upper, z, tol)
    if residual > tol:
        raise failure(REASONS[status] or "not converged", z, raw, residual, worst if worst >= 0 and status else row)
    w = exact_signs(raw, lower, upper, z)
    off = of_held_load(M, q, lower, upper, z, raw - w)
    return Solution(z, w, residual, METHODS[method], pivots, deficiency, seconds, off)


def _in_natural_units(
    M: Matrix, q: Vector, lower: Vector, upper: Vector, z: Vector, tol: float
) -> Solution | None:
    """The solution found where the entries of M are near 1; None where they are, or nothing is found."""
    row, column = natural_units(M)
    if max(row.max() / row.min(), column.max() / column.min()) < FAR_APART:
        return None
    scaled = M * row[:, None] * column
    try:
        solution = solve_structured(scaled, q * row, lower / column, upper / column, z / column, tol, None)
    except SolverError:
        return None
    z = solution.z * column
    raw, residual, _ = certify(M, q, lower, upper, z, tol)
    if not residual <= tol:
        return None
    w = exact_signs(raw, lower, upper, z)
    return replace(solution, z=z, w=w, residual=residual, of_load=of_held_load(M, q, lower, upper, z, raw - w))


class _Structured:
    """One sparse problem on its way to a solution; ``z`` is solved block by block."""

    def __init__(
        self, M: csr_array, q: Vector, lower: Vector, upper: Vector, z: Vector, tol: float, solver: str | None
    ) -> None:
        self.M, self.q, self.lower, self.upper, self.z = M, q, lower, upper, z
        self.tol, self.solver = tol, solver
        self.start = z.copy()
        self.seconds = 0.0
        self.iterations = 0
        self.deficiency = 0
        self.methods: list[str] = []

    def solve(self) -> Solution:
        first, order = connected_parts(self.M)
        sizes = np.diff(first)
        dense = np.zeros(len(sizes), dtype=bool)
        if self.solver in (None, "pivoting"):
            dense = sizes <= BLOCK_ROWS
            for k in np.flatnonzero(~dense & (sizes <= DENSE_ROWS)):
                rows = order[first[k] : first[k + 1]]
                dense[k] = np.diff(self.M.indptr)[rows].sum() > DENSE_SHARE * sizes[k] ** 2
        if dense.any():
            self._solve_blocks(first, order, dense)
        for k in np.flatnonzero(~dense):
            self._solve_large(np.sort(order[first[k] : first[k + 1]]))
        raw, residual, worst = self._certified(order)
        if residual > self.tol:
            raise failure("not converged", self.z, raw, residual, worst)
        w = exact_signs(raw, self.lower, self.upper, self.z)
        name = max(self.methods, key=_rank, default=METHODS[0])
        off = of_held_load(self.M, self.q, self.lower, self.upper, self.z, raw - w)
        return Solution(self.z, w, residual, name, self.iterations, self.deficiency, self.seconds, off)

    def _certified(self, order: NDArray[np.intc]) -> tuple[Vector, float, int]:
        """The certificate; a last attempt on everything where the parts do not pass together."""
        verdict = certify(self.M, self.q, self.lower, self.upper, self.z, self.tol)
        if verdict[1] > self.tol and self.solver is None:
            rows = np.sort(order)
            if self._iterate(rows, self._problem(rows), self.start):
                self.methods = self.methods[-1:]
                verdict = certify(self.M, self.q, self.lower, self.upper, self.z, self.tol)
        return verdict

    def _solve_blocks(
        self, first: NDArray[np.intc], order: NDArray[np.intc], chosen: NDArray[np.bool_]
    ) -> None:
        """The chosen blocks by the compiled dense solver."""
        sizes = np.diff(first)
        rows = order[np.repeat(chosen, sizes)]
        ends = np.concatenate([[0], np.cumsum(sizes[chosen])]).astype(np.intc)
        w = np.zeros(len(self.q))
        status = np.zeros(len(ends) - 1, dtype=np.intc)
        worst = np.full(len(ends) - 1, -1, dtype=np.intc)
        method, pivots, deficiency, seconds = solve_blocks(
            self.M.indptr, self.M.indices, self.M.data, self.q, self.lower, self.upper,
            ends, rows, self.z, w, status, worst, self.tol,
        )  # fmt: skip
        self._count(METHODS[method], pivots, deficiency, seconds)
        for k in np.flatnonzero(status):
            block = rows[ends[k] : ends[k + 1]]
            reason = REASONS[status[k]]
            if self.solver is None:
                part = self._problem(block)
                if not _proved(reason, part.M, part.q, part.lower, part.upper) and self._iterate(
                    block, part, self.start[block]
                ):
                    continue
            raw, residual, row = certify(self.M, self.q, self.lower, self.upper, self.z, self.tol)
            raise failure(reason, self.z, raw, residual, int(worst[k]) if worst[k] >= 0 else row)

    def _solve_large(self, rows: NDArray[np.intc]) -> None:
        """One large sparse block: each method in turn until a result passes the certificate."""
        problem = self._problem(rows)
        names = _order(problem) if self.solver is None else (self.solver,)
        if self._iterate(rows, problem, self.z[rows], tuple(name for name in names if name != "pivoting")):
            return
        if "pivoting" in names:
            self._pivot(rows)
            return
        raw, residual, worst = certify(self.M, self.q, self.lower, self.upper, self.z, self.tol)
        raise failure("not converged", self.z, raw, residual, worst)

    def _problem(self, rows: NDArray[np.intc]) -> BoxProblem:
        block = self.M if len(rows) == len(self.q) else self.M[rows][:, rows]
        return BoxProblem(block, self.q[rows], self.lower[rows], self.upper[rows], self.tol)

    def _iterate(
        self, rows: NDArray[np.intc], problem: BoxProblem, z: Vector, names: tuple[str, ...] = ITERATIONS
    ) -> bool:
        """The sparse methods on the block of these rows, from the guess z; whether one found a solution."""
        started = perf_counter()
        outcome = iterate(problem, z, names)
        self.seconds += perf_counter() - started
        self.iterations += problem.work
        if outcome is None:
            return False
        self.z[rows] = outcome[0]
        self._count(outcome[1], 0, outcome[2], 0.0)
        return True

    def _pivot(self, rows: NDArray[np.intc]) -> None:
        self._solve_blocks(np.array([0, len(rows)], np.intc), rows.astype(np.intc), np.array([True]))

    def _count(self, method: str, iterations: int, deficiency: int, seconds: float) -> None:
        self.methods.append(method)
        self.iterations += iterations
        self.deficiency += deficiency
        self.seconds += seconds


def _order(problem: BoxProblem) -> tuple[str, ...]:
    """The methods to try on a block: the interior point late, or not at all, where M is not monotone."""
    monotone = problem.may_be_monotone()
    if problem.n <= CHEAP_ROWS:
        return ("active set", "interior point", "pivoting") if monotone else ("active set", "pivoting")
    names = ITERATIONS if monotone else ("active set", "semismooth Newton", "interior point")
    return (*names, "pivoting") if problem.n <= PIVOTING_ROWS else names


def _rank(method: str) -> int:
    """The order of the methods from the first choice to the last resort."""
    order = (*METHODS[:2], *ITERATIONS[1:], *METHODS[2:])
    return order.index(method)
