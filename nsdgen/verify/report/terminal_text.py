"""Verdicts as text for a terminal: a line per claim, and beneath a refuted one what is wrong with it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from nsdgen.verify.verdict import UNCERTIFIED, Verdict

from .tally import cut_to, entry_lines, point_of, summary

_WIDTH = 110  # characters, of a wide terminal: titles are cut there, details wrapped
_MOST_ENTRIES = 6  # wrong ones shown: a claim keeps to one screen
_LONGEST = 160  # characters of a value: a line and a half; of a sentence twice that


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
        lines += _wrong(verdict)
    if verdict.note:
        lines.append(f"note: {verdict.note}")
    return [part for line in lines for part in textwrap.wrap(line, _WIDTH - 4, subsequent_indent="  ") or [""]]


def _wrong(verdict: Verdict) -> list[str]:
    lines = [verdict.reason] if verdict.reason else []
    wrong = entry_lines(verdict.entries, _MOST_ENTRIES, lambda value: cut_to(value, _LONGEST))
    lines += wrong
    if (example := verdict.counterexample) is not None:
        point, place = point_of(example)
        left, right = (cut_to(side, _LONGEST) for side in (example.left, example.right))
        lines += [
            f"at {cut_to(point, 2 * _LONGEST)}" if point else "everywhere",
            f"the sides are {left} and {right}{place}",
        ]
    if verdict.slip:
        lines.append(f"slip: {cut_to(verdict.slip, 2 * _LONGEST)}")
    if verdict.mend:
        lines.append(f"mend{f' ({verdict.mended})' if verdict.mended else ''}: {cut_to(verdict.mend, 2 * _LONGEST)}")
    elif verdict.correction and not wrong:
        lines.append(f"right: {cut_to(verdict.correction, 2 * _LONGEST)}")
    return lines
