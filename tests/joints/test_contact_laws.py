"""Drilling and rolling friction and tangential restitution, between two moving bodies too; one model holds them all."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen import shapes
from nsdgen.errors import ModelError

G, RADIUS, TORSION, ROLLING = 9.81, 0.1, 0.02, 0.01
INERTIA = 0.4 * RADIUS**2
NORMAL = np.array([2.0, -1.0, -2.0]) / 3  # of both collisions
ACROSS = np.array([1.0, 2.0, 0.0]) / np.sqrt(5)
PAIRS = {
    "drill": nsd.NewtonImpactTorsionalFriction(0.5, 0, TORSION, exchange=INERTIA),
    "super": nsd.NewtonImpactFriction(1, sp.oo, 1),
}


@cache
def collided(scheme: type) -> nsd.Trajectory:
    """A ball that spins on the floor, one that spins and rolls, and two pairs that collide in flight."""
    bodies, relations, initial = [], [], {}

    def ball(name: str, x, v, omega, mass=1.0) -> nsd.RigidBody:
        bodies.append(nsd.RigidBody(name, mass, mass * INERTIA * sp.eye(3)))
        initial.update(
            {bodies[-1].position: list(x), bodies[-1].velocity: list(v), bodies[-1].angular_velocity: list(omega)}
        )
        return bodies[-1]

    floor = nsd.Plane("floor", [0, 0, 1])
    top = ball("top", (0, 0, RADIUS), (0, 0, 0), (0, 0, 20)).apply_force([0, 0, -G])
    relations.append(
        shapes.sphere_plane(
            "drills", top, RADIUS, floor, nsd.NewtonImpactTorsionalFriction(0, 0.5, TORSION, exchange=INERTIA)
        )
    )
    if scheme is nsd.Rattle:  # the longer scheme: one is enough
        return nsd.Model("laws", bodies, relations, scheme=scheme(), step=1e-3, end=0.5, initial=initial).run()
    wheel = ball("wheel", (1, 0, RADIUS), (0.6, 0, 0), (0, 6, 15)).apply_force([0, 0, -G])
    relations.append(
        shapes.sphere_plane(
            "rolls", wheel, RADIUS, floor, nsd.NewtonImpactTorsionalFriction(0, 0.5, TORSION, ROLLING, exchange=INERTIA)
        )
    )
    for i, (name, law) in enumerate(PAIRS.items()):
        away = np.array([0, 10 * (i + 1), 5.0])
        aside = 0.3 * ACROSS if name == "super" else 0
        a = ball(f"{name} a", away + NORMAL * 0.15, -NORMAL + aside, 20 * NORMAL + ACROSS)
        b = ball(f"{name} b", away - NORMAL * 0.15, 0.5 * NORMAL, 2 * ACROSS, mass=2.0)
        relations.append(shapes.sphere_sphere(name, a, RADIUS, b, RADIUS, law))
    return nsd.Model("laws", bodies, relations, scheme=scheme(), step=1e-3, end=0.5, initial=initial).run()


@pytest.mark.parametrize("scheme", [nsd.MoreauJean, nsd.Rattle])
def test_a_spin_about_the_normal_is_drilled_away(scheme: type) -> None:
    """I w' = -mu_t m g until it stands: 0.41 s."""
    run = collided(scheme)
    expected = np.maximum(20 - TORSION * G / INERTIA * run.time, 0)
    np.testing.assert_allclose(run["top.angular_velocity"][:, 2], expected, atol=1e-9)
    np.testing.assert_allclose(run["top.velocity"], 0, atol=1e-12)


def test_rolling_and_drilling_have_bounds_of_their_own() -> None:
    """(7/5) m a v' = -mu_r m g, and I w' = -mu_t m g about the normal."""
    run = collided(nsd.MoreauJean)
    np.testing.assert_allclose(
        run["wheel.velocity"][:, 0], np.maximum(0.6 - 5 / 7 * ROLLING / RADIUS * G * run.time, 0), atol=5e-6
    )
    spin = np.maximum(15 - TORSION * G / INERTIA * run.time, 0)  # the vertical one, in space
    p = run["wheel.quaternion"]
    turn = [nsd_rotation(q)[2] for q in p]
    np.testing.assert_allclose(np.einsum("ni,ni->n", turn, run["wheel.angular_velocity"]), spin, atol=5e-5)


def nsd_rotation(p: np.ndarray) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(np.roll(p, -1)).as_matrix()


