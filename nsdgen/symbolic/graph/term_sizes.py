"""How large the terms of an expression are: what a tolerance relative to a row is relative to.

The rules are stated once, for SymPy's expressions and for nodes of the graph.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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
    nodes = holds_graph(entries)
    sizes = [computed(n) for n in magnitudes(stated(entries))] if nodes else _sizes(entries, _Making(*_SYMPY))
    found = sp.Matrix(*values.shape, sizes)
    for rows in vectors:
        length = let("length", sp.Add(*(found[i] for i in rows)))
        for i in rows:
            found[i] += _SHARE * length
    return found


def magnitudes(values: Sequence[Node]) -> list[Node]:
    """The same of nodes."""
    return _sizes(values, _Making(_absolute_node, add, mul, power, branch))


@dataclass(frozen=True)
class _Making:
    """A kind of expressions: absolute values of terms, how expressions are made of others, signs that are certain."""

    absolute_of: Callable[[Any, Callable[[Any], bool]], Any]
    add: Callable[[Sequence[Any]], Any]
    mul: Callable[[Sequence[Any]], Any]
    power: Callable[[Any, Any], Any]
    branch: Callable[[Sequence[Any], Sequence[Any]], Any]
    _known: dict[Any, bool] = field(default_factory=dict)

    def nonnegative(self, e: Any) -> bool:
        """Whether a value is certainly not negative."""
        for part in below([e], lambda e: [a for a in e.args if a not in self._known]):
            self._known[part] = _is_nonnegative(part, self._known)
        return self._known[e]

    def absolute(self, e: Any) -> Any:
        """|e| of one term."""
        return self.absolute_of(e, self.nonnegative)


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


def _is_nonnegative(e: Any, known: dict[Any, bool]) -> bool:
    """Whether a value is certainly not negative, its operands being known: SymPy's own answer takes long."""
    func, args = e.func, e.args
    if not args:
        return bool(getattr(getattr(e, "leaf", e), "is_nonnegative", False))
    if func in (sp.Add, sp.Mul):
        return all(known[a] for a in args)
    if func is sp.Pow:
        exponent = getattr(args[1], "leaf", args[1])
        return known[args[0]] or (isinstance(exponent, sp.Rational) and (exponent.p % 2 == 0 or exponent.q % 2 == 0))
    if func is Let:
        return known[args[1]]
    return func in (sp.exp, sp.Abs, sp.cosh) or (func is Branch and all(known[a] for a in args[0::2]))


def _absolute(e: sp.Expr, nonnegative: Callable[[Any], bool]) -> sp.Expr:
    """|e| of one term, unevaluated: SymPy would give a product the absolute value of each factor."""
    if e.is_Number:
        return abs(e)
    if nonnegative(e):
        return e
    coefficient, rest = e.as_coeff_Mul()
    return _absolute(-coefficient * rest, nonnegative) if coefficient.is_negative else sp.Abs(e, evaluate=False)


_SYMPY = (
    _absolute,
    lambda terms: sp.Add(*terms),
    lambda factors: sp.Mul(*factors),
    sp.Pow,
    lambda values, conditions: Branch(*(x for pair in zip(values, conditions, strict=True) for x in pair)),
)


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
