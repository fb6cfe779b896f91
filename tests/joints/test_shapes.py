"""Contacts of smooth shapes: gaps and gradients beside geometry done otherwise, motion beside closed forms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import nsdgen as nsd
from nsdgen import shapes
from nsdgen.errors import ModelError

G = 9.81
FLOOR = nsd.Plane("floor", [0, 0, 1])
STICKY = nsd.NewtonImpactFriction(0, 0.5)
TURN = Rotation.from_rotvec([0.4, -0.7, 1.2])
OTHER = Rotation.from_rotvec([-0.3, 0.2, 0.5])


def body(name: str = "b", inertia: float = 0.004) -> nsd.RigidBody:
    return nsd.RigidBody(name, 1, inertia * sp.eye(3)).apply_force([0, 0, -G])


def pose(x, turn: Rotation) -> np.ndarray:
    return np.concatenate([x, np.roll(turn.as_quat(), 1)])


def compiled(contact, *bodies):
    initial = {b.position: [10 * i, 0, 10] for i, b in enumerate(bodies)}
    return nsd.Model(
        "m",
        list(bodies),
        [contact],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=1e-3,
        initial=initial,
        allow_penetration=True,
    ).compile()[contact.name]


def test_an_ellipsoid_touches_where_its_lowest_point_is() -> None:
    """Minimisation over the surface finds the same height; sliding rates are those of that point."""
    b, semi = body(), np.array([0.3, 0.2, 0.1])
    found = compiled(shapes.ellipsoid_plane("e", b, semi.tolist(), FLOOR, STICKY), b)
    at = pose([0.1, 0.2, 0.5], TURN)

    def height(s):
        return (
            0.5
            + TURN.apply(semi * np.array([np.cos(s[0]) * np.cos(s[1]), np.sin(s[0]) * np.cos(s[1]), np.sin(s[1])]))[2]
        )

    lowest = min((minimize(height, s, tol=1e-14) for s in ([0, 0], [2, 0.5], [4, -0.5])), key=lambda r: r.fun)
    assert float(found.gap(0.0, at)) == pytest.approx(lowest.fun, abs=1e-10)
    c, s = lowest.x
    arm = semi * np.array([np.cos(c) * np.cos(s), np.sin(c) * np.cos(s), np.sin(s)])
    omega, v = np.array([0.3, -1, 0.7]), np.array([1, 2, 3.0])
    rates = found.sliding_twist(0.0, at) @ np.concatenate([v, omega])
    np.testing.assert_allclose(rates, (v + TURN.apply(np.cross(omega, arm)))[:2], atol=1e-6)


def spread(count: int, seed: int) -> list[np.ndarray]:
    """Axes, diagonals of faces and of the cube, all of them 1e-9 off, and random ones: unit vectors."""
    grid = [np.array(d, float) for d in itertools.product((-1, 0, 1), repeat=3) if any(d)]
    rng = np.random.default_rng(seed)
    off = [d + 1e-9 * rng.normal(size=3) for d in grid]
    return [d / np.linalg.norm(d) for d in [*grid, *off, *rng.normal(size=(count, 3))]]


A_ENDS, B_ENDS = np.array([[-0.5, 0.1, 0.2], [0.5, -0.1, 0.1]]), np.array([[0.1, -0.3, 0], [0, 0.4, -0.1]])
TWISTS = np.array([[1, 2, 3, 0.3, -1, 0.7], [-0.4, 0.8, 0.1, 1.1, 0.2, -0.6]])


def between(p: np.ndarray, r: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The distance of two segments by a search over all that can be nearest, and the two points."""
    (a, u), (b, v) = ((e[0], e[1] - e[0]) for e in (p, r))
    inner = np.linalg.lstsq(np.stack([u, -v], axis=1), b - a, rcond=None)[0]
    tries = [inner] if ((inner >= 0) & (inner <= 1)).all() else []
    tries += [(s, np.clip((a + s * u - b) @ v / (v @ v), 0, 1)) for s in (0, 1)]
    tries += [(np.clip((b + t * v - a) @ u / (u @ u), 0, 1), t) for t in (0, 1)]
    return min(
        ((float(np.linalg.norm(a + s * u - b - t * v)), a + s * u, b + t * v) for s, t in tries),
        key=lambda found: found[0],
    )


@pytest.fixture(scope="module")
def segments():
    """Capsules of radii 0.05 and 0.1 and edges, between the same bodies."""
    return touching(nsd.NewtonImpact(0))


