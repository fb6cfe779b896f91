"""Friction problems in plain dense arrays: one compiled function against what it stands for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from nsdgen.solvers.certify._certify import plain_residual
from nsdgen.solvers.contacts._contacts import solve_dense
from numpy.typing import NDArray

from nsdgen.errors import ParameterError
from nsdgen.solvers import solve_friction
from nsdgen.solvers.certify.row_certificate import certify
from nsdgen.solvers.mixed.cone_parts import cone_parts, friction_residual
from nsdgen.solvers.mixed.cone_problem import ConeProblem
from nsdgen.solvers.solution import Solution
from tests.solvers.conftest import benchmark

Vector = NDArray[np.float64]
TOL = 1e-8


@pytest.fixture(scope="module")
def dense() -> Iterator[ModuleType]:
    """The benchmark, which has the problems."""
    with benchmark("dense_friction") as module:
        yield module


def rolling(count: int, seed: int) -> tuple[Vector, Vector, Vector]:
    """A problem with rolling friction on fewer motions than rows."""
    rng = np.random.default_rng(seed)
    directions, velocity = rng.normal(size=(5 * count, 4 * count)), rng.normal(size=4 * count)
    return directions @ directions.T, directions @ velocity, rng.uniform(0.0, 1.0, (count, 2))


def problems(dense: ModuleType) -> Iterator[tuple[Vector, Vector, Vector, int]]:
    for dim in (2, 3):
        for kind in ("regular", "shared"):
            for count in (1, 4, 12, 45):
                W, q, mu = dense.problem(kind, dim, count, seed=count)
                yield W, q, mu[:, None], dim
    for count in (1, 3, 9):
        yield *rolling(count, count), 5
    # Parts that share nothing, in units far apart.
    W, q, mu = dense.problem("regular", 3, 4, 1)
    none = np.zeros_like(W)
    yield np.block([[1e6 * W, none], [none, 1e-6 * W]]), np.append(1e3 * q, 1e-2 * q), np.append(mu, mu)[:, None], 3


def test_solution_is_what_it_stands_for(dense: ModuleType) -> None:
    """Certificate, velocities and ranks are those of the functions that say what they are."""
    solved = 0
    for W, q, mu, dim in problems(dense):
        found = solve_dense(W, q, mu, dim, TOL)
        if type(found) is not Solution:
            assert found is not False  # tried
            continue
        solved += 1
        off = friction_residual(W, q, mu, found.z, dim).max()
        assert off <= TOL
        assert found.residual == pytest.approx(off, abs=1e-3 * TOL)
        terms = abs(W) @ np.abs(found.z) + np.abs(q)
        assert (np.abs(found.w - (W @ found.z + q)) <= 1e-14 * terms).all()
        free = np.full(len(q), np.inf)
        whole = cone_parts(ConeProblem(W, q, -free, free, [(np.arange(len(q)).reshape(-1, dim), mu)], TOL)).together
        assert found.rank_deficiency == whole.open_reactions(found.z[whole.rows] / whole.unit)
    assert solved >= 18  # of 20: what sweeps and Newton's method do not solve is for others


@pytest.mark.parametrize("dim", [2, 3])
def test_what_slides_and_sticks_is_left_to_equations(dense: ModuleType, dim: int) -> None:
    """Few contacts take a few sweeps, which find who slides; all laws then hold nearly to the last digit."""
    sweeps = []
    for seed in range(20):
        W, q, mu = dense.problem("regular", dim, 5, seed)
        found = solve_dense(W, q, mu, dim, TOL)
        sweeps.append(found.iterations)
        r, u = found.z.reshape(-1, dim), (W @ found.z + q).reshape(-1, dim)
        rounding = 1e-9 * np.abs(q).max()
        speed, held = np.linalg.norm(u[:, 1:], axis=1), np.linalg.norm(r[:, 1:], axis=1)
        assert (u[:, 0] >= -rounding).all()
        assert (np.abs(u[:, 0] * r[:, 0]) <= rounding * np.abs(r).max()).all()
        assert (held <= mu * r[:, 0] * (1.0 + 1e-12)).all()
        assert (
            np.abs(r[:, 1:] * speed[:, None] + (mu * r[:, 0])[:, None] * u[:, 1:]).max() <= rounding * np.abs(r).max()
        )
    assert np.median(sweeps) <= 4


@pytest.mark.parametrize(
    "velocity", [(0, 0, -1, 0, 0, 0), (0.2, 0.1, -1, 0, 0, 0), (0.9, 0.1, -1, 0, 0, 0), (0.9, 0.3, -1, 0.1, 0.2, 0.3)]
)
def test_reactions_that_others_make_up_take_no_more_sweeps(velocity: tuple[float, ...]) -> None:
    """A plate on five feet that rests, or slides: its weight is borne, and Coulomb's law holds to the last digits."""
    feet = [(1, 1, -0.1), (1, -1, -0.1), (-1, 1, -0.1), (-1, -1, -0.1), (0.5, 0.2, -0.1)]
    H = np.array([[*axis, *np.cross(foot, axis)] for foot in feet for axis in np.eye(3)[[2, 0, 1]]])
    W, q = (H / [2.0, 2.0, 2.0, 1.0, 2.0, 3.0]) @ H.T, H @ np.array(velocity)
    found = solve_friction(W, q, 0.3)
    r, u = found.z.reshape(-1, 3), (W @ found.z + q).reshape(-1, 3)
    held = np.linalg.norm(r[:, 1:], axis=1)
    assert r[:, 0].sum() == pytest.approx(2.0, rel=1e-9)  # mass times the speed at which it falls
    assert np.abs(u[:, 0]).max() < 1e-9
    assert (held <= 0.3 * r[:, 0] * (1.0 + 1e-12)).all()
    assert np.abs(r[:, 1:] * np.linalg.norm(u[:, 1:], axis=1)[:, None] + 0.3 * r[:, :1] * u[:, 1:]).max() < 1e-9
    assert found.iterations <= 3


