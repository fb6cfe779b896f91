"""Disks of friction: rows of a law whose multipliers have a common bound, in proportion to a load."""

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.abi import Cone


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
