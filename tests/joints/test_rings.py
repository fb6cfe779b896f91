"""Closed rings of hinged bodies: hinges in space say three things too often, whatever the number of bodies."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd

AXIS = [0, 1, 0]
GRAVITY = 9.81
SPIN = 2.0


def ring(count: int, scheme: nsd.Scheme) -> nsd.Model:
    """Rods of length 1 along a regular polygon, hinged end to end, that turns as a whole about its centre of mass."""
    radius = 1.0 / (2.0 * np.sin(np.pi / count))
    angle = 2.0 * np.pi * np.arange(count + 1) / count
    corner = radius * np.column_stack([np.cos(angle), np.zeros(count + 1), np.sin(angle)])
    bodies, initial = [], {}
    for k in range(count):
        body = nsd.RigidBody(f"rod_{k}", mass=1, inertia=sp.diag(0.01, 1 / 12, 1 / 12)).apply_force([0, 0, -GRAVITY])
        along = corner[k + 1] - corner[k]
        turned = -np.arctan2(along[2], along[0])
        middle = 0.5 * (corner[k] + corner[k + 1])
        initial[body.position] = middle.tolist()
        initial[body.quaternion] = [np.cos(turned / 2), 0.0, np.sin(turned / 2), 0.0]
        initial[body.velocity] = np.cross(SPIN * np.array(AXIS), middle).tolist()
        initial[body.angular_velocity] = [0.0, SPIN, 0.0]
        bodies.append(body)
    hinges = [
        nsd.Revolute(
            f"hinge_{k}", nsd.Marker(bodies[k], [0.5, 0, 0], axis=AXIS),
            nsd.Marker(bodies[(k + 1) % count], [-0.5, 0, 0], axis=AXIS),
        )
        for k in range(count)
    ]  # fmt: skip
    return nsd.Model(f"ring_of_{count}", bodies, hinges, scheme=scheme, step=1e-3, end=0.05, initial=initial)


SCHEMES = (nsd.Rattle(), nsd.MoreauJean(), nsd.EventDriven())


SHARE = {("Rattle", 14), ("MoreauJean", 10), ("EventDriven", 4)}  # each scheme and each count once; all are slow


@pytest.mark.parametrize(
    ("scheme", "count"),
    [
        pytest.param(scheme, count, marks=() if (type(scheme).__name__, count) in SHARE else pytest.mark.slow)
        for scheme in SCHEMES
        for count in (4, 10, 14)
    ],
    ids=lambda given: given if isinstance(given, int) else type(given).__name__,
)
def test_a_ring_says_three_things_too_often_and_falls_freely(
    scheme: nsd.Scheme, count: int, recwarn: pytest.WarningsRecorder
) -> None:
    """Multipliers of what is said twice are the least ones; rows that hold nothing but rounding refuse no step."""
    run = ring(count, scheme).compile(interpret=True).run()
    assert not any("shares" in str(w.message) for w in recwarn)  # nothing slides: the motion is determined
    assert (run["rank_deficiency"][1:] == 3).all()
    height = np.mean([run[f"rod_{k}.position[2]"] for k in range(count)], axis=0)
    step = 1e-3  # both schemes fall by the parabola up to half a step of speed
    np.testing.assert_allclose(height, -0.5 * GRAVITY * run.time**2, atol=0.5 * GRAVITY * step * run.time[-1] + 1e-12)
