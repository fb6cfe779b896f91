"""Contacts of smooth shapes: gaps and gradients beside geometry done otherwise, motion beside closed forms."""

from __future__ import annotations

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
    return nsd.Model("m", list(bodies), [contact], scheme=nsd.MoreauJean(), step=1e-3, end=1e-3, initial=initial,
                     allow_penetration=True).compile()[contact.name]


def test_an_ellipsoid_touches_where_its_lowest_point_is() -> None:
    """Minimisation over the surface finds the same height; sliding rates are those of that point."""
    b, semi = body(), np.array([0.3, 0.2, 0.1])
    found = compiled(shapes.ellipsoid_plane("e", b, semi.tolist(), FLOOR, STICKY), b)
    at = pose([0.1, 0.2, 0.5], TURN)

    def height(s):
        return 0.5 + TURN.apply(semi * np.array([np.cos(s[0]) * np.cos(s[1]), np.sin(s[0]) * np.cos(s[1]),
                                                 np.sin(s[1])]))[2]

    lowest = min((minimize(height, s, tol=1e-14) for s in ([0, 0], [2, 0.5], [4, -0.5])), key=lambda r: r.fun)
    assert float(found.gap(0.0, at)) == pytest.approx(lowest.fun, abs=1e-10)
    c, s = lowest.x
    arm = semi * np.array([np.cos(c) * np.cos(s), np.sin(c) * np.cos(s), np.sin(s)])
    omega, v = np.array([0.3, -1, 0.7]), np.array([1, 2, 3.0])
    rates = found.sliding_twist(0.0, at) @ np.concatenate([v, omega])
    np.testing.assert_allclose(rates, (v + TURN.apply(np.cross(omega, arm)))[:2], atol=1e-6)


def test_edges_meet_at_the_distance_of_their_lines() -> None:
    a, b = body("a"), body("b")
    ends = ([-1, 0.1, 0.2], [1, -0.1, 0.1]), ([0.2, -1, 0], [0.1, 1, -0.1])
    found = compiled(shapes.edge_edge("e", a, ends[0], b, ends[1], STICKY), a, b)
    qa, qb = ([0.1, 0, 0.7], TURN), ([0.2, -0.1, 0.1], OTHER)
    lines = [(x + turn.apply(e[0]), turn.apply(np.subtract(e[1], e[0]))) for (x, turn), e in
             zip((qa, qb), ends, strict=True)]
    nearest = minimize(lambda s: np.sum((lines[0][0] + s[0] * lines[0][1] - lines[1][0] - s[1] * lines[1][1])**2),
                       [0.5, 0.5], tol=1e-14)
    assert abs(float(found.gap(0.0, pose(*qa), pose(*qb)))) == pytest.approx(np.sqrt(nearest.fun), abs=1e-8)
    p = lines[1][0] + nearest.x[1] * lines[1][1]
    omega, v = np.array([0.3, -1, 0.7]), np.array([1, 2, 3.0])
    gap, slide = (np.ravel(getattr(found, f"{n}_twist_2")(0.0, pose(*qa), pose(*qb)) @ np.concatenate([v, omega]))
                  for n in ("gap", "sliding"))
    moving = -(v + np.cross(qb[1].apply(omega), p - qb[0]))
    assert np.sqrt(gap @ gap + slide @ slide) == pytest.approx(np.linalg.norm(moving), rel=1e-6)


@pytest.mark.parametrize("direction", [[0, 0, 1], [0, 0, -1], [1, 0, 0], [0, -1, 0], [0.6, 0, -0.8], [1, 1, -0.7]])
def test_spheres_have_finite_frames_in_every_direction(direction) -> None:
    a, b = body("a"), body("b")
    if not _SPHERES:
        _SPHERES.append(compiled(shapes.sphere_sphere("s", a, 0.1, b, 0.2, STICKY), a, b))
    found, n = _SPHERES[0], np.array(direction) / np.linalg.norm(direction)
    q = pose(n, TURN), pose([0, 0, 0], OTHER)
    assert float(found.gap(0.0, *q)) == pytest.approx(0.7, abs=1e-14)
    v, omega = np.array([1, 2, 3.0]), np.array([0.3, -1, 0.7])
    twist = np.concatenate([v, omega])
    rows = np.append(found.gap_twist_1(0.0, *q) @ twist, found.sliding_twist_1(0.0, *q) @ twist)
    at = 0.2 * n
    assert np.isfinite(rows).all() and rows[0] == pytest.approx(n @ v)
    assert np.linalg.norm(rows) == pytest.approx(np.linalg.norm(v + np.cross(TURN.apply(omega), at - n)))


