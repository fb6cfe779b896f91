"""Starts that are searched for: against closed forms of linkages, nearest points, and counts that are published."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError
from tests.example_models import load

ABOUT_Y = [0, 1, 0]
CRANK, ROD = 0.3, 1.0


def body(name: str, mass: float = 1.0, size: float = 0.1) -> nsd.RigidBody:
    return nsd.RigidBody(name, mass, size * mass * sp.diag(1, 1.2, 1.4))


def model(systems: list, relations: list, **more: object) -> nsd.Model:
    return nsd.Model("m", systems, relations, scheme=nsd.Rattle(), step=1e-3, end=0.01, **more)


class SliderCrank:
    """In the plane of x and z: the crank's angle is counted about y, from x to -z."""

    def __init__(self) -> None:
        self.crank, self.rod, self.piston = (body(n) for n in ("crank", "rod", "piston"))
        self.shaft = nsd.Revolute("shaft", nsd.Marker(self.crank, axis=ABOUT_Y), nsd.Marker(axis=ABOUT_Y))
        self.pin = nsd.Cylindrical(
            "pin",
            nsd.Marker(self.rod, [-ROD / 2, 0, 0], axis=ABOUT_Y),
            nsd.Marker(self.crank, [CRANK, 0, 0], axis=ABOUT_Y),
        )
        self.head = nsd.Spherical("head", self.piston.point([0, 0, 0]), self.rod.point([ROD / 2, 0, 0]))
        self.cylinder = nsd.Cylindrical("cylinder", nsd.Marker(self.piston, axis=[1, 0, 0]), nsd.Marker(axis=[1, 0, 0]))
        self.bodies = [self.crank, self.rod, self.piston]
        self.joints = [self.shaft, self.pin, self.head, self.cylinder]
        self.near = {self.rod.position: [0.7, 0, 0], self.piston.position: [1.2, 0, 0]}


def test_a_slider_crank_starts_where_its_angle_says() -> None:
    """x = r cos a + sqrt(l^2 - r^2 sin^2 a), and its rate; the piston's own turning stays as it is."""
    s = SliderCrank()
    angle, rate = 0.7, 3.0
    made = model(s.bodies, s.joints, initial={s.shaft.angle: angle, s.shaft.rate: rate}, near=s.near)
    found = made.assemble()
    root = np.sqrt(ROD**2 - CRANK**2 * np.sin(angle) ** 2)
    stroke = CRANK * np.cos(angle) + root
    speed = rate * (-CRANK * np.sin(angle) - CRANK**2 * np.sin(angle) * np.cos(angle) / root)
    np.testing.assert_allclose(found.values["piston.position[0]"], stroke, rtol=1e-12)
    np.testing.assert_allclose(found.values["piston.velocity[0]"], speed, rtol=1e-12)
    np.testing.assert_allclose([found.values[f"piston.position[{i}]"] for i in (1, 2)], 0, atol=1e-12)
    assert (found.freedoms, found.redundant, found.singular) == (2, (), ())
    run = made.compile(interpret=True).run(end=2e-3)
    np.testing.assert_allclose(run["shaft.gap"], 0, atol=1e-9)
    np.testing.assert_allclose(run["piston.position"][0, 0], stroke, rtol=1e-12)


def test_angles_are_columns_of_a_joint() -> None:
    s = SliderCrank()
    made = model(s.bodies, [*s.joints, s.shaft.motion(), s.cylinder.motion()],
                 initial={s.shaft.angle: 3.1, s.shaft.rate: 20.0}, near=s.near)  # fmt: skip
    run = made.compile(interpret=True).run()
    angle, rate = run["shaft motion.angle"], run["shaft motion.angle_rate"]
    w, _, y, _ = run["crank.quaternion"].T
    np.testing.assert_allclose(np.cos(angle), w**2 - y**2, atol=1e-9)
    np.testing.assert_allclose(np.sin(angle), 2 * w * y, atol=1e-9)
    assert angle[0] == pytest.approx(3.1) and angle[-1] < -2.9
    np.testing.assert_allclose(rate, run["crank.angular_velocity"][:, 1], rtol=1e-12)
    np.testing.assert_allclose(run["cylinder motion.displacement"], run["piston.position"][:, 0], rtol=1e-12)
    units = {c.name: c.unit for c in run.columns}
    assert units["shaft motion.angle_rate"] == "rad/s" and units["cylinder motion.displacement_rate"] == "m/s"


