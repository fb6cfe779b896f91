"""Two relays that know nothing of each other."""

from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

x, y = dynamicsymbols("x y")
lam = nsd.multipliers("lam", 2)

plane = nsd.FirstOrderSystem("plane", state=[x, y], rhs=[0, 0])
relays = nsd.FirstOrderRelation(
    "relays", lam, output=[x, y], reaction={plane: [2 * lam[0], 2 * lam[1]]}, law=nsd.Relay(1)
)
model = nsd.Model(
    "simple_example_relay", [plane], [relays], scheme=nsd.ThetaGamma(theta=0.5), step=1e-3, end=1, initial={x: 1, y: -1}
)

case = Case(
    model,
    {"x[0]": "x", "x[1]": "y", "y[0]": "output[0]", "y[1]": "output[1]", "lambda[0]": "lam[0]", "lambda[1]": "lam[1]"},
)
