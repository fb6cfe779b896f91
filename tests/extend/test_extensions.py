"""Schemes, relations, laws and families written by a user: each against an independent recursion or an exact solution.

The files of this folder import public names only and hold at most forty lines of code each.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.extend import STEP, T_K, Scheme
from nsdgen.model.pipeline import derive_model

HERE = Path(__file__).parent
FILES = sorted(p for p in HERE.glob("*.py") if not p.name.startswith("test_"))
sys.path.insert(0, str(HERE))

from anisotropic_friction import AnisotropicFriction  # noqa: E402
from bdf2 import BDF2  # noqa: E402
from compliant_contact import CompliantContact  # noqa: E402
from d1_minus import D1Minus  # noqa: E402
from exponential_bodies import ExponentialBodies  # noqa: E402
from full_theta_gamma import FullThetaGamma  # noqa: E402
from schatzman_paoli import SchatzmanPaoli  # noqa: E402
from thermal_network import ThermalNetwork, thermostat  # noqa: E402

G = 9.81


def code_lines(path: Path) -> int:
    """Lines of code: neither blank nor comment nor docstring."""
    text = path.read_text(encoding="utf-8")
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    doc = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            doc |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(1 for n, line in lines if line.strip() and not line.strip().startswith("#") and n not in doc)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_file_is_short_and_imports_public_names_only(path):
    assert len(FILES) == 8
    assert code_lines(path) <= 40
    modules = [node.module for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    assert not [m for m in modules if m.startswith("nsdgen") and m != "nsdgen.extend"]


def ball(height: float, speed: float = 0.0, **options) -> nsd.Trajectory:
    """A ball of unit mass above a floor at z = 0, e = 0.5 unless given."""
    z = dynamicsymbols("z")
    system = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    floor = nsd.Contact("floor", gap=z, law=nsd.NewtonImpact(options.pop("restitution", 0.5)))
    model = nsd.Model("ball", [system], [floor], initial={z: height, z.diff(): speed}, **options)
    return model.run()


# (a) Schatzman-Paoli


def test_schatzman_paoli_follows_its_recursion():
    """q_k+1 = max(2 q_k - q_k-1 - h^2 g, -e q_k-1): the one-step problem of one contact in closed form."""
    h, e = 1e-3, 0.5
    run = ball(1.0, -0.3, scheme=SchatzmanPaoli(), step=h, end=2.0)
    q = [1.0 + 0.3 * h, 1.0]
    for _ in range(2000):
        q.append(max(2 * q[-1] - q[-2] - h**2 * G, -e * q[-2]))
    # rounding of a position is summed twice: 2000^2 eps
    np.testing.assert_allclose(run["ball.z"], q[1:], rtol=0, atol=4e-10)
    np.testing.assert_allclose(run["z_dot"][1:], (np.array(q[2:]) - q[:-2]) / (2 * h), rtol=0, atol=4e-7)
    assert run["ball.z"].min() > -1e-2  # overlaps are of the size of a step


# (b) the full theta-gamma scheme


@pytest.mark.parametrize(("theta", "gamma"), [(0.5, 0.5), (1.0, 1.0), (0.3, 0.7)])
def test_the_full_theta_gamma_scheme_follows_its_recursion(theta, gamma):
    """x' = -x + cos t + lambda, 0 <= x orthogonal to lambda >= 0, at t_gamma, x_gamma: one row in closed form."""
    x, h = dynamicsymbols("x"), 0.05
    tank = nsd.FirstOrderSystem("tank", [x], [-x + 2 * sp.cos(nsd.time)])
    lam = nsd.multipliers("lam", 1)
    wall = nsd.FirstOrderRelation("wall", lam, [x], {tank: lam}, nsd.Complementarity())
    run = nsd.Model("m", [tank], [wall], scheme=FullThetaGamma(theta, gamma), step=h, end=6.0, initial={x: 0.3}).run()
    found = [0.3]
    for k in range(120):
        t, last = k * h + theta * h, found[-1]
        free = (last - h * (1 - theta) * last + 2 * h * np.cos(t)) / (1 + h * theta)  # lambda = 0
        x_gamma = gamma * free + (1 - gamma) * last
        if x_gamma < 0:
            free = -(1 - gamma) * last / gamma  # x_gamma = 0
        found.append(free)
    np.testing.assert_allclose(run["tank.x"], found, rtol=0, atol=1e-12)


# (c) a compliant contact


