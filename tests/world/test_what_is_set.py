"""What is set on a world that runs acts from the next step on, or is refused: nothing is taken without effect."""

import numpy as np
import pytest

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError

S = nsd.solids
BOX, BALL, G = S.Cuboid([0.2, 0.2, 0.2]), S.Sphere(0.1), 9.81


def sliding(friction, **more):
    """A box that slides along x on the ground with 1 m/s."""
    world = nsd.World(friction=friction, **more)
    world.plane(material="floor")
    return world, world.add(BOX, [0, 0, 0.1], velocity=[1, 0, 0])


def once(act):
    """What is called before a step, and acts in the first."""
    done = []
    return lambda world: done or done.append(act(world))


@pytest.mark.parametrize("how", ["new", "in place", "in a run"])
def test_gravity(how):
    world = nsd.World()
    ball = world.add(BALL, [0, 0, 5])
    world.run(0.1)
    if how == "in a run":
        world.run(0.2, before=once(lambda world: setattr(world, "gravity", [1, 0, 0])))
    elif how == "new":
        world.gravity = [1, 0, 0]
        world.run(0.2)
    else:
        world.gravity[:] = [1, 0, 0]
        world.run(0.2)
    assert ball.velocity == pytest.approx([0.1, 0, -0.1 * G], abs=1e-12)


def test_surfaces_and_materials_of_a_run():
    world, first = sliding(0.0)

    def look(world):
        world.surface("floor", "", friction=0.3)
        world.surface("floor", "rubber", friction=0.2)  # a material that there was not when the run began
        world.add(BOX, [0, 2, 0.1], velocity=[1, 0, 0], material="rubber")

    world.run(0.2, before=once(look))
    assert world.states[:, 7] == pytest.approx([1 - 0.3 * G * 0.2, 1 - 0.2 * G * 0.2], abs=1e-10)
    world.run(0.3, before=once(lambda world: world.surface("floor", "", friction=0.3, rolling_friction=1e-3)))
    assert first.velocity[0] == pytest.approx(1 - 0.3 * G * 0.3, abs=1e-8 * 100)  # steps, each to 1e-8


def test_a_surface_has_what_the_world_has_unless_told():
    world, box = sliding(0.1)
    world.surface("floor", "", restitution=0.4)
    world.run(0.2)
    assert box.velocity[0] == pytest.approx(1 - 0.1 * G * 0.2, abs=1e-10)


def test_the_tolerance():
    world, _ = sliding(0.1)
    world.run(0.01)
    world.tolerance = 1e-3
    assert world.run(0.02).attributes["tolerance"] == 1e-3
    world.tolerance = -1.0
    with pytest.raises(ParameterError, match="tolerance"):
        world.run(0.03)


def test_a_joint_of_a_run_holds():
    world = nsd.World()
    ball = world.add(BALL, [0, 0, 0.1], velocity=[1, 0, 0])
    world.run(0.5, before=once(lambda world: world.joints.ball(ball, at=[0, 0, 1], name="pin")), every=10)
    assert np.linalg.norm(ball.position - [0, 0, 1]) == pytest.approx(0.9, abs=1e-6)


def test_a_spring_of_a_run_that_is_too_stiff_is_refused():
    world = nsd.World()
    ball = world.add(BALL, [0, 0, 0.1])
    with pytest.raises(ParameterError, match=r"the step of 0\.001 s is too long for spring"):
        world.run(0.1, before=once(lambda world: world.springs.add(ball, to=[0, 0, 1], stiffness=1e9)))


def test_a_body_put_into_another_in_a_run_is_refused_or_moved():
    for resolve in (False, True):
        world, _ = sliding(0.5)
        into = once(lambda world: world.add(BOX, [0, 0, 0.25], name="late"))
        if resolve:
            world.run(0.01, before=into, resolve=True)
            assert np.diff(world.states[:, 2])[0] == pytest.approx(0.2, abs=1e-6)
            continue
        with pytest.raises(ParameterError, match=r"'body 0' and 'late' are inside each other by 0\.05 m"):
            world.run(0.01, before=into)


def test_a_place_inside_another_body_is_refused_or_moved():
    """It was taken without a word, and contacts kept the overlap."""
    for resolve in (False, True):
        world, box = sliding(0.5)
        other = world.add(BOX, [1, 0, 0.1], name="other")
        world.run(0.01)

        def put(world, other=other, box=box):
            other.position = box.position + [0, 0, 0.15]

        if resolve:
            world.run(0.02, before=once(put), resolve=True)
            assert np.diff(world.states[:, 2])[0] == pytest.approx(0.2, abs=1e-6)
            continue
        with pytest.raises(ParameterError, match=r"'body 0' and 'other' are inside each other by 0\.05 m"):
            world.run(0.02, before=once(put))


def test_an_overlap_that_is_kept_elsewhere_excuses_no_other():
    """How deep others are inside each other had counted for all pairs."""
    world, box = sliding(0.5)
    other, far = world.add(BOX, [1, 0, 0.1], name="other"), world.add(BOX, [5, 0, 0.1], name="far")
    world.add(BOX, [5, 0, 0.2], name="inside")
    world.run(0.01, allow_overlap=True)
    other.position = box.position + [0, 0, 0.15]
    with pytest.raises(ParameterError, match=r"'body 0' and 'other' are inside each other by 0\.05 m"):
        world.run(0.02)
    far.position = far.position
    other.position = [1, 0, 0.1]
    world.run(0.02)


def test_a_body_may_be_set_where_it_rests():
    """The overlap that the order of the steps left is no new one."""
    world, box = sliding(0.5)
    world.run(0.2)
    box.position = box.position
    world.run(0.3)
    box.position = box.position + [0.1, 0.0, 0.0]
    world.run(0.4, before=lambda world: setattr(box, "position", box.position))
    assert box.position[2] == pytest.approx(0.1, abs=1e-6)


