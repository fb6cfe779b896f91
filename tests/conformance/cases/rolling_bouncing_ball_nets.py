"""A spinning ball bounces along the x axis with friction, rolling friction and tangential restitution."""

import sympy as sp

import nsdgen as nsd

from ..beams import TangentBody
from ..bodies import body_columns
from ..case import Case

R = 0.1
ball = TangentBody("ball", mass=1, inertia=sp.eye(3)).apply_force([-9.81, 0, 0])
x, y, z = ball.position
floor = nsd.Contact(
    "floor",
    gap=x - R,
    bodies=(ball,),
    point=[x - R, y, z],
    frame=([1, 0, 0], [0, -1, 0], [0, 0, -1]),
    law=nsd.NewtonImpactRollingFriction(0.9, 0.6, 0.01, 0.9),
)
model = nsd.Model(
    "rolling_bouncing_ball",
    [ball],
    [floor],
    scheme=nsd.MoreauJean(rotation="exponential"),
    step=5e-3,
    end=15,
    initial={ball.position: [1, 0, 0], ball.velocity: [2, 0, 0], ball.angular_velocity: [0, 0, 1]},
)

case = Case(
    model,
    body_columns()
    | {
        "lam n": "impulse[0]",
        "lam t1": "impulse[1]",
        "lam t2": "impulse[2]",
        "rolling m1": "impulse[3]",
        "rolling m2": "impulse[4]",
    },
    table="data_2021",
    rule="the table of 2021 (that of 2024 takes the point of contact and the centre of the ball at two instants), "
    "small rotations by another series (a family in tests/conformance/beams.py)",
)
