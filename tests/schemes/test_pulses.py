"""Pulses, ramps, conditions that end a run, and resets that cannot be."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, NotConverged

smoothed, followed, y = dynamicsymbols("smoothed followed y")
high = sp.Symbol("high")
WIDTH, PERIOD = 0.03, 0.1
HIGHEST = (1 - np.exp(-WIDTH)) / (1 - np.exp(-PERIOD))  # of x' = pulse - x in its periodic motion


@pytest.mark.parametrize(
    ("scheme", "close"),
    [(nsd.ZeroOrderHold(), 1e-8), (nsd.EventDriven(), 1e-8), (nsd.ThetaGamma(theta=0.5), 1e-6)],  # 1e-8 is exp(-20)
    ids=lambda s: type(s).__name__,
)
def test_pulses_and_a_ramp_that_a_latch_compares(scheme, close):
    """Steps of 0.007 end at every edge; the pulse that ends where the ramp passes 0.3 is the same one."""
    pulses, saw = nsd.Pulses("pulses", period=PERIOD, width=WIDTH), nsd.Ramp("saw", period=PERIOD)
    latch = nsd.Latch("follows", high, on=saw.ramp <= 0.01, off=saw.ramp >= WIDTH / PERIOD)
    lags = [
        nsd.FirstOrderSystem("lag", [smoothed], [pulses.pulse - smoothed]),
        nsd.FirstOrderSystem("other", [followed], [high - followed]),
    ]
    model = nsd.Model(
        "pulsed",
        lags,
        scheme=scheme,
        step=0.007,
        end=20,
        blocks=[pulses, saw, latch],
        initial=dict.fromkeys((smoothed, followed), 0),
    )
    run = model.run()
    last = run.time >= 19.9
    assert abs(run["smoothed"][last].max() - HIGHEST) < close
    assert abs(run["followed"][last].max() - HIGHEST) < close
    wide = model.run(parameters={"pulses_off.offset": 0.05})
    highest = wide["smoothed"][wide.time >= 19.9].max()
    assert highest == pytest.approx((1 - np.exp(-0.05)) / (1 - np.exp(-PERIOD)), abs=close)


@pytest.mark.parametrize("width", [0, 0.1, 0.2, -1])
def test_pulses_always_or_never_on_are_refused(width):
    with pytest.raises(ModelError, match="width") as caught:
        nsd.Pulses("pulses", period=0.1, width=width)
    assert "nsd.Ramp" in str(caught.value)


@pytest.mark.parametrize(
    "values", [{"period": "a"}, {"period": 1, "offset": "a"}, {"period": 0}, {"period": 1, "offset": -1}]
)
def test_clocks_of_ramps_are_numbers(values):
    with pytest.raises((ModelError, nsd.errors.ParameterError), match=r"period|offset") as caught:
        nsd.Ramp("ramp", **values)
    assert caught.value.fix


def falling(blocks=(), relations=(), scheme=None, **settings):
    body = nsd.LagrangianSystem("ball", [y], kinetic=y.diff() ** 2 / 2, potential=9.81 * y)
    return nsd.Model(
        "falling",
        [body],
        list(relations),
        scheme=scheme or nsd.EventDriven(),
        step=0.01,
        end=2,
        blocks=list(blocks),
        initial={y: 1},
        **settings,
    )


@pytest.mark.parametrize("scheme", [nsd.EventDriven(), nsd.MoreauJean()], ids=lambda s: type(s).__name__)
def test_a_run_ends_where_a_condition_comes_true(scheme):
    """y = 1 - g t^2 / 2 falls to 1/2, and is slow no more: both; one that is true at the start ends nothing."""
    stop = (y <= sp.Rational(1, 2)) & (y.diff() <= -2)
    run = falling(scheme=scheme, stop_when=stop).run()
    assert run.time[-1] == pytest.approx(np.sqrt(1 / 9.81), abs=1e-2 if isinstance(scheme, nsd.MoreauJean) else 1e-12)
    assert falling(scheme=scheme, stop_when=y <= 2).run().time[-1] == pytest.approx(2)


def test_what_is_no_condition_to_stop_at():
    with pytest.raises(ModelError, match="holds at a point"):
        falling(stop_when=sp.Eq(y, 1))
    with pytest.raises(ModelError, match="always True"):
        falling(stop_when=True)
    with pytest.raises(ModelError, match="a condition and direction") as caught:
        nsd.StopWhen(y <= 1, direction="falling")
    assert "leave the direction out" in str(caught.value)


@pytest.mark.parametrize("scheme", [nsd.EventDriven(), nsd.MoreauJean()], ids=lambda s: type(s).__name__)
def test_a_reset_into_a_contact_is_refused(scheme):
    floor = nsd.Contact("floor", y, nsd.NewtonImpact(0.5))
    throw = nsd.Reset("throw", y <= 0.5, {y: -0.25})
    with pytest.raises(NotConverged, match=r"the gap is -0.25 after what blocks have set"):
        falling([throw], [floor], scheme).run()
    assert falling([throw], [floor], scheme, allow_penetration=True)
    up = nsd.Reset("up", y <= 0.5, {y: 0.75})
    assert falling([up], [floor], scheme).run()["floor.gap"].min() > 0


@pytest.mark.parametrize(
    ("when", "resets"),
    [
        (y <= 0, {y.diff(): 0}),
        (y <= 0, {y: 0}),
        ((y <= 0) & (y.diff() <= 0), {y.diff(): 0}),
        (y - sp.sin(nsd.time) <= 0, {y.diff(): sp.cos(nsd.time)}),
    ],
)
def test_a_reset_that_stays_on_its_threshold_is_refused(when, resets):
    with pytest.raises(ModelError, match="zero after the reset") as caught:
        nsd.Reset("stop", when, resets)
    assert "nsd.Contact" in str(caught.value)


def test_resets_that_lead_away_are_made():
    """A free fall to each reset and one after it; three resets in one run, read 0.1 s or a step more after the last."""
    up = nsd.Reset("up", (y <= 0) & (y.diff() < -4), {y.diff(): -y.diff() / 2})
    stop = nsd.Reset("stop", y.diff() <= -4.5, {y: 1, y.diff(): 0})
    throw = nsd.Reset("throw", (y <= 0) & (y.diff() < 0) & (y.diff() >= -4), {y: 1, y.diff(): 4})
    fallen = np.sqrt(2 * 9.81)  # the speed at the first reset, whose half is the speed at the third one
    third = 2 * fallen / 9.81
    run = falling([up, stop, throw]).run(end=third + 0.1)
    since = run.time[-1] - third
    assert run["y"][-1] == pytest.approx(1 + 4 * since - 9.81 * since**2 / 2, abs=1e-12)
    assert run["y_dot"][-1] == pytest.approx(4 - 9.81 * since, abs=1e-12)
    again = falling([up, stop, throw]).run(initial={"ball.y": 2}, end=4.5 / 9.81 + 0.1)
    since = again.time[-1] - 4.5 / 9.81
    assert again["y"][-1] == pytest.approx(1 - 9.81 * since**2 / 2, abs=1e-12)


def test_a_latch_whose_symbol_is_called_as_its_event():
    with pytest.raises(ModelError, match="as an event of it is"):
        nsd.Latch("heater", sp.Symbol("on"), on=y <= 0, off=y >= 1)


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_an_overlap_at_the_start_is_one_at_any_size(size):
    """One part in a hundred of what lies there, in whatever units."""
    floor = nsd.Contact("floor", y - size, nsd.NewtonImpact(0.5))
    model = falling([], [floor])
    with pytest.raises(nsd.errors.ParameterError, match="must not be negative"):
        model.run(initial={"ball.y": 0.99 * size})
    model.run(initial={"ball.y": size}, end=0.01)


def test_what_rounding_leaves_of_a_body_at_rest_is_no_overlap():
    """A run goes on from where another one came to rest, all of its state 0 but for rounding."""
    z = dynamicsymbols("z")
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=z)
    floor = nsd.Contact("floor", gap=z, law=nsd.NewtonImpact(0))
    model = nsd.Model("resting", [ball], [floor], scheme=nsd.EventDriven(), step=0.1, end=1, initial={z: -6e-25})
    assert abs(model.run()["z"]).max() < 1e-12
