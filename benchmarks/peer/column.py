"""A column of beads at rest in the peer: Moreau-Jean, one LCP over all contacts."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import siconos.kernel as sk
from loop import serve

OVERLAP = -1e-9  # m, so that no contact is open by rounding


def build(p: dict[str, float], h: float, end: float) -> tuple[Any, Callable[[], list[float]]]:
    """``count`` beads that touch; observes the impulse at the floor and the velocity of the top bead."""
    count, r = int(p["count"]), p["r"]
    nsds = sk.NonSmoothDynamicalSystem(0.0, end)
    beads = []
    for i in range(count):
        mass = 1.0 + i / max(count - 1, 1)
        bead = sk.LagrangianLinearTIDS([r + OVERLAP + (2.0 * r + OVERLAP) * i], [0.0], [[mass]])
        bead.setFExtPtr([-mass * p["g"]])
        nsds.insertDynamicalSystem(bead)
        beads.append(bead)
    floor = sk.Interaction(sk.NewtonImpactNSL(0.0), sk.LagrangianLinearTIR([[1.0]], [-r]))
    nsds.link(floor, beads[0])
    for low, high in pairwise(beads):
        touch = sk.Interaction(sk.NewtonImpactNSL(0.0), sk.LagrangianLinearTIR([[-1.0, 1.0]], [-2.0 * r]))
        nsds.link(touch, low, high)
    simulation = sk.TimeStepping(nsds, sk.TimeDiscretisation(0.0, h), sk.MoreauJeanOSI(0.5), sk.LCP())
    return simulation, lambda: [floor.lambda_(1)[0], beads[-1].velocity()[0]]


if __name__ == "__main__":
    serve(build)
