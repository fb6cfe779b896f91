"""Forces of joints in joint coordinates: exact ones, and those of the same statement in absolute coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ModelError
from tests.mechanisms.test_two_formulations import GRAVITY, Y, about_y, angle_of, rod

SLANTED = [1, 2, 2]


def columns(run: nsd.Trajectory, joint: str, step: float) -> np.ndarray:
    """The forces of a joint over the steps."""
    names = [c.name for c in run.columns if c.name.startswith(f"{joint}.impulse[")]
    return np.array([run[name][1:] for name in names]) / step


def test_a_pendulum_pulls_as_it_must() -> None:
    """N = m (g + x''), at the middle of each step: J a'' = -m g l sin a / 2 and J a'^2 = m g l (cos a - cos a_0)."""
    bob = rod("bob", 2, 1.0)
    pin = nsd.Revolute("pin", nsd.Marker(bob, [0, 0, 0.5], axis=Y), nsd.Marker(axis=Y))
    tree = nsd.Mechanism("tree", [pin], reactions=[pin])
    step = 1e-3
    options: dict[str, Any] = {"scheme": nsd.Rattle(), "step": step, "end": 0.8, "initial": {pin.angle: 1.2}}
    run = nsd.Model("pull", [tree], [], **options).compile(interpret=True).run()
    angle = np.asarray(run["tree.pin angle"])
    middle = (angle[1:] + angle[:-1]) / 2
    c, s = np.cos(middle), np.sin(middle)
    faster, rate2 = -GRAVITY * 0.5 * s / (1 / 12 + 0.25), GRAVITY * (c - np.cos(1.2)) / (1 / 12 + 0.25)
    along = -0.5 * (faster * c - rate2 * s)
    up = GRAVITY + 0.5 * (faster * s + rate2 * c)
    found = columns(run, "pin", step)
    np.testing.assert_allclose(found[0], along, atol=2e-4)
    np.testing.assert_allclose(found[2], up, atol=2e-4)
    np.testing.assert_allclose(found[[1, 3, 4]], 0, atol=1e-9)


def pulled(joint: bool, bearing: nsd.Bearing | None) -> nsd.Model:
    """Two rods on pins, the lower one pulled out of their plane by a spring, with or without friction in the pins."""
    a, b = rod("a", 2, 1.0), rod("b", 2, 1.0)
    held = nsd.Marker(at=[0, 0, 1.6], axis=Y)
    top = nsd.Revolute("top", nsd.Marker(a, [0, 0, 0.5], axis=Y), held, bearing=bearing)
    knee = nsd.Revolute(
        "knee", nsd.Marker(a, [0, 0, -0.5], axis=Y), nsd.Marker(b, [0, 0, 0.5], axis=Y), bearing=bearing
    )
    spring = nsd.Spring("spring", b.point([0.1, 0.2, -0.4]), [0.3, 1, 0], 30)
    options: dict[str, Any] = {"scheme": nsd.Rattle(), "step": 1e-3, "end": 0.4}
    if joint:
        tree = nsd.Mechanism("tree", [knee, top], reactions=() if bearing else [top, knee])
        start: dict[Any, Any] = {top.angle: 0.9, knee.angle: -0.5}
        return nsd.Model("tree", [tree], [spring], initial=start, **options)
    first = np.array([0, 0, 1.6]) - about_y(0.9) @ [0, 0, 0.5]
    second = first - about_y(0.9) @ [0, 0, 0.5] - about_y(1.4) @ [0, 0, 0.5]
    start = {
        a.position: first.tolist(),
        b.position: second.tolist(),
        a.quaternion: nsd.from_axis_angle(Y, 0.9),
        b.quaternion: nsd.from_axis_angle(Y, 1.4),
    }
    return nsd.Model("bodies", [a, b], [top, knee, spring], initial=start, **options)


@pytest.mark.slow
@pytest.mark.parametrize("bearing", [None, nsd.Bearing(0.3, radius=0.1)], ids=["ideal", "bearing"])
def test_forces_are_those_of_the_bodies_within_the_order_of_the_scheme(bearing: nsd.Bearing | None) -> None:
    """Rattle has order 2: half the step, a quarter of the difference; a bearing rubs under these forces."""
    off, models = [], [pulled(joint, bearing).compile(interpret=True) for joint in (True, False)]
    for step in (2e-3, 1e-3):
        tree, bodies = (model.run(step=step) for model in models)
        off.append([np.abs(tree["tree.top angle"] - angle_of(bodies, "a")).max()])
        for name in ("top", "knee"):
            one, other = columns(tree, name, step), columns(bodies, name, step)
            assert one.shape == other.shape and np.abs(other).max() > 30
            off[-1].append(np.abs(one - other).max() / np.abs(other).max())
    assert max(off[1]) < 1e-3
    np.testing.assert_allclose(np.divide(*off), 4, rtol=0.25)