def test_the_start_is_the_nearest_on_a_sphere() -> None:
    """A rod to the centre of a body: nothing turns, and the centre moves along the radius."""
    bob = body("bob")
    rod = nsd.Distance("rod", bob.point([0, 0, 0]), [0, 0, 0], 2.0)
    near = np.array([1.0, -2.0, 0.5])
    start = {bob.position: near.tolist(), bob.velocity: [1.0, 2.0, 3.0]}
    found = model([bob], [rod], near=start).assemble()
    unit = near / np.linalg.norm(near)
    np.testing.assert_allclose([found.values[f"bob.position[{i}]"] for i in range(3)], 2 * unit, atol=1e-8)
    across = np.array([1.0, 2.0, 3.0])
    across -= unit * (unit @ across)
    np.testing.assert_allclose([found.values[f"bob.velocity[{i}]"] for i in range(3)], across, atol=1e-7)


def test_heavy_bodies_move_less_and_held_ones_do_not() -> None:
    light, heavy = body("light", 1.0), body("heavy", 3.0)
    rod = nsd.Distance("rod", light.point([0, 0, 0]), heavy.point([0, 0, 0]), 1.0)
    near = {light.position: [0, 0, 0], heavy.position: [3, 0, 0]}
    found = model([light, heavy], [rod], near=near).assemble()
    np.testing.assert_allclose(found.values["light.position[0]"], 2 * 3 / 4, rtol=1e-8)
    np.testing.assert_allclose(found.values["heavy.position[0]"], 3 - 2 / 4, rtol=1e-8)
    found = model([light, heavy], [rod], initial={light.position: [0, 0, 0]}, near=near).assemble()
    np.testing.assert_allclose(found.values["light.position[0]"], 0, atol=1e-12)
    np.testing.assert_allclose(found.values["heavy.position[0]"], 1, rtol=1e-12)


class Arm:
    """Three links of 1 m on hinges about y, in joint coordinates; its hand is at the end of the third."""

    def __init__(self) -> None:
        self.links = [body(f"link_{k}") for k in range(3)]
        grounds = [nsd.Marker(axis=ABOUT_Y), *(nsd.Marker(b, [0.5, 0, 0], axis=ABOUT_Y) for b in self.links)]
        self.joints = [
            nsd.Revolute(f"joint_{k}", nsd.Marker(b, [-0.5, 0, 0], axis=ABOUT_Y), grounds[k])
            for k, b in enumerate(self.links)
        ]
        self.hand = nsd.Marker(self.links[2], [0.5, 0, 0])
        self.tree = nsd.Mechanism("arm", self.joints)

    def place(self, angles: np.ndarray) -> np.ndarray:
        total = np.cumsum(angles)
        return np.array([np.cos(total).sum(), -np.sin(total).sum()])


def angles(found: object) -> np.ndarray:
    return np.array([found.values[f"arm.joint_{k} angle"] for k in range(3)])  # type: ignore[attr-defined]


def test_inverse_kinematics_of_points_and_frames() -> None:
    arm = Arm()
    made = model([arm.tree], [], initial={j.angle: 0.3 for j in arm.joints})
    for target in ([1.7, 0, -1.1], [1.6, 0, -1.3], [-0.4, 0, 0.9]):
        found = made.assemble({arm.hand.position: target})
        np.testing.assert_allclose(arm.place(angles(found)), np.array(target)[[0, 2]], atol=1e-10)
        assert found.freedoms == 3
    turned, place = 0.9, np.array([1.9, -1.0])
    axis = [float(np.cos(turned)), 0, -float(np.sin(turned))]
    found = made.assemble({arm.hand.position: [place[0], 0, place[1]], arm.hand.axes[0]: axis})
    wrist = place - [np.cos(turned), -np.sin(turned)]
    elbow = np.arccos((wrist @ wrist - 2) / 2)
    np.testing.assert_allclose(abs(angles(found)[1]), elbow, rtol=1e-9)
    np.testing.assert_allclose(angles(found).sum(), turned, rtol=1e-9)
    again = made.assemble({arm.hand.position: [place[0], 0, place[1]], arm.hand.axes[0]: axis}, near=found)
    np.testing.assert_allclose(angles(again), angles(found), atol=1e-12)


