"""Where a foreign function is evaluated: points of the one source of points, in doubles.

Proposed to it are what code is wrong at: zeros, small angles, arrays of length one, far and near values side by side,
and the numbers that the code holds. It moves points onto equations, onto kinks and beside them.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.graph.running_error import evaluate
from nsdgen.verify.assumption import Assumption, said
from nsdgen.verify.assumptions import Equation, IndexRange, NonNegative, NonZero, Positive
from nsdgen.verify.challenge.challenge_points import Named, admissible, challenges, fitted, named, switches
from nsdgen.verify.challenge.zeros import Values

Point = Mapping[sp.Symbol, float]

_TURNS = (math.pi, -math.pi, math.pi / 2, math.pi / 4, math.pi / 6)
_SPECIAL = (0.0, 1.0, -1.0, 2.0, 0.5, 1e-8, 1e-4, 1e6, 100.0, 3.0, 1 / 3, math.sqrt(2.0), math.e, *_TURNS)
_SMALL = 1e-8  # angles whose square is lost beside 1: there 1 - cos fails
_PAIRS = 12  # of all pairs of symbols, drawn: they would grow as the square and crowd out other points
_MIXED = 24  # points of special values, or of decades, each symbol its own
_ON_EQUATIONS = 1e-9  # a point in doubles is on its equations to their rounding
_APART = 1e-12  # from what vanishes nowhere: beside it even rounding of large terms is small


def own_assumptions(
    assumptions: Iterable[Any], symbols: Iterable[sp.Symbol], parameters: Mapping[sp.Symbol, float]
) -> tuple[Assumption, ...]:
    """What assumptions of a claim say about these symbols, with the values that parameters have.

    What holds other symbols is left out.
    """
    own, known = set(symbols), {s: as_expression(v) for s, v in parameters.items()}

    def collected(kind: str) -> Iterator[sp.Expr]:
        found = (e.xreplace(known) for e in said(assumptions, kind))
        return (e for e in found if e.free_symbols and e.free_symbols <= own)

    return (
        *map(Equation, collected("given")),
        Positive(*collected("positive")),
        NonNegative(*collected("nonnegative")),
        NonZero(*collected("nonzero")),
        *(a for a in assumptions if isinstance(a, IndexRange) and a.index in own),
    )


def holds(point: Point, assumed: Iterable[Assumption], tolerance: float = _ON_EQUATIONS) -> bool:
    """Whether a point is on the assumption set, its equations to a tolerance."""
    holding: dict[str, Callable[[Any], bool]] = {
        "given": lambda value: abs(value) <= tolerance,
        "positive": lambda value: value > 0,
        "nonnegative": lambda value: value >= 0,
        "nonzero": lambda value: abs(value) > _APART,
    }
    try:
        return all(
            all(holding[kind](evaluate(e, point)) for kind, e in a.said())
            and (not isinstance(a, IndexRange) or point[a.index] in range(a.low, a.high + 1))
            for a in assumed
        )
    except (ZeroDivisionError, TypeError, ValueError):
        return False


def sample(
    symbols: Sequence[sp.Symbol],
    groups: Sequence[Sequence[sp.Symbol]],
    assumed: Sequence[Assumption],
    count: int,
    seed: int,
    literals: Sequence[float] = (),
    kinks: Sequence[sp.Expr] = (),
) -> Iterator[Point]:
    """Up to ``count`` distinct points of the assumption set: what is proposed, then random ones, on kinks and off.

    ``literals`` are numbers that the code holds: every symbol takes each of them, up to as many points again. ``kinks``
    vanish where the truth changes its formula.
    """
    rng, names = Random(seed), named(symbols)
    at_literals = list(islice(_at_literals(symbols, literals, rng), 2 * count))
    usual = list(_usual(symbols, groups, rng))
    proposed = (_admitted(p, names, assumed, rng) for p in (*usual[:3], *at_literals, *usual[3:]))
    bounds = said(assumed, "positive", "nonnegative")
    kinks = list(dict.fromkeys((*kinks, *bounds, *switches(bounds))))
    seen = set()
    count += len(at_literals)
    for witness in challenges(names, assumed, kinks, rng, count, proposed=proposed):
        point = {s: float(witness.scalar(s.name)) for s in symbols}
        key = tuple(point.values())
        if key not in seen and holds(point, assumed):
            seen.add(key)
            yield point
        if len(seen) >= count:
            return


def _admitted(point: Point, names: Named, assumed: Sequence[Assumption], rng: Random) -> Values:
    """Values near those of a point that their symbols and ranges admit."""
    near = {s.name: fitted(names.symbols[s.name], sp.Rational(v), rng) for s, v in point.items()}
    ranged = (a.sample(rng, 0) or {} for a in assumed)
    return near | {s.name: v for drawn in ranged for s, v in drawn.items()}


def _at_literals(symbols: Sequence[sp.Symbol], literals: Sequence[float], rng: Random) -> Iterator[Point]:
    """All symbols at a number of the code; then one at it, or just beside it, the others anywhere."""
    places = [(v * way, s) for v in literals for s in symbols for way in (1.0, -1.0, 1 + 1e-9, 1 - 1e-9)]
    rng.shuffle(places)
    for v in literals:
        yield dict.fromkeys(symbols, v)
    for v, s in places:
        yield {**_uniform(symbols, rng), s: v}


def _uniform(symbols: Sequence[sp.Symbol], rng: Random, scale: float = 1.0) -> dict[sp.Symbol, float]:
    return {s: rng.uniform(-scale, scale) for s in symbols}


def _decade(rng: Random, low: float, high: float) -> float:
    """A number of either sign, of any decade between two powers of ten."""
    return rng.choice((-1, 1)) * 10.0 ** rng.uniform(low, high)


def _usual(symbols: Sequence[sp.Symbol], groups: Sequence[Sequence[sp.Symbol]], rng: Random) -> Iterator[Point]:
    """What code of every kind is asked at."""
    yield _uniform(symbols, rng)
    yield dict.fromkeys(symbols, 0.0)
    yield dict.fromkeys(symbols, 1.0)
    for group in groups:  # one array after the other at rest, turned by small angles, of length one
        drawn = _uniform(group, rng)
        length = math.hypot(*drawn.values()) or 1.0
        yield {**_uniform(symbols, rng), **dict.fromkeys(group, 0.0)}
        yield {**_uniform(symbols, rng), **_uniform(group, rng, _SMALL)}
        if len(group) > 1:
            yield {**_uniform(symbols, rng), **{s: v / length for s, v in drawn.items()}}
    yield _uniform(symbols, rng, _SMALL)
    for s in symbols:
        yield {**_uniform(symbols, rng), s: 0.0}
    pairs = [(s, t) for s in symbols for t in symbols if s is not t]
    for s, t in rng.sample(pairs, min(len(pairs), _PAIRS)):  # one large, one small
        yield {**_uniform(symbols, rng), s: _decade(rng, 3, 5), t: _decade(rng, -5, -2)}
    for value in _SPECIAL:
        yield dict.fromkeys(symbols, value)
    for _ in range(_MIXED // 2):
        yield {s: rng.choice(_SPECIAL) for s in symbols}
        yield {s: _decade(rng, -7, 5) for s in symbols}


def simple_values(symbol: sp.Symbol) -> list[float]:
    """Small integers and fractions that the symbol may take, simplest first."""
    values = (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0, -3.0, -0.5, 4.0, 0.25)
    return [v for v in values if admissible(symbol, sp.Rational(v))]
