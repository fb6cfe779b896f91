"""Pairs of convex shapes beside their definitions, and what lies, rolls and stands on them."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nsdgen.model.world._shapes import touching
from scipy.optimize import minimize

import nsdgen as nsd
from nsdgen.model.world.shapes import rotation

S = nsd.solids
G = 9.81
KINDS = ("sphere", "capsule", "box", "cylinder", "cone", "ellipsoid", "hull")
NEW = [pair for pair in combinations_with_replacement(KINDS, 2) if set(pair) & set(KINDS[3:])]


def solid(kind, random):
    a, b, c = random.uniform(0.05, 0.3, 3)
    return {
        "sphere": lambda: S.Sphere(a),
        "capsule": lambda: S.Capsule(a, b),
        "box": lambda: S.Cuboid([a, b, c]),
        "cylinder": lambda: S.Cylinder(a, b),
        "cone": lambda: S.RoundCone(a, b),
        "ellipsoid": lambda: S.Ellipsoid([a, b, c]),
        "hull": lambda: S.Hull(random.normal(size=(10, 3)) * 0.15),
    }[kind]()


def reaches(solid, d):
    """How far a solid reaches along directions (n, 3), by its definition."""
    across = np.hypot(d[:, 0], d[:, 1])
    match type(solid).__name__:
        case "Sphere":
            return np.full(len(d), solid.radius)
        case "Capsule":
            return solid.radius + solid.length / 2 * np.abs(d[:, 2])
        case "Cuboid":
            return np.abs(d) @ np.asarray(solid.edges) / 2
        case "Cylinder":
            return solid.radius * across + solid.length / 2 * np.abs(d[:, 2])
        case "RoundCone":
            return np.maximum(solid.radius * across - solid.length / 2 * d[:, 2], solid.length / 2 * d[:, 2])
        case "Ellipsoid":
            return np.linalg.norm(d * np.asarray(solid.semi_axes), axis=1)
    return (d @ np.asarray(solid.vertices).T).max(axis=1)


def apart(first, second, n):
    """How far apart two placed solids are along unit vectors (m, 3) from the second to the first."""
    (a, p, R), (b, q, Q) = first, second
    return n @ (p - q) - reaches(a, -n @ R) - reaches(b, n @ Q)


def sphere_of(m):
    k = np.arange(m) + 0.5
    z, turn = 1 - 2 * k / m, np.pi * (1 + 5**0.5) * k
    r = np.sqrt(1 - z * z)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)


DIRECTIONS = sphere_of(2000)


def true_gap(first, second):
    """The distance of two solids, or less the depth: the most that they are apart along any direction."""

    def less(x):
        return -float(apart(first, second, (x / np.linalg.norm(x))[None])[0])

    seen = apart(first, second, DIRECTIONS)
    starts = DIRECTIONS[np.argsort(-seen)[:3]]
    options = {"xatol": 1e-8, "fatol": 1e-13, "maxiter": 3000}
    return max(-minimize(less, s, method="Nelder-Mead", options=options).fun for s in starts)


def turned(random):
    p = random.normal(size=4)
    return p / np.linalg.norm(p)


def placed(kinds, seed, apart_by):
    """Two solids about as far apart as said, their shapes and what the search says of them."""
    random = np.random.default_rng(seed)
    solids = [solid(kind, random) for kind in kinds]
    turns = [turned(random) for _ in solids]
    way = random.normal(size=3)
    way /= np.linalg.norm(way)
    pair = [(s, np.zeros(3), rotation(p)) for s, p in zip(solids, turns, strict=True)]
    far = apart_by - float(apart((solids[1], np.zeros(3), pair[1][2]), pair[0], way[None])[0])
    pair[1] = (solids[1], far * way, pair[1][2])
    return pair, turns


def look(pair, turns, reach=1.0):
    world = nsd.World()
    for (s, at, _), p in zip(pair, turns, strict=True):
        world.add(s, at, p)
    world.shapes.place(world.states, False, 0.0)
    own = world.shapes
    both = np.array([[0, 1]], dtype=np.intc)
    return touching(both, np.full(2, reach / 2), own.kind, own.size, own.centres, own.axes, own.form)


def check_pair(kinds, seed, apart_by):
    pair, turns = placed(kinds, seed, apart_by)
    wanted = true_gap(*pair)
    _, found, gaps, normals, points = look(pair, turns)
    n, best = normals[0], int(gaps.argmin())
    if found[0, 0] == 1:
        n = -n
    assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
    # A face is taken where it serves as well but for 1e-4 of the thickness, at most 0.6 m.
    slack = 1e-4 * 0.6
    along = float(apart(*pair, n[None])[0])
    assert wanted - slack <= along <= wanted + 1e-9, "the normal is that of the least distance"
    assert gaps[best] == pytest.approx(along, abs=1e-7), "the gap is how far they are apart along it"
    if wanted > 1e-3:  # half the way from each shape
        for (s, at, R), sign in zip(pair, (-1, 1), strict=True):
            out = (points - at) @ DIRECTIONS.T - reaches(s, DIRECTIONS @ R)
            assert out.max() <= gaps.max() / 2 + 1e-3
            assert (sign * (points[best] - at)) @ -n <= float(reaches(s, (sign * -n @ R)[None])[0]) + gaps[
                best
            ] / 2 + 1e-7


@pytest.mark.parametrize("kinds", NEW, ids="-".join)
def test_the_gap_is_the_distance_or_depth(kinds):
    """One pose a pair: apart, nearly touching or inside each other in turn."""
    number = NEW.index(kinds)
    check_pair(kinds, number, (0.1, 1e-4, -1e-3, -0.02)[number % 4])


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(st.sampled_from(NEW), st.integers(0, 10**6), st.floats(-0.02, 0.2))
def test_the_gap_is_the_distance_in_many_poses(kinds, seed, by):
    check_pair(kinds, seed, by)


def test_the_order_of_a_pair_changes_nothing():
    """Exchanged, a pair has the same gaps and places and the opposite normal, to rounding."""
    for number, kinds in enumerate((("cone", "cone"), ("hull", "hull"), ("ellipsoid", "ellipsoid"))):
        pair, turns = placed(kinds, number, -1e-3)
        _, _, gaps, normals, points = look(pair, turns)
        _, _, others, opposite, places = look(pair[::-1], turns[::-1])
        assert gaps.min() == pytest.approx(others.min(), abs=1e-9)
        assert normals[0] == pytest.approx(-opposite[0], abs=1e-6)
        assert points[gaps.argmin()] == pytest.approx(places[others.argmin()], abs=1e-5)


# -- what they do -------------------------------------------------------------------------------

ON_ITS_SIDE = [np.cos(np.pi / 4), 0, np.sin(np.pi / 4), 0]
CUBE = [[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]


def on_a_table(solid, height, kind, **options):
    """A body on the ground, or on a large box."""
    world = nsd.World(gravity=options.pop("gravity", (0, 0, -G)), friction=options.pop("friction", 0.5))
    if kind == "plane":
        world.plane()
    else:
        world.stand(S.Cuboid([4, 4, 0.4]), [0, 0, -0.2])
    return world, world.add(solid, [0, 0, height], **options)


@pytest.mark.parametrize("on", ["plane", "box"])
@pytest.mark.parametrize("solid", [S.Cylinder(0.1, 0.3), S.RoundCone(0.1, 0.3), S.Hull(CUBE)], ids=str)
def test_what_has_a_flat_end_stands_on_it(solid, on):
    """Nothing moves by more than rounding, over 200 steps."""
    world, body = on_a_table(solid, 0.1 if isinstance(solid, S.Hull) else 0.15, on)
    before = body.state
    world.run(0.2, every=200)
    assert np.abs(body.state - before).max() < 1e-11


@pytest.mark.parametrize("on", ["plane", "box"])
def test_a_cylinder_rolls_down_a_slope(on):
    """a = 2/3 g sin(angle); a hoop's rim would give 1/2."""
    world, body = on_a_table(S.Cylinder(0.1, 0.3), 0.1, on, quaternion=[0.5**0.5, 0, 0.5**0.5, 0],
                             gravity=[0, G * np.sin(0.2), -G * np.cos(0.2)])  # fmt: skip
    world.run(0.3, every=300)
    # On a box its two ends stay the same places to 1e-7 of its size
    assert body.velocity == pytest.approx([0, 2 / 3 * G * np.sin(0.2) * 0.3, 0], abs=2e-6)


