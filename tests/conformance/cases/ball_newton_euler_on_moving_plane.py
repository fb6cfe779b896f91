"""A ball bounces on a plane whose velocity is prescribed, along the x axis."""

import numpy as np
import sympy as sp

import nsdgen as nsd

from ..bodies import body_columns
from ..case import Case

m, g = sp.symbols("m g", positive=True)
ball, plane = (nsd.RigidBody(name, mass=m, inertia=sp.eye(3)).apply_force([-m * g, 0, 0]) for name in ("ball", "plane"))
travelled = 2 * nsd.time + 2 / sp.pi * sp.sin(sp.pi * nsd.time / 2)
drive = nsd.Bilateral("drive", [plane.position[0] - travelled])  # on velocities: x' = 2 + cos(pi t / 2)
law = nsd.NewtonImpactFriction(restitution=0.9, friction=0.6, tangential_restitution=0.9)
touch = nsd.Contact(
    "touch", gap=ball.position[0] - plane.position[0], bodies=(ball, plane), point=ball.position, law=law
)
model = nsd.Model(
    "ball_on_moving_plane",
    [ball, plane],
    [drive, touch],
    scheme=nsd.MoreauJean(rotation="exponential"),
    step=5e-3,
    end=10,
    parameters={m: 1, g: 9.81},
    initial={ball.position: [1, 0, 0], ball.velocity: [2, 0, 0], plane.position: [0, 0, 0]},
)

case = Case(
    model,
    body_columns("ball")
    | {
        "p0 ball": "touch.impulse[0]",
        "acos(qw)": lambda run: np.arccos(run["ball.quaternion[0]"]),
        "|H^T lam| over both bodies": lambda run: np.sqrt(2) * run["touch.impulse[0]"],
        "x plane (row 0: z)": "plane.position[0]",
        "vx plane (row 0: vz)": "plane.velocity[0]",
    },
    unset=("vx plane (row 0: vz)",),
)
