"""Disks of friction: rows of a law whose multipliers have a common bound, in proportion to a load; projections."""

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.symbolic.expressions.nodes import Branch, let


@dataclass(frozen=True)
class Disk:
    """|(lambda_i / r_i)| <= mu N over ``rows`` i; where anything slips, lambda_i / r_i = -mu N r_i u_i / |r u|.

    ``coefficient`` is mu, ``load`` N, an expression of the multipliers of other rows; ``levers`` are the r_i, 1 for
    sliding [m/s], a length [m] for rates of rotation that are to count as speeds. ``exchange`` > 0, an impulse per
    rate of the size of what is moved, decides nothing but the way of Newton's method. ``begins`` and ``ends`` are
    the words for the events.
    """

    rows: tuple[int, ...]
    coefficient: sp.Expr
    load: sp.Expr
    levers: tuple[sp.Expr, ...] = ()
    exchange: sp.Expr = sp.S.One
    begins: str = "slips"
    ends: str = "sticks"

    @property
    def bound(self) -> sp.Expr:
        """mu N."""
        return self.coefficient * self.load

    def forces(self, multiplier: Sequence[sp.Expr]) -> list[sp.Expr]:
        """lambda_i / r_i, those of all rows given."""
        return [multiplier[i] / r for i, r in zip(self.rows, self._levers, strict=True)]

    def rates(self, rates: Sequence[sp.Expr]) -> list[sp.Expr]:
        """r_i u_i, those of all rows given; of accelerations likewise."""
        return [r * rates[i] for i, r in zip(self.rows, self._levers, strict=True)]

    def multipliers(self, forces: Sequence[sp.Expr]) -> list[sp.Expr]:
        """lambda_i of the forces lambda_i / r_i of the rows of the disk."""
        return [r * f for f, r in zip(forces, self._levers, strict=True)]

    @property
    def _levers(self) -> tuple[sp.Expr, ...]:
        return self.levers or (sp.S.One,) * len(self.rows)


def disks_of_cones(
    cones: Sequence[tuple[Cone, int]], bounds: Sequence[sp.Expr], multiplier: Sequence[sp.Expr]
) -> tuple[Disk, ...] | None:
    """The disks of the cones of friction; none where there is no such cone, ``None`` where a cone says too little."""
    if len(cones) != 1:
        return None
    cone, height = cones[0]
    if cone in (Cone.COULOMB_2D, Cone.COULOMB_3D):
        return (Disk(tuple(range(1, height)), bounds[0], multiplier[0]),)
    if cone == Cone.ROLLING:
        return (
            Disk((1, 2), bounds[0], multiplier[0]),
            Disk((3, 4), bounds[1], multiplier[0], begins="rolls", ends="stops rolling"),
        )
    return ()


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
