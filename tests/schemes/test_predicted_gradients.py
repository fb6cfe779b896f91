"""Gradients at the predicted configuration: one one-step problem in a step, and what it converges to."""

from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation
from scipy.special import ellipk
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ParameterError

G, LENGTH = 9.81, 1.0


@pytest.fixture(scope="module")
def pendulum() -> Any:
    """A point on a circle: x**2 + y**2 = 1 as a bilateral constraint, let go at the height of the centre."""
    x, y = dynamicsymbols("x y")
    mass = nsd.LagrangianSystem(
        "mass", coordinates=[x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=G * y
    )
    rod = nsd.Bilateral("rod", (x**2 + y**2 - LENGTH**2) / 2)
    scheme = nsd.MoreauJean(theta=0.5, gradient_at="predicted")
    return nsd.Model("pendulum", [mass], [rod], scheme=scheme, step=1e-3, end=1.0, initial={x: 1.0, y: 0.0}).compile()


def test_a_step_is_one_problem(pendulum: Any) -> None:
    assert (pendulum.run()["newton_iterations"][1:] == 1).all()


def test_a_pendulum_falls_in_the_time_of_the_elliptic_integral(pendulum: Any) -> None:
    """From the height of the centre to the bottom: a quarter of the period, sqrt(l/g) K(sin^2 45 deg)."""
    quarter = np.sqrt(LENGTH / G) * ellipk(0.5)
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        run = pendulum.run(step=step, end=0.8)
        x = run["mass.x"]
        k = int(np.flatnonzero((x[:-1] > 0) & (x[1:] <= 0))[0])
        time = run.time[k] + step * x[k] / (x[k] - x[k + 1])
        errors.append(abs(time - quarter))
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    # First order: the velocity at the end of the step satisfies the constraint of its middle.
    assert (orders > 0.95).all() and errors[-1] < 1e-3


def test_it_cannot_iterate_on_gaps() -> None:
    with pytest.raises(ParameterError, match="does not iterate"):
        nsd.MoreauJean(gradient_at="predicted", activation="iterated")
    with pytest.raises(ParameterError, match="gradient_at='exact' is unknown"):
        nsd.MoreauJean(gradient_at="exact")


@pytest.mark.parametrize("gamma", [0.5, 1.0])
def test_a_body_whose_rotation_is_predicted_has_gradients_at_the_predicted_quaternion(gamma: float) -> None:
    """The rate of a pin is zero with H at q_k + gamma h T(q_k) v_k, its quaternion normalised, and nowhere else."""
    arm = np.array([0.0, 0.1, 0.3])
    top = nsd.RigidBody("top", 1, sp.diag(0.3, 0.2, 0.1)).apply_force([0, 0, -G])
    pin = nsd.Spherical("pin", nsd.Marker(top, (-arm).tolist()), nsd.Marker())
    scheme = nsd.MoreauJean(rotation="predicted", gradient_at="predicted", gradient_gamma=gamma)
    spin = np.array([1.0, 2.0, 9.0])
    h = 5e-3
    run = (
        nsd.Model(
            "top",
            [top],
            [pin],
            scheme=scheme,
            step=h,
            end=0.2,
            initial={
                top.position: arm.tolist(),
                top.velocity: np.cross(spin, arm).tolist(),
                top.angular_velocity: spin.tolist(),
            },
        )
        .compile(interpret=True)
        .run()
    )
    p, v, omega = (np.array(run[name]) for name in ("quaternion", "velocity", "angular_velocity"))
    # p' = p o (0, Omega) / 2, scalar first
    w, x = p[:-1, :1], p[:-1, 1:]
    turned = np.hstack([-(x * omega[:-1]).sum(axis=1, keepdims=True), w * omega[:-1] + np.cross(x, omega[:-1])]) / 2

    def rate(ahead: float) -> float:
        there = Rotation.from_quat(np.roll(p[:-1] + ahead * h * turned, -1, axis=1))
        return float(np.abs(v[1:] - there.apply(np.cross(omega[1:], arm))).max())

    assert rate(gamma) < 1e-12 and rate(0) > 1e-2 and rate(1.5 - gamma) > 1e-3