_SPHERES: list = []


def test_a_capsule_and_a_box_come_to_rest_flat() -> None:
    rod = nsd.RigidBody("rod", 1, sp.diag(0.0005, 0.01, 0.01)).apply_force([0, 0, -G])
    ends = shapes.capsule_plane("rod", rod, 0.02, [[-0.15, 0, 0], [0.15, 0, 0]], FLOOR,
                                nsd.NewtonImpactFriction(0.1, 0.3))
    box = nsd.RigidBody("box", 1, sp.diag(0.01, 0.02, 0.02)).apply_force([0, 0, -G])
    corners = shapes.box_plane(box, [0.4, 0.2, 0.1], FLOOR, nsd.NewtonImpactFriction(0, 0.5))
    run = nsd.Model("m", [rod, box], [ends, corners], scheme=nsd.MoreauJean(gradient_at="predicted"), step=1e-3, end=3,
                    initial={rod.position: [0, 0, 0.3], rod.quaternion: nsd.from_axis_angle([0, 1, 0], 0.6),
                             box.position: [2, 0, 0.3], box.quaternion: nsd.from_axis_angle([1, 2, 0], 0.5)}).run()
    assert run["rod.position"][-1, 2] == pytest.approx(0.02, abs=5e-3)
    assert run["box.position"][-1, 2] == pytest.approx(0.05, abs=5e-3)
    assert np.abs(run["box.velocity"][-1]).max() < 1e-6 and abs(run["rod.velocity"][-1, 2]) < 1e-6


def test_a_ball_slides_without_friction_in_a_valley_z_x2() -> None:
    """A point mass on a parabola: energy and surface, by RATTLE."""
    b = body()
    valley = shapes.point_surface("valley", b, [0, 0, 0], lambda x, y, z: z - x**2, nsd.NewtonImpact(0))
    run = nsd.Model("m", [b], [valley], scheme=nsd.Rattle(), step=1e-3, end=2,
                    initial={b.position: [0.5, 0, 0.25]}).run()
    x, z = run["position"][:, 0], run["position"][:, 2]
    np.testing.assert_allclose(z, x**2, atol=1e-8)
    energy = G * z + (run["velocity"]**2).sum(axis=1) / 2
    np.testing.assert_allclose(energy, energy[0], atol=2e-5)
    assert x.min() == pytest.approx(-0.5, abs=1e-4)


def test_a_sphere_on_the_surface_of_a_moving_body() -> None:
    """A plane face of a turning body: gap, rates of both bodies and a right-handed frame beside rigid kinematics."""
    a, b = body("a"), body("b")
    found = compiled(shapes.sphere_surface("s", a, 0.1, lambda x, y, z: 2 * (x + 2 * y + 2 * z) - 3, STICKY,
                                           at=[0.1, 0, 0.2], on=b), a, b)
    x, y = np.array([0.3, 0.1, 2]), np.array([-0.2, 0.4, 0.1])
    n, q = OTHER.apply([1 / 3, 2 / 3, 2 / 3]), (pose(x, TURN), pose(y, OTHER))
    centre = x + TURN.apply([0.1, 0, 0.2])
    assert float(found.gap(0.0, *q)) == pytest.approx(n @ (centre - y) - 0.5 - 0.1, abs=1e-14)
    va, wa, vb, wb = np.array([[1, 2, 3], [0.3, -1, 0.7], [-1, 0.5, 2], [0.2, 0.6, -0.4]])
    rates = sum(np.vstack([getattr(found, f"gap_twist_{i}")(0.0, *q), getattr(found, f"sliding_twist_{i}")(0.0, *q)])
                @ np.concatenate(v) for i, v in ((1, (va, wa)), (2, (vb, wb))))
    tangents = np.reshape(found.sliding_twist_1(0.0, *q), (2, 6))[:, :3]
    np.testing.assert_allclose(np.cross(n, tangents[0]), tangents[1], atol=1e-14)
    touching = centre - 0.1 * n
    relative = va + np.cross(TURN.apply(wa), touching - x) - vb - np.cross(OTHER.apply(wb), touching - y)
    np.testing.assert_allclose(rates, np.vstack([n, tangents]) @ relative, atol=1e-13)


