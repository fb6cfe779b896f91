"""Relays, controllers and accumulating switchings from event to event, beside motions that nsdgen has no part in.

Forty models of each class, drawn at random in units of their own (``switching_models.py``, ``controller_models.py``,
``accumulating_models.py``):
all events and all recorded states. A run that is not done in time is a failure.
"""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError

from . import accumulating_models as zeno
from . import controller_models as controllers
from . import switching_models as models
from .switching_compare import PATIENCE, compare, drawn, within

RELAYS = (
    models.driven_relay,
    models.dry_friction,
    models.round_surface,
    models.unstable_relay,
    models.exit_by_states,
    models.feedback_oscillator,
    models.saturation,
    models.two_surfaces,
)
CONTROLLERS = (
    controllers.sliding_controller,
    controllers.scaled_gain,
    controllers.autotuning,
    controllers.hysteretic_thermostat,
    controllers.converter,
    controllers.observer,
    controllers.time_optimal,
    zeno.super_twisting,
)
ACCUMULATING = (zeno.twisting, zeno.fuller, zeno.turning_relays, zeno.rubbed_relay, zeno.super_twisting)
AGREE = 1e-8  # of the run, and of the largest value of each state


def agrees(family, seed):
    times, states, _ = compare(family, seed)
    assert max(times, states) < AGREE, (family.__name__, seed, times, states)


@pytest.mark.parametrize("family", [*dict.fromkeys(RELAYS + CONTROLLERS + ACCUMULATING)][::2], ids=lambda f: f.__name__)
@pytest.mark.few(3)
def test_one(family):
    agrees(family, 1)


def test_what_starts_at_zero_under_a_root_is_as_large_as_it_comes_to_be():
    agrees(zeno.super_twisting, 202)  # a first step relative to zero has no length: the start was refused


@pytest.mark.parametrize("seed", [1, 2])
def test_an_event_whose_line_is_rounding(seed):
    """Beside a root steps are short, and what s = x - 30 moves by in a billionth of one is rounding of x: events were
    told where the integrator's step ended, 3e-6 late."""
    case = replace(drawn(zeno.super_twisting_to_a_point, seed), scales=(1.0, 1.0, 1.0))
    motion = case.motion()
    run = replace(case, end=motion.times[2]).model().run()
    told = [t for t in motion.times[:2] if t < motion.limit - 1e-2]
    np.testing.assert_allclose([event.time for event in run.events][: len(told)], told, atol=1e-9)


TO_POINTS = (
    zeno.super_twisting_to_a_point,
    *map(zeno.to_a_point, (zeno.super_twisting, zeno.twisting, zeno.fuller, zeno.rubbed_relay)),
)


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("family", TO_POINTS, ids=lambda f: f.__name__)
@pytest.mark.few(6)
def test_windings_about_a_point_other_than_zero_end_at_their_limit(family, seed):
    """Beside it windings come to be rounding of the state before they end: there was no motion that goes on."""
    ends_at_its_limit(family, seed)


@pytest.mark.parametrize("seed", [2, 13])
def test_switchings_to_a_point_end_where_nothing_moves_the_rate_of_their_row(seed):
    """y' = w + 2 c |w| lambda: what stops y was looked for with lambda^2 in it, and found outside of the box (13).
    Events at which nothing changed followed each other ever sooner by a little, and were taken for windings (2)."""
    ends_at_its_limit(TO_POINTS[3], seed)


def ends_at_its_limit(family, seed):
    case = drawn(family, seed)
    motion = case.motion()
    with within(PATIENCE):
        run = case.model().run()
    second, size, _ = case.scales
    limit = motion.limit or np.inf
    told = [t for t in motion.times if t < limit - 1e-2]
    own = [event.time / second for event in run.events if event.kind != "start"]
    own = [t for t in own if t < limit - 1e-2]
    np.testing.assert_allclose(own, told, atol=1e-6)  # what an instant is known to, where a root is crossed aslant
    times = run.time / second
    apart = np.abs(times[:, None] - [*motion.times, limit]).min(axis=1) > 1e-2
    found = np.column_stack([run["plant.s0"], run["plant.s1"]])[apart] / size
    np.testing.assert_allclose(found, [motion.at(t) for t in times[apart]], atol=1e-8)


