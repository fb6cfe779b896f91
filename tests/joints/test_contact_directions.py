"""Contacts of all shapes in many directions: gaps, gradients and frames beside geometry done otherwise.

Attitudes and places along the axes, the diagonals, all of them 1e-9 and 1e-13 off, quarter turns, and random ones.
Places of contact are found by the geometry of this file, rates by differences in fifty digits of distances that it
computes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import nsdgen as nsd
from nsdgen import shapes
from nsdgen.symbolic.relations.frame import moving, orthonormal
from tests.joints.test_shapes import STICKY, body, pose

NORMAL, OFFSET = [3, -6, 2], 1.4  # of length 7: a plane at 0.2
N = np.array(NORMAL) / 7
SEMI, SIZE, RADIUS = np.array([0.3, 0.2, 0.1]), np.array([0.4, 0.2, 0.1]), 0.15
AT = np.array([0.05, -0.1, 0.2])
TWISTS = np.array([[1, 2, 3, 0.3, -1, 0.7], [-0.4, 0.8, 0.1, 1.1, 0.2, -0.6]])


def directions(random: int = 80, seed: int = 4) -> list[np.ndarray]:
    """Unit vectors: axes, diagonals, those a little off, random ones, and random ones near where frames jump."""
    grid = [np.array(d, float) for d in itertools.product((-1, 0, 1), repeat=3) if any(d)]
    rng = np.random.default_rng(seed)
    off = [d + size * rng.normal(size=3) for d in grid for size in (1e-9, 1e-13, 1e-300)]
    jumps = [
        np.array([np.cos(a), np.sin(a), -0.75 / np.sqrt(1 - 0.75**2) + d]) for a in (0, 1, 4) for d in (-1e-9, 0, 1e-9)
    ]
    return [d / np.linalg.norm(d) for d in (*grid, *off, *jumps, *rng.normal(size=(random, 3)))]


def attitudes() -> list[Rotation]:
    """Quarter and half turns, those a little off, and random ones: 200 and more."""
    quarters = [Rotation.from_rotvec(a * d) for d in directions(0)[:26] for a in (np.pi / 2, np.pi)]
    off = [q * Rotation.from_rotvec([1e-9, -2e-9, 1e-13]) for q in quarters]
    return [Rotation.identity(), *quarters, *off, *Rotation.random(100, random_state=7)]


def check_frame(frame: np.ndarray, normal: np.ndarray) -> None:
    """Orthonormal, right-handed, finite, about this normal."""
    assert np.isfinite(frame).all()
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=3e-15)
    assert np.linalg.det(frame) > 0
    np.testing.assert_allclose(frame[0], normal, atol=2e-15)


def test_frames_of_planes() -> None:
    """Of numbers, of any length; and of normals that depend on parameters, through the frame of moving normals."""
    symbols = sp.symbols("x y z", real=True)
    expressions = sp.Matrix.hstack(*moving(sp.Matrix(symbols))).T
    numbers = sp.lambdify(
        symbols,
        expressions.replace(
            lambda e: type(e).__name__ == "Branch",
            lambda e: sp.Piecewise(*zip(e.args[0::2], e.args[1::2], strict=True)),
        ),
        "numpy",
    )
    found = directions()
    assert len(found) >= 190
    for n in found:
        check_frame(np.array(numbers(*n), float), n)
        for length in (1e-8, 1e8):
            frame = orthonormal(sp.Matrix([sp.Float(c, 17) for c in (n * length).tolist()]))
            check_frame(np.array([[float(c) for c in v] for v in frame]), n)


@cache
def touching(name: str) -> Any:
    """The operators of a contact, by its name, or by its shape and number."""
    plane = nsd.Plane("plane", NORMAL, OFFSET)
    a, b = body("a"), body("b")
    make: dict[str, Callable[[], Any]] = {
        "sphere": lambda: shapes.sphere_plane("sphere", a, RADIUS, plane, STICKY, AT.tolist()),
        "ellipsoid": lambda: shapes.ellipsoid_plane("ellipsoid", a, SEMI.tolist(), plane, STICKY, AT.tolist()),
        "bowl": lambda: shapes.sphere_surface(
            "bowl", a, RADIUS, lambda x, y, z: 1 - sp.sqrt(x**2 + y**2 + z**2), STICKY, AT.tolist()
        ),
        "quadric": lambda: shapes.sphere_surface(
            "quadric", a, 0, lambda x, y, z: x**2 / 2 + y**2 + 3 * z**2 + x * y / 3 - 1, STICKY, AT.tolist(), on=b
        ),
        "spheres": lambda: shapes.sphere_sphere("spheres", a, RADIUS, b, 0.2, STICKY, AT.tolist(), [0.1, 0, 0]),
    }
    contacts = [make[name]()] if name in make else shapes.box_plane(a, SIZE.tolist(), plane, STICKY, AT.tolist())
    model = nsd.Model(
        "m",
        [a, b],
        contacts,
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=1e-3,
        allow_penetration=True,
        initial={a.position: [0, 0, 9], b.position: [0, 0, 0]},
    ).compile(interpret=True)
    return model[name]


def turned(p: list, v) -> list:
    """R(p) v in numbers of any kind; p need not be of norm 1."""
    s, x = p[0], p[1:]
    norm = s * s + sum(c * c for c in x)
    cross = [x[1] * v[2] - x[2] * v[1], x[2] * v[0] - x[0] * v[2], x[0] * v[1] - x[1] * v[0]]
    dot = sum(c * w for c, w in zip(x, v, strict=True))
    return [
        ((s * s - sum(c * c for c in x)) * w + 2 * dot * c + 2 * s * k) / norm
        for w, c, k in zip(v, x, cross, strict=True)
    ]


def back(p: list, v) -> list:
    """R(p)^T v."""
    return turned([p[0], *(-c for c in p[1:])], v)


def place(q: list, at) -> list:
    return [x + w for x, w in zip(q[:3], turned(q[3:], at), strict=True)]


def moved(q: np.ndarray, twist: np.ndarray, time: mp.mpf) -> list:
    """q after a time along a twist (v, Omega in the body): the exponential, in fifty digits."""
    rate = [mp.mpf(float(c)) for c in twist]
    angle = mp.sqrt(sum(c * c for c in rate[3:])) * time / 2
    size = mp.sqrt(sum(c * c for c in rate[3:]))
    w, e = mp.cos(angle), [mp.sin(angle) * c / size for c in rate[3:]]
    p = [mp.mpf(float(c)) for c in q[3:]]
    cross = [p[2] * e[2] - p[3] * e[1], p[3] * e[0] - p[1] * e[2], p[1] * e[1] - p[2] * e[0]]
    turn = [
        p[0] * w - sum(a * b for a, b in zip(p[1:], e, strict=True)),
        *(p[0] * b + w * a + c for a, b, c in zip(p[1:], e, cross, strict=True)),
    ]
    return [*(mp.mpf(float(c)) + time * v for c, v in zip(q[:3], rate[:3], strict=True)), *turn]


def length(v) -> mp.mpf:
    return mp.sqrt(sum(c * c for c in v))


def plane_distance(point) -> mp.mpf:
    return (sum(n * c for n, c in zip(NORMAL, point, strict=True)) - mp.mpf(OFFSET)) / 7


def corner(i: int) -> np.ndarray:
    return AT + np.array(list(itertools.product((-1, 1), repeat=3))[i]) * SIZE / 2


def ellipsoid(qa: list, qb: list) -> mp.mpf:
    """Below the centre by the support; that it is the lowest point of all is a test of its own."""
    m = back(qa[3:], [mp.mpf(n) / 7 for n in NORMAL])
    return plane_distance(place(qa, AT)) - length([d * c for d, c in zip(SEMI, m, strict=True)])


def quadric(qa: list, qb: list) -> mp.mpf:
    """f / |grad f| by differences: of a point, since a sphere's is no distance, as friction asks."""
    centre = [c - x for c, x in zip(place(qa, AT), qb[:3], strict=True)]
    here = back(qb[3:], centre)
    slopes = [mp.diff(f, tuple(here), tuple(int(i == j) for j in range(3))) for i in range(3)]
    return f(*here) / length(slopes)


