"""The chopper beside its periodic motion: by matrix exponentials, and by the textbook's formula for its other mode."""

import numpy as np
import pytest
from scipy.linalg import expm

E, L, C, T, D = 12.0, 1e-4, 1e-4, 5e-5, 0.5


def test_continuous_mode_is_the_periodic_motion(compiled):
    """After 400 periods, 8 time constants of 2 R C: what is left of the start is below 1e-8 of it."""
    run = compiled("chopper").run(end=400 * T)
    A = np.array([[0, -1 / L], [1 / C, -1 / (5.0 * C)]])

    def moved(q, time):
        held = np.linalg.solve(A, [-q * E / L, 0])
        phi = expm(A * time)
        return phi, held - phi @ held

    (on, a), (off, b) = moved(1, D * T), moved(0, (1 - D) * T)
    start = np.linalg.solve(np.eye(2) - off @ on, off @ a + b)
    np.testing.assert_allclose([run.final["chopper.i"], run.final["chopper.v"]], start, rtol=0, atol=1e-6)
    last = run.time > 399.5 * T
    assert run["chopper.i"][last].min() > 0
    top = on @ start + a
    assert abs(run["chopper.i"][run.time > 398.9 * T].max() - top[0]) < 1e-6


@pytest.mark.parametrize("R", [50.0, 200.0])
def test_discontinuous_mode_has_the_voltage_of_the_textbook(compiled, R):
    """The formula neglects the ripple: of the voltage 0.3 % here, of C v' = i - v / R in a period."""
    run = compiled("chopper").run(parameters={"R": R}, initial={"chopper.v": 9.0}, end=0.03 if R < 100 else 0.1)
    K = 2 * L / (R * T)
    mean = 2 * E / (1 + np.sqrt(1 + 4 * K / D**2))
    last = run.time > run.time[-1] - 20 * T
    assert np.trapezoid(run["chopper.v"][last], run.time[last]) / np.ptp(run.time[last]) == pytest.approx(
        mean, rel=3e-3
    )
    assert run["chopper.i"][last].min() == pytest.approx(0, abs=1e-9) and run["diode.reverse"][last].max() > 1
