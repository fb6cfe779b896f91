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
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.input.cone_blocks import read_blocks
from nsdgen.solvers.input.matrices import matrix
from nsdgen.solvers.input.scalars import one_of, tolerance
from nsdgen.solvers.input.vectors import guess, vector
from nsdgen.solvers.mixed.cone_graph import SOLVERS, ConeProblem, ContactRows
from nsdgen.solvers.mixed.cone_parts import cone_parts
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
    if not contacts:
        return solve_box(square, offset, lower, upper, tol=goal, solver=solver, initial=initial)
    start = guess(initial, n)
    frictional = [ContactRows(*contact) for contact in contacts]
    own = tempered(square, offset)
    if own is None:
        return solve_cones(ConeProblem(square, offset, lower, upper, frictional, goal), start, solver)
    inner = ConeProblem(own.matrix, own.offset, own.inner(lower), own.inner(upper), frictional, goal)
    return own.solution(lambda: solve_cones(inner, own.inner(start), solver), goal)


# --------------------------------------------------------------------------- with friction


def solve_cones(problem: ConeProblem, start: Vector, solver: str | None) -> Solution:
    """Part by part, each certified by itself; contacts of one dimension and nothing else go to ``solve_friction``."""
    if (alike := _solve_contacts(problem, start, solver)) is not None:
        return alike
    solver = one_of("solver", solver, SOLVERS, " where rows of other cones stand beside friction")
    z, y = np.zeros_like(problem.b), np.zeros_like(problem.b)
    found: list[Solution] = []
    parts, rest = cone_parts(problem) if problem.contacts else ([], np.arange(len(z)))
    for part in parts:
        try:
            found.append(part.solution(start, solver))
        except SolverError as error:
            z[part.rows] = error.z
            error.z = z
            raise
        z[part.rows], y[part.rows] = found[-1].z, found[-1].w
    if len(rest):
        found.append(_solve_rows(problem, rest, start))
        z[rest], y[rest] = found[-1].z, found[-1].w
    return Solution(
        z, y, max(part.residual for part in found), found[0].solver, sum(part.iterations for part in found),
        sum(part.rank_deficiency for part in found), sum(part.seconds for part in found),
        max(part.of_load for part in found),
    )  # fmt: skip


def _solve_contacts(problem: ConeProblem, start: Vector, solver: str | None) -> Solution | None:
    """The solution where there are contacts of one dimension alone."""
    if not problem.contacts:
        return None
    order = np.concatenate([contact.rows for contact in problem.contacts])
    dims = {len(contact.rows) for contact in problem.contacts}
    if len(order) < len(problem.b) or len(dims) > 1:
        return None
    dim = dims.pop()
    rolling = np.array([contact.mu_rolling for contact in problem.contacts]) if dim == 5 else None
    try:
        part = solve_friction(
            _block(problem.A, order), problem.b[order], [contact.mu for contact in problem.contacts], dim,
            mu_rolling=rolling, tol=problem.tol, solver=solver, initial=start[order],
        )  # fmt: skip
    except SolverError as error:
        error.rows = tuple(int(problem.contacts[k].rows[0]) for k in error.rows)
        error.z = None if error.z is None else _placed(np.asarray(error.z), order)
        raise
    return replace(part, z=_placed(part.z, order), w=_placed(part.w, order))


def _solve_rows(problem: ConeProblem, rows: Rows, start: Vector) -> Solution:
    """The rows that nothing connects with friction."""
    try:
        return solve_box(_block(problem.A, rows), problem.b[rows], problem.lower[rows], problem.upper[rows],
                         tol=problem.tol, initial=start[rows])  # fmt: skip
    except SolverError as error:
        error.rows = tuple(int(rows[i]) for i in error.rows)
        error.z = None
        raise


def _block(A: Matrix, rows: Rows) -> Matrix:
    return A[rows[:, None], rows] if isinstance(A, np.ndarray) else A[rows][:, rows]


def _placed(x: Vector, order: Rows) -> Vector:
    result = np.empty_like(x)
    result[order] = x
    return result
