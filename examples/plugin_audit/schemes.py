"""Matrices of Newton's method and first steps of the schemes, against the derivatives of their residuals."""

from __future__ import annotations

import sympy as sp

from nsdgen.verify import Claim, NonZero

from . import double_pendulum as double
from .common import Family

h, theta = sp.symbols("h theta", positive=True)
M, C, K, q_k, v_k, f_k, f_n = sp.symbols("M C K q_k v_k f_k f_n", real=True)
q, v, q_l = sp.symbols("q v q_l", real=True)

MOREAU = Family("moreau_jean", "all cases of this scheme", {}, {}, "")
PAOLI = Family("schatzman_paoli", "bouncing_ball_ts_schatzman_paoli", {}, {}, "")


def claims() -> list[Claim]:
    """Moreau-Jean for linear and nonlinear systems, Schatzman-Paoli."""
    return [*_linear(), *_nonlinear(), *_positions()]


def _linear() -> list[Claim]:
    """One step of M v' = F(t) - C v - K q with the theta rule solves its residual."""

    def force(q: sp.Expr, v: sp.Expr, f: sp.Expr) -> sp.Expr:
        return f - C * v - K * q

    end = q_k + h * (theta * v + (1 - theta) * v_k)
    residual = M * (v - v_k) - h * (1 - theta) * force(q_k, v_k, f_k) - h * theta * force(end, v, f_n)
    w = M + h * theta * C + h**2 * theta**2 * K
    free = v_k - (h * C * v_k + h * K * q_k + h**2 * theta * K * v_k - h * (1 - theta) * f_k - h * theta * f_n) / w
    return [
        MOREAU.formula("linear_matrix", residual.diff(v), w, "W = dr/dv of a linear system"),
        MOREAU.formula(
            "linear_free",
            residual.subs(v, free),
            sp.S.Zero,
            "v_free makes the residual vanish",
            assumptions=[NonZero(w)],
        ),
    ]


def _nonlinear() -> list[Claim]:
    """W against dr/dv of the double pendulum, whose mass depends on q."""
    c = sp.cos(double.q0 - double.q1)
    mass = sp.Matrix(
        [
            [(double.m1 + double.m2) * double.l1, double.m2 * double.l2 * c],
            [double.m2 * double.l1 * c, double.m2 * double.l2],
        ]
    )
    forces = double.INERTIA + double.INTERNAL
    last = sp.Matrix(sp.symbols("u0 u1", real=True))
    q, v = sp.Matrix(double.q), sp.Matrix(double.v)
    residual = mass * (v - last) + h * theta * forces
    # q = q_k + h (theta v + (1 - theta) v_k), so that dq/dv = h theta.
    truth = residual.jacobian(v) + h * theta * residual.jacobian(q)
    w = mass + h * theta * forces.jacobian(v) + h**2 * theta**2 * forces.jacobian(q)
    return [
        MOREAU.formula(
            "matrix",
            truth,
            w,
            "W = dr/dv of a nonlinear system",
            note="d(M(q) (v - v_k))/dq is left out: it vanishes where M is constant",
        ),
        MOREAU.formula(
            "matrix_frozen",
            truth - h * theta * (mass * (v - last)).jacobian(q),
            w,
            "W with the mass of the iterate kept",
        ),
    ]


def _positions() -> list[Claim]:
    """M (q - 2 q_k + q_l) + h^2 (theta K q + (1 - theta) K q_k) + h C (q - q_l) / 2 and its matrix."""
    residual = M * (q - 2 * q_k + q_l) + h**2 * (theta * K * q + (1 - theta) * K * q_k) + h * C * (q - q_l) / 2
    w = M + h * theta * C / 2 + h**2 * theta**2 * K
    first = 2 * (q_k + h * v_k) - q_k - h**2 * f_k
    return [
        PAOLI.formula(
            "matrix",
            residual.diff(q),
            w,
            "W = dr/dq with forces averaged by theta",
            note="theta^2 and h theta C / 2 are of the rule for velocities; the case has K = C = 0",
        ),
        PAOLI.formula(
            "velocity",
            v_k,
            ((q_k + h * v_k) - (q_k - h * v_k)) / (2 * h),
            "(q_{k+1} - q_{k-1}) / (2 h) is v where q is linear in time",
        ),
        PAOLI.formula(
            "start",
            q_k + h * v_k - h**2 * f_k / 2,
            first - h * v_k,
            "the first step of a free fall",
            note="q_{-1} = q_0 and q_0 + h v_0: half a step of the fall is lost",
        ),
    ]
