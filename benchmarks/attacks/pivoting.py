"""Linear complementarity problems known to be hard: for pivoting, for enumeration, for methods without a guarantee."""

from __future__ import annotations

import numpy as np
from random_problems import excluded
from scipy.sparse import csr_array, diags_array, eye_array, kron

from attacks.problem import Attack, Family, Rng, complementary, signs, units


def _size(rng: Rng, large: bool, small: int = 30, most: int = 300) -> int:
    return int(rng.integers(small, most + 1)) if large else int(rng.integers(1, small + 1))


def _triangle(n: int) -> np.ndarray:
    """Murty's matrix: ones, twos above."""
    return np.eye(n) + 2.0 * np.triu(np.ones((n, n)), 1)


def _load(rng: Rng, M: np.ndarray) -> np.ndarray:
    """The published one, all -1; or one with a degenerate solution."""
    z, w = signs(rng, len(M))
    return -np.ones(len(M)) if rng.random() < 0.5 else w - M @ z


def murty(rng: Rng, large: bool) -> Attack:
    """Principal pivoting needs 2^n steps (Murty, 1978); shuffled."""
    M = _triangle(_size(rng, large))
    order = rng.permutation(len(M))
    return complementary(M[np.ix_(order, order)], _load(rng, M)[order], True)


def fathi(rng: Rng, large: bool) -> Attack:
    """The same for symmetric positive definite M (Fathi, 1979)."""
    L = _triangle(_size(rng, large))
    order = rng.permutation(len(L))
    M = (L.T @ L)[np.ix_(order, order)]
    return complementary(M, _load(rng, M), True)


def hidden_k(rng: Rng, large: bool) -> Attack:
    """M X = Y with Z-matrices X and Y that both make a positive vector positive: M is a P-matrix, nothing shows it."""
    n = _size(rng, large, most=200)
    parts = []
    for _ in range(2):
        off = -rng.exponential(size=(n, n)) * (rng.random((n, n)) < min(1.0, 5.0 / n))
        np.fill_diagonal(off, 0.0)
        parts.append(off - np.diag(off.sum(axis=1) - 10.0 ** rng.uniform(-3, 0)))
    M = parts[1] @ np.linalg.inv(parts[0])
    z, w = signs(rng, n)
    return complementary(M, w - M @ z, True)


def circulant(rng: Rng, large: bool) -> Attack:
    """P-matrices of odd size on which descent and Newton's method cycle (Kostreva, 1979)."""
    n = 2 * _size(rng, large, 12, 120) + 1
    M = np.eye(n) + rng.uniform(0.5, 3.0) * np.roll(np.eye(n), 1, axis=1)
    return complementary(M, -np.ones(n) if rng.random() < 0.5 else rng.normal(size=n), True)


def klee_minty(rng: Rng, large: bool) -> Attack:
    """The conditions of optimality of the linear program whose simplex paths are longest; coefficients to 5^n."""
    n = int(rng.integers(8, 19)) if large else int(rng.integers(1, 9))
    i, j = np.indices((n, n))
    A = np.where(i > j, 2.0 ** (i - j + 1), 0.0) + np.eye(n)
    cost, limit = 2.0 ** np.arange(n - 1, -1, -1), 5.0 ** np.arange(1, n + 1)
    order = rng.permutation(n)
    A, limit = A[order], limit[order]
    M = np.block([[np.zeros((n, n)), A.T], [-A, np.zeros((n, n))]])
    return complementary(M, np.concatenate([-cost, limit]), True)


def bimatrix(rng: Rng, large: bool) -> Attack:
    """Games of two players with positive costs: an equilibrium always exists. M is not semidefinite."""
    rows, columns = (int(k) for k in (rng.integers(20, 101, 2) if large else rng.integers(1, 13, 2)))
    first, second = rng.uniform(0.1, 1.0, (2, rows, columns))
    if rng.random() < 0.3:
        first, second = np.rint(first * 4) + 1, np.rint(second * 4) + 1
    M = np.block([[np.zeros((rows, rows)), first], [second.T, np.zeros((columns, columns))]])
    return complementary(M, -np.ones(rows + columns), True)


def zero_sum(rng: Rng, large: bool) -> Attack:
    """The same where one wins what the other loses, as a linear program: M is skew-symmetric."""
    rows, columns = (int(k) for k in (rng.integers(20, 151, 2) if large else rng.integers(1, 13, 2)))
    A = np.rint(rng.uniform(1, 9, (rows, columns))) if rng.random() < 0.5 else rng.uniform(0.1, 1.0, (rows, columns))
    M = np.block([[np.zeros((rows, rows)), -A], [A.T, np.zeros((columns, columns))]])
    return complementary(M, np.concatenate([np.ones(rows), -np.ones(columns)]), True)


def obstacle(rng: Rng, large: bool) -> Attack:
    """A membrane over a bumpy obstacle, sparse: 1 to 10^5 rows."""
    side = int(np.sqrt(10 ** rng.uniform(3, 5))) if large else int(rng.integers(1, 9))
    line = diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    M = csr_array(kron(line, eye_array(side)) + kron(eye_array(side), line))
    x, y = np.meshgrid(*[np.linspace(0, 1, side)] * 2)
    bumps = np.sin(rng.integers(1, 9) * np.pi * x) * np.sin(rng.integers(1, 9) * np.pi * y)
    floor = 10.0 ** rng.uniform(-3, 1) * bumps.ravel() - rng.uniform(0, 0.3)
    load = rng.normal(size=side**2) if rng.random() < 0.3 else np.full(side**2, 10.0 ** rng.uniform(-2, 2))
    return complementary(M, M @ floor + load / (side + 1) ** 2, True)


def duplicated(rng: Rng, large: bool) -> Attack:
    """Every row many times, exactly: semidefinite, up to 500 rows."""
    n = int(rng.integers(1, 9))
    times = int(rng.integers(100, 501)) // n if large else int(rng.integers(2, 6))
    root = rng.integers(-2, 3, (n, max(1, n - 1))).astype(float)
    z, w = signs(rng, n)
    M = root @ root.T
    q = np.rint(8 * w) - M @ np.rint(8 * z)
    order = rng.permutation(np.tile(np.arange(n), max(times, 1)))
    return complementary(M[np.ix_(order, order)], q[order], True)


def far_units(rng: Rng, large: bool) -> Attack:
    """Rows and columns in units between 1e-139 and 1e139, apart or alike."""
    n = _size(rng, large, 20, 150)
    root, skew = rng.normal(size=(2, n, n))
    M = root @ root.T / n + 0.1 * np.eye(n) + (skew - skew.T) * (rng.random() < 0.5)
    z, w = signs(rng, n)
    row = units(rng, n)
    return complementary(M, w - M @ z, True, row, row if rng.random() < 0.5 else units(rng, n))


def impossible(rng: Rng, large: bool) -> Attack:
    """u >= 0 with M^T u = 0 and u . q < 0, of integers, in units far apart."""
    n = _size(rng, large, 20, 150) + 1
    root, q = excluded(rng, n)
    row, column = (units(rng, n, int(rng.choice([0, 20, 300]))) for _ in range(2))
    return complementary(root @ root.T, q, False, row, column)


FAMILIES: dict[str, Family] = {
    "hidden K": hidden_k, "Murty": murty, "Fathi": fathi, "circulant": circulant, "Klee-Minty": klee_minty,
    "bimatrix games": bimatrix, "zero-sum games": zero_sum, "obstacle": obstacle, "duplicated rows": duplicated,
    "far units": far_units, "no solution, far units": impossible,
}  # fmt: skip
