"""Verdicts as text for a terminal: a line per claim, and beneath a refuted one what is wrong with it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from nsdgen.verify.verdict import Counterexample, Verdict, VerdictEntry

from .tally import summary

__all__ = ["details", "table"]

_WIDTH = 110  # characters, of a wide terminal: titles are cut there, details wrapped
_MOST_ENTRIES = 6  # wrong ones shown: a claim keeps to one screen
_LONGEST = 160  # characters of a value: a line and a half; of a sentence twice that


def table(verdicts: Sequence[Verdict], seconds: float | None = None) -> str:
    """The whole text; its last line is the summary."""
    wide = max([len(v.id) for v in verdicts], default=0)
    lines: list[str] = []
    for v in verdicts:
        about = " - ".join(part for part in (v.title, v.method) if part)
        lines.append(_cut(f"{v.verdict:<13} {v.id:<{wide}}  {about}".rstrip(), _WIDTH))
        lines += [f"    {line}" for line in details(v)]
    return "\n".join([*lines, summary(verdicts, seconds)])


def details(verdict: Verdict) -> list[str]:
    """What there is to say about a verdict beyond its name: nothing for a plain proof."""
    lines: list[str] = []
    for reading in verdict.readings:
        lines.append(f"reading {reading.id.rpartition('/')[2]}: {reading.verdict}")
        lines += [f"  {line}" for line in details(reading)]
    if verdict.verdict == "proved under" and verdict.assumptions:
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
    wrong = [e for e in verdict.entries if e.verdict == "refuted"]
    lines += [_entry(e) for e in wrong[:_MOST_ENTRIES]]
    if len(wrong) > _MOST_ENTRIES:
        lines.append(f"and {len(wrong) - _MOST_ENTRIES} more entries")
    if verdict.counterexample is not None:
        lines += _example(verdict.counterexample)
    if verdict.slip:
        lines.append(f"slip: {_cut(verdict.slip, 2 * _LONGEST)}")
    if verdict.mend:
        lines.append(f"mend{f' ({verdict.mended})' if verdict.mended else ''}: {_cut(verdict.mend, 2 * _LONGEST)}")
    elif verdict.correction and not wrong:
        lines.append(f"right: {_cut(verdict.correction, 2 * _LONGEST)}")
    return lines


def _entry(entry: VerdictEntry) -> str:
    place = f"entry ({entry.row}, {entry.column})" if entry.row else "value"
    if not entry.correct:
        return f"{place}: {_cut(entry.left, _LONGEST)} against {_cut(entry.right, _LONGEST)}"
    hand = entry.right if entry.correct == entry.left else entry.left
    return f"{place}: {_cut(hand, _LONGEST)}, should be {_cut(entry.correct, _LONGEST)}"


def _example(example: Counterexample) -> list[str]:
    point = ", ".join(f"{name} = {value}" for name, value in example.point)
    place = f" in entry ({example.row}, {example.column})" if example.row else ""
    return [
        f"at {_cut(point, 2 * _LONGEST)}" if point else "everywhere",
        f"the sides are {_cut(example.left, _LONGEST)} and {_cut(example.right, _LONGEST)}{place}",
    ]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
