"""The stepper is generic: its source names no family, scheme or law."""

import re
from pathlib import Path

RUNTIME = Path(__file__).resolve().parents[2] / "nsdgen" / "runtime"
STEPPER = (
    *sorted(p.name for p in RUNTIME.glob("_*.p[yx][xid]") if p.stem != "_table"),  # which is of the ABI
    "boxes.py",
    "member_runs.py",
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
