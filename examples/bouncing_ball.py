"""Bouncing ball."""
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

m, g, e = sp.symbols("m g e", positive=True)
z = dynamicsymbols("z")

ball = nsd.LagrangianSystem("ball", coordinates=[z], kinetic=m * z.diff()**2 / 2, potential=m * g * z, units=["m"])
floor = nsd.Contact("floor", gap=z, law=nsd.NewtonImpact(e))

model = nsd.Model(
    "bouncing_ball", systems=[ball], relations=[floor],
    scheme=nsd.MoreauJean(theta=0.5), step=5e-3, end=10,
    parameters={m: nsd.Parameter(1.0, "kg"), g: nsd.Parameter(9.81, "m/s^2"), e: 0.9}, initial={z: 1.0},
)
