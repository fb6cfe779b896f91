"""Sparse problems: the same answers as dense ones, apart and together, at every size."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers import Solution, solve_box, solve_lcp, solve_mlcp
from nsdgen.solvers.certify.row_certificate import certify
from nsdgen.solvers.linalg.sparse_lu import sparse_lu

CAMPAIGN = settings(max_examples=40, deadline=None)
SEEDS = st.integers(0, 2**32 - 1)


def chain(n: int) -> sp.csr_array:
    """The Delassus matrix of n beads in a row, unit masses."""
    return sp.csr_array(sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]))


def pile(rng: np.random.Generator, bodies: int) -> sp.csr_array:
    """Gap gradients of three contacts a body, between neighbours and with the floor."""
    rows = np.repeat(np.arange(3 * bodies), 2)
    first = rng.integers(0, bodies, size=3 * bodies)
    other = np.minimum(first + rng.integers(1, 4, size=3 * bodies), bodies - 1)
    values = np.column_stack([np.ones(3 * bodies), np.where(first == other, 0.0, -1.0)])
    columns = np.column_stack([first, other])
    return sp.csr_array(sp.coo_array((values.ravel(), (rows, columns.ravel())), shape=(3 * bodies, bodies)))


def check(M: sp.csr_array, q: np.ndarray, solution: Solution) -> None:
    """A complementarity problem: exact signs, small residual."""
    z, w = solution.z, solution.w
    assert (z >= 0.0).all() and (w >= 0.0).all() and (z * w == 0.0).all()
    terms = abs(M) @ z + np.abs(q)
    assert (np.abs(M @ z + q - w) <= 1e-8 * terms).all()


@CAMPAIGN
@given(SEEDS, st.integers(5, 150), st.sampled_from(["csr", "bsr", "csc", "coo"]))
def test_sparse_equals_dense(seed: int, n: int, form: str) -> None:
    rng = np.random.default_rng(seed)
    M = chain(n) + sp.diags_array(0.1 * rng.random(n))
    q = rng.normal(size=n)
    sparse = solve_lcp(M.asformat(form), q)
    check(M, q, sparse)
    np.testing.assert_allclose(sparse.z, solve_lcp(M.toarray(), q).z, rtol=1e-8, atol=1e-10)


@CAMPAIGN
@given(SEEDS, st.integers(2, 30))
def test_independent_parts_are_found_and_solved_apart(seed: int, parts: int) -> None:
    """A shuffled block diagonal with equality rows gives what its blocks give."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 8, size=parts)
    blocks, pieces, kinds, expected = [], [], [], []
    for size in sizes:
        factor = rng.normal(size=(size, size))
        blocks.append(factor @ factor.T + 0.1 * np.eye(size))
        pieces.append(rng.normal(size=size))
        kinds.append(rng.random(size) < 0.3)
        expected.append(solve_mlcp(blocks[-1], pieces[-1], kinds[-1]).z)
    order = rng.permutation(sizes.sum())
    M = sp.csr_array(sp.block_diag(blocks)).tocsr()[order][:, order]
    solution = solve_mlcp(M, np.concatenate(pieces)[order], np.concatenate(kinds)[order])
    np.testing.assert_allclose(solution.z, np.concatenate(expected)[order], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("n", [300, 3000])
@pytest.mark.parametrize("solver", [None, "newton"])
def test_long_chains(n: int, solver: str | None) -> None:
    rng = np.random.default_rng(n)
    q = rng.normal(size=n)
    solution = solve_lcp(chain(n), q, solver=solver)
    check(chain(n), q, solution)
    warm = solve_lcp(chain(n), q, initial=solution.z)
    assert warm.solver == "newton"
    assert warm.iterations <= 2
    np.testing.assert_allclose(warm.z, solution.z, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("bodies", [30, 120, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("solver", [None, "newton"])
def test_more_contacts_than_degrees_of_freedom(bodies: int, solver: str | None) -> None:
    """z is not unique and marked so; what moves the bodies, H^T z, is."""
    rng = np.random.default_rng(bodies)
    H = pile(rng, bodies)
    W, q = sp.csr_array(H @ H.T), H @ rng.normal(size=bodies)
    solution = solve_lcp(W, q, solver=solver)
    check(W, q, solution)
    assert solution.rank_deficiency > 0
    other = solve_lcp(W, q, initial=rng.normal(size=3 * bodies))
    np.testing.assert_allclose(H.T @ other.z, H.T @ solution.z, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(other.z, solution.z, rtol=1e-5, atol=1e-5)


@CAMPAIGN
@given(SEEDS, st.integers(110, 200))
def test_box_problems_by_newtons_method(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    M = sp.csr_array(chain(n) + sp.random_array((n, n), density=1 / n, rng=rng) * 0.1)
    q = 3 * rng.normal(size=n)
    lb = np.where(rng.random(n) < 0.3, -np.inf, -rng.random(n))
    ub = np.where(rng.random(n) < 0.3, np.inf, rng.random(n))
    solution = solve_box(M, q, lb, ub, solver="newton")
    dense = solve_box(M.toarray(), q, lb, ub, solver="pivoting")
    np.testing.assert_allclose(solution.z, dense.z, rtol=1e-8, atol=1e-9)


@CAMPAIGN
@given(SEEDS, st.floats(0.0, 4.0))
def test_units_and_order_do_not_matter(seed: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    n = 260
    M, q = chain(n), rng.normal(size=n)
    units, order = 10.0 ** (spread * rng.uniform(-1, 1, size=n)), rng.permutation(n)
    scaled = sp.csr_array(sp.diags_array(units) @ M @ sp.diags_array(units))[order][:, order]
    turned = solve_lcp(scaled, (units * q)[order])
    np.testing.assert_allclose(turned.z * units[order], solve_lcp(M, q).z[order], rtol=1e-6, atol=1e-8)


def test_a_saddle_point_of_free_velocities_and_contacts() -> None:
    """m v - H^T r = f, H v >= 0: the same reactions as the condensed problem."""
    rng = np.random.default_rng(3)
    bodies = 150
    H, f = pile(rng, bodies), rng.normal(size=bodies)
    saddle = sp.block_array([[sp.eye_array(bodies), -H.T], [H, sp.csr_array((3 * bodies, 3 * bodies))]])
    equality = np.arange(4 * bodies) < bodies
    solution = solve_mlcp(saddle, np.concatenate([-f, np.zeros(3 * bodies)]), equality)
    condensed = solve_lcp(sp.csr_array(H @ H.T), H @ f)
    np.testing.assert_allclose(solution.z[:bodies], f + H.T @ condensed.z, rtol=1e-7, atol=1e-8)


def test_repeated_runs_give_the_same_bits() -> None:
    rng = np.random.default_rng(5)
    H = pile(rng, 60)
    W, q = sp.csr_array(H @ H.T), H @ rng.normal(size=60)
    assert solve_lcp(W, q).z.tobytes() == solve_lcp(W, q).z.tobytes()


def test_an_infeasible_part_is_named_in_the_whole() -> None:
    M = sp.csr_array(sp.block_diag([chain(150), [[1.0, -1.0], [-1.0, 1.0]]]))
    q = np.concatenate([np.ones(150), [-1.0, -1.0]])
    with pytest.raises(SolverError, match=r"row 15[01]") as caught:
        solve_lcp(M, q)
    assert caught.value.reason == "infeasible"
    assert caught.value.rows[0] in (150, 151)


def test_a_ray_of_an_infeasible_problem_is_told_from_one_that_may_have_solutions() -> None:
    """Pivoting ends on a ray in both; only the first has rows that no z >= 0 can meet."""
    with pytest.raises(SolverError) as caught:
        solve_lcp([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [-1.0, -1.0, 0.0]], [1.0, 1.0, -1.0])
    assert caught.value.reason == "infeasible"
    with pytest.raises(SolverError) as caught:
        solve_lcp([[-1.0]], [-1.0])
    assert caught.value.reason in ("infeasible", "ray")


def test_the_certificate_refuses_what_is_not_a_solution() -> None:
    M, q, infinite = np.array([[2.0, 0.0], [0.0, 2.0]]), np.array([-2.0, 1.0]), np.full(2, np.inf)
    assert certify(M, q, np.zeros(2), infinite, np.array([1.0, 0.0]), 1e-8)[1:] == (0.0, 0)
    for z, worst in (([1.0, 0.5], 1), ([0.0, 0.0], 0), ([1.0, -0.1], 1), ([np.nan, 0.0], 0)):
        residual, row = certify(M, q, np.zeros(2), infinite, np.array(z), 1e-8)[1:]
        assert residual > 1e-3
        assert row == worst
    far = certify(np.ones((2, 2)) - np.eye(2), q, np.zeros(2), infinite, np.array([1e20, 1e20]), 1e-8)
    assert far[1] == 1.0


def test_unusable_sparse_data_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"M\[1, 0\] is nan"):
        solve_lcp(sp.csr_array([[1.0, 0.0], [np.nan, 1.0]]), [1.0, 1.0])
    with pytest.raises(ParameterError, match=r"M must have shape \(2, 2\)"):
        solve_lcp(sp.csr_array((3, 3)), [1.0, 1.0])


def test_the_data_of_the_caller_stay_as_they_are() -> None:
    M = sp.csr_matrix((np.ones(4), ([0, 0, 1, 1], [0, 0, 1, 1])), shape=(2, 2))
    M.has_canonical_format = False
    initial = np.array([-1.0, 5.0])
    before = (M.data.copy(), M.indices.copy())
    solve_lcp(M, np.array([-1.0, 1.0]), initial=initial)
    np.testing.assert_array_equal(M.data, before[0])
    np.testing.assert_array_equal(initial, [-1.0, 5.0])


def test_a_pattern_that_is_singular_is_turned_away_before_the_factorisation() -> None:
    """More rows than the columns that they share: SuperLU would read past its lists."""
    rng = np.random.default_rng(11)
    H = pile(rng, 60)
    saddle = sp.block_array([[sp.eye_array(60), -H.T], [H, sp.csr_array((180, 180))]]).tocsc()
    assert sparse_lu(saddle) is None
    assert sparse_lu(sp.csc_array(np.ones((3, 3)))) is None
    np.testing.assert_allclose(sparse_lu(sp.csc_array(2.0 * np.eye(3))).solve(np.ones(3)), 0.5)


def test_no_solution_of_a_long_chain_is_proved() -> None:
    """More rows than the dense solver takes: the rows add up to 0 = sum q < 0, and a linear program sees it."""
    n = 2600
    ends = np.concatenate([[1.0], np.full(n - 2, 2.0), [1.0]])
    M = sp.diags_array([-np.ones(n - 1), ends, -np.ones(n - 1)], offsets=[-1, 0, 1])
    q = np.random.default_rng(0).normal(size=n)
    with pytest.raises(SolverError) as caught:
        solve_lcp(M, q - q.mean() - 0.1)
    assert caught.value.reason == "infeasible"


def test_parts_without_connection_have_no_common_floor() -> None:
    """What rounds off in one part is no excuse for a row of another, whatever units the parts are in."""
    one = np.array([[2.0, 1.0], [1.0, 2.0]])
    bounds = np.zeros(4), np.full(4, np.inf)
    for unit in (1.0, 2.0**-30, 2.0**30):
        M = np.kron(np.diag([1.0, unit]), one)
        q = np.concatenate([[-1e3, -1e3], [-unit, -unit]])
        z = np.concatenate([np.linalg.solve(one, [1e3, 1e3]), np.linalg.solve(one, [1.0, 1.0])])
        assert certify(M, q, *bounds, z, 1e-8)[1] < 1e-12
        z[2] *= 1.0 + 1e-6
        assert certify(M, q, *bounds, z, 1e-8)[1] > 1e-7
