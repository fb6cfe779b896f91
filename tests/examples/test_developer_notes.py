"""The audit of the developer notes: 260 claims, their verdicts, and the report of them in docs/audit.

The tables below hold what the audit found. A change of a verdict is a change of the audit and must be explained, never
adjusted. Importing the claims takes ten seconds: the default suite compares list and page with the tables only, while
``make audit-formulas`` and ``make test-all`` decide the claims.
"""

import importlib
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from nsdgen.verify import decide
from nsdgen.verify.report.verdict_list import read_list
from nsdgen.verify.verdict import PROVED

ROOT = Path(__file__).resolve().parents[2]
AUDIT = ROOT / "docs" / "audit"

COUNTS = {
    "NE": 17,
    "Q": 42,
    "GR": 11,
    "CT": 11,
    "PR": 2,
    "VI": 53,
    "TG": 35,
    "SO": 28,
    "LG": 8,
    "MJ": 9,
    "SP": 6,
    "CF": 2,
    "OS": 15,
    "AC": 9,
    "QF": 12,
}
REFUTED = {
    "NE": (1, 2, 6, 13, 14),
    "Q": (6, 10, 14, 16, 20, 23, 24, 28, 30, 31, 33, 34, 37, 39, 42),
    "GR": (2, 3, 4, 5, 6, 7, 10),
    "CT": (3, 4, 6, 9),
    "VI": (5, 21, 23, 26, 27, 29, 30, 31, 35, 37, 39, 41, 47, 51, 53),
    "SO": (1, 2, 3, 6, 9, 10, 12, 14, 20, 21, 22, 23, 25, 27, 28),
    "TG": (2, 6, 8, 10, 12, 13, 14, 17, 21, 25, 27, 29, 31, 35),
    "LG": (3, 4, 5, 6),
    "MJ": (2, 4, 8, 9),
    "SP": (1, 4, 6),
    "OS": (3, 5, 6, 7, 10, 12, 13),
    "AC": (7, 8),
    "QF": (3, 5, 6),
}
UNDER = {  # an assumption that the notes make, and false without it
    "NE": (7, 9),
    "Q": (11, 13, 15, 17, 18, 19, 21, 22, 25, 35, 38, 40),
    "GR": (9,),
    "PR": (2,),
    "VI": (3, 4, 7, 8, 9, 10, 16, 17, 18, 20, 25, 34),
    "TG": (22, 34),
    "LG": (7,),
    "MJ": (7,),
    "SP": (2,),
    "OS": (9,),
    "AC": (2,),
    "QF": (4, 7),
}
UNCERTIFIED = {  # series summed in closed form, failures
    "Q": (32,),
    "TG": (32,),
    "SO": (7, 11, 13, 26),
    "OS": (11,),
}
READINGS = {"TG-23": ("proved under", "refuted"), "SO-19": ("proved", "refuted")}

IDS = [f"{family}-{number:02}" for family, count in COUNTS.items() for number in range(1, count + 1)]
TIRESOME = (
    "VI-31",
    "VI-34",
    "VI-35",
    "VI-41",
    "VI-44",
    "VI-45",
    "VI-47",
    "VI-49",
    "VI-51",
    "GR-02",
    "MJ-02",
    "SO-20",
)  # seconds each
HANDFUL = sorted({*Random(5).sample(IDS, 16), *(id for id in IDS if id.startswith("CT"))} - {*TIRESOME})


def expected(id):
    """The verdict that the audit found."""
    family, number = id.split("-")
    if id in READINGS:
        return "ambiguous"
    if id == "VI-50":
        return "definition"
    if int(number) in REFUTED.get(family, ()):
        return "refuted"
    if int(number) in UNCERTIFIED.get(family, ()):
        return "proved without certificate"
    return "proved under" if int(number) in UNDER.get(family, ()) else "proved"


@pytest.fixture(scope="module")
def audit():
    """The module of the example."""
    sys.path.insert(0, str(ROOT / "examples"))
    try:
        yield importlib.import_module("developer_notes_audit")
    finally:
        sys.path.remove(str(ROOT / "examples"))
        for name in [n for n in sys.modules if n.partition(".")[0] in ("developer_notes", "developer_notes_audit")]:
            del sys.modules[name]