def test_same_motion_as_by_other_methods(dense: ModuleType) -> None:
    """Where u is unique all methods find it; regular problems with little friction are such."""
    for dim in (2, 3):
        W, q, mu = dense.problem("regular", dim, 12, 3)
        mu = 0.1 * mu
        found = solve_friction(W, q, mu, dim)
        other = solve_friction(W, q, mu, dim, solver="newton")
        assert found.w == pytest.approx(other.w, abs=1e-6 * np.abs(q).max())


def test_whatever_holds_the_numbers(dense: ModuleType) -> None:
    """Lists, other orders and types of numbers are the same problem."""
    W, q, mu = dense.problem("regular", 2, 5, 0)
    W, q = np.round(64.0 * W) / 64.0, np.round(64.0 * q) / 64.0  # exact in single precision
    found = solve_friction(W, q, mu, 2)
    forms: list[Any] = [(W.tolist(), q.tolist(), 0.5), (np.asfortranarray(W), q[::-1][::-1], mu.astype(np.float32)),
                        (W.astype(np.float32), q, mu[:1].repeat(5)), (W, q, np.float64(0.5))]  # fmt: skip
    for matrix, offset, friction in forms:
        assert solve_friction(matrix, offset, friction, 2).z == pytest.approx(found.z, rel=1e-9)


@pytest.mark.parametrize("change", [
    {"W": np.full((4, 4), np.nan)}, {"q": np.array([-1.0, np.inf, 0.0, 0.0])}, {"mu": np.array([0.5, np.nan])},
    {"mu": np.array([0.5, -0.5])}, {"mu": np.array([0.5])}, {"W": np.eye(3)}, {"dim": 3}, {"goal": 0.0},
    {"initial": np.full(4, np.nan)}, {"initial": np.zeros(3)}, {"W": np.zeros((4, 4))}, {"q": np.zeros(4)},
    {"W": np.ma.array(np.eye(4))}, {"W": 1e40 * np.eye(4)}, {"W": np.eye(4, dtype=np.float32)}, {"W": None},
])  # fmt: skip
def test_nothing_unusual_is_taken(change: dict[str, Any]) -> None:
    """What is not plain is left to those who know what to say of it."""
    data: dict[str, Any] = {"W": np.eye(4), "q": -np.ones(4), "mu": np.array([0.5, 0.5]), "dim": 2, "goal": TOL}
    assert type(solve_dense(**data)) is Solution
    assert type(solve_dense(**{**data, **change})) is not Solution


