"""First-order systems with nonlinear relations: optimal control, ideal switch, gene network."""

from __future__ import annotations

import sympy as sp

from nsdgen.verify import Claim

from .common import Family

x = x1, x2, p1, p2 = sp.symbols("x1 x2 p1 p2", real=True)
lam = sp.symbols("lambda0:9", real=True)
inductance = sp.Symbol("L", positive=True)

CONTROL = r"""
#define ZERO(k) for (int i = 0; i < k; i++) out[i] = 0.0
#define ARGUMENTS double t, n_t n, double *x, n_t m, double *l, double *out, n_t nz, double *z
void df_dx(double t, n_t n, double *x, double *out, n_t nz, double *z) {
  ZERO(16);
  out[4] = 0.5; out[1] = -0.5; out[5] = -1.0; out[2] = -1.0;
  out[14] = 0.5; out[7] = -1.0; out[11] = -0.5; out[15] = 1.0;
}
void dh_dx(ARGUMENTS) { ZERO(8); out[0] = x[3]; out[2] = -x[2]; out[4] = 1 - x[1]; out[6] = x[0]; }
void dh_dl(ARGUMENTS) { ZERO(4); out[2] = 1.0; out[1] = -1.0; }
void dg_dl(ARGUMENTS) {
  ZERO(8);
  out[0] = 0.5 * (1 - x[1]); out[1] = 0.5 * x[0]; out[2] = -0.5 * x[3]; out[3] = 0.5 * x[2];
}
void dg_dx(ARGUMENTS) {
  ZERO(16);
  out[4] = -0.5 * (l[0] - 1); out[1] = 0.5 * (l[0] - 1); out[14] = -0.5 * (l[0] - 1); out[11] = 0.5 * (l[0] - 1);
}
"""
GENES = r"""
void dh_dx(n_t n, double *x, n_t m, double *l, n_t rows, double *out) {
  for (int i = 0; i < 8; i++) out[i] = 0.0;
  out[0] = -1; out[2] = -1; out[5] = -1; out[7] = -1;
}
void dg_dl(n_t m, double *l, n_t rows, double *out) {
  for (int i = 0; i < 8; i++) out[i] = 0.0;
  out[2] = 40 * (1 - l[2]); out[4] = -40 * l[1]; out[1] = 40 * (1 - l[3]); out[7] = -40 * l[0];
}
"""


def claims() -> list[Claim]:
    """f, h and g of the three systems."""
    return [*_optimal_control(), *_switch(), *_genes()]


def _optimal_control() -> list[Claim]:
    l0, l1 = lam[:2]
    half = sp.Rational(1, 2)
    f = sp.Matrix([x2 / 2 + half, -x1 / 2 - x2, -(x1 - 2) + p2 / 2, -(x2 + 1) - p1 / 2 + p2])
    g = (l0 - 1) * sp.Matrix([(1 - x2) / 2, x1 / 2, -p2 / 2, p1 / 2])
    h = sp.Matrix([l1 + (1 - x2) * p1 + x1 * p2, 2 - l0])
    df_dx = sp.Matrix([[0, half, 0, 0], [-half, -1, 0, 0], [-1, 0, 0, half], [0, -1, -half, 1]])
    dh_dx = sp.Matrix([[p2, -p1, 1 - x2, x1], [0, 0, 0, 0]])
    dg_dl = sp.Matrix([[(1 - x2) / 2, 0], [x1 / 2, 0], [-p2 / 2, 0], [p1 / 2, 0]])
    dg_dx = (l0 - 1) * sp.Matrix([[0, -half, 0, 0], [half, 0, 0, 0], [0, 0, 0, -half], [0, 0, half, 0]])
    system = Family("optimal_control", "optimal_control", {}, {"x": x, "lambda": (l0, l1)}, CONTROL)
    both, relation = system.both, "FirstOrderNonLinearR"
    return [
        *both("df_dx", f.jacobian(x), df_dx, "df_dx", "FirstOrderNonLinearDS.jacobianfx", "df/dx"),
        *both("dh_dx", h.jacobian(x), dh_dx, "dh_dx", f"{relation}.jachx", "dh/dx"),
        *both(
            "dh_dl", h.jacobian([l0, l1]), sp.Matrix([[0, 1], [-1, 0]]), "dh_dl", f"{relation}.jachlambda", "dh/dlambda"
        ),
        *both("dg_dl", g.jacobian([l0, l1]), dg_dl, "dg_dl", f"{relation}.jacglambda", "dg/dlambda"),
        *both("dg_dx", g.jacobian(x), dg_dx, "dg_dx", f"{relation}.jacgx", "dg/dx"),
    ]


def _switch() -> list[Claim]:
    """The switch and diode of a buck-like circuit: x the current of the inductor."""
    current, drive = sp.symbols("x s", real=True)
    r, low, high, gain = sp.symbols("R R1 R2 G", positive=True)
    a, b = lam, sp.Rational(20)
    h = sp.Matrix(
        [
            a[4] - drive,
            current - a[3] / r,
            a[2] - b + a[0] * (a[6] + low),
            a[2] + a[1] * (a[8] + low),
            current - a[0] - a[1],
            high - low - a[6],
            gain * (a[4] - a[3]) + a[5],
            high - low - a[8],
            -a[2] + a[7],
        ]
    )
    g = sp.Matrix([(a[2] - a[3]) / inductance])
    system = Family("switch", "nonlinear_switch", {}, {}, "")
    return [
        system.formula("dh_dx", h.jacobian([current]), sp.Matrix([0, 1, 0, 0, 1, 0, 0, 0, 0]), "dh/dx"),
        system.formula(
            "dg_dl", g.jacobian(lam), sp.Matrix([[0, 0, 1 / inductance, -1 / inductance, 0, 0, 0, 0, 0]]), "dg/dlambda"
        ),
    ]


def _genes() -> list[Claim]:
    """Two genes, four thresholds; and the reduced network with two."""
    y = sp.symbols("y0 y1", real=True)
    a = lam[:4]
    h = sp.Matrix([4 - y[0], 4 - y[1], 8 - y[0], 8 - y[1]])
    g = 40 * sp.Matrix([(1 - a[2]) * a[1], a[0] * (1 - a[3])])
    dg_dl = 40 * sp.Matrix([[0, 1 - a[2], -a[1], 0], [1 - a[3], 0, 0, -a[0]]])
    reduced_h, reduced_g = sp.Matrix([8 - y[0], 8 - y[1], 0, 0]), 40 * sp.Matrix([1 - a[0], 1 - a[1]])
    system = Family("genes", "step_system, step_system_reduced", {}, {"x": y, "lambda": a}, GENES)
    both, relation = system.both, "FirstOrderType2R"
    return [
        *both(
            "dh_dx", h.jacobian(y), -sp.Matrix([[1, 0], [0, 1], [1, 0], [0, 1]]), "dh_dx", f"{relation}.jachx", "dh/dx"
        ),
        *both("dg_dl", g.jacobian(a), dg_dl, "dg_dl", f"{relation}.jacglambda", "dg/dlambda"),
        system.formula(
            "reduced_dh_dx", reduced_h.jacobian(y), sp.Matrix([[-1, 0], [0, -1], [0, 0], [0, 0]]), "dh/dx, reduced"
        ),
        system.formula(
            "reduced_dg_dl", reduced_g.jacobian(a), -40 * sp.Matrix([[1, 0, 0, 0], [0, 1, 0, 0]]), "dg/dlambda, reduced"
        ),
    ]
