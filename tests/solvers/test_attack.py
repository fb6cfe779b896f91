"""A small share of ``benchmarks/attack.py``: families of hard problems, judged law by law."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
FEW, MANY, LARGE = 12, 5000, 20
# Refusals take seconds there: masses over more orders of magnitude than a double has digits.
COSTLY = ("mass ratios", "closing jaws", "no solution, far units")


@pytest.fixture(scope="module")
def attack() -> Iterator[ModuleType]:
    if not (BENCHMARKS / "attack.py").exists():
        pytest.skip("benchmarks are not here")
    sys.path.insert(0, str(BENCHMARKS))
    yield import_module("attack")
    sys.path.remove(str(BENCHMARKS))


def test_families_of_hard_problems(attack: ModuleType) -> None:
    names = [name for name in attack.FAMILIES if name not in COSTLY]
    for tally in attack.campaign(names, FEW, seed=7):
        assert tally.faults == 0, tally.cases()
        assert len(tally.known) == 0, tally.cases()


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
        attack.Outcome(True, off=1e-3, law="penetration"), attack.Outcome(False), attack.Outcome(True, off=float("nan")),
        attack.Outcome(True, reason="infeasible"), attack.Outcome(None, raw="KeyError"), attack.Outcome(None, hang=True),
        attack.Outcome(True, reason="not converged"), attack.Outcome(False, reason="infeasible"), attack.Outcome(True),
    ):  # fmt: skip
        tally.add(0, outcome)
    counted = [len(x) for x in (tally.wrong, tally.false, tally.raw, tally.hangs, tally.known)]
    assert (tally.problems, tally.solved, tally.refused.total(), counted) == (9, 4, 3, [3, 1, 1, 1, 1])


def test_a_process_that_takes_too_long_or_dies_is_replaced(attack: ModuleType) -> None:
    with attack.Worker(1e-9) as worker:
        assert worker.attempt("closing jaws", 0, 0, True).hang
        worker.limit = 60.0
        assert worker.attempt("Murty", 0, 0, False).off <= attack.WRONG
        worker.process.kill()
        assert "ended with -9" in worker.attempt("Murty", 0, 0, False).raw
        assert worker.attempt("Murty", 0, 0, False).solver
