"""Verdicts as text for a terminal: a line per claim, and beneath a refuted one what is wrong with it."""

import textwrap
from collections.abc import Sequence

from nsdgen.verify.verdict import UNCERTIFIED, Verdict

from .tally import cut_to, summary

_WIDTH = 110  # characters, of a wide terminal: titles are cut there, details wrapped
_MOST_ENTRIES = 6  # wrong ones shown: a claim keeps to one screen
_LONGEST = 160  # characters of a value: a line and a half; of what is said four times that


def table(verdicts: Sequence[Verdict], seconds: float | None = None) -> str:
    """The whole text; its last line is the summary."""
    wide = max([len(v.id) for v in verdicts], default=0)
    kind = max([13, *(len(v.verdict) for v in verdicts)])
    lines: list[str] = []
    for v in verdicts:
        about = " - ".join(part for part in (v.title, v.method) if part)
        lines.append(cut_to(f"{v.verdict:<{kind}} {v.id:<{wide}}  {about}".rstrip(), _WIDTH))
        lines += [f"    {line}" for line in details(v)]
    return "\n".join([*lines, summary(verdicts, seconds)])


def details(verdict: Verdict) -> list[str]:
    """What there is to say about a verdict beyond its name: nothing for a plain proof."""
    lines: list[str] = []
    for reading in verdict.readings:
        lines.append(f"reading {reading.id.rpartition('/')[2]}: {reading.verdict}")
        lines += [f"  {line}" for line in details(reading)]
    if verdict.verdict in ("proved under", UNCERTIFIED) and verdict.necessity:
        lines.append(f"under {', '.join(verdict.assumptions)}")
    if verdict.verdict == "consistent" and verdict.confidence:
        lines.append(verdict.confidence)
    if verdict.verdict in ("refuted", "undecided") and not verdict.readings:
        said = verdict.lines(_MOST_ENTRIES, lambda value: cut_to(value, _LONGEST))
        lines += [cut_to(line, 4 * _LONGEST) for line in said]
    if verdict.note:
        lines.append(f"note: {verdict.note}")
    return [part for line in lines for part in textwrap.wrap(line, _WIDTH - 4, subsequent_indent="  ") or [""]]
