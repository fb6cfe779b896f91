"""A body on a vertical guide falls without turning."""

import math

import sympy as sp

import nsdgen as nsd

from ..bodies import body_columns
from ..case import Case

m, g = sp.symbols("m g", positive=True)
body = nsd.RigidBody("body", mass=m, inertia=sp.eye(3)).apply_force([0, 0, -m * g])
attitude = [math.cos(math.pi / 5), *(math.sin(math.pi / 5) * k / math.sqrt(14) for k in (3, 2, 1))]
w, a, b, c = body.quaternion
w_0, a_0, b_0, c_0 = attitude
turned = [
    w_0 * a - a_0 * w - b_0 * c + c_0 * b,
    w_0 * b - b_0 * w - c_0 * a + a_0 * c,
    w_0 * c - c_0 * w - a_0 * b + b_0 * a,
]  # the vector part of the rotation since the start
guide = nsd.Bilateral("guide", [body.position[0] - 1, body.position[1] - 1, *turned])
model = nsd.Model(
    "prismatic",
    [body],
    [guide],
    scheme=nsd.MoreauJean(theta=1, rotation="exponential"),
    step=1e-3,
    end=2,
    parameters={m: 1, g: 9.81},
    initial={body.position: [1, 1, 1], body.quaternion: attitude},
)

case = Case(model, body_columns(), first_step=1)
