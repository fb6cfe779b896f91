"""Where a foreign function is evaluated: zeros, small angles, large values, random points, the assumption set.

A point gives every symbol a double. Where assumptions state equations, a point is moved onto them by
Newton's method in many digits and rounded; the rounding is part of the error bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

import mpmath
import sympy as sp

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.graph.running_error import evaluate
from nsdgen.verify.assumptions import IndexRange
from nsdgen.verify.challenge.challenge_points import admissible
from nsdgen.verify.challenge.zeros import common_zero

Point = Mapping[sp.Symbol, float]

_SPECIAL = (
    0.0,
    1.0,
    -1.0,
    math.pi,
    math.pi / 2,
    -math.pi,
    2.0,
    0.5,
    1e-8,
    1e-4,
    1e6,
    100.0,
    3.0,
    math.pi / 6,
    math.pi / 4,
    1 / 3,
    math.sqrt(2.0),
    math.e,
)
# angles whose square is lost beside 1 (where 1 - cos fails), and what loses three digits beside 1
_SMALL, _LARGE = 1e-8, 1e3
_ATTEMPTS = 20  # per point asked for: an assumption set that is met less often is too thin to draw from
_PAIRS = 12  # of all pairs of symbols, drawn: they would grow as the square and crowd out other points


@dataclass(frozen=True)
class AssumptionSet:
    """Equations g = 0, quantities that are not zero, positive or not negative, over the symbols of a function.

    ``ranges`` are whole numbers that a symbol may be.
    """

    equations: tuple[sp.Expr, ...] = ()
    nonzero: tuple[sp.Expr, ...] = ()
    positive: tuple[sp.Expr, ...] = ()
    nonnegative: tuple[sp.Expr, ...] = ()
    ranges: tuple[tuple[sp.Symbol, int, int], ...] = ()

    @classmethod
    def of(
        cls, assumptions: Iterable[Any], symbols: Iterable[sp.Symbol], parameters: Mapping[sp.Symbol, float]
    ) -> AssumptionSet:
        """What assumptions of a claim say about these symbols, with the values that parameters have.

        What holds other symbols is left out.
        """
        own, known = set(symbols), {s: as_expression(v) for s, v in parameters.items()}

        def collected(name: str) -> tuple[sp.Expr, ...]:
            found = [as_expression(e).xreplace(known) for a in assumptions for e in getattr(a, name)()]
            return tuple(e for e in found if e.free_symbols and e.free_symbols <= own)

        ranges = tuple((a.index, a.low, a.high) for a in assumptions if isinstance(a, IndexRange) and a.index in own)
        equations, nonzero = collected("equations"), collected("nonzero")
        return cls(equations, nonzero, collected("positive"), collected("nonnegative"), ranges)


def sample(
    symbols: Sequence[sp.Symbol],
    groups: Sequence[Sequence[sp.Symbol]],
    assumed: AssumptionSet,
    count: int,
    seed: int,
    literals: Sequence[float] = (),
) -> Iterator[Point]:
    """Up to ``count`` distinct points of the assumption set: the special ones first, then random ones.

    ``literals`` are numbers that the code holds: every symbol takes each of them, up to as many points again.
    """
    rng = Random(seed)
    seen = set()
    at_literals = list(_at_literals(symbols, literals, count, rng))
    count += len(at_literals)
    for raw in (*islice(_raw(symbols, groups, count, rng), 3), *at_literals, *_raw(symbols, groups, count, rng)):
        point = _onto(raw, assumed)
        key = tuple(point[s] for s in symbols) if point is not None else None
        if point is not None and key not in seen:
            seen.add(key)
            yield point
        if len(seen) >= count:
            return


def _at_literals(
    symbols: Sequence[sp.Symbol], literals: Sequence[float], count: int, rng: Random
) -> Iterator[dict[sp.Symbol, float]]:
    """One symbol at a number of the code, or just beside it, the others anywhere; then all of them there."""
    places = [(v * way, s) for v in literals for s in symbols for way in (1.0, -1.0, 1 + 1e-9, 1 - 1e-9)]
    rng.shuffle(places)
    for v in literals:
        yield {s: _signed(s, v, rng) for s in symbols}
    for v, s in places[: 2 * count]:
        yield {**{o: _signed(o, rng.uniform(-1, 1), rng) for o in symbols}, s: _signed(s, v, rng)}


def _raw(
    symbols: Sequence[sp.Symbol], groups: Sequence[Sequence[sp.Symbol]], count: int, rng: Random
) -> Iterator[dict[sp.Symbol, float]]:
    def uniform(scale: float) -> dict[sp.Symbol, float]:
        return {s: _signed(s, rng.uniform(-scale, scale), rng) for s in symbols}

    yield uniform(1.0)
    yield {s: _signed(s, 0.0, rng) for s in symbols}
    yield dict.fromkeys(symbols, 1.0)
    for group in groups:  # one array after the other at rest, and turned by small angles
        yield {**uniform(1.0), **{s: _signed(s, 0.0, rng) for s in group}}
        yield {**uniform(1.0), **{s: _signed(s, rng.uniform(-_SMALL, _SMALL), rng) for s in group}}
    for group in groups:  # and of length one
        if len(group) > 1:
            drawn = {s: _signed(s, rng.uniform(-1.0, 1.0), rng) for s in group}
            length = math.hypot(*drawn.values()) or 1.0
            yield {**uniform(1.0), **{s: _signed(s, v / length, rng) for s, v in drawn.items()}}
    yield {s: v * _SMALL for s, v in uniform(1.0).items()}
    for s in symbols:
        yield {**uniform(1.0), s: _signed(s, 0.0, rng)}
    pairs = [(s, t) for s in symbols for t in symbols if s is not t]
    for s, t in rng.sample(pairs, min(len(pairs), _PAIRS)):  # one large, one small
        yield {
            **uniform(1.0),
            s: _signed(s, rng.choice((-1, 1)) * 10.0 ** rng.uniform(3, 5), rng),
            t: _signed(t, rng.choice((-1, 1)) * 10.0 ** rng.uniform(-5, -2), rng),
        }
    for value in _SPECIAL:
        yield {s: _signed(s, value, rng) for s in symbols}
    for number in range(_ATTEMPTS * count):
        if number % 4 == 3:  # special values, each symbol its own; or every symbol of its own decade
            yield {
                s: _signed(
                    s,
                    rng.choice(_SPECIAL) if number % 8 == 3 else rng.choice((-1, 1)) * 10.0 ** rng.uniform(-7, 5),
                    rng,
                )
                for s in symbols
            }
        else:
            yield uniform(1.0 if number % 3 < 2 else 10.0 if number % 2 else _LARGE)


def _signed(symbol: sp.Symbol, value: float, rng: Random) -> float:
    """The value, moved to where SymPy's assumptions about the symbol let it be."""
    if symbol.is_integer:
        value = float(round(value)) or float(symbol.is_positive or 0)
    if symbol.is_positive or (symbol.is_nonzero and value == 0.0):
        return abs(value) or rng.uniform(0.1, 1.0)
    if symbol.is_negative:
        return -abs(value) or -rng.uniform(0.1, 1.0)
    return abs(value) if symbol.is_nonnegative else value


