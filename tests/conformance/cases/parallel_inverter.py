"""Three inverters in parallel, each switched by a sliding-mode controller, follow a sine of 50 Hz."""

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

C, l_eq, R, k1, k2, V, E = sp.symbols("C l_eq R k1 k2 V E", positive=True)
L1, L2, L3, r1, r2, r3 = sp.symbols("L1 L2 L3 r1 r2 r3", positive=True)
v0, w0, i2, i3 = dynamicsymbols("v0 w0 i2 i3")  # output voltage, its rate, currents of two inverters
i1 = v0 / R + C * w0 - i2 - i3
u1, u2, u3 = lam = nsd.multipliers("lam", 3)
v_ref = V * sp.sin(100 * sp.pi * nsd.time)

inverters = nsd.FirstOrderSystem(
    "inverters",
    state=[v0, w0, i2, i3],
    rhs=[
        w0,
        -v0 / (C * l_eq) - r1 * i1 / (C * L1) - w0 / (C * R) - r2 * i2 / (C * L2) - r3 * i3 / (C * L3),
        -(v0 + r2 * i2) / L2,
        -(v0 + r3 * i3) / L3,
    ],
)
law = (C * k1 / k2 - 1 / R) * v0
switches = nsd.FirstOrderRelation(
    "switches",
    lam,
    output=[law + 3 * i1 - v_ref, law + 3 * i2 - v_ref, law + 3 * i3 - v_ref],
    reaction={inverters: [0, E * (u1 / L1 + u2 / L2 + u3 / L3) / C, E * u2 / L2, E * u3 / L3]},
    law=nsd.Relay(1),
)
model = nsd.Model(
    "parallel_inverter",
    [inverters],
    [switches],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=1e-6,
    end=0.02,
    parameters={
        C: 60e-6,
        l_eq: 0.385e-3,
        R: 5,
        k1: 1,
        k2: 6e-5,
        V: 55,
        E: 70,
        L1: 1.5e-3,
        L2: 1.22e-3,
        L3: 0.9e-3,
        r1: 94e-3,
        r2: 116e-3,
        r3: 100e-3,
    },
    initial={v0: 50, w0: 7, i2: 4, i3: 4},
)


def reference(run: nsd.Trajectory) -> np.ndarray:
    """The voltage to be followed."""
    return 55 * np.sin(100 * np.pi * run.time)


case = Case(
    model,
    {
        "v0": "v0",
        "v0/Rl": lambda run: run["v0"] / 5,
        "i2": "i2",
        "i3": "i3",
        "dv0": "w0",
        "i1": lambda run: run["v0"] / 5 - run["i2"] - run["i3"] + 60e-6 * run["w0"],
        **{f"lambda[{k}]": f"lam[{k}]" for k in range(3)},
        **{f"y[{k}]": f"output[{k}]" for k in range(3)},
        "vref": reference,
        "vref/Rl": lambda run: reference(run) / 5,
        "|vref-v0|": lambda run: abs(reference(run) - run["v0"]),
        "|vref-v0|/Rl": lambda run: abs(reference(run) - run["v0"]) / 5,
    },
    unset=("v0/Rl", "|vref-v0|", "|vref-v0|/Rl", "i1"),
)
