"""Nodes of expressions, their symbols, and symbols replaced in them: each shared part is looked at once.

SymPy's own ``has``, ``atoms``, ``free_symbols`` and ``xreplace`` walk the tree, which is exponentially larger than the
graph where parts repeat, as derivatives repeat theirs. What is named by ``let`` and used many times, as a normal in
gradients of gaps, is a small graph and a huge tree.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import sympy as sp
from sympy.core.relational import Relational

from nsdgen.symbolic.expressions.conditions import compared, joined

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
    stack, wanted = list(expressions), set(nodes)
    seen: dict[int, sp.Basic] = {}  # by identity, of objects that live: SymPy takes long for hashes of doubles
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            if isinstance(node, kinds) or (wanted and node in wanted):
                return True
            seen[id(node)] = node
            stack += node.args
    return False


_COMPLETE = object()  # on a stack, above an item whose children are done


def below(
    roots: Iterable[_T],
    children: Callable[[_T], Sequence[_T]],
    key: Callable[[_T], Hashable] | None = None,
    done: set[Hashable] | None = None,
) -> Iterator[_T]:
    """Everything below the roots that is not ``done``, children first, depth first, each once, which is done then.

    A loop, since expressions may be deeper than the stack. ``key`` tells items apart, themselves unless given.
    """
    seen = set() if done is None else done
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
                stack += reversed(children(item))


_NONE: frozenset[sp.Symbol] = frozenset()


class FreeSymbols:
    """Callable with a memo: ``FreeSymbols()(expression)`` is a frozenset, used for membership only."""

    def __init__(self) -> None:
        self._memo: dict[int, frozenset[sp.Symbol]] = {}  # by identity, as above
        self._keep: list[sp.Basic] = []

    def __call__(self, expression: sp.Basic) -> frozenset[sp.Symbol]:
        memo, stack = self._memo, [expression]  # a loop of its own: it is asked more often than all that walk
        while stack:
            node = stack[-1]
            if id(node) not in memo:
                args = node.args
                if missing := [arg for arg in args if id(arg) not in memo]:
                    stack += missing
                    continue
                own = (node,) if isinstance(node, sp.Symbol) else ()
                self._keep.append(node)
                memo[id(node)] = _NONE.union(own, *[memo[id(arg)] for arg in args])
            stack.pop()
        return memo[id(expression)]


def replaced(values: sp.Matrix, to: Mapping[sp.Basic, sp.Basic]) -> sp.Matrix:
    """``values.xreplace(to)``, entry by entry the same expressions; comparisons are decided between numbers alone."""
    return values.applyfunc(replacing(to))


def replacing(to: Mapping[sp.Basic, sp.Basic]) -> Callable[[sp.Basic], sp.Basic]:
    """The same of one expression after the other, what they share once; they must live on meanwhile."""
    known: dict[int, sp.Basic] = {}  # by identity: in SymPy 1.12 the numbers 2 and 2.0 are equal
    return (lambda node: _within(node, to, known)) if to else lambda node: node


def _within(node: sp.Basic, to: Mapping[sp.Basic, sp.Basic], known: dict[int, sp.Basic]) -> sp.Basic:
    found = known.get(id(node))
    if found is None:
        found = known[id(node)] = _once(node, to, known)
    return found


def _once(node: sp.Basic, to: Mapping[sp.Basic, sp.Basic], known: dict[int, sp.Basic]) -> sp.Basic:
    if node in to:
        return to[node]
    if type(node)._xreplace is not sp.Basic._xreplace:  # a node that replaces in its own way
        return node.xreplace(to)
    args = tuple(_within(a, to, known) if isinstance(a, sp.Basic) else a for a in node.args)
    if all(a is b for a, b in zip(args, node.args, strict=True)):
        return node
    if isinstance(node, Relational):
        return compared(node.func, *args)
    return joined(node.func, *args) if isinstance(node, sp.And | sp.Or) else node.func(*args)
