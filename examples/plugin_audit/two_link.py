"""The two-link manipulator with its tracking controller: inertia terms, feedback, contacts."""

from __future__ import annotations

import sympy as sp
from sympy import cos, sin

from nsdgen.verify import Claim, NonZero

from .common import Family

q = q0, q1 = sp.symbols("q0 q1", real=True)
v = v0, v1 = sp.symbols("v0 v1", real=True)
z = sp.symbols("z0:24", real=True)
l1, l2, m1, m2, i1, i2, c1, c2, a1, a2 = sp.symbols("l1 l2 m1 m2 I1 I2 gamma1 gamma2 a1 a2", positive=True)
r1, r2 = z[16], z[17]  # the reference velocity of the previous step

INERTIA = sp.Matrix([-m2 * l1 * l2 * sin(q1) * (v0 * v1 + v1**2 / 2), m2 * l1 * l2 * sin(q1) * v0**2 / 2])
X, Y = l1 * cos(q0) + l2 * cos(q0 + q1), l1 * sin(q0) + l2 * sin(q0 + q1)
M12 = i2 + m2 * l2**2 / 4 + m2 * l1 * l2 * cos(q1) / 2
MASS = sp.Matrix(
    [[m1 * l1**2 / 4 + i1 + i2 + m2 * (l1**2 + l2**2 / 4 + l1 * l2 * cos(q1)), M12], [M12, i2 + m2 * l2**2 / 4]]
)
G = sp.Matrix([[-Y, -l2 * sin(q0 + q1)], [X, l2 * cos(q0 + q1)]])
D = sp.Matrix([[G[1, 1], -G[0, 1]], [-G[1, 0], G[0, 0]]]) / (l1 * l2 * sin(q1))
"""The inverse of G, whose determinant is l1 l2 sin(q1)."""

SOURCE = r"""
void dn_dq(n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  out[0] = 0.0; out[1] = 0.0;
  out[2] = -m2 * l1 * l2 * cos(q[1]) * (v[0] * v[1] + v[1] * v[1] / 2);
  out[3] = m2 * l1 * l2 * cos(q[1]) * v[0] * v[0] / 2;
}
void dn_dv(n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  out[0] = -m2 * l1 * l2 * sin(q[1]) * v[1];
  out[1] = m2 * l1 * l2 * sin(q[1]) * v[0];
  out[2] = -m2 * l1 * l2 * sin(q[1]) * (v[0] + v[1]);
  out[3] = 0.0;
}
void gradient_1(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = 0.0; out[1] = 0.0; }
void gradient_2(n_t n, double *q, n_t m, double *out, n_t nz, double *z) {
  out[0] = l1 * cos(q[0]) + l2 * cos(q[0] + q[1]);
  out[1] = l2 * cos(q[0] + q[1]);
}
void df_dv(double t, n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  double x = l1 * cos(q[0]) + l2 * cos(q[0] + q[1]), y = l1 * sin(q[0]) + l2 * sin(q[0] + q[1]), s = sin(q[1]);
  double g11 = -y, g12 = -l2 * sin(q[0] + q[1]), g21 = x, g22 = l2 * cos(q[0] + q[1]), det = l1 * l2 * s;
  double d11 = g22 / det, d12 = -g12 / det, d21 = -g21 / det, d22 = g11 / det;
  double b = I2 + m2 * l2 * l2 / 4 + m2 * l1 * l2 * cos(q[1]) / 2, c = I2 + m2 * l2 * l2 / 4;
  double a = m1 * l1 * l1 / 4 + I1 + I2 + m2 * (l1 * l1 + l2 * l2 / 4 + l1 * l2 * cos(q[1]));
  double A11 = a * d11 + b * d21, A12 = a * d12 + b * d22, A21 = b * d11 + c * d21, A22 = b * d12 + c * d22;
  double e0 = d11 * z[16] + d12 * z[17], e1 = d21 * z[16] + d22 * z[17], k = m2 * l1 * l2 * s;
  out[0] = gamma2 * (-A11 * y + A12 * x) - g11 * gamma1 * y + g22 * gamma1 * x;
  out[1] = gamma2 * (-A21 * y + A22 * x) - g12 * gamma1 * y + g22 * gamma1 * x - k * e0 / 2;
  out[2] = gamma2 * (A11 * g12 + A12 * g22) + g11 * gamma1 * g12 + g21 * gamma1 * g22 + k * (e0 + e1 / 2);
  out[3] = gamma2 * (A21 * g12 + A22 * g22) + g12 * gamma1 * g12 + g22 * gamma1 * g22;
}
"""
SYSTEM = Family(
    "two_link",
    "two_link_manipulator",
    {l1: 0.5, l2: 0.5, m1: 1.0, m2: 1.0, i1: 1.0, i2: 1.0, c1: 8.0, c2: 7.0},
    {"q": q, "velocity": v, "z": z},
    SOURCE,
)


