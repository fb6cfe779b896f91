"""RATTLE with contacts: order 2 with constraints, no drift of energy or position, impacts that keep energy.

Truths: closed forms, adaptive integration of minimal coordinates, and the step's own symmetry.
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import nsdgen as nsd
from nsdgen.errors import ModelError

G = 9.81
x, y, z = (sp.Function(name)(nsd.time) for name in "xyz")
RODS = nsd.Bilateral("rod", x**2 + y**2 - 1)
BOB = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=G * y)


def pendulum(**settings) -> nsd.Model:
    return nsd.Model(
        "pendulum",
        [BOB],
        [RODS],
        scheme=nsd.Rattle(),
        **{"step": 1e-2, "end": 1.0, "initial": {x: 0.6, y: -0.8}, **settings},
    )


def rod_energy(run: nsd.Trajectory) -> np.ndarray:
    return G * run["y"] + (run["x_dot"] ** 2 + run["y_dot"] ** 2) / 2


def orders(errors: list[float]) -> np.ndarray:
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


def swing(angle: float, end: float) -> float:
    """The angle of a pendulum of length 1 from rest, by adaptive integration."""
    return solve_ivp(lambda t, s: [s[1], -G * np.sin(s[0])], (0, end), [angle, 0], rtol=1e-12, atol=1e-12).y[0, -1]


def test_a_rod_pendulum_has_order_2_and_stays_on_its_rod() -> None:
    """Errors at 1 s and energies at h = 10, 5, 2.5, 1.25 ms: both fall with h^2."""
    angle = swing(np.arctan2(0.6, 0.8), 1.0)
    errors, energies = [], []
    for n in range(4):
        run = pendulum().run(step=1e-2 / 2**n)
        errors.append(np.hypot(run["x"][-1] - np.sin(angle), run["y"][-1] + np.cos(angle)))
        energies.append(np.abs(rod_energy(run) - rod_energy(run)[0]).max())
        assert np.abs(run["rod.gap"]).max() < 1e-10 and np.abs(run["rod.gap_rate"]).max() < 1e-13
    np.testing.assert_allclose(orders(errors), 2, atol=0.02)
    np.testing.assert_allclose(orders(energies), 2, atol=0.02)
    assert errors[0] < 1.2e-5


def test_ten_seconds_at_a_millisecond_keep_the_energy() -> None:
    """Where velocities alone are constrained, with gradients at the end of the step, 7 % of it were lost."""
    energy = rod_energy(pendulum(step=1e-3, end=10).run())
    assert np.abs(energy - energy[0]).max() < 6e-6


@pytest.mark.slow
def test_neither_energy_nor_position_drifts_over_a_million_steps() -> None:
    run = pendulum(step=1e-3, end=1000).run(every=50)
    off = np.abs(rod_energy(run) - rod_energy(run)[0])
    assert off[-2000:].max() < 1.001 * off[:2000].max() < 6e-6
    assert np.abs(run["rod.gap"]).max() < 2e-11


def test_the_step_is_its_own_adjoint() -> None:
    """Back with reversed velocities: a double pendulum of two rods comes home to rounding."""
    u, w = (sp.Function(name)(nsd.time) for name in "uw")
    arm = nsd.LagrangianSystem(
        "arm", [x, y, u, w], kinetic=sum(c.diff() ** 2 for c in (x, y, u, w)) / 2, potential=G * (y + w)
    )
    rods = nsd.Bilateral("rods", [x**2 + y**2 - 1, (u - x) ** 2 + (w - y) ** 2 - 1])
    model = nsd.Model(
        "double", [arm], [rods], scheme=nsd.Rattle(), step=1e-2, end=2, initial={x: 1, y: 0, u: 1.6, w: 0.8}
    )
    there = model.run()
    names = ("x", "y", "u", "w")
    start = {f"arm.{n}": there[f"arm.{n}"][-1] for n in names}
    start |= {f"arm.{n}_dot": -there[f"arm.{n}_dot"][-1] for n in names}
    back = model.run(initial=start)
    for n in names:
        np.testing.assert_allclose(back[f"arm.{n}"][-1], there[f"arm.{n}"][0], atol=1e-9)
        np.testing.assert_allclose(back[f"arm.{n}_dot"][-1], -there[f"arm.{n}_dot"][0], atol=1e-9)


def test_a_mass_that_depends_on_the_configuration() -> None:
    """A bead on a hoop that turns freely, r = z, constrained to the hoop of radius 1: order 2 against its own angle."""
    r, a, b = (sp.Function(name)(nsd.time) for name in ("r", "a", "b"))
    bead = nsd.LagrangianSystem(
        "bead",
        [r, a, b],
        potential=G * r * sp.sin(b),
        kinetic=(r.diff() ** 2 + (r * b.diff()) ** 2 + (r * sp.cos(b) * a.diff()) ** 2) / 2,
    )
    hoop = nsd.Bilateral("hoop", r**2 - 1)

    def slope(t, s):  # spherical pendulum of length 1, azimuth a, elevation b
        return [s[2], s[3], 2 * np.tan(s[1]) * s[2] * s[3], -G * np.cos(s[1]) - np.sin(s[1]) * np.cos(s[1]) * s[2] ** 2]

    truth = solve_ivp(slope, (0, 1), [0, -0.4, 2.0, 0.1], rtol=1e-12, atol=1e-12).y[:, -1]
    model = nsd.Model(
        "m",
        [bead],
        [hoop],
        scheme=nsd.Rattle(),
        step=1e-2,
        end=1,
        initial={r: 1, a: 0, b: -0.4, a.diff(): 2.0, b.diff(): 0.1},
    )
    errors = []
    for n in range(3):
        run = model.run(step=1e-2 / 2**n)
        errors.append(np.hypot(run["a"][-1] - truth[0], run["b"][-1] - truth[1]))
    np.testing.assert_allclose(orders(errors), 2, atol=0.05)


def test_a_linear_oscillator_keeps_its_energy_and_stiff_ones_stay_bounded() -> None:
    """The midpoint rule keeps quadratic energies; h omega = 10 here."""
    spring = nsd.LagrangianSystem("s", [x], kinetic=x.diff() ** 2 / 2, potential=1e6 * x**2 / 2)
    run = nsd.Model("m", [spring], scheme=nsd.Rattle(), step=1e-2, end=10, initial={x: 1}).run()
    energy = 1e6 * run["x"] ** 2 / 2 + run["x_dot"] ** 2 / 2
    np.testing.assert_allclose(energy, energy[0], rtol=1e-10)


INERTIA = np.array([0.02, 0.02, 0.01])
ARM = 0.5


def heavy_top(scheme: nsd.schemes.scheme.Scheme, spin: float = 60.0) -> nsd.Model:
    top = nsd.RigidBody("top", 1, sp.diag(*INERTIA.tolist())).apply_force([0, 0, -G])
    pin = nsd.Bilateral("pin", top.point([0, 0, -ARM]).position)
    tilt = 0.6
    turned = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    omega = np.array([0.3, 0.2, spin])
    return nsd.Model(
        "heavy",
        [top],
        [pin],
        scheme=scheme,
        step=1e-3,
        end=2,
        initial={
            top.position: list(turned @ [0, 0, ARM]),
            top.quaternion: nsd.from_axis_angle([1, 0, 0], tilt),
            top.velocity: list(turned @ np.cross(omega, [0, 0, ARM])),
            top.angular_velocity: list(omega),
        },
    )


def top_energy(run: nsd.Trajectory) -> np.ndarray:
    return (
        G * run["top.position"][:, 2]
        + (run["top.velocity"] ** 2).sum(axis=1) / 2
        + run["top.angular_velocity"] ** 2 @ INERTIA / 2
    )


@pytest.mark.slow
def test_a_heavy_top_on_a_pin_has_order_2_and_is_thousands_of_times_nearer() -> None:
    """At 4, 2, 1 ms, beside constraints on velocities alone at 1 ms: 26 % of the position, 5 % of the energy."""
    truth = heavy_top(nsd.Rattle()).run(step=5e-5, every=100)["top.position"][-1]
    errors, energies = [], []
    for h in (4e-3, 2e-3, 1e-3):
        run = heavy_top(nsd.Rattle()).run(step=h)
        errors.append(np.linalg.norm(run["top.position"][-1] - truth))
        energies.append(np.abs(top_energy(run) / top_energy(run)[0] - 1).max())
        assert np.abs(run["pin.gap"]).max() < 1e-11
        np.testing.assert_allclose(np.linalg.norm(run["top.quaternion"], axis=1), 1, atol=1e-14)
    np.testing.assert_allclose(orders(errors), 2, atol=0.02)
    np.testing.assert_allclose(orders(energies), 2, atol=0.02)
    plain = heavy_top(nsd.MoreauJean()).run()
    assert np.linalg.norm(plain["top.position"][-1] - truth) > 1000 * errors[-1]
    assert np.abs(top_energy(plain) / top_energy(plain)[0] - 1).max() > 1000 * energies[-1]


@pytest.mark.slow
def test_a_heavy_top_over_a_million_steps() -> None:
    run = heavy_top(nsd.Rattle()).run(end=1000, every=100)
    off = np.abs(top_energy(run) - top_energy(run)[0])
    assert off[-1000:].max() < 1.001 * off[:1000].max() < 5e-5
    assert np.abs(run["pin.gap"]).max() < 1e-11
    np.testing.assert_allclose(np.linalg.norm(run["top.quaternion"], axis=1), 1, atol=1e-14)


def test_a_free_body_keeps_energy_and_angular_momentum_squared_to_rounding() -> None:
    """The midpoint rule keeps both quadratic invariants of Euler's equations."""
    inertia = np.array([1.0, 2.0, 3.0])
    body = nsd.RigidBody("b", 1, sp.diag(*inertia.tolist()))
    run = nsd.Model(
        "free",
        [body],
        scheme=nsd.Rattle(),
        step=1e-2,
        end=20,
        initial={body.position: [0, 0, 0], body.angular_velocity: [1, 2, 3]},
    ).run()
    omega = run["b.angular_velocity"]
    np.testing.assert_allclose(omega**2 @ inertia, 1 + 8 + 27, rtol=1e-12)
    np.testing.assert_allclose(omega**2 @ inertia**2, 1 + 16 + 81, rtol=1e-12)


