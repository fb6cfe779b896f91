"""Friction problems of many contacts: known physics, invariances, random problems, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nsdgen.solvers.one_contact._one_contact import projected
from scipy.sparse import block_diag, bsr_array, csr_array

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers.api.condensed_friction import solve_friction
from nsdgen.solvers.mixed.cone_parts import friction_residual
from nsdgen.solvers.solution import Solution

CAMPAIGN = settings(max_examples=40, deadline=None)
SEEDS = st.integers(0, 2**32 - 1)
DIMS = st.sampled_from([2, 3, 5])
GRAVITY = 9.81


def random_problem(rng: np.random.Generator, dim: int, contacts: int, freedom: int) -> dict[str, Any]:
    """W = G G^T of the given rank, q = G v in its range: as bodies and contacts make it."""
    root = rng.normal(size=(contacts * dim, freedom))
    problem: dict[str, Any] = {
        "W": root @ root.T,
        "q": root @ rng.normal(size=freedom),
        "mu": rng.uniform(0.0, 1.0, contacts),
        "dim": dim,
    }
    if dim == 5:
        problem["mu_rolling"] = rng.uniform(0.0, 1.0, contacts)
    return problem


def off(problem: dict[str, Any], r: np.ndarray) -> float:
    mu = [np.broadcast_to(problem[k], len(r) // problem["dim"]) for k in ("mu", "mu_rolling") if k in problem]
    return float(friction_residual(problem["W"], problem["q"], np.column_stack(mu), r, problem["dim"]).max())


def check(problem: dict[str, Any], solution: Solution, tol: float = 1e-8) -> None:
    assert off(problem, solution.z) <= tol
    assert solution.residual <= tol
    terms = abs(problem["W"]) @ np.abs(solution.z) + np.abs(problem["q"])
    assert (np.abs(solution.w - (problem["W"] @ solution.z + problem["q"])) <= 1e-14 * terms).all()


# ---------------------------------------------------------------------- known physics


@pytest.mark.parametrize(("angle", "slides"), [(0.2, False), (0.4, False), (0.6, True), (1.2, True)])
@pytest.mark.parametrize("dim", [2, 3])
def test_block_on_slope(angle: float, slides: bool, dim: int) -> None:
    """A block slides where tan(angle) > mu, at g (sin - mu cos); impulses over one step h."""
    mass, h, mu = 2.0, 0.01, 0.5
    q = np.zeros(dim)
    q[:2] = -h * GRAVITY * np.cos(angle), h * GRAVITY * np.sin(angle)
    solution = solve_friction(np.eye(dim) / mass, q, mu, dim)
    weight = mass * GRAVITY * h
    speed = h * GRAVITY * (np.sin(angle) - mu * np.cos(angle)) if slides else 0.0
    friction = mu * weight * np.cos(angle) if slides else weight * np.sin(angle)
    assert solution.z[:2] == pytest.approx([weight * np.cos(angle), -friction], rel=1e-12)
    assert solution.w[1] == pytest.approx(speed, abs=1e-15)


def box_on_plane(push: np.ndarray) -> dict[str, Any]:
    """A box (mass 3, sides 2, 1, 1) on its four corners, 12 reactions for 6 freedoms."""
    mass, half = 3.0, np.array([1.0, 0.5, 0.5])
    inertia = mass / 3 * ((half**2).sum() - half**2)
    rows = []
    for x, y in [(1, 1), (1, -1), (-1, 1), (-1, -1)]:
        arm = half * [x, y, -1]
        for direction in np.eye(3)[[2, 0, 1]]:
            rows.append(np.concatenate([direction, np.cross(arm, direction)]))
    G = np.array(rows)
    inverse = 1 / np.concatenate([np.full(3, mass), inertia])
    free = np.concatenate([push + [0, 0, -0.1], np.zeros(3)])
    return {"W": G * inverse @ G.T, "q": G @ free, "mu": 0.5, "dim": 3}


def test_resting_box() -> None:
    """Hyperstatic: the motion is unique (none), the reactions carry the weight together."""
    problem = box_on_plane(np.array([0.04, 0.0, 0.0]))
    solution = solve_friction(**problem)
    check(problem, solution)
    assert solution.w == pytest.approx(np.zeros(12), abs=1e-9)
    total = solution.z.reshape(4, 3).sum(axis=0)
    assert total == pytest.approx([0.3, -0.12, 0.0], abs=1e-8)


def test_sliding_box() -> None:
    """Pushed beyond mu m g, without tipping: all corners move at the same speed."""
    problem = box_on_plane(np.array([0.0, 0.08, 0.0]))
    solution = solve_friction(**problem)
    check(problem, solution)
    velocity = solution.w.reshape(4, 3)
    assert velocity == pytest.approx(np.tile([0.0, 0.0, 0.03], (4, 1)), abs=1e-9)


def test_rolling_resistance() -> None:
    """A sphere on a plane starts to roll where the push exceeds the rolling resistance."""
    radius, mass = 0.5, 2.0
    G = np.zeros((5, 6))  # velocity (x, y, z), spin (x, y, z)
    G[0, 2] = G[1, 0] = G[2, 1] = G[3, 3] = G[4, 4] = 1.0
    G[1, 4], G[2, 3] = -radius, radius
    inverse = 1 / np.array([mass] * 3 + [0.4 * mass * radius**2] * 3)
    W = G * inverse @ G.T
    for push, rolls in [(0.01, False), (0.2, True)]:
        q = G @ np.array([push, 0, -1.0, 0, 0, 0])
        solution = solve_friction(W, q, 0.9, mu_rolling=0.02)
        assert abs(solution.w[1]) < 1e-12
        assert (abs(solution.w[4]) > 1e-3) == rolls


# ----------------------------------------------------------------------- random problems


@CAMPAIGN
@given(seed=SEEDS, dim=DIMS, contacts=st.integers(1, 12))
def test_independent_contacts(seed: int, dim: int, contacts: int) -> None:
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, dim, contacts, contacts * dim + 2)
    check(problem, solve_friction(**problem))


@CAMPAIGN
@given(seed=SEEDS, dim=DIMS, contacts=st.integers(2, 9))
def test_hyperstatic(seed: int, dim: int, contacts: int) -> None:
    """Three times fewer degrees of freedom than reactions."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, dim, contacts, max(2, contacts * dim // 3))
    check(problem, solve_friction(**problem))


