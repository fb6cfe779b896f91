"""Cleaning: values of unknown functions and of their derivatives become symbols.

f(x) and f'(x + h v) are one symbol for each function, order and argument. At pairwise different arguments such values
are free of each other (a smooth function can take any of them), so a point of these symbols is a counterexample; the
arguments are kept to check that they differ.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef

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
    """Names for values of unknown functions in the expressions of one statement, unlike all others in it."""

    def __init__(self, expressions: Iterable[Any]) -> None:
        self._taken = {s.name for e in expressions for s in e.free_symbols if isinstance(s, sp.Symbol)}
        self._values: dict[Any, Value] = {}
        self._bound: dict[sp.Expr, sp.Symbol] = {}

    @property
    def values(self) -> tuple[Value, ...]:
        """The values of unknown functions met so far."""
        return tuple(self._values.values())

    def frozen(self, e: sp.Expr) -> sp.Expr:
        """Values of unknown functions as symbols, outermost derivatives first, innermost arguments first."""
        if not e.args or not e.has(AppliedUndef):
            return e
        if isinstance(e, (ExprWithLimits, sp.Limit, sp.Lambda)):
            return self._unfree(e)
        if isinstance(e, sp.Derivative):
            return self._derivative(e, {}) or self._unfree(e)
        if isinstance(e, sp.Subs) and (found := self._derivative(e.expr, dict(zip(e.variables, e.point, strict=True)))):
            return found
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
        made = (*(v.symbol for v in self.values), *self._bound.values())
        return unlike(name, self._taken.union(s.name for s in made))

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

    def _derivative(self, e: sp.Expr, at: dict[sp.Symbol, sp.Expr]) -> sp.Symbol | None:
        """The symbol of a derivative in arguments of an unknown function, each a name that stands in no other."""
        if not isinstance(e, sp.Derivative) or not isinstance(f := e.expr, AppliedUndef):
            return None
        counts = dict(e.variable_count)
        alone = all(f.args.count(v) == 1 for v in counts)
        if not alone or any(a not in counts and set(counts) & a.free_symbols for a in f.args):
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
