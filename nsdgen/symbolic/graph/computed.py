"""Nodes of the graph inside SymPy's expressions: what is computed stands there as a function of its symbols.

Schemes, laws and relations go on stating sums and products in SymPy; a :class:`Computed` among their terms is an
atom that nothing expands, sorts through or differentiates as a tree. Where symbols are replaced, or a derivative is
taken, the graph does it. ``expanded`` gives SymPy's expression to whoever shows or proves something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.nodes import Floor, Modulo, Sign
from nsdgen.symbolic.expressions.nodes_of import below, holds, nodes_of
from nsdgen.symbolic.graph.array_function import ResultEntry
from nsdgen.symbolic.graph.derivative import directional, jacobian
from nsdgen.symbolic.graph.node import ONE, Node
from nsdgen.symbolic.graph.sympy_graph import Importer, Unsupported, replaced, to_sympy

_LARGE = 180
"""Operations from which on expressions are worth sharing more than they are worth reading."""

_LEGIBLE = 5_000
"""Nodes that are written: those of the graph of nine moving parts would be billions."""

_LONG = 10**6
"""Fractions of doubles have denominators above it, but for halves, quarters and their like."""


class Computed(sp.Expr):  # type: ignore[misc]
    """The value of a node; ``args`` are its symbols, in the order of their names."""

    is_commutative = True
    is_number = False
    is_real = True
    node: Node

    def __new__(cls, node: Node) -> Computed:
        """SymPy's constructor; :func:`computed` is the one to use, which leaves numbers and symbols as they are."""
        found: Computed = sp.Expr.__new__(cls, *_by_name(node.free))
        found.node = node
        return found

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.node,)

    @property
    def func(self) -> Callable[..., sp.Expr]:
        """What makes the same value of other arguments."""
        return lambda *args: _replaced(self, dict(zip(self.args, args, strict=True)))

    def _hashable_content(self) -> tuple[Any, ...]:
        return (self.node.digest.hex(),)

    def _xreplace(self, rule: Mapping[sp.Basic, sp.Basic]) -> tuple[sp.Basic, bool]:
        if self in rule:
            return rule[self], True
        if any(s in rule for s in self.args):
            return _replaced(self, rule), True
        return self, False

    def _eval_subs(self, old: sp.Basic, new: sp.Basic) -> sp.Basic | None:
        return _replaced(self, {old: new}) if old in self.args else None

    def _eval_derivative(self, s: sp.Symbol) -> sp.Expr:
        return computed(directional([self.node], {s: ONE})[0])

    def _eval_evalf(self, prec: int) -> sp.Expr:
        return to_sympy(self.node)._eval_evalf(prec)

    def sort_key(self, order: Any = None) -> Any:
        """SymPy's key of sorting, told apart from other values of the same symbols."""
        one = sp.S.One
        own = self.class_key(), (1, (self.node.digest.hex(),)), one.sort_key(), one
        return self.class_key(), (1, (own,)), one.sort_key(), one  # of a power of it SymPy compares keys of arguments

    def _sympystr(self, printer: Any) -> str:
        written = self.legible(_LEGIBLE)
        return (
            f"computed({', '.join(map(printer._print, self.args))})"
            if written is None
            else f"({printer._print(written)})"
        )

    def _latex(self, printer: Any) -> str:
        written = self.legible(_LEGIBLE)
        if written is None:
            return rf"\operatorname{{computed}}\left({', '.join(map(printer._print, self.args))}\right)"
        return rf"\left({printer._print(written)}\right)"

    @property
    def operations(self) -> int:
        """How many operations compute it, each once."""
        return sum(bool(node.args) for node in below([self.node], lambda n: n.args))

    def legible(self, most: int) -> sp.Expr | None:
        """SymPy's expression with long fractions as decimals; ``None`` where it has more than so many nodes.

        Shared ones count wherever they stand, as they are written.
        """
        counts: dict[Node, int] = {}
        for node in below([self.node], lambda n: n.args):
            counts[node] = (most if node.func is ResultEntry else 1) + sum(counts[a] for a in node.args)
        if counts[self.node] > most:
            return None
        written = to_sympy(self.node)
        return written.xreplace({r: sp.Float(r) for r in written.atoms(sp.Rational) if is_of_double(r)})

    def jumps_with(self, symbols: Iterable[sp.Symbol]) -> bool:
        """Whether one of the symbols decides a jump: a floor, a sign, a condition."""
        wanted = frozenset(symbols)
        return any(
            node.func in (Floor, Sign, Modulo) or not wanted.isdisjoint(_conditions(node))
            for node in below([self.node], lambda n: n.args)
            if not wanted.isdisjoint(node.free)
        )


