"""An oscillator that charges a capacitor through four ideal diodes: two systems, one relation."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

L, C, C_f, R = sp.symbols("L C C_f R", positive=True)
v, i, v_f = dynamicsymbols("v i v_f")


def capfilter(name: str, theta: float) -> Case:
    """lam: currents of R1, F1 and R2 and, second, the reverse voltage of F2."""
    r1, f2, f1, r2 = lam = nsd.multipliers("lam", 4)
    oscillator = nsd.FirstOrderSystem("oscillator", state=[v, i], rhs=[-i / C, v / L], units=["V", "A"])
    load = nsd.FirstOrderSystem("load", state=[v_f], rhs=[-v_f / (R * C_f)], units=["V"])
    bridge = nsd.FirstOrderRelation(
        "bridge", lam, output=[v_f - f2, r1 + f1 - r2, v_f - v - f2, v + f2],
        reaction={oscillator: [(r2 - f1) / C, 0], load: [(r1 + f1) / C_f]},
        law=nsd.Complementarity(), units=["A", "V", "A", "A"], output_units=["V", "A", "V", "V"])
    model = nsd.Model(name, [oscillator, load], [bridge], scheme=nsd.ThetaGamma(theta=theta), step=1e-6, end=5e-3,
                      parameters={L: 1e-2, C: 1e-6, C_f: 300e-9, R: 1e3}, initial={v: 10, i: 0, v_f: 0})
    return Case(model, {"x[0]": "v", "x[1]": "i", "lambda[0]": "lam[0]", "-y[0]": lambda run: -run["output[0]"],
                        "-lambda[1]": lambda run: -run["lam[1]"], "lambda[2]": "lam[2]"})