def touching(law: nsd.Law):
    a, b = body("a"), body("b")
    capsules = shapes.capsule_capsule("c", a, 0.05, A_ENDS.tolist(), b, 0.1, B_ENDS.tolist(), law)
    edge = shapes.edge_edge("e", a, A_ENDS.tolist(), b, B_ENDS.tolist(), nsd.NewtonImpact(0), outward=[0, 0, 1])
    model = nsd.Model(
        "m",
        [a, b],
        [capsules, edge],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=1e-3,
        initial={a.position: [0, 0, 10], b.position: [0, 0, 0]},
    ).compile()
    return [model[f"c {i}"] for i in range(5)], model["e"]


def placed(ends: np.ndarray, x: np.ndarray, turn: Rotation) -> np.ndarray:
    return x + turn.apply(ends)


def test_capsules_in_every_direction(segments) -> None:
    """The smallest gap is the distance; rates are those of the surfaces."""
    every_direction(segments, ("gap",))


@pytest.mark.slow
def test_capsules_slide_in_every_direction() -> None:
    """The frames are orthonormal and right-handed, sliding rates those of the surfaces."""
    every_direction(touching(STICKY), ("gap", "sliding"))


def every_direction(segments, which: tuple[str, ...]) -> None:
    rng, crossed = np.random.default_rng(3), 0
    for n in spread(120, 2):
        turns = Rotation.random(2, random_state=rng)
        x = np.array([n * rng.uniform(0.2, 0.7), np.zeros(3)])
        q = [pose(x[i], turns[i]) for i in (0, 1)]
        truth, p, r = between(placed(A_ENDS, x[0], turns[0]), placed(B_ENDS, x[1], turns[1]))
        gaps = [float(c.gap(0.0, *q)) for c in segments[0]]
        assert min(gaps) == pytest.approx(truth - 0.15, abs=1e-14)
        nearest = segments[0][int(np.argmin(gaps))]
        crossed += nearest is segments[0][4]
        normal = (p - r) / truth
        at = r + 0.1 * normal
        rates = sum(
            np.vstack([getattr(nearest, f"{w}_twist_{i + 1}")(0.0, *q) for w in which]) @ TWISTS[i] for i in (0, 1)
        )
        moving = [TWISTS[i][:3] + np.cross(turns[i].apply(TWISTS[i][3:]), at - x[i]) for i in (0, 1)]
        frame = np.vstack([getattr(nearest, f"{w}_twist_1")(0.0, *q) for w in which])[:, :3]
        np.testing.assert_allclose(frame @ frame.T, np.eye(len(frame)), atol=1e-13)
        assert len(frame) == 1 or np.linalg.det(frame) > 0
        np.testing.assert_allclose(frame[0], normal, atol=1e-12)
        np.testing.assert_allclose(rates, frame @ (moving[0] - moving[1]), atol=1e-12)
    assert 10 < crossed < 150


def along_a() -> Rotation:
    """Turns the axis of the second to that of the first."""
    axes = [(e[1] - e[0]) / np.linalg.norm(e[1] - e[0]) for e in (A_ENDS, B_ENDS)]
    return Rotation.align_vectors(*([axis] for axis in axes))[0]


@pytest.mark.parametrize("off", [0, 1e-13, 1e-9, 1e-5])
def test_capsules_side_by_side(segments, off: float) -> None:
    """Parallel axes, and nearly: the distance, finite rates of all contacts; they touch at two places at least."""
    u, turn = A_ENDS[1] - A_ENDS[0], along_a() * Rotation.from_rotvec([off, 0, 0])
    up = np.cross(u, [0, 0, 1.0])
    x = [np.zeros(3), A_ENDS.mean(0) - 0.2 * up / np.linalg.norm(up) - turn.apply(B_ENDS.mean(0))]
    q = [pose(x[0], Rotation.identity()), pose(x[1], turn)]
    gaps = np.array([float(c.gap(0.0, *q)) for c in segments[0]])
    truth = between(A_ENDS, placed(B_ENDS, x[1], turn))[0] - 0.15
    assert gaps.min() == pytest.approx(truth, abs=1e-14) and np.sum(gaps < truth + 1e-5) >= 2
    for c in segments[0]:
        assert all(np.isfinite(H(0.0, *q)).all() for H in (c.gap_twist_1, c.gap_twist_2))


