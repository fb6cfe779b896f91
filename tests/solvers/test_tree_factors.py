"""Factors along a tree beside dense NumPy: inertias of chains that branch, and what they refuse."""

import numpy as np
import pytest

from nsdgen.solvers.linalg.ordering import ancestors

from .entrances import solved_along_tree


def inertia(rng, n):
    """A definite matrix with entries between a row and its ancestors in a random tree, and its pattern."""
    parent = [int(rng.integers(-1, i)) for i in range(n)]
    matrix = np.zeros((n, n))
    for k in range(n):  # J^T J of bodies that move with their ancestors
        above, at = [], k
        while at >= 0:
            above.append(at)
            at = parent[at]
        J = rng.standard_normal((3, len(above)))
        matrix[np.ix_(above, above)] += J.T @ J
    matrix += 0.1 * np.eye(n)
    return (matrix + matrix.T) / 2, list(zip(*np.nonzero(matrix), strict=True))


@pytest.mark.parametrize("seed", range(10))
def test_solutions_are_those_of_numpy(seed):
    """Backward stable as Cholesky's: an error of some roundings times the condition, below 1e6 here."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    matrix, entries = inertia(rng, n)
    start, ancestor = ancestors(n, entries)
    assert len(ancestor) == (len(entries) - n) // 2  # nothing is filled in
    for columns in (1, 2, 3, 5):
        b = rng.standard_normal((n, columns))
        x = solved_along_tree(matrix, b, start, ancestor)
        np.testing.assert_allclose(x, np.linalg.solve(matrix, b), rtol=1e-9, atol=1e-9)


def test_patterns_that_are_no_tree_are_filled_in():
    """A ring: the entry between its ends fills the row of every member between."""
    n = 6
    matrix = 4 * np.eye(n)
    for i in range(n):
        matrix[i, i - 1] = matrix[i - 1, i] = -1
    start, ancestor = ancestors(n, zip(*np.nonzero(matrix), strict=True))
    b = np.arange(1.0, n + 1)[:, None]
    np.testing.assert_allclose(solved_along_tree(matrix, b, start, ancestor), np.linalg.solve(matrix, b), rtol=1e-14)


@pytest.mark.parametrize("wrong", ["indefinite", "singular", "asymmetric", "nan"])
def test_what_has_no_such_factors_is_refused(wrong):
    matrix = np.array([[2.0, 1.0], [1.0, 2.0]])
    if wrong == "asymmetric":
        matrix[0, 1] = np.nextafter(1.0, 2.0)
    else:
        matrix[1, 1] = {"indefinite": -1.0, "singular": 0.0, "nan": np.nan}[wrong]
    assert solved_along_tree(matrix, np.ones((2, 1)), *ancestors(2, [(0, 1), (1, 0)])) is None
