"""Sensors beside what is known: weights, action and reaction, frames, and energy that friction takes."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ModelError
from nsdgen.model.world.space import SPACE
from nsdgen.symbolic.relations.frame import moving

G = 9.81
BOX = nsd.solids.Cuboid([0.2, 0.2, 0.2])


def test_a_stack_weighs_what_it_weighs():
    """The ground carries all three boxes, each box what is above it; action is reaction, to what a step leaves."""
    world = nsd.World()
    ground = world.plane(name="ground")
    boxes = [world.add(BOX, [0.01 * i, 0, 0.1 + 0.2 * i], mass=1.0 + i, name=f"box {i}") for i in range(3)]
    world.sensor(ground, name="scale")
    for low, high in ((boxes[0], boxes[1]), (boxes[1], boxes[2])):
        world.sensor(low, on=high)
        world.sensor(high, on=low)
    world.sensor(boxes[1], name="all of it")
    run = world.run(0.02, every=5)
    weight = -6.0 * G
    assert run["scale.force"][1:] == pytest.approx(np.tile([0, 0, weight], (4, 1)), abs=1e-6)
    assert run["box 1 on box 2.force[2]"][-1] == pytest.approx(-3.0 * G, abs=1e-6)
    assert run["box 0 on box 1.force[2]"][-1] == pytest.approx(-5.0 * G, abs=1e-6)
    for low, high in (("box 0", "box 1"), ("box 1", "box 2")):
        assert (run[f"{low} on {high}.force"] == -run[f"{high} on {low}.force"]).all()
    assert run["all of it.force[2]"][-1] == pytest.approx(2.0 * G, abs=1e-6)
    # The ground carries moments about its place: y turns with what stands at x > 0
    lever = G * (2.0 * 0.01 + 3.0 * 0.02)
    assert run["scale.moment[1]"][-1] == pytest.approx(lever, abs=1e-6)
    assert run["scale.contacts"][-1] == 4 and run["scale.force"][0].tolist() == [0, 0, 0]


@pytest.mark.parametrize("rolling", [0.0, 0.02])
def test_what_friction_takes_is_lost(rolling):
    """Balls and a box slide, roll, collide: kinetic and potential energy change by the works of their contacts."""
    world = nsd.World(friction=0.3, rolling_friction=rolling, restitution=0.4)
    world.plane()
    for i in range(3):
        ball = nsd.solids.Sphere(0.1)
        world.add(ball, [0.35 * i, 0.04 * i, 0.13], velocity=[2.0 - 2.0 * i, 0, 0], angular_velocity=[0, 5, 20.0 * i])
    world.add(nsd.solids.Sphere(0.15), [0.3, -1.0, 0.15], velocity=[0, 1.5, 0], mass=2.0)
    sensors = [world.sensor(what) for what in (*world.standing, *world.bodies)]

    def energy():
        return sum(b.mass * (b.velocity @ b.velocity / 2 + G * b.position[2]) for b in world.bodies) + sum(
            np.array(b.moments) @ b.state[10:] ** 2 / 2 for b in world.bodies
        )

    before = energy()
    world.run(0.6, every=100)
    both = [sum(s.friction_work for s in part) for part in (sensors, sensors[:1])]
    normal = [sum(s.normal_work for s in part) for part in (sensors, sensors[:1])]
    # Each contact of two bodies is seen by two sensors, one with the ground by two as well
    lost = (both[0] + normal[0]) / 2
    assert lost < -1.0 and both[0] < 0.0 and normal[0] < 0.0
    assert energy() - before == pytest.approx(lost, rel=1e-9)


def test_tangents_are_those_of_contacts():
    x, y, z = sp.symbols("x y z", real=True)
    branch = {"Branch": lambda above, held, below, _: above if held else below}
    frame = sp.lambdify([x, y, z], list(moving(sp.Matrix([x, y, z]))), [branch, "numpy"])
    n = np.random.default_rng(2).normal(size=(60, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    n[-1] = [0.0, 0.0, -1.0]
    found = np.stack(SPACE.tangents(n), axis=1)
    for own, normal in zip(found, n, strict=True):
        assert own == pytest.approx(np.array([np.ravel(v) for v in frame(*normal)[1:]]), abs=1e-12)
        assert np.cross(normal, own[0]) == pytest.approx(own[1], abs=1e-12)


def test_names_of_sensors_are_their_own():
    world = nsd.World()
    ball = world.add(nsd.solids.Sphere(0.1), [0, 0, 1], name="ball")
    world.sensor(ball)
    with pytest.raises(ModelError, match="'ball sensor' is taken"):
        world.sensor(ball)


def test_the_moment_on_a_plate_that_moves_is_that_of_the_lever():
    """It was off by the way of a step times the weight."""
    world = nsd.World(friction=0.5)
    plate = world.stand(nsd.solids.Cuboid([2, 2, 0.1]), position=[0, 0, -0.05])
    plate.velocity = [1.0, 0.0, 0.0]
    world.add(nsd.solids.Cuboid([0.2, 0.2, 0.2]), [0.3, 0, 0.1], velocity=[1, 0, 0], mass=2.0)
    world.sensor(plate, name="scale")
    run = world.run(0.2, step=1e-3, every=10)
    assert run["scale.moment"][-1] == pytest.approx([0.0, 0.3 * 2.0 * 9.81, 0.0], abs=1e-9)


@pytest.mark.parametrize("every", [1, 3])
def test_contacts_of_a_row_are_those_that_acted(every):
    """A box a little above the ground has none. Where none acted those that might have were counted, and with every."""
    world = nsd.World()
    world.plane(name="ground")
    world.sensor(world.add(BOX, [0, 0, 0.10004], velocity=[2, 0, 0]), name="seen")
    run = world.run(0.012, every=every)
    assert (run["contacts"] == run["seen.contacts"]).all()
    assert run["contacts"].max() == 4 and (run["contacts"][run.time < 2.5e-3] == 0).all()
