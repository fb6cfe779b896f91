"""Semismooth Newton for sparse box problems: Fischer-Burmeister with a line search.

With phi(a, b) = a + b - sqrt(a^2 + b^2), zero exactly where 0 <= a _|_ b >= 0, a row is

    psi = phi(z - lower, -phi(upper - z, -w)),

which without an upper bound is phi(z - lower, w), without a lower one -phi(upper - z, -w),
without either w. The distances are multiplied by the row's own |M_ii|, or its largest entry,
into units of w, and each row is divided by its terms: neither units matter.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, diags_array

from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.linalg.sparse_lu import sparse_lu
from nsdgen.solvers.rows._box_function import box_rows
from nsdgen.solvers.rows.face import BoxProblem

__all__ = ["newton_path"]

ITERATIONS = 80  # far more than the dozen of a problem that it solves
DECREASE = 1e-4  # of the decrease that the slope promises
SHORTEST = 2.0**-20  # of a step
FINE = 1e-12  # of a row: nothing left to gain


def newton_path(problem: BoxProblem, z: Vector) -> Vector:
    """The best z that semismooth Newton reaches from ``z``: near a solution, not yet on its face."""
    exchange = problem.units()
    weight = 1.0 / _terms(problem, exchange, z)
    shift = problem.shifts()[1]
    value, slope_z, slope_w = _residual(problem, exchange, z)
    for _ in range(ITERATIONS):
        scaled = weight * value
        merit = float(scaled @ scaled)
        if not merit > FINE**2:
            break
        jacobian = diags_array(weight) @ (diags_array(slope_z) + diags_array(slope_w) @ problem.M)
        step = _step(problem, jacobian, weight * slope_w * shift, scaled)
        gradient = jacobian.T @ scaled
        slope = float(gradient @ step)
        if not -slope > 1e-10 * np.linalg.norm(gradient) * np.linalg.norm(step):
            square = problem.column_scale**2
            step = -square * gradient / max(float(np.linalg.norm(jacobian @ (square * gradient))), 1e-300)
            step *= np.sqrt(merit)
            slope = float(gradient @ step)
        length = 1.0
        while True:
            trial = z + length * step
            value, slope_z, slope_w = _residual(problem, exchange, trial)
            scaled = weight * value
            if float(scaled @ scaled) <= merit + 2.0 * DECREASE * length * slope:
                break
            length /= 2.0
            if length < SHORTEST:
                return z
        z = trial
    return z


def _step(problem: BoxProblem, jacobian: csr_array, shift: Vector, scaled: Vector) -> Vector:
    """The Newton step; with M shifted where the Jacobian is singular, zero where that is too."""
    for matrix in (jacobian, jacobian + diags_array(shift)):
        problem.work += 1
        factor = sparse_lu((matrix @ diags_array(problem.column_scale)).tocsc())
        if factor is None:
            continue
        step = -problem.column_scale * factor.solve(scaled)
        if np.isfinite(step).all():
            return step
    return np.zeros(problem.n)


def _terms(problem: BoxProblem, exchange: Vector, z: Vector) -> Vector:
    """The size of each row, no row less than 1e-3 of the largest scaled one."""
    terms = np.abs(problem.q) + problem.size @ np.abs(z)
    for bound in (problem.lower, problem.upper):
        terms += exchange * np.where(np.isfinite(bound), np.abs(bound), 0.0)
    largest = float((problem.row_scale * terms).max())
    return np.maximum(terms, 1e-3 * (largest or 1.0) / problem.row_scale)


def _residual(problem: BoxProblem, exchange: Vector, z: Vector) -> tuple[Vector, Vector, Vector]:
    """psi and its derivatives in z (through the distances) and in w."""
    psi, by_z, by_w = np.empty_like(z), np.empty_like(z), np.empty_like(z)
    box_rows(exchange, problem.lower, problem.upper, z, problem.M @ z + problem.q, psi, by_z, by_w)
    return psi, by_z, by_w
