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


def test_an_arch_stands_as_long_as_it_is_thick_enough():
    """t/R = 0.1075 is the limit (Heyman); after its joints have closed by g h^2 the thick one rests."""
    arch = example("masonry_arch")
    world = arch.build(0.115, 11)
    settled = arch.sinks(world, 0.2)
    assert abs(settled) < 2e-4 and abs(arch.sinks(world, 0.3)) < 1e-5
    assert arch.sinks(arch.build(0.09, 11), 0.3) > 3e-3


def test_a_tray_that_shakes_carries_all_alike():
    """By what its velocities say, to first order in the step: two hundred a period."""
    ratchet = example("friction_ratchet")
    world = ratchet.build()
    world.run(2 * ratchet.PERIOD, step=ratchet.PERIOD / 200, before=ratchet.shake)
    assert world.states[:, 0] / 2 == pytest.approx(ratchet.gain(), rel=0.015)


def test_a_hand_lifts_a_cube():
    """It rises with the fingers and is carried without sliding: it lags by h v / 2, as what moves as told is ahead."""
    hand = example("robot_hand")
    world = hand.build()
    world.run(0.8, before=hand.lead)
    taken = hand.slid(world)
    world.run(1.1, before=hand.lead)
    assert world.bodies[0].position[2] == pytest.approx(hand.TOP + hand.CUBE / 2 + 0.5 * hand.PACE - 0.002, abs=1e-3)
    faster = 2.0 * (1.1 - 0.8)
    assert hand.slid(world) - taken == pytest.approx(1e-3 * faster / 2, abs=2e-6)


def test_rocks_lose_energy_and_stay_above_ground():
    rocks = example("rockfall")
    world = rocks.build(5)
    trajectory = world.run(1.5, step=2e-3, every=5)
    # 1e-6 of the energy at the start is what sweeps may leave of it
    assert np.diff(rocks.energy(world, trajectory)).max() < 1e-6
    assert rocks.run_out(world) > 2.0 and trajectory["deepest"].min() > -0.02  # h v / 2 at 10 m/s is 0.01 m


@pytest.mark.filterwarnings("ignore::nsdgen.errors.ModelWarning")
def test_a_small_hole_jams():
    hopper = example("hopper")
    world = hopper.build(1.4, 80)
    world.run(0.4, step=2e-3, every=1000, before=hopper.drop)
    gone = hopper.left(world)
    world.run(0.6, step=2e-3, every=1000, before=hopper.drop)
    assert hopper.left(world) == gone < 10


def test_a_crane_carries_its_load():
    """At rest: the scale carries the load, the motor the arm alone, as the rope is slack."""
    crane = example("crane")
    world = crane.build()
    world.joints.all[0].limit = 200.0
    run = world.run(0.02, every=10)
    assert run["scale.force[2]"][-1] == pytest.approx(-crane.LOAD * crane.G, abs=1e-4)
    assert run["winch.moment[1]"][-1] == pytest.approx(-crane.ARM * crane.G * crane.LENGTH / 2, rel=1e-4)


def test_falling_discs_are_carried():
    """A row at rest: floor and walls carry all of their weight."""
    discs = example("falling_discs")
    world = discs.build(1)
    assert discs.carried(world.run(0.4, step=2e-3, every=20), world) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::nsdgen.errors.ModelWarning")
def test_a_silo_flows_as_beverloo_says():
    """k is 1.4 for spheres in experiments; of some hundred spheres a hole it is known to about a half."""
    hopper = example("hopper")
    holes = np.array([3.5, 4.25, 5.0])
    assert 0.9 < hopper.constant(holes, np.array([hopper.flow(hole)[0] for hole in holes])) < 1.9


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