def test_a_plane_that_turns_moves_along_its_normal_alone() -> None:
    """One rule for points and spheres; a plate without thickness has four corners."""
    a, plane = body(), nsd.Plane("tilting", [sp.sin(nsd.time), 0, sp.cos(nsd.time)], 1)
    point, = nsd.contacts_between(a.points(1, [[0, 0, 0]]), plane, law=STICKY)
    here = point.tangent.subs(dict.fromkeys(point.arguments.values(), 0))
    assert sp.simplify(here - shapes.sphere_plane("s", a, 0, plane, STICKY).tangent).is_zero_matrix
    assert len(shapes.box_plane(a, [0.4, 0.2, 0], FLOOR, STICKY)) == 4


ENDS = [[0, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize(("make", "message"), [
    (lambda b: shapes.capsule_plane("c", b, 1, [[0, 0, 0]], FLOOR, STICKY), "with 1 ends"),
    (lambda b: shapes.edge_edge("c", b, [[0, 0, 0], [0, 0, 0]], b, [[0, 0, 0], [1, 0, 0]], STICKY), "without length"),
    (lambda b: shapes.point_surface("c", b, [0, 0, 0], lambda x, y, z: 1, STICKY), "does not depend"),
    (lambda b: shapes.sphere_plane("c", b, -0.1, FLOOR, STICKY), "-0.1 is no length"),
    (lambda b: shapes.sphere_plane("c", b, float("nan"), FLOOR, STICKY), "nan is no length"),
    (lambda b: shapes.sphere_plane("c", b, sp.Symbol("r", negative=True), FLOOR, STICKY), "r is no length"),
    (lambda b: shapes.sphere_plane("c", "b", 0.1, FLOOR, STICKY), "is no rigid body"),
    (lambda b: shapes.sphere_plane("c", b, 0.1, [0, 0, 1], STICKY), "is no plane"),
    (lambda b: shapes.sphere_plane("c", b, 0.1, FLOOR, 0.5), "is not a law"),
    (lambda b: shapes.sphere_sphere("c", b, 0.1, b, 0.1, STICKY), "with itself"),
    (lambda b: shapes.edge_edge("c", b, ENDS, b, ENDS, STICKY), "with itself"),
    (lambda b: shapes.edge_edge("c", b, 7, b, ENDS, STICKY), "no two points"),
    (lambda b: shapes.capsule_plane("c", b, 1, [[0, 0, 0], [0, 0, 0]], FLOOR, STICKY), "without length"),
    (lambda b: shapes.box_plane(b, [1, -1, 1], FLOOR, STICKY), "is no length"),
    (lambda b: shapes.ellipsoid_plane("c", b, [1, 0, 1], FLOOR, STICKY), "0 is no positive length"),
    (lambda b: shapes.point_surface("c", b, [0, 0, 0], sp.Symbol("x"), STICKY), "is no function"),
    (lambda b: shapes.point_surface("c", b, [0, 0, 0], lambda x: x, STICKY), "cannot be computed of symbols"),
    (lambda b: shapes.point_surface("c", b, [0, 0, 0], lambda x, y, z: np.sin(z), STICKY), "cannot be computed"),
    (lambda b: shapes.point_surface("c", b, [0, 0, 0], lambda x, y, z: z - body("o").position[2], STICKY),
     "friction would not push it"),
])
def test_refusals(make, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make(body())
