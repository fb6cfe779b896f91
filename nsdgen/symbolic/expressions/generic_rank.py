"""Combinations of the rows of a symbolic matrix that vanish whatever its symbols are: exact, modulo a prime.

Every symbol and every function that is not rational gets a number, sine and cosine of one angle two numbers on the
circle; where two choices of numbers have the same combinations, these do not depend on the symbols.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import sympy as sp

from nsdgen.symbolic.expressions.nodes import Let

_PRIME = 2**127 - 1  # so large that a nonzero polynomial hardly ever vanishes at random
_LARGEST = 2**63 - 1
"""Numerators and denominators of coefficients up to about the root of the prime are recovered."""

_Number: TypeAlias = "int | Fraction"
_Row: TypeAlias = "dict[int, _Number]"


@dataclass(frozen=True)
class RowRelation:
    """sum_i coefficients[i] row_i = 0; no other relation contains the row ``pivot``, whose coefficient is not 0.

    It is 1 where all coefficients are constant.
    """

    pivot: int
    coefficients: tuple[tuple[int, sp.Expr], ...]

    @property
    def is_constant(self) -> bool:
        """Whether no coefficient depends on symbols."""
        return not any(c.free_symbols for _, c in self.coefficients)


def constant_relations(matrix: sp.MatrixBase) -> dict[int, RowRelation | tuple[int, ...]]:
    """A basis of the combinations of rows that vanish, by pivot; of one that depends on symbols its rows.

    Rows of zeros are combinations of one row.
    """
    if all(entry.is_Rational or entry.is_Float for entry in matrix.todok().values()):
        numbers: list[_Row] = [{j: value for j, e in row.items() if (value := _exact(e))} for row in _rows(matrix)]
        exact = _vanishing(numbers, Fraction, lambda value: 1 / Fraction(value))
        return {
            i: RowRelation(i, tuple((j, sp.Rational(v.numerator, v.denominator)) for j, v in sorted(row.items())))
            for i, row in sorted(exact.items())
        }
    first, second = (_vanishing(_numbers(matrix, seed), _modulo, _inverse) for seed in (1, 2))
    return {
        i: _constant(i, row, second.get(i, {})) or tuple(sorted({*row, *second.get(i, {})}))
        for i, row in sorted(first.items())
    }


def regular_columns(matrix: sp.MatrixBase) -> list[int]:
    """As many columns as the matrix has independent rows, in which these are independent."""
    return [column for column, _, _ in _eliminated(_numbers(matrix, 1), _modulo, _inverse)[0]]


def generic_rank(matrix: sp.MatrixBase) -> int:
    """The rank for almost all values of the symbols."""
    return int(matrix.rows) - len(_vanishing(_numbers(matrix, 1), _modulo, _inverse))


def _constant(pivot: int, first: _Row, second: _Row) -> RowRelation | None:
    """The relation with these coefficients modulo the prime, where they are the same fractions for two choices."""
    fractions = [(i, _fraction(value)) for i, value in sorted(first.items())]
    if first != second or any(value is None for _, value in fractions):
        return None
    return RowRelation(pivot, tuple((i, value) for i, value in fractions if value is not None))


def _rows(matrix: sp.MatrixBase) -> list[dict[int, sp.Expr]]:
    rows: list[dict[int, sp.Expr]] = [{} for _ in range(matrix.rows)]
    for (i, j), entry in sorted(matrix.todok().items()):
        rows[i][j] = entry
    return rows


def _numbers(matrix: sp.MatrixBase, seed: int) -> list[_Row]:
    value = _modular(random.Random(seed))
    return [{j: number for j, entry in row.items() if (number := value(entry))} for row in _rows(matrix)]


def _exact(entry: sp.Expr) -> Fraction:
    number = sp.Rational(entry)
    return Fraction(int(number.p), int(number.q))


def _modulo(value: _Number) -> _Number:
    return value % _PRIME


def _inverse(value: _Number) -> _Number:
    return pow(int(value), -1, _PRIME)


def _modular(numbers: random.Random) -> Callable[[sp.Basic], int]:
    """Expressions as numbers modulo the prime, the same for the same part."""
    known: dict[sp.Basic, int] = {}
    points: dict[sp.Basic, tuple[int, int]] = {}

    def circle(angle: sp.Basic) -> tuple[int, int]:
        """Sine and cosine of an angle: 2 s / (1 + s^2) and (1 - s^2) / (1 + s^2)."""
        if angle not in points:
            s = numbers.randrange(2, _PRIME)
            scale = pow(1 + s * s, -1, _PRIME)
            points[angle] = (2 * s * scale % _PRIME, (1 - s * s) * scale % _PRIME)
        return points[angle]

    def value(e: sp.Basic) -> int:
        if e not in known:
            known[e] = compute(e)
        return known[e]

    def compute(e: sp.Basic) -> int:
        if isinstance(e, sp.Float):
            e = sp.Rational(e)
        if isinstance(e, sp.Rational):
            return _product((int(e.p), pow(int(e.q), -1, _PRIME)))
        if isinstance(e, sp.Add):
            return sum(map(value, e.args)) % _PRIME
        if isinstance(e, sp.Mul):
            return _product(map(value, e.args))
        if isinstance(e, sp.Pow) and e.exp.is_Integer and (value(e.base) or e.exp >= 0):
            return pow(value(e.base), int(e.exp), _PRIME)
        if isinstance(e, Let):
            return value(e.args[1])
        if isinstance(e, sp.sin | sp.cos | sp.tan):
            sine, cosine = circle(e.args[0])
            return {sp.sin: sine, sp.cos: cosine, sp.tan: sine * pow(cosine, -1, _PRIME) % _PRIME}[e.func]
        return numbers.randrange(1, _PRIME)

    return value


def _product(factors: Iterable[int]) -> int:
    found = 1
    for factor in factors:
        found = found * factor % _PRIME
    return found


def _vanishing(
    rows: list[_Row], reduced: Callable[[_Number], _Number], inverse: Callable[[_Number], _Number]
) -> dict[int, _Row]:
    """Vanishing combinations in reduced form, by pivot."""
    return _eliminated(rows, reduced, inverse)[1]


def _eliminated(
    rows: list[_Row], reduced: Callable[[_Number], _Number], inverse: Callable[[_Number], _Number]
) -> tuple[list[tuple[int, _Row, _Row]], dict[int, _Row]]:
    """Elimination of rows, each with what it is made of: (column of the pivot, row, made of) and what vanishes."""
    made: list[tuple[int, _Row, _Row]] = []
    found: dict[int, _Row] = {}
    for i, given in enumerate(rows):
        row, of = dict(given), dict[int, _Number]({i: 1})
        for column, other, other_of in made:
            if factor := row.get(column, 0):
                _subtract(row, factor, other, reduced)
                _subtract(of, factor, other_of, reduced)
        if not row:
            found[i] = of
            continue
        column = min(row)
        scale = inverse(row[column])
        row, of = ({j: reduced(v * scale) for j, v in part.items()} for part in (row, of))
        made.append((column, row, of))
    return made, found


def _subtract(row: _Row, factor: _Number, other: _Row, reduced: Callable[[_Number], _Number]) -> None:
    for j, v in other.items():
        if left := reduced(row.get(j, 0) - factor * v):
            row[j] = left
        else:
            row.pop(j, None)


def _fraction(value: _Number) -> sp.Rational | None:
    """The fraction of small numerator and denominator that is this number modulo the prime (Wang's algorithm)."""
    a, b, s, t = _PRIME, int(value), 0, 1
    while b > _LARGEST:
        quotient = a // b
        a, b, s, t = b, a - quotient * b, t, s - quotient * t
    return sp.Rational(b, t) if t and abs(t) <= _LARGEST else None
