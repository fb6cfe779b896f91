"""The verdict that findings about code amount to: entries, the simplest failing point, the guessed slip."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import mpmath
import numpy as np

from nsdgen.verify.verdict import Counterexample, Verdict, VerdictEntry

from .kinks import nearby
from .problem import Findings, Problem
from .rounding import CERTAIN, DIGITS
from .sample_points import Point, holds, simple_values
from .slip import guess_slip

FEWEST = 5
"""Fewer points than this that agree are no verdict, unless there is nothing to choose."""

_EXPLAINING = 5.0  # seconds beyond the budget for the simplest point
_FIT_POINTS = 8  # an edit fits three by chance hardly ever


def verdict_of(problem: Problem, found: Findings, hand_left: bool) -> Verdict:
    """The verdict with all that findings say, but for what it is about."""
    method = f"double precision at {found.compared} points against {DIGITS} digits, "
    method += "with a running error bound for every entry"
    base = Verdict("", "consistent", method=method, note="; ".join(found.kinks.values()))
    if not found.failures and not found.wrong:
        if not found.compared:
            reason = "the truth has no finite value at any point that was tried"
            return base.but(verdict="undecided", reason=reason)
        if found.compared < FEWEST and problem.function.symbols:
            return base.but(verdict="undecided", reason=f"only {found.compared} points could be compared")
        outside = f", {found.outside} points outside the domain left out" if found.outside else ""
        said = f"{found.compared} points, largest difference {found.worst:.2g} error bounds{outside}"
        return base.but(confidence=said)
    problem.worker.forgive()
    reasons = list(found.failures)
    if found.unwritten:
        names = ", ".join("({}, {})".format(*(x + 1 for x in problem.place(k))) for k in sorted(found.unwritten))
        reasons.append(f"it never writes {names}")
    point = _failing_point(problem, found)
    wrong = sorted(found.wrong)
    return base.but(
        verdict="refuted",
        reason="; ".join(reasons),
        counterexample=_counterexample(problem, found, hand_left, point),
        entries=_entries(problem, found, hand_left, point if found.wrong else None),
        correction="; ".join(f"({i + 1}, {j + 1}) = {problem.truth[i, j]}" for i, j in map(problem.place, wrong)),
        slip=_slip(problem, found, wrong),
        mend=_mend(problem, wrong),
    )


def _mend(problem: Problem, wrong: Sequence[int]) -> str:
    if not wrong:
        return ""
    i, j = problem.place(wrong[0])
    more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return f"write entry ({i + 1}, {j + 1}) as {problem.truth[i, j]}{more}"


def _entries(problem: Problem, found: Findings, hand_left: bool, point: Point | None) -> tuple[VerdictEntry, ...]:
    """All entries; a wrong one with the value that the code gives at the counterexample."""
    outcome = problem.call([point])[0] if point is not None else None
    given = problem.filled(outcome.answer) if outcome is not None and outcome.answer is not None else ()
    entries = []
    for k, truth in enumerate(problem.entries):
        i, j = problem.place(k)
        wrong = k in found.wrong
        hand = "agrees"
        if wrong:
            hand = "not written" if k in found.unwritten else _short(given[k]) if given else "differs"
        left, right = (hand, str(truth)) if hand_left else (str(truth), hand)
        entries.append(VerdictEntry(1, i + 1, j + 1, left, right, str(truth), "refuted" if wrong else "consistent"))
    return tuple(entries)


def _slip(problem: Problem, found: Findings, wrong: Sequence[int]) -> str:
    """The guess, from points of moderate size where all values are finite."""
    if wrong and found.signed.issuperset(wrong):
        return "the sign of a zero is read: -0.0 is 0"
    usable = [
        (problem.values(p), v)
        for p, v in found.good
        if all(np.isfinite(v))
        and max(map(abs, p.values()), default=0.0) <= 10.0
        and min(map(abs, p.values()), default=1.0) > 1e-4
        and len(set(map(abs, p.values()))) == len(p)
        and not any(v == int(v) for v in p.values())
    ][:_FIT_POINTS]
    if len(usable) < 3 or not wrong:
        return ""
    hand = np.array([v for _, v in usable]).reshape(len(usable), problem.truth.rows, problem.truth.cols)
    unwritten = [problem.place(k) for k in sorted(found.unwritten)]
    try:
        return guess_slip(problem.truth, hand, [v for v, _ in usable], [problem.place(k) for k in wrong], unwritten)
    except (TypeError, ValueError, ZeroDivisionError, np.linalg.LinAlgError):
        return ""  # a guess is a courtesy: what has no values leaves it out


def _first_entry(found: Findings) -> int:
    """The entry that the counterexample is about."""
    if found.wrong:
        return min(found.wrong)
    return next((entry for entry, _ in found.failures.values() if entry is not None), 0)


def _failing_point(problem: Problem, found: Findings) -> Point:
    """The simplest point found at which the first wrong entry, or the first failure, shows."""
    if not found.wrong:
        return next(iter(found.failures.values()))[1]
    k = _first_entry(found)
    return _simplified(problem, k, found.wrong[k])


def _counterexample(problem: Problem, found: Findings, hand_left: bool, point: Point) -> Counterexample:
    k = _first_entry(found)
    values = problem.values(point)
    problem.worker.forgive()
    truth, outcome = problem.truth_at(values), problem.call([point])[0]
    if (answer := outcome.numbers) is None:
        given = outcome.answer.message if outcome.answer is not None else outcome.message
    elif k in answer.unwritten and not problem.function.zeroed:
        given = "not written"
    else:
        given = _short(problem.filled(answer)[k])
    right = "undefined"
    if truth is not None:
        exact = truth.values[k]
        right = _short(float(exact)) if mpmath.mpf(float(exact)) == exact else mpmath.nstr(exact, 17)
    i, j = problem.place(k)
    used = problem.truth.free_symbols
    text = tuple(
        (s.name, _short(v)) for s, v in values.items() if s in used or (s in point and (v or math.copysign(1.0, v) < 0))
    )
    return Counterexample(
        text, *((given, right) if hand_left else (right, given)), row=i + 1, column=j + 1, statement=1
    )


def _simplified(problem: Problem, k: int, point: Point) -> Point:
    """The point with one symbol after the other replaced by the simplest number that still fails."""
    shows = _shows_wrong(problem, k)
    best = dict(point)
    idle = [s for s in best if s not in problem.truth.free_symbols]
    without = {**best, **{s: simple_values(s)[0] for s in idle}}
    if idle and holds(without, problem.assumed) and any(shows([without])):
        best = without
    for start in (dict.fromkeys(point, 0.0), dict.fromkeys(point, 1.0)):
        candidate = {s: v if v in simple_values(s) else simple_values(s)[0] for s, v in start.items()}
        if holds(candidate, problem.assumed, 0.0) and any(shows([candidate])):
            best = candidate
            break
    for symbol in best:
        if problem.left() < -_EXPLAINING:
            break
        options = [{**best, symbol: v} for v in simple_values(symbol)]
        allowed = [o for o in options if holds(o, problem.assumed, 0.0)]
        if best[symbol] in simple_values(symbol)[:1]:
            continue
        verdicts = shows(allowed)
        best = next((o for o, bad in zip(allowed, verdicts, strict=True) if bad), best)
    return best


def _shows_wrong(problem: Problem, k: int) -> Callable[[Sequence[Point]], list[bool]]:
    """A test of points: is entry ``k`` plainly wrong there?"""

    def test(points: Sequence[Point]) -> list[bool]:
        results = []
        for point, outcome in zip(points, problem.call(points), strict=True):
            values = problem.values(point)
            truth = problem.truth_at(values)
            answer = outcome.numbers
            if truth is None or answer is None or nearby(problem.switches, values) is not None:
                results.append(False)
                continue
            hand = problem.filled(answer)[k]
            if k in answer.unwritten and not problem.function.zeroed:
                hand = float("inf")
            results.append(
                bool(not np.isfinite(hand) or abs(mpmath.mpf(hand) - truth.values[k]) > CERTAIN * truth.bounds[k])
            )
        return results

    return test


def _short(value: float) -> str:
    """A number as a fraction of small integers where it is one, else with all its digits."""
    if not np.isfinite(value) or (value == 0 and math.copysign(1.0, value) < 0):
        return str(value)
    fraction = Fraction(value).limit_denominator(64)
    return str(fraction) if float(fraction) == value and abs(fraction.numerator) < 10**6 else repr(value)
