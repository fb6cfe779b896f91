"""Claims of the notes on unit quaternions and modified inertia: one rigid body.

The formulas VI-01 to VI-31, VI-51 and VI-53 of ``quaternion_variational.md``; those of the step are in
``variational.py``. Conventions of that document: q = (q0, q1, q2, q3) scalar first, body to inertial, v = (q1, q2, q3);
L(q) is 3x4 with rate q' = L^T Omega / 2 and Omega in the body frame; R(q) is homogeneous of degree two; J is the
inertia in the body frame, J_gamma = J - gamma 1; x = (r_O, q) has seven components; a body point is r = r_O + R(q) c;
C(x; c) = [1, -2 R c~ L] is 3x7. A derivative by a column has one row per component and one column per variable;
what the document underlines is held fixed. An inertia is symmetric; where that matters, it is an assumption.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Matrix, eye, zeros

from nsdgen.verify import (
    Claim,
    Equal,
    Implies,
    Mend,
    Orthogonal,
    Symmetric,
    UnitQuaternion,
    Zero,
    derivative,
    gradient,
    matrix,
    quaternion,
    rotate,
    rotation_matrix,
    skew,
    time_derivative,
    vector,
)

NOTES = "quaternion_variational.md"


def lines(first: int, last: int) -> str:
    """Where a formula stands."""
    return f"{NOTES}, lines {first}-{last}"


q, qd = quaternion("q"), quaternion("qdot")
q0, q1, q2, q3 = q
v = Matrix(q[1:])
eta, c, f, Omega = vector("eta"), vector("c"), vector("f"), vector("Omega")
e1, e2, e3 = eta
J = matrix("J", 3, 3)
gamma, lam, m = sp.symbols("gamma lambda m", real=True)
one3, one4 = eye(3), eye(4)
J_gamma = J - gamma * one3

unit, tangent, symmetric = UnitQuaternion(q), Orthogonal(q, qd), Symmetric(J)


def L(p: Any) -> Matrix:
    """The 3x4 matrix of lines 32-43, rows = components of the body frame."""
    a, b, c_, d = p
    return Matrix([[-b, a, d, -c_], [-c_, -d, a, b], [-d, c_, -b, a]])


def M_rot(p: Any) -> Matrix:
    """Modified rotational mass matrix of line 115, 4x4."""
    return 4 * L(p).T * J_gamma * L(p) + 4 * gamma * one4


def M_body(p: Any) -> Matrix:
    """Mass matrix of the seven coordinates, line 500."""
    return sp.diag(m * one3, M_rot(p))


def C(p: Any) -> Matrix:
    """The 3x7 matrix of lines 268-272 for the body point c."""
    return one3.row_join(-2 * rotation_matrix(p) * skew(c) * L(p))


def E(y: Any) -> Matrix:
    """The 4x4 matrix printed for the derivative of L^T eta at fixed eta, lines 142-158."""
    a, b, d = y
    return Matrix([[0, -a, -b, -d], [a, 0, d, -b], [b, -d, 0, a], [d, b, -a, 0]])


def held(expression: Any, values: Any, at: Any = eta) -> Any:
    """The expression with ``values`` put in for the symbols ``at``: what was held fixed takes its value."""
    return expression.subs(dict(zip(at, values, strict=True)), simultaneous=True)


Phi = (q.dot(q) - 1) / 2
R, Lq, Ld = rotation_matrix(q), L(q), L(qd)
T_rot = (2 * qd.T * Lq.T * J_gamma * Lq * qd)[0, 0] + 2 * gamma * qd.dot(qd)
M_rate = time_derivative(M_rot(q), ((q, qd),))
coriolis = Ld.T * J_gamma * Lq * qd
dR_eta, dRT_f = derivative(R * eta, q), derivative(R.T * f, q)
r_O, rd_O, rdd_O, qdd = vector("r"), vector("rdot"), vector("rddot"), quaternion("qddot")
x, xd, xdd = Matrix([r_O, q]), Matrix([rd_O, qd]), Matrix([rdd_O, qdd])
T_body = m * rd_O.dot(rd_O) / 2 + T_rot
S_part = Matrix(
    [
        [q0**2 + q1**2 - q2**2 - q3**2, 2 * q1 * q2, 2 * q1 * q3],
        [2 * q1 * q2, q0**2 - q1**2 + q2**2 - q3**2, 2 * q2 * q3],
        [2 * q1 * q3, 2 * q2 * q3, q0**2 - q1**2 - q2**2 + q3**2],
    ]
)
turned = 2 * q0 * Matrix([[0, -q3, q2], [q3, 0, -q1], [-q2, q1, 0]])
turned_back = 2 * q0 * Matrix([[0, q3, -q2], [-q3, 0, q1], [q2, -q1, 0]])
R_printed = Matrix(
    [
        [S_part[0, 0], 2 * (q1 * q2 - q0 * q3), 2 * (q1 * q3 + q0 * q2)],
        [2 * (q1 * q2 + q0 * q3), S_part[1, 1], 2 * (q2 * q3 - q0 * q1)],
        [2 * (q1 * q3 - q0 * q2), 2 * (q2 * q3 + q0 * q1), S_part[2, 2]],
    ]
)
dR_eta_printed = 2 * Matrix(
    [
        [
            q0 * e1 - q3 * e2 + q2 * e3,
            q1 * e1 + q2 * e2 + q3 * e3,
            -q2 * e1 + q1 * e2 + q0 * e3,
            q3 * e1 - q0 * e2 + q1 * e3,
        ],
        [
            q3 * e1 + q0 * e2 - q1 * e3,
            q2 * e1 - q1 * e2 - q0 * e3,
            q1 * e1 + q2 * e2 + q3 * e3,
            q0 * e1 - q3 * e2 + q2 * e3,
        ],
        [
            -q2 * e1 + q1 * e2 + q0 * e3,
            q3 * e1 + q0 * e2 - q1 * e3,
            -q0 * e1 + q3 * e2 - q2 * e3,
            q1 * e1 + q2 * e2 + q3 * e3,
        ],
    ]
)
forward, backward = q0 * one3 + skew(v), q0 * one3 - skew(v)
r_rate = time_derivative(r_O + R * c, ((r_O, rd_O), (q, qd)))
force = Matrix([f, -2 * Lq.T * skew(c).T * R.T * f])
V = sp.Function("V")(*x)
dV = gradient(V, x)
F7 = vector("F", 7)


def euler_lagrange(lagrangian_: Any) -> Matrix:
    """The left side of the Lagrange equations, d/dt dL/dx' - dL/dx."""
    return time_derivative(gradient(lagrangian_, xd), ((x, xd), (xd, xdd))) - gradient(lagrangian_, x)


