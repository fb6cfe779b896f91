"""One face of a sparse box problem: some unknowns at bounds, w = 0 on the others.

``BoxProblem`` holds the problem, its scales and the sparse linear solves; which unknowns
are at bounds is decided by its users, as ``states``: -1 at the lower bound, 1 at the upper
one, 0 inside.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, diags_array
from scipy.sparse.linalg import SuperLU

from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.certify.row_certificate import certify
from nsdgen.solvers.linalg.sparse_lu import SYMMETRIC, sparse_lu

__all__ = ["BoxProblem", "States"]

States = NDArray[np.int8]

SIGN_TOLERANCE = 1e-10  # of the terms of a row: below it a sign is rounding
# The shift decides signs through terms of its own size, far smaller than M z.
SHIFTED_SIGN_TOLERANCE = 1e-14
ZERO_PIVOT = 1e-13  # of the largest entry of its column in the scaled matrix
SHIFT = 1e-7  # of the largest entry: half the digits
REFINEMENTS = 40  # each leaves the share shift / (shift + eigenvalue) of the error
LARGE = 500  # rows: from here the order of elimination matters
FILLED = 5.0  # entries of the factors by those of the block: and so does it only where it fills


@dataclass
class BoxProblem:
    """-w in N_[lower,upper](z), w = M z + q, M in CSR; ``work`` counts its factorisations.

    ``symmetric`` says which order they take and ``filled`` how many entries the one had
    that decided it.
    """

    M: csr_array
    q: Vector
    lower: Vector
    upper: Vector
    tol: float
    work: int = 0
    symmetric: bool = False
    filled: int = 0
    size: csr_array = field(init=False)
    row_scale: Vector = field(init=False)
    column_scale: Vector = field(init=False)

    def __post_init__(self) -> None:
        self.size = abs(self.M)
        self.row_scale, self.column_scale = _two_sided_units(self.size)

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.q)

    def shifts(self) -> tuple[Vector, Vector]:
        """Diagonals that make a semidefinite M regular: one size for all rows; in their own units.

        Equality rows may carry any sign; one without a diagonal entry that couples
        symmetrically to the others is counted as turned, and shifted downwards.
        """
        diagonal = self.M.diagonal()
        coupling = np.asarray(self.M.multiply(self.M.T).sum(axis=1)).ravel() - diagonal**2
        turned = (diagonal < 0.0) | ((diagonal == 0.0) & (coupling > 0.0))
        free = np.isinf(self.lower) & np.isinf(self.upper)
        sign = np.where(turned & free, -1.0, 1.0)
        return SHIFT * self.size.max() * sign, SHIFT * self.units() * sign

    def units(self) -> Vector:
        """Units of w for one of z, row by row."""
        diagonal = np.abs(self.M.diagonal())
        return np.where(diagonal > 0.0, diagonal, 1.0 / (self.row_scale * self.column_scale))

    def may_be_monotone(self) -> bool:
        """Whether no two rows with bounds contradict z . M z >= 0, in any units that rows and z share."""
        rows = np.flatnonzero(np.isfinite(self.lower) | np.isfinite(self.upper))
        block = self.M[rows][:, rows]
        diagonal = block.diagonal()
        pairs = (block + block.T).tocoo()
        first, other = pairs.coords
        terms = np.asarray((abs(block) + abs(block.T)).tocsr()[first, other]).ravel()
        least = 2.0 * np.sqrt(np.maximum(diagonal[first], 0.0) * np.maximum(diagonal[other], 0.0))
        return bool((diagonal >= 0.0).all() and (np.abs(pairs.data) <= least + SIGN_TOLERANCE * terms).all())

    def residual(self, z: Vector) -> float:
        """What the certificate says about z."""
        return certify(self.M, self.q, self.lower, self.upper, z, self.tol)[1]

    def largest(self, z: Vector) -> float:
        """The largest entry of z in the units in which M has entries near 1."""
        return float(np.abs(z / self.column_scale).max(initial=0.0))

    def states_of(self, z: Vector) -> States:
        """The bounds that z meets or passes."""
        return np.where(z <= self.lower, -1, np.where(z >= self.upper, 1, 0)).astype(np.int8)

    def solve(self, states: States, shift: Vector | None = None) -> Vector | None:
        """z with w = 0 on the rows inside; None where these are singular and ``shift`` is None.

        With ``shift`` the matrix is M + diag(shift).
        """
        z = np.where(states < 0, self.lower, np.where(states > 0, self.upper, 0.0))
        inside = np.flatnonzero(states == 0)
        if not len(inside):
            return z
        right = -(self.M @ z + self.q)[inside]
        block = self._block(inside, shift)
        factor = self._factor(block, inside, singular=False)
        if factor is None:
            return None
        part = self._apply(factor, inside, right)
        z[inside] = part + self._apply(factor, inside, right - block @ part)
        return z if np.isfinite(z).all() else None

    def solve_shortest(self, states: States, shift: Vector) -> tuple[Vector, int] | None:
        """The same for a singular but consistent block: the least-norm z, and the deficiency.

        Iterated refinement with the shifted block, from zero: each round leaves the share
        shift / (shift + eigenvalue) of the error, and nothing is ever added in the null
        space of a symmetric block. The deficiency is the number of pivots that the shift made.
        """
        z = np.where(states < 0, self.lower, np.where(states > 0, self.upper, 0.0))
        inside = np.flatnonzero(states == 0)
        if not len(inside):
            return z, 0
        right = -(self.M @ z + self.q)[inside]
        factor = self._factor(self._block(inside, shift), inside, singular=True)
        if factor is None:
            return None
        block = self._block(inside, None)
        part = np.zeros(len(inside))
        rest, best = right, np.inf
        for _ in range(REFINEMENTS):
            size = np.abs(rest * self.row_scale[inside]).max()
            if not size < 0.5 * best:
                break
            best = size
            part = part + self._apply(factor, inside, rest)
            rest = right - block @ part
        z[inside] = part
        return z, self._deficiency(factor, inside, shift)

    def deficiency(self, states: States, shift: Vector) -> int:
        """The number of pivots of the block inside that the shift made."""
        inside = np.flatnonzero(states == 0)
        factor = self._factor(self._block(inside, shift), inside, singular=True) if len(inside) else None
        return 0 if factor is None else self._deficiency(factor, inside, shift)

    def recentred(self, z: Vector, shift: Vector) -> BoxProblem:
        """The same with q - shift * z: solved with M + diag(shift), it has the step from z in the shift."""
        other = copy(self)
        other.q = self.q - shift * z
        other.work = 0
        return other

    def correct(self, states: States, z: Vector, shift: Vector | None = None) -> tuple[States, NDArray[np.intp]]:
        """Move the rows whose z or w has the wrong sign; the new states and the rows moved."""
        w = self.M @ z + self.q
        if shift is not None:
            w += shift * z
        terms = self.size @ np.abs(z) + np.abs(self.q)
        moved = states.copy()
        inside = states == 0
        moved[inside & (z < self.lower)] = -1
        moved[inside & (z > self.upper)] = 1
        tolerance = SIGN_TOLERANCE if shift is None else SHIFTED_SIGN_TOLERANCE
        wrong = ~inside & (self.lower < self.upper) & ~(-states * w >= -tolerance * terms)
        moved[wrong] = 0
        return moved, np.flatnonzero(moved != states)

    def degenerate(self, states: States, z: Vector) -> NDArray[np.bool_]:
        """Rows at a bound with w = 0 to rounding."""
        terms = self.size @ np.abs(z) + np.abs(self.q)
        at_bound = (z <= self.lower) | (z >= self.upper)
        return at_bound & (self.lower < self.upper) & (np.abs(self.M @ z + self.q) <= SIGN_TOLERANCE * terms)

    def regular(self, inside: NDArray[np.bool_]) -> bool:
        """Whether the block of these rows and columns is regular."""
        rows = np.flatnonzero(inside)
        return not len(rows) or self._factor(self._block(rows, None), rows, singular=False) is not None

    def _block(self, inside: NDArray[np.intp], shift: Vector | None) -> csr_array:
        block = self.M if len(inside) == self.n else self.M[inside][:, inside]
        return block if shift is None else block + diags_array(shift[inside])

    def _factor(self, block: csr_array, inside: NDArray[np.intp], singular: bool) -> SuperLU | None:
        """LU of the scaled block; None where it is singular to rounding, unless ``singular`` may be."""
        self.work += 1
        scaled = diags_array(self.row_scale[inside]) @ block @ diags_array(self.column_scale[inside])
        factor = self._ordered(scaled.tocsc())
        if factor is None or singular:
            return factor
        largest = np.zeros(len(inside))
        largest[factor.perm_c] = np.ravel(abs(scaled).max(axis=0).toarray())
        return factor if (np.abs(factor.U.diagonal()) > ZERO_PIVOT * largest).all() else None

    def _ordered(self, block: csc_array) -> SuperLU | None:
        """Its LU, in the order that fills less; both are tried where one fills more than before."""
        factor = sparse_lu(block, **(SYMMETRIC if self.symmetric else {}))
        if factor is None or block.shape[0] < LARGE or factor.nnz <= max(2 * self.filled, FILLED * block.nnz):
            return factor
        other = sparse_lu(block, **({} if self.symmetric else SYMMETRIC))
        if other is not None and other.nnz < factor.nnz:
            factor, self.symmetric = other, not self.symmetric
        self.filled = factor.nnz
        return factor

    def _deficiency(self, factor: SuperLU, inside: NDArray[np.intp], shift: Vector) -> int:
        scaled = np.abs(shift[inside]) * self.row_scale[inside] * self.column_scale[inside]
        small = np.abs(factor.U.diagonal()) <= 100.0 * scaled.max()
        return int(small.sum())

    def _apply(self, factor: SuperLU, inside: NDArray[np.intp], right: Vector) -> Vector:
        return self.column_scale[inside] * factor.solve(self.row_scale[inside] * right)


def _two_sided_units(size: csr_array) -> tuple[Vector, Vector]:
    """Powers of two R, C that bring rows and columns of R |M| C near maximum 1: what pivots are held against."""
    n = size.shape[0]
    row, column = np.ones(n), np.ones(n)
    by_column = size.tocsc()
    for _ in range(4):
        row = _damped(row, size @ diags_array(column), 1)
        column = _damped(column, diags_array(row) @ by_column, 0)
    return np.exp2(np.rint(np.log2(row))), np.exp2(np.rint(np.log2(column)))


def _damped(scale: Vector, size: csr_array, axis: int) -> Vector:
    largest = np.ravel(size.max(axis=axis).toarray())
    return np.where(largest > 0.0, np.sqrt(scale / np.where(largest > 0.0, largest, 1.0)), scale)
