"""The column of ten beads of the published tables."""

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from .case import Case

m, g, R, e = sp.symbols("m g R e", positive=True)
z, y, phi = dynamicsymbols("z y phi")


def column(name: str, scheme: nsd.MoreauJean, rule: str = "") -> Case:
    """Ten beads fall onto the floor and onto each other for two seconds."""
    bead = nsd.LagrangianSystem(
        "bead",
        [z, y, phi],
        potential=m * g * z,
        kinetic=m * (z.diff() ** 2 + y.diff() ** 2 + sp.Rational(3, 5) * R**2 * phi.diff() ** 2) / 2,
    )
    beads = bead.copies(10, initial={z: 1 + 0.25 * np.arange(10), y: 0, phi: 0})
    low, high = (beads[i].coordinate(z) for i in (0, 1))
    floor = nsd.Contact("floor", gap=low - R, law=nsd.NewtonImpact(e))
    touch = nsd.Contact("touch", gap=high - low - 2 * R, law=nsd.NewtonImpact(e))
    touching = touch.copies([(i, i + 1) for i in range(9)], like=(beads[0], beads[1]))
    model = nsd.Model(
        name, [beads], [floor, touching], scheme=scheme, step=5e-4, end=2, parameters={m: 1, g: 9.81, R: 0.1, e: 0.9}
    )
    heights = {f"q{i}[0]": f"bead {i}.z" for i in range(10)}
    rates = {f"v{i}[0]": f"bead {i}.z_dot" for i in range(10)}
    return Case(model, heights | rates, rule, tolerance=1e-12)
