"""A beam that turns freely about a principal axis, one radian a step, and falls."""

import math

import sympy as sp

import nsdgen as nsd

from ..bodies import body_columns
from ..case import Case

m, g, J, K = sp.symbols("m g J K", positive=True)
beam = nsd.RigidBody("beam", mass=m, inertia=sp.Matrix([[J, J, 0], [J, K, 0], [0, 0, K]]))
beam.apply_force([0, 0, -m * g])
model = nsd.Model(
    "ne_1ds",
    [beam],
    scheme=nsd.MoreauJean(theta=1, rotation="exponential"),
    step=0.01,
    end=10,
    parameters={m: 1, g: 9.81, J: 0.1, K: 1},
    initial={
        beam.position: [0.5 / math.sqrt(2), 0, -0.5 / math.sqrt(2)],
        beam.quaternion: nsd.from_axis_angle([0, 1, 0], math.pi / 4),
        beam.velocity: [100, 0, 0],
        beam.angular_velocity: [0, 0, 100],
    },
)

case = Case(model, body_columns(), first_step=1)
