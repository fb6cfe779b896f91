"""Rows that no x in its bounds satisfies, and the multipliers that prove it: one linear program for all solvers."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import hstack

from nsdgen.solvers.arrays import Matrix, Vector

MARGIN = 1e-6  # of a limit near 1: what the rows must lack at least


def multipliers_of_shortfall(sides: Matrix, limits: Vector, lower: Vector, upper: Vector) -> Vector | None:
    """Multipliers >= 0 of the rows ``sides`` x <= ``limits``, where these exclude each other; else None.

    The program minimises the largest shortfall t >= 0 of all rows, ``lower`` <= x <= ``upper``. A shortfall within
    its tolerances proves nothing. By Farkas' lemma the rows with multipliers exclude each other by themselves, as far
    as the program is exact.
    """
    cost = np.append(np.zeros(sides.shape[1]), 1.0)
    bounds = np.column_stack([np.append(lower, 0.0), np.append(upper, np.inf)])
    answer = linprog(cost, hstack([sides, -np.ones((sides.shape[0], 1))]), limits, bounds=bounds)
    if answer.status != 0 or not answer.fun > MARGIN:
        return None
    return np.maximum(-answer.ineqlin.marginals, 0.0)
