"""The verdict about a foreign function: evaluated at many points against the truth in fifty digits."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import sympy as sp

from nsdgen.errors import ParameterError
from nsdgen.verify.verdict import Counterexample, Entry, Verdict

from .call import Answer
from .compare import CERTAIN, DIGITS, FACTOR, Truth, is_smooth, truth_at
from .functions import ForeignFunction
from .kinks import Switch, nearby, onto_switch, switches
from .points import AssumptionSet, Point, holds, sample, simple_values
from .process import Outcome, Worker
from .slip import guess_slip

__all__ = ["POINTS", "decide_code"]

POINTS = 120
_BATCH = 20
_FIT_POINTS = 24
_MOST_OPERATIONS = 400  # of entries that are also bounded in expanded form


@dataclass(frozen=True)
class _Problem:
    """A truth matrix and the function that claims to compute it."""

    truth: sp.Matrix
    entries: tuple[sp.Expr, ...]
    others: tuple[sp.Expr, ...]
    function: ForeignFunction
    assumed: AssumptionSet
    switches: tuple[Switch, ...]
    worker: Worker

    @property
    def parameters(self) -> Mapping[sp.Symbol, float]:
        return self.function.parameters

    def values(self, point: Point) -> dict[sp.Symbol, float]:
        return {**self.parameters, **point}

    def truth_at(self, values: Mapping[sp.Symbol, Any]) -> Truth | None:
        return truth_at(self.entries, self.others, values)

    def place(self, number: int) -> tuple[int, int]:
        return divmod(number, self.truth.cols)

    def call(self, points: Sequence[Point]) -> list[Outcome]:
        inputs = self.function.inputs
        return self.worker.evaluate([[[point[s] for s in symbols] for _, symbols in inputs] for point in points])


@dataclass
class _Findings:
    """What the points showed: failures of the code, wrong entries, kinks."""

    failures: dict[str, tuple[int | None, Point]] = field(default_factory=dict)
    wrong: dict[int, Point] = field(default_factory=dict)
    unwritten: set[int] = field(default_factory=set)
    unstable: set[int] = field(default_factory=set)
    kinks: dict[str, str] = field(default_factory=dict)
    good: list[tuple[Point, tuple[float, ...]]] = field(default_factory=list)
    compared: int = 0
    outside: int = 0
    worst: float = 0.0

    def fail(self, text: str, entry: int | None, point: Point) -> None:
        self.failures.setdefault(text, (entry, point))


def decide_code(claim: Any, function: ForeignFunction, *, budget: float = 30.0, seed: int = 0) -> Verdict:
    """The verdict about ``claim``, one side of which is ``function`` and the other the truth.

    ``consistent`` when all points agree, ``refuted`` when an entry differs by more than rounding, or
    when the function crashes, hangs, raises, gives no number, leaves entries unwritten or writes
    out of bounds. Raises ``ParameterError`` for symbols that neither an argument nor a parameter
    gives, and for functions that cannot be opened.
    """
    start = time.monotonic()
    equal = claim.readings[0].statements[0]
    hand_left = equal.left is function
    truth = _matrix(equal.right if hand_left else equal.left, function, claim.id)
    symbols = function.symbols
    assumptions = claim.readings[0].assumptions
    assumed = AssumptionSet.of(assumptions, symbols)
    entries = tuple(sp.sympify(e) for e in truth)
    with Worker(function.call(truth.rows, truth.cols), function.time_limit) as worker:
        problem = _Problem(truth, entries, tuple(map(_rearranged, entries)), function, assumed, switches(entries),
                           worker)
        found = _Findings()
        deadline = start + budget
        _look(problem, found, list(sample(symbols, [s for _, s in function.inputs], assumed, POINTS, seed)), deadline)
        _look_at_kinks(problem, found, seed, deadline)
        verdict = _verdict(problem, found, hand_left, deadline)
    return verdict.but(id=claim.id, title=claim.title, source=claim.source,
                       assumptions=tuple(a.text for a in assumptions),
                       note="; ".join(filter(None, [claim.note, verdict.note])), seconds=time.monotonic() - start)


def _matrix(side: Any, function: ForeignFunction, claim: str) -> sp.Matrix:
    """The truth as a matrix whose symbols the function explains."""
    side = side() if callable(side) and not isinstance(side, sp.Basic) else side
    if isinstance(side, sp.MatrixExpr):
        side = side.as_explicit()
    made = sp.Matrix(side) if isinstance(side, sp.MatrixBase | list | tuple) else sp.Matrix([side])
    known = {*function.symbols, *function.parameters}
    if strangers := sorted(s.name for s in made.free_symbols - known):
        raise ParameterError(f"the truth holds {', '.join(strangers)}, which {function.label} does not get",
                             where=f"claim {claim!r}",
                             fix="give the symbol to an argument, or its value in parameters={symbol: value}")
    return made


def _rearranged(entry: sp.Expr) -> sp.Expr:
    """The entry multiplied out, where that is cheap: another arrangement rounds differently."""
    return sp.expand(entry) if entry.count_ops() < _MOST_OPERATIONS else entry


def _look(problem: _Problem, found: _Findings, points: Sequence[Point], deadline: float) -> None:
    """Compare at regular points; those on a switch, or outside the domain, are only counted."""
    for start in range(0, len(points), _BATCH):
        if time.monotonic() > deadline and found.compared >= _BATCH:
            return
        kept = []
        for point in points[start:start + _BATCH]:
            values = problem.values(point)
            truth = problem.truth_at(values)
            if truth is None:
                found.outside += 1
            elif nearby(problem.switches, values) is None:
                kept.append((point, truth))
        for (point, truth), outcome in zip(kept, problem.call([p for p, _ in kept]), strict=True):
            _compare(problem, found, point, truth, outcome)


def _compare(problem: _Problem, found: _Findings, point: Point, truth: Truth, outcome: Outcome) -> None:
    values = _values(problem, found, point, outcome)
    if values is None:
        return
    found.compared += 1
    for k, (hand, exact, bound) in enumerate(zip(values, truth.values, truth.bounds, strict=True)):
        if k in found.wrong or k in found.unwritten:
            continue
        if not np.isfinite(hand):
            found.fail(f"it gives {hand} where the value is finite", k, point)
            found.wrong[k] = point
            continue
        ratio = float(abs(mpmath.mpf(hand) - exact) / bound)
        if ratio > FACTOR and (ratio > CERTAIN or _is_error(problem, k, point)):
            found.wrong[k] = point
        elif ratio <= FACTOR:
            found.worst = max(found.worst, ratio)
    found.good.append((point, values))


def _values(problem: _Problem, found: _Findings, point: Point, outcome: Outcome) -> tuple[float, ...] | None:
    """The numbers of an outcome; what is wrong with them as code is noted."""
    if outcome.answer is None:
        if outcome.kind != "skipped":
            found.fail(f"it {'crashes' if outcome.kind == 'crash' else 'does not return'}: {outcome.message}",
                       None, point)
        return None
    answer: Answer = outcome.answer
    for name in answer.changed:
        found.fail(f"it writes to its input {name}", None, point)
    if any(answer.overrun):
        before, after = answer.overrun
        parts = [f"{n} words {where} its output" for n, where in ((before, "before"), (after, "after")) if n]
        found.fail(f"it writes out of bounds, {' and '.join(parts)}", None, point)
    if answer.kind != "value":
        found.fail({"exception": "it raises ", "shape": "", "status": "it fails: "}[answer.kind] + answer.message,
                   None, point)
        return None
    if answer.unstable:
        found.unstable.update(answer.unstable)
        found.unwritten -= found.unstable
        found.fail("it reads its output before writing it, or gives two results for one input",
                   answer.unstable[0], point)
    values = list(answer.values)
    for k in answer.unwritten:
        values[k] = 0.0
        if not problem.function.zeroed:
            found.wrong.setdefault(k, point)
            if k not in found.unstable:
                found.unwritten.add(k)
    return tuple(values)


def _is_error(problem: _Problem, k: int, point: Point) -> bool:
    """Whether a small difference is one of the formula: it is then smooth in the inputs, rounding is not."""
    differences = []
    moved = [{s: v * (1 + n * 2.0**-42) for s, v in point.items()} for n in range(-4, 5)]
    for near, outcome in zip(moved, problem.call(moved), strict=True):
        truth = problem.truth_at(problem.values(near))
        if truth is None or outcome.answer is None or outcome.answer.kind != "value":
            return False
        differences.append(mpmath.mpf(outcome.answer.values[k]) - truth.values[k])
    return is_smooth(differences)


def _look_at_kinks(problem: _Problem, found: _Findings, seed: int, deadline: float) -> None:
    """At every switch: the value on it must be one of the two sides; beside it, ordinary comparison."""
    symbols = problem.function.symbols
    origin = list(sample(symbols, [], problem.assumed, 4, seed + 1))
    for switch in problem.switches:
        for start in origin:
            if time.monotonic() > deadline:
                return
            placed = onto_switch(switch, problem.values(start), symbols)
            if placed is None or not holds({s: placed[0][s] for s in symbols}, problem.assumed, 1e-9):
                continue
            on = {s: placed[0][s] for s in symbols}
            moved = placed[1]
            size = max(abs(on[moved]), 1.0)
            _look(problem, found, [{**on, moved: on[moved] + d * size} for d in (-1e-6, 1e-6, -1e-3, 1e-3)], deadline)
            _on_switch(problem, found, switch, on, moved)


def _on_switch(problem: _Problem, found: _Findings, switch: Switch, on: Point, moved: sp.Symbol) -> None:
    with mpmath.workdps(DIGITS):
        sides = []
        for step in (-mpmath.mpf(10) ** -30, mpmath.mpf(10) ** -30):
            sides.append(problem.truth_at({**problem.values(on), moved: mpmath.mpf(on[moved]) + step}))
        here = problem.truth_at(problem.values(on))
    outcome = problem.call([on])[0]
    if outcome.answer is None or outcome.answer.kind != "value":
        _values(problem, found, on, outcome)
        return
    odd = []
    for k, hand in enumerate(_filled(problem, outcome.answer)):
        if k in found.wrong:
            continue
        known = [t for t in (*sides, here) if t is not None]
        if known and not any(np.isfinite(hand) and abs(mpmath.mpf(hand) - t.values[k]) <= 1e3 * t.bounds[k]
                             + 1e-9 * abs(t.values[k]) for t in known):
            i, j = problem.place(k)
            left, right = (mpmath.nstr(t.values[k], 6) if t else "undefined" for t in sides)
            odd.append(f"entry ({i + 1}, {j + 1}) gives {hand:.6g}, the sides are {left} and {right}")
    jump = any(a is not None and b is not None and abs(x - y) > 1e-9 * (abs(x) + abs(y))
               for a, b in [sides] for x, y in zip(a.values if a else (), b.values if b else (), strict=False))
    if odd:
        found.kinks[switch.text] = f"kink at {switch.text}: {'; '.join(odd[:3])}"
    else:
        found.kinks.setdefault(switch.text, f"kink at {switch.text}: {'a jump, ' if jump else ''}"
                                            "the value on it is that of a side")


def _verdict(problem: _Problem, found: _Findings, hand_left: bool, deadline: float) -> Verdict:
    kinks = "; ".join(found.kinks.values())
    method = (f"double precision at {found.compared} points against {DIGITS} digits, "
              "with a running error bound for every entry")
    if not found.failures and not found.wrong:
        if not found.compared:
            return Verdict("", "undecided", method=method, note=kinks,
                           reason="the truth has no finite value at any point that was tried")
        outside = f", {found.outside} points outside the domain left out" if found.outside else ""
        return Verdict("", "consistent", method=method, note=kinks,
                       confidence=f"{found.compared} points, largest difference {found.worst:.2g} error bounds"
                                  f"{outside}")
    problem.worker.forgive()
    reasons = list(found.failures)
    if found.unwritten:
        names = ", ".join("({}, {})".format(*(x + 1 for x in problem.place(k))) for k in sorted(found.unwritten))
        reasons.append(f"it never writes {names}")
    point = _failing_point(problem, found, deadline)
    wrong = sorted(found.wrong)
    return Verdict(
        "", "refuted", method=method, reason="; ".join(reasons), note=kinks,
        counterexample=_counterexample(problem, found, hand_left, point),
        entries=_entries(problem, found, hand_left, point if found.wrong else None),
        correction="; ".join(f"({i + 1}, {j + 1}) = {problem.truth[i, j]}" for i, j in map(problem.place, wrong)),
        slip=_slip(problem, found, wrong),
        mend=_mend(problem, wrong))


def _mend(problem: _Problem, wrong: Sequence[int]) -> str:
    if not wrong:
        return ""
    i, j = problem.place(wrong[0])
    more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return f"write entry ({i + 1}, {j + 1}) as {problem.truth[i, j]}{more}"


def _entries(problem: _Problem, found: _Findings, hand_left: bool, point: Point | None) -> tuple[Entry, ...]:
    """All entries; a wrong one with the value that the code gives at the counterexample."""
    outcome = problem.call([point])[0] if point is not None else None
    given = _filled(problem, outcome.answer) if outcome is not None and outcome.answer is not None else ()
    entries = []
    for k, truth in enumerate(problem.entries):
        i, j = problem.place(k)
        wrong = k in found.wrong
        hand = "agrees"
        if wrong:
            hand = "not written" if k in found.unwritten else _short(given[k]) if given else "differs"
        left, right = (hand, str(truth)) if hand_left else (str(truth), hand)
        entries.append(Entry(1, i + 1, j + 1, left, right, str(truth), "refuted" if wrong else "consistent"))
    return tuple(entries)


def _slip(problem: _Problem, found: _Findings, wrong: Sequence[int]) -> str:
    """The guess, from points of moderate size where all values are finite."""
    usable = [(problem.values(p), v) for p, v in found.good
              if all(np.isfinite(v)) and max(map(abs, p.values()), default=0.0) <= 10.0
              and min(map(abs, p.values()), default=1.0) > 1e-4][:_FIT_POINTS]
    if len(usable) < 3 or not wrong:
        return ""
    hand = np.array([v for _, v in usable]).reshape(len(usable), problem.truth.rows, problem.truth.cols)
    groups = [s for _, s in problem.function.inputs] + [tuple(problem.parameters)]
    try:
        return guess_slip(problem.truth, hand, [v for v, _ in usable], [problem.place(k) for k in wrong], groups,
                          problem.parameters, [problem.place(k) for k in sorted(found.unwritten)])
    except (TypeError, NameError, ZeroDivisionError, np.linalg.LinAlgError):
        return ""  # a guess is a courtesy: functions that NumPy does not have leave it out


def _first_entry(found: _Findings) -> int:
    """The entry that the counterexample is about."""
    if found.wrong:
        return min(found.wrong)
    return next((entry for entry, _ in found.failures.values() if entry is not None), 0)


def _failing_point(problem: _Problem, found: _Findings, deadline: float) -> Point:
    """The simplest point found at which the first wrong entry, or the first failure, shows."""
    if not found.wrong:
        return next(iter(found.failures.values()))[1]
    k = _first_entry(found)
    return _simplified(problem, k, found.wrong[k], deadline)


def _filled(problem: _Problem, answer: Answer) -> tuple[float, ...]:
    """The values of an answer, entries that were not written as the caller left them."""
    if not problem.function.zeroed:
        return answer.values
    return tuple(0.0 if k in answer.unwritten else value for k, value in enumerate(answer.values))


def _counterexample(problem: _Problem, found: _Findings, hand_left: bool, point: Point) -> Counterexample:
    k = _first_entry(found)
    values = problem.values(point)
    problem.worker.forgive()
    truth, outcome = problem.truth_at(values), problem.call([point])[0]
    if outcome.answer is None or outcome.answer.kind != "value":
        given = outcome.answer.message if outcome.answer is not None else outcome.message
    elif k in outcome.answer.unwritten and not problem.function.zeroed:
        given = "not written"
    else:
        given = _short(_filled(problem, outcome.answer)[k])
    right = "undefined"
    if truth is not None:
        exact = truth.values[k]
        right = _short(float(exact)) if mpmath.mpf(float(exact)) == exact else mpmath.nstr(exact, 17)
    i, j = problem.place(k)
    used = problem.truth.free_symbols
    text = tuple((s.name, _short(v)) for s, v in values.items() if s in used or (v and s in point))
    return Counterexample(text, *((given, right) if hand_left else (right, given)), row=i + 1, column=j + 1,
                          statement=1)


def _simplified(problem: _Problem, k: int, point: Point, deadline: float) -> Point:
    """The point with one symbol after the other replaced by the simplest number that still fails."""
    shows = _shows_wrong(problem, k)
    best = dict(point)
    idle = [s for s in best if s not in problem.truth.free_symbols]
    without = {**best, **{s: simple_values(s)[0] for s in idle}}
    if idle and holds(without, problem.assumed, 1e-9) and any(shows([without])):
        best = without
    for start in (dict.fromkeys(point, 0.0), dict.fromkeys(point, 1.0)):
        candidate = {s: v if v in simple_values(s) else simple_values(s)[0] for s, v in start.items()}
        if holds(candidate, problem.assumed) and any(shows([candidate])):
            best = candidate
            break
    for symbol in best:
        if time.monotonic() > deadline + 5.0:
            break
        options = [{**best, symbol: v} for v in simple_values(symbol)]
        allowed = [o for o in options if not problem.assumed.equations or holds(o, problem.assumed)]
        if best[symbol] in simple_values(symbol)[:1]:
            continue
        verdicts = shows(allowed)
        best = next((o for o, bad in zip(allowed, verdicts, strict=True) if bad), best)
    return best


def _shows_wrong(problem: _Problem, k: int) -> Callable[[Sequence[Point]], list[bool]]:
    """A test of points: is entry ``k`` plainly wrong there?"""

    def test(points: Sequence[Point]) -> list[bool]:
        results = []
        for point, outcome in zip(points, problem.call(points), strict=True):
            values = problem.values(point)
            truth = problem.truth_at(values)
            plain = (truth is not None and outcome.answer is not None and outcome.answer.kind == "value"
                     and nearby(problem.switches, values) is None)
            if not plain or truth is None or outcome.answer is None:
                results.append(False)
                continue
            hand = _filled(problem, outcome.answer)[k]
            if k in outcome.answer.unwritten and not problem.function.zeroed:
                hand = float("inf")
            results.append(bool(not np.isfinite(hand) or abs(mpmath.mpf(hand) - truth.values[k])
                                > CERTAIN * truth.bounds[k]))
        return results

    return test


def _short(value: float) -> str:
    """A number as a fraction of small integers where it is one, else with all its digits."""
    if not np.isfinite(value):
        return str(value)
    fraction = Fraction(value).limit_denominator(64)
    return str(fraction) if float(fraction) == value and abs(fraction.numerator) < 10**6 else repr(value)
