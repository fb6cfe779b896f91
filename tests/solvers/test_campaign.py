"""A small share of ``benchmarks/campaign.py``: random problems of every type, judged in extended precision.

Problems that once were answered wrongly, or refused though solvable, are named below.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import block_diag

from nsdgen.errors import SolverError
from nsdgen.solvers import solve_friction, solve_lcp, solve_mixed
from nsdgen.solvers.mixed.cone_parts import friction_residual
from nsdgen.solvers.scaling.natural_units import natural_units

FEW, MANY = 12, 10_000
# Constructed contacts on far fewer freedoms than reactions, with mu up to 2, may be refused once in ten thousand:
# there a contact that nothing closes may have to be held closed by its own friction.
HARD = "rolling friction, rank-deficient"


def check(campaign: ModuleType, problems: int, allowed: float) -> None:
    """No wrong answer, none that a change of form moves, none to the impossible, few refusals."""
    for name in campaign.TYPES:
        tally = campaign.run(name, problems, seed=7)
        assert tally.wrong == [], name
        assert tally.moved == [], name
        refusals = allowed * problems if name == HARD else 0.0
        assert len(tally.too_many) <= refusals, (name, tally.too_many)
        assert len(tally.lost) <= refusals, (name, tally.lost)
        assert "without solution" not in name or tally.solved == 0


def test_random_problems_of_every_type(campaign: ModuleType) -> None:
    check(campaign, FEW, 0.0)


@pytest.mark.slow
def test_ten_thousand_random_problems_of_every_type(campaign: ModuleType) -> None:
    check(campaign, MANY, 0.0002)


# -- what the campaign found ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "number"),
    [("2-D friction", 2820), ("2-D friction", 8550)]
    + [("2-D friction, rank-deficient", number) for number in (235, 700, 2625, 8420, 8995)],
)
def test_of_several_motions_a_part_takes_the_one_it_takes_alone(campaign: ModuleType, name: str, number: int) -> None:
    """Sweeps rounded by the load of what stands beside; where others were hard a part was solved in another way."""
    rng, tally = campaign.generator(name, 7, number), campaign.Tally(name)
    problem, other = campaign.TYPES[name](rng), campaign.TYPES[name](rng)
    for change in campaign.changes(rng, problem, other):
        campaign.compare(problem, np.asarray(problem.solve().z), change, tally, number)
    assert tally.changed["merged"] == 1
    assert tally.moved == []


def contacts(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    root = rng.normal(size=(3 * count, 3 * count))
    return root @ root.T, rng.normal(size=3 * count) - 1.0, rng.uniform(0.1, 0.8, count)


def test_a_light_contact_is_solved_as_well_as_a_heavy_one() -> None:
    """Once measured beside the heavy one's numbers alone, any r of the light one passed."""
    rng = np.random.default_rng(3)
    W, q, mu = contacts(rng, 4)
    plain = solve_friction(W, q, mu)
    unit = np.repeat(np.exp2([-13.0, 12.0, 0.0, 7.0]), 3)
    scaled = solve_friction(W * np.outer(unit, unit), q * unit, mu)
    np.testing.assert_allclose(scaled.w / unit, plain.w, atol=1e-7 * np.abs(plain.w).max())
    wrong = scaled.z.copy()
    wrong[3:6] *= 1.01
    assert friction_residual(W * np.outer(unit, unit), q * unit, mu[:, None], wrong, 3).max() > 1e-8


def test_parts_do_not_hide_behind_each_other() -> None:
    """Independent problems in one matrix, one with a load of 1e-8 of the other."""
    rng = np.random.default_rng(4)
    problems = [contacts(rng, 3), contacts(rng, 2)]
    scale = (1.0, 1e-8)
    W = block_diag(*(W for W, _, _ in problems))
    q = np.concatenate([s * q for s, (_, q, _) in zip(scale, problems, strict=True)])
    both = solve_friction(sp.csr_array(W), q, np.concatenate([mu for _, _, mu in problems]))
    apart = [solve_friction(W, s * q, mu) for s, (W, q, mu) in zip(scale, problems, strict=True)]
    np.testing.assert_allclose(both.z[:9], apart[0].z, atol=1e-7 * np.abs(apart[0].z).max())
    np.testing.assert_allclose(both.z[9:], apart[1].z, atol=1e-7 * np.abs(apart[1].z).max())


