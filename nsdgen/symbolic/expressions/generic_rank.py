"""Combinations of the rows of a symbolic matrix that vanish whatever its symbols are: exact, modulo a prime.

Every symbol and every function that is not rational gets a number, sine and cosine of one angle two numbers on the
circle; where two choices of numbers have the same combinations, these do not depend on the symbols.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.polys.matrices import DomainMatrix

from nsdgen.symbolic.expressions.nodes import Let

_PRIME = 2**127 - 1  # so large that a nonzero polynomial hardly ever vanishes at random
_LARGEST = 2**63 - 1
"""Numerators and denominators of coefficients up to about the root of the prime are recovered."""
_FIELD = sp.GF(_PRIME, symmetric=False)


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
        exact = _vanishing(_matrix_over(sp.QQ, matrix, lambda e: sp.QQ.from_sympy(sp.Rational(e))))
        return {
            i: RowRelation(i, tuple((j, sp.QQ.to_sympy(v)) for j, v in sorted(row.items()))) for i, row in exact.items()
        }
    first, second = (_vanishing(_numbers(matrix, seed)) for seed in (1, 2))
    return {
        i: _constant(i, row, second.get(i, {})) or tuple(sorted({*row, *second.get(i, {})})) for i, row in first.items()
    }


def regular_columns(matrix: sp.MatrixBase) -> list[int]:
    """As many columns as the matrix has independent rows, in which these are independent."""
    return list(_numbers(matrix, 1).rref()[1])


def generic_rank(matrix: sp.MatrixBase) -> int:
    """The rank for almost all values of the symbols."""
    return len(_numbers(matrix, 1).rref()[1])


def _constant(pivot: int, first: dict[int, Any], second: dict[int, Any]) -> RowRelation | None:
    """The relation with these coefficients modulo the prime, where they are the same fractions for two choices."""
    fractions = [(i, _fraction(int(value))) for i, value in sorted(first.items())]
    if first != second or any(value is None for _, value in fractions):
        return None
    return RowRelation(pivot, tuple((i, value) for i, value in fractions if value is not None))


def _matrix_over(field: Any, matrix: sp.MatrixBase, value: Callable[[sp.Basic], Any]) -> DomainMatrix:
    """The matrix of the values of the entries."""
    rows: dict[int, dict[int, Any]] = {}
    for (i, j), entry in sorted(matrix.todok().items()):
        if number := value(entry):
            rows.setdefault(i, {})[j] = number
    return DomainMatrix(rows, matrix.shape, field)


def _numbers(matrix: sp.MatrixBase, seed: int) -> DomainMatrix:
    value = _modular(random.Random(seed))
    return _matrix_over(_FIELD, matrix, lambda e: _FIELD(value(e)))


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


def _vanishing(matrix: DomainMatrix) -> dict[int, dict[int, Any]]:
    """Vanishing combinations of rows, by the row that depends on others before it: that row less what it is of them."""
    reduced, rows = matrix.transpose().rref()
    found: dict[int, dict[int, Any]] = {i: {} for i in range(matrix.shape[0]) if i not in rows}
    for k, own in reduced.to_sparse().rep.items():
        for i, share in own.items():
            if i in found:
                found[i][rows[k]] = -share
    return {i: row | {i: matrix.domain.one} for i, row in found.items()}


def _fraction(value: int) -> sp.Rational | None:
    """The fraction of small numerator and denominator that is this number modulo the prime (Wang's algorithm)."""
    a, b, s, t = _PRIME, value, 0, 1
    while b > _LARGEST:
        quotient = a // b
        a, b, s, t = b, a - quotient * b, t, s - quotient * t
    return sp.Rational(b, t) if t and abs(t) <= _LARGEST else None
