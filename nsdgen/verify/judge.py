"""Judging one statement of any kind under a setting: each kind is brought down to equalities or signs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import sympy as sp

from nsdgen.errors import ModelError, NsdgenError
from nsdgen.symbolic.expressions.conversion import as_expression, is_matrix
from nsdgen.verify.abstract import compare_abstract
from nsdgen.verify.assumptions import Equation
from nsdgen.verify.challenge.gate import gated
from nsdgen.verify.entrywise import compare
from nsdgen.verify.inequality import judge_definite, judge_inequality
from nsdgen.verify.integral import judge_integral
from nsdgen.verify.orders import has_order, order_of, polynomials, refuse_orders
from nsdgen.verify.outcome import Outcome, joined
from nsdgen.verify.premises import paired, premise, shape_text
from nsdgen.verify.series import judge_series
from nsdgen.verify.setting import Deadline, OutOfTime, Setting
from nsdgen.verify.shapes import IllTyped, build, is_abstract, same_shape, shape_of
from nsdgen.verify.statement import (
    Definite,
    Equal,
    Fails,
    Iff,
    Implies,
    Inequality,
    IntegralEqual,
    SeriesEqual,
    Shape,
    Zero,
)
from nsdgen.verify.traces import has_traces, with_canonical_traces


def judge(statement: Any, setting: Setting, deadline: Deadline, first: bool = False) -> Outcome:
    """The outcome of one statement; ``first`` stops at the first refuted entry.

    Raises ``ModelError`` for something that is no statement.
    """
    judge_kind = _KINDS.get(type(statement))
    if judge_kind is None:
        raise ModelError(
            f"{statement!r} is no statement",
            where="verify",
            fix=f"use one of {', '.join(kind.__name__ for kind in _KINDS)}",
        )
    try:
        outcome = judge_kind(statement, setting, deadline, first)
    except IllTyped as error:
        return Outcome("refuted", "shape", str(error))
    except OutOfTime:
        return Outcome("undecided", "none", "out of time")
    except NsdgenError as error:
        return Outcome("undecided", "none", str(error))
    except Exception as error:  # what SymPy says to expressions it was not made for: the reason of this verdict
        return Outcome("undecided", "none", f"it cannot be decided: {type(error).__name__}: {error}"[:400])
    return gated(statement, outcome, setting, deadline, first)


def equate(left: Any, right: Any, setting: Setting, deadline: Deadline, first: bool = False) -> Outcome:
    """The outcome of left = right for any two sides of one kind. Raises ``IllTyped``."""
    a, b = build(left), build(right)
    refuse_orders(a, b)
    a, b = paired(a, b)
    if is_abstract(a) or is_abstract(b):
        if is_abstract(a) and is_abstract(b) and not _has_entries(a) and not _has_entries(b):
            outcome = compare_abstract(a, b, setting, deadline.share(0.6))
            if outcome.status in ("proved", "refuted") or not _explicit_size(a):
                return outcome
        if _explicit_size(a) and _explicit_size(b):
            explicit = Setting(tuple(made_explicit(x) for x in setting.assumptions), setting.seed)
            return equate(_entries(a), _entries(b), explicit, deadline, first)
        return compare_abstract(a, b, setting, deadline)
    if has_traces(a) or has_traces(b):
        found = compare_abstract(with_canonical_traces(a), with_canonical_traces(b), setting, deadline)
        return found.but(left=a, right=b, entries=tuple(replace(d, left=a, right=b) for d in found.entries))
    outcome = compare(a, b, setting, deadline, first)
    if outcome.status == "proved" or not (a.has(sp.Float) or b.has(sp.Float)):
        return outcome
    cut = judge(Equal(_cut(a), _cut(b)), setting, deadline, first)
    return (
        outcome
        if cut.status not in ("proved", "consistent")
        else cut.but(
            status="consistent",
            method="decimals cut to 15 digits",
            left=a,
            right=b,
            entries=tuple(replace(d, status="consistent") for d in cut.entries),
        )
    )


def _cut(side: Any) -> Any:
    """The side with the 15 digits of its decimals that rounding leaves alone."""
    return side.xreplace({f: sp.Rational(str(f)) for f in side.atoms(sp.Float)})


def _has_entries(e: Any) -> bool:
    return any(isinstance(a, sp.MatrixBase) for a in sp.preorder_traversal(e))


def _explicit_size(e: Any) -> bool:
    return all(as_expression(d).is_Integer for d in e.shape) and all(
        as_expression(d).is_Integer for m in e.atoms(sp.MatrixSymbol) for d in m.shape
    )


def _entries(e: Any) -> Any:
    return sp.ImmutableMatrix(e.as_explicit()) if is_abstract(e) else e


def made_explicit(assumption: Any) -> Any:
    """An assumption about abstract matrices of known size as one about their entries."""
    for name in ("matrix", "entries"):
        subject = getattr(assumption, name, None)
        if subject is not None and is_abstract(subject) and _explicit_size(subject):
            return type(assumption)(_entries(subject))
    left, right = getattr(assumption, "left", None), getattr(assumption, "right", None)
    if left is not None and (is_abstract(left) or is_abstract(right)):
        left, right = (_entries(s) if is_matrix(s) and _explicit_size(s) else s for s in (left, right))
        return Equation(left, right, text=assumption.text)
    return assumption


def _equal(s: Equal, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    if has_order(*(sides := [build(side) for side in s.sides])):
        return _up_to_order(sides, setting, deadline, first)
    return joined([equate(a, b, setting, deadline, first) for a, b in pairwise(s.sides)])


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


def _zero(s: Zero, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    return equate(s.expression, 0, setting, deadline, first)


def _implies(s: Implies, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    more = tuple(a for p in s.premises for a in premise(p))
    larger = setting.but(*more)
    found = joined([judge(c, larger, deadline, first) for c in s.conclusions])
    return found.but(method=f"{found.method} under the premises")


def _iff(s: Iff, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    there = judge(Implies(s.left, s.right), setting, deadline, first)
    back = judge(Implies(s.right, s.left), setting, deadline, first)
    if there.status == "refuted":
        return there.but(reason=there.reason or "the left side does not imply the right one", entries=there.entries)
    if back.status == "refuted":
        return back.but(reason=back.reason or "the right side does not imply the left one")
    return joined([there, back])


def _shape(s: Shape, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    e = build(s.expression)
    wanted = tuple(as_expression(d) for d in s.shape)
    if not same_shape(shape_of(e), wanted):
        return Outcome("refuted", "shape", f"the shape is {shape_text(shape_of(e))}, not {shape_text(wanted)}")
    return Outcome("proved", "shape", left=e)


def _integral(s: IntegralEqual, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    def same(a: Any, b: Any) -> Outcome:
        return judge(Equal(a, b), setting, deadline, first)

    refuse_orders(build(s.left), build(s.integrand))
    return judge_integral(s, same, setting, deadline)


def _fails(s: Fails, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    inner = judge(s.statement, setting, deadline)
    if inner.status == "refuted":
        kept = tuple(e for e in inner.entries if e.status == "refuted")[:1]
        return inner.but(status="proved", method=f"{inner.method} where the statement is false", entries=kept)
    if inner.status == "proved":
        return inner.but(status="refuted", method=inner.method, reason="the statement holds everywhere", entries=())
    return inner.but(status="undecided", reason=inner.reason or "the statement was neither proved nor refuted")


def _inequality(s: Inequality, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    left, right = build(s.left), build(s.right)
    refuse_orders(left, right)
    return judge_inequality(s, setting, deadline)


def _definite(s: Definite, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    matrix = build(s.matrix)
    if not is_matrix(matrix) or not same_shape((matrix.shape[0], 0), (matrix.shape[1], 0)):
        raise IllTyped("a definite matrix is square")
    symmetric = equate(matrix, matrix.T, setting, deadline, first)
    if symmetric.status == "refuted":
        return symmetric.but(reason="the matrix is not symmetric")
    return judge_definite(s, setting, deadline)


def _series(s: SeriesEqual, setting: Setting, deadline: Deadline, first: bool) -> Outcome:
    def same(a: sp.Expr, b: sp.Expr) -> Outcome:
        return judge(Equal(a, b), setting, deadline, first)

    refuse_orders(as_expression(s.closed), as_expression(s.term))
    return judge_series(s, same)


_KINDS: dict[type, Callable[[Any, Setting, Deadline, bool], Outcome]] = {
    Equal: _equal,
    Zero: _zero,
    Implies: _implies,
    Iff: _iff,
    Shape: _shape,
    IntegralEqual: _integral,
    Fails: _fails,
    Inequality: _inequality,
    Definite: _definite,
    SeriesEqual: _series,
}
