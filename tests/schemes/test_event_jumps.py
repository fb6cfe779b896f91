"""What holds a contact, a constraint or a belt jumps in its rate: an event, then motion in closed form."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import NotConverged, SolverError

x, y, z = dynamicsymbols("x y z")
lam = nsd.multipliers("lam", 1)
AT = sp.Rational(2005, 10000)  # between two instants that are recorded
BALL = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=10 * z)
PLANE = nsd.LagrangianSystem("point", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=10 * y)
FREE = nsd.LagrangianSystem("bead", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2)
DEAD = nsd.NewtonImpact(0)
RAMP = {x: -AT, x.diff(): 1, y: 0}


def last(system: nsd.LagrangianSystem, relation: object, end: float, initial: dict) -> nsd.Trajectory:
    scheme = nsd.EventDriven()
    return nsd.Model("jumps", [system], [relation], scheme=scheme, step=1e-2, end=end, initial=initial).run()


CASES = {
    "a table starts": (BALL, nsd.Contact("f", z - sp.Max(nsd.time - AT, 0), DEAD), 0.5, {z: 0}, {"z": 0.2995}),
    "an elevator stops": (
        BALL,
        nsd.Contact("f", z - sp.Min(nsd.time, AT), DEAD),
        0.3,
        {z: 0, z.diff(): 1},
        {"z": 0.3 - 5 * 0.0995**2, "z_dot": 1 - 0.995},
    ),
    "a constraint": (BALL, nsd.Bilateral("f", z - sp.Max(nsd.time - AT, 0)), 0.4, {z: 0}, {"z": 0.1995}),
    "a velocity": (
        BALL,
        nsd.VelocityConstraint("f", z.diff() - sp.Heaviside(nsd.time - AT)),
        0.4,
        {z: 0},
        {"z": 0.1995},
    ),
    "an edge": (
        PLANE,
        nsd.Contact("f", y + sp.Max(x, 0), DEAD),
        0.35,
        RAMP,
        {"x": 0.1495, "y": -5 * 0.1495**2},
    ),
    "a bead in a corner": (FREE, nsd.Bilateral("f", y - sp.Max(x, 0)), 0.4, RAMP, {"x": 0.09975, "y": 0.09975}),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.few(2)
def test_a_jump_is_an_event(name: str) -> None:
    """The times of the jump are known; at a corner an inelastic impact leaves the velocity along the ramp."""
    system, relation, end, initial, right = CASES[name]
    run = last(system, relation, end, initial)
    assert [event.kind for event in run.events] == ["jumps"]
    for column, value in right.items():
        assert run[column][-1] == pytest.approx(value, abs=1e-9)


def test_a_belt_that_starts_carries_what_stuck_to_it() -> None:
    """It slides with mu g = 2 m/s^2 for half a second, and sticks to the belt, which has 1 m/s, from then on."""
    slip = [x.diff() - sp.Heaviside(nsd.time - AT)]
    belt = nsd.Contact("belt", y, nsd.NewtonImpactFriction(0, sp.Rational(1, 5)), tangent=slip)
    run = last(PLANE, belt, 1.0, {x: 0, y: 0})
    assert [event.kind for event in run.events] == ["jumps", "sticks"]
    np.testing.assert_allclose([event.time for event in run.events], [0.2005, 0.7005], atol=1e-9)
    assert run["x"][-1] == pytest.approx(1 - 0.2005 - 0.25, abs=1e-9)


def test_a_force_that_jumps_as_a_body_begins_to_move() -> None:
    """The state is zero until then, and its rate jumps at the first instant: x = t^2 / 2."""
    push = nsd.piecewise((0, nsd.time <= 0), (1, True))
    block = nsd.LagrangianSystem("block", [x], kinetic=x.diff() ** 2 / 2, forces=[push])
    run = nsd.Model("m", [block], [], scheme=nsd.EventDriven(), step=1e-2, end=1, initial={x: 0}).run()
    np.testing.assert_allclose(run["x"], run.time**2 / 2, atol=1e-12)


def after_one(before: float, after: float) -> sp.Expr:
    return nsd.piecewise((before, nsd.time < 1), (after, True))


@pytest.mark.parametrize(
    ("place", "relation"),
    [
        (0.0, lambda body: nsd.Contact("held", x - after_one(0, 0.1), nsd.NewtonImpact(0))),
        (5.0, lambda body: nsd.Contact("held", x - after_one(0, 0.5), nsd.NewtonImpact(0.5))),
        (0.0, lambda body: nsd.Bilateral("held", x - after_one(0, 0.1))),
        (0.0, lambda body: nsd.OutputRelation("held", lam, [x - after_one(0, 0.1)], {body: lam}, nsd.Equality())),
    ],
    ids=["table", "table below", "constraint", "output"],
)
def test_a_gap_that_jumps_where_no_velocity_closes_it_is_refused(place, relation) -> None:
    """It had been held where it was, a tenth of a metre inside."""
    body = nsd.LagrangianSystem("body", [x], kinetic=x.diff() ** 2 / 2, potential=9.81 * x)
    with pytest.raises(SolverError, match=r"'held'.* t = 0.99.*\n.*a gap that has jumped"):
        last(body, relation(body), 1.5, {x: place})


def test_a_table_that_is_gone_at_once_is_left() -> None:
    """It falls by 0.1 m; it had been held in the air."""
    body = nsd.LagrangianSystem("body", [x], kinetic=x.diff() ** 2 / 2, potential=9.81 * x)
    run = last(body, nsd.Contact("table", x - after_one(0, -0.1), nsd.NewtonImpact(0)), 1.5, {x: 0})
    assert [event.kind for event in run.events] == ["jumps", "closes"]
    np.testing.assert_allclose([event.time for event in run.events], [1, 1 + np.sqrt(0.2 / 9.81)], rtol=1e-12)


def test_a_yoyo_hangs_still_on_the_branches_of_its_gap_and_not_on_their_kink() -> None:
    """A string that winds either way takes speed where it is paid out, ever sooner; one contact has no rest there."""
    yoyo = nsd.LagrangianSystem("yoyo", [x, y], kinetic=x.diff() ** 2 / 100 + y.diff() ** 2 / 2, potential=9.81 * y)

    def hung(*gaps: sp.Expr) -> nsd.Trajectory:
        strings = [nsd.Contact(f"string {i}", gap, DEAD) for i, gap in enumerate(gaps)]
        return nsd.Model(
            "yoyo",
            [yoyo],
            strings,
            scheme=nsd.EventDriven(most_events=500),
            step=0.025,
            end=5,
            initial={x: 10.5, y: 0.3},
        ).run()

    branches = hung(y + 1 - x / 10, y + 1 + x / 10)
    assert abs(branches.final["x"]) < 1e-12 and abs(branches.final["y"] + 1) < 1e-12
    with pytest.raises(NotConverged, match="each branch of the gap that has a kink as a gap of its own"):
        hung(y + 1 - sp.Abs(x) / 10)
