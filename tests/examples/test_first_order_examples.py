"""The circuits, controllers and switches among the examples, against what is known of them without nsdgen."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from scipy.integrate import solve_ivp


def test_the_bridge_feeds_its_coil_with_the_rectified_source(compiled) -> None:
    """L i' = |V sin w t| - R i: an equation without laws, integrated by a Runge-Kutta method."""
    model = compiled("rectifiers")
    run, fine = model.run(), model.run(step=5e-6)
    w = 2 * np.pi * 50

    def slope(t: float, i: np.ndarray) -> np.ndarray:
        return (17 * abs(np.sin(w * t)) - 10 * i) / 0.05

    instants = np.linspace(0, 0.1, 101)
    exact = solve_ivp(slope, (0, 0.1), [0.0], t_eval=instants, max_step=1e-4, rtol=1e-10, atol=1e-12).y[0]
    _approaches_to_first_order(run["i_bridge"][::100], fine["i_bridge"][::200], exact)


def _approaches_to_first_order(coarse: np.ndarray, fine: np.ndarray, exact: np.ndarray) -> None:
    """Half the step, half the error; what both say of h = 0 is a hundred times nearer."""
    error = np.abs(coarse - exact).max()
    assert np.abs(fine - exact).max() == pytest.approx(error / 2, rel=0.03)
    assert np.abs(2 * fine - coarse - exact).max() < error / 50


def test_the_half_wave_conducts_until_its_current_is_zero(compiled) -> None:
    """Within a period i is that of the RL circuit from rest, up to the zero of the closed form."""
    run = compiled("rectifiers").run()
    w, t = 2 * np.pi * 50, run.time[:2000]
    z, phase = np.hypot(10, w * 0.05), np.arctan2(w * 0.05, 10)
    closed = 17 / z * (np.sin(w * t - phase) + np.sin(phase) * np.exp(-200 * t))
    end = np.flatnonzero(closed[1:] < 0)[0]
    assert np.abs(run["i_half"][:end] - closed[:end]).max() < 1e-3
    assert np.abs(run["i_half"][end + 2 : 2000]).max() < 1e-12


def test_the_smoothed_voltage_is_that_of_a_switched_equation(compiled) -> None:
    """C v' = max(0, |source| - v) / R_s - v / R_L."""
    model = compiled("rectifiers")
    run, fine = model.run(), model.run(step=5e-6)

    def slope(t: float, v: np.ndarray) -> np.ndarray:
        return (np.maximum(0, 17 * abs(np.sin(100 * np.pi * t)) - v) / 0.5 - v / 50) / 1e-3

    instants = np.linspace(0, 0.1, 101)
    exact = solve_ivp(slope, (0, 0.1), [0.0], t_eval=instants, max_step=1e-4, rtol=1e-9, atol=1e-10).y[0]
    _approaches_to_first_order(run["smoothed.v"][::100], fine["smoothed.v"][::200], exact)


def test_the_buck_converter_slides_exactly_and_obeys_the_reduced_equation(compiled) -> None:
    run = compiled("buck_converter").run()
    late = (run.time > 2e-3) & (run.time < 8e-3)
    assert np.abs(run["duty.output"][late]).max() < 1e-9
    start = np.flatnonzero(run.time > 2e-3)[0]
    t = run.time[late] - run.time[start]
    reduced = 6 + (run["v"][start] - 6) * np.exp(-t / 3e-4)
    assert np.abs(run["v"][late] - reduced).max() < 1e-4
    assert run["duty.u"][late][-1] == pytest.approx(6 / 12, abs=1e-6)
    dry = run["i"] < 1e-9
    assert 100 < dry[8001:].sum() < 1000 and run["i"].min() > -1e-12
    assert run["v"][-1] == pytest.approx(3, abs=1e-6)


def test_the_implicit_twisting_controller_stays_where_the_explicit_one_chatters(compiled) -> None:
    run = compiled("twisting").run()
    late = run.time > 5
    sizes = {name: np.abs(run[f"mass {name}.x_{name}"][late]).max() for name in ("explicit", "implicit")}
    assert sizes["implicit"] < 0.5 * 0.02**2 * 2 and sizes["explicit"] > 10 * sizes["implicit"]
    held = run["u_implicit"][late]
    assert np.abs(held + 0.5 * np.cos(2 * (run.time[late] - 0.02))).max() < 0.05
    assert np.count_nonzero(np.diff(run["u_explicit"][late])) > 50


