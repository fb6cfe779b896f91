"""Matrix expressions, explicit or abstract, as numbers at a witness.

Numbers enter as fractions, and matrices of them are exact: what differs from zero is no rounding of this arithmetic.
"""

from collections.abc import Callable
from functools import reduce
from operator import add, mul
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
        m = matrix_value(given, at)
        moved = matrix_value(given, at, moved=True) if _is_rough(given, at) else m
        rounding = _size(m) * mpmath.mpf(10) ** (-0.8 * mpmath.mp.dps)
        return [[(m[i, j], rounding + abs(moved[i, j] - m[i, j])) for j in range(m.cols)] for i in range(m.rows)]
    value = _entry(given, at)
    if like is not None and value is not None and value[0] == 0:
        rows, cols = (int(at(as_expression(d))) for d in like)
        return [[value] * cols for _ in range(rows)]
    return [[value]]


def scalars_of(expression: Any) -> list[sp.Expr]:
    """The scalar factors of a matrix expression, in order of appearance."""
    products = (part for part in sp.preorder_traversal(expression) if isinstance(part, ex.MatMul))
    return [a for part in products for a in part.args if not isinstance(a, sp.MatrixExpr)]


def _is_rough(e: Any, at: Evaluator) -> bool:
    """Whether a number in a matrix expression may be no exact fraction."""
    return bool(e.atoms(sp.ImmutableDenseMatrix)) or any(at.exact(s) is None for s in scalars_of(e))


def _entry(e: Any, at: Evaluator) -> Any:
    try:
        return at.pair(as_expression(e))
    except Undefined:
        return None


def _size(m: Any) -> Any:
    return max([mpmath.mpf(1), *map(abs, m)])


def matrix_value(e: Any, at: Evaluator, moved: bool = False) -> Any:
    """The mpmath matrix of a matrix expression, 0 where only rounding of its numbers is left.

    ``moved`` says that every number is moved by its error. Raises ``Undefined`` and ``Unsure``.
    """
    exact = fractions_of(e, at, moved)
    m = mpmath.matrix(exact.rows, exact.cols)
    for k, x in enumerate(exact):
        m[k // exact.cols, k % exact.cols] = at.witness.number(x)
    tiny = mpmath.mpf(10) ** (-0.6 * mpmath.mp.dps) * _size(m)
    return m.apply(lambda x: mpmath.mpf(0) if abs(x) <= tiny else x)


def fractions_of(e: Any, at: Evaluator, moved: bool = False) -> Any:
    """The SymPy matrix of a matrix expression, or the number of a scalar, in exact fractions."""
    if isinstance(e, ex.BlockMatrix):
        e = e.blocks
        grid = ([fractions_of(e[i, j], at, moved) for j in range(e.cols)] for i in range(e.rows))
        return sp.Matrix.vstack(*(sp.Matrix.hstack(*row) for row in grid))
    if isinstance(e, sp.MatrixBase):
        return e.applyfunc(lambda x: fractions_of(x, at, moved))
    if isinstance(e, ex.MatrixSymbol):
        rows, cols = (int(at(as_expression(d))) for d in e.shape)
        names = (sp.Symbol(f"{e.name}[{i}, {j}]") for i in range(rows) for j in range(cols))
        return sp.Matrix(rows, cols, [_fraction(s, at, moved) for s in names])
    if not is_matrix(e):
        return _fraction(as_expression(e), at, moved)
    rule = _RULES.get(type(e))
    if rule is None:
        raise Unsure(f"{type(e).__name__} has no numerical meaning here")
    return rule(*(fractions_of(a, at, moved) for a in e.args))


def _fraction(e: sp.Expr, at: Evaluator, moved: bool) -> sp.Expr:
    exact = at.exact(e)
    if exact is not None:
        return sp.Rational(exact.numerator, exact.denominator)
    value, error = at.pair(e)
    value = mpmath.mpmathify(value + error if moved else value)
    real, imaginary = (sp.Rational(*map(int, mpmath.libmp.to_rational(x._mpf_))) for x in (value.real, value.imag))
    return real + sp.I * imaginary


def _power(m: Any, n: Any) -> Any:
    """A whole power, where there is one: a determinant that is rounding beside the entries is zero."""
    if not isinstance(n, sp.Integer):
        raise Unsure("a power of a matrix that is no integer")
    if n >= 0:
        return m**n
    if m.rows != m.cols:
        raise Undefined("the inverse of a matrix that is not square")
    most = max(map(abs, m), default=1)
    if most == 0 or abs((m / most).det()) <= sp.Rational(10) ** int(-0.6 * mpmath.mp.dps):
        raise Undefined("the inverse of a singular matrix")
    return m.inv() ** -n


_RULES: dict[type, Callable[..., Any]] = {
    ex.MatAdd: lambda *parts: reduce(add, parts),
    ex.MatMul: lambda *parts: reduce(mul, parts),
    ex.Transpose: lambda m: m.T,
    ex.Inverse: lambda m, n=sp.S.NegativeOne: _power(m, n),
    ex.MatPow: _power,
    ex.BlockDiagMatrix: sp.diag,
    ex.HadamardProduct: lambda *parts: reduce(lambda a, b: a.multiply_elementwise(b), parts),
    ex.Identity: sp.eye,
    ex.ZeroMatrix: sp.zeros,
    ex.OneMatrix: sp.ones,
}
