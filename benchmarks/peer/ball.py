"""The bouncing ball in the peer: one degree of freedom, Moreau-Jean, LCP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import siconos.kernel as sk
from loop import serve, stepping


def build(p: dict[str, float], h: float, end: float) -> tuple[Any, Callable[[], list[float]]]:
    """The ball over its floor; observes z, z_dot, impulse."""
    ball = sk.LagrangianLinearTIDS([1.0], [0.0], [[p["m"]]])
    ball.setFExtPtr([-p["m"] * p["g"]])
    floor = sk.Interaction(sk.NewtonImpactNSL(p["e"]), sk.LagrangianLinearTIR([[1.0]]))
    simulation = stepping(end, h, ball, floor, sk.MoreauJeanOSI(0.5))
    return simulation, lambda: [ball.q()[0], ball.velocity()[0], floor.lambda_(1)[0]]


if __name__ == "__main__":
    serve(build)
