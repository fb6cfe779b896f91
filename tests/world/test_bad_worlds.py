"""What is extreme or wrong in worlds: a right answer, or an error that says what to do."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from nsdgen.model.world._shapes import touching

import nsdgen as nsd
from nsdgen.errors import ModelError, ModelWarning, ParameterError, UnknownName

S = nsd.solids
G = 9.81
BALL = S.Sphere(0.1)

BOX_FACES = [[0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 5, 1], [0, 4, 5],
             [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 7, 3], [1, 5, 7]]  # fmt: skip


def overlap(world):
    gaps = np.concatenate([c.gaps for c in world.find(0.0)])
    return -gaps.min(initial=0.0)


def test_overlap_is_undone_by_the_least_motion():
    """Two balls move along the line of their centres, each as much as the other is heavy; nothing else moves."""
    world = nsd.World(gravity=[0, 0, 0])
    a = world.add(BALL, [0, 0, 0], mass=1.0)
    b = world.add(BALL, [0.15, 0, 0], mass=4.0)
    c = world.add(BALL, [5, 0, 0])
    world.run(1e-3, resolve=True)
    assert a.position == pytest.approx([-0.04, 0, 0], abs=1e-8) and b.position == pytest.approx([0.16, 0, 0], abs=1e-8)
    assert (c.position == [5, 0, 0]).all() and np.abs(world.states[:, 7:]).max() == 0.0


def test_overlap_of_many_shapes_is_undone():
    """A box of bodies of all kinds, thrown in without a look; the ground and a standing box do not move."""
    random = np.random.default_rng(4)
    world = nsd.World()
    world.plane()
    world.stand(S.Cuboid([0.2, 0.2, 0.6]), [0, 0, 0.3], name="post")
    corners = random.normal(size=(12, 3)) * 0.06
    kinds = [BALL, S.Cuboid([0.15, 0.1, 0.2]), S.Cylinder(0.08, 0.2), S.RoundCone(0.1, 0.2), S.Capsule(0.06, 0.1),
             S.Ellipsoid([0.1, 0.06, 0.12]), S.Hull(corners)]  # fmt: skip
    for k in range(28):
        turn = random.normal(size=4)
        at = random.uniform([-0.5, -0.5, 0.05], [0.5, 0.5, 0.6])
        world.add(kinds[k % len(kinds)], at, turn / np.linalg.norm(turn))
    with pytest.raises(ParameterError, match=r"run\(resolve=True\)"):
        world.run(1e-3)
    world.run(2e-3, resolve=True)
    way = np.linalg.norm(world.states[:, :3] - [b.born[:3] for b in world.bodies], axis=1)
    assert overlap(world) < 1e-6 and way.max() < 0.3


def test_what_cannot_be_moved_apart_is_told():
    """Between two walls nearer to each other than it is thick, a ball has no place."""
    world = nsd.World()
    world.plane([1, 0, 0])
    world.plane([-1, 0, 0], -0.1)
    world.add(BALL, [0.05, 0, 0], name="stuck")
    with pytest.raises(ParameterError, match=r"no small motion takes 'stuck' and 'plane.*' apart"):
        world.run(0.1, resolve=True)


@pytest.mark.parametrize("spread", [0.0, 0.29])
def test_a_crowd_is_told(monkeypatch, spread):
    """Before a list of all pairs is made; the limit is 1e3 here, in place of 5e7 that 10001 bodies in a place reach."""
    from nsdgen.model.world import search

    monkeypatch.setattr(search, "_MOST_PAIRS", 1e3)
    world = nsd.World()
    for place in np.random.default_rng(0).uniform(0.0, 1.0, (60, 3)):
        world.add(BALL, 0.01 + spread * place)
    with pytest.raises(ParameterError, match=r"60 shapes are within .* m of shape 0, about 1.77e\+03 near pairs"):
        world.run(0.1)


def test_numbers_that_are_none():
    world = nsd.World()
    belt = world.stand(S.Cuboid([1, 1, 1]), name="belt")
    body = world.add(BALL, [0, 0, 0.6], name="ball")
    for wrong in ([float("nan"), 0, 0], 1.0, [1.0, 0.0]):
        with pytest.raises(ModelError, match="solid 'belt', velocity"):
            belt.velocity = wrong
    world.states[body.number, 3:7] = 0.0
    with pytest.raises(ParameterError, match="quaternion of 'ball' is zero"):
        world.run(0.1)
    with pytest.raises(ModelError, match="none below 1e-09 of the largest"):
        world.add(S.Cylinder(1.0, 1e-12), [0, 0, 3])
    with pytest.raises(ModelError, match="density above 0"):
        world.add(BALL, [0, 0, 3], density=0.0)
    with pytest.raises(ModelError, match="has no parts"):
        world.add(S.Compound([]), [0, 0, 3])


@pytest.mark.parametrize("ratio", [1e-6, 1e6])
def test_mass_ratios(ratio):
    """A ball on a ball on the ground: both carry what is above them, whichever is heavy."""
    world = nsd.World()
    world.plane()
    world.add(BALL, [0, 0, 0.1], mass=1.0)
    world.add(BALL, [0, 0, 0.3], mass=ratio)
    world.run(0.05, every=50)
    assert np.abs(world.states[:, 2] - [0.1, 0.3]).max() < 1e-9
    # Impulses are solved to rounding of the larger
    pools = world.engine.run.pools
    assert pools.rows(1)[0][0, 0] == pytest.approx((1 + ratio) * G * 1e-3, rel=1e-9)
    assert pools.rows(0)[0][0, 0] == pytest.approx(ratio * G * 1e-3, rel=1e-9, abs=1e-12 * G)


@pytest.mark.parametrize("ratio", [1e5, 1e6])
@pytest.mark.parametrize("light", [0, 1])
def test_light_boxes_between_heavy_ones_rest(ratio, light):
    """Small worlds were exact to rounding of what the heavy ones need: the light ones slid at 2e-4 m/s, untold."""
    world = nsd.World()
    world.plane()
    start = [[0.01 * (k % 2), 0, 0.1 + 0.2 * k] for k in range(5)]
    for k, place in enumerate(start):
        world.add(S.Cuboid([0.2, 0.2, 0.2]), place, mass=1.0 if k % 2 == light else ratio)
    run = world.run(0.02, every=1)
    assert run.attributes["inaccurate_steps"] == 0 and run["left"].max() < 1e-8 * G * 1e-3
    assert np.abs(world.states[:, :3] - start).max() < 1e-10


@pytest.mark.parametrize("friction", [0.0, float("inf")])
@pytest.mark.parametrize("solid", [S.Cylinder(0.1, 0.2), S.Hull(np.vstack([np.zeros(3), np.eye(3)]))], ids=str)
def test_no_friction_and_endless_friction(solid, friction):
    """Down a slope of 0.2 rad: g sin t / none."""
    world = nsd.World(gravity=[G * np.sin(0.2), 0, -G * np.cos(0.2)], friction=friction)
    world.plane()
    body = world.add(solid, [0, 0, 0.1 if isinstance(solid, S.Cylinder) else 0.0])
    world.run(0.1, every=100)
    assert body.velocity[0] == pytest.approx(0.0 if friction else G * np.sin(0.2) * 0.1, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-6, 1e5])
def test_gaps_have_no_size_of_their_own(scale):
    """Shapes a micrometre or a hundred kilometres large meet as those of a metre."""
    found = []
    for s in (1.0, scale):
        world = nsd.World()
        corners = np.random.default_rng(1).normal(size=(12, 3))
        for solid, at in ((S.Cylinder(0.5 * s, s), [0, 0, 0]), (S.Hull(s * corners), [1.5 * s, 0.2 * s, 0]),
                          (S.Ellipsoid([s, 0.5 * s, 0.7 * s]), [-1.4 * s, 0, 0.1 * s])):  # fmt: skip
            world.add(solid, at)
        world.shapes.place(world.states, False, 0.0)
        own = world.shapes
        pairs = np.array([[0, 1], [0, 2]], dtype=np.intc)
        _, _, gaps, normals, _ = touching(pairs, np.full(3, s / 2), own.kind, own.size, own.centres, own.axes, own.form)
        found.append((gaps / s, normals))
    assert found[1][0] == pytest.approx(found[0][0], abs=1e-9) and found[1][1] == pytest.approx(found[0][1], abs=1e-6)


@pytest.mark.parametrize("thick", [1e-2, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("speed", [0.5, 2.0, 2.3])
def test_nothing_thin_passes_through_what_is_thin(thick, speed):
    """A card that falls on a shelf is held, or the step is refused in which it would be behind it."""
    world = nsd.World(gravity=[0, 0, 0])
    world.stand(S.Cuboid([1, 1, thick]), [0, 0, 0], name="shelf")
    world.add(S.Cuboid([0.2, 0.2, thick]), [0.01, 0.02, 0.02], velocity=[0, 0, -speed], name="card")
    refused = pytest.raises(ParameterError, match=r"'shelf' and 'card' .* one through the other")
    with refused if thick < 5e-4 else nullcontext():
        world.run(0.1)
    assert world.states[0, 2] > 0.0


@pytest.mark.parametrize("start", [0.02, 0.0207])
@pytest.mark.parametrize("surfaces", ["shelf", "card", "both"])
@pytest.mark.parametrize("thick", [1e-2, 1e-3, 1e-4])
def test_nothing_thin_passes_through_a_surface(thick, surfaces, start):
    """A card that falls on a shelf stays on it, or the step is refused in which it would be behind it."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    solid = {
        name: S.Mesh(corners * size / 2, BOX_FACES) if surfaces in (name, "both") else S.Cuboid(size.tolist())
        for name, size in (("shelf", np.array([1, 1, thick])), ("card", np.array([0.2, 0.2, thick])))
    }
    world = nsd.World()
    world.stand(solid["shelf"], name="shelf")
    world.add(solid["card"], [0.01, 0.02, start], velocity=[0, 0, -2.0], name="card")
    refused = False
    try:
        world.run(0.2)
    except ParameterError as error:
        refused = "one through the other" in str(error)
        assert refused
    assert world.states[0, 2] > 0.0 and refused == (thick < 5e-3 and (start != 0.02 or thick < 5e-4))


