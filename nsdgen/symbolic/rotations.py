"""Rotations by symbols: unit quaternions, the rotation group, and their exponentials.

Quaternions are columns (p0, p1, p2, p3), scalar first, and map body vectors to inertial ones; phi is a rotation vector,
Omega an angular velocity in the body frame and omega = R Omega one in the inertial frame. Every function takes columns,
lists of expressions or of numbers, and gives SymPy matrices.

What has a removable singularity at the angle zero is written in Stumpff functions c_k(|phi|^2) or by a series near
zero, so that values and derivatives are exact there, too. ``side="body"`` is the left trivialisation,
R' = R skew(Omega), ``side="space"`` the right one, R' = skew(omega) R.

The algebra of unit quaternions has the exponential exp(phi / 2) and the bracket of rotation vectors, so that
:func:`dexp`, :func:`dexp_inverse`, :func:`adjoint` and :func:`bracket` serve both groups.
"""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import column, vector
from nsdgen.symbolic.expressions.nodes import Branch, Stumpff
from nsdgen.symbolic.families import quaternion as quat

__all__ = [
    "adjoint",
    "bracket",
    "conjugate",
    "dexp",
    "dexp_inverse",
    "directional_derivative",
    "exp",
    "exp_quaternion",
    "identity",
    "left_matrix",
    "log",
    "log_quaternion",
    "product",
    "quaternion_rate",
    "rate_matrix",
    "right_matrix",
    "rotation_matrix",
    "skew",
    "twist_map",
    "unskew",
]

_SIDES = ("body", "space")


def _quaternion(p: Any, what: str = "quaternion") -> sp.Matrix:
    return column(p, where=what, rows=4, fix="give four components, scalar first")


def _vector(v: Any, what: str) -> sp.Matrix:
    return vector(v, where=what)


def _side(side: str) -> bool:
    """Whether it is the body's."""
    if side not in _SIDES:
        raise ModelError(f"side={side!r} is unknown", where="rotations", fix="use 'body' or 'space'")
    return side == "body"


# -- quaternions ------------------------------------------------------------------------------------------------------


def identity() -> sp.Matrix:
    """The quaternion (1, 0, 0, 0)."""
    return sp.Matrix([1, 0, 0, 0])


def product(p: Any, q: Any) -> sp.Matrix:
    """p o q, 4x1: the rotation q, then p, seen from the inertial frame."""
    return quat.compose(list(_quaternion(p)), list(_quaternion(q)))


def conjugate(p: Any) -> sp.Matrix:
    """(p0, -p), the inverse of a unit quaternion."""
    p = _quaternion(p)
    return sp.Matrix([p[0], *(-c for c in p[1:])])


def left_matrix(p: Any) -> sp.Matrix:
    """4x4, p o q = left_matrix(p) q."""
    p = _quaternion(p)
    return sp.Matrix.hstack(p, 2 * quat.twist_block(list(p)))


def right_matrix(q: Any) -> sp.Matrix:
    """4x4, p o q = right_matrix(q) p."""
    q0, v = _quaternion(q)[0], sp.Matrix(_quaternion(q)[1:])
    return sp.Matrix.vstack(sp.Matrix.hstack(sp.Matrix([[q0]]), -v.T), sp.Matrix.hstack(v, q0 * sp.eye(3) - skew(v)))


def rotation_matrix(p: Any) -> sp.Matrix:
    """R(p), 3x3, body to inertial, for a unit quaternion."""
    return quat.rotation(list(_quaternion(p)))


def rate_matrix(p: Any, side: str = "body") -> sp.Matrix:
    """Psi(p), 4x3: p' = Psi(p) Omega / 2 for the body's angular velocity, with that of space p' = Psi(p) omega / 2."""
    return (left_matrix(p) if _side(side) else right_matrix(p))[:, 1:]


def quaternion_rate(p: Any, velocity: Any, side: str = "body") -> sp.Matrix:
    """p' of a quaternion that turns with this angular velocity [rad/s], 4x1."""
    return rate_matrix(p, side) * _vector(velocity, "angular velocity") / 2


def twist_map(q: Any) -> sp.Matrix:
    """T(q), 7x6, with q' = T(q) v for q = (x, p) and v = (x', Omega): diag(I, Psi(p) / 2)."""
    q = column(q, where="configuration", rows=7, fix="give position and quaternion, seven components")
    return sp.diag(sp.eye(3), rate_matrix(q[3:, :]) / 2)


# -- the algebra ------------------------------------------------------------------------------------------------------


def skew(v: Any) -> sp.Matrix:
    """The skew matrix with skew(v) w = v x w."""
    a, b, c = _vector(v, "vector")
    return sp.Matrix([[0, -c, b], [c, 0, -a], [-b, a, 0]])


