"""Bang-bang control by Pontryagin's principle: state, adjoint, and a control in [-1, 1] with its slack."""

from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

x1, x2, p1, p2 = dynamicsymbols("x1 x2 p1 p2")
u, slack = lam = nsd.multipliers("lam", 2)

plant = nsd.FirstOrderSystem(
    "plant", state=[x1, x2, p1, p2], rhs=[(x2 + 1) / 2, -x1 / 2 - x2, 2 - x1 + p2 / 2, -(x2 + 1) - p1 / 2 + p2]
)
control = nsd.FirstOrderRelation(
    "control",
    lam,
    output=[slack + (1 - x2) * p1 + x1 * p2, 2 - u],
    law=nsd.Complementarity(),
    reaction={plant: [(u - 1) * (1 - x2) / 2, (u - 1) * x1 / 2, -(u - 1) * p2 / 2, (u - 1) * p1 / 2]},
)
model = nsd.Model(
    "optimal_control",
    [plant],
    [control],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=2e-3,
    end=10,
    initial={x1: 3.4999939172, x2: -2.2788416237, p1: 1.1935988302, p2: -0.6365413023},
)

case = Case(
    model,
    {
        "x1": "x1",
        "x2": "x2",
        "p1": "p1",
        "p2": "p2",
        "lambda[0]": "lam[0]",
        "lambda[1]": "lam[1]",
        "y[0]": "output[0]",
        "y[1]": "output[1]",
    },
    unset=("y[0]", "y[1]"),
)
