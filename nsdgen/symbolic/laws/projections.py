"""Pieces of natural maps: lengths and projections, differentiable branch by branch."""

from collections.abc import Sequence

import sympy as sp

from nsdgen.symbolic.expressions.nodes import Branch, let

_GIVES = sp.Float(1e-10)


def positive(value: sp.Expr) -> sp.Expr:
    """max(value, 0), with the slope 0 at 0."""
    return Branch(value, value > 0, sp.S.Zero, sp.true)


def length(values: Sequence[sp.Expr]) -> sp.Expr:
    """|values|, with the slope 0 where all are zero: the root that divides there is that of 1."""
    if len(values) == 1:
        return Branch(values[0], values[0] > 0, -values[0], sp.true)
    square = let("load_square", sum(value**2 for value in values))
    return Branch(sp.sqrt(Branch(square, square > 0, sp.S.One, sp.true)), square > 0, sp.S.Zero, sp.true)


def rubbed(forces: Sequence[sp.Expr], pushes: Sequence[sp.Expr], bound: sp.Expr, driven: bool = False) -> list[sp.Expr]:
    """What friction is at a force F and a push rho u: the point of a ball of radius ``bound`` >= 0 next to F - rho u.

    What sticks gives way by 1e-10 of what friction could stop. A joint that is driven by others cannot stick: its
    force then grows beyond the bound in the right direction, where with rho u = 0 alone there would be no solution.

    It is zero without a bound, and so is its slope: where no load is known yet, as at the first iterate, nothing
    sticks, for what would have to stick may be driven. A push that turns F round leads to sticking first, so that full
    steps do not swing from one end of the ball to the other, however large rho is. Not so in several rows that may be
    ``driven``: what they would need to stick says little of where they slide.
    """
    free = [(1 - _GIVES) * force - push for force, push in zip(forces, pushes, strict=True)]
    if len(free) == 1:
        held, force = forces[0], free[0]
        above, below = sp.And(force > bound, held >= 0), sp.And(force < -bound, held <= 0)
        return [Branch(sp.S.Zero, bound <= 0, bound, above, -bound, below, force, sp.true)]
    square = let("wanted_square", sum(force**2 for force in free))
    slides = square > bound**2
    if not driven:
        slides = sp.And(slides, sum(f * g for f, g in zip(forces, free, strict=True)) >= 0)
    size = sp.sqrt(Branch(square, square > bound**2, sp.S.One, sp.true))
    return [Branch(sp.S.Zero, bound <= 0, bound * force / size, slides, force, sp.true) for force in free]
