"""Jacobians through intermediate quantities, given by a value or by equations they satisfy.

A length |x| and its direction are best *computed* in one way (without overflow) and
*differentiated* in another (from x = |x| e and e . e = 1). Such a quantity is a symbol with a
definition here; Jacobians follow it by the chain rule and the implicit function theorem,
and contain the symbol, so that emitted code reuses what it has computed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.nodes import Branch, let
from nsdgen.symbolic.expressions.nodes_of import replaced


@dataclass(frozen=True)
class Explicit:
    """A symbol that stands for ``value``."""

    symbol: sp.Symbol
    value: sp.Expr

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """The symbol as a tuple, as :class:`Implicit` has it."""
        return (self.symbol,)

    @property
    def values(self) -> tuple[sp.Expr, ...]:
        """The value as a tuple, as :class:`Implicit` has it."""
        return (self.value,)


@dataclass(frozen=True)
class Implicit:
    """Symbols that stand for ``values`` and are differentiated from ``equations`` = 0, ``identities`` = 0.

    A value may use the symbols before it. As many equations as symbols, identities included, all
    polynomial in the symbols. Identities hold nothing but the symbols; determinants are reduced by them.
    """

    symbols: tuple[sp.Symbol, ...]
    values: tuple[sp.Expr, ...]
    equations: tuple[sp.Expr, ...]
    identities: tuple[sp.Expr, ...] = ()


Definition = Explicit | Implicit


def total_jacobian(values: sp.MatrixBase, wrt: Sequence[sp.Symbol], definitions: Sequence[Definition]) -> sp.Matrix:
    """d values[i] / d wrt[j] (rows x columns), with ``definitions`` in the order in which they use each other.

    Branches are differentiated branch by branch, so that no quantity enters a branch that does not use it.
    """
    rows = [_total(value, tuple(wrt), definitions) for value in values]
    return sp.Matrix.vstack(sp.zeros(0, len(wrt)), *rows)


def insert(expression: sp.Expr, definitions: Sequence[Definition]) -> sp.Expr:
    """The expression with each defined symbol replaced by its value, named as the symbol."""
    known: dict[sp.Basic, sp.Basic] = {}
    for definition in definitions:
        for symbol, value in zip(definition.symbols, definition.values, strict=True):
            known[symbol] = let(symbol.name, replaced(sp.Matrix([value]), known)[0])
    return replaced(sp.Matrix([expression]), known)[0]


def _total(value: sp.Expr, wrt: tuple[sp.Symbol, ...], definitions: Sequence[Definition]) -> sp.MatrixBase:
    """One row. From the last definition to the first, which keeps what is common to several terms a factor."""
    if isinstance(value, Branch):
        rows = [_total(arm, wrt, definitions) for arm in value.values]
        return sp.Matrix(
            1,
            len(wrt),
            lambda _, j: Branch(
                *(part for row, condition in zip(rows, value.conditions, strict=True) for part in (row[j], condition))
            ),
        )
    defined = tuple(symbol for definition in definitions for symbol in definition.symbols)
    row = jacobian(sp.Matrix([value]), wrt + defined)
    end = row.cols
    for place in range(len(definitions) - 1, -1, -1):
        definition = definitions[place]
        start = end - len(definition.symbols)
        weight, row = row[:, start:end], row[:, :start]
        end = start
        if weight.is_zero_matrix:
            continue
        if isinstance(definition, Explicit) and isinstance(definition.value, Branch):
            change = _total(definition.value, wrt, definitions[:place])
            row[:, : len(wrt)] += weight * change
        else:
            row += weight * _partial(definition, wrt + defined[: start - len(wrt)])
    return row


def _partial(definition: Definition, wrt: tuple[sp.Symbol, ...]) -> sp.MatrixBase:
    """The derivatives of the defined symbols by what they are made of.

    dy = -G_y^-1 G_x dx for G(y, x) = 0, by minors: divisions by the reduced determinant only.
    """
    if isinstance(definition, Explicit):
        return jacobian(sp.Matrix([definition.value]), wrt)
    equations = sp.Matrix([*definition.equations, *definition.identities])
    matrix = jacobian(equations, definition.symbols)
    determinant = sp.expand(matrix.det(method="berkowitz"))
    if definition.identities:
        determinant = sp.reduced(determinant, definition.identities, *definition.symbols)[1]
    inverse = matrix.adjugate().applyfunc(lambda minor: sp.cancel(minor / determinant))
    return -inverse * jacobian(equations, wrt)
