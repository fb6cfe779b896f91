"""Rigid bodies: the update of rotations, rows of contacts and joints, prescribed velocities."""

from __future__ import annotations

import sympy as sp

from nsdgen.verify import Claim, Equal, NonZero, Positive, SeriesEqual, UnitQuaternion, rotation_matrix, skew

from .common import Family
from .newton_euler import SYSTEM, _homogeneous_rotation, _twist_map, arm, p, position

x, r = sp.symbols("x R", real=True)
omega = sp.Matrix(sp.symbols("O1:4", real=True))
velocity = sp.Matrix(sp.symbols("v1:4", real=True))
point = sp.Matrix(sp.symbols("P1:4", real=True))
Q = sp.Matrix([*position, *p])
SERIES = 1 + x**2 / 3 + 2 * x**4 / 15 + 17 * x**6 / 315 + 62 * x**8 / 2835


def claims() -> list[Claim]:
    """All of them; rows of H are decided as formulas."""
    return [*_rotation(), *_contact(), *_knee(), *_prismatic(), *_prescribed(), *_springs()]


def _rotation() -> list[Claim]:
    note = "used for |x| <= 1e-3 in place of sin(x)/x: it is the series of tan(x)/x"
    typed = sp.expand(x * SERIES)
    return [
        Claim(
            "rotation/series.formula",
            statements=[SeriesEqual(sp.sin(x), typed, x, order=11)],
            note=note,
            title="x s(x) = sin(x) at small x",
            source="all cases with rigid bodies",
        ),
        Claim(
            "rotation/tangent.formula",
            statements=[SeriesEqual(sp.tan(x), typed, x, order=11)],
            title="x s(x) = tan(x) at small x",
            source="all cases with rigid bodies",
        ),
    ]


def _contact() -> list[Claim]:
    """C [I, (G - P)^ R] of a contact point P, and the gap |x| - R of the balls with their normal (1, 0, 0)."""
    rotation = rotation_matrix(p)
    moving = velocity + (rotation * omega).cross(point - position)
    row = sp.Matrix.hstack(sp.eye(3), skew(position - point) * rotation)
    ball = Family("contact", "bouncing_ball_nets, rolling_bouncing_ball_nets", {}, {}, "")
    plane = Family("moving_plane", "ball_newton_euler_on_moving_plane", {}, {}, "")
    one = sp.Matrix(sp.symbols("x1 y1 z1", real=True))
    normal = sp.Matrix([[1, 0, 0]])
    lever = normal * skew(position - one) * rotation
    height = sp.Matrix([sp.Abs(position[0]) - r])
    step, vx = sp.symbols("h vx", positive=True)
    frames = {"new": [[1, 0, 0], [0, 0, -1], [0, 1, 0]], "old": [[1, 0, 0], [0, -1, 0], [0, 0, -1]]}
    found = [
        ball.formula(
            "row",
            moving,
            row * sp.Matrix([*velocity, *omega]),
            "velocity of the contact point",
            assumptions=[UnitQuaternion(p)],
        ),
        ball.formula(
            "gap",
            height.jacobian(position),
            normal,
            "gradient of |x| - R and the normal",
            note="the normal is (1, 0, 0) on both sides of the plane",
        ),
        ball.formula(
            "gap_above",
            height.jacobian(position),
            normal,
            "the same above the plane",
            assumptions=[Positive(position[0])],
        ),
        ball.formula(
            "lever",
            position - (position - sp.Matrix([r, 0, 0])),
            (position + sp.Matrix([step * vx, 0, 0])) - (position - sp.Matrix([r, 0, 0])),
            "lever arm of the contact point",
            note="the point of the beginning of the step with the "
            "centre of the predictor, as the newer library combines them",
        ),
        plane.formula(
            "rotation",
            sp.zeros(1, 3),
            -lever,
            "the gap x1 - x2 by the rotation of the plane",
            note="the row of body 2 uses the point of body 1: its lever arm is not along the normal",
        ),
    ]
    for name, rows in frames.items():
        c = sp.Matrix(rows)
        found.append(
            Claim(
                f"contact/frame_{name}.formula",
                statements=[Equal(c * c.T, sp.eye(3)), Equal(c.det(), 1)],
                title="n, t1, t2 are orthonormal and right-handed",
                source=ball.case,
            )
        )
    return found


