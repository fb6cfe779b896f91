"""Integrals and orders as equalities of values and derivatives, beside what makes these say it.

left(u) is the integral of f from a to u where left is smooth but for kinks, left' = f and left(a) = 0. An expression is
O((x - a)^n) where it is smooth around a and its derivatives below the n-th vanish there. Smooth is what is made of
smooth functions, which unknown ones are, and divides by nothing that vanishes: each divisor is a goal of its own.
"""

from collections.abc import Iterator
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from .texts import Inexpressible

_SMOOTH = (sp.sin, sp.cos, sp.exp, sp.atan, sp.sinh, sp.cosh, sp.tanh, sp.asinh, sp.erf, AppliedUndef)
_KINKED = (sp.Abs, sp.Max, sp.Min)  # continuous, and smooth but for points
Said = tuple[str, sp.Expr, sp.Expr]
"""A relation between two expressions."""


def integral_goals(left: sp.Expr, integrand: sp.Expr, x: sp.Symbol, low: sp.Expr, high: Any) -> Iterator[Said]:
    """What shows left to be the integral; for all values of the upper bound. Raises ``Inexpressible``."""
    if not isinstance(high, sp.Symbol) or low.has(high) or (x != high and integrand.has(high)):
        raise Inexpressible("an integral whose parts depend on its upper bound")
    yield "=", sp.diff(left, high), integrand.subs(x, high)
    yield "=", left.subs(high, low), sp.S.Zero
    for kind, e in _conditions(left, high, _KINKED):
        yield kind, e, sp.S.Zero


def order_goals(difference: sp.Expr, x: sp.Symbol, at: sp.Expr, order: int) -> Iterator[Said]:
    """What shows a difference to be of an order at a point. Raises ``Inexpressible``."""
    if order < 1:
        raise Inexpressible("an order without a derivative")
    for kind, e in _conditions(difference, x):
        yield kind, e.subs(x, at), sp.S.Zero
    for _ in range(order):
        yield "=", difference.subs(x, at), sp.S.Zero
        difference = sp.diff(difference, x)


def constant_divisors(e: sp.Expr, x: sp.Symbol) -> list[sp.Expr]:
    """What an expression divides by that is the same for all values of a name: it is defined, so that is not zero."""
    powers = sorted(e.atoms(sp.Pow), key=sp.default_sort_key)
    return [p.base for p in powers if p.exp.is_negative and not p.base.has(x) and p.base.free_symbols]


def _conditions(e: sp.Expr, x: sp.Symbol, also: tuple[type, ...] = ()) -> Iterator[tuple[str, sp.Expr]]:
    """What makes an expression smooth in a name, ``also`` being so. Raises ``Inexpressible`` where it need not be."""
    if not e.has(x):
        return
    if isinstance(e, sp.Pow) and not (e.exp.is_Integer and e.exp.is_positive):
        yield "!=" if e.exp.is_Integer else ">", e.base
    elif isinstance(e, sp.log):
        yield ">", e.args[0]
    elif isinstance(e, sp.tan):
        yield "!=", sp.cos(e.args[0])
    elif isinstance(e, (sp.Max, sp.Min)) and len(e.args) > 2:
        raise Inexpressible("the largest of three: where all are the same, its derivative is none of theirs")
    elif not (e.is_Symbol or isinstance(e, (sp.Add, sp.Mul, sp.Pow, *_SMOOTH, *also))):
        raise Inexpressible(f"{type(e).__name__} need not be smooth")
    for a in e.args:
        yield from _conditions(a, x, also)
