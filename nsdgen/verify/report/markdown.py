"""Verdicts as a Markdown page: counts, then every refuted claim with its mend, then all others in one table.

Made from the records alone and without dates, so that equal records give equal bytes.
"""

from collections.abc import Sequence

from nsdgen.verify.verdict import UNCERTIFIED, Verdict

from .tally import counts, cut_to, families, summary

_LONGEST = 160  # characters in a cell: about a line and a half on a page
_MOST_ENTRIES = 4  # wrong ones in one cell; the number of the others is said


def as_markdown(verdicts: Sequence[Verdict], *, title: str = "Verification") -> str:
    """The text of the page."""
    wrong = [v for v in verdicts if not v.ok]
    others = [v for v in verdicts if v.ok]
    lines = [f"# {title}", "", f"{summary(verdicts)}.", "", *_counts(verdicts), ""]
    if wrong:
        lines += ["## Refuted, ambiguous and undecided", ""]
    for v in wrong:
        lines += [f"### {v.id}: {v.title or v.verdict}", "", *_case(v), ""]
    if others:
        lines += ["## All others", "", "| id | verdict | method | claim |", "|---|---|---|---|"]
        lines += [f"| {v.id} | {_cell(_verdict(v))} | {_cell(v.method)} | {_cell(v.title)} |" for v in others]
        lines.append("")
    return "\n".join(lines)


def _verdict(verdict: Verdict) -> str:
    """The verdict and the assumptions it needs."""
    if verdict.verdict == UNCERTIFIED and verdict.necessity:
        return f"{UNCERTIFIED}, under {', '.join(verdict.assumptions)}"
    return f"proved under {', '.join(verdict.assumptions)}" if verdict.verdict == "proved under" else verdict.verdict


def _counts(verdicts: Sequence[Verdict]) -> list[str]:
    present = counts(verdicts)
    rows = ((name, counts(found)) for name, found in [*families(verdicts).items(), ("all", verdicts)])
    return [
        f"| family | {' | '.join(present)} |",
        f"|---|{'---:|' * len(present)}",
        *(f"| {name} | {' | '.join(str(found.get(p, '')) for p in present)} |" for name, found in rows),
    ]


def _case(verdict: Verdict) -> list[str]:
    """The items of one claim: what is wrong, where, and what would be right."""
    items = [f"*{verdict.source}*", ""] if verdict.source else []
    items.append(f"- {_bold(verdict)}")
    items += [f"- {line}" for line in _details(verdict)]
    for reading in verdict.readings:
        items.append(f"- reading {_code(reading.id.rpartition('/')[2])}: {_bold(reading)}")
        items += [f"  - {line}" for line in _details(reading)]
    return items


def _bold(verdict: Verdict) -> str:
    return f"**{_verdict(verdict)}** by {verdict.method}" if verdict.method else f"**{_verdict(verdict)}**"


def _details(verdict: Verdict) -> list[str]:
    if verdict.readings:
        return [verdict.note] if verdict.note else []
    said = verdict.lines(_MOST_ENTRIES, _code)
    lines = [cut_to(line, _LONGEST) if line.startswith("mend") else line for line in said]
    return [*lines, f"note: {verdict.note}"] if verdict.note else lines


def _code(text: str) -> str:
    """The text as a code span, longer ones cut."""
    return f"`{cut_to(text, _LONGEST)}`"


def _cell(text: str) -> str:
    """The text for a cell of a table."""
    return text.replace("|", "\\|")