def display(block: Any) -> Matrix:
    """The 2x2 block display [[0, 0], [0, block]] with zero blocks that fit: rows 3 and 4, columns 3 and the block's."""
    return sp.diag(zeros(3, 3), block)


corrected = Matrix(dR_eta_printed)
corrected[0, 3] = 2 * (-q3 * e1 - q0 * e2 + q1 * e3)
column = Matrix([zeros(3, 1), coriolis])
M_body_rate = time_derivative(M_body(q), ((q, qd),)) * xd

claims = (
    Claim(
        "VI-01",
        statements=(
            Equal(derivative(Phi, q), q.T),
            Equal(derivative(derivative(Phi, q).T * lam, q), lam * one4),
            Implies([Zero(time_derivative(Phi, ((q, qd),)))], Zero(q.T * qd)),
        ),
        title="constraint, its Jacobian and the constraint-force Jacobian",
        source=lines(8, 23),
        note="q^T q' = 0 is read as the rate of Phi = 0, which is how the text introduces it.",
    ),
    Claim(
        "VI-02",
        statements=(Zero(q.T * Lq.T), Zero(Lq * q)),
        title="nullspace of the constraint Jacobian",
        source=lines(25, 56),
    ),
    Claim("VI-03", Lq * Lq.T, one3, unit, title="orthonormality of the rows of L", source=lines(45, 47)),
    Claim("VI-04", Lq.T * Lq, one4 - q * q.T, unit, title="projector onto the tangent space", source=lines(58, 61)),
    Claim(
        "VI-05",
        statements=(Equal(Lq * Lq.T, one3), Zero(q.T * Lq.T), Zero(Lq * q), Equal(Lq.T * Lq, one4 - q * q.T)),
        candidates=unit,
        title="range of validity of the identities of L",
        source=lines(63, 64),
        note="Claimed for any 4-vector: two of the four need |q| = 1, in general L L^T = |q|^2 1 and "
        "L^T L = |q|^2 1 - q q^T.",
        mend=Mend(
            "L L^T = |q|^2 1 and L^T L = |q|^2 1 - q q^T for any 4-vector",
            statements=(
                Equal(Lq * Lq.T, q.dot(q) * one3),
                Zero(q.T * Lq.T),
                Zero(Lq * q),
                Equal(Lq.T * Lq, q.dot(q) * one4 - q * q.T),
            ),
        ),
    ),
    Claim("VI-06", Lq * qd, -Ld * q, title="exchange of q and its rate", source=lines(66, 72)),
    Claim(
        "VI-07",
        statements=Implies([Equal(qd, Lq.T * Omega / 2)], Equal(Omega, 2 * Lq * qd)),
        assumptions=unit,
        title="local angular velocity",
        source=lines(74, 81),
    ),
    Claim(
        "VI-08",
        statements=Equal(
            (2 * Lq * qd).dot(2 * Lq * qd),
            4 * (qd.T * Lq.T * Lq * qd)[0, 0],
            4 * (qd.T * (one4 - q * q.T) * qd)[0, 0],
            4 * qd.dot(qd),
        ),
        assumptions=(unit, tangent),
        title="squared norm of the angular velocity",
        source=lines(83, 89),
    ),
    Claim(
        "VI-09",
        ((2 * Lq * qd).T * J * (2 * Lq * qd))[0, 0] / 2,
        T_rot,
        (unit, tangent),
        title="kinetic energy with the modified inertia",
        source=lines(101, 107),
    ),
    Claim(
        "VI-10",
        gradient(T_rot, qd),
        M_rot(q) * qd,
        symmetric,
        title="modified momentum and mass matrix",
        source=lines(109, 116),
        note="An inertia is symmetric; T_rot is the modified form of line 103.",
    ),
    Claim(
        "VI-11",
        statements=Equal(
            M_rot(q) * qd, 4 * Lq.T * J_gamma * Lq * qd + 4 * gamma * qd, -4 * Lq.T * J_gamma * Ld * q + 4 * gamma * qd
        ),
        title="momentum with the rates exchanged",
        source=lines(118, 122),
    ),
    Claim(
        "VI-12",
        Lq.T * eta,
        Matrix(
            [
                -q1 * e1 - q2 * e2 - q3 * e3,
                q0 * e1 - q3 * e2 + q2 * e3,
                q3 * e1 + q0 * e2 - q1 * e3,
                -q2 * e1 + q1 * e2 + q0 * e3,
            ]
        ),
        title="L^T eta by components",
        source=lines(128, 142),
    ),
    Claim(
        "VI-13", derivative(Lq.T * eta, q), E(eta), title="derivative of L^T eta at fixed eta", source=lines(142, 158)
    ),
    Claim(
        "VI-14",
        derivative(M_rot(q) * qd, q),
        -4 * Lq.T * J_gamma * Ld + 4 * E(J_gamma * Lq * qd),
        title="derivative of the momentum in q",
        source=lines(158, 180),
        note="The rate of q is held fixed.",
    ),
    Claim(
        "VI-15",
        M_rate,
        4 * Lq.T * J_gamma * Ld + 4 * Ld.T * J_gamma * Lq,
        title="time derivative of the mass matrix",
        source=lines(182, 187),
    ),
    Claim(
        "VI-16",
        statements=Equal(gradient(T_rot, q), 4 * Ld.T * J_gamma * Ld * q, -4 * coriolis),
        assumptions=symmetric,
        title="gradient of the kinetic energy in q",
        source=lines(189, 198),
        note="An inertia is symmetric.",
    ),
    Claim(
        "VI-17",
        M_rate * qd - gradient(T_rot, q),
        8 * coriolis,
        symmetric,
        title="quadratic velocity term",
        source=lines(200, 211),
        note="An inertia is symmetric.",
    ),
    Claim(
        "VI-18",
        statements=(
            Equal(Matrix.hstack(*(rotate(q, one3[:, i]) for i in range(3))), R_printed),
            Equal(R_printed.T * R_printed, one3),
            Equal(R_printed.det(), 1),
        ),
        assumptions=unit,
        title="rotation matrix, homogeneous form",
        source=lines(223, 234),
        note="The matrix is that of q (0, x) q* for every q; it is a rotation where |q| = 1.",
    ),
    Claim(
        "VI-19",
        statements=(Equal(R_printed, S_part + turned), Equal(R_printed.T, S_part + turned_back)),
        title="symmetric-skew split of R and of R^T",
        source=lines(382, 416),
    ),
    Claim(
        "VI-20",
        statements=Equal(
            r_rate,
            rd_O + R * skew(2 * Lq * qd) * c,
            rd_O - R * skew(c) * (2 * Lq * qd),
            rd_O - 2 * R * skew(c) * Lq * qd,
            C(q) * xd,
        ),
        assumptions=(unit, tangent),
        title="velocity of a body point",
        source=lines(251, 272),
    ),
    Claim(
        "VI-21",
        dR_eta,
        dR_eta_printed,
        title="derivative of R eta at fixed eta, expanded",
        source=lines(283, 293),
        note="The same matrix is printed again in lines 453-466.",
        mend=Mend("entry (1, 4) is -2 q3 eta1 - 2 q0 eta2 + 2 q1 eta3", dR_eta, corrected),
    ),
    Claim(
        "VI-22",
        dR_eta,
        (2 * forward * eta).row_join(2 * v.dot(eta) * one3 - 2 * skew(forward * eta)),
        title="derivative of R eta in compact blocks (first statement)",
        source=lines(294, 313),
        note="The text prints the column for q0 and the block for v one after the other.",
    ),
    Claim(
        "VI-23",
        2 * v.dot(eta) * one3 - dR_eta[:, 1:],
        2 * forward * eta,
        title="derivative of R eta in compact blocks (second statement)",
        source=lines(467, 470),
        note="Block for v, with the scalar matrix on the left: 3x3 = 3x1. The cross subscript of the first "
        "statement is missing: 2 (v . eta) 1 - 2 ((q0 1 + v~) eta)~.",
        mend=Mend(
            "the skew matrix of (q0 1 + v~) eta is subtracted",
            dR_eta[:, 1:],
            2 * v.dot(eta) * one3 - 2 * skew(forward * eta),
            slip="missing operator",
        ),
    ),
    Claim(
        "VI-24",
        lambda: derivative(-2 * R * skew(c) * Lq * qd, q),
        lambda: 2 * (R * skew(c) * Ld - held(dR_eta, skew(c) * Lq * qd)),
        title="derivative of the velocity in q",
        source=lines(313, 327),
        note="The rate of q is held fixed.",
    ),
    Claim(
        "VI-25",
        statements=(Equal(C(q).T * f, force), Equal(f.dot(r_rate), force.dot(xd))),
        assumptions=(unit, tangent),
        title="generalised concentrated force",
        source=lines(340, 352),
        note="The variation is written as a rate; admissible: q . delta q = 0.",
    ),
    Claim(
        "VI-26",
        statements=(
            Equal(derivative(turned_back * f / 2, q), (-2 * skew(v) * f).row_join(2 * q0 * skew(f))),
            Equal(derivative(turned_back * f / 2, q), -2 * (skew(v) * f).row_join(2 * q0 * skew(f))),
        ),
        title="derivative of the scalar-vector part of R^T f",
        source=lines(434, 448),
        note="Two readings, both refuted: -2 in the first block only, and before both. The left side has no factor 2: "
        "[-v~ f, q0 f~]; the first reading is right for twice the left side.",
        mend=Mend(
            "without the factors 2, or with the left side doubled",
            statements=(
                Equal(derivative(turned_back * f / 2, q), (-skew(v) * f).row_join(q0 * skew(f))),
                Equal(derivative(turned_back * f, q), (-2 * skew(v) * f).row_join(2 * q0 * skew(f))),
            ),
        ),
    ),
    Claim(
        "VI-27",
        dRT_f,
        (2 * backward * f).row_join(2 * v.dot(eta) * one3 + 2 * skew(backward * f)),
        title="derivative of R^T f in compact blocks",
        source=lines(448, 453),
        note="eta is not defined here; the derivative needs f1, f2, f3 in its place, and holds with them.",
        mend=Mend("with f for eta", dRT_f, (2 * backward * f).row_join(2 * v.dot(f) * one3 + 2 * skew(backward * f))),
    ),
    Claim(
        "VI-28",
        lambda: derivative(-2 * Lq.T * skew(c).T * R.T * f, q),
        lambda: -2 * (Lq.T * skew(c).T * dRT_f + held(derivative(Lq.T * eta, q), skew(c).T * R.T * f)),
        title="derivative of the generalised force in q",
        source=lines(470, 479),
    ),
    Claim(
        "VI-29",
        statements=(
            Equal((rd_O.T * M_body(q)[:3, :3] * rd_O)[0, 0] / 2, m * rd_O.dot(rd_O)),
            Equal(gradient(m * rd_O.dot(rd_O) + T_rot, xd), M_body(q) * xd),
        ),
        assumptions=symmetric,
        title="translational kinetic energy",
        source=lines(488, 503),
        note="The energy of the printed mass matrix, then the momentum of the printed energy. T_tra = m r' . r' "
        "gives the momentum 2 m r'; the mass matrix needs T_tra = m r' . r' / 2.",
        mend=Mend("T_tra = m r' . r' / 2", gradient(T_body, xd), M_body(q) * xd, symmetric),
    ),
    Claim(
        "VI-30",
        statements=(
            Equal(gradient(T_body, x), display(-4 * coriolis)),
            Equal(time_derivative(M_body(q), ((q, qd),)) * xd, display(4 * coriolis)),
            Equal(time_derivative(M_body(q), ((q, qd),)) * xd - gradient(T_body, x), display(8 * coriolis)),
        ),
        assumptions=symmetric,
        title="block display of the velocity terms",
        source=lines(505, 531),
        note="Columns of seven entries are set as 2x2 block matrices. With the column (0; 4x1 block) all three hold.",
        mend=Mend(
            "columns of seven entries, (0; 4x1)",
            statements=(
                Equal(gradient(T_body, x), -4 * column),
                Equal(M_body_rate, 4 * column),
                Equal(M_body_rate - gradient(T_body, x), 8 * column),
            ),
            assumptions=symmetric,
            slip="wrong shape",
        ),
    ),
    Claim(
        "VI-31",
        statements=(
            Equal(
                lambda: euler_lagrange(T_body - V) - F7,
                lambda: M_body(q) * xdd + Matrix([zeros(3, 1), 8 * coriolis]) + dV - F7,
            ),
            Equal(euler_lagrange(Phi * lam), derivative(Phi, x).T * lam),
        ),
        assumptions=symmetric,
        title="equations of motion from the constrained action",
        source=lines(533, 557),
        note="The equations without the multiplier, which hold, and its part, which does not. The action has "
        "+Phi lambda; its variation gives -A^T lambda in this equation (or the action needs -Phi lambda). The "
        "quadratic term is read as a column.",
        mend=Mend(
            "-A^T lambda for the action with +Phi lambda",
            lambda: euler_lagrange(T_body - V + Phi * lam) - F7,
            lambda: M_body(q) * xdd + 8 * column + dV - F7 - derivative(Phi, x).T * lam,
            symmetric,
        ),
    ),
    Claim(
        "VI-51",
        statements=(
            Equal(lambda: derivative(C(q).T * f, q), zeros(7, 4)),
            Equal(lambda: derivative(C(q).T * f, q), zeros(3, 4)),
        ),
        title="derivative of C^T f",
        source=lines(479, 486),
        note="Two readings, both refuted: the empty lower block is zero, or it is not there. It is the 4x4 matrix of "
        "VI-28.",
        mend=Mend(
            "with the lower block of VI-28",
            lambda: derivative(C(q).T * f, q),
            lambda: Matrix([zeros(3, 4), -2 * (Lq.T * skew(c).T * dRT_f + held(E(eta), skew(c).T * R.T * f))]),
            slip="missing term",
        ),
    ),
    Claim(
        "VI-53",
        R * f,
        R_printed * eta,
        title="expansion of R f",
        source=lines(373, 382),
        note="The components are printed with eta, which is not f here; with f1, f2, f3 they hold.",
        mend=Mend("with f for eta", R * f, R_printed * f),
    ),
)