def test_the_explicit_twisting_loop_is_its_recursion(compiled) -> None:
    """x, v by hand: u held for ten steps, the disturbance by the trapezoidal rule, as in the scheme."""
    run = compiled("twisting").run(end=1.0)
    x, v, h = 1.0, 1.0, 2e-3
    u = 0.0
    for k in range(500):
        if k % 10 == 0:
            u = -4 * np.sign(x) - 2 * np.sign(v)
        new = v + h * (u + 0.25 * (np.cos(2 * k * h) + np.cos(2 * (k + 1) * h)))
        x, v = x + h / 2 * (v + new), new
    assert (run["x_explicit"][-1], run["v_explicit"][-1]) == pytest.approx((x, v), abs=1e-12)


def test_the_motor_is_exact_at_every_sample_whatever_the_step(compiled) -> None:
    """The loop by SciPy's exponential and the controller in Python."""
    model = compiled("motor_control")
    A = np.array([[-200.0, -20.0], [50.0, -0.05]])
    B = np.array([[200.0, 0.0], [0.0, -500.0]])
    whole = scipy.linalg.expm(0.01 * np.block([[A, B], [np.zeros((2, 4))]]))
    x, integral, states = np.zeros(2), 0.0, []
    for k in range(201):
        states.append(x)
        error = 150 - x[1]
        wanted = 0.3 * error + integral
        if abs(wanted) < 24:
            integral += 0.01 * 2.0 * error
        voltage = max(-24.0, min(24.0, wanted))
        x = whole[:2, :2] @ x + whole[:2, 2:] @ [voltage, 0.0 if 0.01 * k < 0.9999 else 0.2]
    before = 100
    for step in (0.01, 0.001, 0.0005):
        run = model.run(step=step)
        every = round(0.01 / step)
        found = np.stack([run["current"], run["motor.speed"]], axis=1)[::every]
        assert np.abs(found[:before] - np.array(states)[:before]).max() < 1e-10
        assert run["motor.speed"][-1] == pytest.approx(150, abs=0.01)


def test_the_ring_of_genes_has_the_period_of_its_piecewise_solution(compiled) -> None:
    """Delays u = exp(-T / 6) between crossings satisfy u^3 - 2 u + 1 = 0: u is the golden ratio less 1."""
    run = compiled("gene_network").run()
    for gene in ("a", "b", "c"):
        x = run[f"ring.{gene}"]
        up = run.time[1:][(x[:-1] < 1) & (x[1:] >= 1)][3:]
        assert np.diff(up) == pytest.approx(6 * np.log((1 + np.sqrt(5)) / 2), abs=0.01)


def test_genes_slide_on_thresholds(compiled) -> None:
    model = compiled("gene_network")
    run = model.run()
    arrival = np.log((2 - 0.1) / (2 - 1.0))
    assert np.abs(run["homeostat.h"][run.time > arrival + 0.01] - 1).max() < 1e-12
    assert run["s_homeostat_"][-1, 0] == pytest.approx(0.5)
    assert (run["toggle.p"][-1], run["toggle.q"][-1]) == pytest.approx((0, 2), abs=1e-9)
    equal = model.run(initial={"toggle.p": 0.3, "toggle.q": 0.3})
    assert np.abs(equal["toggle.p"][-1000:] - 1).max() < 1e-12 and (equal["toggle.p"] == equal["toggle.q"]).all()


def test_the_colpitts_oscillator_keeps_its_laws_and_forgets_its_start(compiled) -> None:
    model = compiled("colpitts_oscillator")
    run = model.run(end=60)
    lam, y = run["transistor.lam"][1:], run["transistor.output"][1:]
    assert lam.min() >= 0 and y.min() > -1e-11 and np.abs(lam * y).max() < 1e-10
    other = model.run(end=60, initial={"circuit.v1": 1e-6})
    apart = np.abs(run["v1"] - other["v1"])
    assert apart[:1000].max() < 1e-5
    calm = model.run(end=60, parameters={"R_c": 1})
    assert np.ptp(calm["v1"][-5000:]) < 0.05 * np.ptp(run["v1"][-5000:])
