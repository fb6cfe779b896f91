"""Nodes of the expression graph as expressions of the statement tree, in double arithmetic.

Everything is a double: ``2`` is ``2.0`` (no integer division), ``1/3`` is ``1.0/3.0`` and ``1/2`` is ``0.5``. A sum
starts with its positive terms, a product has at most one division bar. What is no expression of the tree is an
``EmissionError``.
"""

from collections.abc import Mapping, Sequence

from nsdgen.emit.expression_graph import CompactGraph, ExpressionNode, Graph, Kind
from nsdgen.emit.tree import (
    Call,
    Comparison,
    Expression,
    Integer,
    Logic,
    Name,
    Negation,
    Number,
    Product,
    negated,
    product,
    total,
)
from nsdgen.errors import EmissionError

_FLIPPED = str.maketrans("+-", "-+")


def leaf(text: str) -> Expression:
    """A number, or a symbol as it is called."""
    if text[0].isdigit():
        return Integer(int(text)) if text.isdigit() else Number(float(text))
    return Negation(Name(text[1:])) if text[0] == "-" else Name(text)


class Composer:
    """Composes expressions of the nodes of a graph; nodes in ``names`` are temporaries, which have names."""

    def __init__(self, graph: Graph | CompactGraph) -> None:
        self.nodes = graph.nodes

    def value(self, index: int, names: Mapping[int, Name]) -> Expression:
        """A node as an operand: its name, or what it is made of if it has none."""
        return names[index] if index in names else self.define(index, names)

    def define(self, index: int, names: Mapping[int, Name]) -> Expression:
        """What a node is made of: its own name is not used."""
        node = self.nodes[index]
        match node.kind:
            case Kind.NUMBER | Kind.SYMBOL:
                return leaf(node.text)
            case Kind.NEGATION:
                return self._negation(node.args[0], names)
            case Kind.SUM:
                return self._sum(node, node.text, names)
            case Kind.PRODUCT:
                return self._product(node, names)
            case Kind.CALL:
                return Call(node.text, tuple([self.value(arg, names) for arg in node.args]))
            case Kind.RELATION:
                left, right = (self.value(arg, names) for arg in node.args)
                return Comparison(node.text, left, right)
            case Kind.LOGIC:
                return Logic(node.text, tuple([self.value(arg, names) for arg in node.args]))
        raise EmissionError(
            "a branch is not an expression of the emitted language: it needs statements",
            fix="lower it with nsdgen.emit.lower",
        )

    def _negation(self, index: int, names: Mapping[int, Name]) -> Expression:
        node = self.nodes[index]
        if node.kind is Kind.SUM and index not in names:
            return self._sum(node, node.text.translate(_FLIPPED), names)
        if node.kind is Kind.PRODUCT and index not in names:
            turned = self._difference_in(node, names)
            if turned is not None:  # -a*(x - 1) reads better as a*(1 - x): the same, exactly
                return self._product(node, names, turned)
        return negated(self.value(index, names))

    def _difference_in(self, node: ExpressionNode, names: Mapping[int, Name]) -> int | None:
        """The first factor that stands in place as a difference."""
        for factor in node.factors("*"):
            inner = self.nodes[factor]
            if factor not in names and inner.kind is Kind.SUM and "-" in inner.text:
                return factor
        return None

    def _sum(self, node: ExpressionNode, signs: str, names: Mapping[int, Name]) -> Expression:
        terms = list(zip(signs, node.args, strict=True))
        if not node.fixed:
            terms.sort(key=lambda term: (term[0] == "-", self.nodes[term[1]].kind is Kind.NUMBER))
        return total([(sign, self.value(arg, names)) for sign, arg in terms])

    def _product(self, node: ExpressionNode, names: Mapping[int, Name], turned: int | None = None) -> Expression:
        """Numerator and denominator; the sum ``turned`` has the other sign."""
        over, under = (self._ordered(node, operator, names) for operator in "*/")
        top = self._factors(node, over, names, over.index(turned) if turned is not None else None)
        return product([("*", top), ("/", self._factors(node, under, names))]) if under else top

    def _ordered(self, node: ExpressionNode, operator: str, names: Mapping[int, Name]) -> list[int]:
        """The factors, what is composed in place behind names."""
        factors = node.factors(operator)
        if not node.fixed:
            simple = (Kind.NUMBER, Kind.SYMBOL)
            factors.sort(key=lambda f: f not in names and self.nodes[f].kind not in simple)
        return factors

    def _factors(
        self, node: ExpressionNode, indices: Sequence[int], names: Mapping[int, Name], turned: int | None = None
    ) -> Expression:
        """A product without a bar; one among its factors is no group of its own where grouping is free."""
        factors: list[Expression] = []
        for place, index in enumerate(indices):
            factor = self._negation(index, names) if place == turned else self.value(index, names)
            inner = self.nodes[index]
            free = inner.kind is Kind.PRODUCT and not (node.fixed or inner.fixed or "/" in inner.text)
            factors += factor.factors if free and place and isinstance(factor, Product) else (factor,)
        return product([("*", factor) for factor in factors])
