"""The quartic formulation of sliding friction: the conic of the reaction and the polynomial in tan(theta / 2).

Sliding asks for alpha > 0 and R on the cone mu R_N = |R_T| with -alpha (0, R_T) = M R + q. Written with components of
generic symbols; L stands for |R_T|, with L^2 = R_T1^2 + R_T2^2. Sources: N11 are the 2011 notes, NL their long form.
"""

from __future__ import annotations

import sympy as sp
from sympy import Symbol, cos, sin, tan

from nsdgen.verify import (
    Claim,
    Equal,
    Equation,
    Iff,
    Implies,
    Mend,
    NonZero,
    Positive,
    Rotation,
    Symmetric,
    Zero,
    matrix,
    vector,
)

__all__ = ["claims"]

alpha, mu, L, R_N, R_1, R_2 = (Symbol(name, real=True) for name in ("alpha", "mu", "L", "R_N", "R_T1", "R_T2"))
M, q = matrix("M", 3, 3), vector("q", 3)
R = sp.Matrix([R_N, R_1, R_2])
sliding = M * R + q + alpha * sp.Matrix([0, R_1, R_2])
length = Equal(L**2, R_1**2 + R_2**2)
cone = Equal(mu * R_N, L)
first_line = -q[0] - M[0, 1] * R_1 - M[0, 2] * R_2
on_conic = Equal(M[0, 0] / mu * L, first_line)

# distance from R_T to the line q1 + M12 x + M13 y = 0: the foot of the perpendicular
_normal = sp.Matrix([M[0, 1], M[0, 2]])
_squared = _normal.dot(_normal)
_foot = sp.Matrix([R_1, R_2]) + first_line / _squared * _normal
_distance_squared = sp.factor((sp.Matrix([R_1, R_2]) - _foot).dot(sp.Matrix([R_1, R_2]) - _foot))

# polar form: r M11/mu = -q1 - r (M12 cos + M13 sin)
theta, phi_1, p, e, r, t = (Symbol(name, real=True) for name in ("theta", "phi_1", "p", "e", "r", "t"))
_r = sp.solve(on_conic.left.subs(L, r) - on_conic.right.subs({R_1: r * cos(theta), R_2: r * sin(theta)}), r)[0]
c_phi, s_phi = Symbol("c_phi", real=True), Symbol("s_phi", real=True)
_e_cos, _e_sin = mu * M[0, 1] / M[0, 0], mu * M[0, 2] / M[0, 0]  # e (cos phi, sin phi) for the normal's angle phi
_p = _r * (1 + _e_cos * cos(theta) + _e_sin * sin(theta))  # p = r (1 + e cos(theta - phi))

# --- rotated tangential equations ----------------------------------------------------------------------------------
two = sp.Integer(2)
V, Diag = sp.MatrixSymbol("V", two, two), sp.MatrixSymbol("d", two, two)
M_1, R_T, q_T = (sp.MatrixSymbol(name, two, 1) for name in ("M_1", "R_T", "q_T"))
d_1, d_2, q_1, q_2, a_1, a_2, S_1, S_2, m_1, m_2 = (
    Symbol(name, real=True)
    for name in ("d_1", "d_2", "qbar_1", "qbar_2", "a_1", "a_2", "Rbar_1", "Rbar_2", "Mbar_1", "Mbar_2")
)
_line_1 = L / mu * m_1 + (d_1 + alpha) * S_1 + q_1  # the components of the rotated equation
_line_2 = L / mu * m_2 + (d_2 + alpha) * S_2 + q_2
_scalar_1 = Equal((d_1 + alpha) * S_1, -q_1 + a_1 * L)
_scalar_2 = Equal((d_2 + alpha) * S_2, -q_2 + a_2 * L)
_eliminated = Equal((d_1 - d_2) * S_1 * S_2, -q_1 * S_2 + q_2 * S_1 + (a_1 * S_2 - a_2 * S_1) * L)

_den = 1 + e * cos(theta - phi_1)
_in_theta = (
    (d_1 - d_2) * p * cos(theta) * sin(theta)
    + (1 + e * cos(theta) * cos(phi_1) + e * sin(theta) * sin(phi_1)) * (q_1 * sin(theta) - q_2 * cos(theta))
    + p * (-a_1 * sin(theta) + a_2 * cos(theta))
)
_polar = {S_1: p / _den * cos(theta), S_2: p / _den * sin(theta), L: p / _den}

