"""What every assumption is: the interface, and how its arguments are told apart and named."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import sympy as sp
from sympy.matrices.expressions import MatrixExpr, MatrixSymbol

from nsdgen.verify.shapes import is_abstract

Values = dict[sp.Symbol, sp.Rational]


def name_of(entries: Iterable[Any]) -> str:
    """A short name of a column of symbols: ``p`` for p0..p3, else the entries."""
    names = [str(e) for e in entries]
    stems = {n.rstrip("0123456789") for n in names}
    stem = stems.pop()
    return stem if not stems and stem and all(n != stem for n in names) else "(" + ", ".join(names) + ")"


def all_symbols(entries: Iterable[Any]) -> bool:
    """Whether all entries are symbols and no two are the same."""
    entries = list(entries)
    return all(isinstance(e, sp.Symbol) for e in entries) and len(set(entries)) == len(entries)


def label(a: Any) -> str:
    """The name of an abstract matrix, or that of a column of symbols."""
    return str(a) if is_abstract(a) else name_of(a)


class Assumption:
    """The common interface; every method has an empty default."""

    text: str

    def equations(self) -> tuple[sp.Expr, ...]:
        """Scalar expressions that vanish on the set, for explicit arguments: generators of its ideal."""
        return ()

    def conditions(self) -> tuple[sp.Expr, ...]:
        """All scalar expressions of which something is said."""
        return (*self.equations(), *self.positive(), *self.nonnegative(), *self.nonzero())

    def relations(self) -> tuple[MatrixExpr, ...]:
        """Matrix expressions that vanish on the set, for abstract arguments."""
        return ()

    def positive(self) -> tuple[sp.Expr, ...]:
        """Scalar expressions that are > 0 on the set."""
        return ()

    def nonnegative(self) -> tuple[sp.Expr, ...]:
        """Scalar expressions that are >= 0 on the set."""
        return ()

    def nonzero(self) -> tuple[sp.Expr, ...]:
        """Scalar expressions that vanish nowhere on the set."""
        return ()

    def sample(self, rng: Random, level: int) -> Values | None:
        """A point of the set, exact values by symbol; None where it has no way of its own to find one.

        ``level`` is that of :mod:`nsdgen.verify.numbers`: the lower, the simpler are the numbers.
        """
        return None

    def instance(self, rng: Random, level: int, size: Callable[[Any], int]) -> dict[MatrixSymbol, sp.Matrix] | None:
        """``sample`` for abstract arguments: explicit matrices by symbol; ``size`` gives dimensions their values."""
        return None
