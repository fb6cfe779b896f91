"""Symbols replaced in expressions that share their parts: each part is looked at once.

``xreplace`` of SymPy looks at an expression as a tree. What is named by ``let`` and used many times, as a contact
normal in gradients of gaps, is a small graph and a huge tree.
"""

from collections.abc import Mapping

import sympy as sp
from sympy.core.relational import Relational

from nsdgen.symbolic.expressions.conditions import joined


def replaced(values: sp.Matrix, to: Mapping[sp.Basic, sp.Basic]) -> sp.Matrix:
    """``values.xreplace(to)``, entry by entry the same expressions; comparisons are decided between numbers alone."""
    known: dict[int, sp.Basic] = {}  # by identity: in SymPy 1.12 the numbers 2 and 2.0 are equal
    return values.applyfunc(lambda entry: _within(entry, to, known)) if to else values


def _within(node: sp.Basic, to: Mapping[sp.Basic, sp.Basic], known: dict[int, sp.Basic]) -> sp.Basic:
    found = known.get(id(node))
    if found is None:
        found = known[id(node)] = _once(node, to, known)
    return found


def _once(node: sp.Basic, to: Mapping[sp.Basic, sp.Basic], known: dict[int, sp.Basic]) -> sp.Basic:
    if node in to:
        return to[node]
    if type(node)._xreplace is not sp.Basic._xreplace:  # a node that replaces in its own way
        return node.xreplace(to)
    args = tuple(_within(a, to, known) if isinstance(a, sp.Basic) else a for a in node.args)
    if all(a is b for a, b in zip(args, node.args, strict=True)):
        return node
    if isinstance(node, Relational) and not all(isinstance(a, sp.Number) for a in args):
        return node.func(*args, evaluate=False)  # else SymPy looks for the sign of what may be a large difference
    return joined(node.func, *args) if isinstance(node, sp.And | sp.Or) else node.func(*args)
