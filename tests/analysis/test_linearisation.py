"""Linear equations of motion: against pencils of matrices by hand, closed forms, and runs of the model itself."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import scipy.linalg
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ParameterError

G = 9.81
ABOUT_Y = [0, 1, 0]
u = sp.Symbol("u")


def body(name: str, mass: float = 1.0) -> nsd.RigidBody:
    return nsd.RigidBody(name, mass, mass / 12 * sp.diag(1, 1, 1)).apply_force([0, 0, -G * mass])


def model(systems: list, relations: list, **more: object) -> nsd.Model:
    return nsd.Model("m", systems, relations, scheme=nsd.Rattle(), step=1e-3, end=0.01, **more)


class Pendulum:
    """Two rods of 1 m and 1 kg in a row, with a motor in the first joint; angles absolute in the matrices."""

    M = np.array([[1 / 12 + 1 / 4 + 1, 1 / 2], [1 / 2, 1 / 12 + 1 / 4]])
    K = G * np.diag([3 / 2, 1 / 2])

    def __init__(self) -> None:
        self.rods = [body("upper"), body("lower")]
        self.joints = [
            nsd.Revolute("one", nsd.Marker(self.rods[0], [0, 0, 0.5], ABOUT_Y), nsd.Marker(axis=ABOUT_Y)),
            nsd.Revolute(
                "two",
                nsd.Marker(self.rods[1], [0, 0, 0.5], ABOUT_Y),
                nsd.Marker(self.rods[0], [0, 0, -0.5], ABOUT_Y),
            ),
        ]
        self.motor = self.joints[0].motor(force=u)
        self.shown = {"angle": self.joints[0].angle, "tip": self.rods[1].point([0, 0, -0.5]).position[0]}
        self.near = {self.rods[0].position: [0.1, 0, -0.4], self.rods[1].position: [0.2, 0, -1.4]}

    def response(self, frequency: float) -> np.ndarray:
        """Angle of the first rod and place of the tip, for a moment of 1 N m between ground and first rod."""
        angles = np.linalg.solve(self.K - frequency**2 * self.M, [1.0, 0.0])
        return np.array([angles[0], -angles.sum()])


@pytest.mark.parametrize("coordinates", ["bodies", "joints"])
def test_a_double_pendulum_in_both_formulations(coordinates: str) -> None:
    p = Pendulum()
    made = (
        model(p.rods, [*p.joints, p.motor], near=p.near, parameters={u: 0.0})
        if coordinates == "bodies"
        else model([nsd.Mechanism("tree", p.joints)], [p.motor], parameters={u: 0.0}, initial={p.joints[0].angle: 0.3})
    )
    rest = made.equilibrium()
    found = made.linearise([u], p.shown, at=rest)
    wanted = np.sqrt(scipy.linalg.eigh(p.K, p.M, eigvals_only=True))
    assert found.A.shape == (4, 4) and found.inputs == ("u",) and found.outputs == ("angle", "tip")
    np.testing.assert_allclose([m.frequency * 2 * np.pi for m in found.modes], wanted, rtol=1e-12)
    np.testing.assert_allclose([m.damping for m in found.modes], 0, atol=1e-12)
    np.testing.assert_allclose(found.eigenvalues.real, 0, atol=1e-12)
    at = 1j * 1.7
    response = found.C @ np.linalg.solve(at * np.eye(4) - found.A, found.B) + found.D
    np.testing.assert_allclose(response[:, 0], p.response(1.7), rtol=1e-11)
    if coordinates == "bodies":
        assert rest.forces["one[2]"] == pytest.approx(2 * G) and rest.in_play == ()
        _, shapes = scipy.linalg.eigh(p.K, p.M)
        for mode, shape in zip(found.modes, shapes.T, strict=True):
            lower = mode.shape["lower.position[0]"] / mode.shape["upper.position[0]"]
            np.testing.assert_allclose(lower, (shape[0] + shape[1] / 2) / (shape[0] / 2), rtol=1e-10)


def test_forces_in_joints_make_stiffness_and_dampers_damp() -> None:
    """A rod that stands on its hinge by a spring: J x'' + d x' + (k - m g l) x = 0, with the load of the hinge."""
    rod = body("rod")
    hinge = nsd.Revolute("hinge", nsd.Marker(rod, [0, 0, -0.5], ABOUT_Y), nsd.Marker(axis=ABOUT_Y))
    k, d, inertia = 7.0, 0.2, 1 / 12 + 1 / 4
    made = model([rod], [hinge, hinge.spring(k, damping=d)], initial={rod.position: [0, 0, 0.5]})
    found = made.linearise()
    roots = np.roots([inertia, d, k - G / 2])
    np.testing.assert_allclose(np.sort_complex(found.eigenvalues), np.sort_complex(roots), rtol=1e-12)
    assert found.modes[0].damping == pytest.approx(d / 2 / np.sqrt(inertia * (k - G / 2)), rel=1e-12)
    loose = model([rod], [hinge, hinge.spring(4.0)], initial={rod.position: [0, 0, 0.5]}).linearise()
    np.testing.assert_allclose(loose.eigenvalues[0], np.sqrt((G / 2 - 4) / inertia), rtol=1e-10)


