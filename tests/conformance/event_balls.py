"""The bouncing ball of the event-driven tables: height, horizontal position, rotation; only the first moves."""

from collections.abc import Mapping

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from .case import Array, Case, Column

m, g, R = sp.symbols("m g R", positive=True)
z, y, phi = dynamicsymbols("z y phi")


def event_ball(
    name: str,
    restitution: float,
    columns: Mapping[str, Column],
    *,
    height: float = 1.0,
    rate: float = 0.0,
    rest_rate: float = 1e-7,
    unmatched: int = 0,
    tolerance: float = 1e-12,
    rule: str = "",
) -> Case:
    """The ball above a floor, recorded every 5 ms and on both sides of every impact."""
    body = nsd.LagrangianSystem(
        "ball",
        [z, y, phi],
        units=["m", "m", "rad"],
        potential=m * g * z,
        kinetic=m * (z.diff() ** 2 + y.diff() ** 2 + sp.Rational(3, 5) * R**2 * phi.diff() ** 2) / 2,
    )
    model = nsd.Model(
        name,
        [body],
        [nsd.Contact("floor", z, nsd.NewtonImpact(restitution))],
        scheme=nsd.EventDriven(rest_rate=rest_rate),
        step=5e-3,
        end=8.5,
        parameters={m: 1, g: 9.81, R: 0.1},
        initial={z: height, z.diff(): rate, y: 0, phi: 0},
    )
    return Case(model, {"q[0]": "z", "v[0]": "z_dot", **columns}, rule, tolerance=tolerance, unmatched=unmatched)


def of_both_sides(name: str) -> Column:
    """A column whose value after an event also stands in the row before it."""

    def values(run: nsd.Trajectory) -> Array:
        found = np.array(run[name])
        for event in run.events:
            found[event.before] = found[event.after]
        return found

    return values


BOTH = {
    "p(1)[0]": of_both_sides("impulse"),
    "p(2)[0]": of_both_sides("force"),
    "lambda(1)[0]": "impulse",
    "lambda(2)[0]": "force",
}
