"""A third-order system in a relay's feedback, which ends on a limit cycle."""

import math

from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

x, y, z = dynamicsymbols("x y z")
lam = nsd.multipliers("lam", 1)

plant = nsd.FirstOrderSystem("plant", state=[x, y, z], rhs=[y, z, -3 * y - 2 * z])
relay = nsd.FirstOrderRelation("relay", lam, output=[x], reaction={plant: [0, 0, lam[0]]}, law=nsd.Relay(1))
model = nsd.Model(
    "relay_oscillator",
    [plant],
    [relay],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=0.01,
    end=100,
    initial={x: 0, y: 3 * math.sqrt(2) / (2 * math.pi), z: 0},
)

case = Case(model, {"x[0]": "x", "x[1]": "y", "x[2]": "z", "lambda[0]": "lam[0]", "y[0]": "output"})
