"""Convex shapes on surfaces of triangles: what a plane, a box or a hull of the same form does."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError

S = nsd.solids
G = 9.81


def ground(n=12, size=0.37, height=lambda x, y: 0 * (x + y), shift=(0.013, 0.007)):
    """A height field of uneven triangles: its places lie under no symmetry of what is on it."""
    x = (np.arange(n) - (n - 1) / 2) * size
    return S.HeightField(height(x[:, None] + shift[0], x[None, :] + shift[1]), size)


BOX_FACES = [[0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 5, 1], [0, 4, 5],
             [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 7, 3], [1, 5, 7]]  # fmt: skip


TETRAHEDRON = np.array([[1, 1, 1], [-1, -1, 1], [-1, 1, -1], [1, -1, -1]])
TETRAHEDRON_FACES = [[0, 1, 3], [0, 2, 1], [0, 3, 2], [1, 2, 3]]


def with_speck(vertices, faces):
    """A surface that stays one: around a convex body alone it is a hull, but not with another piece inside of it."""
    vertices = np.asarray(vertices, dtype=float)
    middle = 0.8 * vertices.mean(axis=0) + 0.15 * vertices[0] + 0.05 * vertices[1]  # under the middle of no triangle
    speck = middle + 1e-4 * np.ptp(vertices, axis=0).min() * TETRAHEDRON
    return S.Mesh([*vertices.tolist(), *speck.tolist()],
                  [*faces, *([len(vertices) + k for k in f] for f in TETRAHEDRON_FACES)])  # fmt: skip


def box_mesh(a, b, c):
    return with_speck([[x, y, z] for x in (-a / 2, a / 2) for y in (-b / 2, b / 2) for z in (-c / 2, c / 2)], BOX_FACES)


ROUND = [S.Sphere(0.1), S.Capsule(0.1, 0.3), S.Cylinder(0.1, 0.3)]
LYING = [np.cos(np.pi / 4), 0, np.sin(np.pi / 4), 0]


@pytest.mark.parametrize("solid", ROUND, ids=str)
def test_what_rolls_over_inner_edges_does_not_feel_them(solid):
    """Over many triangles in a plane it moves as on a half space."""
    ends = []
    for flat in (True, False):
        world = nsd.World(gravity=[0, G * np.sin(0.2), -G * np.cos(0.2)])
        world.plane() if flat else world.stand(ground(), [0.013, 0.007, 0])
        body = world.add(solid, [0, -0.5, 0.1], LYING, velocity=[0, 1.0, 0], angular_velocity=[0, 0, -10])
        world.run(0.5, every=500)
        ends.append(body.state)
    # Places of a line are cut at edges of triangles and carry as much together: rounding, and 1e-9 of a sweep's goal
    assert ends[1] == pytest.approx(ends[0], abs=2e-6)


FLAT = [
    S.Cuboid([0.4, 0.4, 0.2]),
    S.Hull(box_mesh(0.4, 0.4, 0.2).vertices),
    S.Cylinder(0.2, 0.2),
    S.RoundCone(0.2, 0.2),
]


@pytest.mark.parametrize("solid", FLAT, ids=lambda s: type(s).__name__)
def test_what_slides_over_inner_edges_does_not_feel_them(solid):
    """A body that slides on a face stops after v^2 / (2 mu g), and stays level."""
    world = nsd.World(friction=0.3)
    world.stand(ground(), [0.013, 0.007, 0])
    body = world.add(solid, [0, -0.5, 0.1], velocity=[0.3, 1.2, 0])
    world.run(0.6, every=600)
    v = np.array([0.3, 1.2])
    size = np.linalg.norm(v)
    moved = body.position[:2] - body.born[:2]
    assert moved == pytest.approx(v * size / (2 * 0.3 * G), abs=2e-3)  # the first steps sink by g h^2, 1e-5 m
    assert np.abs(body.state[4:6]).max() < 1e-3


def test_a_ball_in_a_bowl():
    """On heights z = x^2 / (2 rho) a ball that rolls swings as on the smooth trough, but for what its triangles are."""
    r, rho = 0.05, 2.0
    n, size = 81, 0.02
    world = nsd.World(friction=1.0)
    x = (np.arange(n) - (n - 1) / 2) * size
    world.stand(S.HeightField(np.repeat(x[:, None] ** 2 / (2 * rho), n, axis=1), size))
    world.add(S.Sphere(r), [0.2, 0.003, 0.2**2 / (2 * rho) + r + 4e-4], name="ball")
    run = world.run(1.0, every=1)
    crossing = run.time[np.flatnonzero(np.diff(np.sign(run["ball.position[0]"])))]
    quarter = np.pi / 2 * np.sqrt(7 / 5 * (rho - r) / G)
    assert crossing[0] == pytest.approx(quarter, rel=0.01)
    assert abs(run["ball.position[1]"][-1] - 0.003) < 1e-3 and np.abs(run["ball.position[0]"]).max() < 0.21


def low_ridge(slope):
    """Heights that fall by ``slope`` [rad] on both sides of the line x = 0."""
    x = np.linspace(-0.2, 0.2, 5)
    return S.HeightField(np.repeat(-np.abs(x)[:, None] * np.tan(slope), 5, axis=1), 0.1)


ALONG_Y = np.array([1, 1, 0, 0]) / 2**0.5
ON_EDGE = np.array([np.cos(np.pi / 8), np.cos(np.pi / 8), -np.sin(np.pi / 8), np.sin(np.pi / 8)]) / 2**0.5
ON_A_RIDGE = {
    "capsule": (S.Capsule(0.04, 0.3), 0.04, ALONG_Y),
    "cylinder": (S.Cylinder(0.04, 0.3), 0.04, ALONG_Y),
    "edge of a box": (S.Cuboid([0.08, 0.08, 0.3]), 0.04 * 2**0.5, ON_EDGE),
}


@pytest.mark.parametrize("slope", [1e-3, 0.01])
@pytest.mark.parametrize("name", ON_A_RIDGE)
def test_what_lies_along_a_low_ridge_rests_on_it(name, slope):
    """Its lowest line is over neither of the triangles there, seen along their normals: capsules and cylinders fell
    through, and gaps of edges were not seen."""
    solid, radius, turn = ON_A_RIDGE[name]
    for height in (1e-4, 1e-6, -1e-5, -1e-3):
        world = nsd.World(gravity=[0, 0, 0])
        world.stand(low_ridge(slope))
        world.add(solid, [0, 0.003, radius + height], turn, velocity=[0, 0, -0.3])
        gaps = world.find(1e-3)[1].gaps
        # What is below the line leaves a sharp edge along the normal of a slope
        way = np.cos(slope) if name == "edge of a box" and height < 0 else 1.0
        assert len(gaps) >= 2 and gaps.min() == pytest.approx(height * way, abs=1e-8), height
    world = nsd.World()
    world.stand(low_ridge(slope))
    body = world.add(solid, [0, 0.003, radius + 1e-5], turn)
    world.run(0.05, every=50)
    assert body.position[2] == pytest.approx(radius, abs=2e-5)


def test_a_ball_meets_a_ridge_and_a_box_of_triangles_as_a_box():
    """A standing box of triangles: falls on its faces, edges and corners end as those on a box."""
    for at, kind in (([0.02, 0.03, 0.36], S.Sphere(0.1)), ([0.24, 0.02, 0.32], S.Sphere(0.1)),
                     ([0.22, 0.21, 0.31], S.Sphere(0.1)), ([0.19, 0.05, 0.26], S.Cuboid([0.2, 0.2, 0.1]))):  # fmt: skip
        ends = []
        for solid in (S.Cuboid([0.4, 0.4, 0.4]), box_mesh(0.4, 0.4, 0.4)):
            world = nsd.World(friction=0.4)
            world.stand(solid)
            body = world.add(kind, at)
            world.run(0.3, every=300)
            ends.append(body.state)
        assert ends[1][:3] == pytest.approx(ends[0][:3], abs=2e-4), at


def test_a_closed_mesh_is_a_body():
    """Mass, moments and rest of a box of triangles on a plane and on a box."""
    solid = box_mesh(0.4, 0.3, 0.2)
    for plane in (True, False):
        world = nsd.World()
        world.plane() if plane else world.stand(S.Cuboid([2, 2, 0.2]), [0, 0, -0.1])
        body, like = world.add(solid, [0, 0, 0.1]), world.add(S.Cuboid([0.4, 0.3, 0.2]), [3, 3, 0.5])
        assert body.mass == pytest.approx(like.mass) and body.moments == pytest.approx(like.moments)
        world.run(0.1, every=100)
        assert body.position == pytest.approx([0, 0, 0.1], abs=1e-9)


def test_surfaces_that_are_none_are_told():
    world = nsd.World()
    vertices = np.array(box_mesh(1, 1, 1).vertices)[:8]
    with pytest.raises(ModelError, match=r"no closed surface: 3 edges have a triangle on one side alone"):
        world.add(S.Mesh(vertices, BOX_FACES[1:]), [0, 0, 1], name="open")
    with pytest.raises(ModelError, match=r"faces look inwards"):
        world.add(S.Mesh(vertices, [f[::-1] for f in BOX_FACES]), [0, 0, 1])
    with pytest.raises(ModelError, match=r"1 of 13 triangles have no area, the first is number 12"):
        world.stand(S.Mesh([*vertices, [0, 0, 0.5]], [*BOX_FACES, [0, 1, 1]]))
    with pytest.raises(ModelError, match=r"run through them in one direction"):
        world.stand(S.Mesh(vertices, [BOX_FACES[0], [0, 1, 2]]))
    with pytest.raises(ModelError, match=r"places enclose no volume"):
        S.Hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    with pytest.raises(ModelError, match=r"has heights of shape"):
        S.HeightField([[1, np.nan], [0, 0]], 1.0)
    soup = S.Mesh([v for f in BOX_FACES for v in vertices[f].tolist()], np.arange(36).reshape(-1, 3).tolist())
    assert world.add(soup, [5, 0, 1]).mass == pytest.approx(1000.0)


@pytest.mark.parametrize("spacing", [0.2, 0.05])
def test_many_triangles_below_a_box_carry_it_as_few_do(spacing):
    """Eight hundred triangles, thousands of places: all of them are looked at, of which four are kept."""
    world = nsd.World(friction=0.5)
    n = int(2 / spacing) + 1
    world.stand(S.HeightField(np.zeros((n, n)), spacing=spacing))
    body = world.add(S.Cuboid([1, 1, 0.2]), [0.013, 0.007, 0.1])
    world.run(0.05, every=50)
    assert body.position == pytest.approx([0.013, 0.007, 0.1], abs=1e-9)
    assert len(world.contacts[1].keys) == 4


def test_meshes_rest_on_each_other():
    world = nsd.World(friction=0.5)
    world.stand(box_mesh(4, 4, 1), [0, 0, -0.5])
    low, high = world.add(box_mesh(0.4, 0.3, 0.2), [0, 0, 0.1]), world.add(box_mesh(0.4, 0.3, 0.2), [0.05, 0.02, 0.3])
    world.run(0.1, every=100)
    assert low.position == pytest.approx([0, 0, 0.1], abs=1e-9) and high.position == pytest.approx(
        [0.05, 0.02, 0.3], abs=1e-9
    )
    assert [len(c.keys) for c in world.contacts] == [4, 4]


@pytest.mark.parametrize("seed", [1, 7])
def test_a_box_of_triangles_falls_on_triangles_as_a_box_does(seed):
    """Onto corners and edges; what happens after the second impact multiplies rounding."""
    turned = np.random.default_rng(seed).normal(size=4)
    ends = []
    for solid in (S.Cuboid([0.4, 0.3, 0.2]), box_mesh(0.4, 0.3, 0.2)):
        world = nsd.World(friction=0.4)
        world.stand(box_mesh(2, 2, 1), [0, 0, -0.5])
        body = world.add(solid, [0, 0, 0.35], turned / np.linalg.norm(turned))
        world.run(0.25, step=5e-4, every=500)
        ends.append(body.state)
    assert ends[1] == pytest.approx(ends[0], abs=1e-9)


def ring(radius, thickness, around, across):
    """A torus about z."""
    u, v = (2 * np.pi * np.arange(n) / n for n in (around, across))
    out = radius + thickness * np.cos(v)[None, :]
    vertices = np.stack(
        [out * np.cos(u)[:, None], out * np.sin(u)[:, None], 0 * u[:, None] + thickness * np.sin(v)], axis=-1
    )
    number = np.arange(around * across).reshape(around, across)
    right, up, both = np.roll(number, -1, 0), np.roll(number, -1, 1), np.roll(number, -1, (0, 1))
    faces = [np.stack([number, right, both], -1), np.stack([number, both, up], -1)]
    return S.Mesh(vertices.reshape(-1, 3).tolist(), np.concatenate(faces).reshape(-1, 3).tolist())


def test_a_link_hangs_in_a_link():
    """Two saddles: hollow along the rings, ridges around them; only triangles know of the hole."""
    world, solid = nsd.World(friction=0.3), ring(0.1, 0.02, 20, 10)
    world.stand(solid, [0, 0, 0], [np.sqrt(0.5), np.sqrt(0.5), 0, 0])
    link = world.add(solid, [0, 0, -0.158], [np.sqrt(0.5), 0, np.sqrt(0.5), 0], name="link")
    load = world.sensor(link)
    world.run(0.3, every=300)
    assert link.position == pytest.approx([0, 0, -0.16], abs=3e-4)
    assert load.force == pytest.approx([0, 0, link.mass * G], rel=1e-6, abs=1e-4)


def angle():
    """A prism over an L: one edge of it is in a hollow, and its ends are fans of triangles in a plane."""
    outline = 0.06 * np.array([[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]]) - 0.06
    fan, n = [[0, k, k + 1] for k in range(1, 5)], len(outline)
    walls = [f for i in range(n) for j in [(i + 1) % n] for f in ([i, j, n + j], [i, n + j, n + i])]
    faces = [*([c, b, a] for a, b, c in fan), *([n + k for k in f] for f in fan), *walls]
    return S.Mesh([[*p, z] for z in (-0.04, 0.04) for p in outline], faces)


@pytest.mark.parametrize("seed", [7, *(pytest.param(k, marks=pytest.mark.slow) for k in (5, 6, 13, 21, 24, 27))])
def test_bodies_with_hollows_stay_above_rough_ground(seed):
    """No overlap beyond what a step of 1 ms moves after the highest fall."""
    rng = np.random.default_rng(seed)
    solids, x = (angle(), ring(0.1, 0.03, 14, 8)), np.linspace(-1, 1, 21)
    world = nsd.World(friction=0.4)
    rough = 0.25 * (x[:, None] ** 2 + x[None, :] ** 2) + 0.02 * rng.normal(size=(21, 21))
    world.stand(S.HeightField(rough, spacing=0.1))
    for k in range(2 if seed == 7 else 6):
        turned = rng.normal(size=4)
        place = [*rng.uniform(-0.25, 0.25, 2), 0.35 + 0.28 * k]
        world.add(solids[k % 2], place, turned / np.linalg.norm(turned))
    fastest = np.sqrt(2 * 9.81 * world.bodies[-1].position[2])
    record = world.run(0.45 if seed == 7 else 1.2, every=1)
    assert record["deepest"].min() > -1e-3 * fastest
    assert (world.states[:, 2][: len(world.bodies)] > 0.0).all()


def test_surfaces_that_clip_a_corner_of_each_other_are_not_refused():
    """They were: of a way that ends beside the other one, a graze ends what is deeper before it."""
    solid = with_speck(0.06 * TETRAHEDRON, TETRAHEDRON_FACES)
    world = nsd.World(friction=0.9)
    world.plane()
    for height in (0.2, 0.6):
        world.add(solid, [0, 0, height])
    rest, falls = world.states
    rest[:7] = [0.140517657, -0.065915922, 0.033230604, 0.632339245, 0.466558203, -0.007663308, 0.618394531]
    falls[:7] = [0.138593816, -0.055645399, 0.230097729, 0.772280077, -0.144981545, -0.448562329, 0.425858745]
    falls[7:] = [0.461393545, -0.645404545, -3.010373661, -19.946390718, -12.034943692, -4.037730629]
    run = world.run(0.05, every=1, allow_overlap=True)
    assert run["deepest"].min() > -1e-3 * 3.1
    assert np.linalg.norm(world.states[1, :3] - world.states[0, :3]) > 0.06


def test_surfaces_that_graze_each_other_in_a_step_are_not_refused():
    """Two were refused at 0.567 s: by its end they overlap by 4e-5 m, pushed aside by other features."""
    solid = with_speck(0.06 * TETRAHEDRON, TETRAHEDRON_FACES)
    world = nsd.World(friction=0.9)
    world.plane()
    for place in [[0, 0, 0.2], *([0.02 * i, 0, 0.4 + 0.2 * i] for i in range(6))]:
        world.add(solid, place, angular_velocity=[1, 2, 3])
    run = world.run(1.0, step=1e-3, every=10)
    assert run["deepest"].min() > -1e-3 * np.sqrt(2 * 9.81 * 1.4)
    heights = [0.2, *0.4 + 0.2 * np.arange(6)]
    assert run["kinetic_energy"].max() < 9.81 * sum(b.mass * z for b, z in zip(world.bodies, heights, strict=True))


def convex(rng):
    """The corners and triangles of a hull, flat now and then."""
    places = rng.normal(size=(rng.integers(4, 30), 3)) * 0.1 * rng.uniform(0.5, 2, 3)
    hull = S.Hull(places * np.where(rng.random(3) < 0.2, 0.2, 1.0))
    return S.Mesh(hull.vertices, hull.faces)


def sunk(first, second, deep, rng):
    """A world of both, the second where the least motion that parts their hulls is ``deep`` of the first's least size.

    That motion, and that size; None where the second is thinner. It leads to the nearest face of the hull of all
    differences of their corners.
    """
    differences = (np.array(second.vertices)[:, None] - np.array(first.vertices)).reshape(-1, 3)
    faces = ConvexHull(differences).equations
    way, size = rng.normal(size=3), float(np.ptp(first.vertices, axis=0).min())
    low, high = 0.0, 10.0
    for _ in range(60):
        x = (low + high) / 2
        depth = (-faces[:, 3] - faces[:, :3] @ (differences.mean(axis=0) - x * way)).min()
        low, high = (x, high) if depth > deep * size else (low, x)
    world = nsd.World(gravity=[0, 0, 0])
    return (world, x * way - differences.mean(axis=0), depth, size) if depth > 0.9 * deep * size else None


@pytest.mark.parametrize("other", ["mesh", "hull"])
@pytest.mark.parametrize("deep", [1e-2, 0.1, 0.3, 0.6])
def test_how_deep_convex_meshes_are_in_each_other(deep, other):
    """Some were told a fourth too deep, and of those deeper than a tenth of a triangle many had no contact."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        first, second = convex(rng), convex(rng)
        if (found := sunk(first, second, deep, rng)) is None:
            continue
        world, at, depth, size = found
        world.add(first, [0, 0, 0])
        world.add(second if other == "mesh" else S.Hull(second.vertices), at)
        # A face is preferred that is square to the motion but for 1e-4 of the thickness
        assert -world.find(0.0)[0].gaps.min(initial=0.0) == pytest.approx(depth, rel=1e-6, abs=1e-4 * size)


