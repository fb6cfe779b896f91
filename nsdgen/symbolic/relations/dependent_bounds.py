"""Boxes and polytopes whose bounds depend on states and multipliers, written as complementarity.

-y in N_[l, u](lambda) with l(t, x, lambda) and u(t, x, lambda) is the same as y = p - n with

    0 <= p  orthogonal to  lambda - l >= 0,      0 <= n  orthogonal to  u - lambda >= 0.

p and n are multipliers of rows of their own; where a bound is infinite there is none.

-y in N_C(lambda), C = {lambda: H lambda <= K} with H or K that move, also with time, is y + H^T mu = 0 with
0 <= mu orthogonal to K - H lambda >= 0.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import sympy as sp
from sympy.core.function import AppliedUndef

from nsdgen.symbolic.expressions.scope import display
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.laws.law import Law
from nsdgen.symbolic.laws.mixed import Mixed
from nsdgen.symbolic.laws.rows import Box, Complementarity, Equality


@dataclass(frozen=True)
class Rewritten:
    """A relation in complementarity rows: the further multipliers, all rows, and the law of each."""

    multipliers: tuple[sp.Expr, ...]
    output: sp.Matrix
    law: Law


def rewritten(
    law: Law, multipliers: Sequence[sp.Expr], output: sp.Matrix, varying: Collection[sp.Symbol] = ()
) -> Rewritten | None:
    """The relation with every bound that depends on states or multipliers rewritten; ``None`` where none does.

    ``varying`` are symbols that are no parameters either, such as samples.

    A multiplier ``lam0`` has ``lam0_below`` and ``lam0_above`` beside it: how far y is above, or below, zero where
    the multiplier is at its lower, or upper, bound; a polytope has ``face[0]``, ``face[1]``, ....
    """
    if law.polytope is not None:
        moves = any(_depends(e, varying) or e.has(time) for part in law.polytope for e in part)
        return _faces(law, *law.polytope, multipliers, output) if moves else None
    bounds = law.boxes(len(multipliers))
    if not any(_depends(b, varying) for pair in bounds if pair for b in pair):
        return None
    rows, laws = list(output), list(law.each(len(multipliers)))
    more: list[sp.Expr] = []
    for i, (multiplier, pair) in enumerate(zip(multipliers, bounds, strict=True)):
        if pair is None:
            continue
        laws[i] = Box(*pair)
        if any(_depends(b, varying) for b in pair):
            laws[i] = Equality()
            for side, bound, word in ((1, pair[0], "below"), (-1, pair[1], "above")):
                if bound in (sp.oo, -sp.oo):
                    continue
                slack = sp.Function(f"{display(multiplier)}_{word}")(time)
                more.append(slack)
                rows[i] -= side * slack
                rows.append(side * (multiplier - bound))
    return Rewritten(tuple(more), sp.Matrix(rows), Mixed([*laws, *[Complementarity()] * len(more)]))


def _faces(
    law: Law, faces: sp.Matrix, offsets: sp.Matrix, multipliers: Sequence[sp.Expr], output: sp.Matrix
) -> Rewritten:
    forces = tuple(sp.Function(name)(time) for name in law.own_multipliers(len(multipliers)))
    rows = sp.Matrix(output) + faces.T * sp.Matrix(forces)
    laws = [*[Equality()] * rows.rows, *[Complementarity()] * len(forces)]
    return Rewritten(forces, rows.col_join(offsets - faces * sp.Matrix(multipliers)), Mixed(laws))


def _depends(bound: sp.Expr, varying: Collection[sp.Symbol]) -> bool:
    return bool(bound.atoms(AppliedUndef)) or not bound.free_symbols.isdisjoint(varying)
