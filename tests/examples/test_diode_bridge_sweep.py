"""The figure of docs/reference/schemes/ThetaGamma.md: orders on the diode bridge, its damping, against formulas."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
FILE = Path(__file__).resolve().parents[2] / "docs" / "figures" / "diode_bridge_sweep.py"


@pytest.fixture(scope="module")
def sweep():
    spec = importlib.util.spec_from_file_location("diode_bridge_sweep", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("theta", "gamma", "order"), [(0.5, 0.5, 2), (0.5, 1.0, 1), (1.0, 1.0, 1), (0.6, 0.6, 1)])
def test_orders_are_those_of_the_theory(sweep, compiled, theta, gamma, order):
    found = sweep.errors(compiled("diode_bridge"), theta, gamma, sweep.exact())
    assert np.log2(found[-2] / found[-1]) == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize("theta", [0.5, 0.55, 1.0])
def test_damping_is_that_of_the_linear_oscillator(sweep, compiled, theta):
    """|z|^2 of z = (1 + (1 - theta) i w h) / (1 - theta i w h), a step of the scheme, w = 1 / sqrt(L C)."""
    time, energy = sweep.energies(compiled("diode_bridge"), theta)
    wh = 1e4 * 5e-6
    factor = (1 + ((1 - theta) * wh) ** 2) / (1 + (theta * wh) ** 2)
    assert energy == pytest.approx(factor ** np.arange(len(time)), abs=1e-4)
