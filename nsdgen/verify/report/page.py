"""Verdicts as one HTML page: formulas side by side, differing entries marked, nothing loaded from elsewhere."""

from __future__ import annotations

import importlib.resources
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jinja2

from nsdgen.base.version import VERSION
from nsdgen.symbolic.expressions.compact import cut
from nsdgen.verify.verdict import PROVED, VERDICTS, Verdict, VerdictEntry

from .panels import Panel, panels
from .tally import counts, families, family_of, summary

_SIGNS = {
    "proved": "✓",
    "proved under": "✓",
    "proved without certificate": "✓",
    "consistent": "≈",
    "refuted": "✗",
    "definition": "≔",
    "ambiguous": "?",
    "undecided": "–",
}
_MOST_WRONG = 6  # wrong entries that are listed above the formulas of a claim


@dataclass(frozen=True)
class _PageEntry:
    """A claim or one of its readings, ready for the template."""

    verdict: Verdict
    sign: str
    panels: Sequence[Panel]
    readings: Sequence[_PageEntry]

    @property
    def open(self) -> bool:
        """Whether its formulas are unfolded at first: those that somebody must look at."""
        return self.verdict.verdict not in (*PROVED, "definition")

    @property
    def wrong(self) -> Sequence[VerdictEntry]:
        """The entries that are wrong, which come before everything else."""
        return [e for e in self.verdict.entries if e.verdict == "refuted"][:_MOST_WRONG]


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
    present = [name for name in VERDICTS if name in counts(verdicts)]
    return environment.from_string(text).render(
        title=title,
        version=VERSION,
        summary=summary(verdicts),
        signs=_SIGNS,
        names=present,
        total=counts(verdicts),
        families=families(verdicts),
        point_text=lambda example: example.where or "everywhere",
        cut=cut,
        wrong=[v for v in verdicts if v.verdict == "refuted"],
        members=_members(verdicts),
        cases=[_case(by_id.get(v.id), v) for v in verdicts],
    )


def _members(verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """The verdicts of each family, for the index."""
    found: dict[str, list[Verdict]] = {}
    for name, verdict in zip(map(family_of, (v.id for v in verdicts)), verdicts, strict=True):
        found.setdefault(name, []).append(verdict)
    return found


def _case(claim: Any, verdict: Verdict, number: int = 0) -> _PageEntry:
    readings = [_case(claim, r, k) for k, r in enumerate(verdict.readings)]
    shown = panels(claim, verdict, number) if claim is not None and not readings else []
    return _PageEntry(verdict, _SIGNS[verdict.verdict], shown, readings)
