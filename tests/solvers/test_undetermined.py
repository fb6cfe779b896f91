"""Reactions that a solution with friction leaves undetermined: known physics, and the null space itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from nsdgen.solvers import solve_friction, solve_mlcp


def box_on_the_ground() -> np.ndarray:
    """Directions (12, 6) of four corners, normal and two tangents each, on the twist of one body."""
    rows = []
    for x, y in ((1.0, 0.8), (1.0, -0.8), (-1.0, 0.8), (-1.0, -0.8)):
        arm = np.array([x, y, -0.5])
        for axis in (np.eye(3)[2], np.eye(3)[0], np.eye(3)[1]):
            rows.append(np.concatenate([axis, np.cross(arm, axis)]))
    return np.array(rows)


@pytest.mark.parametrize(
    ("twist", "mu", "undetermined"),
    [
        ([0.05, 0.0, -1.0, 0.0, 0.0, 0.0], 0.5, 6),  # twelve reactions hold six freedoms
        ([3.0, 0.0, -1.0, 0.0, 0.0, 0.0], 0.5, 1),  # four slide along with their normal reactions, on three freedoms
        ([0.1, 0.0, -1.0, 0.0, 0.0, 0.0], 0.0, 1),  # no friction: four reactions, three freedoms
        ([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 0.5, 0),  # it takes off
    ],
)
@pytest.mark.parametrize("sparse", [False, True])
def test_a_box_on_the_ground(twist: list[float], mu: float, undetermined: int, sparse: bool) -> None:
    H = box_on_the_ground()
    W = H @ np.diag([1.0, 1.0, 1.0, 2.0, 2.0, 2.0]) @ H.T
    solution = solve_friction(csr_array(W) if sparse else W, H @ twist, mu)
    assert solution.rank_deficiency == undetermined


@pytest.mark.parametrize("unit", [2.0**-20, 2.0**20])
def test_units_do_not_matter(unit: float) -> None:
    H = box_on_the_ground()
    W, q = H @ H.T, H @ [0.05, 0.0, -1.0, 0.0, 0.0, 0.0]
    assert solve_friction(W * unit**2, q * unit, 0.5).rank_deficiency == solve_friction(W, q, 0.5).rank_deficiency


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3, 5]))
def test_a_regular_matrix_determines_all(seed: int, dim: int) -> None:
    rng = np.random.default_rng(seed)
    n = 3 * dim
    root = rng.normal(size=(n, n))
    rolling = {"mu_rolling": 0.3} if dim == 5 else {}
    solution = solve_friction(root @ root.T + 0.01 * np.eye(n), rng.normal(size=n) - 1.0, 0.4, dim, **rolling)
    assert solution.rank_deficiency == 0


def test_a_matrix_that_is_little_symmetric_determines_all() -> None:
    """Its symmetric part is definite, so that it is regular: a rigid W that was rounded, or gyroscopic."""
    rng = np.random.default_rng(3)
    root, skew = rng.normal(size=(9, 12)), rng.normal(size=(9, 9))
    for share in (1e-9, 0.3):
        W = root @ root.T + share * (skew - skew.T)
        assert solve_friction(W, np.tile([-1.0, 0.1, 0.0], 3), 0.4).rank_deficiency == 0


def test_more_rows_than_are_looked_at() -> None:
    H = box_on_the_ground()
    one = H @ H.T
    q = np.tile(H @ [0.05, 0.0, -1.0, 0.0, 0.0, 0.0], 30)
    assert solve_friction(np.kron(np.eye(30), one), q, 0.5).rank_deficiency == 30 * 6  # parts are counted by themselves
    connected = np.kron(np.eye(30) + np.diag(np.full(29, 0.01), 1) + np.diag(np.full(29, 0.01), -1), one)
    solution = solve_friction(connected, q, 0.5)
    assert solution.rank_deficiency == 0
    assert solve_friction(np.kron(np.eye(30), one), q, 0.5, initial=solution.z).rank_deficiency == 30 * 6


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 20), st.integers(0, 20), st.integers(0, 2**32 - 1))
def test_rank(n: int, freedom: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, min(freedom, n)))
    unit = np.exp2(rng.integers(-10, 11, n))
    matrix = root @ root.T * np.outer(unit, unit)
    found = solve_mlcp(matrix, matrix @ rng.normal(size=n), np.ones(n, dtype=bool))
    assert n - found.rank_deficiency == np.linalg.matrix_rank(root @ root.T)


@pytest.mark.parametrize("corners", [3, 4])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("unit", [1.0, 2.0**20])
def test_shares_that_turn_the_motion(corners: int, sparse: bool, unit: float) -> None:
    """A box slides and spins: friction follows the loads, of which there are three equations."""
    H = box_on_the_ground()[: 3 * corners]
    W, q = H @ H.T * unit**2, H @ [3.0, 1.0, -1.0, 0.0, 0.0, 4.0] * unit
    solution = solve_friction(csr_array(W) if sparse else W, q, 0.3)
    way = solution.w.reshape(corners, 3)[:, 1:] / unit
    assert np.linalg.norm(way, axis=1).min() > 1 and solution.z[::3].min() > 0
    assert np.linalg.matrix_rank(W) == min(6, 3 * corners) and solution.rank_deficiency == corners - 3
