"""The verdict about a foreign function: evaluated at many points against the truth in fifty digits."""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from itertools import combinations, islice
from typing import Any

import mpmath
import numpy as np
import sympy as sp

from nsdgen.errors import ParameterError
from nsdgen.symbolic.expressions.conversion import as_expression, is_matrix
from nsdgen.verify.challenge.challenge_points import switches
from nsdgen.verify.limits import Exceeded, limited
from nsdgen.verify.shapes import build
from nsdgen.verify.verdict import Verdict

from .call import ForeignAnswer, differing
from .explain import verdict_of
from .hand_functions import ForeignFunction
from .literals import literals_of
from .problem import Findings, Problem, is_of_a_side, nearby, text_of
from .rounding import CERTAIN, FACTOR, BoundedTruth, is_smooth
from .sample_points import Point, holds, own_assumptions, sample
from .worker import Worker

POINTS = 120  # room for rest, small angles, single zeros and special values, and for as many random points
_BATCH = 20  # points of one call: between them the clock is looked at, and one batch is always compared
_VISITS = 4  # of a switch: each costs points on all its sides
_TWINS = 60  # points at -0.0
_FINITE = 1e10  # a side of a kink that is larger than this is a pole
_EXPLAINING = 10.0  # seconds beyond the budget for the simplest point and the slip
_SCREENING = 5.0  # seconds for a look at the first batch
_MOST_OPERATIONS = 400  # of entries that are also bounded in expanded form
_FAILURES = {"exception": "it raises ", "shape": "", "status": "it fails: "}
_FAILURES |= {"crash": "it crashes: ", "hang": "it does not return: "}


def decide_code(claim: Any, function: ForeignFunction, *, budget: float = 30.0, seed: int = 0) -> Verdict:
    """The verdict about ``claim``, one side of which is ``function`` and the other the truth.

    ``consistent`` when all points agree, ``refuted`` when an entry differs by more than rounding, or
    when the function crashes, hangs, raises, gives no number, leaves entries unwritten or writes
    out of bounds. Raises ``ParameterError`` for symbols that neither an argument nor a parameter
    gives, and for functions that cannot be opened.
    """
    start = time.monotonic()
    with _asked(claim, function, budget) as (problem, matched):
        found = Findings()
        with suppress(Exceeded), limited(budget):  # what was found until then counts
            _look_everywhere(problem, found, seed)
        with limited(_EXPLAINING):
            verdict = verdict_of(problem, found, claim.readings[0].statements[0].left is function)
    return verdict.but(
        id=claim.id,
        title=claim.title,
        source=claim.source,
        assumptions=tuple(a.text for a in claim.readings[0].assumptions),
        note="; ".join(filter(None, [claim.note, matched, verdict.note])),
        seconds=time.monotonic() - start,
    )


def differing_entries(claim: Any, function: ForeignFunction) -> float:
    """In how many entries code and truth differ at a few points; infinite where none could be compared.

    Enough to tell operators apart: different ones differ at nearly all points.
    """
    found = Findings()
    with _asked(claim, function, _SCREENING, guarded=False) as (problem, _):
        _look(problem, found, list(islice(_points(problem, 0), _BATCH)))
    return len(found.wrong) if found.compared else math.inf


@contextmanager
def _asked(claim: Any, function: ForeignFunction, budget: float, guarded: bool = True) -> Iterator[tuple[Problem, str]]:
    """What is asked, with a process for the code; and a note of what was matched by name."""
    reading = claim.readings[0]
    equal = reading.statements[0]
    known = (*function.symbols, *function.parameters)
    truth, matched = _matched(_matrix(equal.right if equal.left is function else equal.left), known, function, claim.id)
    entries = tuple(as_expression(e) for e in truth)
    call = function.call(truth.rows, truth.cols)
    call = call if guarded else replace(call, guards={})
    with closing(Worker(call, function.time_limit, budget)) as worker:
        yield (
            Problem(
                truth,
                entries,
                tuple(map(_rearranged, entries)),
                function,
                own_assumptions(reading.assumptions, function.symbols, function.parameters),
                tuple(switches(entries, poles=False)),
                worker,
                time.process_time() + budget,
            ),
            matched,
        )


def _points(problem: Problem, seed: int) -> Iterator[Point]:
    """Where the code is called, the points that tell most first."""
    function = problem.function
    groups = [s for _, s in function.inputs]
    known = {s: as_expression(v) for s, v in function.parameters.items()}
    kinks = [e for s in problem.switches if (e := s.xreplace(known)).free_symbols]
    return sample(function.symbols, groups, problem.assumed, POINTS, seed, literals_of(function), kinks)


