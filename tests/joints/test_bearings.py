"""Joints that rub under their own load, each against a closed form; one model holds them all."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ModelError

G, MASS, I_AXIS, MU, RADIUS = 9.81, 2.0, 0.3, 0.25, 0.1
LEAD = 0.3
Y = [0, 1, 0]


SOME = ("hinge", "crank", "ball")  # what is tried under the longer scheme, too
mu = sp.Symbol("mu", nonnegative=True)


@cache
def bench(scheme: type) -> nsd.CompiledModel:
    """Joints on bodies of their own, started at speed."""
    bodies, joints, initial = [], [], {}

    def add(name: str, joint, inertia, weight=(0, 0, -G), at=(0, 0, 0), v=(0, 0, 0), omega=(0, 0, 0)) -> None:
        if scheme is not nsd.MoreauJean and name not in SOME:
            return
        body = nsd.RigidBody(name, MASS, sp.diag(*inertia)).apply_force([MASS * w for w in weight])
        bodies.append(body)
        joints.append(joint(body))
        initial.update({body.position: list(at), body.velocity: list(v), body.angular_velocity: list(omega)})

    rubs = nsd.Bearing(mu, RADIUS)
    round_ = (I_AXIS, I_AXIS, I_AXIS)
    add("hinge", lambda b: nsd.Revolute("j0", nsd.Marker(b, axis=Y), nsd.Marker(axis=Y), rubs), round_, omega=(0, 1, 0))
    add(
        "crank",
        lambda b: nsd.Revolute("j1", nsd.Marker(b, [-0.2, 0, 0], axis=Y), nsd.Marker(axis=Y), rubs),
        round_,
        (0, 0, 0),
        at=(0.2, 0, 0),
        v=(0, 0, -0.2 * 9),
        omega=(0, 9, 0),
    )
    add(
        "rail",
        lambda b: nsd.Prismatic("j2", nsd.Marker(b, axis=[1, 0, 0]), nsd.Marker(axis=[1, 0, 0]), nsd.Bearing(mu)),
        round_,
        (1.5, 3, -4),
        v=(2, 0, 0),
    )
    add("ball", lambda b: nsd.Spherical("j3", nsd.Marker(b), [0, 0, 0], rubs), round_, omega=(1, -2, 2))
    add(
        "sleeve",
        lambda b: nsd.Cylindrical("j4", nsd.Marker(b, axis=Y), nsd.Marker(axis=Y), rubs),
        (I_AXIS, MASS * RADIUS**2, I_AXIS),
        v=(0, 1.2, 0),
        omega=(0, 9, 0),
    )
    add(
        "disc",
        lambda b: nsd.Planar("j5", nsd.Marker(b), nsd.Marker(), rubs),
        (I_AXIS, I_AXIS, MASS * RADIUS**2),
        v=(0.6, -0.9, 0),
        omega=(0, 0, 7),
    )
    add(
        "cross",
        lambda b: nsd.Universal("j6", nsd.Marker(b, axis=Y), nsd.Marker(axis=[1, 0, 0]), rubs),
        round_,
        omega=(0.9, 0, 0),
    )
    add(
        "nut",
        lambda b: nsd.Screw("j7", nsd.Marker(b), nsd.Marker(), LEAD, rubs),
        (1, 1, 0.02),
        v=(0, 0, -0.06),
        omega=(0, 0, -0.06 * 2 * np.pi / LEAD),
    )
    add(
        "axle",
        lambda b: nsd.Revolute(
            "j8", nsd.Marker(b, [0, -0.1, 0], axis=Y), nsd.Marker(axis=Y), nsd.Bearing(mu, RADIUS, length=0.4)
        ),
        round_,
        at=(0, 0.1, 0),
        omega=(0, 2, 0),
    )
    return nsd.Model(
        "bench", bodies, joints, scheme=scheme(), step=1e-3, end=0.7, initial=initial, parameters={mu: MU}
    ).compile()


@cache
def slowed(scheme: type, friction: float = MU) -> nsd.Trajectory:
    return bench(scheme).run(parameters={mu: friction})


def falling(start: float, slope: float, t: np.ndarray) -> np.ndarray:
    return np.maximum(start - slope * t, 0)


def helix() -> float:
    """Acceleration of a nut that goes down a square thread: N n + mu N t against m g, with I / p^2 beside m."""
    p = LEAD / (2 * np.pi)
    along = np.hypot(RADIUS, p)
    lift, turn = (RADIUS + MU * p) / along, RADIUS * (MU * RADIUS - p) / along
    # m z'' = -m g + N lift,  I z'' / p = N turn
    force = MASS * G / (lift - MASS * p * turn / 0.02)
    return -G + force * lift / MASS


TRUTHS = {
    "hinge": lambda t: ("hinge.angular_velocity", falling(1, MU * RADIUS * MASS * G / I_AXIS, t)[:, None] * [0, 1, 0]),
    "rail": lambda t: ("rail.velocity", (2 + (1.5 - MU * 5) * t)[:, None] * [1, 0, 0]),
    "ball": lambda t: (
        "ball.angular_velocity",
        falling(1, MU * RADIUS * MASS * G / (3 * I_AXIS), t)[:, None] * [1, -2, 2],
    ),
    "sleeve": lambda t: ("sleeve.velocity", falling(1.5, MU * G, t)[:, None] * [0, 0.8, 0]),
    "disc": lambda t: ("disc.velocity", falling(np.sqrt(1.66), MU * G, t)[:, None] / np.sqrt(1.66) * [0.6, -0.9, 0]),
    "cross": lambda t: (
        "cross.angular_velocity",
        falling(0.9, MU * RADIUS * MASS * G / I_AXIS, t)[:, None] * [1, 0, 0],
    ),
    "nut": lambda t: ("nut.velocity", (-0.06 + helix() * t)[:, None] * [0, 0, 1]),
    "axle": lambda t: (
        "axle.angular_velocity",
        falling(2, MU * RADIUS * MASS * G * (1 + 2 * 0.1 / 0.4) / I_AXIS, t)[:, None] * [0, 1, 0],
    ),
}


TRIED = [(kind, nsd.MoreauJean) for kind in TRUTHS] + [
    pytest.param(kind, scheme, marks=pytest.mark.slow)
    for kind in SOME
    if kind in TRUTHS
    for scheme in (nsd.EventDriven, nsd.Rattle, nsd.Variational)
]


@pytest.mark.parametrize(("kind", "scheme"), TRIED)
@pytest.mark.few(3)
def test_a_joint_under_its_weight_loses_speed_as_coulomb_says(kind: str, scheme: type) -> None:
    run = slowed(scheme)
    column, expected = TRUTHS[kind](run.time)
    np.testing.assert_allclose(run[column], expected, atol=1e-9)


@pytest.mark.parametrize("scheme", [nsd.Rattle, pytest.param(nsd.Variational, marks=pytest.mark.slow)])
def test_an_unbalanced_crank_rubs_under_the_force_that_keeps_it_turning(scheme: type) -> None:
    """m e sqrt(w^4 + w'^2) loads the pin: w' = -k w^2 with I k = mu r m e sqrt(1 + k^2)."""
    run = slowed(scheme)
    c = MU * RADIUS * MASS * 0.2 / (I_AXIS + MASS * 0.2**2)
    k = c / np.sqrt(1 - c**2)
    np.testing.assert_allclose(run["crank.angular_velocity"][:, 1], 9 / (1 + 9 * k * run.time), rtol=3e-6)


def test_a_thread_holds_by_itself_above_its_slope() -> None:
    """mu r > lead / 2 pi: the nut stops and stays, and the rail holds what slides below tan."""
    run = slowed(nsd.MoreauJean, 0.6)
    stopped = run.time > 0.2
    np.testing.assert_allclose(run["nut.velocity"][stopped], 0, atol=1e-12)
    np.testing.assert_allclose(np.diff(run["nut.position"][stopped][:, 2]), 0, atol=1e-12)
    np.testing.assert_allclose(run["rail.velocity"][:, 0], falling(2, 0.6 * 5 - 1.5, run.time), atol=1e-9)


def test_a_ball_joint_is_driven_through_zero() -> None:
    """What a prescribed motion gives: I w' and mu r m g along w, which turns round at pi / 3; few iterations."""
    sizes, t = sp.symbols("a:3"), nsd.time
    ball = nsd.RigidBody("ball", MASS, I_AXIS * sp.eye(3)).apply_force([0, 0, -MASS * G])
    joint = nsd.Spherical("joint", nsd.Marker(ball), [0, 0, 0], nsd.Bearing(MU, RADIUS))
    drive = nsd.VelocityConstraint(
        "drive", [w - a * sp.sin(3 * t) for w, a in zip(ball.angular_velocity, sizes, strict=True)]
    )
    model = nsd.Model(
        "driven",
        [ball],
        [joint, drive],
        scheme=nsd.Rattle(),
        step=1e-3,
        end=1.5,
        parameters=dict(zip(sizes, (1.2, -0.5, 0.3), strict=True)),
        initial={ball.position: [0, 0, 0]},
    )
    for size in ((1.2, -0.5, 0.3), (0.6, 0, 0), (6, -3, 9)):
        run = model.run(parameters=dict(zip(sizes, size, strict=True)))
        middle = run.time[1:] - 5e-4
        along = np.array(size) / np.linalg.norm(size)
        expected = (
            I_AXIS * np.array(size) * 3 * np.cos(3 * middle)[:, None]
            + MU * RADIUS * MASS * G * along * np.sign(np.sin(3 * middle))[:, None]
        )
        moving = np.abs(np.sin(3 * middle)) > 0.01
        np.testing.assert_allclose(run["drive.impulse"][1:][moving] / 1e-3, expected[moving], atol=1e-4)
        assert run["newton_iterations"].max() <= 10


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda a: nsd.Revolute("j", nsd.Marker(a), nsd.Marker(), nsd.Bearing(0.1)), "has no radius"),
        (lambda a: nsd.Revolute("j", nsd.Marker(a), nsd.Marker(), 0.1), "is no bearing"),
        (lambda a: nsd.Fixed("j", nsd.Marker(a), nsd.Marker(), nsd.Bearing(0.1, 1)), "has no bearing"),
        (lambda a: nsd.Revolute("j", nsd.Marker(a), nsd.Marker(), nsd.Bearing(-0.1, 1)), "friction -0.1 lies outside"),
        (lambda a: nsd.Revolute("j", nsd.Marker(a), nsd.Marker(), nsd.Bearing(0.1, 0)), "radius 0 lies outside"),
    ],
)
def test_refusals_say_what_to_do(make, message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        make(nsd.RigidBody("A", 1, sp.eye(3)))
    assert caught.value.fix


@pytest.mark.parametrize("scheme", [nsd.GeneralisedAlpha])
def test_schemes_without_this_friction_refuse_it(scheme: type) -> None:
    """They would otherwise leave it out in silence."""
    wheel = nsd.RigidBody("wheel", 1, sp.eye(3))
    hinge = nsd.Revolute("j", nsd.Marker(wheel), nsd.Marker(), nsd.Bearing(0.1, 1))
    with pytest.raises(ModelError, match="rub under their own load"):
        nsd.Model(
            "m", [wheel], [hinge], scheme=scheme(), step=1e-3, end=1, initial={wheel.position: [0, 0, 0]}
        ).derive()
