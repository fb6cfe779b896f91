"""What one statement was found to be, before it is written into a verdict."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

Status = Literal["proved", "refuted", "consistent", "undecided"]
_WORST: tuple[Status, ...] = ("refuted", "undecided", "consistent", "proved")


@dataclass(frozen=True)
class Difference:
    """One entry that was compared: its place (from 1; 0, 0 for a scalar), both sides as given, and its status.

    ``point`` holds names and exact values of a counterexample, ``values`` both sides there.
    """

    row: int
    column: int
    left: Any
    right: Any
    status: Status
    point: tuple[tuple[str, str], ...] = ()
    values: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Outcome:
    """The status of a statement, the method that decided it, and its entries.

    ``reason`` explains a refutation by shape and everything undecided; ``agreeing`` counts points where both sides
    agreed; ``left`` and ``right`` are the sides that were compared; ``proofs`` are the parts of a certificate.
    """

    status: Status
    method: str
    reason: str = ""
    entries: tuple[Difference, ...] = ()
    agreeing: int = 0
    left: Any = None
    right: Any = None
    parts: tuple[Outcome, ...] = field(default=())
    proofs: tuple[Any, ...] = ()

    def but(self, **changes: Any) -> Outcome:
        """The same outcome with some fields changed."""
        return replace(self, **changes)


def joined(outcomes: list[Outcome]) -> Outcome:
    """All of several outcomes: the worst status, the methods in order, all entries."""
    if len(outcomes) == 1:
        return outcomes[0]
    worst = min(outcomes, key=lambda o: _WORST.index(o.status))
    return Outcome(
        worst.status,
        ", ".join(dict.fromkeys(o.method for o in outcomes if o.status == worst.status)),
        worst.reason,
        tuple(e for o in outcomes for e in o.entries),
        min(o.agreeing for o in outcomes),
        worst.left,
        worst.right,
        tuple(outcomes),
        tuple(p for o in outcomes for p in o.proofs),
    )
