"""The stepper is generic: its source names no family, scheme or law."""

import re
from pathlib import Path

RUNTIME = Path(__file__).resolve().parents[2] / "nsdgen" / "runtime"
STEPPER = ("_bracket.pxd", "_bracket.pyx", "_program.pxd", "_program.pyx", "_coupled.pxd", "_coupled.pyx", "_data.pxd",
           "_arena.pxd", "_arena.pyx", "_assembly.pxd", "_assembly.pyx", "_graph.pxd", "_graph.pyx",
           "_measure.pxd", "_measure.pyx", "_stage.pxd", "_stage.pyx", "_stepper.pyx", "simulation.py", "graph.py",
           "layout.py", "values.py", "selection.py")
WORDS = r"""
    lagrang | newton[-_ ]?euler | rigid | quaternion | first[-_ ]?order | mechanic | circuit | contact | bod(y|ies)\b
    | moreau | jean | theta | \bgamma | schatzman | paoli | projection | variational | midpoint | exponential
    | impact | restitution | friction | coulomb | relay | complementarity | bilateral | unilateral | twist | inertia
"""


def test_the_stepper_names_no_family_scheme_or_law():
    pattern = re.compile(WORDS, re.IGNORECASE | re.VERBOSE)
    found = [f"{name}:{number}: {line.strip()}"
             for name in STEPPER
             for number, line in enumerate((RUNTIME / name).read_text().splitlines(), 1)
             if pattern.search(line)]
    assert not found, "\n".join(found)


def test_the_list_of_files_is_complete():
    """Every compiled part of the runtime but the ABI table is read by the test above."""
    assert {p.name for p in RUNTIME.glob("_*.pyx")} - {"_table.pyx"} <= set(STEPPER)