def unskew(W: sp.Matrix) -> sp.Matrix:
    """The vector of the skew part of a 3x3 matrix, 3x1."""
    return sp.Matrix([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2


def bracket(phi: Any) -> sp.Matrix:
    """ad_phi, 3x3: ad_phi w = phi x w."""
    return skew(phi)


def adjoint(rotation: Any) -> sp.Matrix:
    """Ad, 3x3, of a rotation matrix or of a unit quaternion: Ad w is w, turned."""
    if isinstance(rotation, sp.MatrixBase) and rotation.shape == (3, 3):
        return sp.Matrix(rotation)
    return rotation_matrix(rotation)


# -- exponential and logarithm -----------------------------------------------------------------------------------------


def _square(phi: sp.Matrix) -> sp.Expr:
    return phi.dot(phi)


def exp(phi: Any) -> sp.Matrix:
    """The rotation matrix of a rotation vector: I + c_1 W + c_2 W^2, W = skew(phi)."""
    phi = _vector(phi, "rotation vector")
    W, s = skew(phi), _square(phi)
    return sp.eye(3) + Stumpff(1, s) * W + Stumpff(2, s) * W**2


def exp_quaternion(phi: Any) -> sp.Matrix:
    """The unit quaternion of a rotation vector, 4x1: (cos |phi|/2, sin |phi|/2 phi / |phi|)."""
    phi = _vector(phi, "rotation vector")
    s = _square(phi) / 4
    return sp.Matrix([Stumpff(0, s), *(Stumpff(1, s) / 2 * c for c in phi)])


def log_quaternion(p: Any) -> sp.Matrix:
    """The rotation vector of a unit quaternion, 3x1, |phi| <= pi: of p and -p the shorter one.

    Near the identity by a series of the arc tangent in |v|^2 / p0^2, to rounding with its derivative.
    """
    p = _quaternion(p)
    v, flip = sp.Matrix(p[1:]), Branch(sp.S.One, p[0] >= 0, -sp.S.One, sp.true)
    p0, n2 = flip * p[0], _square(v)
    n, z = sp.sqrt(n2), n2 / p0**2
    series = sp.S.Zero
    for k in range(_TERMS, -1, -1):
        series = series * z + sp.Rational((-1) ** k, 2 * k + 1)
    factor = Branch(series / p0, sp.Le(16 * n2, p0**2), sp.atan2(n, p0) / n, sp.true)
    return 2 * flip * factor * v


_TERMS = 14
"""Of the series for |v| <= p0 / 4: the first that is left out is below 1e-18."""


def log(R: Any) -> sp.Matrix:
    """The rotation vector of a rotation matrix, 3x1, |phi| <= pi, by the largest entry of its quaternion."""
    R = sp.Matrix(R)
    t = R.trace()
    u = 2 * unskew(R)  # 4 p0 v
    largest = [t, R[0, 0], R[1, 1], R[2, 2]]
    candidates = [sp.Matrix([1 + t, *u])]
    for i in range(3):
        row = [u[i], *((R[i, j] + R[j, i]) if i != j else 1 + 2 * R[i, i] - t for j in range(3))]
        candidates.append(sp.Matrix(row))
    chosen = []
    for entry in range(4):
        parts: list[Any] = []
        for i, candidate in enumerate(candidates):
            others = [sp.Ge(largest[i], largest[j]) for j in range(4) if j != i]
            unit = candidate[entry] / sp.sqrt(_square(candidate))
            parts += [unit, sp.And(*others) if i < 3 else sp.true]
        chosen.append(Branch(*parts))
    return log_quaternion(sp.Matrix(chosen))


def dexp(phi: Any, side: str = "body") -> sp.Matrix:
    """The differential of the exponential, 3x3: Omega = dexp(phi) phi' for ``"body"``, omega for ``"space"``."""
    phi = _vector(phi, "rotation vector")
    W, s = skew(phi), _square(phi)
    return sp.eye(3) + (-1 if _side(side) else 1) * Stumpff(2, s) * W + Stumpff(3, s) * W**2


def dexp_inverse(phi: Any, side: str = "body") -> sp.Matrix:
    """The inverse of :func:`dexp`, 3x3, for |phi| < 2 pi: phi' = dexp_inverse(phi) Omega."""
    phi = _vector(phi, "rotation vector")
    W, s = skew(phi), _square(phi)
    bend = (Stumpff(3, s) - 2 * Stumpff(4, s)) / (2 * Stumpff(2, s))
    return sp.eye(3) + (W if _side(side) else -W) / 2 + bend * W**2


# -- derivatives on the group ------------------------------------------------------------------------------------------


def directional_derivative(value: Any, p: Sequence[sp.Symbol], velocity: Any, side: str = "body") -> Any:
    """The derivative of an expression or matrix of the quaternion symbols p along an angular velocity.

    d/dt value(p o exp(t Omega)) at t = 0 for ``"body"``, value(exp(t omega) o p) for ``"space"``.
    """
    rate = quaternion_rate(sp.Matrix(list(p)), velocity, side)
    found = sp.zeros(*value.shape) if isinstance(value, sp.MatrixBase) else sp.S.Zero
    for symbol, along in zip(p, rate, strict=True):
        found += value.diff(symbol) * along
    return found
