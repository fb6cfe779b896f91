"""The bouncing ball of the published tables: height, horizontal position, rotation; only the first moves."""

from collections.abc import Mapping

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.extend import Scheme

from .case import Case, Column

m, g, R = sp.symbols("m g R", positive=True)
z, y, phi = dynamicsymbols("z y phi")


def ball(
    name: str,
    contact: nsd.Contact,
    scheme: Scheme,
    *,
    impulse: str = "impulse",
    more: Mapping[str, Column] | None = None,
    rule: str = "",
    step: float = 5e-3,
    tolerance: float = 1e-12,
    until: float = np.inf,
    gravity: float = 9.81,
) -> Case:
    """The ball above a floor for ten seconds; ``contact`` is written in z, y and phi, ``more`` are further columns."""
    body = nsd.LagrangianSystem(
        "ball",
        [z, y, phi],
        units=["m", "m", "rad"],
        potential=m * g * z,
        kinetic=m * (z.diff() ** 2 + y.diff() ** 2 + sp.Rational(2, 5) * R**2 * phi.diff() ** 2) / 2,
    )
    model = nsd.Model(
        name,
        [body],
        [contact],
        scheme=scheme,
        step=step,
        end=10,
        parameters={m: 1, g: gravity, R: 0.1},
        initial={z: 1, y: 0, phi: 0},
    )
    columns: dict[str, Column] = {"q[0]": "z", "v[0]": "z_dot", "p(1)[0]": impulse, "lambda(1)[0]": impulse}
    return Case(model, columns | dict(more or {}), rule, tolerance=tolerance, until=until)
