"""Two genes, each switched off above a threshold of its own product."""

from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

x, y = dynamicsymbols("x y")
lam = nsd.multipliers("lam", 2)  # the unit steps of x - 8 and y - 8

genes = nsd.FirstOrderSystem("genes", state=[x, y], rhs=[-4.5 * x, -1.5 * y])
steps = nsd.FirstOrderRelation(
    "steps", lam, output=[8 - x, 8 - y], law=nsd.Box(0, 1), reaction={genes: [40 * (1 - lam[0]), 40 * (1 - lam[1])]}
)
model = nsd.Model(
    "step_system_reduced", [genes], [steps], scheme=nsd.ThetaGamma(theta=0.5), step=1e-3, end=3, initial={x: 1, y: 6}
)

case = Case(
    model,
    {
        "x[0]": "x",
        "x[1]": "y",
        "lambda[0]": "lam[0]",
        "rhs[0]": lambda run: -4.5 * run["x"] + 40 * (1 - run["lam[0]"]),
        "rhs[1]": lambda run: -1.5 * run["y"] + 40 * (1 - run["lam[1]"]),
    },
    unset=("rhs[0]", "rhs[1]"),
)
