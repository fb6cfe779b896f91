"""Impact laws with friction: Newton's law for the normal, Coulomb's for the tangents, rolling friction.

The rows are y = (u_N + e u_N,k, u_T + e_T u_T,k, ...), the multiplier is the impulse in the same
order: normal, tangents, rolling moments. The pair (y, lambda) satisfies Coulomb's law with the
friction coefficient mu, in De Saxce's form: lambda in K_mu, y + mu |y_T| n in its dual cone.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.suggest import named_arguments
from nsdgen.symbolic.expressions.nodes import Branch
from nsdgen.symbolic.laws.disk import Disk
from nsdgen.symbolic.laws.law import FRICTION, ImpactLaw


@named_arguments
@dataclass(frozen=True)
class NewtonImpactFriction(ImpactLaw):
    """Newton's impact law with Coulomb friction, with one tangent in the plane or two in space.

    ``restitution`` e in [0, 1], ``friction`` mu >= 0 and ``tangential_restitution`` e_T in [-1, 1] are
    numbers, parameters or expressions of parameters, checked whenever a run starts. With an infinite mu (``sympy.oo``,
    or a parameter whose value is infinite) a closed contact does not slide.
    """

    restitution: Any = 0
    friction: Any = 0
    tangential_restitution: Any = 0
    cone: Cone | None = field(init=False, default=Cone.COULOMB_3D)
    tangents: tuple[int, ...] = field(init=False, default=(1, 2))

    def bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """mu."""
        return (self.slots[1].symbol,)


@named_arguments
def FremondImpact(restitution: Any = 0, friction: Any = 0) -> NewtonImpactFriction:
    """Fremond's law with Coulomb friction: the impulse opposes the mean of the rates before and after the impact.

    Normal as in Newton's law, u_N + e u_N,k; along the tangents friction has the direction of -(u_T + u_T,k) / 2. An
    impact changes the kinetic energy by lambda . (u + u_k) / 2, so that none of them adds energy, whatever the
    coefficients; with Newton's e_T = 0 some do. It is :class:`NewtonImpactFriction` with e_T = 1.
    """
    return NewtonImpactFriction(restitution, friction, 1)


@named_arguments
@dataclass(frozen=True)
class NewtonImpactRollingFriction(ImpactLaw):
    """Newton's impact law with Coulomb friction and rolling friction: 5 rows.

    Rows: normal rate, two tangential rates, two rolling rates (the relative angular velocity along the
    two tangents). The rolling moment is bounded by ``rolling_friction`` [m] times the normal impulse.
    ``restitution`` in [0, 1], ``friction`` >= 0, ``rolling_friction`` >= 0; with infinite coefficients a closed
    contact does not slide, or roll. ``tangential_restitution`` e_T in [-1, 1] is that of sliding.
    """

    restitution: Any = 0
    friction: Any = 0
    rolling_friction: Any = 0
    tangential_restitution: Any = 0
    cone: Cone | None = field(init=False, default=Cone.ROLLING)
    tangents: tuple[int, ...] = field(init=False, default=(2,))
    rolling: int = field(init=False, default=2)

    def bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """friction and rolling_friction [m]."""
        return tuple(s.symbol for s in self.slots[1:3])


@named_arguments
@dataclass(frozen=True)
class NewtonImpactPlanarRolling(ImpactLaw):
    """Newton's impact law with Coulomb friction and rolling friction in the plane: 3 rows.

    Rows: normal rate, sliding rate, rolling rate. |impulse_T| <= mu impulse_N against sliding, and a moment of at most
    ``rolling_friction`` [m] times the normal impulse against rolling, each by itself. ``restitution`` in [0, 1],
    ``friction`` and ``rolling_friction`` >= 0 and finite. It is solved by Newton's method on its projections;
    ``exchange`` > 0, an impulse per rate of the size of the mass of the bodies, decides nothing but its way.
    """

    ranges: ClassVar = dict.fromkeys(("friction", "rolling_friction"), (0.0, None, FRICTION))

    restitution: Any = 0
    friction: Any = 0
    rolling_friction: Any = 0
    exchange: Any = 1
    tangents: tuple[int, ...] = field(init=False, default=(1,))
    rolling: int = field(init=False, default=1)

    def disks(self, multiplier: sp.Matrix) -> tuple[Disk, ...]:
        """Sliding and rolling, each by itself."""
        _, mu, mu_r, rho = (s.symbol for s in self.slots)
        return (
            Disk((1,), mu, multiplier[0], exchange=rho),
            Disk((2,), mu_r, multiplier[0], exchange=rho, begins="rolls", ends="stops rolling"),
        )

    def natural_map(self, rows: sp.Matrix, multiplier: sp.Matrix) -> sp.Matrix:
        """lambda - proj(lambda - rho y), the bounds of friction and moment being those of the normal impulse."""
        _, mu, mu_r, rho = (s.symbol for s in self.slots)
        normal = Branch(multiplier[0] - rho * rows[0], multiplier[0] > rho * rows[0], sp.S.Zero, sp.true)

        def held(i: int, bound: sp.Expr) -> sp.Expr:
            limit, wanted = bound * normal, multiplier[i] - rho * rows[i]
            return Branch(limit, wanted > limit, -limit, wanted < -limit, wanted, sp.true)

        return sp.Matrix([multiplier[0] - normal, multiplier[1] - held(1, mu), multiplier[2] - held(2, mu_r)])
