"""The toolbox of rotations: each identity proved on its assumption set, and exactness where the angle is zero."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen import rotations as rot
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.nodes import Stumpff
from nsdgen.verify import Claim, Equal, NonZero, UnitQuaternion, UnitVector, decide, quaternion, vector

from ..derive.truth import evaluate, hamilton

p, q, w, v = quaternion("p"), quaternion("q"), vector("w"), vector("v")
P, Q, W, V = (sp.Matrix(list(s)) for s in (p, q, w, v))
n, theta, rate = vector("n"), sp.Symbol("theta", positive=True), vector("r")
PHI = theta * sp.Matrix(list(n))


def closed(m: sp.Matrix) -> sp.Matrix:
    """Stumpff functions of (k theta)^2, in sines and cosines."""
    forms = (
        lambda a: sp.cos(a),
        lambda a: sp.sin(a) / a,
        lambda a: (1 - sp.cos(a)) / a**2,
        lambda a: (a - sp.sin(a)) / a**3,
        lambda a: (a**2 / 2 - 1 + sp.cos(a)) / a**4,
    )
    unit = sum(c**2 for c in n)
    return m.applyfunc(
        lambda e: e.replace(
            lambda f: isinstance(f, Stumpff),
            lambda f: forms[int(f.args[0])](sp.sqrt(sp.cancel(sp.expand(f.args[1]) / sp.expand(unit)))),
        )
    )


UNIT, UNITS, AXIS = [UnitQuaternion(p)], [UnitQuaternion(p), UnitQuaternion(q)], [UnitVector(n), NonZero(theta)]
R = rot.rotation_matrix(P)
DEXP = {side: closed(rot.dexp(PHI, side)) for side in ("body", "space")}
INVERSE = {side: closed(rot.dexp_inverse(PHI, side)) for side in ("body", "space")}
EXP, EXP_Q = closed(rot.exp(PHI)), closed(rot.exp_quaternion(PHI))


def moving(m: sp.Matrix) -> sp.Matrix:
    """d/dt of a matrix of phi = theta n along phi' = r, with theta' = n . r and n' = (r - n n . r) / theta."""
    along, axis = sp.Matrix(list(rate)), sp.Matrix(list(n))
    speed = axis.dot(along)
    turning = (along - axis * speed) / theta
    found = m.diff(theta) * speed
    for symbol, change in zip(n, turning, strict=True):
        found += m.diff(symbol) * change
    return found


IDENTITIES = {
    "the product, from its table": ((rot.product(P, Q), sp.Matrix(hamilton(list(p), list(q)))), []),
    "left matrix": ((rot.left_matrix(P) * Q, rot.product(P, Q)), []),
    "right matrix": ((rot.right_matrix(Q) * P, rot.product(P, Q)), []),
    "both matrices commute": ((rot.left_matrix(P) * rot.right_matrix(Q), rot.right_matrix(Q) * rot.left_matrix(P)), []),
    "inverse": ((rot.product(P, rot.conjugate(P)), rot.identity()), UNIT),
    "conjugate of a product": ((rot.conjugate(rot.product(P, Q)), rot.product(rot.conjugate(Q), rot.conjugate(P))), []),
    "rotation of a product": ((rot.rotation_matrix(rot.product(P, Q)), R * rot.rotation_matrix(Q)), UNITS),
    "rotation is orthogonal": ((R.T * R, sp.eye(3)), UNIT),
    "rotation of a vector": ((R * W, rot.product(rot.product(P, [0, *w]), rot.conjugate(P))[1:, :]), UNIT),
    "p and -p": ((rot.rotation_matrix(-P), R), []),
    "Psi is orthonormal": ((rot.rate_matrix(P).T * rot.rate_matrix(P), sp.eye(3)), UNIT),
    "Psi is orthogonal to p": ((rot.rate_matrix(P).T * P, sp.zeros(3, 1)), []),
    "Psi of space": ((rot.rate_matrix(P, "space") * R, rot.rate_matrix(P)), UNIT),
    "T, and its left inverse": (
        (
            (rot.twist_map([*v, *p]).T * rot.twist_map([*v, *p])).inv()
            * rot.twist_map([*v, *p]).T
            * rot.twist_map([*v, *p]),
            sp.eye(6),
        ),
        UNIT,
    ),
    "R' = R skew(Omega)": ((rot.directional_derivative(R, p, W), R * rot.skew(W)), UNIT),
    "R' = skew(omega) R": ((rot.directional_derivative(R, p, W, "space"), rot.skew(W) * R), UNIT),
    "the norm stays": ((sp.Matrix([rot.directional_derivative(P.dot(P), p, W)]), sp.zeros(1, 1)), []),
    "skew and back": ((rot.unskew(rot.skew(W)), W), []),
    "Ad of a bracket": ((rot.adjoint(P) * rot.bracket(W) * V, (R * W).cross(R * V)), UNIT),
    "Ad is a homomorphism": ((rot.adjoint(rot.product(P, Q)), rot.adjoint(P) * rot.adjoint(Q)), UNITS),
    "Jacobi": (
        (rot.bracket(rot.bracket(W) * V), rot.bracket(W) * rot.bracket(V) - rot.bracket(V) * rot.bracket(W)),
        [],
    ),
    "exp is a rotation": ((EXP.T * EXP, sp.eye(3)), AXIS),
    "exp of the quaternion": ((rot.rotation_matrix(EXP_Q), EXP), AXIS),
    "exp keeps the axis": ((EXP * PHI, PHI), AXIS),
    "Ad exp = exp ad, by Rodrigues": (
        (EXP, sp.eye(3) + sp.sin(theta) * rot.skew(n) + (1 - sp.cos(theta)) * rot.skew(n) ** 2),
        AXIS,
    ),
    "dexp, body": ((moving(EXP), EXP * rot.skew(DEXP["body"] * sp.Matrix(list(rate)))), AXIS),
    "dexp, space": ((moving(EXP), rot.skew(DEXP["space"] * sp.Matrix(list(rate))) * EXP), AXIS),
    "dexp of quaternions, body": (
        (moving(EXP_Q), rot.quaternion_rate(EXP_Q, DEXP["body"] * sp.Matrix(list(rate)))),
        AXIS,
    ),
    "dexp of quaternions, space": (
        (moving(EXP_Q), rot.quaternion_rate(EXP_Q, DEXP["space"] * sp.Matrix(list(rate)), "space")),
        AXIS,
    ),
    "both trivialisations": ((EXP * DEXP["body"], DEXP["space"]), AXIS),
    "inverse of dexp, body": ((INVERSE["body"] * DEXP["body"], sp.eye(3)), AXIS),
    "inverse of dexp, space": ((INVERSE["space"] * DEXP["space"], sp.eye(3)), AXIS),
}


