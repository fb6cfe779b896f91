"""Operators of mechanisms against each other, differences and sums; beside Pinocchio in tests/robots/test_urdf.py."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ModelError
from nsdgen.symbolic.families import quaternion as quat

GRAVITY = np.array([0.3, -0.2, -9.81])
ALL = ["inverse_dynamics", "regressor", "centre_of_mass", "momentum", "energy", "forward_dynamics", "solve_mass"]
ALL += ["joint_forces", "centre_of_mass_q", "momentum_q", "momentum_v", "energy_q", "forward_dynamics_tau"]
ALL += ["tool_jacobian_q", "tool_drift_v"]


def bodies() -> list[nsd.RigidBody]:
    tensors = [sp.diag(0.3, 0.4, 0.5), sp.Matrix([[0.2, 0.01, 0], [0.01, 0.3, 0.02], [0, 0.02, 0.25]])]
    found = [nsd.RigidBody(name, k + 1.5, tensor) for name, k, tensor in zip("ab", (1, 2), tensors, strict=True)]
    return [body.apply_force(list(float(body.mass) * GRAVITY)) for body in found]


def arm(**given) -> nsd.Mechanism:
    """A slanted hinge, then a slider with a rotor."""
    a, b = bodies()
    one = nsd.Revolute("one", nsd.Marker(a, [0.3, 0, 0.1], axis=[0.6, 0.8, 0]), nsd.Marker(axis=[0.6, 0.8, 0]))
    two = nsd.Prismatic("two", nsd.Marker(b, [0, 0.2, 0], axis=[1, 2, 2]), nsd.Marker(a, [0, 0, 0.4], axis=[1, 2, 2]))
    tool = nsd.Marker(b, [0.1, 0.2, 0.3], axis=[0, 1, 0])
    return nsd.Mechanism("m", [one, two], armature={two: 0.7}, frames={"tool": tool}, **given)


def swing(**given) -> nsd.Mechanism:
    """A free body with another on a ball."""
    a, b = bodies()
    ball = nsd.Spherical("ball", nsd.Marker(b, [0, 0, 0.4]), nsd.Marker(a, [0.1, 0, -0.2]))
    return nsd.Mechanism("m", [ball], frames={"tool": nsd.Marker(b, [0.1, 0.2, 0.3], axis=[0, 1, 0])}, **given)


@pytest.fixture(params=[arm, pytest.param(swing, marks=pytest.mark.slow)], scope="module")
def compiled(request: pytest.FixtureRequest) -> tuple[nsd.Mechanism, object]:
    mechanism = request.param(operators=ALL)
    return mechanism, nsd.Model("x", [mechanism], **REST).compile(interpret=True).m


REST = {"scheme": nsd.MoreauJean(), "step": 1e-3, "end": 1, "initial": {}}


def state(group) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q with unit quaternions, v, v'."""
    rng = np.random.default_rng(4)
    sizes = dict(group.inverse_dynamics.arguments)
    q, v, a = (rng.uniform(-1, 1, sizes[name]) for name in "qva")
    if len(q) > 2:
        for first in (3, 7):
            q[first : first + 4] /= np.linalg.norm(q[first : first + 4])
    return q, v, a


def moved(q: np.ndarray, v: np.ndarray, group, t: float) -> np.ndarray:
    """q at the time t of a path with q' = T(q) v there and now."""
    rate = group.twist_map(q) @ v if len(q) > 2 else v
    found = q + t * rate
    if len(q) > 2:
        for first in (3, 7):
            found[first : first + 4] /= np.linalg.norm(found[first : first + 4])
    return found


def test_inverse_dynamics_is_what_mass_and_forces_leave(compiled):
    _, group = compiled
    q, v, a = state(group)
    np.testing.assert_allclose(group.inverse_dynamics(0, q, v, a), group.mass(q) @ a - group.force(0, q, v), atol=1e-13)


