"""How large the terms of an expression are: what a tolerance relative to a row is relative to.

The rules are stated once, for SymPy's expressions and for nodes of the graph.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.nodes import Branch, Let, let
from nsdgen.symbolic.expressions.nodes_of import below
from nsdgen.symbolic.graph.array_function import ResultEntry, size_of_terms
from nsdgen.symbolic.graph.computed import computed, holds_graph, stated
from nsdgen.symbolic.graph.node import Node, add, branch, call, mul, number, power

_SHARE = sp.Rational(1, 1024)  # a tolerance of 1e-12 is then a few roundings of the length


def magnitude(values: sp.MatrixBase, vectors: Sequence[Sequence[int]] = ()) -> sp.Matrix:
    """The sum of the absolute values of the terms of each entry, sums inside products included.

    A row cannot be computed better than rounding of its largest term, so this is what a
    tolerance relative to the row is relative to. A term is taken as a whole, |a b| and not
    |a| |b|, so that what computes the row has computed it. Rows of one of ``vectors`` have a share of its length
    besides: a component that is zero by symmetry is the difference of roundings of the others, and could
    not be small beside its own.
    """
    entries = list(values)
    sizes = [computed(n) for n in magnitudes(stated(entries))] if holds_graph(entries) else _sizes(entries, _SYMPY)
    found = sp.Matrix(*values.shape, sizes)
    for rows in vectors:
        length = let("length", sp.Add(*(found[i] for i in rows)))
        for i in rows:
            found[i] += _SHARE * length
    return found


def magnitudes(values: Sequence[Node]) -> list[Node]:
    """The same of nodes."""
    known: dict[Node, bool] = {}

    def nonnegative(node: Node) -> bool:
        for part in below([node], lambda n: [a for a in n.args if a not in known]):
            known[part] = _is_nonnegative(part, known)
        return known[node]

    return _sizes(values, _Making(nonnegative, lambda node: _absolute_node(node, nonnegative), add, mul, power, branch))


@dataclass(frozen=True)
class _Making:
    """A kind of expressions: signs that are certain, absolute values of terms, and how others are made of some."""

    nonnegative: Callable[[Any], bool | None]
    absolute: Callable[[Any], Any]
    add: Callable[[Sequence[Any]], Any]
    mul: Callable[[Sequence[Any]], Any]
    power: Callable[[Any, Any], Any]
    branch: Callable[[Sequence[Any], Sequence[Any]], Any]


def _sizes(values: Sequence[Any], make: _Making) -> list[Any]:
    """The magnitudes of values, each computed once."""
    known: dict[Any, Any] = {}
    whole: dict[Any, bool] = {}  # nothing can cancel in it: its absolute value is how large its terms are
    for e in below(values, _terms):
        terms = _terms(e)
        whole[e] = all(whole[a] for a in terms) and (e.func is not sp.Add or all(make.nonnegative(a) for a in terms))
        if isinstance(e, Node) and e.func is ResultEntry and (size := size_of_terms(e)) is not None:
            known[e], whole[e] = size, False
    for e in below(values, lambda e: () if whole[e] else _terms(e)):
        if e not in known:
            known[e] = make.absolute(e) if whole[e] else _of_terms(e, make, known, whole)
    return [known[v] for v in values]


def _of_terms(e: Any, make: _Making, known: dict[Any, Any], whole: dict[Any, bool]) -> Any:
    """The magnitude of a value in which terms may cancel."""
    terms = _terms(e)
    parts = [known[a] for a in terms]
    if e.func is sp.Pow:
        return make.power(parts[0], e.args[1])
    if e.func is Branch:
        return make.branch(parts, e.args[1::2])
    if e.func is not sp.Mul:
        return make.add(parts)
    return make.mul(
        [make.absolute(make.mul([a for a in terms if whole[a]])), *(known[a] for a in terms if not whole[a])]
    )


def _terms(e: Any) -> Sequence[Any]:
    """What the magnitude of a value is made of; a function has its own, not that of its argument."""
    func, args = e.func, e.args
    if getattr(e, "fixed", False):
        return ()
    if func in (sp.Add, sp.Mul):
        return args
    if func is sp.Pow:
        exponent = getattr(args[1], "leaf", args[1])
        return args[:1] if isinstance(exponent, sp.Integer) and exponent > 0 else ()
    return args[1:] if func is Let else args[0::2] if func is Branch else ()


# -- expressions of SymPy ----------------------------------------------------------------------


def _absolute(e: sp.Expr) -> sp.Expr:
    """|e| of one term, unevaluated: SymPy would give a product the absolute value of each factor."""
    if e.is_Number:
        return abs(e)
    if e.is_nonnegative or (isinstance(e, sp.Pow) and e.exp.is_Rational and e.exp.q % 2 == 0):
        return e  # a root that is real is not negative, even where SymPy cannot tell that it is real
    coefficient, rest = e.as_coeff_Mul()
    return _absolute(-coefficient * rest) if coefficient.is_negative else sp.Abs(e, evaluate=False)


_SYMPY = _Making(
    lambda e: e.is_nonnegative,
    _absolute,
    lambda terms: sp.Add(*terms),
    lambda factors: sp.Mul(*factors),
    sp.Pow,
    lambda values, conditions: Branch(*(x for pair in zip(values, conditions, strict=True) for x in pair)),
)


# -- nodes -------------------------------------------------------------------------------------


def _is_nonnegative(node: Node, known: dict[Node, bool]) -> bool:
    """Whether a value is certainly not negative, its arguments being known."""
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


def _absolute_node(node: Node, nonnegative: Callable[[Node], bool]) -> Node:
    """|node|, the term itself under the absolute value and not its negative."""
    if node.is_number:
        return number(abs(node.leaf))
    if nonnegative(node):
        return node
    coefficient = node.args[0] if node.func is sp.Mul and not node.fixed else None
    if coefficient is None or not coefficient.is_number or coefficient.leaf > 0:
        return call(sp.Abs, [node])
    term = mul((number(-coefficient.leaf), *node.args[1:]))
    return term if nonnegative(term) else call(sp.Abs, [term])
