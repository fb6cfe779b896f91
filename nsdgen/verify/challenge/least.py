"""Where the sides of an inequality differ least: searched in doubles, from points that are asked themselves.

Nothing here has bounds of errors: what is found is asked as every other point is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from random import Random
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.nodes import plain
from nsdgen.verify.setting import Deadline

from .elementary import FUNCTIONS, NO_VALUE
from .witness import Witness
from .zeros import Values

_OTHERS = 30  # random places beside the one that is given: a search begins at the best of them as well
_REACH = (1.0, 3.0, 10.0, 30.0)  # how far these lie from 0
_SWEEPS = 40  # over all numbers, each moved by its own step
_STRIDES = 16  # of what a sweep did, each twice the last: what falls without end is followed 65 000 times as far
_SECONDS = 0.05  # of a descent: a hundred times what elementary functions take
_FINEST = 1e-7  # step: a least value is known to its square
_WEIGHT = 10.0  # of the square of an equation beside the difference: what is found is moved onto the equations
_DECIMALS = (0, 1, 2, 4, 8)  # of the numbers that are told, as few as show it
_NO_VALUE = (*NO_VALUE, TypeError, NameError, AttributeError)
Place = tuple[float, ...]
Valued = Callable[[Place], float]


def searched(
    signed: Sequence[sp.Expr], bounds: Sequence[sp.Expr], equations: Sequence[sp.Expr], strict: bool, rng: Random
) -> Callable[[Mapping[str, Any]], Iterator[Values]]:
    """The search from a point for places near and far where one of ``signed`` is below 0 or, if ``strict``, is 0.

    They lie where ``bounds`` are >= 0 and near where ``equations`` vanish. No place is told twice.
    """
    symbols = sorted({s for e in (*signed, *equations) for s in e.free_symbols}, key=str)
    whole = [bool(s.is_integer) for s in symbols]
    signs = [s if s.is_nonnegative else -s for s in symbols if s.is_nonnegative or s.is_nonpositive]
    limits = [*signs, *(b for b in bounds if b.free_symbols <= set(symbols))]
    valued = [_valued(symbols, e, limits, equations) for e in signed]
    told = set[Place]()

    def search(given: Mapping[str, Any]) -> Iterator[Values]:
        start = tuple(float(Witness(given).scalar(str(s))) for s in symbols)
        others = [_near(start, whole, rng) for _ in range(_OTHERS)]
        f = rng.choice(valued)
        for begin in (start, min(others, key=f)):
            least = _descended(f, begin, whole)
            rounded = (tuple(round(v, n) for v in least) for n in _DECIMALS)
            for place in (p for p in (*rounded, least) if f(p) < 0 or (strict and f(p) == 0)):
                if place not in told:
                    told.add(place)
                    yield {**given, **{str(s): sp.Rational(repr(v)) for s, v in zip(symbols, place, strict=True)}}
                break

    return search


def _valued(
    symbols: Sequence[sp.Symbol], signed: sp.Expr, limits: Sequence[sp.Expr], equations: Sequence[sp.Expr]
) -> Valued:
    """What is to be small, by place: infinite where it has no value or a limit is below 0."""
    compiled = sp.lambdify(symbols, [plain(e) for e in (signed, *equations, *limits)], ["math", FUNCTIONS])

    def at(place: Place) -> float:
        try:
            value, *others = (inf if v.imag else float(v.real) for v in compiled(*place))
        except _NO_VALUE:
            return inf
        inside = all(v >= 0 for v in others[len(equations) :])
        found = value + _WEIGHT * sum(v * v for v in others[: len(equations)])
        return found if inside and found == found else inf

    return at


def _near(start: Place, whole: Sequence[bool], rng: Random) -> Place:
    """A place where some numbers of the given one are others."""
    reach = rng.choice(_REACH)
    moved = (v if rng.random() < 0.3 else rng.uniform(-reach, reach) for v in start)
    return tuple(float(round(v)) if w else v for v, w in zip(moved, whole, strict=True))


def _descended(f: Valued, start: Place, whole: Sequence[bool]) -> Place:
    """A place of less, by the pattern search of Hooke and Jeeves (1961).

    A step along an axis grows where it leads down and shrinks where it does not; what all of them did is done again,
    and again twice as far for as long as that leads down.
    """
    best, place = f(start), start
    steps = [1.0 if w else max(abs(v), 1.0) / 4 for v, w in zip(start, whole, strict=True)]
    deadline = Deadline.after(_SECONDS)

    def lower(moved: Place) -> bool:
        nonlocal best, place
        if (value := f(moved)) < best:
            best, place = value, moved
            return True
        return False

    for _ in range(_SWEEPS):
        before = place
        for k, step in enumerate(steps):
            way = next((w for w in (step, -step) if lower((*place[:k], place[k] + w, *place[k + 1 :]))), None)
            shorter = max(1.0, round(step / 3)) if whole[k] else step / 3
            steps[k] = shorter if way is None else 2 * way
        stride = tuple(v - u for v, u in zip(place, before, strict=True))
        for doubled in range(_STRIDES if any(stride) else 0):
            further = tuple(v + s * 2**doubled for v, s in zip(place, stride, strict=True))
            if deadline.left() < 0 or not lower(further):
                break
        if max(map(abs, steps), default=0.0) < _FINEST or deadline.left() < 0:
            break
    return place
