"""The slider-crank with clearance: angles of crank, rod and slider; four corners of the slider in a guide."""

from __future__ import annotations

import sympy as sp
from sympy import cos, sin

from nsdgen.verify import Claim

from .common import Family

q = q0, q1, q2 = sp.symbols("q0:3", real=True)
v = v0, v1, v2 = sp.symbols("v0:3", real=True)
m1, m2, m3, l1, l2, a, b, d, g = sp.symbols("m1 m2 m3 l1 l2 a b d g", positive=True)
K = (m2 / 2 + m3) * l1 * l2

INERTIA = sp.Matrix([K * sin(q0 - q1) * v1**2, -K * sin(q0 - q1) * v0**2, 0])
INTERNAL = sp.Matrix([(m1 / 2 + m2 + m3) * g * l1 * cos(q0), (m2 / 2 + m3) * g * l2 * cos(q1), 0])
X, Y = l1 * cos(q0) + l2 * cos(q1), l1 * sin(q0) + l2 * sin(q1)
CORNERS = (
    sp.Matrix([d / 2 - (Y - a * sin(q2) + b * cos(q2)), X - a * cos(q2) - b * sin(q2)]),
    sp.Matrix([d / 2 - (Y + a * sin(q2) + b * cos(q2)), X + a * cos(q2) - b * sin(q2)]),
    sp.Matrix([d / 2 + Y - a * sin(q2) - b * cos(q2), X - a * cos(q2) + b * sin(q2)]),
    sp.Matrix([d / 2 + Y + a * sin(q2) - b * cos(q2), X + a * cos(q2) + b * sin(q2)]),
)
NORMAL = (a * cos(q2) + b * sin(q2), -a * cos(q2) + b * sin(q2), -a * cos(q2) + b * sin(q2), a * cos(q2) + b * sin(q2))
TANGENTIAL = (
    a * sin(q2) - b * cos(q2),
    -a * sin(q2) - b * cos(q2),
    a * sin(q2) + b * cos(q2),
    -a * sin(q2) + b * cos(q2),
)
RATES = (
    (-a * sin(q2) + b * cos(q2)) * v2,
    (-a * sin(q2) + b * cos(q2)) * v2,
    (a * sin(q2) + b * cos(q2)) * v2,
    (a * sin(q2) + b * cos(q2)) * v2,
)
"""The third entries of the time derivatives of the normal rows, as they were typed."""

SOURCE = r"""
#define K ((0.5 * m2 + m3) * l1 * l2)
void dn_dq(n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  double c = K * cos(q[0] - q[1]);
  for (int i = 0; i < 9; i++) out[i] = 0.0;
  out[0] = c * v[1] * v[1]; out[1] = -c * v[0] * v[0]; out[3] = -c * v[1] * v[1]; out[4] = c * v[0] * v[0];
}
void dn_dv(n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  double s = K * sin(q[0] - q[1]);
  for (int i = 0; i < 9; i++) out[i] = 0.0;
  out[1] = -2.0 * s * v[0]; out[3] = 2.0 * s * v[1];
}
void df_dq(double t, n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  for (int i = 0; i < 9; i++) out[i] = 0.0;
  out[0] = -(0.5 * m1 + m2 + m3) * g * l1 * sin(q[0]); out[4] = -(0.5 * m2 + m3) * g * l2 * sin(q[1]);
}
static void corner(double *q, double *out, double sign, double normal, double tangential) {
  out[0] = sign * l1 * cos(q[0]); out[1] = -l1 * sin(q[0]);
  out[2] = sign * l2 * cos(q[1]); out[3] = -l2 * sin(q[1]);
  out[4] = normal; out[5] = tangential;
}
#define S sin(q[2])
#define C cos(q[2])
#define GRADIENT(name, sign, normal, tangential) \
  void name(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { corner(q, out, sign, normal, tangential); }
GRADIENT(gradient_1, -1, a * C + b * S, a * S - b * C)
GRADIENT(gradient_2, -1, -a * C + b * S, -a * S - b * C)
GRADIENT(gradient_3, 1, -a * C + b * S, a * S + b * C)
GRADIENT(gradient_4, 1, a * C + b * S, -a * S + b * C)
#define RATE(name, sign, third) \
  void name(n_t n, double *q, n_t m, double *v, double *out, n_t nz, double *z) { \
    out[0] = sign * l1 * sin(q[0]) * v[0]; out[1] = sign * l2 * sin(q[1]) * v[1]; out[2] = (third) * v[2]; }
RATE(rate_1, 1, -a * S + b * C)
RATE(rate_2, 1, -a * S + b * C)
RATE(rate_3, -1, a * S + b * C)
RATE(rate_4, -1, a * S + b * C)
"""
SYSTEM = Family(
    "slider_crank",
    "slider_crank_moreau_jean, slider_crank_d1minus_acceleration",
    {m1: 0.038, m2: 0.038, m3: 0.076, l1: 0.153, l2: 0.306, a: 0.05, b: 0.025, d: 0.052, g: 9.81},
    {"q": q, "velocity": v},
    SOURCE,
)


def claims() -> list[Claim]:
    """dN/dq, dN/dv, dF_int/dq; gradients of the four corners and the time derivatives of their normal rows."""
    c, s, both = K * cos(q0 - q1), K * sin(q0 - q1), SYSTEM.both
    dn_dq = sp.Matrix([[c * v1**2, -c * v1**2, 0], [-c * v0**2, c * v0**2, 0], [0, 0, 0]])
    dn_dv = sp.Matrix([[0, 2 * s * v1, 0], [-2 * s * v0, 0, 0], [0, 0, 0]])
    df_dq = sp.diag(-(m1 / 2 + m2 + m3) * g * l1 * sin(q0), -(m2 / 2 + m3) * g * l2 * sin(q1), 0)
    found = [
        *both("dN_dq", INERTIA.jacobian(q), dn_dq, "dn_dq", "LagrangianDS.jacobianFGyrq", "dF_gyr/dq"),
        *both("dN_dv", INERTIA.jacobian(v), dn_dv, "dn_dv", "LagrangianDS.jacobianFGyrqDot", "dF_gyr/dv"),
        *both("dF_dq", INTERNAL.jacobian(q), df_dq, "df_dq", "LagrangianDS.jacobianFIntq", "dF_int/dq"),
    ]
    for k, corner in enumerate(CORNERS):
        sign = -1 if k < 2 else 1
        hand = sp.Matrix(
            [[sign * l1 * cos(q0), sign * l2 * cos(q1), NORMAL[k]], [-l1 * sin(q0), -l2 * sin(q1), TANGENTIAL[k]]]
        )
        found += both(
            f"corner_{k + 1}",
            corner.jacobian(q),
            hand,
            f"gradient_{k + 1}",
            "LagrangianScleronomousR.jachq",
            f"gradient of corner {k + 1}",
        )
    for k, corner in enumerate(CORNERS):
        sign = 1 if k < 2 else -1
        normal = corner[:1, :].jacobian(q)
        rate = normal.T.jacobian(q) * sp.Matrix(v)
        hand = sp.Matrix([[sign * l1 * sin(q0) * v0, sign * l2 * sin(q1) * v1, RATES[k]]])
        found += both(
            f"rate_{k + 1}",
            rate.T,
            hand,
            f"rate_{k + 1}",
            "LagrangianScleronomousR.dotjachq",
            f"time derivative of the gradient of corner {k + 1}",
        )
    return found
