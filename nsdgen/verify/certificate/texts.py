"""Expressions as texts that the checker reads: Python's syntax, symbols called by identifiers."""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions.matexpr import MatrixElement
from sympy.printing.str import StrPrinter

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.cleaning import Cleaner, decimal

from .checker import ADDED, AXIOMS, DEFINED

__all__ = ["Inexpressible", "Texts", "written"]

_TAKEN = {*AXIOMS, *DEFINED, *ADDED}


class Inexpressible(Exception):
    """An expression whose meaning a text of values does not carry (an imaginary unit, a bound variable)."""


class Texts:
    """Writes expressions; every symbol has one identifier, and ``names`` says which are not its name.

    Values of unknown functions and of their derivatives become symbols, equal ones the same. ``arguments`` are those of
    the functions that have an addition theorem.
    """

    def __init__(self, expressions: Iterable[Any]) -> None:
        given = [as_expression(e) for e in expressions]
        self._cleaner = Cleaner(given) if any(e.has(AppliedUndef, MatrixElement) for e in given) else None
        self.names: dict[str, str] = {}
        self.arguments: dict[sp.Expr, None] = {}
        self._symbols: dict[sp.Symbol, sp.Symbol] = {}
        self._by_name: dict[str, str] = {}

    def __call__(self, expression: Any) -> str:
        """The text; raises ``Inexpressible``."""
        e = as_expression(expression)
        if self._cleaner is not None:
            e = self._cleaner(e)
        if e.has(sp.Derivative, sp.Subs, sp.Sum, sp.Product, sp.Integral, sp.Limit):
            e = e.doit()
        if e.has(sp.Piecewise, sp.Derivative, sp.Subs, sp.Sum, sp.Integral, sp.Limit, sp.nan, sp.oo, sp.zoo) or (
            any(not s.is_commutative for s in e.free_symbols)
        ):
            raise Inexpressible(str(e)[:80])
        e = e.xreplace({f: decimal(f) for f in e.atoms(sp.Float)})
        symbols = sorted((s for s in e.free_symbols if isinstance(s, sp.Symbol)), key=lambda s: s.name)
        e = e.xreplace({s: self._named(s) for s in symbols})  # in the same order in every run
        self.arguments |= dict.fromkeys(
            f.args[0] for f in sp.ordered(e.atoms(sp.Function)) if type(f).__name__ in (*ADDED, *DEFINED)
        )
        return written(e)

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


class _Printer(StrPrinter):
    """Only whole powers that are not negative, roots as roots, signs of arguments in front of them."""

    def _print_Pow(self, expr: sp.Pow, rational: bool = False) -> str:
        b, n = expr.args
        if not (2 * n).is_Integer:
            return f"({self.parenthesize(b, _HIGH)}**{self.parenthesize(n, _HIGH)})"
        if n < 0:
            return f"(1/{self._print(sp.Pow(b, -n, evaluate=False))})"
        base, power = (f"({self._print(b)})", n) if n.is_Integer else (f"sqrt({self._print(b)})", 2 * n)
        return base if power == 1 else f"{base}**{power}"

    def _print_Function(self, expr: sp.Function) -> str:
        arguments = [
            f"-({self._print(-a)})" if a.could_extract_minus_sign() and not isinstance(a, sp.Add) else self._print(a)
            for a in expr.args
        ]
        return f"{type(expr).__name__}({', '.join(arguments)})"

    def _print_Exp1(self, expr: Any) -> str:
        return "exp(1)"


_HIGH = 1000  # a precedence that asks for parentheses around everything


def written(e: sp.Expr) -> str:
    """An expression in the syntax of the checker."""
    return str(_Printer().doprint(e))
