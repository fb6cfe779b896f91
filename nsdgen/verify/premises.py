"""Premises as assumptions, and what two sides of one shape are."""

from itertools import pairwise
from typing import Any

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import is_matrix
from nsdgen.verify.assumptions import Assumption, Equation
from nsdgen.verify.orders import refuse_orders
from nsdgen.verify.shapes import IllTyped, build, is_abstract, same_shape, shape_of
from nsdgen.verify.statement import Equal, Zero


def paired(left: Any, right: Any, where: str = "the left side is {}, the right side {}") -> tuple[Any, Any]:
    """Two sides of one shape; a scalar zero is the zero matrix beside a matrix. Raises ``IllTyped``."""
    a, b = _zero_like(left, right), _zero_like(right, left)
    if not same_shape(shape_of(a), shape_of(b)):
        raise IllTyped(where.format(shape_text(shape_of(a)), shape_text(shape_of(b))))
    return a, b


def premise(given: Any) -> tuple[Any, ...]:
    """A premise as assumptions. Raises ``ModelError`` for what is no equation."""
    if isinstance(given, Assumption):
        return (given,)
    if isinstance(given, Zero):
        refuse_orders(e := build(given.expression))
        return (Equation(e),)
    if isinstance(given, Equal):
        sides = [build(s) for s in given.sides]
        refuse_orders(*sides)
        return tuple(Equation(*paired(a, b, "a premise equates {} and {}")) for a, b in pairwise(sides))
    raise ModelError(
        f"the premise {given!r} is no equation", where="Implies", fix="give Equal, Zero or an assumption as premise"
    )


def _zero_like(a: Any, b: Any) -> Any:
    """A scalar zero beside a matrix is the zero matrix, a scalar beside a 1x1 matrix is one."""
    if is_matrix(a) or not is_matrix(b):
        return a
    if a == 0:
        return sp.ZeroMatrix(*b.shape) if is_abstract(b) else sp.ImmutableMatrix.zeros(*b.shape)
    if same_shape(b.shape, (1, 1)):
        return a * sp.Identity(1) if is_abstract(b) else sp.ImmutableMatrix([[a]])
    raise IllTyped(f"{a} is a scalar, the other side is {shape_text(b.shape)}")


def shape_text(shape: Any) -> str:
    """``rows x columns``."""
    return f"{shape[0]} x {shape[1]}"
