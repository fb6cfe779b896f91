"""A complementarity system and its observer, which reads the measurement once a step."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

x, y, x_o, y_o = dynamicsymbols("x y x_o y_o")
measured, u = sp.Symbol("measured"), 30 * sp.sin(50 * nsd.time)
lam, mu = nsd.multipliers("lam", 1), nsd.multipliers("mu", 1)

plant = nsd.FirstOrderSystem("plant", [x, y], [x + y + u, 3 * x + y + 2 * u])
observer = nsd.FirstOrderSystem("observer", [x_o, y_o], [-x_o - y_o + u + measured, x_o - y_o + 2 * u + measured])
sensor = nsd.Sampled("sensor", 1e-4, samples={"z": 2 * (x + y)}, holds={measured: nsd.sampled("z")})
valves = [
    nsd.FirstOrderRelation(
        name, push, output=[b - a + push[0] + u], reaction={system: [-push[0], push[0]]}, law=nsd.Complementarity()
    )
    for name, system, a, b, push in (("valve", plant, x, y, lam), ("observed valve", observer, x_o, y_o, mu))
]
model = nsd.Model(
    "observer_lcs",
    [plant, observer],
    valves,
    scheme=nsd.ThetaGamma(theta=0.5),
    step=1e-4,
    end=2,
    blocks=[sensor],
    initial={x: 10, y: 0, x_o: 0, y_o: 0},
)

case = Case(
    model,
    {
        "x[0]": "x",
        "x[1]": "y",
        "xo[0]": "x_o",
        "xo[1]": "y_o",
        "lambda": "lam[0]",
        "mu": "mu[0]",
        "y": "valve.output",
        "yo": "observed valve.output",
        "z[0]": "x",
    },
    rule="the observer reads the plant at the start of a step (a block of the period h)",
)
