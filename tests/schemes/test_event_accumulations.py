"""Impacts that accumulate on a shaking table, and rectifier bridges of ideal diodes, beside independent solutions."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

G = 9.81
y, i, v = dynamicsymbols("y i v")
amplitude, omega, phase, e = sp.symbols("amplitude omega phase e_n")
t = nsd.time


@pytest.fixture(scope="module")
def table():
    """A ball on a table that shakes, its parameters open."""
    ball = nsd.LagrangianSystem("ball", [y], kinetic=y.diff() ** 2 / 2, potential=G * y)
    contact = nsd.Contact("table", gap=y - amplitude * sp.sin(omega * t + phase), law=nsd.NewtonImpact(e))
    values = {amplitude: 0.01, omega: 20.0, phase: 0.0, e: 0.5}
    return nsd.Model(
        "shaken_table", [ball], [contact], scheme=nsd.EventDriven(), step=0.01, end=2, parameters=values, initial={y: 1}
    ).compile()


def drawn(rng):
    """Frequency, amplitude, phase, restitution and start: on the table or above it."""
    w = 2 * np.pi * rng.choice([1, 2, 4, 5, 10, 25, 50])
    a = rng.choice([0.3, 0.9, 1.0, 1.01, 1.05, 1.2, 1.5, 2.0, 3.0]) * G / w**2
    turn, restitution = rng.choice([0, 0.5, 2.0, 4.0]), rng.choice([0, 0.1, 0.3, 0.5, 0.7, 0.9])
    if rng.random() < 0.4:
        return w, a, turn, restitution, a * np.sin(turn), a * w * np.cos(turn)
    return w, a, turn, restitution, a + 0.1, 0.0


def run_of(table, case, step=0.01):
    w, a, turn, restitution, height, speed = case
    values = {"amplitude": a, "omega": w, "phase": turn, "e_n": restitution}
    return table.run(parameters=values, initial={"ball.y": height, "ball.y_dot": speed}, step=step)


def flights(case, end, rest=1e-7):
    """The same ball, flight by flight on parabolas: instants of impacts, and of leaving the table."""
    w, a, turn, restitution, height, speed = case
    up = (lambda s: a * np.sin(w * s + turn), lambda s: a * w * np.cos(w * s + turn))
    pull = lambda s: G - a * w**2 * np.sin(w * s + turn)  # noqa: E731  what presses it on the table
    now, impacts, leaves = 0.0, [], []
    grid = np.pi / w / 40
    while now < end:
        gap = lambda s: height + speed * (s - now) - G * (s - now) ** 2 / 2 - up[0](s)  # noqa: B023, E731
        fall = speed - up[1](now)
        if abs(gap(now)) < 1e-13 and fall <= rest and pull(now) > 0:
            left = now
            while pull(left + grid) > 0 and left < end:
                left += grid
            if left >= end:
                break
            left = brentq(pull, left, left + grid, xtol=1e-15)
            leaves.append(left)
            now, height, speed = left, up[0](left), up[1](left)
            low = now + 1e-4 / w  # it leaves as the third power of time
        else:
            low = now
            if abs(gap(now)) < 1e-13:  # just above it: by its rate, or where there is none by the square of time
                low += 1e-4 / w if fall <= rest else min(grid, fall / max(pull(now), 1e-3)) / 1e3
        while gap(low + min(grid, 1e-1 * max(low - now, 1e-13))) > 0 and low < end:
            low += min(grid, 1e-1 * max(low - now, 1e-13))
        if low >= end:
            break
        hit = brentq(gap, low, low + min(grid, 1e-1 * max(low - now, 1e-13)), xtol=1e-15)
        before = speed - G * (hit - now)
        height, speed, now = up[0](hit), up[1](hit) - restitution * (before - up[1](hit)), hit
        impacts.append(hit)
    return np.array(impacts), np.array(leaves)


def beside(table, case, end=0.6):
    """The first impacts of both, while errors have not grown, until it rests; how many there were."""
    run = run_of(table, case, step=0.003)
    closed = run["table.closed"]
    closes = [event for event in run.events if event.kind == "closes"]
    rests = next(
        (k for k, event in enumerate(closes) if closed[event.after]), len(closes)
    )  # a limit: test_event_limits
    found = np.array([event.time for event in closes[:rests]])
    impacts, _ = flights(case, end)
    count = min(len(found), len(impacts), 6)
    np.testing.assert_allclose(found[:count], impacts[:count], rtol=0, atol=1e-8)
    return count


def sweep(table, seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        run = run_of(table, drawn(rng), step=rng.choice([1e-3, 0.01, 0.1]))
        assert run["table.gap"].min() > -1e-9
        assert run.time[-1] == pytest.approx(2)


def test_impacts_on_a_shaking_table_end(table):
    """No ball sinks in, or meets the table ever again at one instant where the table falls faster than it."""
    sweep(table, 0, 40)
    for frequency, most, turn, restitution, step in [
        (1, 2, 0.5, 0, 1e-3),
        (25, 3, 0, 0, 1e-3),
        (10, 1.5, 4, 0.3, 1e-3),
    ]:
        w = 2 * np.pi * frequency
        a = most * G / w**2
        run = run_of(table, (w, a, turn, restitution, a + 0.1 if frequency == 1 else 0.3, 0.0), step)
        assert run["table.gap"].min() > -1e-9


@pytest.mark.slow
def test_a_thousand_tables(table):
    sweep(table, 1, 1000)


def test_instants_on_a_shaking_table(table):
    rng = np.random.default_rng(3)
    assert sum(beside(table, drawn(rng)) for _ in range(15)) > 30


def bridge(end=10.0, start=0.0, voltage=None):
    """Four diodes between an ideal source and a coil: current of one, voltage of the other, leg by leg."""
    source = sp.sin(t) if voltage is None else voltage
    lam = nsd.multipliers("lam", 4)
    load = nsd.FirstOrderSystem("load", [i], [-i / 2])
    output = [lam[1] + source, i - lam[0], lam[3] + source, i - lam[2]]
    diodes = nsd.OutputRelation("bridge", lam, output, {load: [lam[1] + lam[3] + source]}, nsd.Complementarity())
    model = nsd.Model("bridge", [load], [diodes], scheme=nsd.EventDriven(), step=0.01, end=end, initial={i: start})
    return model.run()


@pytest.mark.parametrize("start", [0.0, 0.5])
def test_a_bridge_with_a_coil(start):
    """Both diodes of both legs change at once, where the source is zero: i' = |sin t| - i / 2."""
    run = bridge(start=start)
    np.testing.assert_allclose([event.time for event in run.events], np.pi * np.arange(1, 4), rtol=0, atol=1e-9)
    now, current = 0.0, start
    for until, sign in [(np.pi, 1), (2 * np.pi, -1), (3 * np.pi, 1), (10.0, -1)]:
        part = lambda s: (2 * np.sin(s) - 4 * np.cos(s)) / 5  # of i' + i / 2 = sin s  # noqa: E731
        current = sign * part(until) + (current - sign * part(now)) * np.exp(-(until - now) / 2)
        now = until
    assert abs(run.final["load.i"] - current) < 1e-8


