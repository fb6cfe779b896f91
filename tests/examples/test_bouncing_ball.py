"""The ball against its analytic motion: exact arcs, impacts at the analytic times to first order.

Dropped from z0 the ball first touches at t_1 = sqrt(2 z0 / g); flight n (n = 1, 2, ...) starts with
e^n sqrt(2 g z0), lasts 2 e^n t_1 and peaks at e^(2n) z0.
"""

import numpy as np
import pytest

import nsdgen as nsd

G, Z0, E = 9.81, 1.0, 0.9


def test_free_flight_is_an_exact_parabola(compiled):
    """With theta = 1/2 the scheme integrates constant acceleration exactly, so only rounding is left."""
    run = compiled("bouncing_ball").run(end=0.4)
    exact = Z0 - G * run.time**2 / 2
    # 80 steps, each rounding z and v to half an ulp of 1
    np.testing.assert_allclose(run["ball.z"], exact, rtol=0, atol=80 * 2**-53 * 2)


def test_every_step_is_free_flight_or_newtons_law(compiled):
    run = compiled("bouncing_ball").run()
    v, impulse = run["ball.z_dot"], run["floor.impulse"]
    h = run.attributes["step"]
    free = impulse[1:] == 0
    # A free step changes v by -g h; an impact reverses it: v = -e v_k (to rounding of v).
    np.testing.assert_allclose(np.diff(v)[free], -G * h, rtol=0, atol=1e-14)
    np.testing.assert_allclose(v[1:][~free], -E * v[:-1][~free], rtol=0, atol=1e-14)
    # The impulse is the momentum balance of its step: m (v - v_k) + m g h, m = 1 kg.
    np.testing.assert_allclose(impulse[1:][~free], (np.diff(v) + G * h)[~free], rtol=0, atol=1e-14)


def impact_times(run, count):
    """The ends of the first ``count`` steps with an impulse [s]."""
    return run.time[np.flatnonzero(run["floor.impulse"] > 0)[:count]]


def test_impacts_converge_to_the_analytic_sequence(compiled):
    """Time stepping places an impact to within a step, and the error of one carries into the next."""
    first = np.sqrt(2 * Z0 / G)
    exact = first + np.concatenate([[0], np.cumsum(2 * first * E ** np.arange(1, 6))])
    errors = {
        h: np.abs(impact_times(compiled("bouncing_ball").run(step=h, end=4.0), 6) - exact).max()
        for h in (4e-3, 1e-3, 2.5e-4, 6.25e-5)
    }
    # Each impact is detected at most one step late and its velocity is off by at most g h; over six
    # impacts the shift of the times stays below 2 * 6 * (1 + 2 e ...) h, bounded here by 20 h.
    assert all(error < 20 * h for h, error in errors.items())
    # First order: a 64 times smaller step must gain at least a factor 16 (the error is not smooth in h).
    assert errors[6.25e-5] < errors[4e-3] / 16


def test_peaks_fall_by_the_square_of_the_restitution(compiled):
    run = compiled("bouncing_ball").run(step=1e-5, end=3.5)
    z, v = run["ball.z"], run["ball.z_dot"]
    peaks = z[1:][(v[:-1] > 0) & (v[1:] <= 0)]
    # one step of lag at each impact: g h = 1e-4 m/s against 4 m/s, accumulating over 4 impacts
    np.testing.assert_allclose(peaks[:4], Z0 * E ** (2 * np.arange(1, 5)), rtol=5e-4)


def test_at_rest_the_mean_impulse_is_the_weight(compiled):
    run = compiled("bouncing_ball").run(end=30.0)
    late = run.time > 20
    h = run.attributes["step"]
    # e^n accumulates by t = 8 s; afterwards the floor carries m g, which the impulses deliver on average.
    assert run["floor.impulse"][late].mean() == pytest.approx(G * h, rel=1e-2)
    assert np.abs(run["ball.z"][late]).max() < 5 * G * h**2  # one step of free fall under the floor


def test_projection_removes_the_penetration(example):
    """The second stage of a step, direct projection on the constraint, keeps the gap above -tolerance."""
    ball = example("bouncing_ball")
    scheme = nsd.MoreauJean(theta=0.5, projection=nsd.Projection(tolerance=1e-10, metric="mass"))
    model = nsd.Model(
        "projected_ball",
        systems=[ball.ball],
        relations=[ball.floor],
        scheme=scheme,
        step=5e-3,
        end=10.0,
        parameters=ball.model.parameters,
        initial=ball.model.initial,
    )
    plain, projected = ball.model.run(), model.run()
    assert plain["floor.gap"].min() < -1e-3
    active = projected["floor.impulse"] > 0
    assert projected["floor.gap"][active].min() >= -1e-10
    pushed = projected["floor.position_impulse"] > 0
    assert pushed.any()
    assert projected["floor.gap"][pushed].max() <= 1e-15  # pushed exactly onto the floor, not above it
    # Velocities are not touched: until the first push both runs agree to the last bit.
    first = np.flatnonzero(pushed)[0]
    np.testing.assert_array_equal(plain["ball.z_dot"][: first + 1], projected["ball.z_dot"][: first + 1])
