"""What every assumption is: the interface, and how its arguments are told apart and named."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import sympy as sp

from nsdgen.verify.shapes import is_abstract

Values = dict[Any, Any]
Said = tuple[str, Any]

KINDS = ("given", "positive", "nonnegative", "nonzero")
"""Of a number: it is 0, > 0, >= 0, not 0. Of a matrix: it is 0, definite, semidefinite, or has an inverse."""


def said(assumptions: Iterable[Assumption], *kinds: str) -> list[sp.Expr]:
    """The scalar expressions of which assumptions say something of some kinds."""
    return [e for a in assumptions for kind, e in a.said() if kind in kinds and not is_abstract(e)]


def name_of(matrix: Any) -> str:
    """The name of an abstract matrix, or a short one of a column of symbols: ``p`` for p0..p3, else the entries."""
    if is_abstract(matrix):
        return str(matrix)
    names = [str(e) for e in matrix]
    stems = {n.rstrip("0123456789") for n in names}
    stem = stems.pop()
    return stem if not stems and stem and all(n != stem for n in names) else "(" + ", ".join(names) + ")"


def placed(entries: Iterable[Any], values: Iterable[Any]) -> Values | None:
    """Values in the place of symbols; None where an entry is none, or one symbol would have two of them."""
    pairs = list(zip(entries, values, strict=True))
    found = dict(pairs)
    fits = all(isinstance(e, sp.Symbol) and found[e] == v for e, v in pairs)
    return found if fits else None


class Assumption:
    """The common interface; every method has an empty default."""

    text: str

    def said(self) -> Iterable[Said]:
        """What holds on the set, kind by kind (``KINDS``): of scalar expressions, or of abstract matrices as wholes."""
        return ()

    def sample(self, rng: Random, level: int, size: Callable[[Any], int] = int) -> Values | None:
        """A point of the set: exact values by symbol, matrices by matrix symbol; None where it has no way to find one.

        ``level`` is that of :mod:`nsdgen.verify.numbers`: the lower, the simpler are the numbers. ``size`` gives
        dimensions of abstract matrices their values.
        """
        return None