def _onto(raw: Mapping[sp.Symbol, float], assumed: AssumptionSet) -> Point | None:
    """The point on the equations nearest to ``raw``, to first order, in doubles; None where that fails."""
    drawn = {s.name: mpmath.mpf(v) for s, v in raw.items()}
    met = common_zero(assumed.equations, drawn) if assumed.equations else drawn
    if met is None:
        return None
    rounded = {s: float(met[s.name]) for s in raw}
    rounded |= {s: float(low + int(abs(rounded[s])) % (high - low + 1)) for s, low, high in assumed.ranges}
    for e in (*assumed.positive, *assumed.nonnegative):  # a sign of one symbol is met, not waited for
        if isinstance(e, sp.Symbol) and rounded[e] < 0:
            rounded[e] = -rounded[e]
    if not all(admissible(s, sp.Rational(v)) for s, v in rounded.items()):
        return None
    return rounded if holds(rounded, assumed, 1e-9) else None


def holds(point: Mapping[sp.Symbol, Any], assumed: AssumptionSet, tolerance: float = 0.0) -> bool:
    """Whether a point is on the assumption set, its equations to ``tolerance``."""
    try:
        return (
            all(abs(evaluate(g, point)) <= tolerance for g in assumed.equations)
            and all(evaluate(e, point) > 0 for e in assumed.positive)
            and all(evaluate(e, point) >= 0 for e in assumed.nonnegative)
            and all(low <= point[s] <= high and point[s] % 1 == 0 for s, low, high in assumed.ranges)
            and all(abs(evaluate(e, point)) > 1e-12 for e in assumed.nonzero)
        )
    except (ZeroDivisionError, TypeError, ValueError):
        return False


def simple_values(symbol: sp.Symbol) -> list[float]:
    """Small integers and fractions that the symbol may take, simplest first."""
    values = [0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0, -3.0, -0.5, 4.0, 0.25]
    if symbol.is_integer:
        values = [v for v in values if v == int(v)]
    if symbol.is_positive:
        return [v for v in values if v > 0]
    if symbol.is_nonnegative:
        return [v for v in values if v >= 0]
    return [v for v in values if v] if symbol.is_nonzero else values
