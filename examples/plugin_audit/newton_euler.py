"""Rigid bodies with a quaternion: knee joint, gyroscopic term, springs. Formulas only."""

from __future__ import annotations

import sympy as sp

from nsdgen.verify import Claim, rotation_matrix, skew

from .common import Family

p = sp.Matrix(sp.symbols("p0:4", real=True))
position = sp.Matrix(sp.symbols("x y z", real=True))
omega = sp.Matrix(sp.symbols("O1:4", real=True))
arm = sp.Matrix(sp.symbols("g1:4", real=True))
inertia = sp.Matrix(3, 3, lambda i, j: sp.Symbol(f"I{min(i, j) + 1}{max(i, j) + 1}", real=True))
Q = sp.Matrix([*position, *p])

SYSTEM = Family("newton_euler", "ne_1ds_1knee_mlcp, springs_ne_3ds_3knee_1prism_mlcp", {}, {}, "")


def _homogeneous_rotation() -> sp.Matrix:
    """R(p) as a homogeneous quadratic polynomial, written out."""
    w, a, b, c = p
    return sp.Matrix(
        [
            [w**2 + a**2 - b**2 - c**2, 2 * (a * b - w * c), 2 * (a * c + w * b)],
            [2 * (a * b + w * c), w**2 - a**2 + b**2 - c**2, 2 * (b * c - w * a)],
            [2 * (a * c - w * b), 2 * (b * c + w * a), w**2 - a**2 - b**2 + c**2],
        ]
    )


def _twist_map() -> sp.Matrix:
    """T(q), 7 x 6: the quaternion moves with p (0, Omega) / 2."""
    w, a, b, c = p
    lower = sp.Matrix([[-a, -b, -c], [w, -c, b], [c, w, -a], [-b, a, w]]) / 2
    return sp.diag(sp.eye(3), lower)


def claims() -> list[Claim]:
    """H of the knee joint, dF/dv of the gyroscopic term, dF/dq of the springs."""
    rotation = _homogeneous_rotation()
    knee = position + rotation * arm
    h = knee.jacobian(Q) * _twist_map()
    gyroscopic = -omega.cross(inertia * omega)
    force = sp.Matrix([-10000 * position[0], 0, -10000 * position[2], 0, -1000 * (2 * sp.asin(p[2]) - 1), 0])
    used = sp.zeros(6, 7)
    used[0, 0] = used[2, 2] = -10000
    return [
        SYSTEM.formula("rotation", rotation_matrix(p), rotation, "the homogeneous rotation matrix"),
        SYSTEM.formula("knee", h, sp.Matrix.hstack(sp.eye(3), -rotation * skew(arm)), "H of the knee joint"),
        SYSTEM.formula(
            "gyroscopic", gyroscopic.jacobian(omega), -(skew(omega) * inertia - skew(inertia * omega)), "d(-O x I O)/dO"
        ),
        SYSTEM.formula(
            "floor",
            sp.Matrix([position[2]]).jacobian(Q),
            sp.Matrix([[0, 0, 1, 0, 0, 0, 0]]),
            "gradient of the floor gap",
        ),
        SYSTEM.formula("springs", force.jacobian(Q), used, "dF/dq of the springs as it enters Newton's matrix"),
    ]
