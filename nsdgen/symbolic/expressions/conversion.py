"""What a caller hands over, as a SymPy object: the one door, and text does not pass it.

SymPy reads text by executing it, also text inside lists, tuples and arrays. An energy, a coefficient or a claim may
come from a table or a request that somebody else wrote, so nsdgen converts values here and nowhere else (a test
reads the package for other conversions): numbers, and objects that are SymPy's or say how they become so.
"""

import numbers
from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from nsdgen.base.checks import shown
from nsdgen.errors import ModelError

_FIX = "give a SymPy expression or a number"


def as_expression(value: Any, *, where: str = "expression") -> Any:
    """The SymPy object of a number, an expression, a condition or a matrix; raises ``ModelError`` for all else.

    Text is refused, as are lists, tuples, sets and dictionaries, which may hold text (:func:`as_entries` takes lists).
    """
    if isinstance(value, sp.Basic | sp.MatrixBase):
        return value
    if isinstance(value, str | bytes | bytearray):
        raise ModelError(
            f"{shown(value)} is text, which is never evaluated",
            where=where,
            fix="write it with symbols, k*x**2/2 instead of 'k*x**2/2', or convert a number by float(...)",
        )
    if hasattr(value, "dtype") and getattr(value, "ndim", None) == 0:
        return as_expression(value.item(), where=where)
    if not (isinstance(value, numbers.Number) or hasattr(value, "_sympy_") or hasattr(value, "__sympy__")):
        raise ModelError(f"{shown(value)} is not an expression", where=where, fix=_FIX)
    try:
        return sp.sympify(value, strict=True)
    except (sp.SympifyError, TypeError, ValueError, ArithmeticError) as error:
        raise ModelError(f"{shown(value)} is not an expression", where=where, fix=_FIX) from error


def as_entries(value: Any, *, where: str = "expression") -> list[list[Any]]:
    """The rows of a matrix, an array, a nested or flat list (one entry a row) or a scalar, each entry converted."""
    if isinstance(value, sp.MatrixBase):
        return [list(value.row(i)) for i in range(value.rows)]
    if hasattr(value, "tolist"):
        value = value.tolist()
    elif isinstance(value, Iterator):
        value = list(value)
    if not isinstance(value, Sequence) or isinstance(value, str | bytes | bytearray):
        value = [value]
    return [[as_expression(e, where=where) for e in (row if _is_row(row) else [row])] for row in value]


def as_matrix(value: Any, *, where: str = "matrix") -> sp.Matrix:
    """The entries of :func:`as_entries` as a matrix; raises ``ModelError`` for rows of different lengths."""
    try:
        return sp.Matrix(value if isinstance(value, sp.MatrixBase) else as_entries(value, where=where))
    except ModelError:
        raise
    except ValueError:
        raise ModelError("has rows of different lengths", where=where, fix="give as many entries in each") from None


def is_matrix(value: Any) -> bool:
    """Whether this is a matrix, with entries or without."""
    return isinstance(value, sp.MatrixBase | sp.MatrixExpr)


def _is_row(value: Any) -> bool:
    return isinstance(value, Sequence | sp.MatrixBase) and not isinstance(value, str | bytes | bytearray)
