"""Orbits, exponents and bifurcations of motions that are known in closed form, or by a map of their own."""

import itertools
import math

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import expm
from scipy.optimize import brentq, fsolve
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

TIGHT = nsd.EventDriven(rtol=1e-13, atol=1e-14)


def solved(missed, guess):
    """The root next to a guess, to rounding."""
    root = fsolve(missed, guess, xtol=1e-13)
    assert np.abs(missed(root)).max() < 1e-11
    return root


# ---- a ball that does not bounce, on a shaken table: after each flight it waits for the table to fall away faster


def inelastic_ball():
    """e = 0, gravity 1, the table sin(t) G: it leaves at sin(t) = 1 / G with the table's speed."""
    z = dynamicsymbols("z")
    G = sp.Symbol("G", positive=True)
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, forces=[-1], units=["m"])
    table = nsd.Contact("table", z - G * sp.sin(nsd.time), nsd.NewtonImpact(0))
    given = {"step": 0.1, "end": 1, "parameters": {G: 2.0}, "initial": {z: 0, z.diff(): 2}}
    return nsd.Model("inelastic_ball", [ball], [table], scheme=TIGHT, **given)


def landings(G, flights):
    """The map: the instants at which it lands, each found by itself from where it left."""
    leaves, found = math.asin(1 / G), []
    t = leaves
    for _ in range(flights):

        def height(s, t=t):
            return G * (math.sin(t) - math.sin(t + s)) + G * math.cos(t) * s - s * s / 2

        s = 1e-3
        while height(s) > 0:
            s += 1e-3
        t += brentq(height, s - 1e-3, s, xtol=1e-15, rtol=1e-15)
        found.append(t)
        if G * math.sin(t) < 1:  # it rests until the table falls away
            t = 2 * math.pi * math.ceil((t - leaves) / (2 * math.pi)) + leaves
    return np.array(found)


@pytest.mark.parametrize("G", [1.2, 2.6, 3.1, 5.2, 6.1, 7.5])
def test_a_ball_that_does_not_bounce_lands_where_its_map_says(G):
    model = inelastic_ball()
    leaves = math.asin(1 / G)
    initial = {"ball.z": 1.0, "ball.z_dot": G * math.cos(leaves)}  # on the table at sin t = 1 / G
    run = model.compile().run(start=leaves, end=leaves + 60, step=0.25, initial=initial, parameters={"G": G})
    hits = np.array([e.time for e in run.events if e.kind == "closes"])
    assert len(hits) >= 4
    count = min(len(hits), 6)
    np.testing.assert_allclose(hits[:count], landings(G, 6)[:count], atol=1e-9)


@pytest.mark.parametrize("n", [1, 2])
def test_periods_of_the_inelastic_ball_are_added_where_a_flight_takes_whole_periods(n):
    """The flight lasts n periods at G^2 = 1 + (n pi)^2: before it the ball rests and comes back after n periods,
    beyond it lands where the table falls faster, and leaves at once with less than the table's best speed."""
    model, locus = inelastic_ball().compile(), math.sqrt(1 + (n * math.pi) ** 2)

    def flights(G):
        leaves = math.asin(1 / G)
        initial = {"ball.z": 1.0, "ball.z_dot": G * math.cos(leaves)}
        end = leaves + 2 * math.pi * (2 * n + 1) + 0.5
        run = model.run(start=leaves, end=end, step=0.25, initial=initial, parameters={"G": G})
        return np.array([e.time for e in run.events if e.kind == "closes"]) - leaves

    at = flights(locus)[0] / (2 * math.pi)
    before, after = flights(locus - 0.05), flights(locus + 0.05)
    assert at == pytest.approx(n, abs=1e-9)
    assert before[1] - before[0] == pytest.approx(2 * math.pi * n, abs=1e-9)
    assert abs(after[1] - after[0] - 2 * math.pi * n) > 1e-3
    np.testing.assert_allclose(after[:2] + math.asin(1 / (locus + 0.05)), landings(locus + 0.05, 2), atol=1e-9)


def cycle(G, most=40):
    """By the map: flights from one rest to the next, and the periods they take together with it; none if too many."""
    leaves = math.asin(1 / G)
    for count, t in enumerate(landings(G, most), 1):
        if G * math.sin(t) < 1:
            return count, math.ceil((t - leaves) / (2 * math.pi))
    return None


