"""What turns with what holds it stays where it is held: directions of contacts are those of the end of a step.

With v' = omega x (r + h v) and r' = r + h (v + v') / 2 radii grow by h^3 omega^4 / 4 of them a second (the root of 2
z^2 - (2 + 3 i h omega) z + i h omega = 0 near 1), where it is h omega^2 with the directions of the start: 9 mm a second
at 1 m, 3 rad/s and steps of 1 ms.
"""

import itertools

import numpy as np
import pytest

import nsdgen as nsd

S = nsd.solids
H, OMEGA = 1e-3, 3.0
GROWTH = H**3 * OMEGA**4 / 4  # m/s, at 1 m


def carried(world, radius):
    """A cube of 0.1 m that goes round at this radius with what holds it; how far it has gone out after two seconds."""
    solid, place = S.Cuboid([0.1, 0.1, 0.1]), [radius, 0, 0.05] if world.space.dimension == 3 else [radius, 0]
    speed = [0, radius * OMEGA, 0][: len(place)]
    body = world.add(solid, place, velocity=speed, angular_velocity=[0, 0, OMEGA] if len(place) == 3 else OMEGA)
    run = world.run(2.0, step=H, every=100)
    assert run["deepest"].min() > -1.1 * GROWTH * 2.0
    assert body.angular_velocity == pytest.approx([0, 0, OMEGA] if len(place) == 3 else OMEGA, abs=1e-9)
    return np.hypot(*body.position[:2]) - radius


def test_on_a_table_that_is_told_to_turn():
    world = nsd.World(friction=0.95)
    world.stand(S.Cylinder(2, 0.1), position=[0, 0, -0.05]).spin = [0, 0, OMEGA]
    assert 0.0 <= carried(world, 1.0) < 1.1 * GROWTH * 2.0


def test_on_a_table_that_a_motor_turns():
    world = nsd.World(friction=0.95)
    table = world.add(S.Cylinder(1.5, 0.1), [0, 0, -0.05], angular_velocity=[0, 0, OMEGA], mass=1000.0)
    pin = world.joints.hinge(table, at=[0, 0, -0.05], axis=[0, 0, 1])
    pin.speed, pin.limit = OMEGA, 1e4
    assert 0.0 <= carried(world, 1.0) < 1.1 * GROWTH * 2.0


def test_against_a_wall_that_turns_with_it():
    """The wall is 0.1 m thick: it was gone through in eleven seconds."""
    world = nsd.World(friction=0.5)
    world.stand(S.Cuboid([3, 3, 0.1]), position=[0, 0, -0.05]).spin = [0, 0, OMEGA]
    wall = S.Hull([list(p) for p in itertools.product((1.0, 1.1), (-1, 1), (0, 0.4))])
    world.stand(wall, position=[0, 0, 0]).spin = [0, 0, OMEGA]
    assert 0.0 <= carried(world, 0.95) < 1.1 * GROWTH * 2.0


def test_against_a_wall_in_the_plane():
    world = nsd.World(planar=True, friction=0.5, gravity=[0, 0])
    wall = S.Prism([[1.0, -1], [1.1, -1], [1.1, 1], [1.0, 1]], thickness=0.1)
    world.stand(wall, position=[0, 0]).spin = [0, 0, OMEGA]
    assert 0.0 <= carried(world, 0.95) < 1.1 * GROWTH * 2.0


@pytest.mark.parametrize("step", [2e-3, 1e-3])
def test_a_ball_that_rolls_over_a_ball_keeps_to_it(step):
    """Its gap is second order and closed: with the normals of the start it went into it by 9.7 h^2."""
    world = nsd.World(friction=0.8)
    world.stand(S.Sphere(1.0), position=[0, 0, 0])
    world.add(S.Sphere(0.1), [0.01, 0, np.sqrt(1.1**2 - 0.01**2)], name="ball")
    run = world.run(1.2, step=step)
    away = np.linalg.norm(np.stack([run[f"ball.position[{k}]"] for k in range(3)]), axis=0) - 1.1
    assert away.min() > -1e-12 and away.max() < 1e-2 * step**2