LONG = {
    "both trivialisations",
    "dexp of quaternions, body",
    "inverse of dexp, body",
    *(f"{what}, space" for what in ("inverse of dexp", "dexp", "dexp of quaternions")),
}
"""Seconds each: all are made of what is proved of dexp of the body, or are like it."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in IDENTITIES]
)
@pytest.mark.few(4)
def test_identities_are_proved(name: str) -> None:
    (left, right), assumptions = IDENTITIES[name]
    verdict = decide(Claim(name, statements=(Equal(sp.Matrix(left), sp.Matrix(right)),), assumptions=assumptions))
    assert verdict.verdict.startswith("proved"), verdict


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-160, 1e-20, 1e-8, 1e-4, 0.3, 0.48995, 0.48996, 1.0, 3.0, 3.14159])
@pytest.mark.few(3)
def test_log_undoes_exp_and_both_are_exact_near_zero(angle: float) -> None:
    """In double precision through the machine code that a model runs."""
    axis = np.array([0.36, -0.48, 0.8])
    phi = angle * axis
    found = machine(phi)
    np.testing.assert_allclose(found["log_q"], phi, rtol=1e-15 if angle < 1 else 2e-14, atol=0)
    np.testing.assert_allclose(found["log_R"], phi, rtol=1e-14 if angle < 1 else 2e-12, atol=1e-300)
    with mpmath.workdps(60):
        s = mpmath.mpf(angle) ** 2
        terms = [mpmath.nsum(lambda i, k=k: (-s) ** i / mpmath.factorial(k + 2 * i), [0, 40]) for k in range(5)]
    np.testing.assert_allclose(found["bend"], float((terms[3] - 2 * terms[4]) / (2 * terms[2])), rtol=1e-14)


_KEPT: list = []


def _compiled():
    if not _KEPT:
        coordinates = [sp.Function(f"a{i}")(nsd.time) for i in range(9)]
        a = sp.Matrix(coordinates[:3])
        s = a.dot(a)
        bend = (Stumpff(3, s) - 2 * Stumpff(4, s)) / (2 * Stumpff(2, s))
        values = [
            *rot.log_quaternion(rot.exp_quaternion(a)),
            *rot.log(rot.exp(a)),
            bend,
            rot.log_quaternion(rot.exp_quaternion(a)).diff(coordinates[0])[0],
            0,
        ]
        probe = nsd.LagrangianSystem("probe", coordinates, mass=sp.eye(9), external=values)
        model = nsd.Model(
            "probe", [probe], scheme=nsd.SchatzmanPaoli(), step=1, end=1, initial=dict.fromkeys(coordinates, 0.1)
        )
        _KEPT.append(model.compile())
    return _KEPT[0]


def machine(phi: np.ndarray) -> dict[str, np.ndarray]:
    force = _compiled().probe.force(0.0, np.concatenate([phi, np.zeros(6)]), np.zeros(9)).ravel()
    return {"log_q": force[:3], "log_R": force[3:6], "bend": force[6], "slope": force[7]}


def test_the_derivative_of_the_logarithm_is_continuous_where_its_series_begins() -> None:
    """d log(exp(phi)) / dphi = 1 on both sides of |v| = p0 / 4, and at zero."""
    begin = 2 * np.arctan(0.25)
    for angle in (0.0, 1e-200, 1e-9, 0.489, np.nextafter(begin, 0), np.nextafter(begin, 1)):
        found = machine(angle * np.array([0.36, -0.48, 0.8]))
        np.testing.assert_allclose(found["slope"], 1, atol=4e-15)


def test_the_logarithm_is_that_of_the_nearer_of_two_quaternions() -> None:
    values = [evaluate(e, dict(zip(p, (-0.8, 0.0, -0.6, 0.0), strict=True))) for e in rot.log_quaternion(P)]
    np.testing.assert_allclose([float(c) for c in values], [0, 2 * np.arctan2(0.6, 0.8), 0], atol=1e-15)


@pytest.mark.parametrize(
    "call",
    [
        lambda: rot.product([1, 0, 0], [1, 0, 0, 0]),
        lambda: rot.exp([1, 2]),
        lambda: rot.rate_matrix([1, 0, 0, 0], "left"),
        lambda: rot.twist_map([0] * 6),
    ],
)
def test_wrong_shapes_and_sides_are_refused(call) -> None:
    with pytest.raises(ModelError) as caught:
        call()
    assert caught.value.fix
