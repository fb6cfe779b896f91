"""Characteristics of one row, (y, lambda) on a monotone curve in the plane: its jumps, and what lies between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.abi import Cone, bound_count
from nsdgen.symbolic.expressions.entry import own_symbol

ALONG = own_symbol("rate", "along")
"""What :attr:`Characteristic.between` is a function of."""


@dataclass(frozen=True)
class Jump:
    """At y = ``at`` lambda takes every value from ``low`` to ``high``, which may be infinite."""

    at: sp.Expr
    low: sp.Expr
    high: sp.Expr


@dataclass(frozen=True)
class Characteristic:
    """``jumps`` in the order of growing y; ``between[j]`` is lambda(y) left of jump j, a function of :data:`ALONG`.

    There is one more of ``between`` than of jumps; ``None`` where the curve does not go. ``falling`` says that lambda
    does not grow with y.
    """

    jumps: tuple[Jump, ...]
    between: tuple[sp.Expr | None, ...]
    falling: bool = True

    def replaced(self, to: Mapping[sp.Symbol, sp.Expr]) -> Characteristic:
        """The same with other symbols."""
        return Characteristic(
            tuple(Jump(*(e.xreplace(to) for e in (j.at, j.low, j.high))) for j in self.jumps),
            tuple(None if e is None else e.xreplace(to) for e in self.between),
            self.falling,
        )


def characteristics_of_cones(
    cones: Sequence[tuple[Cone, int]], bounds: Sequence[sp.Expr]
) -> tuple[Characteristic | None, ...]:
    """Those of the rows of these cones; ``None`` for cones that join several rows."""
    found: list[Characteristic | None] = []
    at = 0
    for cone, rows in cones:
        for i in range(rows):
            low, high = {Cone.EQUALITY: (-sp.oo, sp.oo), Cone.COMPLEMENTARITY: (sp.S.Zero, sp.oo)}.get(
                cone, tuple(bounds[at + 2 * i : at + 2 * i + 2]) if cone == Cone.BOX else (None, None)
            )
            found.append(
                None
                if low is None
                else Characteristic(
                    (Jump(sp.S.Zero, low, high),), (None if high == sp.oo else high, None if low == -sp.oo else low)
                )
            )
        at += bound_count(cone, rows)
    return tuple(found)
