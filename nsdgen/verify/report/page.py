"""Verdicts as one HTML page: formulas side by side, differing entries marked, nothing loaded from elsewhere."""

import importlib.resources
from collections.abc import Sequence
from typing import Any

import jinja2

from nsdgen.base.version import VERSION
from nsdgen.symbolic.expressions.compact import cut
from nsdgen.verify.verdict import PROVED, VERDICTS, Verdict

from .panels import panels
from .tally import counts, families, summary

_SIGNS = dict(zip(VERDICTS, "✓✓✓≈✗≔?–", strict=True))
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
