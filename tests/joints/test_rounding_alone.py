"""Rows that hold rounding alone are measured by what the rounding of other unknowns leaves in them."""

from __future__ import annotations

import numpy as np
import sympy as sp
from scipy.spatial.transform import Rotation

import nsdgen as nsd

TURN = Rotation.from_rotvec([0.3, -0.5, 0.2])
PUSH = 8.0


def test_a_bearing_that_carries_nothing_rubs_not_at_all() -> None:
    """Bodies pushed apart along a sleeve: the forces that bound its friction are the rounding of those of the push."""
    bodies = {n: nsd.RigidBody(n, m, J * sp.eye(3)) for n, m, J in (("a", 2, 0.3), ("b", 3, 0.5))}
    along = TURN.apply([0, 1, 0])
    for sign, body in zip((1, -1), bodies.values(), strict=True):
        body.apply_force((sign * PUSH * along).tolist())
    markers = [nsd.Marker(body, [0, 0, 0], [0, 1, 0], [0, 0, 1]) for body in bodies.values()]
    sleeve = nsd.Prismatic("sleeve", *markers, nsd.Bearing(0.25))
    turned = np.roll(TURN.as_quat(), 1).tolist()
    initial = {b.position: [0, 0, 0] for b in bodies.values()} | {b.quaternion: turned for b in bodies.values()}
    run = nsd.Model("pushed", list(bodies.values()), [sleeve], scheme=nsd.MoreauJean(), step=2e-3, end=0.1,
                    initial=initial).compile(interpret=True).run()
    for sign, name in ((1, "a"), (-1, "b")):
        speed = sign * PUSH / {"a": 2, "b": 3}[name] * run.time
        np.testing.assert_allclose(run[f"{name}.velocity"], speed[:, np.newaxis] * along, atol=1e-11)
    assert np.abs(run["sleeve.impulse"]).max() < 1e-12
