"""Cam follower and diode bridge against series of the project's own making (``benchmarks/reference``).

The series come from scalar recursions written by hand from the equations, and agree with runs of
an independent simulator (provenance inside the files).
"""

import importlib.util
import math
import sys
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


@pytest.fixture(scope="module")
def recursions():
    """The scalar recursions behind the stored series, run here over every step."""
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "reference" / "recursions.py"
    spec = importlib.util.spec_from_file_location("recursions", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("rpm", [358, 700])
def test_cam_follower_at_every_one_of_its_50_000_steps(compiled, recursions, rpm):
    omega = 2 * math.pi * rpm / 60
    reference = recursions.cam_follower(recursions.Cam(omega=omega), 50_000, 1e-4)
    run = compiled("cam_follower").run(parameters={"omega": omega})
    table = np.column_stack([run["follower.u"], run["follower.u_dot"], run["cam.impulse"]])
    # The goal is 1e-8 of each column's maximum; rounding alone leaves 1e-13 over the whole run.
    assert np.abs(table - reference).max(axis=0) / np.abs(reference).max(axis=0) == pytest.approx(0, abs=1e-12)


def test_bouncing_ball_at_every_step(compiled, recursions):
    reference = recursions.ball(recursions.Ball(), 2000, 5e-3)
    run = compiled("bouncing_ball").run()
    table = np.column_stack([run["ball.z"], run["ball.z_dot"], run["floor.impulse"]])
    np.testing.assert_allclose(table, reference, rtol=0, atol=1e-12)  # published tolerance of this problem