def test_the_compiled_function_stands_for_the_written_one() -> None:
    """The same arguments and defaults, by whatever way they are given, and errors of the written one."""
    written = solve_friction.__wrapped__  # type: ignore[attr-defined]
    assert (solve_friction.__defaults__, solve_friction.__kwdefaults__) == (
        written.__defaults__,
        written.__kwdefaults__,
    )
    W, q = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([-1.0, 2.0])
    for one in (written, solve_friction):
        assert one(W=W, q=q, mu=0.5, dim=2, solver="newton", initial=q).z == pytest.approx([4.0 / 7.0, -2.0 / 7.0])
        assert one(W, q, mu=[0.5], dim=2).z == pytest.approx([4.0 / 7.0, -2.0 / 7.0], rel=1e-12)
        with pytest.raises(ParameterError, match="solver"):
            one(W, q, 0.5, 2, solver="other")


def test_light_contacts_do_not_void_the_certificate() -> None:
    """A contact so light that the rounding of common motions is large in its units does not excuse the others."""
    unit = np.array([1.0, 1.0, 2.0**-300, 2.0**-300])
    W = (np.eye(4) + 0.1) * unit[:, None] * unit
    q, mu = np.array([-1.0, 0.0, -1.0, 0.0]) * unit, np.array([[0.5], [0.5]])
    right = solve_friction(W, q, mu[:, 0], 2, tol=TOL).z
    assert friction_residual(W, q, mu, right, 2).max() <= TOL
    assert friction_residual(W, q, mu, right * np.array([2.0, 2.0, 1.0, 1.0]), 2)[0] > 0.1


def test_a_contact_in_far_units_is_measured_in_its_own() -> None:
    """Loads of 1e-41 beside 1 are no rounding of common motions: that would have left 1e-17."""
    unit = np.array([1.0, 1.0, 2.0**-135, 2.0**-135])
    W = (np.eye(4) + 0.1) * unit[:, None] * unit
    q, mu = np.array([-1.0, 0.3, -1.0, 0.7]) * unit, np.array([[0.5], [0.5]])
    right = solve_friction(W, q, mu[:, 0], 2, tol=TOL).z
    assert friction_residual(W, q, mu, right, 2).max() <= TOL
    r = right / unit  # in units near 1
    wrong = np.array([r[0], r[1], r[2], -r[3]]) * unit  # friction with the motion
    assert friction_residual(W, q, mu, wrong, 2)[1] > 1e-3


def test_rows_in_one_pass() -> None:
    """The quick certificate of rows says what the other one does, or nothing."""
    rng = np.random.default_rng(0)
    said = 0
    for _ in range(200):
        n = int(rng.integers(2, 8))
        M, z = rng.normal(size=(n, n)), np.maximum(rng.normal(size=n), 0.0)
        lower, upper = np.zeros(n), np.full(n, np.inf)
        q = np.where(z > 0.0, 0.0, rng.uniform(0.0, 1.0, n)) - M @ z + 1e-9 * rng.normal(size=n) * rng.integers(0, 2)
        w = np.empty(n)
        quick = plain_residual(M, q, lower, upper, z, w, TOL)
        slow, residual, _ = certify(np.asfortranarray(M), q, lower, upper, z, TOL)
        if quick is not None:
            said += 1
            assert quick[0] == pytest.approx(residual, abs=1e-15)
            assert w == pytest.approx(slow, abs=1e-14)
        else:
            assert residual > TOL or (np.abs(q) < 1e-12).any()
    assert said > 50


@pytest.mark.parametrize("noise", [0.0, 1e-17])
def test_parts_without_load(noise: float) -> None:
    """Pairs of contacts of which only the first is pushed together: the others carry nothing, or what rounding is."""
    rng = np.random.default_rng(7)
    count, q = 40, rng.normal(size=160) * noise
    W = np.zeros((4 * count, 4 * count))
    for k in range(count):
        own = rng.normal(size=(4, 6))
        W[4 * k : 4 * k + 4, 4 * k : 4 * k + 4] = own @ own.T
    q[:4] = [-1.0, 0.3, -0.5, 0.2]
    found = solve_dense(W, q, np.full(2 * count, 0.5), 2, TOL)
    assert type(found) is Solution  # by the compiled function: parts are dense, whatever lies between them
    alone = solve_friction(W[:4, :4], q[:4], 0.5, dim=2)
    assert found.z[:4] == pytest.approx(alone.z, rel=1e-7)
    assert np.abs(found.z[4:]).max() <= 100.0 * noise
    sparse = pytest.importorskip("scipy.sparse")
    assert solve_friction(sparse.csr_array(W), q, 0.5, dim=2).z == pytest.approx(found.z, abs=1e-12)


