"""Statements: what a claim says, as records without any decision in them.

A side of an ``Equal`` is a SymPy expression, an explicit matrix, a ``MatrixExpr`` (abstract, for all sizes), a
list (read as a column), or a function without arguments that makes one of these. The last form lets a claim
hold an ill-typed product: the shape error that SymPy raises while it is made is then the verdict.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression

Side: TypeAlias = Any  # an expression, a matrix of either kind, a sequence, a number, or a function that makes one


def several(given: Any) -> tuple[Any, ...]:
    """One record or a sequence of them, as a tuple."""
    return tuple(given) if isinstance(given, Iterable) else (given,)


@dataclass(frozen=True, init=False)
class Equal:
    """left = right (= further sides); scalars, explicit matrices or abstract matrices.

    ``hand`` names the hand-written side, whose wrong entries are reported ("left", "right"); None takes the claim's.
    """

    sides: tuple[Any, ...]
    hand: Literal["left", "right"] | None

    def __init__(self, left: Side, right: Side, *more: Side, hand: Literal["left", "right"] | None = None) -> None:
        object.__setattr__(self, "sides", (left, right, *more))
        object.__setattr__(self, "hand", hand)

    @property
    def left(self) -> Any:
        """The first side."""
        return self.sides[0]

    @property
    def right(self) -> Any:
        """The last side."""
        return self.sides[-1]


@dataclass(frozen=True)
class Zero:
    """The expression (scalar, matrix or abstract matrix) vanishes."""

    expression: Any


@dataclass(frozen=True)
class Implies:
    """Where all premises hold, all conclusions hold; one of either may be given by itself.

    Premises are ``Equal``, ``Zero`` or assumptions; a premise that is no equation cannot be used and is refused.
    """

    premises: Any
    conclusions: Any

    def __post_init__(self) -> None:
        self.__dict__.update(premises=several(self.premises), conclusions=several(self.conclusions))


@dataclass(frozen=True)
class Iff:
    """Both directions: the left equations hold exactly where the right ones do."""

    left: Any
    right: Any

    def __post_init__(self) -> None:
        self.__dict__.update(left=several(self.left), right=several(self.right))


@dataclass(frozen=True)
class Shape:
    """The expression is well typed and has the shape (rows, columns)."""

    expression: Any
    shape: tuple[Any, Any]


@dataclass(frozen=True)
class SeriesEqual:
    """closed(x) = sum over index >= start of term(index, x), as power series in ``variable``.

    Without ``index`` (None), ``term`` is a closed form as well. ``order`` is how many Taylor coefficients are
    compared when no closed form of the sum is found.
    """

    closed: sp.Expr
    term: sp.Expr
    variable: sp.Symbol
    index: sp.Symbol | None = None
    start: int = 0
    order: int = 12

    def __post_init__(self) -> None:
        if not isinstance(self.variable, sp.Symbol) or not isinstance(self.index, sp.Symbol | None):
            raise ModelError(
                f"{self.variable!r} and {self.index!r} are not a variable and an index of summation",
                where="SeriesEqual",
                fix="give symbols; the number of coefficients is order=...",
            )


@dataclass(frozen=True)
class IntegralEqual:
    """left = integral of ``integrand`` over ``variable`` from ``lower`` to the Symbol ``upper``.

    Decided by the fundamental theorem: equal derivatives in ``upper``, and left = 0 at upper = lower.
    """

    left: Any
    integrand: Any
    variable: sp.Symbol
    lower: Any
    upper: sp.Symbol

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", as_expression(self.lower, where="IntegralEqual, lower"))
        if not isinstance(self.upper, sp.Symbol):
            raise ModelError(
                f"the upper bound {self.upper} is not a symbol",
                where="IntegralEqual",
                fix="name the upper bound, state the identity in it, and substitute afterwards",
            )


@dataclass(frozen=True)
class Inequality:
    """left < right, or with <=, > or >=, on the assumption set; scalars."""

    left: Any
    relation: str
    right: Any

    def __post_init__(self) -> None:
        if self.relation not in ("<", "<=", ">", ">="):
            raise ModelError(
                f"{self.relation!r} is not an order relation", where="Inequality", fix="write '<', '<=', '>' or '>='"
            )


@dataclass(frozen=True)
class Definite:
    """The explicit matrix is symmetric and positive definite (``semi``: positive semidefinite)."""

    matrix: Any
    semi: bool = False


@dataclass(frozen=True)
class Fails:
    """The statement does not hold on the assumption set: there is a point where it is false."""

    statement: Any