def f(x, y, z):
    return x * x / 2 + y * y + 3 * z * z + x * y / 3 - 1


def spheres(qa: list, qb: list) -> mp.mpf:
    return length([p - r for p, r in zip(place(qa, AT), place(qb, [0.1, 0, 0]), strict=True)]) - RADIUS - 0.2


GAPS: dict[str, Callable[[list, list], mp.mpf]] = {
    "sphere": lambda qa, qb: plane_distance(place(qa, AT)) - RADIUS,
    **{f"a plane {i}": lambda qa, qb, i=i: plane_distance(place(qa, corner(i))) for i in (0, 3, 6)},
    "ellipsoid": ellipsoid,
    "bowl": lambda qa, qb: 1 - length(place(qa, AT)) - RADIUS,
    "quadric": quadric,
    "spheres": spheres,
}
CURVED = ("bowl", "quadric", "spheres")


def arms(name: str, qa: np.ndarray, qb: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The normal and the place of contact, in doubles."""
    turn, other = (Rotation.from_quat(np.roll(q[3:], -1)) for q in (qa, qb))
    centre = qa[:3] + turn.apply(AT)
    if name.startswith("a plane"):
        return N, qa[:3] + turn.apply(corner(int(name[-1])))
    if name == "ellipsoid":
        m = SEMI * turn.inv().apply(N)
        return N, centre - turn.apply(SEMI * m / np.linalg.norm(m))
    if name == "bowl":
        n = -centre / np.linalg.norm(centre)
    elif name == "quadric":
        x, y, z = other.inv().apply(centre - qb[:3])
        n = other.apply([x + y / 3, 2 * y + x / 3, 6 * z])
    elif name == "spheres":
        n = centre - qb[:3] - other.apply([0.1, 0, 0])
    else:
        n = N
    n = n / np.linalg.norm(n)
    if name == "spheres":  # on the second
        return n, qb[:3] + other.apply([0.1, 0, 0]) + 0.2 * n
    return n, centre if name == "quadric" else centre - RADIUS * n


def poses(name: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of both bodies: attitudes for shapes on a plane, directions for those that touch anywhere."""
    rng = np.random.default_rng(11)
    turns = attitudes()
    if name not in CURVED:
        return [(pose(rng.normal(size=3), turn), pose([0, 0, 0], Rotation.identity())) for turn in turns]
    found = []
    for n, turn, other in zip(directions(), itertools.cycle(turns), itertools.cycle(turns[::-1]), strict=False):
        start = np.zeros(3) if name == "bowl" else rng.normal(size=3)
        reach = 0.7 if name == "bowl" else 1.5
        middle = start + (other.apply([0.1, 0, 0]) if name == "spheres" else 0)
        found.append((pose(middle + reach * n - turn.apply(AT), turn), pose(start, other)))
    return found


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=pytest.mark.slow
            if name in ("a plane 0", "a plane 3", "bowl", "ellipsoid", "quadric", "spheres")
            else (),
        )
        for name in GAPS
    ],
)
def test_gaps_rates_and_frames(name: str) -> None:
    contact, both = touching(name), name in ("quadric", "spheres")
    which = ("_twist_1", "_twist_2") if both else ("_twist",)
    found = poses(name)
    assert len(found) >= 190
    with mp.workdps(50):
        for number, (qa, qb) in enumerate(found):
            q = (qa, qb)[: len(which)]
            zero = [moved(p, TWISTS[i], mp.mpf(0)) for i, p in enumerate((qa, qb))]
            assert float(contact.gap(0.0, *q)) == pytest.approx(float(GAPS[name](*zero)), abs=2e-14)
            H = [np.vstack([getattr(contact, f"{w}{end}")(0.0, *q) for w in ("gap", "sliding")]) for end in which]
            n, at = arms(name, qa, qb)
            slope = H[0][0, :3]  # of a gap that is no distance away from the surface it is not 1 long
            check_frame(np.vstack([n if name == "quadric" else slope, H[0][1:, :3]]), n)
            moving_ = np.zeros(3)
            for i, (pose_, gradient) in enumerate(zip(q, H, strict=True)):
                turn = Rotation.from_quat(np.roll(pose_[3:], -1))
                moving_ += (1 - 2 * i) * (TWISTS[i][:3] + np.cross(turn.apply(TWISTS[i][3:]), at - pose_[:3]))
                assert np.isfinite(gradient).all()
            rates = sum(gradient @ TWISTS[i] for i, gradient in enumerate(H))
            np.testing.assert_allclose(rates[1:], H[0][1:, :3] @ moving_, atol=2e-14)
            if number % 4 == 0:  # each difference takes eighty functions in fifty digits
                h = mp.mpf(10) ** -15
                ends = [GAPS[name](*(moved(p, TWISTS[i], s * h) for i, p in enumerate((qa, qb)))) for s in (1, -1)]
                assert rates[0] == pytest.approx(float((ends[0] - ends[1]) / (2 * h)), abs=1e-13)


def test_the_support_of_an_ellipsoid_is_its_lowest_point() -> None:
    """No point of the surface is lower, and the place of contact is on it."""
    rng = np.random.default_rng(5)
    points = rng.normal(size=(4000, 3))
    points = SEMI * points / np.linalg.norm(points, axis=1)[:, None]
    for qa, qb in poses("ellipsoid"):
        turn = Rotation.from_quat(np.roll(qa[3:], -1))
        heights = (turn.apply(points + AT) + qa[:3]) @ N - OFFSET / 7
        gap = float(touching("ellipsoid").gap(0.0, qa))
        assert gap <= heights.min() + 1e-15 and heights.min() - gap < 0.02
        _, at = arms("ellipsoid", qa, qb)
        assert at @ N - OFFSET / 7 == pytest.approx(gap, abs=1e-14)
        assert (((turn.inv().apply(at - qa[:3]) - AT) / SEMI) ** 2).sum() == pytest.approx(1, abs=1e-13)
