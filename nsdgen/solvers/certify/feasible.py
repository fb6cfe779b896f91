"""Why a problem has no solution: whether the signs alone exclude each other."""

from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, diags_array, hstack, vstack

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.farkas import MOST_ROWS, proves
from nsdgen.solvers.linalg._linalg import independent_rows
from nsdgen.solvers.scaling.natural_units import natural_units

MARGIN = 1e-6  # of a limit near 1: what the rows must lack at least
LARGER = 1e9  # than q: terms of solutions that a proof need not exclude
CANCELLED = 1e-6  # of the terms of a column: the program means zero
POLISHED_ROWS = 1000  # up to which its multipliers are made to
EXACT_ROWS = 400  # up to which a proof is checked without rounding


class Feasibility(Enum):
    """What is known of the signs alone: ``NEARLY_EXCLUDED`` where only a z with terms far larger than q may fit."""

    UNKNOWN = 0
    NEARLY_EXCLUDED = 1
    EXCLUDED = 2


def feasibility(M: Matrix, q: Vector, lower: Vector, upper: Vector) -> Feasibility:
    """What ``exclusion`` finds out about all rows."""
    return exclusion(M, q, lower, upper)[0]


def exclusion(
    M: Matrix, q: Vector, lower: Vector, upper: Vector, asked: NDArray[np.bool_] | None = None, larger: float = LARGER
) -> tuple[Feasibility, Vector]:
    """Whether some z in its bounds gives w = M z + q its signs, by a linear program; and the multipliers (n,).

    Signs are w >= 0 where only ``lower`` is finite, w <= 0 where only ``upper`` is, w = 0
    where neither is; nothing is asked of rows outside ``asked`` (n,). The program minimises the largest shortfall t
    of the scaled rows; a shortfall within the tolerances of the program says nothing, nor do multipliers of the rows
    that ``excludes`` and ``nearly_excludes``, with ``larger``, refuse.
    """
    M = csr_array(M)
    row, column = natural_units(M)
    scaled = diags_array(row) @ M @ diags_array(column)
    offset = row * q
    u = np.zeros(len(q))
    wanted = np.ones(len(q), dtype=bool) if asked is None else asked
    # Rows without entries have no units: those that are right would only make the others look small.
    empty = abs(M).sum(axis=1) == 0.0
    free = np.isinf(lower) & np.isinf(upper)
    below = ((np.isfinite(lower) & np.isinf(upper)) | free) & wanted & ~(empty & (q >= 0.0))
    above = ((np.isinf(lower) & np.isfinite(upper)) | free) & wanted & ~(empty & (q <= 0.0))
    largest = np.abs(offset[below | above]).max(initial=0.0)
    if largest == 0.0:
        return Feasibility.UNKNOWN, u
    # -w - t <= 0 and w - t <= 0, in z' = z / column / largest.
    sides = vstack([-scaled[np.flatnonzero(below)], scaled[np.flatnonzero(above)]])
    limits = np.concatenate([offset[below], -offset[above]]) / largest
    price = _multipliers_of_shortfall(sides, limits, lower / column / largest, upper / column / largest)
    if price is None:
        return Feasibility.UNKNOWN, u
    u[below] += price[: below.sum()]
    u[above] -= price[below.sum() :]
    u *= row
    found = Feasibility.UNKNOWN
    for candidate in (u, _polished(M, lower, upper, u)):
        if nearly_excludes(M, q, lower, upper, candidate, larger):
            if excludes(M, q, lower, upper, candidate):
                return Feasibility.EXCLUDED, candidate
            found = Feasibility.NEARLY_EXCLUDED
    return found, u


def nearly_excludes(M: csr_array, q: Vector, lower: Vector, upper: Vector, u: Vector, larger: float = LARGER) -> bool:
    """Whether multipliers u (n,), with the signs of w, exclude all z but those with terms ``larger`` than q.

    They do where u . w = (M^T u) . z + u . q < 0 for all of these z. A column of M^T u that
    ought to vanish may be its roundings.
    """
    columns = M.T @ u
    terms = abs(M).T @ np.abs(u)
    bound = np.where(columns > 0.0, upper, lower)
    unbounded = np.isinf(bound) & (terms > 0.0)
    given = columns * np.where(np.isinf(bound), 0.0, bound)
    size = np.abs(u) @ np.abs(q) + np.abs(given).sum()
    total = u @ q + given.sum()
    slack = (np.abs(columns[unbounded]) / terms[unbounded]).max(initial=0.0)
    return bool(total < 0.0 and larger * slack * size <= -total)


def excludes(M: csr_array, q: Vector, lower: Vector, upper: Vector, u: Vector) -> bool:
    """Whether the same multipliers exclude all z, the numbers taken at their word.

    Few rows must do so in rational numbers (``farkas.py``), more must at least be dependent where their columns vanish.
    """
    rows = np.flatnonzero(u)
    if len(rows) <= MOST_ROWS:
        return proves(M, q, lower, upper, u)
    if not nearly_excludes(M, q, lower, upper, u):
        return False
    # Cancelled to the last digit, or only to the last one that there is?
    vanishes = LARGER * np.abs(M.T @ u) <= abs(M).T @ np.abs(u)
    tight = np.flatnonzero((np.isinf(lower) | np.isinf(upper)) & vanishes)
    if len(rows) > min(len(tight), EXACT_ROWS):
        return True
    return not independent_rows(np.ascontiguousarray(M[rows][:, tight].toarray()))


def _polished(M: csr_array, lower: Vector, upper: Vector, u: Vector) -> Vector:
    """Multipliers near u, on the same rows, whose columns vanish where those of u do to the program's tolerance."""
    rows = np.flatnonzero(u)
    columns = M.T @ u
    vanishing = np.abs(columns) <= CANCELLED * (abs(M).T @ np.abs(u))
    tight = np.flatnonzero((np.isinf(lower) | np.isinf(upper)) & vanishing)
    if not 0 < len(rows) <= POLISHED_ROWS:
        return u
    change = np.zeros_like(u)
    change[rows] = np.linalg.lstsq(M[rows][:, tight].toarray().T, columns[tight], rcond=None)[0]
    polished = u - change
    return np.where(polished * u > 0.0, polished, 0.0)


def _multipliers_of_shortfall(sides: Matrix, limits: Vector, lower: Vector, upper: Vector) -> Vector | None:
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
