"""Nodes of expressions, each shared part looked at once.

SymPy's own ``has`` and ``atoms`` walk the tree, which is exponentially larger than the graph where parts repeat.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from typing import Any, TypeVar

import sympy as sp

_T = TypeVar("_T")


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


_COMPLETE = object()  # on a stack, above an item whose children are done


def below(
    roots: Iterable[_T], children: Callable[[_T], Iterable[_T]], key: Callable[[_T], Hashable] | None = None
) -> Iterator[_T]:
    """Everything below the roots, children first, each once; a loop, since expressions may be deeper than the stack.

    ``key`` tells items apart, themselves unless given.
    """
    seen: set[Hashable] = set()
    for root in roots:
        stack: list[Any] = [root]
        while stack:
            item = stack.pop()
            if item is _COMPLETE:
                yield stack.pop()
                continue
            known = item if key is None else key(item)
            if known not in seen:
                seen.add(known)
                stack += (item, _COMPLETE)
                stack += children(item)
