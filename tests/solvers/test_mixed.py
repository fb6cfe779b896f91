"""Problems of several cones: the same as each cone's own solver, and as their definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers import solve_box, solve_friction, solve_mixed, solve_mlcp
from nsdgen.solvers.linalg.connected_parts import connected_parts

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


def test_contacts_of_two_dimensions_that_nothing_loads() -> None:
    """Once a division by zero: what is off was measured beside a load of nothing."""
    found = solve_mixed(np.eye(5) + 0.1, np.zeros(5), [("friction", [0, 1], 0.5), ("friction", [2, 3, 4], 0.3)])
    assert not found.z.any() and not found.w.any() and found.of_load == 0.0


def test_contacts_without_friction_are_complementarity_rows() -> None:
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


# ----------------------------------------------------------------- equality rows beside contacts


def in_the_plane(bodies: np.ndarray, contacts: list[tuple[int, int, float, float]]) -> tuple[sp.csr_array, np.ndarray]:
    """H (2 contacts, 3 bodies), normals upwards, and the masses; a contact is (upper, lower or -1, x, y)."""
    H = np.zeros((2 * len(contacts), 3 * len(bodies)))
    for k, (upper, lower, x, y) in enumerate(contacts):
        for body, sign in ((upper, 1.0), (lower, -1.0)):
            if body >= 0:
                arm = np.array([x, y]) - bodies[body, :2]
                H[2 * k, 3 * body : 3 * body + 3] += sign * np.array([0.0, 1.0, arm[0]])
                H[2 * k + 1, 3 * body : 3 * body + 3] += sign * np.array([1.0, 0.0, -arm[1]])
    return sp.csr_array(H), np.ravel([(mass, mass, mass / 12.0) for mass in bodies[:, 2]])


def towers(count: int, height: int) -> tuple[sp.csr_array, np.ndarray]:
    """Towers of unit blocks side by side, two contacts between each block and the one below."""
    bodies, contacts = [], []
    for i in range(count):
        for j in range(height):
            bodies.append((3.0 * i, j + 0.5, 1.0))
            for side in (-0.5, 0.5):
                contacts.append((len(bodies) - 1, len(bodies) - 2 if j else -1, 3.0 * i + side, float(j)))
    return in_the_plane(np.array(bodies), contacts)


def saddle(mass: np.ndarray, rows: sp.csr_array, velocity: np.ndarray) -> tuple[sp.csr_array, np.ndarray]:
    """M (v - velocity) - Hᵀ r = 0 and H v as one matrix."""
    M = sp.diags_array(mass)
    matrix = sp.csr_array(sp.block_array([[M, -rows.T], [rows, None]]))
    return matrix, np.concatenate([-mass * velocity, np.zeros(rows.shape[0])])


def friction_blocks(first: int, count: int, mu: float) -> list:
    return [("friction", [first + 2 * k, first + 2 * k + 1], mu) for k in range(count)]


@pytest.mark.parametrize("tilt", [0.0, 0.1, 0.2, 0.7])
def test_a_block_at_rest_whose_masses_are_equality_rows(tilt: float) -> None:
    """Seven rows. The block sticks up to tan(tilt) = mu and slides with g (sin - mu cos) beyond."""
    H = sp.csr_array([[0.0, 1.0, -0.5], [1.0, 0.0, 0.25], [0.0, 1.0, 0.5], [1.0, 0.0, 0.25]])
    pull = 0.0981 * np.array([np.sin(tilt), -np.cos(tilt), 0.0])
    A, b = saddle(np.array([1.0, 1.0, 0.1]), H, pull)
    for matrix in (A, A.toarray()):
        solution = solve_mixed(matrix, b, [("equality", slice(0, 3), None), *friction_blocks(3, 2, 0.5)])
        sliding = max(0.0, 0.0981 * (np.sin(tilt) - 0.5 * np.cos(tilt)))
        np.testing.assert_allclose(solution.z[:3], [sliding, 0.0, 0.0], atol=1e-10)
        np.testing.assert_allclose(solution.z[3] + solution.z[5], -pull[1], rtol=1e-9)


def test_indices_of_sixty_four_bits() -> None:
    H, mass = towers(2, 3)
    A, b = saddle(mass, H, np.tile([0.0, -0.1, 0.0], 6))
    A.indices, A.indptr = A.indices.astype(np.int64), A.indptr.astype(np.int64)
    solution = solve_mixed(A, b, [("equality", slice(0, 18), None), *friction_blocks(18, 12, 0.3)])
    np.testing.assert_allclose(solution.z[:18], 0.0, atol=1e-10)
    first, order = connected_parts(A)
    np.testing.assert_array_equal(first, [0, 21, 42])
    assert set(order[:9]) == set(range(9))


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_towers_at_rest_in_any_units_and_order(seed: int, dense: bool) -> None:
    """Velocities at rest are rounding, and so are the terms of their rows."""
    rng = np.random.default_rng(seed)
    H, mass = towers(2, 4)
    bodies, contacts = len(mass), H.shape[0] // 2
    A, b = saddle(mass, H, np.tile([0.0, -0.1, 0.0], bodies // 3))
    row, column = 10.0 ** rng.uniform(-8.0, 8.0, (2, len(b)))
    for k in range(contacts):
        rows = slice(bodies + 2 * k, bodies + 2 * k + 2)
        row[rows], column[rows] = row[rows.start], column[rows.start]
    order = rng.permutation(len(b))
    place = np.argsort(order)
    matrix = sp.csr_array(sp.diags_array(row) @ A @ sp.diags_array(column))[order][:, order]
    blocks = [(cone, place[np.arange(len(b))[rows]], data) for cone, rows, data in (
        ("equality", slice(0, bodies), None), *friction_blocks(bodies, contacts, 0.5))]  # fmt: skip
    solution = solve_mixed(matrix.toarray() if dense else matrix, (row * b)[order], blocks)
    z = column * solution.z[place]
    np.testing.assert_allclose(z[:bodies], 0.0, atol=1e-8)
    normal = z[bodies::2]
    np.testing.assert_allclose(normal[0::2] + normal[1::2], np.tile([0.4, 0.3, 0.2, 0.1], 2), rtol=1e-7)


def jointed(twice: int = 1, gap: float = 0.0) -> tuple[sp.csr_array, np.ndarray, list]:
    """Two unit blocks side by side on the ground, joined at a point by rows given ``twice``; pulled to the right."""
    bodies = np.array([(0.0, 0.5, 1.0), (1.0, 0.5, 1.0)])
    H, mass = in_the_plane(bodies, [(0, -1, -0.4, 0.0), (0, -1, 0.4, 0.0), (1, -1, 0.6, 0.0), (1, -1, 1.4, 0.0)])
    joint, _ = in_the_plane(bodies, [(0, 1, 0.5, 0.5)])
    rows = sp.csr_array(sp.vstack([H, *twice * [joint]]))
    A, b = saddle(mass, rows, np.array([1.0, -0.1, 0.0, 0.0, -0.1, 0.0]))
    b[-1] = gap
    blocks = [("equality", slice(0, 6), None), *friction_blocks(6, 4, 0.2), ("equality", slice(14, len(b)), None)]
    return A, b, blocks


def test_redundant_joints_share_the_load() -> None:
    once, twice = (solve_mixed(A, b, blocks) for A, b, blocks in (jointed(1), jointed(2)))
    np.testing.assert_allclose(twice.z[:6], once.z[:6], atol=1e-10)
    assert once.z[0] > 0.1 and abs(once.z[14:]).max() > 0.1
    np.testing.assert_allclose(twice.z[14:16], twice.z[16:], atol=1e-9)  # what ground and joint share is of many kinds
    assert twice.rank_deficiency >= 2


def test_contradictory_joints_are_named() -> None:
    A, b, blocks = jointed(2, gap=0.3)
    with pytest.raises(SolverError) as caught:
        solve_mixed(A, b, blocks)
    assert caught.value.reason == "inconsistent"
    assert caught.value.rows == (15, 17)


def test_an_equality_that_only_a_contact_can_meet() -> None:
    """A body without mass: its row 1 = r holds the reaction, and the contact its velocity."""
    A = np.array([[0.0, -1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    blocks = [("equality", 0, None), ("friction", [1, 2], 0.5)]
    for matrix in (A, sp.csr_array(A)):
        solution = solve_mixed(matrix, [1.0, -3.0, 0.2], blocks)
        np.testing.assert_allclose(solution.z, [2.0, 1.0, -0.2], atol=1e-7)
        assert solution.rank_deficiency == 0


def test_equality_rows_of_long_chains() -> None:
    """The same as one linear complementarity problem: contacts without friction."""
    n = 3000
    rng = np.random.default_rng(4)
    A = sp.csr_array(sp.diags_array([-np.ones(n - 1), 2.1 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]))
    b = rng.normal(size=n)
    normals = np.arange(0, n, 100)
    free = np.ones(n, dtype=bool)
    free[[*normals, *(normals + 1)]] = False
    blocks = [("friction", [i, i + 1], 0.0) for i in normals] + [("equality", np.flatnonzero(free), None)]
    solution = solve_mixed(A, b, blocks)
    kept = np.setdiff1d(np.arange(n), normals + 1)  # no friction: nothing acts along the tangents
    lower = np.where(free[kept], -np.inf, 0.0)
    expected = solve_box(A[kept][:, kept], b[kept], lower, np.inf)
    np.testing.assert_allclose(solution.z[kept], expected.z, atol=1e-8)
    np.testing.assert_allclose(solution.z[normals + 1], 0.0, atol=1e-12)


@pytest.mark.parametrize("joints", [60, 90])
def test_a_contact_on_a_chain_with_redundant_joints(joints: int) -> None:
    """Three joints of a chain of bodies are given twice: the contact sees the Schur complement of the pseudoinverse."""
    rng = np.random.default_rng(7)
    bodies = joints + 1
    J = np.zeros((joints + 3, bodies))
    for k in range(joints):
        J[k, k], J[k, k + 1] = 1.0, -rng.uniform(0.5, 2.0)
    J[joints:] = J[[5, 20, 40]]
    M = np.diag(rng.uniform(0.5, 2.0, bodies))
    inner = np.block([[M, -J.T], [J, np.zeros((joints + 3, joints + 3))]])
    size = len(inner)
    side = np.zeros((size, 2))
    side[[0, 1], [0, 1]] = 1.0
    A = np.block([[inner, -side], [side.T, np.eye(2)]])
    b = np.concatenate([rng.normal(size=bodies), np.zeros(joints + 3), [-3.0, 0.7]])
    solution = solve_mixed(
        sp.csr_array(A), b, [("equality", slice(0, size), None), ("friction", [size, size + 1], 0.4)]
    )
    inverse = np.linalg.pinv(inner, rcond=1e-12)
    W, q = np.eye(2) + side.T @ inverse @ side, b[size:] - side.T @ inverse @ b[:size]
    expected = solve_friction(W, q, 0.4, 2)
    np.testing.assert_allclose(solution.z[size:], expected.z, atol=1e-9)
    np.testing.assert_allclose(solution.z[:size], inverse @ (side @ expected.z - b[:size]), atol=1e-8)
    assert solution.rank_deficiency == 3
