"""Impacts that accumulate end at their limit: the instant and the place, beside the same ball in forty digits."""

import math

import mpmath
import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

G = 9.81
z, lean = dynamicsymbols("z lean")
amplitude, omega, phase, e = sp.symbols("amplitude omega phase e_n")


@pytest.fixture(scope="module")
def table():
    """A ball above a table that shakes, its parameters open."""
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z, units=["m"])
    contact = nsd.Contact("table", z - amplitude * sp.sin(omega * nsd.time + phase), nsd.NewtonImpact(e))
    values = {amplitude: 0.0, omega: 1.0, phase: 0.0, e: 0.5}
    given = {"step": 1.0, "end": 100, "parameters": values, "initial": {z: 1}}
    return nsd.Model("table_to_rest", [ball], [contact], scheme=nsd.EventDriven(), **given).compile()


def lands(model, step, **values):
    """Run until the ball rests: that instant, its place then, and how many impacts there were."""
    run = model.run(step=step, parameters=values)
    closes = [event for event in run.events if event.kind == "closes"]
    rests = next(event for event in closes if run["table.closed"][event.after] == 1)
    return rests.time, run["ball.z"][rests.after], 1 + closes.index(rests)


@pytest.mark.parametrize("restitution", [0.003, 0.01, 0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("step", [0.01, 5.0])
def test_on_a_table_that_stands_still(table, restitution, step):
    """sqrt(2 h / g) (1 + e) / (1 - e)."""
    time, place, impacts = lands(table, step, e_n=restitution)
    exact = math.sqrt(2 / G) * (1 + restitution) / (1 - restitution)
    assert time == pytest.approx(exact, rel=2e-12) and abs(place) < 1e-13
    assert impacts <= 12 / (1 - restitution)


def test_sequences_of_two_balls_that_interleave():
    """Each rests where it would alone; where both rest at one instant, early by what is left at ``rest_rate``."""
    other, f = dynamicsymbols("other"), sp.Symbol("f")
    balls = [nsd.LagrangianSystem(str(q.func), [q], kinetic=q.diff() ** 2 / 2, potential=G * q) for q in (z, other)]
    floors = [nsd.Contact("a", z, nsd.NewtonImpact(e)), nsd.Contact("b", other, nsd.NewtonImpact(f))]
    given = {"step": 0.1, "end": 8, "parameters": {e: 0.5, f: 0.7}, "initial": {z: 1, other: 1}}
    scheme = nsd.EventDriven(rtol=1e-13, atol=1e-14, closed=1e-14)
    model = nsd.Model("two_to_rest", balls, floors, scheme=scheme, **given).compile()

    def rest(height, restitution):
        return math.sqrt(2 * height / G) * (1 + restitution) / (1 - restitution)

    together = (0.3 / 1.7 * rest(1, 0.5)) ** 2 * G / 2  # both rest at once
    for values, height, missed in (
        ((0.5, 0.7), 1, 1e-12),
        ((0.5, 0.5), 1, 1e-12),
        ((0.5, 0.6), 0.5, 1e-12),
        ((0.8, 0.7), 2, 1e-11),
        ((0.5, 0.7), together, 2e-7 / (0.5 * 0.5 * G)),
    ):
        run = model.run(parameters=dict(zip(("e_n", "f"), values, strict=True)), initial={"other.other": height})
        ends = np.array([event.time for event in run.events])
        for exact in (rest(1, values[0]), rest(height, values[1])):
            assert np.abs(ends - exact).min() < missed
        assert run["z_dot"][-1] == run["other_dot"][-1] == 0


@pytest.mark.parametrize("before", [1e-2, 1e-5, 1e-8])
def test_a_recorded_instant_in_the_middle_of_a_sequence(table, before):
    """The limit is taken behind it; just before the rest too few impacts are left, and ``rest_rate`` ends them."""
    exact = 3 * math.sqrt(2 / G)
    time, _, _ = lands(table, exact - before)
    assert time == pytest.approx(exact, rel=1e-12) if before > 1e-6 else exact - 8.2e-8 < time <= exact


def accumulation(a, w, turn, restitution, height=1):
    """The same flight by flight, in fifty digits: where flights become shorter than 1e-28 s."""
    with mpmath.workdps(50):
        a, w, turn, restitution, g = (mpmath.mpf(x) for x in (a, w, turn, restitution, G))
        at = lambda t: a * mpmath.sin(w * t + turn)  # noqa: E731
        rate = lambda t: a * w * mpmath.cos(w * t + turn)  # noqa: E731
        begin, place, speed = mpmath.mpf(0), mpmath.mpf(height), mpmath.mpf(0)
        for _ in range(1000):
            gap = lambda s: place + speed * s - g * s**2 / 2 - at(begin + s)  # noqa: B023, E731
            falls = lambda s: speed - g * s - rate(begin + s)  # noqa: B023, E731
            pull = g - a * w**2 * mpmath.sin(w * begin + turn)
            flight = (falls(0) + mpmath.sqrt(falls(0) ** 2 + 2 * pull * gap(0))) / pull  # with the pull as it begins
            if flight > 1e-4:
                flight = mpmath.mpf(1) / 10000
                while gap(flight) > 0:
                    flight += mpmath.mpf(1) / 10000
            for _ in range(12):
                flight -= gap(flight) / falls(flight)
            approach = falls(flight)
            begin += flight
            place, speed = at(begin), rate(begin) - restitution * approach
            if flight < mpmath.mpf(10) ** -28:
                return float(begin), float(place)
    raise AssertionError("it does not come to rest")


@pytest.mark.parametrize(
    ("a", "w", "turn", "restitution"),
    [
        (0.01, 10.0, 0.3, 0.5),
        (0.1, 3.0, 1.0, 0.7),
        pytest.param(0.02, 15.0, 2.0, 0.3, marks=pytest.mark.slow),
        pytest.param(0.5, 2.0, 4.0, 0.9, marks=pytest.mark.slow),
    ],
)
def test_on_a_moving_table(table, a, w, turn, restitution):
    time, place, impacts = lands(table, 0.5, amplitude=a, omega=w, phase=turn, e_n=restitution)
    exact, there = accumulation(a, w, turn, restitution)
    late = 5e-13 / (1 - restitution)
    # The table moves at a w at most, so that a ball that is late meets it elsewhere by so much.
    assert time == pytest.approx(exact, abs=late) and place == pytest.approx(there, abs=max(1e-12, a * w * late))
    assert impacts < 80


def test_no_limit_is_taken_across_a_jump_of_the_force(table):
    """A force that sets in at an instant between the last impacts: the impacts after it are those of the new weight."""
    heavier = sp.Piecewise((2 * G, nsd.time > sp.Float(1.352)), (G, True))
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, forces=[-heavier], units=["m"])
    contact = nsd.Contact("table", z, nsd.NewtonImpact(0.5))
    given = {"step": 5.0, "end": 5, "initial": {z: 1}}
    run = nsd.Model("heavier", [ball], [contact], scheme=nsd.EventDriven(), **given).run()
    t, speed, still = math.sqrt(2 / G), math.sqrt(2 * G), math.sqrt(2 / G) * 3
    while t + speed / G < 1.352:  # flights before it
        t, speed = t + speed / G, speed / 2
    s = 1.352 - t
    height, speed = speed / 2 * s - G / 2 * s**2, speed / 2 - G * s
    fall = math.sqrt(speed**2 + 4 * G * height)
    exact = 1.352 + (speed + fall) / (2 * G) + fall / (2 * G) * 2
    assert run.events[-1].time == pytest.approx(exact, abs=1e-9) and exact < still - 1e-6


def test_a_rod_that_rattles_on_both_ends_comes_to_rest():
    """Its impacts alternate: the limit is that of both. At rest both ends are on the floor, and nothing turns."""
    rod = nsd.LagrangianSystem(
        "rod", [z, lean], kinetic=z.diff() ** 2 / 2 + lean.diff() ** 2 / 24, potential=G * z, units=["m", "rad"]
    )
    ends = [nsd.Contact(f"end{i}", z + side * lean / 2, nsd.NewtonImpact(0.4)) for i, side in enumerate((-1, 1))]
    given = {"step": 1.0, "end": 10, "initial": {z: 0.5, lean: 0.3}}
    run = nsd.Model("rod", [rod], ends, scheme=nsd.EventDriven(), **given).run()
    assert run.final["end0.closed"] == run.final["end1.closed"] == 1
    np.testing.assert_allclose(
        [run.final[c] for c in ("rod.z", "rod.lean", "rod.z_dot", "rod.lean_dot")], 0, atol=1e-12
    )
    loose = nsd.Model("rod", [rod], ends, scheme=nsd.EventDriven(rest_rate=1e-12, closed=1e-14), **given).run()
    assert run.events[-1].time == pytest.approx(loose.events[-1].time, abs=1e-10)


def bounces(u, v, w, *, restitution, mu, pull, radius, inertia):
    """When a disc that leaves the floor comes to rest on it, and how it slides and turns then: impact by impact."""
    t = 0.0
    while v > 1e-16:
        t, u = t + 2 * v, u - pull * 2 * v
        push, slip = (1 + restitution) * v, u - radius * w
        rub = max(-mu * push, min(mu * push, -slip / (1 + radius**2 / inertia)))
        u, v, w = u + rub, restitution * v, w - radius * rub / inertia
    return t, u, w


@pytest.mark.parametrize("pull", [0.3, 0.03])
def test_no_limit_is_taken_past_the_end_of_sliding(pull):
    """Impacts that are left out rub the other way, or hold: the limit had them rub on, and turned slips (1e-2)."""
    given = {"restitution": 0.55, "mu": 0.13, "pull": pull, "radius": 0.3, "inertia": 0.051}
    x, y, turn = dynamicsymbols("x y turn")
    kinetic = (x.diff() ** 2 + y.diff() ** 2 + given["inertia"] * turn.diff() ** 2) / 2
    disc = nsd.LagrangianSystem("disc", [x, y, turn], kinetic=kinetic, forces=[-given["pull"], -1, 0])
    law, slip = nsd.NewtonImpactFriction(given["restitution"], given["mu"]), x.diff() - given["radius"] * turn.diff()
    start = {x: 0, y: 0, turn: 0, x.diff(): 0.3, y.diff(): 0.2, turn.diff(): 0}
    run = {"scheme": nsd.EventDriven(rtol=1e-12), "step": 1.0, "end": 2, "initial": start}
    model = nsd.Model("disc", [disc], [nsd.Contact("floor", y, law, tangent=slip)], **run).compile()
    for w in np.linspace(-0.9, -0.3, 25):
        trajectory = model.run(initial={"disc.turn_dot": w})
        rest = next(event for event in trajectory.events if trajectory["floor.closed"][event.after] == 1)
        at = [trajectory[f"disc.{name}_dot"][rest.after] for name in ("x", "turn")]
        np.testing.assert_allclose([rest.time, *at], bounces(0.3, 0.2, w, **given), rtol=0, atol=1e-8)
