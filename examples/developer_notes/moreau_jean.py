"""Moreau-Jean and Schatzman-Paoli schemes: iteration matrices, residuals, stability.

Two degrees of freedom with unknown functions where a derivative is taken, abstract matrices (all sizes) for the linear
algebra. "Gradient of M neglected" is a switch eps on that gradient, zero under the assumption. Source: NL is the long
form of the developer notes.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Function, MatrixExpr, MatrixSymbol, Symbol

from nsdgen.verify import (
    Claim,
    Equal,
    Equation,
    Implies,
    Inequality,
    Invertible,
    Mend,
    NonNegative,
    Positive,
    Zero,
    derivative,
    vector,
)

__all__ = ["claims"]

n = Symbol("n", integer=True, positive=True)
h, theta, gamma = (Symbol(name, real=True) for name in ("h", "theta", "gamma"))

# --- all sizes ----------------------------------------------------------------------------------------------------
Mhat, C, K, J, M_1 = (MatrixSymbol(name, n, n) for name in ("Mhat", "C", "K", "J", "M_1"))
M_k, M_q = MatrixSymbol("M_k", n, n), MatrixSymbol("M_q", n, n)
v_k, q_k, v_1, F_k, F_1, p, R_u, F = (
    MatrixSymbol(name, n, 1) for name in ("v_k", "q_k", "v_1", "F_k", "F_1", "p", "R_u", "F")
)
q_1, q_0 = MatrixSymbol("q_1", n, 1), MatrixSymbol("q_0", n, 1)  # q_{k+1} and q_{k-1}
q_theta, v_theta = MatrixSymbol("q_theta", n, 1), MatrixSymbol("v_theta", n, 1)


def moreau(mass: MatrixExpr, damping: MatrixExpr, stiffness: MatrixExpr, velocity: MatrixExpr) -> MatrixExpr:
    """The momentum balance of one linear step, zero at v_{k+1}; q_{k+1} = q_k + h (theta v_{k+1} + (1 - theta) v_k)."""
    position = q_k + h * (theta * velocity + (1 - theta) * v_k)
    return (
        mass * (velocity - v_k)
        + h * theta * (damping * velocity + stiffness * position)
        + h * (1 - theta) * (damping * v_k + stiffness * q_k)
        - h * (theta * F_1 + (1 - theta) * F_k)
        - p
    )


_linear_known = -h * C * v_k - h * K * q_k - h**2 * theta * K * v_k + h * (theta * F_1 + (1 - theta) * F_k)
_M_linear = Mhat - h * theta * C - h**2 * theta**2 * K
_v_free = v_k + Mhat.inv() * _linear_known


def schatzman_paoli(position: MatrixExpr, middle: MatrixExpr, rate: MatrixExpr) -> MatrixExpr:
    """The residual of the linear scheme for its values q_theta and v_theta in the middle."""
    return M_q * (position - 2 * q_k + q_0) + h**2 * (K * middle + C * rate) - p


def middle_values(position: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr]:
    """q_theta and v_theta with v(q) = (q - q_{k-1}) / (2 h)."""
    return theta * position + (1 - theta) * q_k, theta * (position - q_0) / (2 * h) + (1 - theta) * v_k


# --- one oscillator, for stability ---------------------------------------------------------------------------------
mass, damp, stiff, bound, delta = (Symbol(name, real=True) for name in ("m", "c", "k", "H", "delta"))


def amplification(weight: sp.Expr) -> sp.Matrix:
    """The matrix of one step (q, v) -> (q, v) of m q'' + c q' + k q = 0 by the theta scheme, from its equations."""
    q, v, qn, vn = sp.symbols("q v q_n v_n", real=True)
    q_mid, v_mid = weight * qn + (1 - weight) * q, weight * vn + (1 - weight) * v
    solved = sp.solve([mass * (vn - v) + h * (damp * v_mid + stiff * q_mid), qn - q - h * v_mid], [qn, vn], dict=True)[
        0
    ]
    return sp.Matrix([solved[qn], solved[vn]]).jacobian([q, v]).applyfunc(sp.factor)


_step = amplification(sp.Rational(1, 2) + delta)
_trace, _det = sp.factor(_step.trace()), sp.factor(_step.det())
_explicit = sp.factor(amplification(sp.S.Zero).subs(damp, 0).det())