def test_overlaps_are_at_most_what_is_moved_in_a_step():
    """What does not close in half of a step moves all of it, and half of the next one, in which it is held."""
    for share, overlap in ((0.49, 0.01), (0.51, 0.99), (0.9, 0.6)):
        world = nsd.World(gravity=[0, 0, 0])
        world.plane()
        world.add(BALL, [0, 0, 0.1 + share * 5e-3], velocity=[0, 0, -5.0])
        world.run(0.01, step=1e-3)
        assert world.states[0, 2] - 0.1 == pytest.approx(-overlap * 5e-3, abs=1e-12)


def test_numbers_that_are_no_sizes_or_speeds_of_bodies():
    """Volumes that vanish or overflow, and speeds that do, are told."""
    world = nsd.World()
    for radius in (1e-200, 1e200):
        with pytest.raises(ModelError, match="has sizes"):
            world.add(S.Sphere(radius), [0, 0, 1])
    world.add(S.Sphere(0.1), [0, 0, 1], velocity=[1e300, 0, 0], name="ball")
    with pytest.raises(ParameterError, match="'ball' is too fast"):
        world.run(0.1)


@pytest.mark.parametrize("option", ["tolerance", "sleep", "margin"])
def test_speeds_and_lengths_below_zero(option):
    with pytest.raises(ParameterError, match=rf"{option}: is -1"):
        nsd.World(**{option: -1.0})


