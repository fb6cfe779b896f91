"""What is asked about a foreign function, and what points have shown."""

import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import mpmath
import numpy as np
import sympy as sp

from nsdgen.symbolic.graph.running_error import BoundedEvaluator, evaluate
from nsdgen.verify.assumption import Assumption
from nsdgen.verify.limits import Exceeded, limited

from .call import ForeignAnswer
from .hand_functions import ForeignFunction
from .rounding import DIGITS, BoundedTruth
from .sample_points import Point
from .worker import Worker

_LARGEST = mpmath.mpf(sys.float_info.max)
NEAR = 1e-11
"""A switch whose value is smaller than this, relative to its terms, may go either way in double precision."""
_NEAR_WHOLE = 1e-9  # the same of sin(pi x), which vanishes where x is an integer
_SHARE, _LEAST = 0.05, 0.1  # of the time that is left, and seconds, for the truth at one point
_LEAST_BOUND = mpmath.mpf(2) ** -1000  # underflow: no bound is smaller
_MOST_MOVED = 5  # symbols that are moved off a point on several kinks


@dataclass(frozen=True)
class Problem:
    """A truth matrix and the function that claims to compute it; ``end`` is a moment of processor time."""

    truth: sp.Matrix
    entries: tuple[sp.Expr, ...]
    others: tuple[sp.Expr, ...]
    function: ForeignFunction
    assumed: tuple[Assumption, ...]
    switches: tuple[sp.Expr, ...]
    worker: Worker
    end: float

    def left(self) -> float:
        """Seconds of the budget that remain: processor time of this process and waiting for the code count."""
        return self.end - time.process_time() - self.worker.waited

    def values(self, point: Point) -> dict[sp.Symbol, float]:
        """All symbols of the truth at a point."""
        return {**self.function.parameters, **point}

    def truth_at(self, values: Mapping[sp.Symbol, Any]) -> BoundedTruth | None:
        """The truth at a point, its bounds those of two arrangements.

        None where an entry has no finite real value, or takes too much of the time there is: ``exp(-exp(1e6))``.
        """
        try:
            with limited(max(_SHARE * self.left(), _LEAST)), mpmath.workdps(DIGITS):
                evaluator = BoundedEvaluator(values, conditioning=True)
                found = [evaluator(e) for e in self.entries]
                bounds = [max(b, evaluator(o)[1]) for (_, b), o in zip(found, self.others, strict=True)]
        except Exceeded:
            if self.left() <= 0:
                raise
            return None
        except (ZeroDivisionError, ValueError, TypeError, OverflowError):
            return None
        results = tuple(value for value, _ in found)
        if not all(not isinstance(v, mpmath.mpc) and mpmath.isfinite(v) for v in (*results, *bounds)):
            return None
        return BoundedTruth(results, tuple(b + _LEAST_BOUND for b in bounds))

    def exceeds_doubles(self, k: int, point: Point) -> bool:
        """Whether an entry, or a part of it as it is written, is too large for a double at a point."""
        values = self.values(point)
        for part in sp.preorder_traversal(self.entries[k]):
            if isinstance(part, sp.Expr):
                with suppress(TypeError, ValueError, ZeroDivisionError):
                    if abs(evaluate(part, values)) > _LARGEST:
                        return True
        return False

    def sides(self, point: Point, moved: Sequence[sp.Symbol]) -> list[BoundedTruth | None]:
        """The truth on all sides of a point on kinks: a symbol a little less and more, the other ones much less so.

        By very little, and by what rounding in doubles may move a switch: code that rounds 3.7 t otherwise is on the
        other side. Moved are these symbols, and those of other switches that the point is on as well.
        """
        values = self.values(point)
        met = [s for s in self.switches if nearby((s,), values) is not None]
        more = {s for switch in met if not switch.free_symbols & set(moved) for s in switch.free_symbols}
        own = [*moved, *(s for s in self.function.symbols if s in more and s not in moved)][:_MOST_MOVED]
        others = (0,) if len(own) == 1 else (-1, 0, 1)
        with mpmath.workdps(DIGITS):
            return [
                self.truth_at(
                    {
                        **values,
                        **{o: mpmath.mpf(values[o]) + other * small**1.4 for o in own},
                        s: mpmath.mpf(values[s]) + way * small,
                    }
                )
                for s in own
                for small in (mpmath.mpf(10) ** -30, mpmath.mpf(NEAR) * max(1, abs(values[s])))
                for way in (-1, 1)
                for other in others
            ]

    def place(self, number: int) -> tuple[int, int]:
        """Row and column of an entry, from 1."""
        return number // self.truth.cols + 1, number % self.truth.cols + 1

    def given(self, points: Sequence[Point]) -> list[list[list[float]]]:
        """What the code is given at points, array by array."""
        return [[[point[s] for s in symbols] for _, symbols in self.function.inputs] for point in points]

    def call(self, points: Sequence[Point]) -> list[ForeignAnswer]:
        """What the code gives at points."""
        return self.worker.evaluate(self.given(points))


@dataclass
class Findings:
    """What the points showed: failures of the code, wrong entries, kinks."""

    failures: dict[str, tuple[int | None, Point]] = field(default_factory=dict)
    wrong: dict[int, Point] = field(default_factory=dict)
    unwritten: set[int] = field(default_factory=set)
    unstable: set[int] = field(default_factory=set)
    signed: set[int] = field(default_factory=set)  # wrong at -0.0 only
    kinks: dict[str, str] = field(default_factory=dict)
    visits: Counter[Any] = field(default_factory=Counter)  # of switches, at -0.0 and elsewhere
    good: list[tuple[Point, tuple[float, ...]]] = field(default_factory=list)
    compared: int = 0
    outside: int = 0
    worst: float = 0.0

    def fail(self, text: str, entry: int | None, point: Point) -> None:
        """Note what is wrong with the code, with the first entry and point that show it."""
        self.failures.setdefault(text, (entry, point))


def is_of_a_side(hand: float, k: int, sides: Sequence[BoundedTruth | None], here: BoundedTruth | None) -> bool:
    """Whether a value on a switch is that of a side or of the truth there, or lies between the sides."""
    known = [t for t in (*sides, here) if t is not None]
    if not known or not np.isfinite(hand):
        return not known
    slack = [1e3 * t.bounds[k] + 1e-9 * abs(t.values[k]) for t in known]
    if any(abs(mpmath.mpf(hand) - t.values[k]) <= s for t, s in zip(known, slack, strict=True)):
        return True
    values = [t.values[k] for t in sides if t is not None]
    return len(values) >= 2 and bool(min(values) <= hand <= max(values))


def nearby(found: Sequence[sp.Expr], values: Mapping[sp.Symbol, Any]) -> sp.Expr | None:
    """The first switch (it vanishes where a formula changes) that a point is on or near; None where it is on none."""
    for switch in found:
        try:
            value = abs(evaluate(switch, values))
            terms = switch.args if isinstance(switch, sp.Add) else ()
            size = max([abs(evaluate(t, values)) for t in terms], default=mpmath.mpf(0))
        except (TypeError, ZeroDivisionError, ValueError):
            continue
        if value <= NEAR * size or value == 0 or (isinstance(switch, sp.sin) and value <= _NEAR_WHOLE):
            return switch
    return None


def text_of(switch: sp.Expr) -> str:
    """Where a switch vanishes, to a reader: ``x - 1 = 0``, ``x/3 is an integer``."""
    if isinstance(switch, sp.sin):
        return f"{switch.args[0] / sp.pi} is an integer"
    return f"{switch} = 0"
