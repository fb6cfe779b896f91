"""Moreau-Jean as another simulator iterates it: masses and gradients of the last iterate, a supplied Newton matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp

import nsdgen as nsd
from nsdgen.extend import STEP, T_NEXT, SystemStep

__all__ = ["Supplied", "iterated", "rule_of"]

Slopes = Callable[[sp.Matrix, sp.Matrix], tuple[sp.Matrix, sp.Matrix]]
"""-dF/dq and -dF/dv, (n, n) each, at (q, v), as somebody wrote them by hand."""


@dataclass(frozen=True)
class Supplied(nsd.MoreauJean):
    """W = M + h theta C + h^2 theta^2 K at the iterate, with supplied K and C in place of those of the forces.

    Where the stopping test leaves a step unconverged, what is left depends on W; nothing else does.
    """

    slopes: Slopes | None = None

    def system(self, step: SystemStep) -> None:
        """The step, and its matrix where one is supplied."""
        super().system(step)
        if self.slopes is None:
            return
        theta, q_k, v_k, v = step.options.theta, step.state("q_k"), step.state("v_k"), sp.Matrix(step.group("v"))
        q = q_k + STEP * (theta * v + (1 - theta) * v_k)
        stiffness, damping = self.slopes(q, v)
        mass = step.term("mass", step.at(T_NEXT, q=q))
        step.iteration_matrix(mass + STEP * theta * damping + STEP**2 * theta**2 * stiffness)


def iterated(newton_tolerance: float, iterations: int = 50, **options: object) -> dict[str, object]:
    """The options of that rule: all at the last iterate, stopped at this balance of the dynamics."""
    return {
        "mass_at": "iterate",
        "gradient_at": "iterate",
        "newton": nsd.Newton(newton_tolerance, iterations, measure="absolute"),
        **options,
    }


def rule_of(newton_tolerance: float) -> str:
    """What that rule is, in one line."""
    return (
        f"masses and gradients at the last iterate (mass_at, gradient_at), stopped where the dynamics are balanced "
        f"to {newton_tolerance:g} (measure='absolute')"
    )