@pytest.mark.parametrize("other", ["surface", "hull"])
@pytest.mark.parametrize("deep", [1e-3, 1e-2])
def test_how_deep_surfaces_are_in_each_other(deep, other):
    """Beside ridges places along normals of triangles were listed, too, which lead up to 1.6 times as far.

    And of bodies thinner than their triangles what was told was as deep as those are wide, a hundred times as much.
    Over ridges sharper than a right angle there was no contact at all (23), nor where a triangle alone is left over
    an edge (55).
    """
    for seed in (*range(6), 14, 15, 23, 34, 55, 69, 92, 114, 141, 146, 174, 239):
        rng = np.random.default_rng(seed)
        first, second = convex(rng), convex(rng)
        if (found := sunk(first, second, deep, rng)) is None:
            continue
        world, at, depth, size = found
        world.add(with_speck(first.vertices, first.faces), [0, 0, 0])
        world.add(with_speck(second.vertices, second.faces) if other == "surface" else S.Hull(second.vertices), at)
        assert -world.find(0.0)[0].gaps.min(initial=0.0) == pytest.approx(depth, rel=1e-3, abs=1e-5 * size)


@pytest.mark.parametrize("other", ["surface", "hull"])
def test_surfaces_deep_in_each_other_have_a_contact(other):
    """No way out of a triangle by less than a tenth of it was one of the surface, and there was no contact at all."""
    for seed, deep in ((17, 0.1), (31, 0.1), (55, 0.1), (15, 0.2), (20, 0.2), (52, 0.2)):
        rng = np.random.default_rng(seed)
        first, second = convex(rng), convex(rng)
        world, at, depth, _ = sunk(first, second, deep, rng)
        world.add(with_speck(first.vertices, first.faces), [0, 0, 0])
        world.add(with_speck(second.vertices, second.faces) if other == "surface" else S.Hull(second.vertices), at)
        assert 0.99 * depth < -world.find(0.0)[0].gaps.min(initial=0.0) < 1.15 * depth, seed


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("beside", [4e-4, 1.3e-3])
def test_a_corner_beside_a_sharp_ridge_is_as_deep_as_below_the_near_face(first, beside):
    """An edge of it leaves through the other face, under which it was told, too: 7.6 times as deep."""
    c, s = 0.1 * np.cos(0.7), 0.1 * np.sin(0.7)
    blade = S.Hull([[x, y, z] for y in (-0.1, 0.1) for x, z in ((0, 0), (-c, -s), (-0.1, 0))])
    spike = S.Hull(0.1 * np.array([[0, 0, 0], [1, 0, 0.05], [1, 0.3, 0.6], [1, -0.3, 0.6]]))
    world = nsd.World(gravity=[0, 0, 0])
    for solid, at in ((blade, [0, 0, 0]), (spike, [-beside, 0, -1e-4]))[:: -1 if first else 1]:
        world.add(with_speck(solid.vertices, solid.faces), at)
    assert -world.find(0.0)[0].gaps.min() == pytest.approx(1e-4, rel=1e-6)


