"""Whether expressions are affine in some symbols, jumps and branches included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy as sp

from nsdgen.symbolic.expressions.free_symbols import FreeSymbols
from nsdgen.symbolic.expressions.nodes import Branch, Floor, Modulo, Sign
from nsdgen.symbolic.graph.computed import Computed


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
        if isinstance(node, Computed):
            if node.jumps_with(wanted):
                return True
            continue
        if isinstance(node, Branch) and any(wanted & free_symbols(c) for c in node.conditions):
            return True
        stack.extend(node.args)
    return False
