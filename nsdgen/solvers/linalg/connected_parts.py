"""Rows of a matrix that no entry connects are problems of their own."""

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.arrays import Matrix
from nsdgen.solvers.linalg._linalg import split

Indices = NDArray[np.intc]


def connected_parts(M: Matrix) -> tuple[Indices, Indices]:
    """Independent blocks of M (n, n): rows ``order[first[k]:first[k + 1]]``, each in ascending order.

    Parts come by their first row. A stored zero of a sparse M connects, a zero of a dense one does not.
    """
    n = M.shape[0]
    order, first = np.empty(n, dtype=np.intc), np.empty(n + 1, dtype=np.intc)
    if n == 0:
        return np.zeros(1, dtype=np.intc), order
    if isinstance(M, np.ndarray):
        rows, columns = np.nonzero(M)
        start = np.searchsorted(rows, np.arange(n + 1)).astype(np.intc)
    else:
        start, columns = M.indptr.astype(np.intc, copy=False), M.indices
    parts, _ = split(start, columns.astype(np.intc, copy=False), order, first)
    return first[: parts + 1].copy(), order
