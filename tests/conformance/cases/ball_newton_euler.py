"""A ball three of whose velocities are prescribed: one along an axis, two of its rotation."""

import sympy as sp

import nsdgen as nsd

from ..beams import TangentBody
from ..bodies import body_columns
from ..case import Case


def ball(body: nsd.RigidBody) -> nsd.Model:
    """The ball under its weight, driven by three velocities."""
    body.apply_force([-10, 0, 0])
    driven = (body.velocity[0], body.angular_velocity[0], body.angular_velocity[2])
    drive = nsd.VelocityConstraint("drive", [v - 2 - sp.cos(sp.pi * nsd.time / 2) for v in driven])
    return nsd.Model(
        "ball_newton_euler",
        [body],
        [drive],
        scheme=nsd.MoreauJean(theta=1, rotation="exponential"),
        step=1e-3,
        end=10,
        initial={body.position: [1, 0, 0]},
    )


case = Case(
    ball(TangentBody("ball", mass=1, inertia=sp.eye(3))),
    body_columns(),
    tolerance=1e-11,
    exact=ball(nsd.RigidBody("ball", mass=1, inertia=sp.eye(3))),
    rule="small rotations by another series (a family in tests/conformance/beams.py)",
)
