"""Unit quaternions, scalar first, mapping body vectors to inertial ones.

p = (p0, p1, p2, p3); the composition p o q is the rotation q followed by p, seen from
the inertial frame. R(p) below is the rotation of a *unit* quaternion; a function of
the configuration is always evaluated at p/|p| (newton_euler.tex eq. 98 for T).
"""

import math
from collections.abc import Sequence
from typing import Any

import sympy as sp

from nsdgen.base.checks import finite_number, real_number, shown
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.nodes import Stumpff, let


def rotation(p: Sequence[sp.Expr]) -> sp.Matrix:
    """R(p), 3x3, body to inertial, for a unit quaternion."""
    p0, p1, p2, p3 = p
    return sp.Matrix(
        [
            [1 - 2 * (p2**2 + p3**2), 2 * (p1 * p2 - p0 * p3), 2 * (p1 * p3 + p0 * p2)],
            [2 * (p1 * p2 + p0 * p3), 1 - 2 * (p1**2 + p3**2), 2 * (p2 * p3 - p0 * p1)],
            [2 * (p1 * p3 - p0 * p2), 2 * (p2 * p3 + p0 * p1), 1 - 2 * (p1**2 + p2**2)],
        ]
    )


def compose(p: Sequence[sp.Expr], q: Sequence[sp.Expr]) -> sp.Matrix:
    """The quaternion product p o q, 4x1."""
    p0, pv = p[0], sp.Matrix(p[1:])
    q0, qv = q[0], sp.Matrix(q[1:])
    return sp.Matrix([p0 * q0 - pv.dot(qv), *(p0 * qv + q0 * pv + pv.cross(qv))])


def twist_block(p: Sequence[sp.Expr]) -> sp.Matrix:
    """The 4x3 block of T with p' = block Omega, Omega in the body frame: p o (0, Omega) / 2."""
    p0, p1, p2, p3 = p
    return sp.Matrix([[-p1, -p2, -p3], [p0, -p3, p2], [p3, p0, -p1], [-p2, p1, p0]]) / 2


def hat(p: Sequence[sp.Expr], label: str = "p") -> tuple[list[sp.Expr], sp.Expr]:
    """The normalised quaternion p/|p| and |p|, named so that code computes each once."""
    norm = let(f"{label}_norm", sp.sqrt(sum((c**2 for c in p), sp.S.Zero)))
    return [let(f"{label}{i}_hat", c / norm) for i, c in enumerate(p)], norm


def normalization(p_hat: Sequence[sp.Expr], norm: sp.Expr) -> sp.Matrix:
    """The derivative of p/|p| with respect to p, 4x4: (I - p^ p^T) / |p|."""
    column = sp.Matrix(p_hat)
    return (sp.eye(4) - column * column.T) / norm


def turned(p: Sequence[sp.Expr], rotation_vector: sp.Matrix) -> sp.Matrix:
    """p o exp(phi/2), p turned by a rotation vector phi (body frame), 4x1, smooth at phi = 0.

    exp(phi/2) = (cos(|phi|/2), sin(|phi|/2)/|phi| phi) in Stumpff functions of |phi|^2/4. Written as
    cos p + sin/|phi| (p o (0, phi)): the last factor is linear in phi, and all derivatives share it.
    """
    s = let("half_angle_squared", (rotation_vector.T * rotation_vector)[0, 0] / 4)
    half_cos, half_sinc = let("half_cos", Stumpff(0, s)), let("half_sinc", Stumpff(1, s) / 2)
    return half_cos * sp.Matrix(p) + half_sinc * (2 * twist_block(p) * rotation_vector)


def from_axis_angle(axis: Sequence[Any], angle: Any) -> list[float]:
    """The unit quaternion (scalar first) of the rotation by ``angle`` [rad] about ``axis``."""
    where = "from_axis_angle"
    try:
        a = [real_number(c) for c in axis]
    except (TypeError, ValueError):
        a = []
    length = math.hypot(*a)
    if len(a) != 3 or length == 0 or not math.isfinite(length):
        raise ModelError(f"{shown(axis)} is not an axis", where=where, fix="give three numbers, not all zero")
    half = finite_number(angle, where=f"{where}, angle") / 2
    return [math.cos(half), *(math.sin(half) * c / length for c in a)]
