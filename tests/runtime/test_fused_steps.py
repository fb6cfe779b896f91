"""Fused steps: a small model's own function makes the steps of the general stepper, bit for bit."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.conformance.case import load_case  # noqa: E402

CASES = sorted(p.stem for p in (ROOT / "tests/conformance/cases").glob("[a-z]*.py"))
FUSED = {"bouncing_ball_ts", "cam_follower_driven_358", "cam_follower_driven_700", "circuit_rlcd", "diode_bridge"}
STEPS = 3000


def outcome(compiled, **options):
    """The table of a run, and how it ended."""
    from nsdgen.errors import StepError

    try:
        return compiled.run(**options).table, ""
    except StepError as error:
        return error.trajectory.table, str(error)


@pytest.mark.parametrize("slug", CASES)
def test_a_case_has_the_bits_of_the_general_stepper(slug):
    from nsdgen.pipeline import build_model, emit_model

    emitted = emit_model(load_case(slug).model)
    fused = "_steps(const nsdgen_run" in emitted.text  # known from the text: nothing is compiled for those without
    assert fused or slug not in FUSED
    if not fused:
        pytest.skip("the general stepper makes its steps")
    compiled, _ = build_model(emitted)
    assert compiled.fused
    end = compiled.record.start + min(STEPS * compiled.record.step, compiled.record.end - compiled.record.start)
    own, said = outcome(compiled, end=end)
    general, general_said = outcome(compiled, end=end, generic=True)
    assert own.tobytes() == general.tobytes() and said == general_said


@pytest.mark.parametrize("name", ["bouncing_ball", "cam_follower", "diode_bridge"])
def test_an_example_has_them_too(compiled, name):
    model = compiled(name)
    assert model.fused
    own, general = model.run(), model.run(generic=True)
    assert own.table.tobytes() == general.table.tobytes() and own.time.tobytes() == general.time.tobytes()


def test_what_is_kept_of_a_run_does_not_matter(compiled):
    model = compiled("cam_follower")
    whole, some = model.run(end=1.0), model.run(end=1.0, every=7, record=["u", "impulse"])
    rows = [*range(0, len(whole), 7), *([] if (len(whole) - 1) % 7 == 0 else [len(whole) - 1])]
    assert np.array_equal(some["follower.u"], whole["follower.u"][rows])
    assert np.array_equal(some["cam.impulse"], whole["cam.impulse"][rows])


def test_a_run_does_not_depend_on_the_runs_before(compiled):
    model = compiled("cam_follower")
    first = model.run(end=0.5)
    model.run(end=1.2, step=3e-4, start=1.0, parameters={"omega": 75.0, "e": 0.1}, initial={"u": 1.0}, generic=True)
    model.run(end=0.2, options={"theta": 1.0})
    assert model.run(end=0.5).table.tobytes() == first.table.tobytes()
