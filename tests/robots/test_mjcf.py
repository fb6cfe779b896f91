"""MJCF files beside MuJoCo's numbers (tests/data/robots, ``benchmarks/robots_mjcf.py --write``), and their messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nsdgen as nsd
from benchmarks import robots_mjcf
from nsdgen.base.solids import filled
from nsdgen.errors import ModelError
from nsdgen.symbolic.robots.mjcf import SOLIDS

HOPPER = robots_mjcf.DATA / "hopper.xml"
REST = {"scheme": nsd.MoreauJean(), "step": 1e-3, "end": 0.01}
ROD = '<geom type="capsule" size="0.05 0.2"/>'


def read(inside: str, before: str = "", **given) -> object:
    return nsd.read_mjcf(f'<mujoco model="r">{before}<worldbody>\n{inside}\n</worldbody></mujoco>', **given)


def link(inside: str, before: str = "", **given) -> object:
    return read(f'<body name="b"><joint name="j" damping="0"/>{inside}</body>', before, **given).description.links["b"]


@pytest.fixture(scope="module")
def hopper():
    return nsd.read_mjcf(HOPPER)


@pytest.mark.filterwarnings("ignore:joints made")
def test_a_robot_has_the_numbers_of_mujoco(hopper):
    """M with armature, gravity and Coriolis forces, places, accelerations under springs, dampers and servos."""
    with np.load(HOPPER.with_suffix(".npz")) as stored:
        expected = dict(stored)
    worst = robots_mjcf.differences(hopper, robots_mjcf.model_of(hopper).compile(), expected)
    assert set(worst) == {"M", "F", "centres", "rotations", "a"} and max(worst.values()) < 1e-12, worst


def test_what_acts_and_what_is_data(hopper):
    names = [relation.name for relation in hopper.relations]
    assert {"lift upper limit", "neck spring", "equality 1", "rope", "push", "actuator 4"} <= set(names)
    assert "glue" not in names  # which is not active
    assert hopper.description.excluded == (("torso", "shin"),)
    assert hopper.description.pairs[0]["geom2"] == "trunk"
    trunk, head = hopper.description.links["torso"].shapes
    assert trunk.colour == head.colour == (0.2, 0.4, 0.6, 1) and trunk.data["condim"] == "3"
    assert [shape.kind for shape in hopper.description.ground] == ["plane"]
    assert not hopper.description.links["head"].shapes[0].touches
    link_, place = hopper.description.sites["eye"]
    assert link_ == "torso" and place.origin.tolist() == [0.1, 0, 0.3]
    np.testing.assert_allclose(hopper.description.joints["knee"].limits, np.radians([-40, 50]))


def test_materials_have_colours():
    material = '<asset><material name="red" rgba="1 0 0 1"/></asset>'
    assert link(ROD.replace("/>", ' material="red"/>'), material).shapes[0].colour == (1, 0, 0, 1)


def test_coordinates_start_where_the_file_has_them(hopper):
    """Two by their ``ref``; the knee where its equation puts it."""
    assert sorted(hopper.initial.values()) == pytest.approx([0.1, np.radians(15), 1])


def test_equations_hold():
    """A slider that follows another by a polynomial, and a bar between the ends of two others."""
    slide = '<body name="{0}" pos="{1} 0 0"><joint name="{0}" type="slide"/><geom size="0.1"/></body>'
    both = slide.format("a", 0) + slide.format("b", 1)
    for equation, ends in (
        ('<joint joint1="b" joint2="a" polycoef="0 0.5"/>', lambda a, b: b - a / 2),
        ('<joint joint1="b" joint2="a" polycoef="0.3"/>', lambda a, b: b - a - 0.3),  # MuJoCo keeps the 1 after it
        ('<weld body1="a" body2="b"/>', lambda a, b: b - a),
        ('<connect body1="a" body2="b" anchor="0.3 0 0"/>', lambda a, b: b - a),
    ):
        robot = nsd.read_mjcf(
            f"<mujoco><worldbody>{both}</worldbody><equality>{equation}</equality>"
            '<actuator><motor name="push" joint="a"/></actuator></mujoco>'
        )
        pushed = {"parameters": {robot.controls["push"]: 50.0}, "initial": robot.initial}
        run = nsd.Model("m", robot.systems, robot.relations, **REST, **pushed).run()
        a, b = (run[f"robot.{name} displacement"] for name in "ab")
        assert np.abs(ends(a, b)).max() < 1e-12 and np.ptp(a) > 1e-6


def test_lists_that_are_cut_short_go_on_as_their_class_has_them():
    """As MuJoCo 4.0 has it: 5 and 7 8 over 1 -10 -2 are 5 -10 -2 and 7 8 -2."""
    classes = (
        '<default><general biastype="affine" gainprm="3" biasprm="1 -10 -2"/><geom type="box" size="0.1 0.2 0.3"/>'
        '<default class="c"><general biasprm="5"/></default></default>'
    )
    robot = nsd.read_mjcf(
        f'<mujoco>{classes}<worldbody><body name="b"><joint name="j"/><geom size="0.5"/></body></worldbody>'
        '<actuator><general class="c" joint="j"/><general joint="j" biasprm="7 8"/></actuator></mujoco>'
    )
    assert [a.bias for a in robot.description.actuators] == [(5, -10, -2), (7, 8, -2)]
    assert robot.description.links["b"].shapes[0].sizes == (0.5, 0.2, 0.3)


def test_what_goes_from_end_to_end_looks_back():
    """As MuJoCo 4.0 has it: z points to the first end, which tells how a box lies about it."""
    turn = link('<geom type="box" size="0.1" fromto="0 0 0 1 0.4 0.3"/>').shapes[0].place.rotation
    w, x, y, z = 0.60484372, 0.29575481, -0.73938702, 0.0
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    np.testing.assert_allclose(turn, np.eye(3) + 2 * (w * skew + skew @ skew), atol=1e-7)


def test_frames_place_what_stands_in_them():
    """As MuJoCo 4.0 has it: bodies, joints, geoms and sites, in frames one in the other, with classes of their own."""
    robot = read(
        '<frame pos="0 0 1" euler="0 90 0" childclass="slim"><body name="b" pos="1 0 0"><frame pos="0 .1 0">'
        '<frame euler="0 0 90"><joint name="j" pos=".2 0 0" axis="1 0 0"/><geom fromto="0 0 0 1 0 0"/>'
        '<site name="s" pos="1 0 0"/></frame></frame></body></frame>',
        '<compiler angle="degree"/><default><default class="slim"><geom type="capsule" size=".1"/></default></default>',
    )
    joint, shape = robot.description.joints["j"], robot.description.links["b"].shapes[0]
    np.testing.assert_allclose(joint.on_child.origin, [0, 0.3, 0], atol=1e-15)
    np.testing.assert_allclose(joint.axis, [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(joint.on_parent.rotation, [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(joint.on_parent.origin, [0, 0.3, 0], atol=1e-15)
    np.testing.assert_allclose(shape.place.origin, [0, 0.6, 0], atol=1e-15)
    np.testing.assert_allclose(shape.place.rotation[:, 2], [0, -1, 0], atol=1e-15)
    np.testing.assert_allclose(robot.description.sites["s"][1].origin, [0, 1.1, 0], atol=1e-15)


def test_free_bodies_fall_from_where_they_are():
    robot = read(f'<body name="b" pos="1 2 3" quat="1 1 0 0"><freejoint/>{ROD}</body>')
    run = nsd.Model("m", robot.systems, robot.relations, **REST, initial=robot.initial).run()
    assert run["b.position[1]"][0] == 2 and run["b.velocity[2]"][-1] == pytest.approx(-9.81 * 0.01)


def test_free_bodies_are_damped():
    """Slower and slower, in both: v exp(-d t / m), omega exp(-d t / I)."""
    inertial = '<inertial pos="0 0 0" mass="2" diaginertia="0.5 0.5 0.5"/>'
    robot = read(f'<body name="b"><joint name="j" type="free" damping="3"/>{inertial}</body>', gravity=(0, 0, 0))
    b = robot.bodies["b"]
    start = {**robot.initial, b.velocity: [1, 0, 0], b.angular_velocity: [0, 2, 0]}
    rest = {**REST, "scheme": nsd.EventDriven(), "end": 0.1}
    run = nsd.Model("m", robot.systems, robot.relations, **rest, initial=start).run()
    assert run["b.velocity[0]"][-1] == pytest.approx(np.exp(-0.15), rel=1e-9)
    assert run["b.angular_velocity[1]"][-1] == pytest.approx(2 * np.exp(-0.6), rel=1e-9)


def test_a_motor_has_no_gains_to_inherit():
    assert read(BODY, '<default><position kp="9"/></default><actuator><motor joint="j"/></actuator>').motors


@pytest.mark.parametrize("kind", SOLIDS)
def test_solids_by_sampling(kind):
    """Volume and moments beside sums over a grid of points."""
    count, made = SOLIDS[kind]
    sizes = (0.3, 0.5, 0.4)[:count]
    volume, moments, _ = filled(made(*sizes))
    n = 80
    edges = np.array({1: sizes * 3, 2: (0.3, 0.3, 0.8), 3: sizes}[count])
    cells = np.stack(np.meshgrid(*[(np.arange(n) + 0.5) / n * 2 - 1] * 3, indexing="ij"), -1).reshape(-1, 3) * edges
    r2 = cells[:, 0] ** 2 + cells[:, 1] ** 2
    beyond = np.maximum(np.abs(cells[:, 2]) - sizes[-1], 0)
    inside = {
        "sphere": (cells**2).sum(1) < 0.09,
        "capsule": r2 + beyond**2 < 0.09,
        "cylinder": (r2 < 0.09) & (beyond == 0),
        "ellipsoid": ((cells / edges) ** 2).sum(1) < 1,
        "box": np.ones(len(cells), bool),
    }[kind]
    cell = 8 * edges.prod() / n**3
    points = cells[inside]
    assert inside.sum() * cell == pytest.approx(volume, rel=5e-3)
    squares = (points**2).mean(0)
    np.testing.assert_allclose(squares.sum() - squares, moments, rtol=1e-2)


def test_options_of_the_compiler():
    rod = 0.08 * np.pi * 0.05**2 / 0.2 * 1000 + 4 / 3 * np.pi * 0.05**3 * 1000
    assert link(ROD).mass == pytest.approx(rod)
    inertial = '<inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/>'
    assert link(ROD + inertial).mass == 3
    assert link(ROD + inertial, '<compiler inertiafromgeom="true"/>').mass == pytest.approx(rod)
    assert link(ROD, '<compiler settotalmass="7"/>').mass == pytest.approx(7)
    assert link(inertial, '<compiler boundmass="5" boundinertia="2"/>').inertia[0, 0] == 2
    bad = inertial.replace("1 1 1", "1 1 4")
    assert link(bad, '<compiler balanceinertia="true"/>').inertia == pytest.approx(np.diag([2, 2, 2]))
    assert link(ROD.replace("/>", ' group="4"/>') + ROD, '<compiler inertiagrouprange="0 3"/>').mass == pytest.approx(
        rod
    )
    turned = '<body name="b" euler="90 0 90"><joint name="j"/>' + ROD + "</body>"
    robots = [read(turned, f"<compiler eulerseq='{sequence}'/>") for sequence in ("xyz", "XYZ")]
    axes = [robot.description.joints["j"].on_parent.rotation for robot in robots]
    np.testing.assert_array_equal(axes[0], [[0, -1, 0], [0, 0, -1], [1, 0, 0]])
    np.testing.assert_array_equal(axes[1], [[0, 0, 1], [1, 0, 0], [0, 1, 0]])


def test_files_are_included(tmp_path: Path):
    (tmp_path / "leg.xml").write_text(f'<mujocoinclude><body name="b"><joint name="j"/>{ROD}</body></mujocoinclude>')
    main = tmp_path / "main.xml"
    main.write_text('<mujoco><worldbody><include file="leg.xml"/></worldbody></mujoco>')
    assert list(nsd.read_mjcf(main).joints) == ["j"]
    (tmp_path / "leg.xml").write_text('<mujocoinclude>\n<include file="leg.xml"/></mujocoinclude>')
    with pytest.raises(ModelError, match=r"leg.xml, line 2, <include>: the file includes itself"):
        nsd.read_mjcf(main)
    main.write_text('<mujoco>\n<include file="arm.xml"/></mujoco>')
    with pytest.raises(ModelError, match=r"main.xml, line 2, <include>: the file .*arm.xml is not there"):
        nsd.read_mjcf(main)


BODY = f'<body name="b"><joint name="j"/>{ROD}</body>'
HANDLE = '<body name="b"><joint name="j" type="{}"/>' + ROD + "</body>"
BAD = {
    "what is not read": (BODY.replace("<geom", '<composite type="rope"/><geom'), "", r"composite \(line 2\)"),
    "an attribute that is none": (BODY.replace('name="j"', 'name="j" dampng="1"'), "", r"joint/@dampng \(line 2\)"),
    "a joint that is tied to itself": (
        BODY,
        '<equality><joint joint1="j" joint2="j"/></equality>',
        "couples 'j' with itself",
    ),
    "fluids": (BODY, '<option density="1.2"/>', "option/@density"),
    "a kind that is none": (HANDLE.format("hing"), "", "did you mean 'hinge'"),
    "an axis of length 0": (BODY.replace('name="j"', 'name="j" axis="0 0 0"'), "", "'j'>: a direction has length 0"),
    "a body that moves no mass": (BODY.replace(ROD, ""), "", "'j'>: moves no mass"),
    "a class that is none": (BODY.replace("<joint", '<joint class="leg"'), "", "no default class 'leg'"),
    "a free joint inside": (
        BODY.replace(ROD, ROD + f'<body name="c"><freejoint/>{ROD}</body>'),
        "",
        "is free, and not",
    ),
    "a ball with friction": (HANDLE.format('ball" frictionloss="1'), "", "ball joint: frictionloss"),
    "a ball with limits": (HANDLE.format('ball" range="0 1'), "", "ball joint: limits"),
    "a range the wrong way": (BODY.replace('name="j"', 'name="j" range="1 0"'), "", "range is 1.0 to 0.0"),
    "two joints of one name": (BODY + BODY.replace('"b"', '"c"'), "", "the joint 'j' is there already: text, line 2"),
    "a geom without size": (BODY.replace("0.05 0.2", "0.05"), "", "a capsule of sizes"),
    "two turns": (BODY.replace('name="b"', 'name="b" quat="1 0 0 0" zaxis="0 0 1"'), "", "has quat and zaxis"),
    "global coordinates": (BODY, '<compiler coordinate="global"/>', "it is one of local"),
    "a motor on nothing": (BODY, '<actuator><motor joint="J"/></actuator>', "did you mean 'j'"),
    "gains of a servo that are a general one's": (
        BODY,
        '<default><general gainprm="3"/></default><actuator><position joint="j"/></actuator>',
        "its defaults are gains of <general>: gainprm",
    ),
    "a muscle": (BODY, '<actuator><muscle joint="j"/></actuator>', r"muscle \(line 1\)"),
    "a filtered actuator": (
        BODY,
        '<actuator><general joint="j" dyntype="filter"/></actuator>',
        "dyntype is 'filter'\n.*it is one of none",
    ),
    "an equation of no body": (
        BODY,
        '<equality><weld body1="B"/></equality>',
        "there is no body 'B'\n.*did you mean 'b'",
    ),
    "a box of the size of a mesh": (
        BODY.replace(ROD, '<geom type="box" mesh="m" size="1 1 1"/>'),
        "",
        "a box that fits a mesh",
    ),
    "a mesh without mass": (
        BODY.replace(ROD, '<geom mesh="m"/>'),
        '<asset><mesh name="m" file="m.stl"/></asset>',
        "the mass of a mesh is not computed",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_with_its_line(case):
    inside, before, message = BAD[case]
    with pytest.raises(ModelError, match=message):
        read(inside, before, meshes=False)


def test_a_mesh_that_is_missing():
    text = BODY.replace(ROD, ROD + '<geom mesh="m" mass="0"/>')
    with pytest.raises(ModelError, match=r"<mesh name='m'>: the mesh 'm.stl' is not there"):
        read(text, '<asset><mesh name="m" file="m.stl"/></asset>')
    with pytest.raises(ModelError, match="there is no mesh 'm'"):
        read(text)


def test_what_stands_still_needs_no_mass():
    robot = read(f'<body name="base"><geom mesh="m"/>{BODY}</body>', meshes=False)
    assert list(robot.joints) == ["j"]


def test_what_is_not_read_may_be_left_out():
    robot = read(
        BODY, '<option density="1.2"/><sensor><jointpos joint="j"/></sensor>', without=["sensor", "option/@density"]
    )
    assert list(robot.joints) == ["j"]