def test_stops_are_kept() -> None:
    """The nearest elbow is the other one; at a stop the arm reaches as far as it can and the third link turns."""
    arm = Arm()
    stops = arm.joints[1].limits(0.2, 2.0)
    near = {arm.joints[0].angle: 0.5, arm.joints[1].angle: -0.9, arm.joints[2].angle: 0.1}
    found = model([arm.tree], stops, initial={arm.hand.position: [2.0, 0, -1.2]}, near=near).assemble()
    np.testing.assert_allclose(arm.place(angles(found)), [2.0, -1.2], atol=1e-10)
    assert 0.2 - 1e-10 <= angles(found)[1] <= 2.0
    found = model([arm.tree], stops, near=near).assemble()
    np.testing.assert_allclose(angles(found)[1], 0.2, atol=1e-10)


def test_loops_of_a_mechanism_close() -> None:
    """A parallelogram of links of 1 m: the angles of its joints alternate."""
    arm = Arm()
    end = nsd.Bilateral("closing", [arm.hand.position[0] - 1.0, arm.hand.position[2]])
    near = {arm.joints[1].angle: 1.0, arm.joints[2].angle: 1.0}
    made = model([arm.tree], [end], initial={arm.joints[0].angle: -1.2, arm.joints[0].rate: 2.0}, near=near)
    found = made.assemble()
    np.testing.assert_allclose(arm.place(angles(found)), [1, 0], atol=1e-10)
    assert found.freedoms == 1
    np.testing.assert_allclose(abs(found.values["arm.joint_1 angle rate"]), 2.0, rtol=1e-9)
    other = made.compile(interpret=True).run(end=2e-3, initial=found.values)
    assert other["arm.joint_0 angle"][0] == pytest.approx(-1.2)


def test_a_mechanism_of_bodies_starts_in_the_same_place() -> None:
    """The words of its joints, loops closed, whichever coordinates it has."""
    arm = Arm()
    tree = nsd.Mechanism("arm", arm.joints, coordinates="absolute")
    end = nsd.Bilateral("closing", [arm.hand.position[0] - 1.0, arm.hand.position[2]])
    near = {arm.joints[1].angle: 1.0, arm.joints[2].angle: 1.0}
    held = {arm.joints[0].angle: -1.2, arm.joints[0].rate: 2.0}
    found = model([tree], [end], initial=held, near=near).assemble()
    elbow = [np.cos(-1.2), -np.sin(-1.2)]
    np.testing.assert_allclose(
        [found.values[f"link_0.position[{i}]"] for i in (0, 1, 2)], [elbow[0] / 2, 0, elbow[1] / 2], atol=1e-10
    )
    np.testing.assert_allclose(found.values["link_1.position[0]"], elbow[0] + 0.5, atol=1e-10)
    assert found.freedoms == 1
    reached = model([tree], [], initial={arm.hand.position: [1.7, 0, -1.1]}).assemble()
    tip = [reached.values[f"link_2.position[{i}]"] for i in (0, 2)]
    assert np.hypot(tip[0] - 1.7, tip[1] + 1.1) == pytest.approx(0.5)


def test_bodies_of_a_mechanism_are_placed_by_its_joints() -> None:
    arm = Arm()
    found = model([arm.tree], [], initial={arm.links[0].position: [0.0, 0.0, -0.5]}).assemble()
    np.testing.assert_allclose(np.sin(angles(found)[0]), 1, atol=1e-12)
    with pytest.raises(ParameterError, match="what is given of"):
        model([arm.tree], [], initial={arm.links[0].position: [0.0, 0.0, -0.7]})


def test_redundant_rows_are_told_by_the_names_of_joints() -> None:
    found = load("bricard").model.assemble()
    assert found.freedoms == 1 and found.singular == ()
    assert [(r.relation, r.rows, len(r.beside)) for r in found.redundant] == [("hinge_5", 1, 5)]
    assert "a row of 'hinge_5' beside 'hinge_0', 'hinge_1'" in str(found)


def test_a_folded_four_bar_is_singular() -> None:
    """All bars on one line: it goes on as a parallelogram, or crossed; beside that place it has one freedom."""
    made = load("four_bars").make(1, redundant=False)
    assert (made.assemble().freedoms, made.assemble().singular) == (1, ())
    uprights = [r for r in made.relations if r.name.endswith("-ground")]
    found = made.assemble({r.angle: 0.0 for r in uprights})
    assert found.freedoms == 2 and found.singular == ("top_0-bar_1",)
    assert "singular configuration: 'top_0-bar_1'" in str(found)


