"""Few rows with bounds, by the case of the guess: against all cases tried one after the other."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from nsdgen.abi import Cone
from nsdgen.solvers.interaction.graph_problem import solve_graph

SEEDS = st.integers(0, 2**32 - 1)


def by_trial(A: np.ndarray, b: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    """All z of all cases: each row at its lower bound, at its upper one, or free."""
    found = []
    for sides in product((-1, 0, 1), repeat=len(b)):
        side = np.array(sides)
        free, z = side == 0, np.where(side < 0, low, high)
        if free.any():
            z[free] = np.linalg.solve(A[np.ix_(free, free)], -(b + A[:, ~free] @ z[~free])[free])
        y = A @ z + b
        if np.all(np.where(free, (z > low) & (z < high), side * y < 0)):
            found.append(z)
    return found


def coupled(A: np.ndarray) -> sp.csr_array:
    return sp.csr_array(A)


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_one_solution_is_found_from_any_guess(seed: int) -> None:
    """Diagonals that dominate make a P-matrix, symmetric or not."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    A = rng.normal(size=(n, n)) * np.exp(rng.normal(size=(n, 1)))
    np.fill_diagonal(A, 0.1 * np.abs(A).max() + np.abs(A).sum(axis=1))
    b, low = 3.0 * rng.normal(size=n) * np.diag(A), -np.abs(rng.normal(size=n))
    high = low + np.abs(rng.normal(size=n)) + 0.1
    (truth,) = by_trial(A, b, low, high)
    guess = rng.choice([-9.0, 0.0, 9.0], size=n)
    solution = solve_graph(coupled(A), b, np.full(n, Cone.BOX), np.column_stack([low, high]), initial=guess)
    np.testing.assert_allclose(solution.z, truth, rtol=1e-12, atol=1e-13)
    y = A @ truth + b
    np.testing.assert_allclose(solution.w, np.where((truth > low) & (truth < high), 0.0, y), rtol=1e-10, atol=1e-11)
    assert solution.rank_deficiency == 0


@pytest.mark.parametrize("guess", [-1.0, 1.0])
def test_of_several_solutions_the_guess_decides(guess: float) -> None:
    """y = -z: a relay with hysteresis may be at either bound, and stays where it is."""
    solution = solve_graph(coupled(-np.eye(1)), np.zeros(1), [Cone.BOX], [[-1.0, 1.0]], initial=[guess])
    assert solution.z[0] == guess
    assert solution.w[0] == -guess


def test_a_row_between_two_cases_is_left_to_the_general_method() -> None:
    """z = 1 with y = 0: at its bound, and free."""
    solution = solve_graph(coupled(np.eye(1)), [-1.0], [Cone.BOX], [[-1.0, 1.0]], initial=[1.0])
    assert solution.z[0] == 1.0
    assert solution.w[0] == 0.0


def test_dependent_rows_still_give_the_shortest_solution() -> None:
    """Two relays in one place: A is singular where both are free."""
    solution = solve_graph(coupled(np.ones((2, 2))), [-1.0, -1.0], [Cone.BOX] * 2, [[-1.0, 1.0]] * 2)
    np.testing.assert_allclose(solution.z, [0.5, 0.5], atol=1e-9)
    assert solution.rank_deficiency == 1


@pytest.mark.parametrize("cone", [Cone.EQUALITY, Cone.COMPLEMENTARITY])
def test_rows_without_bounds_of_their_own_go_with_them(cone: Cone) -> None:
    A = np.array([[2.0, 0.5], [0.5, 1.0]])
    solution = solve_graph(coupled(A), [-4.0, -0.25], [Cone.BOX, cone], [[-1.0, 1.0], [0.0, 0.0]])
    z = 0.25 - 0.5  # of the second row, where the first is at its upper bound
    expected = [1.0, z if cone == Cone.EQUALITY else 0.0]
    np.testing.assert_allclose(solution.z, expected, rtol=1e-15)
