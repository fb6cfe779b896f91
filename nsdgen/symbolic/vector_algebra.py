"""Vector and quaternion algebra for stating claims: columns, cross products, quaternions scalar first, Jacobians.

The quaternion p = (p0, p1, p2, p3) turns body vectors into inertial ones, x' = p x p*. ``rotation_matrix`` is
homogeneous of degree two in p: it equals the matrix written with 1 - 2(..) only where |p| = 1.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_matrix
from nsdgen.symbolic.expressions.product import product
from nsdgen.symbolic.families.quaternion import compose


def column(entries: Any) -> sp.ImmutableMatrix:
    """A column of the given entries (a sequence, a row or a column)."""
    if isinstance(entries, sp.MatrixBase):
        return sp.ImmutableMatrix(entries.rows * entries.cols, 1, list(entries))
    return sp.ImmutableMatrix(as_matrix(entries, where="column"))


def vector(name: str, size: int = 3, first: int = 1) -> sp.ImmutableMatrix:
    """The column of real symbols name_first, ... (written ``m1, m2, m3``)."""
    return column([sp.Symbol(f"{name}{first + i}", real=True) for i in range(size)])


def quaternion(name: str) -> sp.ImmutableMatrix:
    """The column of real symbols name0..name3, scalar part first."""
    return vector(name, 4, first=0)


def matrix(name: str, rows: int, columns: int, symmetric: bool = False) -> sp.ImmutableMatrix:
    """A matrix of real symbols name11, name12, ...; with ``symmetric`` the lower half repeats the upper one."""

    def entry(i: int, j: int) -> sp.Symbol:
        i, j = (min(i, j), max(i, j)) if symmetric else (i, j)
        return sp.Symbol(f"{name}{i + 1}{j + 1}", real=True)

    return sp.ImmutableMatrix(rows, columns, entry)


def skew(a: Any) -> sp.ImmutableMatrix:
    """The 3x3 matrix with skew(a) b = a x b."""
    x, y, z = column(a)
    return sp.ImmutableMatrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def cross(a: Any, b: Any) -> sp.ImmutableMatrix:
    """a x b, 3x1."""
    return sp.ImmutableMatrix(product(skew(a), column(b)))


def norm(a: Any) -> sp.Expr:
    """The Euclidean norm of a real column."""
    return sp.sqrt(sum((c**2 for c in column(a)), sp.S.Zero))


def pure(a: Any) -> sp.ImmutableMatrix:
    """The pure quaternion (0, a), 4x1."""
    return column([0, *column(a)])


def quaternion_product(*factors: Any) -> sp.ImmutableMatrix:
    """The product of quaternions from left to right, 4x1, i j = k."""
    return column(reduce(compose, map(column, factors)))


def conjugate(p: Any) -> sp.ImmutableMatrix:
    """(p0, -p1, -p2, -p3)."""
    p0, p1, p2, p3 = column(p)
    return column([p0, -p1, -p2, -p3])


def inverse_quaternion(p: Any) -> sp.ImmutableMatrix:
    """The reciprocal p* / |p|^2, defined for p != 0."""
    return sp.ImmutableMatrix(conjugate(p) / sum(c**2 for c in p))


def rotate(p: Any, x: Any) -> sp.ImmutableMatrix:
    """The vector part of p (0, x) p*, 3x1: the rotated vector for |p| = 1, |p|^2 times it otherwise."""
    return column(quaternion_product(p, pure(x), conjugate(p))[1:])


def rotation_matrix(p: Any) -> sp.ImmutableMatrix:
    """R(p), 3x3, homogeneous: R(p) x is the vector part of p (0, x) p* for every p."""
    p0, p1, p2, p3 = column(p)
    return sp.ImmutableMatrix(
        [
            [p0**2 + p1**2 - p2**2 - p3**2, 2 * (p1 * p2 - p0 * p3), 2 * (p1 * p3 + p0 * p2)],
            [2 * (p1 * p2 + p0 * p3), p0**2 - p1**2 + p2**2 - p3**2, 2 * (p2 * p3 - p0 * p1)],
            [2 * (p1 * p3 - p0 * p2), 2 * (p2 * p3 + p0 * p1), p0**2 - p1**2 - p2**2 + p3**2],
        ]
    )


def derivative(expression: Any, wrt: Any) -> sp.ImmutableMatrix:
    """The Jacobian of a scalar or column: row = component, column = variable.

    Raises ``ModelError`` when ``wrt`` holds something that SymPy cannot differentiate by.
    """
    rows = [expression] if _scalar(expression) else list(column(expression))
    variables = [wrt] if _scalar(wrt) else list(column(wrt))
    for v in variables:
        if not getattr(v, "_diff_wrt", False):
            raise ModelError(f"{v} is not a variable", where="derivative", fix="differentiate by symbols or functions")
    return sp.ImmutableMatrix(len(rows), len(variables), lambda i, j: sp.diff(rows[i], variables[j]))


def gradient(expression: sp.Expr, wrt: Any) -> sp.ImmutableMatrix:
    """The gradient of a scalar as a column: the transpose of its Jacobian."""
    return sp.ImmutableMatrix(derivative(expression, wrt).T)


def directional_derivative(expression: Any, wrt: Any, direction: Any) -> sp.ImmutableMatrix:
    """The Jacobian times the direction: the derivative of expression(wrt + eps direction) at eps = 0, a column."""
    return sp.ImmutableMatrix(product(derivative(expression, wrt), column(direction)))


def time_derivative(expression: Any, rates: Sequence[tuple[Any, Any]]) -> sp.ImmutableMatrix:
    """The rate of a matrix or scalar along given rates: sum of d expression/d x times x', of the same shape.

    ``rates`` pairs columns (or symbols) with their rates.
    """
    pairs = [(x, dx) for state, rate in rates for x, dx in zip(_list(state), _list(rate), strict=True)]
    entries = as_matrix(expression, where="time_derivative")
    return sp.ImmutableMatrix(
        entries.rows, entries.cols, lambda i, j: sum((sp.diff(entries[i, j], x) * dx for x, dx in pairs), sp.S.Zero)
    )


def _list(given: Any) -> list[sp.Expr]:
    return [given] if _scalar(given) else list(column(given))


def _scalar(given: Any) -> bool:
    """Whether this is one expression; matrices are ``Expr`` to SymPy as well."""
    return isinstance(given, sp.Expr) and not isinstance(given, (sp.MatrixBase, sp.MatrixExpr))
