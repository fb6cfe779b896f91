"""Interior point (Mehrotra's predictor and corrector) for sparse monotone box problems.

Every finite bound has a distance g > 0 and a multiplier y > 0; the path ends where

    w = M z + q = sum of y (lower bounds) - sum of y (upper bounds),      g y = mu -> 0,

and rows without bounds have w = 0. Bounds hold on the whole way, the equation need not. A
step solves with M + diag(y / g), one pattern for all of them: their number hardly grows
with the size, whichever bounds the solution meets. Natural units let one mu fit all rows.

Source: S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM J.
Optimization 2, 1992; for complementarity problems S. J. Wright, Primal-Dual Interior-Point
Methods, 1997, chapters 8 and 10.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, diags_array
from scipy.sparse.linalg import SuperLU

from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.boxes.face import BoxProblem
from nsdgen.solvers.linalg.sparse_lu import SYMMETRIC, sparse_lu
from nsdgen.solvers.scaling.natural_units import natural_units

__all__ = ["central_path"]

STEPS = 80  # monotone problems take about forty
PATIENCE = 15  # steps without progress: M is not monotone, or there is no solution
PROGRESS = 0.5  # of what is left
BOUNDARY = 0.995  # of the way to the nearest bound
SHORT = 0.1  # a step with the corrector: where it is shorter, one without it
EXACT = 1e-13  # of the terms: rounding of the equation
FINE = 1e-16  # mu, of its start, where every row has decided for z or w
FINEST = 1e-26  # mu where some have not: the shift of M alone may tell them apart
DECIDED = 7.0  # logarithm of distance by multiplier
REFINEMENTS = 3  # of a linear solution, whose matrix grows nearly singular at the end of the path


@dataclass(frozen=True)
class _Sides:
    """The matrix and offset in natural units, and the finite bounds: number k is of row ``row[k]``."""

    M: csr_array
    size: csr_array  # |M|
    q: Vector
    row: NDArray[np.intp]
    sign: Vector  # 1 for a lower bound, -1 for an upper one

    def total(self, values: Vector) -> Vector:
        """What the bounds of each row add up to."""
        return np.asarray(np.bincount(self.row, values, minlength=len(self.q)), np.float64)


@dataclass
class _Point:
    """A point of the path: z inside its bounds, distances and multipliers of the bounds."""

    z: Vector
    gap: Vector
    multiplier: Vector


def central_path(problem: BoxProblem, shift: Vector) -> Vector | None:
    """The end of the path of M + diag(shift), on the bounds that it tends to; None where it breaks off.

    Not a solution yet: where steps ran out or made no progress it is any point. The method
    starts from q and the bounds alone and takes no guess.
    """
    rows = np.flatnonzero(problem.lower < problem.upper)
    end = np.where(problem.lower < problem.upper, 0.0, problem.lower)
    if not len(rows):
        return end
    block = problem.M if len(rows) == problem.n else csr_array(problem.M[rows][:, rows])
    row, column = natural_units(block)
    lower, upper = problem.lower[rows] / column, problem.upper[rows] / column
    below, above = np.flatnonzero(np.isfinite(lower)), np.flatnonzero(np.isfinite(upper))
    M = csr_array(diags_array(row) @ (block + diags_array(shift[rows])) @ diags_array(column))
    signs = np.repeat([1.0, -1.0], [len(below), len(above)])
    offset = row * (problem.M @ end + problem.q)[rows]
    sides = _Sides(M, abs(M), offset, np.concatenate([below, above]), signs)
    point = _follow(problem, sides, _start(sides, lower, upper))
    if point is None:
        return None
    end[rows] = column * point.z
    held = point.multiplier > point.gap
    for side, bound in ((1.0, problem.lower), (-1.0, problem.upper)):
        met = rows[sides.row[held & (signs == side)]]
        end[met] = bound[met]
    return np.clip(end, problem.lower, problem.upper)


def _start(sides: _Sides, lower: Vector, upper: Vector) -> _Point:
    """The largest offset as distance and multiplier of every bound, or half the way between two."""
    unit = float(np.abs(sides.q).max()) or 1.0
    margin = np.minimum(unit, 0.5 * (upper - lower))
    z = np.minimum(np.maximum(0.0, lower + margin), upper - margin)
    bound = np.where(sides.sign > 0.0, lower[sides.row], upper[sides.row])
    return _Point(z, sides.sign * (z[sides.row] - bound), np.full(len(bound), unit))


def _follow(problem: BoxProblem, sides: _Sides, point: _Point) -> _Point | None:
    """Predictor, corrector, step, until every row has decided; None where a factorisation fails."""
    count = max(len(sides.row), 1)
    first = float(point.gap @ point.multiplier) / count
    least, waited = np.inf, 0
    options: dict[str, Any] | None = None
    for _ in range(STEPS):
        rest = sides.M @ point.z + sides.q - sides.total(sides.sign * point.multiplier)
        terms = sides.size @ np.abs(point.z) + np.abs(sides.q)
        off = float((np.abs(rest) / np.maximum(terms, 1e-3 * terms.max() + np.finfo(float).tiny)).max())
        mu = float(point.gap @ point.multiplier) / count
        if not (np.isfinite(mu) and np.isfinite(off)) or (point.gap <= 0.0).any() or (point.multiplier <= 0.0).any():
            return None
        decided = np.abs(np.log(point.gap / point.multiplier)).min(initial=np.inf) >= DECIDED
        if off <= EXACT and mu <= (FINE if decided else FINEST) * first:
            break
        left = max(off / EXACT, 1.0) * max(mu / (FINEST * first or 1.0), 1.0)
        waited = 0 if left < PROGRESS * least else waited + 1
        least = min(least, left)
        if waited > PATIENCE:
            break
        matrix = csc_array(sides.M + diags_array(sides.total(point.multiplier / point.gap)))
        if options is None:
            options = _ordering(matrix)
        problem.work += 1
        factor = sparse_lu(matrix, **options)
        if factor is None:
            return None
        moved = _step(sides, point, mu, rest, matrix, factor)
        if moved is None:
            return None
        point = moved
    return point


def _step(sides: _Sides, point: _Point, mu: float, rest: Vector, matrix: csc_array, factor: SuperLU) -> _Point | None:
    """The point after one predictor and corrector; None where the direction is not finite."""

    def direction(products: Vector | float) -> _Point:
        """Towards M z + q = sum of multipliers and distance * multiplier = ``products``."""
        missing = products / point.gap - point.multiplier
        z = _refined(factor, matrix, sides.total(sides.sign * missing) - rest)
        gap = sides.sign * z[sides.row]
        return _Point(z, gap, missing - point.multiplier / point.gap * gap)

    predicted = direction(0.0)
    length = _length(point, predicted)
    ahead = (point.gap + length * predicted.gap) @ (point.multiplier + length * predicted.multiplier)
    share = min(max(float(ahead) / (mu * max(len(sides.row), 1) or 1.0), 0.0), 1.0)
    step = direction(share**3 * mu - predicted.gap * predicted.multiplier)
    length = min(1.0, BOUNDARY * _length(point, step))
    if length < SHORT:
        step = direction(0.5 * mu)
        length = min(1.0, BOUNDARY * _length(point, step))
    if not np.isfinite(step.z).all():
        return None
    return _Point(
        point.z + length * step.z,
        point.gap + length * step.gap,
        point.multiplier + length * step.multiplier,
    )


def _length(point: _Point, step: _Point) -> float:
    """The longest step, at most one, that keeps distances and multipliers positive."""
    longest = 1.0
    for value, rate in ((point.gap, step.gap), (point.multiplier, step.multiplier)):
        falling = rate < 0.0
        longest = min(longest, float((-value[falling] / rate[falling]).min(initial=1.0)))
    return longest


def _ordering(matrix: csc_array) -> dict[str, Any]:
    """The options of the factorisation that fills less: all steps have this pattern."""
    symmetric, other = sparse_lu(matrix, **SYMMETRIC), sparse_lu(matrix)
    return {} if symmetric is None or (other is not None and other.nnz < symmetric.nnz) else SYMMETRIC


def _refined(factor: SuperLU, matrix: csc_array, right: Vector) -> Vector:
    """The solution of the linear system, refined while that makes its residual smaller."""
    x = factor.solve(right)
    rest = right - matrix @ x
    for _ in range(REFINEMENTS):
        better = x + factor.solve(rest)
        left = right - matrix @ better
        if not np.abs(left).max() < 0.5 * np.abs(rest).max():
            break
        x, rest = better, left
    return x
