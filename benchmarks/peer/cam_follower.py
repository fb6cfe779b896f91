"""The cam follower in the peer: Moreau-Jean, LCP, its load from a compiled plugin.

The first argument is the plugin's shared object (``cam_plugin.c``).
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import siconos.kernel as sk
from loop import serve, stepping

ORDER = ["mu", "zeta", "kappa", "omega", "e", "R_b", "k1", "k2", "rho1", "rho2", "rho3", "beta1", "beta2", "beta3"]


def build(p: dict[str, float], h: float, end: float) -> tuple[Any, Callable[[], list[float]]]:
    """The follower in coordinates of the cam; observes u, u_dot, impulse."""
    plugin = ctypes.CDLL(sys.argv[1])  # the same handle that the peer opens
    plugin.set_cam((ctypes.c_double * len(ORDER))(*(p[name] for name in ORDER)))
    follower = sk.LagrangianLinearTIDS([0.4], [0.4], [[p["mu"]]], [[p["kappa"]]], [[p["zeta"]]])
    follower.setComputeFExtFunction(sys.argv[1], "cam_force")
    cam = sk.Interaction(sk.NewtonImpactNSL(p["e"]), sk.LagrangianLinearTIR([[1.0]]))
    simulation = stepping(end, h, follower, cam, sk.MoreauJeanOSI(0.5))
    return simulation, lambda: [follower.q()[0], follower.velocity()[0], cam.lambda_(1)[0]]


if __name__ == "__main__":
    serve(build)