@pytest.mark.parametrize(
    "amplitudes",
    [(2.722, 4.394, 5.438, 7.11, 7.737, 8.782), pytest.param(np.linspace(1.05, 9.2, 40), marks=pytest.mark.slow)],
    ids=["six", "forty"],
)
def test_cycles_of_the_inelastic_ball_are_those_of_its_map(amplitudes):
    """Flights and periods of a cycle, counted at some amplitudes: 1 in 1 period, 1 in 2, 2 in 3, 1 in 3, ..."""
    model, counted = inelastic_ball().compile(), {}
    for G in amplitudes:
        leaves, expected = math.asin(1 / G), cycle(G)
        if expected is None or expected[1] > 12:
            continue
        initial = {"ball.z": 1.0, "ball.z_dot": G * math.cos(leaves)}
        end = leaves + 2 * math.pi * (2 * expected[1] + 1)
        run = model.run(start=leaves, end=end, step=0.25, initial=initial, parameters={"G": G})
        opens = [leaves, *(e.time for e in run.events if e.kind == "opens" and e.time > leaves + 1e-6)]
        closes = np.array([e.time for e in run.events if e.kind == "closes"])
        found = [
            (int(((closes > a) & (closes < b)).sum()), (b - a) / (2 * math.pi))
            for a, b in itertools.pairwise(opens[:3])
        ]
        assert [n for n, _ in found] == [expected[0]] * 2
        np.testing.assert_allclose([periods for _, periods in found], expected[1], atol=1e-9)
        counted[expected] = counted.get(expected, 0) + 1
    assert {(1, 1), (1, 2), (1, 3)} <= set(counted) and len(counted) >= 5


# ---- the logistic map, at the strokes of a clock


def test_the_exponent_of_the_logistic_map_is_the_logarithm_of_two():
    """x -> 4 x (1 - x) once a second; Ulam and von Neumann: x = sin^2, exponent ln 2. The error is that of the mean."""
    x, clock = dynamicsymbols("x clock")
    plant = nsd.FirstOrderSystem("plant", [x, clock], rhs=[0, 1])
    jump = nsd.Reset("jump", clock >= 1, resets={x: 4 * x * (1 - x), clock: 0})
    model = nsd.Model(
        "logistic", [plant], [jump], scheme=nsd.EventDriven(), step=0.25, end=1, initial={x: 0.3, clock: 0.5}
    )
    found = nsd.lyapunov_exponents(model, 1.0, periods=400, settle=5)
    assert found.values[0] == pytest.approx(math.log(2), abs=4 * found.errors[0] + 1e-3)
    assert found.values[1] == pytest.approx(0, abs=1e-6) and found.values[0] > 0.6


# ---- a relay in a loop with a plant of three states, whose orbit slides on the surface twice a period


PLANT, INPUT, OUTPUT = np.array([[-3.0, 1, 0], [-3, 0, 1], [-1, 0, 0]]), np.array([1.0, -2, 1]), np.array([1.0, 0, 0])
"""(s - 1)^2 / (s + 1)^3, as in Johansson, Rantzer and Astrom, Automatica 35 (1999)."""

SLIDING = np.eye(3) - np.outer(INPUT, OUTPUT) / (OUTPUT @ INPUT)


def relay_orbit():
    """Half an orbit by matrix exponentials: free under u = -1, then sliding, then the mirror image.

    Returns where it leaves the surface, the times of both parts, and the multipliers: entering the surface projects,
    leaving it changes nothing.
    """

    def free(x, time):
        rest = np.linalg.solve(PLANT, INPUT)
        return rest + expm(PLANT * time) @ (x - rest)

    def missed(y):
        x = np.array([0, *y[:2]])
        back = free(x, y[2])
        end = expm(SLIDING @ PLANT * y[3]) @ (SLIDING @ back)
        return [*(end + x)[1:], OUTPUT @ back, OUTPUT @ PLANT @ end + 1]

    y = solved(missed, [1.0, 3.35, 4.04, 0.39])
    half = expm(SLIDING @ PLANT * y[3]) @ SLIDING @ expm(PLANT * y[2])
    return np.array([0, *y[:2]]), y[2], y[3], np.linalg.eigvals(half @ half)


