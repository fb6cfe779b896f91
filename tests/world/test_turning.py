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
END = 1.0


def carried(world, radius):
    """A cube of 0.1 m that goes round at this radius with what holds it; how far it has gone out at the end."""
    solid, place = S.Cuboid([0.1, 0.1, 0.1]), [radius, 0, 0.05] if world.space.dimension == 3 else [radius, 0]
    speed = [0, radius * OMEGA, 0][: len(place)]
    body = world.add(solid, place, velocity=speed, angular_velocity=[0, 0, OMEGA] if len(place) == 3 else OMEGA)
    run = world.run(END, step=H, every=100)
    assert run["deepest"].min() > -1.1 * GROWTH * END
    assert body.angular_velocity == pytest.approx([0, 0, OMEGA] if len(place) == 3 else OMEGA, abs=1e-9)
    return np.hypot(*body.position[:2]) - radius


def test_on_a_table_that_is_told_to_turn():
    world = nsd.World(friction=0.95)
    world.stand(S.Cylinder(2, 0.1), position=[0, 0, -0.05]).spin = [0, 0, OMEGA]
    assert 0.0 <= carried(world, 1.0) < 1.1 * GROWTH * END


def test_on_a_table_that_a_motor_turns():
    world = nsd.World(friction=0.95)
    table = world.add(S.Cylinder(1.5, 0.1), [0, 0, -0.05], angular_velocity=[0, 0, OMEGA], mass=1000.0)
    pin = world.joints.hinge(table, at=[0, 0, -0.05], axis=[0, 0, 1])
    pin.speed, pin.limit = OMEGA, 1e4
    assert 0.0 <= carried(world, 1.0) < 1.1 * GROWTH * END


def test_against_a_wall_that_turns_with_it():
    """The wall is 0.1 m thick: it was gone through in eleven seconds."""
    world = nsd.World(friction=0.5)
    world.stand(S.Cuboid([3, 3, 0.1]), position=[0, 0, -0.05]).spin = [0, 0, OMEGA]
    wall = S.Hull([list(p) for p in itertools.product((1.0, 1.1), (-1, 1), (0, 0.4))])
    world.stand(wall, position=[0, 0, 0]).spin = [0, 0, OMEGA]
    assert 0.0 <= carried(world, 0.95) < 1.1 * GROWTH * END


def test_against_a_wall_in_the_plane():
    world = nsd.World(planar=True, friction=0.5, gravity=[0, 0])
    wall = S.Prism([[1.0, -1], [1.1, -1], [1.1, 1], [1.0, 1]], thickness=0.1)
    world.stand(wall, position=[0, 0]).spin = [0, 0, OMEGA]
    assert 0.0 <= carried(world, 0.95) < 1.1 * GROWTH * END


@pytest.mark.parametrize("step", [2e-3, 1e-3])
def test_a_ball_that_rolls_over_a_ball_keeps_to_it(step):
    """Its gap is second order and closed: with the normals of the start it went into it by 9.7 h^2."""
    world = nsd.World(friction=0.8)
    world.stand(S.Sphere(1.0), position=[0, 0, 0])
    world.add(S.Sphere(0.1), [0.01, 0, np.sqrt(1.1**2 - 0.01**2)], name="ball")
    run = world.run(1.2, step=step)
    away = np.linalg.norm(np.stack([run[f"ball.position[{k}]"] for k in range(3)]), axis=0) - 1.1
    assert away.min() > -1e-12 and away.max() < 1e-2 * step**2


@pytest.mark.parametrize(
    ("solid", "height"),
    [(S.Cylinder(0.1, 0.004), 0.1 * np.sin(0.4) + 0.002 * np.cos(0.4)),
     (S.Ellipsoid([0.1, 0.1, 0.004]), np.hypot(0.1 * np.sin(0.4), 0.004 * np.cos(0.4)))],
    ids=["cylinder", "ellipsoid"],
)  # fmt: skip
def test_a_coin_that_rolls_round_on_its_rim_stays_on_the_ground(solid, height):
    """Its contact runs round at 2.9 m/s, faster than any of its points (2.5 m/s): they sank by 1.2 and 7.8 mm.

    A thin disc of radius a that leans by alpha rolls about its own centre at the rate W, W^2 = 4 g / (a sin alpha).
    """
    world = nsd.World(friction=0.5)
    world.plane()
    coin = world.add(solid, [0, 0, height], quaternion=[np.cos(0.2), np.sin(0.2), 0, 0])
    rate = np.sqrt(4 * 9.81 / (0.1 * np.sin(0.4)))
    coin.angular_velocity = [0, rate * np.sin(0.4), 0]  # in its frame: round goes the rim, not the coin
    run = world.run(0.2, step=1e-3)
    assert run["deepest"].min() > -1e-6


