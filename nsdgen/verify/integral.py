"""Integrals: the fundamental theorem of calculus, where its conditions hold.

left(u) = integral from a to u follows from left' = integrand and left(a) = 0 only if left is continuous between a
and u. That is shown by the form of left: no denominator, logarithm or jump that may vanish between the bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.linear import follows, rows
from nsdgen.verify.lowering import Lowering
from nsdgen.verify.outcome import Outcome, joined
from nsdgen.verify.setting import Facts
from nsdgen.verify.shapes import IllTyped, build, same_shape, shape_of
from nsdgen.verify.statement import IntegralEqual

__all__ = ["continuous", "judge_integral"]

_EVERYWHERE = (
    sp.sin,
    sp.cos,
    sp.exp,
    sp.atan,
    sp.sinh,
    sp.cosh,
    sp.tanh,
    sp.asinh,
    sp.Abs,
    sp.Max,
    sp.Min,
    sp.erf,
    sp.sinc,
)


def judge_integral(s: IntegralEqual, equate: Callable[[Any, Any], Outcome], signs: Facts) -> Outcome:
    """The outcome; ``equate`` decides equalities, ``signs`` are the sign conditions of the setting."""
    left, integrand = build(s.left), build(s.integrand)
    if not same_shape(shape_of(left), shape_of(integrand)):
        raise IllTyped(
            f"the left side is {' x '.join(map(str, shape_of(left)))}, "
            f"the integrand {' x '.join(map(str, shape_of(integrand)))}"
        )
    if s.variable != s.upper and (integrand.has(s.upper) or s.lower.has(s.upper)):
        return Outcome(
            "undecided",
            "none",
            f"the integrand or the lower bound depends on the upper bound {s.upper}: "
            "give it another name there, and state the identity in both",
        )
    rate = equate(sp.diff(left, s.upper), integrand.subs(s.variable, s.upper))
    start = equate(left.subs(s.upper, s.lower), sp.S.Zero)
    found = joined([rate, start])
    if found.status == "proved":
        place = _between(s, signs)
        entries = list(left) if isinstance(left, sp.MatrixBase) else [left]
        for e in entries:
            if not continuous(e.xreplace({s.upper: place}), place, signs):
                return found.but(
                    status="undecided",
                    entries=(),
                    reason=(
                        f"the derivatives agree, but {e} may jump or have a pole between {s.lower} and {s.upper}: "
                        "state on which side of it the bounds lie"
                    ),
                )
    return found.but(method=f"{found.method}, fundamental theorem of calculus")


def _between(s: IntegralEqual, signs: Facts) -> sp.Symbol:
    """A symbol for a place between the bounds, of their sign where they have one."""
    given = rows(signs.positive, signs.nonnegative)

    def known(e: sp.Expr, strict: bool) -> bool:
        return bool(e.is_positive or (not strict and e.is_nonnegative)) or follows(e, strict, given)

    lower = as_expression(s.lower)
    for sign, name in ((1, "positive"), (-1, "negative")):
        if all(known(sign * e, True) for e in (lower, s.upper)):
            return sp.Dummy("s", real=True, **{name: True})
    for sign, name in ((1, "nonnegative"), (-1, "nonpositive")):
        if all(known(sign * e, False) for e in (lower, s.upper)):
            return sp.Dummy("s", real=True, **{name: True})
    return sp.Dummy("s", real=True)


def continuous(e: sp.Expr, place: sp.Symbol, signs: Facts) -> bool:
    """Whether the form of an expression shows that it is continuous and finite for all values of a symbol.

    Unknown functions are smooth.
    """
    lowering = Lowering(signs)

    def positive(part: sp.Expr, strict: bool) -> bool:
        if part.is_positive or (not strict and part.is_nonnegative):
            return True
        lowering.announce([part])
        return lowering.is_positive(sp.expand(lowering(part)), strict)

    def apart(part: sp.Expr) -> bool:
        return bool(part.is_nonzero) or positive(part, True) or positive(-part, True)

    def fine(node: Any) -> bool:
        if not node.args or not node.has(place):
            return not node.has(sp.nan, sp.zoo, sp.oo, -sp.oo)
        if not all(map(fine, node.args)):
            return False
        if isinstance(node, (sp.Add, sp.Mul, AppliedUndef, *_EVERYWHERE)):
            return True
        if isinstance(node, sp.Pow):
            whole = node.exp.is_integer
            if node.exp.is_nonnegative:
                return bool(whole) or positive(node.base, False)
            return apart(node.base) if whole else positive(node.base, True)
        if isinstance(node, sp.log):
            return positive(node.args[0], True)
        return False

    return fine(e)