def test_a_compliant_contact_rests_where_its_spring_carries_the_weight():
    """m z'' = -m g + k max(-z, 0) + damping: the rest position is -m g / k, and the force is m g."""
    z = dynamicsymbols("z")
    m, k, c = 2.0, 400.0, 30.0
    mass = nsd.LagrangianSystem(
        "mass", [z], kinetic=m * z.diff() ** 2 / 2, potential=m * G * z, dissipation=c * z.diff() ** 2 / 2
    )
    stop = CompliantContact("stop", z, 1 / k, [mass])
    run = nsd.Model("m", [mass], [stop], scheme=nsd.MoreauJean(), step=1e-3, end=5.0, initial={z: 0.05}).run()
    assert run["stop.force"][-1] == pytest.approx(m * G, rel=1e-9)
    assert run["mass.z"][-1] == pytest.approx(-m * G / k, rel=1e-9)
    # the first time of contact is that of a fall with drag, to the step; before it there is no force
    touch = np.argmax(run["mass.z"] < 0)
    assert not run["stop.force"].ravel()[:touch].any()


def test_a_compliant_contact_follows_its_recursion():
    z, h, k = dynamicsymbols("z"), 1e-2, 50.0
    mass = nsd.LagrangianSystem("mass", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    stop = CompliantContact("stop", z, 1 / k, [mass])
    run = nsd.Model("m", [mass], [stop], scheme=nsd.MoreauJean(), step=h, end=2.0, initial={z: 0.2}).run()
    q, v = [0.2], 0.0
    for _ in range(200):
        free = v - h * G
        moved = q[-1] + h * (free + v) / 2
        if moved < 0:  # v+ = v - h g - h k (q + h (v+ + v) / 2)
            free = (v - h * G - h * k * (q[-1] + h * v / 2)) / (1 + h**2 * k / 2)
        q.append(q[-1] + h * (free + v) / 2)
        v = free
    np.testing.assert_allclose(run["mass.z"], q, rtol=0, atol=1e-12)


# (d) D1-minus in stages


def test_d1_minus_follows_its_recursion():
    """q+ = q + h v, v- = v - h g (free flight) or at rest on the floor, v+ = -e v- where q+ <= 0."""
    h, e = 1e-3, 0.5
    run = ball(1.0, scheme=D1Minus(), step=h, end=3.0)
    q, v, found = 1.0, 0.0, [1.0]
    for _ in range(3000):
        rests = q <= 0 and v <= 0
        q, v = q + h * v, v if rests else v - h * G
        if q <= 0:
            v = max(v, -e * v)
        found.append(q)
    np.testing.assert_allclose(run["ball.z"], found, rtol=0, atol=1e-11)


def test_d1_minus_carries_the_weight_of_a_ball_at_rest_and_of_none_in_the_air():
    run = ball(0.0, scheme=D1Minus(), step=1e-3, end=0.1)
    assert not run["ball.z"].any()
    np.testing.assert_allclose(run["force_right"].ravel()[1:], G, rtol=1e-12)
    run = ball(1.0, scheme=D1Minus(), step=1e-3, end=1e-3)
    assert run["ball.z_dot"][-1] == pytest.approx(-1e-3 * G, rel=1e-12)


# (e) the exponential update of a quaternion


def top(steps: int) -> nsd.Trajectory:
    """A free symmetric top, I = (1, 1, 2), spinning with Omega = (1, 0, 3), for one second."""
    body = nsd.RigidBody("top", 1, sp.diag(1, 1, 2))
    return nsd.Model(
        "top",
        [body],
        scheme=ExponentialBodies(),
        step=1.0 / steps,
        end=1.0,
        initial={body.position: [0, 0, 0], body.angular_velocity: [1, 0, 3]},
    ).run()


def test_the_exponential_update_keeps_the_norm_and_is_of_second_order():
    """Omega turns about the axis with rate (I3 - I1) / I1 Omega_3: (cos 3t, sin 3t, 3); |p| = 1 to rounding."""
    errors = []
    for steps in (100, 200, 400):
        run = top(steps)
        p, omega = run["top.quaternion"], run["top.angular_velocity"]
        assert abs(np.linalg.norm(p, axis=1) - 1).max() < 1e-13
        exact = np.array([np.cos(3.0), np.sin(3.0), 3.0])
        momentum = rotation(p[-1]) @ (omega[-1] * [1, 1, 2])  # constant in space: (1, 0, 6)
        errors.append(max(np.abs(omega[-1] - exact).max(), np.abs(momentum - [1, 0, 6]).max()))
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert errors[-1] < 1e-4 and (abs(orders - 2) < 0.05).all()


def rotation(p: np.ndarray) -> np.ndarray:
    a, u = p[0], p[1:]
    cross = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + 2 * a * cross + 2 * cross @ cross


# (f) anisotropic friction as a natural map


def puck(velocity: tuple[float, float], mu: tuple[float, float]) -> nsd.Trajectory:
    x, y, z = dynamicsymbols("x y z")
    body = nsd.LagrangianSystem("puck", [x, y, z], kinetic=sum(q.diff() ** 2 for q in (x, y, z)) / 2, potential=G * z)
    table = nsd.Contact("table", gap=z, tangent=[x, y], law=AnisotropicFriction(0, mu))
    initial = {x: 0, y: 0, z: 0, x.diff(): velocity[0], y.diff(): velocity[1]}
    return nsd.Model("puck", [body], [table], scheme=nsd.MoreauJean(), step=1e-3, end=0.5, initial=initial).run()


@pytest.mark.parametrize("axis", [0, 1])
def test_along_an_axis_of_the_ellipse_a_puck_slides_with_its_own_coefficient(axis):
    mu, start = (0.3, 0.6), [0.0, 0.0]
    start[axis] = 1.0
    run = puck(tuple(start), mu)
    speed = run["xy"[axis] + "_dot"]
    np.testing.assert_allclose(speed, np.maximum(1 - mu[axis] * G * run.time, 0), rtol=0, atol=1e-10)


def test_oblique_sliding_dissipates_most():
    """The impulse is -h g (mu_1^2 u_1, mu_2^2 u_2) / |(mu_1 u_1, mu_2 u_2)|, on the ellipse, until the puck sticks."""
    mu = np.array([0.3, 0.6])
    run = puck((1.0, 0.7), tuple(mu))
    u = np.column_stack([run["x_dot"], run["y_dot"]])
    change = np.diff(u, axis=0)
    slides = np.linalg.norm(u[1:], axis=1) > 1e-6
    sliding = u[1:][slides]
    expected = -1e-3 * G * mu**2 * sliding / np.linalg.norm(mu * sliding, axis=1)[:, None]
    assert slides.sum() > 100 and not slides[-1]
    np.testing.assert_allclose(change[slides], expected, rtol=0, atol=1e-9)


# (g) a family of one's own


def test_a_thermal_network_cools_as_its_eigenvalues_say():
    """Two nodes and a conductance, no sources: the difference decays with K (1/C1 + 1/C2); crank-nicolson's factor."""
    T = dynamicsymbols("T1 T2")
    C1, C2, K = sp.symbols("C1 C2 K", positive=True)
    network = ThermalNetwork("house", T, [C1, C2], {(0, 1): K}, [0, 0])
    run = nsd.Model(
        "m",
        [network],
        scheme=nsd.ThetaGamma(0.5),
        step=0.1,
        end=5.0,
        parameters={C1: 2.0, C2: 3.0, K: 0.7},
        initial={T[0]: 300.0, T[1]: 280.0},
    ).run()
    rate = 0.7 * (1 / 2 + 1 / 3)
    factor = (1 - 0.05 * rate) / (1 + 0.05 * rate)
    np.testing.assert_allclose(run["T1"] - run["T2"], 20 * factor ** np.arange(51), rtol=1e-11)
    np.testing.assert_allclose(2 * run["T1"] + 3 * run["T2"], 2 * 300 + 3 * 280, rtol=1e-14)  # energy
    compiled = nsd.Model(
        "n",
        [network],
        scheme=nsd.ThetaGamma(),
        step=0.1,
        end=1,
        parameters={C1: 2, C2: 3, K: 0.7},
        initial={T[0]: 1, T[1]: 0},
    ).compile()
    np.testing.assert_allclose(compiled.house.rhs_x(0.0, [1.0, 0.0]), [[-0.7, 0.7], [0.7, -0.7]])


def test_a_thermostat_holds_a_room_at_its_temperature():
    """In the sliding mode the heater gives exactly what is lost: K (T - T_outside)."""
    T = dynamicsymbols("T_room")
    room = ThermalNetwork("room", [T], [5.0], {}, [-0.5 * (T - 275)])
    relay = thermostat("thermostat", room, 0, 292, 294, 20.0)
    run = nsd.Model("m", [room], [relay], scheme=nsd.ThetaGamma(1.0), step=0.5, end=200.0, initial={T: 280.0}).run()
    assert run["T_room"][-1] == pytest.approx(293, abs=1e-9)
    assert run["power"].ravel()[-1] == pytest.approx(0.5 * (293 - 275), rel=1e-9)


# (h) BDF2


def test_bdf2_follows_its_recursion_and_is_of_second_order():
    x, a = dynamicsymbols("x"), sp.Symbol("a", positive=True)
    decay = nsd.FirstOrderSystem("decay", [x], [-a * x + sp.cos(nsd.time)], mass=[[2]])

    def run(steps: int) -> np.ndarray:
        model = nsd.Model("m", [decay], scheme=BDF2(), step=2.0 / steps, end=2.0, parameters={a: 1.5}, initial={x: 1.0})
        return model.run()["decay.x"]

    h, last, now, found = 0.02, 0.0, 1.0, [1.0]
    last = now - h * (-1.5 * now + 1.0) / 2
    for k in range(100):
        last, now = now, (2 * (4 * now - last) / 2 + h * np.cos((k + 1) * h)) / (3 + h * 1.5)
        found.append(now)
    np.testing.assert_allclose(run(100), found, rtol=0, atol=1e-13)
    # 2 x' = -1.5 x + cos t: x = 0.24 cos t + 0.32 sin t + 0.76 exp(-0.75 t)
    errors = []
    for n in (100, 200, 400):
        t = np.linspace(0, 2, n + 1)
        errors.append(abs(run(n) - (0.24 * np.cos(t) + 0.32 * np.sin(t) + 0.76 * np.exp(-0.75 * t))).max())
    assert (abs(np.log2(np.divide(errors[:-1], errors[1:])) - 2) < 0.05).all()


def test_a_function_that_a_scheme_was_given_is_known_by_its_name():
    """The place in memory was recorded: a model was another one in each session, and was compiled once more."""
    x = dynamicsymbols("x")

    def described():
        def slope(y):
            return -2 * y

        decay = nsd.FirstOrderSystem("decay", [x], [-2 * x])
        model = nsd.Model("m", [decay], scheme=Told(slope), step=0.1, end=1, initial={x: 1})
        return slope, derive_model(model).record

    (first, one), (second, other) = described(), described()  # both live: they lie in two places
    assert first is not second and one.to_json() == other.to_json()


@dataclass(frozen=True)
class Told(BDF2):
    """A scheme with a function among its options."""

    slope: Callable[[sp.Expr], sp.Expr] = abs


@dataclass(frozen=True)
class Plain(Scheme):
    """Bodies, and rates that stop for good: nothing is remembered, nothing but multipliers recorded."""

    def system(self, step):
        v, q_k, v_k = step.unknown("v"), step.state("q_k"), step.state("v_k")
        here = step.at(T_K, q=q_k, v=v_k)
        step.residual(step.term("mass", here) * (v - v_k) - STEP * step.term("force", here))
        moved = q_k + STEP * step.term("twist_map", here) * v
        size = sp.sqrt(sum(e**2 for e in moved[3:]))
        step.advance(q_k=[*moved[:3], *(e / size for e in moved[3:])], v_k=v)

    def relation(self, step):
        impulse = step.multiplier("impulse", step.cls.height)
        before = [] if step.cls.law == nsd.Equality() else [step.rate(step.last)]
        step.output(step.rate(step.end), *before)
        step.reaction(*(H.T * impulse for H in step.gradients(step.last)))


def test_a_scheme_that_remembers_nothing_takes_stops_that_count_turns():
    """What they count had no stage to be kept in, and the error was a bare StopIteration."""
    wheel = nsd.RigidBody("wheel", 1, sp.eye(3))
    hinge = nsd.Revolute("hinge", nsd.Marker(None), nsd.Marker(wheel))
    start = {
        wheel.position: [0, 0, 0],
        wheel.quaternion: [1, 0, 0, 0],
        wheel.velocity: [0, 0, 0],
        wheel.angular_velocity: [0, 0, 20],
    }
    relations = [hinge, *hinge.limits(upper=1)]  # the angle of the ground in the wheel falls
    model = nsd.Model("m", [wheel], relations, scheme=Plain(), step=1e-3, end=1, initial=start)
    run = model.compile(interpret=True).run()
    assert run["wheel.angular_velocity"][-1, 2] == pytest.approx(20, abs=1e-9)
    turned = 2 * np.unwrap(np.arctan2(run["wheel.quaternion"][:, 3], run["wheel.quaternion"][:, 0]))
    np.testing.assert_allclose(run["hinge upper limit.angle_counted"], -turned, rtol=0, atol=1e-12)
    assert turned[-1] > 6 * np.pi