def test_a_refusal_says_what_was_tried():
    """x' is 1 or -1, and no multiplier between has it zero. It was told as states that contradict each other."""
    (x,), lam = dynamicsymbols("x,"), nsd.multipliers("lam", 1)
    plant = nsd.FirstOrderSystem("plant", [x], [0])
    push = nsd.piecewise((1, lam[0] > sp.Rational(3, 10)), (-1, True))
    relay = nsd.FirstOrderRelation("relay", lam, [x], {plant: [push]}, nsd.Relay(1))
    model = nsd.Model("m", [plant], [relay], scheme=nsd.EventDriven(), step=0.02, end=2, initial={x: 1})
    with pytest.raises(nsd.errors.NotConverged, match="each piece of the laws ends there at once"):
        model.run()


def to_zero(output, start=(-1.0, 0.0), point=0):
    """x'' = 2 lambda, lambda = -Sgn of an output of e = x - point and w = e'."""
    x, v = dynamicsymbols("x v")
    lam = nsd.multipliers("lam", 1)
    plant = nsd.FirstOrderSystem("plant", [x, v], [v, 0])
    relay = nsd.FirstOrderRelation("relay", lam, [output(x - point, v)], {plant: [0, 2 * lam[0]]}, nsd.Relay(1))
    given = {"step": 0.02, "end": 5, "initial": {x: start[0] + point, v: start[1]}}
    return nsd.Model("m", [plant], [relay], scheme=nsd.EventDriven(), **given)


@pytest.mark.parametrize("power", [sp.Rational(1, 2), sp.Rational(3, 5)])
@pytest.mark.parametrize("point", [0, 1])
def test_what_slides_to_an_infinite_slope_is_refused_when_it_is_described(power, point):
    """It was found on the way, where steps came to be too short, or no motion went on."""
    with pytest.raises(ModelError, match="slides to there in finite time"):
        to_zero(lambda e, w: w + sp.Abs(e) ** power * sp.sign(e), point=point).compile(interpret=True)


@pytest.mark.parametrize("point", [0, 1, 3])
def test_the_same_surface_by_its_inverse_is_slid_along_to_the_end(point):
    """e + |w|^(3/2) sgn w: e' = |e|^(2/3) from t_1 on, where 1 - t^2 = (2 t)^(3/2), e zero 3 |e_1|^(1/3) later."""
    run = to_zero(lambda e, w: e + sp.Abs(w) ** sp.Rational(3, 2) * sp.sign(w), point=point).run()
    begins = brentq(lambda t: 1 - t**2 - (2 * t) ** 1.5, 0, 1, xtol=1e-15)
    root = (1 - begins**2) ** (1 / 3) - (run.time - begins) / 3
    away = run["plant.x"] - point + np.where(run.time < begins, 1 - run.time**2, np.maximum(root, 0) ** 3)
    assert abs(run.events[0].time - begins) < 1e-9 and abs(away).max() < 1e-9


@pytest.mark.parametrize("moves", [0, 1])
@pytest.mark.parametrize("pushed", [0, sp.Rational(1, 3)])
@pytest.mark.parametrize("power", [2, sp.Rational(3, 2), sp.Rational(4, 3), sp.Rational(5, 3)])
@pytest.mark.few(6)
def test_an_inverse_surface_is_slid_along_to_a_point_that_moves_under_a_disturbance(power, pushed, moves):
    """e + |w|^p sgn w: it ended where Newton's method met a rate quadratic in lambda, or steps of no length."""
    x, v = dynamicsymbols("x v")
    lam = nsd.multipliers("lam", 1)
    plant = nsd.FirstOrderSystem("plant", [x, v], [v, pushed * sp.sin(2 * nsd.time)])
    e, w = x - moves * sp.sin(nsd.time), v - moves * sp.cos(nsd.time)
    relay = nsd.FirstOrderRelation(
        "relay", lam, [e + sp.Abs(w) ** power * sp.sign(w)], {plant: [0, 6 * lam[0]]}, nsd.Relay(1)
    )
    run = nsd.Model("m", [plant], [relay], scheme=nsd.EventDriven(), step=0.02, end=5, initial={x: 2, v: 0}).run()
    d, p = float(pushed), float(power)

    def free(t):
        """e and w on the way to the surface."""
        swung = moves * np.sin(t), moves * np.cos(t)
        return 2 - 3 * t**2 + d * (t / 2 - np.sin(2 * t) / 4) - swung[0], -6 * t + d * np.sin(t) ** 2 - swung[1]

    begins = brentq(lambda t: free(t)[0] - abs(free(t)[1]) ** p, 0.01, 1, xtol=1e-15)
    root = free(begins)[0] ** (1 - 1 / p) - (1 - 1 / p) * (run.time - begins)
    exact = np.where(run.time < begins, free(run.time)[0], np.maximum(root, 0) ** (p / (p - 1)))
    assert abs(run.events[0].time - begins) < 1e-9
    assert abs(run["plant.x"] - moves * np.sin(run.time) - exact).max() < 1e-8


