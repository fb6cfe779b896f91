"""Mass matrix, forces and kinematics of trees, against kinematics written here and Lagrange's equations in mpmath."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp
import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.graph.computed import expanded

GRAVITY = 9.81


def turn(axis: list[float], angle: mp.mpf) -> mp.matrix:
    """The rotation about a unit vector by Rodrigues' formula."""
    n = mp.matrix(axis) / mp.norm(mp.matrix(axis))
    k = mp.matrix([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return mp.eye(3) + mp.sin(angle) * k + (1 - mp.cos(angle)) * k * k


def of_quaternion(p: list[mp.mpf]) -> mp.matrix:
    """The rotation of a unit quaternion: 1 + 2 p0 (p x) + 2 (p x)**2."""
    k = mp.matrix([[0, -p[3], p[2]], [p[3], 0, -p[1]], [-p[2], p[1], 0]])
    return mp.eye(3) + 2 * p[0] * k + 2 * k * k


Pose = tuple[mp.matrix, mp.matrix]
Poses = Callable[[list[mp.mpf]], list[Pose]]


@dataclass(frozen=True)
class Case:
    """A mechanism, its masses and inertias, and the poses (rotation, centre) of its bodies written by hand."""

    mechanism: nsd.Mechanism
    bodies: list[nsd.RigidBody]
    poses: Poses
    q: list[float]
    v: list[float]
    balls: tuple[int, ...] = ()  # where quaternions begin in q


def body(name: str, k: int) -> nsd.RigidBody:
    found = nsd.RigidBody(name, sp.Rational(k, 2), sp.diag(*(sp.Rational(k + i, 10) for i in range(3))))
    return found.apply_force([0, 0, -GRAVITY * k / 2])


def hinges() -> Case:
    """Two hinges with slanted axes, the second joint written from parent to child."""
    a, b = body("a", 2), body("b", 3)
    one = nsd.Revolute("one", nsd.Marker(a, [0, 0, 0.5], axis=[1, 1, 0]), nsd.Marker(at=[0.1, 0, 0], axis=[1, 1, 0]))
    two = nsd.Revolute("two", nsd.Marker(a, [0.2, 0, -0.5], axis=[0, 1, 0]), nsd.Marker(b, [0, 0, 0.3], axis=[0, 1, 0]))

    def poses(q: list[mp.mpf]) -> list[Pose]:
        Ra = turn([1, 1, 0], q[0])
        xa = mp.matrix([0.1, 0, 0]) - Ra * mp.matrix([0, 0, 0.5])
        Rb = Ra * turn([0, 1, 0], -q[1])
        xb = xa + Ra * mp.matrix([0.2, 0, -0.5]) - Rb * mp.matrix([0, 0, 0.3])
        return [(Ra, xa), (Rb, xb)]

    return Case(nsd.Mechanism("m", [two, one]), [a, b], poses, [0.3, -0.7], [0.5, 1.1])


def slides() -> Case:
    """A slider along y, on it a plane joint, on that a screw, a weld at its end."""
    a, b, c, d = body("a", 2), body("b", 3), body("c", 1), body("d", 4)
    y = [0, 1, 0]
    joints = [
        nsd.Prismatic("rail", nsd.Marker(a, axis=y), nsd.Marker(axis=y)),
        nsd.Planar("table", nsd.Marker(b, [0.1, 0, 0]), nsd.Marker(a, [0, 0, 0.2])),
        nsd.Screw("thread", nsd.Marker(c), nsd.Marker(b, [0, 0, 0.1]), lead=0.05),
        nsd.Fixed("weld", nsd.Marker(d, [0, 0.1, 0]), nsd.Marker(c, [0.3, 0, 0])),
    ]

    def poses(q: list[mp.mpf]) -> list[Pose]:
        xa = mp.matrix([0, q[0], 0])
        Rb = turn([0, 0, 1], q[3])
        xb = xa + mp.matrix([q[1], q[2], 0.2]) - Rb * mp.matrix([0.1, 0, 0])
        Rc = Rb * turn([0, 0, 1], q[4])
        xc = xb + mp.matrix([0, 0, 0.1 + 0.05 * q[4] / (2 * mp.pi)])
        xd = xc + Rc * (mp.matrix([0.3, 0, 0]) - mp.matrix([0, 0.1, 0]))
        return [(mp.eye(3), xa), (Rb, xb), (Rc, xc), (Rc, xd)]

    return Case(nsd.Mechanism("m", joints), [a, b, c, d], poses, [0.2, -0.3, 0.4, 0.9, 2.0], [0.3, 0.1, -0.8, 1.2, 5.0])


def cardan() -> Case:
    """A universal joint on a cylindrical one."""
    a, b = body("a", 2), body("b", 3)
    joints = [
        nsd.Cylindrical("sleeve", nsd.Marker(a, axis=[1, 0, 0]), nsd.Marker(axis=[1, 0, 0])),
        nsd.Universal("cross", nsd.Marker(b, [0, 0, -0.4]), nsd.Marker(a, [0, 0, 0.3])),
    ]
    crossed = mp.matrix([[0, 0, 1], [0, -1, 0], [1, 0, 0]])

    def poses(q: list[mp.mpf]) -> list[Pose]:
        Ra, xa = turn([1, 0, 0], q[1]), mp.matrix([q[0], 0, 0])
        Rb = Ra * turn([0, 0, 1], q[2]) * crossed * turn([0, 0, 1], q[3])
        return [(Ra, xa), (Rb, xa + Ra * mp.matrix([0, 0, 0.3]) - Rb * mp.matrix([0, 0, -0.4]))]

    return Case(nsd.Mechanism("m", joints), [a, b], poses, [0.1, 0.4, -0.6, 0.8], [0.7, -0.2, 0.9, 1.3])


def balls() -> Case:
    """A free body with an arm on a ball joint and one more on a hinge."""
    a, b, c = body("a", 2), body("b", 3), body("c", 1)
    joints = [
        nsd.Spherical("ball", nsd.Marker(b, [0, 0, 0.4]), nsd.Marker(a, [0.1, 0, -0.2])),
        nsd.Revolute("hinge", nsd.Marker(c, [0, 0, 0.2]), nsd.Marker(b, [0, 0, -0.4])),
    ]

    def poses(q: list[mp.mpf]) -> list[Pose]:
        xa, Ra = mp.matrix(q[:3]), of_quaternion(q[3:7])
        Rb = Ra * of_quaternion(q[7:11])
        xb = xa + Ra * mp.matrix([0.1, 0, -0.2]) - Rb * mp.matrix([0, 0, 0.4])
        Rc = Rb * turn([0, 0, 1], q[11])
        return [(Ra, xa), (Rb, xb), (Rc, xb - Rb * mp.matrix([0, 0, 0.4]) - Rc * mp.matrix([0, 0, 0.2]))]

    p, r = np.array([1.0, 0.2, -0.3, 0.1]), np.array([0.8, -0.1, 0.5, 0.2])
    q = [0.3, -0.2, 1.0, *(p / np.linalg.norm(p)), *(r / np.linalg.norm(r)), 0.6]
    v = [0.3, -0.5, 0.2, 0.7, 1.1, -0.4, 0.5, -0.9, 0.8, 1.7]
    return Case(nsd.Mechanism("m", joints), [a, b, c], poses, q, v, (3, 7))


CASES = {case.__name__: case for case in (hinges, slides, cardan, balls)}


@pytest.fixture(params=["hinges", "slides", "cardan", pytest.param("balls", marks=pytest.mark.slow)])
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]()


def moved(case: Case, q: list[mp.mpf], v: list[mp.mpf], t: mp.mpf) -> list[mp.mpf]:
    """q after the time t with constant v: quaternions turn about constant axes."""
    found, i, j = list(q), 0, 0
    while i < len(q):
        if i in case.balls:
            w = mp.matrix(v[j : j + 3]) * t
            angle = mp.norm(w)
            s = mp.sin(angle / 2) / angle if angle else mp.mpf(1) / 2
            a, b = q[i : i + 4], [mp.cos(angle / 2), *(s * e for e in w)]
            found[i : i + 4] = [
                a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
            ]
            i, j = i + 4, j + 3
        else:
            found[i] = q[i] + t * v[j]
            i, j = i + 1, j + 1
    return found


def velocities(case: Case, q: list[mp.mpf], v: list[mp.mpf]) -> list[tuple[mp.matrix, mp.matrix]]:
    """Velocity of the centre and angular velocity in the body's axes, by central differences of the poses."""
    h = mp.mpf(10) ** -12
    after, before, now = (case.poses(moved(case, q, v, t)) for t in (h, -h, mp.mpf(0)))
    found = []
    for (R1, x1), (R0, x0), (R, _) in zip(after, before, now, strict=True):
        W = R.T * (R1 - R0) / (2 * h)
        found.append(((x1 - x0) / (2 * h), mp.matrix([W[2, 1], W[0, 2], W[1, 0]])))
    return found


def columns(case: Case, q: list[mp.mpf]) -> list[list[tuple[mp.matrix, mp.matrix]]]:
    """The velocities of the bodies for each unit velocity."""
    n = len(case.v)
    return [velocities(case, q, [mp.mpf(i == j) for j in range(n)]) for i in range(n)]


def terms(case: Case) -> tuple[dict[str, sp.Matrix], dict[sp.Symbol, float]]:
    """The terms of the class, and values of its symbols."""
    cls = case.mechanism.describe(Scope({}))
    return {name: term.values for name, term in cls.terms.items()}, dict(
        zip(cls.functions, [*case.q, *case.v], strict=True)
    )


def numbers(matrix: sp.Matrix, at: dict[sp.Symbol, float]) -> np.ndarray:
    values = {s: sp.Float(v, 40) for s, v in at.items()}
    return np.array(expanded(matrix).xreplace(values).evalf(30).tolist(), dtype=float)


def test_mass_matrix(case: Case) -> None:
    """M_ij is what bodies with unit velocities i and j have of kinetic energy together."""
    with mp.workdps(40):
        J = columns(case, [mp.mpf(x) for x in case.q])
        n = len(J)
        expected = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                total = mp.mpf(0)
                for b, (xi, wi), (xj, wj) in zip(case.bodies, J[i], J[j], strict=True):
                    inertia = mp.matrix([[mp.mpf(str(sp.N(e, 30))) for e in b.inertia.row(r)] for r in range(3)])
                    total += mp.mpf(b.mass.p) / b.mass.q * (xi.T * xj)[0] + (wi.T * inertia * wj)[0]
                expected[i, j] = float(total)
    values, at = terms(case)
    found = numbers(values["mass"], at)
    assert np.abs(found - expected).max() <= 1e-14 * np.abs(expected).max()


def test_forces(case: Case) -> None:
    """F of M v' = F: with v' = 0 the bodies keep to the accelerations of the poses (d'Alembert's principle)."""
    with mp.workdps(60):
        q, v = [mp.mpf(x) for x in case.q], [mp.mpf(x) for x in case.v]
        h = mp.mpf(10) ** -15
        after, before = (velocities(case, moved(case, q, v, t), v) for t in (h, -h))
        now, J = velocities(case, q, v), columns(case, q)
        expected = []
        for column in J:
            total = mp.mpf(0)
            for k, b in enumerate(case.bodies):
                m = mp.mpf(b.mass.p) / b.mass.q
                inertia = mp.matrix([[mp.mpf(str(sp.N(e, 30))) for e in b.inertia.row(r)] for r in range(3)])
                acceleration = (after[k][0] - before[k][0]) / (2 * h)
                spin = (after[k][1] - before[k][1]) / (2 * h)
                w, L = now[k][1], inertia * now[k][1]
                gyroscopic = mp.matrix(
                    [w[1] * L[2] - w[2] * L[1], w[2] * L[0] - w[0] * L[2], w[0] * L[1] - w[1] * L[0]]
                )
                weight = mp.matrix([0, 0, mp.mpf(float(-GRAVITY * 2 * float(b.mass) / 2))])
                total += (column[k][0].T * (weight - m * acceleration))[0]
                total -= (column[k][1].T * (inertia * spin + gyroscopic))[0]
            expected.append(float(total))
    values, at = terms(case)
    found = numbers(values["force"], at)[:, 0]
    assert np.abs(found - expected).max() <= 1e-9 * np.abs(expected).max()  # differences of differences


def test_poses_and_velocities(case: Case) -> None:
    """What relations see of the bodies."""
    known = case.mechanism.values(Scope({}))
    _, at = terms(case)
    with mp.workdps(40):
        q, v = [mp.mpf(x) for x in case.q], [mp.mpf(x) for x in case.v]
        poses, moving = case.poses(q), velocities(case, q, v)
    own = case.mechanism.functions
    for b, (R, x), (velocity, omega) in zip(case.bodies, poses, moving, strict=True):

        def value(functions: sp.Matrix) -> np.ndarray:
            return numbers(sp.Matrix([known.get(f, own.get(f)) for f in functions]), at)[:, 0]

        p = [mp.mpf(float(e)) for e in value(b.quaternion)]
        assert np.allclose(value(b.position), [float(e) for e in x], rtol=0, atol=1e-14)
        assert np.allclose(np.array((of_quaternion(p) - R).tolist(), dtype=float), 0, rtol=0, atol=1e-14)
        assert np.allclose(value(b.velocity), [float(e) for e in velocity], rtol=0, atol=1e-13)
        assert np.allclose(value(b.angular_velocity), [float(e) for e in omega], rtol=0, atol=1e-13)


def test_armature_is_inertia_of_its_joint():
    """Of a gear's motor: it adds to M where the joint's velocity stands, and to nothing else."""
    rotor = sp.Symbol("J")
    a, b = body("a", 2), body("b", 3)
    one, two = (
        nsd.Revolute("one", nsd.Marker(a), nsd.Marker()),
        nsd.Revolute("two", nsd.Marker(b), nsd.Marker(a, [1, 0, 0])),
    )
    masses = []
    for armature, values in (({}, {}), ({two: rotor}, {rotor: 0.5})):
        mechanism = nsd.Mechanism("m", [one, two], armature=armature)
        model = nsd.Model("m", [mechanism], scheme=nsd.MoreauJean(), step=1e-3, end=1, parameters=values)
        masses.append(model.compile(interpret=True).m.mass([0.3, 0.7]))
    np.testing.assert_allclose(masses[1] - masses[0], np.diag([0, 0.5]), atol=1e-15)


def test_armature_that_has_no_joint_is_refused():
    a, b = body("a", 2), body("b", 1)
    ball, hinge = nsd.Spherical("ball", nsd.Marker(a), nsd.Marker()), nsd.Revolute("hinge", nsd.Marker(b), nsd.Marker())
    for joint in (ball, hinge):
        with pytest.raises(ModelError, match="no joint of it with one freedom"):
            nsd.Mechanism("m", [ball], armature={joint: 1})
    turned = nsd.Mechanism("m", [hinge], armature={hinge: -1})
    with pytest.raises(ModelError, match=r"armature: .*negative"):
        nsd.Model("m", [turned], scheme=nsd.MoreauJean(), step=1e-3, end=1)


def test_names_of_joints_and_bodies_are_their_own() -> None:
    """Columns have them: two of one name would be one column."""
    one, other, same = (nsd.RigidBody(name, 1, sp.eye(3)) for name in ("one", "other", "one"))
    pin = nsd.Revolute("pin", nsd.Marker(one), nsd.Marker())
    for below, name, message in ((other, "pin", "joints are called 'pin'"), (same, "elbow", "bodies are called 'one'")):
        with pytest.raises(ModelError, match=rf"mechanism 'm': two of its {message}"):
            nsd.Mechanism("m", [pin, nsd.Revolute(name, nsd.Marker(below), nsd.Marker(one, [1, 0, 0]))])