def test_derivatives_of_inverse_dynamics(compiled):
    _, group = compiled
    q, v, a = state(group)
    h = 1e-6
    for role, slope in (("q", group.inverse_dynamics_q), ("v", group.inverse_dynamics_v)):
        d = np.random.default_rng(5).normal(size=len(q if role == "q" else v))
        ends = [(q + s * h * d, v) if role == "q" else (q, v + s * h * d) for s in (1, -1)]
        difference = np.subtract(*(group.inverse_dynamics(0, *end, a) for end in ends)) / (2 * h)
        np.testing.assert_allclose(slope(0, q, v, a) @ d, difference, atol=2e-8)


def test_the_regressor_times_the_parameters_is_inverse_dynamics(compiled):
    """Armature apart, which belongs to no body."""
    mechanism, group = compiled
    q, v, a = state(group)
    rows = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    pi = [x for b in mechanism.bodies for x in (b.mass, 0, 0, 0, *(b.inertia[i, j] for i, j in rows))]
    rotor = [0, 0.7 * a[1]] if mechanism.armature else 0
    tau = group.regressor(q, v, a, GRAVITY) @ np.array(pi, dtype=float) + rotor
    np.testing.assert_allclose(tau, group.inverse_dynamics(0, q, v, a), atol=1e-12)


def test_first_moments_of_the_regressor_move_the_centre():
    """A body whose mass sits elsewhere, by its parameters about another origin."""
    d = np.array([0.1, -0.2, 0.3])
    inertia = np.diag([0.3, 0.4, 0.5])
    taus = []
    for shift in (np.zeros(3), d):
        body = nsd.RigidBody("a", 2, sp.Matrix(inertia)).apply_force(list(2 * GRAVITY))
        hinge = nsd.Revolute(
            "h", nsd.Marker(body, [0.3, 0, 0.1] - shift, axis=[0.6, 0.8, 0]), nsd.Marker(axis=[0.6, 0.8, 0])
        )
        m = nsd.Mechanism("m", [hinge], operators=["inverse_dynamics", "regressor"])
        taus.append(nsd.Model("x", [m], **REST).compile(interpret=True).m)
    about = inertia + 2 * (d @ d * np.eye(3) - np.outer(d, d))
    pi = [2, *(2 * d), *(about[i, j] for i, j in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)])]
    at = [0.4], [1.2], [-0.7]
    np.testing.assert_allclose(taus[0].regressor(*at, GRAVITY) @ pi, taus[1].inverse_dynamics(0, *at), atol=1e-13)


def test_the_coriolis_matrix():
    """C v is what is quadratic in v, and M' - 2 C is skew."""
    group = nsd.Model("x", [arm(operators=["coriolis"])], **REST).compile(interpret=True).m
    q, v, h = np.array([0.4, -0.3]), np.array([1.3, 0.8]), 1e-5
    C = group.coriolis(q, v)
    np.testing.assert_allclose(C @ v, group.force(0, q, 0 * v) - group.force(0, q, v), atol=1e-13)
    twice = (group.mass(q + h * v) - group.mass(q - h * v)) / (2 * h) - 2 * C
    np.testing.assert_allclose(twice + twice.T, 0, atol=1e-9)


def test_frames_move_with_their_jacobian_and_drift(compiled):
    _, group = compiled
    q, v, _ = state(group)
    h = 1e-5
    poses = [group.tool_pose(moved(q, v, group, s)) for s in (-h, 0, h)]
    speed = (poses[2] - poses[0]) / (2 * h)
    p0, p = poses[1][3], poses[1][3:]
    turning = 2 * (p0 * speed[4:] - speed[3] * p[1:] - np.cross(speed[4:], p[1:]))  # of 2 p' o conj(p)
    jacobian = group.tool_jacobian
    np.testing.assert_allclose(jacobian(q) @ v, [*speed[:3], *turning], atol=1e-8)
    drift = (jacobian(moved(q, v, group, h)) - jacobian(moved(q, v, group, -h))) @ v / (2 * h)
    np.testing.assert_allclose(group.tool_drift(q, v), drift, atol=1e-8)


