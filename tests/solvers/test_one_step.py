"""The compiled one-step problem over a graph: against the certified public solvers and exact answers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from nsdgen.abi import Cone
from nsdgen.errors import SolverError
from nsdgen.solvers import solve_box, solve_lcp
from nsdgen.solvers.interaction.cone_rows import FOLLOWS, bounds_of, cones_of
from nsdgen.solvers.interaction.graph_problem import solve_graph
from nsdgen.solvers.linalg.ordering import minimum_degree
from nsdgen.solvers.mixed.cone_parts import friction_residual
from nsdgen.solvers.step.last_resort import rescue

SEEDS = st.integers(0, 2**32 - 1)
CAMPAIGN = settings(max_examples=60, deadline=None)


def column(n: int) -> sp.csr_array:
    """The Delassus matrix of n beads in a row on the floor, unit masses."""
    A = sp.lil_array(sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]))
    A[0, 0] = 1.0
    return sp.csr_array(A)


def gradients(rng: np.random.Generator, rows: int, freedoms: int, density: float = 0.3) -> sp.csr_array:
    H = sp.random_array((rows, freedoms), density=density, rng=rng, data_sampler=lambda size: rng.normal(size=size))
    return sp.csr_array(H)


def none(n: int) -> np.ndarray:
    return np.zeros((n, 2))


@pytest.mark.parametrize("n", [1, 10, 100, 1000])
def test_a_column_at_rest_bears_the_weight_of_what_lies_above(n: int) -> None:
    b = np.zeros(n)
    b[0] = -1.0
    solution = solve_graph(column(n), b, np.ones(n), none(n))
    # The condition of A grows with the square of n, and so does the rounding.
    np.testing.assert_allclose(solution.z, np.arange(n, 0, -1.0), rtol=1e-15 * n**2 + 1e-14)
    assert solution.rank_deficiency == 0


@given(SEEDS)
@CAMPAIGN
def test_equality_rows_are_a_linear_system(seed: int) -> None:
    """The block LU without exchanges, on regular semidefinite systems and blocks of every size."""
    rng = np.random.default_rng(seed)
    heights = rng.integers(1, 5, size=rng.integers(1, 15))
    n = int(heights.sum())
    A = sp.csr_array(sp.eye_array(n) + (H := gradients(rng, n, n + 3)) @ H.T)
    b = rng.normal(size=n)
    solution = solve_graph(A, b, np.zeros(n), none(n))
    np.testing.assert_allclose(A @ solution.z, -b, atol=1e-9)


@given(SEEDS)
@CAMPAIGN
def test_redundant_equalities_have_the_least_multipliers(seed: int) -> None:
    """Rows in the range of few freedoms, in units up to a thousandfold apart, against the pseudo-inverse."""
    rng = np.random.default_rng(seed)
    n, missing = rng.integers(3, 30), rng.integers(1, 8)
    rank = max(1, n - missing)
    H = np.diag(10.0 ** rng.uniform(-1.5, 1.5, n)) @ rng.normal(size=(n, rank))
    q, weights = np.linalg.qr(rng.normal(size=(rank, rank)))[0], rng.uniform(1, 3, rank)
    A = H @ (q * weights) @ q.T @ H.T
    b = A @ rng.normal(size=n)
    solution = solve_graph(sp.csr_array(A), b, np.zeros(n), none(n))
    assert solution.rank_deficiency == n - rank
    null = np.linalg.svd(A)[2][rank:]
    np.testing.assert_allclose(null @ solution.z, 0, atol=1e-7 * np.abs(solution.z).max())
    np.testing.assert_allclose(A @ solution.z, -b, atol=1e-9 * np.abs(b).max())


def test_a_dependency_that_its_last_row_hardly_shares_is_counted() -> None:
    """Its pivot is that of the shift, divided by the square of this share."""
    H = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
    H[3] *= 1e-4
    H = H[[3, 0, 1, 2]]
    for order in ([0, 1, 2, 3], [1, 2, 3, 0], [1, 0, 3, 2]):
        G = H[order]
        G = np.vstack([G, G[0] + 1e-3 * G[1]]) if order[0] else G
        A = G @ G.T
        b = A @ np.arange(1.0, len(G) + 1)
        solution = solve_graph(sp.csr_array(A), b, np.zeros(len(G)), none(len(G)))
        assert solution.rank_deficiency == len(G) - 3
        np.testing.assert_allclose(solution.z, -np.linalg.pinv(A, rcond=1e-13) @ b, rtol=1e-6, atol=1e-9)


@given(SEEDS)
@CAMPAIGN
def test_complementarity_agrees_with_pivoting_also_where_multipliers_are_not_unique(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, freedoms = rng.integers(2, 40), rng.integers(1, 40)
    H = gradients(rng, n, freedoms)
    A = sp.csr_array(H @ H.T + (0.1 if rng.integers(2) else 0.0) * sp.eye_array(n))
    z = np.maximum(0.0, rng.normal(size=n))
    b = np.where(z > 0.0, 0.0, np.maximum(0.0, rng.normal(size=n))) - A @ z
    solution = solve_graph(A, b, np.ones(n), none(n), initial=np.maximum(0.0, rng.normal(size=n)))
    reference = solve_lcp(A.toarray(), b)
    np.testing.assert_allclose(solution.z, reference.z, atol=1e-6 * (1.0 + np.abs(reference.z).max()))
    assert solution.rank_deficiency == reference.rank_deficiency


@given(SEEDS)
@CAMPAIGN
def test_box_rows_agree_with_the_box_solver(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 30)
    H = gradients(rng, n, n + 2)
    A, b = sp.csr_array(H @ H.T + 0.1 * sp.eye_array(n)), rng.normal(size=n)
    lower = -rng.uniform(0.0, 2.0, size=n)
    upper = np.where(rng.integers(2, size=n) > 0, np.inf, rng.uniform(0.0, 2.0, size=n))
    solution = solve_graph(A, b, np.full(n, 2), np.column_stack([lower, upper]))
    np.testing.assert_allclose(solution.z, solve_box(A, b, lower, upper).z, atol=1e-7)


@pytest.mark.parametrize("cone", [Cone.COULOMB_2D, Cone.COULOMB_3D, Cone.ROLLING])
@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_friction_satisfies_the_law_also_with_more_contacts_than_freedoms(cone: Cone, seed: int) -> None:
    rng = np.random.default_rng(seed)
    dim = {Cone.COULOMB_2D: 2, Cone.COULOMB_3D: 3, Cone.ROLLING: 5}[cone]
    count, freedoms = int(rng.integers(1, 20)), int(rng.integers(2, 40))
    H = gradients(rng, count * dim, freedoms)
    A, b = sp.csr_array(H @ H.T), H @ rng.normal(size=freedoms)
    mu = rng.uniform(0.05, 1.0, size=(count, 2 if dim == 5 else 1))
    bound = none(count * dim)
    bound[::dim, : mu.shape[1]] = mu
    solution = solve_graph(A, b, cones_of([(cone, dim)] * count), bound)
    # The solver's own test is relative to the terms of each contact, this one to the largest entries.
    assert friction_residual(A, b, mu, solution.z, dim).max() < 1e-7


def test_cones_in_one_system() -> None:
    """Every kind of row at once: the rows of the solution satisfy each its own law."""
    rng = np.random.default_rng(7)
    cones = cones_of([(Cone.EQUALITY, 2), (Cone.COMPLEMENTARITY, 3), (Cone.BOX, 2), (Cone.COULOMB_3D, 3)])
    n = len(cones)
    H = gradients(rng, n, n + 4, 0.6)
    A, b = sp.csr_array(H @ H.T + 0.05 * sp.eye_array(n)), rng.normal(size=n)
    bound = none(n)
    bound[5:7] = -1.0, 0.5
    bound[7, 0] = 0.4
    solution = solve_graph(A, b, cones, bound)
    z, y = solution.z, A @ solution.z + b
    assert np.abs(y[:2]).max() < 1e-9
    assert np.abs(np.minimum(z[2:5], y[2:5])).max() < 1e-9
    assert np.abs(z[5:7] - np.clip(z[5:7] - y[5:7], -1.0, 0.5)).max() < 1e-9
    own, speed = sp.csr_array(np.eye(3)), y[7:] - z[7:]  # u = I r + speed
    assert friction_residual(own, speed, np.array([[0.4]]), z[7:], 3).max() < 1e-8


def test_a_contradiction_is_reported() -> None:
    A = sp.csr_array(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    with pytest.raises(SolverError):
        solve_graph(A, [-1.0, -1.0], [1, 1], none(2))


@given(SEEDS, st.integers(-13, -2))
@CAMPAIGN
def test_rows_that_contradict_each_other_are_measured_by_the_load(seed: int, decade: int) -> None:
    """Up to 1e-5 of it they get the least multipliers of least squares, by the pseudo-inverse; more is no solution.

    Both rows that ask for the same and rows that press against each other had got up to 1e6 times their load.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 30))
    H = rng.normal(size=(n, n - 1))
    H /= np.linalg.norm(H, axis=1)[:, None]
    H[-1] = -rng.uniform(0.2, 1, n - 1) @ H[:-1]
    H[-1] /= np.linalg.norm(H[-1])
    A, null = H @ H.T, np.linalg.svd(H)[0][:, -1]
    b = -A @ rng.uniform(0.5, 1.5, n)
    b -= 10.0**decade * np.abs(b).max() * null * np.sign(null[0]) / np.abs(null).max()
    for cone in (Cone.EQUALITY, Cone.COMPLEMENTARITY):
        try:
            found = solve_graph(sp.csr_array(A), b, np.full(n, cone), none(n))
        except SolverError:
            assert decade > -6 or cone == Cone.COMPLEMENTARITY
            continue
        assert decade < -4
        if cone == Cone.EQUALITY:
            least = -np.linalg.pinv(A, rcond=1e-9) @ b
            np.testing.assert_allclose(found.z, least, atol=1e-6 * np.abs(least).max())
        elif found.rank_deficiency:
            assert np.abs(found.z).max() < 3