def test_attributes_that_nothing_reads():
    """What is set and is not there is told with what is near; a class made from a world may have its own."""
    world = nsd.World()
    body, ground = world.add(BALL, [0, 0, 1]), world.plane()
    joint = world.joints.hinge(body, at=[0, 0, 2], axis=[0, 1, 0])
    rope = world.springs.add(body, at=[0, 0, 1], to=[0, 0, 2], stiffness=1.0)
    for owner, wrong, right in (
        (world, "tolerence", "tolerance"),
        (body, "velocty", "velocity"),
        (ground, "spinn", "spin"),
        (joint, "sped", "speed"),
        (rope, "stifness", "stiffness"),
    ):
        with pytest.raises(UnknownName, match=f"did you mean '{right}'"):
            setattr(owner, wrong, 1.0)

    class Mine(nsd.World):
        def __init__(self):
            super().__init__()
            self.counted = 0

    assert Mine().counted == 0


def test_materials_and_groups_that_nothing_else_names():
    """A slip in a name gave the coefficients of the world, or bodies that met, without a word."""
    world = nsd.World()
    world.plane(material="ice")
    world.surface("ice", "rubber", friction=0.1)
    world.ignore("ghosts", "")
    world.add(BALL, [0, 0, 0.1], material="ruber", group="ghost")
    with pytest.warns(ModelWarning) as told:
        world.run(0.01)
    assert all(
        part in str(told[0].message)
        for part in ("names the material 'ruber'", "made of 'rubber'", "of the group 'ghosts'")
    )


def test_joints_that_moving_apart_would_open():
    """A third ball is inside of one of two that a joint holds: moved alone, the run would shoot them back at 25 m/s."""
    world = nsd.World(gravity=[0, 0, 0])
    a, b = (world.add(BALL, [x, 0, 0]) for x in (0.0, 0.3))
    world.add(BALL, [0.0, 0.1, 0])
    world.joints.ball(a, b, at=[0.15, 0, 0], name="pin")
    with pytest.raises(ParameterError, match=r"parts the joint 'pin' by 0\.05"):
        world.run(1e-3, resolve=True)


