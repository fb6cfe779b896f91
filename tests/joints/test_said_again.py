"""Bars whose hinges are said once, twice and three times: the same motion, and every hinge bears its share."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd

AXIS = [0, 1, 0]
ROWS = 5  # of a hinge


def bars(times: int, scheme: nsd.Scheme) -> nsd.Model:
    """Two bars of length 1 that fall from a line, hinged to the frame and to each other."""
    bodies = [nsd.RigidBody(f"bar_{k}", 1, sp.diag(0.01, 1 / 12, 1 / 12)).apply_force([0, 0, -9.81]) for k in range(2)]
    hinges = []
    for k, body in enumerate(bodies):
        held = nsd.Marker(bodies[k - 1], [0.5, 0, 0], AXIS) if k else nsd.Marker(None, [0, 0, 0], AXIS)
        hinges += [nsd.Revolute(f"hinge_{k}_{i}", nsd.Marker(body, [-0.5, 0, 0], AXIS), held) for i in range(times)]
    initial = {body.position: [0.5 + k, 0, 0] for k, body in enumerate(bodies)}
    return nsd.Model("bars", bodies, hinges, scheme=scheme, step=2e-3, end=0.06, initial=initial)


SCHEMES = [nsd.MoreauJean(), nsd.Rattle(), nsd.GeneralisedAlpha(), nsd.EventDriven()]
# Thrice under the first and the last, of steps and of events; twice under the others.
SAID = [(scheme, 2 + (i % 3 == 0)) for i, scheme in enumerate(SCHEMES)]


@pytest.mark.parametrize(
    ("scheme", "times"),
    [
        pytest.param(scheme, times, marks=() if (scheme, times) in SAID else pytest.mark.slow)
        for scheme in SCHEMES
        for times in (2, 3)
    ],
    ids=lambda given: given if isinstance(given, int) else given.name,
)
def test_hinges_said_again_share_the_load_of_one(scheme: nsd.Scheme, times: int) -> None:
    once = bars(1, scheme).run()
    loads = [
        c.name for c in once.columns if c.name.startswith("hinge_0_0.") and ("force" in c.name or "impulse" in c.name)
    ]
    largest = max(np.abs(once[load]).max() for load in loads)
    run = bars(times, scheme).run()
    assert set(run["rank_deficiency"][1:]) == {2 * ROWS * (times - 1)}
    np.testing.assert_allclose(run["bar_1.position"], once["bar_1.position"], rtol=0, atol=1e-9)
    for load in loads:
        for i in range(times):
            share = run[load.replace("hinge_0_0", f"hinge_0_{i}")]
            np.testing.assert_allclose(share, once[load] / times, rtol=0, atol=1e-8 * largest)
