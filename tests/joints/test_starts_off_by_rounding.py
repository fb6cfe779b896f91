"""A start that is off its plane by rounding moves as the one in it: no row is too small to be solved beside others.

Mechanisms in a plane keep what leaves it, or damp it until doubles end; the truth is the run that starts in the plane.
"""

from __future__ import annotations

import numpy as np
import pytest

import nsdgen as nsd
from tests.example_models import load

PARTS = ("position", "quaternion", "velocity", "angular_velocity")


def entries(run: nsd.Trajectory, bodies: tuple[str, ...]) -> dict[str, float]:
    """What a run began with, entry by entry."""
    found = {f"{b}.{part}": np.ravel(run[f"{b}.{part}"][0]) for b in bodies for part in PARTS}
    return {f"{name}[{k}]": float(value) for name, values in found.items() for k, value in enumerate(values)}


def off(start: dict[str, float], size: float, seed: int) -> dict[str, float]:
    """The same with ``size`` times a normal number where it is zero."""
    rng = np.random.default_rng(seed)
    return {name: value or size * rng.normal() for name, value in start.items()}


def moved_alike(name: str, bodies: tuple[str, ...], size: float, seed: int) -> None:
    """A run and the same off its plane."""
    model = load(name).model
    run = model.run()
    found = model.run(initial=off(entries(run, bodies), size, seed))
    for body in bodies:
        places = run[f"{body}.position"]
        np.testing.assert_allclose(found[f"{body}.position"], places, atol=1e-8 * max(1.0, np.abs(places).max()))


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e-318, 1e-200, 1e-31, 1e-20, 1e-14])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("name", "bodies"), [("driven_crank", ("crank", "rod", "piston")), ("four_bar", ("crank", "coupler", "rocker"))]
)
def test_mechanisms_in_a_plane(name: str, bodies: tuple[str, ...], size: float, seed: int) -> None:
    """At dead points friction would hold what is driven: what solves that case is 1e7 times what acts."""
    moved_alike(name, bodies, size, seed)
