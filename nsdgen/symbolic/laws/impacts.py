"""Laws of impacts alone: by velocities (Newton), phases (Poisson), energies that contacts store (Darboux, Keller)."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.suggest import named_arguments
from nsdgen.symbolic.laws.law import FRICTION, ImpactLaw


@named_arguments
@dataclass(frozen=True)
class NewtonImpact(ImpactLaw):
    """Newton's impact law: 0 <= u + e u_k orthogonal to the impulse >= 0 (developer notes, eq. 12.2).

    ``restitution`` e is a number, a parameter or an expression of parameters; its
    value must lie in [0, 1] and is checked whenever a run starts.
    """

    restitution: Any = 0
    cone: Cone | None = field(init=False, default=Cone.COMPLEMENTARITY)


@named_arguments
@dataclass(frozen=True)
class PoissonImpact(ImpactLaw):
    """Poisson's law: compression until nothing approaches, then e times each impulse of that phase is given back.

    Compression: 0 <= u_c orthogonal to p_c >= 0. Expansion: 0 <= u orthogonal to p_e - e p_c >= 0 (Glocker). It
    equals Newton's law for a single contact; where impulses travel through bodies that rest on each other it does not:
    there Newton's law gives nothing back to contacts that do not approach. ``restitution`` e in [0, 1].
    """

    ranges: ClassVar = {"restitution": (0.0, 1.0, "0 is a plastic impact, 1 gives all of the impulse back")}

    restitution: Any = 0
    cone: Cone | None = field(init=False, default=Cone.COMPLEMENTARITY)
    instantaneous: bool = field(init=False, default=True)

    @property
    def expansion(self) -> sp.Expr:
        """e."""
        return self.slots[0].symbol

    def expanded(
        self, rate: sp.Matrix, more: sp.Matrix, stored: sp.Matrix
    ) -> tuple[sp.Matrix, tuple[tuple[Cone, int], ...], sp.Matrix, tuple[sp.Expr, ...]]:
        """0 <= u orthogonal to p >= 0 with the impulse p + e p_c."""
        return rate, ((Cone.COMPLEMENTARITY, 1),), more + self.expansion * stored, ()


@named_arguments
@dataclass(frozen=True)
class PoissonImpactFriction(ImpactLaw):
    """Poisson's law for the normal, Coulomb's for the tangents, in each phase by itself (Pfeiffer and Glocker, 1996).

    Compression: 0 <= u_N orthogonal to p_N >= 0, |p_T| <= mu p_N against u_T. Expansion: 0 <= u_N orthogonal to
    P_N - e p_N >= 0, |P_T| <= mu P_N against u_T. No tangential impulse is given back. ``restitution`` e in [0, 1],
    ``friction`` mu >= 0, with one tangent in the plane or two in space. With one e for all contacts an impact adds no
    energy, where Newton's law may (Kane's paradox).
    """

    ranges: ClassVar = {**PoissonImpact.ranges, "friction": (0.0, None, FRICTION)}

    restitution: Any = 0
    friction: Any = 0
    cone: Cone | None = field(init=False, default=Cone.COULOMB_3D)
    tangents: tuple[int, ...] = field(init=False, default=(1, 2))
    instantaneous: bool = field(init=False, default=True)

    def bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """mu."""
        return (self.slots[1].symbol,)

    @property
    def expansion(self) -> sp.Expr:
        """e."""
        return self.slots[0].symbol

    def expansion_multipliers(self, rows: int) -> tuple[str, ...]:
        """p beyond e p_N and the friction; then in the plane the slip ahead and back, in space the whole of P_N."""
        tangents = tuple(f"expansion[{i}]" for i in range(1, rows))
        more = ("expansion_slip_ahead", "expansion_slip_back") if rows == 2 else ("expansion_normal",)
        return ("expansion[0]", *tangents, *more) if rows == 2 else ("expansion[0]", *more, *tangents)

    def expanded(
        self, rate: sp.Matrix, more: sp.Matrix, stored: sp.Matrix
    ) -> tuple[sp.Matrix, tuple[tuple[Cone, int], ...], sp.Matrix, tuple[sp.Expr, ...]]:
        """0 <= u_N orthogonal to p >= 0 with P_N = p + e p_N, and Coulomb's cone of P_N.

        In the plane as complementarity of slips and of what is left of the friction. In space P_N is a multiplier whose
        own row makes it p + e p_N, so that the friction cone has it.
        """
        mu = self.slots[1].symbol
        normal = more[0] + self.expansion * stored[0]
        if rate.rows == 2:
            _, friction, ahead, back = more
            rows = sp.Matrix([rate[0], rate[1] - ahead + back, mu * normal + friction, mu * normal - friction])
            cones = ((Cone.COMPLEMENTARITY, 1), (Cone.EQUALITY, 1), (Cone.COMPLEMENTARITY, 2))
            return rows, cones, sp.Matrix([normal, friction]), ()
        rows = sp.Matrix([rate[0], more[1] - normal, *rate[1:]])
        return (rows, ((Cone.COMPLEMENTARITY, 1), (Cone.COULOMB_3D, 3)), sp.Matrix([normal, *more[2:]]), (mu,))


@named_arguments
@dataclass(frozen=True)
class MultipleImpact(ImpactLaw):
    """The law of Liu, Zhao and Brogliato for impacts of several contacts, after Darboux and Keller.

    Each contact is a spring of force K delta^eta while it holds energy, and gives e^2 of it back
    (Stronge's energetic coefficient): ``restitution`` e in [0.01, 1], ``stiffness`` K > 0, of which only ratios between
    contacts matter, ``exponent`` eta in [1, 10], 3/2 for spheres, 1 for linear springs. Waves run through chains: a
    ball that meets a row of equal ones does not just change places with the last one. All contacts
    that take part in an impact have this law; constraints may hold beside it.
    """

    ranges: ClassVar = {
        "restitution": (0.01, 1.0, "1 conserves the energy; impacts without restitution are nsd.NewtonImpact(0)"),
        "stiffness": (1e-100, 1e100, "only ratios matter, 1 is as good as any"),
        "exponent": (1.0, 10.0, "3/2 for spheres, 1 for linear springs"),
    }

    restitution: Any = 1
    stiffness: Any = 1
    exponent: Any = 1.5
    cone: Cone | None = field(init=False, default=Cone.TRACED)
    instantaneous: bool = field(init=False, default=True)

    def bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """e, K, eta of each row."""
        return tuple(s.symbol for s in self.slots) * rows
