"""Comparing explicit scalars and matrices entry by entry: a proof, a point, or agreement at many points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from nsdgen.verify.certificate.making import proofs_of
from nsdgen.verify.challenge.judged import GENERIC, POINTS, JudgedStatement
from nsdgen.verify.challenge.witness import Witness
from nsdgen.verify.cleaning import Cleaner
from nsdgen.verify.outcome import Difference, Outcome, Status
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.statement import Equal

MOST_SIMPLIFIED = 6  # entries whose counterexample is made simple: as many as the report for a terminal shows
PROOF, POINT = "certificate", "evaluation at a point"


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


def compare(left: Any, right: Any, setting: Setting, deadline: Deadline, first: bool = False) -> Outcome:
    """Decide two explicit sides of one shape under the setting: by one certificate, or entry by entry.

    ``first`` stops at the first entry that is refuted.
    """
    return _EntryComparison(left, right, setting, deadline).outcome(first)


class _EntryComparison:
    """What is found of the entries, one after the other; points are shared."""

    def __init__(self, left: Any, right: Any, setting: Setting, deadline: Deadline) -> None:
        self.whole, self.setting, self.deadline = (left, right), setting, deadline
        self.pairs = pairs_of(left, right)
        self.case = JudgedStatement(Equal(left, right), setting)
        self.entries: list[Difference] = []
        self.reason = ""
        self.proofs: tuple[Any, ...] = ()

    def outcome(self, first: bool) -> Outcome:
        """All entries, under the worst status."""
        left, right = self.whole
        return self._outcome(first).but(left=left, right=right, case=self.case)

    def _outcome(self, first: bool) -> Outcome:
        pairs = self.pairs
        cleaner = Cleaner([*(s for p in pairs for s in (p.left, p.right)), *self.setting.conditions])
        sides = [(cleaner(p.left), cleaner(p.right)) for p in pairs]
        open_ = [k for k, (a, b) in enumerate(sides) if a != b or not _finite(a, b)]
        apart = {k for k in open_ if not _finite(*sides[k]) or self._found(pairs[k], GENERIC) is not None}
        proved = set(range(len(pairs))) - set(open_)
        if not apart and (proofs := self._proofs(*self.whole)):
            proved, self.proofs = set(range(len(pairs))), proofs
        for k, pair in enumerate(pairs):
            if k in proved or (len(pairs) > 1 and k not in apart and self._proofs(pair.left, pair.right)):
                self._say(pair, "proved")
            elif not _finite(*sides[k]):
                self._say(pair, "undecided", "a side has no finite value")
            elif (found := self._found(pair, POINTS)) is not None:
                self._refute(pair, *found)
            else:
                self._say(pair, "undecided", self.case.bound or "no proof, and no counterexample")
            if first and self.entries[-1].status == "refuted":
                break
        return self._whole()

    def _proofs(self, left: Any, right: Any) -> tuple[Any, ...]:
        """The proofs of a certificate that two sides are equal; none where none is found."""
        return proofs_of(Equal(left, right), self.setting, self.deadline.share(0.4))

    def _found(self, pair: Pair, count: int) -> tuple[Witness, tuple[str, str]] | None:
        """The first of the points at which an entry certainly differs, with both values."""
        place = (pair.row, pair.column)
        looked = self.case.looked_at(count, self.deadline.share(0.5))
        found = ((w, f[2:]) for w, truth in looked if not truth.loose for f in truth.false if f[:2] == place)
        return next(found, None)

    def _refute(self, pair: Pair, witness: Witness, values: tuple[str, str]) -> None:
        case = JudgedStatement(Equal(pair.left, pair.right), self.setting)
        if sum(d.status == "refuted" for d in self.entries) < MOST_SIMPLIFIED:
            witness, truth = case.simplest(witness, self.deadline)
            values = truth.false[0][2:] if truth.false else values
        self.entries.append(
            Difference(*_place(pair), pair.left, pair.right, "refuted", case.told(witness), values, witness)
        )

    def _say(self, pair: Pair, status: Status, reason: str = "") -> None:
        self.entries.append(Difference(*_place(pair), pair.left, pair.right, status))
        self.reason = reason or self.reason

    def _whole(self) -> Outcome:
        entries = tuple(self.entries)
        statuses = {d.status for d in entries}
        if "refuted" in statuses:
            return Outcome("refuted", POINT, "", entries)
        if self.setting.conditions and not any(
            truth.holds is not None or self.case.meets(w) for w, truth in self.case.looked_at(POINTS, self.deadline)
        ):
            if any(self._proofs(e, sp.S.One) for e in self.setting.equations):
                return Outcome("undecided", PROOF, "the assumptions contradict each other")
            self.reason = self.reason or "no point of the assumption set was found: the proof may be about an empty set"
        if "undecided" in statuses:
            return Outcome("undecided", "none", self.reason, entries)
        return Outcome("proved", PROOF, self.reason, entries, proofs=self.proofs)


def _place(pair: Pair) -> tuple[int, int]:
    return pair.row, pair.column


def _finite(*sides: sp.Expr) -> bool:
    return not any(e.has(sp.nan, sp.zoo, sp.oo, -sp.oo) for e in sides)
