"""A box on four corners with friction in the peer: Moreau-Jean, one friction problem over all corners."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import siconos.kernel as sk
import siconos.numerics as sn
from loop import serve

TOLERANCE = 1e-8  # of a step's problem
OVERLAP = -1e-9  # m, so that no contact is open by rounding


def build(p: dict[str, float], h: float, end: float) -> tuple[Any, Callable[[], list[float]]]:
    """A box of half sides a, b, c that slides on its lower corners; observes its position."""
    nsds = sk.NonSmoothDynamicalSystem(0.0, end)
    tensor = [[p["I1"], 0, 0], [0, p["I2"], 0], [0, 0, p["I3"]]]
    box = sk.NewtonEulerDS([0, 0, p["c"], 1, 0, 0, 0], [p["speed"], 0, 0, 0, 0, 0], p["m"], tensor)
    box.setFExtPtr([0, 0, -p["m"] * p["g"]])
    nsds.insertDynamicalSystem(box)
    for x in (-p["a"], p["a"]):
        for y in (-p["b"], p["b"]):
            corner = sk.NewtonEuler3DR()
            corner.setRelPc1([x, y, -p["c"]])
            corner.setRelPc2([x, y, 0])
            corner.setRelNc([0, 0, 1])
            corner.setE([-p["c"] + OVERLAP, 0, 0])  # the gap is that of the centre, plus this: the box does not turn
            nsds.link(sk.Interaction(sk.NewtonImpactFrictionNSL(0.0, 0.0, p["mu"], 3), corner), box)
    problem = sk.FrictionContact(3, sn.SICONOS_FRICTION_3D_NSGS)
    problem.numericsSolverOptions().dparam[sn.SICONOS_DPARAM_TOL] = TOLERANCE
    simulation = sk.TimeStepping(nsds, sk.TimeDiscretisation(0.0, h), sk.MoreauJeanOSI(0.5), problem)
    return simulation, lambda: [float(box.q()[i]) for i in range(3)]


if __name__ == "__main__":
    serve(build)