def test_edges_act_where_they_cross(segments) -> None:
    """Distance of the lines, with a sign, between the ends and down to the depth; open beyond, whatever the height."""
    edge, rng = segments[1], np.random.default_rng(5)
    depth, found = np.linalg.norm(B_ENDS[1] - B_ENDS[0]) / 10, {True: 0, False: 0}
    for _ in range(300):
        turns = [Rotation.from_rotvec(rng.normal(size=3) * 0.4) for _ in range(2)]
        x = [rng.normal(size=3) * [0.3, 0.3, 0.05], np.zeros(3)]
        q = [pose(x[i], turns[i]) for i in (0, 1)]
        (a, u), (b, v) = ((e[0], e[1] - e[0]) for e in (placed(A_ENDS, x[0], turns[0]), placed(B_ENDS, x[1], turns[1])))
        n = np.cross(u, v) * np.sign(np.cross(u, v) @ turns[1].apply([0, 0, 1]))
        n /= np.linalg.norm(n)
        feet = np.linalg.lstsq(np.stack([u, -v], axis=1), b - a, rcond=None)[0]
        crossing, height, gap = bool(((feet > 0) & (feet < 1)).all()), n @ (a - b), float(edge.gap(0.0, *q))
        found[crossing] += 1
        if not crossing:
            assert gap > depth
            continue
        above = height > -depth / 2
        assert gap == pytest.approx(height if above else -height - depth, abs=1e-13)
        at = b + feet[1] * v
        moving = [TWISTS[i][:3] + np.cross(turns[i].apply(TWISTS[i][3:]), at - x[i]) for i in (0, 1)]
        rate = sum(float(getattr(edge, f"gap_twist_{i + 1}")(0.0, *q).ravel() @ TWISTS[i]) for i in (0, 1))
        # a point of each line that is not the foot differs by what turns the normal: height times a rate
        arm = np.cross(turns[0].apply(TWISTS[0][3:]), a + feet[0] * u - at)
        assert rate == pytest.approx((1 if above else -1) * n @ (moving[0] + arm - moving[1]), abs=1e-11)
    assert min(found.values()) > 50


def test_parallel_edges_are_open(segments) -> None:
    turn = along_a()
    q = pose(np.zeros(3), Rotation.identity()), pose(A_ENDS[0] - turn.apply(B_ENDS[0]), turn)
    assert float(segments[1].gap(0.0, *q)) > 0 and np.isfinite(segments[1].gap_twist_1(0.0, *q)).all()


def test_spheres_have_finite_frames_in_every_direction() -> None:
    a, b = body("a"), body("b")
    found = compiled(shapes.sphere_sphere("s", a, 0.1, b, 0.2, STICKY), a, b)
    v, omega = np.array([1, 2, 3.0]), np.array([0.3, -1, 0.7])
    twist = np.concatenate([v, omega])
    for n in spread(60, 1):
        q = pose(n, TURN), pose([0, 0, 0], OTHER)
        assert float(found.gap(0.0, *q)) == pytest.approx(0.7, abs=1e-14)
        H = np.vstack([found.gap_twist_1(0.0, *q), found.sliding_twist_1(0.0, *q)])
        np.testing.assert_allclose(H[:, :3] @ H[:, :3].T, np.eye(3), atol=1e-13)
        np.testing.assert_allclose(H[0, :3], n, atol=1e-14)
        assert np.linalg.det(H[:, :3]) > 0
        np.testing.assert_allclose(H @ twist, H[:, :3] @ (v + np.cross(TURN.apply(omega), -0.8 * n)), atol=1e-13)


def test_a_capsule_and_a_box_come_to_rest_flat() -> None:
    rod = nsd.RigidBody("rod", 1, sp.diag(0.0005, 0.01, 0.01)).apply_force([0, 0, -G])
    ends = shapes.capsule_plane(
        "rod", rod, 0.02, [[-0.15, 0, 0], [0.15, 0, 0]], FLOOR, nsd.NewtonImpactFriction(0.1, 0.3)
    )
    box = nsd.RigidBody("box", 1, sp.diag(0.01, 0.02, 0.02)).apply_force([0, 0, -G])
    corners = shapes.box_plane(box, [0.4, 0.2, 0.1], FLOOR, nsd.NewtonImpactFriction(0, 0.5))
    run = nsd.Model(
        "m",
        [rod, box],
        [ends, corners],
        scheme=nsd.MoreauJean(gradient_at="predicted"),
        step=1e-3,
        end=3,
        initial={
            rod.position: [0, 0, 0.3],
            rod.quaternion: nsd.from_axis_angle([0, 1, 0], 0.6),
            box.position: [2, 0, 0.3],
            box.quaternion: nsd.from_axis_angle([1, 2, 0], 0.5),
        },
    ).run()
    assert run["rod.position"][-1, 2] == pytest.approx(0.02, abs=5e-3)
    assert run["box.position"][-1, 2] == pytest.approx(0.05, abs=5e-3)
    assert np.abs(run["box.velocity"][-1]).max() < 1e-6 and abs(run["rod.velocity"][-1, 2]) < 1e-6


