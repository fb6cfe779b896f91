"""Monotone problems of many rows, judged by the definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from nsdgen.errors import SolverError
from nsdgen.solvers import Solution, solve_box, solve_lcp, solve_mlcp

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]


def american_put(n: int) -> tuple[sp.csr_array, np.ndarray]:
    """One implicit step of the Black-Scholes operator above the payoff, z = value - payoff."""
    i = np.arange(1, n + 1)
    strike, volatility, rate, step = 100.0, 0.3, 0.05, 0.02
    payoff = np.maximum(strike - 300.0 * i / (n + 1), 0.0)
    down = 0.5 * step * (volatility**2 * i**2 - rate * i)
    up = 0.5 * step * (volatility**2 * i**2 + rate * i)
    M = sp.diags_array([-down[1:], 1.0 + step * (volatility**2 * i**2 + rate), -up[:-1]], offsets=[-1, 0, 1])
    q = M @ payoff - payoff
    q[0] -= down[0] * strike
    return sp.csr_array(M), q


def scattered(rng: np.random.Generator, rows: int, columns: int, per_row: int) -> sp.csr_array:
    """Normal entries in random places."""
    count = per_row * rows
    places = rng.integers(0, rows, count), rng.integers(0, columns, count)
    return sp.csr_array(sp.coo_array((rng.normal(size=count), places), shape=(rows, columns)))


def optimality(rng: np.random.Generator, n: int, hessian: sp.csr_array) -> sp.csr_array:
    """The conditions of min z.H z/2 + c.z with z >= 0 and n/3 rows G z >= b."""
    G = scattered(rng, n // 3, n, 4)
    return sp.csr_array(sp.block_array([[hessian, -G.T], [G, None]]))


def offset(rng: np.random.Generator, M: sp.csr_array, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """q of a problem that has a solution, a tenth of whose rows at bounds have w = 0."""
    n = len(lower)
    state = rng.integers(-1, 2, n)
    state[((state < 0) & np.isinf(lower)) | ((state > 0) & np.isinf(upper))] = 0
    low, high = np.where(np.isinf(lower), -2.0, lower), np.where(np.isinf(upper), 2.0, upper)
    z = np.where(state < 0, low, np.where(state > 0, high, low + rng.random(n) * (high - low)))
    w = -state * rng.exponential(size=n) * (rng.random(n) < 0.9)
    return w - M @ z


def check(M: sp.csr_array, q: np.ndarray, lower: np.ndarray, upper: np.ndarray, solution: Solution) -> None:
    """z = projection of z - w on the bounds: each row to 1e-8 of what it is made of, or to rounding."""
    z = solution.z
    w = M @ z + q
    terms = abs(M) @ np.abs(z) + np.abs(q)
    assert ((lower <= z) & (z <= upper)).all()
    inside = (lower < z) & (z < upper)
    wrong = np.where(inside, np.abs(w), np.where(z == lower, np.maximum(-w, 0.0), np.maximum(w, 0.0)))
    assert (wrong[lower < upper] <= 1e-8 * terms[lower < upper] + 1e-14 * terms.max()).all()


def complementarity(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The bounds of n rows of complementarity."""
    return np.zeros(n), np.full(n, np.inf)


@pytest.mark.parametrize("initial", [0.0, 1.0])
def test_the_exercise_region_of_an_american_put(initial: float) -> None:
    """The exercised prices are those below one number; projected Gauss-Seidel agrees."""
    M, q = american_put(3000)
    solution = solve_lcp(M, q, initial=np.full(3000, initial))
    check(M, q, *complementarity(3000), solution)
    assert solution.rank_deficiency == 0
    held = np.flatnonzero(solution.z == 0.0)
    assert len(held) > 100
    np.testing.assert_array_equal(held, np.arange(len(held)))
    # Given the region, the rest is one linear system, solved here without any sparse code.
    free = np.arange(len(held), 3000)
    value = np.linalg.solve(M[free][:, free].toarray(), -q[free])
    assert (value > 0.0).all()
    np.testing.assert_allclose(solution.z[free], value, rtol=1e-9, atol=1e-12)


