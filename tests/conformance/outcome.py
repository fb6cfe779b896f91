"""What is printed of a case: one line of a table, and below it the rules that differ from nsdgen's default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .compare import Comparison, Speed

__all__ = ["Outcome", "as_table", "compared", "notes"]

HEADER = ("case", "columns", "largest error", "in", "tolerance", "µs/step", "peer", "ratio", "")


@dataclass(frozen=True)
class Outcome:
    """One case: compared or not, how fast, and why not; ``without`` the slips of the table, where it has some."""

    slug: str
    given_columns: int
    comparison: Comparison | None = None
    speed: Speed | None = None
    rule: str = ""
    trouble: str = ""
    peer: float | None = None
    without: Comparison | None = None

    @property
    def failed(self) -> bool:
        """Whether there is a model that did not give the table; no model is no failure."""
        return self.verdict not in ("ok", "no model")

    @property
    def verdict(self) -> str:
        """One or two words."""
        if self.comparison is None:
            return "FAILED" if self.trouble else "no model"
        return "ok" if self.comparison.passed else "FAILED"


def as_table(outcomes: Sequence[Outcome]) -> str:
    """A Markdown table, one line per case, aligned."""
    rows = [HEADER, *(_row(outcome) for outcome in outcomes)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [f"| {' | '.join(map(str.ljust, row, widths))} |" for row in rows]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def _row(outcome: Outcome) -> tuple[str, ...]:
    """The cells of one case; ``-`` for what there is not."""
    comparison, speed = outcome.comparison, outcome.speed
    compared = (
        ("-",) * 4
        if comparison is None
        else (
            f"{len(comparison.columns)} of {outcome.given_columns}",
            f"{comparison.error:.1e}",
            comparison.where.replace("|", "\\|"),
            f"{comparison.tolerance:.0e}",
        )
    )
    ours = "-" if speed is None else f"{speed.step * 1e6:.2f}"
    theirs = (
        ("-", "-")
        if speed is None or outcome.peer is None
        else (f"{outcome.peer * 1e6:.1f}", f"{outcome.peer / speed.step:.0f}")
    )
    return (outcome.slug, *compared, ours, *theirs, outcome.verdict)


def notes(outcomes: Sequence[Outcome]) -> str:
    """One line per case that follows a rule of its own, then the failures."""
    rules = [f"* {outcome.slug}: {outcome.rule}" for outcome in outcomes if outcome.rule]
    rules += [
        f"* {outcome.slug}: without the slips of the table {outcome.without.error:.1e} in {outcome.without.where}"
        for outcome in outcomes
        if outcome.without
    ]
    troubles = [
        f"* {outcome.slug} FAILED: {outcome.trouble or 'the error is larger than the tolerance'}"
        for outcome in outcomes
        if outcome.failed
    ]
    return "\n".join([*(["Rules other than nsdgen's default:", *rules] if rules else []), *troubles])


def compared(outcomes: Sequence[Outcome]) -> str:
    """The names of the compared columns, one line per case."""
    return "\n".join(
        f"* {outcome.slug}: {', '.join(outcome.comparison.columns)}" for outcome in outcomes if outcome.comparison
    )
