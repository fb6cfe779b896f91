"""Points for challenges: anywhere on the assumption set, on kinks and poles, at special, equal, small and large values.

Nothing of the sampler of counterexamples is used: what an assumption can sample is taken as it is, everything else is
drawn, and equations are met by Newton's method in many digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice, pairwise, product
from random import Random
from typing import Any

import mpmath
import sympy as sp
from sympy.core.function import Application, AppliedUndef
from sympy.core.relational import Relational
from sympy.functions.elementary.piecewise import ExprCondPair

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.setting import Deadline, OutOfTime

from .elementary import FUNCTIONS
from .meaning import Evaluator, Undefined, Unsure
from .truth import PRECISIONS
from .witness import Witness

__all__ = ["Named", "admissible", "challenges", "factors", "named", "switches"]

Values = dict[str, Any]
_DIGITS = PRECISIONS[-1] + 20
_SPECIAL = (0, 0, 1, -1, 2, -2, sp.Rational(1, 2), sp.pi / 2, -sp.pi / 2, sp.pi, sp.pi / 3, 3, 2 * sp.pi)
_EXPONENTS = (2, 2, sp.Rational(1, 2), sp.Rational(1, 2), -2, 3)  # where powers of negative numbers are real
_MOST_SWITCHES = 10  # times eight are looked at: so many, in turn, as the points of a challenge can visit
_MOST_VISITS = 8  # of each switch; then points are left where they were drawn
_MOST_FAILURES = 6  # in a row, of points moved onto the equations: then they are left alone
_MOST_BOUNDS = 6  # switches between which values are moved at once, each a search for a zero
_MOST_AT_ONCE = 8  # switches that a point is moved onto together
_MOST_BESIDE = 3  # switches whose sides are taken together: cases that more of them bound are rare
_TRIES = 2  # a switch that no value was found for so often is left alone: most of these have no zero
_ROUGH = 20  # digits in which a zero is looked for, before it is made precise
_NEARBY = mpmath.mpf("1e-8")
_HALVINGS = 66  # of an interval to its last digit of _ROUGH
_MOST_WHOLE = mpmath.mpf("1e15")  # beyond it a whole number has no digits left to be told apart by
# Places, on both sides of 0, between which a zero is looked for: closer where functions turn.
_DECADES = (
    -6,
    -3,
    -1,
    0,
    0.25,
    0.5,
    0.75,
    1,
    1.5,
    2,
    4,
    6,
    8,
    11,
    15,
)
_ARITHMETICAL = frozenset(("rational", "irrational", "algebraic", "transcendental", "integer"))
_SAID = _ARITHMETICAL | {
    *("positive", "negative", "zero", "nonnegative", "nonpositive", "nonzero", "real", "imaginary", "finite"),
    *("even", "odd", "prime", "composite", "noninteger"),
}
_ASIDE = sp.Rational(7, 5)  # in the place of 0, where squares have no slope: Newton's method would stay there
_STARTS = tuple(
    side * sp.Rational(n, 10) for side in (1, -1) for n in (1, 5, 10, 17, 24, 33, 45, 62, 110, 310, 3100, 10**6)
)
_NO_VALUE = (ValueError, ZeroDivisionError, Undefined, Unsure, TypeError, ArithmeticError)
_FAR_SMALLER = mpmath.mpf("1e-20")  # a zero in 92 digits stands out from it still where it is of third order
_SECONDS_OF_A_ROOT = 1.0  # functions that take 20 ms each are asked 50 times
_COMING_NEAR = 9  # steps that may halve the distance from far off, as those to a multiple zero do
_NEWTON_STEPS = 24  # seven double one digit to the 92 in use; as many to come near, and as many for a multiple zero


@dataclass(frozen=True)
class Named:
    """Symbols by name; a name that is written with several assumptions has several symbols.

    ``exponents`` are the names that exponents of symbols hold.
    """

    symbols: dict[str, tuple[sp.Symbol, ...]] = field(default_factory=dict)
    exponents: frozenset[str] = frozenset()

    def admits(self, name: str, value: Any) -> bool:
        """Whether a value is allowed by what the symbols of this name say of themselves."""
        return all(admissible(s, value) for s in self.symbols.get(name, ()))


def named(expressions: Sequence[Any]) -> Named:
    """The free symbols of expressions, by name, in the order of the names."""
    found: dict[str, dict[sp.Symbol, None]] = {}
    for e in expressions:
        for s in e.free_symbols:
            if isinstance(s, sp.Symbol):
                found.setdefault(s.name, {})[s] = None
    powers = (p for e in expressions for p in e.atoms(sp.Pow) if p.base.free_symbols)
    return Named(
        {name: tuple(found[name]) for name in sorted(found)},
        frozenset(s.name for p in powers for s in p.exp.free_symbols if isinstance(s, sp.Symbol)),
    )


def admissible(s: sp.Symbol, value: Any) -> bool:
    """Whether a number may stand for a symbol: everything that the symbol says of itself is known to hold of it.

    A value that an iteration found is what it is to within its rounding, and of no arithmetical kind that is known.
    """
    said = {fact: is_so for fact, is_so in s.assumptions0.items() if fact in _SAID}
    if isinstance(value, mpmath.mpf | mpmath.mpc):
        if any(is_so for fact, is_so in said.items() if fact in _ARITHMETICAL):
            return False
        value = _settled(value)
    number = as_expression(value)
    return all(getattr(number, f"is_{fact}") == is_so for fact, is_so in said.items())


def challenges(
    names: Named, assumptions: Sequence[Any], kinks: Sequence[sp.Expr], rng: Random, count: int
) -> Iterator[Witness]:
    """Witnesses on or near the assumption set; who uses them checks that they lie on it."""
    equations = [as_expression(e) for a in assumptions for e in a.equations()]
    if any(e.has(AppliedUndef) for e in equations):
        return  # no numbers for symbols meet an equation between functions
    failures = 0
    tries = dict.fromkeys(kinks, _TRIES)
    several = len(kinks) > 1 and not names.exponents
    turn = rng.randrange(len(tries) or 1)  # switches are visited in turn, so that none is left out
    for number in range(3 * count):
        if failures > _MOST_FAILURES:
            return
        values = _drawn(names, assumptions, rng, number)
        also: list[sp.Expr] = []
        visited = number >= 2 * _MOST_VISITS * len(tries)
        if kinks and ((several and number % 8 == 0) or number % 16 == 4 or (visited and number % 4 == 1)):
            values = _at_several(kinks, values, names, rng, number == 0)
        elif number % 4 == 2:
            values = _beside(tries, values, names, rng) if number % 8 == 2 else _between(kinks, values, names, rng)
        elif number % 2 == 1 and not visited:
            also = [list(tries)[(turn + number // 2) % len(tries)]]
            values = _at(also[0], tries, values, names, rng) or values
        values = _signed(names, assumptions, values)
        met = (_met([*equations, *also], values, names) or _met(equations, values, names)) if equations else values
        if met is not None and all(names.admits(n, v) for n, v in met.items()):
            failures = 0
            yield Witness(met)
        else:
            failures += 1


def _at(switch: sp.Expr, tries: dict[sp.Expr, int], values: Values, names: Named, rng: Random) -> Values | None:
    """The values moved onto a switch, which is given up where that failed too often."""
    there = _onto(switch, values, names, rng)
    tries[switch] -= there is None
    if not tries[switch]:
        del tries[switch]
    return there


def _beside(tries: dict[sp.Expr, int], values: Values, names: Named, rng: Random) -> Values:
    """The values moved to a side of several switches: into a case that far or narrow conditions bound."""
    for switch in rng.sample(list(tries), min(len(tries), _MOST_BESIDE)):
        there = _at(switch, tries, values, names, rng)
        for name in (n for n in there or {} if there and there[n] is not values[n]):
            step = rng.choice((-1, 1)) * sp.Rational(rng.randint(1, 999), rng.choice((500, 5000, 500000)))
            on = there[name] if there else values[name]
            values = {**values, name: on + step if isinstance(on, sp.Expr) else on + mpmath.mpf(step.p) / step.q}
    return values


def _between(kinks: Sequence[sp.Expr], values: Values, names: Named, rng: Random) -> Values:
    """The values with two of them moved between neighbouring switches: into cases and sets that are narrow bands."""
    for name in rng.sample(sorted(values), min(len(values), 2)):
        own = [k for k in kinks if any(s.name == name for s in k.free_symbols)]
        found = [_root(k, values, name) for k in rng.sample(own, min(len(own), _MOST_BOUNDS))]
        roots = sorted({r for r in found if r is not None and (r.is_Rational if isinstance(r, sp.Expr) else True)})
        if roots:
            places = [roots[0] - 1, *roots, roots[-1] + 1]
            gaps = sorted(pairwise(places), key=lambda ends: ends[1] - ends[0])
            ends = gaps[0] if rng.random() < 0.5 else rng.choice(gaps)
            exact = all(isinstance(e, sp.Expr) for e in ends)
            low, high = ends if exact else map(Witness({}).number, ends)
            share = rng.choice((1, 4, 7))
            place = low + (high - low) * (sp.Rational(share, 8) if exact else mpmath.mpf(share) / 8)
            values = {**values, name: place} if names.admits(name, place) else values
    return values


def _root(switch: sp.Expr, values: Values, name: str) -> Any:
    """A value of a name at which a switch vanishes, exact where it is linear in it; None where none is found."""
    root = _linear_root(switch, values, name)
    if root is not None:
        return root
    if any(s.name != name for s in switch.free_symbols):
        return _numerical_root(switch, values, name)
    start = Witness(values).scalar(name)
    return _own_root(switch, name, min(_STARTS, key=lambda place: abs(place - start)))


@lru_cache(maxsize=256)
def _own_root(switch: sp.Expr, name: str, start: sp.Rational) -> Any:
    """A zero of what depends on one name alone, the same wherever the others are: looked for once from each place."""
    return _numerical_root(switch, {name: start}, name)


def _at_several(kinks: Sequence[sp.Expr], values: Values, names: Named, rng: Random, first: bool) -> Values:
    """The values moved onto as many switches at once as there are names to move, or to where one is stationary."""
    sums = [k for k in kinks if _even_parts(k)]
    if (first and sums) or rng.random() < 0.5:  # an isolated zero: of a norm, of a sum of squares
        switch = rng.choice(sums or list(kinks))
        slopes = (sp.diff(switch, s) for s in sorted(switch.free_symbols, key=str))
        vanishing = _even_parts(switch) or [d for d in slopes if d.free_symbols]
        aside = {name: v if v else _ASIDE for name, v in values.items()}
        return _met(vanishing, values, names) or _met(vanishing, aside, names) or values
    free = dict(values)
    for switch in rng.sample(list(kinks), min(len(kinks), _MOST_AT_ONCE)):
        own = sorted({s.name for s in switch.free_symbols if isinstance(s, sp.Symbol)} & set(free))
        for name in rng.sample(own, len(own)):
            root = _root(switch, values, name)
            if root is not None and names.admits(name, root):
                values = {**values, name: root}
                del free[name]
                break
    return values


def _even_parts(e: sp.Expr) -> list[sp.Expr]:
    """What vanishes where a sum of even powers and absolute values does; nothing where it is no such sum."""
    if not isinstance(e, sp.Add):
        return []
    terms = [term.as_coeff_Mul() for term in e.args]
    parts = [f for _, term in terms for f in sp.Mul.make_args(term)]
    even = (isinstance(f, sp.Abs) or (isinstance(f, sp.Pow) and f.exp.is_even and f.exp.is_positive) for f in parts)
    alike = len({c.is_positive for c, _ in terms}) == 1
    return [f.args[0] for f in parts] if alike and all(f.free_symbols for f in parts) and all(even) else []


def _drawn(names: Named, assumptions: Sequence[Any], rng: Random, number: int) -> Values:
    """Numbers of one flavour: generic reals, special values, all equal, tiny or large."""
    flavour = ("generic", "special", "generic", "mixed", "equal", "small", "generic", "large", "special")[number % 9]
    if names.exponents and number % 4 == 0:
        flavour = "special"
    values: Values = {}
    one = _number(rng, "generic")
    for name, symbols in names.symbols.items():
        kind = rng.choice(("generic", "special")) if flavour == "mixed" else flavour
        value = one if kind == "equal" else _number(rng, kind)
        if kind == "special" and names.exponents:
            value = as_expression(rng.choice(_EXPONENTS)) if name in names.exponents else -abs(value)
        values[name] = _fitted(symbols, value, rng)
    for a in assumptions:
        if flavour != "equal" and (drawn := a.sample(rng, rng.choice((0, 1, 2, 3)))):
            values.update({s.name: v for s, v in drawn.items()})
    return values


def _number(rng: Random, kind: str) -> sp.Expr:
    if kind == "special":
        return as_expression(rng.choice(_SPECIAL))
    value = sp.Rational(rng.randint(-3000, 3000), 997)
    scale = {"small": sp.Rational(1, 10 ** rng.choice((3, 6, 9))), "large": sp.Integer(10) ** rng.choice((1, 2, 4))}
    return value * scale.get(kind, sp.S.One)


def _fitted(symbols: Sequence[sp.Symbol], value: sp.Expr, rng: Random) -> sp.Expr:
    """A value near this one that the symbols admit."""
    if any(s.is_zero for s in symbols):
        return sp.S.Zero
    if any(s.is_integer for s in symbols):
        value = sp.Integer(rng.randint(-6, 9) if abs(value) < 100 else rng.randint(10, 200))
    if any(s.is_nonzero for s in symbols) and value == 0:
        value = sp.S.One
    if any(s.is_positive or s.is_nonnegative for s in symbols):
        value = abs(value)
    if any(s.is_negative or s.is_nonpositive for s in symbols):
        value = -abs(value)
    near = (value + k for k in range(40))
    others = (f(value) for f in (lambda v: v + sp.Rational(1, 3), lambda v: v * sp.sqrt(2), lambda v: v * sp.pi))
    return next((v for v in (*near, *others) if all(admissible(s, v) for s in symbols)), value)


def _signed(names: Named, assumptions: Sequence[Any], values: Values) -> Values:
    """The values with the signs that assumptions about single symbols ask for."""
    changed = dict(values)
    for a in assumptions:
        for e in (*a.positive(), *a.nonnegative(), *a.nonzero()):
            e = as_expression(e)
            if isinstance(e, sp.Symbol) and e.name in changed:
                strict = e in a.positive() or e in a.nonzero()
                value = changed[e.name]
                changed[e.name] = (
                    sp.Rational(3, 7) if value == 0 and strict else abs(value) if e not in a.nonzero() else value
                )
    return changed


# ---- kinks


def switches(expressions: Sequence[Any]) -> list[sp.Expr]:
    """What vanishes where expressions change their formula or have a pole."""
    found: dict[sp.Expr, None] = {}
    for e in expressions:
        for node in sp.preorder_traversal(e):
            for s in (factor for e in _switches(node) for factor in factors(e)):
                if s.free_symbols and not s.is_nonzero:
                    found[s] = None
        if len(found) > 8 * _MOST_SWITCHES:
            break
    return list(found)[: 8 * _MOST_SWITCHES]


def factors(e: sp.Expr) -> Iterator[sp.Expr]:
    """What vanishes where an expression does: its factors once each, of which a sign change tells a zero."""
    for f in sp.Mul.make_args(e):
        if isinstance(f, sp.Abs | sp.sign) or (isinstance(f, sp.Pow) and f.exp.is_positive):
            yield from factors(f.args[0])
        elif f.free_symbols:
            yield f


def _switches(node: Any) -> Iterator[sp.Expr]:
    if isinstance(node, sp.Abs | sp.sign | sp.Heaviside | sp.log):
        yield node.args[0]
    elif isinstance(node, sp.Max | sp.Min):
        yield from (a - b for k, a in enumerate(node.args) for b in node.args[:k])
    elif (
        isinstance(node, sp.Pow)
        and isinstance(node.base, sp.Expr)
        and (node.exp.is_negative or not node.exp.is_integer)
    ):
        yield node.base
    elif isinstance(node, sp.floor | sp.ceiling | sp.Mod):
        yield sp.sin(sp.pi * (node.args[0] if len(node.args) == 1 else node.args[0] / node.args[1]))
    elif isinstance(node, ExprCondPair):
        yield from (r.lhs - r.rhs for r in node.args[1].atoms(Relational))
    elif isinstance(node, sp.tan | sp.sec):
        yield sp.cos(node.args[0])
    elif isinstance(node, sp.cot | sp.csc):
        yield sp.sin(node.args[0])
    elif isinstance(node, sp.atan2):
        yield from node.args


def _onto(switch: sp.Expr, values: Values, names: Named, rng: Random) -> Values | None:
    """The values with one of them changed so that the switch vanishes: exactly where it is linear in that one."""
    own = sorted({s.name for s in switch.free_symbols if isinstance(s, sp.Symbol)} & set(values))
    rng.shuffle(own)
    for name in own:
        root = _root(switch, values, name)
        if root is not None and names.admits(name, root):
            return {**values, name: root}
    return None


def _linear_root(switch: sp.Expr, values: Values, name: str) -> sp.Expr | None:
    """The root by three exact values, where all values are exact and the switch is linear."""
    if (
        any(not isinstance(v, sp.Expr) for v in values.values())
        or switch.has(Application)
        or any(not (p.exp.is_Integer and p.exp > 0) for p in switch.atoms(sp.Pow))
    ):
        return None
    place = {
        s: sp.Dummy("x") if s.name == name else values[s.name]
        for s in switch.free_symbols
        if isinstance(s, sp.Symbol) and s.name in values
    }
    x = next((v for v in place.values() if isinstance(v, sp.Dummy)), None)
    placed = sp.expand(switch.xreplace(place))
    if x is None or placed.free_symbols != {x}:
        return None
    p = sp.Poly(placed, x)
    root = -p.coeff_monomial(1) / p.coeff_monomial(x) if p.degree() == 1 else None
    return root if root is not None and root.is_real else None


def _numerical_root(switch: sp.Expr, values: Values, name: str) -> Any:
    """A zero found in few digits, then made precise; one of even order is a zero of the slope. None where time ends."""
    deadline = Deadline.after(_SECONDS_OF_A_ROOT)

    def evaluated(x: Any) -> Any:
        deadline.check()
        return Evaluator(Witness({**values, name: x}))(switch)

    f, slope = (_searched(e, values, name, deadline) for e in (switch, _slope(switch, name)))
    with mpmath.workdps(_DIGITS), suppress(OutOfTime):
        start = Witness(values).scalar(name)
        for near in chain(_near_roots(f, start), islice(_near_roots(slope, start), 1)):
            for g in (f, slope):
                with suppress(*_NO_VALUE):
                    root = _refined(g, near)
                    found = isinstance(root, mpmath.mpf) and mpmath.isfinite(root)
                    if found and _stands_out(evaluated, root, _FAR_SMALLER):
                        return _settled(root)
    return None


@lru_cache(maxsize=256)
def _slope(switch: sp.Expr, name: str) -> sp.Expr:
    return sp.diff(switch, next(s for s in switch.free_symbols if s.name == name))


def _searched(e: sp.Expr, values: Values, name: str, deadline: Deadline) -> Callable[[Any], Any]:
    """A function of one value to look for a zero of: compiled where it can be, for it is asked hundreds of times.

    It has no bounds of errors: what was found is evaluated again by who decides whether it is a zero.
    """
    names, compiled = _compiled(e)
    fixed = Witness({n: v for n, v in values.items() if n != name})

    def value(x: Any) -> Any:
        deadline.check()
        if compiled is None:
            return Evaluator(Witness({**values, name: x}))(e)
        found = compiled(*(x if n == name else fixed.scalar(n) for n in names))
        if isinstance(found, mpmath.mpc):
            raise Undefined("the value is not real")
        return mpmath.mpf(found)

    return value


@lru_cache(maxsize=256)
def _compiled(e: sp.Expr) -> tuple[list[str], Callable[..., Any] | None]:
    """An expression as a function of numbers of any precision, with the names of these; None where that has no text."""
    symbols = sorted(e.free_symbols, key=str)
    compiled = None
    try:
        compiled = sp.lambdify(symbols, e, [FUNCTIONS, "mpmath"])
        compiled(*map(mpmath.mpf, range(3, len(symbols) + 3)))
    except (NameError, AttributeError, TypeError, SyntaxError, NotImplementedError):
        return [], None
    except _NO_VALUE:
        pass
    return [str(s) for s in symbols], compiled


def _refined(f: Callable[[Any], Any], near: Any) -> Any:
    """A zero in many digits: a residual is small beside what the function is elsewhere."""
    scale = max(mpmath.mpf(1), abs(f(2 * near + 1)))
    return _secant(lambda x: f(x) / scale, near, _NEARBY, _DIGITS, 20)


def _stands_out(f: Callable[[Any], Any], root: Any, step: Any) -> bool:
    """Whether a function vanishes where it is small: beside that it is far larger, which no decaying tail is."""
    return bool(abs(f(root)) <= step * abs(f(root + step)))


def _near_roots(f: Callable[[Any], Any], start: Any) -> Iterator[Any]:
    """Places near a zero: by secants from a place, then where the sign changes between places anywhere."""
    with suppress(*_NO_VALUE):
        near = _secant(f, start, mpmath.mpf("0.37"), _ROUGH, 40)
        if _stands_out(f, near, mpmath.mpf("1e-4")):
            yield near
    before: dict[int, Any] = {}  # by side: the last place outwards, and the value there
    for n, side in product(_DECADES, (-1, 1)):
        x, last = side * mpmath.mpf(10) ** n, before.get(side, before.get(-1))
        before[side] = None
        with suppress(*_NO_VALUE), mpmath.workdps(_ROUGH):
            before[side] = (x, f(x))
        if last and before[side] and last[1] * before[side][1] < 0:
            yield _bisected(f, last[0], x, last[1] < 0)


def _bisected(f: Callable[[Any], Any], low: Any, high: Any, rising: bool) -> Any:
    """A place near the zero between two; where the value is lost in rounding it is one."""
    with mpmath.workdps(_ROUGH):
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            try:
                below = (f(middle) < 0) == rising
            except _NO_VALUE:
                return middle
            low, high = (middle, high) if below else (low, middle)
    return low


def _settled(found: Any) -> Any:
    """What an iteration found; the whole number where only its rounding keeps it from one.

    A value of 1e-99 is on one side of a kink where ``y > 0`` is asked, and on it where ``exp(y) > 1`` is.
    """
    if not isinstance(found, mpmath.mpf) or abs(found) > _MOST_WHOLE:
        return found
    whole = mpmath.nint(found)
    return sp.Integer(int(whole)) if abs(found - whole) < mpmath.mpf(10) ** (-0.5 * _DIGITS) else found


def _secant(f: Callable[[Any], Any], start: Any, step: Any, digits: int, steps: int) -> Any:
    """A zero by secants, to so many digits. Raises ``ValueError`` where there is none to be found."""
    square = mpmath.mpf(10) ** (-1.2 * digits if digits == _ROUGH else -1.8 * digits)
    with mpmath.workdps(digits):
        return mpmath.findroot(f, (start, start + step), tol=square, maxsteps=steps)


# ---- equations


def _met(equations: Sequence[Any], values: Values, names: Named) -> Values | None:
    """The values moved onto the equations by Newton's method; None where that does not succeed."""
    with mpmath.workdps(_DIGITS):
        tiny = mpmath.mpf(10) ** (-0.9 * _DIGITS)
        point = dict(values)
        try:
            before, times = mpmath.mpf(0), 1
            for number in range(_NEWTON_STEPS):
                at = Evaluator(Witness(point))
                residual = [at(as_expression(e)) for e in equations]
                size = max((abs(r) for r in residual), default=mpmath.mpf(0))
                if size <= tiny:
                    return {name: _settled(v) for name, v in point.items()}
                step = _step(equations, residual, point)
                length = mpmath.sqrt(mpmath.fsum(d**2 for d in step.values()))
                if number > _COMING_NEAR and times == 1 and before and 0.4 < length / before < 0.9:
                    times = int(mpmath.nint(before / (before - length)))  # a zero of that order: steps shrink by 1/n
                before = length
                point = {**point, **{name: Witness(point).scalar(name) - times * d for name, d in step.items()}}
        except (Undefined, Unsure, ZeroDivisionError, ValueError, TypeError, ArithmeticError, NotImplementedError):
            return None
    return None


def _step(equations: Sequence[Any], residual: Sequence[Any], point: Values) -> Values:
    """The step of least length, by name."""
    at = Evaluator(Witness(point))
    symbols = sorted(
        {
            s
            for e in equations
            for s in e.free_symbols
            if isinstance(s, sp.Symbol) and not s.is_integer and s.name in point
        },
        key=lambda s: s.name,
    )
    slopes = mpmath.matrix([[at(sp.diff(e, s)) for s in symbols] for e in equations])
    gram = slopes * slopes.T
    shift = mpmath.mpf(10) ** -_DIGITS * (1 + sum(gram[i, i] for i in range(gram.rows)))
    step = slopes.T * mpmath.lu_solve(gram + shift * mpmath.eye(gram.rows), mpmath.matrix(list(residual)))
    return {s.name: d for s, d in zip(symbols, step, strict=True)}