# --- two degrees of freedom ----------------------------------------------------------------------------------------
q, u, vk, qk = vector("q", 2), vector("u", 2), vector("v_k", 2), vector("q_k", 2)
mass_2 = sp.Matrix(2, 2, lambda i, j: Function(f"M{min(i, j) + 1}{max(i, j) + 1}")(*q))
t_1, t_k = Symbol("t_1", real=True), Symbol("t_k", real=True)


def at(expression: sp.MatrixBase | sp.Expr, position: sp.MatrixBase) -> Any:
    """The expression of q at another position."""
    return expression.subs(dict(zip(q, position, strict=True)), simultaneous=True)


_q_gamma = qk + gamma * h * ((1 - theta) * vk + theta * u)
_product = at(mass_2, _q_gamma) * (u - vk)
_move = u - vk


def _gradient_times(move: sp.MatrixBase, contraction: str) -> sp.Matrix:
    """d M_ij / d q_l at q_gamma, summed with the move over the column index j or over the gradient's index l."""

    def entry(i: int, l: int) -> sp.Expr:
        if contraction == "column":
            return sum(at(sp.diff(mass_2[i, j], q[l]), _q_gamma) * move[j] for j in range(2))
        return sum(at(sp.diff(mass_2[i, l], q[k]), _q_gamma) * move[k] for k in range(2))

    return sp.Matrix(2, 2, entry)


def force(position: sp.MatrixBase, velocity: sp.MatrixBase, time: sp.Expr) -> sp.Matrix:
    """Forces F(t, q, v) of unknown form."""
    return sp.Matrix([Function(f"F{i}")(time, *position, *velocity) for i in (1, 2)])


_q_u = qk + h * ((1 - theta) * vk + theta * u)
_w = vector("w", 2)
_K_t = at(derivative(force(q, u, t_1), q), _q_u)
_C_t = derivative(force(q, _w, t_1), _w).subs(dict(zip(_w, u, strict=True)), simultaneous=True)
_C_t = at(_C_t, _q_u)
_F_theta = theta * force(_q_u, u, t_1) + (1 - theta) * force(qk, vk, t_k)

eps = Symbol("eps", real=True)
_no_gradient = Equation(eps, 0, "gradient of M neglected")
_mass_0 = sp.Matrix(2, 2, lambda i, j: Symbol(f"M{min(i, j) + 1}{max(i, j) + 1}", real=True))
_slope = [sp.Matrix(2, 2, lambda i, j, l=l: Symbol(f"G{min(i, j) + 1}{max(i, j) + 1}{l}", real=True)) for l in (1, 2)]


def switched_mass(position: sp.MatrixBase) -> sp.Matrix:
    """A mass matrix whose gradient is eps times an arbitrary symmetric one."""
    return _mass_0 + eps * (_slope[0] * position[0] + _slope[1] * position[1])


# --- Schatzman-Paoli, nonlinear ------------------------------------------------------------------------------------
_x, _x0 = vector("q", 2), vector("q0", 2)
_v_of_q = (_x - _x0) / (2 * h)
_z, _y = vector("z", 2), vector("y", 2)
_t_theta = theta * t_1 + (1 - theta) * t_k
_mid_v, _mid_q = theta * _v_of_q + (1 - theta) * vk, theta * _x + (1 - theta) * qk


def _at_mid(expression: sp.MatrixBase) -> sp.MatrixBase:
    """A function of (z, y) at the middle position and velocity."""
    return expression.subs(dict(zip([*_z, *_y], [*_mid_q, *_mid_v], strict=True)), simultaneous=True)


_sp_residual = (
    switched_mass(_x) * (_x - 2 * qk + _x0) + h**2 * _at_mid(force(_z, _y, _t_theta)) - sp.Matrix(vector("p", 2))
)
_sp_matrix = (
    switched_mass(_x)
    + h**2 * theta * _at_mid(derivative(force(_z, _y, _t_theta), _z))
    + h * theta * _at_mid(derivative(force(_z, _y, _t_theta), _y)) / 2
)

