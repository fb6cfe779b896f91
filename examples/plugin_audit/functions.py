"""The functions of the mechanisms themselves as C plugins: masses, inertia terms, forces, gaps, the feedback.

Masses, inertia terms and forces are decided against the energies (``energies``), outputs against the geometry, and the
feedback of the manipulator against its formula, at a fixed reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from nsdgen.verify import Claim

from . import double_pendulum as double
from . import pendulum_on_slider as slider
from . import slider_crank as crank
from . import two_link as robot
from .common import Family

_DOUBLE = r"""
void mass(n_t n, double *q, double *out, n_t nz, double *z) {
  double c = cos(q[0] - q[1]);
  out[0] = (m1 + m2) * l1; out[1] = m2 * l1 * c; out[2] = m2 * l2 * c; out[3] = m2 * l2;
}
void inertia(n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  double s = sin(q[0] - q[1]);
  out[0] = m2 * l2 * v[1] * v[1] * s; out[1] = -m2 * l1 * v[0] * v[0] * s;
}
void force(double t, n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  out[0] = (m1 + m2) * g * sin(q[0]); out[1] = m2 * g * sin(q[1]);
}
void output_0(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = l1 * sin(q[0]); }
void output_1(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = l1 * sin(q[0]) + l2 * sin(q[1]); }
"""
_SLIDER = r"""
void mass(n_t n, double *q, double *out, n_t nz, double *z) {
  out[0] = m1 + m2; out[2] = cos(q[2]); out[4] = 1; out[6] = m2 * l * cos(q[2]); out[8] = l;
}
void inertia(n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  out[0] = -m2 * l * v[2] * v[2] * sin(q[2]);
}
void force(double t, n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  out[1] = g * q[1]; out[2] = g * sin(q[2]);
}
void output_1(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = q[1]; }
void output_2(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = d - q[0] - a / 2; }
void output_3(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = q[0] - a / 2; }
"""
_CRANK = r"""
#define KAPPA ((0.5 * m2 + m3) * l1 * l2)
void mass(n_t n, double *q, double *out, n_t nz, double *z) {
  for (int i = 0; i < 9; i++) out[i] = 0.0;
  out[0] = J1 + (0.25 * m1 + m2 + m3) * l1 * l1; out[1] = out[3] = KAPPA * cos(q[1] - q[0]);
  out[4] = J2 + (0.25 * m2 + m3) * l2 * l2; out[8] = J3;
}
void inertia(n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  double s = KAPPA * sin(q[0] - q[1]);
  out[0] = s * v[1] * v[1]; out[1] = -s * v[0] * v[0]; out[2] = 0;
}
void force(double t, n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  out[0] = (0.5 * m1 + m2 + m3) * g * l1 * cos(q[0]); out[1] = (0.5 * m2 + m3) * g * l2 * cos(q[1]); out[2] = 0;
}
static void corner(double *q, double *out, int up, double side) {
  double x = l1 * cos(q[0]) + l2 * cos(q[1]), y = l1 * sin(q[0]) + l2 * sin(q[1]), c = cos(q[2]), s = sin(q[2]);
  out[0] = d / 2 + (up ? -(y + side * a * s + b * c) : y + side * a * s - b * c);
  out[1] = x + side * a * c + (up ? -b * s : b * s);
}
#define CORNER(k, up, side) \
  void output_##k(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { corner(q, out, up, side); }
