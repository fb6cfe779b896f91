"""Semismooth Newton for frictional contacts, on the Alart-Curnier function.

A polisher: it takes the iterate of a few Gauss-Seidel sweeps to rounding where those
are slow. Each step solves J dr = -F, J = F_r + F_u (W + eps I), with LAPACK for small
and with a sparse LU for large systems. The shift eps makes J regular where contacts
share fewer degrees of freedom than they have reactions; F itself is not shifted, so
that the solution is that of the problem as given. Everything is in the normalised units
of ``ContactProblem``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from nsdgen.solvers._newton import newton_dense
from nsdgen.solvers._nsgs import ContactProblem
from nsdgen.solvers.sparse_lu import sparse_lu

__all__ = ["REACH", "Newton", "newton"]

_SMALL_UNKNOWNS = 60  # up to here the compiled method with its own LU is the faster one
_DENSE_UNKNOWNS = 120  # up to here a dense factorisation is the faster one
_DENSE_SHARE = 0.3  # or where this share of the entries is stored
_HALVINGS = 8
# Alart-Curnier's rho beside the inverse of a contact's own stiffness. Above 1 the cases
# (open, stick, slip) follow the velocities rather than the reactions, which settles in
# fewer steps; between 10 and 100 it matters little.
REACH = 30.0

# J is structurally symmetric and close to a semidefinite matrix: orderings for A + A^T and
# few exchanges off the diagonal keep the factors half as large.
_NEARLY_SYMMETRIC: dict[str, Any] = {
    "permc_spec": "MMD_AT_PLUS_A",
    "diag_pivot_thresh": 0.01,
    "options": {"SymmetricMode": True},
}

Array = NDArray[np.float64]


def newton(
    problem: ContactProblem,
    r: Array,
    limit: int,
    tolerance: float,
    shift: float = 1e-9,
    reach: float = REACH,
) -> tuple[Array, float, int]:
    """At most ``limit`` steps from r (contacts, dim): the best iterate, its residual, the steps.

    ``shift`` is eps relative to the mean diagonal of each contact's own block, ``reach``
    rho relative to the inverse of that diagonal.
    """
    if problem.count * problem.dim <= _SMALL_UNKNOWNS:
        best = r.copy()
        residual, steps = newton_dense(problem, best, limit, tolerance, shift, reach)
        return best, residual, steps
    method = Newton(problem, shift, reach)
    best, residual = method.run(r, limit, tolerance)
    return best, residual, method.steps


@dataclass
class Newton:
    """Newton's method on one problem; holds what all its steps share.

    ``shift`` and ``reach`` are those of ``newton``.
    """

    problem: ContactProblem
    shift: float = 1e-9
    reach: float = REACH
    steps: int = 0
    _rho: Array = field(init=False)
    _blocks: Array = field(init=False)

    def __post_init__(self) -> None:
        problem = self.problem
        own = problem.blocks[problem.diagonal]
        diagonal = np.einsum("kii->ki", own)
        normal = diagonal[:, 0]
        tangent = diagonal[:, 1:].mean(axis=1)
        mean = diagonal.mean(axis=1)
        scale = np.where(mean > 0.0, mean, 1.0)
        self._rho = np.column_stack([
            self.reach / np.where(normal > 1e-8 * scale, normal, scale),
            self.reach / np.where(tangent > 1e-8 * scale, tangent, scale),
        ])
        self._blocks = problem.blocks.copy()
        self._blocks[problem.diagonal] += self.shift * scale[:, None, None] * np.eye(problem.dim)
        self._lay_out()

    def _lay_out(self) -> None:
        """Where each entry of the blocks goes: a dense matrix, or compressed columns."""
        problem, d = self.problem, self.problem.dim
        n = problem.count * d
        self._row = np.repeat(np.arange(problem.count), np.diff(problem.start))
        shape = self._blocks.shape
        inner = np.arange(d)
        row = np.broadcast_to(self._row[:, None, None] * d + inner[:, None], shape).ravel()
        column = np.broadcast_to(problem.column[:, None, None] * d + inner, shape).ravel()
        self._dense = n <= _DENSE_UNKNOWNS or len(row) > _DENSE_SHARE * n * n
        if self._dense:
            self._place = row * n + column
            return
        self._order = np.lexsort((row, column))
        self._indices = row[self._order].astype(np.intc)
        self._indptr = np.searchsorted(column[self._order], np.arange(n + 1)).astype(np.intc)

    def _solve(self, by_r: Array, by_u: Array, f: Array) -> Array | None:
        """(by_r + by_u W) x = f, or None where the matrix is singular."""
        problem = self.problem
        n = f.size
        entries = by_u[self._row] @ self._blocks
        entries[problem.diagonal] += by_r
        try:
            if self._dense:
                matrix = np.zeros(n * n)
                matrix[self._place] = entries.ravel()
                x = np.linalg.solve(matrix.reshape(n, n), f.ravel())
            else:
                data = entries.ravel()[self._order]
                matrix = csc_array((data, self._indices, self._indptr), shape=(n, n))
                factor = sparse_lu(matrix, **_NEARLY_SYMMETRIC)
                if factor is None:
                    return None
                x = factor.solve(f.ravel())
        except np.linalg.LinAlgError:
            return None
        return np.reshape(x, f.shape) if np.isfinite(x).all() else None

    def run(self, r: Array, limit: int, tolerance: float) -> tuple[Array, float]:
        """At most ``limit`` steps from r (contacts, dim); the best iterate and its residual.

        Ends where the natural map is at most ``tolerance``, where J is singular, or where
        no step along its direction helps.
        """
        problem = self.problem
        n, d = r.shape
        f, trial = np.empty((n, d)), np.empty((n, d))
        by_r, by_u = np.empty((n, d, d)), np.empty((n, d, d))
        best, least = r.copy(), problem.residual(r)[0]
        problem.linearize(self._rho, r, f, by_r, by_u)
        merit = float(np.linalg.norm(f))
        for _ in range(limit):
            if least <= tolerance:
                break
            step = self._solve(by_r, by_u, f)
            if step is None:
                break
            self.steps += 1
            length = 1.0
            for _ in range(_HALVINGS):
                trial = r - length * step
                problem.linearize(self._rho, trial, f, by_r, by_u)
                new = float(np.linalg.norm(f))
                if new <= (1.0 - 1e-4 * length) * merit:
                    break
                length *= 0.5
            else:
                break
            r, merit = trial, new
            residual = problem.residual(r)[0]
            if residual < least:
                best, least = r.copy(), residual
        return best, least
