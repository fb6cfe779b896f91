"""A Colpitts oscillator, its transistor two ideal diodes and two current gains: chaos in three states."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

L, C1, C2, R_c, R_e, a_F, a_R, V_cc, V_ee = sp.symbols("L C1 C2 R_c R_e alpha_F alpha_R V_cc V_ee", positive=True)
v1, v2, i = dynamicsymbols("v1 v2 i")
reverse, forward = lam = nsd.multipliers("lam", 2)  # currents of the two junctions

circuit = nsd.FirstOrderSystem(
    "circuit",
    state=[v1, v2, i],
    rhs=[
        (i + (V_cc - v1 - v2) / R_c) / C1,
        (i + (V_cc - v1 - v2) / R_c - (V_ee + v2) / R_e) / C2,
        (V_cc - v1 - v2) / L,
    ],
)
transistor = nsd.FirstOrderRelation(
    "transistor",
    lam,
    output=[v1 + v2, v2],
    law=nsd.Complementarity(),
    reaction={circuit: [(reverse - a_F * forward) / C1, ((1 - a_R) * reverse + (1 - a_F) * forward) / C2, 0]},
)
model = nsd.Model(
    "colpitts",
    [circuit],
    [transistor],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=1e-3,
    end=100,
    parameters={L: 0.1, C1: 2, C2: 0.8, R_c: 10, R_e: 20, a_F: 0.99, a_R: 0.015, V_cc: 10, V_ee: 20},
    initial={v1: 0, v2: 0, i: 0},
)

case = Case(model, {"x[0]": "v1", "x[1]": "v2", "x[2]": "i", "y[0]": "output[0]", "y[1]": "output[1]"})
