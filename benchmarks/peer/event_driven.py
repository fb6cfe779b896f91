"""The peer's time of event-driven runs: a bouncing ball and a column of beads, as in its own examples.

``python3 benchmarks/peer/event_driven.py`` with a Python that has Siconos; prints microseconds for each step of the
grid, set-up and recording left out, the shortest of five runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import siconos.kernel as sk

GRAVITY = 9.81


def ball(restitution: float) -> tuple[Any, float, float]:
    """A ball of three coordinates above a floor; its model, step and end."""
    body = sk.LagrangianLinearTIDS([1.0, 0.0, 0.0], [0.0, 0.0, 0.0], np.diag([1.0, 1.0, 0.006]))
    body.setFExtPtr([-GRAVITY, 0.0, 0.0])
    model = sk.NonSmoothDynamicalSystem(0.0, 8.5)
    model.insertDynamicalSystem(body)
    relation = sk.LagrangianLinearTIR([[1.0, 0.0, 0.0]])
    model.link(sk.Interaction(sk.NewtonImpactNSL(restitution), relation), body)
    return model, 0.005, 8.5


def beads() -> tuple[Any, float, float]:
    """Ten touching beads above a floor; their model, step and end."""
    radius = 0.005
    mass = 4 / 3 * 3.14159265 * radius**3 * 7780
    bodies = [sk.LagrangianLinearTIDS([0.055 + 0.01 * i], [0.0], [[mass]]) for i in range(10)]
    model = sk.NonSmoothDynamicalSystem(0.0, 0.5)
    for body in bodies:
        body.setFExtPtr([-mass * GRAVITY])
        model.insertDynamicalSystem(body)
    law = sk.NewtonImpactNSL(1.0)
    model.link(sk.Interaction(law, sk.LagrangianLinearTIR([[1.0]], [-radius])), bodies[0])
    for low, high in pairwise(bodies):
        model.link(sk.Interaction(law, sk.LagrangianLinearTIR([[-1.0, 1.0]], [-2 * radius])), low, high)
    return model, 0.001, 0.5


def seconds_of(build: Callable[[], tuple[Any, float, float]]) -> float:
    """Processor seconds of a step of the grid."""
    model, h, end = build()
    simulation = sk.EventDriven(model, sk.TimeDiscretisation(0.0, h))
    simulation.insertIntegrator(sk.LsodarOSI())
    simulation.insertNonSmoothProblem(sk.LCP(), sk.SICONOS_OSNSP_ED_IMPACT)
    simulation.insertNonSmoothProblem(sk.LCP(), sk.SICONOS_OSNSP_ED_SMOOTH_ACC)
    simulation.initialize()
    began = time.process_time()
    while simulation.hasNextEvent():
        simulation.advanceToEvent()
        simulation.processEvents()
    return (time.process_time() - began) / round(end / h)


if __name__ == "__main__":
    for name, build in (("ball, e = 0.9", lambda: ball(0.9)), ("ball, e = 0", lambda: ball(0.0)), ("ten beads", beads)):
        print(f"{name}: {min(seconds_of(build) for _ in range(5)) * 1e6:.1f} us")
