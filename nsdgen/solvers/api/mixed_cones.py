"""One-step problems of several cones in one system: ``solve_mixed``.

Equality, complementarity and box rows together are one box problem. With friction among them each contact and each
other row is a node of the graph that the solver of a step works on (``mixed/cone_graph.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsdgen.errors import SolverError
from nsdgen.solvers.api.bounded import solve_box
from nsdgen.solvers.api.condensed_friction import solve_friction
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.input.cone_blocks import read_blocks
from nsdgen.solvers.input.matrices import matrix
from nsdgen.solvers.input.scalars import one_of, tolerance
from nsdgen.solvers.input.vectors import guess, vector
from nsdgen.solvers.mixed.cone_graph import SOLVERS
from nsdgen.solvers.mixed.cone_parts import solve_cones
from nsdgen.solvers.mixed.cone_problem import ConeProblem
from nsdgen.solvers.scaling.tempered import tempered
from nsdgen.solvers.solution import Solution

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix

Rows = NDArray[np.intp]


@np.errstate(all="ignore")  # what is no number fails the certificate
def solve_mixed(
    A: ArrayLike | sparray | spmatrix,
    b: ArrayLike,
    blocks: Sequence[tuple[str, Any, Any]],
    *,
    tol: float = 1e-8,
    solver: str | None = None,
    initial: ArrayLike | None = None,
) -> Solution:
    """Find z with y = A z + b, each block of rows in its cone; ``Solution.w`` is y.

    ``A`` is (n, n), dense or sparse, ``b`` (n,). ``blocks`` are (cone, rows, data) with::

        "equality", rows, None: y = 0, z free
        "complementarity", rows, None: 0 <= y, 0 <= z, y z = 0
        "box", rows, (lb, ub): -y in N_[lb,ub](z), bounds as in ``solve_box``
        "friction", rows of one contact (normal, tangents), mu: Coulomb friction in the plane
            (2 rows) or in space (3); with 5 rows data is (mu, mu_rolling). Infinite ones as in ``solve_friction``

    and cover each row once. ``rows`` is a slice, an index or a list of them. ``tol``,
    ``solver`` and ``initial`` (n,) are as in ``solve_box`` or, with contacts of one dimension and nothing else, in
    ``solve_friction``; with other rows beside friction there is "newton" alone.

    Raises ``ParameterError`` for unusable data, ``SolverError`` where there is no
    solution or none passed the certificate; its ``rows`` are rows of A, for a contact the normal one.
    Sources: those of ``solve_box``; with friction De Saxcé and Feng, 1998, signs as in ``solve_friction``.
    """
    offset = vector("b", b)
    n = len(offset)
    square, goal = matrix("A", A, n), tolerance(tol)
    lower, upper, contacts = read_blocks(blocks, n)
    return solve_in_cones(ConeProblem(square, offset, lower, upper, contacts, goal), guess(initial, n), solver)


@np.errstate(all="ignore")
def solve_in_cones(problem: ConeProblem, start: Vector, solver: str | None = None) -> Solution:
    """``solve_mixed`` of a problem that is checked already."""
    contacts = problem.contacts
    if not contacts:
        A, b, lower, upper = problem.A, problem.b, problem.lower, problem.upper
        return solve_box(A, b, lower, upper, tol=problem.tol, solver=solver, initial=start)
    order = np.concatenate([rows.ravel() for rows, _ in contacts])
    if len(contacts) == 1 and len(order) == len(problem.b):
        return _as_friction(problem, order, solver, start)
    solver = one_of("solver", solver, SOLVERS, " where rows of other cones stand beside friction")
    own = tempered(problem.A, problem.b)
    if own is None:
        return solve_cones(problem, start, solver)
    inner = replace(problem, A=own.matrix, b=own.offset, lower=own.inner(problem.lower), upper=own.inner(problem.upper))
    return own.solution(lambda: solve_cones(inner, own.inner(start), solver), problem.tol)


def _as_friction(problem: ConeProblem, order: Rows, solver: str | None, start: Vector) -> Solution:
    """The solution where there are contacts of one dimension alone, whose rows are ``order``."""
    (rows, mu), A = problem.contacts[0], problem.A
    try:
        part = solve_friction(
            A[order[:, None], order] if isinstance(A, np.ndarray) else A[order][:, order], problem.b[order], mu[:, 0],
            rows.shape[1], mu_rolling=mu[:, 1] if rows.shape[1] == 5 else None, tol=problem.tol, solver=solver,
            initial=start[order],
        )  # fmt: skip
    except SolverError as error:
        error.rows = tuple(int(rows[k, 0]) for k in error.rows)
        error.z = None if error.z is None else _placed(np.asarray(error.z), order)
        raise
    return replace(part, z=_placed(part.z, order), w=_placed(part.w, order))


def _placed(x: Vector, order: Rows) -> Vector:
    result = np.empty_like(x)
    result[order] = x
    return result
