"""Linear problems with bounds on every unknown: ``solve_box``.

Relays and ideal dry friction have two finite bounds a row, complementarity rows one,
equality rows none; all may meet in one problem. What is tried is listed in ``boxes/attempts.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.boxes.attempts import SOLVERS, solve_rows
from nsdgen.solvers.boxes.row_problem import RowProblem
from nsdgen.solvers.input.matrices import matrix
from nsdgen.solvers.input.scalars import one_of, tolerance
from nsdgen.solvers.input.vectors import bounds, guess, vector
from nsdgen.solvers.solution import Solution

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix


@np.errstate(all="ignore")  # what is no number fails the certificate
def solve_box(
    M: ArrayLike | sparray | spmatrix,
    q: ArrayLike,
    lb: ArrayLike,
    ub: ArrayLike,
    *,
    tol: float = 1e-8,
    solver: str | None = None,
    initial: ArrayLike | None = None,
) -> Solution:
    """Find z with -w in N_[lb,ub](z), w = M z + q.

    Row by row: z_i = lb_i where w_i > 0, z_i = ub_i where w_i < 0, w_i = 0 where z_i is
    strictly inside; w_i is arbitrary where lb_i = ub_i. ``M`` (n, n), dense or sparse, is
    meant to be positive semidefinite or a P-matrix; ``q`` is (n,); ``lb`` <= ``ub`` are (n,)
    or scalars, infinite where there is no bound. ``initial`` (n,) is a guess, of which it
    matters which bounds it meets or passes. ``tol`` bounds the residual. ``solver`` is one of
    ``SOLVERS`` in ``boxes/attempts.py``, or None for the automatic choice.

    Where z is not unique (``rank_deficiency`` > 0) and M is semidefinite, the solution
    nearest to the lower bounds is returned (upper where these are infinite, zero where both
    are). Raises ``ParameterError`` for unusable data, ``SolverError`` where there is no
    solution or none passed the certificate. Source: the affine variational inequality over a
    box (Cottle, Pang and Stone, 1992, chapter 1); newton is the solver of a step.
    """
    offset = vector("q", q)
    n = len(offset)
    square = matrix("M", M, n)
    lower, upper = bounds(lb, ub, n)
    return solve_given(square, offset, lower, upper, tol, solver, initial)


def solve_given(M: Matrix, q: Vector, lower: Vector, upper: Vector, tol: Any, solver: Any, initial: Any) -> Solution:
    """The solution for M (n, n), q and bounds (n,), checked already, and options as ``solve_box`` takes them."""
    start, name = guess(initial, len(q)), one_of("solver", solver, SOLVERS)
    return solve_rows(RowProblem(M, q, lower, upper, start, tolerance(tol), name))
