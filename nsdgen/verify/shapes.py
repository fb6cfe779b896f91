"""Shapes and symbols: checked before anything is compared."""

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations, pairwise
from traceback import walk_tb
from typing import Any

import sympy as sp
from sympy import ShapeError
from sympy.core.function import Application
from sympy.matrices.expressions import HadamardProduct, Inverse, MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol

from nsdgen.errors import ModelError, NsdgenError
from nsdgen.symbolic.expressions.conversion import as_expression, as_matrix, is_matrix


class IllTyped(Exception):
    """Shapes that cannot agree; caught inside ``verify`` and reported as the reason of a verdict."""


def build(side: Any) -> Any:
    """The side as a SymPy expression, an immutable matrix or a ``MatrixExpr``. Raises ``IllTyped``."""
    if isinstance(side, Callable) and not isinstance(side, (sp.Basic, sp.MatrixBase)):  # type: ignore[arg-type]
        try:
            side = side()
        except NsdgenError:
            raise
        except (ShapeError, sp.NonSquareMatrixError, ValueError, TypeError, IndexError) as error:
            if not _from_algebra(error):
                raise
            raise IllTyped(str(error) or type(error).__name__) from error
    if hasattr(side, "tolist") and not is_matrix(side):  # an array of NumPy or SymPy
        if len(side.shape) > 2:
            raise IllTyped(f"an array of shape {tuple(side.shape)} is no matrix")
        side = side.tolist()
    if isinstance(side, (list, tuple)):
        side = sp.ImmutableMatrix(as_matrix(side, where="side"))
    side = as_expression(side)
    if isinstance(side, sp.MatrixBase):
        return sp.ImmutableMatrix(side)
    if is_abstract(side):
        check(side)
    elif side.has(MatrixSymbol):
        _no_functions_of_matrices(side)
    return side


def _from_algebra(error: Exception) -> bool:
    """Whether SymPy or NumPy raised an error: a product that has no shape, and no failure of what makes the side."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__")).partition(".")[0] in ("sympy", "numpy", "operator", __name__)


def _no_functions_of_matrices(side: Any) -> None:
    """Raises ``ModelError`` where a function of numbers is applied to a matrix without entries."""
    for node in sp.preorder_traversal(side):
        if isinstance(node, Application | sp.Pow) and any(is_abstract(a) for a in node.args):
            raise ModelError(
                f"{node} is a function of a matrix",
                where="verify",
                fix="state it about the entries, or name the value as a matrix of its own",
            )


def is_abstract(side: Any) -> bool:
    """Whether this is a matrix expression without entries."""
    return isinstance(side, MatrixExpr) and not isinstance(side, sp.MatrixBase)


def shape_of(side: Any) -> tuple[sp.Expr, sp.Expr]:
    """(rows, columns); (1, 1) for a scalar."""
    if is_matrix(side):
        return as_expression(side.shape[0]), as_expression(side.shape[1])
    return sp.S.One, sp.S.One


def same_shape(a: tuple[Any, Any], b: tuple[Any, Any]) -> bool:
    """Whether two shapes agree for all values of the dimensions in them."""
    return all(sp.expand(as_expression(m) - as_expression(n)) == 0 for m, n in zip(a, b, strict=True))


def check(expression: MatrixExpr) -> None:
    """Raises ``IllTyped`` for a sum or product whose parts do not fit."""
    for part in sp.preorder_traversal(expression):
        if isinstance(part, (MatAdd, HadamardProduct)):
            first, *others = part.args
            for other in others:
                if not same_shape(first.shape, other.shape):
                    raise IllTyped(f"{_shaped(first)} and {_shaped(other)} cannot be added")
        elif isinstance(part, MatMul):
            factors = [a for a in part.args if is_matrix(a)]
            for a, b in pairwise(factors):
                if not same_shape((a.shape[1], 0), (b.shape[0], 0)):
                    raise IllTyped(f"{_shaped(a)} cannot be multiplied by {_shaped(b)}")
        elif isinstance(part, (Inverse, MatPow)) and not same_shape(part.args[0].shape, part.args[0].shape[::-1]):
            raise IllTyped(f"{_shaped(part.args[0])} is not square")


def _shaped(m: Any) -> str:
    return f"{m} ({m.shape[0]} x {m.shape[1]})"


@lru_cache(maxsize=64)
def deciding_minors(m: sp.ImmutableMatrix, semi: bool = False) -> tuple[sp.Expr, ...]:
    """The minors whose signs decide: of the leading blocks, or (``semi``) of all that stand on the diagonal."""
    sizes = range(1, m.rows + 1)
    blocks = [c for k in sizes for c in combinations(range(m.rows), k)] if semi else [range(k) for k in sizes]
    return tuple(m.extract(list(c), list(c)).det(method="berkowitz") for c in blocks)


def strangers(hand: Any, truth: Any, known: set[sp.Symbol]) -> list[str]:
    """Names of symbols that the hand side has and neither the truth nor the assumptions mention."""
    sizes = {s for m in truth.atoms(sp.MatrixSymbol) for d in m.shape for s in as_expression(d).free_symbols}
    other = {s.name for s in truth.free_symbols | known | sizes if isinstance(s, sp.Symbol)}
    return sorted({s.name for s in hand.free_symbols if isinstance(s, sp.Symbol)} - other)
