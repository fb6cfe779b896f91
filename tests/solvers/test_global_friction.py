"""Friction in global variables: the condensed problem's certificate and velocities, invariances, singular M, errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array, diags_array, eye_array, kron

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers import GlobalSolution, solve_friction, solve_global_friction
from nsdgen.solvers.mixed.condensed_rows import condensed_rows
from nsdgen.solvers.mixed.cone_parts import cone_parts, friction_residual
from nsdgen.solvers.mixed.cone_problem import ConeProblem

CAMPAIGN = settings(max_examples=20, deadline=None)
SEEDS = st.integers(0, 2**32 - 1)
DIMS = st.sampled_from([2, 3, 5])
MASSES = st.sampled_from(["diagonal", "full", "unsymmetric"])
Vector = np.ndarray


@dataclass(frozen=True)
class Known:
    """A problem with a solution v, r by construction."""

    M: Vector
    f: Vector
    H: Vector
    b: Vector
    mu: Vector  # (contacts, disks)
    dim: int
    v: Vector
    r: Vector

    def solve(self, **options: Any) -> GlobalSolution:
        rolling = self.mu[:, 1] if self.dim == 5 else None
        return solve_global_friction(
            csr_array(self.M), self.f, csr_array(self.H), self.b, self.mu[:, 0], self.dim, mu_rolling=rolling, **options
        )

    def condensed(self) -> tuple[Vector, Vector]:
        """W and q."""
        return self.H.T @ np.linalg.solve(self.M, self.H), self.b + self.H.T @ np.linalg.solve(self.M, self.f)

    def scaled(self, freedom: Vector, contact: Vector) -> Known:
        """In other units of each freedom and each contact."""
        each = np.repeat(contact, self.dim)
        return Known(
            self.M * freedom[:, None] * freedom, self.f * freedom, self.H * freedom[:, None] * each, self.b * each,
            self.mu, self.dim, self.v / freedom, self.r / each,
        )  # fmt: skip


def mass(rng: np.random.Generator, n: int, kind: str) -> Vector:
    """M (n, n)."""
    if kind == "diagonal":
        return np.diag(rng.uniform(0.5, 2.0, n))
    if kind == "massless":
        return np.diag(rng.uniform(0.5, 2.0, n) * (rng.random(n) > 0.25))
    root = rng.normal(size=(n, max(1, n // 2) if kind == "semidefinite" else n))
    M = root @ root.T / n
    if kind == "full":
        return M + 0.1 * np.eye(n)
    if kind == "unsymmetric":
        skew = rng.normal(size=(n, n)) / np.sqrt(n)
        return M + 0.1 * np.eye(n) + 0.5 * (skew - skew.T)
    return M


def state(rng: np.random.Generator, dim: int, mu: Vector) -> tuple[Vector, Vector]:
    """(r, u) of a contact: open, sticking or sliding in each disk."""
    r, u = np.zeros(dim), np.zeros(dim)
    if rng.random() < 0.3:
        u[0] = rng.exponential()
        u[1:] = rng.normal(size=dim - 1)
        return r, u
    r[0] = rng.exponential()
    for disk, radius in zip([slice(1, min(dim, 3)), slice(3, 5)], mu, strict=False):
        direction = rng.normal(size=disk.stop - disk.start)
        direction /= np.linalg.norm(direction)
        slides = rng.random() < 0.5
        r[disk] = (1.0 if slides else 0.5) * radius * r[0] * direction
        u[disk] = -rng.exponential() * direction if slides else 0.0
    return r, u


def known(seed: int, dim: int, kind: str, deficient: bool = False) -> Known:
    """Contacts on as many freedoms as reactions, or on a third as many as there are contacts."""
    rng = np.random.default_rng(seed)
    contacts = 3 * int(rng.integers(1, 4)) if deficient else int(rng.integers(1, 25 // dim))
    n = contacts // 3 if deficient else contacts * dim
    H, M = rng.normal(size=(n, contacts * dim)), mass(rng, n, kind)
    mu = rng.uniform(0.0, 1.0, (contacts, 2 if dim == 5 else 1))
    r, u = (np.concatenate(each) for each in zip(*(state(rng, dim, row) for row in mu), strict=True))
    v = rng.normal(size=n)
    return Known(M, M @ v - H @ r, H, u - H.T @ v, mu, dim, v, r)


def residuals(problem: Known, v: Vector, r: Vector) -> Vector:
    """The certificate of any v and r, row by row, those of the dynamics first."""
    n, dim = len(problem.f), problem.dim
    A = np.block([[problem.M, -problem.H], [problem.H.T, np.zeros((len(r), len(r)))]])
    contacts = [(np.arange(n, n + len(r)).reshape(-1, dim), problem.mu)]
    free, z = np.full(len(A), np.inf), np.concatenate([v, r])
    whole = ConeProblem(A, np.concatenate([-problem.f, problem.b]), -free, free, contacts, 1e-8)
    result = np.zeros(len(A))
    parts = cone_parts(whole)
    for part in map(parts.part, range(len(parts.first) - 1)):
        result[part.rows] = part.judged(z[part.rows] / part.unit)[1]
    return result


def check(problem: Known, solution: GlobalSolution, tol: float = 1e-8) -> None:
    """The certificate again, and the equations by plain arithmetic."""
    assert residuals(problem, solution.v, solution.z).max() <= tol
    assert solution.residual <= tol
    terms = abs(problem.H).T @ abs(solution.v) + abs(problem.b)
    assert (abs(problem.H.T @ solution.v + problem.b - solution.w) <= 1e-14 * terms).all()
    if problem.dim != 5:
        r = solution.z.reshape(-1, problem.dim)
        assert (np.linalg.norm(r[:, 1:], axis=1) <= problem.mu[:, 0] * r[:, 0] * (1 + 1e-12) + 1e-300).all()


def off(problem: Known, r: Vector) -> float:
    """The certificate of the condensed problem."""
    W, q = problem.condensed()
    return float(friction_residual(W, q, problem.mu, r, problem.dim).max())


# ------------------------------------------------------------------ beside the condensed form


@CAMPAIGN
@given(seed=SEEDS, dim=DIMS, kind=MASSES, deficient=st.booleans())
def test_plain_arrays_are_certified_as_given(seed: int, dim: int, kind: str, deficient: bool) -> None:
    """What is condensed in compiled code has the velocities that M v = H r + f gives."""
    p = known(seed, dim, kind, deficient)
    rolling = p.mu[:, 1].copy() if dim == 5 else None
    given = p.M, p.f, p.H, p.b, p.mu[:, 0].copy(), dim
    check(p, solve_global_friction(*given, mu_rolling=rolling, initial=p.r))
    check(p, solve_global_friction(*given, mu_rolling=rolling))


@CAMPAIGN
@given(seed=SEEDS, dim=DIMS, kind=MASSES, deficient=st.booleans())
def test_condensed_certificate(seed: int, dim: int, kind: str, deficient: bool) -> None:
    """On as many freedoms as reactions and on far fewer, r solves the condensed problem."""
    problem = known(seed, dim, kind, deficient)
    solution = problem.solve()
    check(problem, solution)
    assert off(problem, solution.z) <= 1e-7  # the two measures differ by a small factor
    force = abs(problem.M) @ abs(solution.v) + abs(problem.H) @ abs(solution.z) + abs(problem.f)
    assert (abs(problem.M @ solution.v - problem.H @ solution.z - problem.f) <= 1e-8 * force).all()


@CAMPAIGN
@given(seed=SEEDS, dim=DIMS)
def test_same_velocities(seed: int, dim: int) -> None:
    """With little coupling the solution is unique."""
    problem = known(seed, dim, "diagonal")
    problem = Known(problem.M, problem.f, np.eye(len(problem.f)) + 0.02 * problem.H, problem.b, problem.mu, dim,
                    problem.v, problem.r)  # fmt: skip
    rolling = {"mu_rolling": problem.mu[:, 1]} if dim == 5 else {}
    W, q = problem.condensed()
    expected = solve_friction(W, q, problem.mu[:, 0], dim, **rolling)
    solution = problem.solve()
    np.testing.assert_allclose(solution.w, expected.w, atol=1e-6 * np.abs(q).max())


@pytest.mark.parametrize("dim", [2, 3, 5])
def test_reactions_left_open(dim: int) -> None:
    """Three times as many contacts as freedoms: what is left open is counted as for the condensed problem."""
    problem = known(4, dim, "full", deficient=True)
    W, q = problem.condensed()
    rolling = {"mu_rolling": problem.mu[:, 1]} if dim == 5 else {}
    solution = problem.solve()
    again = solve_friction(W, q, problem.mu[:, 0], dim, initial=solution.z, **rolling)
    np.testing.assert_allclose(again.z, solution.z, atol=1e-6)
    assert solution.rank_deficiency == again.rank_deficiency


# -------------------------------------------------------------------------------- scaling


@CAMPAIGN
@given(seed=SEEDS, dim=DIMS, kind=MASSES, deficient=st.booleans())
def test_badly_scaled(seed: int, dim: int, kind: str, deficient: bool) -> None:
    """Each freedom and each contact in units of its own between 1e-8 and 1e8, and the same problem again."""
    problem = known(seed, dim, kind, deficient)
    rng = np.random.default_rng(seed)
    freedom, contact = (np.exp2(rng.integers(-26, 27, n)) for n in (len(problem.f), len(problem.mu)))
    scaled = problem.scaled(freedom, contact)
    solution = scaled.solve()
    check(scaled, solution)
    back = solution.v * freedom, solution.z * np.repeat(contact, dim)
    assert residuals(problem, *back)[: len(problem.f)].max() <= 1e-8
    assert off(problem, back[1]) <= 1e-7  # the common measure knows units, that of the contacts does not


@CAMPAIGN
@given(seed=SEEDS, dim=DIMS, time=st.integers(-40, 40), weight=st.integers(-20, 20))
def test_verdict_has_no_units(seed: int, dim: int, time: int, weight: int) -> None:
    """Residuals of any v, r, wrong ones too, are the same in other units of time, mass, freedoms and contacts."""
    problem = known(seed, dim, "full")
    rng = np.random.default_rng(seed)
    v, r = problem.v + 1e-6 * rng.normal(size=len(problem.v)), problem.r * (1.0 + 1e-5)
    freedom = np.exp2(rng.integers(-20, 21, len(v)))
    contact = np.full(len(problem.mu), 2.0 ** rng.integers(-20, 21))
    other = problem.scaled(freedom, contact)
    t, m = 2.0**time, 4.0**weight
    each = np.repeat(contact, dim)

    def verdict(p: Known, scale: tuple[float, float, float], v: Vector, r: Vector) -> Vector:
        of_M, of_f, of_b = scale
        return residuals(replace(p, M=p.M * of_M, f=p.f * of_f, b=p.b * of_b), v, r)

    base = verdict(problem, (1.0, 1.0, 1.0), v, r)
    assert base.max() > 1e-8
    changed = verdict(other, (m, m / t, 1.0 / t), v / freedom / t, r / each * m / t)
    # Of odd powers of two the roots are rounded, and units of rows change by up to a factor of two.
    np.testing.assert_allclose(changed, base, rtol=1e-6, atol=1e-14)


def test_a_large_reaction_hides_nothing() -> None:
    """M v = H r + f off by the whole load, small beside opposite reactions that cancel."""
    H = np.array([[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
    v, r = np.zeros(2), np.array([1e10, 0.0, 1e10, 0.0])
    problem = Known(np.eye(2), np.array([0.0, 1.0]), H, np.zeros(4), np.full((2, 1), 0.5), 2, v, r)
    assert residuals(problem, v, r)[1] == pytest.approx(1.0)
    r = np.array([1e10, 0.0, 1e10 + 1.0, 0.0])
    assert residuals(replace(problem, f=np.array([1e-3, 1.0])), v, r)[0] > 0.1


# ------------------------------------------------------------------------ M of other kinds


@pytest.mark.parametrize("kind", ["semidefinite", "massless"])
@pytest.mark.parametrize("dim", [2, 3, 5])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.few(4)
def test_singular_mass(seed: int, dim: int, kind: str) -> None:
    """The whole problem has a solution, M^-1 does not exist."""
    problem = known(seed, dim, kind)
    solution = problem.solve()
    check(problem, solution)


def test_rounding_is_no_mass() -> None:
    """Matrices that lack a rank count as singular, however the roundings of their pivots fall; stiff ones do not."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 12))
        root = rng.normal(size=(n, int(rng.integers(1, n))))
        for mass, regular in ((root @ root.T / n, False), (root @ root.T / n + 1e-6 * np.eye(n), True)):
            for whole in (saddle := np.block([[mass, -np.eye(n)], [np.eye(n), np.zeros((n, n))]]), csr_array(saddle)):
                equality = np.arange(2 * n) < n
                assert (condensed_rows(whole, np.ones(2 * n), equality) is not None) == regular


