"""Pieces of natural maps: lengths and projections, differentiable branch by branch."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from nsdgen.symbolic.expressions.nodes import Branch, let

_GIVES = sp.Float(1e-10)


def wanted(force: sp.Expr, push: sp.Expr) -> sp.Expr:
    """What friction would be if it had no bound: (1 - 1e-10) force - push, with ``push`` = rho u.

    What sticks gives way by that share of what a step of friction could stop. A joint that is driven by others cannot
    stick: its force then grows beyond the bound in the right direction, where with rho u = 0 alone there would be no
    solution.
    """
    return (1 - _GIVES) * force - push


def positive(value: sp.Expr) -> sp.Expr:
    """max(value, 0), with the slope 0 at 0."""
    return Branch(value, value > 0, sp.S.Zero, sp.true)


def length(values: Sequence[sp.Expr]) -> sp.Expr:
    """|values|, with the slope 0 where all are zero: the root that divides there is that of 1."""
    if len(values) == 1:
        return Branch(values[0], values[0] > 0, -values[0], sp.true)
    square = let("load_square", sum(value**2 for value in values))
    return Branch(sp.sqrt(Branch(square, square > 0, sp.S.One, sp.true)), square > 0, sp.S.Zero, sp.true)


def projected(free: Sequence[sp.Expr], bound: sp.Expr) -> list[sp.Expr]:
    """The nearest point of a ball of radius ``bound`` >= 0 about zero.

    It is zero without a bound, and so is its slope: where no load is known yet, as at the first iterate, nothing
    sticks, for what would have to stick may be driven.
    """
    if len(free) == 1:
        force = free[0]
        return [Branch(sp.S.Zero, bound <= 0, bound, force > bound, -bound, force < -bound, force, sp.true)]
    square = let("wanted_square", sum(force**2 for force in free))
    size = sp.sqrt(Branch(square, square > bound**2, sp.S.One, sp.true))
    return [Branch(sp.S.Zero, bound <= 0, bound * force / size, square > bound**2, force, sp.true) for force in free]
