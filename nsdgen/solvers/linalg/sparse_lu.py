"""Sparse LU, safe for singular matrices.

SuperLU ends on a pivot that is exactly zero, but where the pattern alone makes a matrix
singular (more rows than the columns they share) it may run out of candidate rows and read
past the end of its own lists. Such a matrix is turned away before SuperLU sees it.
"""

from typing import Any

from scipy.sparse import csc_array
from scipy.sparse.csgraph import structural_rank
from scipy.sparse.linalg import SuperLU, splu


def sparse_lu(matrix: csc_array, **options: Any) -> SuperLU | None:
    """The factors of a square matrix, or None where a pivot is exactly zero.

    ``options`` are those of ``scipy.sparse.linalg.splu``. Pivots that are zero but for
    rounding are for the caller to see, in ``U.diagonal()``.
    """
    if structural_rank(matrix) < matrix.shape[0]:
        return None
    try:
        return splu(matrix, **options)
    except RuntimeError:
        return None