def test_many_bodies_may_come_before_the_first_step():
    """More than there is room for at first (16) ended in a bare error."""
    world = nsd.World()
    world.plane()
    cube = [[x, y, 0.1] for x in range(5) for y in range(5)]
    world.run(0.1, before=once(lambda world: [world.add(BALL, place) for place in cube]), every=50)
    assert np.abs(world.states[:, :3] - cube).max() < 1e-12


def test_a_new_kind_of_rows_and_more_bodies_than_there_is_room_for():
    world = nsd.World()
    world.plane()
    arm = world.add(BALL, [0, 0, 2])
    world.run(0.01)

    def look(world):
        world.joints.ball(arm, at=[0, 0, 2])
        for k in range(20):
            world.add(BALL, [1 + 0.3 * k, 0, 0.1])
        world.tolerance = 1e-6

    world.run(0.1, before=once(look), every=50)
    assert np.abs(world.states[1:, 2] - 0.1).max() < 1e-6 and world.states[0, 2] == pytest.approx(2, abs=1e-3)


def test_what_sleeps_wakes_on_a_surface_that_resists_rolling():
    world = nsd.World(sleep=1e-6, friction=0.5, gravity=[3, 0, -G])
    world.plane()
    box = world.add(BOX, [0, 0, 0.1])
    world.run(0.2, every=50)
    assert box.asleep
    world.surface("", "", friction=0.1, rolling_friction=1e-3)
    world.run(0.4, every=50)
    assert box.velocity[0] == pytest.approx(0.2 * (3 - 0.1 * G), abs=1e-5)


def test_what_stands_is_taken_out():
    world = nsd.World()
    hatch = world.stand(BOX, [0, 0, -0.1])
    ball = world.add(BALL, [0, 0, 0.1])
    world.run(0.1)
    world.remove(hatch)
    world.run(0.2)
    assert ball.velocity[2] == pytest.approx(-0.1 * G, abs=1e-12)
    with pytest.raises(ModelError, match="not in it"):
        nsd.World().remove(ball)


def test_what_a_body_is_made_of_stays():
    _, box = sliding(0.5)
    for name, value in (("mass", 2.0), ("moments", (1, 1, 1)), ("exists", False), ("name", "other")):
        with pytest.raises(ModelError, match=f"body 'body 0', {name}: is what the body was added with"):
            setattr(box, name, value)
    with pytest.raises(ModelError, match=r"body 'body 0', force: .* is not 3 finite numbers"):
        box.force = [np.nan, 0, 0]
    given = np.array([1.0, 0, 0])
    box.force = given
    given[0] = 2.0
    assert box.force[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        box.force[0] = 2.0


@pytest.mark.parametrize("what", ["velocity", "spin", "surface"])
@pytest.mark.parametrize("value", [[np.nan, 0, 0], [1, 0], 1.0, "fast"])
def test_what_moves_as_told_is_told_numbers(what, value):
    """A surface with the velocity NaN let through what stood on it."""
    world = nsd.World()
    belt = world.stand(BOX, [0, 0, -0.1], name="belt")
    world.add(BALL, [0, 0, 0.1])
    with pytest.raises(ModelError, match=f"solid 'belt', {what}: .* is not 3 finite numbers"):
        setattr(belt, what, value)


@pytest.mark.parametrize(("kind", "name", "value"), [
    ("hinge", "lower", 0.1), ("hinge", "upper", -0.1), ("slider", "lower", np.nan),
    ("hinge", "speed", np.nan), ("hinge", "speed", np.inf), ("slider", "limit", -1.0), ("ball", "limit", 1.0),
    ("weld", "speed", 1.0), ("ball", "upper", 1.0),
])  # fmt: skip
def test_stops_and_motors(kind, name, value):
    world = nsd.World()
    joint = getattr(world.joints, kind)(world.add(BALL, [0, 0, 1]), name="pin")
    with pytest.raises((ModelError, ParameterError), match=f"joint 'pin', {name}: is"):
        setattr(joint, name, value)


@pytest.mark.parametrize("name", ["stiffness", "damping", "length"])
def test_springs(name):
    world = nsd.World()
    spring = world.springs.add(world.add(BALL, [0, 0, 1]), at=[0, 0, 1], stiffness=10.0, name="rope")
    for value in (-1.0, np.nan):
        with pytest.raises(ParameterError, match=f"spring 'rope', {name}: is"):
            setattr(spring, name, value)


def test_a_state_is_set_as_a_whole():
    """Of a velocity one component could be set, of which nothing came; so could what a joint or a spring gives."""
    world = nsd.World()
    ball = world.add(BALL, [0, 0, 1])
    for name in ("position", "quaternion", "velocity", "angular_velocity"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(ball, name)[0] = 2.0
    pin, rope = world.joints.hinge(ball, name="pin"), world.springs.add(ball, name="rope")
    for owner, name in ((pin, "force"), (pin, "moment"), (pin, "axes"), (rope, "force"), (rope, "first")):
        with pytest.raises(ModelError, match=f"'{owner.name}', {name}: is what .* was made with, or gives"):
            setattr(owner, name, [0, 0, 5])


def test_what_was_taken_out_is_set_no_more():
    world = nsd.World()
    ball = world.add(BALL, [0, 0, 1], name="ball")
    world.remove(ball)
    with pytest.raises(ModelError, match="'ball', velocity: was taken out of the world"):
        ball.velocity = [1, 0, 0]
    with pytest.raises(ModelError, match="no body of this world"):
        world.joints.ball(ball)
    for use in (world.remove, world.sensor):
        with pytest.raises(ModelError, match="not in"):
            use(ball)