def test_a_ball_slides_without_friction_in_a_valley_z_x2() -> None:
    """A point mass on a parabola: energy and surface, by RATTLE."""
    b = body()
    valley = shapes.point_surface("valley", b, [0, 0, 0], lambda x, y, z: z - x**2, nsd.NewtonImpact(0))
    run = nsd.Model(
        "m", [b], [valley], scheme=nsd.Rattle(), step=1e-3, end=2, initial={b.position: [0.5, 0, 0.25]}
    ).run()
    x, z = run["position"][:, 0], run["position"][:, 2]
    np.testing.assert_allclose(z, x**2, atol=1e-8)
    energy = G * z + (run["velocity"] ** 2).sum(axis=1) / 2
    np.testing.assert_allclose(energy, energy[0], atol=2e-5)
    assert x.min() == pytest.approx(-0.5, abs=1e-4)


def test_a_sphere_on_the_surface_of_a_moving_body() -> None:
    """A plane face of a turning body: gap, rates of both bodies and a right-handed frame beside rigid kinematics."""
    a, b = body("a"), body("b")
    found = compiled(
        shapes.sphere_surface("s", a, 0.1, lambda x, y, z: 2 * (x + 2 * y + 2 * z) - 3, STICKY, at=[0.1, 0, 0.2], on=b),
        a,
        b,
    )
    x, y = np.array([0.3, 0.1, 2]), np.array([-0.2, 0.4, 0.1])
    n, q = OTHER.apply([1 / 3, 2 / 3, 2 / 3]), (pose(x, TURN), pose(y, OTHER))
    centre = x + TURN.apply([0.1, 0, 0.2])
    assert float(found.gap(0.0, *q)) == pytest.approx(n @ (centre - y) - 0.5 - 0.1, abs=1e-14)
    va, wa, vb, wb = np.array([[1, 2, 3], [0.3, -1, 0.7], [-1, 0.5, 2], [0.2, 0.6, -0.4]])
    rates = sum(
        np.vstack([getattr(found, f"gap_twist_{i}")(0.0, *q), getattr(found, f"sliding_twist_{i}")(0.0, *q)])
        @ np.concatenate(v)
        for i, v in ((1, (va, wa)), (2, (vb, wb)))
    )
    tangents = np.reshape(found.sliding_twist_1(0.0, *q), (2, 6))[:, :3]
    np.testing.assert_allclose(np.cross(n, tangents[0]), tangents[1], atol=1e-14)
    touching = centre - 0.1 * n
    relative = va + np.cross(TURN.apply(wa), touching - x) - vb - np.cross(OTHER.apply(wb), touching - y)
    np.testing.assert_allclose(rates, np.vstack([n, tangents]) @ relative, atol=1e-13)


def test_a_plane_that_turns_moves_along_its_normal_alone() -> None:
    """One rule for points and spheres; a plate without thickness has four corners."""
    a, plane = body(), nsd.Plane("tilting", [sp.sin(nsd.time), 0, sp.cos(nsd.time)], 1)
    (point,) = nsd.contacts_between(a.points(1, [[0, 0, 0]]), plane, law=STICKY)
    here = point.tangent.subs(dict.fromkeys(point.arguments.values(), 0))
    assert sp.simplify(here - shapes.sphere_plane("s", a, 0, plane, STICKY).tangent).is_zero_matrix
    assert len(shapes.box_plane(a, [0.4, 0.2, 0], FLOOR, STICKY)) == 4


