"""Expressions as a graph in which equal operations are one object.

The printer and the lowering work on this graph and not on SymPy trees: a tree
of SymPy would be printed, compared and sorted once per *path*, and the number of
paths grows exponentially with the depth of nested shared subexpressions. Here every
operation is met once.

Two conventions make the text readable and let ``e`` and ``-e`` share their value:

- a sign is an operation of its own (``NEGATION``); numbers are not negative, a product
  holds no sign, and the first term of a sum counts positive: the number, where there
  is one, so that what is shared is ``1 - theta`` and not ``theta - 1``;
- ``text`` of a sum holds the sign of each term (``"+-+"``), that of a product says
  whether a factor multiplies or divides (``"**/"``).

The order of terms and factors depends on names and structure alone, neither on hash
seeds nor on the order in which anything was created.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b
from typing import NamedTuple

from nsdgen.symbolic.expressions.nodes_of import below

SKETCH_LENGTH = 64  # characters of a key to sort by: a readable order needs no more, ties go to the digest


class Kind(Enum):
    """What a node of the graph computes."""

    NUMBER = "number"  # text: literal
    SYMBOL = "symbol"  # text: as printed
    NEGATION = "negation"
    SUM = "sum"  # text: sign of each term
    PRODUCT = "product"  # text: * or / of each factor, the dividing ones last
    CALL = "call"  # text: name of the function
    RELATION = "relation"  # text: operator
    LOGIC = "logic"  # text: and, or, not
    BRANCH = "branch"  # args: value, condition, value, ..., condition, value

    __hash__ = object.__hash__  # by identity, as members are compared, and not by their names


_WORD = {kind: kind.value for kind in Kind}
_NAMED = (Kind.SYMBOL, Kind.NUMBER, Kind.CALL)
_ZERO = Kind.NUMBER, "0.0", (), False
_DIGITS = re.compile(r"\d+")
_RANK_IN_SUM = {Kind.NUMBER: 0, Kind.SYMBOL: 1}
_RANK_IN_PRODUCT = {Kind.NUMBER: 0, Kind.SYMBOL: 1, Kind.PRODUCT: 2, Kind.SUM: 4}


class ExpressionNode(NamedTuple):
    """One operation on earlier nodes; ``fixed`` operands are never reordered or factored."""

    kind: Kind
    text: str = ""
    args: tuple[int, ...] = ()
    fixed: bool = False

    @property
    def values(self) -> tuple[int, ...]:
        """The values a branch chooses from."""
        return self.args[0::2]

    @property
    def conditions(self) -> tuple[int, ...]:
        """The conditions of all values of a branch but the last."""
        return self.args[1::2]

    def factors(self, operator: str) -> list[int]:
        """The factors of a product that multiply (``*``) or divide (``/``)."""
        over = self.text.count("*")
        return list(self.args[:over] if operator == "*" else self.args[over:])


@dataclass(frozen=True)
class CompactGraph:
    """The nodes that ``roots`` need, operands before operations; ``labels`` name some."""

    nodes: tuple[ExpressionNode, ...]
    labels: dict[int, str]
    roots: tuple[int, ...]


class Graph:
    """Builds nodes; equal ones are built once. Nodes are known by their index."""

    def __init__(self) -> None:
        self.nodes: list[ExpressionNode] = []
        self.labels: dict[int, str] = {}
        self._index: dict[tuple[Kind, str, tuple[int, ...], bool], int] = {}
        self._keys: list[tuple[str, bytes]] = []
        self._one: int | None = None

    def add(self, kind: Kind, text: str = "", args: Sequence[int] = (), *, fixed: bool = False) -> int:
        """The index of this node, new or known."""
        content = kind, text, tuple(args), fixed
        known = self._index.get(content)
        if known is None:
            known = self._index[content] = len(self.nodes)
            node = ExpressionNode(*content)
            self.nodes.append(node)
            self._keys.append(self._order_key(node))
        return known

    def _order_key(self, node: ExpressionNode) -> tuple[str, bytes]:
        """A short readable sketch to sort by, and a digest of the whole to break ties."""
        parts = [self._keys[arg] for arg in node.args]
        own = f"{_WORD[node.kind]} {node.text} {node.fixed}".encode()
        digest = blake2b(b"".join([own, *[part[1] for part in parts]]), digest_size=16).digest()
        sketch = ",".join([part[0] for part in parts])
        if node.kind in _NAMED:
            # Digits are padded, so that x[2] comes before x[10].
            name = _DIGITS.sub(lambda digits: digits[0].zfill(6), node.text)
            sketch = f"{name}({sketch}" if sketch else name
        return sketch[:SKETCH_LENGTH], digest

    # Building

    def number(self, value: float) -> int:
        """A finite double, printed so that it is read back unchanged."""
        index = self.add(Kind.NUMBER, repr(abs(value)))
        return self.negate(index) if value < 0 else index

    def negate(self, index: int) -> int:
        """The node of the negative; that of a negative is the node itself."""
        positive, negative = self._unsigned(index)
        if negative or positive == self._index.get(_ZERO):
            return positive
        return self.add(Kind.NEGATION, args=(positive,))

    def _unsigned(self, index: int) -> tuple[int, bool]:
        """The node below a sign, and whether there was one; a named value stays whole."""
        node = self.nodes[index]
        if node.kind is Kind.NEGATION and index not in self.labels:
            return node.args[0], True
        return index, False

    def sum(self, terms: Iterable[int], *, fixed: bool = False) -> int:
        """The sum; ``fixed`` keeps the order of the terms, and so the rounding."""
        signed = [self._unsigned(term) for term in terms]
        if not fixed:
            signed = self._uncancelled(signed)
        if not signed:
            return self.number(0.0)
        if len(signed) == 1:
            return self.negate(signed[0][0]) if signed[0][1] else signed[0][0]
        fixed = fixed and len(signed) > 2  # two terms round alike in either order
        if not fixed:
            signed.sort(key=lambda term: (_RANK_IN_SUM.get(self.nodes[term[0]].kind, 2), *self._keys[term[0]]))
        flip = signed[0][1]
        signs = "".join("-" if negative != flip else "+" for _, negative in signed)
        index = self.add(Kind.SUM, signs, [term for term, _ in signed], fixed=fixed)
        return self.negate(index) if flip else index

    def _uncancelled(self, signed: list[tuple[int, bool]]) -> list[tuple[int, bool]]:
        """The terms without zeros and without pairs of a value and its negative, which SymPy does not always see."""
        zero = self._index.get(_ZERO)
        minus = {term for term, negative in signed if negative}
        if all(term != zero and (negative or term not in minus) for term, negative in signed):
            return signed
        times = Counter(signed)
        pairs = {term: min(times[term, False], times[term, True]) for term, negative in times if negative}
        for (term, negative), count in times.items():
            times[term, negative] = 0 if term == zero else count - pairs.get(term, 0)
        return list(times.elements())

    def product(self, over: Iterable[int], under: Iterable[int] = (), *, fixed: bool = False) -> int:
        """The factors ``over`` divided by the factors ``under``."""
        one = self._one = self.number(1.0) if self._one is None else self._one
        signed = [[self._unsigned(factor) for factor in part] for part in (over, under)]
        negative = sum(sign for part in signed for _, sign in part) % 2 == 1
        tops, bottoms = ([f for f, _ in part if f != one] for part in signed)
        if self._index.get(_ZERO) in tops:
            return self.number(0.0)
        if len(tops) < 2 and not bottoms:
            index = tops[0] if tops else one
        else:
            fixed = fixed and len(tops) + len(bottoms) > 2
            index = self.add(*self._product(tops or [one], bottoms, fixed), fixed=fixed)
        return self.negate(index) if negative else index

    def _product(self, over: Sequence[int], under: Sequence[int], fixed: bool) -> tuple[Kind, str, list[int]]:
        parts = [over, under] if fixed else [self.sorted_factors(over), self.sorted_factors(under)]
        return Kind.PRODUCT, "*" * len(over) + "/" * len(under), [*parts[0], *parts[1]]

    def refactor(self, index: int, over: Sequence[int], under: Sequence[int]) -> None:
        """Write a product by other factors of the same value."""
        _, text, args = self._product(over, under, fixed=False)
        before = self.nodes[index]
        node = self.nodes[index] = ExpressionNode(before.kind, text, tuple(args), before.fixed)
        self._index.setdefault((node.kind, node.text, node.args, node.fixed), index)

    def repeated(self, base: int, exponent: int) -> list[int]:
        """Factors of ``base**exponent``; from the fourth power on, squares are shared."""
        if exponent <= 3:
            return [base] * exponent
        if exponent % 2:
            return [base, *self.repeated(base, exponent - 1)]
        return [self.product(self.repeated(base, exponent // 2))] * 2

    # Order

    def key(self, index: int) -> tuple[str, bytes]:
        """A total order by name and structure."""
        return self._keys[index]

    def sorted_factors(self, factors: Iterable[int]) -> list[int]:
        """Numbers first, then symbols, then what is composed of them."""
        return sorted(factors, key=lambda f: (_RANK_IN_PRODUCT.get(self.nodes[f].kind, 3), *self._keys[f]))

    def is_trivial(self, index: int) -> bool:
        """Whether a temporary for this value would be pointless."""
        return self.nodes[self._unsigned(index)[0]].kind in (Kind.SYMBOL, Kind.NUMBER)

    def reached(self, roots: Sequence[int]) -> list[int]:
        """What the roots need, ascending; operands are older than operations as long as no product is rewritten."""
        needed = bytearray(len(self.nodes))
        for root in roots:
            needed[root] = 1
        for index in range(len(needed) - 1, -1, -1):
            if needed[index]:
                for arg in self.nodes[index].args:
                    needed[arg] = 1
        return [index for index, mark in enumerate(needed) if mark]

    def compact(self, roots: Sequence[int]) -> CompactGraph:
        """What the roots need, renumbered in the order in which they need it."""
        order = list(below(roots, lambda index: self.nodes[index].args))
        place = {index: new for new, index in enumerate(order)}
        nodes = tuple(
            ExpressionNode(node.kind, node.text, tuple([place[arg] for arg in node.args]), node.fixed)
            for node in map(self.nodes.__getitem__, order)
        )
        labels = {place[index]: name for index, name in self.labels.items() if index in place}
        return CompactGraph(nodes, labels, tuple(place[root] for root in roots))
