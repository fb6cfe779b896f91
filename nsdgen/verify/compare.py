"""Comparing explicit scalars and matrices entry by entry: a proof, a point, or agreement at many points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from nsdgen.symbolic.expression import as_expression
from nsdgen.verify.branches import NoCases, branches
from nsdgen.verify.challenge.witness import Witness
from nsdgen.verify.cleaning import Cleaner
from nsdgen.verify.counterexample import Search, written, written_point
from nsdgen.verify.exact import Contradiction, Prover
from nsdgen.verify.outcome import Difference, Outcome, Status, joined
from nsdgen.verify.sampling import Sampler
from nsdgen.verify.setting import Deadline, Facts, OutOfTime, Setting

__all__ = ["Pair", "compare", "pairs_of"]

ENOUGH = 20
MOST_SIMPLIFIED = 6
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
    assumed = [e for a in setting.assumptions for e in (*a.equations(), *a.positive(), *a.nonnegative(), *a.nonzero())]
    cleaner = Cleaner([as_expression(s) for s in (*sides, *assumed)])
    facts = cleaner.facts(setting)
    clean = tuple(cleaner(s) for s in sides)
    said = (*clean, *facts.equations, *facts.positive, *facts.nonnegative, *facts.nonzero)
    if not any(e.has(sp.Piecewise) for e in said):
        return _compare(pairs, clean, facts, cleaner, deadline, first, setting.seed)
    try:
        outcomes = [_compare(pairs, chosen, seen, cleaner, deadline, first, setting.seed, may_be_empty=True)
                    for chosen, seen in branches(clean, facts)]
    except NoCases as error:
        return Outcome("undecided", PROOF, str(error))
    outcomes = [o for o in outcomes if o.method != EMPTY]
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


def _compare(pairs: Sequence[Pair], clean: tuple[sp.Expr, ...], facts: Facts, cleaner: Cleaner, deadline: Deadline,
             first: bool, seed: int, may_be_empty: bool = False) -> Outcome:
    search = Search(lambda variant: Sampler(facts, clean, seed, cleaner.values, variant), deadline)
    prover: Prover | None = None
    entries: list[Difference] = []
    agreeing: list[int] = []
    reason = ""
    for k, pair in enumerate(pairs):
        left, right = clean[2 * k], clean[2 * k + 1]
        status: Status = "undecided"
        if any(e.has(sp.nan, sp.zoo, sp.oo, -sp.oo) for e in (left, right)):
            entries.append(Difference(pair.row, pair.column, pair.left, pair.right, "undecided"))
            reason = "a side has no finite value"
            continue
        try:
            if left == right:
                proved = True
            elif search.screen(left, right):
                proved = False
            else:
                if prover is None:
                    prover = Prover(facts, clean, deadline.share(0.6))
                proved = prover.vanishes(left - right)
                if not proved and search.find(left, right) is None:
                    proved = prover.vanishes(left - right, saturate=True)
        except OutOfTime:
            proved, reason = False, "the exact reduction ran out of its time"
        except ZeroDivisionError:
            proved, reason = False, "a denominator is zero on the whole assumption set"
        except Contradiction:
            if may_be_empty:  # a case whose conditions can never hold together
                return Outcome("proved", EMPTY)
            return Outcome("undecided", PROOF, "the assumptions contradict each other")
        if proved:
            entries.append(Difference(pair.row, pair.column, pair.left, pair.right, "proved"))
            continue
        simplify = sum(d.status == "refuted" for d in entries) < MOST_SIMPLIFIED
        bound = cleaner.why_not_free((left, right), facts.equations)
        found = None if bound else search.find(left, right, simplify)
        if found is not None:
            entries.append(Difference(pair.row, pair.column, pair.left, pair.right, "refuted",
                                      written_point(found.point), (written(found.left), written(found.right)),
                                      Witness.of(found.whole, cleaner.values)))
            if first:
                break
            continue
        if bound:
            entries.append(Difference(pair.row, pair.column, pair.left, pair.right, "undecided"))
            reason = bound
            continue
        count = search.agreeing(left, right)
        agreeing.append(count)
        status = "consistent" if count >= ENOUGH else "undecided"
        if status == "undecided" and not reason:
            reason = f"no proof, no counterexample, and only {count} points of the assumption set to compare at"
        entries.append(Difference(pair.row, pair.column, pair.left, pair.right, status))
    statuses = {d.status for d in entries}
    for status, method in (("refuted", POINT), ("undecided", SAMPLES), ("consistent", SAMPLES)):
        if status in statuses:
            return Outcome(status, method, reason if status != "refuted" else "", tuple(entries),  # type: ignore[arg-type]
                           min(agreeing, default=0))
    if prover is not None and facts.equations and not may_be_empty and next(search.points(), None) is None:
        reason = "no point of the assumption set was found: the proof may be about an empty set"
    return Outcome("proved", PROOF, reason, tuple(entries),
                   denominators=tuple(map(str, prover.denominators)) if prover else ())
