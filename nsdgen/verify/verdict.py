"""Verdicts: what was decided about a claim, as records."""

from __future__ import annotations

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

    @property
    def exact(self) -> bool:
        """Whether the verdict is a proof or an exact refutation (of every reading)."""
        if self.readings:
            return all(r.exact for r in self.readings)
        return self.verdict in (*PROVED, "refuted", "definition")

    def __str__(self) -> str:
        return "\n".join([f"{self.verdict} {self._about}", *(f"    {name}: {text}" for name, text in self._told())])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{name}</th><td>{escape(text)}</td></tr>" for name, text in self._told())
        readings = "".join(reading._repr_html_() for reading in self.readings)
        return f"<div><strong>{self.verdict}</strong> {escape(self._about)}<table>{rows}</table>{readings}</div>"

    @property
    def _about(self) -> str:
        return " - ".join(part for part in (self.id, self.title, self.method) if part)

    def _told(self) -> list[tuple[str, str]]:
        """What there is to say, each with its name; the wrong entries first."""
        told = [
            (f"entry ({e.row}, {e.column})" if e.row else "entry", f"{e.right} should be {e.correct}")
            for e in self.entries
            if e.verdict == "refuted"
        ]
        if (example := self.counterexample) is not None:
            point = ", ".join(f"{name} = {value}" for name, value in example.point) or "everywhere"
            told.append(("at", f"{point}: {example.left} and {example.right}"))
        told += [("slip", self.slip), ("right", self.correction), ("mend", self.mend), ("reason", self.reason)]
        told += [("assumptions", ", ".join(self.assumptions)), ("tried", self.confidence), ("note", self.note)]
        return [(name, text) for name, text in told if text]

    def but(self, **changes: Any) -> Verdict:
        """The same verdict with some fields changed."""
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, keys in the order of the fields."""
        return asdict(self)
