"""Rows of laws that keep their piece, leave it at its end, and switchings that accumulate; beside closed forms."""

import os
import signal
import threading
import time

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from .piecewise_linear_systems import PiecewiseLinearSystem

v, w, x = dynamicsymbols("v w x")
lam = nsd.multipliers("lam", 1)
t = nsd.time


def model(name, system, relation, end, initial, step=0.01):
    return nsd.Model(name, [system], [relation], scheme=nsd.EventDriven(), step=step, end=end, initial=initial)


def times(run):
    return np.array([e.time for e in run.events])


@pytest.mark.parametrize("step", [0.05, 0.011])
def test_a_comparator_with_positive_feedback(step):
    """v' = out - v, out in -10 Sgn(v - out / 2): it switches at -5 and 5, every ln 3."""
    system = nsd.FirstOrderSystem("rc", [v], [-v])
    relation = nsd.FirstOrderRelation("comparator", lam, [v - lam[0] / 2], {system: lam}, nsd.Relay(10))
    run = model("pieces_comparator", system, relation, 8, {v: 0.1}, step).run()
    first = np.log(10.1 / 5)
    np.testing.assert_allclose(times(run), first + np.log(3) * np.arange(7), rtol=0, atol=1e-10)
    np.testing.assert_allclose(abs(run["rc.v"][[e.before for e in run.events]]), 5, rtol=1e-11)


def test_a_schmitt_trigger_that_integrates():
    """v' = out, out in -2 Sgn(v - out / 4): a triangle between -1/2 and 1/2."""
    system = nsd.FirstOrderSystem("integrator", [v], [0])
    relation = nsd.FirstOrderRelation("trigger", lam, [v - lam[0] / 4], {system: lam}, nsd.Relay(2))
    run = model("pieces_schmitt", system, relation, 4, {v: 0.1}).run()
    np.testing.assert_allclose(times(run), 0.3 + 0.5 * np.arange(8), rtol=0, atol=1e-11)


def test_fullers_problem():
    """x'' in -Sgn(x + C x' |x'|): intervals shrink by one factor, and it rests where they come to an end."""
    C = 0.4446
    system = nsd.FirstOrderSystem("mass", [x, v], [v, 0])
    relation = nsd.FirstOrderRelation("switch", lam, [x + C * v * sp.Abs(v)], {system: [0, lam[0]]}, nsd.Relay(1))
    run = model("pieces_fuller", system, relation, 6, {x: 1, v: 0}).run()
    first, shrinks = 1 / np.sqrt(0.5 + C), np.sqrt((0.5 - C) / (0.5 + C))
    n = np.arange(len(run.events))
    exact = first * (1 + (1 + shrinks) * (1 - shrinks**n) / (1 - shrinks))
    assert 12 < len(n) < 40
    np.testing.assert_allclose(times(run), exact, rtol=0, atol=1e-8)
    assert abs(run.final["mass.x"]) < 1e-10 and abs(run.final["mass.v"]) < 1e-10
    assert abs(run.final["switch.lam[0]"]) < 1e-10  # it takes what is left of x and v to zero


@pytest.mark.parametrize(("b", "most"), [(-0.5, 0.7), (0.3, 0.7), (0.5, 0.3), (0.5, 0.7), (1.0, 0.7)])
def test_leaving_a_sliding_phase(b, most):
    """w' = b w - sin t - most Sgn(w), from w = 0: it leaves where sin t is ``most``, its rate zero there."""
    system = nsd.FirstOrderSystem("state", [w], [b * w - sp.sin(t)])
    relation = nsd.FirstOrderRelation("relay", lam, [w], {system: lam}, nsd.Relay(most))
    run = model("pieces_leaving", system, relation, 6, {w: 0}).run()
    exact = PiecewiseLinearSystem(
        np.array([[b, -1, 0], [0, 0, 1], [0, -1, 0]]),
        np.zeros(3),
        np.array([[1.0], [0], [0]]),
        np.array([[1.0, 0, 0]]),
        np.zeros(1),
        np.zeros((1, 1)),
        np.array([[-most, most]]),
    )
    told, state, _ = exact.run(np.array([0, 0, 1.0]), 6)
    np.testing.assert_allclose(times(run), told, rtol=0, atol=1e-8)
    np.testing.assert_allclose(times(run)[0], np.arcsin(most), rtol=1e-12)
    np.testing.assert_allclose(run.final["state.w"], state[0], rtol=1e-8)


