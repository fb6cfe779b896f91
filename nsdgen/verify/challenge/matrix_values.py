"""Matrix expressions, explicit or abstract, as numbers at a witness."""

from __future__ import annotations

from functools import reduce
from typing import Any

import mpmath
import sympy as sp
from sympy.matrices import expressions as ex

from nsdgen.symbolic.expressions.conversion import as_expression, is_matrix

from .elementary import Undefined, Unsure

Evaluator = Any  # of :mod:`.meaning`, which takes determinants and traces from here


def sides_of(given: Any, like: tuple[Any, Any] | None, at: Evaluator) -> list[list[Any]]:
    """The entries of a side, each a value with its error or None where there is none; a 0 takes the shape ``like``."""
    if isinstance(given, sp.MatrixBase):
        return [[_entry(given[i, j], at) for j in range(given.cols)] for i in range(given.rows)]
    if is_matrix(given):
        m, size = _sized(given, at)
        error = size * mpmath.mpf(10) ** (-0.8 * mpmath.mp.dps)
        return [[(m[i, j], error) for j in range(m.cols)] for i in range(m.rows)]
    value = _entry(given, at)
    if like is not None and value is not None and value[0] == 0:
        rows, cols = (_size(d, at) for d in like)
        return [[value] * cols for _ in range(rows)]
    return [[value]]


def _entry(e: Any, at: Evaluator) -> Any:
    try:
        return at.pair(as_expression(e))
    except Undefined:
        return None


def _size(dimension: Any, at: Evaluator) -> int:
    return int(at(as_expression(dimension)))


def matrix_value(e: Any, at: Evaluator) -> Any:
    """The mpmath matrix of a matrix expression. Raises ``Undefined`` and ``Unsure``."""
    return _sized(e, at)[0]


Sized = tuple[Any, Any]
"""A matrix, and how large the numbers are that it was made from: rounding is small beside these."""


def _sized(e: Any, at: Evaluator) -> Sized:
    if isinstance(e, sp.MatrixBase):
        pairs = [[at.pair(e[i, j]) for j in range(e.cols)] for i in range(e.rows)]
        size = max((_reach(*p) for row in pairs for p in row), default=mpmath.mpf(0))
        return mpmath.matrix([[value for value, _ in row] for row in pairs]), size
    rule = _RULES.get(type(e))
    if rule is None:
        raise Unsure(f"{type(e).__name__} has no numerical meaning here")
    m, size = rule(e, at)
    tiny = mpmath.mpf(10) ** (-0.6 * mpmath.mp.dps) * size
    return m.apply(lambda x: mpmath.mpf(0) if abs(x) <= tiny else x), size  # entries that cancelled are zero


def _reach(value: Any, error: Any) -> Any:
    """How large the numbers are of which an error is the rounding."""
    return abs(value) + error * mpmath.mpf(10) ** (0.8 * mpmath.mp.dps)


def _largest(m: Any) -> Any:
    return max([abs(x) for x in m], default=mpmath.mpf(0))


def _as_given(m: Any) -> Sized:
    return m, _largest(m)


def _symbol(e: Any, at: Evaluator) -> Sized:
    rows, cols = _size(e.rows, at), _size(e.cols, at)
    names = [[f"{e.name}[{i}, {j}]" for j in range(cols)] for i in range(rows)]
    values = [[at.witness.scalar(n) for n in row] for row in names]
    if any(v is None for row in values for v in row):
        raise Unsure(f"{e.name} has no value")
    return _as_given(mpmath.matrix(values))


def _sum(e: Any, at: Evaluator) -> Sized:
    parts = [_sized(a, at) for a in e.args]
    return reduce(lambda a, b: a + b, (m for m, _ in parts)), mpmath.fsum(size for _, size in parts)


def _product(e: Any, at: Evaluator) -> Sized:
    m, size = reduce(_times, (_sized(a, at) for a in e.args if is_matrix(a)))
    scales = [at.pair(a) for a in e.args if not is_matrix(a)]
    return m * mpmath.fprod(v for v, _ in scales), size * mpmath.fprod(_reach(*p) for p in scales)


def _times(a: Sized, b: Sized) -> Sized:
    return a[0] * b[0], a[1] * b[1] * a[0].cols


def determinant(m: Any) -> Any:
    """The determinant; 0 where elimination meets a column of zeros, for which mpmath raises ``TypeError``."""
    try:
        return mpmath.det(m)
    except TypeError:
        return mpmath.mpf(0)


def _inverse(given: Sized) -> Sized:
    m, size = given
    if m.rows != m.cols:
        raise Undefined("the inverse of a matrix that is not square")
    most = _largest(m)
    if most == 0 or abs(determinant(m / most)) <= mpmath.mpf(10) ** (-0.6 * mpmath.mp.dps):
        raise Undefined("the inverse of a singular matrix")
    inverse = m**-1
    largest = _largest(inverse)
    return inverse, largest + largest**2 * size * m.rows**2  # what its rounding is made into


def _power(e: Any, at: Evaluator) -> Sized:
    exponent = e.args[1]
    if not isinstance(exponent, sp.Integer):
        raise Unsure("a power of a matrix that is no integer")
    base = _sized(e.args[0], at)
    base = _inverse(base) if exponent < 0 else base
    return reduce(_times, [base] * abs(int(exponent)), (mpmath.eye(base[0].rows), mpmath.mpf(1)))


def _blocks(e: Any, at: Evaluator) -> Sized:
    return _stacked([[_sized(e.blocks[i, j], at) for j in range(e.blocks.cols)] for i in range(e.blocks.rows)])


def _diagonal(e: Any, at: Evaluator) -> Sized:
    parts = [_sized(a, at) for a in e.args]
    return _stacked(
        [
            [(m, size) if i == j else (mpmath.zeros(m.rows, n.cols), size) for j, (n, _) in enumerate(parts)]
            for i, (m, size) in enumerate(parts)
        ]
    )


def _stacked(parts: list[list[Sized]]) -> Sized:
    rows = []
    for line in parts:
        for k in range(line[0][0].rows):
            rows.append([m[k, j] for m, _ in line for j in range(m.cols)])
    return mpmath.matrix(rows), max(size for line in parts for _, size in line)


def _entrywise(e: Any, at: Evaluator) -> Sized:
    parts = [_sized(a, at) for a in e.args]
    first = parts[0][0]
    m = mpmath.matrix([[mpmath.fprod(p[i, j] for p, _ in parts) for j in range(first.cols)] for i in range(first.rows)])
    return m, mpmath.fprod(size for _, size in parts)


def _turned(e: Any, at: Evaluator) -> Sized:
    m, size = _sized(e.arg, at)
    return m.T, size


_RULES: dict[type, Any] = {
    sp.MatrixSymbol: _symbol,
    ex.MatAdd: _sum,
    ex.MatMul: _product,
    ex.Transpose: _turned,
    ex.Inverse: lambda e, at: _inverse(_sized(e.args[0], at)),
    ex.MatPow: _power,
    ex.BlockMatrix: _blocks,
    ex.BlockDiagMatrix: _diagonal,
    ex.HadamardProduct: _entrywise,
    ex.Identity: lambda e, at: _as_given(mpmath.eye(_size(e.shape[0], at))),
    ex.ZeroMatrix: lambda e, at: _as_given(mpmath.zeros(_size(e.shape[0], at), _size(e.shape[1], at))),
    ex.OneMatrix: lambda e, at: _as_given(mpmath.ones(_size(e.shape[0], at), _size(e.shape[1], at))),
}