@pytest.mark.parametrize(("slope", "stands"), [(0.3, True), (0.345, False)])
def test_a_cylinder_topples_where_its_weight_leaves_its_end(slope, stands):
    """tan(slope) = 2 r / l, here 1/3 (0.3217 rad), whatever the direction."""
    down = np.array([np.cos(0.4), np.sin(0.4)]) * G * np.sin(slope)
    world, body = on_a_table(S.Cylinder(0.05, 0.3), 0.15, "plane", gravity=[*down, -G * np.cos(slope)], friction=2.0)
    world.run(0.3, every=300)
    leans = np.arccos(min(1.0, rotation(body.state[3:7])[2, 2]))
    # Upright its rim has no lowest place: until it has, it sinks by some g h^2, 1e-5 m, of a radius of 0.05 m
    assert leans < 1e-3 if stands else leans > 0.05
    assert np.abs(body.state[7:]).max() < 1e-9 or not stands


def test_an_ellipsoid_rocks_with_its_period():
    """About its lowest place by small angles: omega^2 = m g (a^2/b - b) / (I + m b^2) without slip."""
    a, b = 0.2, 0.1
    leans = [np.cos(5e-4), 0, np.sin(5e-4), 0]
    world, body = on_a_table(S.Ellipsoid([a, a, b]), b + 1.6e-7, "plane", quaternion=leans, friction=1.0)
    omega = np.sqrt(G * (a * a / b - b) / ((a * a + b * b) / 5 + b * b))
    run = world.run(2 * np.pi / omega, every=1)
    angles = run[f"{body.name}.quaternion[2]"]
    # h v / 2 of the settling at the start is 1e-6 m; the period is right to the step
    crossing = run.time[np.flatnonzero(np.diff(np.sign(angles)))]
    assert crossing[0] == pytest.approx(np.pi / 2 / omega, rel=0.02)
    assert crossing[1] == pytest.approx(3 * np.pi / 2 / omega, rel=0.02)


