"""An LC oscillator with a resistor and an ideal diode in parallel: the diode lets one half wave pass."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

L, C, R = sp.symbols("L C R", positive=True)
v, i = dynamicsymbols("v i")
lam = nsd.multipliers("lam", 1)

circuit = nsd.FirstOrderSystem("circuit", state=[v, i], rhs=[-i / C, v / L], units=["V", "A"])
diode = nsd.FirstOrderRelation(
    "diode",
    multipliers=lam,
    output=[R * lam[0] - v],
    reaction={circuit: [-lam[0] / C, 0]},
    law=nsd.Complementarity(),
    units=["A"],
    output_units=["V"],
)
model = nsd.Model(
    "circuit_rlcd",
    [circuit],
    [diode],
    scheme=nsd.ThetaGamma(theta=0.5000000000001),
    step=1e-5,
    end=5e-3,
    parameters={L: 1e-2, C: 1e-6, R: 1e3},
    initial={v: 10, i: 0},
)

case = Case(model, {"x[0]": "v", "x[1]": "i", "-y[0]": lambda run: -run["output"], "lambda[0]": "lam[0]"})
