"""A pendulum that hangs from a slider with dry friction: abscissa, height, angle."""

from __future__ import annotations

import sympy as sp
from sympy import cos, sin

from nsdgen.verify import Claim

from .common import Family

q = q0, q1, q2 = sp.symbols("q0:3", real=True)
v = v0, v1, v2 = sp.symbols("v0:3", real=True)
m2, l, g, a, d = sp.symbols("m2 l g a d", positive=True)

INERTIA = sp.Matrix([-m2 * l * v2**2 * sin(q2), 0, 0])
INTERNAL = sp.Matrix([0, g * q1, g * sin(q2)])

SOURCE = r"""
void dn_dq(n_t n, double *q, double *v, double *out, n_t nz, double *z) { out[2] = -m2 * l * v[2] * v[2] * cos(q[2]); }
void dn_dv(n_t n, double *q, double *v, double *out, n_t nz, double *z) { out[2] = -2.0 * m2 * v[2] * sin(q[2]); }
void df_dq(double t, n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  out[1] = g; out[8] = g * cos(q[2]);
}
void gradient_1(n_t n, double *q, n_t m, double *out, n_t nz, double *z) {
  out[0] = 0.0; out[1] = 1.0;
  out[2] = 1.0; out[3] = 0.0;
  out[4] = 0.0; out[5] = 0.0;
}
void gradient_2(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = -1.0; }
void gradient_3(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = 1.0; }
"""
SYSTEM = Family(
    "pendulum_on_slider",
    "pendulum_on_slider",
    {m2: 1.0, l: 1.0, g: 9.81, a: 0.025, d: 0.25},
    {"q": q, "velocity": v},
    SOURCE,
)


def _only(**entries: sp.Expr) -> sp.Matrix:
    """A 3 x 3 matrix of zeros but for entries called ``e20`` for row 2, column 0."""
    matrix = sp.zeros(3, 3)
    for name, value in entries.items():
        matrix[int(name[1]), int(name[2])] = value
    return matrix


def claims() -> list[Claim]:
    """dN/dq, dN/dv, dF_int/dq; the outputs of the three contacts, the second rows of two of them never written."""
    both = SYSTEM.both
    gaps = [sp.Matrix([q1, 0]), sp.Matrix([d - q0 - a / 2, 0]), sp.Matrix([q0 - a / 2, 0])]
    hands = [[[0, 1, 0], [1, 0, 0]], [[-1, 0, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]]]
    found = [
        *both(
            "dN_dq",
            INERTIA.jacobian(q),
            _only(e20=-m2 * l * v2**2 * cos(q2)),
            "dn_dq",
            "LagrangianDS.jacobianFGyrq",
            "dF_gyr/dq",
        ),
        *both(
            "dN_dv",
            INERTIA.jacobian(v),
            _only(e20=-2 * m2 * v2 * sin(q2)),
            "dn_dv",
            "LagrangianDS.jacobianFGyrqDot",
            "dF_gyr/dv",
        ),
        *both(
            "dF_dq",
            INTERNAL.jacobian(q),
            _only(e10=g, e22=g * cos(q2)),
            "df_dq",
            "LagrangianDS.jacobianFIntq",
            "dF_int/dq",
        ),
    ]
    for k, (gap, hand) in enumerate(zip(gaps, hands, strict=True), 1):
        found += both(
            f"gap_{k}",
            gap.jacobian(q),
            sp.Matrix(hand),
            f"gradient_{k}",
            "LagrangianScleronomousR.jachq",
            f"gradient of output {k}",
        )
    return found
