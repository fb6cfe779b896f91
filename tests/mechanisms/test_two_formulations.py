"""One statement in joint coordinates and in absolute ones: the same motion within the order of the scheme."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError, SingularMatrix

Y = [0, 1, 0]
GRAVITY = 9.81
STEP = 1e-3


def rod(name: str, axis: int, length: float) -> nsd.RigidBody:
    """A slender rod along an axis of its own."""
    inertia = sp.diag(*(0.001 if i == axis else length**2 / 12 for i in range(3)))
    return nsd.RigidBody(name, 1, inertia).apply_force([0, 0, -GRAVITY])


def about_y(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def angle_of(trajectory: nsd.Trajectory, body: str) -> np.ndarray:
    p = np.asarray(trajectory[f"{body}.quaternion"])
    return 2 * np.arctan2(p[:, 2], p[:, 0])


def double_pendulum(joint: bool, **options: Any) -> nsd.Model:
    """Two rods with limits, a spring, dry friction and a motor; the tip touches a floor."""
    a, b = rod("a", 2, 1.0), rod("b", 2, 1.0)
    top = nsd.Revolute("top", nsd.Marker(a, [0, 0, 0.5], axis=Y), nsd.Marker(at=[0, 0, 1.6], axis=Y))
    knee = nsd.Revolute("knee", nsd.Marker(b, [0, 0, 0.5], axis=Y), nsd.Marker(a, [0, 0, -0.5], axis=Y))
    tip = nsd.contacts_between(
        [b.point([0, 0, -0.5])], nsd.Plane("floor", [0, 0, 1]), nsd.NewtonImpactFriction(0.3, 0.4)
    )
    acting = [*knee.limits(-0.5, 0.8), top.spring(2.0, 0.1), knee.friction(0.05), *tip]
    acting.append(top.motor(force=0.3 * sp.sin(nsd.time)))
    one, two = 0.9, 0.5
    if joint:
        initial: dict[Any, Any] = {top.angle: one, knee.angle: two}
        return nsd.Model("tree", [nsd.Mechanism("arm", [top, knee])], acting, initial=initial, **options)
    first = np.array([0, 0, 1.6]) - about_y(one) @ [0, 0, 0.5]
    second = first - about_y(one) @ [0, 0, 0.5] - about_y(one + two) @ [0, 0, 0.5]
    initial = {
        a.position: first.tolist(),
        b.position: second.tolist(),
        a.quaternion: nsd.from_axis_angle(Y, one),
        b.quaternion: nsd.from_axis_angle(Y, one + two),
    }
    return nsd.Model("bodies", [a, b], [top, knee, *acting], initial=initial, **options)


@pytest.mark.slow
def test_what_acts_on_joints_and_bodies() -> None:
    """Limits, springs, friction, motors, contacts under Rattle, of order 2 until the first impact at 0.3 s."""
    options = {"scheme": nsd.Rattle(), "step": STEP, "end": 1.0}
    tree, bodies = (double_pendulum(joint, **options).compile(interpret=True).run() for joint in (True, False))
    one = angle_of(bodies, "a")
    two = angle_of(bodies, "b") - one
    smooth = slice(0, 300)
    for found, expected in ((tree["arm.top angle"], one), (tree["arm.knee angle"], two)):
        assert np.abs(np.asarray(found) - expected)[smooth].max() < 5 * STEP**2
        assert np.abs(np.asarray(found) - expected).max() < 2e-4  # impacts fall into other steps
    assert np.asarray(tree["b floor 0.impulse"]).max() > 0
    assert np.asarray(tree["knee upper limit.impulse"]).max() > 0


def four_bar(joint: bool, **options: Any) -> nsd.Model:
    """A crank, a coupler and a rocker between two pins of the ground, 2 m apart."""
    crank, coupler, rocker = rod("crank", 2, 1.0), rod("coupler", 0, 2.2), rod("rocker", 2, 1.3)
    pins = [nsd.Marker(at=[0, 0, 0], axis=Y), nsd.Marker(at=[2, 0, 0], axis=Y)]
    one = nsd.Revolute("one", nsd.Marker(crank, [0, 0, -0.5], axis=Y), pins[0])
    two = nsd.Revolute("two", nsd.Marker(coupler, [-1.1, 0, 0], axis=Y), nsd.Marker(crank, [0, 0, 0.5], axis=Y))
    three = nsd.Revolute("three", nsd.Marker(rocker, [0, 0, -0.65], axis=Y), pins[1])
    four = nsd.Revolute("four", nsd.Marker(rocker, [0, 0, 0.65], axis=Y), nsd.Marker(coupler, [1.1, 0, 0], axis=Y))
    start, end = np.array([0, 0, 1.0]), np.array([2.0, 0, 0])
    apart = end - start
    far = np.linalg.norm(apart)
    along = (2.2**2 - 1.3**2 + far**2) / (2 * far)
    up = np.array([-apart[2], 0, apart[0]]) / far
    corner = start + along * apart / far + np.sqrt(2.2**2 - along**2) * up
    bent = float(-np.arctan2(corner[2] - 1.0, corner[0]))
    leaning = float(np.arctan2(corner[0] - 2.0, corner[2]))
    if joint:
        initial: dict[Any, Any] = {two.angle: bent, three.angle: leaning}
        return nsd.Model("tree", [nsd.Mechanism("bars", [one, two, three])], [four], initial=initial, **options)
    initial = {
        crank.position: [0, 0, 0.5],
        coupler.position: ((start + corner) / 2).tolist(),
        rocker.position: ((end + corner) / 2).tolist(),
        coupler.quaternion: nsd.from_axis_angle(Y, bent),
        rocker.quaternion: nsd.from_axis_angle(Y, leaning),
    }
    return nsd.Model("bodies", [crank, coupler, rocker], [one, two, three, four], initial=initial, **options)


def test_a_loop_is_closed_by_a_joint_between_links() -> None:
    """The hinge that closes the loop says three things that the tree keeps already: they are counted."""
    options = {"scheme": nsd.Rattle(), "step": STEP, "end": 1.0}
    tree, bodies = (four_bar(joint, **options).compile(interpret=True).run() for joint in (True, False))
    difference = np.asarray(tree["bars.one angle"]) - angle_of(bodies, "crank")
    assert np.abs(difference).max() < 2e-5
    assert np.abs(np.asarray(tree["four.gap"])).max() < 1e-12
    assert np.asarray(tree["rank_deficiency"]).max() == 3


@pytest.mark.slow
def test_energy_of_a_free_chain() -> None:
    """Two bodies on a ball joint that tumble: energy under Rattle stays, their centre of mass keeps its velocity."""
    a, b = nsd.RigidBody("a", 1, sp.diag(0.1, 0.2, 0.3)), nsd.RigidBody("b", 2, sp.diag(0.3, 0.1, 0.2))
    ball = nsd.Spherical("ball", nsd.Marker(b, [0, 0, 0.4]), nsd.Marker(a, [0.3, 0, 0]))
    pair = nsd.Mechanism("pair", [ball])
    model = nsd.Model(
        "tumble",
        [pair],
        [],
        scheme=nsd.Rattle(),
        step=STEP,
        end=2.0,
        initial={a.position: [0, 0, 0], a.angular_velocity: [1.0, 2.0, 0.5]},
    )
    compiled = model.compile()
    run = compiled.run()
    columns = [c.name for c in run.columns if c.name.startswith("pair.")]
    state = np.column_stack([np.asarray(run[name]) for name in columns])
    q, v = state[:, :11], state[:, 11:20]
    energy = compiled.pair.kinetic_energy(run.time, q, v)
    assert np.ptp(energy) < 1e-5 * energy[0]
    pose = compiled.pair.poses(q)[:, pair.bodies.index(b)]
    assert np.allclose(np.linalg.norm(pose[:, 3:], axis=1), 1.0, rtol=0, atol=1e-12)
    centre = (q[:, :3] + 2 * pose[:, :3]) / 3  # moves along a straight line
    assert np.abs(np.diff(centre, 2, axis=0)).max() < 1e-9


@pytest.fixture
def pair() -> tuple[nsd.RigidBody, nsd.RigidBody]:
    return rod("a", 2, 1.0), rod("b", 2, 1.0)


def test_balls_in_joint_coordinates_are_refused_under_the_variational_scheme() -> None:
    """Its closed form is that of one body; in absolute coordinates the same statement runs."""
    for ends in ([None], [rod("b", 2, 1.0)]):
        a = rod("a", 2, 1.0)
        ball = nsd.Spherical("ball", nsd.Marker(a, [0, 0, 0.5]), nsd.Marker(*ends))
        with pytest.raises(ModelError, match="Variational") as refused:
            nsd.Model("m", [nsd.Mechanism("tree", [ball])], [], scheme=nsd.Variational(), step=1e-3, end=1).compile()
        assert "coordinates='absolute'" in refused.value.fix


def test_a_loop_is_no_tree(pair: tuple[nsd.RigidBody, nsd.RigidBody]) -> None:
    a, b = pair
    joints = [
        nsd.Revolute("one", nsd.Marker(a), nsd.Marker()),
        nsd.Revolute("two", nsd.Marker(b), nsd.Marker(a)),
        nsd.Revolute("three", nsd.Marker(b), nsd.Marker()),
    ]
    with pytest.raises(ModelError, match=r"'three' closes a loop"):
        nsd.Mechanism("m", joints)


def test_a_rod_does_not_say_where_a_body_is(pair: tuple[nsd.RigidBody, nsd.RigidBody]) -> None:
    with pytest.raises(ModelError, match=r"'rod', a Distance, does not say how one body follows the other"):
        nsd.Mechanism("m", [nsd.Distance("rod", nsd.Marker(pair[0], [0, 0, 1]), [0, 0, 0], 1)])


def test_bodies_follow_from_joints(pair: tuple[nsd.RigidBody, nsd.RigidBody]) -> None:
    joint = nsd.Revolute("one", nsd.Marker(pair[0]), nsd.Marker())
    with pytest.raises(ParameterError, match=r"no positions .* what is given of \['a/position_x"):
        nsd.Model(
            "m",
            [nsd.Mechanism("tree", [joint])],
            [],
            initial={pair[0].position: [0, 0, 1]},
            scheme=nsd.Rattle(),
            step=1,
            end=1,
        )


def test_a_body_is_not_listed_again(pair: tuple[nsd.RigidBody, nsd.RigidBody]) -> None:
    joint = nsd.Revolute("one", nsd.Marker(pair[0]), nsd.Marker())
    with pytest.raises(ModelError, match=r"belongs to 'tree' too"):
        nsd.Model("m", [nsd.Mechanism("tree", [joint]), pair[0]], [], scheme=nsd.Rattle(), step=1, end=1)


@pytest.mark.parametrize(
    ("mass", "inertia", "message"),
    [(-1, sp.eye(3), "mass.*negative"), (1, sp.diag(1, 1, 5), "no rigid body|inertia")],
)
def test_bodies_are_those_that_there_are(mass: float, inertia: sp.Matrix, message: str) -> None:
    body = nsd.RigidBody("b", mass, inertia)
    tree = nsd.Mechanism("tree", [nsd.Revolute("one", nsd.Marker(body), nsd.Marker())])
    with pytest.raises(ModelError, match=message):
        nsd.Model("m", [tree], [], scheme=nsd.Rattle(), step=1, end=1)


def test_a_joint_of_a_mechanism_is_no_relation_besides(pair: tuple[nsd.RigidBody, nsd.RigidBody]) -> None:
    joint = nsd.Revolute("one", nsd.Marker(pair[0]), nsd.Marker())
    with pytest.raises(ModelError, match="is in a mechanism already"):
        nsd.Model("m", [nsd.Mechanism("tree", [joint])], [joint], scheme=nsd.Rattle(), step=1, end=1)


def test_joints_are_listed_once(pair: tuple[nsd.RigidBody, nsd.RigidBody]) -> None:
    joint = nsd.Revolute("one", nsd.Marker(pair[0]), nsd.Marker())
    with pytest.raises(ModelError, match="lists a joint twice"):
        nsd.Mechanism("tree", [joint, joint])
    with pytest.raises(ModelError, match="has no joints"):
        nsd.Mechanism("tree", [])


def test_what_acts_on_a_joint_knows_its_coordinates_alone(pair: tuple[nsd.RigidBody, nsd.RigidBody]) -> None:
    """SymPy spreads a numeric damping over the terms of a rate: its kernels computed the frames of all ancestors."""
    upper, lower = pair
    about_y = {"axis": [0, 1, 0]}
    shoulder = nsd.Revolute("shoulder", nsd.Marker(upper, [0, 0, 0.5], **about_y), nsd.Marker(**about_y))
    elbow = nsd.Revolute("elbow", nsd.Marker(lower, [0, 0, 0.5], **about_y), nsd.Marker(upper, [0, 0, -0.5], **about_y))
    slider = nsd.Prismatic("slider", nsd.Marker(nsd.RigidBody("end", 1, sp.eye(3)), **about_y), nsd.Marker(lower))
    acting = [elbow.spring(10, damping=3), slider.spring(7, damping=2), slider.motor(force=5 * slider.displacement)]
    tree = nsd.Mechanism("arm", [shoulder, elbow, slider])
    text = nsd.Model("arm", [tree], acting, scheme=nsd.Rattle(), step=1e-3, end=1).compile(interpret=True).text
    own = [part for part in text.split("# [tag]")[1:] if any(f"/ {r.name}:" in part.split("\n")[0] for r in acting)]
    assert own and not any("sin(" in part or "cos(" in part for part in own)


def test_a_link_without_mass_matters_where_it_moves_alone() -> None:
    """Between two hinges it costs nothing; at the end nothing says how it accelerates."""
    cross, end = nsd.RigidBody("cross", 0, sp.zeros(3)), rod("end", 2, 1.0)
    first = nsd.Revolute("first", nsd.Marker(cross, axis=[1, 0, 0]), nsd.Marker(axis=[1, 0, 0]))
    second = nsd.Revolute("second", nsd.Marker(end, [0, 0, 0.5], axis=[0, 1, 0]), nsd.Marker(cross, axis=[0, 1, 0]))
    options = {"scheme": nsd.MoreauJean(), "step": 1e-2, "end": 0.1, "initial": {second.angle: 0.3}}
    run = nsd.Model("gimbal", [nsd.Mechanism("gimbal", [first, second])], [], **options).compile(interpret=True).run()
    assert np.isfinite(run["gimbal.second angle"]).all()
    last = nsd.Revolute("last", nsd.Marker(nsd.RigidBody("nothing", 0, sp.zeros(3))), nsd.Marker())
    alone = nsd.Model("m", [nsd.Mechanism("m", [last])], [], **{**options, "initial": {}}).compile(interpret=True)
    with pytest.raises(SingularMatrix, match="a joint that moves no mass"):
        alone.run()
