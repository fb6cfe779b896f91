"""The symbols of an expression, found once per shared subexpression.

SymPy's own ``free_symbols`` walks the tree, which is exponentially larger than the graph
where derivatives repeat their parts.
"""

import sympy as sp

from nsdgen.symbolic.expressions.nodes_of import below

_NONE: frozenset[sp.Symbol] = frozenset()


class FreeSymbols:
    """Callable with a memo: ``FreeSymbols()(expression)`` is a frozenset, used for membership only."""

    def __init__(self) -> None:
        self._memo: dict[sp.Basic, frozenset[sp.Symbol]] = {}

    def __call__(self, expression: sp.Basic) -> frozenset[sp.Symbol]:
        memo = self._memo
        for node in below([expression], lambda e: () if e in memo else e.args):
            if node not in memo:
                own = (node,) if isinstance(node, sp.Symbol) else ()
                memo[node] = _NONE.union(own, *(memo[arg] for arg in node.args))
        return memo[expression]
