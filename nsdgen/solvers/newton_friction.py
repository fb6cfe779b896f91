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
from scipy.sparse.linalg import splu

from nsdgen.solvers._newton import newton_dense
from nsdgen.solvers._nsgs import ContactProblem
from nsdgen.solvers.sparse_lu import sparse_lu

__all__ = ["NEARLY_SYMMETRIC", "REACH", "Layout", "Newton", "layout_of", "newton"]

_SMALL_UNKNOWNS = 180  # up to here the compiled method with its own LU is the faster one
_DENSE_SHARE = 0.3  # of the entries stored: a dense factorisation is the faster one
_HALVINGS = 8
# Alart-Curnier's rho beside the inverse of a contact's own stiffness. Above 1 the cases
# (open, stick, slip) follow the velocities rather than the reactions, which settles in
# fewer steps; between 10 and 100 it matters little.
REACH = 30.0

# J is structurally symmetric and close to a semidefinite matrix: orderings for A + A^T and
# few exchanges off the diagonal keep the factors half as large.
NEARLY_SYMMETRIC: dict[str, Any] = {
    "permc_spec": "MMD_AT_PLUS_A",
    "diag_pivot_thresh": 0.01,
    "options": {"SymmetricMode": True},
}

_ORDERED = NEARLY_SYMMETRIC | {"permc_spec": "NATURAL"}

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Layout:
    """Where each entry of the blocks goes: a dense matrix, or compressed columns in an order that keeps factors sparse.

    ``row`` (blocks) is the block row; ``place`` (entries) the position in a dense matrix, where
    ``indices`` is None. Otherwise unknown ``unknown[k]`` comes k-th, and entry ``place[k]`` is the k-th
    of the compressed columns ``indices``, ``indptr``.
    """

    row: NDArray[np.intp]
    place: NDArray[np.intp]
    unknown: NDArray[np.intp]
    indices: NDArray[np.intc] | None = None
    indptr: NDArray[np.intc] | None = None


def layout_of(problem: ContactProblem) -> Layout | None:
    """The layout for all problems on this graph; None where the compiled method needs none."""
    d, count = problem.dim, problem.count
    n = count * d
    if n <= _SMALL_UNKNOWNS:
        return None
    blocks = np.repeat(np.arange(count), np.diff(problem.start))
    shape = (len(blocks), d, d)
    inner = np.arange(d)
    if blocks.size * d * d > _DENSE_SHARE * n * n:
        row = np.broadcast_to(blocks[:, None, None] * d + inner[:, None], shape).ravel()
        column = np.broadcast_to(problem.column[:, None, None] * d + inner, shape).ravel()
        return Layout(blocks, row * n + column, np.arange(n))
    rank = _elimination_order(blocks, problem.column, count)
    row = np.broadcast_to(rank[blocks][:, None, None] * d + inner[:, None], shape).ravel()
    column = np.broadcast_to(rank[problem.column][:, None, None] * d + inner, shape).ravel()
    place = np.lexsort((row, column))
    unknown = np.empty(n, dtype=np.intp)
    unknown[(rank[:, None] * d + inner).ravel()] = np.arange(n)
    indptr = np.searchsorted(column[place], np.arange(n + 1)).astype(np.intc)
    return Layout(blocks, place, unknown, row[place].astype(np.intc), indptr)


def _elimination_order(row: NDArray[np.intp], column: NDArray[np.intc], count: int) -> NDArray[np.intp]:
    """Rank of each contact in a minimum degree order of the contact graph."""
    size = np.where(row == column, float(count), -1.0)
    factor = sparse_lu(csc_array((size, (row, column)), shape=(count, count)), **NEARLY_SYMMETRIC)
    if factor is None:
        return np.arange(count)
    return np.asarray(factor.perm_c, dtype=np.intp)


def newton(
    problem: ContactProblem,
    r: Array,
    limit: int,
    tolerance: float,
    shift: float = 1e-9,
    reach: float = REACH,
    layout: Layout | None = None,
) -> tuple[Array, float, int]:
    """At most ``limit`` steps from r (contacts, dim): the best iterate, its residual, the steps.

    ``shift`` is eps relative to the mean diagonal of each contact's own block, ``reach``
    rho relative to the inverse of that diagonal. ``layout`` may be ``layout_of`` a problem on
    the same graph, made before.
    """
    layout = layout or layout_of(problem)
    if layout is None:
        best = r.copy()
        residual, steps = newton_dense(problem, best, limit, tolerance, shift, reach)
        return best, residual, steps
    method = Newton(problem, layout, shift, reach)
    best, residual = method.run(r, limit, tolerance)
    return best, residual, method.steps


@dataclass
class Newton:
    """Newton's method on one problem; holds what all its steps share.

    ``shift`` and ``reach`` are those of ``newton``.
    """

    problem: ContactProblem
    layout: Layout
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

    def _solve(self, by_r: Array, by_u: Array, f: Array) -> Array | None:
        """(by_r + by_u W) x = f, or None where the matrix is singular."""
        problem = self.problem
        n = f.size
        layout = self.layout
        entries = by_u[layout.row] @ self._blocks
        entries[problem.diagonal] += by_r
        if layout.indices is None:
            matrix = np.zeros(n * n)
            matrix[layout.place] = entries.ravel()
            try:
                x = np.linalg.solve(matrix.reshape(n, n), f.ravel())
            except np.linalg.LinAlgError:
                return None
        else:
            data = entries.ravel()[layout.place]
            # The pattern holds the whole diagonal: it is never singular, and needs no other check.
            try:
                factor = splu(csc_array((data, layout.indices, layout.indptr), shape=(n, n)), **_ORDERED)
            except RuntimeError:
                return None
            x = np.empty(n)
            x[layout.unknown] = factor.solve(f.ravel()[layout.unknown])
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
