"""Latches: against closed forms and SciPy's events."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, NotConverged

from .switchings import SCHEMES, times

x, v = dynamicsymbols("x v")
q = sp.symbols("q")


class TestLatch:
    """A value that remembers which of two conditions came true last."""

    @pytest.mark.parametrize(("scheme", "within"), [("events", 1e-11), ("steps", 1e-4), ("exponentials", 1e-14)])
    def test_a_thermostat(self, scheme: str, within: float) -> None:
        room = nsd.FirstOrderSystem("room", [x], [2 * q - x])
        relay = nsd.Latch("relay", q, on=x <= 0.9, off=x >= 1.1)
        run = nsd.Model(
            "room", [room], scheme=SCHEMES[scheme](), step=0.01, end=5, blocks=[relay], initial={x: 0}
        ).run()
        instants = [math.log(2 / 0.9)]
        while len(instants) < len(run.events):
            instants.append(instants[-1] + (math.log(1.1 / 0.9)))
        assert np.abs(times(run, "relay") - instants).max() < within
        assert [event.kind for event in run.events][:3] == ["off", "on", "off"] and run["q"][0] == 1

    def test_thresholds_that_meet_are_refused(self) -> None:
        low, high = sp.symbols("low high")
        room = nsd.FirstOrderSystem("room", [x], [2 * q - x])
        with pytest.raises(ModelError, match="one threshold"):
            nsd.Latch("relay", q, on=x <= 1, off=x >= 1)
        relay = nsd.Latch("relay", q, on=x <= low, off=x >= high)
        for scheme in SCHEMES.values():
            model = nsd.Model(
                "room",
                [room],
                scheme=scheme(),
                step=0.01,
                end=5,
                blocks=[relay],
                initial={x: 0},
                parameters={low: 1, high: 1},
            )
            with pytest.raises(NotConverged, match=r"block 'relay': its condition comes true again"):
                model.run()

    def test_both_at_the_start_is_off(self) -> None:
        still = nsd.FirstOrderSystem("still", [x], [-x + q])
        latch = nsd.Latch("latch", q, on=x <= 5, off=x >= -5, initial=1)
        model = nsd.Model("still", [still], scheme=nsd.EventDriven(), step=0.1, end=0.1, blocks=[latch], initial={x: 0})
        assert model.run()["q"][0] == 0

    @pytest.mark.parametrize("scheme", SCHEMES)
    def test_a_ramp_and_what_a_clock_holds_at_the_start(self, scheme: str) -> None:
        """Until a ramp falls for the first time, at the start, it is 1: the first pulse that it makes was left out.

        A clock that acts there reads a latch of states as the start has it. Two lags are driven by half a second of
        pulse, and by what the clock holds.
        """
        copy, low, saw = sp.Symbol("copy"), sp.Symbol("low"), nsd.Ramp("saw", period=1)
        lags = [nsd.FirstOrderSystem("lag", [x], [q - x]), nsd.FirstOrderSystem("late", [v], [copy - v])]
        latch = nsd.Latch("latch", q, on=saw.ramp <= 0, off=saw.ramp >= sp.Rational(1, 2))
        clock = nsd.Sampled("clock", period=1, holds={copy: low})
        blocks = [clock, saw, latch, nsd.Latch("empty", low, on=v <= 1, off=v >= 2)]
        start = {x: 0, v: 0}
        model = nsd.Model("start", lags, scheme=SCHEMES[scheme](), step=0.125, end=0.875, blocks=blocks, initial=start)
        run = model.run()
        assert run["q"][0] == run["copy"][0] == 1 and np.abs(times(run, "latch") - 0.5).max() < 1e-12
        close = 1e-3 if scheme == "steps" else 1e-9
        assert run["x"][-1] == pytest.approx(math.exp(-0.375) - math.exp(-0.875), abs=close)
        assert run["v"][-1] == pytest.approx(1 - math.exp(-0.875), abs=close)

    @pytest.mark.parametrize("seed", [0, 2, 3, 5])
    def test_random_systems_beside_scipy(self, seed: int) -> None:
        """Two states that turn and decay, a latch that drives them, a reset that kicks: every instant to 1e-8."""
        rng = np.random.default_rng(seed)
        matrix = np.array([[-0.2, 2.0], [-2.0, -0.2]]) + 0.3 * rng.standard_normal((2, 2))
        push = 3 * rng.standard_normal(2)
        low, high, kick = -0.4 - rng.random(), 0.4 + rng.random(), 0.5 * rng.random()
        start = 2 * rng.standard_normal(2)
        values = sp.Matrix(matrix) * sp.Matrix([x, v]) + sp.Matrix(push) * q
        plant = nsd.FirstOrderSystem("plant", [x, v], list(values))
        latch = nsd.Latch("latch", q, on=x <= low, off=x >= high)
        jump = nsd.Reset("jump", v >= high, {v: v - kick})
        model = nsd.Model(
            "random",
            [plant],
            scheme=nsd.EventDriven(),
            step=0.1,
            end=5,
            blocks=[latch, jump],
            initial={x: start[0], v: start[1]},
        )
        run = model.run()
        expected, final = by_scipy(matrix, push, low, high, kick, start, 5.0)
        found = [(event.name, event.kind, event.time) for event in run.events]
        assert [pair[:2] for pair in found] == [pair[:2] for pair in expected]
        assert np.abs(np.array([p[2] for p in found]) - [p[2] for p in expected]).max() < 1e-8
        assert run["plant.x"][-1] == pytest.approx(final, abs=1e-7)


def by_scipy(
    matrix: np.ndarray, push: np.ndarray, low: float, high: float, kick: float, start: np.ndarray, end: float
) -> tuple[list[tuple[str, str, float]], float]:
    """Every switching, one integration after the other, and x at the end."""
    quantities = (lambda _, s: low - s[0], lambda _, s: s[0] - high, lambda _, s: s[1] - high)
    names = [("latch", "on"), ("latch", "off"), ("jump", "when")]
    found: list[tuple[str, str, float]] = []
    state, t, on = np.array(start), 0.0, float(start[0] <= low)

    def motion(until: float, events: list[Any] | None = None) -> Any:
        return solve_ivp(
            lambda _, s: matrix @ s + push * on,
            (t, until),
            state,
            events=events,
            rtol=1e-12,
            atol=1e-13,
            method="DOP853",
        )

    while True:
        events = []
        for quantity in quantities:
            event: Any = partial(quantity)
            event.terminal, event.direction = True, 1
            events.append(event)
        solved = motion(end, events)
        if solved.status != 1:
            return found, float(solved.y[0, -1])
        which = next(k for k in range(3) if len(solved.t_events[k]))
        t, state = float(solved.t[-1]), solved.y[:, -1].copy()
        found.append((*names[which], t))
        on = {0: 1.0, 1: 0.0}.get(which, on)
        if which == 2:
            state[1] -= kick
        solved = motion(t + 1e-6)  # away from the zero, of which rounding makes another one
        t, state = t + 1e-6, solved.y[:, -1]
