"""What a wrong Jacobian was probably meant to be: hand values fitted against the entries of the truth.

The hand side is known by its values only. Each guess is a formula made from the truth by one small
change; the first that reproduces all hand values is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from typing import Any

import numpy as np
import sympy as sp

from nsdgen.symbolic.expressions.nodes import Branch, Floor, Let, Modulo, Sign
from nsdgen.symbolic.graph.running_error import evaluate_all
from nsdgen.verify.edits import Tree, float_value

_CLOSE = 1e-11  # a fitted factor is exact but for rounding, which the fit multiplies by some thousands
_MOST_TERMS = 12  # two points are needed for each, and 24 are given
_MOST_MUTANTS = 3000  # each is evaluated at all points: a bound on time, for a guess is a courtesy

Array = Any


def guess_slip(
    truth: sp.Matrix,
    hand: Array,
    values: Sequence[Mapping[sp.Symbol, float]],
    wrong: Sequence[tuple[int, int]],
    groups: Sequence[Sequence[sp.Symbol]],
    parameters: Mapping[sp.Symbol, float],
    unwritten: Sequence[tuple[int, int]] = (),
) -> str:
    """A sentence about the whole matrix or about each wrong entry; empty without an idea.

    ``hand`` has the shape (points, rows, columns); ``values`` the symbols at these points.
    """
    table = _numbers(list(truth), values).reshape(len(values), truth.rows, truth.cols)
    whole = _of_whole(table, hand, truth.shape)
    if whole:
        return whole
    guesses: dict[str, list[str]] = {}
    for i, j in wrong:
        guess = (
            "never written"
            if (i, j) in unwritten
            else _of_entry(truth, table, hand[:, i, j], i, j, values, groups, parameters)
        )
        guesses.setdefault(guess, []).append(f"({i + 1}, {j + 1})")
    return "; ".join(f"{', '.join(places)}: {guess}" for guess, places in guesses.items() if guess)


def _of_whole(table: Array, hand: Array, shape: tuple[int, int]) -> str:
    if not table.any():
        return ""
    rows, cols = shape
    if rows == cols and _same(hand, table.transpose(0, 2, 1)) and rows > 1:
        return "the result is transposed (or stored row by row where columns are expected, or the reverse)"
    swapped = table.transpose(0, 2, 1).reshape(table.shape)
    if rows != cols and 1 not in shape and _same(hand, swapped):
        return "the result is stored row by row where columns are expected, or the reverse"
    back = hand.reshape(len(hand), cols, rows).transpose(0, 2, 1)
    if rows != cols and 1 not in shape and _same(back, table):
        return "the result is stored row by row where columns are expected, or the reverse"
    if _same(hand, -table):
        return "the sign of the whole result is wrong"
    ratio = _ratio(hand, table)
    if ratio is None or rows * cols == 1 or abs(ratio - 1) < 1e-6:
        return ""
    return f"the whole result is {_number(ratio)} times the right one"


def _of_entry(
    truth: sp.Matrix,
    table: Array,
    hand: Array,
    i: int,
    j: int,
    values: Sequence[Mapping[sp.Symbol, float]],
    groups: Sequence[Sequence[sp.Symbol]],
    parameters: Mapping[sp.Symbol, float],
) -> str:
    right = table[:, i, j]
    if not hand.any():
        return "the entry is missing (it is 0)"
    if right.any():
        if _same(hand, -right):
            return "wrong sign"
        ratio = _ratio(hand, right)
        if ratio is not None:
            if abs(ratio - 1) < 1e-6:
                return f"off by a relative {abs(ratio - 1):.1e}: a constant with too few digits"
            return f"{_factor(ratio, parameters)} times the right value"
    by_term = _terms(truth[i, j], hand, values) if right.any() else ""
    if by_term and " and " not in by_term:
        return by_term
    other = _another_entry(table, hand, i, j)
    if other:
        return other
    if not right.any():
        return "the entry must be 0"
    return by_term or _mutation(truth[i, j], hand, values, groups)


def _another_entry(table: Array, hand: Array, i: int, j: int) -> str:
    rows, cols = table.shape[1:]
    places = sorted(
        ((k, l) for k in range(rows) for l in range(cols) if (k, l) != (i, j)),
        key=lambda p: (p != (j, i), p[0] != i, p[1] != j, p),
    )
    for sign, word in ((1.0, ""), (-1.0, "minus ")):
        for k, l in places:
            if table[:, k, l].any() and _same(hand, sign * table[:, k, l]):
                swapped = ": indices swapped" if (k, l) == (j, i) else ": wrong index"
                return f"it holds {word}the entry ({k + 1}, {l + 1}){swapped}"
    return ""


def _terms(right: sp.Expr, hand: Array, values: Sequence[Mapping[sp.Symbol, float]]) -> str:
    """Hand = sum of c_k term_k of the right entry: which coefficients are not 1."""
    terms = list(sp.Add.make_args(right))
    if len(terms) < 2:
        terms = list(sp.Add.make_args(sp.expand(right)))
    if not 2 <= len(terms) <= _MOST_TERMS or len(values) < 2 * len(terms):
        return ""
    columns = _numbers(terms, values)
    scale = np.abs(columns).max(axis=0)
    if not np.all(scale > 0):
        return ""
    found, _, rank, _ = np.linalg.lstsq(columns / scale, hand, rcond=None)
    found = found / scale
    if rank < len(terms) or not _same(columns @ found, hand):
        return ""
    said = []
    for term, c in zip(terms, found, strict=True):
        if abs(c) < _CLOSE:
            said.append(f"the term {term} is missing")
        elif abs(c + 1) < _CLOSE:
            said.append(f"wrong sign of the term {term}")
        elif abs(c - 1) > _CLOSE:
            said.append(f"the term {term} is taken {_number(float(c))} times")
    return " and ".join(said)


def _mutation(
    right: sp.Expr, hand: Array, values: Sequence[Mapping[sp.Symbol, float]], groups: Sequence[Sequence[sp.Symbol]]
) -> str:
    for text, mutant in islice(_mutants(Tree(_plain(right), list(map(dict, values))), groups), _MOST_MUTANTS):
        column = np.array([np.nan if v is None or isinstance(v, complex) else v for v in mutant])
        if _same(column, hand):
            return text
        if _same(-column, hand):
            return f"{text}, and the sign"
    return ""


def _mutants(tree: Tree, groups: Sequence[Sequence[sp.Symbol]]) -> Iterator[tuple[str, list[Any]]]:
    """The values of the entry with one occurrence of something replaced by its neighbour."""
    symbols = [s for group in groups for s in group]
    for place in tree.nodes:
        for text, new in _neighbours(place.expression, symbols):
            yield text, tree.values_with(place, [float_value(new, p) for p in tree.points])


def _neighbours(node: sp.Expr, symbols: Sequence[sp.Symbol]) -> Iterator[tuple[str, sp.Expr]]:
    swaps = {sp.sin: sp.cos, sp.cos: sp.sin}
    if isinstance(node, sp.Symbol) and node in symbols:
        yield from ((f"{other} stands where {node} belongs", other) for other in symbols if other != node)
        yield f"a factor {node} is missing", sp.S.One
    elif node.func in swaps:
        new = swaps[node.func](node.args[0])
        yield f"{new} stands where {node} belongs", new
    elif isinstance(node, sp.Pow) and node.exp.is_Integer:
        yield from ((f"wrong exponent of {node.base}", node.base ** (node.exp + change)) for change in (1, -1))
        for new in (node.base * other for other in symbols if node.exp == 2 and other != node.base):
            yield f"{new} stands where {node} belongs", new
    elif isinstance(node, sp.Add):
        for arg in node.args:
            yield f"wrong sign of {arg} in {node}", node - 2 * arg
            yield f"the term {arg} is missing in {node}", node - arg


def _numbers(expressions: Sequence[sp.Expr], values: Sequence[Mapping[sp.Symbol, float]]) -> Array:
    """Values (points, expressions) in double precision."""
    return np.array([[float(x) for x in evaluate_all(expressions, point)] for point in values])


def _plain(expression: sp.Expr) -> sp.Expr:
    """The expression with nsdgen's own nodes replaced by SymPy's."""
    plain = expression.replace(Let, lambda name, value: value).replace(Sign, sp.sign).replace(Floor, sp.floor)
    plain = plain.replace(Modulo, lambda a, b: a - b * sp.floor(a / b))
    return plain.replace(Branch, lambda *args: sp.Piecewise(*zip(args[0::2], args[1::2], strict=True)))


def _same(left: Array, right: Array) -> bool:
    size = max(float(np.abs(left).max(initial=0.0)), float(np.abs(right).max(initial=0.0)))
    return bool(
        np.isfinite(size) and np.all(np.abs(left - right) <= _CLOSE * (np.abs(left) + np.abs(right)) + 1e-13 * size)
    )


def _ratio(hand: Array, right: Array) -> float | None:
    """c with hand = c right at all points and in all entries, or None."""
    place = np.abs(right) > 1e-6 * np.abs(right).max(initial=0.0)
    if not place.any() or not hand[place].all():
        return None
    c = float(np.median(hand[place] / right[place]))
    return c if np.isfinite(c) and _same(hand, c * right) else None


def _number(c: float) -> str:
    fraction = Fraction(c).limit_denominator(64)
    return str(fraction) if abs(float(fraction) - c) <= 1e-8 * abs(c) else f"{c:.12g}"


def _factor(c: float, parameters: Mapping[sp.Symbol, float]) -> str:
    """A number, or a product of powers of parameters where a simple one fits."""
    fraction = Fraction(c).limit_denominator(16)
    if abs(float(fraction) - c) <= 1e-8 * abs(c):
        return str(fraction)
    names = [s for s, v in parameters.items() if v > 0 and v != 1.0]
    for powers in sorted(product((0, 1, -1, 2, -2), repeat=min(len(names), 4)), key=lambda p: sum(map(abs, p))):
        value = np.prod([parameters[s] ** p for s, p in zip(names, powers, strict=False)])
        for k in (1.0, -1.0, 2.0, 0.5):
            if any(powers) and abs(value * k - c) <= 1e-9 * abs(c):
                return str(sp.nsimplify(k) * sp.Mul(*(s**p for s, p in zip(names, powers, strict=False))))
    return f"{c:.12g}"