def _knee() -> list[Claim]:
    """The rows of the second body of a ball joint."""
    rotation = _homogeneous_rotation()
    h = -(position + rotation * arm).jacobian(Q) * _twist_map()
    return [
        SYSTEM.formula(
            "knee_second",
            h,
            -sp.Matrix.hstack(sp.eye(3), -rotation * skew(arm)),
            "H of the second body of a ball joint",
        )
    ]


def _prismatic() -> list[Claim]:
    """The two normals of a prismatic joint, in the branch for an axis with V3 <= V2 and V1 <= V2 or V1 largest."""
    a, b, c = axis = sp.Matrix(sp.symbols("V1:4", real=True))
    family = Family("prismatic", "prismatic_test, ne_3ds_3knee_1prism_mlcp", {}, {}, "")
    first, other = sp.Matrix([b, -a, 0]), sp.Matrix([0, -c, b])
    found = [
        family.formula(
            f"normal_{name}",
            sp.Matrix([n.dot(axis), axis.cross(n).dot(axis), axis.cross(n).dot(n)]),
            sp.zeros(3, 1),
            "the normals are orthogonal to the axis and to each other",
        )
        for name, n in (("first", first), ("other", other))
    ]
    down = {a: 0, b: 0, c: -1}
    found.append(
        family.formula(
            "normal_down",
            sp.S.One,
            first.dot(first).subs(down),
            "the first normal of the axis (0, 0, -1) is a unit vector",
            note="signed comparisons choose (V2, -V1, 0), which is zero and cannot be normalised",
        )
    )
    rotation, q0 = _homogeneous_rotation(), sp.Matrix(sp.symbols("d1:4", real=True))
    sliding = (rotation.T * -position - q0).jacobian(Q) * _twist_map()
    hand = sp.Matrix.hstack(-rotation.T, skew(-rotation.T * position))
    found.append(family.formula("rows", sliding, hand, "H of the two sliding rows, before the normals"))
    return found


def _prescribed() -> list[Claim]:
    """W dv = -r with dv_1 = d given: what remains for the others; and the reaction of a prescribed velocity."""
    w = sp.Matrix(2, 2, lambda i, j: sp.Symbol(f"W{min(i, j) + 1}{max(i, j) + 1}", real=True))
    r2, d = sp.symbols("r2 d", real=True)
    m, v, v_k, f, h, impulse = sp.symbols("m v v_k f h p", real=True)
    case = Family("prescribed", "ball_newton_euler, ball_newton_euler_on_moving_plane", {}, {}, "")
    return [
        case.formula(
            "coupling",
            -(r2 + w[1, 0] * d) / w[1, 1],
            -(r2 - w[1, 0] * d) / w[1, 1],
            "the free velocity beside a prescribed one",
            assumptions=[NonZero(w[1, 1])],
            note="r -= column d, where the elimination adds it",
        ),
        case.formula(
            "reaction",
            m * (v - v_k) - h * f - impulse,
            -m * v + impulse,
            "the impulse that holds the prescribed velocity",
            note="the inertia of the step and the force are not in it, and its sign is turned",
        ),
    ]


def _springs() -> list[Claim]:
    """The torsion spring of the first beam: moment about y for a rotation by a about y, rest angle 1."""
    angle, stiffness = sp.symbols("a k", real=True)
    b = sp.Symbol("b", real=True)
    typed = sp.Matrix([-10000 * position[0], 0, -10000 * position[2]]).jacobian(position)
    return [
        SYSTEM.formula("spring_force", typed, -sp.diag(10000, 0, 10000), "dF/dx of the translational springs"),
        SYSTEM.formula(
            "spring_angle",
            (stiffness * (angle - 1)),
            (stiffness * (2 * sp.asin(b) - 1)).subs(b, sp.sin(angle / 2)),
            "moment of the torsion spring",
            assumptions=[Positive(sp.pi - angle), Positive(sp.pi + angle)],
        ),
    ]