@pytest.mark.parametrize("dim", [2, 3, 5])
@pytest.mark.parametrize("kind", ["full", "semidefinite", "massless"])
def test_rest(dim: int, kind: str) -> None:
    """All contacts stick and all is at rest, so that every velocity is rounding."""
    problem = known(5, dim, kind)
    r = np.zeros((len(problem.mu), dim))
    r[:, 0] = 1.0
    r[:, 1] = 0.5 * problem.mu[:, 0]
    problem = replace(problem, f=-problem.H @ r.ravel(), b=np.zeros(r.size), r=r.ravel())
    solution = problem.solve()
    check(problem, solution)
    np.testing.assert_allclose(solution.w, 0.0, atol=1e-7)


def test_massless_pad() -> None:
    """A pad without mass between a block that is pushed and the ground: it sticks, the push passes through."""
    # Freedoms: block x, y; pad x, y. A stiff spring step joins them, the pad alone touches the ground.
    k = 50.0
    joint = k * np.array([[1.0, -1.0], [-1.0, 1.0]])
    M = np.kron(joint, np.eye(2)) + np.diag([2.0, 2.0, 0.0, 0.0])
    H = np.zeros((4, 2))
    H[3, 0] = H[2, 1] = 1.0
    f = np.array([0.4, -1.0, 0.0, 0.0])
    solution = solve_global_friction(M, f, H, np.zeros(2), 0.5, 2)
    np.testing.assert_allclose(solution.v[2:], 0.0, atol=1e-9)
    np.testing.assert_allclose(M @ solution.v, H @ solution.z + f, atol=1e-9)
    assert 0.0 < -solution.z[1] < 0.5 * solution.z[0]


