"""Judging a statement of any kind under a setting: what is single in it, each kind by its own rule.

The single statements are those that have a part of their own in a certificate: one value of an index, one conclusion
under its premises, one equality of two sides.
"""

from collections.abc import Callable
from typing import Any

import sympy as sp

from nsdgen.errors import ModelError, NsdgenError
from nsdgen.symbolic.expressions.conversion import as_expression, is_matrix
from nsdgen.verify.certificate.claim_text import COMPOSITE, single
from nsdgen.verify.certificate.making import proofs_of
from nsdgen.verify.claim import Reading
from nsdgen.verify.compare import compare, confirmed
from nsdgen.verify.orders import has_order, order_of, polynomials, refuse_orders
from nsdgen.verify.outcome import Difference, Outcome, joined
from nsdgen.verify.premises import paired, shape_text
from nsdgen.verify.quantities import expressions, with_entries
from nsdgen.verify.setting import Deadline, OutOfTime, Setting
from nsdgen.verify.shapes import IllTyped, build, is_abstract, same_shape, shape_of
from nsdgen.verify.statement import Definite, Equal, Fails, Iff, Implies, Inequality, IntegralEqual, SeriesEqual, Shape

_THEOREM = "fundamental theorem of calculus"


def judge(statement: Any, setting: Setting, deadline: Deadline, first: bool = False) -> Outcome:
    """The outcome of a statement; ``first`` stops at the first refuted entry.

    Raises ``ModelError`` for something that is no statement.
    """
    if type(statement) not in (*_KINDS, *COMPOSITE):
        raise ModelError(
            f"{statement!r} is no statement",
            where="verify",
            fix=f"use one of {', '.join(kind.__name__ for kind in (*_KINDS, *COMPOSITE))}",
        )
    try:
        singles = list(single(statement, setting.assumptions))
    except (IllTyped, NsdgenError) as error:
        return failed(error)
    outcome = joined([_single(one, Setting(assumed, setting.seed), deadline, first) for one, assumed in singles])
    if isinstance(statement, Iff) and outcome.status == "refuted":
        there = len(list(single(Implies(statement.left, statement.right), setting.assumptions)))
        first_wrong = next(k for k, o in enumerate(outcome.parts) if o.status == "refuted")
        one, other = ("left", "right") if first_wrong < there else ("right", "left")
        outcome = outcome.but(reason=outcome.reason or f"the {one} side does not imply the {other} one")
    if isinstance(statement, Implies | Iff) and outcome.method not in ("shape", "none"):
        return outcome.but(method=f"{outcome.method} under the premises")
    return outcome