def test_centre_of_mass_and_momentum(compiled):
    """Sums over bodies."""
    mechanism, group = compiled
    q, v, _ = state(group)
    h, mass = 1e-5, np.array([float(b.mass) for b in mechanism.bodies])
    poses = [group.poses(moved(q, v, group, s)) for s in (-h, 0, h)]
    centre = mass @ poses[1][:, :3] / mass.sum()
    np.testing.assert_allclose(group.centre_of_mass(q), centre, atol=1e-14)
    speeds = (poses[2] - poses[0]) / (2 * h)
    angular = np.zeros(3)
    for body, pose, speed, m in zip(mechanism.bodies, poses[1], speeds, mass, strict=True):
        p, dp = pose[3:], speed[3:]
        w = 2 * (p[0] * dp[1:] - dp[0] * p[1:] - np.cross(dp[1:], p[1:]))
        R = np.array(quat.rotation(list(p)), dtype=float)
        angular += R @ np.array(body.inertia, dtype=float) @ R.T @ w + m * np.cross(pose[:3] - centre, speed[:3])
    np.testing.assert_allclose(group.momentum(q, v), [*(mass @ speeds[:, :3]), *angular], atol=1e-8)


def test_the_energy_is_that_of_the_mass_matrix_and_of_the_height(compiled):
    """Beside v M v / 2, which composite bodies make of other operations, and -m g x of the centre of mass."""
    mechanism, group = compiled
    q, v, _ = state(group)
    weight = sum(float(b.mass) for b in mechanism.bodies) * GRAVITY
    expected = v @ group.mass(q) @ v / 2 - weight @ group.centre_of_mass(q)
    np.testing.assert_allclose(group.energy(0, q, v), [expected], rtol=1e-13)


def test_forward_dynamics_undoes_inverse_dynamics(compiled):
    _, group = compiled
    q, v, a = state(group)
    np.testing.assert_allclose(group.forward_dynamics(0, q, v, group.inverse_dynamics(0, q, v, a)), a, atol=1e-12)
    b = np.arange(1.0, len(v) + 1)
    np.testing.assert_allclose(group.solve_mass(q, b), np.linalg.solve(group.mass(q), b), rtol=1e-11)
    np.testing.assert_allclose(
        group.forward_dynamics_tau(0, q, v, a) @ b, np.linalg.solve(group.mass(q), b), rtol=1e-11
    )


def test_derivatives_that_are_asked_for_by_name(compiled):
    """Beside central differences; of a matrix a row for each entry."""
    _, group = compiled
    q, v, _ = state(group)
    h, rng = 1e-6, np.random.default_rng(6)
    cases = [("centre_of_mass", "q"), ("momentum", "q"), ("momentum", "v"), ("energy", "q"), ("tool_jacobian", "q")]
    for name, role in (*cases, ("tool_drift", "v")):
        value, slope = getattr(group, name), getattr(group, f"{name}_{role}")
        d = rng.normal(size=len(q if role == "q" else v))
        ends = [{"t": 0.0, "q": q, "v": v} for _ in range(2)]
        for end, sign in zip(ends, (1, -1), strict=True):
            end[role] = end[role] + sign * h * d
        at = {"t": 0.0, "q": q, "v": v}
        high, low = (np.ravel(value(*(end[name] for name, _ in value.arguments))) for end in ends)
        found = slope(*(at[name] for name, _ in slope.arguments)) @ d
        np.testing.assert_allclose(found, (high - low) / (2 * h), atol=2e-8)


def test_the_rate_of_a_jacobian_times_velocities_is_its_drift(compiled):
    _, group = compiled
    q, v, _ = state(group)
    np.testing.assert_allclose(group.tool_jacobian_rate(q, v) @ v, group.tool_drift(q, v), atol=1e-12)
    h = 1e-6
    ends = [group.tool_jacobian(moved(q, v, group, t)) for t in (h, -h)]
    np.testing.assert_allclose(group.tool_jacobian_rate(q, v), (ends[0] - ends[1]) / (2 * h), atol=1e-8)