claims: tuple[Claim, ...] = (
    Claim(
        "MJ-01",
        title="linear time-invariant iteration",
        source="NL eqs 23, 2002, 2003, 24 (lines 2377-2406)",
        assumptions=[Invertible(Mhat)],
        statements=(
            Equal(moreau(_M_linear, C, K, v_1), Mhat * (v_1 - v_k) - _linear_known - p),
            Zero(moreau(_M_linear, C, K, _v_free + Mhat.inv() * p)),
        ),
        note="Mhat = M + h theta C + h^2 theta^2 K enters by M. The step with q_{k+1} inserted, and its zero.",
    ),
    Claim(
        "MJ-02",
        title="stability range of the theta-scheme",
        source="NL lines 2432-2433",
        assumptions=[Positive(h, mass, stiff, delta, bound, bound - h), NonNegative(damp, sp.Rational(1, 2) - delta)],
        statements=(
            # the characteristic polynomial z^2 - trace z + det has both roots in the disk, for every step
            Inequality(1 - _trace + _det, ">=", 0),
            Inequality(1 + _trace + _det, ">=", 0),
            Inequality(_det, "<=", 1),
            # theta = 0 < 1/2, undamped: "conditionally stable" would need a bound H with |z| <= 1 for all h < H
            Inequality(_explicit, "<=", 1),
        ),
        note="One mode, m, k > 0, c >= 0; theta = 1/2 + delta. The first three hold: stable for theta > 1/2. The "
        "last one fails for every H: undamped and theta < 1/2 every step is unstable; and at theta = 1/2 "
        "(delta = 0) none is.",
        mend=Mend(
            "unconditionally stable for 1/2 <= theta <= 1; for theta < 1/2 conditionally, and only with damping",
            statements=(
                Inequality(1 - _trace + _det, ">=", 0),
                Inequality(1 + _trace + _det, ">=", 0),
                Inequality(_det, "<=", 1),
                Inequality((1 - _trace + _det).subs(delta, 0), ">=", 0),
                Inequality((1 + _trace + _det).subs(delta, 0), ">=", 0),
                Inequality(_det.subs(delta, 0), "<=", 1),
            ),
        ),
    ),
    Claim(
        "MJ-03",
        derivative(_product, u),
        at(mass_2, _q_gamma) + h * gamma * theta * _gradient_times(_move, "column"),
        title="Jacobian of the nonlinear inertia term",
        source="NL eqs NL2000, NL8 (lines 2613-2623)",
        note="The gradient of M acts on u - v_k by the column index of M, as in the product that is differentiated.",
    ),
    Claim(
        "MJ-04",
        title="meaning of the inertia-gradient notation",
        source="NL lines 2631-2635",
        assumptions=[Positive(h, gamma, theta), NonNegative(1 - gamma, 1 - theta)],
        statements=(
            Equal(derivative(_product, u), _gradient_times(_move, "gradient")),
            Equal(derivative(_product, u) - at(mass_2, _q_gamma), _gradient_times(_move, "gradient")),
        ),
        note="As printed (first statement) the notation is the derivative of the whole product, which would count M"
        " twice in eq NL8; the second statement reads it as the gradient of M only. In either reading u - v_k "
        "is summed with the gradient's index l, not with the column index j.",
        mend=Mend(
            "h gamma theta dM_ij/dq^l (u^j - v_k^j)",
            derivative(_product, u) - at(mass_2, _q_gamma),
            h * gamma * theta * _gradient_times(_move, "column"),
            slip="swapped index",
        ),
    ),
    Claim(
        "MJ-05",
        title="frozen mass at the first iterate",
        source="NL eqs NL11, NL5 (lines 2666-2678)",
        statements=(
            Equal(at(mass_2, _q_gamma).subs(dict(zip(u, vk, strict=True))), at(mass_2, qk + h * gamma * vk)),
            Equal(at(mass_2, _q_gamma).subs(theta, 0), at(mass_2, qk + h * gamma * vk)),
        ),
    ),
    Claim(
        "MJ-06",
        derivative(_F_theta, u),
        h * theta**2 * _K_t + theta * _C_t,
        title="Jacobian of the theta-averaged force",
        source="NL eqs NL12-NL15 (lines 2718-2743)",
        note="K_t and C_t are the partial derivatives of F at (t_{k+1}, q(u), u).",
    ),
    Claim(
        "MJ-07",
        derivative(switched_mass(_q_gamma) * (u - vk) + h * _F_theta, u),
        switched_mass(_q_gamma) + h**2 * theta**2 * _K_t + theta * h * _C_t,
        [_no_gradient],
        title="nonlinear iteration matrix",
        source="NL eq NL17 (line 2757)",
    ),
    Claim(
        "MJ-08",
        Mhat * (Mhat.inv() * (p - R_u)),
        R_u + p,
        [Invertible(Mhat)],
        title="Newton iteration with the impulse",
        source="NL eq NL16 (line 2750)",
        note="Newton's step for R(u) - p = 0 with the matrix Mhat.",
        mend=Mend("-R(u) + p", Mhat * (Mhat.inv() * (p - R_u)), -R_u + p),
    ),
    Claim(
        "MJ-09",
        moreau(M_1, 0 * C, 0 * K, v_1).subs(theta, 1).doit(),
        M_1 * (v_1 - v_k) - F_1 - p,
        [Positive(h)],
        title="Moreau scheme in the mixed-integrator example",
        source="NL line 2910",
        note="The scheme of the chapter without stiffness and damping, theta = 1; p is an impulse.",
        mend=Mend("h F_ext", moreau(M_1, 0 * C, 0 * K, v_1).subs(theta, 1).doit(), M_1 * (v_1 - v_k) - h * F_1 - p),
    ),
    Claim(
        "SP-01",
        title="nonlinear Schatzman-Paoli scheme and residual",
        source="NL lines 2779 and 2809",
        assumptions=[Positive(h)],
        statements=(Equal(M_k * (q_1 - 2 * q_k + q_0) - h**2 * F - p, M_q * (q_1 - 2 * q_k + q_0) + h**2 * F - p),),
        note="The scheme (truth: M v' = F + p, multiplied by h^2) against the residual: the sign of h^2 F, and M at"
        " q_k against M at q.",
        mend=Mend(
            "-h^2 F and M(q_k)",
            h**2 * (M_k * ((q_1 - 2 * q_k + q_0) / h**2) - F) - p,
            M_k * (q_1 - 2 * q_k + q_0) - h**2 * F - p,
            slip="sign",
        ),
    ),
    Claim(
        "SP-02",
        derivative(_sp_residual, _x),
        _sp_matrix,
        [_no_gradient],
        title="nonlinear Schatzman-Paoli iteration matrix",
        source="NL eqs residu-linq1, iterationmatrix (lines 2815-2830)",
        note="Of the residual with +h^2 F, which SP-01 refutes: for -h^2 F both signs change.",
    ),
    Claim(
        "SP-03",
        title="Newton step on the residual",
        source="NL eq iterationloop (line 2836)",
        assumptions=[Invertible(J)],
        statements=(Implies([Zero(R_u + J * (q_1 - q_k))], Equal(J * (q_1 - q_k), -R_u)),),
        note="q_k stands for iterate nu, q_1 for the zero of the tangent there.",
    ),
    Claim(
        "SP-04",
        schatzman_paoli(q_1, q_theta, v_theta),
        M_q * (q_1 - 2 * q_k + q_0) + h**2 * K * q_theta + C * v_theta - p,
        [Positive(h)],
        title="linear Schatzman-Paoli residual",
        source="NL first eq residu-linq (line 2854)",
        note="As printed one parenthesis closes too many: h^2 multiplies K only. The next line of the text has h^2 C.",
        mend=Mend(
            "h^2 (K q_theta + C v_theta)",
            schatzman_paoli(q_1, q_theta, v_theta),
            M_q * (q_1 - 2 * q_k + q_0) + h**2 * (K * q_theta + C * v_theta) - p,
        ),
    ),
    Claim(
        "SP-05",
        schatzman_paoli(q_k, *middle_values(q_k)),
        M_q * (-q_k + q_0) + h**2 * K * q_k + h**2 * C * (theta * (q_k - q_0) / (2 * h) + (1 - theta) * v_k) - p,
        title="linear residual at the previous position",
        source="NL last eq residu-linq2 (line 2875)",
    ),
    Claim(
        "SP-06",
        M_q * (q_1 - 2 * q_k + q_0) - h**2 * F - p,
        M_q * (q_1 - 2 * q_k + q_0) - F - p,
        [Positive(h)],
        title="Schatzman-Paoli scheme in the mixed-integrator example",
        source="NL line 2920",
        note="The chapter's scheme with forces of time only.",
        mend=Mend(
            "h^2 F_ext",
            h**2 * (M_q * ((q_1 - 2 * q_k + q_0) / h**2) - F) - p,
            M_q * (q_1 - 2 * q_k + q_0) - h**2 * F - p,
        ),
    ),
)