BALL = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)


def test_elastic_impacts_keep_the_energy_to_rounding() -> None:
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(1))
    run = nsd.Model("m", [BALL], [floor], scheme=nsd.Rattle(), step=1e-2, end=40, initial={z: 1}).run()
    assert (run["floor.impact"] > 0).sum() > 40
    np.testing.assert_allclose(G * run["z"] + run["z_dot"] ** 2 / 2, G, rtol=1e-12)


@pytest.mark.parametrize("restitution", [0, 0.5])
def test_a_ball_comes_to_rest_and_is_carried_by_half_impulses_at_both_ends(restitution: float) -> None:
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(restitution))
    run = nsd.Model("m", [BALL], [floor], scheme=nsd.Rattle(), step=1e-3, end=5, initial={z: 1}).run()
    assert run["z_dot"][-1] == pytest.approx(0, abs=1e-15) and -1e-3 * np.sqrt(2 * G) < run["z"].min() < 0
    still = slice(-500, None)
    assert np.ptp(run["z"][still]) < 1e-15
    for name, share in (("impulse", 1), ("impulse_start", 0.5), ("impulse_end", 0.5), ("impact", 0)):
        np.testing.assert_allclose(run[f"floor.{name}"][still], share * G * 1e-3, atol=1e-15)


def test_a_contact_that_stays_closed_has_order_2() -> None:
    """A puck in a bowl moves like the bob on its rod."""
    puck = nsd.Contact("bowl", 1 - sp.sqrt(x**2 + y**2), nsd.NewtonImpact(0))
    model = nsd.Model("bowl", [BOB], [puck], scheme=nsd.Rattle(), step=1e-2, end=1, initial={x: 0.6, y: -0.8})
    angle = swing(np.arctan2(0.6, 0.8), 1.0)
    errors = [abs(model.run(step=1e-2 / 2**n)["x"][-1] - np.sin(angle)) for n in range(3)]
    np.testing.assert_allclose(orders(errors), 2, atol=0.02)


