"""Rows that hold rounding alone, of bodies that do not turn and of contacts that are at rest already, stop no run."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import nsdgen as nsd

G = 9.81
ANGLE, RATE = 0.7, 1.0


def platform(scheme: nsd.Scheme, step: float) -> nsd.Model:
    """A plank that hangs on two equal rods and does not turn while it swings; many rows of its joints are redundant."""
    turned = nsd.from_axis_angle([0, 1, 0], -ANGLE)
    plank = nsd.RigidBody("plank", 2, sp.diag(1, 1, 1)).apply_force([0, 0, -2 * G])
    bodies, joints, start = (
        [plank],
        [],
        {
            plank.position: [np.sin(ANGLE), 0, -np.cos(ANGLE)],
            plank.velocity: [RATE * np.cos(ANGLE), 0, RATE * np.sin(ANGLE)],
        },
    )
    half = sp.Rational(1, 2)
    for x in (-1, 1):
        rod = nsd.RigidBody(f"rod{x}", 1, sp.diag(1, 1, sp.Rational(1, 100)) / 12).apply_force([0, 0, -G])
        start |= {
            rod.position: [x + np.sin(ANGLE) / 2, 0, -np.cos(ANGLE) / 2],
            rod.quaternion: turned,
            rod.velocity: [RATE * np.cos(ANGLE) / 2, 0, RATE * np.sin(ANGLE) / 2],
            rod.angular_velocity: [0, -RATE, 0],
        }
        top, foot = (nsd.Marker(rod, [0, 0, z], [0, 1, 0]) for z in (half, -half))
        bodies.append(rod)
        joints += [
            nsd.Revolute(f"top{x}", top, nsd.Marker(None, [x, 0, 0], [0, 1, 0])),
            nsd.Revolute(f"foot{x}", nsd.Marker(plank, [x, 0, 0], [0, 1, 0]), foot),
        ]
    return nsd.Model("platform", bodies, joints, scheme=scheme, step=step, end=1, initial=start)


@pytest.mark.slow
def test_a_body_that_does_not_turn_under_the_variational_scheme() -> None:
    """In one angle: (2/3 + 2) a'' = -(1 + 2) g sin a."""
    truth = solve_ivp(lambda t, s: [s[1], -9 / 8 * G * np.sin(s[0])], (0, 1), [ANGLE, RATE], rtol=1e-11, atol=1e-12)
    model = platform(nsd.Variational(), 5e-3)
    model.compile(interpret=True)
    run, angle = model.run(), truth.y[0, -1]
    np.testing.assert_allclose(run["plank.position"][-1], [np.sin(angle), 0, -np.cos(angle)], atol=1e-4)
    np.testing.assert_allclose(run["plank.quaternion"][-1], [1, 0, 0, 0], atol=1e-9)


AXES, INERTIA = np.array([0.2, 0.03, 0.02]), np.array([[2.035e-4, -7e-5, 0], [-7e-5, 1.5965e-3, 0], [0, 0, 1.7e-3]])
SPIN = [0.05, 0.02, -5.0]


def rolling(t: float, s: np.ndarray) -> np.ndarray:
    """(n, Omega) of an ellipsoid that rolls: n is the vertical in the body, rho(n) leads to the place of contact.

    With F = m (a + g n), I Omega' + Omega x I Omega = rho x F, a = -Omega' x rho - Omega x (rho' + Omega x rho).
    """
    n, w = s[:3], s[3:]
    turn, size = np.cross(n, w), np.sqrt(AXES**2 @ n**2)
    rho, rate = -(AXES**2) * n / size, -(AXES**2) * turn / size + AXES**2 * n * (AXES**2 * n @ turn) / size**3
    skew = np.array([np.cross(rho, e) for e in np.eye(3)]).T
    known = -np.cross(w, rate) - np.cross(w, np.cross(w, rho)) + G * n
    return np.concatenate([turn, np.linalg.solve(INERTIA - skew @ skew, skew @ known - np.cross(w, INERTIA @ w))])


@pytest.mark.slow
def test_a_rattleback_rolls_under_infinite_friction() -> None:
    """Constraints leave rates of rounding to the impacts, and signs of these may be those of no sticking contact."""
    celt = nsd.RigidBody("celt", 1, sp.Matrix(INERTIA)).apply_force([0, 0, -G])
    touch = nsd.shapes.ellipsoid_plane(
        "touch", celt, AXES.tolist(), nsd.Plane("floor", [0, 0, 1]), nsd.NewtonImpactFriction(0, sp.oo)
    )
    model = nsd.Model(
        "celt",
        [celt],
        [touch],
        scheme=nsd.Rattle(),
        step=1e-3,
        end=1,
        initial={
            celt.position: [0, 0, AXES[2]],
            celt.angular_velocity: SPIN,
            celt.velocity: -np.cross(SPIN, [0, 0, -AXES[2]]),
        },
    )
    model.compile(interpret=True)
    truth = solve_ivp(rolling, (0, 1), [0, 0, 1, *SPIN], rtol=1e-11, atol=1e-12, method="DOP853").y[3:, -1]
    errors = [abs(model.run(step=h)["angular_velocity"][-1] - truth).max() for h in (1e-3, 5e-4, 2.5e-4)]
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 2, atol=0.15)
    assert errors[-1] < 5e-3


THIN = (nsd.Rattle(), nsd.MoreauJean(), nsd.Variational(), nsd.GeneralisedAlpha(), nsd.EventDriven())


@pytest.mark.parametrize("scheme", THIN, ids=[type(scheme).__name__ for scheme in THIN])
@pytest.mark.parametrize(
    "joint", [pytest.param(nsd.Revolute, marks=pytest.mark.slow), nsd.Universal], ids=["hinge", "universal"]
)
@pytest.mark.few(2)
def test_a_rod_without_inertia_about_its_axis(joint: type[nsd.Joint], scheme: nsd.Scheme) -> None:
    """n'' = g' - (g' . n + n' . n') n of its direction n, g' = 3/2 g: rows of moments about the axis are zero."""
    speed = 0.0 if joint is nsd.Revolute else 1.0
    rod = nsd.RigidBody("rod", 1, sp.diag(0, 1, 1) / 12).apply_force([0, 0, -G])
    axis = [0, 1, 0] if joint is nsd.Revolute else [0, 0, 1]
    pin = joint("pin", nsd.Marker(rod, [-0.5, 0, 0], [0, 1, 0]), nsd.Marker(None, [0, 0, 0], axis))
    start = {rod.position: [0.5, 0, 0], rod.angular_velocity: [0, 0, speed], rod.velocity: [0, 0.5 * speed, 0]}
    run = nsd.Model("rod", [rod], [pin], scheme=scheme, step=5e-4, end=0.5, initial=start).compile(interpret=True).run()
    pull = np.array([0, 0, -1.5 * G])

    def turning(t: float, s: np.ndarray) -> np.ndarray:
        n, rate = s[:3], s[3:]
        return np.concatenate([rate, pull - (pull @ n + rate @ rate) * n])

    truth = solve_ivp(turning, (0, 0.5), [1, 0, 0, 0, speed, 0], rtol=1e-11, atol=1e-12).y[:3, -1]
    within = {nsd.MoreauJean: 2e-3, nsd.EventDriven: 1e-8}.get(type(scheme), 4e-6)
    np.testing.assert_allclose(run["rod.position"][-1], 0.5 * truth, atol=within)