def test_a_small_american_put_against_projected_gauss_seidel() -> None:
    M, q = american_put(60)
    dense, z = M.toarray(), np.zeros(60)
    for _ in range(20000):
        before = z.copy()
        for i in range(60):
            z[i] = max(0.0, z[i] - (dense[i] @ z + q[i]) / dense[i, i])
        if np.abs(z - before).max() < 1e-13:
            break
    np.testing.assert_allclose(solve_lcp(M, q).z, z, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("kind", ["strict", "semidefinite", "linear"])
@pytest.mark.parametrize("large", [True, False])
def test_optimality_conditions(kind: str, large: bool) -> None:
    rng = np.random.default_rng(3)
    n = {"strict": 1500, "semidefinite": 400, "linear": 1500}[kind] if large else 140
    hessian = sp.csr_array((n, n))
    if kind == "strict":
        hessian = sp.csr_array(sp.diags_array(rng.uniform(0.5, 2.0, n)))
    elif kind == "semidefinite":
        half = scattered(rng, n, n // 2, 2)
        hessian = sp.csr_array(half @ half.T)
    M = optimality(rng, n, hessian)
    bounds = complementarity(M.shape[0])
    q = offset(rng, M, *bounds)
    solution = solve_lcp(M, q)
    check(M, q, *bounds, solution)
    if not large:
        # (M + M^T) z is the same for all solutions of a monotone problem.
        other = solve_lcp(M, q, initial=rng.normal(size=len(q)))
        np.testing.assert_allclose(hessian @ other.z[:n], hessian @ solution.z[:n], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["third of the rank", "skew-symmetric"])
def test_semidefinite_matrices(kind: str) -> None:
    rng = np.random.default_rng(7)
    n = 300
    if kind == "skew-symmetric":
        half = scattered(rng, n, n, 3)
        M = sp.csr_array(half - half.T)
    else:
        half = scattered(rng, n, n // 3, 2)
        M = sp.csr_array(half @ half.T)
    q = offset(rng, M, *complementarity(n))
    solution = solve_lcp(M, q)
    check(M, q, *complementarity(n), solution)
    assert np.abs(solution.z).max() < 1e6
    if kind != "skew-symmetric":
        assert solution.rank_deficiency > 0


def test_the_shortest_solution_where_there_are_many() -> None:
    """Only the sum of each pair of unknowns counts; a chain joins the pairs weakly."""
    pairs = 150
    H = sp.kron(sp.eye_array(pairs), np.array([[1.0], [1.0]]))
    chain = sp.diags_array([np.full(pairs - 1, -0.2), np.ones(pairs), np.full(pairs - 1, -0.2)], offsets=[-1, 0, 1])
    M = sp.csr_array(H @ chain @ H.T)
    q = -(H @ np.random.default_rng(2).uniform(0.5, 1.0, pairs))
    solution = solve_lcp(M, q)
    check(M, q, *complementarity(2 * pairs), solution)
    np.testing.assert_allclose(solution.z[0::2], solution.z[1::2], rtol=1e-6)
    assert solution.rank_deficiency == pairs


def test_bounds_on_both_sides_fixed_and_free_rows() -> None:
    rng = np.random.default_rng(11)
    n = 500
    half = scattered(rng, n, n, 2)
    M = sp.csr_array(half @ half.T + 1e-3 * sp.eye_array(n) + (half - half.T))
    lower, upper = -rng.random(n), rng.random(n)
    lower[rng.random(n) < 0.2] = -np.inf
    upper[rng.random(n) < 0.2] = np.inf
    fixed = rng.random(n) < 0.05
    lower[fixed] = upper[fixed] = 0.25
    q = offset(rng, M, lower, upper)
    solution = solve_box(M, q, lower, upper)
    check(M, q, lower, upper, solution)
    np.testing.assert_allclose(solution.z, solve_box(M.toarray(), q, lower, upper).z, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_equality_rows_of_either_sign(sign: float) -> None:
    """Multipliers of G z = b, a third of them redundant."""
    rng = np.random.default_rng(13)
    n, rows = 300, 100
    G = scattered(rng, rows, n, 3)
    G = sp.csr_array(sp.vstack([G, 2.0 * G[: rows // 2]]))
    half = scattered(rng, n, n // 2, 2)
    M = sp.csr_array(sp.block_array([[half @ half.T, -G.T], [sign * G, None]]))
    lower = np.concatenate([np.zeros(n), np.full(G.shape[0], -np.inf)])
    upper = np.full(len(lower), np.inf)
    q = offset(rng, M, lower, upper)
    solution = solve_mlcp(M, q, np.isinf(lower))
    check(M, q, lower, upper, solution)
    assert solution.rank_deficiency > 0


def test_units_do_not_matter() -> None:
    M, q = american_put(400)
    rng = np.random.default_rng(17)
    row, column = (2.0 ** rng.integers(-12, 12, 400) for _ in range(2))
    scaled = sp.csr_array(sp.diags_array(row) @ M @ sp.diags_array(column))
    solution = solve_lcp(scaled, row * q)
    np.testing.assert_allclose(column * solution.z, solve_lcp(M, q).z, rtol=1e-9, atol=1e-12)


def test_a_problem_that_is_not_monotone_is_solved_or_refused() -> None:
    rng = np.random.default_rng(19)
    n = 400
    M = sp.csr_array(sp.triu(scattered(rng, n, n, 3), 1) + sp.eye_array(n))  # a P-matrix, far from monotone
    order = rng.permutation(n)
    M = sp.csr_array(M[order][:, order])
    q = offset(rng, M, *complementarity(n))
    solution = solve_lcp(M, q)
    check(M, q, *complementarity(n), solution)
    hard = sp.csr_array(-M - M.T)
    with pytest.raises(SolverError):
        solve_lcp(hard, q)


def test_what_no_z_can_meet_is_refused() -> None:
    """Rows that add up to a negative number: the path must not pass off a z without end."""
    n = 300
    ends = np.concatenate([[1.0], np.full(n - 2, 2.0), [1.0]])
    M = sp.csr_array(sp.diags_array([-np.ones(n - 1), ends, -np.ones(n - 1)], offsets=[-1, 0, 1]))
    q = np.random.default_rng(0).normal(size=n)
    with pytest.raises(SolverError) as caught:
        solve_lcp(M, q - q.mean() - 0.1)
    assert caught.value.reason == "infeasible"


def test_only_bounds_that_leave_nothing_open() -> None:
    M = sp.csr_array(np.array([[1.0, 2.0], [-2.0, 1.0]]))
    solution = solve_box(M, [1.0, 1.0], [1.0, 2.0], [1.0, 2.0])
    np.testing.assert_array_equal(solution.z, [1.0, 2.0])
