"""What is asked about a foreign function, and what points have shown."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from .call import Answer
from .hand_functions import ForeignFunction
from .kinks import Switch
from .process import Outcome, Worker
from .rounding import Truth, truth_at
from .sample_points import AssumptionSet, Point

__all__ = ["Findings", "Problem"]


@dataclass(frozen=True)
class Problem:
    """A truth matrix and the function that claims to compute it; ``end`` is a moment of processor time."""

    truth: sp.Matrix
    entries: tuple[sp.Expr, ...]
    others: tuple[sp.Expr, ...]
    function: ForeignFunction
    assumed: AssumptionSet
    switches: tuple[Switch, ...]
    worker: Worker
    end: float

    def left(self) -> float:
        """Seconds of the budget that remain: processor time of this process and waiting for the code count."""
        return self.end - time.process_time() - self.worker.waited

    @property
    def parameters(self) -> Mapping[sp.Symbol, float]:
        return self.function.parameters

    def values(self, point: Point) -> dict[sp.Symbol, float]:
        return {**self.parameters, **point}

    def truth_at(self, values: Mapping[sp.Symbol, Any]) -> Truth | None:
        return truth_at(self.entries, self.others, values)

    def place(self, number: int) -> tuple[int, int]:
        return divmod(number, self.truth.cols)

    def filled(self, answer: Answer) -> tuple[float, ...]:
        """The values of an answer, entries that were not written as the caller left them."""
        if not self.function.zeroed:
            return answer.values
        return tuple(0.0 if k in answer.unwritten else value for k, value in enumerate(answer.values))

    def call(self, points: Sequence[Point]) -> list[Outcome]:
        inputs = self.function.inputs
        return self.worker.evaluate([[[point[s] for s in symbols] for _, symbols in inputs] for point in points])


@dataclass
class Findings:
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
