"""Mixed complementarity problems against brute force, known answers and each other."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nsdgen.solvers.rows._row_methods import solve_dense

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers import Solution, solve_lcp, solve_mlcp

CAMPAIGN = settings(max_examples=150, deadline=None)
SEEDS = st.integers(0, 2**32 - 1)

# Diodes D1..D4 around a load R: rows are the currents of two, the voltages of the others.
RESISTANCE = 1000.0
BRIDGE = np.array(
    [
        [1 / RESISTANCE, 1 / RESISTANCE, -1, 0],
        [1 / RESISTANCE, 1 / RESISTANCE, 0, -1],
        [1, 0, 0, 0],
        [0, 1, 0, 0],
    ]
)


def check(M: np.ndarray, q: np.ndarray, equality: np.ndarray, solution: Solution) -> None:
    """Signs and zeros are exact; w = M z + q holds relative to the terms of each row."""
    z, w = solution.z, solution.w
    assert (z[~equality] >= 0).all()
    assert (w >= 0).all()
    assert (w[equality] == 0).all()
    assert (z * w)[~equality].max(initial=0.0) == 0.0
    terms = np.abs(M) @ np.abs(z) + np.abs(q)
    assert (np.abs(M @ z + q - w) <= 1e-8 * terms + 1e-11 * terms.max(initial=0.0)).all()


def brute_force(M: np.ndarray, q: np.ndarray, equality: np.ndarray) -> list[np.ndarray]:
    """A solution of least norm for each support that has one."""
    n = len(q)
    found = []
    for signs in itertools.product([False, True], repeat=int((~equality).sum())):
        active = equality.copy()
        active[~equality] = signs
        z = np.zeros(n)
        if active.any():
            z[active] = -np.linalg.pinv(M[np.ix_(active, active)], rcond=1e-10) @ q[active]
        w = M @ z + q
        right = np.abs(w[active]).max(initial=0.0) < 1e-8 and w.min(initial=0.0) > -1e-8
        if right and z[~equality].min(initial=0.0) > -1e-8:
            found.append(z)
    return found


def semidefinite(rng: np.random.Generator, n: int, rank: int, skew: bool) -> np.ndarray:
    factor = rng.integers(-3, 4, size=(n, rank)).astype(float)
    coupling = rng.integers(-3, 4, size=(n, n)).astype(float)
    return factor @ factor.T + (coupling - coupling.T if skew else 0.0)


def solvable(rng: np.random.Generator, M: np.ndarray, equality: np.ndarray) -> np.ndarray:
    """q such that a solution exists, with degenerate rows."""
    n = len(M)
    z = np.maximum(rng.integers(-2, 4, size=n), 0).astype(float)
    w = np.where(z > 0, 0.0, np.maximum(rng.integers(-2, 4, size=n), 0))
    z = np.where(equality, rng.integers(-3, 4, size=n), z)
    return np.where(equality, 0.0, w) - M @ z


@CAMPAIGN
@given(SEEDS, st.integers(1, 5), st.booleans())
def test_semidefinite_problems_agree_with_brute_force(seed: int, n: int, skew: bool) -> None:
    rng = np.random.default_rng(seed)
    equality = rng.random(n) < 0.3
    M = semidefinite(rng, n, int(rng.integers(1, n + 1)), skew)
    q = solvable(rng, M, equality)
    solution = solve_mlcp(M, q, equality, initial=rng.normal(size=n))
    check(M, q, equality, solution)
    shortest = min(np.linalg.norm(z) for z in brute_force(M, q, equality))
    assert np.linalg.norm(solution.z) <= shortest * (1 + 1e-7) + 1e-9


@CAMPAIGN
@given(SEEDS, st.integers(2, 12), st.booleans())
def test_the_guess_does_not_change_the_solution(seed: int, n: int, skew: bool) -> None:
    rng = np.random.default_rng(seed)
    equality = rng.random(n) < 0.3
    M = semidefinite(rng, n, int(rng.integers(1, n)), skew)
    q = solvable(rng, M, equality)
    first = solve_mlcp(M, q, equality)
    for initial in (np.ones(n), rng.normal(size=n), first.z):
        again = solve_mlcp(M, q, equality, initial=initial)
        np.testing.assert_allclose(again.z, first.z, rtol=1e-6, atol=1e-7)


@CAMPAIGN
@given(SEEDS, st.integers(1, 30))
def test_p_matrices_have_one_solution(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    skew = rng.normal(size=(n, n))
    M = rng.normal(size=(n, n))
    M = M @ M.T / n + 0.1 * np.eye(n) + skew - skew.T
    q = rng.normal(size=n)
    none = np.zeros(n, dtype=bool)
    solution = solve_lcp(M, q)
    check(M, q, none, solution)
    assert solution.rank_deficiency == 0
    again = solve_lcp(M, q, initial=rng.normal(size=n))
    np.testing.assert_allclose(again.z, solution.z, rtol=1e-7, atol=1e-9)


@CAMPAIGN
@given(SEEDS, st.integers(1, 8), st.integers(-8, 8), st.integers(-8, 8))
def test_units_do_not_matter(seed: int, n: int, exponent: int, spread: int) -> None:
    """Definite M: q in other units, and each row in its own."""
    rng = np.random.default_rng(seed)
    equality = rng.random(n) < 0.3
    M = semidefinite(rng, n, n, True) + np.eye(n)
    q = rng.normal(size=n)
    plain = solve_mlcp(M, q, equality).z
    units = 10.0 ** (spread * rng.random(n))
    scaled = solve_mlcp(units[:, None] * M * units * 10.0**exponent, units * q * 10.0**exponent, equality)
    np.testing.assert_allclose(scaled.z * units, plain, rtol=1e-6, atol=1e-9)


@CAMPAIGN
@given(SEEDS, st.integers(1, 4), st.integers(1, 4))
def test_redundant_equalities_give_the_least_norm(seed: int, n: int, copies: int) -> None:
    rng = np.random.default_rng(seed)
    jacobian = np.repeat(rng.normal(size=(n, n)), copies, axis=0)
    M = jacobian @ jacobian.T
    q = jacobian @ rng.normal(size=n)
    equality = np.ones(n * copies, dtype=bool)
    solution = solve_mlcp(M, q, equality)
    assert solution.rank_deficiency == n * (copies - 1)
    multipliers = solution.z.reshape(n, copies)
    np.testing.assert_allclose(multipliers, multipliers[:, :1] * np.ones(copies), rtol=1e-6)


@pytest.mark.parametrize("skew", [0, 3])
@pytest.mark.parametrize("unit", [1.0, 1e-4, 1e3])
def test_dependent_rows_of_an_unsymmetric_mobility_give_the_least_norm(skew: int, unit: float) -> None:
    """A = H W H^T with gyroscopic terms in W and five rows for three directions: A z + b = 0 for b = H f.

    z = H (H^T H)^-1 v with W v = -f lies in the range of H, so that no vector with H^T n = 0 is part of it.
    """
    H = np.array([[1.0, 0, 2], [0, 1, -1], [1, 1, 0], [2, 0, 1], [1, -2, 0]])
    H[3:] *= unit  # moments beside forces
    W = 2.0 * np.eye(3) + skew * np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    v = np.array([1.0, -2, 3])
    exact = H @ np.linalg.solve(H.T @ H, v)
    solution = solve_mlcp(H @ W @ H.T, -H @ W @ v, np.ones(5, dtype=bool))
    assert solution.rank_deficiency == 2
    rounding = 1e-9 * abs(exact).max()  # times the condition, 1e6 or less
    np.testing.assert_allclose(solution.z, exact, rtol=0, atol=rounding)


@pytest.mark.parametrize("n", [3, 12])
@pytest.mark.parametrize("second", [1e-6, 1e-9, 1e-11])
def test_a_row_that_says_nothing_beside_one_that_says_little_is_found(second: float, n: int) -> None:
    """One of n directions counts ``second`` times as much as the others, the last one nothing.

    A pivot that is small by chance made the next one larger than rounding: one of some hundred was taken for regular.
    """
    rng = np.random.default_rng(0)
    for _ in range(400):
        axes = np.linalg.qr(rng.normal(size=(n, n)))[0]
        M = axes * [*[1.0] * (n - 2), second, 0.0] @ axes.T
        q = M @ rng.normal(size=n)
        found = solve_mlcp(M, q, [True] * n)
        assert found.rank_deficiency == 1
        np.testing.assert_allclose(found.z, -np.linalg.lstsq(M, q, rcond=1e-13)[0], atol=2e-15 * n / second)


def test_a_symmetric_part_that_is_singular_does_not_make_a_matrix_so() -> None:
    """The symmetric part of A sees one direction, A both: one solution, and not the shortest in the first direction."""
    M = np.array([[1.0, 1 + 1e-3], [1 - 1e-3, 1.0]])
    solution = solve_mlcp(np.kron(np.eye(2), M), np.array([1.0, 2, 3, 4]), np.ones(4, dtype=bool))
    assert solution.rank_deficiency == 0
    np.testing.assert_allclose(np.kron(np.eye(2), M) @ solution.z, [-1, -2, -3, -4], rtol=1e-9)


def test_a_failure_tells_nothing_of_other_problems() -> None:
    """The last iterate of contradictory rows is that of the problem, not what its memory held before."""
    for other in range(20):
        solve_lcp(np.eye(3) * 3.0, [-7.0, -8.0, -1.0 - 11.0 * other])
        with pytest.raises(SolverError) as caught:
            solve_mlcp(np.diag([0.0, 0.0, 1.0]), [1.0, 0.0, 2.0], [True, True, False])
        assert caught.value.reason == "inconsistent" and not caught.value.z.any()


@CAMPAIGN
@given(SEEDS, st.integers(1, 4))
def test_inconsistent_equalities_are_named(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    jacobian = np.repeat(rng.normal(size=(n, n)), 2, axis=0)
    q = jacobian @ rng.normal(size=n)
    q[1] += 1.0
    with pytest.raises(SolverError, match="contradict") as caught:
        solve_mlcp(jacobian @ jacobian.T, q, np.ones(2 * n, dtype=bool))
    assert caught.value.reason == "inconsistent"
    assert caught.value.rows[0] in (0, 1)


@pytest.mark.parametrize("source", [[10.0, 0.0], [-10.0, 0.0], [0.0, 0.0], [1e-6, 2e-6]])
@pytest.mark.parametrize("leak", [0.0, 1e-6])
def test_diode_bridge(source: list[float], leak: float) -> None:
    q = np.array([0.0, 0.0, source[0], -source[0]]) + np.array([0.0, 0.0, source[1], source[1]])
    M = BRIDGE + leak * np.eye(4)
    check(M, q, np.zeros(4, dtype=bool), solve_lcp(M, q))


def test_symmetric_saddle_point_is_solved_in_either_sign() -> None:
    """m v - H r = f, H^T v = 0 with r >= 0 on one row; the free row in both signs."""
    M = np.array([[2.0, -1.0], [1.0, 0.0]])
    q = np.array([10.0, 0.0])
    for sign in (1.0, -1.0):
        flipped = np.array([[sign], [1.0]])
        solution = solve_mlcp(flipped * M, flipped[:, 0] * q, np.array([True, False]))
        np.testing.assert_allclose(solution.z, [0.0, 10.0], atol=1e-12)


def test_brick_on_four_corners_shares_its_weight() -> None:
    """A 1 x 2 brick of mass 3, four normal reactions, three degrees of freedom."""
    corners = np.array([[-1.0, -0.5], [1.0, -0.5], [1.0, 0.5], [-1.0, 0.5]])
    normal = np.column_stack([np.ones(4), corners[:, 1], -corners[:, 0]])
    inverse_inertia = np.diag([1 / 3.0, 1 / 0.25, 1 / 1.0])
    delassus = normal @ inverse_inertia @ normal.T
    q = normal @ np.array([-9.81e-3, 0.0, 0.0])
    for initial in (np.zeros(4), np.ones(4), [1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 1.0]):
        solution = solve_lcp(delassus, q, initial=initial)
        np.testing.assert_allclose(solution.z, 3 * 9.81e-3 / 4 * np.ones(4), rtol=1e-10)
        assert solution.rank_deficiency == 1


def test_small_components_of_the_shortest_solution_are_kept() -> None:
    """One component is 1/127, and leaving it out costs the norm only a little."""
    factor = np.array([[3.0, 0.0], [-3.0, -1.0], [2.0, -2.0], [3.0, 2.0], [-2.0, 2.0]])
    M = factor @ factor.T
    q = np.array([9.0, -5.0, 16.0, 1.0, -14.0])
    equality = np.array([True, False, False, False, False])
    expected = np.array([-70.5, 1.0, 0.0, 68.5, 186.0]) / 127
    for initial in (np.zeros(5), np.ones(5), [1.5, 0.6, -0.2, 1.1, -0.3], [0, 0, 0, 1, 1]):
        solution = solve_mlcp(M, q, equality, initial=initial)
        np.testing.assert_allclose(solution.z, expected, atol=1e-9)


@CAMPAIGN
@given(seed=SEEDS, n=st.integers(3, 12))
def test_degenerate_rows_of_an_unsymmetric_p_matrix_leave_one_solution(seed: int, n: int) -> None:
    """Integers, so that z_i = y_i = 0 to the last digit: no other solution is looked for, and none is found."""
    rng = np.random.default_rng(seed)
    M = rng.integers(-3, 4, (n, n)).astype(float)
    np.fill_diagonal(M, np.abs(M).sum(axis=1) + 1.0)
    case = rng.permutation(np.arange(n) % 3)  # active, both zero, open
    z, y = np.where(case == 0, 2.0, 0.0), np.where(case == 2, 3.0, 0.0)
    solution = solve_lcp(M, y - M @ z)
    np.testing.assert_allclose(solution.z, z, atol=1e-13)
    assert solution.solver == "active set"
    assert solution.rank_deficiency == 0


def test_an_open_contact_in_the_plane_has_the_least_slack() -> None:
    """r_N = r_T = 0; the sliding velocity to the right may be anything above its own: a degenerate row, no P-matrix."""
    M = np.array([[0.5, 0.0, 0.0], [-1.25, 1.375, 1.0], [1.75, -1.0, 0.0]])
    solution = solve_lcp(M, np.array([0.25, -0.125, 0.0]))
    np.testing.assert_allclose(solution.z, [0.0, 0.0, 0.125], atol=1e-15)


def test_degenerate_problem_of_equal_rows_does_not_cycle() -> None:
    M = np.ones((9, 9))
    solution = solve_lcp(M, -np.ones(9))
    np.testing.assert_allclose(solution.z, np.full(9, 1 / 9), rtol=1e-12)
    assert solution.rank_deficiency == 8


@pytest.mark.parametrize("conductance", [1.0, 1e-3, 3e-6, 1e-6])
def test_small_conductances_count_as_large_ones(conductance: float) -> None:
    """Enumeration of the sets of diodes that conduct gives a line for each conductance. It was 0 from 3e-6 on."""
    M = np.zeros((8, 8))
    M[0, 6], M[0, 7], M[1, 2], M[1, 7] = 1, -1, -1, 1
    M[2, [1, 2, 3, 4, 5, 6]] = 1, 0.5, 1, -1, -1, -0.5
    M[3, 2], M[3, 7], M[4, 2], M[4, 6], M[5, 2] = -1, 1, 1, -1, 1
    M[6, [0, 2, 4, 6]], M[7, [0, 1, 3]] = (1, 0.5, -1, -0.5), (-1, 1, 1)
    M[1, 1] = M[4, 4] = conductance
    equality = np.isin(np.arange(8), [0, 3, 5], invert=True)
    assert solve_mlcp(M, np.zeros(8), equality).rank_deficiency == 1


def test_rows_that_hold_rounding_only_do_not_spoil_the_certificate() -> None:
    """A sliding-friction row whose terms all vanish, next to loaded ones."""
    M = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 1.0], [0.4, -1.0, 0.0]])
    q = np.array([-1e-17, 1.0, 0.0])
    check(M, q, np.zeros(3, dtype=bool), solve_lcp(M, q))


@pytest.mark.parametrize(
    ("M", "q"),
    [
        ([[0.0]], [-1.0]),
        ([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0]),
        ([[0.0, 1.0], [-1.0, 0.0]], [1.0, -1.0]),
    ],
)
def test_infeasible_problems_are_proved_so(M: list[list[float]], q: list[float]) -> None:
    with pytest.raises(SolverError, match="nonnegative") as caught:
        solve_lcp(M, q)
    assert caught.value.reason == "infeasible"
    assert caught.value.z.shape == (len(q),)


def test_scalar_problems_in_closed_form() -> None:
    assert solve_lcp([[2.0]], [-4.0]).z[0] == 2.0
    assert solve_lcp([[2.0]], [4.0]).w[0] == 4.0
    assert solve_mlcp([[-2.0]], [4.0], [True]).z[0] == 2.0
    assert solve_mlcp([[0.0]], [0.0], [True]).rank_deficiency == 1
    assert solve_lcp(np.zeros((0, 0)), np.zeros(0)).z.shape == (0,)


@pytest.mark.parametrize(
    ("M", "q", "message"),
    [
        ([[1.0, 0.0]], [1.0], r"M must have shape \(1, 1\)"),
        ([[1.0]], [[1.0]], "q must have 1 dimension"),
        ([[np.inf]], [1.0], r"M\[0, 0\] is inf"),
        ([[1.0]], [np.nan], r"q\[0\] is nan"),
        ([["a"]], [1.0], "M holds text, not real numbers"),
    ],
)
def test_unusable_data_are_refused(M: list, q: list, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        solve_lcp(M, q)


def test_equality_must_be_booleans_and_tolerance_positive() -> None:
    with pytest.raises(ParameterError, match="booleans"):
        solve_mlcp([[1.0]], [1.0], [1])
    with pytest.raises(ParameterError, match="tol"):
        solve_lcp([[1.0]], [1.0], tol=0.0)


def test_solvers_import_neither_sympy_nor_the_runtime() -> None:
    code = (
        "import sys, nsdgen.solvers as s; s.solve_lcp([[1.0]], [1.0]);"
        "print([m for m in sys.modules if m.startswith(('sympy', 'nsdgen.runtime'))])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_multipliers_that_move_no_equality_are_pivoted_by_way_of_others() -> None:
    """A = [[0, B], [-B^T, C]] with C semidefinite: the block of the equalities is zero, all pivots are pairs.

    Compiled pivoting alone, each problem with a solution by construction.
    """
    rng = np.random.default_rng(1)
    for _ in range(1500):
        equalities, others = (int(k) for k in rng.integers(1, [4, 6]))
        B, root = rng.integers(-2, 3, (equalities, others)), rng.normal(size=(others, rng.integers(0, others + 1)))
        A = np.block([[np.zeros((equalities, equalities)), B], [-B.T, root @ root.T]])
        z = np.concatenate([rng.normal(size=equalities), np.where(rng.random(others) < 0.5, rng.random(others), 0.0)])
        given = np.where((z[equalities:] == 0.0) & (rng.random(others) < 0.8), rng.random(others), 0.0)
        q = np.concatenate([np.zeros(equalities), given]) - A @ z
        lower, upper = np.where(np.arange(len(q)) < equalities, -np.inf, 0.0), np.full(len(q), np.inf)
        found, w = np.zeros(len(q)), np.zeros(len(q))
        assert solve_dense(A, q, lower, upper, found, w, 1e-8)[0] == 0
        assert np.abs((A @ found + q)[:equalities]).max() < 1e-9
        assert min((A @ found + q)[equalities:].min(), found[equalities:].min()) > -1e-9