def test_contradictions_are_told_by_name() -> None:
    s = SliderCrank()
    with pytest.raises(ParameterError) as refused:
        model(s.bodies, s.joints, initial={s.shaft.angle: 0.4, s.piston.position[0]: 1.0}, near=s.near)
    said = str(refused.value)
    assert "'pin'" in said and "what is given of the angle of 'shaft'" in said and "what is given of 'piston'" in said
    with pytest.raises(ParameterError, match=r"no velocities .* the angle rate of 'shaft'") as refused:
        model(s.bodies, [*s.joints, s.shaft.motor(speed=3.0)], initial={s.shaft.rate: 1.0}, near=s.near)
    assert "'shaft motor'" in str(refused.value)


def test_a_run_and_other_parameters_start_consistently() -> None:
    length = sp.Symbol("length", positive=True)
    bob = body("bob")
    rod = nsd.Distance("rod", bob.point([0, 0, 0]), [0, 0, 0], length)
    made = model([bob], [rod], parameters={length: 1.0}, near={bob.position: [0, 0, -1.1]})
    found = made.assemble(parameters={length: 1.5})
    assert found.values["bob.position[2]"] == pytest.approx(-1.5)
    made.compile(interpret=True)
    run = made.run(initial={bob.position[0] / bob.position[2]: -1.0})
    np.testing.assert_allclose(run["bob.position"][0, [0, 2]], np.sqrt([0.5, 0.5]) * [1, -1], rtol=1e-9)


def test_what_is_no_start_is_refused() -> None:
    s, stranger = SliderCrank(), body("stranger")
    with pytest.raises(ParameterError, match="is no coordinate or velocity of a system"):
        model(s.bodies, s.joints, near={s.shaft.angle: 1.0})
    with pytest.raises(ParameterError, match=r"the angle of|atan2.* has 1 entries, 2 values"):
        model(s.bodies, s.joints, initial={s.shaft.angle: [1.0, 2.0]})
    with pytest.raises(ParameterError, match="has 3 entries, 2 values"):
        model(s.bodies, s.joints, near={s.crank.position: [1.0, 2.0]})
    with pytest.raises(ModelError, match="is no coordinate, state or multiplier"):
        model(s.bodies, s.joints, initial={stranger.point([1, 0, 0]).position[0]: 1.0}, near={})
    with pytest.raises(ModelError, match="not linear in the velocities"):
        model(s.bodies, s.joints, initial={s.shaft.rate**2: 1.0}, near={})
    with pytest.raises(ParameterError, match="has no value where the search begins"):
        model(s.bodies, s.joints, initial={s.shaft.angle: 1.0}, near={s.crank.quaternion: [0.5, 0.5, 0.5, 0.5]})
    with pytest.raises(ModelError, match="records nothing"):
        nsd.Observed("none", {})
    with pytest.raises(ModelError, match="leaves no freedom that has a name"):
        nsd.Fixed("weld", nsd.Marker(s.crank), nsd.Marker()).motion()


def test_what_moves_in_a_plane_starts_in_it_exactly() -> None:
    """A velocity that is rounding of none tilts joints by the last digit."""
    found = load("driven_crank").model.assemble().values
    across = [f"{body}.velocity[1]" for body in ("crank", "rod", "piston")]
    turned = [f"{body}.angular_velocity[{k}]" for body in ("crank", "rod", "piston") for k in (0, 2)]
    assert not any(found[name] for name in across + turned) and found["rod.angular_velocity[1]"] != 0


@pytest.mark.parametrize("sign", [1, -1])
def test_a_quaternion_and_its_negative_are_one_attitude(sign: int) -> None:
    """Of a body in joint coordinates, whose quaternion follows from angles with one of both signs."""
    rod = body("rod")
    pin = nsd.Revolute("pin", nsd.Marker(rod, axis=ABOUT_Y), nsd.Marker(axis=ABOUT_Y))
    given = [sign * float(np.cos(0.25)), 0, sign * float(np.sin(0.25)), 0]
    model = nsd.Model("m", [nsd.Mechanism("tree", [pin])], scheme=nsd.Rattle(), step=1e-3, end=1)
    found = model.assemble({rod.quaternion: given})
    assert found.values["tree.pin angle"] == pytest.approx(0.5, rel=1e-12)