def test_a_sliding_orbit_of_a_relay_is_that_of_its_describing_matrices():
    states = dynamicsymbols("y p q")
    u = nsd.multipliers("u", 1)[0]
    free = [row @ np.array(states) for row in PLANT]
    plant = nsd.FirstOrderSystem("plant", states, rhs=[sp.nsimplify(f) for f in free])
    relay = nsd.FirstOrderRelation("relay", u, [states[0]], {plant: [int(b) * u for b in INPUT]}, nsd.Relay(1))
    leaves, away, sliding, multipliers = relay_orbit()
    rest = np.linalg.solve(PLANT, INPUT)
    start = rest + expm(PLANT * away / 2) @ (leaves - rest)  # half way of its flight
    model = nsd.Model(
        "relay_loop",
        [plant],
        [relay],
        scheme=TIGHT,
        step=0.1,
        end=10,
        initial=dict(zip(states, (start + [0, 0.02, -0.03]).tolist(), strict=True)),
    )
    orbit = nsd.periodic_orbit(model, 2.02 * (away + sliding), anchor=states[0])
    assert orbit.period == pytest.approx(2 * (away + sliding), abs=1e-8)
    np.testing.assert_allclose(orbit.state, start, atol=1e-8)
    found = sorted(orbit.multipliers, key=abs)
    np.testing.assert_allclose(found, sorted(multipliers, key=abs), atol=1e-6)
    assert abs(found[0]) < 1e-6 and found[-1] == pytest.approx(1, abs=1e-6)


# ---- a ball in a box that is shaken, with gravity: up to the ceiling and back in a period


GRAVITY, HEIGHT, BOUNCE = 0.05, 1.0, 0.3


def box_orbit(a, guess):
    """The orbit that hits floor and ceiling once in 2 pi, walls at a sin t and HEIGHT + a sin t, by its two flights.

    Returns its four numbers (instants and rates after impact at floor and ceiling) and its multipliers.
    """

    def flight(t, v, s):
        return a * math.sin(t) + v * (s - t) - GRAVITY * (s - t) ** 2 / 2, v - GRAVITY * (s - t)

    def missed(y):
        t, v, s, w = y
        up, fast = flight(t, v, s)
        down, slow = flight(s, w, t + 2 * math.pi)

        def wall(r):
            return a * math.cos(r)

        return [
            up - HEIGHT - a * math.sin(s),
            -BOUNCE * fast + (1 + BOUNCE) * wall(s) - w,
            HEIGHT + down - a * math.sin(t),
            -BOUNCE * slow + (1 + BOUNCE) * wall(t) - v,
        ]

    y = solved(missed, guess)
    t, v, s, w = y

    def leg(t, v, s):  # (dt, dv) after one impact to (ds, dw) after the next
        fast, rate = v - GRAVITY * (s - t), a * math.cos(s)
        ds = np.array([fast - a * math.cos(t), -(s - t)]) / (fast - rate)
        coming = np.array([GRAVITY, 1.0]) - GRAVITY * ds
        return np.stack([ds, -BOUNCE * coming - (1 + BOUNCE) * a * math.sin(s) * ds])

    return y, np.linalg.eigvals(leg(s, w, t + 2 * math.pi) @ leg(t, v, s))


def test_the_flip_of_a_ball_in_a_shaken_box():
    z = dynamicsymbols("z")
    A = sp.Symbol("A", positive=True)
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, forces=[-sp.Rational(1, 20)], units=["m"])
    wall = A * sp.sin(nsd.time)
    law = nsd.NewtonImpact(sp.Rational(3, 10))
    walls = [nsd.Contact("floor", z - wall, law), nsd.Contact("ceiling", 1 + wall - z, law)]
    model = nsd.Model(
        "box", [ball], walls, scheme=TIGHT, step=0.1, end=10, parameters={A: 0.3}, initial={z: 0.5, z.diff(): 0}
    )
    compiled = model.compile()

    def in_flight(y, a, now):  # the state at this time, after the floor
        past = now - y[0]
        return {"ball.z": a * math.sin(y[0]) + y[1] * past - GRAVITY * past**2 / 2, "ball.z_dot": y[1] - GRAVITY * past}

    for guess in ([5.4326, 0.431, 9.2435, -0.4558], [1.1904, 0.2104, 4.5573, -0.0728]):
        y, multipliers = box_orbit(0.3, guess)
        start = y[0] + 0.4
        exact = in_flight(y, 0.3, start)
        near = {name: value + 1e-5 for name, value in exact.items()}
        orbit = nsd.periodic_orbit(compiled, 2 * math.pi, near=near, start=start)
        np.testing.assert_allclose(orbit.state, list(exact.values()), atol=1e-9)
        np.testing.assert_allclose(sorted(orbit.multipliers.real), sorted(multipliers), rtol=1e-6, atol=1e-6)
    assert max(multipliers) > 56  # as surely as stable ones

    def missing(a):  # (1 + m)(1 + m') is zero at a flip
        return float(np.prod(1 + box_orbit(a, [5.1919, 0.4492, 9.2709, -0.5874])[1]).real)

    flip, start = brentq(missing, 0.35, 0.45, xtol=1e-13), 6.0
    y = box_orbit(0.38, [5.1919, 0.4492, 9.2709, -0.5874])[0]
    settings = {"near": in_flight(y, 0.38, start), "start": start, "parameters": {"A": 0.38}}
    followed = nsd.follow_orbit(compiled, 2 * math.pi, "A", (0.38, 0.48), **settings)
    assert [s.kind for s in followed.special] == ["flip"]
    assert followed.special[0].value == pytest.approx(flip, abs=1e-8)