def test_contacts_in_play() -> None:
    """A block sticks on a rough floor, where it may rest anywhere; on a smooth one it slides on its springs."""
    floor = nsd.Plane("floor", [0, 0, 1])
    corners = [[x, y, -0.5] for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    for friction, states in ((0.5, 3), (0.0, 6)):
        block = body("block", 2.0)
        touching = nsd.contacts_between(block.points(4, corners), floor, nsd.NewtonImpactFriction(0, friction))
        springs = [
            nsd.ForceElement(f"pull {i}", block.position[i], -50.0 * block.position[i], units=["N"]) for i in (0, 1)
        ]
        made = model([block], [*touching, *springs], initial={block.position: [0, 0, 0.505]})
        rest = made.equilibrium()
        assert rest.values["block.position[2]"] == pytest.approx(0.5, abs=1e-12)
        assert rest.in_play == tuple(f"block floor {i}" for i in range(4))
        np.testing.assert_allclose([rest.forces[f"block floor {i}[0]"] for i in range(4)], 2 * G / 4, rtol=1e-9)
        found = made.linearise(at=rest)
        assert found.in_play == rest.in_play and len(found.A) == states
        if friction:
            assert not found.A.any()  # it may rest anywhere
        else:
            np.testing.assert_allclose([m.frequency for m in found.modes[-2:]], 5 / (2 * np.pi), rtol=1e-10)


def test_a_contact_that_would_pull_is_let_go() -> None:
    """A mass on a spring between two floors: it hangs free, with the frequency of its spring."""
    ball = body("ball")
    law = nsd.NewtonImpact(0)
    near = nsd.Contact("ceiling", 0.005 - ball.position[2], law)
    spring = nsd.ForceElement("spring", ball.position[2], -1000 * ball.position[2], units=["N"])
    made = model([ball], [near, spring], initial={ball.position: [0, 0, 0.0]})
    rest = made.equilibrium()
    assert rest.in_play == () and rest.values["ball.position[2]"] == pytest.approx(-G / 1000)
    assert made.linearise(at=rest).modes[-1].frequency == pytest.approx(np.sqrt(1000) / (2 * np.pi))


def test_python_control_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    p = Pendulum()
    made = model([nsd.Mechanism("tree", p.joints)], [p.motor], parameters={u: 0.0})
    found = made.linearise([u], p.shown)
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(ParameterError, match="the package control cannot be imported"):
        found.to_control()
    stand_in = ModuleType("control")
    stand_in.StateSpace = lambda *parts, **names: SimpleNamespace(parts=parts, names=names)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "control", stand_in)
    given = found.to_control()
    assert given.parts[0] is found.A and given.names["states"][0] == "tree.one angle"
    assert given.names["outputs"] == ["angle", "tip"]


