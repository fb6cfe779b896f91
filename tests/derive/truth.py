"""The meaning of an expression, node by node in mpmath: a reading that shares no code with nsdgen's.

:func:`evaluate` works at mpmath's current precision; :func:`bounded` also says how far double
precision may be from the result. :func:`hamilton` is the product of quaternions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mpmath
import sympy as sp

from nsdgen.symbolic.nodes import Branch, Floor, Let, Modulo, Sign, Stumpff

UNIT = mpmath.mpf(2) ** -53
"""The unit roundoff of double precision."""


def stumpff(k: Any, s: Any) -> Any:
    """c_k(s) = sum (-s)^i / (k + 2 i)!, summed until the terms vanish at the working precision."""
    with mpmath.extraprec(20 + 3 * int(abs(s) ** 0.5)):  # the largest term is about exp(sqrt |s|)
        term, i, total = 1 / mpmath.factorial(k), 0, mpmath.mpf(0)
        while term != 0 and (abs(term) > mpmath.eps * abs(total) or i < 3):
            total += term
            i += 1
            term *= -s / ((k + 2 * i - 1) * (k + 2 * i))
    return +total


_RULES: dict[type, Callable[..., Any]] = {
    sp.Add: lambda *args: mpmath.fsum(args),
    sp.Mul: lambda *args: mpmath.fprod(args),
    sp.Pow: mpmath.power,
    Floor: mpmath.floor,
    Let: lambda _, value: value,
    Modulo: lambda a, b: a - b * mpmath.floor(a / b),
    Sign: mpmath.sign,
    sp.Abs: mpmath.fabs,
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
    **{getattr(sp, name): getattr(mpmath, name) for name in ("exp", "log", "sin", "cos", "tan", "tanh", "atan")},
}


def evaluate(expr: sp.Basic, values: Mapping[sp.Symbol, Any]) -> Any:
    """The value of ``expr`` where its symbols have these values."""
    known: dict[sp.Basic, Any] = {symbol: mpmath.mpf(value) for symbol, value in values.items()}

    def value(node: sp.Basic) -> Any:
        if node not in known:
            if isinstance(node, Branch):
                pairs = zip(node.values, node.conditions, strict=True)
                known[node] = next(value(v) for v, condition in pairs if value(condition))
            else:
                known[node] = _constant(node) if _is_constant(node) else _apply(node, [value(a) for a in node.args])
        return known[node]

    return value(expr)


def bounded(expr: sp.Basic, values: Mapping[sp.Symbol, Any]) -> tuple[Any, Any]:
    """The value of ``expr`` and, to first order, a bound of the rounding errors of double precision.

    Running error analysis. Every node passes on the errors of its arguments, measured by moving
    one argument at a time, and adds its own: two units in the result (a mathematical function is
    good to one unit in the last place, which is two roundoffs), one more for each factor of an
    integer power, and in a sum or product one for each term. Call it with more than 32 digits.
    """
    known: dict[sp.Basic, tuple[Any, Any]] = {s: (mpmath.mpf(v), mpmath.mpf(0)) for s, v in values.items()}

    def value(node: sp.Basic) -> tuple[Any, Any]:
        if node not in known:
            if isinstance(node, Branch):
                pairs = zip(node.values, node.conditions, strict=True)
                known[node] = next(value(v) for v, condition in pairs if value(condition)[0])
            elif _is_constant(node):
                constant = _constant(node)
                exact = isinstance(node, sp.Integer) or not isinstance(node, sp.Number | sp.NumberSymbol)
                known[node] = constant, mpmath.mpf(0) if exact else abs(constant) * UNIT
            else:
                known[node] = _with_error(node, [value(a) for a in node.args])
        return known[node]

    return value(expr)


def _with_error(node: sp.Basic, pairs: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    args = [a for a, _ in pairs]
    result = _apply(node, args)
    if isinstance(result, bool):
        return result, mpmath.mpf(0)
    inherited = sum(abs(_apply(node, [*args[:i], a + e, *args[i + 1:]]) - result)
                    for i, (a, e) in enumerate(pairs) if e)
    if isinstance(node, Let):
        return result, inherited
    size = sum(abs(a) for a in args) if isinstance(node, sp.Add) else abs(result)
    operations = abs(int(args[1])) + 1 if isinstance(node, sp.Pow) else len(args)
    return result, inherited + UNIT * size * max(2, operations)


def _is_constant(node: sp.Basic) -> bool:
    return not node.args


def _constant(node: sp.Basic) -> Any:
    if node in (sp.true, sp.false):
        return bool(node)
    if isinstance(node, sp.Rational):
        return mpmath.mpf(node.p) / node.q
    if isinstance(node, sp.Float):
        return mpmath.mpf(float(node))
    if isinstance(node, sp.core.symbol.Str):
        return mpmath.mpf(0)  # the name in a Let
    return {sp.pi: +mpmath.pi, sp.E: +mpmath.e}[node]


def _apply(node: sp.Basic, args: list[Any]) -> Any:
    return _RULES[type(node)](*args)


def hamilton(p: Sequence[Any], q: Sequence[Any]) -> list[Any]:
    """The product of two quaternions from i^2 = j^2 = k^2 = ijk = -1."""
    a, b, c, d = p
    e, f, g, h = q
    return [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e]
