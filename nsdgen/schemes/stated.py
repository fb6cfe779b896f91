"""What a scheme or a law states, as columns: shapes checked where they are stated, kinks as nsdgen's nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from nsdgen.errors import DerivationError
from nsdgen.symbolic.expressions.entry import column, own_symbol, with_nodes

__all__ = ["numbered", "numbered_symbols", "stated_column"]


def stated_column(value: Any, what: str, where: str, rows: int | None = None) -> sp.Matrix:
    """A list, column or scalar as a column of so many rows, ``Max``, ``Abs``, ``Piecewise`` ... as nodes.

    Raises ``DerivationError`` naming what was stated and the shape it should have.
    """
    if (isinstance(value, sp.MatrixBase) and value.rows == 0) or (isinstance(value, Sequence) and not value):
        found = sp.zeros(0, 1)
    else:
        try:
            found = column(value, where=f"{where}, {what}")
        except ValueError as error:
            raise DerivationError(f"{what} is {value!r}, not a column of expressions", where=where,
                                  fix="give a SymPy matrix, a list or an expression") from error
    if rows is not None and found.rows != rows:
        raise DerivationError(f"{what} has {found.rows} entries, expected {rows}", where=where,
                              fix=f"give {rows}, one for each entry")
    return with_nodes(found)


def numbered(name: str, count: int) -> tuple[str, ...]:
    """The columns of a group of values: ``name``, or ``name[0]``, ``name[1]``, ...."""
    return (name,) if count == 1 else tuple(f"{name}[{i}]" for i in range(count))


def numbered_symbols(kind: str, name: str, count: int) -> tuple[sp.Symbol, ...]:
    """The symbols of a group of values: ``name``, or ``name0``, ``name1``, ...."""
    return tuple(own_symbol(kind, name if count == 1 else f"{name}{i}") for i in range(count))
