"""The symbols of an expression, found once per shared subexpression.

SymPy's own ``free_symbols`` walks the tree, which is exponentially larger than the graph
where derivatives repeat their parts.
"""

from __future__ import annotations

import sympy as sp

_NONE: frozenset[sp.Symbol] = frozenset()


class FreeSymbols:
    """Callable with a memo: ``FreeSymbols()(expression)`` is a frozenset, used for membership only."""

    def __init__(self) -> None:
        self._memo: dict[sp.Basic, frozenset[sp.Symbol]] = {}

    def __call__(self, expression: sp.Basic) -> frozenset[sp.Symbol]:
        memo = self._memo
        stack = [expression]
        while stack:
            node = stack[-1]
            if node in memo:
                stack.pop()
                continue
            if isinstance(node, sp.Symbol):
                memo[node] = frozenset((node,))
                continue
            known = getattr(node, "symbols_below", None)  # of what has its symbols at hand
            if known is not None:
                memo[node] = known
                continue
            pending = [arg for arg in node.args if arg not in memo]
            if pending:
                stack += pending
                continue
            memo[node] = _NONE.union(*(memo[arg] for arg in node.args))
        return memo[expression]
