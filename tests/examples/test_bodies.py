"""Examples of bodies and joints against what their pages say."""

import numpy as np
import pytest
from scipy.special import ellipk


def test_the_wing_nut_turns_over_at_the_intervals_of_the_elliptic_functions(example):
    page = example("dzhanibekov")
    run = page.model.run(step=5e-3)
    i1, i2, i3 = page.MOMENTS
    start = run["angular_velocity"][0]
    energy, momentum = start**2 @ np.array(page.MOMENTS), (start * page.MOMENTS) @ (start * page.MOMENTS)
    if momentum < i2 * energy:
        i1, i3 = i3, i1
    rate = np.sqrt((i3 - i2) * (momentum - energy * i1) / (i1 * i2 * i3))
    m = (i2 - i1) * (energy * i3 - momentum) / ((i3 - i2) * (momentum - energy * i1))
    middle = run["angular_velocity"][:, 1]
    turns = np.flatnonzero(np.diff(np.sign(middle)))
    zeros = run.time[turns] - middle[turns] * 5e-3 / np.diff(middle)[turns]
    assert len(zeros) > 3
    np.testing.assert_allclose(np.diff(zeros), 2 * ellipk(m) / rate, rtol=1e-3)
    assert np.ptp(page.energy(run)) < 1e-6


def test_the_last_ball_of_the_cradle_takes_nearly_all(example):
    page = example("newtons_cradle")
    run = page.model.run(end=0.5)
    first = run["ball 0.velocity"][:, 0].max()
    last = run[f"ball {page.COUNT - 1}.velocity"][:, 0].max()
    assert 0.9 < last / first < 1
    energy = sum(0.1 * (page.GRAVITY * run[f"ball {i}.position"][:, 2] + (run[f"ball {i}.velocity"]**2).sum(axis=1) / 2)
                 for i in range(page.COUNT))
    np.testing.assert_allclose(energy, energy[0], atol=1e-5)


def test_the_four_bar_holds_together_and_swings_with_its_crank(example):
    page = example("four_bar")
    run = page.model.run()
    for joint in ("shaft", "bearing", "pin", "head"):
        assert np.abs(run[f"{joint}.gap"]).max() < 1e-10
    rate = run["rocker.angular_velocity"][:, 1]
    turn = 2 * np.pi / page.SPEED
    again = np.interp(run.time[:1500] + turn, run.time, rate)
    np.testing.assert_allclose(again, rate[:1500], atol=2e-2)


def test_the_walker_finds_its_gait(example):
    page = example("passive_walker")
    run = page.model.run()
    omega = run["angular_velocity"][:, 1]
    steps = np.flatnonzero(np.diff(omega) < -0.3)
    assert len(steps) > 8
    assert np.mean(omega[steps[-4:] + 2]) == pytest.approx(page.gait(), rel=2e-3)
    assert np.abs(run["wheel.position"][:, 1]).max() < 1e-9
