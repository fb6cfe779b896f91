"""How large the terms of a node are, however much of them cancels."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from nsdgen.symbolic.expressions.nodes import Branch, Let
from nsdgen.symbolic.expressions.nodes_of import below
from nsdgen.symbolic.graph.array_function import ResultEntry, size_of_terms
from nsdgen.symbolic.graph.node import Node, add, branch, call, mul, number, power


def magnitudes(values: Sequence[Node]) -> list[Node]:
    """The sums of the absolute values of the terms of each value, sums inside products included.

    A value that is one term, whatever it is a product of, is taken as a whole, so that the term is computed once.
    """
    known: dict[Node, Node] = {}
    positive: dict[Node, bool] = {}
    whole: dict[Node, bool] = {}
    for node in below(values, lambda n: n.args):
        positive[node] = _nonnegative(node, positive)
    for node in below(values, _terms):
        whole[node] = _is_one_term(node, whole, positive)
        terms = size_of_terms(node) if node.func is ResultEntry else None
        if terms is not None:
            known[node], whole[node] = terms, False
            continue
        known[node] = _absolute(node, positive) if whole[node] else _magnitude(node, known, whole, positive)
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


def _is_one_term(node: Node, whole: dict[Node, bool], positive: dict[Node, bool]) -> bool:
    """Whether nothing can cancel in a value: then its absolute value is how large its terms are."""
    parts = _terms(node)
    return all(whole[a] for a in parts) and (node.fixed or node.func is not sp.Add or all(positive[a] for a in parts))


def _absolute(node: Node, positive: dict[Node, bool]) -> Node:
    """|node|, the term itself under the absolute value and not its negative."""
    if node.is_number:
        return number(abs(node.leaf))
    if positive[node]:
        return node
    coefficient = node.args[0] if node.func is sp.Mul and not node.fixed else None
    if coefficient is None or not coefficient.is_number or coefficient.leaf > 0:
        return call(sp.Abs, [node])
    term = mul((number(-coefficient.leaf), *node.args[1:]))
    return term if all(positive[a] for a in node.args[1:]) else call(sp.Abs, [term])


def _magnitude(node: Node, known: dict[Node, Node], whole: dict[Node, bool], positive: dict[Node, bool]) -> Node:
    func, terms = node.func, _terms(node)
    parts = [known[a] for a in terms]
    if func is sp.Pow:
        return power(parts[0], node.args[1])
    if func is Branch:
        return branch(parts, node.args[1::2])
    if func is not sp.Mul:
        return add(parts)
    one_term = mul([a for a in terms if whole[a]])
    positive.setdefault(one_term, all(positive[a] for a in terms if whole[a]))
    return mul([_absolute(one_term, positive), *(known[a] for a in terms if not whole[a])])