@pytest.mark.parametrize("dim", [2, 3])
def test_what_acts_one_way_connects(dim: int) -> None:
    """Of four contacts the last one pushes the first, which does not push back; two stand alone. All laws hold."""
    rng = np.random.default_rng(3)
    W, q = np.zeros((4 * dim, 4 * dim)), rng.normal(size=4 * dim)
    q[::dim] = -1.0
    for k in range(4):
        own = rng.normal(size=(dim, dim + 2))
        W[k * dim : (k + 1) * dim, k * dim : (k + 1) * dim] = own @ own.T
    W[:dim, 3 * dim :] = 0.3 * rng.normal(size=(dim, dim))
    mu = np.full((4, 1), 0.4)
    found = solve_dense(W, q, mu[:, 0].copy(), dim, TOL)
    assert type(found) is Solution
    assert friction_residual(W, q, mu, found.z, dim).max() <= TOL
    assert np.abs(found.w - (W @ found.z + q)).max() <= 1e-14 * (abs(W) @ np.abs(found.z) + np.abs(q)).max()
    for k in (1, 2, 3):
        rows = slice(k * dim, (k + 1) * dim)
        assert found.z[rows] == pytest.approx(solve_friction(W[rows, rows].copy(), q[rows], 0.4, dim=dim).z, rel=1e-7)


def few_connections(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Twenty contacts in space, each coupled with its neighbours alone: W (60, 60), q."""
    rng = np.random.default_rng(seed)
    ways = np.zeros((60, 66))
    for i in range(20):
        ways[3 * i : 3 * i + 3, 3 * i : 3 * i + 6] = rng.normal(size=(3, 6))
    return ways @ ways.T, ways @ rng.normal(size=66)


@pytest.mark.parametrize("integers", [np.int32, np.int64])
def test_few_compressed_rows_are_the_same_problem(integers: type) -> None:
    """Rows in any order, entries that repeat and wide indices: the answer is that of the array, to the bit."""
    sparse = pytest.importorskip("scipy.sparse")
    W, q = few_connections(1)
    found = solve_dense(W, q, np.full(20, 0.4), 3, TOL)
    assert type(found) is Solution
    rows = sparse.csr_array(W)
    halves = [np.repeat(part, 2) for part in (0.5 * rows.data, rows.indices)]
    for data, indices, ends in ((rows.data, rows.indices, rows.indptr), (*halves, 2 * rows.indptr)):
        given = sparse.csr_array((data[::1], indices.astype(integers), ends.astype(integers)), shape=W.shape)
        assert np.array_equal(solve_dense(given, q, np.full(20, 0.4), 3, TOL).z, found.z)
    for form in ("csc", "coo", "bsr"):
        assert np.array_equal(solve_friction(rows.asformat(form), q, 0.4).z, found.z)


@pytest.mark.parametrize(("part", "at", "value"), [
    ("indices", 3, 60), ("indices", 3, -1), ("indptr", 5, 10**6), ("indptr", 5, -4), ("data", 0, np.nan)])  # fmt: skip
def test_broken_rows_are_not_followed(part: str, at: int, value: float) -> None:
    """No index is followed that points outside: the error says so."""
    sparse = pytest.importorskip("scipy.sparse")
    W, q = few_connections(1)
    rows = sparse.csr_array(W)
    getattr(rows, part)[at] = value
    assert type(solve_dense(rows, q, np.full(20, 0.4), 3, TOL)) is not Solution
    with pytest.raises(ParameterError, match=r"broken|not a finite"):
        solve_friction(rows, q, 0.4)


def test_answers_are_arrays_of_their_own() -> None:
    """They are made without ``np.empty``: each owns its memory, and the type of doubles is held as often as before."""
    kind = np.dtype(np.float64)
    held = sys.getrefcount(kind)
    answers = [solve_friction(np.eye(3), np.array([-1.0, 0.1, 0.2]), 0.3) for _ in range(1000)]
    assert sys.getrefcount(kind) == held + 2 * len(answers)
    assert all(x.flags.owndata and x.flags.writeable and x.dtype is kind for a in answers for x in (a.z, a.w))
    del answers
    assert sys.getrefcount(kind) == held
