"""Least norms of dependent equalities beside ``numpy.linalg.lstsq``: any rank, symmetric or not, any units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nsdgen.errors import SolverError
from nsdgen.solvers import solve_mlcp

CAMPAIGN = settings(max_examples=150, deadline=None)
SEEDS = st.integers(0, 2**32 - 1)
KINDS = ("semidefinite", "mobility", "any", "units")

Array = NDArray[np.float64]


def regular(rng: np.random.Generator, rows: int, columns: int) -> Array:
    """Singular values between 0.1 and 1."""
    left, right = (np.linalg.qr(rng.normal(size=(n, n)))[0] for n in (rows, columns))
    count = min(rows, columns)
    return left[:, :count] * rng.uniform(0.1, 1.0, count) @ right[:count]


def drawn(rng: np.random.Generator, kind: str, n: int, rank: int) -> tuple[Array, Array]:
    """L and R, A = L R: the solutions of A z = L c are those of R z = c."""
    right = regular(rng, rank, n)
    if kind == "any":
        return regular(rng, n, rank), right
    between = np.eye(rank)
    if kind == "mobility":  # unsymmetric, as gyroscopic terms make it
        skew = rng.normal(size=(rank, rank))
        between += 2.0 * (skew - skew.T)
    if kind == "units":  # moments beside forces
        right *= 10.0 ** rng.integers(-3, 4, n)
    return right.T @ between, right


@pytest.mark.parametrize("kind", KINDS)
@CAMPAIGN
@given(seed=SEEDS, n=st.integers(2, 40))
def test_the_shortest_of_all_solutions(kind: str, seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, n))
    left, right = drawn(rng, kind, n, rank)
    c = rng.normal(size=rank)
    if kind == "units":  # as large as rows of such units are
        c *= abs(right).max(axis=1)
    exact = np.linalg.lstsq(right, c, rcond=None)[0]
    solution = solve_mlcp(left @ right, -left @ c, np.ones(n, dtype=bool))
    assert solution.rank_deficiency == n - rank
    spread = np.linalg.cond(right)
    np.testing.assert_allclose(solution.z, exact, rtol=0, atol=1e-13 * n * spread**2 * np.linalg.norm(exact))


@CAMPAIGN
@given(seed=SEEDS, n=st.integers(3, 40), decade=st.floats(-13, -9))
def test_what_is_dependent_but_for_little_is_solved_or_left_out(seed: int, n: int, decade: float) -> None:
    """A direction that A hardly sees: found from b, or taken for one that A does not see."""
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, n - 1))
    left, right = drawn(rng, "any", n, rank)
    also, seen = rng.normal(size=(n, 1)), rng.normal(size=(1, n))
    A = left @ right + 10.0**decade * also @ seen / n
    whole = np.linalg.lstsq(np.vstack([right, seen]), rng.normal(size=rank + 1), rcond=None)[0]
    b = -A @ whole
    solution = solve_mlcp(A, b, np.ones(n, dtype=bool))
    terms = abs(A) @ abs(solution.z) + abs(b)
    assert (abs(A @ solution.z + b) <= 1e-8 * terms).all()
    assert solution.rank_deficiency <= n - rank
    if solution.rank_deficiency == n - rank - 1:
        room = 1 + 1e3 * n * np.finfo(float).eps / 10.0**decade
        assert np.linalg.norm(solution.z) <= room * np.linalg.norm(whole)
    if solution.rank_deficiency == n - rank:
        shortest = np.linalg.lstsq(right, right @ whole, rcond=None)[0]
        np.testing.assert_allclose(solution.z, shortest, rtol=0, atol=1e4 * n * 10.0**decade * np.linalg.norm(whole))


@CAMPAIGN
@given(seed=SEEDS, n=st.integers(2, 40))
def test_contradictions_are_not_taken_for_solutions(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = drawn(rng, "any", n, int(rng.integers(1, n)))
    with pytest.raises(SolverError, match="contradict"):
        solve_mlcp(left @ right, rng.normal(size=n), np.ones(n, dtype=bool))
