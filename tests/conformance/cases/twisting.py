"""The twisting controller of a double integrator, implicit: a normal cone to a polytope that the step shears.

-y lies in the normal cone at lambda of {lambda : |lambda_0| <= 1, |lambda_1 - h/2 lambda_0| <= 1} = S [-1, 1]^2,
that is, -S^T y in that of the square at mu, with lambda = S mu and S = [[1, 0], [h/2, 1]].
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

G, beta, shear = sp.symbols("G beta shear", positive=True)
q, v = dynamicsymbols("q v")
mu = nsd.multipliers("mu", 2)
lam = [mu[0], mu[1] + shear * mu[0]]

plant = nsd.FirstOrderSystem("plant", state=[q, v], rhs=[v, 0])
controller = nsd.FirstOrderRelation("controller", mu, output=[q + shear * v, v], law=nsd.Relay(1),
                                    reaction={plant: [0, G * (lam[0] + beta * lam[1])]})
model = nsd.Model("twisting", [plant], [controller], scheme=nsd.ThetaGamma(theta=0.5), step=0.1, end=20,
                  parameters={G: 10, beta: 0.3, shear: 0.05}, initial={q: 10, v: 10})

case = Case(model, {"x[0]": "q", "x[1]": "v"})