def _look_everywhere(problem: Problem, found: Findings, seed: int) -> None:
    """All that is asked about a function."""
    drawn, points = _points(problem, seed), list[Point]()
    while problem.left() > 0 and (batch := list(islice(drawn, _BATCH))):
        _look(problem, found, batch)
        points += batch
    _look(problem, found, list(islice(_with_minus_zeros(points), _TWINS)))
    _look_again(problem, found)


def _matrix(side: Any) -> sp.Matrix:
    """The truth as an explicit matrix."""
    built = build(side)
    return sp.Matrix(built.as_explicit() if is_matrix(built) else [built])


def _matched(
    truth: sp.Matrix, known: Sequence[sp.Symbol], function: ForeignFunction, claim: str
) -> tuple[sp.Matrix, str]:
    """The truth in the symbols of the function, by name where only their assumptions differ, and a note of that.

    Raises ``ParameterError`` for symbols that the function does not get.
    """
    by_name: dict[str, list[sp.Symbol]] = {}
    for s in dict.fromkeys(known):
        by_name.setdefault(s.name, []).append(s)
    strange = sorted(truth.free_symbols - set(known), key=lambda s: s.name)
    change = {s: by_name[s.name][0] for s in strange if len(by_name.get(s.name, ())) == 1}
    if missing := [s.name for s in strange if s not in change]:
        raise ParameterError(
            f"the truth holds {', '.join(missing)}, which {function.label} does not get",
            where=f"claim {claim!r}",
            fix="give the symbol to an argument, or its value in parameters={symbol: value}",
        )
    note = f"matched by name, with other assumptions: {', '.join(s.name for s in change)}" if change else ""
    return truth.xreplace(change), note


def _rearranged(entry: sp.Expr) -> sp.Expr:
    """The entry multiplied out, where that is cheap: another arrangement rounds differently."""
    return sp.expand(entry) if entry.count_ops() < _MOST_OPERATIONS else entry


def _look(problem: Problem, found: Findings, points: Sequence[Point]) -> None:
    """Compare at points; those outside the domain, and those on a switch that was seen often, are only counted."""
    for start in range(0, len(points), _BATCH):
        if problem.left() <= 0:
            return
        kept = []
        for point in points[start : start + _BATCH]:
            values = problem.values(point)
            truth = problem.truth_at(values)
            switch = nearby(problem.switches, values)
            if truth is None:
                found.outside += 1
            elif found.visits[key := (switch, bool(_minus_zeros(point)))] < _VISITS:
                found.visits[key] += switch is not None
                kept.append((point, truth, switch))
        answers = problem.call([p for p, *_ in kept])
        for (point, truth, switch), answer in zip(kept, answers, strict=True):
            if switch is None:
                _compare(problem, found, point, truth, answer)
            else:
                _on_switch(problem, found, switch, point, truth, answer)
        well = [point for (point, *_), a in zip(kept, answers, strict=True) if a.kind == "value" and not a.changed]
        for guard in [g for g in problem.worker.call.guards if g not in found.failures]:
            if (k := problem.worker.first_fault(problem.given(well), guard)) is not None:
                found.fail(guard, None, well[k])


def _compare(problem: Problem, found: Findings, point: Point, truth: BoundedTruth, answer: ForeignAnswer) -> None:
    values = _values(problem, found, point, answer)
    if values is None:
        return
    beyond = 0
    for k, (hand, exact, bound) in enumerate(zip(values, truth.values, truth.bounds, strict=True)):
        if k in found.wrong or k in found.unwritten:
            continue
        ratio = float(abs(mpmath.mpf(hand) - exact) / bound) if np.isfinite(hand) else math.inf
        if ratio <= FACTOR:
            found.worst = max(found.worst, ratio)
        elif ratio > CERTAIN or _is_error(problem, k, point):
            if problem.exceeds_doubles(k, point):
                beyond += 1
                continue
            if not np.isfinite(hand):
                found.fail(f"it gives {hand} where the value is finite", k, point)
            _wrong(problem, found, k, point, hand)
    if beyond == len(values):
        found.outside += 1
        return
    found.compared += 1
    if not beyond:
        found.good.append((point, values))


def _wrong(problem: Problem, found: Findings, k: int, point: Point, hand: float) -> None:
    found.wrong[k] = point
    if _minus_zeros(point):
        found.fail(f"at -0.0 entry {problem.place(k)} gives {hand:.6g}", k, point)
        found.signed.add(k)