def test_the_last_resort_solves_and_explains() -> None:
    row = np.array([0, 1, 2], dtype=np.intc)
    start, columns = np.array([0, 2, 4], dtype=np.intc), np.array([0, 1, 1, 0], dtype=np.intc)
    places, cone = np.arange(4), np.array([1, 1], dtype=np.intc)
    arrays = (row, start, columns, places)
    status, z, _, _ = rescue(
        *arrays, np.array([2.0, -1.0, 2.0, -1.0]), cone, np.zeros(4), np.array([-1.0, 0.0]), np.zeros(2), 1e-8
    )
    assert status == 0
    np.testing.assert_allclose(z, [2 / 3, 1 / 3])
    status, *_ = rescue(
        *arrays, np.array([1.0, -1.0, 1.0, -1.0]), cone, np.zeros(4), np.array([-1.0, -1.0]), np.zeros(2), 1e-8
    )
    assert status == 1


def test_a_repeated_problem_is_solved_from_its_solution() -> None:
    """At rest nothing is factored again, and nothing moves."""
    b = np.zeros(50)
    b[0] = -1.0
    once = solve_graph(column(50), b, np.ones(50), none(50))
    again = solve_graph(column(50), b, np.ones(50), none(50), repeat=5)
    assert again.iterations == 0
    assert again.z.tobytes() == once.z.tobytes()