KINDS: dict[str, Any] = {
    "ball": nsd.Spherical,
    "hinge": nsd.Revolute,
    "slider": nsd.Prismatic,
    "sleeve": nsd.Cylindrical,
    "table": nsd.Planar,
    "cross": nsd.Universal,
    "weld": nsd.Fixed,
    "thread": lambda name, first, second: nsd.Screw(name, first, second, lead=0.3),
}


DEFAULT = {("ball", False)}  # the others are as they are, and take seconds


@pytest.mark.parametrize(
    ("kind", "turned"),
    [
        pytest.param(kind, turned, marks=() if (kind, turned) in DEFAULT else pytest.mark.slow)
        for kind in KINDS
        for turned in (False, True)
    ],
)
def test_each_joint_keeps_what_it_keeps(kind: str, turned: bool) -> None:
    """Between a hinged beam and a body on it, which a spring pulls; the markers' axes are slanted."""
    found = []
    for joint in (True, False):
        beam, load = rod("beam", 0, 1.0), rod("load", 2, 0.6)
        pin = nsd.Revolute("pin", nsd.Marker(beam, [-0.5, 0, 0], axis=Y), nsd.Marker(axis=Y))
        pair = [nsd.Marker(load, [0.1, 0, -0.3], axis=SLANTED), nsd.Marker(beam, [0.5, 0.1, 0.2], axis=SLANTED)]
        if kind == "cross":
            pair[0] = nsd.Marker(load, [0.1, 0, -0.3], axis=[2, 1, -2])
        made = KINDS[kind]("made", *(pair[::-1] if turned else pair))
        spring = nsd.Spring("spring", load.point([0.2, 0, 0.3]), [1, 1, 2], 20)
        options: dict[str, Any] = {"scheme": nsd.Rattle(), "step": 2e-3, "end": 0.04}
        if joint:
            tree = nsd.Mechanism("tree", [pin, made], reactions=[made])
            model = nsd.Model("tree", [tree], [spring], **options)
        else:
            start = {beam.position: [0.5, 0, 0], load.position: [0.9, 0.1, 0.5]}
            if kind == "cross":
                model = nsd.Model("tree", [nsd.Mechanism("tree", [pin, made])], [], **options)
                pose = model.compile(interpret=True).tree.poses(np.zeros(3))[1]
                start |= {load.position: pose[:3].tolist(), load.quaternion: pose[3:].tolist()}
            model = nsd.Model("bodies", [beam, load], [pin, made, spring], initial=start, **options)
        found.append(model.compile(interpret=True).run())
    tree_, bodies = found
    one, other = columns(tree_, "made", 2e-3), columns(bodies, "made", 2e-3)
    assert one.shape == other.shape
    np.testing.assert_allclose(one, other, atol=2e-3 * np.abs(other).max())
    assert np.abs(tree_["rank_deficiency"]).max() == 0


def test_reactions_are_those_of_joints_of_the_mechanism() -> None:
    a = rod("a", 2, 1.0)
    pin = nsd.Revolute("pin", nsd.Marker(a, axis=Y), nsd.Marker(axis=Y))
    other = nsd.Revolute("other", nsd.Marker(a, axis=Y), nsd.Marker(axis=Y))
    with pytest.raises(ModelError, match="'other' is no joint of it"):
        nsd.Mechanism("tree", [pin], reactions=[other])
    with pytest.raises(ModelError, match="'pin angle' is no joint of it") as refused:
        nsd.Mechanism("tree", [pin], reactions=["pin angle"])
    assert "give joints of the mechanism" in refused.value.fix


def test_a_held_joint_may_be_listed_besides() -> None:
    a = rod("a", 2, 1.0)
    pin = nsd.Revolute("pin", nsd.Marker(a, axis=Y), nsd.Marker(axis=Y))
    tree = nsd.Mechanism("tree", [pin], reactions=[pin])
    for listed in ([], [pin]):
        model = nsd.Model("m", [tree], listed, scheme=nsd.Rattle(), step=1, end=1)
        assert [r.name for r in model.relations] == ["pin"]


def test_turns_about_axes_that_are_askew_keep_moments_that_are_not_known() -> None:
    a = rod("a", 2, 1.0)
    pin = nsd.Revolute("pin", nsd.Marker(a, axis=Y), nsd.Marker(axis=Y))
    askew = sp.ImmutableMatrix([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]) / 3
    pin.chain = (*pin.chain, askew, *pin.chain)
    with pytest.raises(ModelError, match="no axis of its frame is at right angles"):
        nsd.Mechanism("tree", [pin], reactions=[pin])
