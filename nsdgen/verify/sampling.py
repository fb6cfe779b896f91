"""Points of the assumption set, exact, the simplest first.

Specialised samplers (a sphere, a frame, a rotation) give values of their own symbols. What equations remain is
solved once, symbolically, for one symbol each: linear ones, then quadratic ones (a root is taken as it is, exact).
The other symbols are drawn. Every point is checked against all facts before it is handed out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

import sympy as sp

from nsdgen.verify.cleaning import Value
from nsdgen.verify.numbers import LEVELS, draw
from nsdgen.verify.setting import Deadline, Facts

Point = dict[sp.Symbol, sp.Expr]
DIGITS = 60  # twenty more than _ZERO asks for: a value below it is none by rounding
_ZERO = sp.Float("1e-40", 20)
_SURELY_NOT = sp.Float("1e-25", 20)


def evaluate(expression: sp.Expr, point: Point) -> sp.Expr | None:
    """The value at a point: a rational where it is one, else a number to 60 digits; None where it is undefined."""
    try:
        value = expression.xreplace(point)
    except (ZeroDivisionError, ValueError):  # modulo zero; the least of numbers one of which is at a pole
        return None
    if isinstance(value, sp.Rational):
        return value
    if value.free_symbols or value.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        return None
    if isinstance(value, sp.Expr) and value.is_Rational:
        return value
    try:
        number = sp.N(value, DIGITS, maxn=400)
    except (ArithmeticError, ValueError, TypeError, AttributeError):
        return None
    if number.has(sp.nan, sp.zoo, sp.oo) or not number.is_number:
        return None
    parts = number.as_real_imag()
    return number if all(p.is_Float or p.is_Rational for p in parts) else None


def is_number_zero(value: sp.Expr, scale: sp.Expr = sp.S.One) -> bool | None:
    """True for zero to 40 digits, False for certainly nonzero, None for neither (relative to ``scale``)."""
    if isinstance(value, sp.Rational):
        return bool(value == 0)
    size, unit = abs(value), max(sp.S.One, abs(scale))
    if size <= _ZERO * unit:
        return True
    return False if size >= _SURELY_NOT * unit else None


def on_set(point: Point, facts: Facts) -> bool:
    """Whether a point satisfies all equations and sign conditions (equations to 40 digits where irrational)."""
    for e in facts.equations:
        value = evaluate(e, point)
        if value is None or is_number_zero(value) is not True:
            return False
    for e in facts.nonzero:
        value = evaluate(e, point)
        if value is None or is_number_zero(value) is not False:
            return False
    for e, strict in [*((e, True) for e in facts.positive), *((e, False) for e in facts.nonnegative)]:
        value = evaluate(e, point)
        if value is None or not value.is_real or value < 0 or (strict and value == 0):
            return False
    return True


class Sampler:
    """Draws points of the set that ``facts`` describe, with values for all symbols of ``expressions``."""

    def __init__(
        self,
        facts: Facts,
        expressions: Iterable[sp.Expr],
        seed: int = 0,
        values: tuple[Value, ...] = (),
        variant: int = 0,
    ) -> None:
        self.facts, self._rng = facts, Random(seed)
        self.values = values
        symbols = set().union(
            *(
                e.free_symbols
                for e in (*expressions, *facts.equations, *facts.positive, *facts.nonnegative, *facts.nonzero)
            ),
            *(a.free_symbols for v in values for a in v.arguments),
        )
        self._special = []
        covered: set[sp.Symbol] = set()
        for sampler in facts.samplers:
            drawn = sampler(Random(0), 1)
            if drawn and not covered & set(drawn):
                covered |= set(drawn)
                symbols |= set(drawn)
                self._special.append(sampler)
        self.symbols = sorted(
            (s for s in symbols if isinstance(s, sp.Symbol)), key=lambda s: (s.name, str(s.assumptions0))
        )
        self.plan, self.unsolved = _plan(facts.equations, covered, variant)
        solved = {s for s, _ in self.plan}
        self._free = [s for s in self.symbols if s not in covered and s not in solved]
        self.covered = frozenset(covered)
        own = Facts(equations=tuple(e for e in facts.equations if not e.free_symbols <= covered))
        self._checked = own.but(
            positive=facts.positive, nonnegative=facts.nonnegative, nonzero=facts.nonzero
        )  # samplers keep their own

    @property
    def free(self) -> tuple[sp.Symbol, ...]:
        """Symbols that are drawn one by one."""
        return tuple(self._free)

    def point(self, level: int, attempts: int = 12) -> Point | None:
        """A point of the level, or None when none was found in a few attempts."""
        for _ in range(attempts):
            drawn: Point = {}
            for sampler in self._special:
                drawn.update(sampler(self._rng, level) or {})
            drawn.update(
                {s: draw(self._rng, level, bool(s.is_positive or s in self.facts.positive)) for s in self._free}
            )
            found = self.completed(drawn)
            if found is not None:
                return found
        return None

    def completed(self, drawn: Point) -> Point | None:
        """The point with the solved symbols filled in, if it lies on the set."""
        point = dict(drawn)
        for symbol, solutions in reversed(self.plan):
            values = [evaluate_exactly(s, point) for s in solutions]
            usable = [v for v in values if v is not None and v.is_real]
            if not usable:
                return None
            point[symbol] = self._rng.choice(usable) if symbol.is_positive is None else max(usable, key=sp.N)
        if any(
            (s.is_positive and not v > 0) or (s.is_nonnegative and v < 0) or (s.is_integer and not v.is_integer)
            for s, v in point.items()
        ):
            return None
        if not on_set(point, self._checked) or not self._free_values(point):
            return None
        return point

    def points(self, deadline: Deadline, per_level: int = 12) -> Iterator[Point]:
        """Points of rising level until the deadline, at most ``per_level`` of each."""
        for level in range(LEVELS):
            for _ in range(per_level):
                deadline.check()
                point = self.point(level)
                if point is not None:
                    yield point

    def _free_values(self, point: Point) -> bool:
        """Whether values of one unknown function at one place agree: they were drawn independently."""
        seen: dict[tuple[object, ...], sp.Expr] = {}
        for v in self.values:
            if v.symbol in point:
                places = tuple(evaluate(a, point) for a in v.arguments)
                if seen.setdefault((v.function, v.orders, places), point[v.symbol]) != point[v.symbol]:
                    return False
        return True


def evaluate_exactly(expression: sp.Expr, point: Point) -> sp.Expr | None:
    """The value at a point without rounding; None where it is undefined or not real."""
    value = expression.xreplace(point)
    if value.free_symbols or value.has(sp.nan, sp.zoo, sp.oo, -sp.oo) or not value.is_real:
        return None
    return sp.nsimplify(value) if value.is_Rational else sp.sqrtdenest(value)


def _plan(
    equations: Iterable[sp.Expr], covered: set[sp.Symbol], variant: int
) -> tuple[list[tuple[sp.Symbol, tuple[sp.Expr, ...]]], list[sp.Expr]]:
    """Symbols with the solutions of an equation each, to be evaluated from the last to the first.

    ``variant`` rotates which symbol an equation is solved for: the first choice may lead out of the set.
    """
    left = [e for e in equations if not e.free_symbols <= covered]
    plan: list[tuple[sp.Symbol, tuple[sp.Expr, ...]]] = []
    for degree in (1, 2):
        progress = True
        while progress:
            progress = False
            for e in sorted(left, key=sp.count_ops):
                found = _solution(e, covered | {s for s, _ in plan}, degree, variant)
                if found is None:
                    continue
                symbol, solutions = found
                left.remove(e)
                plan.append((symbol, solutions))
                if len(solutions) == 1:
                    left = [sp.fraction(sp.together(f.xreplace({symbol: solutions[0]})))[0] for f in left]
                    left = [g for f in left if (g := sp.expand(f)) != 0]
                else:
                    left = [f for f in left if symbol not in f.free_symbols]
                progress = True
                break
    return plan, left


def _solution(
    e: sp.Expr, taken: set[sp.Symbol], degree: int, variant: int
) -> tuple[sp.Symbol, tuple[sp.Expr, ...]] | None:
    """A symbol of the equation for which it is of the degree, and the solutions; constant coefficients first."""
    e = sp.fraction(sp.together(e))[0]
    found: list[tuple[int, str, sp.Symbol, tuple[sp.Expr, ...]]] = []
    for s in sorted(e.free_symbols - taken, key=lambda s: s.name):
        if not e.is_polynomial(s):
            continue
        p = sp.Poly(e, s)
        if p.degree() != degree:
            continue
        top, *rest = p.all_coeffs()
        if degree == 1:
            solutions: tuple[sp.Expr, ...] = (-rest[0] / top,)
        else:
            root = sp.sqrt(rest[0] ** 2 - 4 * top * rest[1])
            solutions = ((-rest[0] + root) / (2 * top), (-rest[0] - root) / (2 * top))
        found.append((1 if top.free_symbols else 0, s.name, s, solutions))
    if not found:
        return None
    found.sort(key=lambda f: f[:2])
    _, _, symbol, chosen = found[variant % len(found)]
    return symbol, chosen
