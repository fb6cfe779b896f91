"""The double pendulum against a wall: two absolute angles, equations divided by the rod lengths."""

from __future__ import annotations

import sympy as sp
from sympy import cos, sin

from nsdgen.verify import Claim

from .common import Family

q = q0, q1 = sp.symbols("q0 q1", real=True)
v = v0, v1 = sp.symbols("v0 v1", real=True)
m1, m2, l1, l2, g = sp.symbols("m1 m2 l1 l2 g", positive=True)

INERTIA = sp.Matrix([m2 * l2 * v1**2 * sin(q0 - q1), -m2 * l1 * v0**2 * sin(q0 - q1)])
INTERNAL = sp.Matrix([(m1 + m2) * g * sin(q0), m2 * g * sin(q1)])
TIPS = sp.Matrix([l1 * sin(q0)]), sp.Matrix([l1 * sin(q0) + l2 * sin(q1)])

SOURCE = r"""
void dn_dq(n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  out[0] = m2 * l2 * v[1] * v[0] * cos(q[0] - q[1]);
  out[1] = -m2 * l1 * v[0] * v[0] * cos(q[0] - q[1]);
  out[2] = -m2 * l2 * v[1] * v[1] * cos(q[0] - q[1]);
  out[3] = m2 * l1 * v[0] * v[0] * cos(q[0] - q[1]);
}
void dn_dv(n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  out[0] = 0.0;
  out[1] = -2 * m2 * l1 * v[0] * sin(q[0] - q[1]);
  out[2] = 2 * m2 * l2 * v[1] * sin(q[0] - q[1]);
  out[3] = 0.0;
}
void df_dq(double t, n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  out[0] = cos(q[0]) * (m1 + m2) * g;
  out[1] = 0.0;
  out[2] = 0.0;
  out[3] = cos(q[1]) * m2 * g;
}
void gradient_0(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = l1 * cos(q[0]); out[1] = 0.0; }
void gradient_1(n_t n, double *q, n_t m, double *out, n_t nz, double *z) {
  out[0] = l1 * cos(q[0]);
  out[1] = l2 * cos(q[1]);
}
"""
SYSTEM = Family(
    "double_pendulum",
    "double_pendulum_ts",
    {m1: 1.0, m2: 1.0, l1: 1.0, l2: 1.0, g: 10.0},
    {"q": q, "velocity": v},
    SOURCE,
)


def claims() -> list[Claim]:
    """dN/dq, dN/dv, dF_int/dq and the gradients of the two gaps."""
    c = cos(q0 - q1)
    dn_dq = sp.Matrix([[m2 * l2 * v1 * v0 * c, -m2 * l2 * v1**2 * c], [-m2 * l1 * v0**2 * c, m2 * l1 * v0**2 * c]])
    dn_dv = sp.Matrix([[0, 2 * m2 * l2 * v1 * sin(q0 - q1)], [-2 * m2 * l1 * v0 * sin(q0 - q1), 0]])
    df_dq = sp.diag((m1 + m2) * g * cos(q0), m2 * g * cos(q1))
    both = SYSTEM.both
    return [
        *both("dN_dq", INERTIA.jacobian(q), dn_dq, "dn_dq", "LagrangianDS.jacobianFGyrq", "dF_gyr/dq"),
        *both("dN_dv", INERTIA.jacobian(v), dn_dv, "dn_dv", "LagrangianDS.jacobianFGyrqDot", "dF_gyr/dv"),
        *both("dF_dq", INTERNAL.jacobian(q), df_dq, "df_dq", "LagrangianDS.jacobianFIntq", "dF_int/dq"),
        *both(
            "gap_0",
            TIPS[0].jacobian(q),
            sp.Matrix([[l1 * cos(q0), 0]]),
            "gradient_0",
            "LagrangianScleronomousR.jachq",
            "gradient of gap 0",
        ),
        *both(
            "gap_1",
            TIPS[1].jacobian(q),
            sp.Matrix([[l1 * cos(q0), l2 * cos(q1)]]),
            "gradient_1",
            "LagrangianScleronomousR.jachq",
            "gradient of gap 1",
        ),
    ]
