"""Bodies that hang on each other by hinges in the peer: Moreau-Jean, one problem of equalities over all hinges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import siconos.kernel as sk
from loop import serve
from siconos.mechanics.joints import PivotJointR


def build(p: dict[str, float], h: float, end: float) -> tuple[Any, Callable[[], list[float]]]:
    """``count`` bodies of length 1, axes in turn along y and x; observes the position of the last one."""
    nsds = sk.NonSmoothDynamicalSystem(0.0, end)
    tensor = [[p["I1"], 0, 0], [0, p["I2"], 0], [0, 0, p["I3"]]]
    bodies: list[Any] = []
    for i in range(int(p["count"])):
        turning = p["rate"] if i == 0 else 0.0
        body = sk.NewtonEulerDS([0, 0, -0.5 - i, 1, 0, 0, 0], [0, 0, 0, 0, turning, 0], p["m"], tensor)
        body.setFExtPtr([0, 0, -p["m"] * p["g"]])
        nsds.insertDynamicalSystem(body)
        above = bodies[-1:]
        hinge = PivotJointR([0, 0, 0.5], [1, 0, 0] if i % 2 else [0, 1, 0], False, body, *above)
        interaction = sk.Interaction(sk.EqualityConditionNSL(hinge.numberOfConstraints()), hinge)
        nsds.link(interaction, body, *above)
        bodies.append(body)
    simulation = sk.TimeStepping(nsds, sk.TimeDiscretisation(0.0, h), sk.MoreauJeanOSI(0.5), sk.GenericMechanical())
    return simulation, lambda: [float(bodies[-1].q()[i]) for i in range(3)]


if __name__ == "__main__":
    serve(build)
