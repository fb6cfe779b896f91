"""The gate before every verdict: refutations are evaluated again, proofs are challenged.

A counterexample counts only if the statement as it is written is false there; a proof only if no challenge on the
assumption set, kinks and poles included, finds the statement false. See ``docs/how-to/verify.md``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from nsdgen.verify import statement as st
from nsdgen.verify.outcome import Difference, Outcome
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.shapes import build

from .judged import GENERIC, LOOSE, JudgedStatement
from .meaning import without_meaning
from .truth import Truth
from .witness import Witness

CHALLENGES = 14  # points against a proof: half of them on switches, in turn, a quarter moved beside or between these
ENOUGH = 20  # points where a statement holds that nothing else decides
FEW = 4  # points: of a quick look, and those below which agreement says nothing
_WITHOUT_PROOF = 100  # points where there is nothing but points
_SECONDS = 0.5  # that a gate may add to a proof
_SECONDS_ALONE = 2.0  # and where there are points alone
_POINTWISE = (st.Equal, st.Zero, st.Implies, st.Iff, st.Inequality, st.Definite, st.SeriesEqual, st.IntegralEqual)


def gated(statement: Any, outcome: Outcome, setting: Setting, deadline: Deadline, quick: bool = False) -> Outcome:
    """The outcome, or what is left of it after it was confirmed or challenged; ``quick`` challenges at few points."""
    if not isinstance(statement, _POINTWISE) or outcome.method == "shape":
        return outcome
    case = outcome.case
    if case is None or case.setting is not setting or case.statement != statement:
        case = JudgedStatement(statement, setting)
    if outcome.status == "refuted":
        return _confirmed(case, outcome, deadline)
    if outcome.status in ("consistent", "undecided") and any(e.has(sp.DiracDelta) for e in case.said):
        return outcome.but(status="undecided", reason="a distribution has no values that could be compared")
    if outcome.status == "proved" and not _same_text(statement) and (name := without_meaning(case.said)):
        return outcome.but(
            status="undecided",
            entries=(),
            reason=(f"the second evaluation has no values of {name}: nothing stands beside the proof"),
        )
    if outcome.status in ("proved", "consistent"):
        count = LOOSE if isinstance(statement, st.IntegralEqual) else CHALLENGES
        return _challenged(case, outcome, FEW if quick else count)
    return _examined(case, outcome, deadline)


def _same_text(statement: Any) -> bool:
    """Whether the sides of an equality are one expression as they are written."""
    if not isinstance(statement, st.Equal):
        return False
    first, *others = map(build, statement.sides)
    return all(first == other for other in others)


# ---- refutations


def _confirmed(case: JudgedStatement, outcome: Outcome, deadline: Deadline) -> Outcome:
    """The refutation with the entries that are certainly false; undecided where none is."""
    entries: list[Difference] = []
    confirmed = False
    for d in outcome.entries:
        if d.status == "refuted" and d.witness is not None:
            if not _stands(case, d):
                d = Difference(d.row, d.column, d.left, d.right, "undecided")
            else:
                confirmed = True
        entries.append(d)
    if confirmed:
        return outcome.but(entries=tuple(entries))
    if (found := _attack(case)) is not None:
        shown = any(d.status == "refuted" and d.witness is None for d in entries)
        return outcome if shown else refuted(case, outcome, *found)
    if any(e.has(sp.Float) for e in case.said) and (agreeing := _agreeing(case)) >= FEW:
        return outcome.but(
            status="consistent",
            method="evaluation to the digits of the decimals",
            agreeing=agreeing,
            entries=tuple(Difference(d.row, d.column, d.left, d.right, "consistent") for d in entries),
        )
    return outcome.but(
        status="undecided",
        method="evaluation of the claim",
        entries=tuple(
            Difference(d.row, d.column, d.left, d.right, "undecided" if d.status == "refuted" else d.status)
            for d in entries
        ),
        reason="the point that was found does not refute the claim as it is written",
    )


def _agreeing(case: JudgedStatement) -> int:
    """At how many points the statement holds; none where it fails at one."""
    truths = [case.truth(w).holds for w in case.witnesses(CHALLENGES)]
    return 0 if False in truths else truths.count(True)


def _stands(case: JudgedStatement, d: Difference) -> bool:
    """Whether a counterexample shows the entry false in the statement as it is written."""
    assert d.witness is not None
    truths = (case.truth(w, fine=True) for w in case.completed(d.witness) if case.admits(w))
    truth = next((t for t in truths if t.holds is not None), Truth(None))
    places = {f[:2] for f in truth.false}
    return truth.holds is False and (not places or (d.row, d.column) in places or (0, 0) in places or d.row == 0)


# ---- proofs


def _challenged(case: JudgedStatement, outcome: Outcome, count: int) -> Outcome:
    found = _attack(case, count, fine=outcome.status != "proved")
    if found is None:
        return outcome
    truth, _ = found
    if truth.loose:
        return outcome.but(
            status="undecided",
            method="evaluation of the claim",
            entries=(),
            reason="numerical integration or summation contradicts the proof",
        )
    return refuted(case, outcome, *found)


# ---- neither


def _examined(case: JudgedStatement, outcome: Outcome, until: Deadline) -> Outcome:
    """What is neither proved nor refuted: points may refute it, or agree, for which they take longer where few do."""
    if isinstance(case.statement, st.IntegralEqual):
        return outcome  # quadrature neither refutes nor agrees
    agreeing: set[Any] = set()
    enough = ENOUGH if case.names.symbols else 1  # numbers alone have one point
    deadline, until = Deadline.after(_SECONDS_ALONE), until.share(0.5)
    loose = 0  # points at which few digits are all there are: dear, and no agreement
    for w in case.witnesses(_WITHOUT_PROOF if case.names.symbols else 1):
        truth = case.truth(w, fine=True)
        if truth.holds is False and not truth.loose:
            return refuted(case, outcome, truth, w)
        loose += truth.loose
        if truth.holds is False or loose > LOOSE:
            return outcome
        if deadline.left() <= 0 and (len(agreeing) >= enough or until.left() <= 0):
            break
        if truth.holds is True and not truth.loose:
            agreeing.add(tuple(sorted((name, str(value)) for name, value in w.scalars.items())))
    vacuous = isinstance(case.statement, st.Implies | st.Iff)  # where the premises fail nothing agrees
    if vacuous or outcome.left is None:
        return outcome
    if len(agreeing) < enough:
        said = f"it was seen to hold at {len(agreeing)} points of the {enough} that are asked for"
        return outcome.but(reason="; ".join(filter(None, (outcome.reason, said))))
    return outcome.but(
        status="consistent",
        method="evaluation at points",
        agreeing=len(agreeing),
        entries=tuple(
            replace(d, status="consistent" if d.status == "undecided" else d.status) for d in outcome.entries
        ),
    )


def _attack(case: JudgedStatement, count: int = CHALLENGES, fine: bool = False) -> tuple[Truth, Witness] | None:
    """A point of the assumption set where the statement is false; ``fine``: they are asked in many digits.

    Where there are kinks, the points without, which were asked before a proof was tried, come besides.
    """
    deadline = Deadline.after(_SECONDS)
    for w, truth in case.looked_at(count + (GENERIC if not case.abstract and case.kinks else 0), deadline):
        truth = case.truth(w, fine=True) if fine else truth
        if truth.holds is False:
            return truth, w
    return None


def refuted(
    case: JudgedStatement, outcome: Outcome, truth: Truth, witness: Witness, method: str = "evaluation at a point"
) -> Outcome:
    """A refutation by a point that was found."""
    point = case.told(witness)
    sides = _entries_of(outcome)
    entries = tuple(
        Difference(i, j, *sides.get((i, j), (outcome.left, outcome.right)), "refuted", point, (a, b), witness)
        for i, j, a, b in truth.false
    )
    others = tuple(d for d in outcome.entries if (d.row, d.column) not in {e[:2] for e in truth.false} and d.row)
    entries = tuple(sorted((*entries, *others), key=lambda d: (d.row, d.column)))
    return Outcome("refuted", method, entries=entries, left=outcome.left, right=outcome.right, case=case)


def _entries_of(outcome: Outcome) -> dict[tuple[int, int], tuple[Any, Any]]:
    return {(d.row, d.column): (d.left, d.right) for d in outcome.entries}
