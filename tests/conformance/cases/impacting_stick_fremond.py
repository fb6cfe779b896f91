"""A stick falls onto a floor with friction under Fremond's law."""

import math

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

x, y, a = dynamicsymbols("x y a")
stick = nsd.LagrangianSystem("stick", [x, y, a], mass=sp.diag(1, 1, sp.Rational(1, 12)), external=[0, -10, 0])
floor = nsd.Contact(
    "floor", gap=y - sp.cos(a) / 2, tangent=-x.diff() - sp.cos(a) * a.diff() / 2, law=nsd.FremondImpact(1, 0.01)
)
model = nsd.Model(
    "impacting_stick",
    [stick],
    [floor],
    step=1e-4,
    end=0.2,
    scheme=nsd.MoreauJean(gradient_at="predicted", gradient_gamma=1, gap_at="predicted", gap_gamma=1),
    initial={
        x: 0.5 * math.sin(math.pi / 4),
        y: 0.5 * math.cos(math.pi / 4) + 0.01,
        a: math.pi / 4,
        x.diff(): -0.5,
        y.diff(): 0.1,
        a.diff(): 0.1,
    },
)

case = Case(
    model,
    {
        "q[0]": "x",
        "q[1]": "y",
        "q[2]": "a",
        "v[0]": "x_dot",
        "v[1]": "y_dot",
        "v[2]": "a_dot",
        "lambda[0]": "impulse[0]",
        "lambda[1]": "impulse[1]",
        "y(0)[0]": "gap",
    },
    tolerance=1e-12,
    unset=("y(0)[0]",),
    rule="gaps, rates and gradients at q_k + h v_k (gap_at='predicted', gradient_at='predicted')",
)