@pytest.mark.parametrize("law", ["two diodes", "a curve"])
def test_a_memristor_at_its_limits(law):
    """(1 - 0.9 w) w' = sin t, 0 <= w <= 1: it leaves a limit where the voltage turns, at second order."""
    system = nsd.FirstOrderSystem("memristor", [w], [sp.sin(t) / (1 - 0.9 * w)])
    if law == "a curve":
        curve = nsd.PiecewiseLinear([(0, 0), (1, 0)], end_slopes=(-sp.oo, -sp.oo))
        relation = nsd.FirstOrderRelation("limits", lam, [w], {system: lam}, curve)
    else:
        two = nsd.multipliers("lam", 2)
        relation = nsd.FirstOrderRelation("limits", two, [w, 1 - w], {system: [two[0] - two[1]]}, nsd.Complementarity())
    run = model("pieces_memristor", system, relation, 12, {w: 0.5}).run()
    down, up = 2 * np.pi - np.arccos(-0.45), 2 * np.pi + np.arccos(0.45)
    exact = [np.arccos(0.8375), np.pi, down, 2 * np.pi, up, 3 * np.pi, down + 2 * np.pi]
    np.testing.assert_allclose(times(run), exact, rtol=0, atol=1e-9)


def resonant_converter(period, out, end):
    """L = C = 1 between a square wave of 1 and a bridge to a voltage, by circles: times, and pieces."""
    t, i, v, told, pieces = 0.0, 0.0, 0.0, [], []
    while t < end:
        edge = (np.floor(2 * t / period + 1e-9) + 1) * period / 2
        source = 1.0 if round(2 * edge / period) % 2 else -1.0
        way = np.sign(i) if i else np.sign(source - v) * (abs(source - v) > out)
        if way == 0:
            pieces.append((t, lambda s, v=v: (0.0, v)))
            t = edge
            continue
        around = source - way * out
        state = lambda s, i=i, v=v, e=around: (  # noqa: E731
            i * np.cos(s) + (e - v) * np.sin(s),
            e - (e - v) * np.cos(s) + i * np.sin(s),
        )
        pieces.append((t, state))
        ends = -np.arctan2(i, around - v) % np.pi if i else np.pi
        if t + ends < edge:
            t, (i, v) = t + ends, (0.0, state(ends)[1])
            told.append(t)
        else:
            (i, v), t = state(edge - t), edge
    return told, pieces


@pytest.mark.parametrize("period", [3.0, 9.0, 16.0])
def test_a_resonant_converter(period):
    """i' = source - v - out Sgn i, v' = i: above resonance, with pauses, and with two half waves an edge."""
    i, v, out = *dynamicsymbols("i v"), 0.4
    source = sp.sign(sp.sin(2 * sp.pi / period * t))
    tank = nsd.FirstOrderSystem("tank", [i, v], [source - v, i])
    bridge = nsd.FirstOrderRelation("bridge", lam, [i], {tank: [lam[0], 0]}, nsd.Relay(out))
    run = model("pieces_resonant", tank, bridge, 40, {i: 0, v: 0}, 0.05).run()
    told, pieces = resonant_converter(period, out, 40)
    begins = np.array([begin for begin, _ in pieces])
    exact = [pieces[k][1](s - begins[k]) for s in run.time for k in [np.searchsorted(begins, s, "right") - 1]]
    np.testing.assert_allclose(np.column_stack([run["tank.i"], run["tank.v"]]), exact, rtol=0, atol=1e-8)
    assert all(abs(times(run) - s).min() < 1e-8 for s in told if s < 40) and len(times(run)) < 4 * len(told)


def test_an_interrupt_is_answered_within_a_step():
    """One step with some hundred thousand switchings: Ctrl-C ends it at once."""
    system = nsd.FirstOrderSystem("rc", [v], [-v])
    relation = nsd.FirstOrderRelation("comparator", lam, [v - lam[0] / 2], {system: lam}, nsd.Relay(10))
    compiled = nsd.Model(
        "pieces_interrupt",
        [system],
        [relation],
        scheme=nsd.EventDriven(most_events=1e9),
        step=4e5,
        end=4e5,
        initial={v: 0.1},
    ).compile()
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    # A shell starts what runs in its background with interrupts ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            compiled.run()
        assert time.monotonic() - sent[0] < 0.2
    finally:
        signal.signal(signal.SIGINT, before)


