"""Elimination orders of small fill for sparse factorisations."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["minimum_degree"]

FEW = 3  # nodes: any order will do


def minimum_degree(start: ArrayLike, column: ArrayLike) -> NDArray[np.intc]:
    """The nodes of a graph in the order of minimum degree, by SuperLU's implementation.

    ``start`` (n + 1) and ``column`` are the rows of its symmetric pattern, compressed.
    The order is always the same for the same graph.
    """
    first = np.asarray(start, dtype=np.intc)
    n = len(first) - 1
    if n <= FEW:
        return np.arange(n, dtype=np.intc)
    from scipy.sparse import csc_array, eye_array
    from scipy.sparse.linalg import splu

    indices = np.array(column, dtype=np.intc)  # a copy: it is sorted below
    pattern = csc_array((np.full(len(indices), -1.0), indices, first), shape=(n, n))
    pattern.sum_duplicates()
    # Diagonally dominant, so that the factorisation which yields the order needs no exchanges.
    dominant = csc_array(pattern + (n + 1.0) * eye_array(n, format="csc"))
    order = splu(dominant, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}).perm_c
    return np.argsort(order).astype(np.intc)