@CAMPAIGN
@given(seed=SEEDS, dim=DIMS, load=st.floats(-8, 8), size=st.floats(-8, 8))
def test_units(seed: int, dim: int, load: float, size: float) -> None:
    """Other units of force or velocity change the numbers, not the outcome."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, dim, 4, 4 * dim)
    base = solve_friction(**problem)
    scaled = solve_friction(**{**problem, "W": problem["W"] * 10.0**size, "q": problem["q"] * 10.0**load})
    check({**problem, "W": problem["W"] * 10.0**size, "q": problem["q"] * 10.0**load}, scaled)
    unit = 10.0 ** (load - size)
    assert off(problem, scaled.z / unit) <= 1e-8
    assert base.residual <= 1e-8


@CAMPAIGN
@given(seed=SEEDS)
def test_order_and_frames(seed: int) -> None:
    """A permutation of contacts and a rotation of tangents give a solution of the original."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, 3, 5, 15)
    order = rng.permutation(5)
    turns = []
    for angle in rng.uniform(0, 2 * np.pi, 5):
        turn = np.eye(3)
        turn[1:, 1:] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        turns.append(turn)
    T = block_diag(turns).toarray()
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    moved = {**problem, "W": T @ problem["W"][np.ix_(rows, rows)] @ T.T, "q": T @ problem["q"][rows]}
    moved["mu"] = problem["mu"][order]
    solution = solve_friction(**moved)
    check(moved, solution)
    back = np.zeros(15)
    back[rows] = T.T @ solution.z
    assert off(problem, back) <= 2e-8


