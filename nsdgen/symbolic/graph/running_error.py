"""The meaning of an expression, node by node in mpmath, and how far double precision may be from it.

A reading that shares no code with the derivation or the emission. :func:`evaluate` works at mpmath's
current precision; :class:`BoundedEvaluator` also gives a running error bound: every node passes on the errors of
its arguments, measured by moving one argument at a time, and adds its own. That is two units in the
result (a mathematical function is good to one unit in the last place, which is two roundoffs), one
more for each factor of an integer power, and in a sum or product one for each term
(Higham, Accuracy and Stability of Numerical Algorithms, section 3.3).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import mpmath
import sympy as sp
from sympy.core.symbol import Str
from sympy.functions.elementary.piecewise import ExprCondPair

from nsdgen.errors import DerivationError
from nsdgen.symbolic.expressions.nodes import Branch, Floor, Let, Modulo, Sign, Stumpff
from nsdgen.symbolic.graph.computed import Computed, expanded

UNIT = mpmath.mpf(2) ** -53
"""The unit roundoff of double precision."""

Pair = tuple[Any, Any]


def stumpff(k: Any, s: Any) -> Any:
    """c_k(s) = sum (-s)^i / (k + 2 i)!, summed until the terms vanish at the working precision."""
    with mpmath.extraprec(20 + 3 * int(abs(s) ** 0.5)):  # the largest term is about exp(sqrt |s|)
        term, i, total = 1 / mpmath.factorial(k), 0, mpmath.mpf(0)
        while term != 0 and (abs(term) > mpmath.eps * abs(total) or i < 3):
            total += term
            i += 1
            term *= -s / ((k + 2 * i - 1) * (k + 2 * i))
    return +total


_SAME = (
    *("exp", "log", "sin", "cos", "tan", "cot", "sec", "csc", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sinc"),
)
"""Functions that SymPy and mpmath call the same."""

_RULES: dict[type, Callable[..., Any]] = {
    sp.Add: lambda *args: mpmath.fsum(args),
    sp.Mul: lambda *args: mpmath.fprod(args),
    sp.Pow: mpmath.power,
    Floor: mpmath.floor,
    sp.floor: mpmath.floor,
    sp.ceiling: mpmath.ceil,
    Let: lambda _, value: value,
    Modulo: lambda a, b: a - b * mpmath.floor(a / b),
    sp.Mod: lambda a, b: a - b * mpmath.floor(a / b),
    Sign: mpmath.sign,
    sp.sign: mpmath.sign,
    sp.Abs: mpmath.fabs,
    sp.Max: max,
    sp.Min: min,
    sp.Heaviside: lambda a, *at_zero: mpmath.mpf(a > 0) if a != 0 else at_zero[0] if at_zero else mpmath.mpf("0.5"),
    Stumpff: stumpff,
    sp.LessThan: lambda a, b: a <= b,
    sp.StrictLessThan: lambda a, b: a < b,
    sp.GreaterThan: lambda a, b: a >= b,
    sp.StrictGreaterThan: lambda a, b: a > b,
    sp.Equality: lambda a, b: a == b,
    sp.Unequality: lambda a, b: a != b,
    sp.And: lambda *args: all(args),
    sp.Or: lambda *args: any(args),
    sp.Not: lambda a: not a,
    sp.atan2: mpmath.atan2,
    **{getattr(sp, name): getattr(mpmath, name) for name in _SAME},
}


def evaluate(expr: sp.Basic, values: Mapping[sp.Symbol, Any]) -> Any:
    """The value of ``expr`` where its symbols have these values."""
    return evaluate_all([expr], values)[0]


def evaluate_all(expressions: Iterable[sp.Basic], values: Mapping[sp.Basic, Any]) -> list[Any]:
    """:func:`evaluate` of many expressions at one point, each shared subexpression once."""
    known: dict[sp.Basic, Any] = {symbol: mpmath.mpf(value) for symbol, value in values.items()}

    def value(node: sp.Basic) -> Any:
        if isinstance(node, sp.Number):  # a Float takes longer to be found in a table than to be read
            return _constant(node)
        found = known.get(node)
        if found is None:
            branch = _branches(node)
            if isinstance(node, Computed):
                found = value(expanded(node))
            elif branch is not None:
                found = next((value(v) for v, condition in branch if value(condition)), mpmath.nan)
            else:
                found = _constant(node) if not node.args else _apply(node, [value(a) for a in node.args])
            known[node] = found
        return found

    return [value(expr) for expr in expressions]


def real_values(expressions: Iterable[sp.Basic], values: Mapping[sp.Basic, Any]) -> list[float]:
    """Those of all these at one point as floats; none where one of them is no real number.

    A part of an expression may have a value of its own, as a symbol has.
    """
    try:
        return [float(e) for e in evaluate_all(expressions, {s: float(e) for s, e in values.items()})]
    except (DerivationError, ArithmeticError, TypeError, ValueError):
        return []


class BoundedEvaluator:
    """The value of an expression and, to first order, a bound of the rounding errors of double precision.

    Call it with more than 32 digits. Many expressions at one point share what their trees share.

    With ``conditioning`` every symbol counts as rounded once, which adds the effect of the rounding of
    the inputs: what a backward stable code in another arrangement may deviate.
    """

    def __init__(self, values: Mapping[sp.Symbol, Any], *, conditioning: bool = False) -> None:
        exact = {s: mpmath.mpf(v) for s, v in values.items()}
        self._known: dict[sp.Basic, Pair] = {
            s: (v, abs(v) * UNIT if conditioning else mpmath.mpf(0)) for s, v in exact.items()
        }

    def __call__(self, node: sp.Basic) -> Pair:
        known = self._known
        if node not in known:
            branch = _branches(node)
            if isinstance(node, Computed):
                known[node] = self(expanded(node))
            elif branch is not None:
                known[node] = next(
                    (self(v) for v, condition in branch if self(condition)[0]), (mpmath.nan, mpmath.mpf(0))
                )
            elif not node.args:
                constant = _constant(node)
                exact = isinstance(node, sp.Integer) or not isinstance(node, sp.Number | sp.NumberSymbol)
                known[node] = constant, mpmath.mpf(0) if exact else abs(constant) * UNIT
            else:
                known[node] = _with_error(node, [self(a) for a in node.args])
        return known[node]


def _branches(node: sp.Basic) -> list[tuple[sp.Basic, sp.Basic]] | None:
    """(value, condition) in order, where ``node`` chooses between values."""
    if isinstance(node, Branch):
        return list(zip(node.values, node.conditions, strict=True))
    if isinstance(node, sp.Piecewise):
        return [(pair.args[0], pair.args[1]) for pair in node.args if isinstance(pair, ExprCondPair)]
    return None


def _with_error(node: sp.Basic, pairs: list[Pair]) -> Pair:
    args = [a for a, _ in pairs]
    result = _apply(node, args)
    if isinstance(result, bool):
        return result, mpmath.mpf(0)
    inherited = sum(
        abs(_apply(node, [*args[:i], a + e, *args[i + 1 :]]) - result) for i, (a, e) in enumerate(pairs) if e
    )
    if isinstance(node, Let):
        return result, inherited
    size = sum(abs(a) for a in args) if isinstance(node, sp.Add) else abs(result)
    operations = abs(int(args[1])) + 1 if isinstance(node, sp.Pow) else len(args)
    return result, inherited + UNIT * size * max(2, operations)


def _constant(node: sp.Basic) -> Any:
    if isinstance(node, sp.Rational):
        return mpmath.mpf(node.p) / node.q
    if isinstance(node, sp.Float):
        return mpmath.mpf(float(node))
    if node in (sp.true, sp.false):
        return bool(node)
    if isinstance(node, Str):
        return mpmath.mpf(0)  # the name in a Let
    known = {sp.pi: +mpmath.pi, sp.E: +mpmath.e, sp.oo: mpmath.inf, -sp.oo: -mpmath.inf, sp.nan: mpmath.nan}
    if node not in known:
        raise DerivationError(
            f"{node} has no value", where="evaluation", fix="give every symbol of the expression a value"
        )
    return known[node]


def _apply(node: sp.Basic, args: Sequence[Any]) -> Any:
    rule = _RULES.get(type(node))
    if rule is None:
        raise DerivationError(
            f"{type(node).__name__} cannot be evaluated in high precision",
            where=str(node)[:80],
            fix="write it by sums, products, powers and functions that nsdgen knows",
        )
    return rule(*args)
