"""``coordinates="joint"`` and ``"absolute"``: one statement, the same motion within the order of the scheme."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ModelError
from nsdgen.symbolic.families.quaternion import compose
from nsdgen.symbolic.joints.joint import Joint
from tests.example_models import FOLDER, load
from tests.mechanisms.test_joint_coordinates import CASES


def in_absolute_coordinates(model: nsd.Model) -> nsd.Model:
    """The same model, its mechanisms as bodies and joints."""
    systems = [
        nsd.Mechanism(s.name, s.joints, coordinates="absolute") if isinstance(s, nsd.Mechanism) else s
        for s in model.systems
    ]
    options = {name: getattr(model, name) for name in ("scheme", "step", "end", "parameters", "initial", "near")}
    return nsd.Model(f"{model.name}_absolute", systems, model.relations, **options)


def apart(tree: nsd.Trajectory, mechanism: nsd.Mechanism, operators: Any, bodies: nsd.Trajectory) -> float:
    """How far the poses of all bodies are from each other at most; quaternions up to their sign."""
    own = np.column_stack([tree[c] for c in tree.names if c.startswith(f"{mechanism.name}.")])
    count, found = len(mechanism.describe_names()[0]), [0.0]
    poses = operators.poses(own[:, :count])
    for k, body in enumerate(mechanism.bodies):
        pose = poses[:, k]
        other = np.column_stack([bodies[f"{body.name}.position"], bodies[f"{body.name}.quaternion"]])
        sign = np.sign((pose[:, 3:] * other[:, 3:]).sum(axis=1))
        found.append(np.abs(pose - np.column_stack([other[:, :3], sign[:, None] * other[:, 3:]])).max())
    return max(found)


@pytest.mark.parametrize(
    "name", [n if n in ("balls", "cardan") else pytest.param(n, marks=pytest.mark.slow) for n in CASES]
)
def test_every_joint_moves_the_same_in_both(name: str) -> None:
    """Rattle has order 2: a quarter of the difference for half the step."""
    case = CASES[name]()
    start = dict(zip(case.mechanism.functions, (*case.q, *case.v), strict=True))
    model = nsd.Model(name, [case.mechanism], [], scheme=nsd.Rattle(), step=1e-2, end=0.2, initial=start)
    tree, bodies = (m.compile(interpret=True) for m in (model, in_absolute_coordinates(model)))
    off = [apart(tree.run(step=h), case.mechanism, tree.m, bodies.run(step=h)) for h in (1e-2, 5e-3)]
    assert off[1] < 2e-3
    assert off[0] > 3 * off[1] or off[0] < 1e-9


EXAMPLES = sorted(p.stem for p in FOLDER.rglob("*.py") if "nsd.Mechanism(" in p.read_text())


@pytest.mark.parametrize(
    "name", [name if name == "governor" else pytest.param(name, marks=pytest.mark.slow) for name in EXAMPLES]
)
def test_every_example_with_a_mechanism_moves_the_same_in_both(name: str) -> None:
    """Under the example's own scheme, which has order 1 where there are contacts."""
    model = load(name).model
    trees = [s for s in model.systems if isinstance(s, nsd.Mechanism)]
    tree, bodies = (m.compile(interpret=True) for m in (model, in_absolute_coordinates(model)))
    off = []
    for step in (2 * model.step, model.step):
        runs = [m.run(step=step, end=min(model.end, 0.5)) for m in (tree, bodies)]
        off.append(max(apart(runs[0], s, getattr(tree, s.name), runs[1]) for s in trees))
    assert off[1] < 2 * model.step
    assert off[0] > 1.6 * off[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_forces_of_all_joints_of_every_example_are_the_same_in_both(name: str) -> None:
    """Forces of joints as columns beside the multipliers of the bodies: half the step, half the difference."""
    model = load(name).model
    held = [
        nsd.Mechanism(s.name, s.joints, reactions=s.joints) if isinstance(s, nsd.Mechanism) else s
        for s in model.systems
    ]
    options = {n: getattr(model, n) for n in ("scheme", "step", "end", "parameters", "initial", "near")}
    tree = nsd.Model(f"{model.name}_held", held, model.relations, **options).compile(interpret=True)
    bodies = in_absolute_coordinates(model).compile(interpret=True)
    joints = [j.name for s in model.systems if isinstance(s, nsd.Mechanism) for j in s.joints]
    off: list[float] = []
    for step in (2 * model.step, model.step):
        one, other = (m.run(step=step, end=min(model.end, 0.2)) for m in (tree, bodies))
        columns = [c for c in other.names for j in joints if c.startswith(f"{j}.impulse")]
        assert len(columns) >= 5 * len(joints) and set(columns) <= set(one.names)
        pairs = [np.column_stack([run[c] for c in columns])[2:] / step for run in (one, other)]
        off.append(float(np.abs(pairs[0] - pairs[1]).max() / np.abs(pairs[1]).max()))
    assert off[1] < 3e-3
    assert off[0] > 1.8 * off[1]


JOINED = {"heavy_top": 0.1, "four_bar": 0.1, "driven_crank": 0.02, "squeezer": 0.002, "four_bars": 0.2, "bricard": 1.4}
"""Examples of bodies in joints, and how long they run [s]."""


def in_joint_coordinates(model: nsd.Model) -> nsd.Model:
    """The same model: joints in their order as a tree where they close no loop, from where its bodies start."""
    joints = [r for r in model.relations if isinstance(r, Joint) and r.chain is not None]
    group: dict[Any, Any] = {}

    def root(body: Any) -> Any:
        while body in group:
            body = group[body]
        return body

    spanning = []
    for joint in joints:
        one, other = root(joint.first.body), root(joint.second.body)
        if one is not other:
            group[one if one is not None else other] = other if one is not None else one
            spanning.append(joint)
    tree = nsd.Mechanism("tree", spanning)
    assert set(tree.bodies) == set(model.systems)
    values = model.assemble().values
    start: dict[Any, Any] = {}
    for body in tree.bodies:
        for name in ("position", "quaternion", "velocity", "angular_velocity"):
            own = getattr(body, name)
            start[own] = [values[f"{body.name}.{name}[{i}]"] for i in range(len(own))]
    options: dict[str, Any] = {n: getattr(model, n) for n in ("scheme", "step", "end", "parameters")}
    relations = [r for r in model.relations if all(r is not joint for joint in spanning)]
    held = {key: value for key, value in start.items() if len(value) == 3}  # p and -p are one attitude
    return nsd.Model(f"{model.name}_joint", [tree], relations, initial=held, near=coordinates(tree, start), **options)


def coordinates(tree: nsd.Mechanism, start: dict[Any, Any]) -> dict[Any, float]:
    """Where joints are if their bodies are there: displacements and angles, quaternions of balls."""
    flat = {f: x for own, values in start.items() for f, x in zip(own, values, strict=True)}
    found = {}
    for attachment in tree.attachments:
        joint, body, parent = attachment.joint, attachment.body, attachment.parent
        if isinstance(joint, nsd.Spherical):
            own, other = ([flat[f] for f in b.quaternion] if b else [1.0, 0.0, 0.0, 0.0] for b in (body, parent))
            turned = compose([other[0], *(-x for x in other[1:])], own)
            functions = [f for f in tree.functions if f"{joint.name} quaternion" in str(f)]
            found |= dict(zip(functions, map(float, turned), strict=True))
        else:
            found |= {f.coordinate: float(f.coordinate.subs(flat)) for f in joint.freedoms.values()}
    return found


@pytest.mark.parametrize("name", [n if n == "heavy_top" else pytest.param(n, marks=pytest.mark.slow) for n in JOINED])
def test_every_example_of_bodies_moves_the_same_in_joint_coordinates(name: str) -> None:
    """Rattle has order 2: a quarter of the difference for half the step."""
    model = load(name).model
    other = in_joint_coordinates(model)
    bodies, tree = (m.compile(interpret=True) for m in (model, other))
    (mechanism,) = other.systems
    off = []
    for step in (2 * model.step, model.step):
        runs = [m.run(step=step, end=JOINED[name]) for m in (tree, bodies)]
        off.append(apart(runs[0], mechanism, tree.tree, runs[1]))
    assert off[1] < 1e-3
    assert off[0] > 3 * off[1] or off[0] < 1e-9


@pytest.mark.slow
def test_what_moves_by_its_geometry_alone_moves_in_joint_coordinates() -> None:
    """Bricard's mechanism at large steps: rows of its last hinge agree only where it is closed, after some iterations.

    (They were taken for a contradiction at the first iteration in which they disagreed.)
    """
    bodies = load("bricard").model
    model = in_joint_coordinates(bodies)
    compiled = model.compile(interpret=True)
    run = compiled.run(step=0.02, end=1.4)
    assert (run["rank_deficiency"][1:] == 1).all()
    (mechanism,) = model.systems
    other = bodies.compile(interpret=True).run(step=0.02, end=1.4)
    assert apart(run, mechanism, compiled.tree, other) < 2e-3


def test_examples_are_found() -> None:
    """None with bodies in joints is left out."""
    assert "wiping_arm" in EXAMPLES
    kinds = ("nsd.Revolute(", "nsd.Spherical(", "nsd.Prismatic(", "nsd.Universal(", "nsd.Cylindrical(", "nsd.Planar(")
    joined = {p.stem for p in FOLDER.rglob("*.py") if any(kind in p.read_text() for kind in kinds)}
    assert joined == {*JOINED, *EXAMPLES}


def test_what_is_given_of_bodies_in_absolute_coordinates_stays() -> None:
    body = nsd.RigidBody("body", 1, sp.eye(3))
    pin = nsd.Revolute("pin", nsd.Marker(body, [1, 0, 0]), nsd.Marker())
    tree = nsd.Mechanism("tree", [pin], coordinates="absolute")
    options: dict[str, Any] = {"scheme": nsd.Rattle(), "step": 0.1, "end": 0.2}
    model = nsd.Model("m", [tree], [], initial={pin.angle: sp.pi / 2, pin.rate: 3, body.velocity: [1, 2, 3]}, **options)
    assert model.systems == [body] and model.relations == [pin]
    start = dict(zip(body.functions, body.initial_values(model.initial, model="m"), strict=True))
    np.testing.assert_allclose([start[f] for f in body.position], [0, -1, 0], atol=1e-15)
    np.testing.assert_allclose([start[f] for f in body.quaternion], [0.5**0.5, 0, 0, 0.5**0.5], atol=1e-15)
    assert [start[f] for f in body.velocity] == [1, 2, 3]
    np.testing.assert_allclose([start[f] for f in body.angular_velocity], [0, 0, 3], atol=1e-15)


def test_a_scheme_for_a_mechanism_is_that_of_its_bodies() -> None:
    bodies = [nsd.RigidBody(name, 1, sp.eye(3)) for name in ("one", "two")]
    pins = [nsd.Revolute(f"pin {b.name}", nsd.Marker(b), nsd.Marker()) for b in bodies]
    tree = nsd.Mechanism("tree", pins, coordinates="absolute")
    model = nsd.Model("m", [tree], [], scheme={tree: nsd.Rattle()}, step=0.1, end=0.2)
    assert model.schemes == [nsd.Rattle(), nsd.Rattle()]


def test_words_for_coordinates() -> None:
    body = nsd.RigidBody("body", 1, sp.eye(3))
    pin = nsd.Revolute("pin", nsd.Marker(body), nsd.Marker())
    with pytest.raises(ModelError, match="coordinates='minimal'"):
        nsd.Mechanism("tree", [pin], coordinates="minimal")
    with pytest.raises(ModelError, match="have no armature"):
        nsd.Mechanism("tree", [pin], coordinates="absolute", armature={pin: 1})