def test_places_of_bounds() -> None:
    blocks = [(Cone.EQUALITY, 1), (Cone.BOX, 2), (Cone.COULOMB_2D, 2), (Cone.ROLLING, 5)]
    assert cones_of(blocks) == [0, 2, 2, 3, FOLLOWS, 5, *[FOLLOWS] * 4]
    assert bounds_of(blocks) == [2, 3, 4, 5, 6, 10, 11]


def test_minimum_degree_leaves_no_fill_in_a_tree() -> None:
    """A star: the middle must come after its leaves, or all but one of them."""
    start = np.array([0, 9, *range(10, 19)])
    columns = np.array([*range(1, 10), *[0] * 9])
    assert list(minimum_degree(start, columns)).index(0) >= 8


def test_minimum_degree_of_pairs_that_meet_at_many_contacts() -> None:
    """Five bodies in a ring, each pair at three contacts: the entries of a row, summed, are as large as n + 1."""
    neighbours = [[(i - 1) % 5, (i + 1) % 5] * 3 for i in range(5)]
    order = minimum_degree(np.cumsum([0, *map(len, neighbours)]), np.concatenate(neighbours))
    assert sorted(order) == [0, 1, 2, 3, 4]


def undetermined(W: np.ndarray, z: np.ndarray, y: np.ndarray, mu: np.ndarray, cone: Cone) -> int | None:
    """Reactions that may change while contacts go on as they do, by singular values; None where cases are doubtful.

    Columns: the normal of each contact that touches, with the friction of disks that slide, and freely that of disks
    that stick.
    """
    d = {Cone.COULOMB_2D: 2, Cone.COULOMB_3D: 3, Cone.ROLLING: 5}[cone]
    disks = [(1, d)] if d < 5 else [(1, 3), (3, 5)]
    columns, numbers = [], []
    for i in range(0, len(z), d):
        numbers += [max(abs(y[i]), abs(z[i]))]
        if abs(y[i]) > 1e-7 and z[i] <= 1e-9:
            continue
        normal = np.eye(len(z))[i]
        columns.append(normal)
        for (first, last), coefficient in zip(disks, mu, strict=False):
            slip = y[i + first : i + last]
            speed = float(np.linalg.norm(slip))
            numbers.append(speed)
            if speed > 1e-7:
                normal[i + first : i + last] = -coefficient * slip / speed
            elif coefficient > 0:
                columns += list(np.eye(len(z))[i + first : i + last])
    if any(1e-12 < number < 1e-5 for number in numbers):
        return None
    if not columns:
        return 0
    F = np.array(columns)
    singular = np.linalg.svd(F @ W @ F.T, compute_uv=False)
    if any(1e-12 < value / singular[0] < 1e-6 for value in singular):
        return None
    return int(np.sum(singular <= 1e-12 * singular[0])) if singular[0] > 0 else len(F)