def _values(problem: Problem, found: Findings, point: Point, answer: ForeignAnswer) -> tuple[float, ...] | None:
    """The numbers of an answer; what is wrong with them as code is noted."""
    for name in answer.changed:
        found.fail(f"it writes to its input {name}", None, point)
    if answer.kind != "value":
        if answer.kind != "skipped":
            found.fail(_FAILURES[answer.kind] + answer.message, None, point)
        return None
    if answer.unstable:
        found.unstable.update(answer.unstable)
        found.unwritten -= found.unstable
        found.fail(
            "it reads its output before writing it, or gives two results for one input", answer.unstable[0], point
        )
    for k in answer.unwritten:
        found.wrong.setdefault(k, point)
        if k not in found.unstable:
            found.unwritten.add(k)
    return answer.values


def _is_error(problem: Problem, k: int, point: Point) -> bool:
    """Whether a small difference is one of the formula: it is then smooth in the inputs, rounding is not."""
    differences = []
    moved = [{s: v * (1 + n * 2.0**-42) for s, v in point.items()} for n in range(-4, 5)]
    for near, answer in zip(moved, problem.call(moved), strict=True):
        truth = problem.truth_at(problem.values(near))
        if truth is None or answer.kind != "value":
            return False
        differences.append(mpmath.mpf(answer.values[k]) - truth.values[k])
    return is_smooth(differences)


def _on_switch(
    problem: Problem, found: Findings, switch: sp.Expr, on: Point, here: BoundedTruth, answer: ForeignAnswer
) -> None:
    """The value on a switch must be that of one of its sides; beside it, ordinary comparison."""
    values = _values(problem, found, on, answer)
    moved = [s for s in on if s in switch.free_symbols]
    steps = [d * max(abs(on[moved[0]]), 1.0) for d in (-1e-6, 1e-6, -1e-3, 1e-3)] if moved else []
    beside = [{**on, moved[0]: on[moved[0]] + d} for d in steps]
    _look(problem, found, [p for p in beside if holds(p, problem.assumed)])
    if values is None:
        return
    sides, odd = problem.sides(on, moved[:1]), []
    for k, hand in enumerate(values):
        if k in found.wrong or is_of_a_side(hand, k, sides, here):
            continue
        known = dict.fromkeys(mpmath.nstr(t.values[k], 6) if t else "undefined" for t in sides)
        odd.append(f"entry {problem.place(k)} gives {hand:.6g}, the sides are {' and '.join(known)}")
        if all(t is not None and abs(t.values[k]) < _FINITE for t in sides):
            where = "at -0.0" if _minus_zeros(on) else f"on the kink {text_of(switch)}"
            found.fail(f"{where} {odd[-1]}", k, on)
    jump = any(
        abs(x - y) > 1e-9 * (abs(x) + abs(y))
        for a, b in combinations(filter(None, sides), 2)
        for x, y in zip(a.values, b.values, strict=True)
    )
    text = text_of(switch)
    if odd:
        found.kinks[text] = f"kink at {text}: {'; '.join(odd[:3])}"
    else:
        found.kinks.setdefault(text, f"kink at {text}: {'a jump, ' if jump else ''}the value on it is that of a side")


def _minus_zeros(point: Point) -> list[sp.Symbol]:
    return [s for s, v in point.items() if v == 0.0 and math.copysign(1.0, v) < 0]


def _with_minus_zeros(points: Sequence[Point]) -> Iterator[Point]:
    """Points with zeros again, one of them or all at -0.0: that is zero, whatever ``atan2`` or ``1 / x`` make of it.

    Counts and magnitudes keep their 0.
    """
    for point in points:
        zeros = [s for s, v in point.items() if v == 0.0 and not s.is_nonnegative and not s.is_integer]
        for chosen in [zeros] if len(zeros) < 2 else [zeros, *([s] for s in zeros)]:
            if chosen:
                yield {**point, **dict.fromkeys(chosen, -0.0)}


def _look_again(problem: Problem, found: Findings) -> None:
    """The same points in another order, and twice: code without memory gives the same bits."""
    points = found.good[::5][:12]
    again = [points[-1], *reversed(points), *points[:1]] if points else []
    for (point, values), answer in zip(again, problem.call([p for p, _ in again]), strict=True):
        if answer.kind == "value" and (different := differing(values, answer.values)):
            found.unstable.update(different)
            said = "it gives another value when it is called again at the same point: it keeps a state"
            found.fail(said, different[0], point)
            return
