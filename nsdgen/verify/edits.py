"""Edits of one expression: each changes one node of its tree; their values are found without rebuilding the rest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations
from math import nan, prod
from operator import add, mul, neg, truediv
from typing import Any

import mpmath
import sympy as sp

from nsdgen.symbolic.expressions.conversion import as_expression

Values = list[Any]
"""Floating-point numbers, one for each point; nan where there is no value."""
MOST_ADDENDS = 10  # subsets of them are tried: 2^10 values, the next would double the time


def values_at(e: sp.Expr, points: list[dict[sp.Symbol, Any]]) -> Values:
    """The values at points; nan where there is none."""
    return Tree(e, points).root.values


def family(s: sp.Symbol) -> str:
    """The name without its index: symbols of one family are components of one vector."""
    stem = re.sub(r"[\d_{},]+$", "", s.name)
    return stem or s.name


@dataclass
class TreeNode:
    """A place in an expression tree, its parent and its values at the points."""

    expression: sp.Expr
    parent: TreeNode | None
    slot: int
    children: list[TreeNode]
    values: Values


@dataclass(frozen=True)
class Edit:
    """A change: the slip it mends, the words of a sentence, the values of the whole after it, and how to make it.

    ``words`` is a format string and its arguments: printing thousands of large expressions would take most of
    the time.
    """

    slip: str
    words: tuple[Any, ...]
    values: Values
    made: Callable[[], sp.Expr]

    @property
    def sentence(self) -> str:
        """The words with their arguments printed."""
        return str(self.words[0]).format(*self.words[1:])


_OF_DOUBLES: dict[type, Callable[..., Any]] = {
    sp.Add: lambda *terms: sum(terms),
    sp.Mul: lambda *factors: prod(factors),
    sp.Pow: pow,
    sp.Abs: abs,
}


def _apply(e: sp.Expr, arguments: list[Any]) -> Any:
    """The value of a node from the values of its arguments."""
    # of doubles: SymPy, which knows all, takes a hundred times longer
    named = getattr(mpmath.fp, type(e).__name__, None)
    rule = _OF_DOUBLES.get(type(e)) or named or (lambda *args: e.func(*map(as_expression, args)))
    try:
        found = complex(rule(*arguments))
        return found.real if found.imag == 0 else found
    except (ArithmeticError, ValueError, TypeError, AttributeError):
        return nan


class Tree:
    """An expression with the values of all its nodes at some points."""

    def __init__(self, expression: sp.Expr, points: list[dict[sp.Symbol, Any]]) -> None:
        self.points = [{s: float(v) for s, v in p.items()} for p in points]
        self.nodes: list[TreeNode] = []
        self.root = self._grown(expression, None, 0)
        self._times = Counter(n.expression for n in self.nodes)

    def _grown(self, e: sp.Expr, parent: TreeNode | None, slot: int) -> TreeNode:
        node = TreeNode(e, parent, slot, [], [])
        self.nodes.append(node)
        if isinstance(e, sp.Symbol):
            node.values = [p.get(e, nan) for p in self.points]
        elif isinstance(e, (sp.Number, sp.NumberSymbol)):
            node.values = [float(e) for _ in self.points]
        elif e is sp.I:
            node.values = [1j for _ in self.points]
        elif isinstance(e, (sp.Piecewise, sp.logic.boolalg.Boolean)):
            node.values = [_number(e.xreplace({s: sp.Float(v) for s, v in p.items()})) for p in self.points]
        else:
            node.children = [self._grown(a, node, k) for k, a in enumerate(e.args)]
            node.values = [_apply(e, [c.values[i] for c in node.children]) for i in range(len(self.points))]
        return node

    def values_with(self, node: TreeNode, values: Values) -> Values:
        """The root's values when a node takes other values."""
        while node.parent is not None:
            up = node.parent
            values = [
                _apply(up.expression, [values[i] if k == node.slot else c.values[i] for k, c in enumerate(up.children)])
                for i in range(len(values))
            ]
            node = up
        return values

    def made_with(self, node: TreeNode, new: sp.Expr) -> sp.Expr:
        """The whole expression with a node replaced."""
        while node.parent is not None:
            up = node.parent
            new = up.expression.func(*(new if k == node.slot else a for k, a in enumerate(up.expression.args)))
            node = up
        return new

    def edit(
        self, slip: str, words: tuple[Any, ...], node: TreeNode, values: Values, new: Callable[[], sp.Expr]
    ) -> Edit:
        """An edit of one node; where it stands is said when the same stands elsewhere too."""
        if node.parent is not None and self._times[node.expression] > 1 and " in {}" not in words[0]:
            words = (f"{words[0]} in {{}}", *words[1:], node.parent.expression)
        return Edit(slip, words, self.values_with(node, values), lambda: self.made_with(node, new()))


