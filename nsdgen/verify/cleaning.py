"""Cleaning: expressions as users write them become expressions of real symbols alone.

* Symbols of one name are one quantity, and real unless they say otherwise; a sign known to any of them holds.
* Derivatives, sums and limits are carried out.
* Values of unknown functions and of their derivatives, f(x), f'(x + h v), become symbols, one per function, order
  and argument. At pairwise different arguments such values are free of each other (a smooth function can take any
  of them), so a point of these symbols is a counterexample; the arguments are kept to check that they differ.
* Entries of matrix symbols, W[0, 1], become symbols.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions.matexpr import MatrixElement

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.quantities import unlike

_MOST_FACTORED = 200  # operations of an equation
CARRIED_OUT = (sp.Derivative, sp.Subs, sp.Sum, sp.Product, sp.Integral, sp.Limit)


@dataclass(frozen=True)
class Value:
    """The symbol that stands for a value of an unknown function: its function, orders per slot and arguments."""

    symbol: sp.Symbol
    function: Any
    orders: tuple[int, ...]
    arguments: tuple[sp.Expr, ...]


class Cleaner:
    """Cleans all expressions of one statement; the same name always gives the same symbol."""

    def __init__(self, expressions: Iterable[Any]) -> None:
        signs: dict[str, dict[str, bool]] = {}
        for e in expressions:
            for s in e.free_symbols:
                if isinstance(s, sp.Symbol) and not isinstance(s, sp.Dummy):
                    known = signs.setdefault(s.name, {"real": True})
                    for sign in ("positive", "nonnegative", "nonzero", "integer", "negative"):
                        if s.assumptions0.get(sign):
                            known[sign] = True
        self._symbols = {name: sp.Symbol(name, **known) for name, known in sorted(signs.items())}
        self._values: dict[Any, Value] = {}
        self._done: dict[Any, sp.Expr] = {}
        self._bound: dict[sp.Expr, sp.Symbol] = {}

    @property
    def values(self) -> tuple[Value, ...]:
        """The values of unknown functions met so far."""
        return tuple(self._values.values())

    def __call__(self, expression: Any) -> sp.Expr:
        """The cleaned expression. Raises what SymPy raises when a derivative cannot be taken."""
        e = as_expression(expression)
        found = self._done.get(e)
        if found is None:
            found = self._done[e] = self._clean(e)
        return found

    def symbol(self, s: sp.Symbol) -> sp.Symbol:
        """The clean symbol of a user's symbol."""
        return s if isinstance(s, sp.Dummy) else self._symbols.setdefault(s.name, sp.Symbol(s.name, real=True))

    def _clean(self, e: sp.Expr) -> sp.Expr:
        e = e.doit() if e.has(*CARRIED_OUT) else e
        if floats := e.atoms(sp.Float):  # decimals are read as they are written
            e = e.xreplace({f: decimal(f) for f in floats})
        renamed = {s: c for s in e.free_symbols if isinstance(s, sp.Symbol) and (c := self.symbol(s)) != s}
        if renamed:
            e = e.xreplace(renamed)
            e = e.doit() if e.has(*CARRIED_OUT) else e
        elements = sorted(e.atoms(MatrixElement), key=str)
        if elements:
            e = e.xreplace({m: sp.Symbol(unlike(str(m), self._symbols), real=True) for m in elements})
        return self.frozen(e) if e.has(AppliedUndef) else e

    def frozen(self, e: sp.Expr) -> sp.Expr:
        """Values of unknown functions as symbols, outermost derivatives first, innermost arguments first."""
        if not e.args or not e.has(AppliedUndef):
            return e
        if isinstance(e, (ExprWithLimits, sp.Limit, sp.Lambda)):
            return self._unfree(e)
        if isinstance(e, sp.Subs) and isinstance(e.expr, sp.Derivative):
            found = self._derivative(e.expr, dict(zip(e.variables, e.point, strict=True)))
            if found is not None:
                return found
        if isinstance(e, sp.Derivative):
            found = self._derivative(e, {})
            return found if found is not None else self._unfree(e)
        if isinstance(e, AppliedUndef):
            return self._value(e.func, (0,) * len(e.args), e.args)
        return e.func(*(self.frozen(a) for a in e.args))

    def _unfree(self, e: sp.Expr) -> sp.Symbol:
        """A symbol for a value that depends on an unknown function elsewhere: an integral, a sum that stays."""
        if e not in self._bound:
            self._bound[e] = sp.Symbol(self._made_up(str(e)), real=True)
        return self._bound[e]

    def _made_up(self, name: str) -> str:
        """A name for a value, unlike those of all symbols and other values: f_1(x) may be a derivative or not."""
        return unlike(
            name, {*self._symbols, *(v.symbol.name for v in self.values), *(s.name for s in self._bound.values())}
        )

    def why_not_free(self, sides: Iterable[sp.Expr], equations: Iterable[sp.Expr]) -> str:
        """Why values of unknown functions in the sides may not be drawn freely, "" where they may.

        An equation that holds for a function also binds its derivatives and its values elsewhere, of which the
        point knows nothing.
        """
        mentioned = set().union(*(e.free_symbols for e in sides))
        assumed = set().union(*(e.free_symbols for e in equations))
        if bound := mentioned & set(self._bound.values()):
            return f"{min(map(str, bound))} stands for more than one value of an unknown function"
        fixed = [v for v in self.values if v.symbol in assumed]
        for v in self.values:
            same = [b for b in fixed if b.function == v.function]
            if (
                v.symbol in mentioned
                and same
                and not any(b.arguments == v.arguments and sum(v.orders) <= sum(b.orders) for b in same)
            ):
                return f"an assumption about {v.function} also binds {v.symbol}: state what it says about that as well"
        return ""

    def _derivative(self, e: sp.Derivative, at: dict[sp.Symbol, sp.Expr]) -> sp.Expr | None:
        f = e.expr
        if not isinstance(f, AppliedUndef):
            return None
        counts = dict(e.variable_count)
        if not all(list(f.args).count(v) == 1 for v in counts):
            return None
        if any(a not in counts and set(counts) & a.free_symbols for a in f.args):
            return None
        orders = tuple(int(counts.get(a, 0)) for a in f.args)
        return self._value(f.func, orders, tuple(a.xreplace(at) for a in f.args))

    def _value(self, function: Any, orders: tuple[int, ...], arguments: tuple[sp.Expr, ...]) -> sp.Symbol:
        places = tuple(_canonical(self.frozen(a)) for a in arguments)
        key = (str(function), orders, places)
        if key not in self._values:
            slots = "".join(f"_{i + 1}" * n for i, n in enumerate(orders))
            name = self._made_up(f"{function}{slots}({', '.join(map(str, places))})")
            self._values[key] = Value(sp.Symbol(name, real=True), str(function), orders, places)
        return self._values[key].symbol


