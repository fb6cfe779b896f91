"""The three beams with springs on the first one, whose torsion the other simulator leaves out of its Newton matrix."""

from dataclasses import dataclass

import sympy as sp

import nsdgen as nsd
from nsdgen.extend import STEP, SystemStep

from ..beams import three_beams
from ..supplied import iterated, rule_of


@dataclass(frozen=True)
class WithoutTorsion(nsd.MoreauJean):
    """W of the beam with springs holds the derivatives of its force and of its gyroscopic moment, not of its moment."""

    def system(self, step: SystemStep) -> None:
        """The step, theta = 1."""
        super().system(step)
        if not step.cls.terms["force"].values.has(sp.asin):
            return
        spin, inertia = sp.Matrix(step.group("v")[3:]), sp.diag(0.1, 1, 1)
        gyroscopic = _hat(spin) * inertia - _hat(inertia * spin)
        step.iteration_matrix(sp.diag(sp.eye(3) + STEP**2 * 1e4 * sp.diag(1, 0, 1), inertia + STEP * gyroscopic))


def _hat(a: sp.Matrix) -> sp.Matrix:
    return sp.Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


options = {"theta": 1, "rotation": "exponential", **iterated(1e-10)}
case = three_beams(
    "springs_ne_3ds_3knee_1prism",
    WithoutTorsion(**options),
    nsd.MoreauJean(**options),
    springs=True,
    rule=f"{rule_of(1e-10)}, a Newton matrix without the torsion spring",
)
