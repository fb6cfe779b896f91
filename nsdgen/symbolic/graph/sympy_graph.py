"""Into the graph and back: expressions of SymPy as nodes, nodes as expressions, symbols replaced.

What the graph does not know (a function without a rule for its derivative, a sum over an index) it refuses by
``Unsupported``, and its user goes on with SymPy's own expressions.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.core.relational import Relational
from sympy.core.symbol import Str
from sympy.logic.boolalg import And, BooleanAtom, Not, Or

from nsdgen.symbolic.expressions.nodes import Branch, Floor, Let, Modulo, Sign
from nsdgen.symbolic.expressions.nodes_of import below
from nsdgen.symbolic.graph.array_function import ArrayFunction, ResultEntry, unrolled
from nsdgen.symbolic.graph.node import Node, add, branch, call, leaf, let, mul, power

_ATOMS = (sp.Symbol, sp.Number, sp.NumberSymbol, BooleanAtom, Str)
_TIES = (Modulo, Floor, Sign, Relational)
_ARITHMETIC = (sp.Add, sp.Mul, sp.Pow)


class Unsupported(Exception):
    """An expression that the graph does not know."""


class Importer:
    """Expressions as nodes. What decides a tie somewhere among them stays as it was written wherever it stands, so that
    it is computed once."""

    def __init__(self, opened: Callable[[sp.Basic], Node | None] = lambda _: None) -> None:
        self._opened = opened

    def __call__(self, expressions: Iterable[sp.Basic]) -> list[Node]:
        """The nodes of expressions; raises ``Unsupported``."""
        roots, known = list(expressions), dict[int, Node]()
        order = list(below(roots, self._parts, key=id))
        fixed = _deciding(order)
        for e in order:
            opened = self._opened(e)
            if opened is None and not isinstance(e, _ATOMS):
                parts = [known[id(arg)] for arg in e.args]
                written = isinstance(e, _ARITHMETIC) and e in fixed
                opened = Node(e.func, tuple(parts), fixed=True) if written else _made(e.func, parts)
            known[id(e)] = leaf(e) if opened is None else opened
        return [known[id(root)] for root in roots]

    def _parts(self, expression: sp.Basic) -> tuple[sp.Basic, ...]:
        return () if self._opened(expression) is not None else expression.args


def _deciding(order: Sequence[sp.Basic]) -> set[sp.Basic]:
    """What is computed to decide ties, of expressions that stand before those they are part of."""
    found: set[sp.Basic] = set()
    for e in reversed(order):
        if isinstance(e, _TIES) or (isinstance(e, (*_ARITHMETIC, Let)) and e in found):
            found.update(e.args)
    return found


def _made(func: Any, args: list[Node]) -> Node:
    """The node of an operation on nodes."""
    if func is sp.Add:
        return add(args)
    if func is sp.Mul:  # SymPy's products hold no products
        return mul(factor for arg in args for factor in (arg.args if arg.func is sp.Mul and not arg.fixed else (arg,)))
    if func is sp.Pow:
        return power(*args)
    if func is sp.exp:
        return call(func, args)
    if func is Branch:
        return branch(args[0::2], args[1::2])
    if func is Let:
        return let(args[0].leaf.name, args[1])
    if isinstance(func, type) and issubclass(func, Relational | And | Or | Not):
        return _condition(func, args)
    if isinstance(func, type) and issubclass(func, sp.Function):
        return call(func, args)
    if func is ResultEntry or isinstance(func, ArrayFunction):
        return Node(func, tuple(args))
    raise Unsupported(str(func))


def _condition(func: Any, args: list[Node]) -> Node:
    """A condition; true or false where it is one of numbers."""
    decided = func(*(a.leaf for a in args)) if all(a.leaf is not None and not a.free for a in args) else None
    return leaf(decided) if isinstance(decided, BooleanAtom) else Node(func, tuple(args))


def replaced(to: Mapping[sp.Symbol, Node]) -> Callable[[Node], Node]:
    """A function that replaces symbols in nodes, with a memo."""
    symbols = frozenset(to)
    known: dict[Node, Node] = {}

    def moves(node: Node) -> bool:
        return not symbols.isdisjoint(node.free)

    def replace(root: Node) -> Node:
        if not moves(root):
            return root
        for node in below([root], lambda n: [a for a in n.args if a not in known and moves(a)]):
            if node in known:
                continue
            if node.leaf is not None:
                known[node] = to[node.leaf]
                continue
            args = [known[a] if moves(a) else a for a in node.args]
            if node.fixed:
                known[node] = Node(node.func, tuple(args), fixed=True)
            else:
                known[node] = _made(node.func, args)
        return known[root]

    return replace


def in_operations(roots: Sequence[Node], values_of: Callable[[Node], list[Node]] | None = None) -> list[Node]:
    """The nodes with operations, or what else ``values_of`` a call are, in place of calls of functions over arrays."""
    known: dict[Node, Node] = {}
    values: dict[Node, list[Node]] = {}
    if not any(node.func is ResultEntry for node in below(roots, lambda n: n.args)):
        return list(roots)
    for node in below(roots, lambda n: n.args):
        args = [known.get(a, a) for a in node.args]
        if isinstance(node.func, ArrayFunction):
            new = Node(node.func, tuple(args))
            values[node] = unrolled(new, replaced) if values_of is None else values_of(new)
        elif node.func is ResultEntry:
            known[node] = values[node.args[0]][int(node.args[1].leaf)]
        elif any(a is not b for a, b in zip(args, node.args, strict=True)):
            known[node] = Node(node.func, tuple(args), fixed=True) if node.fixed else _made(node.func, args)
    return [known.get(root, root) for root in roots]


def to_sympy(root: Node) -> sp.Expr:
    """The expression of a node, for people and for proofs; equal parts are one object."""
    known: dict[Node, Any] = {}
    root = in_operations([root])[0]
    for node in below([root], lambda n: n.args):
        if node.leaf is not None:
            known[node] = node.leaf
        elif node.fixed or issubclass(node.func, Relational):
            known[node] = node.func(*(known[a] for a in node.args), evaluate=False)
        else:
            known[node] = node.func(*(known[a] for a in node.args))
    return known[root]
