"""The mechanisms of the examples: each shows what its page says, by formulas where there are some."""

from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import nsdgen as nsd

from ..example_models import load


@cache
def compiled(name):
    return load(name).model.compile()


def test_an_elastic_wall_keeps_the_energy_of_a_double_pendulum():
    pendulum = compiled("double_pendulum")
    run = pendulum.run(parameters={"e": 1.0}, end=5, step=5e-4)
    q, v = (np.column_stack([run[f"{c}{of}"] for c in "ab"]) for of in ("", "_dot"))
    energy = pendulum.pendulum.kinetic_energy(0.0, q, v) + pendulum.pendulum.potential_energy(0.0, q, v)
    assert np.ptp(energy) < 5e-3 and (run["wall.impulse"] > 0).sum() >= 3
    assert run["wall.gap"].min() > -5e-4 * 5


def test_a_wall_with_restitution_takes_energy():
    run = compiled("double_pendulum").run()
    assert abs(run["a"][8000:]).max() < 0.7 * abs(run["a"][:2000]).max()


def test_the_slider_stays_between_its_guides():
    run = compiled("slider_crank").run(end=0.05)
    gaps = np.column_stack([run[f"corner{i}.gap"] for i in range(1, 5)])
    assert gaps.min() > -1e-4 and gaps.max() < 2.1e-3 and abs(run["tilt"]).max() > 1e-3
    assert ((run["corner1.impulse[0]"] > 0) != (run["corner2.impulse[0]"] > 0)).any()


def test_the_woodpecker_hops_down_in_a_limit_cycle():
    run = compiled("woodpecker").run()
    bird = run["b"]
    peaks = np.flatnonzero((bird[1:-1] < bird[:-2]) & (bird[1:-1] <= bird[2:]) & (bird[1:-1] < -0.5))
    starts = run.time[peaks[np.r_[True, np.diff(peaks) > 1000]]]
    assert np.diff(starts) == pytest.approx(0.146, abs=1e-3)
    heights = np.interp(starts, run.time, run["y"])
    assert np.diff(heights) == pytest.approx(-0.0197, abs=5e-4)
    assert (np.abs(run["y_dot"]) < 1e-10).mean() > 0.1  # jammed


def test_the_rocking_block_loses_what_housner_says_and_rests():
    run = compiled("rocking_block").run()
    rate = run["turn_dot"]
    first = np.flatnonzero(np.diff(np.sign(run["turn"])))[0]
    ratio = rate[first + 8] / rate[first - 8]
    assert ratio == pytest.approx(1 - 1.5 / (1 + (0.8 / 0.2) ** 2), abs=0.01)
    assert abs(run["turn"][-1]) < 1e-4 and abs(rate[-2000:]).max() < 5e-3


def test_the_hand_slides_on_the_table():
    run = compiled("two_link_manipulator").run()
    assert run["table.gap"].min() > -1e-3 and 0.2 < (run["table.impulse"] > 0).mean() < 0.5
    pressing = run["table.impulse"][2300:2500] / 1e-3
    # In the middle of the arc the circle is 5 cm below the table: 400 N/m times that, and a little of the dampers.
    assert pressing.max() == pytest.approx(400 * 0.05, rel=0.15)
    arm = compiled("two_link_manipulator").arm
    assert arm.regressor([0.3, 0.4], [1, 2], [1, 2], [0, 1]).shape == (2, 2)


def test_the_oscillator_sticks_and_slips():
    run = compiled("friction_oscillator").run()
    late = run.time > 20
    speed, force = run["x_dot"][late], run["friction.force[0]"][late]
    sticks = np.abs(speed) < 1e-12
    assert 0.2 < sticks.mean() < 0.6 and np.abs(force).max() <= 0.3 + 1e-12
    assert np.abs(np.abs(force[~sticks]) - 0.3).max() < 1e-9
    held = run["x"][late] - np.cos(0.3 * run.time[late])  # k x - A cos: what friction holds
    inside = sticks & np.roll(sticks, 1) & np.roll(sticks, -1)  # in the step that stops it the mean of two forces acts
    assert np.abs(force[inside] - held[inside]).max() < 1e-3


def test_the_yoyo_turns_round_with_a_jerk():
    yoyo = load("yoyo")
    run = compiled("yoyo").run(end=3)
    inertia, massive = 3e-5, 0.06 * yoyo.radius**2
    bottom = int(np.argmin(run["z"]))
    ratio = run["phi_dot"][bottom + 5] / run["phi_dot"][bottom - 5]
    assert ratio == pytest.approx((inertia - massive) / (inertia + massive), abs=0.01)
    falls = -9.81 / (1 + inertia / massive) / 2  # until the end of the string
    early = run.time < 1.5
    assert np.abs(run["z"][early] - falls * run.time[early] ** 2).max() < 1e-4


