"""A problem of rows as callers state it, checked."""

from __future__ import annotations

from typing import Any

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.boxes.attempts import SOLVERS
from nsdgen.solvers.boxes.row_problem import RowProblem
from nsdgen.solvers.input.scalars import one_of, tolerance
from nsdgen.solvers.input.vectors import guess


def row_problem(M: Matrix, q: Vector, lower: Vector, upper: Vector, tol: Any, solver: Any, initial: Any) -> RowProblem:
    """The problem of M (n, n), q and bounds (n,), checked already, and of options as ``solve_box`` takes them."""
    return RowProblem(M, q, lower, upper, guess(initial, len(q)), tolerance(tol), one_of("solver", solver, SOLVERS))
