"""Nodes of expressions, each shared part looked at once.

SymPy's own ``has`` and ``atoms`` walk the tree, which is exponentially larger than the graph where parts repeat.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import sympy as sp


def entries_of(m: sp.MatrixBase) -> list[sp.Basic]:
    """The entries that are not zero."""
    return list(m.todok().values())


def nodes_of(expressions: Iterable[sp.Basic], *, outside: Collection[sp.Basic] = ()) -> Iterator[sp.Basic]:
    """Every node of the expressions once, a node before those within it; none that is ``outside``, nor within those."""
    stack = list(expressions)
    seen: set[sp.Basic] = set()
    while stack:
        node = stack.pop()
        if node not in seen and node not in outside:
            seen.add(node)
            yield node
            stack.extend(node.args)


def holds(expressions: Iterable[sp.Basic], kinds: tuple[type, ...] = (), nodes: Iterable[sp.Basic] = ()) -> bool:
    """Whether one of these kinds, or one of these nodes, occurs in one of the expressions."""
    wanted = set(nodes)
    return any(isinstance(node, kinds) or node in wanted for node in nodes_of(expressions))
