"""Islands that sleep: the same motion as without, woken in the step in which something meets or pushes them."""

from __future__ import annotations

import numpy as np
import pytest

import nsdgen as nsd

BOX = nsd.solids.Cuboid([0.2, 0.2, 0.2])
BALL = nsd.solids.Sphere(0.1)
G = 9.81


def stacks(sleep, speed=4.0):
    """Two stacks of boxes; a ball comes to the first one, which falls on the second one."""
    world = nsd.World(friction=0.6, sleep=sleep)
    world.plane(name="ground")
    for x in (0.0, 0.5):
        for i in range(3):
            world.add(BOX, [x, 0, 0.1 + 0.2 * i])
    world.add(BALL, [-0.8, 0.01, 0.5], velocity=[speed, 0, 0], mass=4.0, name="ball")
    return world


def test_motion_is_the_same_and_wakes_at_the_hit():
    """The stack moves in the step of the hit as it would have; later an impact of the next one may be a step apart."""
    runs = [stacks(sleep).run(0.28, every=1) for sleep in (0.0, 1e-6)]
    asleep = runs[1]["asleep"]
    assert asleep[0] == 0 and asleep.max() == 6 and asleep[-1] == 3
    hit = [int(np.flatnonzero(np.abs(run["body 2.velocity[0]"]) > 1e-3)[0]) for run in runs]
    assert hit[0] == hit[1] and asleep[hit[1] - 1] == 6 and asleep[hit[1]] == 3
    for name in ("ball.velocity", "body 2.velocity", "body 0.velocity", "body 3.velocity", "body 2.quaternion"):
        gap = np.abs(runs[0][name] - runs[1][name]).max(axis=1)
        assert gap[: hit[0] + 6].max() < 1e-9 and gap.max() < 1e-2
    assert runs[0]["body 2.position"] == pytest.approx(runs[1]["body 2.position"], abs=1e-5)
    # What sleeps keeps its place to the last bit
    slept = runs[1]["body 3.position"][asleep > 0]
    assert (slept == slept[0]).all()


@pytest.fixture
def resting():
    world = nsd.World(sleep=1e-6)
    world.plane(name="ground")
    for i in range(3):
        world.add(BOX, [0, 0, 0.1 + 0.2 * i], mass=1.0, name=f"box {i}")
    world.add(BOX, [5, 0, 0.1], name="far")
    world.run(0.1, every=100)
    assert all(body.asleep for body in world.bodies)
    return world


def pushed(world):
    world.bodies[1].force = [30.0, 0, 0]


def moved(world):
    world.states[1, 7] = 0.5


def taken(world):
    world.remove(world.bodies[0])


def belted(world):
    world.standing[0].surface = [1.0, 0, 0]


@pytest.mark.parametrize("change", [pushed, moved, taken, belted])
def test_what_wakes(resting, change):
    """A push, a velocity, a body that is gone, ground that runs: the same step as in a world that never slept."""
    awake = nsd.World()
    awake.plane(name="ground")
    for body in resting.bodies:
        awake.add(BOX, body.born[:3], mass=body.mass, name=body.name)
    awake.run(0.1, every=100)
    for world in (resting, awake):
        change(world)
        world.run(0.12, every=20)
    assert not resting.bodies[1].asleep and resting.bodies[3].asleep == (change is not belted)
    assert resting.states == pytest.approx(awake.states, abs=1e-9)
    assert np.abs(resting.states[1, 7:10]).max() > 0.05


def test_sensors_see_what_holds_a_sleeper(resting):
    scale = resting.sensor(resting.standing[0], on=resting.bodies[0])
    run = resting.run(0.15, every=10)
    assert run["asleep"].min() == 4
    assert scale.force == pytest.approx([0, 0, -3 * G], abs=1e-6) and scale.friction_work == 0.0


def test_a_ball_at_the_top_of_its_flight_does_not_sleep():
    world = nsd.World(sleep=1e-3)
    ball = world.add(BALL, [0, 0, 0], velocity=[0, 0, G * 0.06])
    world.run(0.12, every=120)
    assert ball.velocity[2] == pytest.approx(-G * 0.06, abs=1e-9) and not ball.asleep


def test_a_sleeper_that_is_set_elsewhere_is_looked_at_there(resting):
    """Into another body: that was looked for where it had slept."""
    resting.bodies[2].position = [4.9, 0, 0.1]
    with pytest.raises(nsd.errors.ParameterError, match="'box 2' and 'far' are inside each other"):
        resting.run(0.11)
    resting.bodies[2].position = [0, 0, 0.5]
    resting.run(0.11)
    assert resting.bodies[2].position == pytest.approx([0, 0, 0.5], abs=1e-9)


def test_sleepers_are_moved_apart_by_the_least_motion():
    """A new ball inside of one that sleeps: each moves by half, as where none sleeps. It moved by twice as much."""
    for sleep in (0.0, 1e-6):
        world = nsd.World(sleep=sleep)
        world.plane()
        first = world.add(BALL, [0, 0, 0.1])
        world.run(0.1, every=100)
        assert first.asleep == (sleep > 0.0)
        second = world.add(BALL, [0.15, 0, 0.1])
        world.run(0.101, resolve=True)
        assert first.position[0] == pytest.approx(-0.025, abs=1e-8)
        assert second.position[0] == pytest.approx(0.175, abs=1e-8)
