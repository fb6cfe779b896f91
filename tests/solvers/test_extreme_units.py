"""Numbers near the ends of the doubles: what overflows or vanishes on the way certifies nothing."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from nsdgen.abi import Cone
from nsdgen.errors import SolverError
from nsdgen.solvers import solve_box, solve_friction, solve_global_friction, solve_lcp, solve_mixed, solve_mlcp
from nsdgen.solvers.interaction.graph_problem import solve_graph

Long = np.longdouble
PROBLEMS = 60
EXACT = 1e-6


def reason(solve: Any, *arguments: Any) -> str:
    with pytest.raises(SolverError) as caught:
        solve(*arguments)
    return caught.value.reason


def test_no_certificate_by_overflow() -> None:
    """In units of the row the floor of its terms was infinite, so that z = 0 passed."""
    assert reason(solve_lcp, [[-1e-300]], [-1e300]) == "infeasible"
    assert reason(solve_box, [[-1e-300]], [-1e300], 0.0, np.inf) == "infeasible"


def test_a_solution_that_is_no_double_is_refused() -> None:
    large, small = np.eye(3) * 1e300, np.eye(3) * 1e-300
    with pytest.raises(SolverError, match="too large for a double"):
        solve_lcp(small, [-1e300, 0.0, 0.0])
    with pytest.raises(SolverError, match="too small for a double"):
        solve_lcp(large, [-1e-300, 0.0, 0.0])
    with pytest.raises(SolverError, match="too large for a double"):
        solve_friction(small, [-1e300, 0.0, 0.0], 0.3)
    with pytest.raises(SolverError, match="too small for a double"):
        solve_friction(large, [-1e-300, 1e-300, 0.0], 0.3)
    with pytest.raises(SolverError, match="too large for a double"):
        solve_mixed(small, [-1e300, 0.0, 1.0], [("friction", [0, 1], 0.3), ("equality", 2, None)])
    with pytest.raises(SolverError, match="too large for a double"):
        solve_global_friction(small, [1e300, 0.0, 0.0], np.eye(3), np.zeros(3), 0.3)
    pressed = solve_global_friction(small, [-1e300, 0.0, 0.0], np.eye(3), np.zeros(3), 0.3)
    assert pressed.z == pytest.approx([1e300, 0.0, 0.0]) and not pressed.v.any()


def test_near_the_ends_of_the_doubles() -> None:
    assert solve_friction(np.eye(3) * 1e300, [-1e300, 1e300, 0.0], 0.3).z == pytest.approx([1.0, -0.3, 0.0])
    assert solve_friction(np.eye(2), [-1e-312, 1e-312], 0.3, 2).z * 1e300 == pytest.approx([1e-12, -0.3e-12])
    assert solve_lcp([[1.0]], [-1e-320]).z[0] == 1e-320
    sparse = csr_array(np.eye(2) * 1e-200)
    assert solve_box(sparse, [-1e100, 1e-290], -1e-100, np.inf).z * 1e-300 == pytest.approx([1.0, 0.0])


def test_units_of_rows_and_columns_far_apart(judging: ModuleType) -> None:
    """The same problems in units up to 1e140: judged in the units that they were made in."""
    wrong, refused = [], []
    for seed in range(PROBLEMS):
        rng = np.random.default_rng([seed, 77])
        n = int(rng.integers(1, 6))
        G, q = rng.normal(size=(n, n)), rng.normal(size=n) * 10 ** rng.uniform(-60, 60)
        M, row, column = G @ G.T, 10 ** rng.uniform(-140, 140, n), 10 ** rng.uniform(-140, 140, n)
        equality = rng.random(n) < 0.4 * (seed % 2)
        blocks = [("equality", np.flatnonzero(equality), None), ("complementarity", np.flatnonzero(~equality), None)]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                z = solve_mlcp(M * row[:, None] * column, q * row, equality).z
        except SolverError as error:
            refused.append((seed, error.reason))
            continue
        verdict = judging.judge(M, q, blocks, z.astype(Long) * column)
        if not verdict.worst <= EXACT:
            wrong.append((seed, verdict))
    assert wrong == []
    assert refused == []


def test_one_unit_for_all_in_every_form(judging: ModuleType) -> None:
    for seed in range(PROBLEMS // 3):
        rng = np.random.default_rng([seed, 78])
        dim, count = int(rng.choice([2, 3])), int(rng.integers(1, 4))
        G = rng.normal(size=(dim * count, dim * count + 1))
        f, b = rng.normal(size=dim * count + 1), rng.normal(size=dim * count) * (seed % 2)
        mass, length, time = (10**x for x in rng.uniform(-50, 50, 3))
        M, blocks = np.eye(len(f)), judging.contacts(0.4, dim, count)
        own = solve_global_friction(M * mass, f * mass * time, G.T * length, b * length * time, 0.4, dim)
        v, r = own.v.astype(Long) / Long(time), own.z.astype(Long) / Long(mass) / Long(time) * Long(length)
        assert judging.judge_global(M, f, G.T, b, blocks, v, r).worst <= EXACT
        W, q = G @ G.T, G @ f
        z = solve_friction(W * length, q * mass * time, 0.4, dim).z.astype(Long) * Long(length) / Long(mass * time)
        assert judging.judge(W, q, blocks, z).worst <= EXACT


@pytest.mark.parametrize("size", [1e-300, 1e-312, 1e-318, 5e-324])
def test_loads_on_the_grid_of_subnormal_numbers(size: float) -> None:
    """What decays to nothing is rounded to this grid, so that no residual is small beside its terms."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        G = rng.normal(size=(3, 3))
        M, q = G @ G.T, np.rint(8.0 * rng.normal(size=3)) * size
        for z in (
            solve_lcp(M, q).z, solve_box(M, q, -np.inf, np.inf).z, solve_friction(M, q, 0.3).z,
            solve_graph(csr_array(M), q, [1, 1, 1], np.zeros((3, 2))).z,
            solve_graph(csr_array(M), q, [Cone.COULOMB_3D, -1, -1], [[0.3, 0.0], [0.0, 0.0], [0.0, 0.0]]).z,
        ):  # fmt: skip
            assert np.abs(z).max() <= 1e6 * size


def test_loads_that_are_nothing_beside_others_of_their_part() -> None:
    """No units bring both near 1: looking for them went on until the stack ended."""
    M = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    found = solve_mlcp(M, [1.0, 1e-320, -1e-310], [True] * 3)
    np.testing.assert_allclose(found.z, np.linalg.solve(M, [-1.0, 0.0, 0.0]), rtol=1e-14)
