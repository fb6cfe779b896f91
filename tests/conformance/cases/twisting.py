"""The twisting controller of a double integrator, implicit: a normal cone to a polytope that the step shears."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

G, beta, shear = sp.symbols("G beta shear", positive=True)
q, v = dynamicsymbols("q v")
lam = nsd.multipliers("lam", 2)  # |lam_0| <= 1, |lam_1 - h/2 lam_0| <= 1

plant = nsd.FirstOrderSystem("plant", state=[q, v], rhs=[v, 0])
controller = nsd.FirstOrderRelation(
    "controller",
    lam,
    output=[q, v],
    reaction={plant: [0, G * (lam[0] + beta * lam[1])]},
    law=nsd.NormalCone([[1, 0], [-1, 0], [-shear, 1], [shear, -1]], [1, 1, 1, 1]),
)
model = nsd.Model(
    "twisting",
    [plant],
    [controller],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=0.1,
    end=20,
    parameters={G: 10, beta: 0.3, shear: 0.05},
    initial={q: 10, v: 10},
)

case = Case(model, {"x[0]": "q", "x[1]": "v"})
