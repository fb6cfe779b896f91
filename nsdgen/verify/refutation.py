"""What is said about a refuted claim: the right expression, the slip, and what would mend it."""

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
    written, truth = _sides(statement, outcome, hand)
    verdict = verdict.but(correction=_correction(outcome, truth, hand))
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
    if isinstance(statement, Implies) and outcome.method != "shape":
        setting = setting.but(*(a for p in statement.premises for a in premise(p)))
    search = repairs and not known
    found = _repaired(statement, outcome, written, truth, setting, deadline) if search else None
    if found is not None:
        verdict = verdict.but(slip=found.slip, mend=found.sentence)
    if written is not None and truth is not None and outcome.method != "shape":
        alien = strangers(written, truth, {s for a in setting.assumptions for _, e in a.said() for s in e.free_symbols})
        told = f"only the {hand} side mentions {', '.join(alien)}" if alien else ""
        verdict = verdict.but(reason="; ".join(filter(None, (verdict.reason, told))))
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


def _repaired(
    statement: Any, outcome: Outcome, written: Any, truth: Any, setting: Setting, deadline: Deadline
) -> Repair | None:
    """A small repair of the hand side. Where the shapes differ, a transposition is all that is tried."""
    if isinstance(statement, (Fails, Inequality, Definite, Zero)) or written is None or truth is None:
        return None  # there is no side to repair
    if outcome.method == "shape" and (is_abstract(written) or is_abstract(truth)):
        return None
    return repair(written, truth, setting, deadline.within(SECONDS))


def _sides(statement: Any, outcome: Outcome, hand: str) -> tuple[Any, Any]:
    """The hand side and the truth; None for what does not exist, as a side of an ill-typed equality may not."""
    left, right = outcome.left, outcome.right
    if left is None and right is None and isinstance(statement, Equal):
        left, right = map(_built, (statement.left, statement.right))
    return (right, left) if hand == "right" else (left, right)


def _built(side: Any) -> Any:
    try:
        return build(side)
    except IllTyped:
        return None


def _correction(outcome: Outcome, truth: Any, hand: str) -> str:
    """The truth of the wrong entries, or of the whole where there are no entries; "" where there is none to quote."""
    wrong = [d for d in outcome.entries if d.status == "refuted" and d.row]
    if wrong:
        return "; ".join(f"({d.row}, {d.column}): {short(d.left if hand == 'right' else d.right)}" for d in wrong)
    return "" if truth is None else short(truth)


def short(e: Any) -> str:
    """The expression as text: as it stands, multiplied out or over one denominator, whichever is shortest."""
    text = str(e)
    if not isinstance(e, sp.Expr) or is_abstract(e) or isinstance(e, sp.MatrixBase) or e.count_ops() > SHORT:
        return text
    return min(text, str(sp.expand(e)), str(sp.together(e)), key=len)