def _number(e: Any) -> Any:
    try:
        return float(e)
    except (TypeError, ValueError):
        return nan


def entry_edits(tree: Tree, truth: sp.Expr, symbols: list[sp.Symbol]) -> Iterator[Edit]:
    """All single edits of an entry, the likeliest slips first."""
    places = [n for n in tree.nodes if not (n.parent and isinstance(n.parent.expression, sp.Pow) and n.slot == 1)]
    terms = [n for n in places if n.expression not in (1, -1)]
    for n in terms:
        yield tree.edit(
            "sign", ("flip the sign of {}", n.expression), n, [-v for v in n.values], partial(neg, n.expression)
        )
    yield from _other_symbols(tree, places, symbols)
    yield from _by_factors(tree, terms, map(sp.Integer, (2, 3, 4)))
    yield from _sign_of_several(tree)
    yield from _terms(tree, terms, truth)
    for n in places:
        if isinstance(n.expression, (sp.sin, sp.cos)):
            other = sp.cos if isinstance(n.expression, sp.sin) else sp.sin
            new = other(n.expression.args[0])
            words = "write {} for {}", new, n.expression
            yield tree.edit("sine for cosine", words, n, values_at(new, tree.points), new.as_expr)
    for a in sorted(tree.root.expression.free_symbols, key=lambda s: s.name):
        for b in symbols:
            if a != b:
                new = tree.root.expression.xreplace({a: b})
                slip = "swapped index" if family(a) == family(b) else "wrong evaluation point"
                yield Edit(slip, ("write {} for {}", b, a), values_at(new, tree.points), new.as_expr)
    yield from _by_factors(tree, terms, (s**power for power in (1, 2) for s in symbols))


def _by_factors(tree: Tree, terms: list[TreeNode], factors: Iterable[sp.Expr]) -> Iterator[Edit]:
    """Each node multiplied and divided by each factor."""
    for factor in factors:
        at = values_at(factor, tree.points)
        for n in terms:
            e, pairs = n.expression, list(zip(n.values, at, strict=True))
            for kind, words, changed, made in (
                ("missing", ("multiply {} by {}", e, factor), [v * x for v, x in pairs], partial(mul, e, factor)),
                ("extra", ("divide {} by {}", e, factor), [v / x for v, x in pairs], partial(truediv, e, factor)),
            ):
                yield tree.edit(f"{kind} factor {factor}", words, n, changed, made)


def _other_symbols(tree: Tree, places: list[TreeNode], symbols: list[sp.Symbol]) -> Iterator[Edit]:
    """One occurrence of a symbol replaced: by one of its family (an index), then by any other (an argument)."""
    for same in (True, False):
        for n in places:
            symbol, power = n.expression.as_base_exp() if isinstance(n.expression, sp.Expr) else (None, 0)
            if not isinstance(symbol, sp.Symbol) or not isinstance(power, sp.Integer) or power < 1:
                continue
            where = n.parent.expression if n.parent else n.expression
            beside = [a for k, a in enumerate(where.args) if k != n.slot] if n.parent else []
            repeated = any(a.has(n.expression) for a in beside)  # "write a for b" would say it of all of them
            for other in symbols:
                if other == symbol or (family(other) == family(symbol)) != same:
                    continue
                values = [v / p[symbol] * p[other] for p, v in zip(tree.points, n.values, strict=True)]
                new = n.expression / symbol * other
                words = (
                    ("write {} for {}", where.func(*beside[: n.slot], new, *beside[n.slot :]), where)
                    if repeated
                    else ("write {} for {} in {}", new, n.expression, where)
                )
                yield tree.edit("swapped index" if same else "wrong argument", words, n, values, new.as_expr)