def drum(sides, radius, thick=0.1):
    """Plates around the axis of z, their inner faces at this distance of it, and a floor."""
    plates = []
    for k in range(sides):
        angle = 2 * np.pi * k / sides
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        width = 2 * (radius + thick) * np.tan(np.pi / sides)
        turned = [np.cos(angle / 2), 0, 0, np.sin(angle / 2)]
        plates.append((S.Cuboid([thick, width, 1.0]), (radius + thick / 2) * out, turned))
    return S.Compound([*plates, (S.Cuboid([3 * radius, 3 * radius, thick]), [0, 0, -0.5 - thick / 2])])


def test_a_solid_of_several_plates_stands_and_turns_about_its_own_place():
    """A cube rests on the floor of a drum against one of its plates, and goes round with it; far from the origin."""
    world = nsd.World(friction=0.5)
    centre = np.array([5.0, -3.0, 1.0])
    standing = world.stand(drum(6, 1.0), position=centre, name="drum")
    standing.spin = [0, 0, OMEGA]
    at = centre + [0.95, 0, -0.45]
    cube = world.add(S.Cuboid([0.1, 0.1, 0.1]), at, velocity=[0, 0.95 * OMEGA, 0], angular_velocity=[0, 0, OMEGA])
    world.sensor(standing, name="push")
    run = world.run(END, step=H, every=100)
    arm = 0.95 * np.array([np.cos(END * OMEGA), np.sin(END * OMEGA), 0.0])
    assert cube.position == pytest.approx(centre + arm + [0, 0, -0.45], abs=1.1 * GROWTH * END + OMEGA**3 * H**2)
    assert run["deepest"].min() > -1.1 * GROWTH * END
    assert run["push.force[2]"][-1] == pytest.approx(-cube.mass * 9.81, rel=1e-6)
    place, axes = standing.place(world.shapes)
    assert place == pytest.approx(centre, abs=1e-12)
    assert axes[:, 0] == pytest.approx([np.cos(END * OMEGA), np.sin(END * OMEGA), 0.0], abs=1e-9)


def test_a_pan_of_plates_is_lifted_and_tilted_as_told():
    """Two plates, one turned: a ball stays between them while they rise; both are drawn where they are."""
    world = nsd.World(friction=0.5)
    sides = [(S.Cuboid([1.0, 1.0, 0.02]), [0, 0, 0], [np.cos(a / 2), 0, np.sin(a / 2), 0]) for a in (0.5, -0.5)]
    valley = world.stand(S.Compound(sides), position=[2.0, 0, 0.5], name="valley")
    valley.velocity = [0.1, 0, 0.2]
    low = 0.5 + (0.1 + 0.01) / np.cos(0.5)
    ball = world.add(S.Sphere(0.1), [2.0, 0, low], velocity=[0.1, 0, 0.2])
    run = world.run(1.0, step=H, every=100)
    assert ball.position == pytest.approx([2.1, 0, low + 0.2], abs=1e-9)
    drawn = next(d for d in run.origin.drawing(run, range(len(run))).drawn if d.name == "valley")
    assert len(drawn.solids) == 2 and drawn.values[-1, :3] == pytest.approx([2.1, 0, 0.7], abs=1e-12)


def test_in_the_plane_a_cross_of_bars_turns_what_lies_against_it():
    world = nsd.World(planar=True, friction=0.5, gravity=[0, 0])
    bars = [(S.Prism([[a, -1], [a + 0.1, -1], [a + 0.1, 1], [a, 1]], thickness=0.1), [0, 0, 0]) for a in (1.0, -1.1)]
    world.stand(S.Compound(bars), position=[0, 0], name="bars").spin = [0, 0, OMEGA]
    assert 0.0 <= carried(world, 0.95) < 1.1 * GROWTH * END
    with pytest.raises(nsd.errors.ModelError, match="out of the plane"):
        world.stand(S.Compound([(S.Cylinder(0.1, 0.1), [0, 0, 0.1])]))
