"""Elimination orders of small fill for sparse factorisations."""

from collections.abc import Iterable
from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
    pattern = csc_array((np.ones(len(indices)), indices, first), shape=(n, n))
    pattern.sum_duplicates()
    pattern.data[:] = -1.0  # however often a pair is named, as two bodies are at each of their contacts
    # Diagonally dominant, so that the factorisation which yields the order needs no exchanges.
    dominant = csc_array(pattern + (n + 1.0) * eye_array(n, format="csc"))
    order = splu(dominant, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}).perm_c
    return np.argsort(order).astype(np.intc)


def ancestors(n: int, entries: Iterable[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """What elimination from the last row to the first fills: of each row the rows before it, compressed, ascending.

    ``entries`` are the places of a matrix (n, n); of a mechanism whose links stand behind their parents nothing is
    filled, and these are the velocities of a link's ancestors.
    """
    below: list[set[int]] = [set() for _ in range(n)]
    for i, j in entries:
        if i != j:
            below[max(i, j)].add(min(i, j))
    for i in range(n - 1, -1, -1):
        if below[i]:
            parent = max(below[i])
            below[parent] |= below[i] - {parent}
    whole: list[list[int]] = []
    for own in below:
        parent = max(own, default=-1)
        whole.append([*whole[parent], parent] if own else [])
    return [0, *accumulate(map(len, whole))], [i for row in whole for i in row]