def _rate_of_inverse() -> sp.Matrix:
    """dD/dt along v, as it was typed."""
    s2, c2_, w = sin(q1), cos(q1), v0 + v1
    d11 = -(sin(q0 + q1) * w * s2 + cos(q0 + q1) * c2_ * v1) / (l1 * s2**2)
    d12 = (cos(q0 + q1) * w * s2 - sin(q0 + q1) * c2_ * v1) / (l1 * s2**2)
    d21 = -d11 + (sin(q0) * s2 * v0 + cos(q0) * c2_ * v1) / (l2 * s2**2)
    d22 = -d12 - (cos(q0) * s2 * v0 - sin(q0) * c2_ * v1) / (l2 * s2**2)
    return sp.Matrix([[d11, d12], [d21, d22]])


def feedback() -> sp.Matrix:
    """F_int: the control torque reversed, gravity cancelled; ``a1``, ``a2`` stand for what v does not change."""
    r = sp.Matrix([r1, r2])
    velocity = G * sp.Matrix(v)
    r_dot = sp.Matrix([a1, a2]) - c2 * velocity
    e = D * r
    k = sp.Matrix([-m2 * l1 * l2 * sin(q1) * v1 * (e[0] + e[1] / 2), m2 * l1 * l2 * sin(q1) * v0 * e[0] / 2])
    return -(MASS * D * r_dot + MASS * _rate_of_inverse() * r + k - c1 * G.T * (velocity - r))


def _hand_feedback() -> sp.Matrix:
    """dF_int/dv as it was typed."""
    a, e = MASS * D, D * sp.Matrix([r1, r2])
    g11, g12, g21, g22 = G
    k = m2 * l1 * l2 * sin(q1)
    return sp.Matrix(
        [
            [
                c2 * (-a[0, 0] * Y + a[0, 1] * X) - g11 * c1 * Y + g22 * c1 * X,
                c2 * (a[0, 0] * g12 + a[0, 1] * g22) + g11 * c1 * g12 + g21 * c1 * g22 + k * (e[0] + e[1] / 2),
            ],
            [
                c2 * (-a[1, 0] * Y + a[1, 1] * X) - g12 * c1 * Y + g22 * c1 * X - k * e[0] / 2,
                c2 * (a[1, 0] * g12 + a[1, 1] * g22) + g12 * c1 * g12 + g22 * c1 * g22,
            ],
        ]
    )


def claims() -> list[Claim]:
    """dN/dq, dN/dv, the inverse of G and its rate, dF_int/dv of the feedback, gradients of two contacts."""
    k, both = m2 * l1 * l2, SYSTEM.both
    dn_dq = sp.Matrix([[0, -k * cos(q1) * (v0 * v1 + v1**2 / 2)], [0, k * cos(q1) * v0**2 / 2]])
    dn_dv = sp.Matrix([[-k * sin(q1) * v1, -k * sin(q1) * (v0 + v1)], [k * sin(q1) * v0, 0]])
    rate = D.diff(q0) * v0 + D.diff(q1) * v1
    torque = feedback().jacobian(v)
    away = [NonZero(sin(q1))]
    return [
        *both("dN_dq", INERTIA.jacobian(q), dn_dq, "dn_dq", "LagrangianDS.jacobianFGyrq", "dF_gyr/dq"),
        *both("dN_dv", INERTIA.jacobian(v), dn_dv, "dn_dv", "LagrangianDS.jacobianFGyrqDot", "dF_gyr/dv"),
        SYSTEM.formula("inverse", sp.eye(2), G * D, "D is the inverse of G", assumptions=away),
        SYSTEM.formula("inverse_rate", rate, _rate_of_inverse(), "dD/dt", assumptions=away),
        *both("dF_dv", torque, _hand_feedback(), "df_dv", "LagrangianDS.jacobianFIntqDot", "dF_int/dv of the feedback"),
        *both(
            "contact_1",
            sp.Matrix([2 + X]).jacobian(q),
            sp.zeros(1, 2),
            "gradient_1",
            "LagrangianScleronomousR.jachq",
            "gradient of h = 2 + x",
        ),
        *both(
            "contact_2",
            sp.Matrix([Y]).jacobian(q),
            sp.Matrix([[X, l2 * cos(q0 + q1)]]),
            "gradient_2",
            "LagrangianScleronomousR.jachq",
            "gradient of h = y",
        ),
    ]
