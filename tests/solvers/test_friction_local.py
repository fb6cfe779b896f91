"""One contact: all cases of the exact local solvers against brute force and high precision."""

from __future__ import annotations

import itertools

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nsdgen.solvers.one_contact._one_contact import projected

from nsdgen.solvers import solve_friction
from nsdgen.solvers.mixed.cone_parts import friction_residual

from .entrances import solve_local

CAMPAIGN = settings(max_examples=150, deadline=None)
SEEDS = st.integers(0, 2**32 - 1)
DIMS = st.sampled_from([2, 3, 5])


def coefficients(rng: np.random.Generator, dim: int) -> np.ndarray:
    return 10.0 ** rng.uniform(-2, 0.7, size=2 if dim == 5 else 1)


def solve(W: np.ndarray, q: np.ndarray, mu: np.ndarray) -> tuple[np.ndarray, float]:
    """The reaction and its residual, measured by code that shares nothing with the solver."""
    r = np.zeros(len(q))
    solve_local(np.ascontiguousarray(W), q, mu, r)
    return r, float(friction_residual(W, q, mu[None, :], r, len(q))[0])


def semidefinite(rng: np.random.Generator, dim: int, rank: int) -> np.ndarray:
    root = rng.normal(size=(dim, rank))
    return root @ root.T


def test_case_names() -> None:
    """Unit mass, mu = 1/2: leaving, resting, sliding contacts have the textbook reactions."""
    W, mu = np.eye(3), np.array([0.5])
    for q, expected in [
        ([1.0, 3.0, 4.0], [0, 0, 0]),
        ([-1.0, 0.3, 0.4], [1, -0.3, -0.4]),
        ([-1.0, 3.0, 4.0], [1, -0.3, -0.4]),
    ]:
        r, residual = solve(W, np.array(q), mu)
        assert r == pytest.approx(expected, abs=1e-15)
        assert residual < 1e-15


@CAMPAIGN
@given(seed=SEEDS, dim=DIMS, exponent=st.floats(-8, 8))
def test_definite(seed: int, dim: int, exponent: float) -> None:
    """Every contact with a definite W has a solution; units do not matter."""
    rng = np.random.default_rng(seed)
    W = semidefinite(rng, dim, dim) * 10.0**exponent
    q = rng.normal(size=dim) * 10.0 ** rng.uniform(-8, 8)
    assert solve(W, q, coefficients(rng, dim))[1] < 1e-9


@CAMPAIGN
@given(seed=SEEDS, dim=DIMS)
def test_rank_deficient(seed: int, dim: int) -> None:
    """W = G G^T with fewer degrees of freedom than rows, q in its range, as mechanics gives it."""
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, dim))
    root = rng.normal(size=(dim, rank))
    q = root @ rng.normal(size=rank)
    W, mu = root @ root.T, coefficients(rng, dim)
    r = solve_friction(W, q, mu[0], min(dim, 3), mu_rolling=mu[1] if dim == 5 else None, tol=1e-9).z
    assert friction_residual(W, q, mu[None, :], r, dim).max() < 1e-9


@CAMPAIGN
@given(seed=SEEDS)
def test_slightly_unsymmetric(seed: int) -> None:
    rng = np.random.default_rng(seed)
    W = semidefinite(rng, 3, 3) + np.eye(3)
    W += 1e-2 * np.abs(W).max() * rng.normal(size=(3, 3))
    assert solve(W, rng.normal(size=3), coefficients(rng, 3))[1] < 1e-9


@CAMPAIGN
@given(seed=SEEDS, values=st.lists(st.sampled_from([-1.0, 0.0, 1.0, 2.0]), min_size=3, max_size=3))
def test_degenerate_data(seed: int, values: list[float]) -> None:
    """Small integers: isotropic tangents, zero tangential q, double roots, mu = 0, ties."""
    rng = np.random.default_rng(seed)
    root = rng.integers(-1, 2, size=(3, 3)).astype(float)
    W = np.eye(3) + root @ root.T * rng.integers(0, 2)
    mu = np.array([rng.choice([0.0, 0.5, 1.0, 2.0])])
    assert solve(W, np.array(values), mu)[1] < 1e-12


