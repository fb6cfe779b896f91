"""Whether expressions hold nodes of some kind, each shared part looked at once.

SymPy's own ``has`` walks the tree, which is exponentially larger than the graph where parts repeat.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

__all__ = ["entries_of", "holds"]


def entries_of(m: sp.MatrixBase) -> list[sp.Basic]:
    """The entries that are not zero."""
    return list(m.todok().values())


def holds(expressions: Iterable[sp.Basic], kinds: tuple[type, ...] = (), nodes: Iterable[sp.Basic] = ()) -> bool:
    """Whether one of these kinds, or one of these nodes, occurs in one of the expressions."""
    wanted = set(nodes)
    stack = list(expressions)
    seen: set[sp.Basic] = set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        if isinstance(node, kinds) or node in wanted:
            return True
        seen.add(node)
        stack.extend(node.args)
    return False
