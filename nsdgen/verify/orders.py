"""Equalities up to an order: f = p + O((x - a)^n) says that f - p is bounded by a multiple of (x - a)^n near a."""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from nsdgen.errors import ModelError

_FIX = "state one equality f = p + O((x - a)**n), n an integer"
_T = sp.Dummy("t", positive=True)


def has_order(*sides: Any) -> bool:
    """Whether there is an O term anywhere in what a statement says."""
    return any(isinstance(s, sp.Basic | sp.MatrixBase) and s.has(sp.Order) for s in sides)


def refuse_orders(*sides: Any) -> None:
    """Raises ``ModelError`` where an O term stands in what is read as exact: it is a set of functions, no value."""
    if has_order(*sides):
        raise ModelError("an order O(...) is no value: it stands for many functions", where="verify", fix=_FIX)


def order_of(sides: Sequence[Any]) -> tuple[sp.Symbol, sp.Expr, int, bool]:
    """The variable x, the point a, the least n of the orders that the sides end in, and whether all are the same.

    Raises ``ModelError`` for orders of another form, within an expression or a matrix, and in chains of equalities:
    two exact sides beside an order are not said to be equal.
    """
    orders = [side.getO() for side in sides if isinstance(side, sp.Expr) and side.getO() is not None]
    refuse_orders(*(side.removeO() if isinstance(side, sp.Expr) else side for side in sides))
    if (
        any(len(o.variables) != 1 or not o.point[0].is_finite for o in orders)
        or len({(o.variables[0], o.point[0]) for o in orders}) != 1
    ):
        raise ModelError("orders in several variables, at several points or at infinity", where="Equal", fix=_FIX)
    if len(sides) - len(orders) > 1:
        raise ModelError("several exact sides beside an order", where="Equal", fix=_FIX)
    x, at = orders[0].variables[0], orders[0].point[0]
    powers = set()
    for o in orders:
        factor, n = sp.factor(o.expr.subs(x, at + _T)).as_coeff_exponent(_T)
        if not n.is_Integer or _T in factor.free_symbols:
            raise ModelError(f"{o} is no order of a power", where="Equal", fix=_FIX)
        powers.add(int(n))
    return x, at, min(powers), len(powers) == 1


def ways(x: sp.Symbol, at: sp.Expr) -> tuple[int, ...]:
    """From which sides, +1 and -1, the variable comes to the point."""
    return tuple(w for w in (1, -1) if not (at == 0 and (x.is_nonnegative if w < 0 else x.is_nonpositive)))


def polynomials(side: sp.Expr, x: sp.Symbol, at: sp.Expr, n: int) -> list[sp.Expr]:
    """The terms below (x - at)^n of the expansion for each of the ``ways``.

    Raises ``ModelError`` where there is none in integer powers.
    """
    found = []
    for way in ways(x, at):
        series = sp.series(side.removeO().subs(x, at + way * _T), _T, 0, max(n, 1))
        known = series.getO()
        kept = []
        for term in sp.Add.make_args(sp.expand(series.removeO())):
            factor, power = term.as_coeff_exponent(_T)
            if _T in factor.free_symbols or not power.is_Integer:
                raise ModelError(f"{side} has no expansion in powers at {x} = {at}", where="Equal", fix=_FIX)
            kept.append(factor * (way * (x - at)) ** power if power < n else sp.S.Zero)
        if known is not None and not known.expr.as_coeff_exponent(_T)[1] >= n:
            raise ModelError(f"the expansion of {side} at {x} = {at} ends too early", where="Equal", fix=_FIX)
        found.append(sp.Add(*kept))
    return found
