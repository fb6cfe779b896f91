"""Cam follower and diode bridge against series of the project's own making (``benchmarks/reference``).

The series come from scalar recursions written by hand from the equations, and agree with runs of
an independent simulator (provenance inside the files).
"""

import math
from pathlib import Path

import numpy as np
import pytest

DATA = Path(__file__).resolve().parent.parent / "data"


def series(name):
    """Steps and columns of a stored series."""
    stored = np.load(DATA / f"{name}.npz")
    return stored["steps"], dict(zip(stored["columns"].tolist(), stored["data"].T, strict=True))


@pytest.mark.parametrize("rpm", [358, 700])
def test_cam_follower(compiled, rpm):
    steps, reference = series(f"cam_follower_{rpm}")
    run = compiled("cam_follower").run(parameters={"omega": 2 * math.pi * rpm / 60})
    assert len(run) == 50_001
    for column, name in (("follower.u", "u"), ("follower.u_dot", "v"), ("cam.impulse", "impulse")):
        size = np.abs(reference[name]).max()
        # Impacts amplify rounding by at most a few ulps each; 1e-8 of the maximum over 50 000 steps is the goal.
        np.testing.assert_allclose(run[column][steps], reference[name], rtol=0, atol=1e-8 * size)


def test_diode_bridge(compiled):
    steps, reference = series("diode_bridge")
    run = compiled("diode_bridge").run()
    # 5000 steps of a contraction: rounding of values up to 10 V does not grow (published tolerance 1e-11).
    np.testing.assert_allclose(run["oscillator.v"][steps], reference["v"], rtol=0, atol=1e-11)
    np.testing.assert_allclose(run["oscillator.i"][steps], reference["i"], rtol=0, atol=1e-13)
    for k in range(4):
        np.testing.assert_allclose(run["bridge.lam"][steps, k], reference[f"lam{k}"], rtol=0, atol=1e-11)


def test_diode_bridge_keeps_its_laws(compiled):
    run = compiled("diode_bridge").run()
    lam, y = run["bridge.lam"][1:], run["bridge.output"][1:]
    assert lam.min() >= 0
    assert y.min() > -1e-12  # rounding of voltages of 10 V
    assert np.abs(lam * y).max() < 1e-12
    # The resistor sees |v|: lambda_0 + lambda_1 = |v| while the bridge conducts.
    resistor = lam[:, 0] + lam[:, 1]
    np.testing.assert_allclose(resistor, np.abs(run["oscillator.v"][1:]), atol=1e-11)
