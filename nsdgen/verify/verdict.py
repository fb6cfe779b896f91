"""Verdicts: what was decided about a claim, as records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from html import escape
from typing import Any

UNCERTIFIED = "proved without certificate"
VERDICTS = ("proved", "proved under", UNCERTIFIED, "consistent", "refuted", "definition", "ambiguous", "undecided")
PROVED = VERDICTS[:3]


@dataclass(frozen=True)
class VerdictEntry:
    """One compared entry: ``row`` and ``column`` count from 1 (0, 0 for a scalar); ``correct`` is the truth."""

    statement: int
    row: int
    column: int
    left: str
    right: str
    correct: str
    verdict: str


@dataclass(frozen=True)
class Counterexample:
    """A point of the assumption set where the two sides differ; exact values where they are rational.

    ``without`` names the assumption that the point does not satisfy ("proved under"), "" otherwise.
    """

    point: tuple[tuple[str, str], ...]
    left: str
    right: str
    row: int = 0
    column: int = 0
    statement: int = 0
    without: str = ""

    @property
    def where(self) -> str:
        """The point in words, "" for everywhere."""
        return ", ".join(f"{name} = {value}" for name, value in self.point)


@dataclass(frozen=True)
class Verdict:
    """The decision about one claim or one reading.

    ``verdict`` is one of ``VERDICTS``; ``assumptions`` are those the proof needs; ``method`` names how it was
    decided; ``mend`` is a sentence, ``correction`` the right expression (or, where no expression is, what the claim
    should say), ``slip`` the guessed kind of error.
    ``formula`` is a digest of what was claimed, by which two runs know that they decided the same thing.
    ``proved`` and ``proved under`` hold a ``certificate`` of the claim as it was typed, accepted by a checker that
    shares no code with the prover (``certificate/checker.py``); where a step was made before the text that was proved
    it is ``proved without certificate``. ``mended`` is the verdict on the mend, "" where the mend is words only.
    """

    id: str
    verdict: str
    method: str = ""
    title: str = ""
    source: str = ""
    assumptions: tuple[str, ...] = ()
    reason: str = ""
    entries: tuple[VerdictEntry, ...] = ()
    counterexample: Counterexample | None = None
    necessity: tuple[Counterexample, ...] = ()
    correction: str = ""
    slip: str = ""
    mend: str = ""
    mended: str = ""
    confidence: str = ""
    note: str = ""
    seconds: float = 0.0
    readings: tuple[Verdict, ...] = ()
    formula: str = ""
    certificate: dict[str, Any] | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing speaks against the claim."""
        return self.verdict in (*PROVED, "consistent", "definition")

    @property
    def certified(self) -> bool:
        """Whether it is no proof, or one with a certificate (of every reading)."""
        return all(r.certified for r in self.readings) and self.verdict != UNCERTIFIED

    def __str__(self) -> str:
        return "\n".join([f"{self.verdict} {self._about}", *(f"    {line}" for line in self._all_lines())])

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(line)}</li>" for line in self._all_lines())
        readings = "".join(reading._repr_html_() for reading in self.readings)
        return f"<div><strong>{self.verdict}</strong> {escape(self._about)}<ul>{items}</ul>{readings}</div>"

    @property
    def _about(self) -> str:
        return " - ".join(part for part in (self.id, self.title, self.method) if part)

    def _all_lines(self) -> list[str]:
        more = {"assumptions": ", ".join(self.assumptions), "tried": self.confidence, "note": self.note}
        return [*self.lines(), *(f"{name}: {text}" for name, text in more.items() if text)]

    def lines(self, most: int = 6, shown: Callable[[str], str] = str) -> list[str]:
        """What is wrong, where it shows and what would be right, a line each; ``shown`` writes a value.

        Of wrong entries the first ``most`` are said, and how many more there are.
        """
        lines = [f"reason: {self.reason}"] if self.reason else []
        wrong = [e for e in self.entries if e.verdict == "refuted"]
        for e in wrong[:most]:
            hand = e.right if e.correct == e.left else e.left
            right = f", should be {shown(e.correct)}" if e.correct else f" against {shown(e.right)}"
            place = f"entry ({e.row}, {e.column})" if e.row else "value"
            lines.append(f"{place}: {shown(hand if e.correct else e.left)}{right}")
        lines += [f"and {len(wrong) - most} more entries"] if len(wrong) > most else []
        if (example := self.counterexample) is not None and self.verdict == "refuted":
            place = f" in entry ({example.row}, {example.column})" if example.row else ""
            at = f"at {shown(example.where)}" if example.point else "everywhere"
            lines.append(f"{at} the sides are {shown(example.left)} and {shown(example.right)}{place}")
        lines += [f"slip: {self.slip}"] if self.slip else []
        if self.mend:
            lines.append(f"mend{f' ({self.mended})' if self.mended else ''}: {self.mend}")
        elif self.correction and not wrong:
            lines.append(f"right: {shown(self.correction)}")
        return lines

    def but(self, **changes: Any) -> Verdict:
        """The same verdict with some fields changed."""
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data without times, keys in the order of the fields: equal verdicts give equal records."""
        record = asdict(self)
        for r in (record, *record["readings"]):
            del r["seconds"]
        return record
