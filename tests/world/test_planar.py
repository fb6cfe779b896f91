"""Planar worlds beside closed forms, and beside worlds in space whose bodies the plane is a symmetry of."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError

S = nsd.solids
G = 9.81
DISC = S.Cylinder(0.1, 0.1)


def slope(angle, **options):
    world = nsd.World(planar=True, gravity=[G * np.sin(angle), -G * np.cos(angle)], **options)
    world.plane()
    return world


def test_a_disc_rolls_down_a_slope():
    """a = 2/3 g sin(angle), w = -a / r; a box that slides has g (sin - mu cos); one that holds stays to rounding."""
    world = slope(0.3, friction=1.0)
    world.add(DISC, [0, 0.1], name="disc")
    run = world.run(0.3, every=100)
    assert run["disc.velocity[0]"][-1] == pytest.approx(2 / 3 * G * np.sin(0.3) * 0.3, rel=1e-9)
    assert run["disc.angular_velocity"][-1] == pytest.approx(-2 / 3 * G * np.sin(0.3) * 3.0, rel=1e-9)
    for friction, acceleration in ((0.1, G * (np.sin(0.3) - 0.1 * np.cos(0.3))), (0.5, 0.0)):
        world = slope(0.3, friction=friction)
        box = world.add(S.Cuboid([0.4, 0.2, 0.1]), [0, 0.1])
        world.run(0.2, every=100)
        assert box.velocity == pytest.approx([0.2 * acceleration, 0.0], abs=1e-9)


@pytest.mark.parametrize("angle", [0.04, 0.0499, 0.0501, 0.3])
def test_a_disc_holds_where_rolling_friction_is_enough(angle):
    """tan(angle) <= mu_r / r: it stays; beyond that a = 2/3 g (sin(angle) - mu_r / r cos(angle))."""
    world = slope(angle, friction=2.0, rolling_friction=5e-3)
    disc = world.add(DISC, [0, 0.1])
    world.run(0.5, every=500)
    rolls = max(0.0, 2 / 3 * G * (np.sin(angle) - 0.05 * np.cos(angle)))
    assert disc.velocity == pytest.approx([0.5 * rolls, 0.0], rel=1e-9, abs=1e-9)


def test_what_rolling_takes():
    """A disc that rolls loses mu_r g / (3/2 r) of its speed each second; a sensor sees the work, and what turns it."""
    world = nsd.World(planar=True, friction=0.5, rolling_friction=1e-3)
    world.plane()
    disc = world.add(DISC, [0, 0.1], velocity=[1, 0], angular_velocity=-10.0)
    world.sensor(disc, name="seen")
    run = world.run(0.5, every=50)
    speed = 1.0 - 1e-3 * G / 0.15 * 0.5
    assert disc.velocity[0] == pytest.approx(speed, rel=1e-9)
    assert run["seen.friction_work"][-1] == pytest.approx(0.75 * disc.mass * (speed**2 - 1.0), rel=1e-9)
    assert run["seen.moment"][-1, 2] == pytest.approx(1e-3 * G * disc.mass / 3, rel=1e-9)


@pytest.mark.parametrize("rows", [4, pytest.param(10, marks=pytest.mark.slow)])
def test_a_heap_with_rolling_friction_holds(rows):
    """Discs heaped on open ground, which friction alone does not hold: they stay where they are."""
    world = nsd.World(planar=True, friction=0.5, rolling_friction=2e-2)
    world.plane()
    random = np.random.default_rng(0)
    for row in range(rows):
        for k in range(rows - row):
            x = (k - 0.5 * (rows - row - 1)) * 0.2005 + random.uniform(-1e-4, 1e-4)
            world.add(DISC, [x, 0.1 + 0.1745 * row])
    world.run(0.5, every=500)
    start = world.states.copy()
    assert world.run(1.0, every=500).attributes["inaccurate_steps"] == 0
    assert np.abs(world.states - start)[:, :3].max() < 1e-8
    world.surface("", "", friction=0.5, rolling_friction=0.0)
    world.run(1.5, every=500)
    assert np.abs(world.states - start)[:, :3].max() > 1e-2


def scene(planar, rolling):
    """Discs, boxes, a triangle between walls; in space with the same solids, in the plane of x and z."""
    world = nsd.World(planar=planar, friction=0.4, restitution=0.1, rolling_friction=rolling)

    def place(x, y):
        return [x, y] if planar else [x, y, 0.0]

    if not planar:
        world.gravity = np.array([0.0, -G, 0.0])
    for normal, offset in (((0, 1), 0.0), ((1, 0), -0.5), ((-1, 0), -0.5)):
        world.plane(place(*normal), offset)
    solids = [S.Sphere(0.1), S.Cuboid([0.25, 0.15, 0.1]), S.Prism([[-0.1, -0.08], [0.12, -0.08], [0, 0.14]], 0.1)]
    random = np.random.default_rng(5)
    for k in range(9):
        at = place(-0.33 + 0.33 * (k % 3) + random.uniform(-0.02, 0.02), 0.16 + 0.32 * (k // 3))
        world.add(solids[k % 3], at, velocity=place(random.uniform(-0.3, 0.3), 0.0))
    return world


@pytest.mark.parametrize("rolling", [0.0, 0.02])
def test_the_plane_is_a_symmetry(rolling):
    """Impacts and friction of nine bodies are the same in the plane and in space, to what steps leave."""
    flat, full = scene(True, rolling), scene(False, rolling)
    for world in (flat, full):
        world.run(0.25, every=250)
    order = flat.poses
    assert np.abs(full.states[:, [2, 9]]).max() < 1e-6
    assert order[:, :2] == pytest.approx(full.states[:, :2], abs=2e-5)
    assert order[:, 7:9] == pytest.approx(full.states[:, 7:9], abs=2e-3)
    assert 3 < (np.linalg.norm(flat.states[:, 3:5], axis=1) > 1e-3).sum() < 9  # some rest, some move


@pytest.mark.parametrize("options", [{}, {"tolerance": 1e-8, "sweeps": 2000}], ids=["certified", "swept"])
def test_a_heap_of_discs_carries_its_weight(options):
    """Above 60 rows steps are those of piles: ground and walls carry what there is, with friction."""
    world = nsd.World(planar=True, friction=0.3, **options)
    grounds = [world.plane(), world.plane([1, 0], 0.0), world.plane([-1, 0], -1.05)]
    for k in range(40):
        world.add(DISC, [0.105 + 0.21 * (k % 5), 0.1 + 0.2 * (k // 5)])
    sensors = [world.sensor(ground) for ground in grounds]
    run = world.run(0.05, every=50)
    total = sum(s.force for s in sensors)
    momentum = sum(b.mass * b.velocity for b in world.bodies) / 0.05
    weight = sum(b.mass for b in world.bodies) * G
    assert run["contacts"][-1] >= 40 and total[2] == 0.0
    assert -total[:2] - [0, weight] == pytest.approx(momentum, abs=1e-6 * weight)


def test_a_polygon_turns_about_its_corner():
    """A square on its corner, a little off, tips over like a pendulum upside down: its energy stays until it lands."""
    world = nsd.World(planar=True, friction=5.0)
    world.plane()
    half = 0.1
    square = S.Prism([[-half, -half], [half, -half], [half, half], [-half, half]], 0.2)
    body = world.add(square, [0, half * 2**0.5 * np.cos(0.05)], angle=np.pi / 4 + 0.05, mass=1.0)
    inertia = body.moments[2]
    assert inertia == pytest.approx(0.04 / 6)
    world.run(0.25, step=2.5e-4, every=1000)
    x, y, angle, vx, vy, w = body.state
    energy = (vx**2 + vy**2 + inertia * w**2) / 2 + G * y
    assert energy == pytest.approx(G * half * 2**0.5 * np.cos(0.05), abs=2e-3)
    assert angle > np.pi / 4 + 0.1 and x == pytest.approx(
        -half * 2**0.5 * (np.sin(angle - np.pi / 4) - np.sin(0.05)), abs=1e-3
    )


def test_compounds_sleep_and_are_drawn():
    world = nsd.World(planar=True, sleep=1e-6)
    world.plane()
    body = world.add(S.Compound([(S.Cuboid([0.4, 0.1, 0.1]), [0, 0, 0]), (DISC, [0.1, 0.15, 0])]), [0, 0.05])
    run = world.run(0.1, every=10)
    assert body.asleep and body.velocity.tolist() == [0.0, 0.0]
    (drawn,) = [d for d in run.origin.drawing(run, range(len(run))).drawn if d.kind == "body"]
    assert drawn.values.shape == (len(run), 7) and drawn.values[-1, :3] == pytest.approx([*body.position, 0.0])


def test_an_angle_is_kept_with_its_turns():
    """Of seven radians 4 pi were taken away."""
    world = nsd.World(planar=True)
    body = world.add(nsd.solids.Cuboid([0.2, 0.1, 0.1]), [0, 1], angle=7.0, name="brick")
    assert body.state[2] == 7.0 and (world.run(1e-3)["brick.angle"] == 7.0).all()


def test_what_is_refused():
    world = nsd.World(planar=True)
    ball = world.add(DISC, [0, 0.1], name="disc")
    for solid in (S.Capsule(0.1, 0.2), S.Ellipsoid([1, 1, 1]), S.RoundCone(0.1, 0.1)):
        with pytest.raises(ModelError, match="no shape in the plane"):
            world.add(solid, [1, 1])
    with pytest.raises(ModelError, match="leads out of the plane"):
        world.add(DISC, [0, 0, 1.0])
    with pytest.raises(ModelError, match="give an angle in a planar world"):
        world.add(DISC, [0, 1], [0, 1, 0, 0])
    with pytest.raises(ModelError, match="not normal to the plane"):
        world.joints.hinge(ball, axis=[1, 0, 0])
    with pytest.raises(ModelError, match="leads out of the plane"):
        world.joints.slider(ball)
    with pytest.raises(ModelError, match="leads out of the plane"):
        world.springs.add(ball, at=[0, 0.1, 1.0])
    with pytest.raises(ModelError, match="part out of the plane"):
        world.add(S.Compound([(DISC, [0, 0, 0.1]), (DISC, [0, 0, 0])]), [0, 1])
    world.add(DISC, [0, 0.1])
    with pytest.raises(ParameterError, match="in the same place"):
        world.run(0.1)
    drills = nsd.World(planar=True, drilling_friction=0.1)
    with pytest.raises(ModelError, match="nothing drills in a plane"):
        drills.run(0.1)


def linkage(planar):
    """Two rods on a pin that stops, a slider on an oblique rail with a motor, a weld, a spring that pulls across."""
    gone = slice(2 if planar else 3)
    world = nsd.World(planar=planar, gravity=[0, -G, 0][gone])
    rods = [world.add(S.Cuboid([1, 0.1, 0.1]), [x, 0, 0][gone], mass=1.0, name=f"rod {10 * x:g}") for x in (0.5, 1.5)]
    world.joints.hinge(rods[0], at=[0, 0, 0][gone], name="pin", lower=-1.0)
    world.joints.hinge(rods[0], rods[1], at=[1, 0, 0][gone], name="elbow")
    ride = world.add(S.Sphere(0.1), [3, 0, 0][gone], mass=1.0, name="ride")
    load = world.add(S.Cuboid([0.2, 0.1, 0.1]), [3, 0.3, 0][gone], mass=0.5, name="load")
    rail = world.joints.slider(ride, at=[3, 0, 0][gone], axis=[1, 1, 0][gone], name="rail")
    rail.speed, rail.limit = 0.5, 3.0
    world.joints.weld(ride, load, at=[3, 0.1, 0][gone], name="weld")
    ends = {"at": [3, 0.4, 0][gone], "to": [2, 0, 0][gone]}
    world.springs.add(load, rods[1], **ends, stiffness=50.0, damping=1.0, name="rope")
    return world.run(0.5, every=10)


@pytest.mark.slow
def test_joints_and_springs_are_those_of_space():
    flat, full = linkage(True), linkage(False)
    for name in ("pin", "elbow", "rail", "weld"):
        for quantity in ("coordinate", "rate", "force", "moment"):
            found, wanted = flat[f"{name}.{quantity}"], full[f"{name}.{quantity}"]
            assert found == pytest.approx(wanted, abs=1e-9), (name, quantity)
    assert flat["rope.force"] == pytest.approx(full["rope.force"], abs=1e-9)
    assert flat["pin.coordinate"][-1] < -0.9  # the stop was met
    assert len(flat.origin.drawing(flat, [0]).drawn) == 4 + 4 + 1


def test_a_spring_in_the_plane_swings_at_its_frequency():
    """A disc whose centre a spring holds: 2 / h asin(omega h / 2). A step that is too long is refused."""
    world = nsd.World(planar=True, gravity=[0, 0])
    disc = world.add(DISC, [0.1, 0.0], mass=2.0, name="disc")
    world.springs.add(disc, at=[0.1, 0], to=[-0.9, 0], stiffness=200.0, length=0.9)
    run = world.run(1.0, every=1)
    wanted = 0.1 * np.cos(2 / 1e-3 * np.arcsin(10.0 * 1e-3 / 2) * run.time)
    assert run["disc.position[0]"] == pytest.approx(wanted, abs=1e-4)
    with pytest.raises(ParameterError, match="too long for spring"):
        world.run(world.time + 1.0, step=0.25)


def test_a_sensor_of_a_body_knows_where_it_is():
    """A wheel that brakes on the ground: weight, friction, and its moment about the centre."""
    world = nsd.World(planar=True, friction=0.5)
    world.plane()
    wheel = world.add(DISC, [0, 0.1], velocity=[1, 0], mass=2.0, name="wheel")
    world.sensor(wheel)
    run = world.run(0.02, every=20)
    assert run["wheel sensor.force"][-1] == pytest.approx([-G, 2 * G, 0.0], abs=1e-8)
    assert run["wheel sensor.moment"][-1] == pytest.approx([0.0, 0.0, -0.1 * G], abs=1e-8)


def test_pictures_of_the_plane_have_y_upwards(tmp_path):
    world = slope(0.0)
    world.add(DISC, [0.5, 1.0], angle=0.4, name="disc")
    run = world.run(0.1, every=10)
    picture = run.origin.drawing(run, [0])
    (disc, floor) = picture.upright().drawn
    assert picture.planar and picture.up == "y"
    assert disc.values[0, :3] == pytest.approx([0.5, 0.0, 1.0], abs=1e-6)
    axes = Rotation.from_quat(disc.values[0, 3:], scalar_first=True).as_matrix()
    assert axes[:, 2] == pytest.approx([0, -1, 0], abs=1e-12)  # its axis comes out of the screen
    assert axes[:, 0] == pytest.approx([np.cos(0.4), 0, np.sin(0.4)], abs=1e-12)
    assert floor.values[0] == pytest.approx([0, 0, 1, 0], abs=1e-12)
