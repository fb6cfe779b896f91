"""The one-step problem over an interaction graph, from Python: ``solve_graph``, and its last resort.

The compiled solver of a step (``_one_step.pxd``) with SciPy matrices in front of it. It starts
from a guess and is quick where the guess is near; it is not meant to solve everything:
``solve_mixed`` is, and takes over where it fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array

from nsdgen.abi import Cone
from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers._one_step import solve_arrays
from nsdgen.solvers.box import solve_box
from nsdgen.solvers.cones import FOLLOWS
from nsdgen.solvers.mixed import SIZES, solve_mixed
from nsdgen.solvers.problem import REASONS, Solution, Vector, failure

__all__ = ["rescue", "solve_graph"]


Ints = NDArray[np.intc]
Block = tuple[str, Any, Any]


def solve_graph(
    A: csr_array, b: ArrayLike, cone: ArrayLike, bound: ArrayLike, *, initial: ArrayLike | None = None,
    tol: float = 1e-8, solver: str | None = None, repeat: int = 1,
) -> Solution:
    """Solve y = A z + b with cones row by row, each block of rows a node of the graph.

    ``A`` (n, n) is sparse with a symmetric pattern of blocks, ``cone`` (n,) holds the codes of
    ``nsdgen.abi.Cone``, -1 on the further rows of a friction block, ``bound`` (n, 2) the pairs
    (lower, upper) of box rows and (mu, mu_rolling) on the first row of friction blocks.
    ``solver="path"`` follows Lemke's path (``_one_step_path.pxd``) for all cones but friction in
    space, slow and sure; None is the automatic choice. ``seconds`` of the
    result are those of one of ``repeat`` solves in a row. Raises ``SolverError`` where no solution was
    found, ``ParameterError`` for a solver that is none of these.
    """
    if solver not in (None, "path"):
        raise ParameterError(f"solver must be 'path' or None, got {solver!r}")
    cones = np.ascontiguousarray(cone, dtype=np.intc)
    offset = np.ascontiguousarray(b, dtype=float)
    row = np.append(np.flatnonzero(cones != FOLLOWS), len(cones)).astype(np.intc)
    start, column, places, value = _block_rows(A, row)
    order = _elimination_order(start, column)
    z = np.zeros(len(offset)) if initial is None else np.array(initial, dtype=float)
    y = np.zeros(len(offset))
    bounds = np.ascontiguousarray(np.reshape(np.asarray(bound, dtype=float), -1))
    status, residual, iterations, sweeps, deficiency, worst, seconds = solve_arrays(
        row, start, column, places, value, order, cones, bounds, offset, z, y, tol, repeat, solver == "path")
    if status:
        raise failure(REASONS[min(status, len(REASONS) - 1)], z, y, residual, worst)
    return Solution(z, y, residual, solver or "newton", iterations + sweeps, deficiency, seconds)


def _block_rows(A: csr_array, row: Ints) -> tuple[Ints, Ints, NDArray[np.int64], Vector]:
    """Block rows of A, diagonal blocks first and stored even if empty."""
    A = csr_array(A)
    count = len(row) - 1
    node = np.repeat(np.arange(count), np.diff(row))
    inner = np.arange(len(node)) - row[node]
    entry = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    # The diagonal block of row p gets the key p * count - 1 + p - p, that is, comes before column 0.
    own = node[entry] == node[A.indices]
    key = node[entry] * (count + 1) + np.where(own, 0, node[A.indices] + 1)
    keys, where = np.unique(np.concatenate([key, np.arange(count) * (count + 1)]), return_inverse=True)
    first, column = np.divmod(keys, count + 1)
    column = np.where(column == 0, first, column - 1)
    height = np.diff(row)
    size = height[first] * height[column]
    places = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    value = np.zeros(places[-1])
    block = where[: len(entry)]
    value[places[block] + inner[entry] * height[column[block]] + inner[A.indices]] = A.data
    start = np.searchsorted(first, np.arange(count + 1)).astype(np.intc)
    return start, column.astype(np.intc), places[:-1], value


def _elimination_order(start: Ints, column: Ints) -> Ints:
    """An order of small fill for a symmetric pattern of blocks."""
    from nsdgen.solvers.ordering import minimum_degree

    return minimum_degree(start, column)


def rescue(
    row: Ints, start: Ints, column: Ints, places: NDArray[np.intp], value: Vector, cone: Ints, bound: Vector,
    b: Vector, z: Vector, tol: float,
) -> tuple[int, Vector, int, int]:
    """Solve a problem in the arrays of ``_one_step.pxd``: (status, z, worst row, deficiency).

    Friction in the plane is linear complementarity, which pivoting decides; all else goes to
    ``solve_mixed``. The status is the index of the reason in ``problem.REASONS``, 0 for a solution.
    """
    matrix = _assembled(row, start, column, places, value)
    status, worst = 4, -1
    for attempt in (_planar, _mixed):
        try:
            solution, deficiency = attempt(matrix, b, cone, bound, z, tol)
        except SolverError as error:
            worst = int(error.rows[0]) if error.rows else -1
            status = max(REASONS.index(error.reason), 1) if error.reason in REASONS else 4
        else:
            return 0, solution, -1, deficiency
    return status, z, worst, 0


def _mixed(
    A: csr_array, b: Vector, cone: Ints, bound: Vector, z: Vector, tol: float
) -> tuple[Vector, int]:
    solution = solve_mixed(A, b, _cones(cone, bound), tol=tol, initial=z)
    return solution.z, solution.rank_deficiency


def _planar(
    A: csr_array, b: Vector, cone: Ints, bound: Vector, z: Vector, tol: float
) -> tuple[Vector, int]:
    """Rows of all cones but friction in space as one box problem.

    A contact (r_N, r_T) becomes (r_N, mu r_N - r_T, s), all >= 0, with the partners u_N, s - u_T and
    mu r_N + r_T: s is the speed of sliding to the right, its partner acts to the left at most mu r_N.
    """
    planar = np.flatnonzero(cone == Cone.COULOMB_2D)
    if not len(planar) or (cone > Cone.COULOMB_2D).any():
        raise SolverError("not a problem in the plane")
    n, count = len(b), len(planar)
    mu = bound[2 * planar]
    normal, tangent, extra = planar, planar + 1, n + np.arange(count)
    one = np.ones(count)
    # z = P x, and rows Q (A P x + b) + E x.
    others = np.setdiff1d(np.arange(n), tangent)
    P = csr_array(coo_array((np.concatenate([np.ones(len(others)), mu, -one]), (
        np.concatenate([others, tangent, tangent]), np.concatenate([others, normal, tangent]))), shape=(n, n + count)))
    Q = csr_array(coo_array((np.concatenate([np.ones(len(others)), -one]), (
        np.concatenate([others, tangent]), np.concatenate([others, tangent]))), shape=(n + count, n)))
    square = (n + count, n + count)
    E = coo_array((np.concatenate([one, 2.0 * mu, -one]), (
        np.concatenate([tangent, extra, extra]), np.concatenate([extra, normal, tangent]))), shape=square)
    pairs = np.reshape(bound, (n, 2))
    lower = np.append(np.where(cone == Cone.BOX, pairs[:, 0], np.where(cone == Cone.EQUALITY, -np.inf, 0.0)), 0.0 * one)
    upper = np.append(np.where(cone == Cone.BOX, pairs[:, 1], np.inf), np.inf * one)
    slide = (A @ z + b)[tangent]
    start = np.concatenate([z, np.maximum(0.0, slide)])
    start[tangent] = mu * z[normal] - z[tangent]
    solution = solve_box(csr_array(Q @ A @ P + E), Q @ b, lower, upper, tol=tol, initial=start)
    return P @ solution.z, 0


def _assembled(row: Ints, start: Ints, column: Ints, places: NDArray[np.intp], value: Vector) -> csr_array:
    node = np.repeat(np.arange(len(row) - 1), np.diff(start))
    height = np.diff(row)
    parts: list[tuple[Vector, Vector, Vector]] = []
    for p, q, place in zip(node, column, places, strict=True):
        m, mq = height[p], height[q]
        i, j = np.divmod(np.arange(m * mq), mq)
        parts.append((value[place : place + m * mq], row[p] + i, row[q] + j))
    data, i, j = (np.concatenate(part) for part in zip(*parts, strict=True))
    n = int(row[-1])
    return csr_array(coo_array((data, (i, j)), shape=(n, n)))


def _cones(cone: Ints, bound: Vector) -> Sequence[Block]:
    """The blocks as ``solve_mixed`` wants them."""
    blocks: list[Block] = []
    for name, code in (("equality", Cone.EQUALITY), ("complementarity", Cone.COMPLEMENTARITY)):
        rows = np.flatnonzero(cone == code)
        if len(rows):
            blocks.append((name, rows, None))
    rows = np.flatnonzero(cone == Cone.BOX)
    if len(rows):
        blocks.append(("box", rows, (bound[2 * rows], bound[2 * rows + 1])))
    for first in np.flatnonzero(cone >= Cone.COULOMB_2D):
        size = SIZES[cone[first] - Cone.COULOMB_2D]
        mu = float(bound[2 * first])
        data = (mu, float(bound[2 * first + 1])) if size == 5 else mu
        blocks.append(("friction", np.arange(first, first + size), data))
    return blocks
