"""Friction of a contact beside another law that holds the same rate: each bears what it can, event to event."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

x, y, z = dynamicsymbols("x y z")
lam = nsd.multipliers("lam", 1)
MU, PULL, HOLDS = 0.3, 10.0, 2.0


def braked(force, law, tangent, *, step=0.02, end=7.0, scheme=None, **initial):
    """A block of 1 kg that rubs under 10 N, a force along x, and a law on x' whose multiplier is times 2 N."""
    rate = {x.diff(): 0, y.diff(): 0, z.diff(): 0}
    kinetic = sum(r**2 for r in rate) / 2
    block = nsd.LagrangianSystem("block", [x, y, z], kinetic=kinetic, potential=PULL * y, forces=[force, 0, 0])
    floor = nsd.Contact("floor", y, nsd.NewtonImpactFriction(0, MU), tangent=tangent)
    brake = nsd.OutputRelation("brake", lam, output=[x.diff()], reaction={block: [HOLDS * lam[0], 0, 0]}, law=law)
    start = {x: 0, y: 0, z: 0, **rate, **initial}
    scheme = scheme or nsd.EventDriven()
    return nsd.Model("braked", [block], [floor, brake], scheme=scheme, step=step, end=end, initial=start)


def within_bounds(run):
    """Friction within mu N in every row, on both sides of events."""
    normal, friction = run["floor.force"][:, 0], np.linalg.norm(run["floor.force"][:, 1:], axis=1)
    return normal.min() > -1e-9 and (friction - MU * normal).max() < 1e-9


@pytest.mark.parametrize("tangent", [x, [x, z]], ids=["plane", "space"])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.few(2)
def test_a_growing_force_moves_the_block_where_both_give_way(tangent, sign):
    """At 5 s, 3 N of friction and 2 N of the brake: x = (t - 5)^3 / 6. Of the least forces one was too large."""
    run = braked(sign * nsd.time, nsd.Relay(1), tangent).run()
    later = np.maximum(run.time - 5, 0)
    np.testing.assert_allclose(sign * run["x"], later**3 / 6, atol=1e-9)
    assert within_bounds(run) and abs(run["brake.lam[0]"]).max() < 1 + 1e-9


@pytest.mark.parametrize(("law", "holds"), [(nsd.Relay(1), (HOLDS, HOLDS)), (nsd.Complementarity(), (np.inf, 0))])
def test_to_and_fro(law, holds):
    """A force of 7 sin t; steps of 1e-4 s, which meet it to 1e-3, have the same motion and as long at rest."""
    force = 7 * sp.sin(nsd.time)
    run = braked(force, law, x).run()
    steps = braked(force, law, x, step=1e-4, scheme=nsd.MoreauJean(theta=0.5)).run()
    np.testing.assert_allclose(run["x"], np.interp(run.time, steps.time, steps["x"]), atol=2e-3)
    assert within_bounds(run) and np.ptp(run["x"]) > 0.5
    low, high = -HOLDS * run["brake.lam[0]"].max(), -HOLDS * run["brake.lam[0]"].min()
    assert low > -holds[0] - 1e-9 and high < holds[1] + 1e-9


@pytest.mark.parametrize("size", [5.5, 6.2, 7.0, 8.3, 9.0])
@pytest.mark.few(2)
def test_friction_with_two_tangents_is_that_with_one(size):
    """To and fro for twenty seconds: the motion is that in the plane. One rest was nearer than motions are tried."""
    force = size * sp.sin(nsd.time)
    plane, space = (braked(force, nsd.Relay(1), tangent, end=20.0).run() for tangent in (x, [x, z]))
    grid = 0.02 * np.arange(1001)
    np.testing.assert_allclose(*(np.interp(grid, run.time, run["x"]) for run in (space, plane)), atol=1e-8)


def test_a_block_is_lifted_where_its_weight_and_the_brake_give_way():
    """A brake on y' and the floor hold the same rate: it opens first; at 12 s the block rises: (t - 12)^3 / 6."""
    block = nsd.LagrangianSystem("block", [y], kinetic=y.diff() ** 2 / 2, potential=PULL * y, forces=[nsd.time])
    floor = nsd.Contact("floor", y, nsd.NewtonImpact(0))
    brake = nsd.OutputRelation("brake", lam, [y.diff()], {block: [HOLDS * lam[0]]}, nsd.Relay(1))
    given = {"step": 0.02, "end": 13.5, "initial": {y: 0, y.diff(): 0}}
    run = nsd.Model("lifted", [block], [floor, brake], scheme=nsd.EventDriven(), **given).run()
    np.testing.assert_allclose(run["y"], np.maximum(run.time - 12, 0) ** 3 / 6, atol=1e-9)
    assert run["floor.force"].min() > -1e-9 and abs(run["brake.lam[0]"]).max() < 1 + 1e-9
