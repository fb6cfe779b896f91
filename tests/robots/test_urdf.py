"""URDF files beside Pinocchio's numbers (tests/data/robots, ``benchmarks/robots.py --write``), and their messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from benchmarks import robots
from nsdgen.errors import ArgumentError, ModelError, ModelWarning

PICKER = robots.DATA / "picker.urdf"
REST = {"scheme": nsd.MoreauJean(), "step": 1e-3, "end": 0.01}

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
LINKS = f'<link name="a"/><link name="b">{BODY}</link>'
HINGE = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'


def read(inside: str, **given) -> object:
    return nsd.read_urdf(f'<robot name="r">\n{inside}\n</robot>', **given)


@pytest.fixture(scope="module")
def picker():
    return nsd.read_urdf(PICKER, operators=["inverse_dynamics", "centre_of_mass", "momentum"], frames=["tip"])


def test_a_robot_has_the_mass_matrix_forces_derivatives_and_places_of_pinocchio(picker):
    with np.load(PICKER.with_suffix(".npz")) as stored:
        expected = dict(stored)
    names, q, v = list(expected.pop("names")), expected.pop("q"), expected.pop("v")
    assert names == robots.joint_names(picker)
    compiled = nsd.Model("m", picker.systems, **REST).compile()
    worst = robots.differences(robots.operators(picker, compiled, q, v), expected)
    assert set(worst) == {*robots.QUANTITIES} - {"frame_place"} and max(worst.values()) < 1e-13, worst
    np.testing.assert_allclose(compiled.picker.tip_pose(q)[:, :3], expected["frame_place"], atol=1e-14)


@pytest.fixture(scope="module")
def acting(picker):
    """All that the file says of joints, compiled once."""
    finger, other = (picker.joints[name].angle for name in ("finger", "other"))
    initial = {finger: 0.3, other: 0.9 * 0.3 + 0.05}
    return nsd.Model("m", picker.systems, picker.relations, **REST, initial=initial).compile(interpret=True)


def test_what_the_file_says_of_joints_acts(picker, acting):
    names = [relation.name for relation in picker.relations]
    assert {"waist spring", "waist friction", "shoulder lower limit", "reach upper limit", "other mimic"} <= set(names)
    run = acting.run()
    assert run["picker.other angle"][-1] == pytest.approx(0.9 * run["picker.finger angle"][-1] + 0.05, abs=1e-6)


def test_joints_that_follow_start_where_others_put_them(picker, acting):
    assert picker.initial == {picker.joints["other"].angle: 0.05}
    run = acting.run(initial={"picker.finger angle": 0, "picker.other angle": 0.05})
    assert abs(run["picker.other angle"][-1] - 0.9 * run["picker.finger angle"][-1] - 0.05) < 1e-6


def test_a_limit_beyond_half_a_turn_stops(acting):
    run = acting.run(initial={"picker.shoulder angle": -6.999, "picker.shoulder angle rate": -2})
    assert run["picker.shoulder angle"].min() > -7.001
    assert run["shoulder lower limit.impulse"].max() > 0


def test_links_that_are_welded_are_one_body(picker):
    assert picker.bodies["floor"] is picker.bodies["base"] is None
    assert picker.bodies["rod"] is picker.bodies["hand"] and picker.bodies["left"] is picker.bodies["tip"]
    assert picker.bodies["rod"].mass == pytest.approx(1.1)


def test_markers_and_points_are_in_the_frames_of_links(picker):
    """The tip 6 cm along the finger, which turns about x by 0.4, and is itself turned by 0.1 there."""
    marker, left = picker.marker("tip", axis=[0, 1, 0]), picker.marker("left")
    local = np.array(
        (marker.position - left.position).subs(dict(zip(marker.body.quaternion, (1, 0, 0, 0), strict=True)))
    )
    np.testing.assert_allclose(local.astype(float).ravel(), [0, 0.005, 0.06], atol=1e-15)
    np.testing.assert_allclose([float(e) for e in marker.local_axes[2]], [0, np.cos(0.1), np.sin(0.1)], atol=1e-15)
    assert picker.point("tip").local == marker.at


def test_shapes_are_kept(picker):
    foot, under = picker.description.links["base"].shapes
    assert (foot.kind, foot.sizes, foot.colour, foot.seen) == ("box", (0.1, 0.1, 0.05), (0.6, 0.6, 0.65, 1.0), True)
    assert (under.kind, under.sizes, under.touches) == ("cylinder", (0.1, 0.05), True)
    shoulder = picker.description.joints["shoulder"]
    assert (shoulder.effort, shoulder.speed, shoulder.limits) == (80, 3, (-7, 2.5))
    assert shoulder.data == {"safety_controller/k_velocity": "10", "safety_controller/soft_lower_limit": "-6"}


def test_a_free_robot_starts_where_its_file_has_it():
    robot = nsd.read_urdf(PICKER, free=True, gravity=(0, 0, 0))
    run = nsd.Model("m", robot.systems, **REST, initial=robot.initial).run()
    base = robot.description.joints["standing"].on_parent
    np.testing.assert_allclose(
        [run[f"picker.floor position_{a}"][0] for a in "xyz"],
        base.origin + base.rotation @ [0.01, -0.02, 0.1],
        atol=1e-15,
    )


def test_a_floating_link_falls_beside_its_parent():
    floating = (
        '<joint name="f" type="floating"><origin xyz="1 2 3" rpy="0 0 1.5"/><parent link="b"/><child link="c"/></joint>'
    )
    robot = read(LINKS + HINGE + f'<link name="c">{BODY}</link>' + floating)
    c = robot.bodies["c"]
    assert [system.name for system in robot.systems] == ["r", "c"]
    run = nsd.Model("m", robot.systems, **REST, initial=robot.initial).run()
    assert run["c.position[0]"][0] == 1 and run["c.velocity[2]"][-1] == pytest.approx(-9.81 * 0.01)
    assert robot.initial[c.quaternion] == pytest.approx([np.cos(0.75), 0, 0, np.sin(0.75)])


def test_a_plane_joint_slides_normal_to_its_axis():
    robot = read(LINKS + HINGE.replace("continuous", "planar").replace("0 0 1", "1 0 0"), gravity=(0, 0, -10))
    run = nsd.Model("m", robot.systems, **REST).run()
    speeds = [run[f"r.j {s} rate"][-1] for s in "xy"]
    assert max(map(abs, speeds)) == pytest.approx(0.1) and min(map(abs, speeds)) == 0


def test_two_robots_of_one_file_have_names_of_their_own():
    one, two = (read(LINKS + HINGE, prefix=p) for p in ("left ", "right "))
    run = nsd.Model("m", [*one.systems, *two.systems], **REST, initial={one.joints["left j"].rate: 1}).run()
    assert run["left r.left j angle"][-1] == pytest.approx(0.01) and run["right r.right j angle"][-1] == 0


def test_meshes_are_found_in_packages(tmp_path: Path):
    (tmp_path / "hand" / "meshes").mkdir(parents=True)
    mesh = tmp_path / "hand" / "meshes" / "palm.stl"
    mesh.touch()
    shape = '<visual><geometry><mesh filename="package://hand/meshes/palm.stl" scale="2 2 2"/></geometry></visual>'
    text = LINKS.replace('<link name="a"/>', f'<link name="a">{shape}</link>') + HINGE
    for packages in ({"hand": tmp_path / "hand"}, [tmp_path / "elsewhere", tmp_path]):
        (found,) = read(text, packages=packages).description.links["a"].shapes
        assert found.mesh == mesh and found.sizes == (2, 2, 2)
    assert read(text, meshes=False).description.links["a"].shapes[0].mesh is None
    with pytest.raises(ModelError, match=r"line 2, <mesh>: the mesh 'package://hand/meshes/palm.stl' is not there"):
        read(text, packages={"foot": tmp_path})


BAD = {
    "what is no part of the format": (LINKS + HINGE + '\n<gazebo reference="a"/>', r"gazebo \(line 3\)[\s\S]*without="),
    "a macro": (LINKS + HINGE + '<xacro:arm side="left"/>', r"xacro:arm \(line 2\)\n.*expand it first"),
    "an attribute that is none": (LINKS + HINGE.replace("xyz", "xzy"), r"axis/@xzy \(line 2\)"),
    "no XML": (LINKS + "<joint>", r"line 3: is no XML: mismatched tag"),
    "no axis": (LINKS + HINGE.replace('<axis xyz="0 0 1"/>', ""), "'j'>: has no <axis>"),
    "an axis of length 0": (LINKS + HINGE.replace("0 0 1", "0 0 0"), "the axis has length 0"),
    "an axis that is no unit vector": (LINKS + HINGE.replace("0 0 1", "0 0 2"), "the axis has length 2"),
    "an axis of two numbers": (LINKS + HINGE.replace("0 0 1", "0 1"), "xyz is '0 1'[^\n]*\n[^\n]*3 numbers"),
    "a type that is none": (LINKS + HINGE.replace("continuous", "continous"), "did you mean 'continuous'"),
    "a hinge without limits": (LINKS + HINGE.replace("continuous", "revolute"), "a revolute joint has limits"),
    "limits the wrong way": (
        LINKS + HINGE.replace("continuous", "revolute").replace("<axis", '<limit lower="1" upper="0"/><axis'),
        "the lower limit 1.0 lies above",
    ),
    "a floating joint with damping": (
        LINKS + HINGE.replace("continuous", "floating").replace("<axis", '<dynamics damping="1"/><axis'),
        "damping and friction of a floating joint",
    ),
    "negative damping": (LINKS + HINGE.replace("<axis", '<dynamics damping="-1"/><axis'), "damping -1.0 is negative"),
    "a link that is not there": (LINKS + HINGE.replace('link="a"', 'link="A"'), "no link 'A'\n.*did you mean 'a'"),
    "two roots": (LINKS + HINGE + '<link name="c"/>', "has 2 roots: 'a' .text, line 2.* and 'c'"),
    "no root": (
        LINKS + HINGE + HINGE.replace('"j"', '"k"').replace('"a"', '"x"').replace('"b"', '"a"').replace('"x"', '"b"'),
        "no root: every link has a parent",
    ),
    "a loop": (
        LINKS + HINGE + "\n" + HINGE.replace('"j"', '"k"'),
        "line 3, <joint name='k'>: the link 'b' has a parent",
    ),
    "a link twice": (LINKS + '\n<link name="a"/>' + HINGE, "line 3, <link name='a'>: the link 'a' is there already"),
    "a tensor that no body has": (LINKS.replace('izz="1"', 'izz="3"') + HINGE, "principal moments 1, 1, 3"),
    "a negative mass": (LINKS.replace('value="1"', 'value="-1"') + HINGE, "the mass is -1.0"),
    "a mass that is not there": (LINKS.replace('<mass value="1"/>', "") + HINGE, "<inertial>: has no <mass>"),
    "a joint that moves no mass": ('<link name="a"/><link name="b"/>' + HINGE, "'j'>: moves no mass"),
    "a joint about a point mass": (
        LINKS.replace('="1" i', '="0" i').replace('izz="1"', 'izz="0"') + HINGE,
        "no inertia",
    ),
    "a mimic of nothing": (LINKS + HINGE.replace("<axis", '<mimic joint="J"/><axis'), "did you mean 'j'"),
    "a mimic of itself": (LINKS + HINGE.replace("<axis", '<mimic joint="j"/><axis'), "<mimic>: 'j' mimics 'j'"),
    "no links": ("", "has no links"),
    "nothing that moves": ('<link name="a"/>', "nothing moves"),
    "a shape without size": (
        LINKS.replace('name="a"/>', 'name="a"><visual><geometry><sphere radius="0"/></geometry></visual></link>')
        + HINGE,
        "a size is not positive",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_with_its_line(case):
    text, message = BAD[case]
    with pytest.raises(ModelError, match=message):
        read(text)


def test_a_weld_mimics_nothing():
    weld = (
        HINGE.replace("continuous", "fixed")
        .replace('"j"', '"w"')
        .replace('"b"', '"c"')
        .replace('<axis xyz="0 0 1"/>', "")
    )
    robot = read(LINKS + HINGE + '<link name="c"/>' + weld.replace("<parent", '<mimic joint="w2"/><parent'))
    assert robot.couplings == []


def test_massless_links_that_carry_mass_do_not_matter():
    text = LINKS.replace('"b"', '"c"') + '<link name="b"/>' + HINGE
    text += HINGE.replace('"j"', '"k"').replace('"b"', '"c"').replace('"a"', '"b"').replace("0 0 1", "0 1 0")
    robot = read(text)
    compiled = nsd.Model("m", robot.systems, **REST).compile()
    np.testing.assert_allclose(compiled.r.mass([0.3, 0.5]), np.eye(2), atol=1e-15)


def test_a_tensor_that_no_body_has_is_told_where_its_body_has_one():
    """Within a weld, and not at all on the ground."""
    thin = (
        LINKS.replace('"b"', '"c"')
        .replace('value="1"', 'value="0"')
        .replace("1", "1e-3")
        .replace('izz="1e-3"', 'izz="3e-3"')
    )
    weld = HINGE.replace("continuous", "fixed").replace('"j"', '"w"').replace('"b"', '"c"')
    with pytest.warns(ModelWarning, match="'c'>: no body has the principal moments 0.001, 0.001, 0.003"):
        read(
            LINKS
            + HINGE
            + thin.replace('<link name="a"/>', "")
            + weld.replace('"a"', '"b"').replace('<axis xyz="0 0 1"/>', "")
        )
    read(LINKS + HINGE + thin.replace('<link name="a"/>', "") + weld)


def test_what_is_known_is_not_left_out():
    """An origin where the format has none goes, those of joints stay."""
    text = LINKS.replace('<link name="a"/>', '<link name="a"><origin/></link>')
    text += HINGE.replace("<parent", '<origin xyz="1 0 0"/><parent')
    with pytest.raises(ModelError, match="link/origin"):
        read(text)
    for without in (["origin"], ["link/origin"]):
        assert read(text, without=without).description.joints["j"].on_parent.origin[0] == 1


@pytest.mark.parametrize("given", [None, 3, ["robot.urdf"]])
def test_what_is_no_path_is_told(given):
    with pytest.raises(ModelError, match="cannot be read"):
        nsd.read_urdf(given)
    with pytest.raises(ModelError, match="cannot be read"):
        nsd.read_mjcf(given)


def test_a_file_that_is_not_there_and_words_that_are_none(tmp_path: Path):
    with pytest.raises(ModelError, match="cannot be read"):
        nsd.read_urdf(tmp_path / "gone.urdf")
    with pytest.raises(ModelError, match="the outermost element is <mujoco>"):
        nsd.read_urdf("<mujoco/>")
    with pytest.raises(ArgumentError, match="did you mean 'packages'"):
        nsd.read_urdf(PICKER, package={})


def test_points_and_markers_of_no_link(picker):
    with pytest.raises(ModelError, match="did you mean 'tip'"):
        picker.marker("tipp")
    with pytest.raises(ModelError, match="'base' does not move"):
        picker.point("base")


def test_gravity_may_be_a_parameter():
    g = sp.Symbol("g")
    robot = read(
        LINKS + HINGE.replace("continuous", "prismatic").replace("<axis", '<limit upper="1"/><axis'), gravity=(0, 0, -g)
    )
    run = nsd.Model("m", robot.systems, **REST, parameters={g: 2.0}).run()
    assert run["r.j displacement rate"][-1] == pytest.approx(-0.02)