def momenta(run: nsd.Trajectory, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Linear and angular momentum of a pair in space; balls have one moment of inertia."""
    linear, angular = 0, 0
    for body, mass in ((f"{name} a", 1.0), (f"{name} b", 2.0)):
        turn = np.array([nsd_rotation(q) for q in run[f"{body}.quaternion"]])
        spin = np.einsum("nij,nj->ni", turn, run[f"{body}.angular_velocity"])
        linear = linear + mass * run[f"{body}.velocity"]
        angular = angular + mass * (np.cross(run[f"{body}.position"], run[f"{body}.velocity"]) + INERTIA * spin)
    return linear, angular


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_keep_their_momenta(name: str) -> None:
    """The impact reaches to within a step, so the arm of the angular momentum too: 1e-3 of the impulse."""
    linear, angular = momenta(collided(nsd.MoreauJean), name)
    np.testing.assert_allclose(linear, linear[:1].repeat(len(linear), 0), atol=1e-12)
    np.testing.assert_allclose(angular, angular[:1].repeat(len(angular), 0), atol=2e-3)


def test_a_collision_drills_in_proportion_to_its_impulse() -> None:
    """p = (1 + e) v / (1/m_a + 1/m_b), and each spin about the normal changes by mu_t p, opposite to each other."""
    run = collided(nsd.MoreauJean)
    p = 1.5 * 1.5 / (1 + 1 / 2)
    normal = run["drill.impulse"][:, 0].max()
    assert normal == pytest.approx(p, rel=2e-3)
    for body, change, mass in (("drill a", -1, 1.0), ("drill b", 1, 2.0)):
        turn = [nsd_rotation(run[f"{body}.quaternion"][i]) for i in (0, -1)]
        spin = [R @ run[f"{body}.angular_velocity"][i] for R, i in zip(turn, (0, -1), strict=True)]
        change_of_spin = mass * INERTIA * (spin[1] - spin[0])
        assert change_of_spin @ NORMAL == pytest.approx(change * TORSION * normal, rel=2e-3)


def test_superballs_reverse_the_velocity_where_they_touch() -> None:
    """e = e_T = 1 without slip: all three rates change their sign, and the energy stays."""
    run = collided(nsd.MoreauJean)
    hit = int(np.argmax(run["super.impulse"][:, 0]))
    before, after = ([run["super.gap_rate"][i], *run["super.sliding_rate"][i]] for i in (hit - 1, hit))
    np.testing.assert_allclose(after, -np.array(before), atol=3e-3)
    energy = sum(
        m
        * (
            (run[f"super {n}.velocity"] ** 2).sum(axis=1)
            + INERTIA * (run[f"super {n}.angular_velocity"] ** 2).sum(axis=1)
        )
        / 2
        for n, m in (("a", 1.0), ("b", 2.0))
    )
    np.testing.assert_allclose(energy, energy[0], rtol=3e-3)
    assert abs(run["super.sliding_rate"][hit]).max() > 0.1


@pytest.mark.parametrize("exchange", [1e-2, 1.0, 1e3])
@pytest.mark.parametrize("law", [nsd.NewtonImpactTorsionalFriction, nsd.NewtonImpactContensouFriction])
def test_an_impact_ends_a_spin_whatever_the_exchange(law: type, exchange: float) -> None:
    """A corner off the centre of a brick of 2 cm hits the floor; friction can stop what slides and spins there.

    Full steps of Newton's method swung from one bound to the other where the exchange was above twice the inertia.
    """
    a, mass = 0.01, 1e-3
    inertia = 0.4 * mass * a**2
    brick = nsd.RigidBody("brick", mass, inertia * sp.diag(1, 1.5, 2)).apply_force([0, 0, -mass * G])
    kept = {law: {"torsional_friction": 0.3 * a}, nsd.NewtonImpactContensouFriction: {"radius": 0.3 * a}}[law]
    size = inertia if law is nsd.NewtonImpactTorsionalFriction else mass
    rubs = law(0.2, 1.0, **kept, exchange=exchange * size)
    corner = nsd.contacts_between([brick.point([0.3 * a, 0.2 * a, -a])], nsd.Plane("floor", [0, 0, 1]), rubs)
    run = nsd.Model(
        "hits",
        [brick],
        corner,
        scheme=nsd.MoreauJean(),
        step=2e-4,
        end=0.021,  # it hits at 0.0202 s
        initial={brick.position: [0, 0, 1.2 * a], brick.velocity: [0.02, 0, 0], brick.angular_velocity: [0, 0, 1.0]},
    ).run()
    first = int(np.flatnonzero(run["brick floor 0.impulse"][:, 0])[0])
    rates = [run[f"brick floor 0.{kind}_rate"][first] for kind in ("sliding", "rolling")]
    # What sticks gives way by 1e-10 of what the exchange makes of its friction, that is by 1e-8 of 1 rad/s at most.
    assert max(np.abs(rate).max() for rate in rates) < 1e-7 and run["brick floor 0.impulse"][first, -1] != 0.0


def test_a_law_of_drilling_wants_its_rate() -> None:
    law = nsd.NewtonImpactTorsionalFriction(0, 0.5, 0.1)
    ball = nsd.RigidBody("ball", 1, sp.eye(3))
    with pytest.raises(ModelError, match="has 0 rolling rates, NewtonImpactTorsionalFriction takes 1") as caught:
        nsd.Contact("c", gap=ball.position[2], law=law, tangent=[ball.velocity[0], ball.velocity[1]])
    assert "about the normal" in caught.value.fix
    with pytest.raises(ModelError, match="torsional_friction -1 lies outside"):
        nsd.NewtonImpactTorsionalFriction(0, 0.5, -1)