def test_six_diodes_on_three_phases():
    """The highest phase and the lowest one are on the coil: i' = their difference - i / 2."""
    lam = nsd.multipliers("lam", 6)
    phases = [sp.sin(t + 2 * sp.pi * k / 3) for k in range(3)]
    load = nsd.FirstOrderSystem("load", [i], [-i / 2])
    above, below = lam[2] + phases[2], phases[2] - lam[5]
    output = [
        *(above - phases[0], above - phases[1], i - lam[0] - lam[1]),
        *(phases[0] - below, phases[1] - below, i - lam[3] - lam[4]),
    ]
    diodes = nsd.OutputRelation("six", lam, output, {load: [above - below]}, nsd.Complementarity())
    run = nsd.Model("six_diodes", [load], [diodes], scheme=nsd.EventDriven(), step=0.01, end=6, initial={i: 0}).run()
    np.testing.assert_allclose(
        [event.time for event in run.events], np.pi * (np.arange(6) / 3 + 1 / 6), rtol=0, atol=1e-9
    )

    def rate(s, x):
        three = np.sin(s + 2 * np.pi * np.arange(3) / 3)
        return three.max() - three.min() - x / 2

    now, current = 0.0, np.zeros(1)
    for until in (*(np.pi * (np.arange(6) / 3 + 1 / 6)), 6.0):
        current = solve_ivp(rate, (now, until), current, rtol=1e-12, atol=1e-13).y[:, -1]
        now = until
    assert abs(run.final["load.i"] - current[0]) < 1e-8


@pytest.mark.parametrize("start", [0.0, 0.5])
def test_a_bridge_with_a_capacitor(start):
    """A source with a resistance charges it while |sin t| is above its voltage."""
    lam = nsd.multipliers("lam", 4)
    current = 10 * (sp.sin(t) - lam[1] + lam[0])
    load = nsd.FirstOrderSystem("load", [v], [-v / 2])
    output = [current + lam[2], lam[3] - current, v - lam[0], v - lam[1]]
    diodes = nsd.OutputRelation("bridge", lam, output, {load: [lam[2] + lam[3]]}, nsd.Complementarity())
    run = nsd.Model(
        "bridge_capacitor", [load], [diodes], scheme=nsd.EventDriven(), step=0.01, end=5, initial={v: start}
    ).run()
    now, voltage, switched = 0.0, np.array([start]), []
    charging = start == 0.0
    while now < 5.0:
        left = lambda s, x, *_: abs(np.sin(s)) - x[0]  # noqa: E731
        left.terminal, left.direction = True, -1 if charging else 1
        rate = lambda s, x, on=charging: on * 10 * (abs(np.sin(s)) - x) - x / 2  # noqa: E731
        end = min(5.0, *(k * np.pi for k in range(1, 3) if k * np.pi > now + 1e-9), 5.0)
        found = solve_ivp(rate, (now, end), voltage, rtol=1e-12, atol=1e-13, events=left, first_step=1e-6)
        now, voltage = found.t[-1], found.y[:, -1]
        if found.status == 1:
            charging = not charging
            switched.append(now)
    times = np.array([event.time for event in run.events])
    for instant in switched:
        assert np.abs(times - instant).min() < 1e-8
    assert len(switched) >= 2 and abs(run.final["load.v"] - voltage[0]) < 1e-8
