"""Ten touching beads fall onto the floor, event by event: under Newton's law with e = 1 they bounce as one."""

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

m, g, r = sp.symbols("m g r", positive=True)
z = dynamicsymbols("z")

bead = nsd.LagrangianSystem("bead", [z], kinetic=m * z.diff() ** 2 / 2, potential=m * g * z)
beads = bead.copies(10, initial={z: 0.055 + 0.01 * np.arange(10)})
low, high = (beads[i].coordinate(z) for i in (0, 1))
touch = nsd.Contact("touch", high - low - 2 * r, nsd.NewtonImpact(1))
model = nsd.Model(
    "bead_column_ed_newton",
    [beads],
    [
        nsd.Contact("floor", low - r, nsd.NewtonImpact(1)),
        touch.copies([(i, i + 1) for i in range(9)], like=(beads[0], beads[1])),
    ],
    scheme=nsd.EventDriven(),
    step=1e-3,
    end=0.5,
    parameters={m: 4 / 3 * 3.14159265 * 0.005**3 * 7780, g: 9.81, r: 0.005},
)
case = Case(
    model,
    {f"q{i}": f"bead {i}.z" for i in range(10)} | {f"v{i}": f"bead {i}.z_dot" for i in range(10)},
    tolerance=1e-12,
    unmatched=0,
)