def test_parts_and_free_bodies() -> None:
    """Independent parts of very different loads, a body without contact, a contact between fixed bodies."""
    one, other = known(1, 3, "full"), known(2, 3, "full")
    n, m, c, d = len(one.f), len(other.f), len(one.b), len(other.b)
    M, H = np.zeros((n + m + 1, n + m + 1)), np.zeros((n + m + 1, c + d + 3))
    M[:n, :n], M[n : n + m, n : n + m], M[-1, -1] = one.M, other.M, 3.0
    H[:n, :c], H[n : n + m, c : c + d] = one.H, other.H
    f = np.concatenate([one.f, 1e-6 * other.f, [6.0]])
    b = np.concatenate([one.b, 1e-6 * other.b, [0.0, 0.7, -0.2]])
    mu = np.concatenate([one.mu, other.mu, [[0.4]]])
    problem = Known(M, f, H, b, mu, 3, np.zeros(n + m + 1), np.zeros(c + d + 3))
    solution = problem.solve()
    check(problem, solution)
    assert solution.v[-1] == pytest.approx(2.0)
    assert (solution.z[-3:] == 0.0).all()
    alone = other.solve()
    np.testing.assert_allclose(solution.w[c : c + d], 1e-6 * alone.w, atol=1e-12)


@pytest.mark.parametrize("count", [10, 400])
def test_chain_of_masses(count: int) -> None:
    """Masses on springs, thrown at a floor: of many W would be full, which is no loss where they are few."""
    rng = np.random.default_rng(count)
    laplacian = diags_array([-np.ones(count - 1), 2.0 * np.ones(count), -np.ones(count - 1)], offsets=[-1, 0, 1])
    M = csc_array(kron(diags_array(rng.uniform(0.5, 2.0, count)) + 5.0 * laplacian, eye_array(2)))
    H, b = csc_array(eye_array(2 * count)), np.zeros(2 * count)
    f = M @ (rng.normal(size=2 * count) - np.tile([0.5, 0.0], count))
    solution = solve_global_friction(M, f, H, b, 0.4, 2)
    assert solution.solver.split()[0] == ("newton" if count == 400 else "condensed")
    problem = Known(M.toarray(), f, H.toarray(), b, np.full((count, 1), 0.4), 2, f, b)
    check(problem, solution)