@CAMPAIGN
@given(seed=SEEDS, dim=DIMS)
def test_storage(seed: int, dim: int) -> None:
    """Dense, CSR and BSR storage of one matrix, the diagonal block of an idle contact missing."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, dim, 6, 4 * dim)
    W = problem["W"]
    W[:dim], W[:, :dim] = 0.0, 0.0
    problem["q"][:dim] = 0.5
    for stored in (W, csr_array(W), bsr_array(W, blocksize=(dim, dim))):
        check(problem, solve_friction(**{**problem, "W": stored}))


def test_large_sparse_chain() -> None:
    """Rows of discs pressed together: W couples neighbours only, sparse factorisations."""
    rng = np.random.default_rng(3)
    count = 300
    G = np.zeros((3 * count, 3 * (count + 1)))
    for i in range(count):
        block = rng.normal(size=(3, 6))
        G[3 * i : 3 * i + 3, 3 * i : 3 * i + 6] = block
    W = csr_array(G @ G.T)
    problem = {"W": W, "q": G @ rng.normal(size=3 * (count + 1)), "mu": 0.6, "dim": 3}
    check(problem, solve_friction(**problem))


@pytest.mark.parametrize("solver", ["newton", "lemke"])
def test_each_solver(solver: str) -> None:
    """Every solver by itself solves an easy problem and says so."""
    rng = np.random.default_rng(1)
    problem = random_problem(rng, 2, 5, 40)
    problem["W"] += 20.0 * np.eye(10)
    solution = solve_friction(**problem, solver=solver)
    check(problem, solution)
    assert solution.solver == solver


def test_warm_start() -> None:
    """The solution as a guess needs no work."""
    rng = np.random.default_rng(2)
    problem = random_problem(rng, 3, 8, 24)
    first = solve_friction(**problem, tol=1e-9)
    again = solve_friction(**problem, initial=first.z)
    assert again.iterations <= 1
    assert again.z == pytest.approx(first.z, abs=1e-7)


# ------------------------------------------------------------------- ends and bad input


def test_nothing_to_do() -> None:
    assert solve_friction(np.eye(3), np.zeros(3), 0.5).z == pytest.approx(np.zeros(3))
    assert len(solve_friction(np.zeros((0, 0)), np.zeros(0), np.zeros(0)).z) == 0
    assert (solve_friction(np.zeros((3, 3)), np.array([1.0, 2.0, 3.0]), 0.5).z == 0.0).all()


def test_infeasible_is_named() -> None:
    """Contact 1 closes and no reaction acts on it."""
    W = np.diag([1.0, 1.0, 1.0, 0.0, 1.0, 1.0])
    with pytest.raises(SolverError, match="contact 1") as caught:
        solve_friction(W, np.array([-1.0, 0.0, 0.0, -1.0, 0.0, 0.0]), 0.5)
    assert caught.value.reason == "infeasible"
    assert caught.value.rows == (1,)


def test_no_solution() -> None:
    """Two contacts on one freedom that ask for opposite motions: the best iterate comes along."""
    G = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(SolverError) as caught:
        solve_friction(G @ G.T, np.array([-1.0, 0.0, -1.0, 0.0]), 0.5, 2)
    assert caught.value.reason == "infeasible"
    assert caught.value.z.shape == (4,)
    assert set(caught.value.rows) <= {0, 1} and caught.value.rows


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dim": 4}, "dim must be"),
        ({"dim": 2}, "not a multiple"),
        ({"dim": 5}, "mu_rolling"),
        ({"mu": -0.1}, "not negative"),
        ({"mu": [0.1, 0.2]}, "mu must have shape"),
        ({"mu": np.nan}, "nan, not a number"),
        ({"W": np.eye(2)}, "W must have shape"),
        ({"W": np.full((3, 3), np.inf)}, "not a finite number"),
        ({"q": np.array([1.0, np.nan, 0.0])}, "not a finite number"),
        ({"tol": 0.0}, "tol must be positive"),
        ({"solver": "lemke"}, "solver must be one of"),
        ({"initial": np.zeros(2)}, "initial must have shape"),
    ],
)
def test_bad_input(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        solve_friction(**{"W": np.eye(3), "q": -np.ones(3), "mu": 0.5, **change})


# --------------------------------------------------------------- parts of middle size


@pytest.mark.parametrize(("dim", "contacts"), [(2, 60), (3, 25), (3, 90), (5, 15)])
@pytest.mark.parametrize("chained", [False, True])
def test_parts_of_middle_size(dim: int, contacts: int, chained: bool) -> None:
    """Full and narrow graphs of contacts, on more freedoms than reactions and on fewer."""
    rng = np.random.default_rng(dim * contacts)
    n = contacts * dim
    root = rng.normal(size=(n, n // 2 if not chained else n))
    if chained:
        contact = np.arange(n) // dim
        root[np.abs(contact[:, None] - contact) > 1] = 0.0
    problem: dict[str, Any] = {
        "W": root @ root.T,
        "q": root @ rng.normal(size=root.shape[1]),
        "mu": np.full(contacts, 0.4),
        "dim": dim,
    }
    if dim == 5:
        problem["mu_rolling"] = np.full(contacts, 0.2)
    check(problem, solve_friction(**problem))
    if chained:
        shuffled = rng.permutation(contacts)
        rows = (shuffled[:, None] * dim + np.arange(dim)).ravel()
        other = problem | {"W": csr_array(problem["W"][np.ix_(rows, rows)]), "q": problem["q"][rows]}
        again = solve_friction(**other)
        check(other | {"W": other["W"].toarray()}, again)
        np.testing.assert_allclose(again.w, solve_friction(**problem).w[rows], atol=1e-6)


# ------------------------------------------------------------------- over the graph


def chain(rng: np.random.Generator, contacts: int, dim: int = 3) -> tuple[csr_array, np.ndarray]:
    """W and q of bodies in a row, with fewer freedoms than reactions."""
    freedoms = dim - 1
    jacobian = np.zeros((contacts * dim, (contacts + 1) * freedoms))
    for i in range(contacts):
        jacobian[i * dim : (i + 1) * dim, i * freedoms : (i + 2) * freedoms] = rng.normal(size=(dim, 2 * freedoms))
    return csr_array(jacobian @ jacobian.T), jacobian @ rng.normal(size=jacobian.shape[1])


@pytest.mark.parametrize("contacts", [10, 90])
def test_over_the_graph_where_reactions_are_undetermined(contacts: int) -> None:
    """From nothing, and from reactions far away."""
    rng = np.random.default_rng(contacts)
    W, q = chain(rng, contacts)
    mu, dim = np.full((contacts, 1), 0.7), len(q) // contacts
    for scale in (0.0, 10.0):
        r = projected(mu, scale * rng.normal(size=(contacts, dim)))
        solution = solve_friction(W, q, 0.7, dim, tol=1e-10, solver="newton", initial=r.ravel())
        assert friction_residual(W, q, mu, solution.z, dim).max() <= 1e-10
        assert solution.iterations > 0
