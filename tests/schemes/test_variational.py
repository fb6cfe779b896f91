"""The variational integrator: momenta of symmetries to rounding, order 2, energies bounded, gamma of no importance."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError

from .test_rattle import ARM, BALL, INERTIA, G, heavy_top, orders, top_energy, z

MOMENTS = np.array([1.0, 2.0, 3.0])
SPIN = [1, 2, 3]


def free_body(scheme) -> nsd.Model:
    body = nsd.RigidBody("b", 1, sp.diag(*MOMENTS.tolist()))
    return nsd.Model(
        "free", [body], scheme=scheme, step=1e-2, end=5, initial={body.position: [0, 0, 0], body.angular_velocity: SPIN}
    )


def momentum(run: nsd.Trajectory) -> np.ndarray:
    return Rotation.from_quat(np.roll(run["quaternion"], -1, axis=1)).apply(run["angular_velocity"] * MOMENTS)


def test_a_free_body() -> None:
    """Angular momentum in space stays to rounding, |p| = 1, order 2; gamma matters by the order of the scheme."""
    truth = solve_ivp(lambda t, w: np.cross(MOMENTS * w, w) / MOMENTS, (0, 5), SPIN, rtol=1e-12, atol=1e-12).y[:, -1]
    model = free_body(nsd.Variational(newton=nsd.Newton(tolerance=1e-14)))
    errors: dict[float, list[float]] = {0.0: [], 2.0: []}
    for gamma, found in errors.items():
        for h in (1e-2, 5e-3, 2.5e-3):
            run = model.run(step=h, options={"gamma": gamma})
            found.append(np.abs(run["angular_velocity"][-1] - truth).max())
            assert np.abs(momentum(run) - momentum(run)[0]).max() < 1e-11
            np.testing.assert_allclose(np.linalg.norm(run["quaternion"], axis=1), 1, atol=1e-13)
        np.testing.assert_allclose(orders(found), 2, atol=0.05)


def test_a_heavy_top_on_a_pin() -> None:
    """Order 2, and the momentum about the vertical and about the axis of the top, the maps of its two symmetries."""
    truth = heavy_top(nsd.Rattle()).run(step=5e-5, every=100)["top.position"][-1]
    model = heavy_top(nsd.Variational(newton=nsd.Newton(tolerance=1e-14)))
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        run = model.run(step=h)
        errors.append(np.linalg.norm(run["top.position"][-1] - truth))
        assert np.abs(run["pin.gap"]).max() < 1e-11
        turned = Rotation.from_quat(np.roll(run["top.quaternion"], -1, axis=1))
        spin = turned.apply(run["top.angular_velocity"] * INERTIA)
        vertical = (spin + np.cross(run["top.position"], run["top.velocity"]))[:, 2]
        assert np.ptp(vertical) < 1e-10 * abs(vertical[0]) + 1e-11
        np.testing.assert_allclose(run["top.angular_velocity"][:, 2], 60, rtol=1e-9)
    np.testing.assert_allclose(orders(errors), 2, atol=0.05)
    assert ARM == 0.5


@pytest.mark.slow
@pytest.mark.parametrize("gamma", [0.0, 0.01])
def test_energy_over_a_million_steps(gamma: float) -> None:
    run = heavy_top(nsd.Variational()).run(end=1000, every=100, options={"gamma": gamma})
    off = np.abs(top_energy(run) - top_energy(run)[0])
    assert off[-1000:].max() < 1.05 * off[:1000].max()


def test_a_mass_that_depends_on_the_configuration() -> None:
    """A spherical pendulum in two angles: order 2, and the momentum about the vertical to rounding."""
    a, b = (sp.Function(name)(nsd.time) for name in "ab")
    bob = nsd.LagrangianSystem(
        "bob", [a, b], kinetic=(b.diff() ** 2 + (sp.cos(b) * a.diff()) ** 2) / 2, potential=G * sp.sin(b)
    )

    def slope(t, s):
        return [s[2], s[3], 2 * np.tan(s[1]) * s[2] * s[3], -G * np.cos(s[1]) - np.sin(s[1]) * np.cos(s[1]) * s[2] ** 2]

    truth = solve_ivp(slope, (0, 1), [0, -0.4, 2.0, 0.1], rtol=1e-12, atol=1e-12).y[:, -1]
    model = nsd.Model(
        "m",
        [bob],
        scheme=nsd.Variational(newton=nsd.Newton(tolerance=1e-14)),
        step=1e-2,
        end=1,
        initial={a: 0, b: -0.4, a.diff(): 2.0, b.diff(): 0.1},
    )
    errors = []
    for n in range(3):
        run = model.run(step=1e-2 / 2**n)
        errors.append(np.hypot(run["a"][-1] - truth[0], run["b"][-1] - truth[1]))
        np.testing.assert_allclose(np.cos(run["b"]) ** 2 * run["a_dot"], np.cos(-0.4) ** 2 * 2, rtol=1e-11)
    np.testing.assert_allclose(orders(errors), 2, atol=0.05)


def test_contacts_in_impact_and_persistent_modes() -> None:
    """A ball bounces with its energy, another one lies; a sphere slides, then rolls with 5/7 of its velocity."""
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(1))
    run = nsd.Model("m", [BALL], [floor], scheme=nsd.Variational(), step=1e-2, end=10, initial={z: 1}).run()
    np.testing.assert_allclose(G * run["z"] + run["z_dot"] ** 2 / 2, G, rtol=1e-12)
    assert (run["floor.impact"] > 0).sum() > 9
    radius = 0.1
    ball = nsd.RigidBody("ball", 1, 0.4 * radius**2 * sp.eye(3)).apply_force([0, 0, -G])
    ground = nsd.shapes.sphere_plane(
        "ground", ball, radius, nsd.Plane("p", [0, 0, 1]), nsd.NewtonImpactFriction(0, 0.3)
    )
    run = nsd.Model(
        "m",
        [ball],
        [ground],
        scheme=nsd.Variational(),
        step=1e-3,
        end=2,
        initial={ball.position: [0, 0, radius], ball.velocity: [2, 1, 0]},
    ).run()
    np.testing.assert_allclose(run["ball.velocity"][-1], np.array([2, 1, 0]) * 5 / 7, atol=2e-5)
    np.testing.assert_allclose(run["ground.impulse"][-1, 0], G * 1e-3, rtol=1e-9)


def test_forces_between_bodies_keep_the_momentum() -> None:
    a, b = (nsd.RigidBody(n, m, sp.diag(0.1, 0.2, 0.3)) for n, m in (("a", 1), ("b", 2)))
    spring = nsd.Spring("spring", a.point([0.1, 0, 0]), b.point([0, 0.2, 0]), stiffness=60, length=1)
    run = nsd.Model(
        "m",
        [a, b],
        [spring],
        scheme=nsd.Variational(),
        step=1e-3,
        end=1,
        initial={a.position: [0, 0, 0], b.position: [1.4, 0, 0]},
    ).run()
    np.testing.assert_allclose(run["a.velocity"] + 2 * run["b.velocity"], 0, atol=1e-10)
    kinetic = sum(
        m * (run[f"{n}.velocity"] ** 2).sum(axis=1) / 2
        + run[f"{n}.angular_velocity"] ** 2 @ np.array([0.1, 0.2, 0.3]) / 2
        for n, m in (("a", 1), ("b", 2))
    )
    energy = kinetic + run["spring.force"] ** 2 / 120
    np.testing.assert_allclose(energy, energy[0], rtol=1e-3)


def test_speeds_that_are_no_rates_are_refused():
    q, u = dynamicsymbols("q u")
    frame, point = ReferenceFrame("N"), Point("P")
    point.set_vel(frame, 2 * u * frame.x)
    method = KanesMethod(frame, q_ind=[q], u_ind=[u], kd_eqs=[q.diff() - 2 * u])
    method.kanes_equations([Particle("bead", point, 1)], [(point, -q * frame.x)])
    system = nsd.KaneSystem("bead", method)
    with pytest.raises(ModelError, match="Variational has no discretisation for it") as refused:
        nsd.Model("m", [system], [], scheme=nsd.Variational(), step=0.1, end=1, initial={q: 1}).compile(interpret=True)
    assert "nsd.MoreauJean" in refused.value.fix


@pytest.mark.parametrize("step", [1e-3, 1e-2])
@pytest.mark.parametrize("angle", [0.0, 0.3, 1.5, -2.0])
@pytest.mark.parametrize("held", ["position", "speed"])
def test_a_motor_and_friction_hold_a_hinge_together(held, angle, step):
    """Rows of a quaternion stand in another order than its rates: what is at rest was refused."""
    bar = nsd.RigidBody("bar", 1.0, sp.diag(0.02, 0.1, 0.1)).apply_force([0, 0, -9.81])
    hinge = nsd.Revolute("hinge", nsd.Marker(bar, [-0.5, 0, 0], [0, 1, 0]), nsd.Marker(None, [0, 0, 0], [0, 1, 0]))
    motor = hinge.motor(position=angle) if held == "position" else hinge.motor(speed=0)
    start = {
        bar.position: [0.5 * np.cos(angle), 0, -0.5 * np.sin(angle)],
        bar.quaternion: [np.cos(angle / 2), 0, np.sin(angle / 2), 0],
    }
    relations = [hinge, motor, hinge.friction(2.0)]
    model = nsd.Model("m", [bar], relations, scheme=nsd.Variational(), step=step, end=50 * step, initial=start)
    run = model.compile(interpret=True).run()
    assert np.ptp(run["bar.position"], axis=0).max() < 1e-12
    friction = (run["hinge friction.force[0]"] + run["hinge friction.force_left[0]"]) / 2  # of both halves of a step
    together = run["hinge motor.impulse"] / step + friction
    np.testing.assert_allclose(abs(together[1:]), abs(9.81 * 0.5 * np.cos(angle)), rtol=1e-6, atol=1e-9)
