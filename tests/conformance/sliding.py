"""The plant that three published sliding-mode controllers drive."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from .case import Case

x, sigma = dynamicsymbols("x sigma")
u = sp.Symbol("u")
disturbance = sp.sin(50 * nsd.time)
PERIOD = 1e-2


def controlled(name: str, controller: nsd.Sampled) -> Case:
    """x' = d, sigma' = 2 u - d from (1, -1) for a second.

    The right-hand side does not depend on the state, so that theta = 1 is the exact step with d held at its end.
    """
    plant = nsd.FirstOrderSystem("plant", [x, sigma], [disturbance, 2 * u - disturbance])
    model = nsd.Model(
        name, [plant], scheme=nsd.ThetaGamma(theta=1), step=1e-4, end=1, blocks=[controller], initial={x: 1, sigma: -1}
    )
    return Case(model, {"x[0]": "x", "x[1]": "sigma", "u": "u"})
