"""A rigid ball bounces along the x axis, with friction in space that never acts."""

import numpy as np
import sympy as sp

import nsdgen as nsd

from ..bodies import body_columns
from ..case import Case

m, g, R = sp.symbols("m g R", positive=True)
ball = nsd.RigidBody("ball", mass=m, inertia=sp.eye(3)).apply_force([-m * g, 0, 0])
x, y, z = ball.position
floor = nsd.Contact(
    "floor",
    gap=x - R,
    bodies=(ball,),
    point=[x - R, y, z],
    law=nsd.NewtonImpactFriction(restitution=0.9, friction=0.6, tangential_restitution=0.9),
)
model = nsd.Model(
    "bouncing_ball_nets",
    [ball],
    [floor],
    scheme=nsd.MoreauJean(rotation="exponential"),
    step=5e-3,
    end=10,
    parameters={m: 1, g: 9.81, R: 0.1},
    initial={ball.position: [1, 0, 0], ball.velocity: [2, 0, 0]},
)

case = Case(
    model,
    body_columns()
    | {
        "p0 (generalised impulse, x)": "impulse[0]",
        "lam0 (normal impulse)": "impulse[0]",
        "acos(qw)": lambda run: np.arccos(run["quaternion[0]"]),
        "|H^T lam| (6-vector norm)": "impulse[0]",
    },
)