ENDS = [[0, 0, 0], [1, 0, 0]]
LID = nsd.Plane("lid", [0, 0, 1], body("slab").position[2])
"""A plane that goes with a body: it got what acts along its normal and no friction, so that momentum was lost."""


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda b: shapes.capsule_plane("c", b, 1, [[0, 0, 0]], FLOOR, STICKY), "with 1 ends"),
        (
            lambda b: shapes.edge_edge("c", b, [[0, 0, 0], [0, 0, 0]], body("o"), ENDS, STICKY, [0, 0, 1]),
            "without length",
        ),
        (lambda b: shapes.edge_edge("c", b, ENDS, body("o"), ENDS, STICKY, [2, 0, 0]), "no direction away"),
        (
            lambda b: shapes.edge_edge("c", b, ENDS, body("o"), ENDS, STICKY, [0, 0, 1], depth=0),
            "0 is no positive length",
        ),
        (lambda b: shapes.capsule_capsule("c", b, 0.1, ENDS, body("o"), 0, ENDS, STICKY), "0 is no positive length"),
        (lambda b: shapes.point_surface("c", b, [0, 0, 0], lambda x, y, z: 1, STICKY), "does not depend"),
        (lambda b: shapes.sphere_plane("c", b, -0.1, FLOOR, STICKY), "-0.1 is no length"),
        (lambda b: shapes.sphere_plane("c", b, float("nan"), FLOOR, STICKY), "nan is no length"),
        (lambda b: shapes.sphere_plane("c", b, sp.Symbol("r", negative=True), FLOOR, STICKY), "r is no length"),
        (lambda b: shapes.sphere_plane("c", "b", 0.1, FLOOR, STICKY), "is no rigid body"),
        (lambda b: shapes.sphere_plane("c", b, 0.1, [0, 0, 1], STICKY), "is no plane"),
        (lambda b: shapes.sphere_plane("c", b, 0.1, FLOOR, 0.5), "is not a law"),
        (lambda b: shapes.sphere_sphere("c", b, 0.1, b, 0.1, STICKY), "with itself"),
        (lambda b: shapes.edge_edge("c", b, ENDS, b, ENDS, STICKY, [0, 0, 1]), "with itself"),
        (lambda b: shapes.edge_edge("c", b, 7, body("o"), ENDS, STICKY, [0, 0, 1]), "no two points"),
        (lambda b: shapes.capsule_plane("c", b, 1, [[0, 0, 0], [0, 0, 0]], FLOOR, STICKY), "without length"),
        (lambda b: shapes.box_plane(b, [1, -1, 1], FLOOR, STICKY), "is no length"),
        (lambda b: shapes.ellipsoid_plane("c", b, [1, 0, 1], FLOOR, STICKY), "0 is no positive length"),
        (lambda b: shapes.point_surface("c", b, [0, 0, 0], sp.Symbol("x"), STICKY), "is no function"),
        (lambda b: shapes.point_surface("c", b, [0, 0, 0], lambda x: x, STICKY), "cannot be computed of symbols"),
        (lambda b: shapes.point_surface("c", b, [0, 0, 0], lambda x, y, z: np.sin(z), STICKY), "cannot be computed"),
        (
            lambda b: shapes.point_surface("c", b, [0, 0, 0], lambda x, y, z: z - body("o").position[2], STICKY),
            "friction would not push it",
        ),
        (lambda b: shapes.sphere_plane("c", b, 0.1, LID, STICKY), "friction would not push it"),
        (lambda b: shapes.box_plane(b, [1, 1, 1], LID, STICKY), "friction would not push it"),
        (lambda b: shapes.ellipsoid_plane("c", b, [1, 1, 1], LID, STICKY), "friction would not push it"),
        (
            lambda b: nsd.Contact(
                "c", (b.position - body("o").position)[2], STICKY, bodies=(b,), point=[0, 0, 0], frame=[0, 0, 1]
            ),
            "friction would not push it",
        ),
    ],
)
def test_refusals(make, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make(body())


@pytest.mark.parametrize(
    ("surface", "way"),
    [
        (lambda x, y, z: z - max(x, 0), "nsd.piecewise"),
        (lambda x, y, z: z - (x if x > 0 else 0), "nsd.piecewise"),
        (lambda x, y, z: z - np.sin(x), "write sympy.sin"),
        (lambda x, y, z: z - math.sin(x), "write SymPy's, sympy.sin"),
        (lambda x, y, z: z - round(x), "sympy.floor"),
    ],
)
def test_a_surface_that_takes_symbols_for_numbers_is_told_how_to_write_it(surface, way: str) -> None:
    with pytest.raises(ModelError, match="cannot be computed of symbols") as refused:
        shapes.point_surface("c", body(), [0, 0, 0], surface, STICKY)
    assert way in refused.value.fix