def test_momentum_stays_when_convex_shapes_collide():
    world = nsd.World(gravity=(0, 0, 0), friction=0.3, restitution=0.5)
    random = np.random.default_rng(5)
    for kind, x, v in (("cone", -0.35, 1.5), ("hull", 0.0, 0.0), ("ellipsoid", 0.45, -2.0)):
        world.add(solid(kind, random), [x, 0.02 * x, 0], turned(random), velocity=[v, 0, 0])
    masses = np.array([b.mass for b in world.bodies])
    before = masses @ world.states[:, 7:10]
    world.run(0.4, every=400)
    assert np.abs(world.states[:, 7:10] - [[1.5, 0, 0], [0, 0, 0], [-2, 0, 0]]).max() > 0.3
    assert masses @ world.states[:, 7:10] == pytest.approx(before, abs=1e-12 * masses.sum())


def test_volume_and_inertia_of_hulls():
    """Of a box as a hull of its corners, and of a cone beside a pyramid of many sides."""
    from nsdgen.model.world.shapes import shape_of

    box = shape_of(S.Hull([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)]), "here")
    assert box.volume == pytest.approx(6) and box.centre == pytest.approx([0.5, 1, 1.5])
    assert box.inertia == pytest.approx(np.diag([13, 10, 5]) / 12)
    cone, turns = shape_of(S.RoundCone(0.3, 0.8), "here"), np.arange(60) * np.pi / 30
    rim = np.stack([0.3 * np.cos(turns), 0.3 * np.sin(turns), np.full(60, -0.4)], axis=1)
    pyramid = shape_of(S.Hull([*rim, [0, 0, 0.4]]), "here")
    # A polygon of 60 sides has 1 - 1.8e-3 of the area of its circle
    assert pyramid.volume == pytest.approx(cone.volume, rel=2e-3)
    assert pyramid.centre == pytest.approx(cone.centre, abs=1e-9)
    assert pyramid.inertia == pytest.approx(cone.inertia, rel=4e-3, abs=1e-9)


# -- several solids on one body -----------------------------------------------------------------