A, B, C, D, E = sp.symbols("A B C D E", real=True)
_c, _s = (1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)
_quartic = (
    A * (1 - t**2) ** 2 + 4 * B * t**2 + 2 * C * t * (1 - t**2) + 2 * D * t * (1 + t**2) + E * (1 - t**2) * (1 + t**2)
)
_powers = [(A - E), (-2 * C + 2 * D), (4 * B - 2 * A), (2 * C + 2 * D), (A + E)]  # P_4 .. P_0

claims: tuple[Claim, ...] = (
    Claim(
        "QF-01",
        title="sliding as a linear system",
        source="NL eq_quartic1 (line 6540); N11 eq (13.1)",
        statements=(
            Iff(Equal(-alpha * sp.Matrix([0, R_1, R_2]), M * R + q), Zero((M + sp.diag(0, alpha, alpha)) * R + q)),
        ),
    ),
    Claim(
        "QF-02",
        title="first line on the cone",
        source="NL first eq_quartic2 (line 6553); N11 eq (13.2)",
        assumptions=[NonZero(mu)],
        statements=(Implies([Zero(sliding[0]), cone], on_conic),),
        note="L = |R_T|.",
    ),
    Claim(
        "QF-03",
        title="squared form of the cone equation",
        source="NL second eq_quartic2 (line 6565); N11 eq (13.3)",
        assumptions=[NonZero(mu)],
        statements=(
            Equal(R[1:, :].dot(R[1:, :]), R_1**2 + R_1**2),
            Implies([on_conic, length], Equal(M[0, 0] ** 2 / mu**2 * (R_1**2 + R_1**2), first_line**2)),
        ),
        note="R_T1 stands twice in |R_T|^2, in both lines.",
        mend=Mend(
            "R_T1^2 + R_T2^2",
            statements=(
                Equal(R[1:, :].dot(R[1:, :]), R_1**2 + R_2**2),
                Implies([on_conic, length], Equal(M[0, 0] ** 2 / mu**2 * (R_1**2 + R_2**2), first_line**2)),
            ),
        ),
    ),
    Claim(
        "QF-04",
        title="conic with focus at the origin",
        source="NL eq_quartic3 (line 6576); N11 eq (13.4)",
        assumptions=[Positive(M[0, 0], mu, L), NonZero(_squared)],
        statements=(
            Zero(q[0] + M[0, 1] * _foot[0] + M[0, 2] * _foot[1]),
            Implies([on_conic, length], Equal(M[0, 0] ** 2 / mu**2 * L**2, _distance_squared * _squared)),
            Equal(L / (sp.Abs(on_conic.left) / sp.sqrt(_squared)), mu * sp.sqrt(_squared) / M[0, 0]),
        ),
        note="The foot of the perpendicular gives the distance to the line, on the conic |M_11 L / mu| over the "
        "length of the normal. The ratio needs M_11 > 0, which holds for the matrix of a contact.",
    ),
    Claim(
        "QF-05",
        title="polar equation of the conic",
        source="NL eq_quartic4 (line 6588); N11 eq (13.5)",
        assumptions=[NonZero(M[0, 0], mu)],
        statements=(
            Zero(sp.diff(_p, theta)),
            Zero(sp.diff(sp.cancel(_p), q[0])),
        ),
        note="p = r (1 + e cos(theta - phi)) is computed from the cone equation: it does not depend on theta (first"
        " statement, true), but it is not an expression of M_11, M_12, M_13: it is proportional to q_1.",
        mend=Mend("p = -mu q_1 / M_11", _p, -mu * q[0] / M[0, 0]),
    ),
    Claim(
        "QF-06",
        title="angle phi of the conic",
        source="NL after eq_quartic4 (line 6597); N11 after (13.5)",
        assumptions=[
            NonZero(M[0, 0], mu, q[0]),
            Equation(c_phi**2 + s_phi**2, 1, "phi is an angle"),
            Equation(M[0, 1] * c_phi + M[0, 2] * s_phi, 0, "phi is the angle of the line"),
        ],
        left=-q[0] * mu / M[0, 0] / _r,
        right=1 + mu * sp.sqrt(_squared) / M[0, 0] * (cos(theta) * c_phi + sin(theta) * s_phi),
        note="p / r against 1 + e cos(theta - phi) with phi the angle of the line itself, in either direction.",
        mend=Mend(
            "phi is the angle of the line's normal (M_12, M_13)",
            -q[0] * mu / M[0, 0] / _r,
            1 + _e_cos * cos(theta) + _e_sin * sin(theta),
            slip="wrong argument",
        ),
    ),
    Claim(
        "QF-07",
        title="two tangential lines",
        source="NL eq_quartic5-7 (lines 6604-6629); N11 eqs (13.6)-(13.8)",
        assumptions=[Symmetric(M), Rotation(V)],
        statements=(
            Implies(
                [cone],
                Equal(
                    mu * sliding[1:, :],
                    L * sp.Matrix([M[0, 1], M[0, 2]])
                    + mu * ((M[1:, 1:] + alpha * sp.eye(2)) * sp.Matrix([R_1, R_2]) + q[1:, :]),
                ),
            ),
            Equal(
                V * (L / mu * M_1 + (V.T * Diag * V + alpha * sp.Identity(two)) * R_T + q_T),
                L / mu * V * M_1 + (Diag + alpha * sp.Identity(two)) * V * R_T + V * q_T,
            ),
            Equal((V * R_T).T * (V * R_T), R_T.T * R_T),
        ),
        note="The tangential block is V^T diag V. Symmetry is needed for the column (M_21, M_31) to be the row "
        "(M_12, M_13); the barred quantities are V times the plain ones.",
    ),
    Claim(
        "QF-08",
        title="scalar equations and elimination of alpha",
        source="NL eq_quartic9-10 (lines 6638-6660); N11 eqs (13.10)-(13.12)",
        statements=(
            Equal(_line_1.subs(m_1, -mu * a_1), (d_1 + alpha) * S_1 - (-q_1 + a_1 * L)),
            Equal(_line_2.subs(m_2, -mu * a_2), (d_2 + alpha) * S_2 - (-q_2 + a_2 * L)),
            Implies([_scalar_1, _scalar_2], _eliminated),
        ),
        note="a_i = -Mbar_1i / mu, as (13.8) gives it.",
    ),
    Claim(
        "QF-09",
        ((_eliminated.left - _eliminated.right) * _den**2 / p).subs(_polar, simultaneous=True),
        _in_theta,
        title="equation in theta",
        source="NL eq_quartic11-12 (lines 6666-6681); N11 eqs (13.13)-(13.14)",
        note="The eliminated equation at the point of the conic, divided by r, times 1 + e cos(theta - phi_1).",
    ),
    Claim(
        "QF-10",
        _in_theta,
        -e * q_2 * cos(phi_1) * cos(theta) ** 2
        + e * q_1 * sin(phi_1) * sin(theta) ** 2
        + ((d_1 - d_2) * p + e * cos(phi_1) * q_1 - e * sin(phi_1) * q_2) * sin(theta) * cos(theta)
        + (q_1 - p * a_1) * sin(theta)
        + (-q_2 + p * a_2) * cos(theta),
        title="coefficients A to E",
        source="NL eq_quartic13 and eq_quartic12 (lines 6688-6703); N11 eqs (13.15)-(13.16)",
    ),
    Claim(
        "QF-11",
        title="polynomial in t and its coefficients",
        source="NL eq_quartic14, eq_quartic13 (lines 6710-6725); N11 eqs (13.17)-(13.18)",
        statements=(
            Equal(sin(2 * theta), (2 * t / (1 + t**2)).subs(t, tan(theta))),
            Equal(cos(2 * theta), ((1 - t**2) / (1 + t**2)).subs(t, tan(theta))),
            Equal((A * _c**2 + B * _s**2 + C * _s * _c + D * _s + E * _c) * (1 + t**2) ** 2, _quartic),
            Equal(_quartic, sum(P * t**k for k, P in zip((4, 3, 2, 1, 0), _powers, strict=True))),
        ),
        note="The first two statements have theta for theta / 2.",
    ),
    Claim(
        "QF-12",
        title="degenerate tangential components",
        source="NL last eq_quartic14 (lines 6736-6752); N11 eqs (13.19)-(13.20)",
        assumptions=[NonZero(a_1, a_2)],
        statements=(
            Implies(
                [Equal(_scalar_1.left.subs(S_1, 0), _scalar_1.right), Equal(L**2, S_2**2)],
                (Equal(L, q_1 / a_1), Equal(S_2**2, (q_1 / a_1) ** 2)),
            ),
            Implies(
                [Equal(_scalar_2.left.subs(S_2, 0), _scalar_2.right), Equal(L**2, S_1**2)],
                (Equal(L, q_2 / a_2), Equal(S_1**2, (q_2 / a_2) ** 2)),
            ),
        ),
        note="Rbar_T1 = 0 in the first implication, Rbar_T2 = 0 in the second.",
    ),
)
