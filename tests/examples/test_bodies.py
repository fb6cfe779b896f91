"""Examples of bodies and joints against what their pages say."""

import numpy as np
import pytest
from scipy.special import ellipk

from tests.joints.test_starts_off_by_rounding import entries, off


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
    energy = sum(
        0.1 * (page.GRAVITY * run[f"ball {i}.position"][:, 2] + (run[f"ball {i}.velocity"] ** 2).sum(axis=1) / 2)
        for i in range(page.COUNT)
    )
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


def test_the_tippe_top_turns_over_and_drilling_alone_changes_jelletts_integral(example):
    page = example("tippe_top")
    run = page.model.run(end=2.5)
    tilt = page.vertical(run)[:, 2]
    assert tilt[0] > 0.99 and tilt[-1] < -0.99
    assert run["position"][-1, 2] == pytest.approx(page.RADIUS + page.OFFSET, abs=1e-4)
    assert run["angular_velocity"][-1, 2] < -100
    arm = page.RADIUS - page.OFFSET * tilt
    drilled = np.cumsum(run["touch.impulse"][1:, 3] * (arm[1:] + arm[:-1]) / 2)
    change = np.diff(page.jellett(run)[[0, -1]])[0]
    assert change == pytest.approx(drilled[-1], rel=1e-3) and change < 0


def test_the_heavy_top_is_of_order_2_beside_the_elliptic_integral(example):
    page = example("heavy_top")
    errors = np.array([page.missed(page.model, steps) for steps in (200, 400, 800)])
    np.testing.assert_allclose(np.log2(errors[:-1] / errors[1:]), 2, atol=0.1)
    assert errors[-1].max() < 1e-3


def test_the_driven_crank_has_its_stroke_and_its_torque(example):
    page = example("driven_crank")
    run = page.model.run(parameters={page.mu: 0.0}, end=0.11)
    np.testing.assert_allclose(run["piston.position"][:, 0], page.stroke(page.SPEED * run.time), atol=1e-9)
    moment, angle = page.torque(run)
    rate = (page.energy(angle + 1e-5) - page.energy(angle - 1e-5)) / 2e-5
    np.testing.assert_allclose(moment, rate, atol=2e-3 * np.abs(rate).max())
    rubbed, _ = page.torque(page.model.run(end=0.11))
    assert (rubbed - moment).min() > 0, "friction takes at every angle"
    # Off its plane by rounding it passes its dead points as in it: friction would hold there what is driven.
    found, bodies = page.model.run(), ("crank", "rod", "piston")
    again = page.model.run(initial=off(entries(found, bodies), 1e-31, 0))
    np.testing.assert_allclose(again["piston.position"], found["piston.position"], atol=1e-12)


def test_the_thrown_brick_slides_with_mu_g_and_rests(example):
    page = example("thrown_brick")
    run = page.model.run()
    total = sum(page.energy(run))
    assert np.diff(total).max() < 1e-3 * total[0]
    speed = np.linalg.norm(run["velocity"][:, :2], axis=1)
    flat = np.flatnonzero((run.time > 0.8) & (speed > 0.1))
    slowing = np.diff(speed[flat]) / 5e-4
    np.testing.assert_allclose(slowing, -page.FRICTION * page.GRAVITY, rtol=1e-3)  # it yaws a little
    assert speed[-1] < 1e-12 and run["position"][-1, 2] == pytest.approx(page.SIZE[2] / 2, abs=1e-3)
