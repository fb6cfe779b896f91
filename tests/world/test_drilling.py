"""Drilling friction of pairs of materials beside closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import nsdgen as nsd

BALL = nsd.solids.Sphere(0.1)
G = 9.81


@pytest.mark.parametrize("rolling", [0.0, pytest.param(1e-3, marks=pytest.mark.slow)])
def test_a_ball_that_drills_comes_to_rest(rolling):
    """A spin about the normal falls by mu_d m g / I until it is none, for the pair of materials that has mu_d alone."""
    world = nsd.World(friction=0.4, rolling_friction=rolling)
    world.plane(material="felt", name="felt")
    world.surface("felt", "rough", friction=0.4, drilling_friction=2e-3, rolling_friction=rolling)
    spin = 6.0
    rough, smooth = (
        world.add(BALL, [x, 0, 0.1], angular_velocity=[0, 0, spin], mass=2.0, material=material)
        for x, material in ((0.0, "rough"), (1.0, "smooth"))
    )
    sensor = world.sensor(rough)
    rate = 2e-3 * G / (0.4 * 0.01)
    run = world.run(1.0, every=500)
    assert run["body 0.angular_velocity[2]"][1] == pytest.approx(spin - 0.5 * rate, rel=1e-9)
    world.run(1.4, every=400)  # it stands from 1.22 s on
    assert abs(rough.state[12]) < 1e-12 and smooth.state[12] == pytest.approx(spin, abs=1e-12)
    assert sensor.friction_work == pytest.approx(-0.4 * 2.0 * 0.01 * spin**2 / 2, rel=1e-6)
    assert np.abs(world.states[:, :2] - [[0, 0], [1, 0]]).max() < 1e-12


def test_two_bodies_drill_on_each_other():
    """Two balls pressed on each other: the moment is mu_d N, one loses what the other gains."""
    world = nsd.World(friction=0.0, drilling_friction=3e-3)
    low = world.add(BALL, [0, 0, 0], mass=1.0)
    high = world.add(BALL, [0, 0, 0.2], mass=1.0, angular_velocity=[0, 0, 3.0])
    world.gravity[:] = 0.0
    low.force, high.force = [0, 0, 10.0], [0, 0, -10.0]
    world.run(0.1, every=100)
    change = 3e-3 * 10.0 * 0.1 / (0.4 * 0.01)
    assert low.state[12] == pytest.approx(change, rel=1e-9) and high.state[12] == pytest.approx(3.0 - change, rel=1e-9)
