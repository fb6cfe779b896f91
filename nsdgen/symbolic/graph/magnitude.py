"""How large the terms of a node are, however much of them cancels."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from nsdgen.symbolic.expressions.nodes import Branch, Let
from nsdgen.symbolic.graph.node import Node, add, branch, call, mul, number, power
from nsdgen.symbolic.graph.sympy_graph import below

__all__ = ["magnitudes"]


def magnitudes(values: Sequence[Node]) -> list[Node]:
    """The sums of the absolute values of the terms of each value, sums inside products included."""
    known: dict[Node, Node] = {}
    positive: dict[Node, bool] = {}
    for node in below(values, lambda n: n.args):
        positive[node] = _nonnegative(node, positive)
    for node in below(values, _terms):
        known[node] = _magnitude(node, known, positive)
    return [known[v] for v in values]


def _terms(node: Node) -> Sequence[Node]:
    """What the magnitude of a value is made of; a function has its own, not that of its argument."""
    func, args = node.func, node.args
    if node.fixed:
        return ()
    if func in (sp.Add, sp.Mul):
        return args
    if func is sp.Pow and isinstance(args[1].leaf, sp.Integer) and args[1].leaf > 0:
        return args[:1]
    return args[1:] if func is Let else args[0::2] if func is Branch else ()


def _nonnegative(node: Node, known: dict[Node, bool]) -> bool:
    """Whether a value is certainly not negative."""
    func, args = node.func, node.args
    if node.leaf is not None:
        return bool(getattr(node.leaf, "is_nonnegative", False))
    if func in (sp.Add, sp.Mul):
        return all(known[a] for a in args)
    if func is sp.Pow:
        exponent = args[1].leaf
        return known[args[0]] or (isinstance(exponent, sp.Rational) and (exponent.p % 2 == 0 or exponent.q % 2 == 0))
    if func is Let:
        return known[args[1]]
    return func in (sp.exp, sp.Abs, sp.cosh) or (func is Branch and all(known[a] for a in args[0::2]))


def _magnitude(node: Node, known: dict[Node, Node], positive: dict[Node, bool]) -> Node:
    func, parts = node.func, [known[a] for a in _terms(node)]
    if parts and func is sp.Pow:
        return power(parts[0], node.args[1])
    if parts and func is Branch:
        return branch(parts, node.args[1::2])
    if parts:
        return add(parts) if func is sp.Add else mul(parts)
    if node.is_number:
        return number(abs(node.leaf))
    return node if positive[node] else call(sp.Abs, [node])
