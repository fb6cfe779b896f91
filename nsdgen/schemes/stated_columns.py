"""What a scheme or a law states, as columns: shapes checked where they are stated, kinks as nsdgen's nodes."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from nsdgen.base.suggest import nearest
from nsdgen.errors import DerivationError, UnknownName
from nsdgen.symbolic.expressions.entry import column, own_symbol, with_nodes
from nsdgen.symbolic.expressions.nodes_of import entries_of, holds
from nsdgen.symbolic.expressions.time import time


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
            raise DerivationError(
                f"{what} is {value!r}, not a column of expressions",
                where=where,
                fix="give a SymPy matrix, a list or an expression",
            ) from error
    if rows is not None and found.rows != rows:
        raise DerivationError(
            f"{what} has {found.rows} entries, expected {rows}", where=where, fix=f"give {rows}, one for each entry"
        )
    if holds(entries_of(found), nodes=[time]):
        users = [f for f in sorted(found.atoms(AppliedUndef), key=str) if f.has(time)]
        raise DerivationError(
            f"{what} holds {users[0] if users else time}, as users write it",
            where=where,
            fix="in a step variables are symbols, unknown(role), state(name), group(role), and time is T_K or T_NEXT",
        )
    return with_nodes(found)


def stated_expression(value: Any, what: str, where: str) -> sp.Expr:
    """One expression, kinks as nodes; raises ``DerivationError`` for columns, lists and texts."""
    if isinstance(value, str | Sequence | sp.MatrixBase):
        raise DerivationError(
            f"{what} is {value!r}, not one expression",
            where=where,
            fix="give a SymPy expression or a number, such as column[0]",
        )
    return stated_column(value, what, where, 1)[0]


def stated_pairs(pairs: Any, what: str, where: str) -> tuple[tuple[sp.Symbol, sp.Expr], ...]:
    """Pairs (symbol, expression); raises ``DerivationError`` for anything else."""
    if not isinstance(pairs, Sequence) or any(not isinstance(p, tuple) or len(p) != 2 for p in pairs):
        raise DerivationError(
            f"{what} is {pairs!r}, not a list of pairs",
            where=where,
            fix="give [(symbol, expression), ...]; own_symbol('frozen', name) makes a symbol",
        )
    for symbol, _ in pairs:
        if not isinstance(symbol, sp.Symbol):
            raise DerivationError(
                f"{what} assigns to {symbol!r}, which is no symbol",
                where=where,
                fix="make one by own_symbol('frozen', name)",
            )
    return tuple((symbol, stated_expression(value, f"{what}, {symbol.name}", where)) for symbol, value in pairs)


def stated_count(count: Any, what: str, where: str) -> int:
    """A number of entries, at least 1; raises ``DerivationError`` for anything else."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise DerivationError(f"{what} has count={count!r}", where=where, fix="give a whole number of at least 1")
    return count


def stated_labels(given: Sequence[str], default: Sequence[str], count: int, what: str, where: str) -> tuple[str, ...]:
    """``given`` as a tuple, or the default where there is none; raises ``DerivationError`` for other numbers."""
    if isinstance(given, str) or (given and len(given) != count):
        kind = what.rpartition(" ")[2]
        raise DerivationError(
            f"{what.rpartition(' ')[0]}: {given!r} are {len(given)} {kind} for {count} entries",
            where=where,
            fix=f"give a list of {count} texts, or leave {kind} out",
        )
    return tuple(given) or tuple(default)


def one_of(known: Mapping[str, Any], name: Any, what: str, where: str) -> Any:
    """``known[name]``; raises ``DerivationError`` with what there is where it is none."""
    if name not in known:
        raise DerivationError(
            f"there is no {what} {name!r}",
            where=where,
            fix=f"{nearest(str(name), known)} there is {', '.join(known) or 'none'}".strip(),
        )
    return known[name]


class OptionSymbols(SimpleNamespace):
    """The symbols of a scheme's numeric options as attributes; raises ``UnknownName`` for others."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        known = ", ".join(n for n in vars(self) if n != "_scheme") or "none"
        raise UnknownName(
            f"there is no option {name!r}",
            where=f"scheme {vars(self)['_scheme']}",
            fix=f"the numeric options are {known}; a field theta: float = option(0.5, 0, 1) makes one",
        )


def numbered_symbols(kind: str, name: str, count: int) -> tuple[sp.Symbol, ...]:
    """The symbols of a group of values: ``name``, or ``name0``, ``name1``, ...."""
    return tuple(own_symbol(kind, name if count == 1 else f"{name}{i}") for i in range(count))
