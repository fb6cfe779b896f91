"""Worlds beside what is known of them: rolling, collisions, rest; and that the search changes no number."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsdgen as nsd
from nsdgen.errors import ModelError, ModelWarning, ParameterError

BALL = nsd.solids.Sphere(0.1)
G = 9.81


def tilted(angle, **options):
    """A world over a plane z = 0 on which gravity points down a slope along x."""
    return nsd.World(gravity=[G * np.sin(angle), 0, -G * np.cos(angle)], **options)


def test_a_ball_rolls_down_a_slope():
    """a = 5/7 g sin(angle) without sliding; steps of velocities are exact for constant forces."""
    world = tilted(0.3, friction=1.0)
    world.plane()
    world.add(BALL, [0, 0, 0.1], name="ball")
    run = world.run(0.5, every=100)
    wanted = 5 / 7 * G * np.sin(0.3) * 0.5
    # The contact is solved to 1e-3 of g h, 1e-5 m/s
    assert run["ball.velocity[0]"][-1] == pytest.approx(wanted, abs=2e-5)
    assert run["ball.angular_velocity[1]"][-1] == pytest.approx(wanted / 0.1, abs=2e-4)


def test_a_ball_slides_where_friction_is_too_small():
    """a = g (sin(angle) - mu cos(angle)), and it spins up by 5 mu g cos(angle) / (2 r)."""
    world = tilted(0.6, friction=0.1)
    world.plane()
    world.add(BALL, [0, 0, 0.1], name="ball")
    run = world.run(0.5, every=100)
    assert run["ball.velocity[0]"][-1] == pytest.approx(G * (np.sin(0.6) - 0.1 * np.cos(0.6)) * 0.5, abs=1e-4)
    assert run["ball.angular_velocity[1]"][-1] == pytest.approx(2.5 * 0.1 * G * np.cos(0.6) / 0.1 * 0.5, abs=1e-3)


@pytest.mark.parametrize("restitution", [1.0, 0.6, 0.0])
def test_balls_collide(restitution):
    """Momentum stays, angular momentum but for h/2 v_k x v_k+1 of the step of the impact; energy does not rise."""
    world = nsd.World(gravity=[0, 0, 0], friction=0.3, restitution=restitution, tolerance=0)
    a = world.add(BALL, [0, 0, 0], velocity=[2.0, 0, 0], mass=1.0, name="a")
    b = world.add(BALL, [0.35, 0.08, 0.02], velocity=[-1.0, 0.1, 0], mass=3.0, angular_velocity=[0, 0, 5.0], name="b")
    before = a.state, b.state
    world.run(0.1, step=1e-4, every=1000)
    after = a.state, b.state

    masses = (1.0, 3.0)

    def momenta(states):
        linear = [m * s[7:10] for m, s in zip(masses, states, strict=True)]
        turns = [Rotation.from_quat(s[[4, 5, 6, 3]]) for s in states]
        spin = [0.4 * m * 0.01 * r.apply(s[10:13]) for m, s, r in zip(masses, states, turns, strict=True)]
        return sum(linear), sum(spin) + sum(np.cross(s[:3], p) for s, p in zip(states, linear, strict=True))

    def energy(states):
        return sum(
            m * (s[7:10] @ s[7:10] + 0.004 * s[10:13] @ s[10:13]) / 2 for m, s in zip(masses, states, strict=True)
        )

    assert momenta(after)[0] == pytest.approx(momenta(before)[0], abs=1e-12)
    assert momenta(after)[1] == pytest.approx(momenta(before)[1], abs=3e-4)
    impulse = after[0][7:10] - before[0][7:10]
    assert np.linalg.norm(impulse) > 0.5
    assert energy(after) <= energy(before) + 1e-12


def test_head_on_collisions_follow_newtons_law():
    """Two equal balls with e: the velocities after are (1 - e)/2 and (1 + e)/2 of the first one's."""
    world = nsd.World(gravity=[0, 0, 0], restitution=0.5)
    a = world.add(BALL, [0, 0, 0], velocity=[2.0, 0, 0], name="a")
    b = world.add(BALL, [0.3, 0, 0], name="b")
    world.run(0.2, every=100)
    assert a.velocity[0] == pytest.approx(0.5, abs=1e-12) and b.velocity[0] == pytest.approx(1.5, abs=1e-12)