@pytest.mark.parametrize(("mu", "slides"), [(0.6, False), (0.5, True)])
def test_coulombs_law_on_an_incline(mu: float, slides: bool) -> None:
    """tan 0.5 = 0.546: a block stays where it is, or slides with constant acceleration, exactly."""
    block = nsd.LagrangianSystem(
        "block", [x, z], kinetic=(x.diff() ** 2 + z.diff() ** 2) / 2, potential=G * (z * np.cos(0.5) - x * np.sin(0.5))
    )
    plane = nsd.Contact("plane", z, nsd.NewtonImpactFriction(0, mu), tangent=x)
    run = nsd.Model("m", [block], [plane], scheme=nsd.Rattle(), step=1e-3, end=1, initial={x: 0, z: 0}).run()
    expected = G * (np.sin(0.5) - mu * np.cos(0.5)) / 2 if slides else 0.0
    assert run["x"][-1] == pytest.approx(expected, abs=1e-12)


def test_a_sphere_slides_then_rolls() -> None:
    """5/7 of its velocity is left when it rolls."""
    radius = 0.1
    ball = nsd.RigidBody("ball", 1, 0.4 * radius**2 * sp.eye(3)).apply_force([0, 0, -G])
    floor = nsd.Contact(
        "floor",
        gap=ball.position[2] - radius,
        law=nsd.NewtonImpactFriction(0, 0.3),
        bodies=ball,
        point=ball.position - sp.Matrix([0, 0, radius]),
    )
    run = nsd.Model(
        "m",
        [ball],
        [floor],
        scheme=nsd.Rattle(),
        step=1e-3,
        end=2,
        initial={ball.position: [0, 0, radius], ball.velocity: [2, 1, 0]},
    ).run()
    np.testing.assert_allclose(run["ball.velocity"][-1], np.array([2, 1, 0]) * 5 / 7, atol=1e-12)
    np.testing.assert_allclose(run["ball.angular_velocity"][-1, :2], np.array([-1, 2]) * 5 / 7 / radius, atol=1e-11)