def sliding_truth(W: np.ndarray, q: np.ndarray, mu: float) -> list[np.ndarray]:
    """All sliding reactions to 30 digits, from a scan over the angle of r_T and bisection."""
    with mp.workdps(30):
        w = mp.matrix(W.tolist())

        def reaction(angle: mp.mpf) -> tuple[mp.matrix, mp.mpf, mp.mpf]:
            c, s = mp.cos(angle), mp.sin(angle)
            normal = -q[0] / (w[0, 0] + mu * (w[0, 1] * c + w[0, 2] * s))
            r = mp.matrix([normal, mu * normal * c, mu * normal * s])
            u = w * r + mp.matrix(q.tolist())
            return r, u[2] * c - u[1] * s, u[1] * c + u[2] * s

        grid = [2 * mp.pi * k / 400 for k in range(401)]
        across = [reaction(angle)[1] for angle in grid]
        found = []
        for low, high, left, right in zip(grid, grid[1:], across, across[1:], strict=False):
            if left * right > 0:
                continue
            angle = mp.findroot(lambda a: reaction(a)[1], (low, high), solver="anderson", tol=1e-40, verify=False)
            r, off, along = reaction(angle)
            if abs(off) < 1e-20 and r[0] > 0 and along <= 0:
                found.append(np.array([float(x) for x in r]))
    return found


@settings(max_examples=12, deadline=None)
@given(seed=SEEDS)
def test_sliding_to_high_precision(seed: int) -> None:
    """Where a definite contact slides, the reaction is one of the true ones to 1e-11."""
    rng = np.random.default_rng(seed)
    W = semidefinite(rng, 3, 3) + 0.3 * np.eye(3)
    q = rng.normal(size=3)
    q[0] = -abs(q[0])
    mu = float(rng.uniform(0.05, 0.5))
    stuck = -np.linalg.solve(W, q)
    r, residual = solve(W, q, np.array([mu]))
    if np.hypot(*stuck[1:]) <= mu * stuck[0]:
        assert r == pytest.approx(stuck, rel=1e-11)
        return
    assert residual < 1e-13
    truth = sliding_truth(W, q, mu)
    assert min(np.abs(r - x).max() for x in truth) < 1e-11 * np.abs(r).max()


@CAMPAIGN
@given(seed=SEEDS, angle=st.floats(0, 2 * np.pi))
def test_rotated_tangents(seed: int, angle: float) -> None:
    """Turning the tangents turns the reaction."""
    rng = np.random.default_rng(seed)
    W, q = semidefinite(rng, 3, 3) + np.eye(3), rng.normal(size=3)
    mu = np.array([rng.uniform(0.05, 0.3)])  # small enough for the solution to be unique
    turn = np.eye(3)
    turn[1:, 1:] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    r, _ = solve(W, q, mu)
    turned, _ = solve(turn @ W @ turn.T, turn @ q, mu)
    assert turned == pytest.approx(turn @ r, rel=1e-9, abs=1e-11 * (1 + np.abs(r).max()))


@CAMPAIGN
@given(seed=SEEDS)
def test_rolling_contains_sliding(seed: int) -> None:
    """Without a moment (mu_r = 0) a rolling contact is a sliding one; the roles can be swapped."""
    rng = np.random.default_rng(seed)
    W, q = semidefinite(rng, 5, 5) + 0.1 * np.eye(5), rng.normal(size=5)
    mu = coefficients(rng, 3)
    r3, _ = solve(W[:3, :3], q[:3], mu)
    r5, residual = solve(W, q, np.array([mu[0], 0.0]))
    assert residual < 1e-9
    assert (r5[3:] == 0.0).all()
    assert friction_residual(W[:3, :3], q[:3], mu[None, :], r5[:3], 3).max() < 1e-9
    swap = [0, 3, 4, 1, 2]
    swapped, residual = solve(W[np.ix_(swap, swap)], q[swap], np.array([0.0, mu[0]]))
    assert residual < 1e-9
    assert swapped[swap] == pytest.approx(r5, rel=1e-9, abs=1e-9)
    assert r3.shape == (3,)


