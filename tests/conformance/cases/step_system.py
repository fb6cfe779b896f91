"""Two genes that switch each other on above one threshold and themselves off above another."""

from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

x, y = dynamicsymbols("x y")
a, b, c, d = lam = nsd.multipliers("lam", 4)  # the unit steps of x - 4, y - 4, x - 8, y - 8

genes = nsd.FirstOrderSystem("genes", state=[x, y], rhs=[-4.5 * x, -1.5 * y])
steps = nsd.FirstOrderRelation(
    "steps",
    lam,
    output=[4 - x, 4 - y, 8 - x, 8 - y],
    law=nsd.Box(0, 1),
    reaction={genes: [40 * b * (1 - c), 40 * a * (1 - d)]},
)
model = nsd.Model(
    "step_system", [genes], [steps], scheme=nsd.ThetaGamma(theta=0.5), step=1e-3, end=3, initial={x: 1, y: 6}
)

case = Case(
    model,
    {
        "x[0]": "x",
        "x[1]": "y",
        **{f"lambda[{k}]": f"lam[{k}]" for k in range(4)},
        "rhs[0]": lambda run: -4.5 * run["x"] + 40 * run["lam[1]"] * (1 - run["lam[2]"]),
        "rhs[1]": lambda run: -1.5 * run["y"] + 40 * run["lam[0]"] * (1 - run["lam[3]"]),
    },
    unset=("rhs[0]", "rhs[1]"),
)
