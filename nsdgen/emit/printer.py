"""Expressions as C-like Cython text, in double arithmetic.

Everything is a double: ``2`` is printed ``2.0`` (no integer division), ``1/3`` is
``1.0/3.0`` and ``1/2`` is ``0.5``. A sum starts with its positive terms, a product has
at most one division bar. An expression that has no such text is an ``EmissionError``.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import sympy as sp

from nsdgen.emit.expression_graph import Graph, Kind, Node, Program
from nsdgen.emit.translate import Translator
from nsdgen.errors import EmissionError

__all__ = ["Printer", "print_expression"]


class Level(IntEnum):
    """How tightly a text holds together; looser text is put in parentheses."""

    ANY = 0
    OR = 1
    AND = 2
    NOT = 3
    RELATION = 4
    SUM = 5
    PRODUCT = 6
    ATOM = 7


FLIPPED = str.maketrans("+-", "-+")
LOGIC_LEVELS = {"or": Level.OR, "and": Level.AND, "not": Level.NOT}


def print_expression(expr: sp.Basic, names: Mapping[Any, str]) -> str:
    """The text of one expression, without temporaries.

    ``names`` gives the text of symbols (and of any other subexpressions). Branches need
    statements: see :func:`nsdgen.emit.lower.lower`.
    """
    translator = Translator([expr], names, inline=True)
    return Printer(translator.graph).text(translator.translate(expr))


class Printer:
    """Prints nodes of a graph; nodes in ``names`` are temporaries, printed by their name."""

    def __init__(self, graph: Graph | Program) -> None:
        self.nodes = graph.nodes

    def text(self, index: int, names: Mapping[int, str] | None = None) -> str:
        """The defining text of a node: its own name is not used."""
        return self._define(index, names or {})[0]

    def operations(self, index: int, names: Mapping[int, str]) -> int:
        """How many operations this text performs; a function call is one of them."""
        node = self.nodes[index]
        inner = sum(self.operations(arg, names) for arg in node.args if arg not in names)
        return inner + _own_operations(node, self.nodes[node.args[0]] if node.args else None)

    def _print(self, index: int, names: Mapping[int, str], needed: Level = Level.ANY) -> str:
        if index in names:
            return names[index]
        text, level = self._define(index, names)
        return text if level >= needed else f"({text})"

    def _define(self, index: int, names: Mapping[int, str]) -> tuple[str, Level]:
        node = self.nodes[index]
        match node.kind:
            case Kind.NUMBER | Kind.SYMBOL:
                return node.text, Level.ATOM
            case Kind.NEGATION:
                return self._negation(node.args[0], names)
            case Kind.SUM:
                return self._sum(node, node.text, names), Level.SUM
            case Kind.PRODUCT:
                return self._product(node, names), Level.PRODUCT
            case Kind.CALL:
                inside = ", ".join(self._print(arg, names) for arg in node.args)
                return f"{node.text}({inside})", Level.ATOM
            case Kind.RELATION:
                left, right = (self._print(arg, names, Level.SUM) for arg in node.args)
                return f"{left} {node.text} {right}", Level.RELATION
            case Kind.LOGIC:
                return self._logic(node, names)
        raise EmissionError(
            "a branch is not an expression of the emitted language: it needs statements",
            fix="lower it with nsdgen.emit.lower",
        )

    def _negation(self, index: int, names: Mapping[int, str]) -> tuple[str, Level]:
        node = self.nodes[index]
        if node.kind is Kind.SUM and index not in names:
            return self._sum(node, node.text.translate(FLIPPED), names), Level.SUM
        if node.kind is Kind.PRODUCT and index not in names:
            turned = self._difference_in(node, names)
            if turned is not None:  # -a*(x - 1) reads better as a*(1 - x): the same, exactly
                return self._product(node, names, turned), Level.PRODUCT
        # A sign before a product applies to its first factor: the same value, exactly.
        return f"-{self._print(index, names, Level.PRODUCT)}", Level.PRODUCT

    def _difference_in(self, node: Node, names: Mapping[int, str]) -> int | None:
        """The first factor that is printed in place as a difference."""
        for factor in node.factors("*"):
            inner = self.nodes[factor]
            if factor not in names and inner.kind is Kind.SUM and "-" in inner.text:
                return factor
        return None

    def _sum(self, node: Node, signs: str, names: Mapping[int, str]) -> str:
        terms = list(zip(signs, node.args, strict=True))
        if not node.fixed:
            numeric = Kind.NUMBER
            terms.sort(key=lambda term: (term[0] == "-", self.nodes[term[1]].kind is numeric))
        texts = [f" {sign} {self._print(arg, names, Level.PRODUCT)}" for sign, arg in terms]
        first = texts[0]
        return "".join([first[3:] if first[1] == "+" else f"-{first[3:]}", *texts[1:]])

    def _product(self, node: Node, names: Mapping[int, str], turned: int | None = None) -> str:
        """Numerator and denominator; the sum ``turned`` is printed with the other sign."""
        over, under = (self._ordered(node, operator, names) for operator in "*/")
        tops = [self._factor(node, place, arg, names) for place, arg in enumerate(over)]
        if turned is not None:
            tops[over.index(turned)] = f"({self._negation(turned, names)[0]})"
        text = "*".join(tops)
        if not under:
            return text
        if len(under) == 1:
            return f"{text}/{self._print(under[0], names, Level.ATOM)}"
        texts = (self._factor(node, place, arg, names) for place, arg in enumerate(under))
        return f"{text}/({'*'.join(texts)})"

    def _ordered(self, node: Node, operator: str, names: Mapping[int, str]) -> list[int]:
        """The factors, what is composed in place behind names."""
        factors = node.factors(operator)
        if not node.fixed:
            simple = (Kind.NUMBER, Kind.SYMBOL)
            factors.sort(key=lambda f: f not in names and self.nodes[f].kind not in simple)
        return factors

    def _factor(self, node: Node, place: int, index: int, names: Mapping[int, str]) -> str:
        """A factor; a product among the factors needs no parentheses where grouping is free."""
        inner = self.nodes[index]
        free = inner.kind is Kind.PRODUCT and not (node.fixed or inner.fixed or "/" in inner.text)
        return self._print(index, names, Level.PRODUCT if free or place == 0 else Level.ATOM)

    def _logic(self, node: Node, names: Mapping[int, str]) -> tuple[str, Level]:
        level = LOGIC_LEVELS[node.text]
        if node.text == "not":
            return f"not {self._print(node.args[0], names, Level.ATOM)}", level
        texts = [self._print(arg, names, Level.RELATION) for arg in node.args]
        return f" {node.text} ".join(texts), level


def _own_operations(node: Node, first: Node | None) -> int:
    match node.kind:
        case Kind.SUM:
            return len(node.args) - 1
        case Kind.PRODUCT:
            return len(node.args) - 1
        case Kind.NEGATION:  # a sign of a number or of a sum's terms costs nothing
            return 0 if first and first.kind in (Kind.NUMBER, Kind.SUM) else 1
        case Kind.CALL | Kind.RELATION:
            return 1
    return 0
