"""The cam follower of the 2011 notes: what docs/explanation/cam_follower.md says of it, over fewer turns."""

import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import fsolve

import nsdgen as nsd

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "cam_follower_chapter"


@pytest.fixture(scope="module")
def runs():
    sys.path.insert(0, str(FOLDER))
    try:
        import runs
    finally:
        sys.path.remove(str(FOLDER))
    return runs


@pytest.mark.parametrize(
    ("rpm", "end", "close"), [pytest.param(358, 5.0, 1e-6, marks=pytest.mark.slow), (660, 0.3, 1e-7), (700, 0.2, 1e-6)]
)
def test_the_translated_follower_is_the_follower_against_a_moving_cam(runs, rpm, end, close):
    """Eqs. (12.1, 12.2) and (12.3, 12.4): constraint that moves, and force with the second derivative of the cam."""
    moving, still = (
        model.run(parameters=runs.speed(rpm), step=1e-3, end=end)
        for model in (runs.absolute(nsd.EventDriven()), runs.translated(nsd.EventDriven(), "cam_follower_events"))
    )
    np.testing.assert_allclose(moving["cam.gap"][runs.on_grid(moving)], still["u"][runs.on_grid(still)], atol=close)
    assert min(moving["cam.gap"].min(), still["u"].min()) > -1e-9


def test_no_impact_is_missed_between_recorded_instants(runs):
    """At 700 rpm the follower hops for a third of a millisecond where the cam begins to fall away."""
    model = runs.absolute(nsd.EventDriven())
    coarse, fine = (model.run(parameters=runs.speed(700), step=h, end=0.3) for h in (1e-3, 1e-5))
    assert len(coarse.events) == len(fine.events) == 20
    np.testing.assert_allclose([e.time for e in coarse.events], [e.time for e in fine.events], atol=1e-7)


def test_a_contact_does_not_outlive_its_force(runs):
    """While the cam holds the follower the state says nothing of the force: its integral makes the steps short."""
    run = runs.translated(nsd.EventDriven(), "cam_follower_events").run(parameters=runs.speed(358), step=0.01)
    rows = runs.on_grid(run)
    assert run["force"][rows].min() >= 0
    assert sum(event.kind == "opens" for event in run.events) >= 25


def test_time_stepping_comes_to_the_event_driven_motion_at_first_order(runs):
    exact = runs.translated(nsd.EventDriven(), "cam_follower_events").run(parameters=runs.speed(358), step=1e-3)
    u, off = exact["u"][runs.on_grid(exact)], []
    for h in (1e-4, 1e-5):
        run = runs.translated(nsd.MoreauJean(theta=0.5), "cam_follower_steps").run(parameters=runs.speed(358), step=h)
        off.append(np.abs(run["u"][:: round(1e-3 / h)] - u)[500:].max())
    assert off[0] < 2e-2 and off[1] < 0.2 * off[0]


def test_the_attractor_at_660_is_chaotic_and_both_schemes_find_it(runs):
    assert 1.8 < runs.growth(runs.distances(660, 30)) < 3.2
    events, steps = runs.maps_of_events(660, 400), runs.maps_of_steps(660, 400)
    for a, b in ((events.stroboscopic, steps.stroboscopic), (events.impacts, steps.impacts)):
        low, high = (np.percentile(x, (5, 95), axis=0) for x in (a, b))
        np.testing.assert_allclose(low, high, atol=0.25 * np.ptp(a, axis=0).max())


def test_small_differences_vanish_at_358(runs):
    assert runs.distances(358, 20)[-1] < 1e-12


@pytest.mark.slow
def test_exponents_where_every_turn_ends_on_the_closed_cam(runs):
    """Disturbances into the cam begin on it, and all motions meet on it: nothing is left of them after a turn."""
    model = runs.translated(nsd.EventDriven(), "cam_follower_events")
    found = nsd.lyapunov_exponents(model, runs.turn(358), periods=20, settle=20, parameters=runs.speed(358))
    assert np.isneginf(found.values).all() and "meet in contact" in found.words and found.rests == 20
    chaotic = nsd.lyapunov_exponents(model, runs.turn(660), periods=100, settle=20, parameters=runs.speed(660))
    assert 8 < chaotic.values[0] < 20 and 0 < chaotic.errors[0] < 4 and chaotic.rests < 5


@pytest.fixture(scope="module")
def bifurcations():
    sys.path.insert(0, str(FOLDER))
    try:
        import bifurcations
    finally:
        sys.path.remove(str(FOLDER))
    return bifurcations


