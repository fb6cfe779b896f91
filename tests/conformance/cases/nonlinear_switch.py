"""A buck circuit, its switch and diode resistances between 1 milliohm and 1 kiloohm that the law selects."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

R, R_on, R_off, L, T, G, V = sp.symbols("R R_on R_off L T G V", positive=True)
i, t = dynamicsymbols("i"), nsd.time
i_s, i_d, v, v_o, s, off, r_s, block, r_d = lam = nsd.multipliers("lam", 9)
teeth = nsd.let("teeth", sp.Rational(15, 2) - 10 * t / T + 10 * sp.floor(t / T))  # falls from 7.5 to -2.5

coil = nsd.FirstOrderSystem("coil", state=[i], rhs=[0], units=["A"])
switch = nsd.FirstOrderRelation(
    "switch",
    lam,
    output=[
        s - teeth,
        i - v_o / R,
        v - V + i_s * (r_s + R_on),
        v + i_d * (r_d + R_on),
        i - i_s - i_d,
        R_off - R_on - r_s,
        G * (s - v_o) + off,
        R_off - R_on - r_d,
        block - v,
    ],
    reaction={coil: [(v - v_o) / L]},
    law=nsd.Mixed([nsd.Equality()] * 5 + [nsd.Complementarity()] * 4),
)
model = nsd.Model(
    "nonlinear_switch",
    [coil],
    [switch],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=1e-7,
    end=200e-6,
    parameters={R: 1, R_on: 0.001, R_off: 1000, L: 200e-6, T: 20e-6, G: 100, V: 20},
    initial={i: 0},
)

case = Case(
    model,
    {"step": lambda run: run.time / 1e-7, "x[0]": "i", **{f"lambda[{k}]": f"lam[{k}]" for k in range(6)}},
    first_step=1,
)
