"""Verdicts as one HTML page: formulas side by side, differing entries marked, nothing loaded from elsewhere."""

import importlib.resources
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import jinja2
import sympy as sp

from nsdgen.base.version import VERSION
from nsdgen.symbolic.expressions.compact import cut, shown
from nsdgen.symbolic.expressions.mathml import MARK, mathml
from nsdgen.verify import statement as st
from nsdgen.verify.quantities import expressions
from nsdgen.verify.report.tally import counts, families, summary
from nsdgen.verify.verdict import PROVED, VERDICTS, Verdict

_SIGNS = dict(zip(VERDICTS, "✓✓✓≈✗≔?–", strict=True))
_MOST = 3000  # characters of a statement that is typeset
_MOST_WRONG = 6  # wrong entries that are listed above the formulas of a claim


def as_page(claims: Sequence[Any], verdicts: Sequence[Verdict], *, title: str = "Verification") -> str:
    """The text of the page; ``claims`` in the order of ``verdicts``."""
    by_id = {claim.id: claim for claim in claims}
    text = importlib.resources.files("nsdgen.templates").joinpath("verify_report.html.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
        keep_trailing_newline=True,
    )
    return environment.from_string(text).render(
        title=title,
        version=VERSION,
        verdicts=verdicts,
        summary=summary(verdicts),
        signs=_SIGNS,
        counts=counts,
        families=families(verdicts),
        folded=(*PROVED, "definition"),  # formulas of all others are unfolded at first: somebody must look at them
        most_wrong=_MOST_WRONG,
        panels_of=lambda v, reading, number: panels(by_id[v.id], reading, number) if v.id in by_id else (),
        cut=cut,
    )


@dataclass(frozen=True)
class Panel:
    """One framed formula: its caption, its HTML, and the source text it was read from (LaTeX), if any."""

    caption: str
    html: str
    source: str = ""


def panels(claim: Any, verdict: Verdict, reading: int = 0) -> list[Panel]:
    """The panels of one reading of a claim."""
    statements = claim.readings[reading].statements
    found: list[Panel] = []
    for number, statement in enumerate(statements, 1):
        entries = [e for e in verdict.entries if e.statement == number]
        wrong = {(e.row, e.column) for e in entries if e.verdict == "refuted"}
        if isinstance(statement, st.Equal):
            hand = statement.hand or claim.hand
            for k, side in enumerate(statement.sides):
                ours = k == (0 if hand == "left" else len(statement.sides) - 1)
                caption = "hand" if ours else "derived" if len(statement.sides) == 2 else f"side {k + 1}"
                found.append(_side(side, caption, wrong if ours else (), verdict))
        else:
            found.append(Panel("statement", _statement_shown(statement)))
    return found


def _side(side: Any, caption: str, wrong: Any, verdict: Verdict) -> Panel:
    source = getattr(side, "text", "") if getattr(side, "hand_side", "") == "text" else ""
    if getattr(side, "hand_side", "") == "code":
        said = (
            "agrees at all points that were tried" if verdict.ok else verdict.reason or "differs where it is said above"
        )
        return Panel(f"{caption}: {side.label}", f"<p>{escape(said)}</p>")
    try:
        return Panel(caption, shown(_value(side), wrong), cut(str(source)))
    except Exception as error:  # an ill-typed side is a verdict, not an accident of the report
        said = f'<p class="wrong"><span class="mark">{MARK}</span> {escape(_told(error))}</p>'
        return Panel(caption, said, str(source))


def _told(error: Exception) -> str:
    """What an error says; SymPy gives some of theirs in several parts."""
    return ", ".join(map(str, error.args)) if len(error.args) > 1 else str(error)


def _value(side: Any) -> Any:
    if callable(side) and not isinstance(side, sp.Basic | sp.MatrixBase):
        side = side()
    if isinstance(side, list | tuple):
        return sp.Matrix(list(side))
    return side


def _statement_shown(statement: Any) -> str:
    text = f'<math display="block">{statement_mathml(statement)}</math>'
    if len(text) <= _MOST:
        return text
    parts = [e for e in expressions(statement) if e.free_symbols]
    return f"<p>{escape(type(statement).__name__)}</p>" + "".join(map(shown, parts))


def statement_mathml(statement: Any) -> str:
    """A statement in signs: an implication as an arrow, a sum as a sum."""
    try:
        return f"<mrow>{_statement(statement)}</mrow>"
    except Exception as error:  # as above
        return f"<mtext>{escape(_told(error))}</mtext>"


def _statement(s: Any) -> str:
    if isinstance(s, st.Implies | st.Iff):
        one, other, arrow = (s.premises, s.conclusions, "⇒") if isinstance(s, st.Implies) else (s.left, s.right, "⇔")
        lists = ("<mo>,</mo><mspace width='0.6em'/>".join(map(statement_mathml, given)) for given in (one, other))
        return f"<mspace width='1em'/><mo>{arrow}</mo><mspace width='1em'/>".join(lists)
    if isinstance(s, st.Shape):
        size = "<mo>×</mo>".join(map(mathml, s.shape))
        return f"{mathml(_value(s.expression))}<mo>∈</mo><msup><mi>ℝ</mi><mrow>{size}</mrow></msup>"
    if isinstance(s, st.Fails):
        return f"<mtext>not:&#160;</mtext>{_statement(s.statement)}"
    if text := getattr(s, "text", ""):  # an assumption among premises
        return f"<mtext>{escape(text)}</mtext>"
    sign, sides = _compared(s)
    return f"<mo>{sign}</mo>".join(mathml(_value(side)) for side in sides)


def _compared(s: Any) -> tuple[str, Sequence[Any]]:
    """The sign of a statement and what stands on its sides."""
    if isinstance(s, st.Zero):
        return "=", (s.expression, sp.S.Zero)
    if isinstance(s, st.SeriesEqual):
        return "=", (s.closed, s.term if s.index is None else sp.Sum(s.term, (s.index, s.start, sp.oo)))
    if isinstance(s, st.IntegralEqual):
        return "=", (s.left, sp.Integral(s.integrand, (s.variable, s.lower, s.upper)))
    if isinstance(s, st.Inequality):
        return {"<": "&lt;", "<=": "≤", ">": "&gt;", ">=": "≥"}[s.relation], (s.left, s.right)
    if isinstance(s, st.Definite):
        return "⪰" if s.semi else "≻", (s.matrix, sp.S.Zero)
    return "=", s.sides
