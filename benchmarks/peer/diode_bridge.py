"""The diode bridge in the peer: Euler-Moreau with theta = 1/2, an LCP of four rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import siconos.kernel as sk
from loop import serve, stepping


def build(p: dict[str, float], h: float, end: float) -> tuple[Any, Callable[[], list[float]]]:
    """The oscillator with its four diodes; observes v, i, lam0..3."""
    per_c, per_l, per_r = 1 / p["C"], 1 / p["L"], 1 / p["R"]
    oscillator = sk.FirstOrderLinearDS([10.0, 0.0], [[0, -per_c], [per_l, 0]])
    diodes = sk.FirstOrderLinearTIR([[0, 0], [0, 0], [-1.0, 0], [1.0, 0]], [[0, 0, -per_c, per_c], [0, 0, 0, 0]])
    diodes.setDPtr([[per_r, per_r, -1, 0], [per_r, per_r, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]])
    bridge = sk.Interaction(sk.ComplementarityConditionNSL(4), diodes)
    simulation = stepping(end, h, oscillator, bridge, sk.EulerMoreauOSI(0.5))
    return simulation, lambda: [*oscillator.x(), *bridge.lambda_(0)]


if __name__ == "__main__":
    serve(build)