@pytest.mark.parametrize("power", [0.5, 0.6])
def test_a_slope_by_a_small_number_is_slid_along_to_a_point_that_moves_under_a_disturbance(power):
    """e'' = 6 lambda + sin(2 t) / 3 + sin t to the surface; from there on e' is minus the power."""
    x, v = dynamicsymbols("x v")
    lam = nsd.multipliers("lam", 1)
    t, d, end = nsd.time, 1e-6, 5.0
    plant = nsd.FirstOrderSystem("plant", [x, v], [v, sp.sin(2 * t) / 3])
    e = x - sp.sin(t)
    output = v - sp.cos(t) + e * (e**2 + d**2) ** ((power - 1) / 2)
    relay = nsd.FirstOrderRelation("relay", lam, [output], {plant: [0, 6 * lam[0]]}, nsd.Relay(1))
    run = nsd.Model("m", [plant], [relay], scheme=nsd.EventDriven(), step=0.02, end=end, initial={x: 2, v: 0}).run()

    def slid(t, e):
        return -e * (e**2 + d**2) ** ((power - 1) / 2)

    def free(t):
        """e and w on the way to the surface."""
        return (
            2 - 3 * t**2 + t / 6 - np.sin(2 * t) / 12 - np.sin(t),
            -6 * t + (1 - np.cos(2 * t)) / 6 - np.cos(t),
        )

    begins = brentq(lambda s: free(s)[1] - slid(s, free(s)[0]), 0, 1, xtol=1e-15)
    options = {"method": "LSODA", "rtol": 1e-12, "atol": 1e-16, "t_eval": np.unique(run.time[run.time > begins])}
    later = solve_ivp(slid, (begins, end), [free(begins)[0]], **options)
    exact = np.where(run.time > begins, np.interp(run.time, later.t, later.y[0]), free(run.time)[0])
    assert abs(run.events[0].time - begins) < 1e-9
    assert abs(run["plant.x"] - np.sin(run.time) - exact).max() < 1e-8


def test_what_leaves_an_infinite_slope_or_is_none_on_its_surface_runs():
    for row in (lambda e, w: w - sp.sqrt(sp.Abs(e)) * sp.sign(e), lambda e, w: w + sp.sqrt(sp.Abs(e)) - 1):
        to_zero(row, (1.0, 0.0)).compile(interpret=True)


@pytest.mark.parametrize("scales", [(1.0, 1.0, 1.0), (1e-6, 1e2, 1e-4), (1e2, 1e-6, 1e4), (1e-2, 1e4, 1e-2)])
class TestUnitsChangeNoVerdict:
    """Coefficients that cancel left rounding in some units: a slope, or a rate that multipliers move."""

    def test_what_slides_to_an_infinite_slope(self, scales):
        point, rate = lambda t, m: 0.3 + 0.7 * m.sin(1.3 * t), lambda t, m: 0.91 * m.cos(1.3 * t)
        root = lambda e, m: m.sqrt(m.abs(e)) * sp.sign(e)  # noqa: E731
        case = models.Case(
            "terminal sliding",
            lambda t, x, lam, m: [x[1], 2 * lam[0]],
            lambda t, x, lam, m: [x[1] - rate(t, m) + 1.7 * root(x[0] - point(t, m), m)],
            [-1.0, 0.0],
            5.0,
            None,
            scales=scales,
        )
        with pytest.raises(ModelError, match="slides to there in finite time"):
            case.model().compile(interpret=True)

    def test_twisting_of_mixed_states(self, scales):
        """y'' = -2 Sgn y - Sgn y', y = s0 - 0.37 s1: it was taken for a row whose first derivative is moved."""
        force = lambda lam: 2 * lam[0] + lam[1]  # noqa: E731
        case = models.Case(
            "mixed twisting",
            lambda t, x, lam, m: [x[1] + 0.37 * force(lam), force(lam)],
            lambda t, x, lam, m: [x[0] - 0.37 * x[1], x[1]],
            [1.0, 0.0],
            6.0,
            None,
            rows=2,
            scales=scales,
        )
        run = case.model().run()
        limit = 4 * np.sqrt(2) / 3 / (1 - 1 / np.sqrt(3))
        assert len(run.events) < 100 and abs(run.events[-1].time / scales[0] - limit) < 1e-6
        assert max(abs(run.final["plant.s0"]), abs(run.final["plant.s1"])) < 1e-10 * scales[1]


