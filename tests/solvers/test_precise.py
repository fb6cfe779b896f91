"""What doubles lose: twice their digits, pivoting with these, and stacks of masses many orders of magnitude apart."""

from __future__ import annotations

from collections.abc import Callable
from decimal import localcontext
from types import ModuleType

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array

from nsdgen.errors import SolverError
from nsdgen.solvers import Solution, solve_box, solve_friction, solve_global_friction, solve_lcp, solve_mixed
from nsdgen.solvers.boxes.precise_pivoting import DIGITS, decimals, pivoted_precisely
from nsdgen.solvers.certify.row_certificate import certify

from .conftest import benchmark


@pytest.mark.parametrize("ratio", [1e4, 1e16, 1e20])
def test_pivoting_keeps_small_masses(ratio: float) -> None:
    """A heavy bead on a light one: z is the weight above, whatever a double makes of 1 + 1 / ratio."""
    with localcontext(prec=DIGITS):
        M = decimals(np.array([[1.0, -1.0], [-1.0, 1.0]]))
        M[1, 1] += 1 / decimals(ratio)
    z, pivots = pivoted_precisely(M, decimals(np.array([-1.0, 0.0])))
    assert z is not None
    assert z.astype(float) == pytest.approx([ratio + 1.0, ratio], rel=1e-12)
    assert pivots <= 4


def test_a_ray_is_none() -> None:
    z, _ = pivoted_precisely(decimals(np.array([[0.0, -1.0], [1.0, 0.0]])), decimals(np.array([-1.0, -1.0])))
    assert z is None


def column(masses: np.ndarray) -> np.ndarray:
    """H^T (2 beads, 2 contacts): each on the one below it, in the plane, without rotation."""
    steps = np.eye(len(masses)) - np.eye(len(masses), k=-1)
    return np.kron(steps, np.eye(2))


@pytest.mark.parametrize(("ratio", "pairs"), [(1e8, 5), (1e12, 5), (1e16, 5), (1e20, 5), (1e20, 15)])
def test_a_column_of_light_and_heavy_beads(ratio: float, pairs: int) -> None:
    """Each contact carries the weight above it."""
    masses = np.tile([1.0, ratio], pairs)
    mass, directions = np.repeat(masses, 2), column(masses).T
    gravity = np.tile([-0.01, 0.0], len(masses))
    found = solve_global_friction(diags_array(mass).tocsc(), mass * gravity, directions, np.zeros(len(mass)), 0.3, 2)
    weight = 0.01 * np.cumsum(masses[::-1])[::-1]
    assert found.z[::2] == pytest.approx(weight, rel=1e-6)
    assert np.abs(found.v).max() <= 1e-8


@pytest.mark.parametrize("dim", [2, 3])
def test_a_condensed_column_is_as_right_as_doubles_allow(judging: ModuleType, dim: int) -> None:
    """Reactions a billion times the load, rounded, move the beads by more than the tolerance: no double does better."""
    masses = np.tile([1.0, 1e10], 5)
    steps = np.eye(10) - np.eye(10, k=-1)
    W, q = steps @ np.diag(1.0 / masses) @ steps.T, steps @ np.full(10, -0.01)
    every = np.eye(dim)[0]
    found = solve_friction(np.kron(W, np.eye(dim)), np.kron(q, every), 0.3, dim)
    assert found.z[::dim] == pytest.approx(0.01 * np.cumsum(masses[::-1])[::-1], rel=1e-3)
    blocks = judging.contacts(0.3, dim, 10)
    assert judging.judge(np.kron(W, np.eye(dim)), np.kron(q, every), blocks, found.z).worst <= 1e-12


@pytest.mark.parametrize("beads", [2, 6, 11, 12])
def test_a_condensed_column_is_off_by_less_than_a_hundredth_of_its_load(judging: ModuleType, beads: int) -> None:
    """Once w was off by half of q and more, which is 1e-14 of its terms; the masses are 1e13 apart."""
    masses = np.where(np.arange(beads) % 2 == 0, 1e13, 1.0)
    steps = np.eye(beads) - np.eye(beads, k=-1)
    W, q = steps @ np.diag(1.0 / masses) @ steps.T, steps @ np.full(beads, -9.81e-3)
    blocks = [("complementarity", slice(None), None)]
    assert judging.judge(W, q, blocks, solve_lcp(W, q).z).worst <= 1e-7


def test_the_judge_sees_what_is_off_beside_the_load(judging: ModuleType) -> None:
    """z of 1e12 leaves w = -0.5 where q is -1: 1e-13 of the terms of its row."""
    M = np.array([[1.0, -1.0], [-1.0, 1.0]])
    z = np.array([1e12, 1e12 - 0.5])
    verdict = judging.judge(M, np.array([-1.0, 1.0]), [("complementarity", slice(None), None)], z)
    assert verdict.worst == np.inf
    assert verdict.law.endswith("beside the load")


@pytest.mark.parametrize(("share", "size", "accepted"), [
    (5e-5, 1e6, True), (1e-3, 1e6, False), (1e-3, 1e12, True), (2e-2, 1e12, False),
])  # fmt: skip
def test_only_rounding_may_leave_a_thousandth_of_the_load(
    judging: ModuleType, share: float, size: float, accepted: bool
) -> None:
    """q has no solution, (1, 1) . q = -share: z1 - z2 = 1 leaves w = -share, at 1e6 a million roundings."""
    M, q = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, 1.0 - share])
    z = np.array([size + 1.0, size])
    verdict = judging.judge(M, q, [("complementarity", slice(None), None)], z)
    assert (verdict.worst <= 1e-8) == accepted
    assert (certify(M, q, np.zeros(2), np.full(2, np.inf), z, 1e-8)[1] <= 1e-8) == accepted


