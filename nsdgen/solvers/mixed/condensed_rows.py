"""Equality rows left out of a problem whose other rows move through them alone: contacts and joints on M v = H r + f.

Of y = A z + b the rows with y = 0 and an entry of their own give z of themselves where their block M is regular; what
they leave to the others is A_rr - A_re M^-1 A_er. Joints, without entries of their own, stay as they are.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning, lu_factor, lu_solve
from scipy.sparse import csc_array, csr_array, hstack

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.linalg.sparse_lu import sparse_lu

__all__ = ["CondensedRows", "condensed_rows"]

Rows = NDArray[np.intp]
Solve = Callable[[Vector], Vector]

OWN = 1e-8  # in natural units: a smaller entry of a row in its own column is none
REGULAR = 1e-12  # of the largest pivot
CANCELLED = 1e-13  # of their terms: what is left of them is rounding
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
        result[self.kept], result[self.left] = z, -self.solve(self.outer @ z + self.inner)
        return result


def condensed_rows(A: Matrix, b: Vector, equality: NDArray[np.bool_]) -> CondensedRows | None:
    """The problem in natural units without such rows of ``equality`` (n,).

    None where every row has an entry of its own, or the block of those that have is singular.
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
    moved, size = _products(lower, solve, outer)
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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LinAlgWarning)
            factors = lu_factor(M)
        pivot, solve = np.abs(factors[0].diagonal()), partial(lu_solve, factors)
    else:
        factor = sparse_lu(csc_array(M))
        if factor is None:
            return None
        pivot, solve = np.abs(factor.U.diagonal()), factor.solve
    return solve if pivot.min() > REGULAR * pivot.max() else None


def _products(lower: Matrix, solve: Solve, outer: Matrix) -> tuple[Matrix, Matrix]:
    """``lower`` M^-1 ``outer`` and the sizes of its terms."""
    if isinstance(outer, np.ndarray):
        columns = solve(outer)
        return lower @ columns, np.abs(lower) @ np.abs(columns)
    by_column, parts, sizes = csc_array(outer), [], []
    for first in range(0, outer.shape[1], CHUNK):
        columns = solve(by_column[:, first : first + CHUNK].toarray())
        parts.append(csr_array(lower @ columns))
        sizes.append(csr_array(abs(lower) @ np.abs(columns)))
    return hstack(parts, format="csr"), hstack(sizes, format="csr")