def test_what_has_no_linear_equations_is_refused() -> None:
    p = Pendulum()
    made = model([nsd.Mechanism("tree", p.joints)], [p.motor], parameters={u: 0.0}, initial={p.joints[0].angle: 0.3})
    with pytest.raises(ParameterError, match=r"'tree' accelerates there"):
        made.linearise()
    with pytest.raises(ParameterError, match=r"'w' is no parameter of the model"):
        made.linearise([sp.Symbol("w")])
    with pytest.raises(ParameterError, match=r"u is not a list"):
        made.linearise(u)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"'angle' is no state of the model"):
        made.linearise(at={"angle": 0.0})
    hanging = {"tree.one angle": 0.0}
    np.testing.assert_allclose(made.linearise(at=hanging).A, made.linearise(at=made.equilibrium()).A, atol=1e-12)
    rubbing = model([nsd.Mechanism("tree", p.joints)], [p.joints[0].friction(0.5)], initial={p.joints[0].angle: 0.3})
    with pytest.raises(ParameterError, match=r"'one friction'.*needs .* of friction and has -0.5 to 0.5"):
        rubbing.equilibrium()
    ball = body("ball")
    with pytest.raises(ParameterError, match="nothing balances what acts on 'ball'"):
        model([ball], [], initial={ball.position: [0, 0, 1]}).equilibrium()
    slope = nsd.Plane("slope", [-0.6, 0, 0.8])
    corners = [[x, y, -0.5] for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    block = body("block")
    touching = nsd.contacts_between(block.points(4, corners), slope, nsd.NewtonImpactFriction(0, 0.7))
    tilt = nsd.from_axis_angle([0, 1, 0], -float(np.arctan2(0.6, 0.8)))
    start = {block.position: [-0.3, 0, 0.4], block.quaternion: tilt}
    with pytest.raises(ParameterError, match=r"'block slope \d'.*of friction and has"):
        model([block], touching, initial=start).equilibrium()
    moving = sp.Symbol("moving")
    rod = nsd.Distance("rod", ball.point([0, 0, 0]), [0, 0, 0], moving)
    hung = model([ball], [rod], parameters={moving: 1.0}, initial={ball.position: [0, 0, -1]})
    assert hung.linearise().A.shape == (10, 10)


def test_a_motion_along_which_the_equations_change_is_refused() -> None:
    """A spring that stays where it is turns for a body that spins; free, or as a wheel on a shaft, A is constant."""
    inertia = sp.diag(1, 2, 3)
    body = nsd.RigidBody("top", 1, inertia)
    held = nsd.RigidBody("held", 1, inertia)
    held.apply_force([-7 * held.position[0], 0, 0], at=[0, 0, 1])
    free, sprung = (
        nsd.Model(
            b.name, [b], scheme=nsd.MoreauJean(), step=1e-3, end=1,
            initial={b.position: [0, 0, 0], b.angular_velocity: [0, 0, 5]},
        )
        for b in (body, held)
    )  # fmt: skip
    assert np.abs(free.linearise().eigenvalues.imag).max() == pytest.approx(5, rel=1e-9)
    with pytest.raises(ParameterError, match="no constant A describes it"):
        sprung.linearise()
    wheel = nsd.RigidBody("wheel", 1, inertia)
    shaft = nsd.Revolute("shaft", nsd.Marker(wheel), nsd.Marker())
    turning = nsd.Model(
        "turning", [nsd.Mechanism("rotor", [shaft])], scheme=nsd.MoreauJean(), step=1e-3, end=1,
        initial={shaft.rate: 5},
    )  # fmt: skip
    assert np.allclose(turning.linearise().A, [[0, 1], [0, 0]])


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_dry_friction_at_rest_holds(coordinates: str) -> None:
    """A rod that leans in a rough pin: its friction is the moment of the weight, and nothing moves."""
    rod = body("rod")
    pin = nsd.Revolute("pin", nsd.Marker(rod, [0, 0, 0.5], axis=[0, 1, 0]), nsd.Marker(axis=[0, 1, 0]))
    tree = nsd.Mechanism("tree", [pin], coordinates=coordinates)
    made = model([tree], [pin.friction(3.0)], initial={pin.angle: 0.3})
    found = made.equilibrium()
    assert found.forces["pin friction[0]"] == pytest.approx(G * 0.5 * np.sin(0.3), rel=1e-12)
    np.testing.assert_allclose(made.linearise(at=found).A, 0, atol=1e-12)


def test_dry_friction_that_slides_is_a_constant_force() -> None:
    """A shaft driven against dry friction and a damper turns steadily: the friction has no derivative."""
    wheel = nsd.RigidBody("wheel", 1, sp.diag(1, 1, 2))
    shaft = nsd.Revolute("shaft", nsd.Marker(wheel), nsd.Marker())
    rate, level, damping = 4.0, 0.7, 0.3
    acting = [shaft.friction(level), shaft.spring(0, damping=damping), shaft.motor(force=level + damping * rate + u)]
    made = model([nsd.Mechanism("tree", [shaft])], acting, parameters={u: 0.0}, initial={shaft.rate: rate})
    found = made.linearise([u])
    np.testing.assert_allclose(found.A, [[0, 1], [0, -damping / 2]], atol=1e-12)
    np.testing.assert_allclose(found.B, [[0], [0.5]], atol=1e-12)


def test_first_order_states_beside_a_motion_and_by_themselves() -> None:
    """A voice coil: m x'' = b i - c x' - K x, L i' = u - R i - b x'; and a charge that leaks, q' = (u - q / C) / R."""
    x, i, z = (sp.Function(name)(nsd.time) for name in "xiz")
    m, c, K, b, L, R = 0.5, 0.2, 30.0, 4.0, 0.01, 3.0
    coil = nsd.LagrangianSystem(
        "coil", [x], kinetic=m * x.diff() ** 2 / 2, potential=K * x**2 / 2, forces=[b * i - c * x.diff()],
        state=[i], rhs=[(u - R * i - b * x.diff()) / L],
    )  # fmt: skip
    found = model([coil], [], parameters={u: 0.0}, initial={x: 0, i: 0}).linearise([u], {"x": x, "i": i})
    assert found.states == ("coil.x", "coil.x_dot", "coil.i")
    np.testing.assert_allclose(found.A, [[0, 1, 0], [-K / m, -c / m, b / m], [0, -b / L, -R / L]], rtol=1e-12)
    np.testing.assert_allclose(found.B, [[0], [0], [1 / L]], rtol=1e-12)
    np.testing.assert_allclose(found.C, [[1, 0, 0], [0, 0, 1]])
    leak = nsd.FirstOrderSystem("leak", state=[z], rhs=[(u - z / 2) / 5])
    alone = nsd.Model("alone", [leak], scheme=nsd.ThetaGamma(), step=1, end=1, parameters={u: 1.0}, initial={z: 2})
    found = alone.linearise([u])
    assert found.states == ("leak.z",)
    np.testing.assert_allclose([*found.A[0], *found.B[0]], [-0.1, 0.2], rtol=1e-12)


def test_a_mass_that_slides_on_a_belt_beside_a_spring_that_leans() -> None:
    """N = m g + k s c x and m x'' = -k c^2 x + mu N: the pull of the spring loads the contact, which rubs more."""
    m, k, mu, lean = 2.0, 300.0, 0.3, 0.7
    c, s = float(np.cos(lean)), float(np.sin(lean))
    x, y = (sp.Function(name)(nsd.time) for name in "xy")
    mass = nsd.LagrangianSystem(
        "mass", [x, y], kinetic=m * (x.diff() ** 2 + y.diff() ** 2) / 2,
        potential=k * (c * x + s * y) ** 2 / 2 + m * G * y, forces=[u, 0],
    )  # fmt: skip
    for speed, way in ((0.8, 1), (-0.8, -1)):
        belt = nsd.Contact("belt", y, nsd.NewtonImpactFriction(0, mu), tangent=x - speed * nsd.time)
        made = model([mass], [belt], parameters={u: 0.0}, initial={x: 0.01, y: 0})
        rest = made.equilibrium()
        stiffness = k * (c**2 - way * mu * s * c)
        assert rest.in_play == ("belt",)
        assert rest.values["mass.x"] == pytest.approx(way * mu * m * G / stiffness, rel=1e-12)
        found = made.linearise([u], at=rest)
        np.testing.assert_allclose(found.A, [[0, 1], [-stiffness / m, 0]], rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(found.B, [[0], [1 / m]], rtol=1e-12)


def test_a_block_that_slides_steadily_in_space() -> None:
    """Driven over a floor at V its friction has a direction: across it, it damps like mu m g / V, and turns it.

    The load of the front is larger by c mu m g / a, c the height of the centre; a shift of load follows the sway.
    """
    m, a, b, c, mu, V, inertia = 2.0, 0.4, 0.3, 0.2, 0.35, 1.7, 0.6
    block = nsd.RigidBody("block", m, sp.diag(0.5, 0.4, inertia)).apply_force([mu * m * G, 0, -m * G])
    corners = block.points(4, [[i * a, j * b, -c] for i in (-1, 1) for j in (-1, 1)])
    floor = nsd.contacts_between(corners, nsd.Plane("floor", [0, 0, 1]), nsd.NewtonImpactFriction(0, mu))
    found = model([block], floor, initial={block.position: [0, 0, c], block.velocity: [V, 0, 0]}).linearise()
    assert len(found.in_play) == 4
    sway = -mu / V * np.array([m * G, c * mu * m * G])
    turn = -mu / V * np.array([c * mu * m * G, a**2 * m * G]) - mu * c * sway
    wanted = np.linalg.eigvals([sway / m, turn / inertia])
    nonzero = found.eigenvalues[np.abs(found.eigenvalues) > 1e-6]
    np.testing.assert_allclose(np.sort_complex(nonzero), np.sort_complex(wanted), rtol=1e-10)


def test_a_bearing_that_slides_rubs_with_its_load() -> None:
    """A wheel that turns in a pin under weight and a push u: J w' = M - mu r (m g - u), and no derivative by w."""
    m, inertia, mu, radius, push = 3.0, 0.5, 0.2, 0.04, 5.0
    wheel = nsd.RigidBody("wheel", m, sp.diag(1, inertia, 1)).apply_force([0, 0, u - m * G])
    pin = nsd.Revolute(
        "pin", nsd.Marker(wheel, axis=ABOUT_Y), nsd.Marker(axis=ABOUT_Y), bearing=nsd.Bearing(mu, radius)
    )
    drive = pin.motor(force=mu * radius * (m * G - push))
    made = model([nsd.Mechanism("rotor", [pin])], [drive], parameters={u: push}, initial={pin.rate: 6.0})
    found = made.linearise([u])
    np.testing.assert_allclose(found.A, [[0, 1], [0, 0]], atol=1e-9)
    np.testing.assert_allclose(found.B, [[0], [mu * radius / inertia]], rtol=1e-9, atol=1e-12)


def test_a_contact_that_would_pull_has_no_linear_equations() -> None:
    """A ball that touches a ceiling from below falls: closed as it is, it does not hold the ball."""
    ball = body("ball")
    near = nsd.Contact("ceiling", 0.005 - ball.position[2], nsd.NewtonImpact(0))
    with pytest.raises(ParameterError, match=r"'ceiling'.*would have to pull, by 9.81, and opens"):
        model([ball], [near], initial={ball.position: [0, 0, 0.005]}).linearise()
    deep = nsd.Contact("floor", ball.position[2], nsd.NewtonImpact(0))
    with pytest.raises(ParameterError, match=r"'floor' is penetrated by 0\.1 there"):
        model([ball], [deep], initial={ball.position: [0, 0, -0.1]}).linearise()


@pytest.mark.parametrize("law", [nsd.NewtonImpact(0), None])
def test_an_input_that_moves_a_gap_is_refused(law: object) -> None:
    """A floor at the height p carries x, on which y hangs: y'' = -2 (y - p - 1), and B was 0."""
    p = sp.Symbol("p", real=True)
    x, y = dynamicsymbols("x y")
    potential = (y - x - 1) ** 2 + 5 * x + y
    system = nsd.LagrangianSystem("s", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=potential)
    floor = nsd.Contact("floor", x - p, law) if law else nsd.Bilateral("floor", x - p)
    start = {x: 0, y: 0.5, x.diff(): 0, y.diff(): 0}
    held = model([system], [floor], parameters={p: 0.0}, initial=start)
    with pytest.raises(ParameterError, match="p moves a constraint"):
        held.linearise([p], at=held.equilibrium())


@pytest.mark.parametrize("scale", [1.0, 1e-2, 1e-6])
def test_stops_that_exclude_each_other_do_not_share_a_load(scale: float) -> None:
    """Of two stops behind each other the nearer one carries all; both were in play, 3 and 5 mm away from the mass."""
    x = dynamicsymbols("x")
    mass = nsd.LagrangianSystem("m", [x], kinetic=x.diff() ** 2 / 2, potential=-10 * x)
    stops = [
        nsd.Contact(name, gap=at * scale - x, law=nsd.NewtonImpact(0)) for name, at in (("near", 0.4), ("far", 0.6))
    ]
    model = nsd.Model("m", [mass], stops, scheme=nsd.MoreauJean(), step=1e-3, end=1, initial={x: 0.395 * scale})
    found = model.equilibrium()
    assert found.in_play == ("near",) and found.forces["near[0]"] == pytest.approx(10)
    assert found.values["m.x"] == pytest.approx(0.4 * scale, rel=1e-9)


def test_constraints_that_exclude_each_other_have_no_equilibrium() -> None:
    """The middle was one, with both constraints off by half of what lies between them."""
    x, y = dynamicsymbols("x y")
    mass = nsd.LagrangianSystem("m", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=10 * y + y**2)
    rail = nsd.Bilateral("rail", x - 1)
    stops = [nsd.Contact("wall", gap=0.5 - x, law=nsd.NewtonImpact(0))]
    model = nsd.Model("m", [mass], [rail, *stops], scheme=nsd.MoreauJean(), step=1e-3, end=1, initial={x: 0.499, y: 0})
    with pytest.raises(ParameterError, match="no configuration near it meets all constraints and contacts"):
        model.equilibrium()