def test_switchings_without_an_end():
    """x'' = -3 x' + sin(t) / 2 + 2 lambda: it swings ever faster; where that is not told, it is held."""
    system = nsd.FirstOrderSystem("mass", [x, v], [v, -3 * v + sp.sin(nsd.time) / 2])
    relation = nsd.FirstOrderRelation("switch", lam, [x], {system: [0, 2 * lam[0]]}, nsd.Relay(1))
    settings = {"step": 0.05, "end": 12, "initial": {x: 1, v: 0}}
    scheme = nsd.EventDriven(rtol=1e-8, atol=1e-10, most_events=60)
    run = nsd.Model("pieces_swings", [system], [relation], scheme=scheme, **settings).run()
    last = run.events[-1].time
    later = run.time > last + 1
    assert 7 < last < 9 and later.any()
    told = 1e4 * 1e-10  # ten thousand tolerances
    assert abs(run["mass.x"][later]).max() < told and abs(run["mass.v"][later]).max() < told
    np.testing.assert_allclose(run["switch.lam[0]"][later], -np.sin(run.time[later]) / 4, atol=1e-4)


CURVES = {
    "saturation": ([(-1, -1), (1, 1)], (0, 0), lambda y: np.clip(y, -1, 1)),
    "feedback": ([(-1, 1), (1, -1)], (0, 0), lambda y: -np.clip(y, -1, 1)),
    "dead zone": ([(-1, 0), (1, 0)], (-2, -2), lambda y: np.clip(y, -1, 1) * 2 - 2 * y),
    "four pieces": ([(-1, 1), (0, 0.2), (1, -1)], (0, -0.5), lambda y: np.interp(y, [-1, 0, 1], [1, 0.2, -1])),
}


def driven(name, gain):
    """x' = -x / 3 + 2 sin 3t + lambda, lambda on a curve of x + gain lambda."""
    points, ends, _ = CURVES[name]
    system = nsd.FirstOrderSystem("driven", [x], [-x / 3 + 2 * sp.sin(3 * t)])
    law = nsd.PiecewiseLinear(points, end_slopes=ends)
    relation = nsd.FirstOrderRelation("curve", lam, [x + gain * lam[0]], {system: lam}, law)
    return model("on_a_curve", system, relation, 5, {x: 0.1}, 0.1)


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("gain", [0, 0.4])
def test_curves_without_jumps(name, gain):
    """A saturation had crashed: its piece has no end. lambda - curve(x + gain lambda) is solved by bisection."""
    curve, sign = CURVES[name][2], 1 if name != "saturation" else -1
    if name == "four pieces":
        inner = curve
        curve = lambda y: inner(y) - 0.5 * max(y - 1, 0)  # noqa: E731

    def rate(s, y):
        if gain == 0:
            return -y / 3 + 2 * np.sin(3 * s) + curve(y[0])
        value = brentq(lambda e: e - curve(y[0] + sign * gain * e), -20, 20, xtol=1e-15)
        return -y / 3 + 2 * np.sin(3 * s) + value

    exact = solve_ivp(rate, (0, 5), [0.1], rtol=1e-10, atol=1e-12, max_step=0.02).y[0, -1]
    assert abs(driven(name, sign * gain).run()["x"][-1] - exact) < 1e-8


@pytest.mark.parametrize("name", CURVES)
def test_curves_that_may_have_several_solutions_are_refused(name):
    """A multiplier that drives itself along its curve: no piece has an end at which the run would look for others."""
    with pytest.raises(nsd.errors.ModelError, match="its curve has no jump"):
        driven(name, 2 if name == "saturation" else -2).compile()


def test_a_spring_with_a_dead_zone_is_a_curve_of_a_position():
    """It flies through the zone and swings half a period on either side; it was refused as one whose velocity jumps."""
    bob = nsd.LagrangianSystem("bob", [x], kinetic=x.diff() ** 2 / 2)
    law = nsd.PiecewiseLinear([(-0.1, 0), (0.1, 0)], end_slopes=(-25, -25))
    spring = nsd.OutputRelation("spring", lam, output=[x], reaction={bob: lam}, law=law)
    period = 0.4 + 2 * np.pi / 5
    found = model("m", bob, spring, 3 * period, {x: 0, x.diff(): 1}, period / 100).run().final
    assert abs(found["bob.x"]) < 1e-8 and abs(found["bob.x_dot"] - 1) < 1e-8
