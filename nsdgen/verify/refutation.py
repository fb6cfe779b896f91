"""What is said about a refuted claim: the right expression, the slip, and what would mend it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from nsdgen.verify.claim import Claim, Mend, Reading
from nsdgen.verify.outcome import Outcome
from nsdgen.verify.premises import premise
from nsdgen.verify.repair import Repair, repair
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.shapes import IllTyped, build, is_abstract, strangers
from nsdgen.verify.statement import Definite, Equal, Fails, Implies, Inequality, Zero
from nsdgen.verify.verdict import PROVED, Verdict

SECONDS = 8.0  # for the search of small repairs; what is found at all is found in half of that
SHORT = 200  # operations of an expression that is also tried in expanded form

Holds = Callable[[Sequence[Any], Sequence[Any], Deadline], str]
"""The status of statements under further assumptions."""


def explained(
    verdict: Verdict,
    claim: Claim,
    reading: Reading,
    setting: Setting,
    outcomes: list[Outcome],
    deadline: Deadline,
    repairs: bool,
    holds: Holds,
) -> Verdict:
    """The verdict of a refuted reading with all that is known about the error.

    A candidate assumption under which the claim holds comes first, then the mend that its author gave, then a small
    repair that was found. The correction is the truth of the wrong entries; where the statement is no equality, it is
    the text of the mend.
    """
    first = next(k for k, o in enumerate(outcomes) if o.status == "refuted")
    outcome, statement = outcomes[first], reading.statements[first]
    verdict = verdict.but(method=outcome.method, reason=outcome.reason)
    hand = getattr(statement, "hand", None) or claim.hand
    outcome = next((p for p in outcome.parts if p.status == "refuted"), outcome)
    verdict = verdict.but(correction=_correction(statement, outcome, hand))
    for candidate in reading.candidates:
        status = holds(reading.statements, (candidate,), deadline.share(0.4))
        if status in PROVED:
            verdict = verdict.but(
                mend=f"true under {candidate.text}",
                slip="missing assumption",
                mended=status,
                correction=verdict.correction or f"as stated, under {candidate.text}",
            )
            return verdict if reading.mend is None else _mended(verdict, reading.mend, statement, deadline, holds)
    known = reading.mend is not None and reading.mend.slip is not None
    repaired = _repaired(statement, outcome, setting, deadline, hand) if repairs and not known else None
    if repaired is not None:
        verdict = verdict.but(slip=repaired.slip, mend=repaired.sentence)
    if outcome.left is not None and outcome.right is not None and (alien := _alien(statement, outcome, setting, hand)):
        verdict = verdict.but(
            reason="; ".join(filter(None, (verdict.reason, f"only the {hand} side mentions {', '.join(alien)}")))
        )
    return verdict if reading.mend is None else _mended(verdict, reading.mend, statement, deadline, holds)


def _mended(verdict: Verdict, mend: Mend, statement: Any, deadline: Deadline, holds: Holds) -> Verdict:
    """The verdict with the author's mend, decided where it is more than words; beside a missing assumption."""
    status = holds(mend.statements, mend.assumptions, deadline) if mend.statements else ""
    if verdict.mended:
        both = verdict.mended if status in ("", *PROVED) else status
        return verdict.but(mend=f"{verdict.mend}; or {mend.text}", mended=both)
    quoted = verdict.correction if isinstance(statement, Equal) else ""
    slip = verdict.slip if mend.slip is None else mend.slip
    return verdict.but(mend=mend.text, mended=status, correction=quoted or mend.text, slip=slip)


def _repaired(statement: Any, outcome: Outcome, setting: Setting, deadline: Deadline, hand: str) -> Repair | None:
    """A small repair of the hand side. Where the shapes differ, a transposition is all that is tried."""
    if isinstance(statement, (Fails, Inequality, Definite, Zero)):
        return None  # there is no side to repair
    until = deadline.within(SECONDS)
    if outcome.method == "shape":
        sides = _sides(statement, hand)
        if sides is None or is_abstract(sides[0]) or is_abstract(sides[1]):
            return None
        return repair(*sides, setting, until)
    if outcome.left is None or outcome.right is None:
        return None
    written, truth = (outcome.right, outcome.left) if hand == "right" else (outcome.left, outcome.right)
    return repair(written, truth, _with_premises(statement, setting), until)


def _with_premises(statement: Any, setting: Setting) -> Setting:
    if isinstance(statement, Implies):
        return setting.but(*(a for p in statement.premises for a in premise(p)))
    return setting


def _sides(statement: Any, hand: str) -> tuple[Any, Any] | None:
    """Hand side and truth of an equality, None where one cannot be built."""
    if not isinstance(statement, Equal):
        return None
    try:
        left, right = build(statement.left), build(statement.right)
    except IllTyped:
        return None
    return (right, left) if hand == "right" else (left, right)


def _alien(statement: Any, outcome: Outcome, setting: Setting, hand: str) -> list[str]:
    """Symbols that only the hand side mentions; premises and assumptions explain theirs."""
    known = {s for a in _with_premises(statement, setting).assumptions for s in _symbols(a)}
    written, truth = (outcome.right, outcome.left) if hand == "right" else (outcome.left, outcome.right)
    return strangers(written, truth, known)


def _symbols(assumption: Any) -> set[Any]:
    return set().union(*(e.free_symbols for _, e in assumption.said()))


def _correction(statement: Any, outcome: Outcome, hand: str) -> str:
    """The truth of the wrong entries, or of the whole where there are no entries; "" where there is none to quote."""
    wrong = [d for d in outcome.entries if d.status == "refuted" and d.row]
    if wrong:
        return "; ".join(f"({d.row}, {d.column}): {short(d.left if hand == 'right' else d.right)}" for d in wrong)
    if outcome.left is not None and outcome.right is not None:
        return short(outcome.left if hand == "right" else outcome.right)
    return _truth(statement, hand)


def _truth(statement: Any, hand: str) -> str:
    """The truth of an equality by itself: the hand side of an ill-typed one may not exist."""
    if not isinstance(statement, Equal):
        return ""
    try:
        return short(build(statement.left if hand == "right" else statement.right))
    except IllTyped:
        return ""


def short(e: Any) -> str:
    """The expression as text: as it stands, multiplied out or over one denominator, whichever is shortest."""
    text = str(e)
    if not isinstance(e, sp.Expr) or is_abstract(e) or isinstance(e, sp.MatrixBase) or e.count_ops() > SHORT:
        return text
    return min(text, str(sp.expand(e)), str(sp.together(e)), key=len)
