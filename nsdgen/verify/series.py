"""Power-series identities in one variable (an operator stands for it as well: its powers commute)."""

from collections.abc import Callable

import sympy as sp

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.outcome import Difference, Outcome
from nsdgen.verify.statement import SeriesEqual


def judge_series(s: SeriesEqual, same: Callable[[sp.Expr, sp.Expr], Outcome]) -> Outcome:
    """Compare Taylor coefficients exactly; where all agree, sum the series in closed form and compare the forms.

    A coefficient that differs is an exact refutation. Equal coefficients up to the order alone are no proof:
    without a closed form the status is "consistent".
    """
    x = s.variable
    closed, term = as_expression(s.closed), as_expression(s.term)
    if s.index is None:
        outcome = same(closed, term)
        if outcome.status in ("proved", "consistent"):
            return outcome.but(method=f"{outcome.method} of closed forms")
    difference = _first_difference(s, closed, term)
    if difference is not None:
        power, left, right = difference
        point, values = ((f"coefficient of {x}", str(power)),), (str(left), str(right))
        entries = (Difference(0, 0, s.closed, s.term, "refuted", point, values),)
        return Outcome("refuted", "Taylor coefficients", f"the coefficients of {x}**{power} differ", entries)
    if s.index is None:
        if outcome.status == "refuted" and any(e.is_polynomial(x) for e in (closed, term)):
            return _to_order(s, "a polynomial is compared with a series: equal up to its order")
        return outcome
    summed = sp.summation(term, (s.index, s.start, sp.oo))
    for form in _closed_forms(summed):
        outcome = same(closed, form)
        if outcome.status == "proved":
            entries = (Difference(0, 0, s.closed, s.term, "proved"),)
            return outcome.but(method=f"series summed in closed form, {outcome.method}", entries=entries)
    return _to_order(s)


def _to_order(s: SeriesEqual, reason: str = "") -> Outcome:
    method = f"Taylor coefficients to order {s.order}"
    entries = (Difference(0, 0, s.closed, s.term, "consistent"),)
    return Outcome("consistent", method, reason, entries, agreeing=s.order)


def _closed_forms(summed: sp.Expr) -> list[sp.Expr]:
    """Forms of a sum without the sum; the regular branch of a ``Piecewise`` first."""
    branches = [b for b, _ in summed.args] if isinstance(summed, sp.Piecewise) else [summed]
    forms = [b for b in branches if not b.has(sp.Sum)]
    return [*forms, *(sp.simplify(sp.expand_func(f)) for f in forms)]


def _first_difference(s: SeriesEqual, closed: sp.Expr, term: sp.Expr) -> tuple[int, sp.Expr, sp.Expr] | None:
    """The lowest power with different coefficients, and both; None where all agree up to the order.

    Negative powers count as well: a sum that starts too early has one that the closed form has not.
    """
    x = s.variable
    if s.index is None:
        total = sp.series(term, x, 0, s.order).removeO()
    else:
        total = sum((term.subs(s.index, s.start + k).doit() for k in range(2 * s.order + 4)), sp.S.Zero)
    left, right = sp.expand(sp.series(closed, x, 0, s.order).removeO()), sp.expand(total)
    powers = [t.as_coeff_exponent(x)[1] for e in (left, right) for t in sp.Add.make_args(e)]
    for power in range(min(0, *(int(p) for p in powers if p.is_Integer)), s.order):
        a, b = left.coeff(x, power), right.coeff(x, power)
        if a != b and sp.simplify(a - b) != 0 and sp.simplify(a - b).equals(0) is False:
            return power, a, b
    return None