def test_a_body_of_several_solids():
    """An L of two boxes: mass, centre and moments by hand; turned axes; it stands where its centre is over its foot."""
    from nsdgen.model.world.bodies import fill
    from nsdgen.model.world.shapes import parts_of, shape_of

    corner = S.Compound([(S.Cuboid([0.3, 0.1, 0.1]), [0.1, 0, 0]), (S.Cuboid([0.1, 0.1, 0.2]), [0, 0, 0.15])])
    found = fill(parts_of(corner, "here", shape_of), None, 1000.0, True)
    assert found.mass == pytest.approx(5.0)
    assert found.centre == pytest.approx([(3 * 0.1 + 2 * 0.0) / 5, 0, (3 * 0.0 + 2 * 0.15) / 5])
    own = np.zeros((3, 3))
    for m, edges, at in ((3.0, (0.3, 0.1, 0.1), (0.1, 0, 0)), (2.0, (0.1, 0.1, 0.2), (0, 0, 0.15))):
        e, d = np.array(edges), np.array(at) - found.centre
        own += m * (np.diag((e @ e - e**2) / 12) + d @ d * np.eye(3) - np.outer(d, d))
    assert found.axes @ np.diag(found.moments) @ found.axes.T == pytest.approx(own, abs=1e-12)
    assert np.linalg.det(found.axes) == pytest.approx(1.0)
    world, body = on_a_table(corner, 0.05, "plane")
    assert body.position == pytest.approx(found.centre + [0, 0, 0.05])
    before = body.state
    world.run(0.1, every=100)
    assert np.abs(body.state - before).max() < 1e-10


def test_parts_make_no_other_body_than_one_solid():
    """A cylinder of two halves falls on its rim, rolls and comes to lie as one that is whole."""
    ends = []
    half = S.Cylinder(0.1, 0.1)
    for solid in (S.Cylinder(0.1, 0.2), S.Compound([(half, [0, 0, 0.05]), (half, [0, 0, -0.05])])):
        world, body = on_a_table(solid, 0.25, "plane", quaternion=[np.cos(0.3), np.sin(0.3), 0, 0])
        world.run(0.25, every=250)
        ends.append(body.state)
    assert ends[1] == pytest.approx(ends[0], abs=1e-6)


BESIDE_A_GAP = {
    "box": S.Cuboid([1, 1, 0.2]),
    "hull": S.Hull([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.1, 0.1)]),
}


@pytest.mark.parametrize("under", BESIDE_A_GAP)
@pytest.mark.parametrize("log", [S.Capsule(0.1, 0.4), S.Cylinder(0.1, 0.4)], ids=lambda s: type(s).__name__)
def test_a_log_rests_on_two_edges_along_it(log, under):
    """It had one place on each, at one end or the other, between which it rocked: it sank by a centimetre a second."""
    world = nsd.World(friction=0.3)
    for x in (-0.57, 0.57):
        world.stand(BESIDE_A_GAP[under], [x, 0, -0.1])
    height = np.sqrt(0.1**2 - 0.07**2)
    body = world.add(log, [0, 0.01, height + 1e-5], [0.5**0.5, 0.5**0.5, 0, 0])
    world.run(0.3, every=300)
    assert body.position == pytest.approx([0, 0.01, height], abs=2e-5)


@pytest.mark.parametrize("slope", [1e-3, 0.01, 0.03])
def test_a_rod_rests_along_a_low_roof(slope):
    """A face of it was taken as the direction, and over that there is none of the rod."""
    t = 0.2 * np.tan(slope)
    outline = ((-0.2, -t), (0, 0), (0.2, -t), (-0.2, -0.2), (0.2, -0.2))
    world = nsd.World(gravity=[0, 0, 0])
    world.stand(S.Hull([[x, y, z] for y in (-0.2, 0.2) for x, z in outline]))
    world.add(S.Capsule(0.04, 0.3), [0, 0.003, 0.04 - 1e-5], [0.5**0.5, 0.5**0.5, 0, 0])
    found = world.find(0.0)[1]
    assert found.gaps == pytest.approx([-1e-5, -1e-5], rel=1e-6)
    assert np.ptp(found.points[:, 0, 1]) == pytest.approx(0.3)


def test_a_cone_between_edges_falls_on_its_tip():
    """It lies on the edges with its base alone: its side leads away from them."""
    heights = []
    for under in BESIDE_A_GAP.values():
        world = nsd.World(friction=0.3)
        for x in (-0.57, 0.57):
            world.stand(under, [x, 0, -0.1])
        body = world.add(S.RoundCone(0.1, 0.4), [0, 0.01, np.sqrt(0.1**2 - 0.07**2) + 1e-5], [0.5**0.5, 0.5**0.5, 0, 0])
        world.run(0.2, every=200)
        heights.append(body.position[2])
    assert heights[0] < 0.06 and heights[1] == pytest.approx(heights[0], abs=1e-4)
