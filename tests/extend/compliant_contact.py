"""A compliant contact: 0 <= gap + compliance lambda orthogonal to lambda >= 0, lambda a force."""

import sympy as sp

import nsdgen as nsd


class CompliantContact(nsd.OutputRelation):
    """A spring of stiffness 1 / compliance [N/m] that only pushes.

    ``gap`` [m] is an expression in the coordinates of ``systems``; the force [N] follows by duality.
    """

    def __init__(self, name, gap, compliance, systems):
        force = nsd.multipliers("force", 1)
        reaction = {s: [sp.diff(gap, q) * force[0] for q in s.coordinates] for s in systems}
        super().__init__(
            name, force, [gap + compliance * force[0]], reaction, nsd.Complementarity(), units=["N"], output_units=["m"]
        )
