"""A beam on a ball joint, thrown so that its first step is an impact of the joint."""

import math

import numpy as np
import sympy as sp

import nsdgen as nsd

from ..bodies import body_columns
from ..case import Case
from ..supplied import iterated, rule_of

m, g, J, K = sp.symbols("m g J K", positive=True)
beam = nsd.RigidBody("beam", mass=m, inertia=sp.Matrix([[J, J, 0], [J, K, 0], [0, 0, K]]))
beam.apply_force([0, 0, -m * g])
joint = nsd.Bilateral("joint", list(beam.point([-0.5, 0, 0]).position))
model = nsd.Model(
    "ne_1ds_1knee",
    [beam],
    [joint],
    step=0.01,
    end=10,
    scheme=nsd.MoreauJean(theta=1, rotation="exponential", **iterated(1e-6)),
    parameters={m: 1, g: 9.81, J: 0.1, K: 1},
    initial={
        beam.position: [0.5 / math.sqrt(2), 0, -0.5 / math.sqrt(2)],
        beam.quaternion: nsd.from_axis_angle([0, 1, 0], math.pi / 4),
        beam.velocity: [100, 0, 0],
    },
)

case = Case(
    model,
    body_columns() | {"|y| joint violation": lambda run: np.linalg.norm(run["joint.gap"], axis=1)},
    first_step=1,
    rule=rule_of(1e-6),
)
