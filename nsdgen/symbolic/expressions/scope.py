"""Scope: which symbols the expressions of one system or relation may use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import sympy as sp
from sympy.core.function import AppliedUndef

from nsdgen.base.checks import shown
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import fresh
from nsdgen.symbolic.expressions.time import time


@dataclass(frozen=True)
class Scope:
    """The model's parameters as fresh real symbols, in the model's order; and its relations, one of each copies."""

    parameters: Mapping[sp.Symbol, sp.Symbol] = field(default_factory=dict)
    relations: Sequence[Any] = ()

    @classmethod
    def of(cls, parameters: Sequence[sp.Symbol], *, model: str) -> Self:
        """Fresh symbols for all parameters; two of one name are refused."""
        seen: dict[str, sp.Symbol] = {}
        for symbol in parameters:
            if not isinstance(symbol, sp.Symbol):
                raise ModelError(
                    f"{symbol!r} is not a SymPy symbol",
                    model=model,
                    where="parameters",
                    fix="the keys of parameters are the symbols used in the expressions",
                )
            if symbol == time:
                raise ModelError(
                    f"{symbol.name!r} is the time of every model, not a parameter",
                    model=model,
                    where="parameters",
                    fix="rename the parameter; start= sets where time begins",
                )
            if symbol.name in seen:
                raise ModelError(
                    f"two parameters are called {symbol.name!r} (their assumptions differ)",
                    model=model,
                    fix="create the symbol once and use it everywhere",
                )
            seen[symbol.name] = symbol
        return cls({s: fresh(s.name, like=s) for s in parameters})

    def used(self, expressions: Sequence[sp.Basic]) -> tuple[sp.Symbol, ...]:
        """The (fresh) parameters that occur in the expressions, in the model's order."""
        names = set().union(*(e.free_symbols for e in expressions)) if expressions else set()
        return tuple(p for p in self.parameters.values() if p in names)


def display(function: sp.Expr) -> str:
    """The name of a dynamicsymbol without its argument."""
    return str(function.func.__name__) if isinstance(function, AppliedUndef) else str(function)


def function_symbols(functions: Sequence[sp.Expr], *, where: str) -> tuple[sp.Symbol, ...]:
    """A fresh real symbol for each unknown function of time."""
    if not functions:
        raise ModelError("lists none", where=where, fix="give at least one function of time")
    for f in functions:
        if not isinstance(f, AppliedUndef) or f.args != (time,):
            raise ModelError(
                f"{f} is not a function of time",
                where=where,
                fix="declare it with sympy.physics.mechanics.dynamicsymbols",
            )
    names = [display(f) for f in functions]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ModelError(
            f"lists two functions of time called {twice[0]!r}",
            where=where,
            fix="list each once, and give different ones different names",
        )
    return tuple(sp.Symbol(name, real=True) for name in names)


def unit_labels(given: Sequence[str], count: int, where: str) -> tuple[str, ...]:
    """One unit label for each of ``count`` values; none given means no labels, a text is the label of one value."""
    given = (given,) if isinstance(given, str) else given
    if not isinstance(given, Sequence) or not all(isinstance(unit, str) for unit in given):
        raise ModelError(f"the units {shown(given)} are no texts", where=where, fix="give labels such as ['m', 'rad']")
    if given and len(given) != count:
        raise ModelError(f"{len(given)} units for {count} values", where=where, fix="give one unit for each")
    return tuple(given) or ("",) * count