# ---- a friction oscillator on a belt: its slipping motion is linear until its speed comes to the belt's


def test_the_grazing_sliding_of_a_friction_oscillator():
    """x'' + c x' + x = F cos(w t) + mu sgn(v - x'): slipping, friction is constant, and the speed's amplitude is
    F w / |1 - w^2 + i c w|. It grazes where that is the belt's v; beyond, the mass sticks and a multiplier is 0."""
    x = dynamicsymbols("x")
    F = sp.Symbol("F", positive=True)
    w, c, v, mu = 1.5, 0.1, 1.0, 0.2
    forces = [F * sp.cos(w * nsd.time) - c * x.diff()]
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2, potential=x**2 / 2, forces=forces, units=["m"])
    belt = nsd.RateForce("belt", x.diff() - v, nsd.Relay(mu))
    grazing = v * abs(1 - w**2 + 1j * c * w) / w
    model = nsd.Model(
        "belt_oscillator",
        [mass],
        [belt],
        scheme=TIGHT,
        step=0.1,
        end=10,
        parameters={F: 0.95 * grazing},
        initial={x: mu, x.diff(): 0},
    )
    branch = nsd.follow_orbit(model, 2 * sp.pi / w, F, (0.95 * grazing, 1.1 * grazing), settle=60, start=2.5)
    (special,) = branch.special
    assert special.kind == "grazing-sliding of belt" and special.value == pytest.approx(grazing, abs=1e-8)
    linear = np.exp(np.roots([1, c, 1]) * 2 * math.pi / w)
    np.testing.assert_allclose(np.sort_complex(branch.orbits[0].multipliers), np.sort_complex(linear), atol=1e-6)
    assert np.abs(branch.orbits[-1].multipliers).min() < 1e-6


# ---- impacts that accumulate


@pytest.mark.parametrize("rest_rate", [1e-5, 1e-7, 1e-10])
def test_where_impacts_accumulate_does_not_depend_on_rest_rate(rest_rate):
    """A ball dropped from h rests after sqrt(2 h / g) (1 + e) / (1 - e)."""
    z = dynamicsymbols("z")
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, forces=[-sp.Rational(981, 100)], units=["m"])
    for e in (sp.Rational(1, 2), sp.Rational(9, 10)):
        floor = nsd.Contact("floor", z, nsd.NewtonImpact(e))
        scheme = nsd.EventDriven(rtol=1e-13, atol=1e-14, closed=1e-14, rest_rate=rest_rate)
        model = nsd.Model("drop", [ball], [floor], scheme=scheme, step=0.1, end=20, initial={z: 1, z.diff(): 0})
        run = model.run()
        rests = math.sqrt(2 / 9.81) * (1 + float(e)) / (1 - float(e))
        assert len(run.events) < 100 and run["z"][-1] == pytest.approx(0, abs=1e-13)
        assert run.events[-1].time == pytest.approx(rests, rel=1e-12)


@pytest.mark.slow
def test_no_member_of_a_thousand_shaken_tables_fails():
    """Frequencies from 30 to 80 rad/s for two seconds each: most of them chatter again and again."""
    pytest.importorskip("xarray")
    z = dynamicsymbols("z")
    omega = sp.Symbol("omega", positive=True)
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, forces=[-sp.Rational(981, 100)], units=["m"])
    table = nsd.Contact("table", z - sp.sin(omega * nsd.time) / 100, nsd.NewtonImpact(sp.Rational(1, 2)))
    given = {"step": 0.01, "end": 2, "parameters": {omega: 40.0}, "initial": {z: 0.02, z.diff(): 0}}
    model = nsd.Model("shaken", [ball], [table], scheme=nsd.EventDriven(), **given)
    found = nsd.sweep(model, {omega: np.linspace(30, 80, 1000)}, last=["z"])
    assert (found.failure == "").all() and np.isfinite(found["ball.z"]).all()
