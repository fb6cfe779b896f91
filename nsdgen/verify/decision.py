"""Deciding one claim: every reading, every statement; which assumptions are needed; what would mend a refuted one."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import sympy as sp
from sympy.core.cache import clear_cache

from nsdgen.errors import ModelError
from nsdgen.verify.certificate.making import certified
from nsdgen.verify.claim import Claim, Reading
from nsdgen.verify.judge import failed, judge
from nsdgen.verify.limits import Exceeded, limited
from nsdgen.verify.necessity import counterexample_of, necessary
from nsdgen.verify.orders import refuse_orders
from nsdgen.verify.outcome import Outcome, joined
from nsdgen.verify.quantities import digest, unified
from nsdgen.verify.refutation import explained, short
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.statement import Definite, Fails, Inequality
from nsdgen.verify.verdict import UNCERTIFIED, Verdict, VerdictEntry

T = TypeVar("T")

LARGE = 400  # nodes: to print more takes longer than to prove it
_TELLING = 1.0  # seconds of processor time beyond the budget, to say what was found until then
_NO_TRUTH = (Definite, Fails, Inequality)  # statements neither side of which is the truth of the other


def decide(claim: Claim, budget: float = 30.0, repairs: bool = True, seed: int = 0) -> Verdict:
    """The verdict on a claim within ``budget`` seconds of processor time per reading.

    Exact methods stop in time to sample. What does not stop by itself is stopped at the end of the budget, or when it
    needs too much memory (see :mod:`nsdgen.verify.limits`): the certificate of a proof and all that is said about a
    claim are part of it, and foreign code that is waited for.

    Readings with one verdict share it; where they differ the claim is "ambiguous". A claim whose hand side is code
    (``PythonFunction``, ``CFunction``, ``SiconosPlugin``) is decided by running that. ``seed`` starts the drawing of
    points: the same seed gives the same verdict. A proof is called one where its certificate is accepted by the checker
    (see :mod:`nsdgen.verify.certificate`), else ``proved without certificate``.

    Whatever goes wrong is a verdict as well: ``undecided``, with the reason.
    """
    until = Deadline.after(budget)
    formula = _within(budget, lambda: digest(claim), lambda: "")
    budget = max(until.left(), budget / 2)
    try:
        return _decided(claim, budget, repairs, seed).but(formula=formula)
    except Exception as error:
        reason = failed(error).reason
    except Exceeded as error:
        clear_cache()
        reason = str(error)
    return Verdict(
        claim.id, "undecided", title=claim.title, source=claim.source, note=claim.note, reason=reason, formula=formula
    )


def _decided(claim: Claim, budget: float, repairs: bool, seed: int) -> Verdict:
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
    said = ("counterexample", "correction", "slip", "mend", "mended") if common == "refuted" else ()
    whole = Verdict(claim.id, common, "each reading decided", claim.title, claim.source, note=claim.note)
    first = {name: getattr(verdicts[0], name) for name in said}
    return whole.but(seconds=seconds, readings=tuple(verdicts), **first)


def _code_side(claim: Claim) -> Any:
    """The side of a claim that is code, if there is one.

    Raises ``ModelError`` where it is not all that the claim is about.
    """
    found = claim.code
    if found and (len(found) > 1 or len(claim.readings) > 1 or len(claim.readings[0].statements) > 1):
        raise ModelError(
            "code stands beside other statements",
            where=f"claim {claim.id!r}",
            fix="state one equality, Claim(id, derived, code), for each function",
        )
    return found[0] if found else None


# -- one reading -----------------------------------------------------------------------------------------------------


def _decide_reading(claim: Claim, reading: Reading, deadline: Deadline, repairs: bool, seed: int) -> Verdict:
    start = time.monotonic()
    name = f"{claim.id}/{reading.name}" if reading.name else claim.id
    note = reading.note or claim.note
    base = Verdict(name, "undecided", title=claim.title, source=claim.source, note=note)
    if claim.kind == "definition":
        verdict = _definition(reading, base, deadline)
    else:
        typed, certificate = reading, None
        with limited(deadline.left()):
            one = unified(reading, claim.hand)
            reading = one.reading
            setting = Setting((*reading.assumptions, *one.hidden), seed)
            refuse_orders(*setting.conditions)
            outcomes = _judge_all(reading.statements, setting, deadline.share(0.5))
            whole = joined(outcomes)
            bare = base.but(verdict=whole.status, method=whole.method, assumptions=setting.texts)
        if whole.status == "proved":
            certificate = _certificate(typed, deadline.share(0.6), whole.proofs)
        # what was judged is told before it is explained, and whatever becomes of that
        seconds = max(deadline.left(), _TELLING)
        found = _within(seconds, lambda: _found(bare, claim, reading, outcomes), lambda: bare)
        verdict = _within(
            deadline.left(),
            lambda: _reported(found, claim, reading, setting, outcomes, deadline, repairs),
            lambda: _unexplained(found),
        )
        verdict = verdict.but(note="; ".join(filter(None, (verdict.note, *one.notes))))
        if verdict.verdict in ("proved", "proved under"):
            verdict = verdict.but(certificate=certificate, verdict=verdict.verdict if certificate else UNCERTIFIED)
    return verdict.but(seconds=round(time.monotonic() - start, 3))


def _certificate(reading: Reading, until: Deadline, known: Sequence[Any]) -> dict[str, Any] | None:
    return _within(until.left(), lambda: certified(reading, until, known), lambda: None)


def _within(seconds: float, made: Callable[[], T], otherwise: Callable[[], T]) -> T:
    """What is made within limits, or else what takes its place."""
    try:
        with limited(seconds):
            return made()
    except Exceeded:
        clear_cache()  # an inference that was broken off may be in it
        return otherwise()


def _definition(reading: Reading, base: Verdict, deadline: Deadline) -> Verdict:
    """A definition is refuted by its shapes or by a consequence that is false."""
    setting = Setting(reading.assumptions)
    with limited(deadline.left()):
        outcomes = _judge_all(reading.statements, setting, deadline)
    wrong = next((o for o in outcomes if o.status == "refuted"), None)
    if wrong is None:
        return base.but(verdict="definition", method=joined(outcomes).method if outcomes else "shape")
    return base.but(
        verdict="refuted", method=wrong.method, reason=wrong.reason, counterexample=counterexample_of(outcomes)
    )


def _judge_all(statements: Sequence[Any], setting: Setting, deadline: Deadline, first: bool = False) -> list[Outcome]:
    """The outcome of each statement."""
    return [judge(s, setting, deadline, first) for s in statements]


def _reported(
    verdict: Verdict,
    claim: Claim,
    reading: Reading,
    setting: Setting,
    outcomes: list[Outcome],
    deadline: Deadline,
    repairs: bool,
) -> Verdict:
    """The verdict with what explains it."""
    if verdict.verdict == "refuted":

        def holds(statements: Sequence[Any], more: Sequence[Any], until: Deadline) -> str:
            found = _judge_all(statements, setting.but(*more), until)
            mended, status = Reading("", statements, (*setting.assumptions, *more)), joined(found).status
            proved = status == "proved" and _certificate(mended, until, joined(found).proofs)
            return UNCERTIFIED if status == "proved" and not proved else status

        return explained(verdict, claim, reading, setting, outcomes, deadline, repairs, holds)
    if verdict.verdict == "proved":
        judged = partial(_judge_all, first=True)
        return necessary(verdict, reading.statements, setting, outcomes, deadline, judged)
    if verdict.verdict == "consistent":
        agreeing = joined(outcomes).agreeing
        return verdict.but(confidence=f"{agreeing} points, where it holds to 40 digits")
    return verdict


def _found(bare: Verdict, claim: Claim, reading: Reading, outcomes: list[Outcome]) -> Verdict:
    """The verdict as it was judged, before anything is said about it."""
    example = counterexample_of(outcomes) if bare.verdict == "refuted" else None
    entries = _entries(claim, reading, outcomes)
    return bare.but(reason=joined(outcomes).reason, entries=entries, counterexample=example)


def _unexplained(found: Verdict) -> Verdict:
    """The verdict where the time did not suffice to say which assumptions are needed, or what would mend it."""
    if found.verdict == "proved" and found.assumptions:
        return found.but(reason=f"not shown to be necessary: {', '.join(found.assumptions)}")
    return found


def _entries(claim: Claim, reading: Reading, outcomes: Sequence[Outcome]) -> tuple[VerdictEntry, ...]:
    found = []
    for k, (s, o) in enumerate(zip(reading.statements, outcomes, strict=True)):
        hand = getattr(s, "hand", None) or claim.hand
        for d in o.entries:
            wrong = d.status == "refuted"
            correct = d.left if hand == "right" else d.right
            found.append(
                VerdictEntry(
                    k + 1,
                    d.row,
                    d.column,
                    _text(d.left, wrong),
                    _text(d.right, wrong),
                    _text(correct, wrong) if wrong and not isinstance(s, _NO_TRUTH) else "",
                    d.status,
                )
            )
    return tuple(found)


def _text(e: Any, whole: bool) -> str:
    """An expression as text; large ones that agree are left out, for printing them takes longer than proving them."""
    if whole:
        return short(e)
    if isinstance(e, sp.Basic) and next(islice(sp.preorder_traversal(e), LARGE, None), None) is not None:
        return f"(more than {LARGE} nodes)"
    return str(e)
