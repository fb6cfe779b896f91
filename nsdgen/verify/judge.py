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
from nsdgen.verify.claim import Reading
from nsdgen.verify.compare import compare, confirmed
from nsdgen.verify.integral import judge_integral
from nsdgen.verify.orders import has_order, order_of, polynomials, refuse_orders
from nsdgen.verify.outcome import Outcome, joined
from nsdgen.verify.premises import shape_text
from nsdgen.verify.quantities import expressions, with_entries
from nsdgen.verify.series import judge_series
from nsdgen.verify.setting import Deadline, OutOfTime, Setting
from nsdgen.verify.shapes import IllTyped, build, is_abstract, same_shape, shape_of
from nsdgen.verify.statement import Definite, Equal, Fails, Iff, Implies, Inequality, IntegralEqual, SeriesEqual, Shape


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

    found = judge_series(s, same) if isinstance(s, SeriesEqual) else judge_integral(s, same, setting, deadline)
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