@pytest.mark.parametrize("cone", [Cone.COULOMB_2D, Cone.COULOMB_3D, Cone.ROLLING])
def test_undetermined_reactions_beside_friction_are_counted(cone: Cone) -> None:
    """Few bodies with many contacts, from rest to sliding: the count of the graph is that of singular values."""
    d = {Cone.COULOMB_2D: 2, Cone.COULOMB_3D: 3, Cone.ROLLING: 5}[cone]
    decided = loose = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        contacts, freedoms = int(rng.integers(1, 9)), int(rng.integers(2, 13))
        H = rng.normal(size=(contacts * d, freedoms)) / 2
        W, mu = H @ H.T, (float(rng.choice([0.0, 0.3, 0.8])), float(rng.choice([0.0, 0.1])))
        b = H @ rng.normal(size=freedoms)
        cones = np.full(len(b), FOLLOWS, dtype=np.intc)
        cones[::d] = cone
        bound = np.zeros((len(b), 2))
        bound[::d] = (mu[0], mu[1] if d == 5 else 0.0)
        try:
            solution = solve_graph(sp.csr_array(W), b, cones, bound)
        except SolverError:
            continue
        expected = undetermined(W, solution.z, W @ solution.z + b, np.array(mu), cone)
        if expected is not None:
            assert solution.rank_deficiency == expected, seed
            decided, loose = decided + 1, loose + (expected > 0)
    assert decided > 100 and loose > 10
