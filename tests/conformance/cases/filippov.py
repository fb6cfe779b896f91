"""Two relays that turn about each other: a spiral of ever faster switchings into the origin."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

c = sp.Symbol("c", positive=True)
x, y = dynamicsymbols("x y")
lam = nsd.multipliers("lam", 2)

plane = nsd.FirstOrderSystem("plane", state=[x, y], rhs=[0, 0])
relays = nsd.FirstOrderRelation(
    "relays",
    lam,
    output=[x, y],
    law=nsd.Relay(1),
    reaction={plane: [2 * (lam[0] - (1 + c) * lam[1]), 2 * ((1 + c) * lam[0] + lam[1])]},
)
model = nsd.Model(
    "filippov",
    [plane],
    [relays],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=1e-3,
    end=2,
    parameters={c: 25},
    initial={x: 3, y: 3},
)

case = Case(
    model,
    {"x[0]": "x", "x[1]": "y", "y[0]": "output[0]", "y[1]": "output[1]", "lambda[0]": "lam[0]", "lambda[1]": "lam[1]"},
    unset=("lambda[0]", "lambda[1]"),
)
