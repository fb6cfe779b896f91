"""Single slips planted in correct Jacobians are refuted and named; harmless rewritings are accepted."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from random import Random

import pytest

from nsdgen.verify import Claim, decide
from nsdgen.verify.verdict import PROVED

_spec = importlib.util.spec_from_file_location("verify_families", Path(__file__).with_name("families.py"))
families = importlib.util.module_from_spec(_spec)
sys.modules["verify_families"] = families
_spec.loader.exec_module(families)

FAMILIES = families.families()
NAMED = {
    "sign": ("sign",),
    "index": ("swapped index",),
    "factor": ("missing factor", "extra factor"),
    "dropped term": ("missing term",),
}


def plant_and_decide(seed):
    """One planted slip: (kind, family, verdict)."""
    rng = Random(seed)
    family = FAMILIES[seed % len(FAMILIES)]
    kind = families.SLIPS[(seed // len(FAMILIES)) % len(families.SLIPS)]
    hand = families.planted(family, kind, rng)
    return kind, family, decide(Claim(f"slip {seed}", family.truth, hand, family.assumptions))


def check_slips(seeds, capsys):
    right, wrong = 0, []
    for seed in seeds:
        kind, family, verdict = plant_and_decide(seed)
        assert verdict.verdict == "refuted", (seed, kind, family.name, verdict.reason)
        assert verdict.counterexample is not None
        if verdict.slip.startswith(NAMED[kind]):
            right += 1
        else:
            wrong.append((seed, family.name, kind, verdict.slip, verdict.mend))
    with capsys.disabled():
        print(f"\n{right} of {len(seeds)} slips named right ({100 * right / len(seeds):.1f} %)")
    assert right >= 0.8 * len(seeds), wrong


def check_rewritings(seeds):
    for seed in seeds:
        rng = Random(seed)
        family = FAMILIES[seed % len(FAMILIES)]
        kind = families.REWRITINGS[(seed // len(FAMILIES)) % len(families.REWRITINGS)]
        verdict = decide(
            Claim(f"rewriting {seed}", family.truth, families.rewritten(family, kind, rng), family.assumptions)
        )
        assert verdict.verdict in PROVED, (
            seed,
            family.name,
            kind,
            verdict.verdict,
            verdict.reason,
            verdict.counterexample,
        )


def test_planted_slips_are_refuted_and_named(capsys):
    check_slips((0, 5, 10, 15), capsys)  # every slip and every family once


def test_harmless_rewritings_are_proved():
    check_rewritings((0, 10))


@pytest.mark.slow
def test_a_thousand_planted_slips(capsys):
    check_slips(range(1000), capsys)


@pytest.mark.slow
def test_a_thousand_harmless_rewritings():
    check_rewritings(range(1000))
