"""A tippe top: a ball whose centre of mass is below its middle, which spins and slides on the ground."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import nsdgen as nsd

R, G = 0.02, 9.81
LOW = 0.05 * 1.098 / 0.098  # of R: where its heavy part is, so that its centre of mass is 0.05 R below the middle
E_TOP = 0.05 * R


def top_by_integration(mass, moments, axis, spin, mu, times):
    """The axis of a ball with its centre of mass off its middle, sliding on a plane, by Newton's and Euler's laws.

    Unknowns are the axis, the angular momentum and the velocity along the plane; the height is R - e axis_z. Sliding
    slower than 1e-4 m/s is damped, as an integrator needs it.
    """
    across, along = moments[0], moments[2]
    more = 1 / along - 1 / across

    def rates(_, y):
        a, momentum, v = y[:3], y[3:6], y[6:]
        w = momentum / across + more * (momentum @ a) * a
        turning = np.cross(w, a)
        arm = E_TOP * a - [0, 0, R]
        sliding = v + np.cross(w, arm)[:2]
        pull = -mu * sliding / np.hypot(np.linalg.norm(sliding), 1e-4)
        moment = np.cross(arm, [*pull, 1.0])  # of a normal force of 1
        free = np.cross(more * (momentum @ a) * turning, a) + np.cross(w, turning)
        pushed = np.cross(moment / across + more * (moment @ a) * a, a)
        normal = mass * (G - E_TOP * free[2]) / (1 + mass * E_TOP * pushed[2])
        return np.concatenate([turning, normal * moment, normal / mass * pull])

    start = np.concatenate([axis, along * spin * axis, [0.0, 0.0]])
    return solve_ivp(rates, (0, times[-1]), start, method="LSODA", rtol=1e-8, atol=1e-10, t_eval=times).y[:3].T


def test_a_tippe_top_slides_as_by_integration():
    """Its axis is off by the order of the step, and so is Jellett's constant, whatever friction does."""
    errors, lost, truth = [], [], None
    for h in (2e-4, 1e-4):
        world = nsd.World(friction=0.1)
        world.plane()
        heavy = nsd.solids.Ellipsoid([0.7 * R, 0.7 * R, 0.2 * R])
        top = nsd.solids.Compound([(nsd.solids.Sphere(R), [0, 0, 0]), (heavy, [0, 0, -LOW * R])])
        body = world.add(
            top, [0, 0, R], nsd.from_axis_angle([1, 0, 0], 0.5), angular_velocity=[0, 0, 200.0], name="top"
        )
        assert np.linalg.norm(body.position - [0, 0, R]) == pytest.approx(E_TOP)
        run = world.run(0.05, step=h, every=round(0.01 / h))
        turned = Rotation.from_quat(run["top.quaternion"][:, [1, 2, 3, 0]])
        axis = turned.apply([0, 0, 1])
        if truth is None:
            truth = top_by_integration(body.mass, np.array(body.moments), axis[0], 200.0, 0.1, run.time)
        errors.append(np.abs(axis - truth).max())
        momentum = turned.apply(run["top.angular_velocity"] * body.moments)
        jellett = R * momentum[:, 2] - E_TOP * np.einsum("ij,ij->i", momentum, axis)
        lost.append(np.abs(jellett / jellett[0] - 1).max())
    assert errors[0] < 2e-3 and lost[0] < 1e-3
    assert errors[1] < 0.6 * errors[0] and lost[1] < 0.6 * lost[0]
