"""Bodies against closed forms, elliptic functions, and minimal coordinates integrated adaptively."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad, solve_ivp
from scipy.special import ellipj, ellipk

import nsdgen as nsd

G = 9.81


def orders(errors: list[float]) -> np.ndarray:
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


def free(inertia: list[float], spin: list[float]) -> nsd.Model:
    body = nsd.RigidBody("b", 1, sp.diag(*inertia))
    return nsd.Model(
        "free",
        [body],
        scheme=nsd.Rattle(),
        step=1e-2,
        end=5,
        initial={body.position: [0, 0, 0], body.angular_velocity: spin},
    )


def test_a_symmetric_top_precesses_about_its_momentum() -> None:
    """Omega turns about the axis with (1 - I3/I1) Omega_3, the axis about L with |L| / I1: order 2."""
    inertia, spin = [2.0, 2.0, 1.0], [0.3, 0.0, 4.0]
    momentum = np.array(inertia) * spin
    size = np.linalg.norm(momentum)
    errors = []
    for h in (2e-2, 1e-2, 5e-3):
        run = free(inertia, spin).run(step=h)
        slip = (1 - inertia[2] / inertia[0]) * spin[2] * run.time
        truth = np.stack([0.3 * np.cos(slip), -0.3 * np.sin(slip), np.full_like(slip, 4.0)], axis=1)
        p = run["b.quaternion"]
        axis = np.stack(
            [
                2 * (p[:, 1] * p[:, 3] + p[:, 0] * p[:, 2]),
                2 * (p[:, 2] * p[:, 3] - p[:, 0] * p[:, 1]),
                1 - 2 * (p[:, 1] ** 2 + p[:, 2] ** 2),
            ],
            axis=1,
        )
        along = momentum / size
        start = np.array([0, 0, 1.0])
        turned = size / inertia[0] * run.time[:, None]
        cone = along * along[2] + (start - along * along[2]) * np.cos(turned) + np.cross(along, start) * np.sin(turned)
        errors.append(max(np.abs(run["b.angular_velocity"] - truth).max(), np.abs(axis - cone).max()))
    np.testing.assert_allclose(orders(errors), 2, atol=0.05)
    assert errors[-1] < 2e-4


def test_an_asymmetric_top_follows_jacobis_elliptic_functions() -> None:
    """I1 < I2 < I3, energy above the separatrix: Omega = (a cn, b sn, c dn)."""
    i1, i2, i3 = 1.0, 2.0, 3.0
    a, c = 0.8, 1.5  # Omega_2 = 0 at the start
    energy, momentum = i1 * a**2 + i3 * c**2, (i1 * a) ** 2 + (i3 * c) ** 2  # 2 T, L^2
    assert momentum > i2 * energy
    rate = np.sqrt((i3 - i2) * (momentum - energy * i1) / (i1 * i2 * i3))
    m = (i2 - i1) * (energy * i3 - momentum) / ((i3 - i2) * (momentum - energy * i1))
    b = np.sqrt((energy * i3 - momentum) / (i2 * (i3 - i2)))
    errors = []
    for h in (2e-2, 1e-2, 5e-3):
        run = free([i1, i2, i3], [a, 0, c]).run(step=h, end=10)
        sn, cn, dn, _ = ellipj(rate * run.time, m)
        truth = np.stack([a * cn, b * sn, c * dn], axis=1)
        errors.append(np.abs(run["b.angular_velocity"] - truth).max())
    assert 4 * ellipk(m) / rate < 10, "more than a period"
    np.testing.assert_allclose(orders(errors), 2, atol=0.05)
    assert errors[-1] < 1e-4


INERTIA, ARM = (0.02, 0.02, 0.01), 0.5


def test_a_heavy_top_nutates_and_precesses_as_the_elliptic_integral_says() -> None:
    """From rest of the axis: u = cos(tilt) between two roots of a cubic; period and precession in one of them."""
    spin, tilt = 60.0, 0.6
    about_pin = INERTIA[0] + ARM**2
    axial = INERTIA[2] * spin  # momentum about the axis
    u0 = np.cos(tilt)
    beta = 2 * G * ARM / about_pin  # u'^2 = (u0 - u) (beta (1 - u^2) - (axial/about_pin)^2 (u0 - u))
    ratio = axial / about_pin
    roots = np.roots([-beta, ratio**2, beta - ratio**2 * u0])
    low = roots[(roots > -1) & (roots < u0)][0]

    def inside(s: float) -> tuple[float, float]:  # u = low + (u0 - low) sin^2 s removes both ends
        u = low + (u0 - low) * np.sin(s) ** 2
        third = next(r for r in roots if abs(r - low) > 1e-9)
        return u, 2 / np.sqrt(beta * (third - u) if third > 1 else beta * (u - third))

    half = quad(lambda s: inside(s)[1], 0, np.pi / 2, epsabs=1e-13)[0]
    turn = quad(
        lambda s: inside(s)[1] * ratio * (u0 - inside(s)[0]) / (1 - inside(s)[0] ** 2), 0, np.pi / 2, epsabs=1e-13
    )[0]
    body = nsd.RigidBody("top", 1, sp.diag(*INERTIA)).apply_force([0, 0, -G])
    pin = nsd.Spherical("pin", body.point([0, 0, -ARM]), [0, 0, 0])
    model = nsd.Model(
        "m",
        [body],
        [pin],
        scheme=nsd.Rattle(),
        step=half / 250,
        end=half * (1 - 1e-9),
        initial={
            body.position: [0, -ARM * np.sin(tilt), ARM * np.cos(tilt)],
            body.quaternion: nsd.from_axis_angle([1, 0, 0], tilt),
            body.angular_velocity: [0, 0, spin],
        },
    )
    nutation, precession = [], []
    for steps in (250, 500, 1000):
        x, y, z = model.run(step=half / steps)["position"][-1] / ARM
        nutation.append(abs(z - low))
        precession.append(abs(np.remainder(np.arctan2(x, -y) - turn + np.pi, 2 * np.pi) - np.pi))
    np.testing.assert_allclose(orders(nutation), 2, atol=0.05)
    np.testing.assert_allclose(orders(precession), 2, atol=0.05)
    assert nutation[-1] < 4e-5 and precession[-1] < 2e-4


def test_backspin_brings_a_ball_back() -> None:
    """v = v0 - mu g t until it rolls with (5 v0 - 2 a w) / 7, backwards here."""
    a, mu, v0, w = 0.1, 0.2, 1.0, 60.0
    ball = nsd.RigidBody("ball", 1, 0.4 * a**2 * sp.eye(3)).apply_force([0, 0, -G])
    floor = nsd.Contact(
        "floor",
        gap=ball.position[2] - a,
        law=nsd.NewtonImpactFriction(0, mu),
        bodies=ball,
        point=ball.position - sp.Matrix([0, 0, a]),
    )
    run = nsd.Model(
        "m",
        [ball],
        [floor],
        scheme=nsd.Rattle(),
        step=1e-3,
        end=1.5,
        initial={ball.position: [0, 0, a], ball.velocity: [v0, 0, 0], ball.angular_velocity: [0, -w, 0]},
    ).run()
    last = (5 * v0 - 2 * a * w) / 7
    grip = (v0 - last) / (mu * G)
    np.testing.assert_allclose(run["velocity"][:, 0], np.maximum(v0 - mu * G * run.time, last), atol=2e-3)
    assert run["velocity"][-1, 0] == pytest.approx(last, abs=1e-12) and last < 0
    travelled = v0 * grip - mu * G * grip**2 / 2 + last * (1.5 - grip)
    assert run["position"][-1, 0] == pytest.approx(travelled, abs=1e-5)


@pytest.mark.parametrize(("slope", "slides"), [(0.3, False), (0.4, True)])
def test_a_brick_on_an_incline_sticks_or_slides(slope: float, slides: bool) -> None:
    """mu = tan(0.35): four corners carry it."""
    mu = float(np.tan(0.35))
    brick = nsd.RigidBody("brick", 2, sp.diag(0.02, 0.03, 0.04))
    brick.apply_force([2 * G * np.sin(slope), 0, -2 * G * np.cos(slope)])
    corners = brick.points(4, [[i * 0.2, j * 0.1, -0.05] for i in (-1, 1) for j in (-1, 1)])
    floor = nsd.contacts_between(corners, nsd.Plane("floor", [0, 0, 1]), nsd.NewtonImpactFriction(0, mu))
    run = nsd.Model(
        "m", [brick], floor, scheme=nsd.Rattle(), step=1e-3, end=0.5, initial={brick.position: [0, 0, 0.05]}
    ).run()
    expected = G * (np.sin(slope) - mu * np.cos(slope)) * run.time**2 / 2 if slides else 0 * run.time
    np.testing.assert_allclose(run["position"][:, 0], expected, atol=1e-10)
    np.testing.assert_allclose(run["quaternion"][-1], [1, 0, 0, 0], atol=1e-12)


def test_two_hinged_bodies_are_the_double_pendulum() -> None:
    """Against two angles, integrated adaptively: order 2."""
    length, mass, inertia = 1.0, 1.0, 1 / 12

    def slope(t: float, s: np.ndarray) -> np.ndarray:
        a, b, da, db = s
        c, d = np.cos(a - b), np.sin(a - b)
        k = mass * length**2 / 2
        M = np.array([[inertia + mass / 4 + mass, k * c], [k * c, inertia + mass / 4]])
        f = np.array([-k * d * db**2 - 1.5 * mass * G * np.sin(a), k * d * da**2 - 0.5 * mass * G * np.sin(b)])
        return np.concatenate([[da, db], np.linalg.solve(M, f)])

    a0, b0 = 0.7, -0.4
    truth = solve_ivp(slope, (0, 1), [a0, b0, 0, 0], rtol=1e-12, atol=1e-12).y[:, -1]
    one, two = (nsd.RigidBody(n, mass, sp.diag(inertia, inertia, 0.01)).apply_force([0, 0, -G]) for n in ("one", "two"))
    y = [0, 1, 0]
    hinges = [
        nsd.Revolute("h1", nsd.Marker(one, [0, 0, 0.5], axis=y), nsd.Marker(axis=y)),
        nsd.Revolute("h2", nsd.Marker(two, [0, 0, 0.5], axis=y), nsd.Marker(one, [0, 0, -0.5], axis=y)),
    ]

    def hanging(angle: float) -> np.ndarray:
        return np.array([-np.sin(angle), 0, -np.cos(angle)])

    model = nsd.Model(
        "double",
        [one, two],
        hinges,
        scheme=nsd.Rattle(),
        step=1e-2,
        end=1,
        initial={
            one.position: (hanging(a0) / 2).tolist(),
            one.quaternion: nsd.from_axis_angle(y, a0),
            two.position: (hanging(a0) + hanging(b0) / 2).tolist(),
            two.quaternion: nsd.from_axis_angle(y, b0),
        },
    )
    errors = []
    for n in range(3):
        run = model.run(step=1e-2 / 2**n)
        tip = hanging(truth[0]) + hanging(truth[1]) / 2
        errors.append(np.linalg.norm(run["two.position"][-1] - tip))
    np.testing.assert_allclose(orders(errors), 2, atol=0.1)
    assert errors[-1] < 1e-4
