"""Box problems against enumeration, the definition, and themselves in other units and orders."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers import Solution, solve_box, solve_mlcp
from nsdgen.solvers.certify.row_certificate import certify

CAMPAIGN = settings(max_examples=120, deadline=None)
SEEDS = st.integers(0, 2**32 - 1)
KINDS = st.sampled_from(["definite", "semidefinite", "deficient"])


def check(M: np.ndarray, q: np.ndarray, lb: np.ndarray, ub: np.ndarray, solution: Solution) -> None:
    """Bounds, signs and zeros are exact; w = M z + q holds relative to the terms of each row."""
    z, w = solution.z, solution.w
    assert (lb <= z).all() and (z <= ub).all()
    moving = lb < ub
    assert (w[moving & (z > lb)] <= 0.0).all()
    assert (w[moving & (z < ub)] >= 0.0).all()
    terms = np.abs(M) @ np.abs(z) + np.abs(q)
    assert (np.abs(M @ z + q - w) <= 1e-8 * terms).all()
    assert solution.residual <= 1e-8


def matrix(rng: np.random.Generator, n: int, kind: str) -> np.ndarray:
    """A P-matrix, a semidefinite one with a skew part, or a symmetric one of a third of the rank."""
    skew = rng.integers(-3, 4, size=(n, n)).astype(float)
    if kind == "definite":
        factor = rng.normal(size=(n, n))
        return factor @ factor.T + 0.1 * np.eye(n) + skew - skew.T
    if kind == "semidefinite":
        factor = rng.integers(-3, 4, size=(n, int(rng.integers(1, n + 1)))).astype(float)
        return factor @ factor.T + skew - skew.T
    factor = rng.normal(size=(n, max(1, n // 3)))
    return factor @ factor.T


def problem(rng: np.random.Generator, n: int, kind: str) -> tuple[np.ndarray, ...]:
    """(M, q, lb, ub) that has a solution, degenerate rows among it; bounds of every sort."""
    M = matrix(rng, n, kind)
    low = rng.integers(-3, 1, size=n).astype(float)
    lb = np.where(rng.random(n) < 0.3, -np.inf, low)
    ub = np.where(rng.random(n) < 0.3, np.inf, low + rng.integers(0, 4, size=n))
    state = rng.integers(-1, 2, size=n)
    at_low, at_high = (state < 0) & np.isfinite(lb), (state > 0) & np.isfinite(ub)
    z = np.clip(0.5 * rng.integers(-3, 4, size=n), lb, ub)
    z = np.where(at_low, lb, np.where(at_high, ub, z))
    w = np.where(at_low, 1.0, np.where(at_high, -1.0, 0.0)) * rng.integers(0, 3, size=n)
    return M, w - M @ z, lb, ub


def enumerated(M: np.ndarray, q: np.ndarray, lb: np.ndarray, ub: np.ndarray) -> list[np.ndarray]:
    """A solution for each choice of bounds that has one."""
    found = []
    for states in itertools.product([-1, 0, 1], repeat=len(q)):
        state = np.array(states)
        if np.isinf(lb[state < 0]).any() or np.isinf(ub[state > 0]).any():
            continue
        z = np.where(state < 0, np.where(state < 0, lb, 0.0), np.where(state > 0, ub, 0.0))
        inside = state == 0
        z[inside] = -np.linalg.pinv(M[np.ix_(inside, inside)], rcond=1e-10) @ (q + M @ np.where(inside, 0.0, z))[inside]
        w = M @ z + q
        fixed = lb == ub
        right = (np.abs(w[inside & ~fixed]) < 1e-8).all() and (z >= lb - 1e-8).all() and (z <= ub + 1e-8).all()
        if right and (-state * w >= -1e-8)[~fixed].all():
            found.append(z)
    return found


@CAMPAIGN
@given(SEEDS, st.integers(1, 12), KINDS)
def test_solutions_satisfy_the_definition(seed: int, n: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    M, q, lb, ub = problem(rng, n, kind)
    check(M, q, lb, ub, solve_box(M, q, lb, ub))
    check(M, q, lb, ub, solve_box(M, q, lb, ub, initial=rng.normal(size=n)))


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 4))
def test_definite_problems_agree_with_enumeration(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    M, q, lb, ub = problem(rng, n, "definite")
    solution = solve_box(M, q, lb, ub)
    for z in enumerated(M, q, lb, ub):
        np.testing.assert_allclose(solution.z, z, atol=1e-7)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(2, 5))
def test_semidefinite_problems_have_one_of_the_enumerated_outputs(seed: int, n: int) -> None:
    """For a symmetric semidefinite M all solutions share w."""
    rng = np.random.default_rng(seed)
    M, q, lb, ub = problem(rng, n, "deficient")
    solution = solve_box(M, q, lb, ub)
    outputs = [M @ z + q for z in enumerated(M, q, lb, ub)]
    assert outputs
    for w in outputs:
        np.testing.assert_allclose(solution.w, w, atol=1e-6)


@CAMPAIGN
@given(SEEDS, st.integers(2, 10))
def test_the_guess_changes_neither_w_nor_the_shortest_z(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    M, q, lb, ub = problem(rng, n, "deficient")
    first = solve_box(M, q, lb, ub)
    for initial in (np.clip(rng.normal(size=n), lb, ub), first.z, np.ones(n)):
        again = solve_box(M, q, lb, ub, initial=initial)
        np.testing.assert_allclose(again.w, first.w, atol=1e-7)
        if again.rank_deficiency and first.rank_deficiency:
            np.testing.assert_allclose(again.z, first.z, rtol=1e-5, atol=1e-5)


@CAMPAIGN
@given(SEEDS, st.integers(1, 10))
def test_the_order_of_the_rows_does_not_matter(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    M, q, lb, ub = problem(rng, n, "definite")
    order = rng.permutation(n)
    turned = solve_box(M[np.ix_(order, order)], q[order], lb[order], ub[order])
    np.testing.assert_allclose(turned.z, solve_box(M, q, lb, ub).z[order], rtol=1e-7, atol=1e-8)


@CAMPAIGN
@given(SEEDS, st.integers(1, 8), st.integers(-8, 8), st.floats(0.0, 4.0))
def test_units_do_not_matter(seed: int, n: int, exponent: int, spread: float) -> None:
    """w in other units, and every row and its unknown in units of its own."""
    rng = np.random.default_rng(seed)
    M, q, lb, ub = problem(rng, n, "definite")
    units = 10.0 ** (spread * rng.uniform(-1, 1, size=n))
    scaled = solve_box(np.outer(units, units) * M * 10.0**exponent, units * q * 10.0**exponent, lb / units, ub / units)
    np.testing.assert_allclose(scaled.z * units, solve_box(M, q, lb, ub).z, rtol=1e-6, atol=1e-7)


@CAMPAIGN
@given(SEEDS, st.integers(2, 10), KINDS)
def test_badly_scaled_problems_are_solved(seed: int, n: int, kind: str) -> None:
    """Entries of M between 1e-8 and 1e8 of each other."""
    rng = np.random.default_rng(seed)
    M, q, lb, ub = problem(rng, n, kind)
    units = 10.0 ** rng.uniform(-4, 4, size=n)
    M, q, lb, ub = np.outer(units, units) * M, units * q, lb / units, ub / units
    check(M, q, lb, ub, solve_box(M, q, lb, ub))


@CAMPAIGN
@given(SEEDS, st.integers(1, 10), KINDS)
def test_complementarity_and_equality_are_boxes(seed: int, n: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    equality = rng.random(n) < 0.3
    M = matrix(rng, n, kind)
    z = np.maximum(rng.integers(-2, 4, size=n), 0).astype(float)
    q = np.where((z > 0) | equality, 0.0, rng.integers(0, 3, size=n)) - M @ z
    solution = solve_box(M, q, np.where(equality, -np.inf, 0.0), np.full(n, np.inf))
    np.testing.assert_allclose(solution.z, solve_mlcp(M, q, equality).z, rtol=1e-6, atol=1e-6)


def test_a_block_on_a_rough_table_slides_or_sticks() -> None:
    """m dv = p - f, f in [-mu N, mu N] opposes v: sticks up to the limit, then slides."""
    for push, velocity, friction in ((0.5, 0.0, 0.5), (3.0, 1.0, 1.0), (-3.0, -1.0, -1.0)):
        solution = solve_box([[0.5]], [-0.5 * push], -1.0, 1.0)
        assert solution.z[0] == pytest.approx(friction)
        assert -solution.w[0] == pytest.approx(velocity)


def test_fixed_unknowns_leave_their_rows_free() -> None:
    solution = solve_box([[2.0, 1.0], [1.0, 2.0]], [0.0, 0.0], [3.0, -np.inf], [3.0, np.inf])
    np.testing.assert_allclose(solution.z, [3.0, -1.5])
    np.testing.assert_allclose(solution.w, [4.5, 0.0])


def test_an_empty_problem_has_an_empty_solution() -> None:
    assert solve_box(np.zeros((0, 0)), [], [], []).z.shape == (0,)


@pytest.mark.parametrize("solver", ["newton", "pivoting"])
def test_every_solver_gives_the_same(solver: str) -> None:
    rng = np.random.default_rng(7)
    M, q, lb, ub = problem(rng, 20, "definite")
    solution = solve_box(M, q, lb, ub, solver=solver)
    np.testing.assert_allclose(solution.z, solve_box(M, q, lb, ub).z, atol=1e-8)


def test_infeasible_problems_name_a_row() -> None:
    """Row 1 pushes z_0 up with z_1 <= 0; row 0 cannot follow."""
    with pytest.raises(SolverError, match="row") as caught:
        solve_box([[0.0, 0.0], [0.0, 1.0]], [-1.0, 0.0], [0.0, -1.0], [np.inf, 1.0])
    assert caught.value.reason == "infeasible"
    assert caught.value.rows == (0,)
    assert caught.value.z.shape == (2,)


def test_contradicting_equalities_are_named() -> None:
    with pytest.raises(SolverError, match="contradict") as caught:
        solve_box([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [1.0, 2.0, 0.0],
                  [-np.inf, -np.inf, -1.0], [np.inf, np.inf, 1.0])  # fmt: skip
    assert caught.value.reason == "inconsistent"
    assert caught.value.rows[0] in (0, 1)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        (([1.0], [0.0]), r"lb\[0\] = 1.0 and ub\[0\] = 0.0"),
        (([np.inf], [np.inf]), "leave no number"),
        (([np.nan], [1.0]), r"lb\[0\] is nan"),
        (([0.0, 0.0], [1.0]), r"lb must have shape \(1,\)"),
    ],
)
def test_unusable_bounds_are_refused(bounds: tuple, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        solve_box([[1.0]], [1.0], *bounds)


def test_unknown_solvers_and_tolerances_are_refused() -> None:
    with pytest.raises(ParameterError, match="newton, pivoting"):
        solve_box([[1.0]], [1.0], 0.0, 1.0, solver="magic")
    with pytest.raises(ParameterError, match="tol"):
        solve_box([[1.0]], [1.0], 0.0, 1.0, tol=-1.0)


TWISTING = np.array([[0.1015, 0.03], [1.015, 0.3]])  # h C B of a twisting controller: of rank one


@pytest.mark.parametrize("size", [1e-22, 1e-19, 1e-17, 1e-15, 1e-12, 1e-6, 1.0])
@pytest.mark.parametrize("unit", [2.0**-20, 1.0, 2.0**20])
def test_twisting_with_an_offset_that_drowns(size: float, unit: float) -> None:
    """The bounds alone make z large: that w is then rounding, however small q, makes it no less a solution."""
    rng = np.random.default_rng(3)
    both = np.kron(np.eye(2), TWISTING) + np.kron([[0.0, 0.1], [0.0, 0.0]], TWISTING)
    for k in range(30):
        M = (TWISTING, both)[k % 2] * unit
        q = rng.normal(size=len(M)) * size * unit
        z = solve_box(M, q, -1.0, 1.0).z
        rate = unit * 1.015
        np.testing.assert_allclose(z, np.clip(z - (M @ z + q) / rate, -1.0, 1.0), atol=1e-8)


def test_a_z_so_large_that_q_drowns_is_still_no_solution() -> None:
    """Without a bound that holds it, such a z would solve the problem of any q."""
    M, q, infinite = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, -1.0]), np.full(2, np.inf)
    z = np.array([1e20, 1e20])
    assert certify(M, q, -infinite, infinite, z, 1e-8)[1] == 1.0
    assert certify(M, q, np.array([0.0, -np.inf]), infinite, z, 1e-8)[1] == 1.0
    assert certify(M, q, np.array([-1e20, -np.inf]), np.array([1e20, np.inf]), z, 1e-8)[1] < 1e-8