def _sign_of_several(tree: Tree) -> Iterator[Edit]:
    """Several terms of one sum with flipped signs: SymPy distributes a sign over a sum."""
    for n in tree.nodes:
        count = len(n.children)
        if not isinstance(n.expression, sp.Add) or not 2 < count <= MOST_ADDENDS:
            continue
        for chosen in chain(*(combinations(n.children, size) for size in range(2, count))):
            values = [v - 2 * sum(c.values[i] for c in chosen) for i, v in enumerate(n.values)]
            flipped = n.expression - 2 * sp.Add(*(c.expression for c in chosen))
            words = ("flip the sign of several terms",)
            yield Edit("sign", words, tree.values_with(n, values), partial(tree.made_with, n, flipped))


def _terms(tree: Tree, terms: list[TreeNode], truth: sp.Expr) -> Iterator[Edit]:
    """A term of the truth that was left out, or a term too many."""
    missing = [(sign * t, values_at(sign * t, tree.points)) for t in _addends(truth) for sign in (1, -1)]
    for n in [tree.root, *terms]:
        for t, added in missing:
            if t == -n.expression:
                continue  # no term was forgotten that leaves nothing
            words = "add {} to {}", t, n.expression
            yield tree.edit("missing term", words, n, [*map(add, n.values, added)], partial(add, n.expression, t))
    for n in terms:
        if n.parent is not None and isinstance(n.parent.expression, sp.Add):
            yield tree.edit("extra term", ("leave out {}", n.expression), n, [0.0 for _ in n.values], lambda: sp.S.Zero)
    if tree.root.expression != 0:
        yield Edit("extra term", ("write 0",), [0.0 for _ in tree.points], lambda: sp.S.Zero)


def _addends(truth: sp.Expr) -> list[sp.Expr]:
    """The terms of all sums in the truth, and of its expansion; the truth itself where it is one term."""
    found: dict[sp.Expr, None] = {}
    for e in sp.preorder_traversal(truth):
        if isinstance(e, sp.Add):
            found.update(dict.fromkeys(e.args))
    if sp.count_ops(truth) < 400:
        found.update(dict.fromkeys(sp.Add.make_args(sp.expand(truth))))
    found[truth] = None
    return list(found)[:60]


def monomial_slip(hand: sp.Expr, truth: sp.Expr, goal: Values) -> Edit | None:
    """A guess from the expanded difference alone: one term or a pair of terms that differ in a factor."""
    if sp.count_ops(hand) > 250:
        return None  # expanding quotients of this size takes longer than a guess is worth
    difference = sp.expand(truth - hand)
    terms = sp.Add.make_args(difference)
    if len(terms) > 2 or difference == 0:
        return None

    own = dict(t.as_coeff_Mul()[::-1] for t in sp.Add.make_args(sp.expand(hand)))
    if len(terms) == 2:
        for added, taken in (terms, terms[::-1]):  # what is taken away must stand there as it is quoted
            (a, there), (b, instead) = taken.as_coeff_Mul(), added.as_coeff_Mul()
            if a == -b and own.get(there) == -a and len((instead / there).free_symbols) == 2:
                return Edit("swapped index", ("write {} for {}", added, -taken), goal, lambda: truth)
    coefficient, monomial = terms[0].as_coeff_Mul()
    if len(terms) == 1 and (had := own.get(monomial)) is not None:
        if coefficient == -2 * had:
            return Edit("sign", ("flip the sign of {}", had * monomial), goal, lambda: truth)
        if coefficient == -had:
            return Edit("extra term", ("leave out {}", had * monomial), goal, lambda: truth)
        ratio = (had + coefficient) / had
        return Edit(f"missing factor {ratio}", ("multiply {} by {}", had * monomial, ratio), goal, lambda: truth)
    lacked = set(sp.Add.make_args(sp.expand(truth)))
    if not lacked.issuperset(terms):
        return None  # what would have to be added is no term of the truth: that explains nothing
    return Edit("missing term", ("add {}", difference), goal, lambda: truth)
