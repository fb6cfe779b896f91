"""From event to event where rows depend on each other, and some of them are zero but for rounding."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.study.compiled_model import CompiledModel

PITCH = 3 / np.pi
"""Of a screw of lead 6, per radian."""
MASS, INERTIA, ALONG, ABOUT = 2.0, 0.3, 0.3, 0.2
HELD = ALONG + ABOUT / PITCH
"""What both brakes together hold, along the axis [N]."""
MOVED = MASS + INERTIA / PITCH**2
t = nsd.time
ROUNDED_DIRECTIONS = nsd.EventDriven().rest_rate
"""Slower than 1e-6 m/s rounding turns the direction in which each foot slides, and with it how they share the load."""


@cache
def nut() -> CompiledModel:
    """A nut on its screw with a brake on its angle and another on its displacement, which are one freedom."""
    a, b = sp.symbols("a b")
    body = nsd.RigidBody("nut", MASS, INERTIA * sp.eye(3)).apply_force([0, 0, a * t + b])
    screw = nsd.Screw("screw", nsd.Marker(body), nsd.Marker(), 6)
    brakes = [screw.friction(ABOUT, of="angle"), screw.friction(ALONG, of="displacement")]
    return nsd.Model(
        "nut",
        [body],
        [screw, *brakes],
        scheme=nsd.EventDriven(),
        step=0.01,
        end=4,
        parameters={a: 0, b: 0},
        initial={body.position: [0, 0, 0]},
    ).compile(interpret=True)


def started(speed: float) -> dict[str, list[float]]:
    return {"nut.velocity": [0, 0, speed], "nut.angular_velocity": [0, 0, speed / PITCH]}


def test_two_brakes_stop_one_screw() -> None:
    run = nut().run(initial=started(0.5))
    np.testing.assert_allclose(run["velocity"][:, 2], np.maximum(0.5 - HELD / MOVED * run.time, 0), atol=1e-10)
    assert run.events[-1].kind == "sticks" and run.events[-1].time == pytest.approx(0.5 * MOVED / HELD, abs=1e-10)


def test_two_brakes_on_one_screw_hold_what_both_can() -> None:
    """One at its limit is no event while the other has more: both let go together."""
    run = nut().run(parameters={"a": 0.2}, initial=started(0.0))
    slips = [event.time for event in run.events if event.kind == "slips"]
    assert slips == pytest.approx([HELD / 0.2], abs=1e-10)
    since = np.maximum(run.time - HELD / 0.2, 0)
    np.testing.assert_allclose(run["velocity"][:, 2], 0.1 * since**2 / MOVED, atol=1e-10)


@cache
def box() -> CompiledModel:
    body = nsd.RigidBody("box", 2, sp.diag(0.1, 0.2, 0.25)).apply_force([0, 0, -2 * 9.81])
    floor = nsd.Plane("floor", (0, 0, 1))
    feet = [body.point([x, y, -0.3]) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]
    contacts = nsd.contacts_between(feet, floor, law=nsd.NewtonImpactFriction(0, 0.5))
    return nsd.Model(
        "box", [body], contacts, scheme=nsd.EventDriven(), step=0.01, end=0.4, initial={body.position: [0, 0, 0.3]}
    ).compile(interpret=True)


@pytest.mark.parametrize("course", [0.0, 0.3, np.pi / 4, 1.4])
@pytest.mark.few(2)
def test_a_box_slides_to_rest_on_four_corners(course: float) -> None:
    along = np.array([np.cos(course), np.sin(course), 0])
    run = box().run(initial={"box.velocity": (0.5 * along).tolist()})
    speed = np.maximum(0.5 - 0.5 * 9.81 * run.time, 0)
    np.testing.assert_allclose(run["velocity"], speed[:, np.newaxis] * along, atol=ROUNDED_DIRECTIONS)
    assert abs(run["angular_velocity"]).max() < ROUNDED_DIRECTIONS
    # The floor pulls at no corner: just before the stop directions that differ by rounding had made it do so with 1 N.
    assert min(run[f"box floor {k}.force"][:, 0].min() for k in range(4)) > -1e-9


def test_a_box_lands_flat_on_four_corners_and_stays() -> None:
    """Its impact stops what slides slowly enough: mu m v_N > m v_T; corners that carry nothing stay closed, too."""
    run = box().run(initial={"box.position": [0, 0, 0.35], "box.velocity": [0.2, 0.1, 0]})
    landed = np.sqrt(0.1 / 9.81)
    assert [event.kind for event in run.events] == ["closes"]
    assert run.events[0].time == pytest.approx(landed, abs=1e-12)
    after = run.time > landed + 1e-9
    assert abs(run["velocity"][after]).max() < 1e-9 and abs(run["position"][after, 2] - 0.3).max() < 1e-12
    carried = sum(run[f"box floor {k}.force"][after, 0] for k in range(4))
    np.testing.assert_allclose(carried, 2 * 9.81, rtol=1e-9)
