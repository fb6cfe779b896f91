"""Equality rows left out of a problem whose other rows move through them alone: contacts and joints on M v = H r + f.

Of y = A z + b the rows with y = 0 and an entry of their own give z of themselves where their block M is regular; what
they leave to the others is A_rr - A_re M^-1 A_er. Joints, without entries of their own, stay as they are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, hstack

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.linalg.sparse_lu import sparse_lu

Rows = NDArray[np.intp]
Solve = Callable[[Vector], Vector]

OWN = 1e-8  # in natural units: a smaller entry of a row in its own column is none
FULL_ROWS = 150  # rows up to which what is left may be full at no loss
FULL = 0.3  # of its entries: what fills more is not made of a sparse problem
REGULAR = 1e-12  # of the largest pivot
MOST_MOBILE = 1e10  # entries of an inverse in natural units from which on the matrix counts as singular
CANCELLED = 1e-13  # of their terms: what is left of them is rounding
ROUNDING = 4e-16  # of what is added up: two roundings
CHUNK = 64  # columns that are solved for at a time


@dataclass(frozen=True)
class CondensedRows:
    """``A`` and ``b`` of the rows ``kept``; ``left`` are the others."""

    A: Matrix
    b: Vector
    kept: Rows
    left: Rows
    outer: Matrix
    inner: Vector
    solve: Solve

    def whole(self, z: Vector) -> Vector:
        """z of all rows from that of the kept ones."""
        result = np.empty(len(self.kept) + len(self.left))
        right = self.outer @ z + self.inner
        terms = abs(self.outer) @ np.abs(z) + np.abs(self.inner)
        right[np.abs(right) <= ROUNDING * terms] = 0.0  # forces that balance: what they move is at rest
        result[self.kept], result[self.left] = z, -self.solve(right)
        return result


def condensed_rows(A: Matrix, b: Vector, equality: NDArray[np.bool_]) -> CondensedRows | None:
    """The problem in natural units without such rows of ``equality`` (n,).

    None where every row has an entry of its own, where the block of those that have is singular, and where what is
    left of a sparse problem would be nearly full.
    """
    own = np.abs(A.diagonal()) > OWN
    if own.all() or not (equality & own).any():
        return None
    left, kept = np.flatnonzero(equality & own), np.flatnonzero(~(equality & own))
    above, below = A[left], A[kept]
    solve = _solver(above[:, left])
    if solve is None:
        return None
    outer, lower, whole = above[:, kept], below[:, left], below[:, kept]
    if (products := _products(lower, solve, outer)) is None:
        return None
    moved, size = products
    constant = solve(b[left])
    # What is left of terms that cancel is rounding: a contact held by the equalities must not seem to close.
    reduced = whole - moved
    seen = abs(reduced) > CANCELLED * (abs(whole) + size)
    reduced = np.where(seen, reduced, 0.0) if isinstance(A, np.ndarray) else csr_array(reduced.multiply(seen))
    offset, terms = b[kept] - lower @ constant, np.abs(b[kept]) + abs(lower) @ np.abs(constant)
    offset[np.abs(offset) <= CANCELLED * terms] = 0.0
    return CondensedRows(reduced, offset, kept, left, outer, b[left], solve)


def _solver(M: Matrix) -> Solve | None:
    """x with M x = ``right`` for the rows left out; None where M is singular."""
    if isinstance(M, np.ndarray):
        try:
            inverse = np.linalg.inv(M)
        except np.linalg.LinAlgError:
            return None
        # Quicker than factors, and as right: M is small, and near 1 in natural units.
        return partial(np.matmul, inverse) if np.abs(inverse).max() < MOST_MOBILE else None
    factor = sparse_lu(csc_array(M))
    if factor is None:
        return None
    pivot = np.abs(factor.U.diagonal())
    return factor.solve if pivot.min() > REGULAR * pivot.max() else None


def _products(lower: Matrix, solve: Solve, outer: Matrix) -> tuple[Matrix, Matrix] | None:
    """``lower`` M^-1 ``outer`` and the sizes of its terms; None where they fill."""
    if isinstance(outer, np.ndarray):
        columns = solve(outer)
        return lower @ columns, np.abs(lower) @ np.abs(columns)
    by_column, parts, sizes = csc_array(outer), [], []
    for first in range(0, outer.shape[1], CHUNK):
        columns = solve(by_column[:, first : first + CHUNK].toarray())
        parts.append(csr_array(lower @ columns))
        sizes.append(csr_array(abs(lower) @ np.abs(columns)))
        n = outer.shape[1]
        if n > FULL_ROWS and sum(part.nnz for part in parts) > FULL * n * min(first + CHUNK, n):
            return None
    return hstack(parts, format="csr"), hstack(sizes, format="csr")
