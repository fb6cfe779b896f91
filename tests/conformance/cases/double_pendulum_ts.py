"""A double pendulum against a wall; every step is one linearisation."""

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

g = sp.Symbol("g", positive=True)
a, b = dynamicsymbols("a b")  # angles from the vertical
pendulum = nsd.LagrangianSystem(
    "pendulum",
    [a, b],
    potential=-g * (2 * sp.cos(a) + sp.cos(b)),
    kinetic=a.diff() ** 2 + b.diff() ** 2 / 2 + a.diff() * b.diff() * sp.cos(a - b),
)
elbow = nsd.Contact("elbow", gap=sp.sin(a), law=nsd.NewtonImpact(1))
hand = nsd.Contact("hand", gap=sp.sin(a) + sp.sin(b), law=nsd.NewtonImpact(0))
model = nsd.Model(
    "double_pendulum",
    [pendulum],
    [elbow, hand],
    step=5e-4,
    end=5,
    parameters={g: 10},
    initial={a: 0.1, b: 0.2},
    scheme=nsd.MoreauJean(
        theta=0.500001, mass_gamma=1, gradient_at="predicted", gradient_gamma=1, newton=nsd.Newton(fixed_iterations=1)
    ),
)

case = Case(
    model,
    {
        "q[0]": "a",
        "q[1]": "b",
        "v[0]": "a_dot",
        "v[1]": "b_dot",
        "l1*sin(q0)": lambda run: np.sin(run["a"]),
        "-l1*cos(q0)": lambda run: -np.cos(run["a"]),
        "l1*sin(q0)+l2*sin(q1)": lambda run: np.sin(run["a"]) + np.sin(run["b"]),
        "-l1*cos(q0)-l2*cos(q1)": lambda run: -np.cos(run["a"]) - np.cos(run["b"]),
        "l1*cos(q0)*v0": lambda run: np.cos(run["a"]) * run["a_dot"],
        "l1*cos(q0)*v0+l2*cos(q1)*v1": lambda run: np.cos(run["a"]) * run["a_dot"] + np.cos(run["b"]) * run["b_dot"],
    },
    tolerance=1e-8,
    rule="one linearisation a step (fixed_iterations=1), mass and gradients at q_k + h v_k; the "
    "table's Jacobians have slips, which move it by 2.7e-9",
)
