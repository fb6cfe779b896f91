"""The stepper is generic: its source names no family, scheme or law."""

import re
from pathlib import Path

RUNTIME = Path(__file__).resolve().parents[2] / "nsdgen" / "runtime"
STEPPER = (
    *(
        f"{part}.{kind}"
        for kind in ("pxd", "pxi")
        for part in (
            "_accumulation",
            "_activation",
            "_arena",
            "_assembly",
            "_augmented",
            "_bound_model",
            "_bracket",
            "_coupled",
            "_events",
            "_flow",
            "_forget",
            "_fused",
            "_held",
            "_instant",
            "_interaction_graph",
            "_linearization",
            "_looks",
            "_measure",
            "_modes",
            "_newton",
            "_pools",
            "_program",
            "_program_binding",
            "_relation_binding",
            "_rounding",
            "_rows_in_play",
            "_run_arrays",
            "_several",
            "_stage",
            "_stage_binding",
            "_start",
            "_stepper",
            "_pile",
            "_zero",
        )
    ),
    "_ahead.pxd",
    "_data.pxd",
    "_program_data.pxd",
    "_lanes.pyx",
    "_observers.pxi",
    "_recorder.pxi",
    "boxes.py",
    "ensemble.py",
    "failures.py",
    "initial.py",
    "interaction_graph.py",
    "runge_kutta.py",
    "selection.py",
    "simulation.py",
    "values.py",
)
WORDS = r"""
    lagrang | newton[-_ ]?euler | rigid | quaternion | first[-_ ]?order | mechanic | circuit | contact | bod(y|ies)\b
    | moreau | jean | theta | \bgamma | schatzman | paoli | projection | variational | midpoint | exponential
    | impact | restitution | friction | coulomb | relay | complementarity | bilateral | unilateral | twist | inertia
"""


def test_the_stepper_names_no_family_scheme_or_law():
    pattern = re.compile(WORDS, re.IGNORECASE | re.VERBOSE)
    found = [
        f"{name}:{number}: {line.strip()}"
        for name in STEPPER
        for number, line in enumerate((RUNTIME / name).read_text().splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


def test_the_list_of_files_is_complete():
    """Every compiled part of the runtime but the ABI table is read by the test above."""
    assert {p.name for p in RUNTIME.glob("_*.p[yx][xi]")} - {
        "_table.pxi",
        "_binding.pyx",
        "_stages.pyx",
        "_runs.pyx",
    } <= set(STEPPER)
