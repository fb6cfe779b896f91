"""The valve, the winch and the loudspeaker, motion and first-order states together, against what is known of them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq


def bouncing(
    rates: Callable[[float, np.ndarray], list[float]], state: np.ndarray, end: float, wall: float, restitution: float
) -> tuple[list[float], np.ndarray]:
    """Times of impacts of s[0] on a wall below, and the state at the end, by an integrator with events."""

    def gap(t: float, s: np.ndarray) -> float:
        return s[0] - wall

    gap.terminal, gap.direction = True, -1
    t, hits = 0.0, []
    while t < end:
        found = solve_ivp(rates, [t, end], state, rtol=1e-12, atol=1e-14, method="DOP853", events=gap)
        t, state = found.t[-1], found.y[:, -1].copy()
        if found.status == 1:
            hits.append(t)
            state[:2] = wall, -restitution * state[1]
    return hits, state


def test_the_valve_hits_its_seat_when_an_independent_integrator_does(compiled) -> None:
    def rates(t: float, s: np.ndarray) -> list[float]:
        return [s[1], -1.25 * s[1] - (s[0] + 10) + s[2], 20 * (2 - s[0] * math.sqrt(s[2]))]

    run = compiled("relief_valve").run()
    hits, end = bouncing(rates, np.array([1, 0, 10.5]), 20.0, 0.0, 0.8)
    assert [event.time for event in run.events if event.kind == "closes"] == pytest.approx(hits, abs=1e-8)
    assert np.array([run[c][-1] for c in ("y", "y_dot", "p")]) == pytest.approx(end, abs=1e-7)


def test_the_valve_loses_its_stability_where_routh_says(compiled) -> None:
    """The roots of s^3 + (kappa + D) s^2 + (1 + kappa D) s + D + beta sqrt(p), D = beta y / (2 sqrt(p))."""

    def lifted(q: float) -> float:
        return brentq(lambda y: y * math.sqrt(y + 10) - q, 0, q)

    def growth(q: float) -> float:
        root = math.sqrt(lifted(q) + 10)
        D = 10 * lifted(q) / root
        return max(np.roots([1, 1.25 + D, 1 + 1.25 * D, D + 20 * root]).real)

    assert brentq(growth, 8, 9) == pytest.approx(8.49, abs=0.005)  # as the example says
    model = compiled("relief_valve")
    for q in (8.3, 8.7):
        start = {"y": lifted(q) + 1e-4, "p": lifted(q) + 10}
        run = model.run(parameters={"q": q}, initial=start, end=30.0)
        away = np.abs(run["y"] - lifted(q))
        found = np.log(away[run.time > 25].max() / away[(run.time > 5) & (run.time < 10)].max()) / 20
        assert found == pytest.approx(growth(q), abs=0.03) and found * growth(q) > 0


def test_the_valve_grazes_its_seat_where_its_swing_reaches_it(compiled) -> None:
    model = compiled("relief_valve")
    for q, touches in ((7.5, True), (7.6, False)):
        run = model.run(parameters={"q": q}, initial={"y": 3.0, "p": 12.1}, end=150.0)
        late = [event.time for event in run.events if event.time > 100]
        assert bool(late) is touches


def test_the_winch_shares_its_momentum_and_lifts_and_lowers_at_speeds_in_closed_form(compiled) -> None:
    run = compiled("slack_rope").run()
    J, d, k, R, m, g, r, U = 0.02, 0.01, 0.6, 1.0, 8.0, 9.81, 0.05, 24.0
    taut = np.flatnonzero(run["rope.impulse"] > 0)[0]
    before, after = run["angle_dot"][taut - 1], run["angle_dot"][taut]
    assert after == pytest.approx(before * J / (J + m * r**2), rel=5e-3)  # forces of one step besides
    assert run["load.z_dot"][taut] == pytest.approx(r * after, rel=1e-9)
    for instant, voltage in ((1.99, U), (6.5, 0.0)):
        at = np.searchsorted(run.time, instant)
        speed = (k * voltage / R - m * g * r) / (d + k**2 / R)
        assert run["angle_dot"][at] == pytest.approx(speed, rel=1e-6)
        assert run["current"][at] == pytest.approx((m * g * r + d * speed) / k, rel=1e-6)
        assert run["rope.impulse"][at] == pytest.approx(m * g * 1e-3, rel=1e-6)
    assert abs(run["z"][-1]) < 1e-9 and run["rope.gap"][-1] > 0.02


def test_the_drum_winds_up_the_slack_as_a_linear_system_does(compiled) -> None:
    """Until the rope is taut drum and current are two linear equations: order 2."""
    model, T = compiled("slack_rope"), 0.15
    A = np.array([[-0.5, 30.0], [-300.0, -500.0]])

    def rates(t: float, s: np.ndarray) -> np.ndarray:
        return np.array([s[1], *(A @ s[1:] + [0, 12000.0])])

    exact = solve_ivp(rates, [0, T], [0, 0, 0], rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1]
    errors = []
    for step in (5e-4, 2.5e-4):
        run = model.run(step=step, end=T)
        errors.append(np.abs(np.array([run[c][-1] for c in ("angle", "angle_dot", "current")]) - exact).max())
    assert errors[1] < 5e-4 and errors[0] / errors[1] == pytest.approx(4, rel=0.1)


def test_the_loudspeaker_is_a_linear_two_port_at_small_amplitudes(compiled) -> None:
    run = compiled("loudspeaker").run(parameters={"U": 1e-3}, end=0.5)
    omega = 2 * math.pi * 40
    late = slice(-1250, None)  # a period
    motion = 1500 - 0.012 * omega**2 + 1j * omega
    gain = 6 / ((6 + 6e-4j * omega) * motion + 1j * omega * 36)
    turned = np.exp(-1j * omega * run.time[late])
    assert 2j * np.mean(run["x"][late] * turned) == pytest.approx(1e-3 * gain, rel=1e-4)
    current = 1e-3 * motion * gain / 6
    assert 2j * np.mean(run["i"][late] * turned) == pytest.approx(current, rel=1e-4)


def test_the_loudspeaker_knocks_when_an_independent_integrator_does(compiled) -> None:
    def rates(t: float, s: np.ndarray) -> list[float]:
        factor = 6 * math.exp(-((s[0] / 8e-3) ** 2))
        return [
            s[1],
            (factor * s[2] - s[1] - 1500 * s[0]) / 0.012,
            (12 * math.sin(80 * math.pi * t) - 6 * s[2] - factor * s[1]) / 6e-4,
        ]

    run = compiled("loudspeaker").run(parameters={"U": 12})
    hits, end = bouncing(rates, np.zeros(3), 0.2, -5e-3, 0.3)
    struck = run.time[run["plate.impulse"] > 0]
    assert struck == pytest.approx(hits, abs=4e-5)
    assert run["i"][-1] == pytest.approx(end[2], abs=2e-3)


def test_a_valve_that_chatters_comes_to_rest_and_opens_when_its_pressure_is_the_preload(compiled) -> None:
    """At q = 0.2 impacts accumulate; closed, p' = beta q, and the disc leaves its seat at p = delta."""
    run = compiled("relief_valve").run(parameters={"q": 0.2}, end=5.0)
    (opening,) = (event for event in run.events if event.kind == "opens")
    hits = [event.time for event in run.events if event.kind == "closes"]
    gaps = np.diff(hits[10:-1])  # the last one is where they accumulate
    assert gaps[1:] / gaps[:-1] == pytest.approx(0.8, abs=0.03)  # each flight is r times the one before
    at_rest = np.flatnonzero((run.time > hits[-1] + 0.01) & (run.time < opening.time))
    assert len(at_rest) > 50 and np.abs(run["y"][at_rest]).max() < 1e-9
    assert np.diff(run["p"][at_rest]) == pytest.approx(20 * 0.2 * np.diff(run.time[at_rest]), abs=1e-9)
    assert run["p"][opening.after] == pytest.approx(10, abs=1e-9)

    def rates(t: float, s: np.ndarray) -> list[float]:
        return [s[1], -1.25 * s[1] - (s[0] + 10) + s[2], 20 * (0.2 - s[0] * math.sqrt(s[2]))]

    free = solve_ivp(rates, [opening.time, 5], [0, 0, 10], rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1]
    assert np.array([run[c][-1] for c in ("y", "y_dot", "p")]) == pytest.approx(free, abs=1e-6)
