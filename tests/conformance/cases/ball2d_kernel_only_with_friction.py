"""A disc that spins falls onto a floor with friction."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

m, g, R = sp.symbols("m g R", positive=True)
z, y, phi = dynamicsymbols("z y phi")
disc = nsd.LagrangianSystem(
    "disc",
    [z, y, phi],
    potential=m * g * z,
    kinetic=m * (z.diff() ** 2 + y.diff() ** 2 + sp.Rational(2, 5) * R**2 * phi.diff() ** 2) / 2,
)
floor = nsd.Contact("floor", gap=z - R, tangent=y.diff() - R * phi.diff(), law=nsd.NewtonImpactFriction(0.9, 0.1))
model = nsd.Model(
    "ball2d",
    [disc],
    [floor],
    scheme=nsd.MoreauJean(activation_gamma=1),
    step=5e-3,
    end=10,
    parameters={m: 1, g: 9.81, R: 0.5},
    initial={z: 1, y: 0, phi: 0, phi.diff(): 2},
)

case = Case(
    model,
    {
        "q[0]": "z",
        "q[1]": "y",
        "q[2]": "phi",
        "v[0]": "z_dot",
        "v[1]": "y_dot",
        "v[2]": "phi_dot",
        "p(1)[0]": "impulse[0]",
        "lambda(1)[0]": "impulse[0]",
    },
    unset=("t",),
    tolerance=1e-12,
    rule="a contact enters where its gap one whole step ahead is not positive (activation_gamma=1)",
)
