"""Nodes of the expression graph: immutable, equal where their digests are, simplified as they are made.

SymPy's sums and products are trees: a sum inside a sum is merged with it, and what two of them had in common is
seldom found again. Here a node keeps its operands as they are, so that the velocity of the fifth link goes on being
that of the fourth and something more. Two nodes are equal where operation and operands are (a digest of both says
so, independent of hash seeds and of SymPy's version), which makes a dictionary over nodes a hash-consed graph.

Only cheap identities are applied, each of which is exact: numbers are folded, x + x = 2 x, x x = x**2, 0 x = 0,
1 x = x, a factor that all terms of a sum have is taken out of it. A double is the rational number that it is, so that
folding rounds nothing: that is left to the text, where a number is rounded once. Operands stand in the order of their
digests. What decides a tie (arguments of ``Modulo`` and ``Floor``, sides of relations) is *fixed*: it stays as it was
written.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Self

import sympy as sp
from sympy.core.symbol import Str

from nsdgen.symbolic.expressions.nodes import Branch, Let, Stumpff

_NOTHING: frozenset[sp.Symbol] = frozenset()
_0, _1, _MINUS_1 = sp.S.Zero, sp.S.One, sp.S.NegativeOne  # the only objects of these values that SymPy has
_LARGEST_FOLDED = 64
"""Exponent up to which powers of numbers are folded: the digits of an exact power grow with it."""


class Node:
    """``func`` of ``args``, or the SymPy atom ``leaf``; ``free`` holds the symbols below it, for membership only."""

    __slots__ = ("_hash", "args", "digest", "fixed", "free", "func", "is_number", "leaf")

    def __init__(self, func: Any, args: tuple[Self, ...], leaf: Any = None, fixed: bool = False) -> None:
        self.func, self.args, self.leaf, self.fixed = func, args, leaf, fixed
        self.digest: bytes
        self.is_number = leaf is not None and isinstance(leaf, sp.Rational)  # a number with digits (not pi)
        own = f"{func.__name__} {fixed} {'' if leaf is None else _text(leaf)}".encode()
        self.digest = blake2b(b"".join([own, *[arg.digest for arg in args]]), digest_size=16).digest()
        self._hash = int.from_bytes(self.digest[:8], "big") >> 4
        self.free = frozenset((leaf,)) if leaf is not None and isinstance(leaf, sp.Symbol) else _union(args)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Node) and self.digest == other.digest)

    def __repr__(self) -> str:
        return f"<{self.func.__name__} {self.leaf if self.leaf is not None else len(self.args)}>"


def _text(leaf: Any) -> str:
    """What tells leaves apart: kind and text, for symbols what they are assumed to be."""
    if isinstance(leaf, sp.Symbol):
        return f"{leaf.name} {leaf.is_positive} {leaf.is_nonnegative} {leaf.is_real} {getattr(leaf, 'dummy_index', '')}"
    if isinstance(leaf, sp.Rational):
        return f"{leaf.p}/{leaf.q}"
    return leaf.name if isinstance(leaf, Str) else str(leaf)


def _union(args: Sequence[Node]) -> frozenset[sp.Symbol]:
    """The symbols of all operands; that of an operand itself where it has them all, as most often."""
    found = _NOTHING
    for arg in args:
        if arg.free is not found and not arg.free <= found:
            found = arg.free if found <= arg.free else found | arg.free
    return found


def leaf(atom: sp.Basic) -> Node:
    """A symbol, a number, pi, e, true or false."""
    exact = sp.Rational(atom) if isinstance(atom, sp.Float) else atom
    return Node(type(exact), (), exact)


@lru_cache(maxsize=1024, typed=True)
def number(value: sp.Basic | int) -> Node:
    """A number."""
    return leaf(sp.Integer(value) if isinstance(value, int) else value)


ZERO, ONE, MINUS_ONE, _TWO = (number(k) for k in (0, 1, -1, 2))


def _split(node: Node) -> tuple[sp.Number, Node]:
    """Numerical coefficient and the rest of a term."""
    if node.is_number:
        return node.leaf, ONE
    if node.func is sp.Mul and not node.fixed and node.args[0].is_number:
        rest = node.args[1:]
        return node.args[0].leaf, rest[0] if len(rest) == 1 else _product(rest)
    return _1, node


def _product(factors: Sequence[Node]) -> Node:
    return Node(sp.Mul, tuple(factors))


def _digest(node: Node) -> bytes:
    return node.digest


def add(terms: Iterable[Node]) -> Node:
    """The sum."""
    weights: dict[Node, sp.Number] = {}
    for term in terms:
        if term is ZERO:
            continue
        coefficient, rest = _split(term)
        weights[rest] = weights[rest] + coefficient if rest in weights else coefficient
    kept = {rest: c for rest, c in weights.items() if c is not _0}
    if len(kept) < 2:
        return next((mul((number(c), rest)) for rest, c in kept.items()), ZERO)
    common = _common(kept)
    if common:
        return mul((*common, add(mul((number(c), *_without(rest, common))) for rest, c in kept.items())))
    return Node(sp.Add, tuple(sorted((_weighted(c, rest) for rest, c in kept.items()), key=_digest)))


def _weighted(coefficient: sp.Number, rest: Node) -> Node:
    if rest == ONE:
        return number(coefficient)
    if coefficient is _1:
        return rest
    factors = rest.args if rest.func is sp.Mul and not rest.fixed else (rest,)
    return _product((number(coefficient), *factors))


def _factors(node: Node) -> tuple[Node, ...]:
    return node.args if node.func is sp.Mul and not node.fixed else (node,)


def _common(terms: Iterable[Node]) -> list[Node]:
    """The factors that all terms have, once each."""
    found: list[Node] | None = None
    for term in terms:
        factors = _factors(term)
        found = list(dict.fromkeys(factors)) if found is None else [f for f in found if f in factors]
        if not found:
            return []
    return [f for f in found or [] if f != ONE]


def _without(term: Node, common: Sequence[Node]) -> list[Node]:
    rest = list(_factors(term))
    for factor in common:
        rest.remove(factor)
    return rest


def mul(factors: Iterable[Node]) -> Node:
    """The product."""
    given = [factor for factor in factors if factor is not ONE]
    if len(given) == 1:
        return given[0]
    coefficient: sp.Number = _1
    powers: dict[Node, int] = {}
    for factor in given:
        if factor is ZERO:
            return ZERO
        own, rest = _split(factor)
        if own is not _1:
            coefficient = own if coefficient is _1 else _1 if own is coefficient is _MINUS_1 else coefficient * own
        if rest is ONE:
            continue
        base, exponent = rest, 1
        if rest.func is sp.Pow and isinstance(rest.args[1].leaf, sp.Integer):
            base, exponent = rest.args[0], int(rest.args[1].leaf)
        powers[base] = powers.get(base, 0) + exponent
    if coefficient is _0:
        return ZERO
    kept = sorted((base if e == 1 else power(base, e) for base, e in powers.items() if e != 0), key=_digest)
    if not kept or coefficient is not _1:
        kept.insert(0, number(coefficient))
    return kept[0] if len(kept) == 1 else _product(kept)


def power(base: Node, exponent: Node | int) -> Node:
    """base ** exponent."""
    e = number(exponent) if isinstance(exponent, int) else exponent
    if e == ONE or base == ONE:
        return base
    if e == ZERO:
        return ONE
    if (
        base.is_number
        and e.is_number
        and abs(e.leaf) <= _LARGEST_FOLDED
        and isinstance(folded := base.leaf**e.leaf, sp.Rational)
    ):
        return number(folded)
    if isinstance(e.leaf, sp.Integer) and not base.fixed:
        if base.func is sp.Pow and isinstance(base.args[1].leaf, sp.Rational):
            return power(base.args[0], number(base.args[1].leaf * e.leaf))
        coefficient, rest = _split(base)
        if coefficient is not _1:
            return mul((power(number(coefficient), e), power(rest, e)))
    return Node(sp.Pow, (base, e))


def call(func: Any, args: Sequence[Node]) -> Node:
    """A function of SymPy or of nsdgen, of values; of numbers alone it is what SymPy makes of it, where that is one."""
    if func is Stumpff or not all(arg.leaf is not None and not arg.free for arg in args):
        return Node(func, tuple(args))
    value = func(*(arg.leaf for arg in args))
    return number(value) if isinstance(value, sp.Rational | sp.Float) else Node(func, tuple(args))


def branch(values: Sequence[Node], conditions: Sequence[Node]) -> Node:
    """The value whose condition is the first to hold; one value where all are equal."""
    pairs = [(v, c) for v, c in zip(values, conditions, strict=True) if c.leaf is not sp.false]
    last = next(i for i, (_, c) in enumerate(pairs) if c.leaf is sp.true)
    pairs = pairs[: last + 1]
    if all(value == pairs[0][0] for value, _ in pairs):
        return pairs[0][0]
    return Node(Branch, tuple(x for pair in pairs for x in pair))


def let(name: str, value: Node) -> Node:
    """A value that emitted code computes under a name; symbols and numbers need none."""
    return value if not value.args else Node(Let, (leaf(Str(name)), value))
