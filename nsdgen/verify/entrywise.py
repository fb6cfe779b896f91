"""Comparing explicit scalars and matrices entry by entry: a proof, a point, or agreement at many points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.branches import NoCases, branches
from nsdgen.verify.challenge.witness import Witness
from nsdgen.verify.cleaning import Cleaner
from nsdgen.verify.counterexample import Search, written, written_point
from nsdgen.verify.exact import Contradiction, Prover
from nsdgen.verify.outcome import Difference, Outcome, Status, joined
from nsdgen.verify.sampling import Sampler
from nsdgen.verify.setting import Deadline, Facts, OutOfTime, Setting

__all__ = ["Pair", "compare", "compare_cleaned", "pairs_of"]

ENOUGH = 20  # points that agree: for a verdict of consistent, never of proved
MOST_SIMPLIFIED = 6  # entries whose counterexample is made simple: as many as the report for a terminal shows
PROOF, POINT, SAMPLES, EMPTY = "exact reduction", "exact point", "sampling", "empty case"


@dataclass(frozen=True)
class Pair:
    """Two scalars at a place of a matrix (from 1; 0, 0 for a scalar)."""

    row: int
    column: int
    left: Any
    right: Any


def pairs_of(left: Any, right: Any) -> list[Pair]:
    """The entries of two explicit sides of one shape."""
    if isinstance(left, sp.MatrixBase) or isinstance(right, sp.MatrixBase):
        a = left if isinstance(left, sp.MatrixBase) else sp.Matrix([[left]])
        b = right if isinstance(right, sp.MatrixBase) else sp.Matrix([[right]])
        return [Pair(i + 1, j + 1, a[i, j], b[i, j]) for i in range(a.rows) for j in range(a.cols)]
    return [Pair(0, 0, left, right)]


def compare(pairs: Sequence[Pair], setting: Setting, deadline: Deadline, first: bool = False) -> Outcome:
    """Decide every pair under the setting.

    ``first`` stops at the first pair that is refuted.
    """
    sides = [s for p in pairs for s in (p.left, p.right)]
    cleaner = Cleaner([as_expression(s) for s in (*sides, *setting.conditions)])
    clean = tuple(cleaner(s) for s in sides)
    return compare_cleaned(pairs, clean, cleaner.facts(setting), cleaner, deadline, setting.seed, first)


def compare_cleaned(
    pairs: Sequence[Pair],
    clean: tuple[sp.Expr, ...],
    facts: Facts,
    cleaner: Cleaner,
    deadline: Deadline,
    seed: int,
    first: bool = False,
) -> Outcome:
    """:func:`compare` of pairs whose sides, one after the other, and facts were cleaned."""
    said = (*clean, *facts.equations, *facts.positive, *facts.nonnegative, *facts.nonzero)
    if not any(e.has(sp.Piecewise) for e in said):
        return _compare(pairs, clean, facts, cleaner, deadline, first, seed)
    outcomes: list[Outcome] = []
    refuted: set[int] = set()
    try:
        for chosen, seen in branches(clean, facts):
            found = _compare(pairs, chosen, seen, cleaner, deadline, first, seed, may_be_empty=True)
            if found.method != EMPTY:
                outcomes.append(found)
            refuted |= {k for k, d in enumerate(found.entries) if d.status == "refuted"}
            if len(refuted) == len(pairs):  # no other case can change any entry
                break
    except NoCases as error:
        if not refuted:
            return Outcome("undecided", PROOF, str(error))
    if not outcomes:
        return Outcome("undecided", PROOF, "no case of the case distinctions is possible")
    return _over_branches(pairs, outcomes)


def _over_branches(pairs: Sequence[Pair], outcomes: list[Outcome]) -> Outcome:
    """Each entry with its worst branch."""
    rank: dict[Status, int] = {"refuted": 0, "undecided": 1, "consistent": 2, "proved": 3}
    entries = []
    for k, p in enumerate(pairs):
        decided = [o.entries[k] for o in outcomes if k < len(o.entries)]
        if len(decided) < len(outcomes) and not any(d.status == "refuted" for d in decided):
            decided.append(Difference(p.row, p.column, p.left, p.right, "undecided"))
        entries.append(min(decided, key=lambda d: rank[d.status]))
    whole = joined(outcomes)
    return whole.but(entries=tuple(entries), parts=(), method=f"{whole.method}, branch by branch")


def _compare(
    pairs: Sequence[Pair],
    clean: tuple[sp.Expr, ...],
    facts: Facts,
    cleaner: Cleaner,
    deadline: Deadline,
    first: bool,
    seed: int,
    may_be_empty: bool = False,
) -> Outcome:
    """Decide pairs without case distinctions; ``may_be_empty``: of a case whose conditions may never hold together."""
    comparison = _EntryComparison(clean, facts, cleaner, deadline, seed)
    for k, pair in enumerate(pairs):
        try:
            comparison.decide(pair, clean[2 * k], clean[2 * k + 1])
        except Contradiction:
            return (
                Outcome("proved", EMPTY)
                if may_be_empty
                else Outcome("undecided", PROOF, "the assumptions contradict each other")
            )
        if first and comparison.entries[-1].status == "refuted":
            break
    return comparison.outcome(may_be_empty)


class _EntryComparison:
    """What is found of the pairs, one after the other; prover and points are shared."""

    def __init__(
        self, clean: tuple[sp.Expr, ...], facts: Facts, cleaner: Cleaner, deadline: Deadline, seed: int
    ) -> None:
        self.clean, self.facts, self.cleaner, self.deadline = clean, facts, cleaner, deadline
        self.search = Search(lambda variant: Sampler(facts, clean, seed, cleaner.values, variant), deadline)
        self.prover: Prover | None = None
        self.entries: list[Difference] = []
        self.agreeing: list[int] = []
        self.reason = ""

    def decide(self, pair: Pair, left: sp.Expr, right: sp.Expr) -> None:
        """Decide one pair, whose cleaned sides are ``left`` and ``right``.

        Raises ``Contradiction`` where the assumptions contradict each other.
        """
        if any(e.has(sp.nan, sp.zoo, sp.oo, -sp.oo) for e in (left, right)):
            self._say(pair, "undecided", "a side has no finite value")
        elif self._proved(left, right):
            self._say(pair, "proved")
        elif bound := self.cleaner.why_not_free((left, right), self.facts.equations):
            self._say(pair, "undecided", bound)
        elif not self._refuted(pair, left, right):
            self._sampled(pair, left, right)

    def _proved(self, left: sp.Expr, right: sp.Expr) -> bool:
        try:
            if left == right:
                return True
            if self.search.screen(left, right):
                return False
            if self.prover is None:
                self.prover = Prover(self.facts, self.clean, self.deadline.share(0.6))
            return self.prover.vanishes(left - right) or (
                self.search.find(left, right) is None and self.prover.vanishes(left - right, saturate=True)
            )
        except OutOfTime:
            self.reason = "the exact reduction ran out of its time"
        except ZeroDivisionError:
            self.reason = "a denominator is zero on the whole assumption set"
        return False

    def _refuted(self, pair: Pair, left: sp.Expr, right: sp.Expr) -> bool:
        simplify = sum(d.status == "refuted" for d in self.entries) < MOST_SIMPLIFIED
        found = self.search.find(left, right, simplify)
        if found is not None:
            self.entries.append(
                Difference(
                    pair.row,
                    pair.column,
                    pair.left,
                    pair.right,
                    "refuted",
                    written_point(found.point),
                    (written(found.left), written(found.right)),
                    Witness.of(found.whole, self.cleaner.values),
                )
            )
        return found is not None

    def _sampled(self, pair: Pair, left: sp.Expr, right: sp.Expr) -> None:
        points, fixed = self.search.agreeing(left, right)
        self.agreeing.append(points)
        if points >= ENOUGH and fixed:
            self._say(pair, "undecided", f"{', '.join(fixed)} had one value in all {points} points that agree")
        elif points >= ENOUGH:
            self._say(pair, "consistent")
        else:
            self._say(
                pair,
                "undecided",
                self.reason
                or f"no proof, no counterexample, and only {points} points of the assumption set to compare at",
            )

    def _say(self, pair: Pair, status: Status, reason: str = "") -> None:
        self.entries.append(Difference(pair.row, pair.column, pair.left, pair.right, status))
        self.reason = reason or self.reason

    def outcome(self, may_be_empty: bool) -> Outcome:
        """All entries, under the worst status."""
        entries = tuple(self.entries)
        statuses = {d.status for d in entries}
        if "refuted" in statuses:
            return Outcome("refuted", POINT, "", entries, min(self.agreeing, default=0))
        for status in ("undecided", "consistent"):
            if status in statuses:
                return Outcome(
                    status,
                    SAMPLES,
                    self.reason,
                    entries,  # type: ignore[arg-type]
                    min(self.agreeing, default=0),
                )
        if (
            self.prover is not None
            and self.facts.equations
            and not may_be_empty
            and next(self.search.points(), None) is None
        ):
            self.reason = "no point of the assumption set was found: the proof may be about an empty set"
        return Outcome(
            "proved",
            PROOF,
            self.reason,
            entries,
            denominators=tuple(map(str, self.prover.denominators)) if self.prover else (),
        )