@pytest.mark.parametrize("seed", [58, 86, 457])
def test_what_a_blow_turns_through_a_plate_is_refused(seed):
    """A stone strikes with one corner and is turned by it: others come a centimetre in, faster than they were before.

    From the next step on it was parted from the plate on the other side, and rested there.
    """
    random = np.random.default_rng(seed)
    world = nsd.World(gravity=[0, 0, 0])
    world.stand(S.Cuboid([0.002, 2, 2]), name="plate")
    turned, speed = random.normal(size=4), random.uniform(8, 12)
    stone = S.Hull(random.normal(size=(10, 3)) * 0.015)
    spin, turned = random.normal(size=3) * 20, turned / np.linalg.norm(turned)
    world.add(stone, [-0.05, 0, 0], turned, velocity=[speed, 0, 0], angular_velocity=spin, name="stone")
    with pytest.raises(ParameterError, match=r"is inside .* and on its other side"):
        world.run(0.1, every=100)


def test_attributes_that_are_not_there_are_told_when_read():
    world = nsd.World()
    for owner, wrong, right in ((world, "gravty", "gravity"), (world.plane(), "positon", "position")):
        with pytest.raises(UnknownName, match="has no attribute"):
            getattr(owner, wrong)
        assert not hasattr(owner, wrong) and right != wrong


def test_a_name_is_that_of_one_thing():
    """A second body of a name was renamed without a word. What is refused takes no name."""
    world = nsd.World()
    with pytest.raises(ModelError, match="position"):
        world.add(BALL, [0, 0], name="a")
    ball = world.add(BALL, [0, 0, 1], name="a")
    for make in (
        lambda: world.add(BALL, [0, 0, 2], name="a"),
        lambda: world.plane(name="a"),
        lambda: world.stand(BALL, [1, 0, 0], name="a"),
        lambda: world.joints.hinge(ball, name="a"),
        lambda: world.springs.add(ball, name="a"),
        lambda: world.sensor(ball, name="a"),
    ):
        with pytest.raises(ModelError, match="the name 'a' is taken"):
            make()
    for name in ("a/b", "a.b", 3):
        with pytest.raises(ModelError, match="name of a body"):
            world.add(BALL, [0, 0, 2], name=name)
    assert [world.plane().name, world.plane().name] == ["plane", "plane 1"]


def test_a_sensor_is_of_what_is_in_its_world():
    """Shapes are numbers: those of another world were those of strangers here."""
    world, other = nsd.World(), nsd.World()
    ball = world.add(BALL, [0, 0, 1])
    for of, on in ((None, None), (other.add(BALL, [0, 0, 1]), None), (ball, other.plane())):
        with pytest.raises(ModelError, match="not in this world"):
            world.sensor(of, on=on)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda w: w.add(S.Cuboid(0.1), [0, 0, 1]), "three lengths"),
        (lambda w: w.add(S.Cuboid(0.1, 0.2, 0.3), [0, 0, 1]), r"called as Cuboid\(edges\)"),
        (lambda w: w.add(S.Sphere("0.1"), [0, 0, 1]), "'0.1' is not a number"),
        (lambda w: w.add(BALL, ["0", "0", "1"]), "not 3 finite numbers"),
        (lambda w: w.add(BALL, [0, 0, 1], mass=1.0, density=100.0), "a mass and a density"),
        (lambda w: w.stand(S.HeightField([[1, 2], [3]], spacing=1.0)), "has heights"),
        (lambda w: w.stand(S.HeightField([[1, 2], [3, 4]], spacing="1 m")), "has the spacing"),
        (lambda w: w.stand(S.Mesh([0, 1, 2], [[0, 1, 2]])), "not three numbers"),
        (lambda w: w.add(S.Hull("corners"), [0, 0, 1]), "not three finite numbers"),
        (lambda w: w.add(S.Prism([[0, 0], [1]], 0.1), [0, 0, 1]), "an outline"),
        (lambda w: w.joints.hinge(), "called as hinge"),
        (lambda w: w.springs.add(), "called as add"),
        (lambda w: w.run(0.1, before=3), "before: is no function"),
    ],
)
def test_slips_are_told(make, said):
    with pytest.raises(nsd.errors.NsdgenError, match=said):
        make(nsd.World())
