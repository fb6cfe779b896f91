"""Dry friction of a joint under its own load: Coulomb's law where the normal force is a reaction of the joint itself.

The rows of a joint are those that it holds, u_H = 0 with the multiplier lambda_H, and the rates that rub, u_R. The
load N is the length of weighted entries of lambda_H; friction obeys, group by group, |lambda_i / r_i| <= mu N, and
where anything slips lambda_i / r_i = -mu N r_i u_i / |r u|: the law of a surface at the lever r; r = 1 for sliding.
"""

from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from nsdgen.abi import NO_SLIP
from nsdgen.base.suggest import named_arguments
from nsdgen.symbolic.expressions.nodes import let
from nsdgen.symbolic.laws.disk import Disk, length, rubbed
from nsdgen.symbolic.laws.law import Law, Slot, coefficient

_ROLE = {False: "a friction coefficient is not negative", True: "give a length in m that is above 0"}


@named_arguments
@dataclass(frozen=True)
class Bearing:
    """What rubs in a joint: a pin, ball, sleeve or collar of this ``radius`` [m] with the coefficient ``friction``.

    The load is the length of the force in the joint; where ``length`` [m] is given a moment M across the axis loads the
    two ends of the bearing besides, by 2 M / length. Numbers, parameters or expressions of parameters, not negative.
    ``radius`` matters where something turns. With no friction, nothing rubs.
    """

    friction: Any
    radius: Any = None
    length: Any = None


@dataclass(frozen=True)
class Rubbing:
    """How the rows of a joint load what rubs: entries of the multiplier, and which rates share one surface.

    ``forces`` are the rows held whose multipliers are forces [N], ``moments`` those across the axis [N m]; ``sliding``
    [m/s] and ``turning`` [rad/s] are the numbers of rates that rub, listed in this order after the rows held, and
    ``together`` says whether one surface carries them all, or one each.
    """

    held: int
    forces: tuple[int, ...]
    moments: tuple[int, ...] = ()
    sliding: int = 0
    turning: int = 0
    together: bool = True

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The rows of the rates that rub, surface by surface."""
        rows = tuple(range(self.held, self.held + self.sliding + self.turning))
        return (rows,) if self.together else tuple((row,) for row in rows)


@dataclass(frozen=True)
class BearingFriction(Law):
    """The law of a joint that holds rows and rubs under their load; solved by Newton's method on its projections.

    ``exchange`` [kg], of the size of the masses that it moves, decides nothing but the way there; ``slope`` multiplies
    the forces that make the load, as the thread of a screw does.
    """

    rubbing: Rubbing = field(default_factory=lambda: Rubbing(0, ()))
    friction: Any = 0
    radius: Any = 1
    length: Any = None
    exchange: Any = 1
    slope: Any = 1
    tangents: tuple[int, ...] = field(init=False, default=())
    rolling: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tangents", (self.rubbing.sliding,) if self.rubbing.sliding else ())
        object.__setattr__(self, "rolling", self.rubbing.turning)
        self.slots  # noqa: B018  refuses what cannot be a coefficient

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The coefficients of the constructor, in its order; raises ``ModelError`` for numbers out of range."""
        wanted = [
            ("friction", self.friction, 0.0, _ROLE[False]),
            ("radius", self.radius, 1e-300, _ROLE[True]),
            ("exchange", self.exchange, 1e-300, "give about the mass of the bodies"),
            ("slope", self.slope, 1e-300, "give a number above 0"),
        ]
        if self.length is not None:
            wanted.append(("length", self.length, 1e-300, _ROLE[True]))
        return tuple(
            coefficient("Bearing", name, value, low, NO_SLIP if name == "length" else None, fix)
            for name, value, low, fix in wanted
        )

    def natural_map(self, rows: sp.Matrix, multiplier: sp.Matrix) -> sp.Matrix:
        """The rows held, then lambda - proj(lambda - rho u) on |lambda| <= mu N, in forces at the lever."""
        _, radius, rho = (s.symbol for s in self.slots[:3])
        first_turning = self.rubbing.held + self.rubbing.sliding
        found = list(rows)
        bound = self._bound(multiplier)
        for group in self.rubbing.groups:
            levers = [radius if row >= first_turning else sp.S.One for row in group]
            held = [multiplier[row] / r for row, r in zip(group, levers, strict=True)]
            pushes = [rho * r * rows[row] for row, r in zip(group, levers, strict=True)]
            for row, force, near in zip(group, held, rubbed(held, pushes, bound, driven=True), strict=True):
                found[row] = force - near
        return sp.Matrix(found)

    def disks(self, multiplier: sp.Matrix) -> tuple[Disk, ...]:
        """What rubs, surface by surface, under the load of the rows held."""
        mu, radius, rho = (s.symbol for s in self.slots[:3])
        first_turning = self.rubbing.held + self.rubbing.sliding
        load = self._load(multiplier)
        return tuple(
            Disk(
                group,
                mu,
                load,
                tuple(radius if row >= first_turning else sp.S.One for row in group),
                rho,
                *(() if len(self.rubbing.groups) == 1 else (f"slips {i}", f"sticks {i}")),
            )
            for i, group in enumerate(self.rubbing.groups)
        )

    def sizes(self, multiplier: sp.Matrix) -> tuple[sp.Expr, ...]:
        """The bound of friction for its rows."""
        held = self.rubbing.held
        return (*(sp.S.Zero for _ in multiplier[:held]), *(self._bound(multiplier) for _ in multiplier[held:]))

    def _bound(self, multiplier: sp.Matrix) -> sp.Expr:
        return let("friction_bound", self.slots[0].symbol * self._load(multiplier))

    def _load(self, multiplier: sp.Matrix) -> sp.Expr:
        slope = self.slots[3].symbol
        load = length([slope * multiplier[row] for row in self.rubbing.forces])
        if self.length is None or not self.rubbing.moments:
            return load
        return load + length([2 * multiplier[row] / self.slots[4].symbol for row in self.rubbing.moments])