def box_stack(**options):
    world = nsd.World(friction=0.5, **options)
    world.plane()
    for i in range(3):
        world.add(nsd.solids.Cuboid([0.2, 0.3, 0.1]), [0.02 * i, 0, 0.05 + 0.1 * i])
    return world


def test_a_stack_rests():
    """Boxes on boxes stay where they are: less than 1e-9 m in half a second, and they carry their weight."""
    world = box_stack()
    world.run(0.5, every=100)
    assert np.abs(world.states[:, :3] - [b.born[:3] for b in world.bodies]).max() < 1e-9
    assert np.abs(world.states[:, 7:]).max() < 1e-9


def pile(margin):
    world = nsd.World(margin=margin, sweeps=20)
    world.plane()
    random = np.random.default_rng(3)
    for i in range(40):
        at = np.array([i % 3, i // 3 % 3, i // 9]) * 0.21 + random.uniform(-0.004, 0.004, 3) + 0.11
        solid = BALL if i % 2 else nsd.solids.Capsule(0.05, 0.1) if i % 3 else nsd.solids.Cuboid([0.12, 0.11, 0.1])
        world.add(solid, at)
    world.run(0.3, every=100)
    return world


def test_the_margin_of_the_search_changes_no_bit():
    near, far, chosen = pile(0.002), pile(0.2), pile(None)
    assert near.search.made > far.search.made
    assert np.array_equal(near.states, far.states) and np.array_equal(near.states, chosen.states)


def test_bodies_come_and_go():
    """A run that adds bodies goes on from where it is, with more room."""
    world = nsd.World()
    world.plane()

    def rain(world):
        if len(world.bodies) < 40:
            world.add(BALL, [0.3 * (len(world.bodies) % 6), 0.3 * (len(world.bodies) // 6), 0.3])
        if world.time > 0.3 and world.bodies[0].exists:
            world.remove(world.bodies[0])

    run = world.run(0.6, every=10, before=rain)
    assert len(world.bodies) == 40 and np.isfinite(run.table).all()
    assert world.states[1:, 2] == pytest.approx(0.1, abs=5e-3)  # h v / 2 = 1e-3 at most as they land
    assert world.states[0, 2] == run["body 0.position[2]"][-1]


def test_a_run_reaches_its_end_by_whole_steps():
    world = nsd.World("falls")
    world.add(nsd.solids.Sphere(0.1), [0, 0, 9])
    assert world.run(0.1, step=0.03).time[-1] == pytest.approx(0.12, rel=1e-14)
    assert world.run(0.15, step=0.01).time[-1] == pytest.approx(0.15, rel=1e-14)
    assert len(world.run(1.15, step=1e-3, every=1).time) == 1001


def test_what_is_refused():
    world = nsd.World()
    world.plane()
    world.add(BALL, [0, 0, 0.1], name="low")
    world.add(BALL, [0.05, 0, 0.1], name="same place")
    with pytest.raises(ParameterError, match=r"'low' and 'same place' are inside .* by 0.15 m \(1 place in all\)"):
        world.run(0.1)
    with pytest.raises(ModelError, match="nan"):
        world.add(BALL, [0, float("nan"), 0])
    with pytest.raises(ModelError, match="no shape"):
        world.add("a ball", [0, 0, 1])
    with pytest.raises(ModelError, match="mass above 0"):
        world.add(BALL, [0, 0, 1], mass=-1.0)
    with pytest.raises(ModelError, match="restitution from 0 to 1"):
        world.surface("a", "b", restitution=2.0)
    fast = nsd.World()
    fast.add(BALL, [0, 0, 0], velocity=[200.0, 0, 0], name="bullet")
    with pytest.raises(ParameterError, match=r"'bullet' moves 0.2 m in a step"):
        fast.run(0.1)
    fast = nsd.World()
    body = fast.add(BALL, [0, 0, 0], name="pushed")
    with pytest.raises(ModelError, match=r"body 'pushed', force"):
        body.force = [float("nan"), 0, 0]
    fast.states[0, 1] = float("nan")
    with pytest.raises(ParameterError, match="the state of 'pushed' is not finite"):
        fast.run(0.1)


def test_what_is_extreme():
    """No friction and endless friction, many bodies in one place, a world without bodies."""
    for friction, acceleration in ((0.0, G * np.sin(0.5)), (float("inf"), 0.0)):
        world = tilted(0.5, friction=friction)
        world.plane()
        box = world.add(nsd.solids.Cuboid([0.2, 0.2, 0.2]), [0, 0, 0.1])
        world.run(0.1, every=100)
        assert box.velocity[0] == pytest.approx(0.1 * acceleration, abs=1e-12)
    heap = nsd.World()
    heap.plane()
    assert len(heap.run(0.01)) == 11
    for _ in range(40):
        heap.add(BALL, [0, 0, 1])
    with pytest.raises(ParameterError, match=r"by 0.2 m \(780 places in all\)"):
        heap.run(0.02)
    heap.run(0.02, allow_overlap=True)
    assert np.isfinite(heap.states).all()


def test_a_free_box_keeps_energy_and_angular_momentum():
    """About its middle axis, a turn that does not last: h^2 W^2 is 1e-4, and what is lost is of its square."""
    world = nsd.World(gravity=[0, 0, 0])
    box = world.add(nsd.solids.Cuboid([0.1, 0.2, 0.4]), [0, 0, 0], angular_velocity=[0.01, 10, 0.01])
    moments, start = np.array(box.moments), box.state[10:]
    world.run(2.0, every=2000)
    assert moments @ box.state[10:] ** 2 == pytest.approx(moments @ start**2, rel=1e-6)
    assert np.linalg.norm(moments * box.state[10:]) == pytest.approx(np.linalg.norm(moments * start), rel=1e-6)
    assert box.state[11] < 0  # it has turned over


def test_what_moves_as_told_is_drawn_where_it_was():
    """A moving solid and one that turns about the place it was given, at recorded instants; one that stands stays."""
    world = nsd.World()
    rail, wheel = world.stand(BALL, [0, 0, 0]), world.stand(nsd.solids.Cuboid([0.2, 0.1, 0.1]), [1, 0, 0])
    world.stand(BALL, [0, 3, 0])
    rail.velocity, wheel.spin = [0.5, 0, 0], [0, 0, 2.0]
    trajectory = world.run(0.4, every=100)
    moving, turning, standing = world_picture(trajectory)
    assert moving[:, 0] == pytest.approx([0, 0.05, 0.1, 0.15, 0.2]) and np.ptp(standing, axis=0).max() == 0.0
    assert 2 * np.arcsin(turning[:, 6]) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8]) and np.ptp(turning[:, :3]) == 1.0


def world_picture(trajectory):
    """Poses of what stands."""
    drawn = trajectory.origin.drawing(trajectory, range(len(trajectory))).drawn
    return [item.values for item in drawn if item.kind == "body"]


def test_a_ball_bounces_for_ever():
    """With e = 1 and theta = 1/2 the energy stays to rounding, over many impacts."""
    world = nsd.World(restitution=1.0)
    world.plane()
    world.add(BALL, [0, 0, 0.5], mass=1.0, name="ball")
    run = world.run(3.0, every=3)
    energy = run["ball.velocity[2]"] ** 2 / 2 + G * run["ball.position[2]"]
    assert energy == pytest.approx(energy[0], rel=1e-12)


def test_steps_that_are_less_accurate_than_asked_are_told():
    """A column of balls, 30 contacts that carry: one sweep cannot solve it, and says so once, with a number."""

    def column(**options):
        world = nsd.World(**options)
        world.plane()
        for k in range(30):
            world.add(BALL, [0, 0, 0.1 + 0.2 * k])
        return world

    with pytest.warns(ModelWarning, match=r"5 steps are less accurate than asked .* tolerance=0 certifies") as told:
        run = column(tolerance=1e-5, sweeps=1).run(5e-3)
    assert len(told) == 1 and run.attributes["inaccurate_steps"] == 5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert column().run(5e-3).attributes["inaccurate_steps"] == 0


@pytest.mark.parametrize("solid", ["box", "hull"])
def test_faces_that_coincide_keep_their_points(solid):
    """A wall of bricks side by side: corners lie on edges to rounding, and have the same numbers in every step.

    So each step starts from what the last one found, and has nothing to do.
    """
    size = [0.4, 0.2, 0.2]
    corners = [[x * size[0] / 2, y * size[1] / 2, z * size[2] / 2] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    brick = nsd.solids.Cuboid(size) if solid == "box" else nsd.solids.Hull(corners)
    world = nsd.World(friction=0.6)
    world.plane()
    for row in range(4):
        for k in range(6):
            world.add(brick, [0.4 * k + 0.2 * (row % 2), 0, 0.1 + 0.2 * row])
    seen = []
    for _ in range(12):
        run = world.run(world.time + 2e-3, every=2)
        seen.append(np.concatenate([c.keys for c in world.contacts]))
    assert all(np.array_equal(keys, seen[0]) for keys in seen)
    assert run["sweeps"][-1] == 0 and np.abs(world.states[:, 7:]).max() < 1e-9


@pytest.mark.parametrize("planar", [False, True])
def test_a_body_is_kicked_between_steps(planar):
    """It flies on with what it was given; components that are none here are refused."""
    world = nsd.World(planar=planar, gravity=[0, 0] if planar else [0, 0, 0])
    body = world.add(nsd.solids.Sphere(0.1), [0, 0] if planar else [0, 0, 0])
    world.run(0.1, step=0.01)
    size = 2 if planar else 3
    body.position, body.velocity = np.ones(size), [3.0] + [0.0] * (size - 1)
    body.angular_velocity = 2.0 if planar else [0.0, 0.0, 2.0]
    world.run(0.2, step=0.01)
    assert body.position == pytest.approx([1.3, *[1.0] * (size - 1)], abs=1e-12)
    assert body.quaternion == pytest.approx([np.cos(0.1), 0, 0, np.sin(0.1)], abs=1e-12)
    with pytest.raises(nsd.errors.ModelError, match="velocity"):
        body.velocity = [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    "solid", [nsd.solids.Cuboid([0.4, 0.2, 0.2]), nsd.solids.Cylinder(0.1, 0.2)], ids=["boxes", "cylinders"]
)
def test_a_stack_at_rest_is_found_at_rest(solid) -> None:
    """Contacts keep their numbers, and a step begins from what solves it: nothing is swept, as a first step is."""
    world = nsd.World(friction=0.6)
    world.plane()
    for k in range(6):
        world.add(solid, [0.002 * k, 0.0, 0.1 + 0.2 * k])
    world.run(0.02)
    keys = [found.keys.copy() for found in world.contacts]
    for _ in range(20):
        assert world.run(world.time + 1e-3)["sweeps"][-1] == 0
        assert all(np.array_equal(now.keys, then) for now, then in zip(world.contacts, keys, strict=True))


def test_a_heap_in_space_with_rolling_friction_is_certified() -> None:
    """Cones between walls: of 400 steps sweeps alone left nine inaccurate, by up to 0.1 m/s."""
    world = nsd.World(friction=1.0, rolling_friction=3e-3)
    world.plane()
    for normal in ([1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]):
        world.plane(normal, -0.25)
    random = np.random.default_rng(1)
    for k in range(14):
        turned, place = (
            random.normal(size=4),
            [0.23 * (k % 2) - 0.115, 0.23 * (k // 2 % 2) - 0.115, 0.15 + 0.34 * (k // 4)],
        )
        world.add(nsd.solids.RoundCone(0.08, 0.2), place, turned / np.linalg.norm(turned))
    run = world.run(0.8, step=2e-3)
    assert run["contacts"].max() > 20 and run.attributes["inaccurate_steps"] == 0


def test_a_small_part_on_the_axis_of_a_top_moves_little() -> None:
    """A tip of 4 mm under a disc at 200 rad/s: a step of 1 ms takes none of its places farther than it is thick."""
    world = nsd.World(friction=0.4)
    world.plane()
    top = nsd.solids.Compound([(nsd.solids.Sphere(0.004), [0, 0, -0.03]), (nsd.solids.Cylinder(0.03, 0.01), [0, 0, 0])])
    body = world.add(top, [0, 0, 0.0341], [np.cos(0.05), np.sin(0.05), 0, 0], angular_velocity=[0, 0, 200])
    world.run(0.2, every=50)
    assert body.position[2] > 0.033  # it stands


def test_contacts_that_are_listed_twice_before_a_step_act_as_those_listed_last():
    """What stays, goes and comes again between two steps keeps its bodies, wherever it was in the list before."""
    ends = []
    for twice in (False, True):
        world = nsd.World(friction=0.4)
        world.plane()
        for k in range(12):
            world.add(BALL, [0.2 * (k % 3), 0.01 * (k % 2), 0.1 + 0.2 * (k // 3)])
        world.run(0.05)
        first, second = world.find(1e-3)
        if twice:
            pools = world.engine.run.pools
            for some in (slice(1, None, 2), slice(0, None, 3)):
                pools.fill(0, *(np.ascontiguousarray(x[some]) for x in (first.keys, first.bodies, first.arguments)))
            pools.fill(1, second.keys, second.bodies, second.arguments)
        assert len(first.keys) > 6
        world.run(0.06)
        ends.append(world.states.copy())
    assert ends[1] == pytest.approx(ends[0], abs=1e-8)


def test_pictures_show_what_is_there_where_it_is(tmp_path):
    """A floor that rises was drawn where it came to, bodies before they were added and after they were taken out."""
    world = nsd.World("lift")
    world.plane(name="floor").velocity = (0, 0, 0.2)
    gate = world.stand(nsd.solids.Cuboid([0.1, 1, 1]), (0.6, 0, 0.5), name="gate")
    world.add(nsd.solids.Sphere(0.1), (0, 0, 0.1), name="first")
    late = []

    def change(world):
        if len(world.bodies) < 2 and world.time > 0.295:
            late.append(world.add(nsd.solids.Sphere(0.1), (0.3, 0, 0.6), name="late"))
            late.append(world.stand(nsd.solids.Cuboid([0.1, 1, 1]), (-0.6, 0, 0.5), name="wall"))
        elif world.time > 0.495 and len(late) == 2:
            world.remove(gate)
            world.remove(late[0])
            late.append(None)

    run = world.run(end=1, step=1e-2, before=change)
    drawn = {d.name: d for d in run.origin.drawing(run, range(len(run))).drawn}
    there = {name: run.time[np.isfinite(d.values).all(axis=1)] for name, d in drawn.items()}
    spans = {name: (round(float(times[0]), 6), round(float(times[-1]), 6)) for name, times in there.items()}
    assert spans == {"floor": (0, 1), "first": (0, 1), "late": (0.31, 0.5), "wall": (0.31, 1), "gate": (0, 0.5)}
    assert drawn["floor"].kind == "ground"
    np.testing.assert_allclose(drawn["floor"].values, [[0, 0, 1, 0.2 * t] for t in run.time], atol=1e-12)
    run.animate(tmp_path / "lift.html")
    pytest.importorskip("matplotlib")
    run.animate(tmp_path / "lift.png", speed=10)
