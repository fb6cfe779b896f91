"""A double integrator under incremental PID control; theta = 1/2 integrates it exactly while the control is held."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

P, I, D = sp.symbols("P I D", positive=True)
q, v = dynamicsymbols("q v")
u, e_1, e_2 = sp.symbols("u e_1 e_2")  # the control, and the two errors before the sampled one
e, dt = nsd.sampled("e"), nsd.step

plant = nsd.FirstOrderSystem("plant", [q, v], [v, u])
pid = nsd.Sampled(
    "pid",
    0.05,
    samples={"e": -q},
    state=[u, e_1, e_2],
    holds={},
    update={u: u + (P + D / dt + I * dt) * e - (P + 2 * D / dt) * e_1 + D / dt * e_2, e_1: e, e_2: e_1},
)
model = nsd.Model(
    "pid_double_integrator",
    [plant],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=0.05,
    end=100,
    blocks=[pid],
    parameters={P: 0.25, I: 0.125, D: 2},
    initial={q: 10, v: 0},
)

case = Case(model, {"x[0]": "q", "x[1]": "v", "u": "u"})
