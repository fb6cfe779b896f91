"""The verdict that findings about code amount to: entries, the simplest failing point, the guessed slip."""

import math
from collections.abc import Sequence
from fractions import Fraction

import mpmath
import numpy as np
import sympy as sp

from nsdgen.verify.verdict import Counterexample, Verdict, VerdictEntry

from .call import ForeignAnswer
from .problem import Findings, Problem, nearby
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
        reasons.append(f"it never writes {', '.join(str(problem.place(k)) for k in sorted(found.unwritten))}")
    wrong = sorted(found.wrong)
    if wrong:
        first, point = wrong[0], _simplified(problem, wrong[0], found.wrong[wrong[0]])
    else:
        first = next((entry for entry, _ in found.failures.values() if entry is not None), 0)
        point = next(iter(found.failures.values()))[1]
    problem.worker.forgive()
    answer = problem.call([point])[0]
    return base.but(
        verdict="refuted",
        reason="; ".join(reasons),
        counterexample=_counterexample(problem, hand_left, point, first, answer),
        entries=_entries(problem, found, hand_left, answer),
        correction="; ".join(f"{problem.place(k)} = {problem.truth[k]}" for k in wrong),
        slip=_slip(problem, found, wrong),
    )


def _entries(problem: Problem, found: Findings, hand_left: bool, answer: ForeignAnswer) -> tuple[VerdictEntry, ...]:
    """All entries; a wrong one with the value that the code gives at the counterexample."""
    entries = []
    for k, truth in enumerate(problem.entries):
        wrong = k in found.wrong
        hand = "agrees"
        if wrong:
            hand = "not written" if k in found.unwritten else _short(answer.values[k]) if answer.values else "differs"
        left, right = (hand, str(truth)) if hand_left else (str(truth), hand)
        entries.append(
            VerdictEntry(1, *problem.place(k), left, right, str(truth), "refuted" if wrong else "consistent")
        )
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
    try:
        return guess_slip(
            problem.truth, np.array([v for _, v in usable]), [v for v, _ in usable], wrong, found.unwritten
        )
    except (TypeError, ValueError, ZeroDivisionError, np.linalg.LinAlgError):
        return ""  # a guess is a courtesy: what has no values leaves it out


def _counterexample(problem: Problem, hand_left: bool, point: Point, k: int, answer: ForeignAnswer) -> Counterexample:
    """What code and truth are in an entry at a point."""
    values = problem.values(point)
    truth = problem.truth_at(values)
    if answer.kind != "value":
        given = answer.message
    elif k in answer.unwritten:
        given = "not written"
    else:
        given = _short(answer.values[k])
    right = "undefined"
    if truth is not None:
        exact = truth.values[k]
        right = _short(float(exact)) if mpmath.mpf(float(exact)) == exact else mpmath.nstr(exact, 17)
    row, column = problem.place(k)
    used = problem.truth.free_symbols
    text = tuple(
        (s.name, _short(v)) for s, v in values.items() if s in used or (s in point and (v or math.copysign(1.0, v) < 0))
    )
    return Counterexample(text, *((given, right) if hand_left else (right, given)), row=row, column=column, statement=1)


def _simplified(problem: Problem, k: int, point: Point) -> Point:
    """The point with one symbol after the other replaced by the simplest number that still fails."""
    best = dict(point)
    idle = [s for s in best if s not in problem.truth.free_symbols]
    without = {**best, **{s: simple_values(s)[0] for s in idle}}
    if idle and holds(without, problem.assumed) and _first_wrong(problem, k, [without]):
        best = without
    for start in (0.0, 1.0):
        candidate = {s: start if start in simple_values(s) else simple_values(s)[0] for s in point}
        if holds(candidate, problem.assumed, 0.0) and _first_wrong(problem, k, [candidate]):
            best = candidate
            break
    for symbol in best:
        if problem.left() < -_EXPLAINING:
            break
        if best[symbol] not in simple_values(symbol)[:1]:
            options = [{**best, symbol: v} for v in simple_values(symbol)]
            best = _first_wrong(problem, k, [o for o in options if holds(o, problem.assumed, 0.0)]) or best
    return best


def _first_wrong(problem: Problem, k: int, points: Sequence[dict[sp.Symbol, float]]) -> dict[sp.Symbol, float] | None:
    """The first of these points at which an entry is plainly wrong."""
    for point, answer in zip(points, problem.call(points), strict=True):
        values = problem.values(point)
        truth = problem.truth_at(values)
        if truth is None or answer.kind != "value" or nearby(problem.switches, values) is not None:
            continue
        hand = math.inf if k in answer.unwritten else answer.values[k]
        if not math.isfinite(hand) or abs(mpmath.mpf(hand) - truth.values[k]) > CERTAIN * truth.bounds[k]:
            return point
    return None


def _short(value: float) -> str:
    """A number as a fraction of small integers where it is one, else with all its digits."""
    if not np.isfinite(value) or (value == 0 and math.copysign(1.0, value) < 0):
        return str(value)
    fraction = Fraction(value).limit_denominator(64)
    return str(fraction) if float(fraction) == value and abs(fraction.numerator) < 10**6 else repr(value)
