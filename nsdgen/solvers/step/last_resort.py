"""The last resort of a one-step problem: the public solvers, which try everything, slowly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from nsdgen.abi import Cone
from nsdgen.errors import SolverError
from nsdgen.solvers.api.bounded import solve_box
from nsdgen.solvers.api.mixed_cones import solve_mixed
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.input.cone_blocks import SIZES
from nsdgen.solvers.solution import REASONS

__all__ = ["rescue"]

Ints = NDArray[np.intc]
Block = tuple[str, Any, Any]


def rescue(
    row: Ints,
    start: Ints,
    column: Ints,
    places: NDArray[np.intp],
    value: Vector,
    cone: Ints,
    bound: Vector,
    b: Vector,
    z: Vector,
    tol: float,
) -> tuple[int, Vector, int, int]:
    """Solve a problem in the arrays of ``interaction/_one_step_work.pxd``: (status, z, worst row, deficiency).

    Friction in the plane is linear complementarity, which pivoting decides; all else goes to
    ``solve_mixed``. The status is the index of the reason in ``solution.REASONS``, 0 for a solution.
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


def _mixed(A: csr_array, b: Vector, cone: Ints, bound: Vector, z: Vector, tol: float) -> tuple[Vector, int]:
    solution = solve_mixed(A, b, _cones(cone, bound), tol=tol, initial=z)
    return solution.z, solution.rank_deficiency


def _planar(A: csr_array, b: Vector, cone: Ints, bound: Vector, z: Vector, tol: float) -> tuple[Vector, int]:
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
    P = csr_array(
        coo_array(
            (
                np.concatenate([np.ones(len(others)), mu, -one]),
                (np.concatenate([others, tangent, tangent]), np.concatenate([others, normal, tangent])),
            ),
            shape=(n, n + count),
        )
    )
    Q = csr_array(
        coo_array(
            (
                np.concatenate([np.ones(len(others)), -one]),
                (np.concatenate([others, tangent]), np.concatenate([others, tangent])),
            ),
            shape=(n + count, n),
        )
    )
    square = (n + count, n + count)
    E = coo_array(
        (
            np.concatenate([one, 2.0 * mu, -one]),
            (np.concatenate([tangent, extra, extra]), np.concatenate([extra, normal, tangent])),
        ),
        shape=square,
    )
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