@pytest.mark.parametrize("scheme", [nsd.Rattle(), nsd.Variational()])
def test_what_meets_a_contact_at_the_start_has_its_impact(scheme: nsd.schemes.scheme.Scheme) -> None:
    """It approaches with 2 m/s on a closed contact, e = 1: it had been held, as if it lay there."""
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(1))
    model = nsd.Model("m", [BALL], [floor], scheme=scheme, step=1e-3, end=0.1, initial={z: 0, z.diff(): -2})
    run = model.run()
    assert run["z"][-1] == pytest.approx(0.2 - G * 0.005, abs=4e-3)  # placed to within a step
    assert run["z_dot"][-1] == pytest.approx(2 - G * 0.1, abs=3 * G * 1e-3)


def test_what_rests_has_no_impacts_until_it_is_struck() -> None:
    """Two blocks are pressed on each other and on a wall; a third one comes with 3 m/s, e = 0.5.

    Blocks at rest come no nearer, so nothing is solved for them. In the impact they take part: the rates of the three
    gaps are -e times those before, which is u/2 away from the wall for all gaps on the way, and nothing at the wall.
    """
    s = [sp.Function(f"s{i}")(nsd.time) for i in range(3)]
    blocks = [
        nsd.LagrangianSystem(
            f"block {i}", [s[i]], kinetic=(i + 1) * s[i].diff() ** 2 / 2, potential=5 * s[i] if i < 2 else 0
        )
        for i in range(3)
    ]
    law = nsd.NewtonImpact(sp.Rational(1, 2))
    gaps = [nsd.Contact(f"gap {i}", s[i] - (s[i - 1] if i else 0), law) for i in range(3)]
    start = {s[0]: 0, s[1]: 0, s[2]: 0.301, s[2].diff(): -3}
    model = nsd.Model("row", blocks, gaps, scheme=nsd.Rattle(), step=1e-2, end=0.2, initial=start)
    run = model.run()
    struck = np.flatnonzero(run["gap 2.impact"])
    np.testing.assert_array_equal(struck, [11])  # the gap closes in the eleventh step
    assert not np.any(run["gap 0.impact"][:11]) and not np.any(run["gap 1.impact"][:11])
    np.testing.assert_allclose([run[f"gap {i}.gap_rate"][11] for i in range(3)], [0, 0, 1.5], atol=1e-12)
    np.testing.assert_allclose([run[f"gap {i}.impact"][11] for i in range(3)], [13.5, 13.5, 13.5], rtol=1e-12)


def test_a_force_by_output_acts_in_the_middle_of_the_step() -> None:
    """A Coulomb brake stops an oscillator within its dead zone: the envelope falls by 4 f / k in each period."""
    spring = nsd.LagrangianSystem("s", [x], kinetic=x.diff() ** 2 / 2, potential=100 * x**2 / 2)
    grip = nsd.multipliers("grip", 1)
    brake = nsd.OutputRelation("brake", grip, [x.diff()], {spring: grip}, nsd.Relay(3.0))
    run = nsd.Model("m", [spring], [brake], scheme=nsd.Rattle(), step=1e-4, end=2 * np.pi / 10, initial={x: 1}).run()
    assert run["s.x"][-1] == pytest.approx(1 - 4 * 3 / 100, abs=1e-6)


def test_systems_without_forces_are_refused() -> None:
    first = nsd.FirstOrderSystem("tank", [x], [-x])
    with pytest.raises(ModelError, match="'tank'"):
        nsd.Model("m", [first], scheme=nsd.Rattle(), step=1, end=2, initial={x: 1}).derive()
