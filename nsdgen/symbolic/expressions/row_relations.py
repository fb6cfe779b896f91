"""Combinations of the rows of a symbolic matrix that vanish, their coefficients as expressions.

Which rows depend on each other is found modulo a prime; coefficients that depend on symbols follow from exact
elimination over the field of rational functions of what the entries are made of, without denominators: a combination
is then zero itself only where its coefficients have a zero in common, not where one of them is a pivot.
"""

from collections.abc import Sequence

import sympy as sp
from sympy.polys.matrices import DomainMatrix

from nsdgen.symbolic.expressions.generic_rank import RowRelation, constant_relations, regular_columns

_READABLE = 10**9
"""Fractions with larger terms are written as doubles."""


def row_relations(matrix: sp.MatrixBase) -> tuple[RowRelation, ...]:
    """A basis of the combinations of rows that vanish for almost all values of the symbols.

    A relation is constant where it can be; else its coefficients have no common factor.
    """
    return tuple(
        found if isinstance(found, RowRelation) else _moving(matrix, pivot, found)
        for pivot, found in constant_relations(matrix).items()
    )


def _moving(matrix: sp.MatrixBase, pivot: int, rows: Sequence[int]) -> RowRelation:
    """The vanishing combination of these rows, all of which are needed for it."""
    others = [i for i in rows if i != pivot]
    columns = regular_columns(matrix.extract(others, list(range(matrix.cols))))
    given = matrix.extract([*others, pivot], columns)
    exact = sp.Matrix(given).xreplace({number: sp.Rational(number) for number in given.atoms(sp.Float)})
    field = DomainMatrix.from_Matrix(exact.T).to_field()
    solved = field[:, :-1].lu_solve(field[:, -1:]).to_Matrix()
    weights = [sp.fraction(sp.cancel(sp.together(-entry))) for entry in solved]
    common = sp.lcm([denominator for _, denominator in weights]) if weights else sp.S.One
    coefficients = {i: sp.cancel(n * common / d) for i, (n, d) in zip(others, weights, strict=True)}
    coefficients[pivot] = common
    return RowRelation(pivot, tuple((i, _readable(sp.factor_terms(coefficients[i]))) for i in rows))


def _readable(entry: sp.Expr) -> sp.Expr:
    return entry.xreplace(
        {
            number: sp.Float(number, 17)
            for number in entry.atoms(sp.Rational)
            if max(abs(number.p), number.q) > _READABLE
        }
    )
