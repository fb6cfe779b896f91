"""Lemke's method from other bases, and proofs that there is no solution."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from nsdgen.errors import SolverError
from nsdgen.solvers import solve_lcp
from nsdgen.solvers.certify.feasible import Feasibility, excludes, feasibility


def game(rng: np.random.Generator, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Positive costs of two players, (rows, columns) each."""
    return rng.uniform(1.0, 2.0, (rows, columns)), rng.uniform(1.0, 2.0, (rows, columns))


@pytest.mark.parametrize("n", [10, 20, 40, 60, 100])
@pytest.mark.parametrize("seed", range(4))
def test_bimatrix_games_end_in_an_equilibrium(n: int, seed: int) -> None:
    """M >= 0 with zero diagonal: from z = 0 every covering vector leads to a ray at once."""
    rng = np.random.default_rng([n, seed])
    rows = n // 2 if seed % 2 else n // 3
    first, second = game(rng, rows, n - rows)
    M = np.zeros((n, n))
    M[:rows, rows:], M[rows:, :rows] = first, second.T
    z = solve_lcp(M, -np.ones(n)).z
    assert np.abs(np.minimum(z, M @ z - 1.0)).max() <= 1e-12
    # Nobody has a cheaper row (column), given the mixture of the other.
    x, y = z[:rows] / z[:rows].sum(), z[rows:] / z[rows:].sum()
    np.testing.assert_allclose(x @ first @ y, (first @ y).min(), rtol=1e-11)
    np.testing.assert_allclose(x @ second @ y, (x @ second).min(), rtol=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_units_of_a_game_do_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = game(rng, 12, 13)
    M = np.zeros((25, 25))
    M[:12, 12:], M[12:, :12] = first, second.T
    rows, columns = np.exp2(rng.integers(-12, 13, (2, 25)))
    scaled, q = rows[:, None] * M * columns, -rows
    z = solve_lcp(scaled, q).z * columns
    assert np.abs(np.minimum(z, M @ z - 1.0)).max() <= 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_nonnegative_matrices_with_a_zero_diagonal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 40
    M = rng.uniform(0.0, 1.0, (n, n))
    np.fill_diagonal(M, 0.0)
    z = np.where(rng.random(n) < 0.5, rng.exponential(size=n), 0.0)
    q = np.where(z > 0.0, 0.0, rng.exponential(size=n)) - M @ z
    z = solve_lcp(M, q).z
    assert np.abs(np.minimum(z, M @ z + q)).max() <= 1e-9


@pytest.mark.parametrize("n", [600, 700])
@pytest.mark.slow
def test_paths_through_full_skew_matrices_are_long(n: int) -> None:
    rng = np.random.default_rng(n)
    M = rng.normal(size=(n, n))
    M -= M.T
    z = np.where(rng.random(n) < 0.5, rng.exponential(size=n), 0.0)
    q = np.where(z > 0.0, 0.0, rng.exponential(size=n)) - M @ z
    z = solve_lcp(M, q).z
    assert np.abs(np.minimum(z, M @ z + q)).max() <= 1e-8


# ------------------------------------------------------------------ proofs of infeasibility


def moler(n: int) -> np.ndarray:
    """Regular and positive definite, of integers, with a condition number near 4^n."""
    root = np.eye(n) - np.triu(np.ones((n, n)), 1)
    return root.T @ root


@pytest.mark.parametrize("n", [25, 30, 50, pytest.param(75, marks=pytest.mark.slow)])
def test_a_matrix_singular_to_rounding_proves_nothing(n: int) -> None:
    """A solution exists: its largest z is near 4^n, where -1 drowns in the terms of its row."""
    M, q = moler(n), -np.ones(n)
    with pytest.raises(SolverError) as caught:
        solve_lcp(M, q)
    assert caught.value.reason in ("ray", "not converged")
    assert feasibility(M, q, np.zeros(n), np.full(n, np.inf)) != Feasibility.EXCLUDED


@pytest.mark.parametrize("n", [5, 30, *(pytest.param(n, marks=pytest.mark.slow) for n in (60, 100))])
@pytest.mark.parametrize("integers", [True, False])
def test_no_force_meets_a_demand_that_cancels(n: int, integers: bool) -> None:
    """The rows of M = G G^T add up to zero, those of w >= 0 to -n."""
    rng = np.random.default_rng(n)
    G = rng.normal(size=(n, n // 2))
    if integers:
        G = np.rint(3.0 * G)
        G[0] = -G[1:].sum(axis=0)
    else:
        G -= G.mean(axis=0)
    with pytest.raises(SolverError) as caught:
        solve_lcp(G @ G.T, -np.ones(n))
    # The roundings of G G^T make it regular: for these numbers there may be a z of enormous size.
    assert caught.value.reason == ("infeasible" if integers else "not converged")
    assert ("rounding decides" in str(caught.value)) != integers


@pytest.mark.parametrize("n", [15, 40, 100])
def test_a_game_with_a_row_of_gains_is_told_infeasible(n: int) -> None:
    """w_0 = -1 - (something positive): a column of M^T u is strictly negative, which needs no rounding."""
    rng = np.random.default_rng(n)
    M = rng.uniform(0.0, 1.0, (n, n))
    M[0] *= -1.0
    with pytest.raises(SolverError) as caught:
        solve_lcp(M, -np.ones(n))
    assert caught.value.reason == "infeasible"


def test_what_multipliers_prove() -> None:
    """u . w = (M^T u) . z + u . q must be negative for every z in its bounds."""
    zero, infinity = np.zeros(2), np.full(2, np.inf)
    q, u = -np.ones(2), np.ones(2)
    singular = csr_array([[1.0, -1.0], [-1.0, 1.0]])
    assert excludes(singular, q, zero, infinity, u)
    assert not excludes(singular, -q, zero, infinity, u)
    assert not excludes(singular, q, zero, infinity, np.array([1.0, 0.5]))
    # A regular M of integers beside multipliers that nearly cancel.
    large = 2.0**40
    regular = csr_array([[large, -large], [-large, large + 1.0]])
    assert not excludes(regular, q, zero, infinity, u)
    # Bounds count: z_0 <= 3 adds no more than 3 to u . w. A row with two bounds has no sign to exclude.
    upper, second = np.array([3.0, np.inf]), np.array([0.0, 1.0])
    assert excludes(csr_array([[0.0, 0.0], [1.0, 0.0]]), np.array([0.0, -4.0]), zero, upper, second)
    assert not excludes(csr_array([[0.0, 0.0], [1.0, 0.0]]), np.array([0.0, -2.0]), zero, upper, second)
    assert not excludes(csr_array([[1.0, 0.0], [0.0, 0.0]]), np.array([-4.0, 0.0]), zero, upper, second[::-1].copy())


def test_proofs_hold_for_the_numbers_given() -> None:
    """A positive definite M was told infeasible: its rows cancel but for 1e-14."""
    for last, reason in ((1.0 + 1e-14, "not converged"), (1.0, "infeasible"), (1.0 - 1e-14, "infeasible")):
        with pytest.raises(SolverError) as caught:
            solve_lcp([[1.0, -1.0], [-1.0, last]], [-9.81e-3, 0.0])
        assert caught.value.reason == reason
    assert "rounding decides" in str(_refusal([[1.0, -1.0], [-1.0, 1.0 + 1e-14]], [-9.81e-3, 0.0]))
    # In other units, and of numbers that are no integers.
    third, seventh = 1.0 / 3.0, 1.0 / 7.0
    M = np.array([[third, -third, 0.0], [-third, third + seventh, -seventh], [0.0, -seventh, seventh]])
    M[1, 1] = 0.0
    assert _refusal(np.diag([1.0, 1e-9, 3.0]) @ M, [-1.0, -1e-9, -3.0]).reason == "infeasible"


def _refusal(M: Any, q: Any) -> SolverError:
    with pytest.raises(SolverError) as caught:
        solve_lcp(M, q)
    return caught.value


def test_a_ray_is_not_believed_at_once(attack: ModuleType) -> None:
    """A game of two players has an equilibrium; ties of -1 in q led every covering vector to a ray."""
    outcome = attack.tried("bimatrix games", 103, 0, True)
    assert not outcome.reason and outcome.off <= 1e-12
