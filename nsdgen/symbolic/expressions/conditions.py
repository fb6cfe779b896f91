"""Comparisons, And and Or of expressions that share their parts, in a time that grows with the parts alone.

SymPy orders what it joins by the nodes of trees, which it counts one by one: a contact between two bodies has a few
thousand different nodes, and trees of millions.
"""

from typing import Any

import sympy as sp
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

_SMALL = 100
"""Nodes of trees up to which SymPy joins: it sees, too, that ``a < b`` and ``b > a`` are one condition."""


def compared(kind: type[Relational], left: sp.Expr, right: sp.Expr) -> Boolean:
    """``kind(left, right)``, decided between numbers alone: SymPy looks for the sign of a difference, however large."""
    return kind(left, right, evaluate=isinstance(left, sp.Number) and isinstance(right, sp.Number))


def joined(kind: type[sp.And] | type[sp.Or], *conditions: Any) -> Boolean:
    """``kind(*conditions)``, And or Or, its conditions in the order that SymPy puts them in."""
    known: dict[int, float] = {}
    if sum(_size(c, known) for c in map(sp.sympify, conditions)) <= _SMALL:
        return kind(*conditions)
    parts: dict[Boolean, None] = {}
    for condition in map(sp.sympify, conditions):
        if condition == kind.zero:
            return condition
        if condition != kind.identity:
            parts.update(dict.fromkeys(condition.args if isinstance(condition, kind) else [condition]))
    if len(parts) < 2:
        return next(iter(parts), kind.identity)
    made = sp.Basic.__new__(kind, *sp.ordered(parts, [lambda c: _size(c, known), sp.default_sort_key], default=False))
    made._argset = frozenset(parts)
    return made


def _size(node: sp.Basic, known: dict[int, float]) -> float:
    """The nodes of a tree as SymPy counts them; each different node is looked at once."""
    found = known.get(id(node))
    if found is None:
        found = known[id(node)] = 0.5 if node.is_Float else 1 + sum(_size(a, known) for a in node.args)
    return found
