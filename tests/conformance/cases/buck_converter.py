"""A buck converter switched by pulse-width modulation: compensator, comparator, two transistors and two diodes.

The square law of a transistor's current is replaced by two linear pieces with hinges at p, the comparator by a slope
between X1 and X2. Each hinge is a complementarity pair, twelve in all.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

V_in, V_ref, T_s, C, L, R_load = 3.0, 1.8, 100e-6, 22e-6, 10e-6, 10.0
gain, R11, R21, R12, C11, C21 = 1e4, 15.58e3, 5.613e6, 227.8e3, 20e-12, 1.9e-12
alpha, beta = 1 / R11 + 1 / R12 + 1 / R21, 1 / R11 + 1 / R12
t11, t21, t_a = R11 * C11, R21 * C21, 1 / (2 * 3.14159 * 30e6)
X1, X2, V_n, V_p, half_K, drop = -0.1, 0.1, 2.0, -2.0, 5.0, 0.8
slope, d = V_in / (X2 - X1), (V_in - V_n) / (2 * (1 + math.sqrt(2)))
hinges, gains = (0.0, (1 + math.sqrt(2)) * d), (2 * d, 4 * math.sqrt(2) * d)

v, i, v11, v21, error = state = dynamicsymbols("v i v11 v21 error")
lam, t = nsd.multipliers("lam", 12), nsd.time
phase = nsd.let("phase", nsd.mod(t, 1.6667e-6))
ramp = nsd.let(
    "ramp",
    nsd.piecewise(
        (2.25 / 1.655e-6 * phase, phase < 1.655e-6),
        (2.25, phase < 1.656e-6),
        (2.25 - 2.25 / 10e-9 * (phase - 1.656e-6), phase < 1.666e-6),
        (0, True),
    ),
)
target = nsd.piecewise((V_ref * t / T_s, t < T_s), (V_ref, t <= 2 * T_s), (3 * V_ref - V_ref * t / T_s, True))

feedback = (-beta * v + v11 / R11 + (v21 - error) / R21) / alpha  # voltage at the inverting input
converter = nsd.FirstOrderSystem(
    "converter",
    state,
    units=["V", "A", "V", "V", "V"],
    rhs=[
        (i - v / R_load + (feedback - v21 + error) / R21) / C,
        -(v + drop) / L,
        (v - v11 + feedback) / t11,
        (feedback - v21 + error) / t21,
        (gain * (feedback + target) - error) / t_a,
    ],
)


def current(hinge: Sequence[Any]) -> Any:
    """The channel current of a transistor from its four hinge variables."""
    return half_K * (gains[0] * (hinge[0] - hinge[2]) + gains[1] * (hinge[1] - hinge[3]))


gate, node = slope * (lam[0] - lam[1]), lam[11]
outputs = [error + lam[0] + X1 - ramp, error + lam[1] + X2 - ramp]
outputs += [lam[2 + k] + gate - V_p - V_in + hinges[k] for k in (0, 1)]
outputs += [lam[4 + k] + gate - V_p - node + drop + hinges[k] for k in (0, 1)]
outputs += [lam[6 + k] - gate + V_n + hinges[k] for k in (0, 1)]
outputs += [lam[8 + k] - gate + V_n + node - drop + hinges[k] for k in (0, 1)]
outputs += [V_in + 2 * drop - node, i + lam[10] - current(lam[2:6]) + current(lam[6:10])]
switching = nsd.FirstOrderRelation(
    "switching", lam, outputs, reaction={converter: [0, node / L, 0, 0, 0]}, law=nsd.Complementarity()
)
model = nsd.Model(
    "buck_converter",
    [converter],
    [switching],
    scheme=nsd.ThetaGamma(theta=1),
    step=5e-11,
    end=2e-6,
    initial=dict.fromkeys(state, 0),
)


def ramp_of(run: nsd.Trajectory) -> np.ndarray:
    """The saw tooth of the modulation, from its corners."""
    return np.interp(np.mod(run.time, 1.6667e-6), [0, 1.655e-6, 1.656e-6, 1.666e-6], [0, 2.25, 2.25, 0])


case = Case(
    model,
    {
        "ramp": ramp_of,
        "lambda[11]-0.8": lambda run: run["lam[11]"] - drop,
        "x[1]": "i",
        "x[0]": "v",
        "x[4]": "error",
        "15*(lambda[0]-lambda[1])": lambda run: slope * (run["lam[0]"] - run["lam[1]"]),
        "lambda[10]": "lam[10]",
        "y[11]": "output[11]",
        "iP": lambda run: current(run["switching.lam"].T[2:6]),
        "iN": lambda run: current(run["switching.lam"].T[6:10]),
    },
)
