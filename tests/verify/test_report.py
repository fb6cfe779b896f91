"""Reports: stable JSON, a table that shows what is wrong, a page with marked formulas and nothing from elsewhere."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
import sympy as sp

from nsdgen.errors import ParameterError
from nsdgen.symbolic.expressions.mathml import mathml
from nsdgen.symbolic.expressions.nodes import let, piecewise
from nsdgen.symbolic.latex.hand import Latex
from nsdgen.verify import (
    Claim,
    Counterexample,
    Equal,
    Implies,
    Inequality,
    Reading,
    SeriesEqual,
    Shape,
    Verdict,
    VerdictEntry,
)
from nsdgen.verify.report.markdown import as_markdown
from nsdgen.verify.report.page import as_page
from nsdgen.verify.report.tally import counts, families, summary
from nsdgen.verify.report.terminal_text import table
from nsdgen.verify.report.verdict_list import as_json, as_list, differences, found, read_list

x, y, q_0, theta = sp.symbols("x y q_0 theta", real=True)
WRONG = Verdict(
    "arm-2",
    "refuted",
    method="exact point",
    title="dh/dq <of> the arm",
    source="notes.tex, line 3",
    entries=(
        VerdictEntry(1, 1, 1, "x", "x", "x", "consistent"),
        VerdictEntry(1, 1, 2, "2*y", "-2*y", "2*y", "refuted"),
    ),
    counterexample=Counterexample((("x", "0"), ("y", "1")), "2", "-2", 1, 2),
    correction="(1, 2) = 2*y",
    slip="sign",
    mend="flip the sign of entry (1, 2)",
    seconds=1.5,
)
VERDICTS = [
    Verdict("arm-1", "proved", method="exact", seconds=0.25),
    WRONG,
    Verdict("leg/knee", "consistent", confidence="120 points"),
    Verdict("two", "ambiguous", readings=(Verdict("two/rows", "proved"), Verdict("two/columns", "refuted"))),
]
CLAIMS = [
    Claim("arm-1", x, x),
    Claim("arm-2", sp.Matrix([[x, 2 * y]]), sp.Matrix([[x, -2 * y]]), title=WRONG.title),
    Claim("leg/knee", statements=(Inequality(x**2, ">=", sp.S.Zero), Shape(sp.eye(3), (3, 3)))),
    Claim("two", readings=(Reading("rows", (Equal(x, x),)), Reading("columns", (Equal(x, Latex("y", {"y": y})),)))),
]


def test_counts():
    assert counts(VERDICTS) == {"proved": 1, "consistent": 1, "refuted": 1, "ambiguous": 1}
    assert counts(families(VERDICTS)["arm"]) == {"proved": 1, "refuted": 1}
    assert summary(VERDICTS, 2.0) == "4 claims: 1 proved, 1 consistent, 1 refuted, 1 ambiguous in 2.0 s"


def test_json_has_a_record_for_each_claim_and_holds_no_times():
    records = json.loads(as_json(VERDICTS))
    assert [r["id"] for r in records] == ["arm-1", "arm-2", "leg/knee", "two"]
    assert records[1]["counterexample"]["point"] == [["x", "0"], ["y", "1"]]
    assert [r["verdict"] for r in records[3]["readings"]] == ["proved", "refuted"]
    assert "seconds" not in as_json(VERDICTS)


def test_the_markdown_page_says_what_is_wrong_and_lists_the_rest():
    page = as_markdown([*VERDICTS, WRONG.but(id="|q|", verdict="proved under", assumptions=("|q| = 1",))], title="Arms")
    assert page.startswith("# Arms\n\n5 claims: 1 proved, 1 proved under, 1 consistent, 1 refuted, 1 ambiguous.\n")
    assert "### arm-2: dh/dq <of> the arm\n\n*notes.tex, line 3*\n\n- **refuted** by exact point\n" in page
    assert "- entry (1, 2): `-2*y`, should be `2*y`\n" in page
    assert "- at `x = 0, y = 1` the sides are `2` and `-2` in entry (1, 2)\n- slip: sign\n" in page
    assert "- reading `columns`: **refuted**" in page
    assert "| arm-1 | proved | exact |  |" in page and "proved under \\|q\\| = 1" in page
    assert as_markdown([WRONG.but(mended="proved")]).count("mend (proved): flip") == 1


def test_a_list_of_verdicts_reads_back(tmp_path):
    path = tmp_path / "arms.verdicts"
    given = [*VERDICTS, Verdict("six", "proved under", formula="0123456789abcdef")]
    path.write_text(as_list(given))
    assert read_list(path) == found(given)
    assert read_list(path)["two/columns"] == ("refuted", "")
    assert as_list(given).splitlines()[-1] == "six          proved under  0123456789abcdef"


def test_differences_of_two_runs():
    now = [VERDICTS[0].but(verdict="refuted"), VERDICTS[1], Verdict("new", "proved")]
    assert differences(found(now), found(VERDICTS[:3])) == [
        "arm-1: refuted, expected proved",
        "new: proved, and nothing was expected",
        "leg/knee: expected consistent, and not decided",
    ]
    assert differences(found(VERDICTS), found(VERDICTS)) == []
    other = VERDICTS[3].but(readings=(VERDICTS[3].readings[0], Verdict("two/columns", "proved")))
    assert differences(found([other]), found(VERDICTS[3:])) == ["two/columns: proved, expected refuted"]
    assert differences({"a": ("proved", "22")}, {"a": ("proved", "11")}) == [
        "a: another formula than the one that was expected"
    ]


@pytest.mark.parametrize("text", ["", "{", "[1]", "a  wrong", "a  proved  11  22", "proved", '[{"verdict": "proved"}]'])
def test_files_that_hold_no_verdicts_are_refused(tmp_path, text):
    path = tmp_path / "bad.verdicts"
    path.write_text(text)
    with pytest.raises(ParameterError, match=r"bad\.verdicts"):
        read_list(path)
    with pytest.raises(ParameterError, match="cannot be read"):
        read_list(tmp_path / "absent.verdicts")


def test_the_table_shows_what_is_wrong():
    text = table(VERDICTS, 1.0)
    for part in (
        "entry (1, 2): -2*y, should be 2*y",
        "at x = 0, y = 1",
        "slip: sign",
        "mend: flip the sign",
        "reading columns: refuted",
        "4 claims: 1 proved",
    ):
        assert part in text
    assert max(map(len, text.splitlines())) <= 110


class _Checker(HTMLParser):
    """Every element is closed by its own end tag."""

    def __init__(self):
        super().__init__()
        self.open, self.void = [], {"meta", "br", "mspace", "link", "input"}

    def handle_starttag(self, tag, attrs):
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_marks_entries_and_loads_nothing():
    page = as_page(CLAIMS, VERDICTS, title="Arms & legs")
    checker = _Checker()
    checker.feed(page)
    assert checker.open == []
    assert not re.search(r"<script|<link|src=|@import|url\(", page)
    assert page.count('<mtd class="wrong">') == 1
    assert "✗" in page and "Arms &amp; legs" in page and "dh/dq &lt;of&gt; the arm" in page
    assert page == as_page(CLAIMS, VERDICTS, title="Arms & legs")


def test_wrong_entries_come_first_and_claims_can_be_found():
    page = as_page(CLAIMS, VERDICTS)
    body = page[page.index("<body>") :]
    assert body.index('<a href="#arm-2">') < body.index("<table")  # the list of what is wrong stands on top
    assert body.index('id="show-refuted"') < body.index('<a href="#arm-2">')  # and the filter above it
    section = body[body.index('id="arm-2"') :]
    assert section.index("(1, 2)") < section.index("<math")
    assert re.findall(r'type="radio"[^>]*id="show-([a-z-]+)"', body) == [
        "all",
        "proved",
        "consistent",
        "refuted",
        "ambiguous",
    ]
    assert set(re.findall(r'href="#([^"]+)"', body)) == {v.id for v in VERDICTS}
    assert body.count('<details class="formulas" open>') == 3  # all but what is proved


def test_large_formulas_take_little_room():
    large = sp.Matrix(6, 6, lambda i, j: sp.expand((x + (i + 1) * y + theta) ** 9))
    claims = [Claim(f"n-{k}", large, large) for k in range(4)]
    entries = (VerdictEntry(1, 2, 3, "left", "given", "correct", "refuted"),)
    page = as_page(claims, [Verdict(c.id, "refuted", entries=entries, slip="a slip " * 200) for c in claims])
    assert max(map(len, re.findall("<li><a.*</li>", page))) < 250  # the list on top stays a list
    assert len(page) - len(as_page([], [])) < len(claims) * 2e6 / 260  # 260 of them are a page of two megabytes
    checker = _Checker()
    checker.feed(page)
    assert checker.open == []
    assert page.count('<td class="wrong">') == len(claims)


def test_a_side_that_is_ill_typed_is_shown_as_such():
    wrong = Latex(r"A A", {"A": sp.Matrix([[x, y]])})
    page = as_page([Claim("t", sp.eye(2), wrong)], [Verdict("t", "refuted", reason="shapes")])
    assert "Matrix size mismatch" in page and "<pre>A A</pre>" in page
    a, b = sp.MatrixSymbol("A", 3, 3), sp.MatrixSymbol("B", 4, 1)
    page = as_page([Claim("t", a, lambda: a * b)], [Verdict("t", "refuted", reason="shapes")])
    assert "not aligned" in page and "(&#x27;" not in page  # the parts of the error, not its tuple


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        (q_0 - theta, ("<msub><mi>q</mi>", "<mi>θ</mi>", "<mo>−</mo>")),
        (x / (y + 1), ("<mfrac>",)),
        (sp.sqrt(x), ("<msqrt>",)),
        (sp.sin(x) ** 2, ("<msup><mi>sin</mi><mn>2</mn></msup>",)),
        (-(x + 1) * y, ("<mo>(</mo>",)),
        (sp.Piecewise((x, x > 0), (0, True)), ("otherwise", "&gt;")),
        (piecewise((x, x > 0), (0, True)), ("otherwise",)),
        (let("gap", x), ("<mi>x</mi>",)),
        (sp.MatrixSymbol("W", 3, 3).T, ("⊤",)),
        (sp.Symbol("v_hat_1"), ("<mover", "<mn>1</mn>")),
        (sp.Symbol("a<b"), ("a&lt;b",)),
        (sp.Derivative(sp.Function("f")(x), x), ("<mi>∂</mi>",)),
        (sp.Rational(-1, 2), ("<mfrac><mn>1</mn><mn>2</mn></mfrac>",)),
        (sp.Matrix([[x, 1]]), ('<mtable class="matrix">',)),
    ],
)
def test_formulas(value, parts):
    text = mathml(value)
    checker = _Checker()
    checker.feed(text)
    assert checker.open == []
    assert all(part in text for part in parts)


def test_statements_other_than_equalities_are_typeset():
    n = sp.Symbol("n", integer=True)
    claims = [
        Claim(
            "s",
            statements=(
                SeriesEqual(sp.exp(x), x**n / sp.factorial(n), x, n),
                Implies([Equal(x, y)], Equal(x**2, y**2)),
            ),
        )
    ]
    page = as_page(claims, [Verdict("s", "proved")])
    assert "∑" in page and "⇒" in page
