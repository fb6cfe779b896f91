"""The bouncing ball of the published tables: height, horizontal position and rotation, of which only the first moves."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from .case import Case

m, g, R = sp.symbols("m g R", positive=True)
z, y, phi = dynamicsymbols("z y phi")


def ball(name: str, contact: nsd.Contact, scheme: nsd.MoreauJean, *, impulse: str = "impulse", step: float = 5e-3,
         gravity: float = 9.81, **more: object) -> Case:
    """The ball above a floor for ten seconds; ``contact`` is written in z, y and phi."""
    body = nsd.LagrangianSystem(
        "ball", [z, y, phi], units=["m", "m", "rad"], potential=m * g * z,
        kinetic=m * (z.diff()**2 + y.diff()**2 + sp.Rational(2, 5) * R**2 * phi.diff()**2) / 2)
    model = nsd.Model(name, [body], [contact], scheme=scheme, step=step, end=10,
                      parameters={m: 1, g: gravity, R: 0.1}, initial={z: 1, y: 0, phi: 0})
    return Case(model, {"q[0]": "z", "v[0]": "z_dot", "p(1)[0]": impulse, "lambda(1)[0]": impulse}, **more)
