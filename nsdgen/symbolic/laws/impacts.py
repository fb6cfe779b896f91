"""Laws of impacts alone: by phases (Poisson) and by energies that contacts store (Darboux and Keller)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.suggest import named_arguments
from nsdgen.symbolic.laws.law import ImpactLaw, Slot, coefficient

__all__ = ["MultipleImpact", "PoissonImpact"]


@named_arguments
@dataclass(frozen=True)
class PoissonImpact(ImpactLaw):
    """Poisson's law: compression until nothing approaches, then e times each impulse of that phase is given back.

    Compression: 0 <= u_c orthogonal to p_c >= 0. Expansion: 0 <= u orthogonal to p_e - e p_c >= 0 (Glocker). It
    equals Newton's law for a single contact; where impulses travel through bodies that rest on each other it does not:
    there Newton's law gives nothing back to contacts that do not approach. ``restitution`` e in [0, 1].
    """

    restitution: Any = 0
    cone: Cone | None = field(init=False, default=Cone.COMPLEMENTARITY)
    instantaneous: bool = field(init=False, default=True)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """e; raises ``ModelError`` for a number outside [0, 1]."""
        return (coefficient("PoissonImpact", "restitution", self.restitution, 0.0, 1.0,
                            "0 is a plastic impact, 1 gives all of the impulse back"),)

    @property
    def expansion(self) -> sp.Expr:
        """e."""
        return self.slots[0].symbol


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

    restitution: Any = 1
    stiffness: Any = 1
    exponent: Any = 1.5
    cone: Cone | None = field(init=False, default=Cone.TRACED)
    instantaneous: bool = field(init=False, default=True)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """e, K, eta; raises ``ModelError`` for numbers out of range."""
        law = type(self).__name__
        return (coefficient(law, "restitution", self.restitution, 0.01, 1.0,
                            "1 conserves the energy; impacts without restitution are nsd.NewtonImpact(0)"),
                coefficient(law, "stiffness", self.stiffness, 1e-100, 1e100, "only ratios matter, 1 is as good as any"),
                coefficient(law, "exponent", self.exponent, 1.0, 10.0, "3/2 for spheres, 1 for linear springs"))

    def bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """e, K, eta of each row."""
        return tuple(s.symbol for s in self.slots) * rows
