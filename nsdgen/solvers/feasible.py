"""Why a problem has no solution: whether the signs alone exclude each other."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, diags_array, hstack, vstack

from nsdgen.solvers.face import BoxProblem
from nsdgen.solvers.problem import Matrix, Vector

__all__ = ["infeasible"]

MARGIN = 1e-6  # of the largest offset in the scaled problem: what the rows must lack at least


def infeasible(M: Matrix, q: Vector, lower: Vector, upper: Vector) -> bool:
    """Whether no z in its bounds gives w = M z + q its signs, by a linear program.

    Signs are w >= 0 where only ``lower`` is finite, w <= 0 where only ``upper`` is, w = 0
    where neither is. The program minimises the largest shortfall t of the scaled rows; a
    shortfall within the tolerances of the program proves nothing.
    """
    problem = BoxProblem(csr_array(M), q, lower, upper, 0.0)
    row, column = problem.row_scale, problem.column_scale
    scaled = diags_array(row) @ problem.M @ diags_array(column)
    offset = row * q
    largest = np.abs(offset).max(initial=0.0)
    if largest == 0.0:
        return False
    free = np.isinf(lower) & np.isinf(upper)
    below = (np.isfinite(lower) & np.isinf(upper)) | free
    above = (np.isinf(lower) & np.isfinite(upper)) | free
    # -w - t <= 0 and w - t <= 0, in z' = z / column / largest.
    sides = vstack([-scaled[np.flatnonzero(below)], scaled[np.flatnonzero(above)]])
    if not sides.shape[0]:
        return False
    limits = np.concatenate([offset[below], -offset[above]]) / largest
    bounds = np.column_stack([np.append(lower / column / largest, 0.0), np.append(upper / column / largest, np.inf)])
    cost = np.append(np.zeros(problem.n), 1.0)
    answer = linprog(cost, hstack([sides, -np.ones((sides.shape[0], 1))]), limits, bounds=bounds)
    return bool(answer.status == 0 and answer.fun > MARGIN)
