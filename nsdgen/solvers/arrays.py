"""The arrays that all solvers share: their types, and a block of a matrix."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = Any  # a dense NDArray[np.float64] or a scipy.sparse.csr_array


def block(A: Matrix, rows: NDArray[np.intp]) -> Matrix:
    """The rows and columns ``rows`` of A, in their order; A itself where these are all."""
    if len(rows) == A.shape[0] and np.array_equal(rows, np.arange(len(rows))):
        return A
    return A[rows[:, None], rows] if isinstance(A, np.ndarray) else A[rows][:, rows]
