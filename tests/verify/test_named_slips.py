"""Slips of whole matrices that are named: the frame, the sense of a rotation, a skew-symmetric part."""

from __future__ import annotations

import pytest
import sympy as sp
from sympy import cos, sin

from nsdgen.verify import Claim, PythonFunction, decide, matrix, skew, vector

PHI, THETA, PSI = sp.symbols("phi theta psi", real=True)
LENGTH = sp.Symbol("l", positive=True)
J, W, A = matrix("J", 3, 3, symmetric=True), vector("w"), vector("a")
N = sp.Symbol("N", integer=True, positive=True)
X, Y, Z = (sp.MatrixSymbol(name, N, N) for name in "XYZ")


def about_x(t):
    return sp.Matrix([[1, 0, 0], [0, cos(t), -sin(t)], [0, sin(t), cos(t)]])


def about_y(t):
    return sp.Matrix([[cos(t), 0, sin(t)], [0, 1, 0], [-sin(t), 0, cos(t)]])


def about_z(t):
    return sp.Matrix([[cos(t), -sin(t), 0], [sin(t), cos(t), 0], [0, 0, 1]])


UNIT = sp.eye(3)
RATES = sp.Matrix.hstack(UNIT[:, 2], about_z(PHI) * UNIT[:, 1], about_z(PHI) * about_y(THETA) * UNIT[:, 0])
OF_BODY = sp.Matrix(  # those of the rates turned by the transpose of the rotation, simplified by hand
    [[-sin(THETA), 0, 1], [cos(THETA) * sin(PSI), cos(PSI), 0], [cos(THETA) * cos(PSI), -sin(PSI), 0]]
)
SIZE = sp.sqrt(sum(c**2 for c in W))


TURNED, ANGLES = matrix("R", 3, 3), about_z(PHI) * about_x(PSI) * about_y(THETA)
PRINCIPAL = sp.diag(*sp.symbols("A B C", positive=True))


def dexp(sense):
    s = skew(W)
    return UNIT + sense * (1 - cos(SIZE)) / SIZE**2 * s + (SIZE - sin(SIZE)) / SIZE**3 * s * s


def cayley(sense):
    half = sense * skew(A) / 2
    return (UNIT - half).inv() * (UNIT + half)


@pytest.mark.parametrize(
    ("truth", "hand", "slip"),
    [
        (OF_BODY, RATES, "wrong frame"),
        pytest.param(dexp(1), dexp(-1), "transpose", marks=pytest.mark.slow),
        (
            about_z(PHI) * about_x(PSI) * about_y(THETA),
            about_z(PHI) * about_x(PSI).T * about_y(THETA),
            "opposite rotation",
        ),
        (skew(W) * J - skew(J * W), skew(W) * J + skew(J * W), "sign"),
        (sp.Matrix([[cos(PHI) / LENGTH, sin(PHI) / LENGTH]]), sp.Matrix([[cos(PHI), sin(PHI)]]), "extra factor l"),
        pytest.param(cayley(1), cayley(-1), "transpose", marks=pytest.mark.slow),
        pytest.param(cayley(1) * about_z(PHI), cayley(-1) * about_z(PHI), "opposite rotation", marks=pytest.mark.slow),
        (X * Y * Z, X * Y.T * Z, "transpose"),
        (X * Y * X.T, X.T * Y * X, "transpose"),
        (TURNED * J * TURNED.T, TURNED.T * J * TURNED, "transpose"),
        (ANGLES * PRINCIPAL * ANGLES.T, ANGLES.T * PRINCIPAL * ANGLES, "wrong frame"),
    ],
)
@pytest.mark.few(3)
def test_a_slip_of_a_whole_matrix_is_named(truth, hand, slip):
    found = decide(Claim("slip", truth, hand))
    assert (found.verdict, found.slip) == ("refuted", slip)


def test_terms_that_code_lacks_are_named():
    a, b, c, d = sp.symbols("a b c d", real=True)
    truth = a * sin(b) - b * cos(c) * d + c**2 * d - a * d**3 + sin(a * c)
    code = sp.lambdify([a, b, c, d], sp.Matrix([truth - a * sin(b) - c**2 * d]))
    found = decide(Claim("lacking", truth, PythonFunction(code, [a, b, c, d])))
    assert found.slip == f"(1, 1): missing term: it lacks {a * sin(b) + c**2 * d}"
