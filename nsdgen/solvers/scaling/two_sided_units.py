"""Units of rows and columns in which the largest entries of each are near 1."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, diags_array

from nsdgen.solvers.arrays import Vector

__all__ = ["two_sided_units"]


def two_sided_units(size: csr_array) -> tuple[Vector, Vector]:
    """Powers of two R, C that bring rows and columns of R |M| C near maximum 1."""
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
