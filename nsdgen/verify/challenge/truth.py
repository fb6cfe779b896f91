"""Whether a statement holds at a witness: true, false or neither, asked at two precisions.

What is said about the assumption set (an ``Inequality``) is said about this one point here.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import mpmath
import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression, is_matrix
from nsdgen.verify import statement as st
from nsdgen.verify.orders import has_order, order_of, ways
from nsdgen.verify.shapes import build, deciding_minors, is_abstract

from .bounded_values import exhausted, related
from .elementary import NO_VALUE, Undefined, Unsure
from .matrix_values import fractions_of, matrix_value, sides_of
from .meaning import Evaluator
from .witness import Witness

PRECISIONS = (36, 72)  # digits, twice a double's and twice that: what is rounding in the first changes in the second
FINE = (150, 300)
"""Digits for what differs by very little: 1e40 + 1 from 1e40, an error function from 1."""
_SERIES_AT = mpmath.mpf(1) / 64
_BESIDE = mpmath.mpf(2) ** -10  # of 1 and a number of the point: where a zero of order 8 is seen to be one
_FAR = 1e6  # times rounding: tails hardly change so near


@dataclass(frozen=True)
class Truth:
    """``holds`` is None where the statement has no value at the point or none that is certain.

    ``false`` are the entries (from 1; 0, 0 for a scalar) that certainly differ, with both values; ``loose`` says that
    a value rests on numerical integration or summation.
    """

    holds: bool | None
    false: tuple[tuple[int, int, str, str], ...] = ()
    loose: bool = False


def truth_of(
    statement: Any,
    witness: Witness,
    assumptions: Iterable[Any] = (),
    real: bool = True,
    precisions: tuple[int, ...] = PRECISIONS,
) -> Truth:
    """Whether the statement holds at the witness, which must lie on the assumption set (else None)."""
    answers = []
    for digits in precisions:
        with mpmath.workdps(digits):
            at = Evaluator(witness, real=real)
            try:
                if not _on_assumptions(assumptions, at):
                    return Truth(None)
                answers.append(_STATEMENTS[type(statement)](statement, at))
            except (*NO_VALUE, RecursionError, mpmath.mp.NoConvergence):
                return Truth(None)
        if answers[0].holds is not False:
            return answers[0]
    first, second = answers
    if first.holds != second.holds:
        return Truth(None)
    kept = {f[:2] for f in first.false}
    return Truth(second.holds, tuple(f for f in second.false if f[:2] in kept), first.loose or second.loose)


# ---- assumptions


def _on_assumptions(assumptions: Iterable[Any], at: Evaluator) -> bool:
    """Whether the point lies on the set that assumptions describe."""
    return all((_of_matrix if is_abstract(e) else _of_number)(kind, e, at) for a in assumptions for kind, e in a.said())


def _of_number(kind: str, e: Any, at: Evaluator) -> bool:
    """Nothing but rounding may be left of an equation: exp(x) = exp(2 x) is not met by x = -3000."""
    value = at(as_expression(e))
    if kind in ("given", "nonzero"):
        return bool(value == 0) if kind == "given" else not at.is_zero(value)
    return not isinstance(value, mpmath.mpc) and value > (at.tiny() if kind == "positive" else -at.tiny())


def _of_matrix(kind: str, e: Any, at: Evaluator) -> bool:
    if kind == "given":
        return all(abs(x) <= at.tiny() for x in matrix_value(e, at))
    m = fractions_of(e, at)
    if kind == "nonzero":
        return bool(abs(at.witness.number(m.det())) > at.tiny())
    return all(m[:k, :k].det() > 0 for k in range(1, m.rows + 1))


# ---- statements


def _equal(s: st.Equal, at: Evaluator) -> Truth:
    sides = [build(side) for side in s.sides]
    return _up_to_order(sides, at) if has_order(*sides) else _compared(sides[0], sides[1], at)


def _up_to_order(sides: list[Any], at: Evaluator) -> Truth:
    """Whether the difference of two sides, over the power of the order, stays bounded towards the point."""
    try:
        x, point, n, alike = order_of(sides)
    except ModelError as error:
        raise Unsure(str(error)) from None
    left, *others = (side.removeO() for side in sides)
    with mpmath.workdps(mpmath.mp.dps + 50 * (abs(n) + 2)):
        for other in others:
            for way in ways(x, point):
                steps = (way * mpmath.mpf(2) ** -k for k in (60, 120))
                near, nearer = (abs(at._with({x: at(point) + d})(left - other)) / abs(d) ** n for d in steps)
                if nearer > mpmath.mpf(2) ** 30 * near:
                    return Truth(False, ((0, 0, f"a difference that is no O(({x} - {point})**{n})", "0"),))
    return Truth(True if alike else None)


def _compared(a: Any, b: Any, at: Evaluator) -> Truth:
    shape = next((m.shape for m in (a, b) if is_matrix(m)), None)
    left, right = sides_of(a, shape, at), sides_of(b, shape, at)
    if len(left) != len(right) or len(left[0]) != len(right[0]):
        raise Unsure("the shapes differ")
    false: list[tuple[int, int, str, str]] = []
    unknown = False
    for i, (r, q) in enumerate(zip(left, right, strict=True)):
        for j, (x, y) in enumerate(zip(r, q, strict=True)):
            same = None if x is None or y is None else _same(x, y, at)
            unknown |= same is None
            if same is False:
                one, other = (_exact(m, i, j, at) or _text(v[0]) for m, v in ((a, x), (b, y)))
                false.append((i + 1, j + 1, one, other))
    if false and not (isinstance(a, sp.MatrixBase) or isinstance(b, sp.MatrixBase)):  # they differ as wholes
        false = [(0, 0, *false[0][2:])] if shape is None else [(0, 0, _grid(left), _grid(right))]
    return Truth(False if false else None if unknown else True, tuple(false), at.loose)


def _exact(side: Any, i: int, j: int, at: Evaluator) -> str:
    """An entry of a side, or a scalar, as an exact number; "" where it is none."""
    e = side[i, j] if isinstance(side, sp.MatrixBase) else side
    exact = at.exact(e)
    return "" if exact is None else str(exact)


def _text(value: Any) -> str:
    return str(mpmath.nstr(value, 30)).removesuffix(".0")


def _grid(values: list[list[Any]]) -> str:
    return "[" + "; ".join(" ".join(_text(v[0]) if v else "nothing" for v in row) for row in values) + "]"


def _same(left: tuple[Any, Any], right: tuple[Any, Any], at: Evaluator) -> bool | None:
    """Whether two values with their errors agree, certainly differ, or neither.

    At a point that was found by iteration values are known beside 1 only, at an exact one beside themselves. In many
    digits nothing but the bounds of rounding counts.
    """
    (x, e), (y, f) = left, right
    digits = mpmath.mp.dps
    if digits >= FINE[0] and at.witness.exact:
        bound = 1000 * (e + f)
        return True if abs(x - y) <= bound else False if abs(x - y) > 1000 * bound else None
    size, difference, error = max(0 if at.witness.exact else 1, abs(x), abs(y)), abs(x - y), 1000 * (e + f)
    if difference <= max(error, mpmath.mpf(10) ** (-0.6 * digits) * size):
        return True if error <= mpmath.mpf("1e-6") * max(1, size) else None
    return False if difference > max(1000 * error, mpmath.mpf(10) ** (-0.45 * digits) * size) else None


def _all(found: list[Truth]) -> Truth:
    false = next((t for t in found if t.holds is False), None)
    if false is not None:
        return false
    return Truth(None if any(t.holds is None for t in found) else True, loose=any(t.loose for t in found))


def _inequality(s: st.Inequality, at: Evaluator) -> Truth:
    left, right = build(s.left), build(s.right)
    (a, e), (b, f) = at.pair(left), at.pair(right)
    d = mpmath.mpf(0) if abs(a - b) <= 1000 * (e + f) else a - b
    exact = at.exact(left)
    tie = d == 0 and s.relation in ("<", ">") and e + f > 0 and (exact is None or exact != at.exact(right))
    # So are a tail and its limit, as tanh(200) and 1, and what is zero at this point alone.
    tail = tie and not _vanishes_alone(left, right, at, 1000 * (e + f))
    if tail or (d == 0 and e + f > at.tiny()):
        raise Unsure("the difference is within rounding")
    holds = related(d, s.relation)
    return Truth(holds, () if holds else ((0, 0, _text(a), _text(b)),))


def _vanishes_alone(left: Any, right: Any, at: Evaluator, rounding: Any) -> bool:
    """Whether a difference that is within rounding of 0 at a point is far beyond it beside the point."""
    for way in (1, -1):
        moved = {n: (v := at.witness.number(x)) + way * _BESIDE * (1 + abs(v)) for n, x in at.witness.scalars.items()}
        try:
            beside = Evaluator(replace(at.witness, scalars=moved), real=at.real)
            if abs(beside(left) - beside(right)) > _FAR * rounding:
                return True
        except NO_VALUE:
            continue
    return False


def _definite(s: st.Definite, at: Evaluator) -> Truth:
    """By Sylvester's criterion: symmetric, and the signs of minors."""
    m = build(s.matrix)
    found = [_compared(m, m.T, at)]
    for minor in deciding_minors(m, s.semi):
        try:
            found.append(_inequality(st.Inequality(minor, ">=" if s.semi else ">", 0), at))
        except (Undefined, Unsure):
            found.append(Truth(None))
    return _all(found)


