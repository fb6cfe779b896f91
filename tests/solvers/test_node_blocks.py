"""Blocks of matrices whose rows are gathered in nodes, against the matrices themselves."""

from __future__ import annotations

import numpy as np
import pytest
from nsdgen.solvers.linalg._linalg import largest_entries
from scipy.sparse import random_array

from nsdgen.solvers.interaction.graph_problem import block_rows, entries


@pytest.mark.parametrize("seed", range(6))
def test_blocks_hold_the_matrix(seed: int) -> None:
    rng = np.random.default_rng(seed)
    height = rng.integers(1, 5, rng.integers(1, 9))
    row = np.append(0, np.cumsum(height))
    n = int(row[-1])
    A = random_array((n, n), density=0.1, rng=rng, format="csr")
    start, column, places, value = block_rows(*entries(A), row)
    dense, size = np.zeros((n, n)), height[:, None] * height
    there = np.zeros(size.shape, dtype=bool)
    for i in range(len(height)):
        mine = column[start[i] : start[i + 1]]
        assert mine[0] == i
        assert (np.diff(mine[1:]) > 0).all()
        for j, place in zip(mine, places[start[i] : start[i + 1]], strict=True):
            dense[row[i] : row[i + 1], row[j] : row[j + 1]] = value[place : place + size[i, j]].reshape(height[i], -1)
            there[i, j] = True
    np.testing.assert_array_equal(dense, A.toarray())
    np.testing.assert_array_equal(there, there.T)
    assert len(value) == size[there].sum()


@pytest.mark.parametrize("seed", range(3))
def test_largest_entries(seed: int) -> None:
    rng = np.random.default_rng(seed)
    node = rng.permutation(np.repeat(np.arange(4, dtype=np.intc), [1, 2, 3, 5]))
    A = rng.normal(size=(11, 11))
    expected = [[np.abs(A[np.ix_(node == i, node == j)]).max() for j in range(4)] for i in range(4)]
    np.testing.assert_array_equal(largest_entries(A, node, 4), expected)
