"""Impact laws with friction against drilling, the spin of one surface on the other about their normal.

A patch of contact resists sliding and drilling. They have bounds of their own
(:class:`NewtonImpactTorsionalFriction`), or, as on a real patch, share one (:class:`NewtonImpactContensouFriction`):
a spin takes most of the friction for itself, and what is left against a slow sliding grows with its speed.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.suggest import named_arguments
from nsdgen.symbolic.expressions.nodes import let
from nsdgen.symbolic.laws.disk import Disk, positive, rubbed
from nsdgen.symbolic.laws.law import FRICTION, ImpactLaw, Slot


@named_arguments
@dataclass(frozen=True)
class NewtonImpactTorsionalFriction(ImpactLaw):
    """Newton's impact law with Coulomb friction, and friction against drilling: a spin about the normal.

    Rows: normal rate, two tangential rates, two rolling rates where ``rolling_friction`` [m] is given, the relative
    angular velocity about the normal. The drilling moment is at most ``torsional_friction`` [m] times the normal
    impulse, by itself; for a disc of radius R pressed evenly it is 2 mu R / 3. The other coefficients are those of
    :class:`nsdgen.NewtonImpactFriction`. ``exchange`` > 0 [kg m^2], of the size of the inertia of the bodies, decides
    nothing but the way of Newton's method.
    """

    ranges: ClassVar = {"exchange": (1e-300, None, "give about the inertia of the bodies")}

    restitution: Any = 0
    friction: Any = 0
    torsional_friction: Any = 0
    rolling_friction: Any = None
    tangential_restitution: Any = 0
    exchange: Any = 1
    tangents: tuple[int, ...] = field(init=False, default=(2,))
    rolling: int = field(init=False, default=1)
    drilling: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        if self.rolling_friction is not None:
            object.__setattr__(self, "rolling", 3)
        super().__post_init__()

    @property
    def slots(self) -> tuple[Slot, ...]:
        """e, mu, mu_t, e_T, the exchange, mu_r where it is given; raises ``ModelError`` for numbers out of range."""
        own = ("restitution", "friction", "torsional_friction", "tangential_restitution", "exchange")
        return self.checked(*own, *(("rolling_friction",) if self.rolling_friction is not None else ()))

    def cones(self, rows: int) -> tuple[tuple[Cone, int], ...]:
        """Coulomb's cone, or that of rolling, then the row of drilling."""
        return ((Cone.COULOMB_3D if self.rolling == 1 else Cone.ROLLING, rows - 1), (Cone.EQUALITY, 1))

    def bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """friction, and rolling_friction [m] where it is given."""
        return tuple(self.slots[i].symbol for i in (1, 5)[: 1 if self.rolling == 1 else 2])

    def disks(self, multiplier: sp.Matrix) -> tuple[Disk, ...]:
        """Sliding, rolling where there is any, and drilling, each by itself."""
        found = [Disk((1, 2), self.slots[1].symbol, multiplier[0])]
        if self.rolling == 3:
            found.append(Disk((3, 4), self.slots[5].symbol, multiplier[0], begins="rolls", ends="stops rolling"))
        return (
            *found,
            Disk(
                (self.rolling + 2,),
                self.slots[2].symbol,
                multiplier[0],
                exchange=self.slots[4].symbol,
                begins="drills",
                ends="stops drilling",
            ),
        )

    def imposed(self, rows: sp.Matrix, multiplier: sp.Matrix) -> tuple[sp.Matrix, tuple[tuple[Cone, int], ...]]:
        """The rows of contact and rolling in their cone; drilling by its projection, its bound that of the impulse."""
        (near,) = rubbed([multiplier[-1]], [self.slots[4].symbol * rows[-1]], self._bound(multiplier))
        return sp.Matrix([*rows[:-1], multiplier[-1] - near]), self.cones(rows.rows)

    def sizes(self, multiplier: sp.Matrix) -> tuple[sp.Expr, ...]:
        """The bound of drilling for its row."""
        return (*(sp.S.Zero for _ in multiplier[:-1]), self._bound(multiplier))

    def _bound(self, multiplier: sp.Matrix) -> sp.Expr:
        return let("drilling_bound", self.slots[2].symbol * positive(multiplier[0]))


@named_arguments
@dataclass(frozen=True)
class NewtonImpactContensouFriction(ImpactLaw):
    """Newton's impact law with friction of a patch of contact against sliding and drilling together.

    Rows: normal rate, two tangential rates, the relative angular velocity about the normal. The friction force F and
    the drilling moment M obey |(F, M / r)| <= mu impulse_N and, where anything slips, point against (u_T, r omega_N):
    the ellipsoid that bounds the friction of a disc of ``radius`` r [m], about 2/3 of that of the patch. A spin leaves
    a slow sliding little friction, in proportion to its speed (Contensou 1963; Leine and Glocker 2003). ``restitution``
    in [0, 1], ``friction`` >= 0. ``exchange`` > 0 [kg], of the size of the masses, decides nothing but the way of
    Newton's method.
    """

    ranges: ClassVar = {"friction": (0.0, None, FRICTION)}

    restitution: Any = 0
    friction: Any = 0
    radius: Any = 1
    exchange: Any = 1
    tangents: tuple[int, ...] = field(init=False, default=(2,))
    rolling: int = field(init=False, default=1)
    drilling: bool = field(init=False, default=True)

    def cones(self, rows: int) -> tuple[tuple[Cone, int], ...]:
        """Complementarity of the normal row; friction is an equation, its projection."""
        return ((Cone.COMPLEMENTARITY, 1), (Cone.EQUALITY, rows - 1))

    def disks(self, multiplier: sp.Matrix) -> tuple[Disk, ...]:
        """Sliding and drilling together, the rate of drilling at the lever r."""
        radius, rho = self.slots[2].symbol, self.slots[3].symbol
        return (Disk((1, 2, 3), self.slots[1].symbol, multiplier[0], (sp.S.One, sp.S.One, radius), rho),)

    def imposed(self, rows: sp.Matrix, multiplier: sp.Matrix) -> tuple[sp.Matrix, tuple[tuple[Cone, int], ...]]:
        """The normal row, then (F, M / r) less its projection on the ball of radius mu impulse_N."""
        radius, rho = self.slots[2].symbol, self.slots[3].symbol
        levers = (sp.S.One, sp.S.One, radius)
        forces = [f / r for f, r in zip(multiplier[1:], levers, strict=True)]
        pushes = [rho * r * u for r, u in zip(levers, rows[1:], strict=True)]
        near = rubbed(forces, pushes, self._bound(multiplier))
        return sp.Matrix([rows[0], *(f - n for f, n in zip(forces, near, strict=True))]), self.cones(rows.rows)

    def sizes(self, multiplier: sp.Matrix) -> tuple[sp.Expr, ...]:
        """The bound of friction for its rows."""
        return (sp.S.Zero, *(self._bound(multiplier) for _ in multiplier[1:]))

    def _bound(self, multiplier: sp.Matrix) -> sp.Expr:
        return let("friction_bound", self.slots[1].symbol * positive(multiplier[0]))