def test_a_reaction_beyond_all_digits_is_no_solution() -> None:
    """r so large that u is lost beside it: the natural map alone is zero in double precision."""
    W, q, mu = np.diag([1e-17, 1.0, 1.0]), np.array([-1.0, 0.5, 0.0]), np.array([[0.5]])
    r = np.array([3e17, 0.0, 0.0])
    assert friction_residual(W, q, mu, r, 3).max() > 1e-8


def test_reactions_lie_in_their_cones_to_the_last_digit() -> None:
    """Newton's method ends a few roundings off; a normal reaction of -1e-23 once left its bounds."""
    rng = np.random.default_rng(6)
    for _ in range(40):
        W, q, mu = contacts(rng, 5)
        normal = solve_friction(W, q, mu).z[::3]
        assert (normal >= 0.0).all()


def test_rows_and_columns_in_units_far_apart() -> None:
    """The measure of a row among rows is in units that do not depend on those of the data."""
    rng = np.random.default_rng(910)
    n = 25
    triangle = np.triu(rng.normal(size=(n, n)), 1) + np.diag(rng.uniform(0.5, 2.0, n))
    z, w = rng.exponential(size=n), rng.exponential(size=n)
    active = rng.random(n) < 0.5
    z[~active], w[active] = 0.0, 0.0
    row, column = np.exp2(rng.integers(-26, 27, (2, n)))
    solution = solve_lcp(triangle * np.outer(row, column), (w - triangle @ z) * row)
    np.testing.assert_allclose(solution.z * column, z, atol=1e-7 * z.max())


def test_natural_units_undo_any_units() -> None:
    rng = np.random.default_rng(5)
    M = rng.uniform(0.5, 2.0, (12, 12)) * rng.choice([-1.0, 1.0], (12, 12))
    row, column = np.exp2(rng.integers(-20, 21, (2, 12)))
    R, C = natural_units(sp.csr_array(M * np.outer(row, column)))
    size = np.abs(M * np.outer(row * R, column * C))
    assert size.max() < 8.0
    assert size.min() > 0.125


def test_a_contact_held_by_an_equality_does_not_seem_to_close() -> None:
    """One degree of freedom, held: what elimination leaves of the contact's rows is rounding."""
    rng = np.random.default_rng(8)
    for _ in range(50):
        direction = rng.normal(size=3)
        A = np.outer(direction, direction)
        solution = solve_mixed(A, A @ rng.normal(size=3), [("friction", [0, 1], 0.5), ("equality", 2, None)])
        np.testing.assert_allclose(solution.w, 0.0, atol=1e-9)


def test_no_solution_is_said_so() -> None:
    with pytest.raises(SolverError) as caught:
        solve_lcp(np.zeros((2, 2)), np.array([1.0, -1.0]))
    assert caught.value.reason == "infeasible"


@pytest.mark.parametrize(
    ("name", "seed", "number"),
    [
        ("2-D friction, rank-deficient", 1, 476), ("2-D friction, rank-deficient", 0, 397),
        ("3-D friction, rank-deficient", 1, 51), ("3-D friction, rank-deficient", 0, 71),
        ("rolling friction, rank-deficient", 1, 965), ("rolling friction, rank-deficient", 1, 2482),
        ("rolling friction, rank-deficient", 1, 813), ("rolling friction, rank-deficient", 1, 5935),
        ("rolling friction, rank-deficient", 7, 178), ("rolling friction, rank-deficient", 7, 8692),
        ("rolling friction, rank-deficient", 7, 1920), ("rolling friction, rank-deficient", 3, 458),
    ],
)  # fmt: skip
def test_contacts_that_were_refused_though_solvable(campaign: ModuleType, name: str, seed: int, number: int) -> None:
    problem = campaign.TYPES[name](campaign.generator(name, seed, number))
    tally = campaign.Tally(name)
    assert campaign.attempt(problem, tally, number) is not None
    assert tally.wrong == []


def test_merged_with_a_problem_in_far_smaller_units(campaign: ModuleType) -> None:
    """The three rows of the second problem once passed beside the first one, 4e-7 off."""
    name, number = "mlcp semidefinite, badly scaled", 8975
    rng = campaign.generator(name, 7, number)
    problem, other = campaign.TYPES[name](rng), campaign.TYPES[name](rng)
    change = next(c for c in campaign.changes(rng, problem, other) if c.name == "merged")
    tally = campaign.Tally(name)
    assert campaign.attempt(change.problem, tally, number) is not None
    assert tally.wrong == []
