"""A relay of relative degree two: switchings accumulate before each sliding phase."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

xi = sp.Symbol("xi", positive=True)
w, x, y, z = dynamicsymbols("w x y z")
lam = nsd.multipliers("lam", 1)

plant = nsd.FirstOrderSystem("plant", state=[w, x, y, z], rhs=[x, -6 * w + y, -4 * w + z, -w])
relay = nsd.FirstOrderRelation(
    "relay", lam, output=[w], law=nsd.Relay(1), reaction={plant: [0, lam[0], -2 * xi * lam[0], xi**2 * lam[0]]}
)
model = nsd.Model(
    "relay_oscillator_chattering",
    [plant],
    [relay],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=1e-4,
    end=5,
    parameters={xi: 0.2},
    initial={w: -0.01, x: -0.02, y: -1, z: 0.5},
)

case = Case(
    model,
    {"x[0]": "w", "x[1]": "x", "x[2]": "y", "x[3]": "z", "lambda[0]": "lam[0]", "y[0]": "output"},
    unset=("y[0]",),
)