def is_of_double(number: sp.Rational) -> bool:
    """Whether a long fraction is over a power of two: a decimal was stated, and is read better than the fraction."""
    return bool(number.q > _LONG and not int(number.q) & (int(number.q) - 1))


@lru_cache(maxsize=64)
def _by_name(symbols: frozenset[sp.Symbol]) -> tuple[sp.Symbol, ...]:
    return tuple(sorted(symbols, key=lambda s: str(s.name)))


def _conditions(node: Node) -> frozenset[sp.Symbol]:
    return frozenset().union(*(c.free for c in node.args[1::2])) if node.func.__name__ == "Branch" else frozenset()


def computed(node: Node) -> sp.Expr:
    """The value of a node as an expression: numbers and symbols as they are."""
    if node.leaf is not None:
        return node.leaf
    return Computed(node) if node.free else to_sympy(node)


def holds_graph(values: Iterable[sp.Basic]) -> bool:
    """Whether there is a node of the graph among the expressions."""
    return holds(values, (Computed,))


def stated(values: Iterable[sp.Basic]) -> list[Node]:
    """The nodes of expressions, those inside them opened; raises ``Unsupported`` for what the graph does not know."""
    return Importer(lambda e: e.node if isinstance(e, Computed) else None)(values)


def is_for_graph(values: Iterable[sp.Basic], derivatives: int = 1) -> bool:
    """Whether expressions that are to be differentiated so many times are for the graph: the one place that decides.

    They are where a node of the graph is among them already, and where they are large.
    """
    operations = 0
    for e in nodes_of(values):  # equal ones may be objects of their own
        operations += bool(e.args)
        if isinstance(e, Computed) or operations > _LARGE // derivatives:
            return True
    return False


def shared(*arrays: sp.MatrixBase) -> tuple[sp.MatrixBase, ...]:
    """Arrays that are large together as values of the graph; small ones, and what it does not know, as they are."""
    entries = [e for array in arrays for e in array]
    if not is_for_graph(entries):
        return arrays
    try:
        values = map(computed, stated(entries))
        return tuple(sp.Matrix(*array.shape, list(islice(values, len(array)))) for array in arrays)
    except Unsupported:
        return arrays


def graph_jacobian(values: Sequence[sp.Basic], wrt: Sequence[sp.Symbol]) -> dict[tuple[int, int], sp.Expr]:
    """The entries d values[i] / d wrt[j] that are not zero, by the graph."""
    rows = jacobian(stated(values), wrt)
    return {(i, j): computed(e) for i, row in enumerate(rows) for j, e in sorted(row.items())}


def expanded(value: Any) -> Any:
    """An expression or a matrix in SymPy's own operations throughout."""
    if isinstance(value, sp.MatrixBase):
        return value.applyfunc(expanded)
    if isinstance(value, Computed):
        return to_sympy(value.node)
    return value.xreplace({c: to_sympy(c.node) for c in value.atoms(Computed)}) if value.has(Computed) else value


def _replaced(value: Computed, rule: Mapping[sp.Basic, sp.Basic]) -> sp.Expr:
    pairs = tuple((s, e) for s, e in rule.items() if isinstance(s, sp.Symbol))
    try:
        return computed(_replacing(pairs)(value.node))
    except Unsupported:
        return to_sympy(value.node).xreplace(dict(rule))


@lru_cache(maxsize=8)
def _replacing(pairs: tuple[tuple[sp.Symbol, sp.Basic], ...]) -> Callable[[Node], Node]:
    """The replacement, remembered for the other entries of a matrix."""
    symbols, values = zip(*pairs, strict=True)
    return replaced(dict(zip(symbols, stated(values), strict=True)))
