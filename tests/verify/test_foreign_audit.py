"""The hand Jacobians of published simulations: which of them are wrong, as formulas and as compiled plugins."""

from __future__ import annotations

import importlib
import sys
import tomllib
from pathlib import Path

import pytest

from nsdgen.verify import decide_all
from nsdgen.verify.report.verdict_list import read_list

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES, AUDIT = ROOT / "examples", ROOT / "docs" / "audit"

WRONG = {
    "double_pendulum/dN_dq",
    "pendulum_on_slider/dN_dq",
    "pendulum_on_slider/dN_dv",
    "pendulum_on_slider/dF_dq",
    "pendulum_on_slider/gap_1",
    "slider_crank/rate_2",
    "slider_crank/rate_4",
    "two_link/dF_dv",
    "two_link/contact_1",
    "newton_euler/springs",
    "pendulum_on_slider/mass",
    "pendulum_on_slider/inertia",
    "pendulum_on_slider/force",
    "small/stick_output",
    "small/stick_tip",
    "beads/inertia",
    "bar/mass",
    "bar/stiffness",
    "slider_crank/column_3_start",
    "slider_crank/column_4_start",
    "rotation/series",
    "contact/gap",
    "contact/lever",
    "moving_plane/rotation",
    "prismatic/normal_down",
    "prescribed/coupling",
    "prescribed/reaction",
    "two_link/passivity",
    "sliding_mode/predicted",
    "pid/period",
    "moreau_jean/matrix",
    "schatzman_paoli/matrix",
    "schatzman_paoli/start",
    "bar/damping",
    "newton_euler/tangent",
    "theta_gamma/recorded",
    "schatzman_paoli/free",
    "ball/inertia_ed",
    "beads/mass",
    "buck/bandwidth",
    "inverter/inductance",
    "joints/beam_inertia",
    "contact/ball_inertia",
}
"""What was typed and is not what the residual, the energy or the geometry of the same case gives."""

SLOW = ("two_link/dF_dv", "two_link/inverse_rate")


@pytest.fixture(scope="module")
def claims(kernel_cache):
    sys.path.insert(0, str(EXAMPLES))
    try:
        yield importlib.import_module("plugin_audit").claims()
    finally:
        sys.path.remove(str(EXAMPLES))
        for name in [n for n in sys.modules if n.partition(".")[0] == "plugin_audit"]:
            del sys.modules[name]


def _as_expected(claims):
    verdicts = decide_all(claims, processes=2, budget=20.0)
    assert {v.id.rpartition(".")[0] for v in verdicts if v.verdict == "refuted"} == {
        c.id.rpartition(".")[0] for c in claims
    } & WRONG
    assert {v.verdict for v in verdicts} <= {"proved", "proved under", "consistent", "refuted"}
    for v in verdicts:
        assert v.verdict != "proved" or v.id.endswith(".formula")
        assert v.counterexample is not None or v.verdict != "refuted"


@pytest.mark.slow
def test_formulas(claims):
    formulas = [c for c in claims if c.id.endswith(".formula") and not c.id.startswith(SLOW)]
    _as_expected([c for k, c in enumerate(formulas) if k % 3 == 0 or c.id.rpartition(".")[0] in WRONG])


@pytest.mark.parametrize("family", ["double_pendulum/dN_d", pytest.param("pendulum_on", marks=pytest.mark.slow)])
def test_plugins_of_the_first_families(claims, family):
    _as_expected([c for c in claims if c.id.endswith(".plugin") and c.id.startswith(family)])


def test_every_function_that_a_case_prints_is_stated(claims):
    """The list of functions against the cases, the claims and the verdicts: nothing is left out on any side."""
    listed = tomllib.loads((AUDIT / "plugin_functions.toml").read_text(encoding="utf-8"))
    cases = {p.stem for p in (ROOT / "tests" / "conformance" / "cases").glob("*.py")}
    assert cases <= set(listed)
    assert {u for of in listed.values() for u in of.get("uses", ())} <= set(listed)
    functions = [c for of in listed.values() for name, c in of.items() if name != "uses"]
    stated = {c for own in functions if isinstance(own, list) for c in own}
    assert stated == {c.id.rpartition(".")[0] for c in claims}
    decided = read_list(AUDIT / "plugin_audit.verdicts")
    assert sorted(decided) == sorted(c.id for c in claims)
    refuted = [id for id, (verdict, _) in decided.items() if verdict == "refuted"]
    assert {id.rpartition(".")[0] for id in refuted} == WRONG
    page = (ROOT / "docs" / "explanation" / "audits.md").read_text(encoding="utf-8")
    counted = len([own for own in functions if isinstance(own, list)])
    assert f"{counted} functions" in page and f"{len(claims)} claims, {len(refuted)} of them refuted" in page


@pytest.mark.slow
def test_the_whole_audit(claims):
    _as_expected(claims)
