"""The sparse LU of iteration matrices beside dense NumPy: patterns, scales, values that change, rank."""

import numpy as np
import pytest

from .entrances import sparse_factors


def pattern(rng, n, each):
    """``each`` entries a column at random, and the diagonal."""
    row = np.concatenate([np.arange(n), rng.integers(0, n, n * each)])
    return row, np.concatenate([np.arange(n), np.repeat(np.arange(n), each)])


def dense(n, row, column, values):
    matrix = np.zeros((n, n))
    np.add.at(matrix, (row, column), values)
    return matrix


def backward_error(matrix, x, b):
    """The largest row of W x - b beside the terms it is made of, rows in units of their own."""
    scale = np.abs(matrix).max(axis=1)
    return (np.abs(matrix @ x - b) / scale).max() / ((np.abs(matrix) @ np.abs(x) + np.abs(b)) / scale).max()


@pytest.mark.parametrize("seed", range(30))
def test_random_patterns_with_entries_that_coincide(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    row, column = pattern(rng, n, int(rng.integers(0, 5)))
    factors = sparse_factors(n, row, column, rng.permutation(n))
    for _ in range(4):  # the same pattern, other values
        values = rng.standard_normal(len(row))
        matrix, b = dense(n, row, column, values), rng.standard_normal(n)
        assert factors.factor(values) == n
        assert backward_error(matrix, factors.solve(b), b) < 1e-11
        assert backward_error(matrix.T, factors.solve(b, transposed=True), b) < 1e-11


@pytest.mark.parametrize("seed", range(10))
def test_bad_scales_change_nothing(seed):
    """Rows and columns in other units, powers of two: the same pivots, the same numbers."""
    rng = np.random.default_rng(seed)
    n = 40
    row, column = pattern(rng, n, 3)
    values, b = rng.standard_normal(len(row)), rng.standard_normal(n)
    units, others = 2.0 ** rng.integers(-20, 20, n), 2.0 ** rng.integers(-20, 20, n)
    plain, scaled = (sparse_factors(n, row, column) for _ in range(2))
    assert plain.factor(values) == n
    assert scaled.factor(values * units[row] * others[column]) == n
    expected = np.linalg.solve(dense(n, row, column, values), b)
    np.testing.assert_allclose(plain.solve(b), expected, rtol=1e-9)
    np.testing.assert_allclose(scaled.solve(b * units) * others, expected, rtol=1e-9)


def test_zero_diagonals_are_exchanged():
    """A saddle point and a cyclic permutation have no pivot on the diagonal."""
    rng = np.random.default_rng(1)
    n, m = 30, 10
    constraint = rng.standard_normal((m, n))
    saddle = np.block([[np.eye(n), constraint.T], [constraint, np.zeros((m, m))]])
    cycle = np.roll(np.eye(12), 1, axis=0)
    for matrix in (saddle, cycle):
        row, column = np.nonzero(matrix)
        factors = sparse_factors(len(matrix), row, column)
        b = rng.standard_normal(len(matrix))
        assert factors.factor(matrix[row, column]) == len(matrix)
        assert backward_error(matrix, factors.solve(b), b) < 1e-11


def test_pivots_that_became_bad_are_chosen_again():
    """The diagonal that was chosen shrinks by nine decades: kept, it would leave few digits."""
    rng = np.random.default_rng(2)
    n = 50
    row, column = pattern(rng, n, 3)
    factors = sparse_factors(n, row, column)
    for size in (10.0, 1e-3, 1e-8, 10.0):
        values = rng.standard_normal(len(row))
        values[:n] *= size
        b = rng.standard_normal(n)
        assert factors.factor(values) == n
        assert backward_error(dense(n, row, column, values), factors.solve(b), b) < 1e-12


def test_growth_is_noticed():
    """Wilkinson's matrix doubles its last column with each pivot: with 60 rows no digit is left, which is noticed."""

    def wilkinson(n):
        matrix = np.eye(n) - np.tril(np.ones((n, n)), -1)
        matrix[:, -1] = 1.0
        return matrix

    row, column = np.nonzero(np.ones((60, 60)))
    sparse_factors(60, row, column).factor(np.eye(60).ravel())
    with pytest.raises(ArithmeticError, match="no pivots"):
        sparse_factors(60, row, column).factor(wilkinson(60).ravel())


@pytest.mark.parametrize("seed", range(20))
def test_a_singular_matrix_keeps_a_regular_core(seed):
    """Rank and border: the core solves what a least-squares solution can, and says what is left."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    lost = int(rng.integers(1, n))
    left, right = rng.integers(-3, 4, (n, n - lost)), rng.integers(-3, 4, (n - lost, n))
    matrix = (left @ right).astype(float)
    row, column = np.nonzero(np.ones((n, n)))
    factors = sparse_factors(n, row, column)
    rank = factors.factor(matrix.ravel())
    assert rank == np.linalg.matrix_rank(matrix)
    rows, columns = factors.border
    assert len(rows) == len(columns) == n - rank
    b = matrix @ rng.standard_normal(n)
    x = factors.solve(b)
    np.testing.assert_array_equal(x[columns], 0.0)
    assert np.abs(matrix @ x - b).max() <= 1e-9 * max(1.0, np.abs(matrix).max() * np.abs(x).max())
    if rank:
        core = np.delete(np.delete(matrix, rows, 0), columns, 1)
        c = rng.standard_normal(n)
        t = factors.solve(c, transposed=True)
        np.testing.assert_array_equal(t[rows], 0.0)
        kept = np.delete(np.arange(n), rows)
        expected = np.linalg.solve(core.T, np.delete(c, columns))
        np.testing.assert_allclose(t[kept], expected, atol=1e-7 * np.abs(expected).max())


def test_rank_that_comes_back_is_found():
    row, column = np.nonzero(np.ones((3, 3)))
    factors = sparse_factors(3, row, column)
    singular = np.array([[1.0, 2, 3], [2, 4, 6], [0, 1, 1]])
    assert [factors.factor(m.ravel()) for m in (singular, singular + np.eye(3), singular)] == [2, 3, 2]


def test_a_chain_has_no_fill():
    """Tridiagonal: one entry of L and one of U for each column but the last."""
    n = 500
    matrix = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    row, column = np.nonzero(matrix)
    factors = sparse_factors(n, row, column)
    assert factors.factor(matrix[row, column]) == n
    assert factors.entries == 2 * (n - 1)
    np.testing.assert_allclose(factors.solve(matrix @ np.ones(n)), 1.0, rtol=1e-10)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(bad):
    with pytest.raises(ArithmeticError, match="not finite"):
        sparse_factors(2, [0, 1], [0, 1]).factor([1.0, bad])
