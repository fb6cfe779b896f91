"""A sinusoidal source charges a capacitor through four diodes with a threshold of 0.21 V."""

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

R, C_f, V_0, omega, drop = sp.symbols("R C_f V_0 omega drop", positive=True)
v_f, V = dynamicsymbols("v_f"), V_0 * sp.cos(omega * nsd.time)
r1, f2, f1, r2 = lam = nsd.multipliers("lam", 4)  # currents of R1, F1, R2; second the reverse voltage of F2

load = nsd.FirstOrderSystem("load", state=[v_f], rhs=[-v_f / (R * C_f)], units=["V"])
bridge = nsd.FirstOrderRelation(
    "bridge",
    lam,
    output=[v_f - f2 + 2 * drop, r1 + f1 - r2, v_f - f2 + 2 * drop - V, f2 + V],
    reaction={load: [(r1 + f1) / C_f]},
    law=nsd.Complementarity(),
    units=["A", "V", "A", "A"],
    output_units=["V", "A", "V", "V"],
)
model = nsd.Model(
    "diode_bridge_powsup",
    [load],
    [bridge],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=1e-6,
    end=5e-3,
    parameters={R: 1e3, C_f: 300e-9, V_0: 10, omega: 1e4, drop: 0.21},
    initial={v_f: 0},
)

case = Case(
    model,
    {
        "V": lambda run: 10 * np.cos(1e4 * run.time),
        "lambda[2]-lambda[3]": lambda run: run["lam[2]"] - run["lam[3]"],
        "lambda[0]": "lam[0]",
        "-y[0]+0.21": lambda run: 0.21 - run["output[0]"],
        "-lambda[1]+0.21": lambda run: 0.21 - run["lam[1]"],
        "lambda[2]": "lam[2]",
        "y[1]": "output[1]",
        "lambda[3]": "lam[3]",
    },
    unset=("V", "-y[0]+0.21"),
)
