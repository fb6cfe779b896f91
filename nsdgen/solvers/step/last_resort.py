"""The last resort of a one-step problem: all that ``solve_mixed`` tries, slowly."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from nsdgen.abi import NO_SLIP, Cone
from nsdgen.errors import SolverError
from nsdgen.solvers.api.mixed_cones import solve_in_cones
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.interaction.graph_problem import CONES
from nsdgen.solvers.mixed.cone_problem import ConeProblem
from nsdgen.solvers.solution import REASONS

Ints = NDArray[np.intc]


def rescue(
    row: Ints, start: Ints, column: Ints, places: NDArray[np.intp], value: Vector, cone: Ints, bound: Vector,
    b: Vector, z: Vector, tol: float,
) -> tuple[int, Vector, int, int]:  # fmt: skip
    """Solve a problem in the arrays of ``interaction/_one_step_work.pxd``: (status, z, worst row, deficiency).

    The status is the index of the reason in ``solution.REASONS``, 0 for a solution.
    """
    if not (np.isfinite(value).all() and np.isfinite(b).all()):
        return REASONS.index("not converged"), z, -1, 0
    pairs = bound.reshape(-1, 2)
    one_sided, box = cone == Cone.COMPLEMENTARITY, cone == Cone.BOX
    lower = np.where(box, pairs[:, 0], np.where(one_sided, 0.0, -np.inf))
    firsts = {size: np.flatnonzero(cone == code) for size, code in CONES.items()}
    contacts = [
        (first[:, None] + np.arange(size), np.minimum(pairs[first, : 1 + (size == 5)], NO_SLIP))
        for size, first in firsts.items()
        if len(first)
    ]
    matrix = _assembled(row, start, column, places, value)
    problem = ConeProblem(matrix, b, lower, np.where(box, pairs[:, 1], np.inf), contacts, tol)
    try:
        solution = solve_in_cones(problem, np.where(np.isfinite(z), z, 0.0))
    except SolverError as error:
        worst = int(error.rows[0]) if error.rows else -1
        return max(REASONS.index(error.reason), 1) if error.reason in REASONS else 4, z, worst, 0
    return 0, solution.z, -1, solution.rank_deficiency


def _assembled(row: Ints, start: Ints, column: Ints, places: NDArray[np.intp], value: Vector) -> csr_array:
    node, height = np.repeat(np.arange(len(row) - 1), np.diff(start)), np.diff(row)
    size = height[node] * height[column]
    inside = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    i, j = np.divmod(inside, np.repeat(height[column], size))
    i, j = np.repeat(row[node], size) + i, np.repeat(row[column], size) + j
    return csr_array(coo_array((value[np.repeat(places, size) + inside], (i, j)), shape=(row[-1], row[-1])))
