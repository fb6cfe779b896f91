"""Contacts of small systems: ball, beads, taut pendulum, impacting stick."""

from __future__ import annotations

import sympy as sp
from sympy import cos, sin

from nsdgen.verify import Claim

from .common import Family

q = x, y, th = sp.symbols("x y theta", real=True)
v = vx, vy = sp.symbols("vx vy", real=True)
alpha, length, big_l = sp.symbols("alpha l L", positive=True)

SOURCE = r"""
void ball(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = 1.0; out[1] = alpha; out[2] = 0.0; }
void pendulum(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = -2.0 * q[0]; out[1] = -2.0 * q[1]; }
void pendulum_rate(n_t n, double *q, n_t m, double *v, double *out, n_t nz, double *z) {
  out[0] = -2.0 * v[0]; out[1] = -2.0 * v[1];
}
void stick(n_t n, double *q, n_t m, double *out, n_t nz, double *z) {
  out[0] = 0.0; out[1] = -1.0;
  out[2] = 1.0; out[3] = 0.0;
  out[4] = 0.5 * l * sin(q[2]); out[5] = -0.5 * l * cos(q[2]);
}
"""
BODY = Family(
    "small", "bouncing_ball_ts_scleronomous, impacting_stick_fremond", {alpha: 0.1, length: 1.0}, {"q": q}, SOURCE
)
POINT = Family("small", "simple_pendulum_ed_lsodar", {alpha: 0.1, length: 1.0}, {"q": (x, y), "velocity": v}, SOURCE)


def claims() -> list[Claim]:
    """Gradients of gaps and, for the pendulum, their time derivative."""
    thread = sp.Matrix([big_l**2 - x**2 - y**2])
    gradient = thread.jacobian([x, y])
    rate = (gradient.T.jacobian([x, y]) * sp.Matrix(v)).T
    # The tangential output is not written by the plugin; the row is that of the abscissa of the tip, reversed.
    stick = sp.Matrix([y - length / 2 * cos(th), -(x + length / 2 * sin(th))])
    one = sp.symbols("a0:3 b0:3", real=True)
    beads = sp.Matrix([one[3] - one[0]])
    return [
        *BODY.both(
            "ball",
            sp.Matrix([x + alpha * y]).jacobian(q),
            sp.Matrix([[1, alpha, 0]]),
            "ball",
            "LagrangianScleronomousR.jachq",
            "gradient of h = q0 + alpha q1",
        ),
        *BODY.both(
            "stick",
            stick.jacobian(q),
            sp.Matrix([[0, 1, length / 2 * sin(th)], [-1, 0, -length / 2 * cos(th)]]),
            "stick",
            "LagrangianScleronomousR.jachq",
            "normal and tangential row of the stick",
        ),
        *POINT.both(
            "pendulum",
            gradient,
            sp.Matrix([[-2 * x, -2 * y]]),
            "pendulum",
            "LagrangianScleronomousR.jachq",
            "gradient of h = L^2 - x^2 - y^2",
        ),
        *POINT.both(
            "pendulum_rate",
            rate,
            sp.Matrix([[-2 * vx, -2 * vy]]),
            "pendulum_rate",
            "LagrangianScleronomousR.dotjachq",
            "time derivative of that gradient",
        ),
        BODY.formula("beads", beads.jacobian(one), sp.Matrix([[-1, 0, 0, 1, 0, 0]]), "gap between two beads"),
    ]