def test_a_box_on_a_ring_is_pushed_up():
    """Places on the triangles beside the ridge led 15 degrees aside from there, which is farther."""
    world = nsd.World(gravity=[0, 0, 0])
    world.add(ring(0.1, 0.04, 24, 12), [0, 0, 0])
    world.add(S.Cuboid([0.4, 0.4, 0.1]), [0, 0, 0.0895])
    contacts = world.find(0.0)[0]
    assert len(contacts.gaps) > 2 and contacts.gaps == pytest.approx(-5e-4, rel=1e-9)
    assert np.abs(contacts.normals[:, 2]) == pytest.approx(1.0, rel=1e-12)


SUNK = {
    "a ball in an arm": (S.Sphere(0.01), [0.06, -0.03, 0.0], 0.03),
    "a box through the hollow": (S.Cuboid([0.04, 0.04, 0.04]), [0.0, 0.0, 0.0], 0.02),
    "an angle across another": (angle(), [0.02, 0.02, 0.01], 0.04),
    "a small surface inside": (box_mesh(0.02, 0.02, 0.02), [0.06, -0.03, 0.0], 0.03),
}


@pytest.mark.parametrize("name", SUNK)
@pytest.mark.parametrize("late", [False, True])
def test_what_is_deep_in_a_surface_is_told(name, late):
    """It has no contact with it, and was taken without a word; so was what stands and came later.

    What lies in both walls of a hollow is brought out of it; that had no contact, and was told again.
    """
    solid, at, most = SUNK[name]
    world = nsd.World()
    world.add(solid, at, name="inside")
    if late:
        world.run(1e-3)
    world.stand(angle(), name="angle")
    comes_out = "hollow" in name
    for resolve in (False,) if comes_out else (False, True):
        with pytest.raises(
            ParameterError, match=r"'(inside|angle)' and '(inside|angle)' .* at least 0\.0\d+ m"
        ) as told:
            world.run(2e-3, resolve=resolve)
    assert 0.0 < float(re.search(r"least ([0-9.]+) m", str(told.value))[1]) <= most
    world.run(2e-3, resolve=comes_out, allow_overlap=not comes_out)
    if comes_out:
        assert world.bodies[0].position[:2] == pytest.approx([0.02, 0.02], abs=1e-6)


