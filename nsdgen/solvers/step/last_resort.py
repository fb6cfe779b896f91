"""The last resort of a one-step problem: ``solve_mixed``, which tries everything, slowly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from nsdgen.abi import Cone
from nsdgen.errors import SolverError
from nsdgen.solvers.api.mixed_cones import solve_mixed
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.input.cone_blocks import SIZES
from nsdgen.solvers.solution import REASONS

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

    The status is the index of the reason in ``solution.REASONS``, 0 for a solution.
    """
    matrix = _assembled(row, start, column, places, value)
    try:
        solution = solve_mixed(matrix, b, _cones(cone, bound), tol=tol, initial=z)
    except SolverError as error:
        worst = int(error.rows[0]) if error.rows else -1
        return max(REASONS.index(error.reason), 1) if error.reason in REASONS else 4, z, worst, 0
    return 0, solution.z, -1, solution.rank_deficiency


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
