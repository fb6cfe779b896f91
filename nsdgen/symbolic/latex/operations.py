"""What the operations of a formula mean for scalars, vectors and matrices."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import sympy as sp
from sympy import NonSquareMatrixError, ShapeError

from nsdgen.symbolic.expressions.conversion import is_matrix


class Ambiguous(Exception):
    """A product that can be read in two ways; the reader shows its place."""


def scalar(value: Any) -> Any:
    """A 1 x 1 matrix as its entry: x^T A x is a number."""
    return value[0, 0] if is_matrix(value) and value.shape == (1, 1) else value


def add(left: Any, right: Any) -> Any:
    """The sum; a 1 x 1 matrix adds to a scalar, other matrices do not (``ShapeError``)."""
    if is_matrix(left) != is_matrix(right):
        left, right = scalar(left), scalar(right)
    if is_matrix(left) != is_matrix(right):
        other = left if is_matrix(left) else right
        if 0 in (left, right):
            return other  # an author's 0 has every shape
        raise ShapeError(f"a scalar and a matrix of shape {other.shape} are added")
    return left + right


def multiply(left: Any, right: Any) -> Any:
    """The product in this order; 1 x 1 matrices count as scalars where they must."""
    if is_matrix(left) and is_matrix(right) and left.cols != right.rows:
        left, right = scalar(left), scalar(right)
    return left * right


def beside(factors: Sequence[Any]) -> Any:
    """Factors side by side, multiplied in their order."""
    return reduce(multiply, factors)


def joined(values: Sequence[Any], signs: Sequence[str]) -> Any:
    """Values with signs of products between them ("" for none): cross products first, then the others in order.

    Raises ``Ambiguous`` for a x b x c, which depends on parentheses.
    """
    values, signs = list(values), list(signs)
    while "\\times" in signs:
        k = signs.index("\\times")
        crossed = _is_vector(values[k], 3) and _is_vector(values[k + 1], 3)
        if crossed and k + 1 < len(signs) and signs[k + 1] == "\\times" and _is_vector(values[k + 2], 3):
            raise Ambiguous("two cross products in a row depend on their order")
        values[k : k + 2] = [times(values[k], values[k + 1])]
        del signs[k]
    total = values[0]
    for sign, value in zip(signs, values[1:], strict=True):
        total = dot(total, value) if sign == "\\cdot" else multiply(total, value)
    return total


def inverse(value: Any) -> Any:
    """The inverse of a square matrix; raises ``NonSquareMatrixError`` for another."""
    if value.rows != value.cols:
        raise NonSquareMatrixError(f"the inverse of a matrix of shape {value.shape}")
    return value.inv()


def times(left: Any, right: Any) -> Any:
    """The cross product of two vectors of three components, else the product."""
    if _is_vector(left, 3) and _is_vector(right, 3):
        return sp.Matrix(left).cross(sp.Matrix(right))
    return multiply(left, right)


def dot(left: Any, right: Any) -> Any:
    """The scalar product of two columns of one length, else the product."""
    if _is_vector(left) and _is_vector(right) and left.shape == right.shape and left.rows > 1:
        return (sp.Matrix(left).T * sp.Matrix(right))[0, 0]
    return multiply(left, right)


def _is_vector(value: Any, size: int | None = None) -> bool:
    return is_matrix(value) and value.cols == 1 and size in (None, value.rows)


def divide(left: Any, right: Any) -> Any:
    """left / right for a scalar right."""
    right = scalar(right)
    if is_matrix(right):
        raise ShapeError(f"division by a matrix of shape {right.shape}")
    return left / right


def power(base: Any, exponent: Any) -> Any:
    """base^exponent; of a vector the square is its scalar product with itself."""
    exponent = scalar(exponent)
    if _is_vector(base) and base.rows > 1 and exponent == 2:
        return (sp.Matrix(base).T * sp.Matrix(base))[0, 0]
    return base**exponent


def magnitude(value: Any) -> Any:
    """The length of a vector, the absolute value of a scalar, the determinant of a square matrix."""
    if _is_vector(value) or (is_matrix(value) and value.rows == 1):
        return sp.sqrt(sum(x**2 for x in sp.Matrix(value)))
    return sp.Matrix(value).det() if is_matrix(value) else sp.Abs(value)


def differentiate(value: Any, wrt: Any) -> Any:
    """d value / d wrt: the Jacobian (rows of the value, columns of wrt) where a vector is involved."""
    if not is_matrix(wrt):
        return value.diff(wrt)
    if is_matrix(value) and 1 not in value.shape:
        raise ShapeError(f"a matrix of shape {value.shape} is differentiated with respect to a vector")
    entries = sp.Matrix(value) if is_matrix(value) else sp.Matrix([value])
    return sp.Matrix(list(entries)).jacobian(list(sp.Matrix(wrt)))


def matrix(rows: Sequence[Sequence[Any]]) -> Any:
    """A matrix of entries; where some are matrices, of blocks, and a 0 stands for a block of zeros."""
    widths = {len(row) for row in rows}
    if len(widths) != 1:
        raise ShapeError(f"the rows of a matrix have {', '.join(map(str, sorted(widths)))} entries")
    if not any(is_matrix(e) for row in rows for e in row):
        return sp.Matrix(rows)
    heights = [max([e.rows for e in row if is_matrix(e)], default=1) for row in rows]
    breadths = [max([row[j].cols for row in rows if is_matrix(row[j])], default=1) for j in range(len(rows[0]))]
    blocks = [[_block(e, heights[i], breadths[j]) for j, e in enumerate(row)] for i, row in enumerate(rows)]
    return sp.Matrix.vstack(*(sp.Matrix.hstack(*row) for row in blocks))


def _block(entry: Any, rows: int, cols: int) -> sp.Matrix:
    if not is_matrix(entry):
        if (rows, cols) != (1, 1) and entry != 0:
            raise ShapeError(f"the entry {entry} stands where a block of shape ({rows}, {cols}) is needed")
        return sp.Matrix([[entry]]) if (rows, cols) == (1, 1) else sp.zeros(rows, cols)
    if entry.shape != (rows, cols):
        raise ShapeError(f"a block of shape {entry.shape} stands where ({rows}, {cols}) is needed")
    return sp.Matrix(entry)