def _single(statement: Any, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    """The outcome of a single statement; whatever goes wrong is one as well."""
    try:
        if not isinstance(statement, Equal | Fails):
            refuse_orders(*expressions(statement))
        return _KINDS[type(statement)](statement, setting, deadline, first)
    except Exception as error:
        return failed(error)


def failed(error: Exception) -> Outcome:
    """The outcome where a statement cannot be decided: shapes that do not fit refute it."""
    if isinstance(error, IllTyped):
        return Outcome("refuted", "shape", str(error))
    if isinstance(error, OutOfTime):
        return Outcome("undecided", "none", "out of time")
    if isinstance(error, NsdgenError):
        return Outcome("undecided", "none", str(error))
    # what SymPy says to expressions it was not made for: the reason of this verdict
    return Outcome("undecided", "none", f"it cannot be decided: {type(error).__name__}: {error}"[:400])


def _is_sized(side: Any) -> bool:
    return is_matrix(side) and not side.atoms(sp.MatrixSymbol) and all(d.is_Integer for d in shape_of(side))


def _equal(s: Equal, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    """By matrices as they are, then, where their size is known, by their entries."""
    if has_order(*(sides := [build(side) for side in s.sides])):
        return confirmed(s, _up_to_order(sides, setting, deadline, first), setting)
    outcome = None
    if any(map(is_abstract, sides)):
        if not any(isinstance(part, sp.MatrixBase) for e in sides for part in sp.preorder_traversal(e)):
            outcome = compare(s, setting, deadline.share(0.6), first)
        if outcome is None or outcome.status not in ("proved", "refuted"):
            entered = with_entries(Reading("", s, setting.assumptions), of_all=True)
            sides = [side.as_explicit() if _is_sized(side) else side for side in entered.statements[0].sides]
            if not any(map(is_abstract, sides)):
                outcome = compare(Equal(*sides), Setting(entered.assumptions, setting.seed), deadline, first)
    return outcome or compare(s, setting, deadline, first)


def _up_to_order(sides: list[Any], setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    """Sides of which some end in an order: they differ where the terms below the least order do.

    Different orders are sets of functions, one within the other: no equality that could be proved.
    """
    x, at, n, alike = order_of(sides)
    left, *others = (polynomials(side, x, at, n) for side in sides)
    found = joined(
        [
            judge(Equal(a, b), setting, deadline, first)
            for other in others
            for a, b in dict.fromkeys(zip(left, other, strict=True))
        ]
    )
    if found.status == "refuted" or alike:
        return found
    return Outcome("undecided", "none", "the orders of the sides differ: equal only if it is read in one direction")


def _shape(s: Shape, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    e = build(s.expression)
    wanted = tuple(as_expression(d) for d in s.shape)
    if not same_shape(shape_of(e), wanted):
        return Outcome("refuted", "shape", f"the shape is {shape_text(shape_of(e))}, not {shape_text(wanted)}")
    return Outcome("proved", "shape", left=e)


def _by_equalities(s: IntegralEqual | SeriesEqual, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    """Integrals and series by rules of their own, which ask for equalities without them."""

    def same(a: Any, b: Any) -> Outcome:
        return judge(Equal(a, b), setting, deadline, first)

    found = _series(s, same) if isinstance(s, SeriesEqual) else _integral(s, same, setting, deadline)
    return confirmed(s, found, setting)


def _fails(s: Fails, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    inner = judge(s.statement, setting, deadline)
    if inner.status == "refuted":
        kept = tuple(e for e in inner.entries if e.status == "refuted")[:1]
        return inner.but(status="proved", method=f"{inner.method} where the statement is false", entries=kept)
    if inner.status == "proved":
        return inner.but(status="refuted", method=inner.method, reason="the statement holds everywhere", entries=())
    return inner.but(status="undecided", reason=inner.reason or "the statement was neither proved nor refuted")


def _definite(s: Definite, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    matrix = build(s.matrix)
    if not is_matrix(matrix) or not same_shape((matrix.shape[0], 0), (matrix.shape[1], 0)):
        raise IllTyped("a definite matrix is square")
    if is_abstract(matrix):
        return Outcome("undecided", "none", "definiteness of an abstract matrix: give it in explicit form")
    return compare(s, setting, deadline, first)


_KINDS: dict[type, Callable[[Any, Setting, Deadline, bool], Outcome]] = {
    Equal: _equal,
    Shape: _shape,
    IntegralEqual: _by_equalities,
    Fails: _fails,
    Inequality: compare,
    Definite: _definite,
    SeriesEqual: _by_equalities,
}


def _series(s: SeriesEqual, same: Callable[[sp.Expr, sp.Expr], Outcome]) -> Outcome:
    """Compare Taylor coefficients exactly; where all agree, sum the series in closed form and compare the forms.

    The variable may be an operator as well: its powers commute. A coefficient that differs is an exact refutation.
    Equal coefficients up to the order alone are no proof: without a closed form the status is "consistent".
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


def _integral(s: IntegralEqual, equate: Callable[[Any, Any], Outcome], setting: Setting, deadline: Deadline) -> Outcome:
    """By the fundamental theorem of calculus, where its conditions hold; ``equate`` decides equalities.

    left(u) = integral from a to u follows from left' = integrand and left(a) = 0 only if left is continuous between a
    and u, which a certificate shows as well: no part has a pole or jumps there.
    """
    left, integrand = paired(build(s.left), build(s.integrand), "the left side is {}, the integrand {}")
    if s.variable != s.upper and (integrand.has(s.upper) or s.lower.has(s.upper)):
        reason = f"the integrand or the lower bound depends on the upper bound {s.upper}: "
        reason += "give it another name there, and state the identity in both"
        return Outcome("undecided", "none", reason)
    if proofs := proofs_of(s, setting, deadline.share(0.6)):
        return Outcome("proved", f"certificate, {_THEOREM}", left=left, right=integrand, proofs=proofs)
    rate = equate(sp.diff(left, s.upper), integrand.subs(s.variable, s.upper))
    start = equate(left.subs(s.upper, s.lower), sp.S.Zero)
    found = joined([rate, start])
    if found.status in ("proved", "consistent"):
        reason = f"the derivatives agree, but {left} may jump or have a pole between {s.lower} and {s.upper}: "
        reason += "state on which side of it the bounds lie"
        return found.but(status="undecided", entries=(), reason=reason)
    return found.but(method=f"{found.method}, {_THEOREM}")
