"""Facts about expressions that the stepper relies on: affine or not, and how large the terms are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy as sp

from nsdgen.symbolic.expressions.free_symbols import FreeSymbols
from nsdgen.symbolic.expressions.nodes import Branch, Floor, Let, Modulo, Sign

__all__ = ["is_affine", "magnitude"]


def is_affine(values: Iterable[sp.Expr], derivatives: Iterable[sp.Expr], symbols: Sequence[sp.Symbol]) -> bool:
    """Whether values are affine in the symbols: constant derivatives, and no jump that a symbol decides.

    ``floor(x)`` and a branch on x have constant derivatives away from their jumps and are not affine.
    """
    free_symbols = FreeSymbols()
    wanted = frozenset(symbols)
    if any(wanted & free_symbols(e) for e in derivatives):
        return False
    seen: set[sp.Basic] = set()
    return not any(_jumps(e, wanted, free_symbols, seen) for e in values)


def _jumps(expression: sp.Basic, wanted: frozenset[sp.Symbol], free_symbols: FreeSymbols, seen: set[sp.Basic]) -> bool:
    stack = [expression]
    while stack:
        node = stack.pop()
        if node in seen or not wanted & free_symbols(node):
            continue
        seen.add(node)
        if isinstance(node, Floor | Sign | Modulo):
            return True
        if isinstance(node, Branch) and any(wanted & free_symbols(c) for c in node.conditions):
            return True
        stack.extend(node.args)
    return False


def magnitude(values: sp.MatrixBase) -> sp.Matrix:
    """The sum of the absolute values of the terms of each entry, sums inside products included.

    A row cannot be computed better than rounding of its largest term, so this is what a
    tolerance relative to the row is relative to.
    """
    memo: dict[sp.Basic, sp.Expr] = {}
    return sp.Matrix([_magnitude(e, memo) for e in values])


def _magnitude(e: sp.Expr, memo: dict[sp.Basic, sp.Expr]) -> sp.Expr:
    if e in memo:
        return memo[e]
    if isinstance(e, sp.Add):
        result = sp.Add(*(_magnitude(a, memo) for a in e.args))
    elif isinstance(e, sp.Mul):
        result = sp.Mul(*(_magnitude(a, memo) for a in e.args))
    elif isinstance(e, sp.Pow) and e.exp.is_Integer and e.exp > 0:
        result = _magnitude(e.base, memo) ** e.exp
    elif isinstance(e, Let):
        result = _magnitude(e.args[1], memo)
    elif isinstance(e, Branch):
        pairs = zip(e.values, e.conditions, strict=True)
        result = Branch(*(part for value, condition in pairs for part in (_magnitude(value, memo), condition)))
    elif e.is_nonnegative:
        result = e
    else:
        result = sp.Abs(e)
    memo[e] = result
    return result
