"""Expressions as texts that the checker reads: Python's syntax, symbols called by identifiers."""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions.matexpr import MatrixElement

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.cleaning import Cleaner, decimal

__all__ = ["Texts", "Unreadable"]

_TAKEN = {"sin", "cos", "tan", "sqrt", "Abs", "exp", "log", "I", "euler"}


class Unreadable(Exception):
    """An expression whose meaning a text of values does not carry (an imaginary unit, a bound variable)."""


class Texts:
    """Writes expressions; every symbol has one identifier, and ``names`` says which are not its name.

    Values of unknown functions and of their derivatives become symbols, equal ones the same.
    """

    def __init__(self, expressions: Iterable[Any]) -> None:
        given = [as_expression(e) for e in expressions]
        self._cleaner = Cleaner(given) if any(e.has(AppliedUndef, MatrixElement) for e in given) else None
        self.names: dict[str, str] = {}
        self._symbols: dict[sp.Symbol, sp.Symbol] = {}
        self._by_name: dict[str, str] = {}

    def __call__(self, expression: Any) -> str:
        """The text; raises ``Unreadable``."""
        e = as_expression(expression)
        if self._cleaner is not None:
            e = self._cleaner(e)
        if e.has(sp.Derivative, sp.Subs, sp.Sum, sp.Product, sp.Integral, sp.Limit):
            e = e.doit()
        if e.has(sp.Piecewise, sp.Derivative, sp.Subs, sp.Sum, sp.Integral, sp.Limit, sp.nan, sp.oo, sp.zoo) or (
                any(not s.is_commutative for s in e.free_symbols)):
            raise Unreadable(str(e)[:80])
        if e.has(sp.exp):
            e = e.replace(lambda x: isinstance(x, sp.exp), lambda x: sp.Pow(sp.Symbol("euler"), x.args[0]))
        e = e.xreplace({f: decimal(f) for f in e.atoms(sp.Float)})
        return str(e.xreplace({s: self._named(s) for s in e.free_symbols if isinstance(s, sp.Symbol)}))

    def _named(self, symbol: sp.Symbol) -> sp.Symbol:
        if symbol not in self._symbols:
            name = self._by_name.get(symbol.name)
            if name is None:
                fits = symbol.name.isidentifier() and not keyword.iskeyword(symbol.name) and symbol.name not in _TAKEN
                name = symbol.name if fits else f"symbol{len(self.names) + 1}"
                self._by_name[symbol.name] = name
                if not fits:
                    self.names[name] = symbol.name
            self._symbols[symbol] = sp.Symbol(name)
        return self._symbols[symbol]
