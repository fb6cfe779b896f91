"""A small trajectory with everything that is hard to name, write and draw, and a brick that falls."""

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.study import Column, Trajectory

COLUMNS = (
    Column("ball.z", "m", "height of the ball"),
    Column("ball.z_dot", "m/s"),
    Column("table.gap", "m"),
    Column("table.impulse", "N s"),
    Column("brick.position[1]", "m", "centre of mass"),
    Column("brick.position[0]", "m", "centre of mass"),
    Column("brick.twist[0]", "m/s"),
    Column("brick.twist[1]", "rad/s"),
    Column("left.lam[0]", "N"),
    Column("left.lam[1]", "N"),
    Column("right.lam[0]", "N"),
    Column("newton_iterations", "", "Newton iterations of the step"),
)


@pytest.fixture
def trajectory() -> Trajectory:
    """Eight instants; the first column holds the numbers that text formats lose."""
    table = np.random.default_rng(3).normal(size=(8, len(COLUMNS)))
    table[:, 0] = [np.nan, np.inf, -np.inf, 5e-324, -0.0, 0.1 + 0.2, 1e300, 1 / 3]
    table[:, 3] = [0, 0, 1.5, 0, 0, 0.25, 0, 0]
    table[:, 11] = 2
    attributes = {"scheme": "MoreauJean(theta=0.5)", "step": 0.1, "parameters": {"m": 1.0}}
    return Trajectory("shaken_ball", 0.1 * np.arange(8), table, COLUMNS, attributes)


A, B, C = 0.12, 0.06, 0.04  # half edges


@pytest.fixture(scope="module")
def brick() -> nsd.Model:
    """A brick that falls on its corners with friction."""
    inertia = sp.diag(B**2 + C**2, A**2 + C**2, A**2 + B**2) / 3
    body = nsd.RigidBody("brick", 1, inertia).apply_force([0, 0, -9.81])
    corners = [[x * A, y * B, z * C] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    ground = nsd.Plane("ground", [0, 0, 1])
    return nsd.Model(
        "brick",
        [body],
        nsd.contacts_between([body.point(c) for c in corners], ground, nsd.NewtonImpactFriction(0.3, 0.4)),
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=0.5,
        initial={body.position: [0, 0, 0.3], body.angular_velocity: [2, 1, 0]},
    )