@pytest.mark.parametrize("unit", [1.0, 1e12, 1e-12])
def test_a_row_in_small_units_hides_no_other(unit):
    """Beside a rate of 1e10 what says lambda = 1 was taken for rounding: y stayed where it crosses, for good."""
    case = replace(drawn(zeno.to_a_point(zeno.twisting), 9), end=4.0, scales=(1.0, 1.0, unit))
    told = [t for t in case.motion().times if t < 4]
    own = [event.time for event in case.model().run().events if event.kind != "start"]
    np.testing.assert_allclose(own, told, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("family", RELAYS, ids=lambda f: f.__name__)
def test_forty_relays(family):
    for seed in (1, *range(100, 105)):
        agrees(family, seed)


@pytest.mark.slow
@pytest.mark.parametrize("family", CONTROLLERS, ids=lambda f: f.__name__)
def test_forty_controllers(family):
    for seed in (1, *range(200, 205)):
        agrees(family, seed)


@pytest.mark.slow
@pytest.mark.parametrize("family", ACCUMULATING, ids=lambda f: f.__name__)
def test_forty_that_accumulate(family):
    for seed in (1, *range(300, 308)):
        agrees(family, seed)


def test_two_twisting_controllers_of_one_relation_come_to_their_limits():
    """x'' = -2 Sgn x - Sgn x' falls by 1/sqrt(3) from crossing to crossing, y'' = -3 Sgn y - Sgn y' by 1/sqrt(2).

    Where y rested x was no longer told from its jump: it crossed late by 1e-8 and swung for ever.
    """
    x, v, y, w = dynamicsymbols("x v y w")
    lam = nsd.multipliers("lam", 4)
    plant = nsd.FirstOrderSystem("plant", [x, v, y, w], [v, 0, w, 0])
    acts = {plant: [0, 2 * lam[0] + lam[1], 0, 3 * lam[2] + lam[3]]}
    relays = nsd.FirstOrderRelation("relays", lam, [x, v, y, w], acts, nsd.Relay(1))
    start = {x: 0, v: 1, y: 0, w: 0.5}
    found = nsd.Model("m", [plant], [relays], scheme=nsd.EventDriven(), step=0.05, end=3, initial=start).run()
    ratio = 1 / np.sqrt(3)
    times = (1 / 3 + ratio) * np.cumsum(ratio ** np.arange(30))
    seen = np.array([e.time for e in found.events if e.kind == "sticks[0]"])
    np.testing.assert_allclose(seen[:30], times, rtol=1e-12)
    assert len(seen) < 40 and abs(found["x"][-1]) + abs(found["v"][-1]) < 1e-10


def test_currents_that_diodes_block_have_no_events():
    """Three phases with coils: one conducts, the others are rounding, and so was what they were told from zero by."""
    currents, lam = dynamicsymbols("a b c"), nsd.multipliers("u", 3)
    phases = [sp.sin(nsd.time + 2 * sp.pi * k / 3) for k in range(3)]
    node = (20 * (sum(phases) + sum(lam)) + sum(currents)) / 61  # coils of 1/20 H before 1 H and 1 ohm
    idle = dict.fromkeys(lam, 0)
    coils = nsd.FirstOrderSystem("coils", currents, [20 * (e - node.xreplace(idle)) for e in phases])
    acts = {coils: [20 * (u - 20 * sum(lam) / 61) for u in lam]}
    diodes = nsd.FirstOrderRelation("diodes", lam, currents, acts, nsd.Complementarity())
    start = dict.fromkeys(currents, 0)
    found = nsd.Model("m", [coils], [diodes], scheme=nsd.EventDriven(), step=0.02, end=0.5, initial=start).run()
    t, T = found.time, 1.05
    driven = [np.sin(s + 2 * np.pi / 3) - T * np.cos(s + 2 * np.pi / 3) for s in (t, 0)]
    assert not found.events
    np.testing.assert_allclose(found["b"], (driven[0] - np.exp(-t / T) * driven[1]) / (1 + T**2), rtol=1e-9, atol=1e-12)
