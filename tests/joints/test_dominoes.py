"""Bricks that fall against each other: corners on faces of a moving body, with friction, in a plane of symmetry."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen import shapes

G, MASS = 9.81, 0.3
THICK, WIDE, HIGH, APART = 0.02, 0.1, 0.2, 0.08


def dominoes(scheme: nsd.MoreauJean) -> nsd.Model:
    """Two of them; the first one tips over its lower edge."""
    inertia = sp.diag(WIDE**2 + HIGH**2, THICK**2 + HIGH**2, THICK**2 + WIDE**2) * MASS / 12
    law, floor = nsd.NewtonImpactFriction(0, 0.3), nsd.Plane("floor", [0, 0, 1])
    first, second = (nsd.RigidBody(n, MASS, inertia).apply_force([0, 0, -MASS * G]) for n in ("first", "second"))
    contacts = [shapes.box_plane(d, [THICK, WIDE, HIGH], floor, law) for d in (first, second)]
    contacts.append(
        [
            shapes.point_surface(
                f"hit {n}", first, [THICK / 2, y, HIGH / 2], lambda x, y, z: -x - THICK / 2, law, on=second
            )
            for n, y in (("left", WIDE / 2), ("right", -WIDE / 2))
        ]
    )
    return nsd.Model(
        "dominoes",
        [first, second],
        contacts,
        scheme=scheme,
        step=1e-3,
        end=0.6,
        initial={
            first.position: [0, 0, HIGH / 2],
            second.position: [APART, 0, HIGH / 2],
            first.angular_velocity: [0, 1.5, 0],
            first.velocity: [0.75 * HIGH, 0, 0.75 * THICK],
        },
    )


@pytest.mark.parametrize(
    "gradient_at",
    ["implicit", pytest.param("iterate", marks=pytest.mark.slow), pytest.param("predicted", marks=pytest.mark.slow)],
)
def test_a_domino_throws_the_next_one(gradient_at: str) -> None:
    """Rows of the direction in which nothing moves are rounding errors of the others: beside those they are nothing."""
    model = dominoes(nsd.MoreauJean(gradient_at=gradient_at))
    model.compile(interpret=True)
    run = model.run()
    assert run["newton_iterations"].max() <= 6
    hit = np.flatnonzero(run["hit left.impulse"][:, 0])[0]
    np.testing.assert_allclose(run.time[hit], 0.211, atol=2e-3)
    assert np.abs(run["first.position"][:, 1]).max() < 1e-12 and np.abs(run["second.position"][:, 1]).max() < 1e-12
    for name, place in (("first", [0.113, 0.019]), ("second", [0.201, 0.009])):  # both lie, one on the other
        np.testing.assert_allclose(run[f"{name}.position"][-1, [0, 2]], place, atol=2e-3)
    heights = MASS * G * (run["first.position"][:, 2] + run["second.position"][:, 2])
    kinetic = sum(
        MASS * (run[f"{n}.velocity"] ** 2).sum(axis=1) / 2
        + run[f"{n}.angular_velocity"] ** 2
        @ (MASS / 12 * np.array([WIDE**2 + HIGH**2, THICK**2 + HIGH**2, THICK**2 + WIDE**2]))
        / 2
        for n in ("first", "second")
    )
    assert (np.diff(heights + kinetic) < 1e-5).all()
