"""A small share of ``benchmarks/attack.py``: families of hard problems, judged law by law."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from nsdgen.errors import SolverError
from nsdgen.solvers import solve_friction
from nsdgen.solvers.mixed.cone_parts import friction_residual

FEW, MANY, LARGE = 12, 5100, 20
# Refusals take seconds there: masses over more orders of magnitude than a double has digits.
COSTLY = ("mass ratios", "no solution, far units")
REFUSED = {"extreme mu": 1}  # of FEW: heaps where hardly anything may slide have solutions that are hard to find


def test_families_of_hard_problems(attack: ModuleType) -> None:
    names = [name for name in attack.FAMILIES if name not in COSTLY]
    for tally in attack.campaign(names, FEW, seed=7):
        assert tally.faults == 0, tally.cases()
        assert len(tally.known) <= REFUSED.get(tally.name, 0), tally.cases()


@pytest.mark.slow
def test_the_whole_campaign(attack: ModuleType) -> None:
    with attack.Worker(attack.LIMIT) as worker:
        for problems, large in ((MANY, False), (LARGE, True)):
            for tally in attack.campaign(attack.FAMILIES, problems, 7, large, worker.attempt):
                assert tally.faults == 0, tally.cases()


def test_what_the_campaign_counts(attack: ModuleType) -> None:
    """Each fault by its name, and a process that hangs or dies is replaced."""
    tally = attack.Tally("")
    for outcome in (
        attack.Outcome(True, off=1e-3, law="penetration"), attack.Outcome(False),
        attack.Outcome(True, off=float("nan")), attack.Outcome(True, reason="infeasible"),
        attack.Outcome(None, raw="KeyError"), attack.Outcome(None, hang=True), attack.Outcome(True),
        attack.Outcome(True, reason="not converged"), attack.Outcome(False, reason="infeasible"),
    ):  # fmt: skip
        tally.add(0, outcome)
    counted = [len(x) for x in (tally.wrong, tally.false, tally.raw, tally.hangs, tally.known)]
    assert (tally.problems, tally.solved, tally.refused.total(), counted) == (9, 4, 3, [3, 1, 1, 1, 1])


@pytest.mark.slow
def test_a_process_that_takes_too_long_or_dies_is_replaced(attack: ModuleType) -> None:
    with attack.Worker(1e-9) as worker:
        assert worker.attempt("closing jaws", 0, 0, True).hang
        worker.limit = 60.0
        assert worker.attempt("Murty", 0, 0, False).off <= attack.WRONG
        worker.process.kill()
        assert "ended with -9" in worker.attempt("Murty", 0, 0, False).raw
        assert worker.attempt("Murty", 0, 0, False).solver


# -- what the campaign found ---------------------------------------------------------------------


@pytest.mark.parametrize(("family", "number"), [
    ("extreme mu", 371), ("extreme mu", 387), ("extreme mu", 538),
    ("extreme rolling", 259), ("extreme rolling", 359), ("extreme rolling", 419),
])  # fmt: skip
def test_coefficients_of_any_size_are_led_up_to(attack: ModuleType, family: str, number: int) -> None:
    """Once refused: from 1e-12 to 1e15 nothing found them but the solutions for coefficients nearer to 1."""
    assert attack.tried(family, 0, number, False).off <= attack.WRONG


@pytest.mark.parametrize("number", [54, 79, 205, 225, 263, 269])
def test_an_answer_off_by_more_than_the_load_is_none(attack: ModuleType, number: int) -> None:
    """Terms a billion times q: within the tolerance of its terms w was -54 where q is at most 8, with no solution."""
    outcome = attack.tried("no solution, far units", 0, number, False)
    assert outcome.reason == "infeasible"


@pytest.mark.parametrize(("seed", "number"), [(0, 1), (0, 2), (14, 3)])
def test_large_problems_without_a_solution_are_not_solved(attack: ModuleType, seed: int, number: int) -> None:
    """Once z of 1e5 passed, off by 1e-10 of its terms and by a hundredth of the load."""
    assert attack.tried("no solution, far units", seed, number, True).reason == "infeasible"


@pytest.mark.parametrize("number", [164, 346, 377])
def test_rows_without_entries_hide_no_proof(attack: ModuleType, number: int) -> None:
    """Once "a ray": beside the load of a row of zeros, in its units, that of the others looked like nothing."""
    assert attack.tried("no solution, far units", 0, number, False).reason == "infeasible"


def test_jaws_that_close_on_one_body() -> None:
    """Once "not converged", after half a second."""
    for mass in (1.0, 3.0, 0.7):
        W = np.array([[1, 0, -1, 0], [0, 1, 0, -1], [-1, 0, 1, 0], [0, -1, 0, 1]]) / mass
        for mu in (0.0, 0.3, 1e6):
            with pytest.raises(SolverError, match="no reactions keep all of contacts 0, 1 from closing") as caught:
                solve_friction(W, [-1.0, 0.2, -0.5, 0.1], mu, 2)
            assert (caught.value.reason, caught.value.rows) == ("infeasible", (0, 1))


def test_jaws_whose_matrix_is_rounded_are_refused_at_once(attack: ModuleType) -> None:
    """Whether large reactions exist, the rounding of W decides: no proof, but nothing to search for."""
    mass = np.array([0.3, 0.7, 1.1])
    gaps = np.diff(np.eye(3), axis=0, prepend=0.0, append=0.0)
    W = np.zeros((8, 8))
    W[::2, ::2] = gaps @ np.diag(1 / mass) @ gaps.T
    W[1::2, 1::2] = W[::2, ::2]
    with pytest.raises(SolverError, match="no reactions keep all of contacts 0, 1, 2, 3 from closing"):
        solve_friction(W, [-1.0, 0, 0, 0, 0, 0, -1.0, 0], 0.4, 2)


@pytest.mark.parametrize("number", [1589, 12, 77, 301])
def test_a_contact_is_right_relative_to_its_own_terms(attack: ModuleType, number: int) -> None:
    """Once friction of 1589 was off by 1.2e-6 of the terms of its contact, twelve times what is allowed."""
    assert attack.tried("duplicated contacts", 0, number, False).off <= attack.WRONG


def test_a_multiplier_of_rounding_leaves_no_wrong_sign(attack: ModuleType) -> None:
    """The bound on friction of a contact that rests: once -8.8e11 times a z of 1.6e-22 was all there was in its row."""
    assert attack.tried("friction as rows, scaled", 7, 3369, False).off < 1e-15


@pytest.mark.parametrize(("angle", "least", "most"), [(0.0, 0.0, 1e-15), (1e-3, 1e-6, 1e-4), (3e-2, 1e-6, 1e-4)])
def test_slow_sliding_has_a_direction(angle: float, least: float, most: float) -> None:
    """Friction is turned by ``angle`` at a speed of 1e-5: the natural map is their product, within the tolerance."""
    mu, W, u = 0.5, np.eye(3), np.array([0.0, 1e-5, 0.0])
    r = np.array([1.0, -mu * np.cos(angle), mu * np.sin(angle)])
    assert least <= friction_residual(W, u - W @ r, np.array([[mu]]), r, 3).max() <= most


def test_a_contact_with_little_load_is_measured_by_its_own_terms() -> None:
    """A penetration of 1e-9 of the largest load is 1e-6 of what happens at the other contact of the part."""
    W = np.eye(4) + 1e-9 * np.ones((4, 4))  # one part, hardly coupled
    r = np.array([1.0, 0.0, 1e-3 * (1.0 - 1e-6), 0.0])
    q = np.array([-1.0, 0.0, -1e-3, 0.0]) - (W - np.eye(4)) @ r
    assert 1e-7 < friction_residual(W, q, np.full((2, 1), 0.5), r, 2).max() < 1e-5