@pytest.mark.parametrize(
    "solid", [S.Cuboid([0.4, 0.04, 0.04]), S.Hull(S.Prism([[-0.2, -0.02], [0.2, -0.02], [0, 0.02]], 0.04).vertices)]
)
@pytest.mark.parametrize("middle", [0.05, 0.12])
def test_what_lies_over_the_rim_of_open_ground_tips_there(solid, middle):
    """It fell past it freely: its middle lies behind the slope that ends there, its underside looks at its front."""
    x = np.array([-0.1, 0.0, 0.1])
    field = S.HeightField(np.repeat(x[:, None], 3, axis=1), spacing=0.1)
    closed = S.Hull([[*p, z] for z in (-0.1, 0.1) for p in [[-0.1, -0.1], [0.1, 0.1], [0.1, -0.1]]])
    ends = []
    for ground, turned in ((field, [1, 0, 0, 0]), (closed, [np.sqrt(0.5), np.sqrt(0.5), 0, 0])):
        world = nsd.World(friction=0.5)
        world.stand(ground, quaternion=turned)
        world.add(solid, [0.1 + middle, 0, 0.12], quaternion=[np.sqrt(0.5), np.sqrt(0.5), 0, 0])
        world.run(0.1)
        ends.append(world.states[0, :7].copy())
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)
    assert np.linalg.norm(ends[0][[4, 5, 6]] - [np.sqrt(0.5), 0, 0]) > 0.02  # it turns


def test_what_is_near_a_surface_is_not_told_to_be_in_it():
    """Beside it in its hollow, over it, in a ring's hole, and below ground that is open."""
    world = nsd.World()
    for solid in (S.Sphere(0.02), angle(), S.Cuboid([0.04, 0.04, 0.04]), box_mesh(0.04, 0.04, 0.04)):
        world = nsd.World()
        world.stand(angle())
        world.add(solid, [0.0205, 0.0205, 0.0] if solid != angle() else [0.0601, 0.0601, 0])
        world.run(1e-3)
    world = nsd.World()
    world.stand(ring(0.1, 0.02, 20, 10))
    world.add(S.Sphere(0.05), [0, 0, 0])
    world.run(1e-3)
