"""Quantities that move faster than rows are recorded: what falls below zero and comes back between rows is an event."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

STEP = 0.1
t, z = nsd.time, dynamicsymbols("z")
rate, phase, level = sp.symbols("rate phase level")


def first_zero(gap, rate, end):
    """The first zero of a gap with a sine of that rate, by three thousand points in each of its periods."""
    times = np.linspace(0, end, int(end * rate / 2 / np.pi * 3000) + 2)
    below = np.flatnonzero(gap(times) <= 0)
    return brentq(gap, times[below[0] - 1], times[below[0]], xtol=1e-14) if len(below) else None


@pytest.fixture(scope="module")
def shaken():
    """A body that drifts towards a wall which shakes: z - sin(rate t + phase)."""
    body = nsd.LagrangianSystem("body", [z], kinetic=z.diff() ** 2 / 2)
    wall = nsd.Contact("wall", gap=z - sp.sin(rate * t + phase), law=nsd.NewtonImpact(1))
    values = {rate: 1, phase: 0}
    start = {z: 3, z.diff(): -0.1}
    return nsd.Model(
        "shaken", [body], [wall], scheme=nsd.EventDriven(), step=STEP, end=10, parameters=values, initial=start
    ).compile(interpret=True)


def first_impact(model, fast, begins, height, speed):
    run = model.run(parameters={"rate": fast, "phase": begins}, initial={"body.z": height, "body.z_dot": speed})
    return run.events[0].time if run.events else None


@pytest.mark.few(20)
@pytest.mark.parametrize("seed", range(60))
def test_a_wall_that_shakes_faster_than_rows(shaken, seed):
    """Rates of up to fifty periods in a row; a fourth of such walls was struck a period or a hundred too late."""
    rng = np.random.default_rng(seed)
    fast, begins = 10 ** rng.uniform(0, 2.5), rng.uniform(0, 6)
    height, speed = rng.uniform(1.05, 1.5), -rng.uniform(0.02, 0.3)
    exact = first_zero(lambda s: height + speed * s - np.sin(fast * s + begins), fast, 10)
    found = first_impact(shaken, fast, begins, height, speed)
    assert (found is None) == (exact is None)
    assert exact is None or abs(found - exact) < 1e-9


@pytest.mark.parametrize("periods", [1, 2, 13, 55])
@pytest.mark.parametrize("begins", [0, np.pi / 2, 1.3, -np.pi / 2])
@pytest.mark.few(5)
def test_a_wall_that_stands_still_where_rows_are(shaken, periods, begins):
    """A row shows it at the same place each time: farthest, nearest, or in between, at rest or at any speed."""
    fast = 2 * np.pi * periods / STEP
    exact = first_zero(lambda s: 1.973 - 0.2 * s - np.sin(fast * s + begins), fast, 10)
    assert abs(first_impact(shaken, fast, begins, 1.973, -0.2) - exact) < 1e-9


def passes_a_hill(place, width, step):
    """The first event of a body at constant speed, which meets the hill ``width`` sqrt(ln 2) before its top."""
    x, y = dynamicsymbols("x y")
    body = nsd.LagrangianSystem("body", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2)
    hill = nsd.Contact("hill", gap=y - sp.exp(-(((x - level) / rate) ** 2)), law=nsd.NewtonImpact(1))
    start = {x: 0, y: 0.5, x.diff(): 1, y.diff(): 0}
    model = nsd.Model(
        "hill",
        [body],
        [hill],
        scheme=nsd.EventDriven(),
        step=step,
        end=6,
        parameters={level: place, rate: width},
        initial=start,
    ).compile(interpret=True)
    return model.run().events[0].time


@pytest.mark.few(4)
@pytest.mark.parametrize("width", [0.3, 0.1, 0.06])
@pytest.mark.parametrize("place", [4.83, 4.9, 4.95, 5, 5.03])
def test_a_hill_that_is_passed_within_a_row(width, place):
    """It is less wide than the way from row to row."""
    assert abs(passes_a_hill(place, width, STEP) - (place - width * np.sqrt(np.log(2)))) < 1e-9


@pytest.mark.few(4)
@pytest.mark.parametrize("place", np.linspace(0.5, 5.5, 20))
def test_a_narrow_hill_after_a_plain(place):
    """Over the plain a look reaches over many rows: the first of these that shows the slope ends that."""
    assert abs(passes_a_hill(place, 0.004, 0.01) - (place - 0.004 * np.sqrt(np.log(2)))) < 1e-9


def test_a_pin_is_struck_right_behind_an_event():
    """In the first millionth of a row after a bounce: the wall behind the pin had come first from 1e-6 of a row on."""
    x, y = dynamicsymbols("x y")
    size = sp.Symbol("size", positive=True)
    point = nsd.LagrangianSystem("point", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2)
    pin = sp.sqrt((x - 2.9 * size) ** 2 + (0.2 * size) ** 2) - 0.5 * size
    gaps = {"floor": y, "pin": pin, "wall": 4 * size - x}
    contacts = [nsd.Contact(name, gap, nsd.NewtonImpact(0.5)) for name, gap in gaps.items()]
    given = {"step": 1.0, "end": 2.0, "initial": {x: -1, y: 1, x.diff(): 1, y.diff(): -1}, "parameters": {size: 1e-4}}
    model = nsd.Model("pin", [point], contacts, scheme=nsd.EventDriven(), **given)
    for small in (1e-4, 1e-7, 8e-8):
        floor, struck = model.run(parameters={size: small}).events[:2]
        assert (floor.name, struck.name) == ("floor", "pin")
        assert struck.time - 1 == pytest.approx((2.9 - math.sqrt(0.21)) * small, abs=1e-15)


@pytest.mark.few(3)
@pytest.mark.parametrize("fast", [3.0, 31.0, 20 * np.pi, 70.0, 200.0])
def test_a_condition_that_comes_true_and_false_between_rows(fast):
    count = sp.Symbol("count")
    still = nsd.FirstOrderSystem("still", [z], [0])
    counter = nsd.Reset("counter", sp.sin(rate * t) >= 0.99, {}, state=[count], update={count: count + 1})
    run = nsd.Model(
        "counted",
        [still],
        scheme=nsd.EventDriven(),
        step=STEP,
        end=10,
        parameters={rate: fast},
        initial={z: 0},
        blocks=[counter],
    ).run()
    exact = (np.arcsin(0.99) + 2 * np.pi * np.arange(400)) / fast
    exact = exact[exact < 10]
    assert run["count"][-1] == len(exact) and abs(np.array([e.time for e in run.events]) - exact).max() < 1e-9


@pytest.fixture(scope="module")
def fading():
    """A relay at its upper bound, 1 + cos(rate t) + level, all the time."""
    lam, still = nsd.multipliers("lam", 1), nsd.FirstOrderSystem("still", [z], [0])
    relay = nsd.FirstOrderRelation("relay", lam, [z], {still: lam}, nsd.Relay(1 + sp.cos(rate * t) + level))
    return nsd.Model(
        "fading",
        [still],
        [relay],
        scheme=nsd.EventDriven(),
        step=STEP,
        end=2,
        parameters={rate: 1, level: 0},
        initial={z: 30},
    ).compile(interpret=True)


@pytest.mark.parametrize("fast", [3.0, 20.0, 20 * np.pi, 100.0])
def test_bounds_that_cross_and_come_back_between_rows(fading, fast):
    """They cross by a hundredth for a short while; those that stay apart by a hundredth run."""
    with pytest.raises(nsd.errors.NonFinite, match="is empty") as caught:
        fading.run(parameters={"rate": fast, "level": -0.01})
    crossed = np.arccos(-0.99) / fast
    assert crossed - STEP < caught.value.trajectory.time[-1] < crossed
    run = fading.run(parameters={"rate": fast, "level": 0.01})
    assert abs(run["lam[0]"] + 1.01 + np.cos(fast * run.time))[1:].max() < 1e-12
