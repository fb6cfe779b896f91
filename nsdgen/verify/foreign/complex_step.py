"""A hand Jacobian against the function it belongs to, where that function is code as well.

The reference is the complex step, Im f(x + i h) / h with h = 1e-30, which cancels nothing (Squire and Trapp, SIAM
Review 40, 1998), where the function takes complex numbers and the step agrees with a central difference: ``abs``
and comparisons lose the imaginary part without a word. Elsewhere it is the central difference, with an error
estimate from two steps and from second differences, which fall with the square of the step where no kink lies between
the ends. Where they do not, nothing is known and nothing is asked. Neither is a proof, so the verdict is
``consistent`` at best.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from nsdgen.errors import ParameterError
from nsdgen.verify.verdict import Counterexample, Verdict, VerdictEntry

from .call import ForkedCall
from .process import CallOutcome, Worker
from .sample_points import sample

_STEP = 1e-30  # its square is no part of any double: nothing cancels and nothing is truncated
_CLOSE = 1e-10  # of a derivative: a right one may have lost a few digits to rounding, a wrong formula is rarely so near
_UNSEEN = 2e-6  # of a derivative: a complex step this far off passes for right beside differences
_UNDERFLOW = 1e-290  # a smaller derivative times the step is no double
_ROUNDING = 1e-14  # some fifty roundings of a double: what an arrangement of a row's operations may cost
_NUDGE = 1e-7  # near the root of the rounding: differences keep half their digits, and conditioning needs one
_LOST = 1e-10  # of a value: its rounding divided by the shorter step, with room for some fifty roundings
_POINTS = 90  # up to 70 of them small, large, special or uneven, the others generic


@dataclass(frozen=True)
class _Reference:
    """d f / d argument ``wrt``, and below it an estimate of its error: 2 m x n numbers for a worker.

    The function may take arrays only, or floats where an argument has one entry.
    """

    function: Callable[..., Any]
    wrt: int

    def __call__(self, *arguments: Any) -> Any:
        arrays = [np.atleast_1d(np.asarray(a, dtype=float)) for a in arguments]
        middle = self._value(arrays, arguments)
        (coarse, bent), (fine, less) = (self._differences(arrays, arguments, middle, h) for h in (2e-4, 1e-4))
        richardson = (4 * fine - coarse) / 3
        error = np.abs(richardson - fine) + 1e-9 * (1 + np.abs(richardson))
        if not np.all(np.abs(bent - 2 * less) <= error / 10 + _LOST * np.abs(middle)[:, None]):
            return np.full((2 * len(fine), fine.shape[1]), np.nan)  # a kink or a pole is near
        exact = self._complex_step(arrays, arguments)
        if exact is not None and np.all(np.abs(exact - richardson) <= 10 * error + 1e-6 * np.abs(richardson)):
            return np.vstack([exact, np.zeros_like(exact)])
        return np.vstack([richardson, error])

    def _value(self, arrays: Sequence[Any], like: Sequence[Any]) -> Any:
        given = [a[0] if np.ndim(l) == 0 else a for a, l in zip(arrays, like, strict=True)]
        return np.atleast_1d(np.asarray(self.function(*given))).ravel()

    def _moved(self, arrays: Sequence[Any], j: int, by: complex) -> list[Any]:
        moved = [
            a.astype(complex) if isinstance(by, complex) and k == self.wrt else a.copy() for k, a in enumerate(arrays)
        ]
        moved[self.wrt][j] += by
        return moved

    def _differences(self, arrays: Sequence[Any], like: Sequence[Any], middle: Any, h: float) -> tuple[Any, Any]:
        """Central differences, and how much forward ones differ from backward ones: in proportion to a small step."""
        slopes, bends = [], []
        for j, x in enumerate(arrays[self.wrt]):
            step = h * max(1.0, abs(x))
            after, before = (self._value(self._moved(arrays, j, s), like) for s in (step, -step))
            slopes.append((after - before) / (2 * step))
            bends.append((after - 2 * middle + before) / step)
        return np.column_stack(slopes), np.column_stack(bends)

    def _complex_step(self, arrays: Sequence[Any], like: Sequence[Any]) -> Any:
        try:
            values = [self._value(self._moved(arrays, j, 1j * _STEP), like) for j in range(len(arrays[self.wrt]))]
        except Exception:  # whatever it says to complex numbers: it does not take them
            return None
        return np.column_stack([np.imag(v) / _STEP for v in values]) if all(map(np.iscomplexobj, values)) else None


def check_against_function(
    hand: Callable[..., Any],
    function: Callable[..., Any],
    *,
    wrt: int,
    sizes: Sequence[int],
    id: str = "jacobian",
    budget: float = 30.0,
    seed: int = 0,
    time_limit: float = 5.0,
) -> Verdict:
    """The verdict about ``hand`` as the derivative of ``function`` by its argument number ``wrt`` (from 0).

    ``budget`` is in seconds of processor time, waiting for the two functions included. ``sizes`` gives
    the length of every argument; an argument of length 0 is passed as a float. Both run in processes of their
    own. Raises ``ParameterError`` when ``function`` itself fails everywhere.
    """
    start, began = time.monotonic(), time.process_time()
    scalars = tuple(n == 0 for n in sizes)
    lengths = [max(n, 1) for n in sizes]
    points = _points(lengths, seed)
    rows = _rows(function, points[0], scalars, time_limit)
    cols = lengths[wrt]
    with (
        Worker(ForkedCall(_Reference(function, wrt), 2 * rows, cols, scalars), time_limit) as truth,
        Worker(ForkedCall(hand, rows, cols, scalars), time_limit) as code,
    ):
        reasons: dict[str, None] = {}
        compared: list[tuple[Any, Any, Any, Any]] = []
        for point in points:
            if time.process_time() - began + truth.waited + code.waited > budget:
                break
            reference, given = truth.evaluate([point])[0], code.evaluate([point])[0]
            if _trouble(reference) or reference.answer is None:  # where the function fails, its derivative may as well
                continue
            if trouble := _trouble(given):
                reasons.setdefault(trouble)
            if trouble or given.answer is None:
                continue
            both = np.array(reference.answer.values).reshape(2 * rows, cols)
            value = np.array(given.answer.values).reshape(rows, cols)
            compared.append((point, value, both, _conditioning(truth, point, both, rows, cols)))
    # A function that loses the imaginary part somewhere may lose a little of it elsewhere, unseen by differences:
    # then no complex step is trusted for more than differences show.
    trusted = not any(both[rows:].any() for _, _, both, _ in compared)
    exact, doubt = (len(compared), 0.0) if trusted else (0, _UNSEEN)
    wrong: dict[tuple[int, int], tuple[Any, float, float]] = {}
    for point, value, both, conditioning in compared:
        right, error = both[:rows], both[rows:]
        limit = (
            10 * error
            + _UNDERFLOW
            + doubt * (1 + np.abs(right))
            + _CLOSE * (np.abs(right) + np.abs(value))
            + _ROUNDING * np.maximum(np.abs(right).max(axis=1, keepdims=True, initial=0.0), conditioning)
        )
        for i, j in np.argwhere(~(np.abs(value - right) <= limit)):
            wrong.setdefault((int(i), int(j)), (point, float(right[i, j]), float(value[i, j])))
    if not compared and not reasons:
        raise ParameterError(
            "the function has no finite derivative at any point that was tried",
            where="of",
            fix="check the sizes of its arguments",
        )
    return _verdict(id, wrong, list(reasons), len(compared), exact, time.monotonic() - start)


def _points(lengths: Sequence[int], seed: int) -> list[list[list[float]]]:
    """Points of the one source, by arguments."""
    groups = [[sp.Symbol(f"a{k}_{n}", real=True) for n in range(length)] for k, length in enumerate(lengths)]
    drawn = sample([s for group in groups for s in group], groups, (), _POINTS, seed)
    return [[[point[s] for s in group] for group in groups] for point in drawn]


def _conditioning(truth: Worker, point: Sequence[Sequence[float]], both: Any, rows: int, cols: int) -> Any:
    """How much each entry changes, relative to what its inputs do: what rounding is multiplied by."""
    moved = [[x * (1 + _NUDGE) for x in a] for a in point]
    outcome = truth.evaluate([moved])[0]
    if _trouble(outcome) or outcome.answer is None:
        return np.zeros((rows, cols))
    there = np.array(outcome.answer.values).reshape(2 * rows, cols)
    return np.abs(there - both)[:rows] / _NUDGE


def _verdict(
    id: str,
    wrong: dict[tuple[int, int], tuple[Any, float, float]],
    reasons: Sequence[str],
    compared: int,
    exact: int,
    seconds: float,
) -> Verdict:
    method = f"complex step at {exact} and central difference at {compared - exact} of {compared} points"
    if not wrong and not reasons:
        known = "" if exact == compared else f"; differences show what is off by {_UNSEEN:g} (1 + |entry|)"
        return Verdict(id, "consistent", method, confidence=f"{compared} points{known}", seconds=seconds)
    entries = tuple(
        VerdictEntry(1, i + 1, j + 1, f"{right:.15g}", f"{value:.15g}", f"{right:.15g}", "refuted")
        for (i, j), (_, right, value) in sorted(wrong.items())
    )
    example = None
    if wrong:
        (i, j), (point, right, value) = min(wrong.items())
        named = tuple((f"argument {k + 1}[{n}]", repr(x)) for k, a in enumerate(point) for n, x in enumerate(a))
        example = Counterexample(named, f"{right:.15g}", f"{value:.15g}", i + 1, j + 1, 1)
    return Verdict(
        id, "refuted", method, reason="; ".join(reasons), entries=entries, counterexample=example, seconds=seconds
    )


def _rows(function: Callable[..., Any], point: Sequence[Any], scalars: Sequence[bool], limit: float) -> int:
    """How many numbers the function gives, found in a process of its own."""

    def size(*arguments: Any) -> float:
        return float(np.size(function(*arguments)))

    with Worker(ForkedCall(size, 1, 1, tuple(scalars)), limit) as worker:
        outcome = worker.evaluate([point])[0]
    if (trouble := _trouble(outcome)) or outcome.answer is None:
        raise ParameterError(
            f"the function cannot be evaluated: {trouble}", where="of", fix="check the sizes of its arguments"
        )
    return int(outcome.answer.values[0])


def _trouble(outcome: CallOutcome) -> str:
    """What is wrong with an outcome, or nothing."""
    if outcome.answer is None:
        return outcome.message
    if outcome.answer.kind != "value":
        return f"it raises {outcome.answer.message}" if outcome.answer.kind == "exception" else outcome.answer.message
    return "" if np.all(np.isfinite(outcome.answer.values)) else "it gives a value that is not finite"
