"""Joints and springs of worlds beside closed forms, conservation, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError

G = 9.81
ROD = nsd.solids.Cuboid([1.0, 0.1, 0.1])
BALL = nsd.solids.Sphere(0.1)


def pendulum(**options):
    world = nsd.World()
    rod = world.add(ROD, [0.5, 0, 0], mass=1.0, name="rod")
    return world, rod, world.joints.hinge(rod, at=[0, 0, 0], axis=[0, 1, 0], name="pin", **options)


def test_a_pendulum_swings_by_its_equation():
    """Energy to second order in the step, the angle as well, the pin where it was; the force at the lowest point."""
    inertia, lost, off = 1.01 / 12 + 0.25, [], []
    for h in (2e-3, 1e-3):
        world, _, _ = pendulum()
        run = world.run(0.5, step=h)
        energy = inertia * run["pin.rate"] ** 2 / 2 + G * run["rod.position[2]"]
        lost.append(np.abs(energy).max())
        off.append(np.abs(np.linalg.norm(run["rod.position"], axis=1) - 0.5).max())
    assert lost[1] < 2e-4 * G * 0.5 and lost[0] / lost[1] == pytest.approx(4.0, abs=0.5)
    assert off[1] < 2e-5 and off[0] / off[1] == pytest.approx(4.0, abs=0.5)
    # Straight down: weight and 2 (m g l) m l / I of the turn
    k = int(np.abs(run["pin.coordinate"] - np.pi / 2).argmin())
    assert run["pin.force[2]"][k] == pytest.approx(G + 2 * G * 0.5 * 0.5 / inertia, rel=5e-3)


def test_a_motor_and_its_limit():
    """It holds the speed where its limit allows that; else it turns with what the limit gives."""
    world, _, pin = pendulum()
    pin.speed, pin.limit = 2.0, 1e6
    world.run(0.2, every=20)
    assert pin.rate == pytest.approx(2.0, abs=1e-6)
    assert pin.coordinate == pytest.approx(0.4, abs=2.0 * 1e-3)  # the first step speeds up
    free = nsd.World(gravity=[0, 0, 0])
    wheel = free.add(BALL, [0, 0, 0], mass=2.0)
    axle = free.joints.hinge(wheel, axis=[0, 0, 1])
    axle.speed, axle.limit = 1e3, 0.3
    free.run(0.1, every=100)
    assert axle.rate == pytest.approx(0.3 * 0.1 / (0.4 * 2.0 * 0.01), rel=1e-9)
    assert axle.moment == pytest.approx([0, 0, 0.3])


def test_dry_friction_of_a_joint_holds():
    world, _, pin = pendulum()
    pin.limit = 1.01 * G * 0.5
    world.run(0.05, every=50)
    assert abs(pin.coordinate) < 1e-9 and pin.moment[1] == pytest.approx(-G * 0.5, rel=1e-6)


def test_stops():
    """A pendulum rests on its stop, at the angle of it; a slider as well."""
    world, _, pin = pendulum(upper=0.5)
    world.run(1.0, every=100)
    assert pin.coordinate == pytest.approx(0.5, abs=1e-6) and abs(pin.rate) < 1e-8
    assert pin.moment[1] == pytest.approx(-G * 0.5 * np.cos(0.5), rel=1e-6)
    lift = nsd.World()
    box = lift.add(BALL, [0, 0, 1.0], mass=3.0)
    rail = lift.joints.slider(box, at=[0.3, 0, 1.0], lower=-0.2)
    lift.run(0.5, every=100)
    assert rail.coordinate == pytest.approx(-0.2, abs=1e-6) and box.position[:2] == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize("kind", ["hinge", "slider", "ball", "weld"])
def test_free_bodies_keep_their_momenta(kind):
    """Two bodies with a joint between them in space: momenta to second order in the step, each joint holds its rows."""
    world = nsd.World(gravity=[0, 0, 0])
    a = world.add(ROD, [0.5, 0, 0], mass=1.0, velocity=[0, 0.3, 0], angular_velocity=[1.0, 0, 2.0])
    b = world.add(nsd.solids.Cuboid([0.2, 0.5, 0.3]), [-0.4, 0.1, 0], mass=2.0)
    options = {} if kind in ("ball", "weld") else {"axis": [0.3, 0.2, 1.0]}
    joint = getattr(world.joints, kind)(a, b, at=[0, 0, 0], **options)

    def momenta():
        linear, angular = np.zeros(3), np.zeros(3)
        for body in (a, b):
            s = body.state
            linear += body.mass * s[7:10]
            spin = Rotation.from_quat(s[[4, 5, 6, 3]]).apply(np.array(body.moments) * s[10:])
            angular += spin + body.mass * np.cross(s[:3], s[7:10])
        return linear, angular

    before = momenta()
    world.run(0.5, step=1e-3, every=100)
    after = momenta()
    assert after[0] == pytest.approx(before[0], abs=1e-12)
    assert after[1] == pytest.approx(before[1], abs=2e-3)  # h/2 v_k x v_k+1 of the first step, in which rows begin
    held = {"hinge": [0, 1, 2, 3, 4], "slider": [0, 1, 3, 4, 5], "ball": [0, 1, 2], "weld": [0, 1, 2, 3, 4, 5]}[kind]
    assert np.abs(joint.look()[0][held]).max() < 1e-4


def test_joints_beside_contacts():
    """A cart of a box on four wheels rolls down a slope: a = g sin t (M + 4 m) / (M + 4 m + 4 I / r^2)."""
    slope, r = 0.2, 0.1
    world = nsd.World(gravity=[G * np.sin(slope), 0, -G * np.cos(slope)], friction=0.8)
    world.plane()
    cart = world.add(nsd.solids.Cuboid([0.8, 0.3, 0.1]), [0, 0, r], mass=5.0, name="cart")
    for x in (-0.3, 0.3):
        for y in (-0.25, 0.25):
            wheel = world.add(nsd.solids.Sphere(r), [x, y, r], mass=0.5)
            world.joints.hinge(wheel, cart, at=[x, y, r], axis=[0, 1, 0])
    run = world.run(0.4, every=40)
    wanted = G * np.sin(slope) * 7.0 / (7.0 + 4 * 0.4 * 0.5)
    assert run["cart.velocity[0]"][-1] == pytest.approx(wanted * 0.4, rel=1e-4)
    assert np.abs(run["cart.position[2]"] - r).max() < 1e-4


def test_a_spring_swings_as_it_should():
    """2/h asin(w h / 2) is the frequency of these steps; energy neither grows nor falls over 60 periods."""
    world = nsd.World(gravity=[0, 0, 0])
    ball = world.add(BALL, [1.1, 0, 0], mass=2.0)
    world.springs.add(ball, at=[1.1, 0, 0], to=[0, 0, 0], stiffness=800.0, length=1.0, name="spring")
    h, w = 2e-3, 20.0
    run = world.run(20.0, step=h, every=10)
    swing = run["body 0.position[0]"] - 1.0
    assert swing == pytest.approx(0.1 * np.cos(2 / h * np.arcsin(w * h / 2) * run.time), abs=1e-6)
    assert run["spring.force"][-1] == pytest.approx(800.0 * swing[-1], abs=3.5)


def test_a_damper_takes_its_energy():
    """Two balls with a spring and a damper between them come to rest at its length; momentum stays."""
    world = nsd.World(gravity=[0, 0, 0])
    a = world.add(BALL, [0, 0, 0], mass=1.0, velocity=[0, 0.4, 0])
    b = world.add(BALL, [1.0, 0, 0], mass=3.0)
    world.springs.add(a, b, at=[0, 0, 0], to=[1.0, 0, 0], stiffness=60.0, length=0.8, damping=12.0)
    world.run(3.0, every=1000)
    assert a.velocity + 3.0 * b.velocity == pytest.approx([0, 0.4, 0], abs=1e-12)
    way = a.position - b.position
    rate = (a.velocity - b.velocity) @ way / np.linalg.norm(way)
    assert abs(rate) < 1e-3 and 0.8 < np.linalg.norm(way) < 0.81  # it turns still, which stretches it


def test_what_is_refused():
    world = nsd.World()
    ball, other = world.add(BALL, [0, 0, 0], name="ball"), nsd.World().add(BALL, [0, 0, 0])
    with pytest.raises(ModelError, match="no body of this world"):
        world.joints.hinge(ball, other)
    with pytest.raises(ModelError, match="'ball' twice"):
        world.joints.ball(ball, ball)
    with pytest.raises(ModelError, match="the axis is zero"):
        world.joints.slider(ball, axis=[0, 0, 0])
    with pytest.raises(ModelError, match="lower <= 0 <= upper"):
        world.joints.hinge(ball, lower=0.2)
    with pytest.raises(ParameterError, match="stiffness: is -1"):
        world.springs.add(ball, to=[1, 0, 0], stiffness=-1.0)
    world.springs.add(ball, to=[1, 0, 0], stiffness=1e9, name="stiff")
    with pytest.raises(ParameterError, match="too long for spring 'stiff' on 'ball'"):
        world.run(0.1)


def test_springs_and_joints_are_drawn_at_their_places():
    world = nsd.World()
    arm = world.add(nsd.solids.Cuboid([1, 0.1, 0.1]), [0.5, 0, 1], mass=1, name="arm")
    load = world.add(nsd.solids.Sphere(0.1), [1, 0, 0.5], mass=1, name="load")
    world.joints.hinge(arm, at=[0, 0, 1], axis=[0, 1, 0], name="pin")
    world.springs.add(arm, load, at=[1, 0, 1], to=[1, 0, 0.6], stiffness=100, name="rope")
    run = world.run(0.3, step=1e-3, every=100)
    drawn = {d.name: d for d in run.origin.drawing(run, range(len(run))).drawn}
    arms, loads = drawn["arm"].values, drawn["load"].values

    def moved(poses, place):
        return poses[:, :3] + Rotation.from_quat(poses[:, 3:], scalar_first=True).apply(place)

    assert np.abs(arms[-1, :3] - arms[0, :3]).max() > 0.05
    rope = [moved(arms, [0.5, 0, 0]), moved(loads, [0, 0, 0.1])]
    assert drawn["rope"].kind == "spring" and drawn["rope"].values == pytest.approx(np.hstack(rope))
    assert drawn["pin"].kind == "joint"
    assert drawn["pin"].values == pytest.approx(np.hstack([arms[:, :3], moved(arms, [-0.5, 0, 0])]))


@pytest.mark.parametrize("planar", [False, True])
def test_joints_in_a_pile_hold_as_in_a_model(planar, monkeypatch):
    """A heap in which every other body hangs on the next one, a motor and a stop among them: both methods for steps."""
    ends = []
    for few in (0, 10**6):
        monkeypatch.setattr("nsdgen.model.world.engine._FEW_ROWS", few)
        world, random = nsd.World(friction=0.4, planar=planar), np.random.default_rng(2)
        axes = [[1, 0], [0, 1]] if planar else np.eye(3).tolist()
        world.plane(axes[-1])
        for axis in axes[:-1]:
            world.plane(axis, 0.0)
            world.plane([-a for a in axis], -0.65 if planar else -0.44)
        solid = nsd.solids.Cylinder(0.1, 0.2) if planar else BALL
        for k in range(9):
            place = 0.21 * np.array([k % 3, k // 3] if planar else [k % 2, k // 2 % 2, k // 4]) + 0.11
            world.add(solid, (place + random.uniform(0, 0.005, len(place))).tolist())
        for k in range(0, len(world.bodies) - 1, 4):
            one, other = world.bodies[k], world.bodies[k + 1]
            at = (0.5 * (one.position + other.position)).tolist()
            options = {} if planar else {"axis": [0, 1, 0]}
            pin = world.joints.hinge(one, other, at=at, **options, **({"lower": -0.02} if k % 8 else {}))
            pin.speed, pin.limit = 0.5, 0.05
        run = world.run(0.04, every=40)
        assert run.attributes["inaccurate_steps"] == 0
        assert any(world.engine.run.pools.piled[:2]) == (few == 0)
        ends.append(world.states[: len(world.bodies)].copy())
    assert ends[1] == pytest.approx(ends[0], abs=1e-6)


@pytest.mark.parametrize("planar", [False, True])
def test_a_hinge_counts_its_turns(planar):
    """Beyond half a turn a stop on the other side is far away: it kicked by what was beyond it but for a turn."""
    for lower, upper, speed in ((-3.0, np.inf, 10.0), (-np.inf, 3.0, -10.0), (-1.0, 7.0, 10.0)):
        world = nsd.World(gravity=[0.0] * (2 if planar else 3), planar=planar)
        at = [0.0] * (2 if planar else 3)
        rod = world.add(ROD, at, angular_velocity=speed if planar else [0, 0, speed], mass=1.0, name="rod")
        pin = world.joints.hinge(rod, lower=lower, upper=upper, name="pin")
        run = world.run(1.5, every=10)
        stopped = min(1.5, 7.0 / 10.0) if np.isfinite(lower * upper) else 1.5
        assert run["pin.coordinate"] == pytest.approx(speed * np.minimum(run.time, stopped), abs=5e-3)
        assert pin.coordinate == pytest.approx(speed * stopped, abs=1e-9)


def test_what_is_held_by_nothing_any_more_bears_nothing():
    """A spring whose body was taken out went on saying what it had pulled with."""
    world = nsd.World()
    ball, other = (world.add(BALL, [0, 0, z]) for z in (0.0, 1.0))
    world.springs.add(ball, other, at=[0, 0, 0], to=[0, 0, 1], stiffness=10.0, length=0.5, name="rope")
    pin = world.joints.hinge(ball, at=[1, 0, 0], axis=[0, 1, 0], name="pin")
    world.run(0.1, every=100)
    assert world.springs.all[0].force > 4.0 and pin.coordinate < -0.01
    world.remove(ball)
    run = world.run(0.102)
    assert (run["rope.force"][1:] == 0.0).all() and (run["pin.force"][1:] == 0.0).all()
    assert (run["pin.coordinate"][1:] == 0.0).all() and (run["pin.rate"] == 0.0).all()
