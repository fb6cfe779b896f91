"""The examples of worlds, shortened, and the numbers that they claim."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "worlds"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_cube_is_held():
    """Friction holds to rounding: 1e-12 m in 200 steps."""
    lifted = example("lifted_cube")
    world = lifted.build()
    world.run(0.05, every=50)
    lifted.lift(world)
    world.run(0.25, every=50)
    assert lifted.slipped(world) < 1e-12
    assert world.bodies[0].position[2] == pytest.approx(0.05 + 0.5 * 0.5 * 0.2**2, abs=1e-6)


def test_the_wave_of_dominoes_has_a_speed():
    dominoes = example("domino_row")
    world = dominoes.build(14)
    trajectory = world.run(0.6, step=5e-4, every=4)
    times = dominoes.fallen(world, trajectory)
    assert np.isfinite(times).all() and (np.diff(times) > 0).all()
    assert 1.0 < dominoes.speed(world, trajectory) < 1.6


def test_a_wall_stands():
    """With a certificate for each step boxes creep by no more than rounding."""
    assert example("box_wall").creep(3, 3, 0.05, 0.0) < 1e-11


@pytest.mark.slow
def test_spheres_settle():
    settling = example("settling_spheres")
    world = settling.build(300)
    trajectory = world.run(1.2, every=100)
    assert 0.5 < settling.filling(world) < 0.66
    assert -trajectory["deepest"].min() < 0.04 * settling.R  # h v / 2 at 3 m/s, of 0.05 m


@pytest.mark.slow
def test_a_box_on_a_slope_does_not_creep():
    """Below the angle of friction a box stays where it is to rounding over 1e5 steps."""
    import nsdgen as nsd

    world = nsd.World(gravity=[9.81 * np.sin(0.4), 0, -9.81 * np.cos(0.4)], friction=0.5)
    world.plane()
    box = world.add(nsd.solids.Cuboid([0.2, 0.2, 0.2]), [0, 0, 0.1])
    world.run(100.0, every=100_000)
    assert np.abs(box.position - [0, 0, 0.1]).max() < 1e-11
