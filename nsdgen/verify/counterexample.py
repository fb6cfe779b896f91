"""Counterexamples: points of the assumption set where a difference is certainly not zero, as simple as possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.challenge.witness import Witness
from nsdgen.verify.cleaning import Cleaner
from nsdgen.verify.outcome import Difference
from nsdgen.verify.sampling import Point, Sampler, evaluate, is_number_zero, on_set
from nsdgen.verify.setting import Deadline, OutOfTime, Setting

_HOLDS: dict[str, Callable[[Any], bool]] = {
    "=": lambda d: d == 0,
    "<": lambda d: d < 0,
    "<=": lambda d: d <= 0,
    ">": lambda d: d > 0,
    ">=": lambda d: d >= 0,
}
VARIANTS = 4  # ways in which equations are solved for other symbols, where the first has found no point at all


@dataclass(frozen=True)
class Found:
    """A point and the two values there; ``whole`` has the symbols as well on which neither side depends."""

    point: Point
    left: sp.Expr
    right: sp.Expr
    whole: Point


class Search:
    """Looks for points of a setting where two expressions differ.

    ``clean`` are the expressions without anything but real symbols, ``facts`` what the setting says of these.
    """

    def __init__(self, expressions: Iterable[Any], setting: Setting, deadline: Deadline) -> None:
        given = [as_expression(e) for e in expressions]
        self.cleaner = Cleaner([*given, *setting.conditions])
        self.clean = [self.cleaner(e) for e in given]
        self.facts = self.cleaner.facts(setting)
        self.deadline, self._seed = deadline, setting.seed
        self.sampler = self._sampler(0)
        self._points: list[Point] = []
        self._source: Iterator[Point] | None = None
        self._generic: list[Point] | None = None

    def _sampler(self, variant: int) -> Sampler:
        return Sampler(self.facts, self.clean, self._seed, self.cleaner.values, variant)

    def points(self) -> Iterator[Point]:
        """Points of rising level, drawn when they are first asked for and shared by all entries."""
        yield from self._points
        if self._source is None:
            self._source = self._drawn()
        for point in self._source:
            self._points.append(point)
            yield point

    def _drawn(self) -> Iterator[Point]:
        with suppress(OutOfTime):
            yield from self.sampler.points(self.deadline)
            for variant in range(1, VARIANTS):
                if self._points or not self.sampler.plan:
                    break
                self.sampler = self._sampler(variant)
                yield from self.sampler.points(self.deadline)

    def screen(self, left: sp.Expr, right: sp.Expr) -> bool:
        """Whether one of two generic points separates the two sides: then no proof need be tried."""
        if self._generic is None:
            drawn = [self.sampler.point(2, attempts=3) for _ in range(2)]
            self._generic = [p for p in drawn if p is not None]
        return any(self.separates(p, left, right) is not None for p in self._generic)

    def separates(self, point: Point, left: sp.Expr, right: sp.Expr, relation: str = "=") -> Found | None:
        """The point with both values, if the relation certainly fails there; values that are not real count only where
        the imaginary unit is written."""
        a, b = _value(left, point), _value(right, point)
        if a is None or b is None or not (is_number_zero(a - b, a) is False or a == b) or _HOLDS[relation](a - b):
            return None
        return Found(point, a, b, point) if on_set(point, self.sampler.facts) else None

    def find(self, left: sp.Expr, right: sp.Expr, relation: str = "=", simplify: bool = True) -> Found | None:
        """The first point where a relation fails, made simpler on request; None where there is none."""
        for point in self.points():
            found = self.separates(point, left, right, relation)
            if found is not None:
                return (
                    self._simplest(found, left, right, relation) if simplify else self._restricted(found, left, right)
                )
        return None

    def refuted(self, found: Found, left: Any, right: Any, row: int = 0, column: int = 0) -> Difference:
        """The entry, as it was given, that a point refutes."""
        witness = Witness.of(found.whole, self.cleaner.values)
        values = written(found.left), written(found.right)
        return Difference(row, column, left, right, "refuted", written_point(found.point), values, witness)

    def is_defined(self, *sides: sp.Expr) -> bool:
        """Whether all sides have a value at one of the points."""
        return any(all(_value(e, point) is not None for e in sides) for point in self.points())

    def _simplest(self, found: Found, left: sp.Expr, right: sp.Expr, relation: str) -> Found:
        """The same with as many drawn symbols as possible at 0, else 1."""
        for simple in (sp.S.Zero, sp.S.One):
            for s in self.sampler.free:
                if found.point[s] in (0, simple) or (self.deadline.left() <= 0):
                    continue
                drawn = {k: v for k, v in found.point.items() if k in self.sampler.covered or k in self.sampler.free}
                point = self.sampler.completed({**drawn, s: simple})
                better = None if point is None else self.separates(point, left, right, relation)
                if better is not None:
                    found = better
        return self._restricted(found, left, right)

    def _restricted(self, found: Found, left: sp.Expr, right: sp.Expr) -> Found:
        """The point without symbols that neither side nor an equation mentions."""
        names = (left.free_symbols | right.free_symbols).union(*(e.free_symbols for e in self.sampler.facts.equations))
        return Found({s: v for s, v in found.point.items() if s in names}, found.left, found.right, found.point)


def _value(e: sp.Expr, point: Point) -> sp.Expr | None:
    """The value where every root and logarithm in the expression is real; any value where I is written."""
    if e.has(sp.I):
        return evaluate(e, point)
    for inner in _must_be_nonnegative(e):
        size = evaluate(inner, point)
        if size is None or not size.is_real or size < 0:
            return None
    value = evaluate(e, point)
    return value if value is not None and value.is_real else None


@lru_cache(maxsize=4096)
def _must_be_nonnegative(e: sp.Expr) -> tuple[sp.Expr, ...]:
    """Arguments of roots, of powers that are no integers, and of logarithms."""
    roots = [p.base for p in e.atoms(sp.Pow) if not p.exp.is_integer and not p.base.is_number]
    return tuple(sorted({*roots, *(f.args[0] for f in e.atoms(sp.log))}, key=sp.default_sort_key))


def written(value: sp.Expr) -> str:
    """A value as text: exact where it is rational, else 30 digits."""
    if isinstance(value, sp.Rational):
        return str(value)
    return str(sp.N(value, 30)) if value.is_number else str(value)


def written_point(point: Point) -> tuple[tuple[str, str], ...]:
    """Names and exact values in the order of the names."""
    return tuple((s.name, str(v)) for s, v in sorted(point.items(), key=lambda item: item[0].name))