ROWS: dict[str, Callable[..., Solution]] = {
    "lcp": lambda W, q: solve_lcp(W, q),
    "sparse": lambda W, q: solve_lcp(csr_array(W), q),
    "box": lambda W, q: solve_box(W, q, 0.0, np.inf),
    "wide box": lambda W, q: solve_box(W, q, 0.0, 1e30),
    "mixed": lambda W, q: solve_mixed(W, q, [("complementarity", slice(None), None)]),
}


@pytest.mark.parametrize(("name", "ratio", "beads", "first"), [
    ("box", 1e13, 11, 0), ("lcp", 1e18, 5, 0),
    *((name, *case) for name in ROWS for case in ((1e14, 5, 0), (1e14, 2, 1))),
])  # fmt: skip
def test_nothing_off_by_half_of_its_load_is_accepted(
    judging: ModuleType, name: str, ratio: float, beads: int, first: int
) -> None:
    """Rounding z to doubles leaves w = -q/2 there: 1e-14 of its terms, and no answer."""
    masses = np.where(np.arange(beads) % 2 == first, ratio, 1.0)
    steps = np.eye(beads) - np.eye(beads, k=-1)
    W, q = steps @ np.diag(1.0 / masses) @ steps.T, steps @ np.full(beads, -9.81e-3)
    try:
        found = ROWS[name](W, q)
    except SolverError:
        return  # refused is right: what is accepted is looked at here
    assert judging.judge(W, q, [("complementarity", slice(None), None)], found.z).worst <= 1e-7
    off = np.abs(W @ found.z + q - found.w).max() / np.abs(q).max()
    assert off <= found.of_load * (1.0 + 1e-12) <= 1.1e-2


def test_a_solution_that_no_double_holds_is_refused_by_name() -> None:
    """The same beads with their masses kept are solved."""
    masses = np.tile([1e14, 1.0], 3)
    steps = np.eye(6) - np.eye(6, k=-1)
    W, q = steps @ np.diag(1.0 / masses) @ steps.T, steps @ np.full(6, -9.81e-3)
    for solve in (solve_lcp, lambda W, q: solve_box(W, q, 0.0, np.inf)):
        with pytest.raises(SolverError, match="double precision cannot hold this solution") as caught:
            solve(W, q)
        assert caught.value.reason == "not converged"
        assert caught.value.z == pytest.approx(9.81e-3 * np.cumsum(masses[::-1])[::-1], rel=1e-2)
    mass = np.repeat(masses, 2)
    found = solve_global_friction(diags_array(mass).tocsc(), -9.81e-3 * mass * np.tile([1.0, 0.0], 6),
                                  np.kron(steps, np.eye(2)).T, np.zeros(12), 0.0, 2)  # fmt: skip
    assert found.z[::2] == pytest.approx(9.81e-3 * np.cumsum(masses[::-1])[::-1], rel=1e-12)


def test_units_alone_make_no_answer_wrong(judging: ModuleType) -> None:
    """Rows and columns in units 2^-60 to 2^60 apart: what is off looks large beside other units, and is not."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = 12
        root, skew = rng.normal(size=(2, n, n))
        M, q = root @ root.T / n + 0.1 * np.eye(n) + skew - skew.T, rng.normal(size=n)
        row, column = np.exp2(rng.integers(-60, 61, (2, n)))
        found = solve_lcp(M * row[:, None] * column, q * row)
        laws = [("complementarity", slice(None), None)]
        assert judging.judge(M, q, laws, found.z * column).worst <= 1e-10


def test_no_solution_in_units_apart_stays_none() -> None:
    """z = 3e11 left w = -10 where q is at most 3; units of rows up to 2^20 made the load look larger."""
    with benchmark("random_problems") as problems:
        for seed in range(3):
            rng = np.random.default_rng(seed)
            root, q = problems.excluded(rng, 15)
            row = np.exp2(rng.integers(-20, 21, 15))
            with pytest.raises(SolverError):
                solve_lcp(root @ root.T * row[:, None], q * row)


@pytest.mark.parametrize("force", [1.0, 1e10])
def test_the_judge_forgives_the_last_digits_of_a_reaction_only(judging: ModuleType, force: float) -> None:
    """A body that nothing pushes sideways, held by a contact: its momentum off by so much of the reaction."""
    one, laws = np.eye(2), judging.contacts(0.5, 2, 1)
    f, r = np.array([-force, 0.0]), np.array([force, 0.0])
    found = [
        judging.judge_global(one, f, one, np.zeros(2), laws, np.array([0.0, off * force]), r)
        for off in (4e-16, 2e-15, 1e-12)
    ]
    assert found[0].worst < 1e-15
    assert [(verdict.law, bool(verdict.worst > 0.5)) for verdict in found[1:]] == [("dynamics", True)] * 2


@pytest.mark.parametrize("solve", [
    lambda: solve_friction(np.eye(82) + 0.01, -np.ones(82), 0.5, 2, solver="lemke"),  # too many contacts
    lambda: solve_friction(np.eye(4), -np.ones(4), np.inf, 2, solver="lemke"),  # no number of slopes
    lambda: solve_mixed(np.eye(3), -np.ones(3), [("complementarity", 0, None), ("friction", [1, 2], 0.5)],
                        solver="condensed"),
], ids=["many", "infinite", "nothing to condense"])  # fmt: skip
def test_a_method_that_does_not_apply_is_no_solution(solve: Callable[[], Solution]) -> None:
    with pytest.raises(SolverError, match="no solution passed the certificate; residual") as caught:
        solve()
    assert caught.value.rows and np.isfinite(np.asarray(caught.value.z)).all()
