"""A mass on a spring with dry friction, written as a relay on its velocity."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

k, m, alpha = sp.symbols("k m alpha", positive=True)
q, v = dynamicsymbols("q v")
lam = nsd.multipliers("lam", 1)

mass = nsd.FirstOrderSystem("mass", state=[q, v], rhs=[v, -k / m * q], units=["m", "m/s"])
friction = nsd.FirstOrderRelation("friction", lam, output=[v], reaction={mass: [0, alpha * lam[0]]}, law=nsd.Relay(1))
model = nsd.Model(
    "friction_oscillator",
    [mass],
    [friction],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=0.01,
    end=100,
    parameters={k: 1, m: 1, alpha: 1},
    initial={q: 12, v: 6},
)

# Where the mass sticks, lambda is a velocity divided by h: hence the tolerance.
case = Case(
    model,
    {
        "x[0]": "q",
        "x[1]": "v",
        "lambda(0)[0]": "lam[0]",
        "y(0)[0]": "output",
        "rhs[0]": "v",
        "rhs[1]": lambda run: run["lam[0]"] - run["q"],
    },
    unset=("y(0)[0]", "rhs[0]", "rhs[1]"),
    tolerance=1e-10,
)
