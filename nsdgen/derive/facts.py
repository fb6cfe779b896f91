"""How large the terms of an expression are: what a tolerance relative to a row is relative to."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from nsdgen.symbolic.expressions.nodes import Branch, Let, let
from nsdgen.symbolic.graph.computed import computed, holds_graph, stated
from nsdgen.symbolic.graph.magnitude import magnitudes

__all__ = ["magnitude"]


def magnitude(values: sp.MatrixBase, vectors: Sequence[Sequence[int]] = ()) -> sp.Matrix:
    """The sum of the absolute values of the terms of each entry, sums inside products included.

    A row cannot be computed better than rounding of its largest term, so this is what a
    tolerance relative to the row is relative to. Rows of one of ``vectors`` have the sum of theirs: a component that is
    zero by symmetry is the difference of roundings of the others, and could not be small beside its own.
    """
    if holds_graph(values):
        found = sp.Matrix([computed(node) for node in magnitudes(stated(values))])
    else:
        memo: dict[sp.Basic, sp.Expr] = {}
        found = sp.Matrix([_magnitude(e, memo) for e in values])
    for rows in vectors:
        length = let("length", sp.Add(*(found[i] for i in rows)))
        for i in rows:
            found[i] = length
    return found


def _magnitude(e: sp.Expr, memo: dict[sp.Basic, sp.Expr]) -> sp.Expr:
    if e in memo:
        return memo[e]
    if isinstance(e, sp.Add):
        result = sp.Add(*(_magnitude(a, memo) for a in e.args))
    elif isinstance(e, sp.Mul):
        result = sp.Mul(*(_magnitude(a, memo) for a in e.args))
    elif isinstance(e, sp.Pow) and e.exp.is_Integer and e.exp > 0:
        result = _magnitude(e.base, memo) ** e.exp
    elif isinstance(e, sp.Pow) and e.exp.is_Rational and e.exp.q % 2 == 0:
        result = e  # a root that is real is not negative, even where SymPy cannot tell that it is real
    elif isinstance(e, Let):
        result = _magnitude(e.args[1], memo)
    elif isinstance(e, Branch):
        pairs = zip(e.values, e.conditions, strict=True)
        result = Branch(*(part for value, condition in pairs for part in (_magnitude(value, memo), condition)))
    elif e.is_nonnegative:
        result = e
    else:
        result = sp.Abs(e)
        if result.has(sp.conjugate):  # SymPy does not know that it is real, as 1 / sqrt(x) where x may be 0
            result = sp.Abs(e, evaluate=False)
    memo[e] = result
    return result
