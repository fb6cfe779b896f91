"""Matrix expressions, explicit or abstract, as numbers at a witness."""

from __future__ import annotations

from functools import reduce
from typing import Any

import mpmath
import sympy as sp
from sympy.matrices import expressions as ex

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.shapes import is_matrix

from .elementary import Undefined, Unsure

Evaluator = Any  # of :mod:`.meaning`, which takes determinants and traces from here


def sides_of(given: Any, like: tuple[Any, Any] | None, at: Evaluator) -> list[list[Any]]:
    """The entries of a side, each a value with its error or None where there is none; a 0 takes the shape ``like``."""
    if isinstance(given, sp.MatrixBase):
        return [[_entry(given[i, j], at) for j in range(given.cols)] for i in range(given.rows)]
    if is_matrix(given):
        m = matrix_value(given, at)
        error = max([abs(x) for x in m], default=mpmath.mpf(0)) * mpmath.mpf(10) ** (-0.8 * mpmath.mp.dps)
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
    if isinstance(e, sp.MatrixBase):
        return mpmath.matrix([[at(e[i, j]) for j in range(e.cols)] for i in range(e.rows)])
    rule = _RULES.get(type(e))
    if rule is None:
        raise Unsure(f"{type(e).__name__} has no numerical meaning here")
    return rule(e, at)


def _symbol(e: Any, at: Evaluator) -> Any:
    given = at.witness.matrices.get(e.name)
    if given is not None:
        return mpmath.matrix([[at(as_expression(given[i, j])) for j in range(given.cols)] for i in range(given.rows)])
    rows, cols = _size(e.rows, at), _size(e.cols, at)
    return mpmath.matrix([[at(e[i, j]) for j in range(cols)] for i in range(rows)])


def _product(e: Any, at: Evaluator) -> Any:
    factors = [matrix_value(a, at) for a in e.args if is_matrix(a)]
    scale = mpmath.fprod(at(a) for a in e.args if not is_matrix(a))
    return _cleaned(reduce(lambda a, b: a * b, factors)) * scale


def _cleaned(m: Any) -> Any:
    """Entries that cancelled are zero."""
    tiny = mpmath.mpf(10) ** (-0.6 * mpmath.mp.dps) * max([abs(x) for x in m], default=0)
    return m.apply(lambda x: mpmath.mpf(0) if abs(x) <= tiny else x)


def determinant(m: Any) -> Any:
    """The determinant; 0 where elimination meets a column of zeros, for which mpmath raises ``TypeError``."""
    try:
        return mpmath.det(m)
    except TypeError:
        return mpmath.mpf(0)


def _inverse(m: Any) -> Any:
    if m.rows != m.cols:
        raise Undefined("the inverse of a matrix that is not square")
    size = max([abs(x) for x in m], default=mpmath.mpf(0))
    if size == 0 or abs(determinant(m / size)) <= mpmath.mpf(10) ** (-0.6 * mpmath.mp.dps):
        raise Undefined("the inverse of a singular matrix")
    return m**-1


def _power(e: Any, at: Evaluator) -> Any:
    base, exponent = matrix_value(e.args[0], at), e.args[1]
    if not isinstance(exponent, sp.Integer):
        raise Unsure("a power of a matrix that is no integer")
    base = _inverse(base) if exponent < 0 else base
    return base ** abs(int(exponent))


def _blocks(e: Any, at: Evaluator) -> Any:
    return _stacked([[matrix_value(e.blocks[i, j], at) for j in range(e.blocks.cols)] for i in range(e.blocks.rows)])


def _diagonal(e: Any, at: Evaluator) -> Any:
    parts = [matrix_value(a, at) for a in e.args]
    return _stacked(
        [[p if i == j else mpmath.zeros(p.rows, q.cols) for j, q in enumerate(parts)] for i, p in enumerate(parts)]
    )


def _stacked(parts: list[list[Any]]) -> Any:
    rows = []
    for line in parts:
        for k in range(line[0].rows):
            rows.append([p[k, j] for p in line for j in range(p.cols)])
    return mpmath.matrix(rows)


def _entrywise(e: Any, at: Evaluator) -> Any:
    parts = [matrix_value(a, at) for a in e.args]
    return mpmath.matrix(
        [[mpmath.fprod(p[i, j] for p in parts) for j in range(parts[0].cols)] for i in range(parts[0].rows)]
    )


_RULES: dict[type, Any] = {
    sp.MatrixSymbol: _symbol,
    ex.MatAdd: lambda e, at: _cleaned_sum([matrix_value(a, at) for a in e.args]),
    ex.MatMul: _product,
    ex.Transpose: lambda e, at: matrix_value(e.arg, at).T,
    ex.Inverse: lambda e, at: _inverse(matrix_value(e.args[0], at)),
    ex.MatPow: _power,
    ex.BlockMatrix: _blocks,
    ex.BlockDiagMatrix: _diagonal,
    ex.HadamardProduct: _entrywise,
    ex.Identity: lambda e, at: mpmath.eye(_size(e.shape[0], at)),
    ex.ZeroMatrix: lambda e, at: mpmath.zeros(_size(e.shape[0], at), _size(e.shape[1], at)),
    ex.OneMatrix: lambda e, at: mpmath.ones(_size(e.shape[0], at), _size(e.shape[1], at)),
}


def _cleaned_sum(parts: list[Any]) -> Any:
    total = reduce(lambda a, b: a + b, parts)
    size = max([abs(x) for p in parts for x in p], default=0)
    tiny = mpmath.mpf(10) ** (-0.6 * mpmath.mp.dps) * size
    return total.apply(lambda x: mpmath.mpf(0) if abs(x) <= tiny else x)
