"""Zeros of expressions in many digits: in one value, exact where it is linear there, and in several at once.

Nothing here has bounds of errors: what was found is evaluated again by who decides whether it is a zero.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice, product
from random import Random
from typing import Any

import mpmath
import sympy as sp
from sympy.core.function import Application

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.setting import Deadline, OutOfTime

from .elementary import FUNCTIONS, NO_VALUE, Undefined
from .meaning import Evaluator
from .truth import PRECISIONS
from .witness import Witness

Values = dict[str, Any]
_DIGITS = PRECISIONS[-1] + 20
_ROUGH = 20  # digits in which a zero is looked for, before it is made precise
_NEARBY = mpmath.mpf("1e-8")
_HALVINGS = 66  # of an interval to its last digit of _ROUGH
_MOST_WHOLE = mpmath.mpf("1e15")  # beyond it a whole number has no digits left to be told apart by
# Places, on both sides of 0, between which a zero is looked for: closer where functions turn.
_DECADES = (-6, -3, -1, 0, 0.25, 0.5, 0.75, 1, 1.5, 2, 4, 6, 8, 11, 15)
_STARTS = tuple(
    side * sp.Rational(n, 10) for side in (1, -1) for n in (1, 5, 10, 17, 24, 33, 45, 62, 110, 310, 3100, 10**6)
)
_NO_VALUE = (*NO_VALUE, TypeError)
_FAR_SMALLER = mpmath.mpf("1e-20")  # a zero in 92 digits stands out from it still where it is of third order
_SECONDS_OF_A_ROOT = 1.0  # functions that take 20 ms each are asked 50 times
_COMING_NEAR = 9  # steps that may halve the distance from far off, as those to a multiple zero do
_NEWTON_STEPS = 24  # seven double one digit to the 92 in use; as many to come near, and as many for a multiple zero


def zero_in(switch: sp.Expr, values: Values, name: str) -> Any:
    """A value of a name at which a switch vanishes, exact where it is linear in it; None where none is found."""
    exact = linear_root(switch, values, name)
    if exact is not None:
        return exact
    if any(s.name != name for s in switch.free_symbols):
        return _numerical_root(switch, values, name)
    start = Witness(values).scalar(name)
    return _own_root(switch, name, min(_STARTS, key=lambda place: abs(place - start)))


@lru_cache(maxsize=256)
def _own_root(switch: sp.Expr, name: str, start: sp.Rational) -> Any:
    """A zero of what depends on one name alone, the same wherever the others are: looked for once from each place."""
    return _numerical_root(switch, {name: start}, name)


def linear_root(switch: sp.Expr, values: Values, name: str) -> sp.Expr | None:
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
    placed = switch.xreplace(place)
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

    moved = next(s for s in switch.free_symbols if s.name == name)
    f, slope = (_searched(e, values, name, deadline) for e in (switch, slope_of(switch, moved)))
    with mpmath.workdps(_DIGITS), suppress(OutOfTime):
        start = Witness(values).scalar(name)
        for near in chain(_near_roots(f, start), islice(_near_roots(slope, start), 1)):
            for g in (f, slope):
                with suppress(*_NO_VALUE):
                    root = _refined(g, near)
                    found = isinstance(root, mpmath.mpf) and mpmath.isfinite(root)
                    if found and _stands_out(evaluated, root, _FAR_SMALLER):
                        return settled(root)
    return None


@lru_cache(maxsize=256)
def slope_of(e: sp.Expr, s: sp.Symbol) -> sp.Expr:
    """The derivative beside jumps."""
    beside = sp.diff(e, s).replace(sp.DiracDelta, lambda *args: sp.S.Zero)
    return beside.replace(sp.Heaviside, lambda a, *at: (1 + sp.sign(a)) / 2)


@lru_cache(maxsize=1024)
def _derivative(e: sp.Expr, s: sp.Symbol) -> sp.Expr:
    """A derivative that every step of Newton's method takes the value of."""
    return sp.diff(e, s)


def _searched(e: sp.Expr, values: Values, name: str, deadline: Deadline) -> Callable[[Any], Any]:
    """A function of one value to look for a zero of: compiled where it can be, for it is asked hundreds of times."""
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


def settled(found: Any) -> Any:
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


def moved_onto(
    equations: Sequence[sp.Expr], values: Values, rng: Random, fixed: frozenset[str] = frozenset()
) -> Values | None:
    """The values moved onto equations: exactly, one name for each, or by Newton's method; None where neither does.

    A single equation may also be met by one name alone, which finds zeros of even order: cos(x) = 1.
    """
    met = _solved(equations, values, rng, fixed) or common_zero(equations, values)
    own = sorted({s.name for s in equations[0].free_symbols if s.name in values} - fixed) if len(equations) == 1 else []
    if met is None and own:
        root = zero_in(equations[0], values, name := rng.choice(own))
        met = None if root is None else {**values, name: root}
    return met


def _solved(equations: Sequence[sp.Expr], values: Values, rng: Random, fixed: frozenset[str]) -> Values | None:
    """The values with one moved for each equation that does not hold, exactly; None where that is not possible.

    The name has no place in the equations before.
    """
    held = set(fixed)
    for e in equations:
        at = Evaluator(Witness(values)).exact(e)
        own = sorted({s.name for s in e.free_symbols if s.name in values} - held)
        rng.shuffle(own)
        if at is None:
            return None
        if at:
            roots = ((name, root) for name in own if (root := linear_root(e, values, name)) is not None)
            name, root = next(roots, ("", None))
            if root is None:
                return None
            values = {**values, name: root}
        held |= {s.name for s in e.free_symbols}
    return values


def common_zero(equations: Sequence[Any], values: Values) -> Values | None:
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
                    return {name: settled(v) for name, v in point.items()}
                step = _step(equations, residual, point)
                length = mpmath.sqrt(mpmath.fsum(d**2 for d in step.values()))
                if number > _COMING_NEAR and times == 1 and before and 0.4 < length / before < 0.9:
                    times = int(mpmath.nint(before / (before - length)))  # a zero of that order: steps shrink by 1/n
                before = length
                point = {**point, **{name: Witness(point).scalar(name) - times * d for name, d in step.items()}}
        except (*_NO_VALUE, NotImplementedError):
            return None
    return None


def _step(equations: Sequence[Any], residual: Sequence[Any], point: Values) -> Values:
    """The step of least length, by name."""
    at = Evaluator(Witness(point))
    free = {s for e in equations for s in e.free_symbols if isinstance(s, sp.Symbol) and not s.is_integer}
    symbols = sorted((s for s in free if s.name in point), key=lambda s: s.name)
    slopes = mpmath.matrix([[at(_derivative(e, s)) for s in symbols] for e in equations])
    # S^T (S S^T + c)^-1 = (S^T S + c)^-1 S^T: the smaller of both systems is solved, for rotations 9 rows of 22.
    wide = slopes.cols > slopes.rows
    gram = slopes * slopes.T if wide else slopes.T * slopes
    gram += mpmath.mpf(10) ** -_DIGITS * (1 + sum(gram[i, i] for i in range(gram.rows))) * mpmath.eye(gram.rows)
    right = mpmath.matrix(list(residual))
    step = slopes.T * mpmath.lu_solve(gram, right) if wide else mpmath.lu_solve(gram, slopes.T * right)
    return {s.name: d for s, d in zip(symbols, step, strict=True)}
