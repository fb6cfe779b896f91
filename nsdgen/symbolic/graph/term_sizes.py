"""How large the terms of an expression are: what a tolerance relative to a row is relative to."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from nsdgen.symbolic.expressions.nodes import Branch, Let, let
from nsdgen.symbolic.graph.computed import computed, holds_graph, stated
from nsdgen.symbolic.graph.magnitude import magnitudes

_SHARE = sp.Rational(1, 1024)  # a tolerance of 1e-12 is then a few roundings of the length


def magnitude(values: sp.MatrixBase, vectors: Sequence[Sequence[int]] = ()) -> sp.Matrix:
    """The sum of the absolute values of the terms of each entry, sums inside products included.

    A row cannot be computed better than rounding of its largest term, so this is what a
    tolerance relative to the row is relative to. A term is taken as a whole, |a b| and not
    |a| |b|, so that what computes the row has computed it. Rows of one of ``vectors`` have a share of its length
    besides: a component that is zero by symmetry is the difference of roundings of the others, and could
    not be small beside its own.
    """
    if holds_graph(values):
        found = sp.Matrix(*values.shape, [computed(node) for node in magnitudes(stated(values))])
    else:
        known = _Magnitudes()
        found = sp.Matrix(*values.shape, [known.of(e) for e in values])
    for rows in vectors:
        length = let("length", sp.Add(*(found[i] for i in rows)))
        for i in rows:
            found[i] += _SHARE * length
    return found


class _Magnitudes:
    """Magnitudes of SymPy's expressions, each computed once."""

    def __init__(self) -> None:
        self._known: dict[sp.Basic, sp.Expr] = {}
        self._whole: dict[sp.Basic, bool] = {}

    def of(self, e: sp.Expr) -> sp.Expr:
        """The magnitude of a value."""
        if e not in self._known:
            self._known[e] = _absolute(e) if self._is_one_term(e) else self._of_terms(e)
        return self._known[e]

    def _is_one_term(self, e: sp.Expr) -> bool:
        """Whether nothing can cancel in a value: then its absolute value is how large its terms are."""
        if e not in self._whole:
            self._whole[e] = all(self._is_one_term(a) for a in _parts(e)) and (
                not isinstance(e, sp.Add) or all(a.is_nonnegative for a in e.args)
            )
        return self._whole[e]

    def _of_terms(self, e: sp.Expr) -> sp.Expr:
        """The magnitude of a value in which terms may cancel."""
        if isinstance(e, sp.Pow):
            return self.of(e.base) ** e.exp
        if isinstance(e, Let):
            return self.of(e.args[1])
        if isinstance(e, Branch):
            pairs = zip(e.values, e.conditions, strict=True)
            return Branch(*(part for value, condition in pairs for part in (self.of(value), condition)))
        if isinstance(e, sp.Add):
            return sp.Add(*(self.of(a) for a in e.args))
        term = sp.Mul(*(a for a in e.args if self._is_one_term(a)))
        return sp.Mul(_absolute(term), *(self.of(a) for a in e.args if not self._is_one_term(a)))


def _parts(e: sp.Expr) -> Sequence[sp.Expr]:
    """What the magnitude of a value is made of; a function has its own, not that of its argument."""
    if isinstance(e, sp.Add | sp.Mul):
        return e.args
    if isinstance(e, sp.Pow):
        return (e.base,) if e.exp.is_Integer and e.exp > 0 else ()
    return e.args[1:] if isinstance(e, Let) else e.values if isinstance(e, Branch) else ()


def _absolute(e: sp.Expr) -> sp.Expr:
    """|e| of one term, unevaluated: SymPy would give a product the absolute value of each factor."""
    if e.is_Number:
        return abs(e)
    if e.is_nonnegative or (isinstance(e, sp.Pow) and e.exp.is_Rational and e.exp.q % 2 == 0):
        return e  # a root that is real is not negative, even where SymPy cannot tell that it is real
    coefficient, rest = e.as_coeff_Mul()
    return _absolute(-coefficient * rest) if coefficient.is_negative else sp.Abs(e, evaluate=False)