@pytest.mark.parametrize("solver", ["newton", "condensed"])
def test_each_solver(solver: str) -> None:
    """Every solver by itself solves an easy problem and says so."""
    rng = np.random.default_rng(1)
    M, f, H = np.eye(10), rng.normal(size=10), np.eye(10) + 0.05 * rng.normal(size=(10, 10))
    solution = solve_global_friction(M, f, H, np.zeros(10), 0.5, 2, solver=solver)
    assert solution.solver.split()[0] == solver
    assert friction_residual(H.T @ H, H.T @ f, np.full((5, 1), 0.5), solution.z, 2).max() <= 1e-8


def test_a_small_entry_is_no_light_mass() -> None:
    """Of 8 100 entries some are small by chance; that masses are alike is seen by those of whole contacts."""
    rng = np.random.default_rng(0)
    n = 90
    H = np.eye(n) + 0.05 * rng.normal(size=(n, n))
    assert np.abs(H).min() < 1e-5
    found = solve_global_friction(2.0 * np.eye(n), np.tile([-1.0, 0.3, 0.2], n // 3), H, np.zeros(n), 0.3)
    assert found.solver.startswith("condensed")


def test_warm_start_and_nothing_to_do() -> None:
    """The solution as a guess needs no work; no load, no contact, no freedom are no special cases."""
    problem = known(3, 3, "full")
    first = problem.solve(tol=1e-9)
    assert problem.solve(initial=first.z).iterations <= 1
    rest = solve_global_friction(np.eye(3), np.zeros(3), np.eye(3), np.zeros(3), 0.5)
    assert not rest.v.any() and not rest.z.any()
    free = solve_global_friction(np.diag([1.0, 2.0]), np.ones(2), np.zeros((2, 0)), [], [])
    np.testing.assert_allclose(free.v, [1.0, 0.5])
    fixed = solve_global_friction(np.zeros((0, 0)), [], np.zeros((0, 3)), [1.0, 2.0, 3.0], 0.5)
    np.testing.assert_allclose(fixed.w, [1.0, 2.0, 3.0])


# --------------------------------------------------------------------------------- errors


def test_fixed_things_pressed_together() -> None:
    """Contact 1 closes, and its columns of H are zero."""
    H = np.zeros((3, 6))
    H[:, :3] = np.eye(3)
    with pytest.raises(SolverError, match="contact 1") as caught:
        solve_global_friction(np.eye(3), [-1.0, 0.0, 0.0], H, [0.0, 0.0, 0.0, -1.0, 0.0, 0.0], 0.5)
    assert caught.value.reason == "infeasible"
    assert caught.value.rows == (1,)
    assert "let a body of it move" in str(caught.value)


def test_squeezed() -> None:
    """A body between two walls that close in on it, beside one that rests: the two contacts are named."""
    H = np.zeros((4, 6))
    H[0, 0] = H[1, 1] = 1.0  # another body
    H[2, 2], H[3, 3], H[2, 4], H[3, 5] = 1.0, 1.0, -1.0, 1.0
    with pytest.raises(SolverError, match="contacts 1, 2") as caught:
        solve_global_friction(np.eye(4), [-1.0, 0.0, 0.0, 0.0], H, [0.0, 0.0, -1.0, 0.0, -1.0, 0.0], 0.5, 2)
    assert caught.value.reason == "infeasible"
    assert caught.value.rows == (1, 2)
    assert caught.value.z.shape == (6,)


def test_force_on_nothing() -> None:
    """A freedom without mass or contact is pulled: the row is named."""
    with pytest.raises(SolverError, match="row 1 of M v = H r") as caught:
        solve_global_friction(np.diag([1.0, 0.0]), [-1.0, 2.0], [[1.0, 0.0], [0.0, 0.0]], [0.0, 0.0], 0.5, 2)
    assert caught.value.reason == "inconsistent"
    assert "M is singular" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dim": 4}, "dim must be"),
        ({"dim": 2}, "b has 3 entries, not a multiple"),
        ({"dim": 5}, "mu_rolling"),
        ({"mu": -0.1}, "not negative"),
        ({"mu": [0.1, 0.2]}, "mu must have shape"),
        ({"M": np.eye(3)}, r"M must have shape \(4, 4\)"),
        ({"M": csr_array(np.eye(3))}, r"M must have shape \(4, 4\)"),
        ({"M": np.ones(4)}, r"M must have shape \(4, 4\)"),
        ({"M": np.full((4, 4), np.nan)}, "not a finite number"),
        ({"H": np.ones((3, 4))}, "pass its transpose"),
        ({"H": np.ones((2, 2))}, "H must have shape"),
        ({"H": csr_array(np.full((4, 3), np.inf))}, r"H\[0, 0\] is inf"),
        ({"f": [0.0, np.nan, 0.0, 0.0]}, r"f\[1\]"),
        ({"b": np.ones((3, 1))}, "b must have 1 dimension"),
        ({"tol": 0.0}, "tol must be positive"),
        ({"solver": "lemke"}, "solver must be one of"),
        ({"initial": np.zeros(2)}, "initial must have shape"),
    ],
)
def test_bad_input(change: dict[str, Any], message: str) -> None:
    given_: dict[str, Any] = {"M": np.eye(4), "f": -np.ones(4), "H": np.eye(4)[:, :3], "b": np.zeros(3), "mu": 0.5}
    with pytest.raises(ParameterError, match=message):
        solve_global_friction(**given_ | change)