def test_rest_in_every_turn_ends_where_impacts_accumulate_as_the_cam_falls_away(runs, bifurcations):
    """Beside the ends that the page names rest comes just in time for the next turn, and not."""
    compiled = runs.translated(nsd.EventDriven(), "cam_follower_events").compile()
    for rests, not_any_more in ((306.0663, 306.0664), (335.1698, 335.1697), (386.4923, 386.4924)):
        assert 1 - 1e-3 < bifurcations.to_rest(compiled, rests) < 1
        assert np.isnan(bifurcations.to_rest(compiled, not_any_more))


def flip_in_flight(runs, bifurcations):
    """The speed [rpm] at which the multipliers of one impact a turn are -1 and -e^2, from free flight alone.

    Instant and rate at an impact as functions of those at the last one, linearised by hand: the follower is linear, its
    force the same at both, a turn apart.
    """
    given, said = runs.SAID["model"], runs.SAID
    mass, stiff, e = (
        float(getattr(given.parameters[said[n]], "value", given.parameters[said[n]])) for n in ("mu", "kappa", "e")
    )
    tight = nsd.EventDriven(rtol=1e-13, atol=1e-14)
    more = {"step": given.step, "end": given.end, "parameters": given.parameters, "initial": given.initial}
    free = nsd.Model("follower_flies", given.systems, [], scheme=tight, **more).compile()

    def missed(y):
        phase, rate, rpm = y * [1, 100, 1000]
        period, w = runs.turn(rpm), np.sqrt(stiff / mass)
        start = {"follower.u": 0.0, "follower.u_dot": rate}
        run = free.run(
            initial=start, parameters=runs.speed(rpm), start=phase * period, end=(1 + phase) * period, step=period / 64
        )
        a, before = run["u_ddot"][0], run["u_dot"][-1]
        s, c = np.sin(w * period) / w, np.cos(w * period)
        place = np.array([-rate * c - a * s, s])  # of the follower a turn later, by instant and rate of the impact
        speed = np.array([rate * w**2 * s - a * c, c])
        later = -place / before
        after = -e * (speed + a * later)
        return [run["u"][-1], (e * before + rate) / 100, later[0] + after[1] + 1 + e**2]

    return 1000 * fsolve(missed, (0.184, 0.65, 0.779), xtol=1e-13)[2]


@pytest.mark.slow
def test_the_bifurcations_of_the_page_are_located_to_1e_8(runs, bifurcations, page):
    assert bifurcations.flips() == pytest.approx(flip_in_flight(runs, bifurcations), rel=1e-8)
    assert bifurcations.collides() == pytest.approx(float(page[1]["collides"]), abs=5e-6)
    for _, turn in bifurcations.rests(300, 390, 1):
        assert turn == pytest.approx(1, abs=2e-8)


CHAOTIC = ("grown", "differ", "exponents_660", "exponents_700", "rests", "impacts_660", "impacts_700")
"""Numbers of motions that rounding changes: they are compared within what they are known to."""


@pytest.fixture(scope="module")
def page():
    """The module that measures, the numbers that the page has, its text and the text they are put into."""
    sys.path.insert(0, str(FOLDER))
    try:
        import measured
    finally:
        sys.path.remove(str(FOLDER))
    kept = tomllib.loads((FOLDER / "numbers.toml").read_text(encoding="utf-8"))
    return measured.MEASURED, kept, (FOLDER / "page.md").read_text(encoding="utf-8")


def test_the_page_has_the_numbers_that_its_command_wrote(page):
    measured, kept, text = page
    assert list(kept) == list(measured) and set(re.findall(r"{(\w+)}", text)) == set(kept)
    for name, value in kept.items():
        text = text.replace("{" + name + "}", value)
    assert text == (FOLDER.parents[1] / "docs" / "explanation" / "cam_follower.md").read_text(encoding="utf-8")


def compared(measured, kept, name):
    """Exactly, but for chaotic motions: exponents to four of their errors, counts and factors to a third."""
    now = measured[name]()
    if not name.startswith(CHAOTIC):
        parts = [re.findall(r"[-\d.e]+", text) for text in (now, kept[name])]
        assert len(parts[0]) == len(parts[1])
        np.testing.assert_allclose(*[[float(v) for v in part if v.strip("-.")] for part in parts], rtol=0.15)
    elif name.startswith("exponents"):
        (a, s, *_), (b, r, *_) = ([float(v) for v in re.findall(r"-?[\d.]+", text)] for text in (now, kept[name]))
        assert abs(a - b) < 4 * np.hypot(s, r)
    else:
        a, b = float(now), float(kept[name])
        assert abs(a - b) <= max(b / 3, 4 * np.sqrt(b) if name.startswith(("rests", "impacts")) else 0.1)


@pytest.mark.parametrize("name", ["impacts_358", "impacts_660", "apart_660"])
def test_numbers_of_the_page_are_found_again(page, name):
    compared(*page[:2], name)


@pytest.mark.slow
def test_all_numbers_of_the_page_are_found_again(page):
    for name in page[0]:
        compared(*page[:2], name)