def test_the_chains_of_balls():
    run = compiled("ball_chain").run()
    speeds = {name: np.array([run[f"{name} {i}.x_dot"][-1] for i in range(6)]) for name in ("newton", "traced")}
    for found in speeds.values():
        assert found.sum() == pytest.approx(1) and (found**2).sum() == pytest.approx(1)
    assert speeds["newton"] == pytest.approx([-2 / 3] + 5 * [1 / 3])
    assert speeds["traced"][-1] > 0.98 and -0.08 < speeds["traced"][0] < -0.06


def test_the_tip_of_the_arm_sticks_to_the_table_and_slides():
    """Friction is at its bound where the tip slides; where it sticks its moment balances the motor of the base."""
    run = compiled("wiping_arm").run()
    pressed = slice(500, None)
    normal, *tangents = (run[f"tip table 0.impulse[{i}]"][pressed] for i in range(3))
    friction = np.hypot(*tangents)
    angle, rate = run["arm.base angle"][pressed], run["arm.base angle rate"][pressed]
    still = np.abs(rate) < 1e-9
    assert 0.2 < still.mean() < 0.6 and normal.min() > 0.02
    assert friction[~still] == pytest.approx(0.4 * normal[~still], rel=1e-6)
    time = run.time[pressed]
    motor = 60 * (np.sin(2 * time) / 2 - angle) + 4 * (np.cos(2 * time) - rate)
    # The tip at shoulder + forearm, seen from above; forces act at its place, their moment about the vertical.
    lean, bent = run["arm.shoulder angle"][pressed], run["arm.elbow angle"][pressed]
    radius = 0.5 * np.cos(lean) + 0.4 * np.cos(lean + bent)
    moment = radius * (np.cos(angle) * tangents[1] - np.sin(angle) * tangents[0]) / 1e-3
    inner = np.flatnonzero(still[1:-1] & still[:-2] & still[2:]) + 1
    assert moment[inner] == pytest.approx(-motor[inner], abs=0.05)  # the motor acts at the end of a step, h d/dt = 4e-3


@pytest.mark.parametrize(
    ("scheme", "share"), [(nsd.MoreauJean(), 1), pytest.param(nsd.EventDriven(), 0.1, marks=pytest.mark.slow)]
)
def test_the_stiff_governor_follows_three_equations_of_lagrange(scheme, share):
    """Angle b of both rods below the horizontal, height s of the slider, w of the shaft: thin rods, J(b) w constant.

    The thickness of the rods, 1e-4 of their inertia, is what is left of the difference from event to event.
    """
    page = load("governor")
    b, s, db, ds, w, u = sp.symbols("b s db ds w u")

    def of_rod(f):
        return sp.integrate(page.ROD * f, (u, 0, 1)) + page.END * f.subs(u, 1)

    radius, fall = page.HALF + u * sp.cos(b), u * sp.sin(b)
    turning = 2 * of_rod(sp.expand(radius**2)) + 0.3 * 2e-4 / 12 + 3 * 0.02 / 12
    inertia = 2 * of_rod(u**2)
    length = sp.sqrt((sp.cos(b) / 2) ** 2 + (1 - sp.sin(b) / 2 - s) ** 2)
    rate = length.diff(b) * db + length.diff(s) * ds
    pull = -2 * (page.STIFFNESS * (length - page.LENGTH) + page.DAMPING * rate)
    rates = [
        db,
        ds,
        (turning.diff(b) * w**2 / 2 + page.GRAVITY * 2 * of_rod(fall).diff(b) + pull * length.diff(b)) / inertia,
        pull * length.diff(s) / 3 - page.GRAVITY,
        -turning.diff(b) * db * w / turning,
    ]
    f = sp.lambdify([b, s, db, ds, w], rates)
    times = np.arange(0, 2.01, 0.1)
    start = [page.OPEN, 0.5, 0, 0, page.SPEED]
    exact = solve_ivp(lambda t, y: f(*y), (0, 2), start, method="Radau", rtol=1e-9, atol=1e-11, t_eval=times)
    run = page.make(scheme).compile(interpret=True).run(step=2e-3, end=2.0)
    np.testing.assert_allclose(run["governor.sleeve displacement"][::50], exact.y[1], atol=1.5e-4 * share)
    np.testing.assert_allclose(run["governor.left pin angle"][::50], exact.y[0], atol=3e-4 * share)
    np.testing.assert_allclose(run["governor.bearing angle rate"][::50], exact.y[4], rtol=2e-3 * share)