def test_forces_of_joints_carry_the_bodies():
    """The ground's is what the centre of mass accelerates with, less the weight; about an axis it is the motor's."""
    mechanism = arm(
        operators=["joint_forces", "inverse_dynamics", "centre_of_mass", "momentum", "momentum_q", "momentum_v"]
    )
    group = nsd.Model("x", [mechanism], **REST).compile(interpret=True).m
    q, v, a = np.array([0.4, -0.3]), np.array([1.2, 0.7]), np.array([-0.6, 2.0])
    force, moment = np.split(group.joint_forces(0, q, v, a, np.zeros(12)), 2, axis=1)
    rate = (group.momentum_q(q, v) @ v + group.momentum_v(q, v) @ a)[:3]
    weight = sum(float(b.mass) for b in mechanism.bodies) * GRAVITY
    np.testing.assert_allclose(force[0], rate - weight, atol=1e-12)
    tau = group.inverse_dynamics(0, q, v, a)
    np.testing.assert_allclose(moment[0] @ [0.6, 0.8, 0], tau[0], atol=1e-12)
    turn = rotation_about([0.6, 0.8, 0], q[0])
    np.testing.assert_allclose(force[1] @ turn @ np.array([1, 2, 2]) / 3, tau[1] - 0.7 * a[1], atol=1e-12)


def test_forces_of_joints_carry_what_acts_besides():
    """A push at the tool goes through both joints to the ground; along their freedoms it takes J^T f off."""
    group = nsd.Model("x", [arm(operators=["joint_forces"])], **REST).compile(interpret=True).m
    q, v, a, f = np.array([0.4, -0.3]), np.array([1.2, 0.7]), np.array([-0.6, 2.0]), np.array([3.0, -1.0, 2.0])
    lever = group.tool_pose(q)[:3].ravel() - group.poses(q)[1, :3]
    w = np.concatenate([np.zeros(6), f, np.cross(lever, f)])
    change = group.joint_forces(0, q, v, a, w) - group.joint_forces(0, q, v, a, np.zeros(12))
    np.testing.assert_allclose(change[:, :3], [-f, -f], atol=1e-12)
    slide = rotation_about([0.6, 0.8, 0], q[0]) @ np.array([1, 2, 2]) / 3
    along = [change[0, 3:] @ [0.6, 0.8, 0], change[1, :3] @ slide]
    np.testing.assert_allclose(along, -group.tool_jacobian(q)[:3].T @ f, atol=1e-12)


def rotation_about(axis, angle):
    k = np.cross(np.eye(3), axis)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def test_operators_broadcast(compiled):
    _, group = compiled
    q, v, a = state(group)
    many = group.inverse_dynamics(0, np.tile(q, (3, 1)), v, np.outer([1, 2, 3], a))
    assert many.shape == (3, len(v)) and (many[1] == group.inverse_dynamics(0, q, v, 2 * a)).all()


def test_what_is_no_operator_and_no_frame():
    with pytest.raises(ModelError, match="did you mean 'regressor'"):
        nsd.Model("x", [arm(operators=["regresor"])], **REST)
    with pytest.raises(ModelError, match="no Christoffel symbols"):
        nsd.Model("x", [swing(operators=["coriolis"])], **REST)
    a, b = bodies()
    hinge = nsd.Revolute("h", nsd.Marker(a), nsd.Marker())
    b.apply_moment([1, 0, 0])
    pin = nsd.Revolute("p", nsd.Marker(b), nsd.Marker())
    with pytest.raises(ModelError, match="applied to body 'b' is a moment"):
        nsd.Model("x", [nsd.Mechanism("m", [pin], operators=["energy"])], **REST)
    with pytest.raises(ModelError, match=r"frame 'tool': .* is no marker on one of its bodies"):
        nsd.Model("x", [nsd.Mechanism("m", [hinge], frames={"tool": nsd.Marker(b)})], **REST)
    with pytest.raises(ModelError, match="operators and frames are of joint coordinates"):
        nsd.Mechanism("m", [hinge], coordinates="absolute", operators=["momentum"])