@pytest.fixture(scope="module")
def claims(audit):
    """The claims by id."""
    return {claim.id: claim for claim in audit.claims()}


def cases(page):
    """What a page says of each claim: its section or its line in the table of others."""
    text = page.read_text(encoding="utf-8")
    sections, _, table = text.partition("## All others")
    said = {part.partition(":")[0]: part.strip() for part in sections.split("### ")[1:]}
    return said | {line.split(" | ")[0][2:]: line for line in table.splitlines() if line.startswith("| ")}


def check(claim):
    verdict = decide(claim)
    assert verdict.verdict == expected(claim.id), (verdict.verdict, verdict.reason)
    assert "consistent" not in {v.verdict for v in (verdict, *verdict.readings)}
    assert tuple(r.verdict for r in verdict.readings) == READINGS.get(claim.id, ())
    for v in (verdict, *verdict.readings):
        if v.verdict == "refuted":
            assert v.counterexample is not None or v.reason
            assert v.correction and v.mend
            assert v.mended in PROVED
        assert (v.certificate is not None) == (v.verdict in ("proved", "proved under"))
        if v.verdict == "proved under":
            assert {c.without for c in v.necessity} == {a for a in v.assumptions if "invertible" not in a}


def test_the_report_holds_what_the_audit_found():
    listed = read_list(AUDIT / "developer_notes_audit.verdicts")
    claims = {id: verdict for id, (verdict, _) in listed.items() if "/" not in id}
    assert claims == {id: expected(id) for id in IDS}
    assert all(listed[id][1] for id in IDS)
    readings = {id: tuple(v for known, (v, _) in listed.items() if known.startswith(f"{id}/")) for id in READINGS}
    assert readings == READINGS


def test_the_page_says_what_is_listed():
    page = cases(AUDIT / "developer_notes_audit.md")
    assert sorted(set(page) - {"id"}) == sorted(IDS)
    for id in IDS:
        if expected(id) in ("refuted", "ambiguous"):
            assert f"- **{expected(id)}**" in page[id]
            assert re.search(r"- mend \(proved( without certificate)?\): ", page[id])
        else:
            assert f"| {expected(id)}" in page[id]


@pytest.mark.slow
def test_a_run_from_any_folder_finds_a_handful_unchanged(tmp_path):
    script, page = ROOT / "examples" / "developer_notes_audit.py", tmp_path / "found.md"
    done = subprocess.run(
        [sys.executable, str(script), *HANDFUL, "--markdown", str(page)], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{len(HANDFUL)} claims: " in done.stdout
    committed = cases(AUDIT / "developer_notes_audit.md")
    assert {id: text for id, text in cases(page).items() if id != "id"} == {id: committed[id] for id in HANDFUL}


@pytest.mark.slow
def test_every_formula_is_stated_once_and_says_where_it_stands(audit, claims):
    assert sorted(claims) == sorted(IDS)
    stated = [claim.id for subject in audit.SUBJECTS for claim in subject.claims]
    assert sorted(stated) == sorted(IDS)
    assert all(claim.title and claim.source for claim in claims.values())


@pytest.mark.slow
@pytest.mark.parametrize("id", IDS)
def test_every_verdict(claims, id):
    check(claims[id])


@pytest.mark.parametrize(
    ("id", "slip"),
    [
        ("NE-02", "transpose"),
        ("NE-13", "sign"),
        ("Q-20", "missing factor 2"),
        ("VI-21", "sign"),
        ("VI-29", "extra factor 2"),
        ("CT-06", "wrong argument"),
        ("VI-53", "wrong argument"),
        ("SP-06", "missing factor h**2"),
        ("Q-37", ""),
        ("GR-05", "missing assumption"),
        ("VI-05", "missing assumption"),
    ],
)
def test_slips_are_named(id, slip):
    page = cases(AUDIT / "developer_notes_audit.md")[id]
    assert (f"- slip: {slip}\n" in page) if slip else ("slip" not in page)