def test_a_rod_without_inertia_on_two_hinges_from_event_to_event() -> None:
    """Its rate about its axis is rounding of what the hinges say twice, with no terms: no step was accurate enough."""
    rod = nsd.RigidBody("rod", 1, sp.diag(0, 1, 1) / 12).apply_force([0, 0, -G])
    ends = [([-0.5, y, 0], [0, y, 0]) for y in (0, 0.2)]
    hinges = [
        nsd.Revolute(f"hinge_{k}", nsd.Marker(rod, at, [0, 1, 0]), nsd.Marker(None, place, [0, 1, 0]))
        for k, (at, place) in enumerate(ends)
    ]
    start = {rod.position: [0.5, 0, 0]}
    model = nsd.Model("rod", [rod], hinges, scheme=nsd.EventDriven(), step=1e-2, end=0.5, initial=start)
    run = model.compile(interpret=True).run()
    truth = solve_ivp(
        lambda t, s: [s[1], 1.5 * G * np.cos(s[0])], (0, 0.5), [0, 0], rtol=1e-12, atol=1e-13, t_eval=run.time
    )
    np.testing.assert_allclose(run["rod.position[2]"], -0.5 * np.sin(truth.y[0]), atol=1e-9)
    assert (run["rank_deficiency"][1:] == 5).all() and run["newton_iterations"].sum() < 3000


@pytest.mark.parametrize("scheme", [nsd.Rattle(), pytest.param(nsd.Variational(), marks=pytest.mark.slow)])
def test_a_cart_rolls_straight_on_under_infinite_friction(scheme: nsd.Scheme) -> None:
    """Across its way all rows are rounding, of axles beside terms of rounding: no impulse, where none need exist."""
    chassis = nsd.RigidBody("chassis", 5, sp.diag(1, 2, 3) / 10).apply_force([0, 0, -5 * G])
    bodies, relations = [chassis], []
    start = {chassis.position: [0, 0, 0.2], chassis.velocity: [1, 0, 0]}
    for i, (x, y) in enumerate([(0.4, 0.3), (0.4, -0.3), (-0.4, 0.3), (-0.4, -0.3)]):
        wheel = nsd.RigidBody(f"wheel{i}", 1, sp.diag(3, 5, 3) / 1000).apply_force([0, 0, -G])
        axle, hub = nsd.Marker(chassis, [x, y, -0.1], [0, 1, 0]), nsd.Marker(wheel, [0, 0, 0], [0, 1, 0])
        relations.append(nsd.Revolute(f"axle{i}", axle, hub))
        floor, law = nsd.Plane("floor", [0, 0, 1]), nsd.NewtonImpactFriction(0, sp.oo)
        relations.append(nsd.shapes.sphere_plane(f"tyre{i}", wheel, 0.1, floor, law))
        start |= {wheel.position: [x, y, 0.1], wheel.velocity: [1, 0, 0], wheel.angular_velocity: [0, 10, 0]}
        bodies.append(wheel)
    model = nsd.Model("cart", bodies, relations, scheme=scheme, step=1e-3, end=0.1, initial=start)
    run = model.compile(interpret=True).run()
    turned = 1e-6 if isinstance(scheme, nsd.Variational) else 1e-12  # it turns by 2 atan(w h / 2) a step
    np.testing.assert_allclose(run["chassis.position"][-1], [0.1, 0, 0.2], atol=turned)
    assert abs(run["tyre0.sliding_rate"]).max() < 1e-12