def _series(s: st.SeriesEqual, at: Evaluator) -> Truth:
    """Both sides at small values of the variable on both sides of 0, where it may have both signs."""
    return _all([_series_at(s, at, way) for way in ways(s.variable, sp.S.Zero)])


def _series_at(s: st.SeriesEqual, at: Evaluator, way: int) -> Truth:
    """Both sides at one small value, the sum term by term until it is exhausted."""
    x = at._with({s.variable: way * _SERIES_AT})
    closed, term = as_expression(s.closed), as_expression(s.term)
    if s.index is None and (closed.is_polynomial(s.variable) or term.is_polynomial(s.variable)):
        # There a difference of that order is small with any coefficient below 1e30, one of a lower order is not.
        with mpmath.workdps(mpmath.mp.dps + 64 * (s.order + 1)):
            small = mpmath.mpf(2) ** -200
            near = at._with({s.variable: way * small})
            return Truth(bool(abs(near(closed) - near(term)) < small ** (s.order - mpmath.mpf(1) / 2)))
    if s.index is None:
        return _compared_values(x.pair(closed), x.pair(term), x)
    total = exhausted(x._at(term, s.index), mpmath.mpf(s.start))
    if total is None:
        raise Unsure("the sum does not end")
    return _compared_values(x.pair(closed), (total, abs(total) * mpmath.eps * 400), x)


def _integral(s: st.IntegralEqual, at: Evaluator) -> Truth:
    left, integrand = build(s.left), build(s.integrand)
    low, high = at(as_expression(s.lower)), at(s.upper)
    shape = integrand.shape if isinstance(integrand, sp.MatrixBase) else None
    values = [value for row in sides_of(left, shape, at) for value in row]
    if None in values:
        return Truth(None)
    entries = integrand if isinstance(integrand, sp.MatrixBase) else [integrand]
    pairs = zip(values, entries, strict=True)
    return _all([_compared_values(v, at.integrate(e, s.variable, low, high), at) for v, e in pairs])


def _compared_values(x: tuple[Any, Any], y: tuple[Any, Any], at: Evaluator) -> Truth:
    same = _same(x, y, at)
    false = ((0, 0, _text(x[0]), _text(y[0])),) if same is False else ()
    return Truth(same, false, at.loose)


_STATEMENTS: dict[type, Callable[[Any, Evaluator], Truth]] = {
    st.Equal: _equal,
    st.Inequality: _inequality,
    st.Definite: _definite,
    st.SeriesEqual: _series,
    st.IntegralEqual: _integral,
}
