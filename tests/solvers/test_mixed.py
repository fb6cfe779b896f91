"""Problems of several cones: the same as each cone's own solver, and as their definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers import solve_box, solve_mixed, solve_mlcp

CAMPAIGN = settings(max_examples=60, deadline=None)
SEEDS = st.integers(0, 2**32 - 1)


def definite(rng: np.random.Generator, n: int) -> np.ndarray:
    factor = rng.normal(size=(n, n))
    return factor @ factor.T + 0.2 * np.eye(n)


@CAMPAIGN
@given(SEEDS, st.integers(3, 12))
def test_blocks_in_any_order_give_the_box_problem(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = definite(rng, n), rng.normal(size=n)
    order = rng.permutation(n)
    parts = np.split(order, np.sort(rng.integers(0, n + 1, size=2)))
    blocks = [("equality", parts[0], None), ("complementarity", parts[1], None), ("box", parts[2], (-0.5, 0.5))]
    lb, ub = np.full(n, -np.inf), np.full(n, np.inf)
    lb[parts[1]], lb[parts[2]], ub[parts[2]] = 0.0, -0.5, 0.5
    expected = solve_box(A, b, lb, ub)
    for matrix in (A, sp.csr_array(A)):
        solution = solve_mixed(matrix, b, blocks)
        np.testing.assert_allclose(solution.z, expected.z, atol=1e-9)
        np.testing.assert_allclose(solution.w, expected.w, atol=1e-9)


def test_rows_may_be_slices_numbers_and_lists() -> None:
    A, b = np.eye(4), np.array([-1.0, 1.0, -2.0, 3.0])
    blocks = [("equality", slice(0, 1), None), ("complementarity", [1, 2], None), ("box", 3, (-1.0, 1.0))]
    np.testing.assert_allclose(solve_mixed(A, b, blocks).z, [1.0, 0.0, 2.0, -1.0])


def test_infeasible_rows_are_named() -> None:
    with pytest.raises(SolverError) as caught:
        solve_mixed(np.diag([1.0, 0.0]), [1.0, -1.0], [("equality", 0, None), ("complementarity", 1, None)])
    assert caught.value.reason == "infeasible"
    assert caught.value.rows == (1,)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([("equality", 0, None)], "row 1 of 2 belongs to no block"),
        ([("equality", [0, 1], None), ("box", 1, (0, 1))], "row 1 belongs to another block"),
        ([("equality", [0, 1, 1], None)], "twice to this one"),
        ([("cone", [0, 1], None)], "equality, complementarity, box, friction"),
        ([("equality", 5, None)], "not rows of a problem of 2"),
        ([("box", [0, 1], 3.0)], r"box needs \(lb, ub\)"),
        ([("friction", 0, 0.3), ("equality", 1, None)], "2, 3 or 5 rows"),
        ([("friction", [0, 1], -0.3)], "a number >= 0"),
        ([("equality", [0, 1])], r"must be \(cone, rows, data\)"),
    ],
)
def test_unusable_blocks_are_refused(blocks: list, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        solve_mixed(np.eye(2), np.zeros(2), blocks)


# ------------------------------------------------------------------------------- friction


def friction_rows_hold(z: np.ndarray, w: np.ndarray, mu: float) -> None:
    """Coulomb's law at one contact, normal first."""
    assert z[0] >= 0.0 and np.linalg.norm(z[1:]) <= mu * z[0] + 1e-8
    slip = np.linalg.norm(w[1:])
    assert w[0] >= -1e-8
    assert abs(z[0] * w[0]) <= 1e-7
    np.testing.assert_allclose(z[1:] * slip, -mu * z[0] * w[1:], atol=1e-7)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from([2, 3]))
def test_equality_complementarity_and_friction_together(seed: int, dim: int) -> None:
    pytest.importorskip("nsdgen.solvers.friction")
    rng = np.random.default_rng(seed)
    n = 3 + 2 * dim
    A, b = definite(rng, n), rng.normal(size=n)
    first, second = slice(3, 3 + dim), slice(3 + dim, n)
    blocks = [
        ("equality", [0, 1], None), ("complementarity", 2, None), ("friction", first, 0.4), ("friction", second, 0.2),
    ]  # fmt: skip
    solution = solve_mixed(A, b, blocks)
    z, w = solution.z, solution.w
    np.testing.assert_allclose(w, A @ z + b, atol=1e-7)
    np.testing.assert_allclose(w[:2], 0.0, atol=1e-10)
    assert z[2] >= 0.0 and w[2] >= -1e-9 and abs(z[2] * w[2]) <= 1e-8
    friction_rows_hold(z[first], w[first], 0.4)
    friction_rows_hold(z[second], w[second], 0.2)


def test_contacts_without_friction_are_complementarity_rows() -> None:
    pytest.importorskip("nsdgen.solvers.friction")
    rng = np.random.default_rng(1)
    A, b = definite(rng, 6), rng.normal(size=6)
    blocks = [("equality", 0, None), ("complementarity", [1, 2], None), ("friction", [3, 4, 5], 0.0)]
    solution = solve_mixed(A, b, blocks)
    rows = np.arange(4)
    expected = solve_mlcp(A[np.ix_(rows, rows)], b[:4], rows == 0)
    np.testing.assert_allclose(solution.z[:4], expected.z, atol=1e-8)
    np.testing.assert_allclose(solution.z[4:], 0.0, atol=1e-12)


@CAMPAIGN
@given(SEEDS)
def test_box_rows_beside_friction(seed: int) -> None:
    """Bounds of every kind, and a contact: w and z have the signs that each row asks for."""
    rng = np.random.default_rng(seed)
    n = 7
    A, b = definite(rng, n), 3.0 * rng.normal(size=n)
    lb = np.array([-np.inf, -1.0, -np.inf, 0.5, -0.5])
    ub = np.array([np.inf, np.inf, 0.25, 0.5, 0.5])
    blocks = [("friction", [0, 1], 0.3), ("box", [2, 3, 4, 5, 6], (lb, ub))]
    for matrix in (A, sp.csr_array(A)):
        solution = solve_mixed(matrix, b, blocks)
        z, w = solution.z[2:], solution.w[2:]
        np.testing.assert_allclose(solution.w, A @ solution.z + b, atol=1e-7)
        assert ((z >= lb) & (z <= ub)).all()
        free = lb < ub
        assert np.abs(w[free & (z > lb) & (z < ub)]).max(initial=0.0) <= 1e-7
        assert (w[free & (z == lb)] >= -1e-7).all()
        assert (w[free & (z == ub)] <= 1e-7).all()
        assert abs(solution.z[1]) <= 0.3 * solution.z[0] + 1e-7
        assert solution.w[0] >= -1e-7


def test_a_multiplier_of_rounding_size_does_not_put_a_row_at_its_cap() -> None:
    rng = np.random.default_rng(9)
    for _ in range(60):
        root = rng.normal(size=(7, 5))
        A, b = root @ root.T, root @ rng.normal(size=5)
        solution = solve_mixed(A, b, [("friction", [0, 1, 2], 0.4), ("box", [3, 4, 5, 6], (-0.3, 0.2))])
        np.testing.assert_allclose(solution.w, A @ solution.z + b, atol=1e-7)
