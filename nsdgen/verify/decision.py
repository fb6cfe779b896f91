"""Deciding one claim: every reading, every statement; which assumptions are needed; what would mend a refuted one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import islice
from typing import Any

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.verify.assumptions import IndexRange, Invertible
from nsdgen.verify.claim import Claim, Reading
from nsdgen.verify.judge import judge
from nsdgen.verify.outcome import Outcome, joined
from nsdgen.verify.refutation import explained, short
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.statement import Definite, Equal, Fails, Inequality
from nsdgen.verify.verdict import Counterexample, Entry, Verdict

__all__ = ["decide"]

LARGE = 400
_NO_TRUTH = (Definite, Fails, Inequality)  # statements neither side of which is the truth of the other


def decide(claim: Claim, budget: float = 30.0, repairs: bool = True, seed: int = 0) -> Verdict:
    """The verdict on a claim within ``budget`` seconds of processor time per reading.

    Exact methods stop in time to sample.

    Readings with one verdict share it; where they differ the claim is "ambiguous". A claim whose hand side is code
    (``PythonFunction``, ``CFunction``, ``SiconosPlugin``) is decided by running that. ``seed`` starts the drawing of
    points: the same seed gives the same verdict.

    Raises ``ModelError`` for a claim that cannot be read; everything else is a verdict.
    """
    code = _code_side(claim)
    if code is not None:
        from .foreign.decide import decide_code  # NumPy and processes, for claims about code only

        return decide_code(claim, code, budget=budget, seed=seed)
    start = time.monotonic()
    verdicts = [_decide_reading(claim, r, Deadline.after(budget), repairs, seed) for r in claim.readings]
    seconds = round(time.monotonic() - start, 3)
    if len(verdicts) == 1:
        return verdicts[0].but(seconds=seconds)
    kinds = {v.verdict for v in verdicts}
    common = kinds.pop() if len(kinds) == 1 else "ambiguous"
    shared = verdicts[0] if common == "refuted" else Verdict(claim.id, common)
    return Verdict(claim.id, common, "each reading decided", claim.title, claim.source, note=claim.note,
                   counterexample=shared.counterexample, correction=shared.correction, slip=shared.slip,
                   mend=shared.mend, mended=shared.mended, seconds=seconds, readings=tuple(verdicts))


def _code_side(claim: Claim) -> Any:
    """The side of a claim that is code, if there is one.

    Raises ``ModelError`` where it is not all that the claim is about.
    """
    found = [side for r in claim.readings for s in r.statements if isinstance(s, Equal) for side in s.sides
             if getattr(side, "hand_side", "") == "code"]
    if found and (len(found) > 1 or len(claim.readings) > 1 or len(claim.readings[0].statements) > 1):
        raise ModelError("code stands beside other statements", where=f"claim {claim.id!r}",
                         fix="state one equality, Claim(id, derived, code), for each function")
    return found[0] if found else None


# -- one reading -----------------------------------------------------------------------------------------------------


def _decide_reading(claim: Claim, reading: Reading, deadline: Deadline, repairs: bool, seed: int) -> Verdict:
    start = time.monotonic()
    base = Verdict(claim.id + (f"/{reading.name}" if reading.name else ""), "undecided", title=claim.title,
                   source=claim.source, note=reading.note or claim.note)
    if claim.kind == "definition":
        verdict = _definition(reading, base, deadline)
    else:
        setting = Setting(reading.assumptions, seed)
        outcomes = _judge_all(reading.statements, setting, deadline.share(0.5))
        verdict = _reported(base, claim, reading, setting, outcomes, deadline, repairs)
    return verdict.but(seconds=round(time.monotonic() - start, 3))


def _definition(reading: Reading, base: Verdict, deadline: Deadline) -> Verdict:
    """A definition is refuted by its shapes or by a consequence that is false."""
    setting = Setting(reading.assumptions)
    outcomes = [judge(s, setting, deadline) for s in reading.statements]
    wrong = next((o for o in outcomes if o.status == "refuted"), None)
    if wrong is None:
        return base.but(verdict="definition", method=joined(outcomes).method if outcomes else "shape")
    return base.but(verdict="refuted", method=wrong.method, reason=wrong.reason,
                    counterexample=_counterexample(outcomes))


def _judge_all(statements: Sequence[Any], setting: Setting, deadline: Deadline, first: bool = False
               ) -> list[Outcome]:
    """The outcome of each statement, for all values of an index range."""
    ranges = [a for a in setting.assumptions if isinstance(a, IndexRange)]
    if not ranges:
        return [judge(s, setting, deadline, first) for s in statements]
    index = ranges[0]
    outcomes: list[list[Outcome]] = []
    for values in index.values():
        chosen = Setting(tuple(_substituted(a, values) for a in setting.assumptions if a is not index),
                         setting.seed)
        outcomes.append(_judge_all([_substituted(s, values) for s in statements], chosen, deadline, first))
    return [joined([o[k] for o in outcomes]) for k in range(len(statements))]


def _substituted(record: Any, values: Any) -> Any:
    """A record with a substitution carried out in all expressions it holds."""
    if isinstance(record, (sp.Basic, sp.MatrixBase)):
        return record.subs(values)
    if isinstance(record, (tuple, list)):
        return type(record)(_substituted(r, values) for r in record)
    if callable(record) and not hasattr(record, "__dataclass_fields__"):
        return lambda: _substituted(record(), values)
    if hasattr(record, "__dataclass_fields__"):
        copy = object.__new__(type(record))
        for name in record.__dataclass_fields__:
            object.__setattr__(copy, name, _substituted(getattr(record, name), values)
                               if not isinstance(getattr(record, name), str) else getattr(record, name))
        return copy
    return record


def _status(outcomes: Sequence[Outcome]) -> str:
    statuses = {o.status for o in outcomes}
    return next(s for s in ("refuted", "undecided", "consistent", "proved") if s in statuses)


def _reported(base: Verdict, claim: Claim, reading: Reading, setting: Setting, outcomes: list[Outcome],
              deadline: Deadline, repairs: bool) -> Verdict:
    whole = joined(outcomes)
    verdict = base.but(verdict=_status(outcomes), method=whole.method, reason=whole.reason,
                       entries=_entries(claim, reading, outcomes), where_defined=whole.denominators)
    if verdict.verdict == "refuted":
        verdict = verdict.but(counterexample=_counterexample(outcomes), assumptions=setting.texts)

        def holds(statements: Sequence[Any], more: Sequence[Any], until: Deadline) -> str:
            return _status(_judge_all(statements, setting.but(*more), until))
        return explained(verdict, claim, reading, setting, outcomes, deadline, repairs, holds)
    if verdict.verdict == "proved":
        return _necessary(verdict, reading, setting, outcomes, deadline)
    if verdict.verdict == "consistent":
        return verdict.but(assumptions=setting.texts,
                           confidence=f"{whole.agreeing} points, both sides equal to 40 digits")
    return verdict.but(assumptions=setting.texts)


def _entries(claim: Claim, reading: Reading, outcomes: Sequence[Outcome]) -> tuple[Entry, ...]:
    found = []
    for k, (s, o) in enumerate(zip(reading.statements, outcomes, strict=True)):
        hand = getattr(s, "hand", None) or claim.hand
        for d in o.entries:
            wrong = d.status == "refuted"
            correct = d.left if hand == "right" else d.right
            found.append(Entry(k + 1, d.row, d.column, _text(d.left, wrong), _text(d.right, wrong),
                               _text(correct, wrong) if wrong and not isinstance(s, _NO_TRUTH) else "", d.status))
    return tuple(found)


def _text(e: Any, whole: bool) -> str:
    """An expression as text; large ones that agree are left out, for printing them takes longer than proving them."""
    if whole:
        return short(e)
    if isinstance(e, sp.Basic) and next(islice(sp.preorder_traversal(e), LARGE, None), None) is not None:
        return f"(more than {LARGE} nodes)"
    return str(e)


def _counterexample(outcomes: Sequence[Outcome], without: str = "") -> Counterexample | None:
    """The first counterexample with the fewest digits."""
    found = [(sum(len(v) + (v != "0") for _, v in d.point), k, d) for k, o in enumerate(outcomes) for d in o.entries
             if d.status == "refuted" and (d.point or d.values != ("", ""))]
    if not found:
        return None
    _, k, d = min(found, key=lambda f: f[:2])
    return Counterexample(d.point, *d.values, d.row, d.column, k + 1, without)


def _necessary(verdict: Verdict, reading: Reading, setting: Setting, outcomes: list[Outcome], deadline: Deadline
               ) -> Verdict:
    """Drop each assumption in turn: what is needed is shown by a point, what is not needed is left out."""
    needed: list[Counterexample] = []
    index = 0
    unsure: list[str] = []
    while index < len(setting.assumptions):
        dropped = setting.assumptions[index]
        if isinstance(dropped, IndexRange):
            index += 1
            continue
        smaller = setting.without(index)
        without = _judge_all(reading.statements, smaller, deadline.share(0.3), first=True)
        if _status(without) == "refuted" and (shown := _counterexample(without, dropped.text)) is not None:
            needed.append(shown)
            index += 1
            continue
        if _status(without) == "proved" and not isinstance(dropped, Invertible):
            setting = smaller
            continue
        if not isinstance(dropped, Invertible):
            unsure.append(dropped.text)
        index += 1
    if needed:
        verdict = verdict.but(verdict="proved under", counterexample=needed[0], necessity=tuple(needed))
    if unsure:
        verdict = verdict.but(reason="; ".join(filter(None, (
            verdict.reason, f"not shown to be necessary: {', '.join(unsure)}"))))
    failures = [o for s, o in zip(reading.statements, outcomes, strict=True) if isinstance(s, Fails) and o.entries]
    if failures and verdict.counterexample is None:
        d = failures[0].entries[0]
        verdict = verdict.but(counterexample=Counterexample(d.point, *d.values, d.row, d.column))
    return verdict.but(assumptions=setting.texts)
