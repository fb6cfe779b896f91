"""The search beside brute force, pairs of shapes beside distances found by minimisation; what pools keep."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nsdgen.model.world._shapes import touching
from scipy.optimize import minimize

import nsdgen as nsd
from nsdgen.model.world.shapes import rotation

KINDS = st.sampled_from(["sphere", "capsule", "box"])


def solid(kind, random):
    a, b, c = random.uniform(0.05, 0.3, 3)
    return {"sphere": nsd.solids.Sphere(a), "capsule": nsd.solids.Capsule(a, b), "box": nsd.solids.Cuboid([a, b, c])}[
        kind
    ]


def turned(random):
    p = random.normal(size=4)
    return p / np.linalg.norm(p)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.floats(0.0, 0.2), st.integers(2, 30))
def test_no_pair_is_missed(seed, reach, count):
    """All pairs whose balls are nearer than the reach are found, large shapes, walls and moved ones among them."""
    random = np.random.default_rng(seed)
    world = nsd.World(margin=float(random.uniform(0, 0.1)))
    world.plane([0.0, 0.6, 0.8], -0.2)
    world.stand(nsd.solids.Cuboid([4.0, 0.1, 0.2]), [0, -1, 0], turned(random))
    for _ in range(count):
        size = 0.1 if random.random() < 0.8 else 0.8
        world.add(nsd.solids.Sphere(size * random.uniform(0.5, 1)), random.uniform(-1, 1, 3))
    for _ in range(4):
        world.shapes.place(world.states, False, 0.0)
        reached = np.full(world.shapes.n, reach / 2)
        found = world.search.pairs(world.shapes, world.groups.meet, reached, 1.0, 0.0)[0]
        pairs = {tuple(sorted(p)) for p in found.tolist()}
        keys = touching(all_pairs(world), reached, *arrays(world))[1]
        assert {tuple(sorted(p)) for p in keys.tolist()} <= pairs
        world.states[:, :3] += random.uniform(-0.03, 0.03, (count, 3))


def all_pairs(world):
    n = world.shapes.n
    i, j = np.triu_indices(n, 1)
    moves = (world.shapes.body[i] >= 0) | (world.shapes.body[j] >= 0)
    return np.ascontiguousarray(np.stack([i, j], axis=1)[moves], dtype=np.intc)


def arrays(world):
    s = world.shapes
    return s.kind, s.size, s.centres, s.axes, s.form


def support_distance(a, b):
    """The distance of two convex shapes apart from each other, by minimisation over points of both."""

    def inside(shape, u):
        kind, size, at, axes = shape
        if kind == 2:
            return at + axes @ (size * np.clip(u, -1, 1))
        return at + axes @ np.array([0, 0, size[1] * np.clip(u[2], -1, 1)])

    def far(x):
        return np.sum((inside(a, x[:3]) - inside(b, x[3:])) ** 2)

    starts = np.random.default_rng(0).uniform(-1, 1, (6, 6))
    found = min(
        (
            minimize(far, s, bounds=[(-1, 1)] * 6, method="L-BFGS-B", options={"ftol": 1e-16, "gtol": 1e-12})
            for s in starts
        ),
        key=lambda r: r.fun,
    )
    return np.sqrt(found.fun) - sum(0.0 if s[0] == 2 else s[1][0] for s in (a, b))


@settings(max_examples=12)
@given(st.integers(0, 10_000), KINDS, KINDS)
def test_the_least_gap_is_the_distance(seed, first, second):
    """Of shapes apart from each other: exact but for boxes that are nearest with two corners, whose gap is less."""
    random = np.random.default_rng(seed)
    world = nsd.World()
    shapes = []
    for kind, at in ((first, np.zeros(3)), (second, random.uniform(-0.4, 0.4, 3))):
        p = turned(random)
        world.add(solid(kind, random), at, p)
        s = world.shapes
        shapes.append((int(s.kind[-1]), s.size[-1].copy(), at, rotation(p)))
    world.shapes.place(world.states, False, 0.0)
    wanted = support_distance(*shapes)
    if wanted < 1e-3:
        return  # inside each other there is no distance to compare with
    _, _, gaps, normals, _ = touching(all_pairs(world), np.full(2, 0.5), *arrays(world))
    assert np.linalg.norm(normals, axis=1) == pytest.approx(1.0, abs=1e-12)
    if first == second == "box":
        assert gaps.min(initial=np.inf) >= -1e-9 and gaps.min() <= 4 * wanted + 0.3
    else:
        assert gaps.min() == pytest.approx(wanted, abs=2e-5)


def test_gaps_of_a_box_on_another():
    """The overlap of two aligned boxes, at four places, with numbers that stay when one is shifted a little."""
    world = nsd.World()
    world.add(nsd.solids.Cuboid([0.2, 0.2, 0.1]), [0, 0, 0.05])
    world.add(nsd.solids.Cuboid([0.2, 0.2, 0.1]), [0.05, 0.03, 0.149])
    seen = []
    for shift in (0.0, 1e-4, -1e-4):
        world.states[1, 0] = 0.05 + shift
        world.shapes.place(world.states, False, 0.0)
        keys, _, gaps, normals, points = touching(all_pairs(world), np.full(2, 0.005), *arrays(world))
        assert gaps == pytest.approx([-1e-3] * 4, abs=1e-12) and np.abs(normals[:, 2]) == pytest.approx([1.0] * 4)
        assert points[:, 0].min() == pytest.approx(-0.05 + shift) and points[:, 0].max() == pytest.approx(0.1)
        seen.append(keys.tolist())
    assert seen[0] == seen[1] == seen[2]


def test_memory_stays_with_a_contact():
    """When others come and go a contact keeps its impulse, from which the next step starts."""
    world = nsd.World()
    world.plane()
    first = world.add(nsd.solids.Sphere(0.1), [0, 0, 0.1])
    world.run(0.01)
    pools = world.engine.run.pools
    (impulse,), _ = pools.rows(1)
    assert impulse[0] == pytest.approx(first.mass * 9.81 * 1e-3, rel=1e-9)
    for i in range(3):
        world.add(nsd.solids.Sphere(0.1), [1.0 + i, 0, 0.1])
    world.begin(1e-3)
    contacts = world.find(1e-3)
    world.engine.run.open(contacts, world.states[:, :3])
    rows = pools.rows(1)[0]
    assert len(rows) == 4 and (rows[0] == impulse).all() and not rows[1:].any()