def test_guess_chooses_nothing_wrong() -> None:
    """Any guess, even one that slides the other way, gives a solution."""
    rng = np.random.default_rng(5)
    for _ in range(100):
        W, q, mu = semidefinite(rng, 3, 3), rng.normal(size=3), coefficients(rng, 3)
        for guess in itertools.product([0.0, 1.0, -1.0], repeat=3):
            r = np.array(guess)
            solve_local(W, q, mu, r)
            assert friction_residual(W, q, mu[None, :], r, 3).max() < 1e-9


@CAMPAIGN
@given(seed=SEEDS, dim=DIMS)
def test_projection(seed: int, dim: int) -> None:
    """P(x) is in the cone, x - P(x) in its polar, and the two are orthogonal (Moreau)."""
    rng = np.random.default_rng(seed)
    mu = coefficients(rng, dim) * rng.integers(0, 2, size=2 if dim == 5 else 1)
    x = rng.normal(size=(40, dim)) * 10.0 ** rng.uniform(-3, 3, size=(40, 1))
    p = projected(np.tile(mu, (len(x), 1)), x)
    disks = [slice(1, min(dim, 3)), slice(3, 5)][: len(mu)]
    rest = x - p
    size = np.abs(x).max(axis=1) * (1 + mu.max())
    support = rest[:, 0].copy()
    for coefficient, disk in zip(mu, disks, strict=True):
        assert (np.linalg.norm(p[:, disk], axis=1) <= coefficient * p[:, 0] + 1e-13 * size).all()
        support += coefficient * np.linalg.norm(rest[:, disk], axis=1)
    assert (p[:, 0] >= 0).all()
    assert (support <= 1e-13 * size).all()
    assert (np.abs((p * rest).sum(axis=1)) <= 1e-13 * size**2).all()


def test_no_solution_is_reported() -> None:
    """Nothing pushes this contact apart."""
    assert solve_local(np.diag([0.0, 1.0, 1.0]), np.array([-1.0, 0.0, 0.0]), np.array([0.5]), np.zeros(3)) > 0.1


@CAMPAIGN
@given(seed=SEEDS, dim=st.sampled_from([2, 3]), case=st.sampled_from(["stick", "slide", "edge"]))
def test_the_likely_cases_are_exact(seed: int, dim: int, case: str) -> None:
    """Whatever the guess: contacts made to stick, to slide, or to stand between the two."""
    rng = np.random.default_rng(seed)
    W = semidefinite(rng, dim, dim) + 0.1 * np.eye(dim)
    mu = np.array([rng.uniform(0.05, 1.0)])
    e = rng.normal(size=dim - 1)
    e /= np.linalg.norm(e)
    known = np.concatenate([[1.0], mu * e * (0.5 if case == "stick" else 1.0)]) * 10.0 ** rng.uniform(-3, 3)
    u = np.concatenate([[0.0], -e * (rng.exponential() if case == "slide" else 0.0)])
    q = u - W @ known
    for guess in (np.zeros(dim), known, np.concatenate([[1.0], -mu * e]), rng.normal(size=dim)):
        r = guess.copy()
        bound = solve_local(np.ascontiguousarray(W), q, mu, r)
        residual = float(friction_residual(W, q, mu[None, :], r, dim)[0])
        assert residual < 1e-10
        if q[0] < 0.0:
            assert bound < 1e-10


@pytest.mark.parametrize("dim", [2, 3])
def test_reactions_and_offsets_of_any_size(dim: int) -> None:
    """Squares that leave the range of doubles are no obstacle."""
    W = np.eye(dim) + 0.2
    mu = np.array([0.3])
    for size in (1e-290, 1e-160, 1e160, 1e290):
        q = np.array([-1.0, 0.7, -0.4][:dim]) * size
        r = np.zeros(dim)
        assert solve_local(W, q, mu, r) < 1e-10
        np.testing.assert_allclose(np.linalg.norm(r[1:] / size), 0.3 * r[0] / size, rtol=1e-12)