CORNER(1, 1, -1) CORNER(2, 1, 1) CORNER(3, 0, -1) CORNER(4, 0, 1)
"""
_ROBOT = r"""
void mass(n_t n, double *q, double *out, n_t nz, double *z) {
  out[0] = m1 * l1 * l1 / 4 + I1 + I2 + m2 * (l1 * l1 + l2 * l2 / 4 + l1 * l2 * cos(q[1]));
  out[1] = out[2] = I2 + m2 * l2 * l2 / 4 + m2 * l1 * l2 * cos(q[1]) / 2;
  out[3] = I2 + m2 * l2 * l2 / 4;
}
void inertia(n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  double k = m2 * l1 * l2 * sin(q[1]);
  out[0] = -k * (v[0] * v[1] + v[1] * v[1] / 2); out[1] = k * v[0] * v[0] / 2;
}
void output_1(n_t n, double *q, n_t m, double *out, n_t nz, double *z) {
  out[0] = 2 + l1 * cos(q[0]) + l2 * cos(q[0] + q[1]);
}
void output_2(n_t n, double *q, n_t m, double *out, n_t nz, double *z) {
  out[0] = l1 * sin(q[0]) + l2 * sin(q[0] + q[1]);
}
void feedback(double t, n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  double s2 = sin(q[1]), c2 = cos(q[1]), s12 = sin(q[0] + q[1]), c12 = cos(q[0] + q[1]), w = v[0] + v[1];
  double x = l1 * cos(q[0]) + l2 * c12, y = l1 * sin(q[0]) + l2 * s12, det = l1 * l2 * s2, f = s2 * s2;
  double g11 = -y, g12 = -l2 * s12, g21 = x, g22 = l2 * c12;
  double d11 = g22 / det, d12 = -g12 / det, d21 = -g21 / det, d22 = g11 / det;
  double p11 = -(s12 * w * s2 + c12 * c2 * v[1]) / (l1 * f), p12 = (c12 * w * s2 - s12 * c2 * v[1]) / (l1 * f);
  double p21 = -p11 + (sin(q[0]) * s2 * v[0] + cos(q[0]) * c2 * v[1]) / (l2 * f);
  double p22 = -p12 - (cos(q[0]) * s2 * v[0] - sin(q[0]) * c2 * v[1]) / (l2 * f);
  double xd = g11 * v[0] + g12 * v[1], yd = g21 * v[0] + g22 * v[1], r0 = z[16], r1 = z[17];
  double a0 = 0.3 - gamma2 * xd, a1 = 0.6 - gamma2 * yd, b0 = xd - r0, b1 = yd - r1;
  double e0 = d11 * r0 + d12 * r1, e1 = d21 * r0 + d22 * r1, k = m2 * l1 * l2 * s2;
  double t0 = d11 * a0 + d12 * a1 + p11 * r0 + p12 * r1, t1 = d21 * a0 + d22 * a1 + p21 * r0 + p22 * r1;
  double mass12 = I2 + m2 * l2 * l2 / 4 + m2 * l1 * l2 * c2 / 2, mass22 = I2 + m2 * l2 * l2 / 4;
  double mass11 = m1 * l1 * l1 / 4 + I1 + I2 + m2 * (l1 * l1 + l2 * l2 / 4 + l1 * l2 * c2);
  out[0] = -(mass11 * t0 + mass12 * t1 - k * v[1] * (e0 + e1 / 2) - gamma1 * (g11 * b0 + g21 * b1));
  out[1] = -(mass12 * t0 + mass22 * t1 + k * v[0] * e0 / 2 - gamma1 * (g12 * b0 + g22 * b1));
}
"""


def _coded(of: Family, source: str, more: Mapping[sp.Symbol, float]) -> Family:
    """The family with the source of its functions; ``more`` are parameters that its Jacobians do not have."""
    return Family(of.name, of.case, {**of.parameters, **more}, of.arguments, source)


_m1, _j1, _j2, _j3 = sp.symbols("m1 J1 J2 J3", positive=True)
DOUBLE = _coded(double.SYSTEM, _DOUBLE, {})
SLIDER = _coded(slider.SYSTEM, _SLIDER, {_m1: 1.0})
CRANK = _coded(crank.SYSTEM, _CRANK, {_j1: 7.4e-5, _j2: 5.9e-4, _j3: 2.7e-6})
ROBOT = _coded(robot.SYSTEM, _ROBOT, {})


def claims() -> list[Claim]:
    """The outputs, and the feedback of the manipulator; masses and forces are decided with the energies."""
    half = slider.a / 2
    tips = [sp.Matrix([slider.q1]), sp.Matrix([slider.d - slider.q0 - half]), sp.Matrix([slider.q0 - half])]
    found = [
        *_outputs(DOUBLE, double.TIPS, 0),
        *_outputs(SLIDER, tips, 1),
        *_outputs(CRANK, crank.CORNERS, 1),
        *_outputs(ROBOT, [sp.Matrix([2 + robot.X]), sp.Matrix([robot.Y])], 1),
    ]
    at = {r: sp.Rational(3, 10) * (k + 1) for k, r in enumerate((robot.a1, robot.a2))}
    feedback = robot.feedback().subs(at)
    return [*found, ROBOT.plugin("feedback", feedback, "feedback", "LagrangianDS.fInt", "F_int of the feedback")]


def _outputs(family: Family, outputs: Sequence[sp.Matrix], first: int) -> list[Claim]:
    return [
        family.plugin(f"output_{k}", h, f"output_{k}", "LagrangianScleronomousR.h", f"output {k}")
        for k, h in enumerate(outputs, first)
    ]