def squarefree(e: sp.Expr) -> sp.Expr:
    """What vanishes where e does, the factors of a polynomial taken once: x^3 y^2 = 0 says x y = 0."""
    symbols = sorted(e.free_symbols, key=str)
    if (
        not any(p.exp.is_Integer and p.exp > 1 for p in e.atoms(sp.Pow))
        or not e.is_polynomial(*symbols)
        or not all(n.is_Rational for n in e.atoms(sp.Number))
        or sp.count_ops(e) > _MOST_FACTORED
    ):
        return e
    factors = sp.sqf_list(e, *symbols)[1]
    return e if all(n == 1 for _, n in factors) else sp.Mul(*(f for f, _ in factors))


def at_exact_angles(e: sp.Expr) -> sp.Expr:
    """sin and cos of x + pi/4 by those of x, with the values that SymPy knows."""
    turned = [f for f in e.atoms(sp.sin, sp.cos) if f.args[0].is_Add and f.args[0].has(sp.pi)]
    return e.xreplace({f: sp.expand_trig(f) for f in turned})


def decimal(f: sp.Float) -> sp.Rational:
    """The shortest decimal that is this double, or all digits of a longer number."""
    return sp.Rational(repr(float(f))) if f._prec <= 53 else sp.Rational(str(f))


@lru_cache(maxsize=1024)  # a value and all its derivatives have the same arguments
def _canonical(e: sp.Expr) -> sp.Expr:
    """The same form for equal rational functions."""
    e = as_expression(e)
    try:
        return sp.expand(sp.cancel(e)) if e.free_symbols else e
    except (sp.PolynomialError, NotImplementedError):
        return sp.expand(e)
