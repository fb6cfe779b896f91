"""The cam follower of the 2011 notes: what docs/explanation/cam_follower.md says of it, over fewer turns."""

import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

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


@pytest.mark.parametrize(("rpm", "end", "close"), [(358, 5.0, 1e-6), (660, 0.3, 1e-7), (700, 0.2, 1e-6)])
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


def test_exponents_where_every_turn_ends_on_the_closed_cam(runs):
    """Disturbances into the cam begin on it, and all motions meet on it: nothing is left of them after a turn."""
    model = runs.translated(nsd.EventDriven(), "cam_follower_events")
    found = nsd.lyapunov_exponents(model, runs.turn(358), periods=20, settle=20, parameters=runs.speed(358))
    assert np.isneginf(found.values).all() and "meet in contact" in found.words and found.rests == 20
    chaotic = nsd.lyapunov_exponents(model, runs.turn(660), periods=100, settle=20, parameters=runs.speed(660))
    assert 8 < chaotic.values[0] < 20 and 0 < chaotic.errors[0] < 4 and chaotic.rests < 5


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
